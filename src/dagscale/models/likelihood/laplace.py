"""Evidence of additive functions for children of levels and counts, by Laplace's method.

    η_k = Σ_i β_ik z_i,   β_ik ~ N(0, v) for straight lines, N(0, τ_t / s_i) for the other functions of a term t,

z (n, q) being functions of mean square 1, s their roughness as in `mean.py`, v the family's. The τ are those that
maximise the evidence. Newton's method for β sums over the rows once a step; on the quadratic likelihood that this
leaves, MacKay's updates of τ cost no rows. With Λ the diagonal of prior precisions and H Fisher's information of all
coefficients, α among them,

    gain = log p(y | α, β) - ½ β'Λβ + ½ log|Λ| - ½ log|H + Λ| - (log p(y | α₀) - ½ log|H₀|)      nats over y alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from dagscale.models.likelihood import categories
from dagscale.models.likelihood.categories import Parameters
from dagscale.models.likelihood.families import Categorical, Derivatives, Family
from dagscale.models.likelihood.smoothness import BOUNDS, prior_precision, smoothness
from dagscale.runtime.types import FloatArray, IntArray

START = 0.02  # τ, squared logits
ITERATIONS = 25
ROUNDS = 12  # of updates of τ within a step
TRUSTED = 8  # steps, at most, whose quadratic likelihood τ settles on
# of log τ: within a step, and from one step to the next where it does not settle within
SETTLED, CHANGED = 0.02, 0.1
STEEP, FLAT = 0.67, 0.2  # slopes of MacKay's moves over log τ: the first, and the least that is believed
LEAST = 1e-3  # part of a step
FULFILLED = 0.25  # of what a step promised; a quadratic brings half of it
SOLVED = 0.005  # nats that a Newton step promises
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
    idle : tuple of float
        Nats lost without the functions of each owner if the others keep their τ, to second order, where asked for.
    """

    gain: float
    left: float
    alpha: FloatArray
    beta: FloatArray
    tau: FloatArray
    family: Family
    idle: tuple[float, ...] = ()


def fit(
    family: Family, Z: FloatArray, roughness: FloatArray, term: IntArray, start: Fit | None = None,
    near: bool = False, owned: Sequence[IntArray] | None = None,
) -> Fit:  # fmt: skip
    """Fit functions Z (n, q) of mean square 1, of terms (q,) and roughness (q,), 0 for lines.

    `start` is a fit of the first functions and terms, and may be `near` the one that is looked for; `owned` are the
    places of the functions of each owner, of which it is told what they are worth.
    """
    q, m = Z.shape[1], family.predictors
    tau = np.full(int(term.max(initial=-1)) + 1, START)
    alpha, beta, null = family.start(), np.zeros((m, q)), family.alone
    if start is not None:
        family, alpha = start.family, start.alpha
        tau[: len(start.tau)], beta[:, : start.beta.shape[1]] = start.tau, start.beta
    if not isinstance(family, Categorical) or m < categories.MANY:
        return _newton(family, Z, roughness, term, null, (alpha, beta, tau), owned=owned, near=near)
    alpha, beta, tau, freed = categories.approached(family, Z, roughness, term, (alpha, beta, tau))
    used = (freed >= categories.IDLE) | (roughness <= 0)
    kept, own = np.unique(term[used], return_inverse=True)
    at = alpha, beta[:, used], tau[kept]
    if m * used.sum() > categories.WIDE:
        now = family.derivatives(alpha, Z[:, used] @ at[1].T)
        precision = prior_precision(roughness[used], at[2], own, family)
        size = _log_determinant(now, Z[:, used], precision, freed[used])
        found = _told(family, null, at, now, precision, size)
    else:
        steps = ITERATIONS if m < categories.VERY_MANY else 1
        found = _newton(family, Z[:, used], roughness[used], own, null, at, steps, near=True)
    beta, tau = np.zeros((m, q)), np.minimum(tau, START)
    beta[:, used], tau[kept] = found.beta, found.tau
    return found._replace(beta=beta, tau=tau)


