"""The method `auto`: a graph by Gaussian-process evidence, from the start that suits its density.

1. Start: CAM's greedy additive search, pruned. Scale-free, right for sparse graphs, seconds for any size.
2. Candidates: partners by marginal screening, and the start's edges in both directions.
3. Climb: add, delete and reverse edges while the evidence grows by more than the penalty, which learns the
   density of the graph; then look for the parents that screening missed, and climb again.
4. Small dense graphs have local optima that no single edge leaves. There the order of score matching is
   sifted by evidence over all predecessors, pruned and climbed too; the better of the two graphs is kept.

`effort="quick"` is step 1 and a search for parents that act through those found, one matrix product a node.
A table of heavy tails gets step 1 alone: there a few rows look like nonlinear evidence, and a climb can end
further from the truth than its start.
"""

from dataclasses import dataclass, replace

import numpy as np

from dagscale.candidates.predecessors import predecessors
from dagscale.candidates.screening import marginal_screen
from dagscale.evidence import Evidence
from dagscale.found import Found, Stage, topological_order
from dagscale.ordering.greedy import greedy_order
from dagscale.ordering.leaf import leaf_order
from dagscale.pairs import Numbers, has_number, with_numbers
from dagscale.pruning import additive
from dagscale.rows import KERNEL_ROWS, some_rows
from dagscale.run import Run
from dagscale.search.climb import climb, graph_score, parents_item
from dagscale.search.interactions import add_interacting
from dagscale.search.penalty import edge_penalty
from dagscale.search.sift import sift
from dagscale.splines import SplineTable
from dagscale.types import BoolArray, FloatArray

ALL_PAIRS = 12  # columns up to which every pair is a candidate
SIFTED = 20  # columns up to which an order is sifted ...
DENSE = 1.5  # ... if the graph found so far has so many edges a node
SIFT_ROWS = 500  # the order shows in few rows; its edges need all of them
PENALTY_ROUNDS = 3
SETTLED = 0.2  # nats: a penalty that changes by less decides nothing
SCREENINGS = 3  # times that missed partners are looked for
PROPOSED = 4  # partners proposed to a node each time, those beyond the chance of one false one a node
HEAVY_COLUMNS = 0.25  # share of columns with heavy tails from which on the evidence is not believed
OUTLYING = 0.01  # Laplace noise has 0.002 of its rows beyond six robust standard deviations, normal none
PARTNERS = 4  # of each column, by marginal screening
INTERACTION_ROWS = 3000  # with more, most parents show alone, and one wrong edge makes others look right
INTERACTING = 0.01  # level of a test among d candidates, over that of a test among the few that were chosen
SCREEN_LEVEL = 0.1  # of a single pair's test: the evidence decides, the screen only has to be short


def auto(X: FloatArray, run: Run, *, alpha: float = 0.001) -> Found:
    """The best this project can do, chosen by measurement; it says what it chose."""
    table = SplineTable.of(X, n_jobs=run.n_jobs)
    start, p_values = _additive_start(X, run, table, alpha)
    if run.effort == "quick":
        return _with_interactions(table, run, start, p_values, alpha)
    if (heavy := heavy_tailed(X)) >= HEAVY_COLUMNS:
        return _additive_found(
            run, start, p_values, alpha,
            f"auto kept to CAM's greedy search, pruned: {heavy:.0%} of the columns have heavy tails, where "
            "Gaussian-process evidence mistakes outliers for effects; transform='log' may help",
        )  # fmt: skip
    search = Search(Evidence(X, run.n_jobs, run.device, memory=run.memory), run)
    mask = _candidates(run, table, start)
    graph, mask = search.explore(start, mask)
    notes = ["auto started from CAM's greedy search and climbed by Gaussian-process evidence"]
    if (used := search.evidence.columns.n) < len(X):
        notes.append(
            f"the start saw all rows; the evidence looked at {used:,} of the {len(X):,}, drawn at random"
        )
    dense = graph.sum() >= DENSE * len(graph)
    if dense and len(graph) <= SIFTED and not run.out_of_time():
        other = search.sift(X)
        penalty = edge_penalty(graph)
        if graph_score(other, search.evidence, penalty) > graph_score(graph, search.evidence, penalty):
            graph = other
            notes.append(
                "a dense graph: sifting the order of score matching gave more evidence, and was kept"
            )
    if run.out_of_time():
        notes.append("the time budget ended the search: this is the best graph so far")
    return _found(search, graph, mask, tuple(notes))


