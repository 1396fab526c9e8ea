"""Links that a hidden cause explains better than an arrow: taken out, marked, and no others."""

from dataclasses import replace

import numpy as np
import pytest

import dagscale
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.certainty.reading import Reading
from dagscale.methods.auto.hidden.links import with_hidden_causes
from dagscale.methods.auto.search.likelihood_search import search
from dagscale.methods.auto.search.objective import Objective
from dagscale.methods.context import Context
from dagscale.stages.answer import StageKind


def columns(seed, *, joined, linear=True, own_parents=True, n=1000):
    """a -> i, b -> j, and between i and j: a hidden cause, an arrow i -> j, or nothing."""
    g = np.random.default_rng(seed)
    a, b, h, e, f = g.normal(size=(5, n))
    act = (lambda x: x) if linear else (lambda x: np.tanh(2 * x))
    hidden = h if joined == "hidden" else 0.0
    i = (act(a) if own_parents else 0.0) + hidden + 0.5 * e
    j = (act(b) if own_parents else 0.0) + hidden + 0.5 * f + (0.8 * act(i) if joined == "arrow" else 0.0)
    return np.column_stack([a, b, i, j])


def found(X):
    return with_hidden_causes(search(X, Context(Constraints.none(X.shape[1]), n_jobs=1, effort="quick")))


@pytest.mark.parametrize("linear", [True, False])
def test_a_hidden_cause_is_told_from_an_arrow_by_the_parents_of_both_ends(linear):
    """Not in every table: a and h may happen to be correlated."""
    marked = 0
    for seed in range(1000, 1008):
        hidden = found(columns(seed, joined="hidden", linear=linear))
        pairs = np.argwhere(np.triu(hidden.shared)).tolist()
        assert pairs in ([], [[2, 3]])
        marked += bool(pairs)
        if pairs:
            assert np.argwhere(np.triu(hidden.graph | hidden.graph.T)).tolist() == [[0, 2], [1, 3]]
        arrow = found(columns(seed, joined="arrow", linear=linear))
        assert not arrow.shared.any()
        assert (arrow.graph | arrow.graph.T)[2, 3]
    assert marked >= 5


def test_an_arrow_away_from_an_end_is_turned_round_where_a_hidden_cause_then_explains_more():
    """Straight lines: i -> a fits as well as a -> i, and without a parent of i nothing tells i <-> j from an arrow."""
    X = columns(1002, joined="hidden")
    searched = search(X, Context(Constraints.none(4), n_jobs=1, effort="quick"))
    drawn = np.zeros((4, 4), dtype=bool)
    drawn[2, [0, 3]] = drawn[[0, 1], 3] = True  # i -> a, i -> j, a -> j, b -> j
    hidden = with_hidden_causes(searched.at(drawn))
    assert np.argwhere(np.triu(hidden.shared)).tolist() == [[2, 3]]
    assert np.argwhere(hidden.graph).tolist() == [[0, 2], [1, 3]]
    required = replace(searched.scene.known, required=drawn & (np.arange(4)[:, None] == 2))
    kept = replace(searched, graph=drawn, scene=replace(searched.scene, known=required))
    assert with_hidden_causes(kept).graph[2, 0]


@pytest.mark.parametrize(
    ("seed", "shape", "hidden", "marked"),
    [
        (1001, "uniform", False, False),
        (1002, "uniform", False, False),
        (1001, "exponential", True, True),
        (1000, "normal", False, True),
    ],
)
def test_an_arrow_whose_paths_cancel_is_told_from_a_hidden_cause_by_shapes_alone(seed, shape, hidden, marked):
    """a -> i -> j and a -> j cancel: where noise is normal that is a hidden cause of i and j for all that data tell."""
    g = np.random.default_rng(seed)
    a, b, h, e, f = getattr(g, shape)(size=(5, 1000))
    i = a + (h + 0.5 * e if hidden else e)
    j = b + (h + 0.5 * f if hidden else i - a + 0.5 * f)
    X = np.column_stack([a, b, i, j])
    searched = search(X, Context(Constraints.none(4), n_jobs=1, effort="quick"))
    drawn = np.zeros((4, 4), dtype=bool)
    drawn[[0, 0, 2, 1], [2, 3, 3, 3]] = True  # a -> i, a -> j, i -> j, b -> j
    assert with_hidden_causes(searched.at(drawn)).shared[2, 3] == marked


class Dear(Objective):
    """The first edge is dear, as where pairs are many; more are not, as where edges are many."""

    def price(self, edges):
        return 50.0 if edges == 0 else super().price(edges)


def test_a_hidden_cause_must_be_worth_picking_one_of_all_pairs():
    searched = search(columns(1002, joined="hidden"), Context(Constraints.none(4), n_jobs=1, effort="quick"))
    dear = replace(
        searched, objective=Dear(*(getattr(searched.objective, k) for k in ("gain", "d", "caution")))
    )
    assert with_hidden_causes(searched).shared.any()
    assert not with_hidden_causes(dear).shared.any()


def test_without_parents_of_their_own_nothing_tells_the_two_apart():
    linked = found(columns(1000, joined="hidden", own_parents=False))
    assert not linked.shared.any()
    assert (linked.graph | linked.graph.T)[2, 3]


def test_a_required_edge_is_never_taken_out():
    X = columns(1000, joined="hidden")
    known = dagscale.Knowledge(required=[(2, 3)])
    result = dagscale.discover(X, effort="quick", n_jobs=1, knowledge=known)
    assert result.adjacency[2, 3]


def test_the_likelihood_knows_what_the_two_share():
    """Else the graph next to it that has the edge again, or the parents it needed, would look better."""
    hidden = found(columns(1002, joined="hidden"))
    near = Reading(hidden).alternatives.joined
    assert near[2, 3] == near[3, 2] == -np.inf
    assert near[~hidden.graph & np.isfinite(near)].max() < 0


@pytest.mark.parametrize("effort", ["quick", "full"])
def test_a_result_marks_the_pair_and_says_so(effort):
    result = dagscale.discover(columns(1002, joined="hidden"), effort=effort, n_jobs=1)
    assert np.argwhere(np.triu(result.confounded)).tolist() == [[2, 3]]
    assert not (result.adjacency | result.adjacency.T)[2, 3]
    why = result.why(2, 3)
    assert why.stage is StageKind.HIDDEN_CAUSE
    assert "a hidden cause of the two explains their dependence better than an arrow" in why.reason
    assert "causes of 2 are independent of 3" in why.certainty
    assert result.probabilities[2, 3] + result.probabilities[3, 2] < 0.5


def test_experiments_decide_themselves():
    """Setting a column breaks what hidden causes do to it: which links stay is told by its effects."""
    X = columns(1002, joined="hidden")
    set_to = np.random.default_rng(0).normal(size=200)
    X[:200, 2] = set_to
    mask = np.zeros(X.shape, dtype=bool)
    mask[:200, 2] = True
    result = dagscale.discover(X, interventions=mask, effort="quick", n_jobs=1)
    assert not result.adjacency[2, 3]


def test_links_to_sets_of_many_parents_are_not_taken_for_hidden_causes():
    """Curves do not see such sets: judged by them, a graph that processes found lost a third of its true links."""
    made = dagscale.simulate(nodes=8, edges_per_node=3, samples=500, standardize=True, random_state=1001)
    X = made.table.to_numpy(dtype=float)
    searched = search(X, Context(Constraints.none(8), n_jobs=1, effort="quick"))
    assert with_hidden_causes(searched.at(made.adjacency)).shared.any()
    assert not dagscale.discover(X, n_jobs=1).confounded.any()
