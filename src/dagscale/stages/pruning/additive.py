"""CAM pruning (Bühlmann, Peters and Ernest 2014, section 3.3): test every candidate in one additive model.

Each node is regressed on smooth functions of all its candidates (`splines`), and a candidate stays when the
p-value of its function is below alpha. The test is that of mgcv's `summary(gam)`, which CAM, SCORE and the
paper's DAS (section 2.3) call; of a child of levels or counts, the likelihood ratio of `models.levels`.
"""

import numpy as np

from dagscale.graphs.dag import parents_by_child
from dagscale.graphs.pair_values import Numbers, pair_values
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.models.levels import LevelFit, most_parents
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.runtime.workers import worth_processes
from dagscale.stages.ordering.ties import content_rank

LEVEL_ROWS = 10_000  # that children of levels and counts are tested on at most


def prune(
    X: FloatArray,
    mask: BoolArray,
    alpha: float = 0.001,
    required: BoolArray | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    *,
    smoothing: str = "gcv",
    splines: SplineTable | None = None,
    memory: Memory = FORGETFUL,
) -> tuple[BoolArray, Numbers]:
    """Keep the candidate edges whose smooth effect is significant.

    Parameters
    ----------
    X : (n, d) float array
    mask : (d, d) bool array
        Candidates, [parent, child].
    alpha : float
        Level of the test of one edge.
    required : (d, d) bool array, optional
        Edges kept whatever the test says.
    n_jobs : int or None
        Nodes tested at once.
    progress : callable, optional
        Told (label, done, total).
    smoothing : {"gcv", "reml"}
        How the smoothness of each function is chosen; "gcv" is mgcv's default and CAM's.
    splines : SplineTable, optional
        The splines of X, where an earlier stage has built them, and the columns' kinds.
    memory : Memory
        Keeps the nodes tested.

    Returns
    -------
    adjacency : (d, d) bool array
    p_values : (d, d) float array, or `PairValues` where d is large
        NaN where nothing was tested; 1 where the parent or the child is constant.

    Notes
    -----
    The splines shrink as CAM's do, to rank n / (3 p) for p candidates and finally to straight lines. Beyond
    n / 3 candidates not even lines can be told apart: the n / 3 that explain most of the child alone are
    tested, the others dropped with p-value NaN.
    """
    n, d = X.shape
    required = np.zeros((d, d), dtype=bool) if required is None else required
    report = progress or silent
    table = SplineTable.of(X, n_jobs=n_jobs) if splines is None else splines
    table.prepare()
    candidates, certain = parents_by_child(mask | required), parents_by_child(required)
    children = np.array(list(candidates), dtype=np.intp)

    fewer = table.on_some_rows(LEVEL_ROWS, n_jobs) if table.kinds else table
    rank = content_rank(X)

    def test(child: int) -> tuple[IntArray, FloatArray]:
        first = np.isin(candidates[child], certain.get(child, []))
        most = n // 3 if table.kind(child) == CONTINUOUS else most_parents(fewer, child)
        tested = _strongest(table, child, candidates[child], first, max(1, most))
        if table.kind(child) == CONTINUOUS:
            return tested, _p_values(table, child, tested, smoothing, rank)
        return tested, _level_p_values(fewer, child, tested)

    report("additive pruning", 0, len(children))
    results = memory.within("additive pruning", X, mask, required, smoothing).map(
        "node",
        test,
        children,
        n_jobs,
        done=lambda k: report("additive pruning", k, len(children)),
        processes=worth_processes(len(children), n_jobs),
    )
    none = (np.zeros(0, dtype=np.intp), np.zeros(0))
    parents, numbers = (np.concatenate(parts) for parts in zip(none, *results, strict=True))
    ends = np.repeat(children, [len(tested) for tested, _ in results])
    adjacency = required.copy()
    adjacency[parents, ends] |= numbers < alpha
    return adjacency, pair_values(d, parents, ends, numbers)


def _p_values(
    table: SplineTable, child: int, candidates: IntArray, smoothing: str, rank: IntArray
) -> FloatArray:
    """Test every candidate of a child (p,), in the order of content, `rank` (d,).

    The order of the terms decides which of several minima of GCV is found, so the place in the table must not give it.
    """
    varying = np.flatnonzero(table.widths[candidates] > 0)
    varying = varying[np.argsort(rank[candidates[varying]])]
    p_values = np.ones(len(candidates))
    if table.widths[child] > 0 and len(varying):
        fit = AdditiveFit.of(table, child, candidates[varying], smoothing)
        if fit.degenerate:  # the rounding of shared products would decide
            fit = AdditiveFit.of(table, child, candidates[varying], smoothing, afresh=True)
        p_values[varying] = fit.p_values
    return p_values


def _level_p_values(table: SplineTable, child: int, candidates: IntArray) -> FloatArray:
    varying = table.widths[candidates] > 0
    p_values = np.ones(len(candidates))
    if table.widths[child] > 0 and varying.any():
        p_values[varying] = LevelFit.of(table, child, candidates[varying]).p_values
    return p_values


def _strongest(
    table: SplineTable, child: int, candidates: IntArray, required: BoolArray, most: int
) -> IntArray:
    """Return the `most` candidates that explain most of the child alone, required ones first."""
    if len(candidates) <= most:
        return candidates
    shares = np.array([_explained(table, child, i) for i in candidates])
    ranking = np.lexsort((-shares, ~required))
    return candidates[np.sort(ranking[:most])]


def _explained(table: SplineTable, child: int, parent: int) -> float:
    if table.gram is not None:
        products = table.products[table.starts[parent] : table.starts[parent + 1], child]
    else:
        products = table.splines(parent).T @ table.column(child)
    return float(products @ products)
