"""CAM's search (Bühlmann, Peters and Ernest 2014, section 3.2): grow a graph by edges of largest gain.

The log likelihood of an additive Gaussian model is -n/2 sum_j log RSS_j. Starting from no edge, the edge
i -> j that raises it most is added, again and again; ancestor sets exclude cycles. An edge changes the
gains of its child alone (`splines.forward`). Nothing depends on the units of the columns.

Deviations from CAM:

- A gain is net of the degrees of freedom the new function spends (half the fall of log GCV), and the search
  stops when no edge gains `least_gain` log d / n more than that, where CAM goes on until the graph is full.
- Smoothness is chosen for the new function alone, and an accepted parent's smooth directions are projected
  out, so that no model is ever fitted again.
- CAM's full graph orders all columns. Here the pairs the edges leave open are ordered by the balance of
  their gains, see `_Search.order`.
"""

import numpy as np

from dagscale.knowledge import Constraints
from dagscale.parallel import one_blas_thread
from dagscale.splines import SplineTable
from dagscale.splines.forward import Blocks, Forward
from dagscale.types import BoolArray, FloatArray, IntArray


def greedy_order(
    X: FloatArray,
    mask: BoolArray | None = None,
    constraints: Constraints | None = None,
    max_parents: int = 20,
    *,
    least_gain: float = 2.0,
    splines: SplineTable | None = None,
    n_jobs: int | None = None,
) -> tuple[IntArray, BoolArray, FloatArray]:
    """Order the columns by greedy additive likelihood.

    Parameters
    ----------
    X : (n, d) float array
    mask : (d, d) bool array, optional
        Candidates, [parent, child]; all pairs by default.
    constraints : Constraints, optional
        Required edges come first, forbidden ones never, and the order respects `before`.
    max_parents : int
        A node with so many parents gets no more (required ones are never refused).
    least_gain : float
        The log likelihood an edge must gain beyond its degrees of freedom, in units of log d: the best of
        d candidates without effect gains about log d. 0 is as near to CAM's full graph as GCV goes.
    splines : SplineTable, optional
        The splines of X, where they are already built.
    n_jobs : int or None
        For building the splines.

    Returns
    -------
    order : (d,) int array
        Sources first, consistent with the edges and with `before`.
    adjacency : (d, d) bool array
        The edges of the search.
    gains : (d, d) float array
        Gain in log likelihood a row of every candidate when last looked at; NaN elsewhere.
    """
    n, d = X.shape
    constraints = Constraints.none(d) if constraints is None else constraints
    required = constraints.required
    candidates = constraints.allowed if mask is None else (mask & constraints.allowed) | required
    table = SplineTable.of(X, n_jobs=n_jobs) if splines is None else splines
    with one_blas_thread():
        search = _Search(table, candidates, constraints.before)
        for i, j in _by_gain(required, search.gains):
            search.add(i, j)
        while (edge := search.best(least_gain * np.log(d) / n, max_parents)) is not None:
            search.add(*edge)
    return search.order(), search.adjacency, search.gains


def _by_gain(edges: BoolArray, gains: FloatArray) -> list[tuple[int, int]]:
    """List the edges, those of largest gain first: no column's place in the table counts."""
    ends = np.argwhere(edges)
    return [(int(i), int(j)) for i, j in ends[np.argsort(-gains[edges], kind="stable")]]


class _Search:
    """The graph found so far, its ancestor relation and every node's forward regression."""

    def __init__(self, table: SplineTable, candidates: BoolArray, before: BoolArray) -> None:
        d = len(candidates)
        self.adjacency = np.zeros((d, d), dtype=bool)
        self.gains = np.full((d, d), np.nan)
        # [i, j]: i = j, or i precedes j by knowledge or by the edges found
        self._precedes = before | np.eye(d, dtype=bool)
        # [child, parent]: gain of the edges that may still come, else -inf; and its maximum per child
        self._open = np.full((d, d), -np.inf)
        self._best = np.full(d, -np.inf)
        blocks = Blocks.of(table)
        products = blocks.products(table.X)  # (d, w, d)
        self._nodes = []
        for j in range(d):
            own = np.flatnonzero(candidates[:, j])
            self._nodes.append(Forward(blocks, table.X[:, j], own, products[own, :, j]))
            self._look(j)

    def _look(self, j: int) -> None:
        """Compute the gains of node j's candidates."""
        node = self._nodes[j]
        if len(node.candidates):
            gains = node.gains()
            self.gains[node.candidates, j] = self._open[j, node.candidates] = gains
            self._best[j] = gains.max()

    def add(self, i: int, j: int) -> None:
        """Add the edge i -> j."""
        self.adjacency[i, j] = True
        self._precedes[np.ix_(self._precedes[:, i], self._precedes[j])] = True
        self._nodes[j].add(i)
        candidates = self._nodes[j].candidates
        self._nodes[j].keep(np.flatnonzero(~self._precedes[j, candidates] & ~self.adjacency[candidates, j]))
        self._open[j], self._best[j] = -np.inf, -np.inf
        self._look(j)

    def best(self, least: float, max_parents: int) -> tuple[int, int] | None:
        """Return the edge of the largest gain above `least` that closes no cycle, or None."""
        while True:
            j = int(self._best.argmax())
            i = int(self._open[j].argmax())
            if self._best[j] <= least:
                return None
            if self.adjacency[:, j].sum() >= max_parents:
                self._open[j] = -np.inf
            elif self._precedes[j, i]:
                self._open[j, i] = -np.inf
            else:
                return i, j
            self._best[j] = self._open[j].max()

    def order(self) -> IntArray:
        """Sort the columns so that nothing precedes its ancestors.

        Among the columns free to come next, take the one that the columns still to come would explain least,
        less what it would explain of them: sum_i gain(i -> j) - gain(j -> i). Where many edges are too weak
        to be found one by one, as in dense graphs, their sum still tells early columns from late ones.
        """
        d = len(self._precedes)
        later = self._precedes & ~np.eye(d, dtype=bool)
        gains = np.nan_to_num(self.gains)
        pull = gains - gains.T
        balance, waiting = pull.sum(axis=0), later.sum(axis=0)
        order = np.empty(d, dtype=np.intp)
        for place in range(d):
            order[place] = j = np.where(waiting == 0, balance, np.inf).argmin()
            waiting[j] = -1
            waiting[later[j]] -= 1
            balance -= pull[j]
        return order
