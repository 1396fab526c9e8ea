"""Forward additive regression: what one more parent would explain, for all candidates of a node at once.

With Q_i the orthonormal splines of column i, r the residual of a node and W an orthonormal basis of what its
parents explain, a further parent's penalised fit needs only

    c = Q_i' r,   A = Q_i'(I - WW')Q_i,   S = diag(penalty).

In the basis where A is the identity and S is diag(s), the residual sum of squares falls by
sum_m c_m^2 (1 - (1 - h_m)^2), h_m = 1 / (1 + lambda s_m), for sum_m h_m degrees of freedom. Before the first
parent A = I: nothing needs solving, and the c of all pairs of columns are one matrix product.

W is kept as coefficients over the parents' splines, never as rows: all is products of splines with splines.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Self

import numpy as np

from dagscale.models.splines.table import SplineTable
from dagscale.runtime.arrays import array_namespace, beside, on_device, to_numpy
from dagscale.runtime.types import Array, FloatArray, IntArray

GRID = np.exp(np.linspace(-6.0, 16.0, 23))  # lambda; penalties have mean 1
PADDING = 1e6  # penalty of a spline that is not there: it keeps nothing
KEPT = 0.5  # an accepted parent explains the directions of which its smooth keeps at least this


@dataclass(frozen=True)
class Blocks:
    """Every column's splines, padded with zeros to a common width w.

    Attributes
    ----------
    table : SplineTable
    penalty : (d, w) float array
    Q : (d, w, n) float array or None
        Orthonormal rows, zeros behind; None for a long table, which has its Gram matrix instead.
    gram : (d, w, d, w) float array or None
    there : (d, w, n) array or None
        Q on a device, where many products are made at once.
    """

    table: SplineTable
    penalty: FloatArray
    Q: FloatArray | None
    gram: FloatArray | None
    there: Array | None = None

    @classmethod
    def of(cls, table: SplineTable, device: str = "cpu") -> "Blocks":
        """Lay out a table's splines."""
        d = len(table.means)
        w = max(1, int(table.widths.max(initial=0)))
        penalty = np.full((d, w), PADDING)
        for i, (column, width) in enumerate(zip(table.columns, table.widths, strict=True)):
            penalty[i, :width] = column.penalty
        if table.Q is not None:
            Q = _padded(table.Q.T, table, w).reshape(d, w, table.n)
            return cls(table, penalty, Q, None, None if device == "cpu" else on_device(Q, device))
        gram = _padded(_padded(table.gram, table, w).T, table, w)
        return cls(table, penalty, None, gram.reshape(d, w, d, w))

    def products(self, children: IntArray) -> FloatArray:
        """Q_i'x_j of some columns x_j with the splines of all, as (d, w, m)."""
        d, w = self.penalty.shape
        if self.Q is not None:
            return (self.Q.reshape(d * w, -1) @ self.table.X[:, children]).reshape(d, w, len(children))
        return _padded(self.table.against(children), self.table, w).reshape(d, w, len(children))

    def products_of(self, some: IntArray, child: int) -> FloatArray:
        """Q_i'x_child of some columns i, as (k, w)."""
        if self.Q is not None:
            return self._times(some, self.table.X[:, child])
        return self.products(np.array([child]))[some, :, 0]

    def cross(self, some: IntArray, parent: int) -> FloatArray:
        """Q_i'Q_parent of some columns i, as (k, w, w)."""
        if self.Q is not None:
            return self._times(some, self.Q[parent].T)
        assert self.gram is not None
        return self.gram[some, :, parent]

    def crosses(self, some: list[IntArray], parents: list[int]) -> list[FloatArray]:
        """`cross` of several sets of columns, each with its own parent; fetched from a device at once."""
        pairs = zip(some, parents, strict=True)
        if self.there is None or not some:
            return [self.cross(columns, parent) for columns, parent in pairs]
        products = [self.there[beside(self.there, own)] @ self.there[parent].mT for own, parent in pairs]
        fetched = to_numpy(array_namespace(self.there).concat(products, axis=0))
        return np.split(fetched, np.cumsum([len(columns) for columns in some])[:-1])

    def products_of_each(self, some: list[IntArray], children: list[int]) -> list[FloatArray]:
        """`products_of` of several sets of columns, each with a child of its own."""
        if self.there is None:
            return [self.products_of(columns, child) for columns, child in zip(some, children, strict=True)]
        # a column is a multiple of its own first spline, the straight line
        crosses = zip(self.crosses(some, children), children, strict=True)
        return [cross[:, :, 0] * self.table.norms[child] for cross, child in crosses]

    def _times(self, some: IntArray, right: FloatArray) -> FloatArray:
        """Q_i right, (k, w, ...)."""
        assert self.Q is not None
        product = np.empty((len(some), self.Q.shape[1], *right.shape[1:]))
        for place, i in enumerate(some):  # taking the rows out first would cost more than the products
            np.matmul(self.Q[i], right, out=product[place])
        return product


