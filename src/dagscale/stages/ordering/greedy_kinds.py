"""CAM's greedy search where columns are of several kinds: every child by the likelihood of its own kind.

As in `greedy`, the edge that raises the likelihood most is added until none does; a gain is net of half the logarithm
of the rows for every degree of freedom it spends (Schwarz 1978), in nats, so that gains of numbers, levels and counts
compare. Gains of a child's other candidates mostly fall when it gets a parent: only the best edge of those known is
weighed anew until it stays the best.
"""

import heapq

import numpy as np

from dagscale.graphs.dag import descendants
from dagscale.graphs.pair_values import Numbers, pair_values
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.knowledge import Constraints
from dagscale.models.levels import LevelFit
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.strength import schwarz
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, IntArray
from dagscale.stages.answer import OpenReason
from dagscale.stages.ordering.sorts import order_by_priority
from dagscale.stages.ordering.ties import content_rank

ROWS = 10_000  # looked at at most
TIED = 6  # digits of nats within which gains are equal


def greedy_order_of_kinds(
    table: SplineTable,
    mask: BoolArray,
    constraints: Constraints,
    max_parents: int = 20,
    n_jobs: int | None = None,
) -> tuple[IntArray, BoolArray, Numbers]:
    """Order columns of several kinds by greedy additive likelihood.

    Parameters
    ----------
    table : SplineTable
        With `kinds`.
    mask : (d, d) bool array
        Candidates, [parent, child].
    constraints : Constraints
    max_parents : int
        Most parents a column gets.
    n_jobs : int or None

    Returns
    -------
    order : (d,) int array
    chosen : (d, d) bool array
        Edges of the greedy graph.
    gains : Numbers
        Nats a row that each of them gained; NaN elsewhere.
    """
    table = table.on_some_rows(ROWS, n_jobs)
    table.prepare()
    d = len(mask)
    graph = constraints.required.copy()
    reach = descendants(graph | constraints.before)
    worth = [schwarz_of(table, j, np.flatnonzero(graph[:, j])) for j in range(d)]

    def gain(edge: tuple[int, int]) -> float:
        i, j = edge
        return schwarz_of(table, j, np.append(np.flatnonzero(graph[:, j]), i)) - worth[j]

    rank = content_rank(table.data).tolist()  # ties are not decided by the table's column order

    def entry(value: float, i: int, j: int) -> tuple[float, int, int, int, int, int, float]:
        return -round(value, TIED), rank[i], rank[j], i, j, int(times[j]), value

    times = np.zeros(d, dtype=np.intp)  # parents given to each column: gains known before are out of date
    edges = [(i, j) for i, j in np.argwhere(mask & ~graph).tolist() if i != j]
    known = parallel_map(gain, edges, n_jobs, local=True)
    queue = [entry(value, i, j) for value, (i, j) in zip(known, edges, strict=True) if value > 0]
    heapq.heapify(queue)
    parents = graph.sum(axis=0)
    found: list[tuple[int, int, float]] = []
    while queue:
        *_, i, j, when, value = heapq.heappop(queue)
        if parents[j] >= max_parents or reach[j, i]:
            continue
        if when < times[j]:
            if (now := gain((i, j))) > 0:
                heapq.heappush(queue, entry(now, i, j))
            continue
        graph[i, j] = True
        worth[j] += value
        found.append((i, j, value / table.n))
        parents[j] += 1
        times[j] += 1
        reach |= np.outer(reach[:, i] | (np.arange(d) == i), reach[j] | (np.arange(d) == j))
    ends = np.array([edge[:2] for edge in found], dtype=np.intp).reshape(-1, 2)
    gains = pair_values(d, ends[:, 0], ends[:, 1], np.array([edge[2] for edge in found]))
    return order_by_priority(np.array(rank, dtype=np.float64), graph | constraints.before), graph, gains


def schwarz_of(table: SplineTable, child: int, parents: IntArray) -> float:
    """Return the nats of a child on its parents over the child alone, by the likelihood of its kind."""
    if not len(parents) or not table.widths[child]:
        return 0.0
    if table.kind(child) == CONTINUOUS:
        return schwarz(AdditiveFit.of(table, child, parents))
    return LevelFit.of(table, child, parents).schwarz


def open_links(adjacency: BoolArray, kinds: tuple[str, ...], before: BoolArray) -> BoolArray | None:
    """Return the links with an end that is not continuous, whose direction a likelihood of kinds does not tell.

    A table of two such columns fits as well either way round. What is known beforehand stays directed.
    """
    if not kinds:
        return None
    discrete = np.array([kind != CONTINUOUS for kind in kinds])
    touched = discrete[:, None] | discrete
    linked: BoolArray = (adjacency | adjacency.T) & touched & ~(before | before.T)
    return linked


def open_for_few_values(
    adjacency: BoolArray, either_way: BoolArray | None
) -> dict[tuple[int, int], OpenReason]:
    """Return the reason of the links that `open_links` leaves open, edge by edge."""
    if either_way is None:
        return {}
    edges = [(i, j) for i, j in np.argwhere(adjacency & either_way).tolist()]
    return dict.fromkeys(edges, OpenReason.FEW_VALUES)
