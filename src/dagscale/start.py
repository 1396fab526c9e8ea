"""Where `auto` starts: CAM's greedy graph, pruned, on the scale that suits the table.

A table with heavy-tailed columns is taken on the scale on which parents tell most of their children: as it
is, or by the normal scores of ranks (`margins.py`). One whose noise is not additive (`noise.py`) is taken by
the scores of all ranks; if they do not mend it, the start is doubted.
"""

from dataclasses import dataclass, replace

from dagscale.margins import RANKED, normal_scores, scales, told
from dagscale.noise import Noise, noise_under
from dagscale.ordering.greedy import greedy_order
from dagscale.pairs import Numbers
from dagscale.pruning import additive
from dagscale.run import Run
from dagscale.splines import SplineTable
from dagscale.types import BoolArray, FloatArray

# Uneven noise by `noise.py`: simulated gene expression has 0.3 to 0.45, by ranks 0.1 to 0.45, and additive
# noise of any kind under any mechanism at most 0.08, edges missed or not.
UNEVEN = 0.2  # from here on noise is not additive ...
MENDED = 0.1  # ... unless it is as even as this by ranks


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
    doubted: bool = False


def additive_start(X: FloatArray, run: Run, alpha: float) -> Start:
    """Start on the scale on which parents tell most; pruned at a level that d columns' tests can bear."""
    (values, notes), *others = scales(X)
    best = _started(values, run, alpha, notes)
    if best.noise.uneven > UNEVEN:
        return _by_ranks(X, run, alpha, best.noise.uneven)
    most = told(values, best.table, best.graph, run.n_jobs) if others else 0.0
    for values, notes in others:
        start = _started(values, run, alpha, notes)
        if (nats := told(values, start.table, start.graph, run.n_jobs)) >= most:
            most, best = nats, start
    return best


def _by_ranks(X: FloatArray, run: Run, alpha: float, uneven: float) -> Start:
    """Start from the scores of all ranks, and say whether they mend it."""
    start = _started(normal_scores(X), run, alpha, [RANKED])
    still = f", by ranks too ({start.noise.uneven:.2f})" if start.noise.uneven > MENDED else ""
    said = f"noise is not additive: its spread follows the level ({uneven:.2f}, like a correlation){still}"
    return replace(start, notes=(said, *start.notes), doubted=bool(still))


def _started(X: FloatArray, run: Run, alpha: float, notes: list[str]) -> Start:
    known, memory = run.constraints, run.memory.within("additive start", X)
    table = SplineTable.of(X, n_jobs=run.n_jobs)
    chosen = memory.once(
        "greedy likelihood",
        lambda: greedy_order(
            X, None, known, splines=table, n_jobs=run.n_jobs, device=run.device, memory=memory
        )[1],
    )
    level = min(alpha, 1.0 / len(chosen))
    graph, p_values = additive.prune(
        X, chosen, level, known.required, run.n_jobs, run.progress, splines=table, memory=memory
    )
    return Start(X, table, graph, p_values, level, noise_under(table, graph, run.n_jobs), tuple(notes))