def _padded(rows: FloatArray | None, table: SplineTable, w: int) -> FloatArray:
    """Give every column w rows (d w, m), zeros where it has fewer; no copy where none is needed."""
    assert rows is not None
    d = len(table.means)
    if len(rows) == d * w:
        return rows
    padded = np.zeros((d * w, rows.shape[1]))
    places = np.concatenate([np.arange(i * w, i * w + width) for i, width in enumerate(table.widths)])
    padded[places.astype(np.intp)] = rows
    return padded


def smooth_gains(c: Array, s: Array, rss: float | Array, free: float | Array) -> tuple[Array, Array]:
    """Best gain of each candidate over the grid of lambda: half the fall of log GCV.

    Parameters
    ----------
    c, s : (k, w) float arrays
        Products with the residual and penalty, in the basis where A = I.
    rss : float or (k,) float array
        |r|^2.
    free : float or (k,) float array
        Residual degrees of freedom before the candidate.

    Returns
    -------
    gains : (k,) float array
        1/2 log(rss / rss') + log(free' / free).
    h : (k, w) float array
        What is kept of each direction at the best lambda.
    """
    xp = array_namespace(c)
    h = 1 / (1 + beside(c, GRID)[:, None, None] * s)  # (grid, k, w)
    fall = xp.einsum("kw,gkw->gk", c**2, 1 - (1 - h) ** 2) / rss
    cost = xp.log(xp.clip(1 - h.sum(axis=2) / free, 1e-12))
    gains = cost - 0.5 * xp.log(xp.clip(1 - fall, 1e-12))
    best, rows = xp.argmax(gains, axis=0), beside(c, np.arange(len(c)))
    return gains[best, rows], h[best, rows]