@dataclass
class Search:
    """The searches of `auto`, over one cache of evidences."""

    evidence: Evidence
    run: Run

    def explore(self, graph: BoolArray, mask: BoolArray) -> tuple[BoolArray, BoolArray]:
        """Climb, propose partners that screening missed, and climb again; return also all pairs tried."""
        for _ in range(SCREENINGS):
            graph = self.climb(graph, mask)
            proposed = self.proposals(graph)
            wider = mask | ((proposed | proposed.T) & self.run.constraints.allowed)
            if np.array_equal(wider, mask) or self.run.out_of_time():
                return graph, mask
            mask = wider
        return self.climb(graph, mask), mask

    def climb(self, graph: BoolArray, mask: BoolArray) -> BoolArray:
        """Climb, learn the density, and climb again until the penalty has settled."""
        known = self.run.constraints
        penalty = edge_penalty(graph)
        for _ in range(PENALTY_ROUNDS):
            graph = climb(
                graph, self.evidence, mask, penalty, known.required, known.before,
                out_of_time=self.run.out_of_time, progress=self.run.progress,
            )  # fmt: skip
            settled, penalty = penalty, edge_penalty(graph)
            if abs(settled - penalty) < SETTLED:
                break
        return graph

    def proposals(self, graph: BoolArray) -> BoolArray:
        """Columns whose joining a node would be a surprise, the few strongest of each, (d, d)."""
        d = len(graph)
        surprise = self.evidence.screen([parents_item(graph, j) for j in range(d)]).T  # [candidate, node]
        ranks = np.argsort(np.argsort(-surprise, axis=0, kind="stable"), axis=0, kind="stable")
        proposed: BoolArray = (surprise > np.log(d)) & (ranks < PROPOSED)
        return proposed

    def sift(self, X: FloatArray) -> BoolArray:
        """Sift the order of score matching by evidence, keep what it supports, and climb from there."""
        run = self.run
        few = Evidence(X, run.n_jobs, run.device, max_rows=SIFT_ROWS, memory=run.memory)
        rows, _ = some_rows(X, KERNEL_ROWS)
        order = leaf_order(
            rows, run.constraints.before, device=run.device, n_jobs=run.n_jobs, memory=run.memory
        )
        order = sift(
            order, few, run.constraints.allowed, run.constraints.before,
            out_of_time=run.out_of_time, progress=run.progress,
        )  # fmt: skip
        mask = predecessors(order, run.constraints.allowed)
        graph = self._relevant(mask) | run.constraints.required
        return self.climb(graph, mask & self._worth_a_look(graph))

    def _relevant(self, mask: BoolArray) -> BoolArray:
        """Fit every node given all its candidates; keep those its length scales do not switch off."""
        kept = np.zeros_like(mask)
        items = [parents_item(mask, j) for j in range(len(mask))]
        for (j, parents), fit in zip(items, self.evidence.fits(items), strict=True):
            kept[list(parents), j] = fit.weights > RELEVANT
        return kept

    def _worth_a_look(self, graph: BoolArray) -> BoolArray:
        return graph | graph.T


RELEVANT = 0.01  # an inverse squared length scale: below, ten standard deviations change nothing


def _additive_start(X: FloatArray, run: Run, table: SplineTable, alpha: float) -> tuple[BoolArray, Numbers]:
    """CAM's greedy graph, pruned at a level that d columns' worth of tests can bear."""
    chosen = run.memory.once(
        "greedy likelihood",
        lambda: greedy_order(X, None, run.constraints, splines=table, n_jobs=run.n_jobs)[1],
    )
    level = min(alpha, 1.0 / len(chosen))
    return additive.prune(
        X, chosen, level, run.constraints.required, run.n_jobs, run.progress,
        splines=table, memory=run.memory,
    )  # fmt: skip


def _candidates(run: Run, table: SplineTable, start: BoolArray) -> BoolArray:
    """Pairs that may become edges, in both directions, as far as knowledge allows."""
    allowed = run.constraints.allowed
    if len(start) <= ALL_PAIRS:
        return allowed
    return (marginal_screen(table, SCREEN_LEVEL * len(start), PARTNERS) | start | start.T) & allowed


