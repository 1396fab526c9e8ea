"""The Stein estimator of the score s(x) = ∇ log p(x) and of its Jacobian (Rolland et al. 2022).

With D the squared distances between rows, s² their median, K = exp(-D / 2s²) / s, k = K 1 and
A = K + ηI, Stein's identity gives the estimates at the n rows of X

    G     = A⁻¹ (K X - k∘X) / s²                                                       score
    H     = -G² + A⁻¹ [(k∘X² - 2 X∘(K X) + K X²) / s⁴ - k / s²]                        diagonal
    H_l,j = -G_l∘G_j + A⁻¹ [(k∘X_l∘X_j - X_l∘(K X_j) - X_j∘(K X_l) + K (X_l∘X_j)) / s⁴ - [j = l] k / s²].

A⁻¹ K Y = Y - η A⁻¹ Y spares most of the products with K, so that what is computed is

    G     = (X - A⁻¹ [(k + η)∘X]) / s²
    H     = -G² + (X² + A⁻¹ [(k - η)∘X² - 2 X∘(K X)]) / s⁴ - c,                        c = (1 - η A⁻¹ 1) / s²
    H_l,j = -G_l∘G_j + (X_l∘X_j + A⁻¹ [(k - η)∘X_l∘X_j - X_l∘(K X_j) - X_j∘(K X_l)]) / s⁴ - [j = l] c

at 2n² operations a column for K X and for each of the three solves. No array is larger than (n, n)
or (n, d). All of it is invariant to the location of X, which is centred for the sake of rounding: at the
medians, since one value far from all others would take the mean, and all other rows, far from zero.

What the paper leaves open, decided here: the median is taken over the pairs of different rows (over
the pairs that differ, should most pairs be ties), and η is never below the rounding error of K,
which matters only to columns in minute units.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from dagscale.runtime.arrays import Factor, array_namespace, factorise, kth_smallest, on_device, to_numpy
from dagscale.runtime.parallel import run_in_threads
from dagscale.runtime.types import Array, FloatArray
from dagscale.runtime.workers import one_blas_thread

ROWS = 64  # rows a task of elementwise work: a block of them stays in the cache
COLUMNS = 128  # columns a task at most; the same for every n_jobs, so that the result is the same too
WORTH_A_THREAD = 2**18  # cells of an (n, n) array below which threads cost more than they spare
STALE = 1e3  # distances are computed afresh once they have shrunk so much: their rounding errors have not
TIED = 1e-9  # a distance below this share of the mean is a tie
FAR = 1e6  # squared values so many times the usual ones: their differences are taken before they are squared


@dataclass
class _Buffers:
    """The three (n, n) arrays, handed from one `Stein` to the next as columns go."""

    D: Array  # squared distances between rows
    K: Array  # kernel
    A: Array  # K + ηI, overwritten with its Cholesky factor
    mean: float = 0.0  # of D when it was last computed from X; it only falls
    fresh_median: float = 0.0  # median of D then; 0 until it is known
    dropped: float = 0.0  # largest squared value that went since then


def fit(X: FloatArray, eta: float = 0.001, device: str = "cpu", n_jobs: int | None = None) -> "Stein":
    """Prepare the estimator on X (n, d); everything is computed when first asked for.

    Parameters
    ----------
    X : (n, d) array
        Taken as it is: no scaling.
    eta : float
        Ridge η of the kernel.
    device : str
        "cpu", "cuda", or "torch" for torch on the CPU.
    n_jobs : int or None
        Threads on the CPU.
    """
    X = on_device(X - np.median(X, axis=0), device)
    xp = array_namespace(X)
    D = squared_distances(X, X, xp.empty((len(X), len(X)), dtype=X.dtype, device=X.device))
    return Stein(X, eta, n_jobs, _Buffers(D, xp.empty_like(D), xp.empty_like(D), float(D.mean())))


class Stein:
    """Score and Jacobian of log p at the rows of X, on the arrays of the device.

    `drop` hands the large buffers on: afterwards this object keeps `score` and `diagonal` if they
    were asked for, and refuses the rest.
    """

    def __init__(self, X: Array, eta: float, n_jobs: int | None, buffers: _Buffers | None) -> None:
        self.X = X  # (n, d), centred
        self.eta = eta
        self.n_jobs = n_jobs
        self._held = buffers

    @property
    def score(self) -> Array:
        """Estimate ∇ log p, (n, d)."""
        return self._estimates[0]

    @property
    def diagonal(self) -> Array:
        """Estimate ∂² log p / ∂x_j², (n, d)."""
        return self._estimates[1]

    def row(self, j: int) -> Array:
        """Estimate row j of the Jacobian, ∂² log p / ∂x_j ∂x_i for every i, (n, d)."""
        kernel, (G, _) = self._kernel, self._estimates
        KX = kernel.KX
        x, Kx, g = self.X[:, j : j + 1], KX[:, j : j + 1], G[:, j : j + 1]  # (n, 1)

        def some(columns: slice) -> tuple[Array]:
            X = self.X[:, columns]
            inside = (kernel.rowsum_minus * x - Kx) * X - x * KX[:, columns]
            return ((x * X + kernel.factor.solve(inside)) / kernel.s2**2 - g * G[:, columns],)

        row = self._by_columns(some, 1)[0]
        row[:, j : j + 1] -= kernel.constant
        return row

    def settle(self) -> None:
        """Bring the distances up to date, as asking for an estimate does.

        A run that goes on from a checkpoint skips estimates; later ones must not differ for that.
        """
        _ = self._bandwidth

    def drop(self, j: int) -> Self:
        """Return the estimator on the columns without j, its distances downdated in place."""
        buffers, self._held = self._buffers, None
        self.__dict__.pop("_kernel", None)
        x = self.X[:, j]
        X = array_namespace(x).concat([self.X[:, :j], self.X[:, j + 1 :]], axis=1)
        _subtract_squared_differences(buffers.D, x, buffers.K, self.n_jobs)
        buffers.dropped = max(buffers.dropped, float((x * x).max()))
        return type(self)(X, self.eta, self.n_jobs, buffers)

    @property
    def _buffers(self) -> _Buffers:
        if self._held is None:
            raise RuntimeError("a column was dropped from this estimate; use the one that drop returned")
        return self._held

    @cached_property
    def _bandwidth(self) -> float:
        buffers = self._buffers
        s2 = _median(buffers)
        if buffers.fresh_median > STALE * s2 or buffers.dropped > FAR * s2:
            squared_distances(self.X, self.X, buffers.D)
            buffers.mean = float(buffers.D.mean())
            s2, buffers.fresh_median, buffers.dropped = _median(buffers), 0.0, 0.0
        buffers.fresh_median = buffers.fresh_median or s2
        return s2

    @cached_property
    def _kernel(self) -> "_Kernel":
        buffers, s2 = self._buffers, self._bandwidth
        with one_blas_thread() if isinstance(self.X, np.ndarray) else nullcontext():
            return _Kernel.of(buffers, self.X, s2, self.eta, self.n_jobs)

    @cached_property
    def _estimates(self) -> tuple[Array, Array]:
        """Score and diagonal, each (n, d), by one solve."""
        kernel, xp = self._kernel, array_namespace(self.X)

        def some(columns: slice) -> tuple[Array, Array]:
            X = self.X[:, columns]
            inside = X * (kernel.rowsum_minus * X - 2 * kernel.KX[:, columns])
            solved = kernel.factor.solve(xp.concat([kernel.rowsum_plus * X, inside], axis=1))
            w = X.shape[1]
            G = (X - solved[:, :w]) / kernel.s2
            curvature = (X * X + solved[:, w:]) / kernel.s2**2
            return G, curvature - G * G - kernel.constant

        G, H = self._by_columns(some, 2)
        return G, H

    def _by_columns(self, some: Callable[[slice], tuple[Array, ...]], count: int) -> tuple[Array, ...]:
        """Return so many (n, d) arrays, of which `some` computes any columns."""
        if not isinstance(self.X, np.ndarray):
            return some(slice(None))
        arrays = tuple(np.empty_like(self.X) for _ in range(count))

        def fill(columns: slice) -> None:
            for array, part in zip(arrays, some(columns), strict=True):
                array[:, columns] = part

        n, d = self.X.shape
        run_in_threads(fill, _blocks(d, _width(d)), self.n_jobs if n * n >= WORTH_A_THREAD else 1)
        return arrays


@dataclass(frozen=True)
class _Kernel:
    """What all estimates share: the bandwidth, the factor of A = K + ηI, and K X."""

    s2: float
    factor: Factor
    KX: Array  # (n, d)
    rowsum_plus: Array  # k + η, (n, 1)
    rowsum_minus: Array  # k - η, (n, 1)
    constant: Array  # c, (n, 1)

    @classmethod
    def of(cls, buffers: _Buffers, X: Array, s2: float, eta: float, n_jobs: int | None) -> Self:
        """Fill the buffers with the kernel and its factor."""
        D, K, A = buffers.D, buffers.K, buffers.A
        xp, n, s = array_namespace(D), len(D), s2**0.5
        k = xp.empty_like(D[:, :1])

        def fill(rows: slice) -> None:
            own = K[rows]
            xp.multiply(D[rows], -0.5 / s2, out=own)
            xp.exp(own, out=own)
            own *= 1 / s
            k[rows, 0] = xp.sum(own, axis=1)
            A[rows] = own

        _in_blocks(fill, D, n, ROWS, n_jobs)
        eta = max(eta, 4 * n * float(np.finfo(np.float64).eps) / s)
        A.reshape(-1)[:: n + 1] += eta  # the diagonal
        factor, KX = _factor_and_product(A, K, X, n_jobs)
        constant = (1 - eta * factor.solve(xp.ones_like(k))) / s2
        return cls(s2, factor, KX, k + eta, k - eta, constant)


def _factor_and_product(A: Array, K: Array, X: Array, n_jobs: int | None) -> tuple[Factor, Array]:
    """Factorise A and multiply K X, side by side: LAPACK's factorisation alone keeps one core busy."""
    if not isinstance(X, np.ndarray):
        return factorise(A), K @ X
    KX, d, factors = np.empty_like(X), X.shape[1], list[Factor]()

    def work(columns: slice | None) -> None:
        if columns is None:
            factors.append(factorise(A))
        else:
            KX[:, columns] = K @ X[:, columns]

    tasks = [None, *_blocks(d, _width(d))]
    run_in_threads(work, tasks, n_jobs if K.size >= WORTH_A_THREAD else 1)
    return factors[0], KX


