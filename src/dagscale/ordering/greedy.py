"""CAM's search (Bühlmann, Peters and Ernest 2014, section 3.2): grow a graph edge by edge, by likelihood gain.

The log likelihood of an additive Gaussian model is -n/2 sum_j log RSS_j. Starting from no edge, the edge
i -> j that raises it most is added, again and again; ancestor sets exclude cycles. An edge changes the
gains of its child alone (`splines.forward`).

Deviations from CAM: a gain is net of the degrees of freedom the new function spends, so that the search stops
by itself where CAM fills the graph up; smoothness is chosen for the new function alone; and an accepted
parent's smooth directions are projected out, so that no model is refitted.
"""

import numpy as np

from dagscale.knowledge import Constraints
from dagscale.splines import SplineTable
from dagscale.splines.forward import Blocks, Forward
from dagscale.types import BoolArray, FloatArray, IntArray


def greedy_order(
    X: FloatArray,
    mask: BoolArray | None = None,
    constraints: Constraints | None = None,
    max_parents: int = 20,
    *,
    penalty: float = 1.0,
    splines: SplineTable | None = None,
    n_jobs: int | None = None,
    C: float = 0,
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
    penalty : float
        What an edge must gain, in degrees of freedom of its function.
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
    d = X.shape[1]
    constraints = Constraints.none(d) if constraints is None else constraints
    table = SplineTable.of(X, n_jobs=n_jobs) if splines is None else splines
    candidates = constraints.allowed if mask is None else (mask & constraints.allowed) | constraints.required
    search = _Search(table, candidates, constraints.before, penalty / len(X), C * np.log(d) / len(X))
    for i, j in np.argwhere(constraints.required):
        search.add(int(i), int(j))
    while (edge := search.best(max_parents)) is not None:
        search.add(*edge)
    return search.order(), search.adjacency, search.gains


class _Search:
    """The graph found so far, its ancestor relation and every node's forward regression."""

    def __init__(
        self, table: SplineTable, candidates: BoolArray, before: BoolArray, price: float, least: float
    ) -> None:
        d = len(candidates)
        self.adjacency = np.zeros((d, d), dtype=bool)
        self.gains = np.full((d, d), np.nan)
        # [i, j]: i = j, or i precedes j by knowledge or by the edges found
        self._precedes = before | np.eye(d, dtype=bool)
        blocks = Blocks.of(table)
        w = blocks.Q.shape[1]
        products = (blocks.Q.reshape(d * w, -1) @ table.X).reshape(d, w, d)
        self._nodes = []
        for j in range(d):
            own = np.flatnonzero(candidates[:, j])
            self._nodes.append(Forward(blocks, table.X[:, j], own, products[own, :, j], price))
        self._open = np.where(candidates, 0.0, -np.inf).T.copy()  # [child, parent]: gain, -inf once ruled out
        self._best = np.zeros(d)
        self._least = least
        for j in range(d):
            self._look(j)

    def _look(self, j: int) -> None:
        """Compute the gains of node j's candidates again."""
        node = self._nodes[j]
        gains = node.gains()
        ruled_out = np.isneginf(self._open[j, node.candidates])
        self.gains[node.candidates[~ruled_out], j] = gains[~ruled_out]
        self._open[j, node.candidates[~ruled_out]] = gains[~ruled_out]
        self._best[j] = self._open[j].max()

    def add(self, i: int, j: int) -> None:
        """Add the edge i -> j."""
        self.adjacency[i, j] = True
        self._precedes[np.ix_(self._precedes[:, i], self._precedes[j])] = True
        self._nodes[j].add(i)
        self._open[j, i] = -np.inf
        self._look(j)

    def best(self, max_parents: int) -> tuple[int, int] | None:
        """Return the edge of largest positive gain that closes no cycle, or None."""
        while True:
            j = int(self._best.argmax())
            i = int(self._open[j].argmax())
            if self._open[j, i] <= self._least:
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
        less what it would explain of them: sum_i gain(i -> j) - gain(j -> i).
        """
        d = len(self._precedes)
        later = self._precedes & ~np.eye(d, dtype=bool)
        gains = np.maximum(np.nan_to_num(self.gains), 0)
        pull = gains - gains.T
        balance, waiting = pull.sum(axis=0), later.sum(axis=0)
        order = np.empty(d, dtype=np.intp)
        for place in range(d):
            order[place] = j = np.where(waiting == 0, balance, np.inf).argmin()
            waiting[j] = -1
            waiting[later[j]] -= 1
            balance -= pull[j]
        return order
