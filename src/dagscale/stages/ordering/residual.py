"""NoGAM's order: leaves by predicting the score from a residual, for noise of any distribution.

In an additive noise model the score of a leaf is a function of its own noise alone, and that noise is
the residual of the leaf regressed on all others (Montagna et al. 2023, "Causal discovery with score
matching on additive models with arbitrary noise", Lemma 1). So at every step each remaining column is
regressed on the others, the Stein estimate of its score is regressed on its residual, and the column
whose score is predicted best is taken off.

Both regressions are kernel ridge regressions whose predictions come from folds that did not see the row.
Deviations from the authors' description, each for speed or for units:

- the function is sought in the span of `landmarks` rows (Nyström) rather than of all; `landmarks=None`
  is the exact regression, n³ instead of n m² for each of the d² / 2 of them;
- the width of each kernel is the median distance between its own landmarks instead of a fixed number,
  and the default ridge is 0.1: it did as well as 0.01 or better on all of six settings with that width.
"""

from functools import partial

import numpy as np
import scipy.linalg

from dagscale.runtime.arrays import to_numpy
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.stages.jacobian.stein import fit, squared_distances
from dagscale.stages.ordering.ties import content_rank, first_least

SCORE_LANDMARKS = 50  # for the regression of the score on one residual, a function of one variable
JITTER = 1e-10  # relative, keeps the normal equations definite where landmarks nearly coincide


def residual_order(
    X: FloatArray,
    before: BoolArray | None = None,
    *,
    eta: float = 0.001,
    ridge: float = 0.1,
    n_crossval: int = 5,
    landmarks: int | None = 300,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
    progress: Progress = silent,
    memory: Memory = FORGETFUL,
) -> IntArray:
    """Return NoGAM's order of the columns of X (n, d), sources first.

    Parameters
    ----------
    X : (n, d) array
        Rows are samples.
    before : (d, d) bool array, optional
        [i, j]: i must precede j.
    eta : float
        Ridge of the Stein kernel.
    ridge : float
        Ridge of both regressions, with kernels of height 1.
    n_crossval : int
        Number of folds.
    landmarks : int or None
        Rows that carry the regressions; None for all of them.
    rng : numpy.random.Generator, optional
        Draws the folds and the landmarks; a generator of seed 0 unless given.
    n_jobs : int or None
        Threads, over the columns of a step.
    progress : callable
        Called with ("ordering", done, total).
    memory : Memory
        Keeps the leaves found.
    """
    n, d = X.shape
    X = X - np.median(X, axis=0)  # distances between rows far from the origin would be rounding
    rng = np.random.default_rng(0) if rng is None else rng
    shuffled = rng.permutation(n)
    folds = np.array_split(shuffled, min(n_crossval, n))
    chosen = shuffled[: n if landmarks is None else min(landmarks, n)]
    before = np.zeros((d, d), dtype=bool) if before is None else before
    remaining, leaves, stein = np.arange(d), [], fit(X, eta, n_jobs=n_jobs)
    rank = content_rank(X)
    memory = memory.within("leaves by residuals", X, before, eta, ridge, folds, chosen)

    def choose() -> int:
        eligible = np.flatnonzero(~before[np.ix_(remaining, remaining)].any(axis=1))
        if len(eligible) == 1:
            return int(eligible[0])
        error = partial(_score_error, X[:, remaining], to_numpy(stein.score), chosen, folds, ridge)
        errors = np.array(parallel_map(error, eligible, n_jobs))
        return int(eligible[first_least(errors, rank[remaining[eligible]])])

    while len(remaining) > 1:
        stein.settle()
        position = memory.once("leaf", choose, remaining)
        leaves.append(int(remaining[position]))
        remaining = np.delete(remaining, position)
        stein = stein.drop(position)
        progress("ordering", len(leaves), d)
    return np.array([*remaining, *leaves[::-1]], dtype=np.intp)


def _score_error(
    X: FloatArray, score: FloatArray, landmarks: IntArray, folds: list[IntArray], ridge: float, j: int
) -> float:
    """Mean squared error of the score of column j predicted from the column's residual."""
    others = np.delete(X, j, axis=1)
    residual = X[:, j] - cross_predict(others, X[:, j], others[landmarks], folds, ridge)
    grid = np.quantile(residual, np.linspace(0, 1, min(SCORE_LANDMARKS, len(residual))))
    predicted = cross_predict(residual[:, None], score[:, j], grid[:, None], folds, ridge)
    return float(np.mean((score[:, j] - predicted) ** 2))


def cross_predict(
    inputs: FloatArray, y: FloatArray, landmarks: FloatArray, folds: list[IntArray], ridge: float
) -> FloatArray:
    """Predict y by kernel ridge regression, every row from the folds it is not in.

    Minimises ‖y - C β‖² + ridge βᵀ M β with C the kernel between rows and landmarks (n, m) and M that
    between landmarks: with all rows as landmarks, ordinary kernel ridge regression.

    Parameters
    ----------
    inputs : (n, p) array
    y : (n,) array
    landmarks : (m, p) array
    folds : list of int arrays
        Row indices, together all rows.
    ridge : float

    Returns
    -------
    (n,) array
    """
    n, m = len(inputs), len(landmarks)
    between = squared_distances(landmarks, landmarks, np.empty((m, m)))
    width = _width(between)
    C = np.exp(squared_distances(inputs, landmarks, np.empty((n, m))) / -width)  # (n, m)
    parts = [C[fold] for fold in folds]
    grams = [part.T @ part for part in parts]  # (m, m) each: their sum less one is that of the others
    gram = sum(grams) + ridge * np.exp(between / -width)
    gram[np.diag_indices(len(gram))] += JITTER * gram.trace() / len(gram)
    targets = C.T @ np.column_stack([y, np.ones_like(y)])  # (m, 2): of y, and of its mean
    predicted = np.empty_like(y)
    for fold, part, own in zip(folds, parts, grams, strict=True):
        mean = (y.sum() - y[fold].sum()) / (len(y) - len(fold))
        target = targets @ [1, -mean] - part.T @ (y[fold] - mean)
        factor = scipy.linalg.cho_factor(gram - own, lower=True, overwrite_a=True, check_finite=False)
        predicted[fold] = mean + part @ scipy.linalg.cho_solve(factor, target, check_finite=False)
    return predicted


def _width(between: FloatArray) -> float:
    """Return twice the median squared distance of landmarks; should most of them coincide, twice the mean."""
    return 2 * (float(np.median(between)) or float(between.mean()) or 1.0)
