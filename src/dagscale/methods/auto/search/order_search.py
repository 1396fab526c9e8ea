"""A start by order: the best order of the columns for straight lines with normal noise (BOSS, Andrews et al. 2023).

Where effects are nearly linear, single edges lead into graphs with many edges too many: a wrong direction is mended by
further edges. An order has no such traps: every column keeps the predecessors that it would miss, and one column after
another moves to the place where the whole tells most. Straight lines need the correlation matrix alone, so thousands of
orders cost a second; the graph is a start, which has to earn its place by S(G).
"""

from itertools import accumulate
from operator import or_

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints
from dagscale.runtime.clock import late
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

SWEEPS = 8
KICKS = 30  # times that a part of the best order is turned round and climbed from, out of local optima
SHORTEST = 5  # columns of such a part, at least; at most twice as many
WORTH = 0.1  # nats
SMALL = 1e-100  # values whose squares are still numbers
LEAST = 1e-12  # variance that is not rounding
ROUNDING = 1e-12  # standard deviation over size that is none


class _Grown:
    """Parents that a column has been given so far, and what every further one would add.

    The best of those offered is put in next, whatever else is offered: sets of parents are the nodes of a tree, and
    thousands of orders share its first ones (grow-shrink trees, Andrews et al. 2023).

    Attributes
    ----------
    parents : tuple of int
        In the order in which they were put in.
    variance, covariance : (d,) float arrays
        What the parents leave of every column, and of its covariance with the child.
    columns : list of (d,) float arrays
        Of every parent, over its deviation, its covariances with all columns when it was put in.
    offers : list of (bit, column)
        Those worth putting in, the best first.
    next : dict of column to node
    kept : (float, tuple of int) or None
        Nats and parents once those that are not missed have been taken out, if no further one is offered.
    """

    __slots__ = ("columns", "covariance", "kept", "next", "offers", "parents", "variance")

    def __init__(
        self,
        parents: tuple[int, ...],
        variance: FloatArray,
        covariance: FloatArray,
        columns: list[FloatArray],
    ) -> None:
        self.parents, self.variance, self.covariance, self.columns = parents, variance, covariance, columns
        self.offers: list[tuple[int, int]] = []
        self.next: dict[int, _Grown] = {}
        self.kept: tuple[float, tuple[int, ...]] | None = None


class Lines:
    """Grow and shrink sets of parents by the Schwarz criterion of linear regressions; remembers them.

    Parameters
    ----------
    X : (n, d) float array
    known : Constraints
    price : float
        Nats that an edge must earn beside half of log n.
    rows : list of int arrays, optional
        Of every column, the rows that tell of its mechanism; None: all of all.
    """

    def __init__(
        self, X: FloatArray, known: Constraints, price: float, rows: list[IntArray] | None = None
    ) -> None:
        own = [np.arange(len(X))] * X.shape[1] if rows is None else rows
        tables = {id(some): _correlations(X if rows is None else X[some]) for some in own}
        self.C = [tables[id(some)] for some in own]
        self.n, self.known = [len(some) for some in own], known
        self.price = [price + 0.5 * np.log(n) for n in self.n]
        self.roots = [self._node(j, (), C.diagonal(), C[:, j], []) for j, C in enumerate(self.C)]

    def __call__(self, j: int, before: int) -> tuple[float, tuple[int, ...]]:
        """Nats of column j given what it keeps of the columns before it, a bit for each, and these parents."""
        node, grows = self.roots[j], True
        while grows:
            grows = False
            for bit, k in node.offers:
                if before & bit:
                    node, grows = node.next.get(k) or self._grown(j, node, k), True
                    break
        if node.kept is None:
            node.kept = self._shrunk(j, list(node.parents))
        return node.kept

    def _grown(self, j: int, node: _Grown, k: int) -> _Grown:
        """Put in column k as a further parent."""
        column = self.C[j][:, k]
        for other in node.columns:
            column = column - other * other[k]
        column = column / np.sqrt(max(float(node.variance[k]), LEAST))
        variance, covariance = node.variance - column**2, node.covariance - column * column[j]
        node.next[k] = self._node(j, (*node.parents, k), variance, covariance, [*node.columns, column])
        return node.next[k]

    def _node(
        self, j: int, parents: tuple[int, ...], variance: FloatArray, covariance: FloatArray, columns: list[FloatArray]
    ) -> _Grown:  # fmt: skip
        r2 = np.minimum(covariance**2 / (np.maximum(variance, LEAST) * variance[j]), 1.0 - 1e-9)
        gain = -0.5 * self.n[j] * np.log1p(-r2) - self.price[j]
        gain[self.known.required[:, j]] = np.inf
        gain[~self.known.allowed[:, j]] = -np.inf
        gain[[j, *parents]] = -np.inf
        node = _Grown(parents, variance, covariance, columns)
        best = np.argsort(-gain, kind="stable")[: int((gain > 0).sum())]
        node.offers = [(1 << k, k) for k in best.tolist()]
        return node

    def _shrunk(self, j: int, parents: list[int]) -> tuple[float, tuple[int, ...]]:
        """Take out one after another the parent that is missed least."""
        parents = sorted(parents)
        while True:
            places = [*parents, j]
            P = np.linalg.inv(self.C[j][np.ix_(places, places)])
            if not parents:
                break
            r2 = np.minimum(P[:-1, -1] ** 2 / (P.diagonal()[:-1] * P[-1, -1]), 1.0 - 1e-12)
            loss = -0.5 * self.n[j] * np.log1p(-r2)
            loss[self.known.required[parents, j]] = np.inf
            k = int(loss.argmin())
            if loss[k] >= self.price[j]:
                break
            parents = parents[:k] + parents[k + 1 :]
        nats = 0.5 * self.n[j] * float(np.log(P[-1, -1])) - self.price[j] * len(parents)
        return nats, tuple(parents)


