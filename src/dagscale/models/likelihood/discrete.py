"""Children of levels, counts and few values: nats of their parents' curves, and of interactions.

Every family of a child (`families.py`) is fitted by Laplace's method (`laplace.py`), and families are averaged with
equal odds. Interactions are the leading features of the joint process of `joint_gain.py`, one more term with a variance
of its own; they are fitted where a quadratic approximation around the additive fit promises something.
"""

import zlib
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from dagscale.models.gain import Item
from dagscale.models.likelihood import categories, laplace
from dagscale.models.likelihood.basis import LEARNT, Basis
from dagscale.models.likelihood.columns import Scale
from dagscale.models.likelihood.families import LEAST, Categorical, Family, families_of
from dagscale.models.likelihood.smoothness import promise
from dagscale.runtime.types import FloatArray, IntArray

EVIDENT = 1.0  # nats that interactions must gain by the approximation to be fitted
VARIANCES = np.exp(np.linspace(-6.0, 3.0, 10))  # of the process that the approximation tries
IDLE = 2.0  # nats: a parent of a child of many categories that promises less is not fitted
LEADING = 40  # features of interactions
CLOSE = 10.0  # nats: a fit with one parent more, worth less than that, is where a fit begins
AWAKE = 1e-3  # τ that terms have there at least: a parent that is left out may have done their work
WIDEST = 260  # coefficients: a child of many levels has no interactions beyond

Features = Callable[[tuple[int, ...]], FloatArray]  # of parents, (n, M)
Process = tuple[float, ...]  # what tells one process from another
Design = tuple[FloatArray, FloatArray, IntArray]