def _newton(
    family: Family, Z: FloatArray, roughness: FloatArray, term: IntArray, null: Derivatives, at: Parameters,
    steps: int = ITERATIONS, owned: Sequence[IntArray] | None = None, near: bool = False,
) -> Fit:  # fmt: skip
    """Fit by Newton's method from the parameters given, which may be `near`; `null` is the child alone.

    Far from the fit the quadratic misleads τ: there, and where a step breaks its promise, τ is updated once a step.
    """
    alpha, beta, tau = at
    now = None
    for done in range(steps):
        refitted = family.fitted_to(alpha, Z @ beta.T)
        if now is None or refitted is not family:
            family, now = refitted, refitted.derivatives(alpha, Z @ beta.T)
            assert now is not None
        H, slope = _information(now, Z), np.concatenate([now.alpha, (now.eta.T @ Z).ravel()])
        for rounds in (ROUNDS, 0) if near and done < TRUSTED else (0,):
            peak = _peak(H, slope, (alpha, beta), (roughness, term, tau), family, rounds)
            moved = _step(family, Z, (alpha, beta), now, slope, peak, 1.0 if rounds else LEAST)
            if moved is not None:
                break
        alpha, beta, now, promise, near = moved or (alpha, beta, now, 0.0, False)
        after, settled = peak.tau, peak.settled
        if not rounds:
            after, change = _updated(peak, beta, roughness, term)
            settled = change < CHANGED
        if settled and promise < SOLVED:
            break
        tau = after
    assert now is not None
    size = 2.0 * float(np.log(peak.root.diagonal()).sum())
    found = _told(family, null, (alpha, beta, peak.tau), now, peak.precision, size)
    return found if owned is None else found._replace(idle=_idle(peak, beta, owned))


class _Peak(NamedTuple):
    """Where a quadratic likelihood is largest: α and β, τ, the precision (q,), H + Λ = LL', and if τ has settled."""

    at: FloatArray
    tau: FloatArray
    precision: FloatArray
    root: FloatArray
    settled: bool


def _peak(
    H: FloatArray, slope: FloatArray, at: tuple[FloatArray, FloatArray],
    smooth: tuple[FloatArray, IntArray, FloatArray], family: Family, rounds: int,
) -> _Peak:  # fmt: skip
    """Find where a likelihood of some slope and information at α and β is largest, τ updated in so many rounds."""
    (roughness, term, tau), beta, a = smooth, at[1], len(at[0])
    b = slope + H @ np.concatenate([at[0], beta.ravel()])
    before, taken, settled = np.zeros(len(tau)), np.zeros(len(tau)), False
    for done in range(rounds + 1):
        precision = prior_precision(roughness, tau, term, family)
        root = _root(_with_prior(H, precision, len(beta)))
        peak = _Peak(lapack.dpotrs(root, b, lower=1)[0], tau, precision, root, settled)
        if settled or done == rounds:
            break
        after, change = _updated(peak, peak.at[a:].reshape(beta.shape), roughness, term)
        # MacKay's moves are short: each term goes on by the secant of its last two
        move, settled = np.log(after / tau), change < SETTLED
        bend = np.divide(before - move, taken, out=np.full(len(tau), STEEP), where=taken != 0.0)
        after = np.clip(tau * np.exp(move / np.clip(bend, FLAT, 1.0)), *BOUNDS)
        before, taken, tau = move, np.log(after / tau), after
    return peak


def _updated(
    peak: _Peak, beta: FloatArray, roughness: FloatArray, term: IntArray
) -> tuple[FloatArray, float]:
    """Update τ at coefficients with the covariance of a peak; say how far it moves."""
    W = lapack.dtrtri(peak.root, lower=1)[0]
    variance = np.einsum("ij,ij->j", W, W)[len(W) - beta.size :].reshape(beta.shape).sum(axis=0)
    return smoothness(beta, variance, peak.precision, roughness, peak.tau, term)


def _root(A: FloatArray) -> FloatArray:
    """Return the Cholesky factor of a positive definite matrix that rounding may have left without one."""
    root, wrong = lapack.dpotrf(A, lower=1)
    return np.linalg.cholesky(A + RIDGE * np.trace(A) * np.eye(len(A))) if wrong else root


def _idle(peak: _Peak, beta: FloatArray, owned: Sequence[IntArray]) -> tuple[float, ...]:
    """Return the nats lost without the functions of each owner at the same τ; 0 where one has none."""
    W = lapack.dtrtri(peak.root, lower=1)[0][:, len(peak.root) - beta.size :]
    lost, flat, (m, q) = [], beta.ravel(), beta.shape
    for places in owned:
        if not len(places):
            lost.append(0.0)
            continue
        own = (np.arange(m)[:, None] * q + places).ravel()
        L = np.linalg.cholesky(W[:, own].T @ W[:, own])  # of its covariance
        alone = lapack.dtrtrs(L, flat[own], lower=1)[0]
        prior = m * np.log(peak.precision[places]).sum()
        lost.append(float(0.5 * alone @ alone + np.log(L.diagonal()).sum() + 0.5 * prior))
    return tuple(lost)


def _told(
    family: Family, null: Derivatives, at: Parameters, now: Derivatives, precision: FloatArray, size: float
) -> Fit:
    """Return the fit at parameters: derivatives and precision (q,) there, and log|H + Λ|."""
    alpha, beta, tau = at
    value = now.value - null.value - 0.5 * float((precision * beta**2).sum())
    gain = (
        value
        + 0.5 * len(beta) * float(np.log(precision).sum())
        - 0.5 * float(size - np.linalg.slogdet(null.information)[1])
    )
    return Fit(gain, _deviance_left(now.value, null.value, family), alpha, beta, tau, family)


