"""Knowledge after the fact: the same as telling it beforehand where that is promised, and its cost told."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.inputs.knowledge import Knowledge
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.result import Result
from dagscale.result.with_knowledge import MARK, order_stands, pieces
from dagscale.runtime.errors import InputError, InputTypeError


@pytest.fixture(scope="module")
def table():
    g = np.random.default_rng(1000)
    a = g.normal(size=400)
    b = np.sin(2 * a) + 0.4 * g.normal(size=400)
    c = np.cos(2 * b) + 0.4 * g.normal(size=400)
    return pd.DataFrame({"c": c, "a": a, "free": g.normal(size=400), "b": b})


@pytest.fixture(scope="module")
def result(table):
    return dagscale.discover(table, method="cam")


def edges(result):
    return set(zip(result.edges["source"], result.edges["target"], strict=True))


def entry(result, constraint):
    return next(cost for cost in result.costs if cost["constraint"] == constraint)


def test_the_start(result):
    assert edges(result) == {("a", "b"), ("b", "c")}


def test_forbidding_takes_the_edge_out_and_keeps_the_order(result):
    revised = result.with_knowledge(Knowledge(forbidden=[("b", "c")]))
    assert ("b", "c") not in edges(revised)
    assert ("a", "b") in edges(revised)
    assert revised.order == result.order
    assert any("the order found satisfies it" in note for note in revised.notes)
    assert revised.why("b", "c").reason == "your knowledge forbids it"
    assert edges(result) == {("a", "b"), ("b", "c")}  # the old one is untouched


def test_the_cost_of_a_forbidden_edge_is_what_it_explained(result, table):
    revised = result.with_knowledge(Knowledge(forbidden=[("b", "c")]))
    told = entry(revised, "forbidden 'b' -> 'c'")
    X = table.to_numpy().astype(np.float32).astype(float)
    splines = SplineTable.of((X - X.mean(axis=0)) / X.std(axis=0), n_jobs=1)
    fit = AdditiveFit.of(splines, 0, [3])
    y = splines.X[:, 0]
    with_it = -200 * np.log(fit.deviance) - fit.solution.trace / 2 * np.log(400)
    assert told["cost"] == pytest.approx(with_it + 200 * np.log(y @ y), rel=1e-6)
    assert told["cost"] > 50
    assert told["removed"] == [("b", "c")]
    assert told["p_value"] < 1e-10
    assert any(note.startswith(MARK) and "log likelihood" in note for note in revised.notes)


def test_requiring_an_edge_without_evidence_costs_and_says_its_p_value(result):
    revised = result.with_knowledge(Knowledge(required=[("free", result.order[-1])]))
    told = entry(revised, f"required 'free' -> {result.order[-1]!r}")
    if result.order[-1] == "free":  # the order then has to change, which is another test
        pytest.skip("free came last")
    assert told["forced"] == [("free", result.order[-1])]
    assert told["cost"] > 0
    assert told["p_value"] > 0.001
    assert ("free", result.order[-1]) in edges(revised)


def test_agreeing_knowledge_is_free(result):
    revised = result.with_knowledge(Knowledge(required=[("a", "b")], tiers=[["a"], ["b"], ["c"]]))
    assert edges(revised) == edges(result)
    assert [cost["cost"] for cost in revised.costs] == [0, 0, 0]
    assert entry(revised, "tiers")["sentence"] == "tiers is free: the graph already agreed"


def test_turning_an_edge_orders_again_and_costs_both_ways(result):
    revised = result.with_knowledge(Knowledge(required=[("c", "b")]))
    assert ("c", "b") in edges(revised)
    assert ("b", "c") not in edges(revised)
    assert revised.order.index("c") < revised.order.index("b")
    assert any("ordered again, on all 400 rows" in note for note in revised.notes)
    told = entry(revised, "required 'c' -> 'b'")
    assert told["removed"] == [("b", "c")]
    assert told["forced"] == [("c", "b")]
    assert told["cost"] > 10
    whole = entry(revised, "all together")
    assert whole["cost"] > 10
    assert "edges out" in whole["sentence"]


def test_roots_and_leaves(result):
    revised = result.with_knowledge(Knowledge(roots=["a"], leaves=["b"]))
    assert not revised.adjacency[:, revised.names.index("a")].any()
    assert not revised.adjacency[revised.names.index("b")].any()
    assert entry(revised, "leaf 'b'")["removed"] == [("b", "c")]
    assert entry(revised, "root 'a'")["cost"] == 0


def test_taking_knowledge_back_gives_the_first_result_again(table, result):
    held = dagscale.discover(table, method="cam", knowledge=Knowledge(required=[("c", "b")]))
    freed = held.with_knowledge(None)
    assert any("ordered again" in note for note in freed.notes)
    assert freed.order == result.order
    assert edges(freed) == edges(result)
    assert freed.knowledge is None
    back = result.with_knowledge(Knowledge(forbidden=[("b", "c")])).with_knowledge(Knowledge())
    assert edges(back) == edges(result)  # what had been forbidden is tried again
    assert sum("columns were pruned again" in note for note in back.notes) == 1


@pytest.mark.parametrize("method", ["score", "nogam"])
def test_pruning_again_equals_telling_it_beforehand(method):
    for seed in range(1000, 1003):
        table = dagscale.simulate(nodes=6, edges_per_node=2, samples=300, random_state=seed).table
        table = table.astype(np.float32).astype(float)  # what a result keeps
        first = dagscale.discover(table, method=method)
        source, target = first.edges.iloc[0][["source", "target"]]
        last = first.order[-1]
        known = Knowledge(forbidden=[(source, target)], required=[(first.order[0], last)])
        if (source, target) == (first.order[0], last):
            known = Knowledge(forbidden=[(source, target)])
        after, before = first.with_knowledge(known), dagscale.discover(table, method=method, knowledge=known)
        assert after.order == before.order
        assert (after.adjacency == before.adjacency).all()
        np.testing.assert_allclose(
            after.trail[-1].statistic, before.trail[-1].statistic, rtol=1e-3, atol=1e-9
        )


def test_only_touched_columns_are_pruned_again(result):
    revised = result.with_knowledge(Knowledge(forbidden=[("b", "c")]))
    b = result.names.index("b")
    np.testing.assert_array_equal(revised.trail[-1].statistic[:, b], result.trail[-1].statistic[:, b])
    assert "1 of 4 columns" in " ".join(revised.notes)


def test_a_sample_of_the_rows_is_said_to_be_one():
    g = np.random.default_rng(1000)
    a = g.normal(size=3000)
    table = pd.DataFrame({"a": a, "b": np.sin(2 * a) + 0.5 * g.normal(size=3000)})
    result = dagscale.discover(table, method="cam")
    pruned = result.with_knowledge(Knowledge(forbidden=[("a", "b")]))
    assert any("on the 2000 rows kept with the result out of 3000" in note for note in pruned.notes)
    assert pruned.n_samples == 3000
    turned = result.with_knowledge(Knowledge(required=[("b", "a")]))
    assert any("ordered again, on the 2000 rows kept" in note for note in turned.notes)
    assert turned.n_samples == 2000


def test_without_rows_or_a_known_method_it_is_refused_in_one_line(result, tmp_path):
    result.save(tmp_path / "bare", data=False)
    with pytest.raises(InputError, match="saved without its rows"):
        Result.load(tmp_path / "bare").with_knowledge(Knowledge(roots=["a"]))
    with pytest.raises(InputError, match="not known here"):
        replace(result, method="elsewhere").with_knowledge(Knowledge(required=[("c", "b")]))
    with pytest.raises(InputError, match="no column 'zzz'"):
        result.with_knowledge(Knowledge(roots=["zzz"]))


def test_it_is_saved_with_its_costs(result, tmp_path):
    revised = result.with_knowledge(Knowledge(forbidden=[("b", "c")]))
    revised.save(tmp_path / "run")
    loaded = Result.load(tmp_path / "run")
    assert loaded.costs == revised.costs
    assert loaded.knowledge == revised.knowledge
    json.dumps([cost["sentence"] for cost in loaded.costs])


def test_the_same_for_any_number_of_workers(result):
    known = Knowledge(required=[("c", "b")])
    one, two = result.with_knowledge(known, n_jobs=1), result.with_knowledge(known, n_jobs=2)
    assert (one.adjacency == two.adjacency).all()
    assert one.costs == two.costs


def test_when_an_order_stands():
    names = list("abc")
    order = np.arange(3)
    none = Knowledge().resolve(names)
    agrees, against = (Knowledge(required=[pair]).resolve(names) for pair in (("a", "c"), ("c", "a")))
    assert order_stands(order, none, agrees)
    assert not order_stands(order, none, against)
    assert not order_stands(order, agrees, none)  # the order may owe itself to what was taken back


def test_pieces_take_knowledge_apart():
    known = Knowledge(
        required=[("a", "b")],
        forbidden=[("b", "c"), ("c", "b")],
        tiers=[["a"], ["c"]],
        roots=["a"],
        leaves=["b"],
    )
    assert [label for label, _ in pieces(known)] == [
        "required 'a' -> 'b'",
        "forbidden 'b' -> 'c'",
        "forbidden 'c' -> 'b'",
        "tiers",
        "root 'a'",
        "leaf 'b'",
    ]


class Node:
    def __init__(self, name):
        self.name = name

    def get_name(self):
        return self.name


class Background:
    """causal-learn's BackgroundKnowledge as far as we read it."""

    def __init__(self):
        a, b, c, d = (Node(name) for name in ("a", "b1", "b2", "7"))
        self.required_rules_specs = {(a, b)}
        self.forbidden_rules_specs = {(c, a)}
        self.required_pattern_rules_specs = set()
        self.forbidden_pattern_rules_specs = {("7", "b.*")}
        self.tier_map = {0: {a}, 1: {b, c}, 2: set(), 3: {d}}
        self.forbidden_within_tiers = {1}


