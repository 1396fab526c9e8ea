"""Evidence of additive functions for children of levels and counts, by Laplace's method.

    η_k = Σ_i β_ik z_i,   β_ik ~ N(0, v) for straight lines, N(0, τ_t / s_i) for the other functions of a term t,

z (n, q) being functions of mean square 1, s their roughness as in `mean.py`, v the family's. The τ are those that
maximise the evidence, found along with Newton's method for β by MacKay's updates. With Λ the diagonal of prior
precisions and H Fisher's information of all coefficients, α among them,

    gain = log p(y | α, β) - ½ β'Λβ + ½ log|Λ| - ½ log|H + Λ| - (log p(y | α₀) - ½ log|H₀|)      nats over y alone.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from dagscale.models.likelihood import categories
from dagscale.models.likelihood.categories import Parameters
from dagscale.models.likelihood.families import Categorical, Derivatives, Family
from dagscale.models.likelihood.smoothness import prior_precision, smoothness
from dagscale.runtime.types import FloatArray, IntArray

START = 0.02  # τ, squared logits
ITERATIONS = 25
SOLVED = 0.02  # nats that a Newton step promises
RIDGE = 1e-8


class Fit(NamedTuple):
    """One fitted item.

    Attributes
    ----------
    gain : float
        Nats over the child alone.
    left : float
        Share of the deviance.
    alpha, beta : (a,) and (m, q) float arrays
    tau : (terms,) float array
    family : Family
        With what else was fitted.
    """

    gain: float
    left: float
    alpha: FloatArray
    beta: FloatArray
    tau: FloatArray
    family: Family


def fit(
    family: Family, Z: FloatArray, roughness: FloatArray, term: IntArray, start: Fit | None = None
) -> Fit:
    """Fit functions Z (n, q) of mean square 1, of terms (q,) and roughness (q,), 0 for lines.

    `start` is a fit of the first functions and terms.
    """
    q, m = Z.shape[1], family.predictors
    tau = np.full(int(term.max(initial=-1)) + 1, START)
    alpha, beta, null = family.start(), np.zeros((m, q)), family.alone
    if start is not None:
        family, alpha = start.family, start.alpha
        tau[: len(start.tau)], beta[:, : start.beta.shape[1]] = start.tau, start.beta
    if not isinstance(family, Categorical) or m < categories.MANY:
        return _newton(family, Z, roughness, term, null, (alpha, beta, tau))
    alpha, beta, tau, freed = categories.approached(family, Z, roughness, term, (alpha, beta, tau))
    used = (freed >= categories.IDLE) | (roughness <= 0)
    kept, own = np.unique(term[used], return_inverse=True)
    at = alpha, beta[:, used], tau[kept]
    if m * used.sum() > categories.WIDE:
        now = family.derivatives(alpha, Z[:, used] @ at[1].T)
        assert now is not None
        found = _told(family, Z[:, used], roughness[used], own, null, at, now, freed[used])
    else:
        steps = ITERATIONS if m < categories.VERY_MANY else 1
        found = _newton(family, Z[:, used], roughness[used], own, null, at, steps)
    beta, tau = np.zeros((m, q)), np.minimum(tau, START)
    beta[:, used], tau[kept] = found.beta, found.tau
    return found._replace(beta=beta, tau=tau)


def _newton(
    family: Family, Z: FloatArray, roughness: FloatArray, term: IntArray, null: Derivatives, at: Parameters,
    steps: int = ITERATIONS,
) -> Fit:  # fmt: skip
    """Fit by Newton's method from the parameters given; `null` is the child alone."""
    alpha, beta, tau = at
    m, q = beta.shape
    now = family.derivatives(alpha, Z @ beta.T)
    assert now is not None
    settled = False
    for _ in range(steps):
        precision = prior_precision(roughness, tau, term, family)
        P = _inverse(now, Z, precision)
        alpha, beta, moved, promise = _step(family, Z, alpha, beta, now, P, precision)
        refitted = family.fitted_to(alpha, Z @ beta.T)
        now = moved if refitted is family else refitted.derivatives(alpha, Z @ beta.T) or moved
        family = refitted
        if promise < SOLVED and settled:
            break
        variance = P.diagonal()[len(P) - m * q :].reshape(m, q).sum(axis=0)
        tau, settled = smoothness(beta, variance, precision, roughness, tau, term)
    return _told(family, Z, roughness, term, null, (alpha, beta, tau), now)


def _told(
    family: Family, Z: FloatArray, roughness: FloatArray, term: IntArray, null: Derivatives, at: Parameters,
    now: Derivatives, freed: FloatArray | None = None,
) -> Fit:  # fmt: skip
    """Return the fit at parameters, `now` being the derivatives there.

    `freed` (q,) says which functions matter most where coefficients are many.
    """
    alpha, beta, tau = at
    precision = prior_precision(roughness, tau, term, family)
    most = categories.WIDE // len(beta)
    if freed is None or len(freed) <= most:
        size = np.linalg.slogdet(_whole(now, Z, precision))[1]
    else:
        size = _log_determinant(now, Z, precision, np.argsort(-freed, kind="stable")[:most])
    value = now.value - null.value - 0.5 * float((precision * beta**2).sum())
    gain = (
        value
        + 0.5 * len(beta) * float(np.log(precision).sum())
        - 0.5 * float(size - np.linalg.slogdet(null.information)[1])
    )
    return Fit(gain, _deviance_left(now.value, null.value, family), alpha, beta, tau, family)


