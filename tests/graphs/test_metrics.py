"""Metrics against hand-worked graphs, slow independent versions and each other."""

import sys
import time
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale import metrics
from dagscale.data.simulate import simulate
from dagscale.runtime.errors import InputError, InputTypeError

sys.path.insert(0, str(Path(__file__).parents[1] / "reference"))
from slow_sid import ancestor_aid_by_regression, sid_by_paths, sid_by_regression

quick = settings(deadline=None, max_examples=60, derandomize=True)


@st.composite
def dags(draw, nodes):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    order = rng.permutation(nodes)
    upper = np.triu(rng.random((nodes, nodes)) < draw(st.sampled_from([0.1, 0.3, 0.5, 0.9])), 1)
    return upper[np.ix_(order, order)]


pairs = st.integers(2, 6).flatmap(lambda d: st.tuples(dags(d), dags(d)))


def graph(d, *edges):
    adjacency = np.zeros((d, d), dtype=bool)
    for i, j in edges:
        adjacency[i, j] = True
    return adjacency


# the example of Peters and Bühlmann (2015, section 1): X1 -> X2 and both -> Y1, Y2, Y3
TRUE = graph(5, (0, 1), *[(i, y) for i in (0, 1) for y in (2, 3, 4)])
WITH_EXTRA = TRUE | graph(5, (2, 3))
WITH_REVERSED = (TRUE & ~graph(5, (0, 1))) | graph(5, (1, 0))


def test_the_example_of_the_sid_paper():
    assert metrics.shd(TRUE, WITH_EXTRA) == metrics.shd(TRUE, WITH_REVERSED) == 1
    assert metrics.sid(TRUE, WITH_EXTRA) == 0
    assert metrics.sid(TRUE, WITH_REVERSED) == 8


def test_sid_of_two_nodes_by_hand():
    forward, backward, empty = graph(2, (0, 1)), graph(2, (1, 0)), graph(2)
    assert metrics.sid(forward, forward) == 0
    # backward: 0 is said to have no effect on 1; 1 is said to move 0
    assert metrics.sid(forward, backward) == 2
    # empty: only the effect of 1 on 0 is wrong, adjustment for nothing is right from 0 to 1
    assert metrics.sid(forward, empty) == 1
    assert metrics.sid(empty, forward) == 0
    assert metrics.sid(graph(1), graph(1)) == 0


@quick
@given(pairs)
def test_sid_equals_the_slow_versions(pair):
    true, estimated = pair
    found = metrics.sid(true, estimated)
    assert found == sid_by_paths(true, estimated)
    assert found == sid_by_regression(true, estimated)


@quick
@given(pairs)
def test_aid_equals_the_slow_versions_and_vanishes_on_equal_graphs(pair):
    true, estimated = pair
    assert metrics.aid(true, estimated, "parent") == metrics.sid(true, estimated)
    assert metrics.aid(true, estimated) == ancestor_aid_by_regression(true, estimated)
    for strategy in ("ancestor", "parent", "oset"):
        assert metrics.aid(true, true, strategy) == 0


def test_sid_of_a_thousand_nodes_takes_seconds():
    true, estimated = (
        simulate("ER", nodes=1000, samples=2, mechanism="linear", random_state=seed).adjacency
        for seed in (0, 1)
    )
    start = time.process_time()
    assert 0 < metrics.sid(true, estimated) < 1000 * 999
    assert time.process_time() - start < 20


def slow_shd(true, estimated):
    count = 0
    for i in range(len(true)):
        for j in range(i):
            count += (true[i, j], true[j, i]) != (estimated[i, j], estimated[j, i])
    return count


@quick
@given(pairs)
def test_shd_counts_pairs_that_differ_and_is_a_distance(pair):
    A, B = pair
    assert metrics.shd(A, B) == slow_shd(A, B) == metrics.shd(B, A)
    assert metrics.shd(A, A) == 0
    assert metrics.shd(A, np.zeros_like(A)) == A.sum()


