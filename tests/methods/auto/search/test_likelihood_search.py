"""The objective, the loop and the answer."""

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest

from dagscale.data.simulate import simulate
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.methods.auto.certainty.pair_evidence import pair_evidence
from dagscale.methods.auto.certainty.probabilities import open_links, probabilities
from dagscale.methods.auto.certainty.reading import Reading
from dagscale.methods.auto.search.likelihood_search import _Line, search
from dagscale.methods.auto.search.loop import climb, greedy
from dagscale.methods.auto.search.objective import Objective
from dagscale.methods.auto.search.proposers import Scene, exchange, single
from dagscale.methods.context import Context
from dagscale.models.likelihood.columns import FINE, RANK

N = 600


def chain(n=N, d=4, seed=0):
    g = np.random.default_rng(seed)
    X = g.normal(size=(n, d))
    for j in range(1, d):
        X[:, j] += 1.5 * np.sin(2 * X[:, j - 1])
    return X


def open_ones(found):
    """Links whose direction is not claimed by the likelihood alone."""
    return open_links(probabilities(pair_evidence(Reading(found)), found.scene.known), found.graph)


def toy_gain(d):
    """A gain that likes the chain 0 -> 1 -> ... and nothing else."""

    def gain(items):
        return np.array([20.0 * (j - 1 in S) - 4.0 * len(S) for j, S in items])

    return gain


def test_the_cost_of_edges_grows():
    o = Objective(toy_gain(5), 5, 1.5)
    costs = [o.cost(m) for m in range(11)]
    assert costs[0] == 0
    assert all(later - earlier >= 1.5 for earlier, later in itertools.pairwise(costs))


def test_improvements_are_differences_of_scores():
    o = Objective(toy_gain(4), 4, 1.5)
    graph = np.zeros((4, 4), dtype=bool)
    graph[1, 0] = True
    after = graph.copy()
    after[1, 0], after[0, 1] = False, True
    assert o.improvements(graph, [{0: (), 1: (0,)}])[0] == pytest.approx(o.score(after) - o.score(graph))


def test_greedy_and_climb_find_the_maximum():
    d = 6
    o = Objective(toy_gain(d), d, 1.5)
    none = Constraints.none(d)
    scene = Scene(none, none.allowed, 5)
    truth = np.eye(d, k=1, dtype=bool)
    assert np.array_equal(greedy(o, scene), truth)
    assert np.array_equal(climb(truth.T.copy(), o, scene, (single, exchange)), truth)


def test_a_chain_is_found_in_any_order_of_columns():
    X, order = chain(), np.array([2, 0, 3, 1])
    a, b = search(X), search(X[:, order])
    assert np.array_equal(a.graph, np.eye(4, k=1, dtype=bool))
    assert np.array_equal(b.graph, a.graph[np.ix_(order, order)])
    assert b.objective.score(b.graph) == pytest.approx(a.objective.score(a.graph), abs=0.1)
    assert (Reading(a).numbers.direction[a.graph] > 10).all()
    assert not open_ones(a).any()


def test_knowledge_is_obeyed():
    names = ["a", "b", "c", "d"]
    known = Knowledge(required=[("d", "a")], forbidden=[("a", "b")]).resolve(names)
    answer = search(chain(), Context(known))
    assert answer.graph[3, 0]
    assert not answer.graph[0, 1]


def test_a_deadline_ends_the_search():
    began = time.monotonic()
    answer = search(chain(d=8), Context(Constraints.none(8), deadline=began))
    assert answer.late
    assert time.monotonic() - began < 5.0


def test_linear_gaussian_is_left_open():
    g = np.random.default_rng(1)
    x = g.normal(size=N)
    answer = search(np.stack([x, x + g.normal(size=N)], 1))
    assert open_ones(answer)[0, 1]
    assert open_ones(answer)[1, 0]


def test_formulas_are_left_open():
    g = np.random.default_rng(1)
    X = g.exponential(size=(N, 3))
    X[:, 2] = X[:, 0] + X[:, 1]
    answer = search(X)
    claimed = answer.graph & ~open_ones(answer)
    assert not claimed.any()


def test_gender_is_no_effect_of_height():
    g = np.random.default_rng(2)
    gender, father = g.integers(0, 2, 800).astype(float), np.round(g.normal(69, 2.5, 800), 1)
    height = np.round(64 + 5.2 * gender + 0.4 * (father - 69) + g.normal(0, 2.2, 800), 1)
    answer = search(np.stack([height, gender, father], 1))
    assert answer.graph[1, 0]
    assert not answer.graph[:, 1].any()


def test_every_mixture_of_scales_is_said_in_words():
    found = search(chain())
    scale = replace(found.scale, name="scores, some children data, some children log")
    gain = found.objective.gain
    gain.scale = scale
    said = found.notes[0]
    assert said == (
        "the columns were used as normal scores of their ranks; some children as they are; "
        "some children as their logarithms"
    )


def test_a_scale_that_only_a_poor_graph_prefers_is_not_taken():
    """Normal scores are 5% ahead on the greedy graph of this table, and behind on the graphs found."""
    table = simulate(nodes=20, edges_per_node=2, random_state=1016, standardize=True)
    found = search(table.table.to_numpy(), Context(Constraints.none(20), effort="quick"))
    assert found.scale.name == "data"


def test_interactions_are_seen_beside_strong_straight_lines():
    """What they add is judged in nats, not as a share of what strong linear effects tell."""
    g = np.random.default_rng(0)
    a, b, c = g.normal(size=(3, N))
    steep = a + 1e-3 * g.normal(size=N)
    X = np.column_stack([a, steep, b, c, np.sin(2 * b) * c + 0.3 * g.normal(size=N)])
    assert search(X).interacting


def test_curves_are_as_fine_as_the_table_needs():
    """Sines of many parents run through several periods, sigmoids through none."""
    found = {}
    for mechanism in ("sine", "sigmoid-additive"):
        made = simulate("ER", 10, 3, mechanism=mechanism, random_state=1000, standardize=True, samples=N)
        found[mechanism] = search(made.table.to_numpy(), Context(Constraints.none(10), effort="quick"))
        if mechanism == "sine":
            assert (found[mechanism].graph ^ made.adjacency).sum() <= 1
    assert found["sine"].scale.rank == FINE
    assert {scale.rank for scale in found["sine"].scales} == {FINE}
    assert found["sigmoid-additive"].scale.rank == RANK


def test_products_of_columns_that_do_nothing_alone_are_found():
    X = np.random.default_rng(1004).normal(size=(400, 6))  # no edge shows before both parents are given
    X[:, 2] += 1.5 * X[:, 0] * X[:, 1]
    X[:, 5] += 1.5 * X[:, 3] * X[:, 4]
    truth = np.zeros((6, 6), dtype=bool)
    truth[[0, 1, 3, 4], [2, 2, 5, 5]] = True
    assert np.array_equal(search(X).graph, truth)


def test_the_best_score_so_far_never_falls():
    told = []
    line = _Line(lambda label, *_steps: told.append(label))
    for score in (5.0, 9.0, -3.0):
        line(score)
    assert [label.rsplit(" ", 1)[1] for label in told[1:]] == ["+5", "+9", "+9"]
