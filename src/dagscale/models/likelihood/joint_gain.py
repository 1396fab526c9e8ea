"""Interactions: a joint Gaussian process of all parents beside their additive curves.

    m(x) = Σ_i f_i(x_i) + h(x),   h ~ GP(0, exp(-|x - x'|² / 2 ℓ²)),   x the parents in standard deviations,

by the Nyström features of m rows, Φ = K_nm K_mm^{-1/2}, whose coefficients share one variance. So the whole mean
stays a Gaussian linear model (`mean.py`), and additive functions, lines and interactions compete in one evidence.
ℓ is the same for all items of a table; the one is taken that tells most of a graph found before.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack

from dagscale.inputs.kinds import CATEGORICAL, COUNT
from dagscale.models.gain import Item
from dagscale.models.likelihood import mean, spread
from dagscale.models.likelihood.columns import Scale
from dagscale.models.likelihood.density import shape_evidence
from dagscale.models.likelihood.discrete import LEADING
from dagscale.models.likelihood.spline_gain import NOISELESS, Noises, SplineGain, Told, remembered, told_of
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import FloatArray

_Kernel = tuple[FloatArray, Any]
INDUCING = 100  # rows
ROUGHLY = 15.0  # nats by which what parents' curves are worth misjudges those of levels with interactions
JITTER = 1e-6
RATIOS = np.linspace(-5.0, 5.0, 6)  # log variance of h over that of the noise
TOGETHER = 32  # items whose noise is looked at as one stack
APART = 1.5  # standard deviations between two levels of a category
FARTHEST = 4.0  # standard deviations at which parents are cut in h


class _Fitted(NamedTuple):
    """One item: nats with normal noise, residuals over their spread, means (n,), share of variance left.

    And the place in `RATIOS` near which the likeliest ratio lies, and the log spread.
    """

    gain: float
    z: FloatArray
    fitted: FloatArray
    left: float
    place: int
    log_spread: FloatArray | None = None


class JointGain:
    """Additive splines and a joint process for the mean of two parents or more; one parent has splines alone.

    Parameters
    ----------
    additive : SplineGain
        Knows the items without interactions, and whether a spread that follows the parents competes.
    length : float
        ℓ.
    counts : float
        How many standard deviations of h a standard deviation of a count is.
    """

    def __init__(self, additive: SplineGain, length: float = 1.0, counts: float = 1.0) -> None:
        self.additive, self.length, self.scale, self.counts = additive, length, additive.scale, counts
        self.basis, self.n = additive.basis, additive.n
        self.told: dict[Item, Told] = {}
        self.noises: Noises = {}
        self.standard, self.own = standard_scores(self.scale, counts)
        self.inducing = np.random.default_rng(0).permutation(self.n)[:INDUCING]

    def on(self, scale: Scale) -> "JointGain":
        """Return the same likelihood on another scale; what is known of children that it leaves as they are stays."""
        found = self.beside(self.additive.on(scale))
        found.told.update(told_of(self.told, self.scale.shared(scale)))
        return found

    def beside(self, additive: SplineGain) -> "JointGain":
        """Return the same process beside other curves."""
        return JointGain(additive, self.length, self.counts)

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats of each item."""
        self.additive(items)
        new = [item for item in dict.fromkeys(items) if item not in self.told]
        levelled = [item for item in new if self._fills(item) and item[0] in self.additive.discrete]
        self.told.update((item, self._levels(item)) for item in levelled)
        new = [item for item in new if item not in self.told]
        many = [item for item in new if self._fills(item) and self.additive.told[item].tau is not None]
        self.told.update((item, self.additive.told[item]) for item in set(new) - set(many))
        stacks = [many[first : first + TOGETHER] for first in range(0, len(many), TOGETHER)]
        for some, told in zip(
            stacks, parallel_map(self._several, stacks, self.additive.n_jobs, local=True), strict=True
        ):
            self.told.update(zip(some, told, strict=True))
        return np.array([self.told[item].nats for item in items])

    def noise(self, item: Item) -> FloatArray:
        """Noise of an item over its spread (n,)."""
        self([item])
        if self.told[item].joint and item[0] in self.additive.discrete:
            return self.additive.discrete.residuals(item, self._features, (self.length, self.counts))
        return self.noise_and_spread(item)[0] if self.told[item].joint else self.additive.noise(item)

    def log_probability(self, item: Item) -> FloatArray:
        """Log probability of a child of few values, row by row (n,), up to a constant of the child's."""
        self([item])
        if self.told[item].joint:
            return self.additive.discrete.log_probability(item, self._features, (self.length, self.counts))
        return self.additive.log_probability(item)

    def noise_and_spread(self, item: Item) -> tuple[FloatArray, FloatArray]:
        """Noise of an item over its spread, and the logarithm of that spread (n,) each; NaN of few values."""
        self([item])
        if not self.told[item].joint or item[0] in self.additive.discrete:
            return self.additive.noise_and_spread(item)
        return remembered(self.noises, item, self._noise)

    def _noise(self, item: Item) -> tuple[FloatArray, FloatArray]:
        process = self._kernel(item[1])
        fitted = self._weighted(item, process)
        if self.told[item].uneven:
            fitted = self._uneven(item, process, fitted) or fitted
        return fitted.z, np.zeros(self.n) if fitted.log_spread is None else fitted.log_spread

    def _fills(self, item: Item) -> bool:
        """Say whether h has something to add: several parents, or a count whose effect changes unit by unit."""
        parents = item[1]
        return len(parents) > 1 or (self.counts > 1 and any(self.scale.kind(i) == COUNT for i in parents))

    def _levels(self, item: Item) -> Told:
        """Nats of a child of levels or counts: curves, and curves with interactions, averaged."""
        plain = self.additive.told[item]
        nats, left = self.additive.discrete.interacting(item, self._features, (self.length, self.counts))
        mixed = float(np.logaddexp(nats, plain.nats) - np.log(2.0))
        if nats <= plain.nats:
            return replace(plain, nats=mixed)
        return replace(plain, nats=mixed, left=left, joint=True, doubt=ROUGHLY)

    def _features(self, parents: tuple[int, ...]) -> FloatArray:
        """Return the leading features of h over all rows (n, LEADING), the most telling of K_nm K_mm^{-1/2}."""
        K, root = self._kernel(parents)
        values, vectors = np.linalg.eigh(root @ root.T)
        leading = slice(None, -LEADING - 1, -1)
        return np.asarray(((vectors[:, leading] / np.sqrt(values[leading])).T @ K).T)

    def _several(self, items: list[Item]) -> list[Told]:
        fits: list[_Fitted] = []
        uneven: list[tuple[int, _Fitted]] = []
        for k, item in enumerate(items):
            process = self._kernel(item[1])
            fits.append(self._weighted(item, process))
            other = self._uneven(item, process, fits[k]) if self.additive.uneven else None
            uneven += [] if other is None else [(k, other)]
        nats, *more = np.split(self._shaped(items, fits, uneven), [len(items)])
        for (k, one), value in zip(uneven, np.concatenate(more), strict=True):
            if value > nats[k]:
                fits[k], nats[k] = one, np.logaddexp(value, nats[k]) - np.log(2.0)
        told = []
        for item, v, one in zip(items, nats, fits, strict=True):
            plain = self.additive.told[item]
            mixed = float(np.logaddexp(v, plain.nats) - np.log(2.0))
            told.append(
                Told(mixed, one.log_spread is not None, one.left, True, plain.idle)
                if v > plain.nats
                else replace(plain, nats=mixed)
            )
        return told

    def _shaped(
        self, items: list[Item], fits: list[_Fitted], uneven: list[tuple[int, _Fitted]]
    ) -> FloatArray:
        """Nats of all fits, the density of their noise counted."""
        every = [*zip(items, fits, strict=True), *((items[k], one) for k, one in uneven)]
        nats = np.array([one.gain for _, one in every]) + self.scale.offset[[item[0] for item, _ in every]]
        nats -= [self.basis.price[list(item[1])].sum() for item, _ in every]
        return nats + (shape_evidence(np.stack([one.z for _, one in every])) if self.additive.shaped else 0.0)

    def _uneven(self, item: Item, process: _Kernel, even: _Fitted) -> _Fitted | None:
        """Fit a spread by the parents, if it promises something; None if not, or if it loses."""
        places = self.basis.places(np.array([item[1]]))
        features, gram = self.additive.spread_features(places), self.additive.spread_gram(places)
        if spread.promised(even.z[None], features, gram)[0] <= 0 or even.left < NOISELESS:
            return None
        now, c, y, F = even, None, self.additive.children[item[0]], spread.Features.of(features, gram)
        for _ in range(spread.ROUNDS):
            c, s, occam = spread.scored((y - now.fitted)[None], F, c)
            now = self._weighted(item, process, s[0], now.place)
        gain = now.gain - float(occam[0])
        return now._replace(gain=gain) if gain > even.gain else None

    def _weighted(
        self, item: Item, process: _Kernel, s: FloatArray | None = None, place: int = len(RATIOS) // 2
    ) -> _Fitted:
        """Fit one item whose noise has the log spread s (n,), constant if None; K and root are its `_kernel`.

        The curves keep the smoothness τ they have without h, and the lines their variance. With A = QQ' + D⁻¹
        theirs, h adds to the evidence what S = Φ(I - Q'A⁻¹Q)Φ' + I / ratio and c = Φ(y - Q'A⁻¹Qy) tell;
        only S depends on the ratio of h's variance to the noise's, which is looked for from a place of `RATIOS`.
        """
        (j, parents), (K, root), n = item, process, self.n
        raw, alone = self.additive.children[j], self.additive.told[item]
        assert alone.tau is not None
        Q = self.basis.functions[self.basis.places(np.array([parents]))[0]]
        rough, smooth = self.basis.roughness[list(parents)].ravel(), np.repeat(alone.tau, self.basis.width)
        D = np.where(rough <= 0, n / alone.left, n * smooth / np.where(rough <= 0, 1.0, rough))
        y, w = raw, np.ones(n) if s is None else np.exp(-s)
        if s is not None:
            Q, D = np.vstack([Q, np.full(n, n**-0.5)]) * w, np.append(D, n)
            K, y = K * w, y * w
        A = np.linalg.cholesky(Q @ Q.T + np.diag(1.0 / D))
        b, cross = Q @ y, _solved(root, K @ Q.T)  # ΦQ'
        half = _solved(A, np.column_stack([b, cross.T]))
        c = _solved(root, K @ y) - half[:, 1:].T @ half[:, 0]
        M = _whitened(K @ K.T, root) - half[:, 1:].T @ half[:, 1:]
        yy = float(y @ y)
        start = yy - float(half[:, 0] @ half[:, 0])
        gain, joint, place = _likeliest(M, c, start, yy, n, place)
        beta = _solved(A, half[:, 0] - half[:, 1:] @ joint, 0)
        fitted = (beta @ Q + _solved(root, joint, 0) @ K) / w
        gain += -np.log(A.diagonal()).sum() - 0.5 * np.log(D).sum()
        if s is not None:
            gain += 0.5 * np.log(n) - 0.5 * n * np.log(yy / float(raw @ raw)) - float(s.sum())
        left = float(np.var(raw - fitted) / np.var(raw))
        return _Fitted(float(gain), (raw - fitted) * w, fitted, left, place, s)

    def _kernel(self, parents: tuple[int, ...]) -> _Kernel:
        """Return the kernel of the inducing rows with all, centred (m, n), and the former's Cholesky factor."""
        x = self.standard[:, [k for i in parents for k in self.own[i]]] / self.length
        ones, square = np.ones((self.n, 1)), 0.5 * (x**2).sum(axis=1, keepdims=True)
        here, there = np.hstack([x, ones, -square]), np.hstack([x, -square, ones])
        K = here[self.inducing] @ there.T  # x'z - |x|²/2 - |z|²/2
        np.exp(K, out=K)
        root = np.linalg.cholesky(K[:, self.inducing] + JITTER * len(K) * np.eye(len(K)))
        K -= K.mean(axis=1, keepdims=True)
        return K, root