def test_shd_by_hand():
    true = graph(4, (0, 1), (1, 2), (2, 3))
    estimated = graph(4, (1, 0), (1, 2), (0, 3))  # one reversed, one right, one missing, one extra
    assert metrics.shd(true, estimated) == 3
    assert metrics.precision(true, estimated) == pytest.approx(1 / 3)
    assert metrics.recall(true, estimated) == pytest.approx(1 / 3)
    assert metrics.f1(true, estimated) == pytest.approx(1 / 3)
    assert metrics.skeleton_precision(true, estimated) == pytest.approx(2 / 3)
    assert metrics.skeleton_recall(true, estimated) == pytest.approx(2 / 3)
    assert metrics.skeleton_f1(true, estimated) == pytest.approx(2 / 3)
    assert metrics.orientation_accuracy(true, estimated) == pytest.approx(1 / 2)


@quick
@given(pairs)
def test_shares_by_counting_edges_as_sets(pair):
    true, estimated = ({tuple(edge) for edge in np.argwhere(A)} for A in pair)
    hits = len(true & estimated)
    if true and estimated:
        assert metrics.precision(*pair) == hits / len(estimated)
        assert metrics.recall(*pair) == hits / len(true)
        p, r = metrics.precision(*pair), metrics.recall(*pair)
        assert metrics.f1(*pair) == pytest.approx(2 * p * r / (p + r) if hits else 0)
    links = [{frozenset(edge) for edge in edges} for edges in (true, estimated)]
    if links[1]:
        assert metrics.skeleton_precision(*pair) == len(links[0] & links[1]) / len(links[1])
        assert metrics.skeleton_f1(*pair) == 2 * len(links[0] & links[1]) / (len(links[0]) + len(links[1]))
    if links[0] & links[1]:
        assert metrics.orientation_accuracy(*pair) == hits / len(links[0] & links[1])


def test_empty_graphs():
    some, none = graph(2, (0, 1)), graph(2)
    directed = ("precision", "recall", "f1", "orientation_accuracy")
    shares = (*directed, "skeleton_f1", "skeleton_precision", "skeleton_recall")
    for share in shares:
        assert getattr(metrics, share)(none, none) == 1
        assert getattr(metrics, share)(some, none) == 0
        assert getattr(metrics, share)(none, some) == 0


def test_recall_by_in_degree():
    true = graph(4, (0, 1), (0, 3), (1, 3), (2, 3))
    estimated = graph(4, (0, 1), (1, 3), (3, 2))
    assert metrics.recall_by_in_degree(true, estimated) == {1: 1.0, 3: pytest.approx(1 / 3)}


@quick
@given(pairs)
def test_recall_by_in_degree_averages_to_recall(pair):
    true, estimated = pair
    by_degree = metrics.recall_by_in_degree(true, estimated)
    sizes = {k: true[:, true.sum(axis=0) == k].sum() for k in by_degree}
    if by_degree:
        mean = sum(by_degree[k] * sizes[k] for k in by_degree) / true.sum()
        assert mean == pytest.approx((true & estimated).sum() / true.sum())


def test_order_errors_by_name_index_and_object():
    frame = pd.DataFrame(graph(3, (0, 1), (0, 2), (1, 2)).astype(int), index=[*"abc"], columns=[*"abc"])
    assert metrics.order_errors(frame, ["a", "b", "c"]) == 0
    assert metrics.order_errors(frame, ["c", "b", "a"]) == 3
    assert metrics.order_errors(frame, np.array([1, 0, 2])) == 1
    assert metrics.order_errors(frame, pd.Series(["b", "a", "c"])) == 1
    result = SimpleNamespace(order=["c", "a", "b"], names=[*"cba"], adjacency=np.zeros((3, 3), bool))
    assert metrics.order_errors(frame, result) == 2
    # a truth without names is over the columns of the result: c, b, a
    assert metrics.order_errors(graph(3, (0, 1), (2, 1)), result) == 0
    assert metrics.order_errors(graph(3, (1, 0)), result) == 1


@quick
@given(pairs)
def test_order_errors_of_a_graph_are_paths_against_true_edges(pair):
    true, estimated = pair
    H = nx.DiGraph(estimated.astype(int))
    expected = sum(nx.has_path(H, int(j), int(i)) for i, j in np.argwhere(true))
    assert metrics.order_errors(true, estimated) == expected
    assert metrics.order_errors(true, H) == expected


