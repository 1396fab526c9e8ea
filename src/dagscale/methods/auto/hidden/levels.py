"""Columns that measure the same hidden levels: links between them that no arrow explains.

If the level of a column acts on others and the column shows it with error, those others stay dependent given it: every
likelihood of arrows joins them all, and is sure of it. A few hidden levels say the same with fewer numbers. So the
links of the graph are compared with graphs that have hidden levels as well (`models/hidden_factors.py`), by straight
lines between the normal scores of the columns and the same price for every line:

1. m = 1, 2 ... levels that act on all columns, turned so that each acts on few (varimax), weak lines left out;
2. links of the graph come back where they pay, and lines that do not pay go, one after another. Links that are left
   must then pay by the likelihood that found them, too.

Levels are believed if they beat the links clearly, and more than half of the links join columns of one level and are
not needed beside it. More than half of these must close triangles, since all columns of a level depend on each other: a
tree of bent lines looks like levels to straight ones, but has no triangles. And straight lines must tell at least half
of what the likelihood knows of the links: where curves join the columns, a hidden level stands in for what they miss.

Which of its k columns a level acts through, if any of them, these data do not tell: each is as likely as none. Hence
1 / (k + 1) is the probability of either direction between two of them. Links that are needed beside the levels stay,
their direction is open: the other end may be any column of the level.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dagscale.inputs.knowledge import Constraints
from dagscale.inputs.ranks import normal_scores
from dagscale.methods.auto.certainty.probabilities import LINKED
from dagscale.methods.auto.search.found import Found
from dagscale.methods.auto.search.objective import item_of
from dagscale.methods.auto.search.proposers import eliminated
from dagscale.methods.auto.settings import LikelihoodSettings
from dagscale.models.hidden_factors import Fit, fit, regressions, varimax
from dagscale.models.likelihood.proportional import reference
from dagscale.runtime.clock import late
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

WEAK = 0.1  # loading that is left out at first
LOOKS = 8  # lines of the least worth of which one may go
OFFERS = 3  # lines of the most promise of which one may come
TOLERANCE = 0.01  # nats: less is the optimiser's
RIDGE = 1e-6  # share of the variance: copies and formulas leave none, and correlations without an inverse
SMALLEST = 4  # columns of a level: of three, one level explains any correlations


class Levels(NamedTuple):
    """Hidden levels of a table.

    Attributes
    ----------
    columns : (levels, d) bool array
        What each level acts on.
    links : (d, d) bool array
        Links that are needed beside them.
    """

    columns: BoolArray
    links: BoolArray

    @property
    def together(self) -> BoolArray:
        """Pairs (d, d) of one level, symmetric."""
        pairs: BoolArray = np.einsum("li,lj->ij", self.columns, self.columns)
        return np.asarray(pairs & ~np.eye(len(pairs), dtype=bool))

    @property
    def within(self) -> FloatArray:
        """Probability of an edge between two columns of one level (d, d), of the smallest that they share."""
        size = np.where(self.columns, self.columns.sum(axis=1, keepdims=True), np.inf)  # (levels, d)
        return np.asarray(1.0 / (np.maximum(size[:, :, None], size[:, None, :]).min(axis=0) + 1.0))

    @property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """The columns of each level."""
        return tuple(tuple(np.flatnonzero(one).tolist()) for one in self.columns)

    def explained(self, links: BoolArray) -> BoolArray:
        """Mark the links (d, d) between columns of one level that are not needed beside it."""
        return np.asarray(links & ~self.links & self.together)

    def shown_by(self, links: BoolArray) -> BoolArray:
        """Mark the explained links (d, d) that close a triangle with two others of them."""
        explained = self.explained(links)
        joined = explained | explained.T
        return np.asarray(explained & (joined @ joined))

    def open(self, graph: BoolArray) -> BoolArray:
        """Mark the links of a graph (d, d) with an end of a level, symmetric."""
        ends = np.asarray(self.columns.any(axis=0))
        return np.asarray((graph | graph.T) & np.logical_or.outer(ends, ends))


@dataclass(frozen=True)
class Search:
    """A search for the likeliest lines between columns and hidden levels.

    Attributes
    ----------
    R : (d, d) float array
        Correlations of n rows.
    n : int
    links, required : (d, d) bool array
        Arrows between columns that may be drawn, and that must be.
    price : float
        Nats that every line costs.
    until : float
        When to stop.
    """

    R: FloatArray
    n: int
    links: BoolArray
    required: BoolArray
    price: float
    until: float = math.inf

    def score(self, graph: BoolArray, fitted: Fit) -> float:
        """Nats of a graph, its lines paid for."""
        return fitted.nats - self.price * int(graph.sum())

    def changed(self, graph: BoolArray, fitted: Fit, changes: list[IntArray]) -> tuple[BoolArray, Fit] | None:
        """Put in or take out the first of some sets of lines (k, 2) that raises the score; None if none does."""
        base = self.score(graph, fitted)
        for lines in changes:
            if late(self.until):
                return None
            if not len(lines):
                continue
            new, ends = graph.copy(), tuple(lines.T)
            new[ends] = ~graph[ends]
            better = fit(self.R, self.n, new, np.where(new, fitted.lines, 0.0), fitted.noise)
            if self.score(new, better) > base + TOLERANCE:
                return new, better
        return None

    def without_idle(self, graph: BoolArray, fitted: Fit) -> tuple[BoolArray, Fit]:
        """Take out lines that do not pay: all that seem idle at once, or one, the idlest first."""
        fixed = np.zeros_like(graph)
        fixed[: len(self.R), : len(self.R)] = self.required
        while True:
            ends = np.argwhere(graph & ~fixed)
            worth = 0.5 * self.n * fitted.worth[tuple(ends.T)]
            single = [ends[[k]] for k in np.argsort(worth)[:LOOKS]]
            if (changed := self.changed(graph, fitted, [ends[worth < self.price], *single])) is None:
                return graph, fitted
            graph, fitted = changed

    def with_missing(self, graph: BoolArray, fitted: Fit) -> tuple[BoolArray, Fit]:
        """Put in links and lines of levels that pay, the most promising first."""
        allowed = np.zeros_like(graph)
        d = len(self.R)
        allowed[:d, :d], allowed[d:, :d] = self.links, True
        while True:
            ends = np.argwhere(allowed & ~graph)
            missing = [ends[[k]] for k in np.argsort(-fitted.missing[tuple(ends.T)])[:OFFERS]]
            if (changed := self.changed(graph, fitted, missing)) is None:
                return graph, fitted
            graph, fitted = changed

    def alone(self) -> tuple[BoolArray, Fit]:
        """Return the links that pay without hidden levels."""
        start = regressions(self.R, self.links)
        return self.without_idle(self.links, fit(self.R, self.n, self.links, *start))

    def spread_over_all(self, m: int) -> Fit:
        """Fit m levels that act on all columns, and no links."""
        d = len(self.R)
        values, vectors = np.linalg.eigh(self.R)
        lines = np.zeros((d + m, d + m))
        lines[d:, :d] = (vectors[:, -m:] * np.sqrt(values[-m:])).T
        noise = np.append(np.maximum(1.0 - (lines[d:, :d] ** 2).sum(axis=0), 0.05), np.ones(m))
        return fit(self.R, self.n, lines != 0.0, lines, noise)

    def beside(self, wide: Fit) -> tuple[BoolArray, Fit]:
        """Turn levels that act on all columns to ones that act on few, with links where they pay."""
        d = len(self.R)
        lines = np.zeros_like(wide.lines)
        turned = varimax(wide.lines[d:, :d].T).T
        lines[d:, :d] = np.where(np.abs(turned) > WEAK, turned, 0.0)
        graph = lines != 0.0
        graph[:d, :d] |= self.required
        found = self.without_idle(graph, fit(self.R, self.n, graph, lines, wide.noise))
        return self.without_idle(*self.with_missing(*found))

    def without_slight(self, graph: BoolArray, fitted: Fit) -> Levels:
        """Leave out levels of few columns: an arrow says as much of two, and any three have a level."""
        d = len(self.R)
        slight = graph & (graph.sum(axis=1) < SMALLEST)[:, None]
        slight[:d] = False
        if slight.any():
            graph = graph & ~slight
            start = np.where(graph, fitted.lines, 0.0), fitted.noise
            graph, _ = self.without_idle(*self.with_missing(graph, fit(self.R, self.n, graph, *start)))
        columns = graph[d:, :d]
        return Levels(columns[columns.sum(axis=1) >= SMALLEST], graph[:d, :d])


def hidden_levels(
    columns: FloatArray,
    links: BoolArray,
    required: BoolArray,
    told: float,
    settings: LikelihoodSettings,
    until: float = math.inf,
) -> Levels | None:
    """Return hidden levels that explain most links of a table better than arrows do; None without, or out of time.

    Parameters
    ----------
    columns : (n, d) float array
    links, required : (d, d) bool array
        The graph found, [parent, child], and the arrows that must stay.
    told : float
        Nats that the links tell by the likelihood that found them.
    settings : LikelihoodSettings
    until : float
        When to stop.
    """
    n, d = columns.shape
    R = (1.0 - RIDGE) * np.asarray(np.corrcoef(columns.T)) + RIDGE * np.eye(d)
    search = Search(R, n, links, required, 0.5 * math.log(n) + settings.caution, until)
    graph, plain = beside = search.alone()
    if plain.nats < settings.explained * told:
        return None  # straight lines miss what joins these columns, and take curves for hidden levels
    least, best = search.score(graph, plain) + settings.levels, -math.inf
    for m in range(1, d // SMALLEST + 1):
        wide = search.spread_over_all(m)
        if wide.nats < settings.near * plain.nats:
            continue
        found = search.beside(wide)
        if search.score(*found) <= best:
            break
        beside, best = found, search.score(*found)
    if best <= least:
        return None
    levels = search.without_slight(*beside)
    explained, most = int(levels.explained(links).sum()), settings.explained
    shown = explained > most * links.sum() and levels.shown_by(links).sum() > most * explained
    return levels if shown and not late(until) else None


def with_hidden_levels(found: Found, until: float = math.inf) -> Found:
    """Return what was found without the links that hidden levels explain, where there are such levels.

    On the scale of the data, if the table was taken on it; by normal scores otherwise: whatever monotone curves lie
    between levels and columns, they make them straight.
    """
    d = len(found.graph)
    plain = found.experiments is None and found.continuous and not found.repeats and not found.late
    if not plain or d > found.settings.ordered or not found.graph.any():
        return found
    columns = found.scale.children
    if not found.scale.name.startswith("data"):
        columns = np.apply_along_axis(normal_scores, 0, found.X)
    items = [item_of(found.graph, j) for j in range(d)]
    told = float((found.objective.gain(items) + reference(found.objective.gain, items)).sum())
    levels = hidden_levels(columns, found.graph, found.scene.known.required, told, found.settings, until)
    if levels is None:
        return found
    graph = found.graph & ~levels.explained(found.graph)
    left = [item_of(graph, j) for j in np.flatnonzero(graph.any(axis=0)).tolist()]
    for j, parents in eliminated(left, found.objective, graph, found.scene.known.required):
        graph[:, j] = np.isin(np.arange(d), parents)
    marked = levels.together & ~(graph | graph.T)
    return replace(found, graph=graph, levels=levels, marked=marked, scene=found.scene.without(marked))


def tempered(likely: FloatArray, graph: BoolArray, levels: Levels, known: Constraints) -> FloatArray:
    """Return the probabilities (d, d) of edges beside hidden levels.

    Two columns of a level are linked if the level acts through one of them. A link that is left may as well come from,
    or go to, another column of its end's level: half of its probability stands for that.
    """
    either = known.allowed & known.allowed.T & ~(known.required | known.required.T)
    linked = graph | graph.T
    within = np.where(known.allowed & ~known.required.T, levels.within, 0.0)
    likely = np.where(levels.together & ~linked & ~known.required, within, likely)
    half = (likely + likely.T + LINKED) / 4.0
    return np.asarray(np.where(levels.open(graph) & either, half, likely))