def _width(d: int) -> int:
    """Columns a task of matrix products: wide ones are faster, but cores want equal shares."""
    return max(32, -(-d // (2 if d <= COLUMNS else max(4, -(-d // COLUMNS)))))


def _blocks(size: int, width: int) -> list[slice]:
    return [slice(start, min(start + width, size)) for start in range(0, size, width)]


def _in_blocks(
    fill: Callable[[slice], None], array: Array, size: int, width: int, n_jobs: int | None
) -> None:
    """Call `fill` on the blocks of `size` rows or columns of an array: threads on the CPU, whole on a GPU."""
    if not isinstance(array, np.ndarray):
        fill(slice(None))
        return
    run_in_threads(fill, _blocks(size, width), n_jobs if array.size >= WORTH_A_THREAD else 1)


def squared_distances(X: Array, Y: Array, out: Array) -> Array:
    """Fill `out` (n, m) with the squared distances between the rows of X and of Y, and return it.

    By |x|² + |y|² - 2 x'y; where some rows are so far from the origin that this would be rounding alone,
    column by column from the differences. Between the rows of one array the diagonal is zero.
    """
    xp = array_namespace(X)
    squares, others = xp.sum(X * X, axis=1), xp.sum(Y * Y, axis=1)  # (n,), (m,)
    if _far_apart(squares):
        out[...] = 0
        for j in range(X.shape[1]):
            out += (X[:, j, None] - Y[None, :, j]) ** 2
        return out
    xp.matmul(X, Y.T, out=out)
    out *= -2
    out += squares[:, None]
    out += others[None, :]
    xp.maximum(out, xp.zeros_like(others), out=out)
    if X is Y:
        out.reshape(-1)[:: len(X) + 1] = 0  # the diagonal
    return out


def _far_apart(squares: Array) -> bool:
    """Say whether some rows are much farther from the origin than usual."""
    usual = float(kth_smallest(squares + 0.0, len(squares) // 2)[0])
    return float(squares.max()) > FAR * usual


def _subtract_squared_differences(D: Array, x: Array, scratch: Array, n_jobs: int | None) -> None:
    """Subtract (x_a - x_b)² from D[a, b] in place."""
    xp = array_namespace(D)

    def fill(rows: slice) -> None:
        own, squares = D[rows], scratch[rows]
        xp.subtract(x[rows, None], x[None, :], out=squares)
        squares *= squares
        own -= squares

    _in_blocks(fill, D, len(D), ROWS, n_jobs)


def _median(buffers: _Buffers) -> float:
    """Median of D over pairs of different rows; K serves as scratch on numpy.

    Sorted, D is n zeros of the diagonal and then every pair twice.
    """
    n = len(buffers.D)
    pairs = n * (n - 1) // 2
    if pairs == 0:
        return 1.0
    values = buffers.D
    if isinstance(values, np.ndarray):  # whose selection is in place
        buffers.K[...] = values
        values = buffers.K
    upper, below = kth_smallest(values.reshape(-1), n + 2 * (pairs // 2))
    median = upper if pairs % 2 else (upper + below) / 2
    if median > TIED * buffers.mean or median > (floor := TIED * float(buffers.D.mean())):
        return median
    distances = to_numpy(buffers.D)
    different = distances[distances > floor]
    return float(np.median(different)) if len(different) else 1.0
