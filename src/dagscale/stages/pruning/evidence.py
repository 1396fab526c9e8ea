"""Prune by evidence: an edge stays when its child's Gaussian process loses enough without it.

A GP over k parents spreads its variance over interactions, each main effect holding about 2^-k: an
additive test cannot see it, the evidence of the whole process can. The weakest parent is taken out and the
node fitted again, until every parent left is worth the penalty. Rounds first use the evidence lost without
a new fit, an upper bound for one evaluation each, and drop half of what even that does not save; then
candidates go one by one, on evidence refitted without them.
"""

from collections.abc import Sequence

import numpy as np

from dagscale.models.gain import edge_evidence, item_without, parents_item
from dagscale.models.gp import Evidence
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.types import BoolArray, FloatArray


def prune(
    X: FloatArray,
    mask: BoolArray,
    penalty: float,
    required: BoolArray | None = None,
    n_jobs: int | None = None,
    progress: Progress = silent,
    *,
    device: str = "cpu",
    evidence: Evidence | None = None,
) -> tuple[BoolArray, FloatArray]:
    """Keep the candidate edges that are worth their penalty.

    Parameters
    ----------
    X : (n, d) float array
    mask : (d, d) bool array
        Candidates, [parent, child].
    penalty : float
        Nats of evidence an edge must be worth; about log n for sparse graphs, half that for dense ones.
    required : (d, d) bool array, optional
        Edges kept whatever they are worth.
    n_jobs : int or None
        Fits at once.
    progress : callable
        Told (label, done, total).
    device : str
        "cpu", or a torch device for batches of fits.
    evidence : Evidence, optional
        The evidence of X, where an earlier stage has fitted some of it.

    Returns
    -------
    adjacency : (d, d) bool array
    lost : (d, d) float array
        Evidence lost without each candidate: beside the kept parents for kept ones; for the others at
        the time they went, in the first rounds an upper bound. NaN where there was no candidate.
    """
    gain = Evidence(X, n_jobs, device) if evidence is None else evidence
    keep = np.zeros_like(mask) if required is None else required & mask
    lost = np.full(mask.shape, np.nan)
    kept = _drop_by_halves(gain, mask.copy(), keep, penalty, lost, progress)
    return _drop_one_by_one(gain, kept, keep, penalty, lost, progress), lost


def shares(evidence: Evidence, adjacency: BoolArray) -> tuple[FloatArray, FloatArray]:
    """How much of its child's variance each parent explains, by the noise of fitted processes.

    Returns
    -------
    total : (d, d) float array
        Share that becomes noise without the parent, its interactions included; NaN off the graph.
    alone : (d, d) float array
        Share that the parent explains on its own.
    """
    edges = [(int(i), int(j)) for i, j in np.argwhere(adjacency)]
    whole = evidence.fits([parents_item(adjacency, j) for _, j in edges])
    less = evidence.fits([item_without(adjacency, i, j) for i, j in edges])
    single = evidence.fits([(j, (i,)) for i, j in edges])
    total, alone = np.full(adjacency.shape, np.nan), np.full(adjacency.shape, np.nan)
    for k, (i, j) in enumerate(edges):
        total[i, j] = max(less[k].noise - whole[k].noise, 0.0)
        alone[i, j] = max(1.0 - single[k].noise, 0.0)
    return total, alone


def _note_losses(gain: Evidence, mask: BoolArray, lost: FloatArray, progress: Progress) -> None:
    """Write into `lost` what each node's evidence loses when refitted without one candidate."""
    edges = int(mask.sum())
    progress("evidence for each link", 0, edges)
    lost[mask] = edge_evidence(mask, gain)[mask]
    progress("evidence for each link", edges, edges)


def _drop_by_halves(
    gain: Evidence,
    kept: BoolArray,
    keep: BoolArray,
    penalty: float,
    lost: FloatArray,
    progress: Progress,
) -> BoolArray:
    """Drop the weaker half of each node's candidates that not even the upper bound saves; fit again.

    The last evidence lost without each candidate is written into `lost`.
    """
    open_nodes = np.flatnonzero(kept.any(axis=0)).tolist()
    total = len(open_nodes)
    while open_nodes:
        progress("removing links that add nothing", total - len(open_nodes), total)
        items = [parents_item(kept, j) for j in open_nodes]
        changed = []
        for (j, parents), nats in zip(items, gain.lost_without(items), strict=True):
            lost[list(parents), j] = nats
            weak = weakest_first(parents, nats, keep[:, j], penalty)
            if weak:
                kept[weak[: (len(weak) + 1) // 2], j] = False
                changed.append(j)
        open_nodes = changed
    return kept


def weakest_first(parents: Sequence[int], nats: FloatArray, keep: BoolArray, penalty: float) -> list[int]:
    """Return the parents that lose less than the penalty and need not stay, the weakest first."""
    order = np.argsort(nats, kind="stable")
    return [parents[k] for k in order if nats[k] < penalty and not keep[parents[k]]]


def _drop_one_by_one(
    gain: Evidence, kept: BoolArray, keep: BoolArray, penalty: float, lost: FloatArray, progress: Progress
) -> BoolArray:
    """Drop each node's weakest parent while refitting without it costs less than the penalty.

    A node whose parents together are worth less than their penalties loses all that may go: each may
    look needed only because of the others.
    """
    nodes = np.flatnonzero(kept.any(axis=0))
    while len(nodes):
        mask = np.zeros_like(kept)
        mask[:, nodes] = kept[:, nodes]
        _note_losses(gain, mask, lost, progress)
        worth = gain([parents_item(kept, int(j)) for j in nodes])
        changed = []
        for j, nats in zip(nodes, worth, strict=True):
            parents = np.flatnonzero(kept[:, j])
            weak = weakest_first([int(i) for i in parents], lost[parents, j], keep[:, j], penalty)
            if weak:
                kept[weak[0], j] = False
                changed.append(j)
            elif nats < penalty * len(parents):
                kept[~keep[:, j], j] = False
        nodes = np.array([j for j in changed if kept[:, j].any()], dtype=np.intp)
    return kept
