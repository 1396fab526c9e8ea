"""Probabilities of edges: local odds of the objective, tempered by what the checks say of the model, calibrated.

Of every pair the best graph in which it is joined one way, the other way, or not at all is known (`alternatives.py`).
Differences of S(G) in nats would be log odds if the model were right, the search exhaustive and the rows independent.
None of it holds, so that two small logistic models map them to probabilities:

    logit P(linked)             = a · (1, h(margin), h(by processes), h(D), shared),           h(x) = log(1 + x / 2),
    logit P(direction | linked) = t (b · (h(D), h(D) · depends, h(D) · shared · doubt, h(by processes)))₊,

with another a, of 1, h(margin), the mean of h(margin) over the links of the table, and `unsettled`, off the graph. D
are the nats by which a direction beats the other one, less those that mean nothing. `shared` is log(1 + the number of
columns linked with both): a hidden cause of several columns joins each with each, so that links which close many
triangles are false more often. `unsettled` is the share of the table's links whose direction has no nats at all: where
it is large, the table is not what the model takes it for (hidden causes, measurement error), and what else it says of
directions among linked columns, or of links that are not there, is less sure. `doubt` is the same, and 1 where the two
columns alone fit as well both ways: their direction hangs on which columns are not linked, and where most are, a wrong
graph with fewer links may describe the data as well. t in [0, 1] is 0 where shapes cannot tell a direction (few values,
no noise, few distinct rows). Without nats for a direction, or where the link itself is no more likely true than false,
its probability is a half. The coefficients were fitted on simulated tables of many kinds, clean ones and ones made to
look measured, with half of the weight each (`benchmarks/calibrate.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dagscale.graphs.partial import equivalence_class
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.certainty.certainty_map import CALIBRATED, Map
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import OpenReason

CLAIMED = 0.8  # share of a link's probability that a direction needs to be claimed
LINKED, UNLINKED = 0.5, 0.49  # least probability of a link of the graph, largest of one that is not there
MARGIN = 2.0  # nats that one unit of compressed nats begins with
SLACK = 6.0  # nats for a direction that mean nothing: evidence of a density from 1000 rows errs by 3 to 8 ...
COMPELLED = (
    2.0  # ... and of one that follows from which columns are linked, where the two's shapes say nothing
)
FAR = 60.0  # nats beyond which more of them say nothing


@dataclass(frozen=True)
class Rules:
    """The evidence for directions before and after each rule, at the edges of a graph as `argwhere` lists them.

    Attributes
    ----------
    distrusted : dict of OpenReason to (edges,) bool array
        Where shapes cannot tell a direction at all, the rules in the order in which they are named.
    nats : dict of OpenReason to (edges,) float array
        What was left of `across` after each rule, in the order of the rules.
    processes : dict of OpenReason to (edges,) float array
        The same of the nats by processes, all 0 where these did not decide.
    trust : (edges,) float array
        As in `PairEvidence`, had there been time enough.
    """

    distrusted: Mapping[OpenReason, BoolArray]
    nats: Mapping[OpenReason, FloatArray]
    processes: Mapping[OpenReason, FloatArray]
    trust: FloatArray


@dataclass(frozen=True)
class PairEvidence:
    """What is known of every pair of columns under one graph.

    Attributes
    ----------
    graph : (d, d) bool array
        [parent, child].
    joined, apart : (d, d) float array
        As in `Alternatives`.
    across : (d, d) float array
        Nats for every edge's direction across models, those that shape alone gives to columns of few values taken
        off; NaN off the graph, or where not looked at.
    forward, backward : (d, d) float array
        Effect size of the dependence of the child's noise on its parent, of the edge and of the turned edge.
    processes, process_direction : (d, d) float array or None
        Nats of every edge and of its direction by Gaussian processes, where they decided.
    trust : (d, d) float array
        Of every edge, from 0 (shapes cannot tell its direction) to 1.
    shapeless : (d, d) bool array
        Of every edge, whether the two columns alone fit as well both ways: straight lines with normal noise.
    rules : Rules or None
        What the evidence was before each rule that lowered it.
    serial : float
        Mean absolute correlation of the noise with that of the row before, beyond chance: rows that follow each
        other count for fewer, (1 - r²) / (1 + r²) of them.
    """

    graph: BoolArray
    joined: FloatArray
    apart: FloatArray
    across: FloatArray
    forward: FloatArray
    backward: FloatArray
    trust: FloatArray
    shapeless: BoolArray | bool = False
    processes: FloatArray | None = None
    process_direction: FloatArray | None = None
    serial: float = 0.0
    rules: Rules | None = None

    @property
    def linked(self) -> BoolArray:
        """Symmetric: an edge joins the two."""
        return self.graph | self.graph.T

    @property
    def clear(self) -> float:
        """How clear the links of the table are: mean of their compressed nats, 0 without links."""
        own = compressed(self.margin[self.graph])
        return float(own.mean()) if len(own) else 0.0

    @property
    def shared(self) -> FloatArray:
        """log(1 + the number of columns linked with both) of every pair, (d, d)."""
        linked = self.linked.astype(np.float64)
        return np.asarray(np.log1p(linked @ linked))

    @property
    def unsettled(self) -> float:
        """Share of the links whose direction has no nats; 0 without links."""
        return float((self.direction[self.graph] == 0).mean()) if self.graph.any() else 0.0

    @property
    def tangled(self) -> FloatArray:
        """`shared` times how much it counts against a direction, (d, d)."""
        return self.shared * np.where(self.shapeless, 1.0, self.unsettled)

    @property
    def worth(self) -> float:
        """What a row counts for."""
        square = min(self.serial, 0.99) ** 2
        return (1.0 - square) / (1.0 + square)

    @property
    def margin(self) -> FloatArray:
        """Nats for a link, symmetric: its best graph over the best one without."""
        nats = np.clip(np.maximum(self.joined, self.joined.T), -FAR, FAR) - np.clip(self.apart, -FAR, FAR)
        return np.asarray(self.worth * nats)

    @property
    def direction(self) -> FloatArray:
        """Nats for the direction of every edge, at least 0: by the graphs near by, and across models; 0 elsewhere."""
        by_graphs = np.where(self.graph, -self.joined.T, np.inf)
        nats = np.fmin(by_graphs, self.across) - self.slack
        return self.worth * np.where(self.graph, np.maximum(nats, 0.0), 0.0)

    @property
    def slack(self) -> FloatArray:
        """Nats for the direction of every edge that mean nothing, (d, d)."""
        return slack_of(self.graph, self.shapeless)


def slack_of(graph: BoolArray, shapeless: BoolArray | bool) -> FloatArray:
    """Nats for the direction of every edge of a graph that mean nothing, (d, d); `shapeless` as in `PairEvidence`."""
    compelled = equivalence_class(graph)[0]
    return np.where(compelled & shapeless, COMPELLED, SLACK)


def compressed(nats: FloatArray) -> FloatArray:
    """Compress nats: even, about linear up to `MARGIN`, logarithmic beyond, constant from `FAR` on."""
    return np.asarray(np.sign(nats) * np.log1p(np.minimum(np.abs(nats), FAR) / MARGIN))


def link_features(seen: PairEvidence) -> FloatArray:
    """Features (d, d, k) for links; symmetric."""
    inside = seen.linked.astype(np.float64)
    near = compressed(seen.margin)
    by_processes = np.zeros_like(near)
    if seen.processes is not None:
        by_processes = compressed(_both(np.nan_to_num(seen.processes, nan=0.0, posinf=1e9)))
    columns = [
        inside, inside * near, inside * by_processes, compressed(_both(seen.direction)), inside * seen.shared,
        1.0 - inside, (1.0 - inside) * near, (1.0 - inside) * seen.clear, (1.0 - inside) * seen.unsettled,
    ]  # fmt: skip
    return np.stack(columns, axis=-1)


def direction_features(seen: PairEvidence) -> FloatArray:
    """Features (d, d, k) for the directions of edges, each times its compressed nats and its trust."""
    nats = seen.process_direction
    by_processes = np.zeros(seen.graph.shape) if nats is None else np.where(seen.graph, nats, 0.0)
    return features_of(seen.direction, seen.forward, seen.tangled, by_processes, seen.trust)


def features_of(
    nats: FloatArray, depends: FloatArray, tangled: FloatArray, processes: FloatArray, trust: FloatArray
) -> FloatArray:
    """Features (..., k) of directions with numbers as in `PairEvidence`, each (...)."""
    h = compressed(nats)
    by_processes = compressed(np.clip(np.nan_to_num(processes, nan=0.0, posinf=1e9), 0.0, None))
    return np.stack([h, h * depends, h * tangled, by_processes], axis=-1) * trust[..., None]


def share_of(features: FloatArray, coefficients: Map = CALIBRATED) -> FloatArray:
    """Probability (...) of directions with `features` (..., k), given the links: at least a half."""
    return _logistic(np.maximum(features @ np.array(coefficients.direction), 0.0))


def links(seen: PairEvidence, coefficients: Map = CALIBRATED) -> FloatArray:
    """Probability of every link, whether the graph has it or not, symmetric (d, d)."""
    linked = _logistic(link_features(seen) @ np.array(coefficients.link))
    return np.asarray((linked + linked.T) / 2.0)


def probabilities(seen: PairEvidence, known: Constraints, coefficients: Map = CALIBRATED) -> FloatArray:
    """Probability of every edge [parent, child] (d, d); of a pair, both directions together are at most 1."""
    linked = links(seen, coefficients)
    share = share_of(direction_features(seen), coefficients)
    way = np.where(seen.graph, np.where(linked < LINKED, 0.5, share), 0.0)
    way = np.where(seen.graph.T, 1.0 - way.T, way)
    way = np.where(seen.linked, way, _additions(seen, coefficients))
    linked = np.where(seen.linked, np.maximum(linked, LINKED), np.minimum(linked, UNLINKED))
    return _within(linked * way, known)


def _additions(seen: PairEvidence, coefficients: Map) -> FloatArray:
    """Share of either direction in what a link that is not in the graph would be, (d, d)."""
    there = np.clip(np.nan_to_num(seen.joined, neginf=-FAR), -FAR, FAR)
    return _logistic(coefficients.addition * np.clip(there - there.T, -FAR, FAR))


def _within(likely: FloatArray, known: Constraints) -> FloatArray:
    """Hold probabilities to what is known: what is required is certain, what is forbidden goes to the other way."""
    likely = np.where(known.allowed, likely, 0.0) + np.where(known.allowed.T, 0.0, likely.T) * known.allowed
    likely = np.where(known.required, 1.0, np.where(known.required.T, 0.0, likely))
    np.fill_diagonal(likely, 0.0)
    return likely


def open_links(likely: FloatArray, graph: BoolArray) -> BoolArray:
    """Mark links of which neither direction has 0.8 of the probability, symmetric (d, d)."""
    total = likely + likely.T
    return np.asarray((graph | graph.T) & (np.maximum(likely, likely.T) < CLAIMED * total))


def _both(values: FloatArray) -> FloatArray:
    """Give both orders of a pair the number of its edge; 0 where there is none."""
    return np.asarray(np.maximum(values, values.T))


def _logistic(x: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -40.0, 40.0))))
