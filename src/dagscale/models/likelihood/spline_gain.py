"""`Gain`: nats of children given parents over the children alone, in the coordinates of the data.

    gain(j, S) = log p(x_j | S) - log p(x_j),   both densities of free shape.

p(x_j | S) is put together from a mean (`mean.py`), a spread (`spread.py`), and the shape of what is left
(`density.py`), on one scale (`columns.py`). Of the spreads (constant, by the level, by the parents) each has its prior
odds, and their densities are averaged: what a spread does not earn it does not get.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dagscale.models.gain import Item
from dagscale.models.likelihood import mean, spread
from dagscale.models.likelihood.basis import Basis
from dagscale.models.likelihood.columns import Scale
from dagscale.models.likelihood.density import shape_evidence
from dagscale.models.likelihood.discrete import DiscreteChildren
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import FloatArray, IntArray

TOGETHER = 128  # items fitted as one stack
FEW = 32  # of them where rows are weighted
NOISELESS = 1e-6  # share of the variance that is rounding: it has no spread
CONSTANT, LEVEL, PARENTS = 0, 1, 2
GRAM = 2000  # functions of all columns up to which their Gram matrix is kept (32 MB)


@dataclass(frozen=True)
class Told:
    """What was found of one item.

    Attributes
    ----------
    nats : float
        Over the child alone.
    spread : int
        The likeliest: `CONSTANT`, `LEVEL` or `PARENTS`.
    left : float
        Share of the child's variance that the mean leaves; of levels and counts, share of the deviance.
    joint : bool
        Whether interactions of the parents tell more than their curves.
    idle : tuple of float
        Nats that each parent's curve is worth at most with normal noise, where known: tells whom to try to leave out.
    """

    nats: float
    spread: int = CONSTANT
    left: float = 1.0
    joint: bool = False
    idle: tuple[float, ...] = ()


class SplineGain:
    """Additive splines for the mean, and a spread; each item fitted once and remembered.

    Parameters
    ----------
    scale : Scale
    spreads : tuple of int
        Spreads that compete; (CONSTANT,) alone is the additive noise model.
    discrete : DiscreteChildren, optional
        Of the same parents, where there is one: children of levels and counts do not depend on the spreads.
    n_jobs : int or None
        Threads that stacks of items are shared among.
    """

    def __init__(
        self,
        scale: Scale,
        spreads: tuple[int, ...] = (CONSTANT,),
        shaped: bool = True,
        k: int = 10,
        discrete: DiscreteChildren | None = None,
        n_jobs: int | None = 1,
        basis: Basis | None = None,
    ) -> None:
        self.scale, self.spreads, self.shaped, self.k, self.n_jobs = scale, spreads, shaped, k, n_jobs
        self.n, self.d = scale.children.shape
        self.basis = basis or Basis.of(scale.parents, k, scale.kinds)
        self.discrete = discrete or DiscreteChildren(scale, self.basis)
        self.children = np.ascontiguousarray(scale.children.T)
        self.squares = np.einsum("nd,nd->d", scale.children, scale.children)
        self.told: dict[Item, Told] = {(j, ()): Told(0.0) for j in range(self.d)}

    def with_spreads(self, spreads: tuple[int, ...]) -> "SplineGain":
        """Return the same with other spreads in competition."""
        return SplineGain(self.scale, spreads, self.shaped, self.k, self.discrete, self.n_jobs, self.basis)

    def on(self, scale: Scale) -> "SplineGain":
        """Return the same likelihood on another scale."""
        discrete, basis = self.discrete, self.basis
        if scale.parents is not self.scale.parents:
            basis = Basis.of(scale.parents, self.k, scale.kinds)
            same = scale.levels is self.scale.levels  # the same table: no rows or columns more
            discrete = DiscreteChildren(scale, basis, self.discrete if same else None)
        return SplineGain(scale, self.spreads, self.shaped, self.k, discrete, self.n_jobs, basis)

    @cached_property
    def products(self) -> FloatArray:
        """Products of all functions with all children (d w, d)."""
        return self.basis.functions @ self.children.T

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats of each item."""
        new: dict[int, list[Item]] = {}
        for item in dict.fromkeys(items):
            if item in self.told:
                continue
            if self.squares[item[0]] <= 0:  # a constant: nothing is told of it
                self.told[item] = Told(-np.inf)
            elif item[0] in self.discrete:
                nats, left = self.discrete.additive(item)
                self.told[item] = Told(nats, CONSTANT, left)
            else:
                new.setdefault(len(item[1]), []).append(item)
        stacks = [
            same[first : first + TOGETHER] for same in new.values() for first in range(0, len(same), TOGETHER)
        ]
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
        self.told.pop(item, None)
        kept: list[tuple[FloatArray, FloatArray]] = []
        self.told[item] = self._fitted([item], kept)[0]
        noise, log_spread = kept[0]
        return noise[0], log_spread[0]

    def _fitted(
        self, items: list[Item], kept: list[tuple[FloatArray, FloatArray]] | None = None
    ) -> list[Told]:
        children = np.array([j for j, _ in items])
        parents = np.array([S for _, S in items])
        places = self.basis.places(parents)
        term = np.repeat(np.arange(parents.shape[1]), self.basis.width)
        rough = self.basis.roughness[parents].reshape(len(items), -1)
        found = mean.fit(*self.equations(children, places), self.squares[children], self.n, rough, term)
        R = self.children[children] - self._fitted_values(places, found.beta)  # (B, n)
        shape = shape_evidence(R) if self.shaped else np.zeros(len(R))
        nats, kind, noise, log_spread = self._spread(children, places, rough, term, found, R, shape)
        if kept is not None:
            kept.append((noise, log_spread))
        nats += self.scale.offset[children] - self.basis.price[parents].sum(axis=1)
        idle = found.idle.tolist()
        return [
            Told(float(v), int(k), float(l), idle=tuple(i))
            for v, k, l, i in zip(nats, kind, found.left, idle, strict=True)
        ]

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

    def _spread(
        self, children: IntArray, places: IntArray, rough: FloatArray, term: IntArray,
        found: mean.Fit, R: FloatArray, shape: FloatArray,
    ) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]:  # fmt: skip
        """Give each item the spread that pays: nats with the noise's shape and which spread (B,), noise and log spread.

        Of the spreads that are no constant, the one that promises most is fitted.
        """
        nats, kind, noise = found.gain + shape, np.full(len(children), CONSTANT), R.copy()
        log_spread = np.zeros_like(R)
        if self.spreads == (CONSTANT,):
            return nats, kind, noise, log_spread
        Y = self.children[children]
        by_parents = self.spread_features(places)
        promise = np.zeros((3, len(children)))
        promise[PARENTS] = spread.promised(R, by_parents) if PARENTS in self.spreads else -np.inf
        several = (
            len(term) > self.basis.width and LEVEL in self.spreads
        )  # the level of one parent is the parent's
        promise[LEVEL] = spread.promised(R, spread.level_features(Y - R)) if several else -np.inf
        promise[1:, found.left < NOISELESS] = -np.inf
        for which in (LEVEL, PARENTS):
            some = np.flatnonzero(promise.argmax(axis=0) == which)
            for first in range(0, len(some), FEW):
                own = some[first : first + FEW]
                Z = self.basis.functions[places[own]].mT
                F = by_parents[own] if which == PARENTS else None
                out = spread.fit(Y[own], Z, (Y - R)[own], rough[own], term, found.tau[own], F)
                # even noise of free shape is the alternative: uneven noise looks heavy-tailed, and is not
                ahead = np.flatnonzero(out.gain > found.gain[own])
                if not len(ahead):
                    continue
                total = out.gain[ahead] + (shape_evidence(out.z[ahead]) if self.shaped else 0.0)
                mixed = np.logaddexp(nats[own[ahead]], total) - np.log(2.0)
                took = total > nats[own[ahead]]
                nats[own[ahead[took]]], kind[own[ahead[took]]] = mixed[took], which
                noise[own[ahead[took]]] = out.z[ahead[took]]
                log_spread[own[ahead[took]]] = out.log_spread[ahead[took]]
        return nats, kind, noise, log_spread

    def spread_features(self, places: IntArray) -> FloatArray:
        """The first functions of every parent, of mean square 1 (B, n, p * FUNCTIONS)."""
        own = places.reshape(len(places), -1, self.basis.width)[:, :, : spread.FUNCTIONS].reshape(
            len(places), -1
        )
        features: FloatArray = self.basis.functions[own].mT * np.sqrt(self.n)
        return features
