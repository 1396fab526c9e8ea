"""Which mechanisms changed under which conditions, by the likelihood: one mechanism for all, or one of its own.

The rows come in groups (environments, experiments). For a child j with parents S, a set C of groups in which its
mechanism differs from the others' is worth

    N(j, S, C) = log p(x_j of the other groups | S) + Σ_{e in C} log p_e(x_j of group e) - Σ_{e in C} price(e, j),

p_e being the likelier of a density of its own (j was set) and a mechanism of its own parents' effects (it changed).
Given parents the sets of different children do not touch each other, so a search over graphs by

    gain(j, S) = max_C N(j, S, C) - max_C N(j, (), C)

searches edges and changes together; where a mechanism stays the same under all conditions in one direction only,
that direction needs fewer changes, and wins. C is found by flipping one group after another. Noise is taken for normal
while C is chosen (all sums over groups are then known beforehand); the shape of what is left counts afterwards.
"""

from collections.abc import Sequence
from copy import copy

import numpy as np

from dagscale.models.gain import Item
from dagscale.models.likelihood import mean
from dagscale.models.likelihood.density import shape_evidence
from dagscale.models.likelihood.spline_gain import SplineGain, Told
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

FLIPS = 12  # rounds of choosing the groups of an item
TOGETHER = 64  # items looked at as one stack
LEAST = 1e-12  # variance
BYTES = 1e9  # of all sums over groups: beyond, those of an item are made when it is asked for
FEWEST = 8  # rows that a mechanism is fitted to