@quick
@given(pairs, st.integers(0, 1000))
def test_names_are_matched_and_column_order_does_not_matter(pair, seed):
    A, B = pair
    names = [f"n{i}" for i in range(len(A))]
    shuffle = np.random.default_rng(seed).permutation(len(A))
    plain = metrics.evaluate(A, B)
    true = pd.DataFrame(A, index=names, columns=names)
    other = pd.DataFrame(B, index=names, columns=names)
    rows = np.random.default_rng(seed + 1).permutation(
        len(A)
    )  # rows and columns each in an order of their own
    assert metrics.evaluate(true, other.iloc[rows, shuffle]) == plain
    digraph = nx.DiGraph()
    digraph.add_nodes_from(names[i] for i in shuffle)
    digraph.add_edges_from((names[i], names[j]) for i, j in np.argwhere(B))
    assert metrics.evaluate(true, digraph) == plain
    result = SimpleNamespace(adjacency=B[np.ix_(shuffle, shuffle)], names=[names[i] for i in shuffle])
    assert metrics.evaluate(true, result) == plain
    assert metrics.evaluate(scipy.sparse.csr_array(A.astype(int)), B.astype(float).tolist()) == plain


def test_evaluate_adds_up_and_uses_the_order_of_a_result():
    made = simulate(nodes=15, edges_per_node=2, samples=5, random_state=1)
    other = simulate(nodes=15, edges_per_node=2, samples=5, random_state=2)
    found = metrics.evaluate(made, other)
    assert found["missing"] + found["extra"] + found["reversed"] == found["shd"]
    assert found["order_errors"] == metrics.order_errors(made, other.order)
    assert set(metrics.__all__) - {"aid", "evaluate"} <= set(found)
    assert metrics.evaluate(made, made)["order_errors"] == 0


def test_integer_names_match_their_text():
    frame = pd.DataFrame(graph(2, (0, 1)).astype(int), index=[10, 7], columns=[10, 7])
    assert metrics.shd(frame, nx.DiGraph([("10", "7")])) == 0


@pytest.mark.parametrize(
    ("true", "estimated", "text"),
    [
        ([[0, 1], [1, 0]], graph(2), "true graph has a cycle (0 -> 1 -> 0)"),
        (graph(2), nx.DiGraph([("a", "b"), ("b", "c"), ("c", "b")]), "cycle (b -> c -> b)"),
        ([[1, 0], [0, 0]], graph(2), "cycle (0 -> 0)"),
        (graph(2), graph(3), "2 nodes, the estimated one 3"),
        (graph(2), np.zeros((2, 3)), "shape (2, 3)"),
        (graph(2), np.zeros(4), "shape (4,)"),
        (graph(2), [[0, 0.3], [0, 0]], "0.3"),
        (graph(2), [[0, np.nan], [0, 0]], "nan"),
        (graph(2), [[0, -1], [1, 0]], "-1"),
        (graph(2), [[0, 1], [0]], "differ in length"),
        (pd.DataFrame(0, index=[*"ab"], columns=[*"ac"]), graph(2), "same names on both"),
        (pd.DataFrame(0, index=[*"aa"], columns=[*"aa"]), graph(2), "two nodes named 'a'"),
        (nx.DiGraph([("rain", "wet")]), nx.DiGraph([("rain", "wett")]), "did you mean 'wett'"),
        (SimpleNamespace(adjacency=graph(3), names=[*"ab"]), graph(3), "2 names for 3 nodes"),
    ],
)
def test_misuse_is_refused_in_one_line(true, estimated, text):
    for metric in (metrics.shd, metrics.sid, metrics.f1, metrics.evaluate):
        with pytest.raises(InputError) as caught:
            metric(true, estimated)
        assert text in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("thing", ["graph.csv", None, nx.Graph([(0, 1)]), [["a", "b"], ["c", "d"]]])
def test_what_is_no_directed_graph_is_refused(thing):
    with pytest.raises(InputTypeError):
        metrics.shd(thing, graph(2))


@pytest.mark.parametrize(
    "order", [[0, 1], [0, 1, 1], [0, 1, 3], ["a", "b", "z"], ["x", "y", "z"], [0.5, 1, 2]]
)
def test_orders_that_are_none_are_refused(order):
    frame = pd.DataFrame(graph(3, (0, 1)).astype(int), index=[*"abc"], columns=[*"abc"])
    with pytest.raises(InputError) as caught:
        metrics.order_errors(frame, order)
    assert "\n" not in str(caught.value)


def test_unknown_strategy():
    with pytest.raises(InputError, match="did you mean 'ancestor'"):
        metrics.aid(graph(2), graph(2), "ancestors")
