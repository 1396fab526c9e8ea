"""p-values of smooth terms: Wood (2013, Biometrika 100), what mgcv's `summary(gam)$s.pv` reports.

A term's coefficients beta_j have posterior covariance V = sigma^2 P_jj = sum_i v_i u_i u_i'. The Wald
statistic beta' V^- beta uses a pseudo-inverse of fractional rank r, the term's degrees of freedom
tr_j(2F - FF), F = PG: with k = floor(r) and nu = r - k, the k - 1 leading directions are inverted, and the
next two share the remaining 1 + nu degrees through [[1, rho], [rho, nu]], rho^2 = nu (1 - nu) / 2. The sign
of rho depends on the arbitrary signs of u_k and u_{k+1}: the p-value is the mean over both. Under the null
the statistic is chi2_{k-1} + a chi2_1 + b chi2_1, with a and b the eigenvalues of that matrix, over
chi2_m / m for the estimated noise variance.

Deviations from mgcv: sigma^2 is the residual sum of squares over m = n - tr(2F - FF), which is unbiased;
mgcv's divisor n - tr(F) makes the variance a little too small, and it rejects a little more true nulls (the
numbers are in docs/paper.md). And the tail is integrated to full relative accuracy, where mgcv's Davies
algorithm stops at an absolute 2e-5.
"""

import numpy as np
from scipy.special import betainc, betaln, gammaln

from dagscale.models.splines.smoothing import NormalEquations, Solution
from dagscale.runtime.types import FloatArray

_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(48)
_MIXTURE = np.arange(1, 16)  # (1 - 1/a)^16 < 1e-12, since a <= (1 + sqrt 2) / 2


def term_p_values(equations: NormalEquations, s: Solution, free: float | None = None) -> FloatArray:
    """Test every term of a fit against the zero function; (p,).

    `free` are the residual degrees of freedom, by default those of `residual_df`.
    """
    edf1 = reference_edf(equations, s)
    free = residual_df(equations, s) if free is None else free
    scale = s.deviance / free
    ranks, statistics = np.minimum(edf1, equations.widths), np.empty((len(edf1), 2))
    for width in np.unique(equations.widths):
        terms = np.flatnonzero(equations.widths == width)
        columns = equations.starts[terms, None] + np.arange(width)  # (t, w)
        V = s.P[columns[:, :, None], columns[:, None]] * scale
        statistics[terms] = wald(s.beta[columns], V, ranks[terms])
    return tail(statistics, ranks, max(1, round(free)))


def reference_edf(equations: NormalEquations, s: Solution) -> FloatArray:
    """Effective degrees of freedom tr_j(2F - FF) of every term, the rank its test uses; (p,)."""
    squared = (s.M * equations.G).sum(axis=1)  # diagonal of FF
    edf1: FloatArray = np.add.reduceat(2 * s.leverage - squared, equations.starts)
    return np.maximum(edf1, 1.0)  # the straight line is never penalised


def residual_df(equations: NormalEquations, s: Solution) -> float:
    """n - tr(2F - FF), the expectation of the residual sum of squares in units of the noise variance."""
    return max(equations.n - 1 - float(reference_edf(equations, s).sum()), 1e-8)


def wald(beta: FloatArray, V: FloatArray, ranks: FloatArray) -> FloatArray:
    """beta' V^- beta of several terms, for pseudo-inverses of fractional rank, under both signs of rho.

    Parameters
    ----------
    beta : (t, w) float array
    V : (t, w, w) float array
    ranks : (t,) float array
        Between 1 and w.

    Returns
    -------
    (t, 2) float array
    """
    values, vectors = np.linalg.eigh(V)
    z = (vectors.mT @ beta[..., None])[..., 0] / np.sqrt(np.maximum(values, 1e-15 * values[:, -1:]))
    z = np.pad(z[:, ::-1], ((0, 0), (0, 1)))  # the largest first; at full rank nothing follows
    k = ranks.astype(np.intp)[:, None]
    nu = ranks[:, None] - k
    last, next_ = np.take_along_axis(z, k - 1, axis=1), np.take_along_axis(z, k, axis=1)
    whole = np.take_along_axis((z**2).cumsum(axis=1), k - 1, axis=1) + nu * next_**2
    shared = 2 * np.sqrt(nu * (1 - nu) / 2) * last * next_
    return np.concatenate([whole + shared, whole - shared], axis=1)


def tail(statistics: FloatArray, ranks: FloatArray, free: int) -> FloatArray:
    """P(chi2_{k-1} + a chi2_1 + b chi2_1 > t chi2_m / m), m = `free`, mean over the statistics t of a row.

    Parameters
    ----------
    statistics : (p, r) float array
        t; the r values of a row belong to one term.
    ranks : (p,) float array
        At least 1.
    free : int
        m.
    """
    t = np.maximum(statistics, 1e-12)[..., None]  # (p, r, 1)
    k = np.floor(ranks)[:, None, None]
    nu = ranks[:, None, None] - k
    spread = np.sqrt((1 + nu) * (1 - nu))
    a, b = (1 + nu + spread) / 2, np.maximum((1 + nu - spread) / 2, 1e-300)
    # With Z^2 = R B, chi2_m = R (1 - B), R ~ chi2_{m+1} and B ~ Beta(1/2, m/2) independent, the event is
    # (chi2_{k-1} + a chi2_1) / R > t (1 - B) / m - b B = (t / m) cos^2(angle), for B = top sin^2(angle).
    top = t / (t + b * free)
    widest = np.arcsin(np.sqrt(np.minimum(1.0, 90.0 / (free * top))))  # beyond, B has no mass
    angle = widest * (1 + _NODES) / 2  # (p, r, nodes)
    inside = top * np.sin(angle) ** 2
    density = 2 * np.sqrt(top) * np.cos(angle) * (1 - inside) ** (free / 2 - 1)
    density *= np.exp(-betaln(0.5, free / 2)) * widest / 2 * _NODE_WEIGHTS
    ratio = t / free * np.cos(angle) ** 2
    above = (density * _leading_tail(ratio, k, a, free + 1)).sum(axis=-1)
    beyond = betainc(free / 2, 0.5, 1 - top[..., 0])
    p_values: FloatArray = (above + beyond).mean(axis=1)
    return np.minimum(p_values, 1.0)


def _leading_tail(ratio: FloatArray, k: FloatArray, a: FloatArray, m: int) -> FloatArray:
    """P((chi2_{k-1} + a chi2_1) / chi2_m > ratio), as the mixture of chi2_{k+2i} that a chi2_1 is."""
    x, q = 1 / (1 + ratio), k / 2
    # mixture weights a^-1/2 (1/2)_i / i! (1 - 1/a)^i; P(chi2_{2q+2i} / chi2_m > ratio) grows with i by
    # x^{m/2} (1-x)^{q+i} / ((q + i) B(m/2, q + i)), and is weighted by what remains of the mixture
    i = _MIXTURE
    weights = np.exp(gammaln(i + 0.5) - gammaln(0.5) - gammaln(i + 1.0)) * (1 - 1 / a) ** i / np.sqrt(a)
    remaining = weights[..., ::-1].cumsum(axis=-1)[..., ::-1]  # (p, 1, terms): P(index >= i)
    result: FloatArray = betainc(m / 2, q, x)
    increment = x ** (m / 2) * (1 - x) ** q / (q * np.exp(betaln(m / 2, q)))
    for step in range(len(i)):
        result = result + remaining[..., step, None] * increment
        grown = q + step
        increment = increment * (1 - x) * (m / 2 + grown) / (grown + 1)
    return result
