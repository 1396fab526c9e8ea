"""The page as a file: self-contained, safe whatever the names are, complete or not there."""

import errno
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dagscale.result.diagnostics import Check, Diagnostics
from dagscale.result.report.page import embedded_json
from dagscale.result.report.payload import payload
from dagscale.runtime.errors import InputError
from dagscale.runtime.progress import silent

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "]]>",
    "a'b\"c",
    "日本\u2028",
    "x" * 400,
]


class Reader(HTMLParser):
    """Collects the scripts, the attributes that fetch something, and the ids of a page."""

    def __init__(self):
        super().__init__()
        self.scripts, self.fetching, self.ids, self.inside = [], [], [], False

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.inside = tag == "script"
        if tag == "script":
            self.scripts.append((attributes.get("type"), ""))
        self.fetching += [
            v for k, v in attrs if k in ("src", "href", "action", "data") and not v.startswith("#")
        ]
        self.fetching += [tag] if tag in ("link", "iframe", "object", "embed", "base") else []
        self.ids += [v for k, v in attrs if k == "id"]
        assert not any(k.startswith("on") for k in attributes), "an inline handler"

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "script"

    def handle_data(self, content):
        if self.inside:
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + content)


def read(path):
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader


@pytest.fixture(scope="module")
def hostile_page(make_result, tmp_path_factory):
    result = make_result(HOSTILE, [(0, 1), (1, 2), (0, 3), (3, 5)], notes=["note with <b>markup</b>"])
    return result.report(tmp_path_factory.mktemp("page") / "report.html")


def test_the_page_fetches_nothing(hostile_page):
    page = read(hostile_page)
    assert page.fetching == []
    text = hostile_page.read_text(encoding="utf-8")
    own = text.replace(page.scripts[1][1], "")  # the drawing library, whose licence text has addresses
    addresses = set(re.findall(r"https?://[^\s\"'<>)]+", own))
    assert addresses <= {"http://www.w3.org/2000/svg"}  # a name of a namespace, never fetched
    assert "default-src 'none'" in text
    assert "@import" not in text


def test_hostile_names_stay_inside_the_data(hostile_page):
    page = read(hostile_page)
    assert [kind for kind, _ in page.scripts] == ["application/json", None, None]
    data = json.loads(page.scripts[0][1])
    assert [node["name"] for node in data["nodes"]] == HOSTILE
    assert data["notes"] == ["note with <b>markup</b>"]
    assert "alert(1)" not in hostile_page.read_text().replace(page.scripts[0][1], "")