class ChangesGain:
    """The likelihood of items at their best set of changed groups.

    Parameters
    ----------
    whole : SplineGain
        Additive splines on all rows: the scale and the functions of the parents.
    group : (n,) int array
        Group of every row.
    price : (groups, d) float array
        Nats that a change costs beside its parameters; less than 0 where it is expected, inf where it is ruled out.
    start : (groups, d) bool array
        Changes to begin with.
    """

    def __init__(self, whole: SplineGain, group: IntArray, price: FloatArray, start: BoolArray) -> None:
        self.whole, self.group, self.price, self.start = whole, group, price, start
        self.scale, self.basis = whole.scale, whole.basis
        self.n, self.d = self.scale.children.shape
        self.size = np.bincount(group, minlength=len(price)).astype(float)
        self.told: dict[Item, Told] = {}
        self.changed: dict[Item, BoolArray] = {}
        self.own: dict[tuple[int, int, tuple[int, ...]], float] = {}
        # functions, children and 1; and the sums over each group of all of their products, if they are not too many
        Z = np.column_stack([self.basis.values * np.sqrt(self.n), self.scale.children, np.ones(self.n)])
        self.by_group = [Z[group == g] for g in range(len(price))]
        self.width = Z.shape[1]
        light = 8 * len(price) * self.width**2 <= BYTES
        self.sums = np.stack([own.T @ own for own in self.by_group]) if light else None

    def from_changes(self, start: BoolArray) -> "ChangesGain":
        """Return the same with other changes to begin with."""
        other = copy(self)
        other.start, other.told, other.changed = start, {}, {}
        return other

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats of each item."""
        alone: list[Item] = [(j, ()) for j in range(self.d) if (j, ()) not in self.told]
        new: dict[int, list[Item]] = {0: alone} if alone else {}
        for item in dict.fromkeys(items):
            if item not in self.told and item[1]:
                new.setdefault(len(item[1]), []).append(item)
        for same in new.values():
            for first in range(0, len(same), TOGETHER):
                self._find(same[first : first + TOGETHER])
        return np.array([self.told[item].nats - self.told[item[0], ()].nats for item in items])

    def changes(self, graph: BoolArray) -> BoolArray:
        """Return the changes of every child given its parents in a graph (groups, d)."""
        items = [(j, tuple(np.flatnonzero(graph[:, j]).tolist())) for j in range(self.d)]
        self(items)
        return np.stack([self.changed[item] for item in items], axis=1)

    def _find(self, items: list[Item]) -> None:
        """Flip groups of each item while that gains.

        A fit to the groups kept says what every group's residuals would be worth with a mean and variance of their
        own, or its values without parents: groups that would gain clearly are left out, those that would not come back.
        """
        children = np.array([j for j, _ in items])
        price = self.price[:, children].T  # (B, G)
        C = self.start[:, children].T.copy()
        best, value = C.copy(), np.full(len(items), -np.inf)
        active = np.arange(len(items))
        for _ in range(FLIPS):
            some = [items[b] for b in active]
            nats, beta, sums = self._fit(some, ~C[active])
            pooled, own = self._by_group(some, ~C[active], beta, sums)
            spent = np.where(C[active], own - price[active], 0.0).sum(axis=1)
            better = nats + spent > value[active]
            best[active[better]], value[active[better]] = C[active[better]], (nats + spent)[better]
            margin = own - pooled - price[active]
            # the groups that stand out most go first: while they are in, others look strange beside them
            clear = margin >= 0.5 * np.where(C[active], 0.0, margin).max(axis=1, keepdims=True)
            out = (margin > 0) & (C[active] | clear)
            moved = out != C[active]
            C[active] = out
            active = active[better & moved.any(axis=1)]
            if not len(active):
                break
        self._tell(items, best)

    def _tell(self, items: list[Item], C: BoolArray) -> None:
        nats, beta, _ = self._fit(items, ~C)
        for b, item in enumerate(items):
            rows = ~C[b][self.group]
            shaped = 0.0
            if self.whole.shaped and rows.any():
                shaped = float(shape_evidence(self._residuals(item, beta[b], rows)[None])[0])
            spent = sum(self._alone(item, g) - self.price[g, item[0]] for g in np.flatnonzero(C[b]).tolist())
            self.told[item] = Told(float(nats[b]) + shaped + float(spent))
            self.changed[item] = C[b]

    def _alone(self, item: Item, g: int) -> float:
        """Nats of a group of an item by a density, or a mechanism, of its own; its mean and variance are paid for."""
        j, parents = item
        if (g, j, parents) not in self.own:
            only = np.arange(len(self.price)) == g
            found = float(self._fit([(j, ())], only[None])[0][0]) - np.log(max(self.size[g], 2.0))
            if parents:
                more = float(self._fit([item], only[None])[0][0]) - np.log(max(self.size[g], 2.0)) - found
                found += float(np.logaddexp(0.0, more) - np.log(2.0))
            self.own[g, j, parents] = found
        return self.own[g, j, parents]

    def _residuals(self, item: Item, beta: FloatArray, rows: BoolArray) -> FloatArray:
        j, parents = item
        y = self.scale.children[rows, j]
        if parents:
            places = self.basis.places(np.array([parents]))[0]
            y = y - (self.basis.values[np.ix_(rows, places)] * np.sqrt(self.n)) @ beta
        return np.asarray(y - y.mean())

    def _by_group(
        self, items: list[Item], kept: BoolArray, beta: FloatArray, sums: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Nats of every group of every item by the mechanism of the groups kept, and by its own, (B, G) each.

        Its own: residuals with another mean and variance, or values that do not follow the parents.
        """
        at = np.concatenate([-beta, np.ones((len(items), 1))], axis=1)  # residual = child - functions
        total = np.einsum("bgi,bi->bg", sums[:, :, :-1, -1], at)
        squares = np.einsum("bi,bgij,bj->bg", at, sums[:, :, :-1, :-1], at)
        n = self.size
        inside = kept * n
        count = np.maximum(inside.sum(axis=1), 1.0)[:, None]
        centre = (total * kept).sum(axis=1)[:, None] / count
        about = squares - 2.0 * centre * total + n * centre**2  # sums of squares about the mean of those kept
        variance = np.maximum((about * kept).sum(axis=1)[:, None] / count, LEAST)
        pooled = -0.5 * n * np.log(variance) - 0.5 * (about / variance - n)
        safe = np.maximum(n, 1.0)
        spread = np.maximum(squares / safe - (total / safe) ** 2, LEAST)
        y, yy = sums[:, :, -2, -1] / safe, sums[:, :, -2, -2] / safe
        alone = np.maximum(yy - y**2, LEAST)
        return pooled, -0.5 * n * np.log(np.minimum(spread, alone)) - np.log(np.maximum(n, 2.0))

    def _products(self, places: IntArray) -> FloatArray:
        """Sums over every group of the products of some functions, children and 1 (B, q), (B, G, q, q)."""
        if self.sums is not None:
            return self.sums[:, places[:, :, None], places[:, None, :]].transpose(1, 0, 2, 3)
        chosen = ([own[:, some] for own in self.by_group] for some in places)
        return np.stack([np.stack([own.T @ own for own in groups]) for groups in chosen])

    def _fit(self, items: list[Item], kept: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Fit the groups kept (B, G) of each item, noise normal.

        Returns their log likelihoods (B,), coefficients (B, q), and the sums over every group of products of the
        functions, the child and 1 (B, G, q + 2, q + 2).
        """
        children, w = np.array([j for j, _ in items]), self.basis.width
        parents = np.array([S for _, S in items], dtype=np.intp).reshape(len(items), -1)
        child, one = self.d * w + children, self.width - 1
        places = np.column_stack([self.basis.places(parents), child, np.full(len(items), one)])
        sums = self._products(places)
        M = np.einsum("bg,bgij->bij", kept.astype(float), sums)
        n = M[:, -1, -1]
        safe = np.maximum(n, 1.0)
        m = M[:, :-1, -1] / safe[:, None]
        M = M[:, :-1, :-1] - n[:, None, None] * m[:, :, None] * m[:, None, :]
        yy = np.maximum(M[:, -1, -1], 1e-300)
        nats = -0.5 * n * np.log(np.maximum(yy / safe, LEAST))
        beta = np.zeros((len(items), parents.shape[1] * w))
        fitted = np.flatnonzero((n >= FEWEST) & (yy > 1e-9 * safe)) if parents.shape[1] else np.zeros(0, int)
        term = np.repeat(np.arange(parents.shape[1]), w)
        for size in np.unique(n[fitted]):
            own = fitted[n[fitted] == size]
            rough = self.basis.roughness[parents[own]].reshape(len(own), -1)
            # functions of mean square 1 over all rows, here of sum of squares about 1
            found = mean.fit(
                M[own, :-1, :-1] / size, M[own, :-1, -1] / np.sqrt(size), yy[own], int(size), rough, term
            )
            nats[own] += found.gain
            beta[own] = found.beta / np.sqrt(size)
        return nats, beta, sums