def _log_determinant(at: Derivatives, Z: FloatArray, precision: FloatArray, strong: IntArray) -> float:
    """Return log|H + Λ| with the information between predictors counted for the strong functions alone."""
    columns, own = np.column_stack([np.ones(len(Z)), Z]), np.append(0, strong + 1)
    roots = (columns * np.sqrt(weight)[:, None] for weight in np.diagonal(at.weight, axis1=1, axis2=2).T)
    ridge = np.diag(np.append(RIDGE, precision))
    H = np.array([root.T @ root + ridge for root in roots])  # of each predictor
    others = np.linalg.slogdet(H)[1] - np.linalg.slogdet(H[:, own[:, None], own])[1]
    return float(np.linalg.slogdet(_whole(at, Z[:, strong], precision[strong]))[1] + others.sum())


def profiled(
    plain: Fit, Z: FloatArray, roughness: FloatArray, term: IntArray, more: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return slope (m M,) and information (m M, m M) of further functions (n, M) at a fit, its own profiled out."""
    at = plain.family.derivatives(plain.alpha, Z @ plain.beta.T)
    assert at is not None
    q, both = Z.shape[1], np.hstack([Z, more])
    precision = prior_precision(roughness, plain.tau, term, plain.family)
    H = _whole(at, both, np.append(precision, np.zeros(more.shape[1])))
    new = np.append(np.zeros(len(at.alpha), bool), np.tile(np.arange(both.shape[1]) >= q, at.eta.shape[1]))
    old = H[np.ix_(~new, new)]
    M = H[np.ix_(new, new)] - old.T @ np.linalg.solve(H[np.ix_(~new, ~new)], old)
    return (at.eta.T @ more).ravel(), M


def _deviance_left(value: float, alone: float, family: Family) -> float:
    """Share of the deviance that is left; a count's best possible likelihood is not 0."""
    best = family.saturated()
    return float(np.clip((best - value) / max(best - alone, 1e-300), 0.0, 1.0))


def _whole(at: Derivatives, Z: FloatArray, precision: FloatArray) -> FloatArray:
    """Return H + Λ, α first, then the coefficients of each predictor."""
    q, a, m = Z.shape[1], len(at.alpha), at.eta.shape[1]
    H, by_row = np.empty((a + m * q,) * 2), np.ascontiguousarray(Z.T)
    H[:a, :a] = at.information + RIDGE * np.eye(a)
    for k in range(m):
        own = slice(a + k * q, a + (k + 1) * q)
        H[:a, own] = at.across[:, :, k] @ Z
        H[own, :a] = H[:a, own].T
        for other in range(k + 1):
            if k == other:  # the product of a matrix with itself is half the work
                root = by_row * np.sqrt(at.weight[:, k, k])
                H[own, own] = root @ root.T
                continue
            block = (by_row * at.weight[:, k, other]) @ Z
            there = slice(a + other * q, a + (other + 1) * q)
            H[own, there] = block
            H[there, own] = block.T
    diagonal = np.arange(a, len(H))
    H[diagonal, diagonal] += np.tile(precision, m)
    return H


def _inverse(at: Derivatives, Z: FloatArray, precision: FloatArray) -> FloatArray:
    """Return the lower triangle of (H + Λ)⁻¹; what is above it is not to be read."""
    H = _whole(at, Z, precision)
    root, wrong = lapack.dpotrf(H, lower=1)
    if wrong:
        return np.asarray(np.linalg.inv(H))
    return np.asarray(lapack.dpotri(root, lower=1)[0])


def _step(
    family: Family, Z: FloatArray, alpha: FloatArray, beta: FloatArray, now: Derivatives, P: FloatArray,
    precision: FloatArray,
) -> tuple[FloatArray, FloatArray, Derivatives, float]:  # fmt: skip
    """Make a step of Newton's method, halved until the penalised likelihood grows; return what it had promised."""
    slope = np.concatenate([now.alpha, (now.eta.T @ Z - precision * beta).ravel()])
    step = blas.dsymv(1.0, P, slope, lower=1)
    promise = float(slope @ step)
    value = now.value - 0.5 * float((precision * beta**2).sum())
    size, a = 1.0, len(alpha)
    while size > 1e-3:
        there, curves = alpha + size * step[:a], beta + size * step[a:].reshape(beta.shape)
        trial = family.derivatives(there, Z @ curves.T)
        if trial is not None and trial.value - 0.5 * float((precision * curves**2).sum()) >= value - 1e-9:
            return there, curves, trial, promise
        size *= 0.5
    return alpha, beta, now, 0.0


def covariance(found: Fit, Z: FloatArray, roughness: FloatArray, term: IntArray) -> FloatArray:
    """Return the posterior covariance of α and β (a + m q, a + m q) at a fit, as Laplace's method has it."""
    at = found.family.derivatives(found.alpha, Z @ found.beta.T)
    assert at is not None
    lower = np.tril(_inverse(at, Z, prior_precision(roughness, found.tau, term, found.family)))
    return np.asarray(lower + np.tril(lower, -1).T)
