"""Climbing by additive fits, with the shape of what they leave where it counts: a better start, in seconds.

CAM's greedy search adds edges only, and takes noise for normal. Where effects are nearly linear, the first
edges are as good in either direction, and many stay reversed; the shape of the noise could tell them
(`models.noise.negentropy`), and curves do, but only whole exchanges of parents lead there. Additive fits take
milliseconds, so that thousands of moves can be tried: single edges, whole paths, and exchanges.
"""

from collections.abc import Sequence

import numpy as np

from dagscale.methods.auto.climb import Moves, climb, path_moves, single_moves
from dagscale.methods.auto.exchange import exchange_moves
from dagscale.methods.auto.penalty import log_odds
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.gain import Item
from dagscale.models.noise.negentropy import negentropy
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.strength import schwarz
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray


class AdditiveEvidence:
    """Evidence of items by additive fits, each fitted once.

    Parameters
    ----------
    table : SplineTable
    shaped : bool
        Whether the shape of the residuals counts.
    n_jobs : int or None
    """

    def __init__(self, table: SplineTable, shaped: bool, n_jobs: int | None = None) -> None:
        self.table = table.on_some_rows(SETTINGS.additive_rows, n_jobs)
        self.table.prepare()
        self.rows, self.shaped, self.n_jobs = self.table.n, shaped, n_jobs
        self._own: dict[int, float] = {}
        self._known: dict[Item, float] = {}

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats that each item gains over its node alone."""
        new = [item for item in dict.fromkeys(items) if item not in self._known]
        self._known.update(zip(new, parallel_map(self._one, new, self.n_jobs, local=True), strict=True))
        return np.array([self._known[item] for item in items])

    def _one(self, item: Item) -> float:
        node, widths = item[0], self.table.widths
        parents = [i for i in item[1] if widths[i]]  # a constant explains nothing
        if not (parents and widths[node]):
            return 0.0
        fit = AdditiveFit.of(self.table, node, np.array(parents), "reml")
        if not self.shaped:
            return schwarz(fit)
        if node not in self._own:
            self._own[node] = negentropy(self.table.column(node))
        return schwarz(fit) + self.rows * (negentropy(fit.residuals) - self._own[node])


def climb_additive(table: SplineTable, graph: BoolArray, context: Context, shaped: bool) -> BoolArray:
    """Climb from a graph by additive fits until no move gains.

    Parameters
    ----------
    table : SplineTable
        The splines of the table.
    graph : (d, d) bool array
        Where to start; only its own edges are tried, in either direction, and those that exchanges ask for.
        One of more than `SETTINGS.climbed` columns is returned as it is.
    context : Context
    shaped : bool
        Whether the shape of the noise counts.
    """
    if len(graph) > SETTINGS.climbed:
        return graph
    known = context.constraints
    gain = AdditiveEvidence(table, shaped, context.n_jobs)
    mask = (graph | graph.T) & known.allowed
    for _ in range(SETTINGS.additive_rounds):
        penalty = SETTINGS.caution + max(0.0, log_odds(graph))
        kinds: list[Moves] = [single_moves]
        if len(graph) <= SETTINGS.exchanged:
            kinds += [path_moves, exchange_moves(gain, penalty, known.allowed, context.out_of_time)]
        before = graph
        for moves in kinds:
            graph = climb(
                graph, gain, mask, penalty, known.required, known.before, moves=moves,
                max_parents=min(SETTINGS.max_parents, max(1, gain.rows // 3)),
                out_of_time=context.out_of_time, progress=context.progress,
            )  # fmt: skip
            mask = mask | ((graph | graph.T) & known.allowed)
        if np.array_equal(before, graph):
            break
    return graph
