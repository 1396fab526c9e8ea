"""Sets of parents that are nothing one by one, found by the alignment of their kernel with the node.

A function of many parents spreads its variance over interactions that no parent shows alone, and
fitting every set that might be one is out of reach. But where length scales are alike (`prior.py`) a set's
kernel is known before any fit, the product of one kernel a column,

    E_S(a, b) = prod_{i in S} exp(-w/2 (z_ia - z_ib)^2),

and the derivative of the evidence as this kernel joins the noise is a sum over pairs of rows,

    t(S) = sum_{a<b} (y_a y_b + 1/(n-1)) E_S(a, b) / sqrt(sum_{a<b} E_S(a, b)^2),

about standard normal when several parents say nothing (narrower for one or two; 1/(n-1) is what the mean
took from every pair); for weak effects t^2/2 is the evidence of the set. Each parent too many or missing
costs t the same factor, for usual scales about 0.8: half of a set shows more than any one of it, and a beam
of the best sets of each size grows into the whole. One product of matrices scores all additions to all sets
of the beam.
"""

from collections.abc import Sequence

import numpy as np

from dagscale.models.gp.columns import Columns
from dagscale.models.gp.linalg import factor
from dagscale.models.gp.prior import Prior
from dagscale.runtime.arrays import array_namespace, beside, to_numpy
from dagscale.runtime.types import Array, FloatArray, IntArray

ROWS = 1000  # at most; fewer where more than 500 columns have kernels ...
MEMORY = 1e9  # ... that would take more bytes
NEAR = 200  # columns that sets are grown from, those that align best alone: all but a few parents do
WIDTH = 32  # sets of a size that are grown on; 12 miss some of eight parents, 100 find no more
MOST = 12  # parents of a set: larger ones are noise to a thousand rows
FADED = 0.6  # of the best alignment: sets that reach no more lack several parents or have as many too many
VANISHED = 1e-30  # a kernel's squares summed: its rows are too far apart to tell anything
CONSTANT = 1e-9  # deviations: a column that is constant on the rows in use
BEST = 2  # sets of each size that are returned
BLOCK = 8192  # pairs of rows at a time, so that a beam's share of them stays in a core's cache
AT_ONCE = 32  # matrices factorised together on a device
SINGLE = 20.0  # variance of the process over that of noise, up to which single precision factorises well

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
        values = columns.values[self.layout][:, :n]
        deviation = values.std(axis=1, keepdims=True)
        self.constant = deviation[self.place, 0] <= CONSTANT
        centred = values - values.mean(axis=1, keepdims=True)
        self.targets = centred / np.maximum(deviation, CONSTANT)  # (d, n)
        self.first, self.second = np.triu_indices(n, 1)
        self.above = columns.on_device(self.first * (n + 1) + self.second)  # in a flat (n + 1, n + 1) matrix
        kernels = np.empty((columns.d, len(self.first)), dtype=np.float32)
        for z, kernel in zip(values, kernels, strict=True):
            kernel[:] = np.exp(-0.5 * self.weight * (z[self.first] - z[self.second]) ** 2)
        self.kernels = columns.on_device(kernels)  # (d, pairs)
        self.norms = np.array([float((kernel * kernel).sum()) for kernel in self.kernels])  # (d,)

    def additions(self, node: int, parents: Parents, candidates: Sequence[int]) -> list[int]:
        """Return the candidates that are no parents, those first whose addition aligns best with a node."""
        columns = np.sort(self.place[[i for i in candidates if i not in parents]])
        gains = to_numpy(self.kernels @ (self._product(parents) * self._weights(node)))[columns]
        best = np.argsort(-_ratio(gains, self.norms[columns]), kind="stable")
        return [self.layout[columns[k]] for k in best]

    def sets(self, node: int, candidates: Sequence[int]) -> list[Parents]:
        """Return the sets of candidates that align best with a node, few of each size, best first.

        Those that align much less than the best are left out, and all if none aligns.
        """
        open_to, weights = self.place[list(candidates)], self._weights(node)
        t = np.full(len(self.kernels), -np.inf)
        t[open_to] = _ratio(to_numpy(self.kernels @ weights), self.norms)[open_to]
        near = np.sort(np.argsort(-t, kind="stable")[:NEAR])
        kernels = self.kernels if len(near) == len(t) else self.kernels[near]
        beam = _Beam(kernels, weights, t[near], self.norms[near], BLOCK if self.on_cpu else len(weights))
        found: list[tuple[float, Parents]] = []
        while beam.sets:
            found += beam.best()
            if beam.size == MOST or found[-1][0] < FADED * max(found)[0]:
                break
            beam.grow()
        found.sort(key=lambda both: -both[0])
        worth = [chosen for t, chosen in found if t >= FADED * found[0][0]]
        return [tuple(sorted(self.layout[near[k]] for k in chosen)) for chosen in worth]

    def evidence(self, node: int, sets: Sequence[Parents]) -> FloatArray:
        """Return the evidence of a node given each set, all parameters as usual in the table, (sets,)."""
        at_once = 1 if self.on_cpu else AT_ONCE
        parts = [self._evidence(node, sets[k : k + at_once]) for k in range(0, len(sets), at_once)]
        return np.concatenate([np.zeros(0), *parts])

    def _evidence(self, node: int, sets: Sequence[Parents]) -> FloatArray:
        xp, n = array_namespace(self.kernels), self.n
        kind = xp.float32 if self.joint <= SINGLE else xp.float64
        rows = xp.arange(n, device=self.kernels.device)
        flat = xp.zeros((len(sets), (n + 1) ** 2), dtype=kind, device=self.kernels.device)
        for k, chosen in enumerate(sets):
            flat[k, self.above] = xp.astype(self._product(chosen), kind)
        K = xp.reshape(flat, (len(sets), n + 1, n + 1))  # its upper half; the last column is y
        E = K[:, :n, :n]
        means = (1.0 + xp.sum(E, axis=1) + xp.sum(E, axis=2)) / n  # of whole rows: half of them is stored
        E -= means[:, :, None] + (means - xp.mean(means, axis=1, keepdims=True))[:, None, :]
        E *= self.joint
        E[:, rows, rows] += 1.0 + self.joint
        K[:, :n, n] = xp.astype(beside(self.kernels, self.targets[self.place[node]]), kind)
        K[:, n, n] = 1.0 + n  # more than y' K^-1 y
        L = factor(K if self.on_cpu else K.mT)  # LAPACK reads columns; the last row becomes L^-1 y
        size = (to_numpy(L[:, n, :n]).astype(np.float64) ** 2).sum(axis=1) / n
        logs = np.log(to_numpy(L[:, rows, rows]).astype(np.float64)).sum(axis=1)
        return np.asarray(np.nan_to_num(-0.5 * n * np.log(size) - logs, nan=-np.inf))

    def _product(self, chosen: Parents) -> Array:
        xp = array_namespace(self.kernels)
        product = xp.ones_like(self.kernels[0])
        for k in np.sort(self.place[list(chosen)]):
            product = product * self.kernels[k]
        return product

    def _weights(self, node: int) -> Array:
        y = self.targets[self.place[node]]
        weights = y[self.first] * y[self.second] + 1.0 / (self.n - 1)
        return beside(self.kernels, weights.astype(np.float32))