class Forward:
    """The growing additive regression of one node.

    Parameters
    ----------
    blocks : Blocks
    child : int
        The node.
    candidates : (k,) int array
        Columns that may become parents.
    products : (k, w) float array, optional
        Q_i'x_child of each, where they are known.
    """

    def __init__(
        self, blocks: Blocks, child: int, candidates: IntArray, products: FloatArray | None = None
    ) -> None:
        c = blocks.products_of(candidates, child) if products is None else products
        k, w = c.shape
        self.child, self.candidates = child, candidates
        self.parents: list[int] = []
        self._blocks, self._n = blocks, blocks.table.n
        self._rss = self._total = float(blocks.table.norms[child] ** 2)
        self._c = c
        self._A = np.broadcast_to(np.eye(w), (k, w, w))
        self._shadow = np.zeros((k, w, 0))  # Q_i'W of each candidate
        self._W = np.zeros((0, w, 0))  # coefficients of W over the parents' splines (p, w, m)
        self._along = np.zeros(0)  # W'x_child

    @property
    def rss(self) -> float:
        """Residual sum of squares; a perfect fit leaves rounding noise only."""
        return max(self._rss, 1e-12 * self._total, 1e-300)

    @property
    def free(self) -> float:
        """Residual degrees of freedom."""
        return max(self._n - 1.0 - len(self._along), 1e-8)

    @property
    def beta(self) -> FloatArray:
        """Coefficients over the parents' splines (p, w) of what they explain of the node."""
        return self._W @ self._along

    def gains(self) -> FloatArray:
        """Gain of each candidate (k,), net of the degrees of freedom it spends; see `smooth_gains`."""
        return gains_of([self])[0]

    def grown(self, parent: int, cross: FloatArray, smooth: FloatArray) -> Self:
        """Return the regression with one more parent (see `add`); this one stays as it is."""
        other = copy(self)
        other.parents = self.parents.copy()
        other.add(parent, cross, smooth)
        return other

    def add(self, parent: int, cross: FloatArray | None = None, smooth: FloatArray | None = None) -> None:
        """Make a candidate a parent: project node and candidates off its smooth directions.

        `cross` are the products of the candidates' splines with the parent's, `smooth` its directions
        (`smooth_directions`), where they are known.
        """
        t = int(np.flatnonzero(self.candidates == parent)[0])
        A, shadow = self._A[t], self._shadow[t]
        # (w, m): directions Q_parent fresh, projected off W
        fresh = smooth_directions([self], [parent])[0] if smooth is None else smooth
        # what W already holds leaves rounding noise only
        fresh = fresh[:, np.einsum("wm,wv,vm->m", fresh, A, fresh) > KEPT**2]
        fresh = _orthonormal(fresh, A)
        along = self._c[t] @ fresh
        earlier = -self._W @ (shadow.T @ fresh)  # (p, w, m)
        p, w, before = self._W.shape
        W = np.zeros((p + 1, w, before + fresh.shape[1]))
        W[:p, :, :before], W[:p, :, before:], W[p, :, before:] = self._W, earlier, fresh
        self._W, self._along = W, np.concatenate([self._along, along])
        self.parents.append(parent)
        self._rss -= float(along @ along)
        cast = (self._blocks.cross(self.candidates, parent) if cross is None else cross) @ fresh
        cast -= self._shadow @ (shadow.T @ fresh)  # (k, w, m)
        self._c = self._c - cast @ along
        self._A = self._A - cast @ cast.transpose(0, 2, 1)
        self._shadow = np.concatenate([self._shadow, cast], axis=2)

    def keep(self, some: IntArray) -> None:
        """Forget all candidates but some, given by their places."""
        self.candidates, self._c = self.candidates[some], self._c[some]
        self._A, self._shadow = self._A[some], self._shadow[some]

    def widen(self, some: IntArray, c: FloatArray, crosses: Sequence[FloatArray]) -> None:
        """Take in further candidates, none of them twice: their products with the node, with every parent."""
        shadow = np.zeros((*c.shape, len(self._along)))
        for cross, W in zip(crosses, self._W, strict=True):
            shadow += cross @ W
        self.candidates = np.concatenate([self.candidates, some])
        self._c = np.concatenate([self._c, c - shadow @ self._along])
        A = np.eye(c.shape[1]) - shadow @ shadow.transpose(0, 2, 1)
        self._A = np.concatenate([self._A, A])
        self._shadow = np.concatenate([self._shadow, shadow])


def widen_all(nodes: Sequence[Forward], news: list[IntArray]) -> None:
    """Give several nodes further candidates each, all products of splines made together."""
    if not nodes:
        return
    blocks = nodes[0]._blocks
    products = blocks.products_of_each(news, [node.child for node in nodes])
    pairs = [(some, parent) for node, some in zip(nodes, news, strict=True) for parent in node.parents]
    crosses = iter(blocks.crosses([some for some, _ in pairs], [parent for _, parent in pairs]))
    for node, some, c in zip(nodes, news, products, strict=True):
        node.widen(some, c, [next(crosses) for _ in node.parents])


