"""The order search by straight lines leaves local optima, and holds to what is known."""

import numpy as np
import pytest

import dagscale
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.methods.auto.search import order_search
from dagscale.methods.auto.search.order_search import Lines, by_order

PRICE = 3.0


def table(seed):
    made = dagscale.simulate(
        nodes=20, edges_per_node=2, samples=1000, standardize=True, linear=1.0, random_state=seed
    )
    return made, made.table.to_numpy(float)


def found(X, made, knowledge=None):
    known = (knowledge or Knowledge()).resolve(made.names)
    return by_order(X, known, PRICE, np.zeros(made.adjacency.shape, dtype=bool))


def wrong_links(graph, truth):
    return int(np.triu((graph | graph.T) != (truth | truth.T)).sum())


@pytest.mark.parametrize("seed", [1002, 1005])
def test_turned_parts_lead_out_of_local_optima(seed, monkeypatch):
    made, X = table(seed)
    assert wrong_links(found(X, made), made.adjacency) <= 2
    monkeypatch.setattr(order_search, "KICKS", 0)
    assert wrong_links(found(X, made), made.adjacency) >= 10  # where single columns get stuck


def test_what_is_known_holds():
    made, X = table(1005)
    first, last = made.names[3], made.names[7]
    graph = found(X, made, Knowledge(tiers=[[last], [name for name in made.names if name != last]]))
    assert not graph[:, made.names.index(last)].any()
    required = found(X, made, Knowledge(required=[(first, last)]))
    assert required[made.names.index(first), made.names.index(last)]


@pytest.mark.parametrize("spoil", [lambda x: 1e-190 * x, lambda x: np.full_like(x, 0.1)])
def test_rows_that_hardly_vary_are_no_reason_to_stop(spoil):
    """One value of 1e200 in another condition: the rest of the column varied by 1e-190 of it, or by rounding."""
    g = np.random.default_rng(0)
    X = g.normal(size=(200, 3))
    X[:, 2] += X[:, 0]
    X[:, 1] = spoil(X[:, 1])
    graph = by_order(X, Constraints.none(3), 2.0, np.zeros((3, 3), dtype=bool))
    assert np.argwhere(np.triu(graph | graph.T)).tolist() == [[0, 2]]


def regressed(X, j, parents):
    """Half of n times the log variance of the residuals of column j."""
    Z = np.column_stack([np.ones(len(X)), X[:, sorted(parents)]])
    left = X[:, j] - Z @ np.linalg.lstsq(Z, X[:, j], rcond=None)[0]
    return 0.5 * len(X) * np.log(left.var() / X[:, j].var())


def grown_and_shrunk(X, j, offered, price):
    """The same by regressions: put in the best parent while it pays, then take out the one missed least."""
    price, parents = price + 0.5 * np.log(len(X)), set()
    while left := offered - parents:
        best = min(left, key=lambda k: regressed(X, j, parents | {k}))
        if regressed(X, j, parents) - regressed(X, j, parents | {best}) <= price:
            break
        parents |= {best}
    while parents:
        least = min(parents, key=lambda k: regressed(X, j, parents - {k}))
        if regressed(X, j, parents - {least}) - regressed(X, j, parents) >= price:
            break
        parents -= {least}
    return -regressed(X, j, parents) - price * len(parents), tuple(sorted(parents))


def test_the_tree_of_parents_agrees_with_regressions():
    _, X = table(1003)
    d, rng = X.shape[1], np.random.default_rng(0)
    lines = Lines(X, Constraints.none(d), PRICE)
    for _ in range(60):
        j, size = int(rng.integers(d)), int(rng.integers(d))
        before = set(rng.permutation([k for k in range(d) if k != j])[:size].tolist())
        nats, parents = lines(j, sum(1 << k for k in before))
        expected, chosen = grown_and_shrunk(X, j, before, PRICE)
        assert parents == chosen
        assert nats == pytest.approx(expected, abs=1e-3)