def heavy_tailed(X: FloatArray) -> float:
    """Share of the columns with more than `OUTLYING` of their rows beyond six robust standard deviations."""
    from_median = np.abs(X - np.median(X, axis=0))
    deviation = 1.4826 * np.median(from_median, axis=0)
    return float(((from_median > 6.0 * deviation).mean(axis=0) > OUTLYING).mean())


def _additive_found(run: Run, graph: BoolArray, p_values: Numbers, alpha: float, note: str) -> Found:
    order = topological_order(graph | run.constraints.before)
    trail = (
        Stage("knowledge", run.constraints.allowed),
        Stage("greedy likelihood", has_number(p_values) | run.constraints.required),
        Stage("additive pruning", graph, p_values, "p-value", min(alpha, 1.0 / len(graph))),
    )
    return Found(order, graph, {"p_value": p_values}, trail, (note,))


def _with_interactions(
    table: SplineTable, run: Run, start: BoolArray, p_values: Numbers, alpha: float
) -> Found:
    """Add to the additive start the parents that act through those it has."""
    known, level = run.constraints, INTERACTING * min(alpha, 1.0 / len(start))
    rows, notes = some_rows(table.data, INTERACTION_ROWS, "the search for interactions")
    few = SplineTable.of(rows, n_jobs=run.n_jobs) if notes else table
    graph, added = run.memory.once(
        "interactions",
        lambda: add_interacting(few, start, known.allowed, known.before, level, run.n_jobs),
        start,
    )
    note = (
        f"auto, quick: CAM's greedy search, pruned, and {len(added)} edges by interactions with its parents"
    )
    found = _additive_found(run, start, p_values, alpha, note)
    all_p_values = with_numbers(p_values, [(i, j, p) for _, i, j, p in added])
    stage = Stage("interactions", graph, all_p_values, "p-value")
    order = topological_order(graph | known.before)
    return replace(
        found, order=order, adjacency=graph, evidence={"p_value": all_p_values},
        trail=(*found.trail, stage), notes=(*found.notes, *notes), splines=table,
    )  # fmt: skip


def _found(search: Search, graph: BoolArray, mask: BoolArray, notes: tuple[str, ...]) -> Found:
    """Read off every edge's evidence, and that for its direction."""
    run, penalty = search.run, edge_penalty(graph)
    edges = edge_evidence(graph, search.evidence)
    direction = direction_evidence(graph, search.evidence)
    known = run.constraints
    trail = (
        Stage("knowledge", known.allowed),
        Stage("screening", mask | graph),
        Stage("evidence", graph, edges, "evidence in nats", penalty),
    )
    order = topological_order(graph | known.before)
    evidence = {"evidence": edges, "direction": direction}
    return Found(order, graph, evidence, trail, (*notes, f"an edge had to earn {penalty:.1f} nats"))


def edge_evidence(graph: BoolArray, gain: Evidence) -> FloatArray:
    """Nats that each edge's child would lose without it; NaN off the graph."""
    edges = [(int(i), int(j)) for i, j in np.argwhere(graph)]
    whole = gain([parents_item(graph, j) for _, j in edges])
    less = gain([_without(graph, i, j) for i, j in edges])
    return _at(graph, whole - less)


def direction_evidence(graph: BoolArray, gain: Evidence) -> FloatArray:
    """Nats by which each edge beats its reversal, all else unchanged; NaN off the graph."""
    edges = [(int(i), int(j)) for i, j in np.argwhere(graph)]
    now = gain([parents_item(graph, j) for _, j in edges]) + gain([parents_item(graph, i) for i, _ in edges])
    child = gain([_without(graph, i, j) for i, j in edges])
    parent = gain([(i, (*parents_item(graph, i)[1], j)) for i, j in edges])
    return _at(graph, now - child - parent)


def _without(graph: BoolArray, i: int, j: int) -> tuple[int, tuple[int, ...]]:
    return j, tuple(k for k in parents_item(graph, j)[1] if k != i)


def _at(graph: BoolArray, values: FloatArray) -> FloatArray:
    spread = np.full(graph.shape, np.nan)
    spread[graph] = values  # row by row, as argwhere lists the edges
    return spread
