"""The method `auto`: a graph by Gaussian-process evidence, from the start that suits its density.

1. Start: CAM's greedy additive search, pruned, and the parents that act through those found. Scale-free,
   right for sparse graphs, seconds for any size.
2. Candidates: partners by marginal screening, and the start's edges in both directions.
3. Climb: add, delete and reverse edges while the evidence grows by more than the penalty, which learns the
   density of the graph; then look for the parents that screening missed, and climb again.
   Small graphs with a dense start have local optima that no single edge leaves: there the order of score
   matching is sifted by evidence over all predecessors, and climbed from.
4. Reconsider: offer every node all its likely parents at once, for sets that are nothing one by one.

`effort="quick"` is step 1. A table with heavy-tailed columns is taken on the scale on which parents tell more
of their children: as it is, or by the normal scores of ranks (`margins.py`).
"""

from dataclasses import replace

import numpy as np

from dagscale.candidates.screening import marginal_screen
from dagscale.evidence import Evidence
from dagscale.evidence.edges import direction_evidence, edge_evidence
from dagscale.found import Found, Stage, topological_order
from dagscale.margins import scales, told
from dagscale.ordering.greedy import greedy_order
from dagscale.pairs import Numbers, has_number, with_numbers
from dagscale.pruning import additive
from dagscale.pruning.evidence import shares
from dagscale.rows import some_rows
from dagscale.run import Run
from dagscale.search.climb import graph_score
from dagscale.search.interactions import add_interacting
from dagscale.search.reconsider import NARROW, WIDE
from dagscale.search.searcher import Searcher
from dagscale.splines import SplineTable
from dagscale.types import BoolArray, FloatArray

ALL_PAIRS = 12  # columns up to which every pair is a candidate
SIFTED = 20  # columns up to which an order is sifted ...
DENSE = 1.5  # ... if the graph has so many edges a node
RECONSIDERED = 2  # times that a graph with so many edges is reconsidered; a sparse one once ...
SPARSE_SIZE = 200  # ... up to so many columns
EITHER_WAY = 3.0  # nats: an edge with less evidence for its direction may point either way
PARTNERS = 4  # of each column, by marginal screening
INTERACTION_ROWS = 3000  # with more, most parents show alone, and one wrong edge makes others look right
INTERACTING = 0.01  # level of a test among d candidates, over that of a test among the few that were chosen
SCREEN_LEVEL = 0.1  # of a single pair's test: the evidence decides, the screen only has to be short


def auto(X: FloatArray, run: Run, *, alpha: float = 0.001) -> Found:
    """The best this project can do, chosen by measurement; it says what it chose."""
    X, table, start, p_values, said = _start(X, run, alpha)
    quick = _with_interactions(table, run, start, p_values, alpha)
    if run.effort == "quick":
        return replace(quick, notes=(*quick.notes, *said))
    search = Searcher(Evidence(X, run.n_jobs, run.device, memory=run.memory), run)
    graph, mask, notes = _searched(search, X, quick.adjacency, _candidates(run, table, quick.adjacency))
    notes += said
    if (used := search.evidence.columns.n) < len(X):
        notes.append(
            f"the start saw all rows; the evidence looked at {used:,} of the {len(X):,}, drawn at random"
        )
    if run.out_of_time():
        notes.append("the time budget ended the search: this is the best graph so far")
    return _found(search, graph, mask, notes)


def _searched(
    search: Searcher, X: FloatArray, start: BoolArray, mask: BoolArray
) -> tuple[BoolArray, BoolArray, list[str]]:
    """Return the graph, the pairs that were looked at, and what was done."""
    small = len(start) <= SIFTED
    graph, notes = start, []
    if not (small and _dense(start)):
        graph, mask = search.explore(start, mask)
        notes = ["auto started from CAM's greedy search and climbed by Gaussian-process evidence"]
    if small and _dense(graph) and not search.run.out_of_time():
        sifted = search.sift(X)
        penalty = search.penalty(graph)
        if graph_score(sifted, search.evidence, penalty) > graph_score(graph, search.evidence, penalty):
            graph, mask = sifted, mask | sifted
            notes.append("a small dense graph: auto sifted the order of score matching by evidence")
    if _dense(graph):
        graph, mask = search.reconsider(graph, mask, RECONSIDERED, WIDE)
    elif len(graph) <= SPARSE_SIZE:
        graph, mask = search.reconsider(graph, mask, 1, NARROW)
    return graph, mask, notes


def _dense(graph: BoolArray) -> bool:
    return bool(graph.sum() >= DENSE * len(graph))


def _start(
    X: FloatArray, run: Run, alpha: float
) -> tuple[FloatArray, SplineTable, BoolArray, Numbers, list[str]]:
    """Start on the scale on which parents tell most; return it with its splines, graph and p-values."""
    choices, most = scales(X), -np.inf
    for values, said in choices:
        table = SplineTable.of(values, n_jobs=run.n_jobs)
        graph, p_values = _additive_start(values, run, table, alpha)
        nats = told(values, table, graph, run.n_jobs) if len(choices) > 1 else 0.0
        if nats >= most:
            most, best = nats, (values, table, graph, p_values, said)
    return best


def _additive_start(X: FloatArray, run: Run, table: SplineTable, alpha: float) -> tuple[BoolArray, Numbers]:
    """CAM's greedy graph, pruned at a level that d columns' worth of tests can bear."""
    known, memory = run.constraints, run.memory.within("additive start", X)
    chosen = memory.once(
        "greedy likelihood",
        lambda: greedy_order(
            X, None, known, splines=table, n_jobs=run.n_jobs, device=run.device, memory=memory
        )[1],
    )
    level = min(alpha, 1.0 / len(chosen))
    return additive.prune(
        X, chosen, level, known.required, run.n_jobs, run.progress, splines=table, memory=memory
    )


def _candidates(run: Run, table: SplineTable, start: BoolArray) -> BoolArray:
    """Pairs that may become edges, in both directions, as far as knowledge allows."""
    allowed = run.constraints.allowed
    if len(start) <= ALL_PAIRS:
        return allowed
    return (marginal_screen(table, SCREEN_LEVEL * len(start), PARTNERS) | start | start.T) & allowed


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
        lambda: add_interacting(few, start, known.allowed, known.before, level, run.n_jobs, run.device),
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


def _found(search: Searcher, graph: BoolArray, mask: BoolArray, notes: list[str]) -> Found:
    """Read off every edge's evidence, that for its direction, and its shares of the child's variance."""
    run, penalty = search.run, search.penalty(graph)
    edges = edge_evidence(graph, search.evidence)
    direction = direction_evidence(graph, search.evidence)
    known = run.constraints
    trail = (
        Stage("knowledge", known.allowed),
        Stage("screening", mask | graph),
        Stage("evidence", graph, edges, "evidence in nats", penalty),
    )
    order = topological_order(graph | known.before)
    notes.append(f"an edge had to earn {penalty:.1f} nats")
    if either_way := int((direction[graph & ~known.before] < EITHER_WAY).sum()):
        notes.append(
            f"{either_way} of {int(graph.sum())} edges may point either way (less than {EITHER_WAY:.0f} nats "
            "for their direction): linear effects with normal noise do not tell it"
        )
    total, alone = shares(search.evidence, graph)
    columns = {"evidence": edges, "direction": direction, "share": total, "share_alone": alone}
    return Found(order, graph, columns, trail, tuple(notes))
