"""Knowledge after the fact: a result that obeys it, and what each piece of it costs in evidence.

The evidence of a graph is the penalised log likelihood of its additive fits, in nats,

    S = sum_j L_j(pa_j),   L_j(P) = -n/2 log RSS_j(P) - edf_j(P)/2 log n,

on the rows the result keeps; of a child of levels or counts, L_j is that of `models.levels`. A piece of knowledge
costs what the edges it takes out of the graph found are worth, L_j(pa_j) - L_j(pa_j - i) each, less what the edges it
forces in are worth in the new graph.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.inputs.standardize import standardized
from dagscale.models.levels import LevelFit
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.runtime.wiring import given
from dagscale.runtime.workers import one_blas_thread
from dagscale.stages.answer import Answer, Stage, StageKind
from dagscale.stages.candidates.predecessors import predecessors
from dagscale.stages.ordering.greedy_kinds import open_for_few_values, open_links
from dagscale.stages.pruning.additive import prune
from dagscale.stages.pruning.by_rows import prune_by_rows

if TYPE_CHECKING:
    from dagscale.result import Result

MARK = "knowledge changed afterwards: "  # notes that begin so belong to the last change
TOLD = 20  # constraints whose cost is told in the notes; `costs` has all


def revise(result: "Result", knowledge: Knowledge | None, n_jobs: int | None = None) -> "Result":
    """Return a new result that obeys the knowledge; see `Result.with_knowledge`."""
    if result.sample is None:
        raise InputError(
            "the result was saved without its rows, so nothing can be tested: discover with knowledge="
        )
    names = result.names
    new = (knowledge or Knowledge()).resolve(names)
    old = (result.knowledge or Knowledge()).resolve(names)
    X = result.sample.astype(np.float64)
    order = np.argsort(result.explainer.position)
    with one_blas_thread():
        kinds = result.table_kinds
        splines = SplineTable.of(standardized(X, kinds), n_jobs=n_jobs, kinds=kinds)
        if order_stands(order, old, new) and result.trail and result.trail[-1].kind is StageKind.PRUNING:
            revised = _prune_again(result, knowledge, order, old, new, splines, n_jobs)
        else:
            revised = _run_again(result, knowledge, X, n_jobs)
        worth = Worth(splines, result, revised)
        costs = tuple(worth.cost(label, piece) for label, piece in pieces(knowledge or Knowledge()))
        total = worth.total(costs)
    told = [f"{MARK}{entry['sentence']}" for entry in costs if entry["cost"] > 0][:TOLD]
    return replace(revised, notes=(*revised.notes, *told), costs=(*costs, total))


def order_stands(order: IntArray, old: Constraints, new: Constraints) -> bool:
    """Say whether an order found under old constraints is one the new ones would have given.

    Methods that peel leaves take the best leaf that is allowed: if every choice is still allowed, and none
    was forced by something since taken back, they choose the same again.
    """
    position = np.argsort(order)
    held = position[:, None] < position
    return bool((held | ~new.before).all() and (new.before | ~old.before).all())


def _prune_again(
    result: "Result",
    knowledge: Knowledge | None,
    order: IntArray,
    old: Constraints,
    new: Constraints,
    splines: SplineTable,
    n_jobs: int | None,
) -> "Result":
    """Test the columns whose candidates changed; all others keep their edges and p-values."""
    last = result.trail[-1]
    assert last.statistic is not None
    alpha = 0.001 if last.threshold is None else last.threshold
    tested = ~np.isnan(last.statistic)
    returned = (
        predecessors(order, new.allowed) & ~old.allowed
    )  # what the old knowledge had kept from being tried
    mask = (tested & new.allowed) | new.required | returned
    changed = (mask != tested).any(axis=0) | (new.required != old.required).any(axis=0)
    again, p_again = _tested(result, mask & changed, alpha, new.required & changed, splines, n_jobs)
    adjacency = np.where(changed, again, result.adjacency)
    p_values = np.where(changed, p_again, last.statistic)
    middle = [
        replace(stage, kept=(stage.kept & new.allowed) | new.required | returned)
        for stage in result.trail[:-1]
        if stage.kind not in (StageKind.KNOWLEDGE, StageKind.ORDER)
    ]
    trail = (
        Stage(StageKind.KNOWLEDGE, new.allowed),
        Stage(StageKind.ORDER, predecessors(order, new.allowed)),
        *middle,
        Stage(StageKind.PRUNING, adjacency, p_values, last.label, alpha),
    )
    columns = int(changed.sum())
    notes = [f"{MARK}the order found satisfies it; {columns} of {len(changed)} columns were pruned again"]
    if columns:
        notes[0] += _on_rows(result)
    if result.method in ("cam", "auto"):
        notes.append(f"{MARK}a new search under this knowledge might choose another order, see discover")
    either_way = open_links(adjacency, result.table_kinds, new.before)
    because = open_for_few_values(adjacency, either_way)
    found = Answer(
        order,
        adjacency,
        {"p_value": p_values},
        trail,
        tuple(notes),
        either_way=either_way,
        open_because=because,
    )
    table = result.kept_table(*_kept_notes(result))
    made = type(result).from_answer(
        found, table, result.method, result.settings, result.timings, knowledge, n_jobs
    )
    return replace(made, n_samples=result.n_samples, versions=result.versions)


def _tested(
    result: "Result",
    mask: BoolArray,
    alpha: float,
    required: BoolArray,
    splines: SplineTable,
    n_jobs: int | None,
) -> tuple[BoolArray, FloatArray]:
    """Test edges on all rows; where columns were set in some, on the rows in which the child was not."""
    done = result.conditions
    if done is None or not done.targets.any():
        kept, p_values = prune(splines.X, mask, alpha, required, n_jobs, splines=splines)
    else:
        kept, p_values = prune_by_rows(
            splines.X, mask, done.targets, alpha, required, n_jobs, kinds=result.table_kinds
        )
    return kept, np.asarray(p_values)


def _run_again(result: "Result", knowledge: Knowledge | None, X: FloatArray, n_jobs: int | None) -> "Result":
    """Run the method again on the rows the result keeps."""
    note = f"{MARK}the order found contradicts it; ordered again{_on_rows(result)}"
    table = result.kept_table(*_kept_notes(result), note)
    again: Result = given("rerun")(result, table, knowledge, n_jobs)
    return again


def _on_rows(result: "Result") -> str:
    assert result.sample is not None
    kept, rows = len(result.sample), result.n_samples
    if kept == rows:
        return f", on all {rows} rows"
    return f", on the {kept} rows kept with the result out of {rows}: discover on the whole table sees more"


def _kept_notes(result: "Result") -> tuple[str, ...]:
    return tuple(note for note in result.notes if not note.startswith(MARK))


def pieces(knowledge: Knowledge) -> list[tuple[str, Knowledge]]:
    """Take knowledge apart: every required or forbidden edge, root and leaf alone, the tiers together."""
    found = [
        (f"{kind} {shown(a)} -> {shown(b)}", Knowledge(**{kind: [(a, b)]}))
        for kind in ("required", "forbidden")
        for a, b in getattr(knowledge, kind)
    ]
    if knowledge.tiers:
        found.append(("tiers", Knowledge(tiers=knowledge.tiers)))
    found += [(f"root {shown(name)}", Knowledge(roots=[name])) for name in knowledge.roots]
    return found + [(f"leaf {shown(name)}", Knowledge(leaves=[name])) for name in knowledge.leaves]


@dataclass(frozen=True)
class Worth:
    """What edges are worth in evidence, in the graph before and in the one after.

    Attributes
    ----------
    splines : SplineTable
        Of the rows kept, standardised.
    before, after : Result
    own : dict of int to SplineTable
        Of the children that were set in some rows, the splines of the others.
    """

    splines: SplineTable
    before: "Result"
    after: "Result"
    own: dict[int, SplineTable] = field(default_factory=dict)

    def evidence(self, child: int, parents: BoolArray) -> float:
        """Return L_j(P)."""
        splines = self._rows_of(child)
        n, y = len(splines.X), splines.X[:, child]
        varying = np.flatnonzero(parents & (np.diff(splines.starts) > 0))
        if not y.any():
            return 0.0
        if splines.kind(child) != CONTINUOUS:
            return LevelFit.of(splines, child, varying).schwarz
        if not len(varying):
            return -n / 2 * float(np.log(y @ y))
        fit = AdditiveFit.of(splines, child, varying)
        return -n / 2 * float(np.log(fit.deviance)) - fit.solution.trace / 2 * float(np.log(n))

    def _rows_of(self, child: int) -> SplineTable:
        """Splines of the rows in which a child was not set."""
        done, kinds = self.before.conditions, self.before.table_kinds
        if done is None or not (set_ := done.targets[:, child]).any():
            return self.splines
        if child not in self.own:
            self.own[child] = SplineTable.of(standardized(self.splines.X[~set_], kinds), kinds=kinds)
        return self.own[child]

    def edge(self, adjacency: BoolArray, i: int, j: int) -> float:
        """Evidence that the graph owes to its edge i -> j."""
        without = adjacency[:, j].copy()
        without[i] = False
        return self.evidence(j, adjacency[:, j]) - self.evidence(j, without)

    def cost(self, label: str, piece: Knowledge) -> dict[str, Any]:
        """Return one piece's entry: constraint, cost, p_value, removed, forced, sentence."""
        names = self.before.names
        alone = piece.resolve(names)
        removed = np.argwhere(self.before.adjacency & ~alone.allowed)
        forced = np.argwhere(alone.required & ~self.before.adjacency)
        lost = sum(self.edge(self.before.adjacency, i, j) for i, j in removed)
        gained = sum(self.edge(self.after.adjacency, i, j) for i, j in forced)
        cost = float(lost - gained)
        p_value = self._p_value(alone, removed)
        named = {"removed": removed, "forced": forced}
        pairs = {key: [(names[i], names[j]) for i, j in edges.tolist()] for key, edges in named.items()}
        told = [
            f"{key} {', '.join(f'{shown(a)} -> {shown(b)}' for a, b in edges[:3])}"
            + (f" and {len(edges) - 3} more" if len(edges) > 3 else "")
            for key, edges in pairs.items()
            if edges
        ]
        verb = "lowers" if cost > 0 else "raises"
        change = f"{verb} the log likelihood by {abs(cost):.1f}" if cost else "is free"
        sentence = f"{label} {change}" + (f" ({'; '.join(told)})" if told else ": the graph already agreed")
        return {"constraint": label, "cost": cost, "p_value": p_value, **pairs, "sentence": sentence}

    def total(self, costs: tuple[dict[str, Any], ...]) -> dict[str, Any]:
        """Return the last entry: what the whole change costs, knock-on effects included."""
        old, new = self.before.adjacency, self.after.adjacency
        changed = np.flatnonzero((old != new).any(axis=0)).tolist()
        cost = sum((self.evidence(j, old[:, j]) - self.evidence(j, new[:, j]) for j in changed), 0.0)
        names = self.before.names
        pairs = {
            key: [(names[i], names[j]) for i, j in np.argwhere(edges).tolist()]
            for key, edges in (("removed", old & ~new), ("forced", new & ~old))
        }
        edges = f"edges out: {len(pairs['removed'])}, in: {len(pairs['forced'])}"
        sentence = f"all together: {-cost:+.1f} in log likelihood, {edges}"
        return {"constraint": "all together", "cost": cost, "p_value": None, **pairs, "sentence": sentence}

    def _p_value(self, alone: Constraints, removed: Any) -> float | None:
        """p-value of a single required edge where it now is, or of a single edge taken out where it was."""
        required = np.argwhere(alone.required)
        if len(required) == 1:
            return _statistic(self.after, *required[0])
        return _statistic(self.before, *removed[0]) if len(removed) == 1 else None


def _statistic(result: "Result", i: int, j: int) -> float | None:
    last = result.trail[-1] if result.trail else None
    if last is None or last.statistic is None or "p-value" not in last.label:
        return None
    value = float(last.statistic[i, j])
    return None if np.isnan(value) else value
