"""Commands on a saved result: effects, and the page with another graph over it."""

import json

import numpy as np
import pandas as pd
import pytest

from dagscale.cli import _exit_code


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """a -> b -> c."""
    rng = np.random.default_rng(1000)
    a = rng.normal(size=150)
    b = np.sin(2 * a) + 0.3 * rng.normal(size=150)
    folder = tmp_path_factory.mktemp("saved")
    pd.DataFrame({"a": a, "b": b, "c": b**2 + 0.3 * rng.normal(size=150)}).to_csv(
        folder / "data.csv", index=False
    )
    out = folder / "run"
    assert (
        _exit_code(["discover", str(folder / "data.csv"), "--method", "cam", "--out", str(out), "--quiet"])
        == 0
    )
    return out


def test_effect(run_folder, capsys, refused):
    assert _exit_code(["effect", str(run_folder), "a", "c", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "effect"
    assert document["table"][0]["low"] < document["table"][0]["estimate"] < document["table"][0]["high"]
    assert _exit_code(["effect", str(run_folder), "a", "c", "--level", "0.8"]) == 0
    assert "This assumes:" in capsys.readouterr().out
    assert "did you mean" in refused("effect", str(run_folder), "a", "cc")
    assert "--level 7" in refused("effect", str(run_folder), "a", "c", "--level", "7")


def test_a_report_with_another_graph_over_it(run_folder, tmp_path):
    (tmp_path / "known.csv").write_text("source,target\na,b\nb,c\n")
    page = tmp_path / "page.html"
    options = ["--out", str(page), "--compare", str(tmp_path / "known.csv"), "--title", "Mine"]
    assert _exit_code(["report", str(run_folder), *options]) == 0
    assert "known.csv" in page.read_text(encoding="utf-8")
    assert _exit_code(["report", str(run_folder), "--out", str(tmp_path / "new")]) == 0  # a folder
    assert "cam gives each a direction" in (tmp_path / "new" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_a_figure_for_a_paper(run_folder, tmp_path, capsys, kind):
    pytest.importorskip("matplotlib")
    figure = tmp_path / f"graph.{kind}"
    assert _exit_code(["plot", str(run_folder), str(figure), "--size", "one-column", "--no-legend"]) == 0
    assert capsys.readouterr().out == f"figure: {figure}\n"
    assert figure.read_bytes().startswith({"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}[kind])


def test_a_figure_that_cannot_be_drawn_is_refused(run_folder, tmp_path, refused):
    pytest.importorskip("matplotlib")
    assert "ends in .pdf, .svg, .png" in refused("plot", str(run_folder), str(tmp_path / "graph.doc"))
    assert "cannot write" in refused("plot", str(run_folder), str(tmp_path / "nowhere" / "graph.pdf"))
    assert "one-column" in refused("plot", str(run_folder), str(tmp_path / "graph.pdf"), "--size", "wide")
