"""Sets of parents that are nothing one by one, found by the alignment of their kernel with the node.

A function of many parents spreads its variance over interactions that no parent shows alone, and
fitting every set that might be one is out of reach. But where length scales are alike (`prior.py`) a set's
kernel is known before any fit, the product of one kernel a column,

    E_S(a, b) = prod_{i in S} exp(-w/2 (z_ia - z_ib)^2),

and the derivative of the evidence as this kernel joins the noise is a sum over pairs of rows,

    t(S) = sum_{a<b} (y_a y_b + 1/(n-1)) E_S(a, b) / sqrt(sum_{a<b} E_S(a, b)^2),

about standard normal when the set says nothing (1/(n-1) is what the mean took from every pair); for weak
effects t^2/2 is the evidence of the set. Each parent too many or missing costs t the same factor, for usual
scales about 0.8: half of a set shows more than any one of it, and a beam of the best sets of each size grows
into the whole. One product of matrices scores all additions to all sets of the beam.
"""

from collections.abc import Sequence

import numpy as np

from dagscale.array import array_namespace, beside, to_numpy
from dagscale.evidence.columns import Columns
from dagscale.evidence.prior import Prior
from dagscale.types import Array, FloatArray, IntArray

ROWS = 1000  # at most; fewer where more than 500 columns have kernels ...
MEMORY = 1e9  # ... that would take more bytes
WIDTH = 32  # sets of a size that are grown on; 12 miss some of eight parents, 100 find no more
MOST = 12  # parents of a set: larger ones are noise to a thousand rows
FADED = 0.6  # of the best alignment: sizes whose sets reach no more are too large
BEST = 2  # sets of each size that are returned
BLOCK = 8192  # pairs of rows at a time, so that a beam's share of them stays in a core's cache
AT_ONCE = 32  # matrices factorised together on a device

Parents = tuple[int, ...]


