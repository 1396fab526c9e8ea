"""Where `auto` starts: CAM's greedy graph, pruned, on the scale that suits the table.

A table with heavy-tailed columns is taken on the scale on which its edges have the highest likelihood: as it
is, or by the normal scores of ranks (`scales.py`). One whose noise is not additive (`under_graph.py`) is
taken by the scores of all ranks; if they do not mend it, the start is doubted. Where noise is not normal, its
shape turns the edges that the greedy search could not direct (`climb_additive.py`).
"""

from dataclasses import dataclass, replace

from dagscale.graphs.pair_values import Numbers
from dagscale.methods.auto.climb_additive import climb_additive
from dagscale.methods.auto.scales import Scale, ranked, scales, told
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.noise.under_graph import Noise, noise_under
from dagscale.models.splines import SplineTable
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.ordering.greedy import greedy_order
from dagscale.stages.pruning import additive


@dataclass(frozen=True)
class Start:
    """The additive start.

    Attributes
    ----------
    X : (n, d) float array
        The table on the scale that was chosen.
    table : SplineTable
        Its splines.
    graph : (d, d) bool array
    p_values : Numbers
        Of the edges that pruning looked at.
    level : float
        They were compared with.
    notes : tuple of str
    noise : Noise
        What the graph's residuals are like.
    shaped : bool
        Whether noise is not normal, and its shape counts.
    doubted : bool
        Whether noise is not additive on any scale.
    """

    X: FloatArray
    table: SplineTable
    graph: BoolArray
    p_values: Numbers
    level: float
    noise: Noise
    notes: tuple[str, ...] = ()
    shaped: bool = False
    doubted: bool = False


def additive_start(X: FloatArray, context: Context, alpha: float) -> Start:
    """Start on the scale on which parents tell most; pruned at a level that d columns' tests can bear."""
    as_it_is, *others = scales(X)
    best = _started(as_it_is, context, alpha)
    if best.noise.uneven > SETTINGS.uneven:
        return _by_ranks(X, context, alpha, best.noise.uneven)
    best = _shaped(best, context)
    most = told(best.table, best.graph, as_it_is.scored, context.n_jobs) if others else 0.0
    for scale in others:
        start = _shaped(_started(scale, context, alpha), context)
        if (nats := told(start.table, start.graph, scale.scored, context.n_jobs)) >= most:
            most, best = nats, start
    return best


def _by_ranks(X: FloatArray, context: Context, alpha: float, uneven: float) -> Start:
    """Start from the scores of all ranks, and say whether they mend it."""
    start = _started(ranked(X), context, alpha)
    still = f", by ranks too ({start.noise.uneven:.2f})" if start.noise.uneven > SETTINGS.mended else ""
    said = f"noise is not additive: its spread follows the level ({uneven:.2f}, like a correlation){still}"
    start = replace(start, notes=(said, *start.notes), doubted=bool(still))
    return start if still else _shaped(start, context)


def _started(scale: Scale, context: Context, alpha: float) -> Start:
    X, known, memory = (
        scale.values,
        context.constraints,
        context.memory.within("additive start", scale.values),
    )
    table = SplineTable.of(X, n_jobs=context.n_jobs)
    chosen = memory.once(
        "greedy likelihood",
        lambda: greedy_order(
            X, None, known, splines=table, n_jobs=context.n_jobs, device=context.device, memory=memory
        )[1],
    )
    level = min(alpha, 1.0 / len(chosen))
    graph, p_values = additive.prune(
        X, chosen, level, known.required, context.n_jobs, context.progress, splines=table, memory=memory
    )
    return Start(X, table, graph, p_values, level, noise_under(table, graph, context.n_jobs), scale.notes)


def _shaped(start: Start, context: Context) -> Start:
    """Turn the edges as the noise's shape tells, if it has one, and prune what arose."""
    if start.noise.negentropy <= SETTINGS.shaped:
        return start
    notes = (*start.notes, "the noise is not normal, so its shape helped to find directions")
    if context.out_of_time():
        return replace(start, shaped=True, notes=notes)
    turned = climb_additive(start.table, start.graph, context, True)
    graph, p_values = additive.prune(
        start.X, turned, start.level, context.constraints.required, context.n_jobs, context.progress,
        splines=start.table,
    )  # fmt: skip
    return replace(start, graph=graph, p_values=p_values, shaped=True, notes=notes)
