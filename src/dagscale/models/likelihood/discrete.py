"""Children of levels and counts: nats of their parents' curves, and of interactions.

Every family of a child (`families.py`) is fitted by Laplace's method (`laplace.py`), and families are averaged with
equal odds. Interactions are the leading features of the joint process of `joint_gain.py`, one more term with a variance
of its own; they are fitted where a quadratic approximation around the additive fit promises something.
"""

import zlib
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.models.gain import Item
from dagscale.models.likelihood import laplace
from dagscale.models.likelihood.basis import LEARNT, Basis
from dagscale.models.likelihood.columns import Scale
from dagscale.models.likelihood.families import Family, families_of
from dagscale.runtime.types import FloatArray, IntArray

EVIDENT = -2.0  # nats that interactions may lose by the approximation where they are still fitted
VARIANCES = np.exp(np.linspace(-6.0, 3.0, 10))  # of the process that the approximation tries
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
    """

    def __init__(self, scale: Scale, basis: Basis) -> None:
        self.basis, self.n = basis, len(scale.parents)
        self.families: dict[int, list[Family]] = {}
        for j in range(scale.parents.shape[1]):
            levels = scale.levels[j]
            if scale.kind(j) != CONTINUOUS and levels is not None and levels.min() < levels.max():
                self.families[j] = families_of(scale.kind(j), levels)
        self.fits: dict[Item, list[laplace.Fit]] = {}
        self.joint: dict[tuple[Item, Process], list[laplace.Fit]] = {}

    def __contains__(self, j: int) -> bool:
        """Say whether column j is a child of levels or counts."""
        return j in self.families

    def additive(self, item: Item) -> tuple[float, float]:
        """Return nats of the parents' curves, and the share of the deviance that they leave."""
        if item not in self.fits:
            design = self._design(item)
            self.fits[item] = [laplace.fit(family, *design) for family in self.families[item[0]]]
        return self._mixed(item, self.fits[item])

    def interacting(self, item: Item, features: Features, process: Process) -> tuple[float, float]:
        """Return the same with a process of all parents; its features are a function of them (n, M)."""
        if (item, process) not in self.joint:
            self.additive(item)
            design, made = self._design(item), features(item[1])
            self.joint[item, process] = [
                self._with(family, plain, design, made)
                for family, plain in zip(self.families[item[0]], self.fits[item], strict=True)
            ]
        return self._mixed(item, self.joint[item, process])

    def residuals(
        self, item: Item, features: Features | None = None, process: Process = (0.0,)
    ) -> FloatArray:
        """Return randomised quantile residuals (n,): standard normal and independent of the parents if all is right.

        The random numbers are drawn from the child's own values, so that the same table has the same residuals.
        """
        if features is None:
            self.additive(item)
            fits = self.fits[item]
        else:
            self.interacting(item, features, process)
            fits = self.joint[item, process]
        best = max(fits, key=lambda one: one.gain + one.family.offset)
        Z = self._design(item)[0]
        if features is not None and best.beta.shape[1] > Z.shape[1]:
            Z = np.hstack([Z, features(item[1])])
        low, high = best.family.limits(best.alpha, Z @ best.beta.T)
        rng = np.random.default_rng(zlib.crc32(np.ascontiguousarray(best.family.y).tobytes()))
        u = low + rng.random(self.n) * (high - low)
        return np.asarray(ndtri(np.clip(u, 1e-9, 1.0 - 1e-9)))

    def _mixed(self, item: Item, fits: list[laplace.Fit]) -> tuple[float, float]:
        totals = np.array(
            [one.gain + family.offset for one, family in zip(fits, self.families[item[0]], strict=True)]
        )
        nats = float(np.logaddexp.reduce(totals)) - np.log(len(totals)) - self._price(item)
        return nats, fits[int(totals.argmax())].left

    def _price(self, item: Item) -> float:
        """Return what fitted variances of straight lines and of effects of levels cost."""
        several = self.families[item[0]][0].predictors > 1
        return LEARNT * len(item[1]) if several else float(self.basis.price[list(item[1])].sum())

    def _design(self, item: Item) -> Design:
        """Return the functions of the parents, of mean square 1 (n, q), their roughness (q,) and terms (q,).

        A child of many levels has many coefficients a line: they share a variance that is fitted, a term of their own.
        """
        parents = np.array(item[1], dtype=np.intp)
        present = self.basis.present[parents].ravel()
        own = self.basis.places(parents[None])[0][present]
        term = np.repeat(np.arange(len(parents)), self.basis.width)[present]
        rough = self.basis.roughness[parents].ravel()[present]
        if self.families[item[0]][0].predictors > 1:
            line = rough <= 0
            rough = np.where(line, 1.0, rough)
            term = np.unique(np.where(line, len(parents) + term, term), return_inverse=True)[1]
        return self.basis.values[:, own] * np.sqrt(self.n), rough, term

    def _with(self, family: Family, plain: laplace.Fit, design: Design, features: FloatArray) -> laplace.Fit:
        """Add interactions to a fit, if they promise something and keep it."""
        Z, rough, term = design
        if family.predictors * (Z.shape[1] + features.shape[1]) > WIDEST:
            return plain
        more, variance = promised(plain, design, features)
        if more < EVIDENT:
            return plain
        start = plain._replace(tau=np.append(plain.tau, variance))
        own = np.full(features.shape[1], len(plain.tau))
        both = np.hstack([Z, features])
        found = laplace.fit(family, both, np.append(rough, np.ones(len(own))), np.append(term, own), start)
        return found if found.gain > plain.gain else plain


def promised(plain: laplace.Fit, design: Design, features: FloatArray) -> tuple[float, float]:
    """Return the nats that a process adds to a fit, to second order around it, and its variance.

    With g the slope and M the information of its coefficients, the additive ones profiled, a variance v adds
    ½ g'(M + I/v)⁻¹g - ½ log|I + v M|.
    """
    g, M = laplace.profiled(plain, *design, features)
    values, vectors = np.linalg.eigh(M)
    squares, values = (vectors.T @ g) ** 2, np.maximum(values, 0.0)
    nats = 0.5 * (squares / (values + 1.0 / VARIANCES[:, None])).sum(axis=1)
    nats -= 0.5 * np.log1p(VARIANCES[:, None] * values).sum(axis=1)
    return float(nats.max()), float(VARIANCES[int(nats.argmax())])
