"""Results of tables with levels and counts: strengths, signs, curves, checks, exports, files, knowledge."""

import json

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.result.report.payload import payload

n = 500


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    dose = rng.normal(size=n)
    site = rng.choice(["north", "south", "west"], n)
    level = pd.Series(site).map({"north": 1.5, "south": -1.5, "west": 0.0}).to_numpy()
    weight = dose + level + 0.7 * rng.normal(size=n)
    ill = np.where(rng.random(n) < 1 / (1 + np.exp(-2 * dose)), "yes", "no")
    visits = rng.poisson(np.exp(1.0 + 0.5 * dose))
    grade = np.digitize(dose + rng.logistic(size=n) / 2, [-1.0, 0.0, 1.0])
    return pd.DataFrame(
        {"dose": dose, "site": site, "weight": weight, "ill": ill, "visits": visits, "grade": grade}
    )


KNOWN = dagscale.Knowledge(tiers=[["dose", "site"], ["weight", "ill", "visits", "grade"]])


@pytest.fixture(scope="module", params=["cam", "auto"])
def result(request, table):
    return dagscale.discover(table, method=request.param, effort="quick", knowledge=KNOWN, n_jobs=1)


def test_the_right_edges_of_every_kind(result):
    assert result.kinds == {
        "dose": "continuous",
        "site": "categorical",
        "weight": "continuous",
        "ill": "binary",
        "visits": "count",
        "grade": "ordinal",
    }
    assert result.levels["site"] == ("north", "south", "west")
    edges = set(zip(result.edges["source"], result.edges["target"], strict=True))
    assert {
        ("dose", "weight"),
        ("site", "weight"),
        ("dose", "ill"),
        ("dose", "visits"),
        ("dose", "grade"),
    } <= edges


def test_signs_need_an_order_at_both_ends(result):
    signs = {(row.source, row.target): row.sign for row in result.edges.itertuples()}
    assert signs["site", "weight"] == 0
    assert {signs["dose", child] for child in ("weight", "ill", "visits", "grade")} == {1}


def test_strengths_do_not_depend_on_the_names_of_levels(result, table):
    renamed = table.assign(site=table["site"].map({"north": "m", "south": "z", "west": "a"}))
    other = dagscale.discover(renamed, method=result.method, effort="quick", knowledge=KNOWN, n_jobs=1)
    one, two = (r.edges.set_index(["source", "target"])["strength"].sort_index() for r in (result, other))
    pd.testing.assert_series_equal(one, two, rtol=1e-3, atol=1e-4)


def test_curves_have_levels_and_classes(result):
    shown = payload(result, lambda *_: None)
    names = [node["name"] for node in shown["nodes"]]
    assert [node.get("kind", "continuous") for node in shown["nodes"]] == [
        result.kinds[name] for name in names
    ]
    curve = {(names[edge["source"]], names[edge["target"]]): edge["curve"] for edge in shown["edges"]}
    by_site = dict(zip(curve["site", "weight"]["levels"], curve["site", "weight"]["fit"], strict=True))
    assert by_site["north"] - by_site["south"] == pytest.approx(3.0, abs=0.3)
    yes = curve["dose", "ill"]["classes"][1]
    assert yes["level"] == "yes"
    assert yes["fit"][0] < 0.1 < 0.9 < yes["fit"][-1]
    assert all(low <= p <= high for low, p, high in zip(yes["low"], yes["fit"], yes["high"], strict=True))
    total = sum(np.array(level["fit"]) for level in curve["dose", "grade"]["classes"])
    np.testing.assert_allclose(total, 1.0, atol=1e-3)
    visits = curve["dose", "visits"]
    x = np.array(visits["x"])
    middle = np.abs(x) < 1
    np.testing.assert_allclose(np.log(np.array(visits["fit"])[middle]), 1 + x[middle] / 2, atol=0.25)


def test_checks_use_randomised_quantile_residuals(result):
    checks = result.diagnostics
    assert [check.light for check in checks.of("visits") if check.name == "calibration"] == ["green"]
    assert not [check for check in checks.of("ill") if check.name in ("noise", "outliers", "linearity")]
    assert not [
        check for check in checks.of("grade") if check.name == "independence" and check.light != "green"
    ]


def test_a_wrong_law_of_counts_is_seen(table):
    rng = np.random.default_rng(0)
    strange = table.assign(visits=np.where(rng.random(n) < 0.4, 9, rng.poisson(1.0, n)))
    found = dagscale.discover(
        strange,
        method="empty",
        kinds={"visits": "count"},
        knowledge=dagscale.Knowledge(required=[("dose", "visits")]),
    )
    (check,) = (check for check in found.diagnostics.of("visits") if check.name == "calibration")
    assert check.light == "amber"


def test_why_speaks_of_deviance_and_tests_by_likelihood_ratios(result):
    assert "of its deviance" in str(result.why("weight", "visits"))
    empty = dagscale.discover(result.kept_table().X, method="empty")
    assert "F test" in str(empty.why(0, 2))


def test_files_and_graphs_keep_kinds(result, tmp_path):
    loaded = dagscale.Result.load(result.save(tmp_path / "saved"))
    assert (loaded.kinds, loaded.levels) == (result.kinds, result.levels)
    assert result.graph.nodes["site"]["kind"] == "categorical"
    assert '"site" [kind="categorical"];' in result.to_dot()
    result.to_json(tmp_path / "graph.json")
    nodes = json.loads((tmp_path / "graph.json").read_text())["nodes"]
    assert {"id": "visits", "kind": "count"} in nodes
    result.to_graphml(tmp_path / "graph.graphml")
    assert "count" in (tmp_path / "graph.graphml").read_text()


def test_knowledge_and_resampling_go_on_with_kinds(result):
    revised = result.with_knowledge(dagscale.Knowledge(forbidden=[("dose", "ill")]))
    assert revised.kinds == result.kinds
    assert not ((revised.edges["source"] == "dose") & (revised.edges["target"] == "ill")).any()
    sure = result.with_confidence(2, n_jobs=1)
    assert sure.edges["confidence"].max() == 1


def test_links_with_an_end_that_is_not_continuous_are_open_without_knowledge(table):
    found = dagscale.discover(table, method="cam", n_jobs=1)
    assert found.edges.set_index(["source", "target"])["either_way"].sum() >= 4
    numbers = ~found.edges[["source", "target"]].isin(["site", "ill", "visits", "grade"]).any(axis=1)
    assert not found.edges["either_way"][numbers].any()


def test_effects_on_ordered_levels_are_counted_in_levels(result):
    assert " levels on average" in result.effect("dose", "grade").headline
    assert "changes by" in (back := result.effect("ill", "dose").headline)
    assert "from ill = no to yes" in back


def test_large_counts_are_no_outliers_of_their_law():
    rng = np.random.default_rng(1000)
    x = rng.normal(size=800)
    frame = pd.DataFrame({"x": x, "visits": rng.poisson(np.exp(0.8 * x + 0.5))})

    def outliers():
        found = dagscale.discover(frame, method="cam", kinds={"visits": "count"}, n_jobs=1).diagnostics.checks
        return [check for check in found if check.name == "outliers" and check.node == "visits"]

    assert not outliers()
    frame.loc[:9, "visits"] = 5000
    (found,) = outliers()
    assert "of its square root" in found.sentence
    assert "transform" not in found.sentence
