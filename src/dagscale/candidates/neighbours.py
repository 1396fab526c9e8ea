"""Preliminary neighbour search (paper, section 2.3; CAM, section 3.1): the K likeliest parents of each node.

"boosting" is the paper's: componentwise L2 boosting (Bühlmann and Yu 2003) of every node on its candidates. A
step fits the residual of node j on the splines of each candidate i alone, takes the candidate that explains
most, and subtracts a fraction nu of its fit. With Q_i orthonormal, candidate i explains |Q_i' r_j|^2: one
matrix product per step serves all pairs at once. The base learner has four degrees of freedom, as that of
mboost, which CAM calls.

Deviations: nu is 0.3 where mboost takes 0.1, and a node stops as soon as K different candidates have been
taken, where CAM runs 100 steps and keeps those taken in at least 2% of them. Neither moved the share of true
parents kept by more than 0.02 (ER1, ER2 and ER4 graphs, d = 50 and 100).

"trees" is the variant of the SCORE and GraN-DAG code bases: the importances of extremely randomised trees.
"""

from collections.abc import Iterator

import numpy as np

from dagscale.errors import InputError
from dagscale.parallel import parallel_map
from dagscale.splines import SplineTable
from dagscale.types import BoolArray, FloatArray, IntArray

LEARNER_RANK = 5  # splines of rank 5, less the constant: four degrees of freedom
CHUNK = 128  # nodes boosted together; fixed, so that n_jobs changes no rounding


def neighbours(
    X: FloatArray,
    mask: BoolArray,
    K: int = 20,
    method: str = "boosting",
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
    *,
    steps: int = 100,
    nu: float = 0.3,
    trees: int = 100,
    splines: SplineTable | None = None,
) -> BoolArray:
    """Keep at most K candidates of every node, those that predict it best together.

    Parameters
    ----------
    X : (n, d) float array
    mask : (d, d) bool array
        Candidates, [parent, child].
    K : int
        Most candidates kept; nodes with no more than K keep all.
    method : {"boosting", "trees"}
    rng : numpy Generator, optional
        Only "trees" draws from it.
    n_jobs : int or None
    steps : int
        Most boosting steps.
    nu : float
        Step length of the boosting.
    trees : int
        Trees per node.
    splines : SplineTable, optional
        The splines of X, where they are already built.

    Returns
    -------
    mask : (d, d) bool array
        A subset of the one given.
    """
    if method not in ("boosting", "trees"):
        raise InputError(f"method={method!r} is no neighbour search; choose 'boosting' or 'trees'")
    crowded = np.flatnonzero(mask.sum(axis=0) > K)
    kept = mask.copy()
    if len(crowded) == 0:
        return kept
    kept[:, crowded] = False
    if method == "trees":
        rng = np.random.default_rng(0) if rng is None else rng
        found = _by_trees(X, mask, crowded, K, rng, trees, n_jobs)
    else:
        table = SplineTable.of(X, n_jobs=n_jobs) if splines is None else splines
        found = _by_boosting(table, mask, crowded, K, steps, nu, n_jobs)
    for child, chosen in found:
        kept[chosen, child] = True
    return kept


def _by_boosting(
    table: SplineTable, mask: BoolArray, nodes: IntArray, K: int, steps: int, nu: float, n_jobs: int | None
) -> Iterator[tuple[int, IntArray]]:
    learners = _learners(table)  # (d, w, n)

    def boost(some: IntArray) -> BoolArray:
        return _boost(learners, table.X[:, some], mask[:, some], K, steps, nu)

    chunks = [nodes[start : start + CHUNK] for start in range(0, len(nodes), CHUNK)]
    for some, taken in zip(chunks, parallel_map(boost, chunks, n_jobs), strict=True):
        yield from ((int(node), np.flatnonzero(chosen)) for node, chosen in zip(some, taken.T, strict=True))


def _learners(table: SplineTable) -> FloatArray:
    """Every column's base learner, orthonormal rows (d, w, n), zeros where a column has fewer splines."""
    n, d = table.X.shape
    learners = np.zeros((d, LEARNER_RANK - 1, n))
    for i in range(d):
        splines, _ = table.term(i, LEARNER_RANK)
        learners[i, : splines.shape[1]] = splines.T
    return learners


def _boost(learners: FloatArray, Y: FloatArray, mask: BoolArray, K: int, steps: int, nu: float) -> BoolArray:
    """Boost the nodes Y (n, m) together; return which candidates (d, m) each one took."""
    d, w, n = learners.shape
    stacked = learners.reshape(d * w, n)
    taken = np.zeros_like(mask)
    residual = Y / np.maximum(np.linalg.norm(Y, axis=0), 1e-300)
    active = np.arange(Y.shape[1])
    for _ in range(steps):
        coefficients = (stacked @ residual[:, active]).reshape(d, w, len(active))
        explained = np.where(mask[:, active], np.einsum("dwm,dwm->dm", coefficients, coefficients), -1.0)
        best = explained.argmax(axis=0)  # (m,)
        chosen = coefficients[best, :, np.arange(len(active))]  # (m, w)
        residual[:, active] -= nu * np.einsum("mwn,mw->nm", learners[best], chosen)
        taken[best, active] = True
        active = active[taken[:, active].sum(axis=0) < K]
        if len(active) == 0:
            break
    return taken


def _by_trees(
    X: FloatArray,
    mask: BoolArray,
    nodes: IntArray,
    K: int,
    rng: np.random.Generator,
    trees: int,
    n_jobs: int | None,
) -> Iterator[tuple[int, IntArray]]:
    """Keep candidates of at least 0.75 times the mean importance, at most K, as GraN-DAG's code does."""
    from sklearn.ensemble import ExtraTreesRegressor

    seeds = rng.integers(2**31, size=len(nodes))

    def grow(task: tuple[int, int]) -> IntArray:
        node, seed = task
        candidates = np.flatnonzero(mask[:, node])
        forest = ExtraTreesRegressor(n_estimators=trees, random_state=seed, n_jobs=1)
        importance = forest.fit(X[:, candidates], X[:, node]).feature_importances_
        strongest = np.argsort(-importance, kind="stable")[:K]
        chosen: IntArray = candidates[strongest[importance[strongest] >= 0.75 * importance.mean()]]
        return chosen

    tasks = list(zip(nodes.tolist(), seeds.tolist(), strict=True))
    for (node, _), chosen in zip(tasks, parallel_map(grow, tasks, n_jobs), strict=True):
        yield node, chosen
