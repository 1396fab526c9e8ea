"""Is an effect straight, do effects add up? F tests of blocks of spline columns, exact for Gaussian noise."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import fdtrc

from dagscale.inputs.kinds import CATEGORICAL
from dagscale.models.splines import SplineTable
from dagscale.runtime.types import FloatArray, IntArray

WIGGLES = 4  # curved columns of each parent in the test of straightness
INTERACTIONS = 3  # columns of each parent whose products are tried, fewer where there are many pairs
ROWS_PER_PRODUCT = 8  # products tried are at most so many times fewer than the rows
COPIES = 1e-6  # singular values below this share of the largest one are copies of other columns


@dataclass(frozen=True)
class Block:
    """What a block of columns adds to a regression.

    Attributes
    ----------
    gain : float
        Sum of squares explained on top.
    width : int
        Its rank.
    noise : float
        Residual variance with the block.
    free : int
        Degrees of freedom left.
    """

    gain: float
    width: int
    noise: float
    free: int

    @property
    def p_value(self) -> float:
        """Of the F test; 1 for an empty block."""
        if self.width == 0 or self.free < 1:
            return 1.0
        return float(fdtrc(self.width, self.free, self.gain / self.width / self.noise))

    @property
    def beyond_chance(self) -> float:
        """Sum of squares explained on top of what chance explains, at least 0."""
        return max(0.0, self.gain - self.width * self.noise)


def added(base: FloatArray, block: FloatArray, y: FloatArray) -> Block:
    """Regress y (n,) on an orthonormal base (n, p), then on the block's columns (n, q) as well."""
    rest = y - base @ (base.T @ y)
    fresh = block - base @ (base.T @ block)
    U, s, _ = np.linalg.svd(fresh, full_matrices=False)
    own = s > COPIES * max(float(np.linalg.norm(block)), 1e-300)
    gain = float(((U[:, own].T @ rest) ** 2).sum())
    free = len(y) - base.shape[1] - int(own.sum())
    noise = max(float(rest @ rest) - gain, 1e-12 * float(y @ y)) / max(free, 1)
    return Block(gain, int(own.sum()), noise, free)


def columns_of(table: SplineTable, parents: IntArray, widest: int) -> list[FloatArray]:
    """Return the splines of each parent (n, w), the straight line first, at most `widest` columns."""
    k = min(table.rank(len(parents)), widest + 1)
    return [table.term(int(i), k)[0] for i in parents]


def orthonormal(blocks: list[FloatArray], n: int) -> FloatArray:
    """Join blocks and the constant into one orthonormal base (n, p)."""
    base: FloatArray = np.linalg.qr(np.column_stack([np.ones(n), *blocks]))[0]
    return base


@dataclass(frozen=True)
class Curvature:
    """How much of a child's regression is not a straight line.

    Attributes
    ----------
    share : float
        Curved part of the explained variance, corrected for chance, in [0, 1].
    edges : (k,) float array
        p-value of each parent's own curvature, the other parents' held in.
    """

    share: float
    edges: FloatArray


def curvature(table: SplineTable, child: int, parents: IntArray) -> Curvature:
    """Test straight effects against ones with `WIGGLES` curved columns per parent."""
    n, y = len(table.X), table.X[:, child]
    terms = columns_of(table, parents, WIGGLES + 1)
    # effects of levels have no straight part: all of them count as the line does
    widths = [
        term.shape[1] if table.kind(int(i)) == CATEGORICAL else 1
        for i, term in zip(parents, terms, strict=True)
    ]
    lines = orthonormal([term[:, :w] for w, term in zip(widths, terms, strict=True)], n)
    block = added(lines, np.hstack([term[:, w:] for w, term in zip(widths, terms, strict=True)]), y)
    straight = float(((lines.T @ y) ** 2).sum()) - sum(widths) * block.noise
    explained = max(straight, 0.0) + block.beyond_chance
    share = block.beyond_chance / explained if explained > 0 else 0.0
    edges = np.ones(len(parents))
    for i, term in enumerate(terms):
        others = [other if k != i else other[:, : widths[i]] for k, other in enumerate(terms)]
        edges[i] = added(orthonormal(others, n), term[:, widths[i] :], y).p_value
    return Curvature(share, edges)


@dataclass(frozen=True)
class Interaction:
    """What products of parents add to an additive fit.

    Attributes
    ----------
    share : float
        Share of the child's variance they explain on top, corrected for chance, in [0, 1].
    p_value : float
    edges : (k,) float array
        p-value of the products that each parent takes part in.
    pair : (int, int)
        The two parents whose products add most.
    """

    share: float
    p_value: float
    edges: FloatArray
    pair: tuple[int, int]


def interaction(table: SplineTable, child: int, parents: IntArray) -> Interaction | None:
    """Test the additive regression against one with products of the parents' first columns.

    None with fewer than two parents, or where there are too few rows for them.
    """
    n, y = len(table.X), table.X[:, child]
    pairs = list(combinations(range(len(parents)), 2))
    fits = [w for w in range(INTERACTIONS, 0, -1) if w * w * len(pairs) <= n / ROWS_PER_PRODUCT]
    terms = columns_of(table, parents, table.k)
    if not pairs or not fits or sum(term.shape[1] for term in terms) > n / 2:
        return None
    base = orthonormal(terms, n)
    products = [_products(terms[a][:, : fits[0]], terms[b][:, : fits[0]]) for a, b in pairs]
    block = added(base, np.hstack(products), y)
    share = min(1.0, block.beyond_chance / max(float(y @ y), 1e-300))
    alone = [added(base, product, y).gain for product in products]
    best = pairs[int(np.argmax(alone))]
    edges = np.ones(len(parents))
    for i in range(len(parents)):
        with_it = np.hstack([product for pair, product in zip(pairs, products, strict=True) if i in pair])
        edges[i] = added(base, with_it, y).p_value
    return Interaction(share, block.p_value, edges, (int(parents[best[0]]), int(parents[best[1]])))


def _products(A: FloatArray, B: FloatArray) -> FloatArray:
    n = len(A)
    products = (A[:, :, None] * B[:, None, :]).reshape(n, -1) * np.sqrt(n)  # (n, a, b) -> (n, ab)
    centred: FloatArray = products - products.mean(axis=0)
    return centred
