"""The smoothing parameters of an additive model, one per term, by Newton's method on GCV or REML.

Everything is a function of the normal equations G = Z'Z, b = Z'y, y'y: with S_j the diagonal penalty of
term j, W_j = lambda_j S_j, W = sum_j W_j and P = (G + W)^-1, the fit is beta = P b, its hat trace tr(PG), and

    GCV   n D / (n - 1 - tr PG)^2,                    D = |y - Z beta|^2
    REML  (n - m) log(y'y - b'beta) + log|G + W| - sum_j rank(S_j) log lambda_j,   m unpenalised columns.

Both are minimised over rho_j = log lambda_j. Since the W_j are diagonal, every first and second derivative is
a sum over blocks of an elementwise product of P, M = PGP = P - PWP and vectors: one Cholesky factor, one
inverse and one product of (q, q) matrices per step, whatever the number of terms.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg

from dagscale.types import BoolArray, FloatArray, IntArray

RIDGE = 1e-9  # G has a unit diagonal; this keeps exact copies of a column from breaking the Cholesky
RHO_RANGE = 16.0  # exp(16) times the mean penalty leaves about 1e-4 degrees of freedom of wiggles
GRID = np.linspace(-RHO_RANGE, RHO_RANGE, 33)
STRAIGHT = 0.3  # with fewer degrees of freedom of wiggles than this, downhill leads to a straight line
MAX_STEP = 5.0
TOLERANCE = 1e-7  # of the gradient of the logarithm of the criterion
MAX_ITERATIONS = 60


@dataclass(frozen=True)
class NormalEquations:
    """One node's additive regression, reduced to cross products (y and all columns centred).

    Attributes
    ----------
    G : (q, q) float array
        Gram matrix of the terms' columns, identity on each term's own block.
    b : (q,) float array
        Products of the columns with y.
    yy : float
        Sum of squares of y.
    n : int
        Rows.
    penalty : (q,) float array
        Diagonal penalty of each column.
    starts : (p,) int array
        First column of each term.
    """

    G: FloatArray
    b: FloatArray
    yy: float
    n: int
    penalty: FloatArray
    starts: IntArray

    @property
    def widths(self) -> IntArray:
        """Columns of each term (p,)."""
        return np.diff(self.starts, append=len(self.b))


@dataclass(frozen=True)
class Solution:
    """The penalised fit at given smoothing parameters.

    Attributes
    ----------
    rho : (p,) float array
        log lambda of each term.
    weights : (q,) float array
        Diagonal of W.
    P : (q, q) float array
        (G + W)^-1; times the noise variance, the posterior covariance of beta.
    beta : (q,) float array
        Coefficients.
    deviance : float
        Residual sum of squares.
    trace : float
        Degrees of freedom of the fit, the constant included.
    log_determinant : float
        log|G + W|.
    """

    rho: FloatArray
    weights: FloatArray
    P: FloatArray
    beta: FloatArray
    deviance: float
    trace: float
    log_determinant: float

    @cached_property
    def M(self) -> FloatArray:
        """P G P = P - P W P (q, q)."""
        root = self.P * np.sqrt(self.weights)
        return self.P - root @ root.T

    @cached_property
    def leverage(self) -> FloatArray:
        """Diagonal of F = PG = I - PW (q,): what each coefficient keeps of its unpenalised self."""
        return 1 - self.P.diagonal() * self.weights


def solve(equations: NormalEquations, rho: FloatArray) -> Solution:
    """Fit at the smoothing parameters exp(rho)."""
    weights = np.repeat(np.exp(rho), equations.widths) * equations.penalty
    A = equations.G.copy()
    A[np.diag_indices_from(A)] += weights + RIDGE
    factor, failed = scipy.linalg.lapack.dpotrf(A.T, lower=1, overwrite_a=1)  # A.T: no copy to Fortran order
    if failed:
        raise np.linalg.LinAlgError("the additive model's normal equations are not positive definite")
    log_determinant = 2 * float(np.log(factor.diagonal()).sum())
    half = np.tril(scipy.linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)[0])
    P = half + half.T
    P[np.diag_indices_from(P)] /= 2
    beta = P @ equations.b
    # y'y - 2 b'beta + beta'G beta, with G beta = b - W beta, W with its ridge
    deviance = equations.yy - float(beta @ equations.b) - float(beta**2 @ (weights + RIDGE))
    trace = 1 + len(beta) - float(P.diagonal() @ weights)
    floor = 1e-12 * equations.yy  # a perfect fit leaves rounding noise only
    return Solution(rho, weights, P, beta, max(deviance, floor), trace, log_determinant)


def _block_sums(equations: NormalEquations, matrix: FloatArray) -> FloatArray:
    rows = np.add.reduceat(matrix, equations.starts, axis=0)
    blocks: FloatArray = np.add.reduceat(rows, equations.starts, axis=1)
    return blocks


def gcv(equations: NormalEquations, s: Solution) -> float:
    """Return log GCV, constants left out."""
    return float(np.log(s.deviance) - 2 * np.log(equations.n - s.trace))


def gcv_derivatives(equations: NormalEquations, s: Solution) -> tuple[FloatArray, FloatArray]:
    """Gradient (p,) and Hessian (p, p) of log GCV over rho.

    With u = W beta and v = P u: dD/drho_j = 2 v_j'u_j and d tr(PG)/drho_j = -tr_j(W M).
    """
    u = s.weights * s.beta
    v = s.P @ u
    wv = s.weights * v
    dD = 2 * np.add.reduceat(u * v, equations.starts)
    dT = -np.add.reduceat(s.weights * s.M.diagonal(), equations.starts)
    crossed = _block_sums(equations, u[:, None] * s.P * wv)
    d2D = 2 * (_block_sums(equations, u[:, None] * s.M * u) - crossed - crossed.T) + np.diag(dD)
    d2T = 2 * _block_sums(equations, s.weights[:, None] * (s.P * s.M) * s.weights) + np.diag(dT)
    D, free = s.deviance, equations.n - s.trace
    gradient = dD / D + 2 * dT / free
    hessian = d2D / D - np.outer(dD, dD) / D**2 + 2 * d2T / free + 2 * np.outer(dT, dT) / free**2
    return gradient, hessian


def reml(equations: NormalEquations, s: Solution) -> float:
    """Return -2 log restricted likelihood per row, the noise variance profiled out, constants left out."""
    penalised = np.add.reduceat(equations.penalty > 0, equations.starts, dtype=np.float64)
    free = equations.n - 1 - len(s.beta) + penalised.sum()
    energy = s.deviance + float(s.beta**2 @ s.weights)
    return float(free * np.log(energy) + s.log_determinant - penalised @ s.rho) / equations.n


def reml_derivatives(equations: NormalEquations, s: Solution) -> tuple[FloatArray, FloatArray]:
    """Gradient (p,) and Hessian (p, p) of `reml` over rho."""
    penalised = np.add.reduceat(equations.penalty > 0, equations.starts, dtype=np.float64)
    free = equations.n - 1 - len(s.beta) + penalised.sum()
    energy = s.deviance + float(s.beta**2 @ s.weights)
    u = s.weights * s.beta
    dE = np.add.reduceat(u * s.beta, equations.starts)
    dL = np.add.reduceat(s.weights * s.P.diagonal(), equations.starts)
    d2E = np.diag(dE) - 2 * _block_sums(equations, u[:, None] * s.P * u)
    d2L = np.diag(dL) - _block_sums(equations, s.weights[:, None] * s.P**2 * s.weights)
    gradient = free * dE / energy + dL - penalised
    hessian = free * (d2E / energy - np.outer(dE, dE) / energy**2) + d2L
    return gradient / equations.n, hessian / equations.n


CRITERIA = {"gcv": (gcv, gcv_derivatives), "reml": (reml, reml_derivatives)}


def smooth(equations: NormalEquations, criterion: str = "gcv") -> Solution:
    """Minimise the criterion over all smoothing parameters and return the fit there."""
    value, derivatives = CRITERIA[criterion]
    wiggly = np.add.reduceat(equations.penalty, equations.starts) > 0
    # lambda = 1 / mean penalty leaves about half of the wiggles' degrees of freedom
    current = solve(equations, np.zeros(len(equations.starts)))
    if not wiggly.any():
        return current
    current = solve(equations, _grid_start(equations, current))
    score = value(equations, current)
    for _ in range(MAX_ITERATIONS):
        gradient, hessian = derivatives(equations, current)
        bounded = (np.abs(current.rho) >= RHO_RANGE) & (gradient * current.rho <= 0)
        free = wiggly & ~bounded
        if np.abs(gradient[free]).max(initial=0.0) < TOLERANCE:
            break
        for step in _steps(equations, current, gradient, hessian, free):
            trial = solve(equations, np.clip(current.rho + step, -RHO_RANGE, RHO_RANGE))
            trial_score = value(equations, trial)
            if trial_score < score:
                break
        else:
            break
        current, score = trial, trial_score
    return current


def _grid_start(equations: NormalEquations, s: Solution) -> FloatArray:
    """Each term's rho by a grid search of GCV, the other terms held; (p,).

    GCV often has several minima and Newton's method ends in the next one, so that the start decides. Among
    the minima of the grid that are as good as the best, n log GCV differing by less than 1, the least smooth
    one is taken: a test of too many degrees of freedom only loses power, one of too few rejects too often.
    """
    products = (1 + s.weights) * s.beta  # Q_j'(y - the other terms), as Q_j'(y - fit) = W_j beta
    others = s.deviance + np.add.reduceat(products**2 - (products - s.beta) ** 2, equations.starts)
    hat = 1 / (1 + np.exp(GRID)[:, None] * equations.penalty)  # (grid, q)
    left = others - np.add.reduceat(products**2 * (1 - (1 - hat) ** 2), equations.starts, axis=1)
    own = np.add.reduceat(s.leverage, equations.starts)
    free = equations.n - s.trace + own - np.add.reduceat(hat, equations.starts, axis=1)
    criterion = np.log(np.maximum(left, 1e-300)) - 2 * np.log(np.maximum(free, 1e-300))  # (grid, p)
    walled = np.pad(criterion, ((1, 1), (0, 0)), constant_values=np.inf)
    lowest = (criterion <= walled[:-2]) & (criterion <= walled[2:])
    good = lowest & (criterion <= criterion.min(axis=0) + 1 / equations.n)
    best: FloatArray = GRID[good.argmax(axis=0)]
    return best


def _steps(
    equations: NormalEquations, s: Solution, gradient: FloatArray, hessian: FloatArray, free: BoolArray
) -> Iterator[FloatArray]:
    """Propose steps, the boldest first: Newton's with nearly straight terms made straight, then halves of it.

    Near a straight line the criterion is linear in exp(-rho), and Newton's method would walk there one unit
    of rho at a time. Where the curvature is negative, a step of three times its length goes downhill.
    """
    step = np.zeros_like(gradient)
    values, vectors = np.linalg.eigh(hessian[np.ix_(free, free)])
    curvature = np.maximum(np.where(values > 0, values, -values / 3), 1e-12)
    move = -vectors @ ((vectors.T @ gradient[free]) / curvature)
    step[free] = move * min(1.0, MAX_STEP / max(np.abs(move).max(), 1e-300))
    wiggles = np.add.reduceat(s.leverage * (equations.penalty > 0), equations.starts)
    straighten = free & (wiggles < STRAIGHT) & (gradient < 0) & (hessian.diagonal() < -1.5 * gradient)
    if straighten.any():
        yield np.where(straighten, RHO_RANGE - s.rho, step)
    for halvings in range(30):
        yield step / 2**halvings