class DiscreteChildren:
    """Fits of the children that are not continuous, each made once.

    Parameters
    ----------
    scale : Scale
    basis : Basis
        Of its parents.
    like : DiscreteChildren, optional
        Of the same columns on another scale. It answers for the parents that are the same on both, as levels are.
    """

    def __init__(self, scale: Scale, basis: Basis, like: "DiscreteChildren | None" = None) -> None:
        self.basis, self.n, self.parents, self.like = basis, len(scale.parents), scale.parents, like
        self.same: frozenset[int] = frozenset()
        if like is not None:
            self.same = frozenset(np.flatnonzero((scale.parents == like.parents).all(axis=0)).tolist())
        self.d = scale.parents.shape[1]
        self.families: dict[int, list[Family]] = {}
        for j in range(scale.parents.shape[1]):
            levels = scale.levels[j]
            if levels is not None and levels.min() < levels.max():
                self.families[j] = families_of(scale.kind(j), levels)
        self.fits: dict[Item, list[laplace.Fit]] = {}
        self.idle: dict[Item, tuple[float, float]] = {}  # items that were not worth a fit
        self.joint: dict[tuple[Item, Process], list[laplace.Fit]] = {}

    def __contains__(self, j: int) -> bool:
        """Say whether column j is a child of levels, counts or few values."""
        return j in self.families

    def _owner(self, item: Item) -> "DiscreteChildren":
        """Return who fits an item: the other scale if all its parents are the same there."""
        return self.like._owner(item) if self.like is not None and self.same.issuperset(item[1]) else self

    def additive(self, item: Item) -> tuple[float, float, tuple[float, ...]]:
        """Return nats of the parents' curves, the share of the deviance they leave, and what each is worth, if known.

        A parent that promises nothing beside the others is not fitted.
        """
        owner = self._owner(item)
        if item not in owner.fits and (told := owner._idle(item)) is not None:
            return *told, ()
        fits = self._fits(item)
        best = max(fits, key=lambda one: one.gain + one.family.offset)
        return *self._mixed(item, fits), tuple(nats - LEARNT for nats in best.idle)

    def _fits(self, item: Item) -> list[laplace.Fit]:
        if (owner := self._owner(item)) is not self:
            return owner._fits(item)
        if item not in self.fits:
            design, (starts, near) = self._design(item), self._starts(item)
            whose = self._functions(item[1]) // self.basis.width
            owned = [np.flatnonzero(whose == i) for i in item[1]]
            self.fits[item] = [
                laplace.fit(family, *design, start, near, owned)
                for family, start in zip(self.families[item[0]], starts, strict=True)
            ]
        return self.fits[item]

    def _idle(self, item: Item) -> tuple[float, float] | None:
        """Return what `additive` does where a fit with one parent less is known, and the parent promises nothing."""
        family = self.families[item[0]][0]
        if not isinstance(family, Categorical) or family.predictors < categories.MANY:
            return None
        if item not in self.idle:
            base = (item[0], ()) if len(item[1]) == 1 else self._nearest(item)
            if base is None:
                return None
            plain = self._fits(base)[0]
            Z, (new,) = self._design(base)[0], set(item[1]) - set(base[1])
            more = categories.promised(
                family, plain.alpha, Z @ plain.beta.T, Z, *self._design((item[0], (new,)))
            )
            if more > IDLE:
                return None
            nats, left = self._mixed(base, [plain])
            self.idle[item] = nats + more - LEARNT, left
        return self.idle[item]

    def interacting(self, item: Item, features: Features, process: Process) -> tuple[float, float]:
        """Return the same with a process of all parents; its features are a function of them (n, M)."""
        if (owner := self._owner(item)) is not self:
            return owner.interacting(item, features, process)
        if not self._room(item):
            return self.additive(item)[:2]
        if (item, process) not in self.joint:
            design, made = self._design(item), features(item[1])
            self.joint[item, process] = [
                self._with(family, plain, design, made)
                for family, plain in zip(self.families[item[0]], self._fits(item), strict=True)
            ]
        return self._mixed(item, self.joint[item, process])

    def _room(self, item: Item) -> bool:
        """Say whether interactions leave the child few enough coefficients."""
        most = max(family.predictors for family in self.families[item[0]])
        return most * (len(self._functions(item[1])) + LEADING) <= WIDEST

    def residuals(
        self, item: Item, features: Features | None = None, process: Process = (0.0,)
    ) -> FloatArray:
        """Return randomised quantile residuals (n,): standard normal and independent of the parents if all is right.

        The random numbers are drawn from the child's own values, so that the same table has the same residuals.
        """
        low, high, best = self._limits(item, features, process)
        rng = np.random.default_rng(zlib.crc32(np.ascontiguousarray(best.family.y).tobytes()))
        u = low + rng.random(self.n) * (high - low)
        return np.asarray(ndtri(np.clip(u, 1e-9, 1.0 - 1e-9)))

    def log_probability(
        self, item: Item, features: Features | None = None, process: Process = (0.0,)
    ) -> FloatArray:
        """Return the log probability of every row (n,) over that without parents, by the likeliest family."""
        low, high, best = self._limits(item, features, process)
        alone = next(one for one in self._fits((item[0], ())) if type(one.family) is type(best.family))
        below, up_to = alone.family.limits(alone.alpha, np.zeros((self.n, alone.family.predictors)))
        return np.log(np.maximum(high - low, LEAST)) - np.log(np.maximum(up_to - below, LEAST))

    def _limits(
        self, item: Item, features: Features | None, process: Process
    ) -> tuple[FloatArray, FloatArray, laplace.Fit]:
        """Return P(Y < y) and P(Y <= y) of every row (n,) by the likeliest family, and its fit."""
        if features is None or not self._room(item):
            fits = self._fits(item)
        else:
            self.interacting(item, features, process)
            fits = self._owner(item).joint[item, process]
        best = max(fits, key=lambda one: one.gain + one.family.offset)
        Z = self._design(item)[0]
        if features is not None and best.beta.shape[1] > Z.shape[1]:
            Z = np.hstack([Z, features(item[1])])
        return *best.family.limits(best.alpha, Z @ best.beta.T), best

    def _mixed(self, item: Item, fits: list[laplace.Fit]) -> tuple[float, float]:
        totals = np.array(
            [one.gain + family.offset for one, family in zip(fits, self.families[item[0]], strict=True)]
        )
        nats = float(np.logaddexp.reduce(totals)) - np.log(len(totals)) - LEARNT * len(item[1])
        return nats, fits[int(totals.argmax())].left

    def _design(self, item: Item) -> Design:
        """Return the functions of the parents, of mean square 1 (n, q), their roughness (q,) and terms (q,).

        The coefficients of a straight line, as many as predictors, have a variance that is fitted, too: the line of
        a parent that acts through others alone is not paid for.
        """
        own = self._functions(item[1])
        rough = self.basis.roughness.ravel()[own]
        term = np.unique(self._terms(own), return_inverse=True)[1]
        by_row = self.basis.functions[own]
        by_row *= np.sqrt(self.n)
        return by_row.T, np.where(rough <= 0, 1.0, rough), term

    def _functions(self, parents: tuple[int, ...]) -> IntArray:
        """Return the columns of the basis that parents own, padding left out (q,)."""
        own = self.basis.places(np.array([parents], dtype=np.intp))[0]
        return np.asarray(own[self.basis.present.ravel()[own]])

    def _terms(self, own: IntArray) -> IntArray:
        """Return what tells the terms of functions (q,) apart: twice the parent, one more for its line."""
        line = self.basis.roughness.ravel()[own] <= 0
        return np.asarray(2 * (own // self.basis.width) + line)

    def _starts(self, item: Item) -> tuple[list[laplace.Fit | None], bool]:
        """Return fits of the same child with one parent more or less as of these parents, and whether one more.

        None where none was made.
        """
        j, parents = item
        beside = self._wider(item) or self._nearest(item)
        if beside is None:
            return [None] * len(self.families[j]), False
        more = len(beside[1]) > len(parents)
        own, had = self._functions(parents), self._functions(beside[1])
        terms, old = np.unique(self._terms(own)), np.unique(self._terms(had))
        starts: list[laplace.Fit | None] = []
        for fitted in self._fits(beside):
            beta, tau = np.zeros((len(fitted.beta), len(own))), np.full(len(terms), laplace.START)
            beta[:, np.isin(own, had)] = fitted.beta[:, np.isin(had, own)]
            known = fitted.tau[np.isin(old, terms)]
            tau[np.isin(terms, old)] = np.maximum(known, AWAKE) if more else known
            starts.append(fitted._replace(beta=beta, tau=tau))
        return starts, more

    def _wider(self, item: Item) -> Item | None:
        """Return the fitted item with one parent more that is worth least; None where all are worth much."""
        j, parents = item
        least, best = CLOSE, None
        for i in set(range(self.d)).difference(parents):
            some = (j, tuple(sorted((*parents, i))))
            for one in self._owner(some).fits.get(some, ())[:1]:
                worth = one.idle[some[1].index(i)] if one.idle else np.inf
                if worth < least:
                    least, best = worth, some
        return best

    def _nearest(self, item: Item) -> Item | None:
        """Return the best fitted item with one parent less; None where none is."""
        j, parents = item
        fewer = [(j, tuple(k for k in parents if k != i)) for i in parents]
        known = [some for some in fewer if some in self._owner(some).fits]
        return max(known, key=lambda some: self._mixed(some, self._fits(some))[0], default=None)

    def _with(self, family: Family, plain: laplace.Fit, design: Design, features: FloatArray) -> laplace.Fit:
        """Add interactions to a fit, if they promise something and keep it."""
        Z, rough, term = design
        more, variance = promised(plain, design, features)
        if more <= EVIDENT:
            return plain
        start = plain._replace(tau=np.append(plain.tau, variance))
        own = np.full(features.shape[1], len(plain.tau))
        both = np.hstack([Z, features])
        found = laplace.fit(
            family, both, np.append(rough, np.ones(len(own))), np.append(term, own), start, True
        )
        return found if found.gain > plain.gain else plain


def promised(plain: laplace.Fit, design: Design, features: FloatArray) -> tuple[float, float]:
    """Return the nats that a process adds to a fit, to second order around it, and its variance.

    The additive coefficients are profiled.
    """
    g, M = laplace.profiled(plain, *design, features)
    values, vectors = np.linalg.eigh(M)
    nats = promise((vectors.T @ g) ** 2, values, VARIANCES)
    return float(nats.max()), float(VARIANCES[int(nats.argmax())])
