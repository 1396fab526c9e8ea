"""The searches by evidence that `auto` is put together from, over one cache of evidences."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dagscale.inputs.subsample import KERNEL_ROWS, subsample
from dagscale.methods.auto.align import Aligner, Offer
from dagscale.methods.auto.climb import Moves, Race, climb, graph_score, path_moves, single_moves
from dagscale.methods.auto.penalty import choice_cost, edge_penalty, fitted_scale, log_odds
from dagscale.methods.auto.reconsider import ROUGH, accept, reconsidered
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.auto.sift import order_score, sift
from dagscale.methods.context import Context
from dagscale.models.gain import Item, parents_item
from dagscale.models.gp import Evidence
from dagscale.models.gp.alignment import Alignment
from dagscale.models.gp.rows_evidence import evidence_of
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.stages.candidates.predecessors import predecessors
from dagscale.stages.ordering.leaf import leaf_order
from dagscale.stages.pruning.evidence import drop_by_halves

OBSERVED = 100  # rows in which nothing was set, from which on they give the order of score matching


@dataclass
class Searcher:
    """Ways from a graph to a better one, all by the same evidence and under the conditions of one run."""

    evidence: Evidence
    context: Context
    offers: dict[int, Offer] = field(default_factory=dict)  # of aligned sets, those made so far
    race: Race | None = None  # which moves are worth the evidence
    left_out: BoolArray | None = None  # cells that tell nothing of their column (n, d)

    def penalty(self, graph: BoolArray) -> float:
        """Nats that an edge must earn in a graph as dense as this one."""
        if self.evidence.prior:  # the evidence has paid for the length scales itself
            return SETTINGS.caution + max(0.0, log_odds(graph))
        return edge_penalty(graph, self.evidence.columns.n)

    def score(self, graph: BoolArray) -> float:
        """Score a graph so that graphs of any density compare."""
        own = 0.0 if self.evidence.prior else fitted_scale(self.evidence.columns.n)
        return graph_score(graph, self.evidence, own) - choice_cost(graph)

    def informed(self, graph: BoolArray) -> "Searcher | None":
        """Return the search by evidence that knows what length scales are like here, if they are alike."""
        if self.evidence.shaped or self.evidence.splined or not graph.any():
            return None  # neither evidence of more than processes nor an empty graph tells their scales
        known = self.evidence.with_prior(_items(graph))
        alike = known.prior and known.prior.scale[1] < SETTINGS.alike
        return replace(self, evidence=known) if alike else None

    def explore(self, graph: BoolArray, mask: BoolArray) -> tuple[BoolArray, BoolArray]:
        """Climb, propose partners that screening missed, and climb again; return also all pairs tried."""
        for _ in range(SETTINGS.screenings):
            graph = self.climb(graph, mask)
            if np.array_equal(mask, self.context.constraints.allowed):
                return graph, mask
            proposed = self._proposals(graph)
            wider = mask | ((proposed | proposed.T) & self.context.constraints.allowed)
            if np.array_equal(wider, mask) or self.context.out_of_time():
                return graph, mask
            mask = wider
        return self.climb(graph, mask), mask

    def explore_nearby(self, graph: BoolArray) -> tuple[BoolArray, BoolArray]:
        """Explore with the graph's own edges in either direction."""
        return self.explore(graph, (graph | graph.T) & self.context.constraints.allowed)

    def climb(self, graph: BoolArray, mask: BoolArray) -> BoolArray:
        """Climb, learn the density, and climb again until the penalty has settled."""
        penalty = self.penalty(graph)
        for _ in range(SETTINGS.penalty_rounds):
            graph = self._climbed(graph, mask, penalty, single_moves)
            graph = self._turned(graph, mask, penalty) if self.evidence.shaped else graph
            settled, penalty = penalty, self.penalty(graph)
            if abs(settled - penalty) < SETTINGS.settled:
                break
        return graph

    def climb_nearby(self, graph: BoolArray) -> BoolArray:
        """Climb with the graph's own edges in either direction."""
        return self.climb(graph, (graph | graph.T) & self.context.constraints.allowed)

    def _turned(self, graph: BoolArray, mask: BoolArray, penalty: float) -> BoolArray:
        """Turn whole paths and climb on: where the noise's shape counts, a start has not known of it."""
        for _ in range(SETTINGS.turns):
            turned = self._climbed(graph, mask, penalty, path_moves)
            if np.array_equal(turned, graph):
                break
            graph = self._climbed(turned, mask, penalty, single_moves)
        return graph

    def _climbed(self, graph: BoolArray, mask: BoolArray, penalty: float, moves: Moves) -> BoolArray:
        known = self.context.constraints
        return climb(
            graph, self.evidence, mask, penalty, known.required, known.before, moves=moves, race=self.race,
            max_parents=SETTINGS.max_parents,
            out_of_time=self.context.out_of_time, progress=self.context.progress,
        )  # fmt: skip

    def reconsider(
        self, graph: BoolArray, mask: BoolArray, rounds: int, offered: int
    ) -> tuple[BoolArray, BoolArray]:
        """Offer all likely parents at once, for sets that are nothing without each other, and explore."""
        known = self.context.constraints
        for done in range(rounds):
            if self.context.out_of_time():
                break
            self.context.progress("likeliest graph: parents once more", done, rounds)
            penalty = self.penalty(graph)
            offers = reconsidered(graph, self.evidence, penalty, known, offered)
            after = accept(graph, offers, self.evidence, penalty, known)
            if np.array_equal(after, graph):
                break
            graph, near = self.explore_nearby(after)
            mask = mask | near
        self.context.progress("likeliest graph: parents once more", rounds, rounds)
        return graph, mask

    def align(self, graph: BoolArray) -> BoolArray:
        """Replace nodes' parents by better sets that align with them."""
        return self._aligned(graph, range(len(graph)))

    def align_roots(self, graph: BoolArray) -> BoolArray:
        """Give columns without parents the sets that align with them, if those are worth it."""
        return self._aligned(graph, np.flatnonzero(~graph.any(axis=0)).tolist())

    def _aligned(self, graph: BoolArray, nodes: Sequence[int]) -> BoolArray:
        penalty = self.penalty(graph)
        offers = self._aligner()(graph, nodes, penalty)
        return accept(graph, offers, self.evidence, penalty, self.context.constraints)

    def _aligner(self) -> Aligner:
        """Make what offers sets by the scales usual in this table; its kernels may take a gigabyte."""
        evidence, context = self.evidence, self.context
        assert evidence.prior is not None
        jobs = evidence.n_jobs if evidence.device == "cpu" else 1
        alignment = Alignment(evidence.columns, evidence.prior)
        return Aligner(
            alignment,
            context.constraints,
            jobs,
            evidence.memory,
            context.out_of_time,
            context.progress,
            self.offers,
        )

    def order(self, X: FloatArray) -> IntArray:
        """Return the order of score matching, sources first."""
        context = self.context
        observed = X if self.left_out is None else X[~self.left_out.any(axis=1)]
        rows, _ = subsample(observed if len(observed) >= OBSERVED else X, KERNEL_ROWS)
        return leaf_order(
            rows,
            context.constraints.before,
            device=context.device,
            n_jobs=context.n_jobs,
            memory=context.memory,
        )

    def sift(self, X: FloatArray, *orders: IntArray) -> BoolArray:
        """Sift orders by evidence and return the predecessors that the likeliest of them supports."""
        context, rough = self.context, self._rough(X, SETTINGS.sift_rows)
        sifted = [
            sift(
                order, rough, context.constraints.allowed, context.constraints.before,
                window=SETTINGS.sift_places, out_of_time=context.out_of_time, progress=context.progress,
            )
            for order in orders
        ]  # fmt: skip
        if len(sifted) > 1:
            sifted.sort(key=lambda order: -order_score(order, rough, context.constraints.allowed))
        order = sifted[0]
        graph = (
            self._relevant(predecessors(order, context.constraints.allowed)) | context.constraints.required
        )
        return drop_by_halves(self.evidence, graph, context.constraints.required, self.penalty(graph))

    def _rough(self, X: FloatArray, rows: int) -> Evidence:
        """Return the evidence of so many rows, not to the last nat."""
        context, own = self.context, self.evidence
        rough = evidence_of(
            X, self.left_out, n_jobs=context.n_jobs, device=context.device, max_rows=rows, plan=ROUGH,
            shaped=own.shaped, memory=context.memory,
        )  # fmt: skip
        return rough.with_splines() if own.splined else rough

    def _proposals(self, graph: BoolArray) -> BoolArray:
        """Columns whose joining a node would be a surprise, the few strongest of each, (d, d)."""
        d = len(graph)
        surprise = self.evidence.screen(_items(graph)).T  # [candidate, node]
        ranks = np.argsort(np.argsort(-surprise, axis=0, kind="stable"), axis=0, kind="stable")
        proposed: BoolArray = (surprise > np.log(d)) & (ranks < SETTINGS.proposed)
        return proposed

    def _relevant(self, mask: BoolArray) -> BoolArray:
        """Fit every node given all its candidates; keep those its length scales do not switch off."""
        kept = np.zeros_like(mask)
        items = _items(mask)
        for (j, parents), fit in zip(items, self.evidence.fits(items), strict=True):
            kept[list(parents), j] = fit.weights > SETTINGS.relevant
        return kept


def _items(graph: BoolArray) -> list[Item]:
    return [parents_item(graph, j) for j in range(len(graph))]
