"""The evidence through m inducing rows: O(n m^2) an evaluation instead of O(n^3).

With C (n, m) and A (m, m) the columns and the block of E (see `exact.py`) at the inducing rows,
Q = C A^-1 C' takes the place of E (the projected process). What that leaves out is measured by the
term that Titsias' bound subtracts from the evidence,

    slack = l/2 tr(E - Q),

so that loss(theta) - loss_m(theta) lies below it. To first order in E - Q the fit that is lost
and the flexibility that is not paid for cancel on data that follow the model: measured, loss_m
differs from the exact loss by a tenth of the slack (a quarter at most) while the bound differs by all of
it, and a bound pulls theta towards kernels that its rows happen to span (4 nats lost with five
parents). A projected process can flatter itself where the slack is large, though, so new rows are chosen
where theta has left what the old ones span.

K_m = I + G'G with G (k, n) the rows sqrt(l) H V, V = J C', J'J = A^-1, and the scaled main effects.
What has the length n is three products, J C', G G' and one for the gradient; B = I + G G' does the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dagscale.models.gp.exact import feature_variances
from dagscale.models.gp.optimise import Values
from dagscale.runtime import lapack
from dagscale.runtime.types import FloatArray, IntArray

JITTER = 1e-9  # added to A's diagonal of ones: below what could matter
FEW = 60  # inducing rows up to which it pays not to form all of E


@dataclass(frozen=True)
class Trial:
    """What one evaluation leaves for its derivatives."""

    w: FloatArray  # (p,)
    l: float
    c: FloatArray  # (p, b), variances of the features
    C: FloatArray  # (n, m)
    A: FloatArray  # (m, m)
    J: FloatArray  # (m, m), inverse of A's Cholesky factor
    V: FloatArray  # (m, n), J C', not centred
    G: FloatArray  # (k, n)
    LB: FloatArray  # (k, k), Cholesky factor of B
    GG: FloatArray  # (k, k), G G'
    alpha: FloatArray  # (n,)
    q: float


Choose = Callable[[FloatArray], IntArray]
Span = tuple[FloatArray, FloatArray, FloatArray, FloatArray, float]
REFUSED = Values(np.array([np.inf]), np.array([np.nan]))


class LowRank:
    """The approximate loss of one problem on numpy; the interface of `exact.Exact` with B = 1.

    Parameters
    ----------
    Z : (n, p) array
        Standardised parents.
    y : (n,) array
        Standardised child.
    F : (n, p * b) array
        Main effects of the parents, b columns each.
    choose : callable
        Returns inducing rows, (m,) ints, for a theta; asked again when theta has moved so far that the
        slack of the rows in use exceeds `most_slack`.
    most_slack : float
        Nats. A trial for which new rows have more slack still is refused.

    Attributes
    ----------
    slack : float
        Of the last trial that was not refused.
    refused : bool
        Whether a trial was, so that the search may have been kept from where it wanted to go.
    """

    def __init__(
        self, Z: FloatArray, y: FloatArray, F: FloatArray, choose: Choose, most_slack: float = 5.0
    ) -> None:
        self.Z, self.y, self.F = Z, y, F
        self.choose, self.most_slack = choose, most_slack
        self.Zm = Z[:0]
        self.refused, self.slack = False, np.inf
        self.trial: Trial

    @property
    def rank(self) -> int:
        """How many inducing rows are in use."""
        return len(self.Zm)

    def value(self, theta: FloatArray, which: IntArray) -> Values:
        """Loss at theta (1, p + 3)."""
        n, p = self.Z.shape
        exps = np.exp(theta[0])
        w, l = exps[:p], float(exps[p])
        span = self._span(w, l)
        if span is None:
            self.Zm = self.Z[self.choose(theta[0])]
            span = self._span(w, l)
        if span is None:
            self.refused = True
            return REFUSED
        C, A, J, V, self.slack = span
        c = feature_variances(w[None], exps[None, p + 1], exps[None, p + 2], self.F.shape[1] // p)[0]
        G = self._features(V, l, c)
        GG = G @ G.T
        LB = np.asfortranarray(GG + np.eye(len(G)))
        lapack.cholesky_in_place(LB)
        Gy = G @ self.y
        u = lapack.solve_factored(LB, Gy[:, None])[:, 0]
        q = float(self.y @ self.y - Gy @ u)
        self.trial = Trial(w, l, c, C, A, J, V, G, LB, GG, self.y - u @ G, q)
        loss = 0.5 * n * np.log(q / n) + np.log(LB.diagonal()).sum()
        return Values(np.array([loss]), np.array([q / n]))

    def _span(self, w: FloatArray, l: float) -> Span | None:
        """Return C, A, J, V and the slack of the rows in use; None if that is too much."""
        if len(self.Zm) == 0:
            return None
        C = cross_kernel(self.Z, self.Zm, w)
        A = cross_kernel(self.Zm, self.Zm, w)
        A.flat[:: len(A) + 1] += JITTER
        LA = A.copy(order="F")
        if not lapack.cholesky_in_place(LA):
            return None
        J = lapack.triangular_inverse(LA)
        V = J @ C.T  # (m, n)
        slack = 0.5 * l * max(len(C) - float(np.vdot(V, V)), 0.0)
        return (C, A, J, V, slack) if slack <= self.most_slack else None

    def _features(self, V: FloatArray, l: float, c: FloatArray) -> FloatArray:
        m = len(V)
        G = np.empty((m + self.F.shape[1], V.shape[1]))
        np.multiply(V - V.mean(axis=1, keepdims=True), np.sqrt(l), out=G[:m])
        np.multiply(self.F.T, np.sqrt(c.reshape(-1, 1)), out=G[m:])
        return G

    def derivatives(self, kept: IntArray) -> tuple[FloatArray, FloatArray]:
        """Gradient (1, p + 3) and curvature (1, p + 3, p + 3) at the last `value`."""
        return self._gradient()[None], self._information()[None]

    def _gradient(self) -> FloatArray:
        """d loss_m = tr(N' dC) - 1/2 tr(P'N dA) with P = C A^-1, N = l M P and M as in `exact.py`.

        K_m^-1 H P = G' B^-1[:, :m] J / sqrt(l), because sqrt(l) H V' are the first m columns of G':
        of all products only that one has the length n, those with V are blocks of G G'.
        """
        t, Z, Zm = self.trial, self.Z, self.Zm
        n, m = t.C.shape
        s, root = n / t.q, np.sqrt(t.l)
        half = lapack.triangular_inverse(t.LB)
        inverse_B = half.T @ half[:, :m]  # (k, m), the columns of B^-1 that are needed
        W = inverse_B @ t.J
        V_alpha = t.V @ t.alpha
        alpha_P = V_alpha @ t.J  # (m,)
        N = t.G.T @ (root * W)
        N -= np.multiply.outer(t.l * s * t.alpha, alpha_P)
        VN = t.GG[:m] @ W - np.multiply.outer(t.l * s * V_alpha, alpha_P)
        PN = t.J.T @ VN  # (m, m)
        N *= t.C
        PN *= t.A
        scales = -0.5 * (_moment(N, Z, Zm) - 0.5 * _moment(PN, Zm, Zm)) * t.w
        fitted = np.einsum("ij,ij->", inverse_B, t.GG[:, :m]) - s * t.l * float(V_alpha @ V_alpha)
        signal = 0.5 * fitted
        main = self._main_effect_gradient(s)
        scales += main.sum(axis=1) / (1.0 + t.w)
        return np.concatenate([scales, [signal, main[:, 0].sum(), main[:, 1:].sum()]])

    def _main_effect_gradient(self, s: float) -> FloatArray:
        """c/2 f' M f for every feature f, (p, b)."""
        t = self.trial
        GF = t.G @ self.F  # (k, p * b)
        half = lapack.solve_lower(t.LB, GF)
        per_feature = (self.F**2).sum(axis=0) - (half**2).sum(axis=0) - s * (t.alpha @ self.F) ** 2
        main: FloatArray = 0.5 * t.c * per_feature.reshape(t.c.shape)
        return main

    def _information(self) -> FloatArray:
        """Average information, as in `exact.py`, with Q in E's place."""
        t, Z, Zm = self.trial, self.Z, self.Zm
        n, p = Z.shape
        u = (t.V @ t.alpha) @ t.J  # A^-1 C' alpha
        dC_u = _scaled(t.C, Z, Zm, u)  # (n, p): (dC / dw_i) u
        inner = _scaled(t.C.T, Zm, Z, t.alpha) - _scaled(t.A, Zm, Zm, u)  # (m, p)
        scales = t.l * t.w * (dC_u + t.V.T @ (t.J @ inner))
        main = (self.F * (t.alpha @ self.F)).reshape(n, p, -1) * t.c  # (n, p, b)
        scales += main.sum(axis=2) / (1.0 + t.w)
        line, curves = main[:, :, 0].sum(axis=1), main[:, :, 1:].sum(axis=(1, 2))
        V = np.column_stack([scales, t.l * (t.C @ u), line, curves])  # (n, p + 3)
        V -= V.mean(axis=0)
        half = lapack.solve_lower(t.LB, t.G @ V)
        along = V.T @ t.alpha
        information: FloatArray = 0.5 * n / t.q * (V.T @ V - half.T @ half - np.outer(along, along) / t.q)
        return information