class Alignment:
    """Kernels of every column between all pairs of rows, and what products of them tell of a node.

    Parameters
    ----------
    columns : Columns
    prior : Prior
        Its means are the kernel's parameters.
    """

    def __init__(self, columns: Columns, prior: Prior) -> None:
        n = min(columns.n, ROWS, int((2.0 * MEMORY / 4 / columns.d) ** 0.5))
        self.n, self.weight, self.joint = n, float(np.exp(prior.scale[0])), float(np.exp(prior.joint[0]))
        self.on_cpu = columns.device == "cpu"
        self.layout = columns.ordered(range(columns.d))  # by values: permuted columns change nothing
        self.place = np.argsort(self.layout)
        self.values = columns.values[self.layout][:, :n]
        self.first, self.second = np.triu_indices(n, 1)
        self.below = columns.on_device(self.second * (n + 1) + self.first)  # in a flat (n + 1, n + 1) matrix
        self.kernels = columns.on_device(np.stack([self._kernel(z) for z in self.values]))  # (d, pairs)
        self.norms = np.array([float((kernel * kernel).sum()) for kernel in self.kernels])  # (d,)

    def _kernel(self, z: FloatArray) -> FloatArray:
        apart = z[self.first] - z[self.second]
        kernel: FloatArray = np.exp(-0.5 * self.weight * apart**2).astype(np.float32)
        return kernel

    def additions(self, node: int, parents: Parents, candidates: Sequence[int]) -> list[int]:
        """Return the candidates that are no parents, those first whose addition aligns best with a node."""
        columns = np.sort(self.place[[i for i in candidates if i not in parents]])
        gains = to_numpy(self.kernels @ (self._product(parents) * self._weights(node)))[columns]
        best = np.argsort(-gains / np.sqrt(self.norms[columns]), kind="stable")
        return [self.layout[columns[k]] for k in best]

    def sets(self, node: int, candidates: Sequence[int]) -> list[Parents]:
        """Return the sets of candidates that align best with a node, a few of each size, best first."""
        columns, weights = self.place[list(candidates)], self._weights(node)
        closed = np.ones(len(self.kernels), dtype=bool)
        closed[columns] = False
        t = np.where(closed, -np.inf, to_numpy(self.kernels @ weights) / np.sqrt(self.norms))
        best = np.argsort(-t, kind="stable")[: min(WIDTH, len(columns))]
        beam: list[Parents] = [(int(k),) for k in best]
        products, t, norms = self.kernels[best], t[best], self.norms[best]
        gains = to_numpy((products * weights) @ self.kernels.T)
        found: list[tuple[float, Parents]] = []
        peak = 0.0
        while True:
            found += [(float(t[b]), beam[b]) for b in np.argsort(-t, kind="stable")[:BEST]]
            peak = max(peak, float(t.max()))
            if len(beam[0]) == min(MOST, len(columns)) or t.max() < FADED * peak:
                break
            grown = gains / np.sqrt(norms[:, None] * self.norms)
            grown[:, closed] = -np.inf
            sources, added = _additions(beam, grown)
            beam = [tuple(sorted((*beam[b], int(k)))) for b, k in zip(sources, added, strict=True)]
            products, t, norms, gains = self._grown(products, sources, added, weights)
        found.sort(key=lambda both: -both[0])
        return [tuple(sorted(self.layout[k] for k in chosen)) for _, chosen in found]

    def _grown(
        self, products: Array, sources: IntArray, added: IntArray, weights: Array
    ) -> tuple[Array, FloatArray, FloatArray, FloatArray]:
        """Multiply sets' kernels by one more: the products, their t and norms, and sums with all columns."""
        xp = array_namespace(products)
        pairs = products.shape[1]
        grown = xp.empty((len(sources), pairs), dtype=products.dtype, device=products.device)
        t, norms, gains = np.zeros(len(sources)), np.zeros(len(sources)), 0.0
        block = BLOCK if self.on_cpu else pairs
        for first in range(0, pairs, block):
            part = slice(first, first + block)
            new = products[:, part][sources] * self.kernels[:, part][added]
            grown[:, part] = new
            norms += to_numpy((new * new).sum(axis=1))
            new = new * weights[part]
            t += to_numpy(new.sum(axis=1))
            gains = gains + to_numpy(new @ self.kernels[:, part].T)
        return grown, t / np.sqrt(norms), norms, np.asarray(gains, dtype=float)

    def evidence(self, node: int, sets: Sequence[Parents]) -> FloatArray:
        """Return the evidence of a node given each set, all parameters as usual in the table, (sets,)."""
        at_once = 1 if self.on_cpu else AT_ONCE
        parts = [self._evidence(node, sets[k : k + at_once]) for k in range(0, len(sets), at_once)]
        return np.concatenate([np.zeros(0), *parts])

    def _evidence(self, node: int, sets: Sequence[Parents]) -> FloatArray:
        xp, n = array_namespace(self.kernels), self.n
        rows = xp.arange(n, device=self.kernels.device)
        flat = xp.zeros((len(sets), (n + 1) ** 2), dtype=xp.float32, device=self.kernels.device)
        for k, chosen in enumerate(sets):
            flat[k, self.below] = self._product(chosen)
        K = xp.reshape(flat, (len(sets), n + 1, n + 1))
        E = K[:, :n, :n]
        means = (1.0 + xp.sum(E, axis=1) + xp.sum(E, axis=2)) / n  # of whole rows: half of them is stored
        E -= means[:, :, None] + (means - xp.mean(means, axis=1, keepdims=True))[:, None, :]
        E *= self.joint
        E[:, rows, rows] += 1.0 + self.joint
        K[:, n, :n] = beside(self.kernels, self.values[self.place[node]].astype(np.float32))
        K[:, n, n] = 2.0 * n
        L = xp.linalg.cholesky(K)  # reads the lower half; its last row is the factor's inverse times y
        size = to_numpy(xp.sum(L[:, n, :n] ** 2, axis=1)).astype(float) / n
        logs = to_numpy(xp.sum(xp.log(L[:, rows, rows]), axis=1)).astype(float)
        return np.asarray(-0.5 * n * np.log(size) - logs)

    def _product(self, chosen: Parents) -> Array:
        xp = array_namespace(self.kernels)
        product = xp.ones_like(self.kernels[0])
        for k in np.sort(self.place[list(chosen)]):
            product = product * self.kernels[k]
        return product

    def _weights(self, node: int) -> Array:
        y = self.values[self.place[node]]
        weights = y[self.first] * y[self.second] + 1.0 / (self.n - 1)
        return beside(self.kernels, weights.astype(np.float32))


def _additions(beam: Sequence[Parents], grown: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the best additions, sets and columns, no two of which end in the same set."""
    for b, chosen in enumerate(beam):
        grown[b, list(chosen)] = -np.inf
    steps: dict[Parents, tuple[int, int]] = {}
    for flat in np.argsort(-grown, axis=None, kind="stable"):
        b, k = divmod(int(flat), grown.shape[1])
        if len(steps) == WIDTH or not np.isfinite(grown[b, k]):
            break
        steps.setdefault(tuple(sorted((*beam[b], k))), (b, k))
    sources, added = np.array(list(steps.values()), dtype=np.intp).T
    return sources, added
