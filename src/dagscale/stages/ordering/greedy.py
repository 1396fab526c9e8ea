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
- Beyond `ALL_PAIRS` columns, where no mask says who may be whose parent, a node looks at a short list of
  candidates, and once more when its parents are known: see `shortlist`.
"""

from itertools import count

import numpy as np
import scipy.sparse

from dagscale.graphs.dag import parents_by_child
from dagscale.graphs.pair_values import Numbers, pair_values
from dagscale.inputs.knowledge import Constraints
from dagscale.models.splines import SplineTable
from dagscale.models.splines.forward import Blocks, Forward, gains_of, smooth_directions, widen_all
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.runtime.workers import one_blas_thread
from dagscale.stages.ordering.shortlist import shortlist
from dagscale.stages.ordering.ties import content_rank, first_least

ALL_PAIRS = 200  # columns up to which every pair is a candidate
LISTED = 12  # candidates on a node's short list; the best of many without effect differ little
LEAST_LISTED = 1.0  # log likelihood that one on the list must gain
REFRESHED = 3  # times that lists are looked through again
CHUNK = 64  # nodes looked at together
PART = 256  # additions of which a checkpoint keeps all or none
AHEAD = 4096  # nodes that are given their next parent beforehand


def greedy_order(
    X: FloatArray,
    mask: BoolArray | None = None,
    constraints: Constraints | None = None,
    max_parents: int = 20,
    *,
    least_gain: float = 2.0,
    splines: SplineTable | None = None,
    n_jobs: int | None = None,
    device: str = "cpu",
    memory: Memory = FORGETFUL,
) -> tuple[IntArray, BoolArray, Numbers]:
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
        Workers on the CPU that build splines, look through candidates and prepare the nodes' next parents;
        edges join the graph one after the other.
    device : str
        Where short lists, products of splines and gains are made.
    memory : Memory
        Keeps short lists and the edges so far.

    Returns
    -------
    order : (d,) int array
        Sources first, consistent with the edges and with `before`.
    adjacency : (d, d) bool array
        The edges of the search.
    gains : (d, d) float array, or `PairValues` where d is large
        Gain in log likelihood a row of every candidate when last looked at; NaN elsewhere.
    """
    n, d = X.shape
    constraints = Constraints.none(d) if constraints is None else constraints
    required = constraints.required
    candidates = constraints.allowed if mask is None else (mask & constraints.allowed) | required
    table = SplineTable.of(X, n_jobs=n_jobs) if splines is None else splines
    least = least_gain * np.log(d) / n
    known = (constraints.allowed, required, constraints.before)
    memory = memory.within("greedy", X, mask, known, max_parents, least, device)
    with one_blas_thread():
        search = _Search(table, constraints.before, n_jobs, device)
        if mask is None and d > ALL_PAIRS:
            candidates = search.listed(candidates, memory) | required
        search.start(candidates)
        for i, j in search.by_gain(required):
            search.add(i, j)
        search.run(least, max_parents, memory)
        for again in range(REFRESHED if mask is None and d > ALL_PAIRS else 0):
            later = memory.within("refreshed", again)
            if not search.refresh(constraints.allowed, later):
                break
            search.run(least, max_parents, later)
    return search.order(), search.adjacency, search.gains()


