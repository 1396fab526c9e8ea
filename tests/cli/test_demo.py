"""The demo: a table where the truth is known, then one where it is hard; a folder for each."""

import json

from dagscale.cli import _exit_code

FILES = ["edges.csv", "graph.dot", "report.html", "result.json", "result.npz"]


def test_demo(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert _exit_code(["discover", "--demo", "--method", "cam"]) == 0
    printed = capsys.readouterr()
    for text in (
        "fields of a simulated farm",
        "What does one more kilogram of fertiliser do to the harvest",
        "report: dagscale-demo-farm/report.html",
        "11 proteins",
        "Three things a biologist knows",
        "no edge at all",
        "order by variance",
        "shd",
        "report: dagscale-demo/report.html",
    ):
        assert text in printed.out
    for folder in ("dagscale-demo", "dagscale-demo-farm"):
        assert sorted(p.name for p in (tmp_path / folder).iterdir()) == FILES
    assert (
        _exit_code(["discover", "--demo", "--method", "empty", "--json"]) == 0
    )  # its own folder is replaced
    document = json.loads(capsys.readouterr().out)
    assert document["farm"]["against_known_graph"]["empty"]["shd"] == 10
    assert document["farm"]["effect"]["plain"] < 0 < document["farm"]["effect"]["truth"]
    judged = document["against_known_graph"]
    assert judged["empty"] == {"shd": 17, "sid": judged["empty"]["sid"], "precision": 0.0, "recall": 0.0}
    assert len(judged) == 6