def cross_kernel(X: FloatArray, Y: FloatArray, w: FloatArray) -> FloatArray:
    """exp(-1/2 sum_i w_i (x_ai - y_bi)^2), (len(X), len(Y))."""
    root = np.sqrt(w)
    X, Y = X * root, Y * root
    E = X @ Y.T
    E -= 0.5 * (X * X).sum(axis=1)[:, None]
    E -= 0.5 * (Y * Y).sum(axis=1)
    return np.exp(E, out=E)


def _moment(T: FloatArray, X: FloatArray, Y: FloatArray) -> FloatArray:
    """sum_ab T_ab (x_ai - y_bi)^2 for every column i, (p,)."""
    cross = np.einsum("ai,ai->i", X, T @ Y)
    moment: FloatArray = T.sum(axis=1) @ X**2 + T.sum(axis=0) @ Y**2 - 2.0 * cross
    return moment


def _scaled(T: FloatArray, X: FloatArray, Y: FloatArray, u: FloatArray) -> FloatArray:
    """-1/2 sum_b T_ab (x_ai - y_bi)^2 u_b: dT/dw_i times u, (len(X), p)."""
    p = X.shape[1]
    R = T @ np.column_stack([u, Y * u[:, None], Y**2 * u[:, None]])
    scaled: FloatArray = -0.5 * (X**2 * R[:, :1] - 2.0 * X * R[:, 1 : p + 1] + R[:, p + 1 :])
    return scaled


