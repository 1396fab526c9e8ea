"""Penalised fits of an additive model, and what GCV and REML say of their smoothing parameters, one per term.

Everything is a function of the normal equations G = Z'Z, b = Z'y, y'y: with S_j the diagonal penalty of
term j, W_j = lambda_j S_j, W = sum_j W_j and P = (G + W)^-1, the fit is beta = P b, its hat trace tr(PG), and

    GCV   n D / (n - 1 - tr PG)^2,                    D = |y - Z beta|^2
    REML  (n - m) log(y'y - b'beta) + log|G + W| - sum_j rank(S_j) log lambda_j,   m unpenalised columns.

Both are functions of rho_j = log lambda_j, which `minimum` minimises. Since the W_j are diagonal, every first
and second derivative is a sum over blocks of an elementwise product of P, M = PGP = P - PWP and vectors: one
Cholesky factor, one inverse and one product of (q, q) matrices per step, whatever the number of terms.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg

from dagscale.runtime.types import BoolArray, FloatArray, IntArray

RIDGE = 1e-9  # G has a unit diagonal; this keeps exact copies of a column from breaking the Cholesky


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

    @cached_property
    def widths(self) -> IntArray:
        """Columns of each term (p,)."""
        return np.diff(self.starts, append=len(self.b))

    def straightened(self, terms: BoolArray) -> "NormalEquations":
        """Return the regression in which some terms (p,) are straight lines."""
        kept = ~np.repeat(terms, self.widths)
        kept[self.starts] = True
        starts = np.cumsum(np.add.reduceat(kept, self.starts, dtype=np.intp))
        G = self.G[np.ix_(kept, kept)]
        return NormalEquations(
            G, self.b[kept], self.yy, self.n, self.penalty[kept], np.append(0, starts[:-1])
        )


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
    A.reshape(-1)[:: len(A) + 1] += weights + RIDGE
    factor, failed = scipy.linalg.lapack.dpotrf(A.T, lower=1, overwrite_a=1)  # A.T: no copy to Fortran order
    if failed:
        raise np.linalg.LinAlgError("the additive model's normal equations are not positive definite")
    log_determinant = 2 * float(np.log(factor.diagonal()).sum())
    # zero above the diagonal, as factor is
    half = scipy.linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    P = np.add(half, half.T, order="C")
    P.reshape(-1)[:: len(P) + 1] /= 2
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


def gcv_gradient(equations: NormalEquations, s: Solution) -> FloatArray:
    """Gradient (p,) of log GCV over rho, as `gcv_derivatives` has it but without a product of matrices."""
    u = s.weights * s.beta
    dD = 2 * np.add.reduceat(u * (s.P @ u), equations.starts)
    M = s.P.diagonal() - np.square(s.P) @ s.weights
    dT = -np.add.reduceat(s.weights * M, equations.starts)
    gradient: FloatArray = dD / s.deviance + 2 * dT / (equations.n - s.trace)
    return gradient


def gcv_derivatives(equations: NormalEquations, s: Solution) -> tuple[FloatArray, FloatArray]:
    """Gradient (p,) and Hessian (p, p) of log GCV over rho.

    With u = W beta and v = P u: dD/drho_j = 2 v_j'u_j and d tr(PG)/drho_j = -tr_j(W M).
    """
    starts, w = equations.starts, s.weights[:, None]
    u = s.weights * s.beta
    v = s.P @ u
    PU = np.add.reduceat(s.P * u, starts, axis=1)  # (q, p): P u_j
    dD = 2 * np.add.reduceat(u * v, starts)
    dT = -np.add.reduceat(s.weights * s.M.diagonal(), starts)
    crossed = np.add.reduceat((s.weights * v)[:, None] * PU, starts, axis=0)
    own = np.add.reduceat(u[:, None] * PU, starts, axis=0) - PU.T @ (w * PU)  # u_j'M u_k
    d2D = 2 * (own - crossed - crossed.T) + np.diag(dD)
    d2T = 2 * _block_sums(equations, w * s.P * s.M * s.weights) + np.diag(dT)
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