def test_background_knowledge_of_causallearn():
    known = Knowledge.from_causallearn(Background(), names=["a", "b1", "b2", 7])
    assert known.required == (("a", "b1"),)
    assert set(known.forbidden) == {("b2", "a"), (7, "b1"), (7, "b2"), ("b1", "b2"), ("b2", "b1")}
    assert known.tiers == (("a",), ("b1", "b2"), (7,))
    allowed = known.resolve(["a", "b1", "b2", 7]).allowed
    assert not allowed[1, 2]
    assert allowed[1, 3]
    with pytest.raises(InputError, match="give names="):
        Knowledge.from_causallearn(Background())
    with pytest.raises(InputTypeError, match="not dict"):
        Knowledge.from_causallearn({})


def test_background_knowledge_of_the_package_itself():
    pytest.importorskip("causallearn", reason="causal-learn is not installed: pip install causal-learn")
    module = pytest.importorskip("causallearn.utils.PCUtils.BackgroundKnowledge")
    node = pytest.importorskip("causallearn.graph.GraphNode").GraphNode
    a, b, c = (node(name) for name in "abc")
    background = module.BackgroundKnowledge()
    background.add_required_by_node(a, b).add_forbidden_by_pattern("c", "[ab]")
    background.add_node_to_tier(a, 0).add_node_to_tier(b, 1).add_node_to_tier(c, 1)
    allowed = Knowledge.from_causallearn(background, list("abc")).resolve(list("abc")).allowed
    for i, source in enumerate((a, b, c)):
        for j, target in enumerate((a, b, c)):
            if i != j:
                assert allowed[i, j] == (not background.is_forbidden(source, target))


def test_knowledge_afterwards_leaves_out_the_rows_in_which_a_child_was_set():
    """b follows a, but not in half of the rows, where it was set against it: all rows together show no effect."""
    g = np.random.default_rng(1000)
    a = g.normal(size=400)
    set_ = np.arange(400) >= 200
    b = np.where(set_, -a, a) + 0.5 * g.normal(size=400)
    table = pd.DataFrame({"a": a, "b": b, "free": g.normal(size=400), "done": np.where(set_, "b", "")})
    known = Knowledge(tiers=[["a", "free"], ["b"]])
    found = dagscale.discover(
        table,
        method="cam",
        interventions="done",
        knowledge=Knowledge(forbidden=[("a", "b")], tiers=known.tiers),
    )
    assert edges(found) == set()
    revised = found.with_knowledge(known)
    assert edges(revised) == {("a", "b")}
    assert revised.conditions is not None
    forbidden = revised.with_knowledge(Knowledge(forbidden=[("a", "b")], tiers=known.tiers))
    assert entry(forbidden, "forbidden 'a' -> 'b'")["cost"] > 50
    again = forbidden.with_confidence(replicates=2, n_jobs=1)
    assert again.conditions is not None