def inducing_rows(Z: FloatArray, w: FloatArray, l: float, slack: float, most: int) -> tuple[IntArray, float]:
    """Choose the fewest rows, greedily, that leave l/2 tr(E - Q) at or below `slack` nats.

    Pivoted Cholesky of E, row by row while few rows do, all at once after that. Returns at most
    `most` rows and the slack they leave.
    """
    rows, left = _few_rows(Z, w, l, slack, min(most, FEW))
    return (rows, left) if left <= slack or len(rows) == most else _many_rows(Z, w, l, slack, most)


def _few_rows(Z: FloatArray, w: FloatArray, l: float, slack: float, most: int) -> tuple[IntArray, float]:
    """Pivoted Cholesky that makes only the rows of E it needs: O(n m^2), but matrix-vector products."""
    U = Z * np.sqrt(w)
    half = 0.5 * (U * U).sum(axis=1)
    n = len(U)
    L = np.empty((most, n))
    variance = np.ones(n)
    rows: list[int] = []
    while len(rows) < most and 0.5 * l * variance.sum() > slack:
        k, pivot = len(rows), int(variance.argmax())
        row = np.exp(U @ U[pivot] - half - half[pivot], out=L[k])
        row -= L[:k, pivot] @ L[:k]
        row /= np.sqrt(variance[pivot])
        variance -= row * row
        np.maximum(variance, 0.0, out=variance)
        rows.append(pivot)
    return np.array(rows, dtype=np.intp), 0.5 * l * float(variance.sum())


def _many_rows(Z: FloatArray, w: FloatArray, l: float, slack: float, most: int) -> tuple[IntArray, float]:
    E = cross_kernel(Z, Z, w).T
    n = len(E)
    L, pivots, rank = lapack.pivoted_cholesky(E, 0.2 * slack / (n * l))
    rank = min(rank, most)
    explained = np.array([np.vdot(L[k:, k], L[k:, k]) for k in range(rank)])
    left = 0.5 * l * np.maximum(n - np.cumsum(explained), 0.0)
    enough = np.flatnonzero(left <= slack)
    m = int(enough[0]) + 1 if len(enough) else rank
    return pivots[:m], float(left[m - 1])