def _correlations(X: FloatArray) -> FloatArray:
    """Correlations of the columns of X (n, d), a hair from singular; constant columns stand apart.

    A column that varies in all rows may be constant in some, but for rounding, or so small that its squares are 0.
    """
    size = np.abs(X).max(axis=0)
    X = X / np.where((size > 0) & (size < SMALL), size, 1.0)
    varying = X.std(axis=0) > ROUNDING * np.abs(X).max(axis=0)
    C = np.zeros((X.shape[1],) * 2)
    C[np.ix_(varying, varying)] = np.corrcoef(X[:, varying].T)
    return np.asarray(C + 1e-9 * np.eye(len(C)) + np.diag(~varying))


def by_order(
    X: FloatArray,
    known: Constraints,
    price: float,
    start: BoolArray,
    deadline: float = np.inf,
    rows: list[IntArray] | None = None,
) -> BoolArray:
    """Return the graph (d, d) of the best order found from that of a start; what it costs grows like d³.

    `rows` has, of every column, those that tell of its mechanism.
    """
    lines, d = Lines(X, known, price, rows), X.shape[1]
    order = _climbed(topological_order(start | known.before).tolist(), lines, known, deadline)
    best, rng = _score(order, lines), np.random.default_rng(0)
    for _ in range(KICKS if d > SHORTEST else 0):
        if late(deadline):
            break
        other = _climbed(_kicked(order, rng, known), lines, known, deadline)
        score = _score(other, lines)
        if score > best + WORTH:
            order, best = other, score
    graph = np.zeros((d, d), dtype=bool)
    for j, before in zip(order, _before(order), strict=False):
        graph[list(lines(j, before)[1]), j] = True
    return graph


def _climbed(order: list[int], lines: Lines, known: Constraints, deadline: float) -> list[int]:
    """Move one column after another to its best place, until none moves."""
    for _ in range(SWEEPS):
        moved = False
        for v in range(len(order)):
            if late(deadline):
                return order
            better = _best_place(order, v, lines, known)
            moved = moved or better != order
            order = better
        if not moved:
            break
    return order


def _kicked(order: list[int], rng: np.random.Generator, known: Constraints) -> list[int]:
    """Turn a part of an order round, the whole in line with what is known: out of a local optimum, not far from it."""
    length = int(rng.integers(SHORTEST, min(2 * SHORTEST, len(order)) + 1))
    first = int(rng.integers(0, len(order) - length + 1))
    turned = order[:first] + order[first : first + length][::-1] + order[first + length :]
    place = {v: k for k, v in enumerate(turned)}
    return order if any(place[a] > place[b] for a, b in np.argwhere(known.before).tolist()) else turned


def _before(order: list[int]) -> list[int]:
    """Return the columns before every place of an order, and all of them at last, a bit for each."""
    return list(accumulate((1 << v for v in order), or_, initial=0))


def _score(order: list[int], lines: Lines) -> float:
    """Nats of all columns, each given what it keeps of those before it."""
    return sum(lines(j, before)[0] for j, before in zip(order, _before(order), strict=False))


def _best_place(order: list[int], v: int, lines: Lines, known: Constraints) -> list[int]:
    """Move v to where the whole tells most.

    Others have v before them or not; v has the others before its place. All places cost three sets a column.
    """
    d = len(order)
    others = [w for w in order if w != v]
    now = order.index(v)
    prefixes = _before(others)
    before = np.array([lines(w, own)[0] for w, own in zip(others, prefixes, strict=False)])
    after = np.array([lines(w, own | 1 << v)[0] for w, own in zip(others, prefixes, strict=False)])
    own = np.array([lines(v, own)[0] for own in prefixes])
    scores = own + np.append(0.0, np.cumsum(before)) + np.append(np.cumsum(after[::-1])[::-1], 0.0)
    low = max([k + 1 for k, w in enumerate(others) if known.before[w, v]], default=0)
    high = min([k for k, w in enumerate(others) if known.before[v, w]], default=d - 1)
    scores[:low], scores[high + 1 :] = -np.inf, -np.inf
    best = int(scores.argmax())
    if scores[best] < scores[now] + WORTH:
        return order
    return [*others[:best], v, *others[best:]]