def _log_determinant(at: Derivatives, Z: FloatArray, precision: FloatArray, freed: FloatArray) -> float:
    """Return log|H + Λ|, the information between predictors counted for those functions alone that free the most."""
    m = at.eta.shape[1]
    strong = np.argsort(-freed, kind="stable")[: categories.WIDE // m]
    columns, own = np.column_stack([np.ones(len(Z)), Z]), np.append(0, strong + 1)
    roots = (columns * np.sqrt(weight)[:, None] for weight in np.diagonal(at.weight, axis1=1, axis2=2).T)
    ridge = np.diag(np.append(RIDGE, precision))
    H = np.array([root.T @ root + ridge for root in roots])  # of each predictor
    others = np.linalg.slogdet(H)[1] - np.linalg.slogdet(H[:, own[:, None], own])[1]
    whole = _with_prior(_information(at, Z[:, strong]), precision[strong], m)
    return float(np.linalg.slogdet(whole)[1] + others.sum())


def profiled(
    plain: Fit, Z: FloatArray, roughness: FloatArray, term: IntArray, more: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return slope (m M,) and information (m M, m M) of further functions (n, M) at a fit, its own profiled out."""
    at = plain.family.derivatives(plain.alpha, Z @ plain.beta.T)
    assert at is not None
    q, both = Z.shape[1], np.hstack([Z, more])
    precision = prior_precision(roughness, plain.tau, term, plain.family)
    H = _with_prior(_information(at, both), np.append(precision, np.zeros(more.shape[1])), at.eta.shape[1])
    new = np.append(np.zeros(len(at.alpha), bool), np.tile(np.arange(both.shape[1]) >= q, at.eta.shape[1]))
    old = H[np.ix_(~new, new)]
    M = H[np.ix_(new, new)] - old.T @ np.linalg.solve(H[np.ix_(~new, ~new)], old)
    return (at.eta.T @ more).ravel(), M


def _deviance_left(value: float, alone: float, family: Family) -> float:
    """Share of the deviance that is left; a count's best possible likelihood is not 0."""
    best = family.saturated()
    return float(np.clip((best - value) / max(best - alone, 1e-300), 0.0, 1.0))


def _information(at: Derivatives, Z: FloatArray) -> FloatArray:
    """Return H, α first, then the coefficients of each predictor."""
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
    return H


def _with_prior(H: FloatArray, precision: FloatArray, m: int) -> FloatArray:
    """Return H + Λ, in LAPACK's order, of m predictors whose functions have a precision (q,)."""
    A, first = H.T.copy(order="F"), len(H) - m * len(precision)
    A.ravel(order="F")[first * (len(H) + 1) :: len(H) + 1] += np.tile(precision, m)
    return A


def _step(
    family: Family, Z: FloatArray, at: tuple[FloatArray, FloatArray], now: Derivatives, slope: FloatArray,
    peak: _Peak, least: float,
) -> tuple[FloatArray, FloatArray, Derivatives, float, bool] | None:  # fmt: skip
    """Step to the peak, halved down to the least part of it until the penalised likelihood grows; None if none grows.

    A step that may not be halved has to keep its promise. Also returns what was promised, and whether it was kept.
    """
    (alpha, beta), precision, a = at, peak.precision, len(at[0])
    way = peak.at[:a] - alpha, peak.at[a:].reshape(beta.shape) - beta
    promise = float(slope[:a] @ way[0] + ((slope[a:].reshape(beta.shape) - precision * beta) * way[1]).sum())
    value, part = now.value - 0.5 * float((precision * beta**2).sum()), 1.0
    while part >= least:
        there, curves = alpha + part * way[0], beta + part * way[1]
        trial = family.derivatives(there, Z @ curves.T)
        if trial is not None:
            more = trial.value - 0.5 * float((precision * curves**2).sum()) - value + 1e-9
            kept = part == 1.0 and more >= FULFILLED * promise
            if kept or (more >= 0.0 and least < 1.0):
                return there, curves, trial, promise, kept
        part *= 0.5
    return None


def covariance(found: Fit, Z: FloatArray, roughness: FloatArray, term: IntArray) -> FloatArray:
    """Return the posterior covariance of α and β (a + m q, a + m q) at a fit, as Laplace's method has it."""
    at = found.family.derivatives(found.alpha, Z @ found.beta.T)
    assert at is not None
    precision = prior_precision(roughness, found.tau, term, found.family)
    return np.asarray(np.linalg.inv(_with_prior(_information(at, Z), precision, len(found.beta))))