class _Search:
    """The graph found so far, its ancestor relation and every node's forward regression."""

    def __init__(
        self, table: SplineTable, before: BoolArray, n_jobs: int | None, device: str = "cpu"
    ) -> None:
        d = len(before)
        table.prepare()
        self.adjacency = np.zeros((d, d), dtype=bool)
        self._table, self._blocks = table, Blocks.of(table, device)
        self._n_jobs, self._device = n_jobs if device == "cpu" else 1, device
        # [i, j]: i = j, or i precedes j by knowledge or by the edges found
        self._precedes = before | np.eye(d, dtype=bool)
        self._rank = content_rank(table.data)
        self._nodes: list[Forward] = []
        # per child: gain of its candidates, -inf where the edge may not come any more; and their maximum
        self._open: list[FloatArray] = [np.zeros(0)] * d
        self._best = np.full(d, -np.inf)
        # per child: all candidates it ever had, sorted, and the gain each one had when last looked at
        self._seen: list[IntArray] = [np.zeros(0, dtype=np.intp)] * d
        self._last: list[FloatArray] = [np.zeros(0)] * d
        self._stale: set[int] = set()  # children that got a parent since their candidates were listed
        # see `_look_ahead`: per child its next parent and what it will be then; children without
        self._ahead: dict[int, tuple[int, Forward, FloatArray]] = {}
        self._changed: set[int] = set()

    def listed(self, allowed: BoolArray, memory: Memory) -> BoolArray:
        """Return the pairs worth a look before there is any edge: a short list each, in both directions."""
        d = len(allowed)
        none = np.zeros(0, dtype=np.intp)
        nodes = [Forward(self._blocks, j, none) for j in range(d)]
        listed = np.zeros((d, d), dtype=bool)
        for j, some in enumerate(self._shortlist(nodes, allowed, memory)):
            listed[some, j] = True
        return (listed | listed.T) & allowed

    def _shortlist(self, nodes: list[Forward], allowed: BoolArray, memory: Memory) -> list[IntArray]:
        least = LEAST_LISTED / self._table.n
        return shortlist(self._blocks, nodes, allowed, LISTED, least, self._n_jobs, self._device, memory)

    def start(self, candidates: BoolArray) -> None:
        """Look at every node's candidates (d, d) for the first time."""
        d, listed = len(candidates), parents_by_child(candidates)
        none = np.zeros(0, dtype=np.intp)

        def begin(some: IntArray) -> list[tuple[Forward, FloatArray]]:
            own, children = [listed.get(j, none) for j in some.tolist()], some.tolist()
            if sum(map(len, own)) > 0.5 * d * len(some):
                whole = self._blocks.products(some)
                products = [whole[columns, :, place] for place, columns in enumerate(own)]
            else:
                products = self._blocks.products_of_each(own, children)
            nodes = [Forward(self._blocks, *parts) for parts in zip(children, own, products, strict=True)]
            return list(zip(nodes, gains_of(nodes), strict=True))

        tasks = [np.arange(start, min(start + CHUNK, d)) for start in range(0, d, CHUNK)]
        for begun in parallel_map(begin, tasks, self._n_jobs, local=True):
            for node, gains in begun:
                self._nodes.append(node)
                self._look(node.child, gains)

    def _look(self, j: int, gains: FloatArray) -> None:
        """Write down the gains of node j's candidates."""
        candidates = self._nodes[j].candidates
        seen = np.union1d(self._seen[j], candidates)
        last = np.empty(len(seen))
        last[np.searchsorted(seen, self._seen[j])] = self._last[j]
        last[np.searchsorted(seen, candidates)] = gains
        self._seen[j], self._last[j], self._open[j] = seen, last, gains
        self._best[j] = gains.max(initial=-np.inf)
        self._changed.add(j)

    def by_gain(self, edges: BoolArray) -> list[tuple[int, int]]:
        """List the edges, those of largest gain first: no column's place in the table counts."""
        parents, children = np.nonzero(edges)
        ends = list(zip(parents.tolist(), children.tolist(), strict=True))
        gain = {(i, j): self._last[j][np.searchsorted(self._seen[j], i)] for i, j in ends}
        return sorted(ends, key=lambda ends: -gain[ends])

    def add(self, i: int, j: int) -> None:
        """Add the edge i -> j."""
        parent, node, gains = self._ahead.pop(j, (-1, self._nodes[j], np.zeros(0)))
        if parent != i:
            node = self._nodes[j]
            node.add(i)
            gains = node.gains()
        self.adjacency[i, j] = True
        self._precedes[np.ix_(self._precedes[:, i], self._precedes[j])] = True
        self._nodes[j] = node
        kept = self._keep_possible(node)
        self._stale.add(j)
        self._look(j, gains[kept])

    def _keep_possible(self, node: Forward) -> IntArray:
        """Forget candidates that have become impossible; return the places of the others."""
        j, candidates = node.child, node.candidates
        kept = np.flatnonzero(~self._precedes[j, candidates] & ~self.adjacency[candidates, j])
        node.keep(kept)
        return kept

    def _look_ahead(self, least: float, max_parents: int) -> None:
        """Give the nodes of largest gain their next parent, apart from the graph, to be used when it is due.

        What a node gains next depends on its own parents alone, so that the edges are those of one addition
        after the other; only a parent that has become impossible meanwhile was in vain.
        """
        changed = np.array(sorted(self._changed), dtype=np.intp)
        changed = changed[self._best[changed] > least]
        tasks: list[tuple[int, int]] = []
        for j in changed[np.argsort(-self._best[changed], kind="stable")][:AHEAD].tolist():
            self._changed.discard(j)
            i = int(self._nodes[j].candidates[self._best_place(j)])
            if len(self._nodes[j].parents) < max_parents and not self._precedes[j, i]:
                tasks.append((i, j))
        self._grow(tasks)

    def _best_place(self, j: int) -> int:
        """Return the place of node j's candidate of largest gain."""
        return first_least(-self._open[j], self._rank[self._nodes[j].candidates])

    def _grow(self, edges: list[tuple[int, int]]) -> None:
        """Put children with a further parent each, all different, into `_ahead`."""

        def grow(some: list[tuple[int, int]]) -> list[tuple[Forward, FloatArray]]:
            nodes, parents = [self._nodes[j] for _, j in some], [i for i, _ in some]
            crosses = self._blocks.crosses([node.candidates for node in nodes], parents)
            parts = zip(nodes, parents, crosses, smooth_directions(nodes, parents), strict=True)
            grown = [node.grown(i, cross, smooth) for node, i, cross, smooth in parts]
            return list(zip(grown, gains_of(grown), strict=True))

        chunks = [edges[start : start + CHUNK] for start in range(0, len(edges), CHUNK)]
        for chunk, grown in zip(chunks, parallel_map(grow, chunks, self._n_jobs, local=True), strict=True):
            self._ahead.update({j: (i, *found) for (i, j), found in zip(chunk, grown, strict=True)})

    def run(self, least: float, max_parents: int, memory: Memory) -> None:
        """Add the edge of largest gain above `least` that closes no cycle, until there is none."""
        for part in count():
            added: list[tuple[int, int]] = []

            def some(added: list[tuple[int, int]] = added) -> IntArray:
                added += self._additions(least, max_parents)
                return np.array(added, dtype=np.intp).reshape(-1, 2)

            edges = memory.once("additions", some, part)
            if not added:
                self.replay([(int(i), int(j)) for i, j in edges])
            if len(edges) < PART:
                return

    def replay(self, edges: list[tuple[int, int]]) -> None:
        """Add the edges that an earlier run added, in its order, to the state that it had reached."""
        left: dict[int, list[int]] = {}
        for i, j in reversed(edges):
            left.setdefault(j, []).append(i)
        for i, j in edges:
            if self._ahead.get(j, (-1,))[0] != i:
                nexts = [(parents[-1], child) for child, parents in left.items() if parents]
                self._grow([(p, child) for p, child in nexts if self._ahead.get(child, (-1,))[0] != p])
            left[j].pop()
            self.add(i, j)

    def _additions(self, least: float, max_parents: int) -> list[tuple[int, int]]:
        """Add up to `PART` edges and return them."""
        added: list[tuple[int, int]] = []
        while len(added) < PART and self._best[j := first_least(-self._best, self._rank)] > least:
            place = self._best_place(j)
            i = int(self._nodes[j].candidates[place])
            if len(self._nodes[j].parents) >= max_parents:
                self._best[j] = -np.inf
            elif self._precedes[j, i]:
                self._open[j][place] = -np.inf
                self._best[j] = self._open[j].max()
                self._changed.add(j)
            else:
                if self._ahead.get(j, (-1,))[0] != i:
                    self._look_ahead(least, max_parents)
                self.add(i, j)
                added.append((i, j))
        return added

    def refresh(self, allowed: BoolArray, memory: Memory) -> bool:
        """List candidates anew for the nodes that have got parents; say whether any came in."""
        nodes = [self._nodes[j] for j in sorted(self._stale)]
        self._stale.clear()
        self._ahead.clear()

        def widen(some: list[tuple[Forward, IntArray]]) -> list[tuple[Forward, FloatArray]]:
            wider, news = [], []
            for node, listed in some:
                j = node.child
                new = listed[~self._precedes[j, listed] & ~self.adjacency[listed, j]]
                new = new[~np.isin(new, node.candidates)]
                if len(new):
                    self._keep_possible(node)
                    wider.append(node)
                    news.append(new)
            widen_all(wider, news)
            return list(zip(wider, gains_of(wider), strict=True)) if wider else []

        pairs = list(zip(nodes, self._shortlist(nodes, allowed, memory), strict=True))
        tasks = [pairs[start : start + CHUNK] for start in range(0, len(pairs), CHUNK)]
        news = [found for task in parallel_map(widen, tasks, self._n_jobs, local=True) for found in task]
        for node, gains in news:
            self._look(node.child, gains)
        return bool(news)

    def gains(self) -> Numbers:
        """Gain of every candidate when last looked at."""
        return pair_values(len(self._nodes), *self._pairs())

    def _pairs(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Parents, children and last gains of all candidates there ever were."""
        children = np.repeat(np.arange(len(self._seen)), [len(seen) for seen in self._seen])
        return np.concatenate(self._seen), children, np.concatenate(self._last)

    def order(self) -> IntArray:
        """Sort the columns so that nothing precedes its ancestors.

        Among the columns free to come next, take the one that the columns still to come would explain least,
        less what it would explain of them: sum_i gain(i -> j) - gain(j -> i). Where many edges are too weak
        to be found one by one, as in dense graphs, their sum still tells early columns from late ones.
        """
        d = len(self._precedes)
        later = self._precedes & ~np.eye(d, dtype=bool)
        pull = _pull(d, *self._pairs())
        balance, waiting = -pull.sum(axis=1), later.sum(axis=0)
        order, scale = np.empty(d, dtype=np.intp), float(np.abs(pull.data).max(initial=0.0))
        for place in range(d):
            order[place] = j = first_least(np.where(waiting == 0, balance, np.inf), self._rank, scale)
            waiting[j] = -1
            waiting[later[j]] -= 1
            own = slice(pull.indptr[j], pull.indptr[j + 1])
            balance[pull.indices[own]] -= pull.data[own]
        return order


def _pull(d: int, parents: IntArray, children: IntArray, gains: FloatArray) -> scipy.sparse.csr_array:
    """gain(i -> j) - gain(j -> i) as a sparse [i, j]."""
    ahead = scipy.sparse.csr_array((gains, (parents, children)), shape=(d, d))
    return scipy.sparse.csr_array(ahead - ahead.T)