def smooth_directions(nodes: Sequence[Forward], parents: Sequence[int]) -> list[FloatArray]:
    """Directions (w, m) of a next parent of each node that its smooth function keeps, one call for all."""
    places = [int(np.flatnonzero(x.candidates == i)[0]) for x, i in zip(nodes, parents, strict=True)]
    A, c = (
        np.stack([getattr(node, part)[t] for node, t in zip(nodes, places, strict=True)])
        for part in ("_A", "_c")
    )
    c, s, basis = _diagonalise(A, c, nodes[0]._blocks.penalty[list(parents)])
    h = smooth_gains(c, s, np.array([node.rss for node in nodes]), np.array([node.free for node in nodes]))[1]
    return [vectors[:, kept] for vectors, kept in zip(basis, h >= KEPT, strict=True)]


def gains_of(nodes: Sequence[Forward]) -> list[FloatArray]:
    """Gains of the candidates of several nodes: one call for many small matrices."""
    sizes, blocks = [len(node.candidates) for node in nodes], nodes[0]._blocks
    there = blocks.penalty if blocks.there is None else blocks.there
    c = beside(there, np.concatenate([node._c for node in nodes]))
    s = beside(there, blocks.penalty[np.concatenate([node.candidates for node in nodes])])
    if any(node.parents for node in nodes):
        some = beside(there, np.repeat([bool(node.parents) for node in nodes], sizes))
        A = beside(there, np.concatenate([node._A for node in nodes if node.parents]))
        c[some], s[some], _ = _diagonalise(A, c[some], s[some])
    left = zip(*((node.rss, node.free) for node in nodes), strict=True)
    rss, free = (beside(there, np.repeat(np.array(part), sizes)) for part in left)
    gains = to_numpy(smooth_gains(c, s, rss, free)[0])
    return np.split(gains, np.cumsum(sizes)[:-1])


def _orthonormal(fresh: FloatArray, A: FloatArray) -> FloatArray:
    """Return directions (w, m) of the same span that are orthonormal under A, fewer where they depend."""
    gram = fresh.T @ A @ fresh
    try:
        root = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:  # together they hold what each leaves of the others: rounding noise
        values, vectors = np.linalg.eigh(gram)
        kept = values > KEPT**2
        return np.asarray(fresh @ (vectors[:, kept] / np.sqrt(values[kept])))
    return np.asarray(fresh @ np.linalg.inv(root).T)


def _diagonalise(A: Array, c: Array, penalty: Array) -> tuple[Array, Array, Array]:
    """Change to bases in which A (k, w, w) is the identity and diag(penalty), penalty (k, w), diagonal.

    Returns c (k, w) and the penalty (k, w) there, and the new basis vectors as columns (k, w, w).
    """
    xp = array_namespace(A)
    ridge = beside(A, 1e-8 * np.eye(A.shape[1]))
    try:
        factor = xp.linalg.cholesky(A + ridge)
    except (np.linalg.LinAlgError, RuntimeError):  # RuntimeError is torch's
        factor = xp.linalg.cholesky(_without_negatives(A) + ridge)
    root = xp.linalg.inv(factor)  # root A root' = I
    s, V = xp.linalg.eigh((root * penalty[:, None, :]) @ root.mT)
    basis = root.mT @ V
    return xp.einsum("kwm,kw->km", basis, c), xp.clip(s, 0), basis


def _without_negatives(A: Array) -> Array:
    """Take out of symmetric A (k, w, w) the directions of negative length, which only rounding makes.

    What a candidate holds beyond the chosen parents is found by subtraction; one that they determine holds nothing.
    """
    xp = array_namespace(A)
    values, vectors = xp.linalg.eigh(A)
    mended = (vectors * xp.clip(values, 0)[:, None, :]) @ vectors.mT
    return xp.where((values < 0).any(-1)[:, None, None], mended, A)
