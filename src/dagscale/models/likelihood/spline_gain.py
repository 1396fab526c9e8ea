"""`Gain`: nats of children given parents over the children alone, in the coordinates of the data.

    gain(j, S) = log p(x_j | S) - log p(x_j),   both densities of free shape.

p(x_j | S) is put together from a mean (`mean.py`), a spread (`spread.py`), and the shape of what is left
(`density.py`), on one scale (`columns.py`). A constant spread and one by the parents have equal odds, and their
densities are averaged: what a spread does not earn it does not get.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

import numpy as np

from dagscale.models.gain import Item
from dagscale.models.likelihood import mean, spread
from dagscale.models.likelihood.basis import Basis
from dagscale.models.likelihood.columns import Scale
from dagscale.models.likelihood.density import shape_evidence
from dagscale.models.likelihood.discrete import DiscreteChildren
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

TOGETHER = 32  # items fitted as one stack
FEW = 8  # of them where rows are weighted: their functions fit into the cache
CLOSELY = 5.0  # nats by which parents of levels and counts are worth less at most than the fit with them says
NOISELESS = 1e-6  # share of the variance that is rounding: it has no spread
NOISES = 500  # items whose noise is remembered (8 MB at 1000 rows)
GRAM = 2000  # functions of all columns up to which their Gram matrix is kept (32 MB)


@dataclass(frozen=True)
class Told:
    """What was found of one item.

    Attributes
    ----------
    nats : float
        Over the child alone.
    uneven : bool
        Whether a spread that follows the parents is likelier than a constant one.
    left : float
        Share of the child's variance that the mean leaves; of levels and counts, share of the deviance.
    joint : bool
        Whether interactions of the parents tell more than their curves.
    idle : tuple of float
        Nats that each parent's curve is worth at most with normal noise, where known: tells whom to try to leave out.
    doubt : float
        Nats by which a parent may be worth less than that; of levels and counts, to what those of real tables were.
    tau : (p,) float array, optional
        Smoothness of each parent's curve.
    """

    nats: float
    uneven: bool = False
    left: float = 1.0
    joint: bool = False
    idle: tuple[float, ...] = ()
    doubt: float = np.inf
    tau: FloatArray | None = field(default=None, compare=False)


Noises = dict[Item, tuple[FloatArray, FloatArray]]  # noise and log spread (n,) of items
_Tried = tuple[int, float, FloatArray]  # item, nats with normal noise, noise


class SplineGain:
    """Additive splines for the mean, and a spread; each item fitted once and remembered.

    Parameters
    ----------
    scale : Scale
    uneven : bool
        Whether a spread that follows the parents competes with a constant one, the additive noise model.
    discrete : DiscreteChildren, optional
        Of the same parents, where there is one: children of levels and counts do not depend on the spreads.
    n_jobs : int or None
        Threads that stacks of items are shared among.
    """

    def __init__(
        self,
        scale: Scale,
        uneven: bool = False,
        shaped: bool = True,
        discrete: DiscreteChildren | None = None,
        n_jobs: int | None = 1,
        basis: Basis | None = None,
    ) -> None:
        self.scale, self.uneven, self.shaped, self.n_jobs = scale, uneven, shaped, n_jobs
        self.n, self.d = scale.children.shape
        self.basis = basis or scale.basis
        self.discrete = discrete or DiscreteChildren(scale, self.basis)
        self.children = np.ascontiguousarray(scale.children.T)
        self.squares = np.einsum("nd,nd->d", scale.children, scale.children)
        self.told: dict[Item, Told] = {(j, ()): Told(0.0) for j in range(self.d)}
        self.noises: Noises = {}

    def with_uneven(self) -> "SplineGain":
        """Return the same with a spread that follows the parents in competition."""
        return SplineGain(self.scale, True, self.shaped, self.discrete, self.n_jobs, self.basis)

    def on(self, scale: Scale) -> "SplineGain":
        """Return the same likelihood on another scale; what is known of children that it leaves as they are stays."""
        discrete, basis = self.discrete, self.basis
        if scale.parents is not self.scale.parents or scale.rank != self.scale.rank:
            basis = scale.basis
            # the same table, no rows or columns more, and functions alike
            same = scale.levels is self.scale.levels and scale.rank == self.scale.rank
            discrete = DiscreteChildren(scale, basis, self.discrete if same else None)
        found = SplineGain(scale, self.uneven, self.shaped, discrete, self.n_jobs, basis)
        found.told.update(told_of(self.told, self.scale.shared(scale)))
        return found

    @cached_property
    def products(self) -> FloatArray:
        """Products of all functions with all children (d w, d)."""
        return self.basis.functions @ self.children.T

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats of each item."""
        new: list[Item] = []
        for item in dict.fromkeys(items):
            if item in self.told:
                continue
            if self.squares[item[0]] <= 0:  # a constant: nothing is told of it
                self.told[item] = Told(-np.inf)
            elif item[0] in self.discrete:
                nats, left, idle = self.discrete.additive(item)
                self.told[item] = Told(nats, left=left, idle=idle, doubt=CLOSELY)
            else:
                new.append(item)
        new.sort(key=lambda item: len(item[1]))
        stacks = [new[first : first + TOGETHER] for first in range(0, len(new), TOGETHER)]
        for some, told in zip(
            stacks, parallel_map(self._fitted, stacks, self.n_jobs, local=True), strict=True
        ):
            self.told.update(zip(some, told, strict=True))
        return np.array([self.told[item].nats for item in items])

    def log_probability(self, item: Item) -> FloatArray:
        """Log probability of a child of few values, row by row (n,), up to a constant of the child's."""
        return self.discrete.log_probability(item)

    def noise(self, item: Item) -> FloatArray:
        """Noise of an item over its spread (n,); NaN without parents.

        Of few values, levels and counts, randomised quantile residuals.
        """
        if not item[1]:
            return np.full(self.n, np.nan)
        if item[0] in self.discrete:
            return self.discrete.residuals(item)
        return self.noise_and_spread(item)[0]

    def noise_and_spread(self, item: Item) -> tuple[FloatArray, FloatArray]:
        """Noise of an item over its spread, and the logarithm of that spread (n,) each; NaN of a child of few values.

        Of a child without parents, its own values.
        """
        if self.scale.levels[item[0]] is not None:
            return np.full(self.n, np.nan), np.zeros(self.n)
        if not item[1]:
            return self.children[item[0]], np.zeros(self.n)
        return remembered(self.noises, item, self._noise)

    def _noise(self, item: Item) -> tuple[FloatArray, FloatArray]:
        self([item])
        means = self._means([item])
        if not self.told[item].uneven:
            return means.noise[0], np.zeros(self.n)
        F = spread.Features.of(self.spread_features(means.places), self.spread_gram(means.places))
        uneven = self._uneven(means, np.array([0]), F)
        return uneven.z[0], uneven.log_spread[0]

    def _fitted(self, items: list[Item]) -> list[Told]:
        """Fit items, in order of their number of parents: means and spreads of those with as many together.

        The densities of noise do not depend on the number of parents: all are fitted together.
        """
        groups = [self._means(list(same)) for _, same in groupby(items, key=lambda item: len(item[1]))]
        nats = np.concatenate([means.fit.gain for means in groups])
        nats += self._shape(np.concatenate([means.noise for means in groups]))
        uneven, first = np.zeros(len(items), dtype=bool), 0
        tried: list[_Tried] = []
        for means in groups if self.uneven else ():
            tried += [(first + k, gain, z) for k, gain, z in self._promising(means)]
            first += len(means.noise)
        if tried:
            which, gains, noises = zip(*tried, strict=True)
            for k, more in zip(which, np.array(gains) + self._shape(np.stack(noises)), strict=True):
                if more > nats[k]:
                    nats[k], uneven[k] = np.logaddexp(nats[k], more) - np.log(2.0), True
        children = [j for j, _ in items]
        nats += self.scale.offset[children]
        nats -= [self.basis.price[list(parents)].sum() for _, parents in items]
        fits = [
            one for means in groups for one in zip(means.fit.left, means.fit.idle, means.fit.tau, strict=True)
        ]
        return [
            Told(float(v), bool(own), float(left), idle=tuple(idle.tolist()), tau=tau)
            for v, own, (left, idle, tau) in zip(nats, uneven, fits, strict=True)
        ]

    def _shape(self, noise: FloatArray) -> FloatArray:
        return shape_evidence(noise) if self.shaped else np.zeros(len(noise))

    def _means(self, items: list[Item]) -> "_Means":
        """Fit the means of items with as many parents each."""
        children, parents = np.array([j for j, _ in items]), np.array([S for _, S in items])
        places = self.basis.places(parents)
        term = np.repeat(np.arange(parents.shape[1]), self.basis.width)
        rough = self.basis.roughness[parents].reshape(len(items), -1)
        found = mean.fit(*self.equations(children, places), self.squares[children], self.n, rough, term)
        noise = self.children[children] - self._fitted_values(places, found.beta)
        return _Means(children, places, term, rough, found, noise)

    def equations(self, children: IntArray, places: IntArray) -> tuple[FloatArray, FloatArray]:
        """Products of the functions of sets of parents (B, q, q), and of them with the children (B, q)."""
        if len(self.basis.functions) <= GRAM:
            gram = self.basis.gram[places[:, :, None], places[:, None, :]]
            return gram, self.products[places, children[:, None]]
        Z = self.basis.functions[places]  # (B, q, n)
        return Z @ Z.mT, np.matmul(Z, self.children[children][..., None])[..., 0]

    def _fitted_values(self, places: IntArray, beta: FloatArray) -> FloatArray:
        """Means (B, n) with coefficients (B, q) of the functions."""
        if len(self.basis.functions) > GRAM:
            return np.asarray(np.matmul(beta[:, None], self.basis.functions[places])[:, 0])
        every = np.zeros((len(places), len(self.basis.functions)))
        np.put_along_axis(every, places, beta, axis=1)
        return np.asarray(every @ self.basis.functions)

    def _promising(self, means: "_Means") -> Iterator[_Tried]:
        """Fit the spreads that promise something; yield item, nats and noise where normal noise gains by it.

        Even noise of free shape is the alternative: uneven noise looks heavy-tailed, and is not.
        """
        F, gram = self.spread_features(means.places), self.spread_gram(means.places)
        promise = spread.promised(means.noise, F, gram)
        some = np.flatnonzero((promise > 0) & (means.fit.left >= NOISELESS))
        for first in range(0, len(some), FEW):
            own = some[first : first + FEW]
            uneven = self._uneven(means, own, spread.Features.of(F[own], gram[own]))
            for k in np.flatnonzero(uneven.gain > means.fit.gain[own]).tolist():
                yield int(own[k]), float(uneven.gain[k]), uneven.z[k]

    def _uneven(self, means: "_Means", own: IntArray, F: spread.Features) -> spread.Spreads:
        """Fit a spread by the parents to some of the items."""
        Y, places = self.children[means.children[own]], means.places[own]
        Z, fitted = self.basis.functions[places], Y - means.noise[own]
        return spread.fit(Y, Z, fitted, means.rough[own], means.term, means.fit.tau[own], F)

    def spread_features(self, places: IntArray) -> FloatArray:
        """The first functions of every parent, of mean square 1 (B, p * FUNCTIONS, n)."""
        features: FloatArray = self.basis.functions[self._first(places)] * np.sqrt(self.n)
        return features

    def spread_gram(self, places: IntArray) -> FloatArray:
        """Products of the spread's features (B, p * FUNCTIONS, p * FUNCTIONS)."""
        first = self._first(places)
        if len(self.basis.functions) <= GRAM:
            return np.asarray(self.n * self.basis.gram[first[:, :, None], first[:, None, :]])
        F = self.basis.functions[first]
        return np.asarray(self.n * (F @ F.mT))

    def _first(self, places: IntArray) -> IntArray:
        """Those of the functions (B, q) that features of the spread are made of (B, p * FUNCTIONS)."""
        return places.reshape(len(places), -1, self.basis.width)[:, :, : spread.FUNCTIONS].reshape(
            len(places), -1
        )


class _Means(NamedTuple):
    """Means of B items with as many parents each: which children and functions, their fit, and the noise (B, n)."""

    children: IntArray
    places: IntArray
    term: IntArray
    rough: FloatArray
    fit: mean.Fit
    noise: FloatArray


def told_of(told: Mapping[Item, Told], children: BoolArray) -> dict[Item, Told]:
    """Return what is known of some children (d,)."""
    return {item: one for item, one in told.items() if children[item[0]]}


def remembered(
    known: Noises, item: Item, fit: Callable[[Item], tuple[FloatArray, FloatArray]]
) -> tuple[FloatArray, FloatArray]:
    """Return the noise and log spread of an item, fitted anew unless it is among the first that were asked for."""
    if (found := known.get(item)) is None:
        found = fit(item)
        if len(known) < NOISES:
            known[item] = found
    return found