def standard_scores(scale: Scale, counts: float = 1.0) -> tuple[FloatArray, list[list[int]]]:
    """Coordinates of the parents in the process, and which of them each column owns.

    Numbers in standard deviations, counts `counts` times as far apart; the levels of categories at the corners of
    a simplex, `APART` from each other.
    """
    parents = scale.parents
    deviation = parents.std(axis=0)
    standard = (parents - parents.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    standard = np.clip(standard, -FARTHEST, FARTHEST)
    standard[:, [i for i, kind in enumerate(scale.kinds) if kind == COUNT]] *= counts
    own = [[i] for i in range(parents.shape[1])]
    for i in (i for i, kind in enumerate(scale.kinds) if kind == CATEGORICAL):
        levels = scale.levels[i]
        assert levels is not None
        corners = np.eye(int(levels.max()) + 1)[levels] * (APART / np.sqrt(2.0))
        own[i] = list(range(standard.shape[1], standard.shape[1] + corners.shape[1]))
        standard = np.hstack([standard, corners])
    return standard, own


def _solved(L: Any, B: Any, trans: int = 1) -> FloatArray:
    """Solve L X = B, or L'X = B where `trans` is 0; without scipy's checks, which take as long as small systems."""
    # the upper triangle of the transpose: no copy
    return np.asarray(lapack.dtrtrs(L.T, B, lower=0, trans=trans)[0])


def _whitened(gram: FloatArray, root: FloatArray) -> FloatArray:
    white = _solved(root, _solved(root, gram).T)
    return (white + white.T) / 2.0


def _likeliest(
    M: FloatArray, c: FloatArray, start: float, yy: float, n: int, place: int
) -> tuple[float, FloatArray, int]:
    """Nats at the likeliest ratio of variances, (M + I / ratio)⁻¹ c there, and the nearest place of `RATIOS`.

    It is climbed to on the grid from a place, and refined by a parabola.
    """
    diagonal, found = np.arange(len(M)), dict[int, tuple[float, FloatArray, FloatArray]]()

    def nats(log_ratio: float) -> tuple[float, FloatArray, FloatArray]:
        L = M.copy()  # LAPACK's upper triangle of the transpose is the lower one here
        L[diagonal, diagonal] += np.exp(-log_ratio)
        lapack.dpotrf(L.T, lower=0, clean=0, overwrite_a=1)
        half = _solved(L, c)
        left = max(start - float(half @ half), mean.EXACT * yy)
        told = -0.5 * n * np.log(left / yy) - np.log(L[diagonal, diagonal]).sum() - 0.5 * len(M) * log_ratio
        return float(told), L, half

    def told(k: int) -> float:
        if not 0 <= k < len(RATIOS):
            return -np.inf
        if k not in found:
            found[k] = nats(RATIOS[k])
        return found[k][0]

    while (better := max((place, place - 1, place + 1), key=told)) != place:
        place = better
    best = found[place]
    if 0 < place < len(RATIOS) - 1:
        low, mid, high = (told(k) for k in (place - 1, place, place + 1))
        away = 0.5 * (low - high) / (low - 2.0 * mid + high) * (RATIOS[1] - RATIOS[0])
        best = max(best, nats(RATIOS[place] + away), key=lambda one: one[0])
    return best[0], _solved(*best[1:], trans=0), place