class _Beam:
    """The best sets of one size, and what makes those of the next; columns have the places of `kernels`."""

    def __init__(self, kernels: Array, weights: Array, t: FloatArray, norms: FloatArray, block: int) -> None:
        self.kernels, self.weights, self.single, self.block = kernels, weights, norms, block
        self.closed = ~np.isfinite(t)
        best = [int(k) for k in np.argsort(-t, kind="stable")[:WIDTH] if not self.closed[k]]
        self.size, self.sets = 1, [(k,) for k in best]
        self.products, self.t, self.norms = kernels[best], t[best], norms[best]
        self.spare: Array = None
        self.sums = to_numpy((self.products * weights) @ kernels.T)  # of each set with each column

    def best(self) -> list[tuple[float, Parents]]:
        """Return t and columns of the sets that are worth a look, the best last."""
        return [(float(self.t[b]), self.sets[b]) for b in np.argsort(-self.t, kind="stable")[:BEST][::-1]]

    def grow(self) -> None:
        """Take the best sets with one column more, of all that the present ones can grow to."""
        grown = _ratio(self.sums, self.norms[:, None] * self.single)
        grown[:, self.closed] = -np.inf
        sources, added = _additions(self.sets, grown)
        self.sets = [tuple(sorted((*self.sets[b], int(k)))) for b, k in zip(sources, added, strict=True)]
        self.size += 1
        self._multiply(sources, added)

    def _multiply(self, sources: IntArray, added: IntArray) -> None:
        products, pairs = self.products, self.products.shape[1]
        self.products = self._room(len(sources))
        aligned, self.norms = self.sums[sources, added], np.zeros(len(sources))
        self.sums = np.zeros((len(sources), len(self.kernels)))
        for first in range(0, pairs, self.block):
            part = slice(first, first + self.block)
            new, kernels = self.products[:, part], self.kernels[:, part]
            for row, b, k in zip(new, sources, added, strict=True):  # gathered first, they are copied twice
                row[...] = products[b, part] * kernels[k]
            self.norms += to_numpy((new * new).sum(axis=1))  # not by vecdot: torch's loses three digits
            self.sums += to_numpy(kernels @ (new * self.weights[part]).T).T  # this way round: a third faster
        self.t, self.spare = _ratio(aligned, self.norms), products

    def _room(self, sets: int) -> Array:
        """Return memory for the products of so many sets: that of the last size but one, if it is enough."""
        if self.spare is not None and len(self.spare) >= sets:
            return self.spare[:sets]
        xp, like = array_namespace(self.products), self.products
        return xp.empty((sets, like.shape[1]), dtype=like.dtype, device=like.device)


def _ratio(sums: FloatArray, norms: FloatArray) -> FloatArray:
    """Divide sums by the roots of norms; -inf where nothing is left of a kernel."""
    return np.where(norms > VANISHED, sums / np.sqrt(np.maximum(norms, VANISHED)), -np.inf)


def _additions(sets: Sequence[Parents], grown: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the best additions, sets and columns, no two of which end in the same set."""
    for b, chosen in enumerate(sets):
        grown[b, list(chosen)] = -np.inf
    steps: dict[Parents, tuple[int, int]] = {}
    for flat in np.argsort(-grown, axis=None, kind="stable"):
        b, k = divmod(int(flat), grown.shape[1])
        if len(steps) == WIDTH or not np.isfinite(grown[b, k]):
            break
        steps.setdefault(tuple(sorted((*sets[b], k))), (b, k))
    sources, added = np.array(list(steps.values()), dtype=np.intp).reshape(-1, 2).T
    return sources, added