def test_the_policy_names_exactly_the_scripts_of_the_page(hostile_page):
    import base64
    import hashlib

    text = hostile_page.read_text(encoding="utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    hashes = {base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts}
    assert set(re.findall(r"'sha256-([^']+)'", text.split("</head>")[0])) == hashes


def test_every_id_is_unique_and_every_one_the_program_asks_for_exists(hostile_page):
    page = read(hostile_page)
    assert len(page.ids) == len(set(page.ids))
    asked = set(re.findall(r'\$\("([^"]+)"\)', page.scripts[2][1]))
    assert asked <= set(page.ids)


def test_everything_that_can_be_used_is_used_by_a_browser_test():
    template = files("dagscale.result.report").joinpath("template/page.html").read_text(encoding="utf-8")
    usable = re.findall(r"<(?:button|select|input|form|a|details|div (?=[^>]*tabindex))\b[^>]*>", template)
    asked = {match for tag in usable for match in re.findall(r'(?:id|data-export|class)="([^"]+)"', tag)}
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_browser*.py"))
    assert len(asked) > 20
    assert {name for name in asked if name not in tests} == set()


def test_the_data_is_what_the_result_says(make_result):
    result = make_result(list("abcde"), [(0, 1), (1, 2), (0, 2), (3, 4)])
    data = payload(result, silent)
    edges = {
        (data["nodes"][e["source"]]["name"], data["nodes"][e["target"]]["name"]): e for e in data["edges"]
    }
    assert set(edges) == set(result.graph.edges)
    for (source, target), edge in edges.items():
        assert edge["values"]["strength"] == pytest.approx(result.graph[source][target]["strength"], rel=1e-3)
        assert edge["values"]["p_value"] == pytest.approx(result.graph[source][target]["p_value"], rel=1e-3)
    assert [m["name"] for m in data["measures"] if m["smallerIsBetter"]] == ["p_value"]
    assert len(data["why"]) == 5 * 4
    assert data["why"]["1 0"]["reason"] == result.why("b", "a").reason
    assert data["diagnostics"]["light"] == result.diagnostics.light
    told = [(c["name"], c["node"], c["sentence"]) for c in data["diagnostics"]["checks"]]
    assert told == [
        (c.name, None if c.node is None else result.names.index(c.node), c.sentence)
        for c in result.diagnostics
    ]
    assert [node["place"] for node in data["nodes"]] == [result.positions[name] for name in result.names]


def test_curves_rise_and_fall_with_the_data(make_result):
    result = make_result(list("abc"), [(0, 1), (1, 2)], rows=800)
    data = payload(result, silent)
    curves = {(e["source"], e["target"]): e["curve"] for e in data["edges"]}
    X = result.sample.astype(float)
    for (i, j), effect in {(0, 1): np.sin, (1, 2): lambda x: -2 * np.sin(x)}.items():
        x = np.array(curves[i, j]["x"])
        truth = effect(x) - effect(X[:, i]).mean() + X[:, j].mean()
        middle = np.abs(x) < 2
        assert np.abs(np.array(curves[i, j]["fit"]) - truth)[middle].max() < 0.25
        assert (np.diff(x) > 0).all()
        assert np.isclose([x[0], x[-1]], [X[:, i].min(), X[:, i].max()], rtol=1e-3).all()
    residual = np.array(data["nodes"][1]["residual"])
    shown = np.array(data["nodes"][1]["data"])
    assert residual.std() < shown.std()
    assert len(residual) == len(shown) == len(data["nodes"][0]["data"])


def test_an_outlier_is_among_the_points_shown(make_result):
    result = make_result(list("abc"), [(0, 1)], rows=1500)
    X = result.sample
    X[777, 0] = 99.0
    assert 99.0 in payload(result, silent)["nodes"][0]["data"]


def test_a_result_without_data_has_no_curves(make_result, tmp_path):
    result = make_result(list("abc"), [(0, 1), (1, 2)])
    bare = type(result).load(result.save(tmp_path / "run", data=False))
    data = payload(bare, silent)
    assert not any("curve" in edge for edge in data["edges"])
    assert not any("data" in node for node in data["nodes"])


def test_names_that_json_cannot_hold_find_their_checks_again(make_result, tmp_path):
    result = make_result([("a", 1), 1, "1"], [(0, 1), (1, 2)])
    nodes = [check.node for check in result.diagnostics]
    loaded = type(result).load(result.save(tmp_path / "run"))
    checks = payload(loaded, silent)["diagnostics"]["checks"]
    assert [c["node"] for c in checks] == [None if n is None else result.names.index(n) for n in nodes]


def test_wide_tables_show_checks_only_where_they_were_run_before(make_result):
    result = make_result(list(range(310)), [(0, 1)], rows=40)
    assert payload(result, silent)["diagnostics"] == {
        "summary": "Not run for 310 columns: in Python, look at result.diagnostics, then write the report again.",
        "light": None,
        "checks": [],
    }
    checks = (Check("noise", None, 1.0, "doubtful", "odd"), Check("noise", 7, 1.0, "ok", "fine"))
    found = replace(
        result, stored_checks=Diagnostics((*checks, Check("noise", 9, 1.0, "failed", "odd")), 40).to_dict()
    )
    assert [c["node"] for c in payload(found, silent)["diagnostics"]["checks"]] == [None, 9]


def test_every_pair_of_a_wide_table_has_its_stage(make_result):
    d = 60
    result = make_result(list(range(d)), [(j, j + 1) for j in range(d - 1)], rows=40)
    data = payload(result, silent)["decided"]
    place = result.explainer.position
    for i, j in [(0, 5), (5, 0), (3, 4), (59, 0), (0, 59), (10, 12)]:
        left, runs = place[i], data["runs"][place[j]]
        stage = np.repeat(runs[::2], runs[1::2])[left]
        assert sum(runs[1::2]) == d
        assert data["stages"][stage] == result.why(i, j).stage


def test_large_tables_explain_edges_and_the_strongest_candidates_only(make_result):
    edges = [(j, j + 1) for j in range(59)]
    data = payload(make_result(list(range(60)), edges, rows=40), silent)
    assert {f"{i} {j}" for i, j in edges} <= set(data["why"])
    assert len(data["why"]) == 60 * 59 // 2  # every pair along the order has a p-value here
    closest = list(data["why"])[59]
    assert "removed it (p-value 0.01" in data["why"][closest]["reason"]


@pytest.mark.parametrize("edges", [[], [(0, 1)]])
def test_the_smallest_graphs_have_a_page(make_result, edges, tmp_path):
    page = make_result(["a", "b"], edges, rows=5).report(tmp_path / "r.html")
    assert len(json.loads(read(page).scripts[0][1])["edges"]) == len(edges)


def test_embedded_json_closes_no_script_and_is_ascii():
    text = embedded_json({"a": "</script><!--\u2028é&", "b": [1.5, None]})
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"a": "</script><!--\u2028é&", "b": [1.5, None]}


def test_a_place_that_cannot_be_written_is_named_and_nothing_is_left(make_result, tmp_path):
    result = make_result(["a", "b"], [(0, 1)])
    (tmp_path / "folder.html").mkdir()
    for target in (tmp_path / "missing" / "r.html", tmp_path / "folder.html"):
        with pytest.raises(InputError, match="cannot write") as error:
            result.report(target)
        assert "\n" not in str(error.value)
    assert [p.name for p in tmp_path.iterdir()] == ["folder.html"]


def test_a_disk_that_cannot_be_written_is_one_line_too(make_result, tmp_path, monkeypatch):
    def refuse(*_args, **_options):
        raise OSError(errno.EROFS, "Read-only file system")

    result = make_result(["a", "b"], [(0, 1)])
    monkeypatch.setattr(Path, "write_bytes", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)  # such a disk refuses even to remove what is not there
    with pytest.raises(InputError, match=r"cannot write .*Read-only file system; name another file"):
        result.report(tmp_path / "r.html")


def test_links_of_the_other_graph_run_around_the_columns_between(make_result):
    names = list("abcd")
    result = make_result(names, [(0, 1), (1, 2), (2, 3)])
    other = np.zeros((4, 4), dtype=bool)
    other[0, 3] = other[0, 1] = True
    for turned in (other, other.T):
        pairs = payload(result, silent, compare=pd.DataFrame(turned, names, names))["compare"]["pairs"]
        (pair,) = [pair for pair in pairs if pair["status"] == "missing" and "d" in pair.values()]
        assert len(pair["bends"]) == 2  # b and c lie between
        down = pair["bends"][0][1] < pair["bends"][1][1]
        assert down == (pair["source"] == "a")
