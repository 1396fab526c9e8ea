"""A child of many categories: where Newton's method begins, and what a further parent promises.

Newton's method for K categories and q functions needs the information of (K - 1) q coefficients at every step. With
the mean weight of the rows, W, instead of each row's own, the information is a Kronecker product W ⊗ Z'Z: a step, and
the variances of the coefficients, cost eigenvalues of K - 1 and of q numbers. Steps of this kind come near the fit
and its smoothness; Newton's method then needs one or two. The same information says to second order what a parent
adds to a fit.
"""

from typing import NamedTuple

import numpy as np

from dagscale.models.likelihood.families import Categorical
from dagscale.models.likelihood.smoothness import BOUNDS, prior_precision, promise, smoothness
from dagscale.runtime.types import FloatArray, IntArray

MANY = 3  # predictors, one less than categories, from which on this pays
VERY_MANY = 6  # predictors from which on one step of Newton's method follows, not as many as it takes
WIDE = 260  # coefficients from which on none does
STEPS = 30
FASTER = 1.5  # steps of the logarithm of τ over those of MacKay's rule, which are short
SIZES = (1.0, 0.5, 0.25, 0.1)  # of a step that are tried
IDLE = 0.3  # coefficients that a term must free not to be switched off
SETTLED = 0.1  # of log τ
NEAR = 0.3  # nats that a step promises: from there Newton's method goes on
VARIANCES = np.exp(np.linspace(-9.0, 3.0, 13))  # of the effects of a further parent that are tried

Parameters = tuple[FloatArray, FloatArray, FloatArray]  # α (m,), β (m, q) and τ (terms,)


def approached(
    family: Categorical, Z: FloatArray, roughness: FloatArray, term: IntArray, at: Parameters
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Come near the likeliest α (m,), β (m, q) and τ (terms,) from those given; as in `laplace.fit`.

    Returns them, and how many coefficients the term of every function (q,) frees; next to none: it is switched off.
    """
    (alpha, beta, tau), gram = at, Z.T @ Z
    now = _at(family, alpha, Z @ beta.T)
    freed = np.full(Z.shape[1], np.inf)
    for _ in range(STEPS):
        precision = prior_precision(roughness, tau, term, family)
        omega, U = np.linalg.eigh(now.weight)
        scale = 1.0 / np.sqrt(precision)
        gamma, V = np.linalg.eigh(scale[:, None] * gram * scale)
        gamma, V = np.maximum(gamma, 0.0), scale[:, None] * V
        shrunk = 1.0 / (np.maximum(omega, 0.0)[:, None] * gamma + 1.0)  # (m, q)
        uphill, level = now.slope.T @ Z - precision * beta, now.slope.sum(axis=0)
        step = U @ (shrunk * (U.T @ uphill @ V)) @ V.T
        shift = np.linalg.solve(len(Z) * now.weight + 1e-9 * np.eye(len(U)), level)
        gained = float((uphill * step).sum()) + float(level @ shift)
        moved = _moved(family, Z, precision, (alpha, beta), (shift, step), now)
        if moved is None:
            break
        alpha, beta, now = moved
        variance = V**2 @ shrunk.sum(axis=0)
        after, change = smoothness(beta, variance, precision, roughness, tau, term)
        freed = np.bincount(term, len(beta) - precision * variance)[term]
        tau = np.clip(tau * (after / tau) ** FASTER, *BOUNDS)
        if change < SETTLED and gained < NEAR:
            break
    return alpha, beta, tau, freed


def _moved(
    family: Categorical, Z: FloatArray, precision: FloatArray, at: tuple[FloatArray, FloatArray],
    step: tuple[FloatArray, FloatArray], now: "At",
) -> tuple[FloatArray, FloatArray, "At"] | None:  # fmt: skip
    """Make the step, or a part of it, that raises the penalised likelihood; None if none does."""
    (alpha, beta), (shift, curves) = at, step
    before = now.value - 0.5 * float((precision * beta**2).sum())
    for size in SIZES:
        there, bent = alpha + size * shift, beta + size * curves
        trial = _at(family, there, Z @ bent.T)
        if trial.value - 0.5 * float((precision * bent**2).sum()) >= before - 1e-9:
            return there, bent, trial
    return None


class At(NamedTuple):
    """Log likelihood, its slope of every row's predictors (n, m), and the mean weight of the rows (m, m)."""

    value: float
    slope: FloatArray
    weight: FloatArray


def _at(family: Categorical, alpha: FloatArray, eta: FloatArray) -> At:
    P, C, n = family.shares(alpha, eta), family.contrasts, len(eta)
    PC = P @ C
    W = C.T @ (P.mean(axis=0)[:, None] * C) - PC.T @ PC / n
    return At(float(np.log(P[np.arange(n), family.y]).sum()), C[family.y] - PC, W)


def promised(
    family: Categorical, alpha: FloatArray, eta: FloatArray, Z: FloatArray, more: FloatArray,
    roughness: FloatArray, term: IntArray,
) -> float:  # fmt: skip
    """Return the nats that a parent's functions (n, r), of some roughness (r,) and terms (r,), add to a fit.

    To second order around predictors η (n, m) of functions Z (n, q), which are profiled. Each term has a variance of
    its own.
    """
    _, slope, W = _at(family, alpha, eta)
    omega, U = np.linalg.eigh(W)
    scaled = more / np.sqrt(roughness)
    gram, cross = scaled.T @ scaled, Z.T @ scaled
    own = Z.T @ Z
    own[np.diag_indices_from(own)] += 1e-6 * len(Z)
    gram -= cross.T @ np.linalg.solve(own, cross)
    uphill = U.T @ (slope.T @ scaled)
    nats = 0.0
    for which in np.unique(term):
        some = term == which
        gamma, V = np.linalg.eigh(gram[np.ix_(some, some)])
        values = np.maximum(omega, 0.0)[:, None] * np.maximum(gamma, 0.0)
        nats += max(float(promise((uphill[:, some] @ V) ** 2, values, VARIANCES).max()), 0.0)
    return nats
