"""The method `auto`: one objective for every kind of noise, then Gaussian processes where they apply.

1. A search by one objective (`search/likelihood_search.py`): mean, spread and density of every child given its
   parents, on the scale that the whole table is likeliest on. `effort="quick"` ends here.
2. Links that hidden levels or a hidden cause explain better than arrows are taken out and marked (`hidden/levels.py`,
   `hidden/links.py`).
3. Where noise came out additive and of even spread, and columns are few or parents many, the search goes on, on the
   same scale, by the marginal likelihood of Gaussian processes (`search/processes.py`), which see interactions of many
   parents.
4. What graph and likelihood say of edges, directions and doubts is read off (`certainty/reading.py`), and becomes
   probabilities (`certainty/probabilities.py`).

Rows under conditions (interventions, environments) are told apart by `conditions/changes.py`: a column that was set in
a row, or had another mechanism there, tells nothing of its mechanism in that row. In tables of many columns, columns
share sets of rows for that (`search/row_sets.py`).
"""

import time
from dataclasses import replace

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.inputs.standardize import standardized
from dagscale.inputs.subsample import drawn_note
from dagscale.methods.auto.certainty.open_reasons import open_reasons
from dagscale.methods.auto.certainty.pair_evidence import pair_evidence
from dagscale.methods.auto.certainty.probabilities import PairEvidence, open_links, probabilities
from dagscale.methods.auto.certainty.reading import Reading
from dagscale.methods.auto.conditions.changes import search_conditions, with_conditions
from dagscale.methods.auto.hidden.levels import tempered, with_hidden_levels
from dagscale.methods.auto.hidden.links import with_hidden_causes
from dagscale.methods.auto.hidden.marks import hidden_causes
from dagscale.methods.auto.search.align import is_dense
from dagscale.methods.auto.search.found import Found
from dagscale.methods.auto.search.likelihood_search import search
from dagscale.methods.auto.search.objective import item_of
from dagscale.methods.auto.search.processes import read_off, refine
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.gp.rows_evidence import evidence_of
from dagscale.models.likelihood.density import shape_evidence
from dagscale.models.likelihood.rows_gain import whole
from dagscale.runtime.clock import BudgetSpent, why_late
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import Answer, Stage, StageKind

READING = 0.3  # share of a time budget that is kept for reading off edges and directions
READ = 3  # steps of it that progress counts
UNJUDGED = (
    "with so many columns, neither probabilities nor the support for each direction were computed: "
    "read the arrows as the likelier directions"
)
SERIAL = 0.1  # correlation with the row before from which on it is said


def auto(X: FloatArray, context: Context, *, alpha: float = 0.001) -> Answer:
    """The best this project can do, chosen by measurement; it says what it chose.

    Parameters
    ----------
    X : (n, d) array
    context : Context
    alpha : float
        Taken because other methods take it, and not used: the likelihood decides, there is no test with a level.
    """
    found, refined = settled(X, replace(context, deadline=_before(context.deadline)))
    reading, judged = Reading(found, n_jobs=context.n_jobs), X.shape[1] <= SETTINGS.judged
    if judged:
        context.progress("how sure: checking residuals", 0, READ)
        _ = reading.residuals  # needed in any case: what is left of the time is for other graphs
        reading = reading.by(_before(context.deadline))
        context.progress("how sure: comparing graphs with one link changed", 1, READ)
    else:
        reading = replace(reading, until=_before(context.deadline))
    answer = refined or _answer(reading, context)
    if (used := len(found.X)) < len(X):
        answer = replace(answer, notes=(*answer.notes, drawn_note("the search", used, len(X))))
    if not judged:
        return with_conditions(replace(answer, notes=(*answer.notes, UNJUDGED)), found.experiments)
    context.progress("how sure: comparing directions", 2, READ)
    seen = pair_evidence(reading, None if refined is None else refined.evidence)
    return with_conditions(_with_certainty(answer, reading, seen, context), found.experiments)


def _before(deadline: float) -> float:
    """Return when the search must end, so that edges and directions are read off by the deadline."""
    now = time.monotonic()
    return now + (1.0 - READING) * (deadline - now)


def settled(X: FloatArray, context: Context) -> tuple[Found, Answer | None]:
    """Search to the end; return the graph with its likelihood, and the answer of processes where they decided."""
    began = time.monotonic()
    found = search(X, context) if context.conditions is None else search_conditions(X, context)
    found = with_hidden_levels(found, context.deadline)
    if found.levels is not None:
        return found, None  # processes know nothing of levels, and would join the columns again
    found = _with_hidden(found, context)
    if context.effort == "quick" or found.late or not _additive(found):
        return found, None
    if len(found.graph) > SETTINGS.narrow_table and not is_dense(found.graph):
        return found, None  # the search's own processes tell as much of few parents, in a tenth of the time
    if context.deadline - (now := time.monotonic()) < now - began:  # processes take longer than the search
        return replace(found, late=True), None
    return _refined(found, context)


def _with_hidden(found: Found, context: Context) -> Found:
    """Take out the links that a hidden cause explains better.

    Of the search's own graph: its likelihood does not see the sets of many parents that processes find, and would take
    links of theirs for hidden causes. Experiments tell of links themselves. Noise whose spread follows the parents is
    not passed on as it is, and no pair is marked there.
    """
    if found.experiments is not None or found.uneven or len(found.graph) > SETTINGS.narrow_table:
        return found
    return with_hidden_causes(found, context.deadline)


def _additive(found: Found) -> bool:
    """Say whether processes have more to say: parents interact, and noise is as they assume it."""
    as_measured = found.experiments is None or found.scale.name == "data"
    return found.interacting and found.continuous and as_measured and not (found.uneven or found.repeats)


def _refined(found: Found, context: Context) -> tuple[Found, Answer | None]:
    """Search on by processes from the graph found, on its scale."""
    told = found.experiments
    X = standardized(whole(found.scale).parents if told is None else told.table)
    evidence = evidence_of(
        X, None if told is None else told.left_out, n_jobs=context.n_jobs, device=context.device,
        shaped=_shape(found) > SETTINGS.shaped, memory=context.memory, deadline=context.deadline,
    )  # fmt: skip
    scene = replace(found.scene, mask=found.scene.mask | found.graph)
    try:
        graph, objective = refine(evidence, found.graph, scene, found.objective, context)
        if context.out_of_time():
            return replace(found, late=True), None
        answer = read_off(objective, graph, scene, context, found.notes)
    except BudgetSpent:
        return replace(found, late=True), None
    return found.at(graph), replace(answer, trail=(*_before_search(found, context), *answer.trail[1:]))


def _shape(found: Found) -> float:
    """Nats a row by which the density of the noise beats the normal one, mean over the children of the graph."""
    children = np.flatnonzero(found.graph.any(axis=0)).tolist()
    noise = [found.objective.gain.noise(item_of(found.graph, j)) for j in children]
    return float(shape_evidence(np.stack(noise)).mean()) / len(found.X) if noise else 0.0


def _before_search(found: Found, context: Context) -> tuple[Stage, ...]:
    """Return what knowledge rules out and, where there are any, the links that hidden causes explain better."""
    told = Stage(StageKind.KNOWLEDGE, context.constraints.allowed)
    return (told, Stage(StageKind.HIDDEN_CAUSE, ~found.shared)) if found.shared.any() else (told,)


def _answer(reading: Reading, context: Context) -> Answer:
    """Lay out what the search by one objective found."""
    found, known, numbers = reading.found, context.constraints, reading.numbers
    trail = (
        *_before_search(found, context),
        Stage(StageKind.SCREENING, found.scene.mask | found.graph),
        Stage(StageKind.LIKELIHOOD, found.graph, numbers.nats, "gain in log likelihood", found.price),
    )
    kept = "an edge was kept where it raises" if found.graph.any() else "no edge raises"
    notes = [*found.notes, f"{kept} the log likelihood by more than {found.price:.1f}"]
    if found.late:
        notes.append(why_late())
    columns = {"evidence": numbers.nats, "direction_nats": numbers.direction}
    order = topological_order(found.graph | known.before)
    return Answer(order, found.graph, columns, trail, tuple(notes), strength=numbers.share)


def _with_certainty(answer: Answer, reading: Reading, seen: PairEvidence, context: Context) -> Answer:
    """Add how likely every edge is, which links stay open, and what makes them doubtful."""
    found = reading.found
    likely = probabilities(seen, context.constraints)
    if found.levels is not None:
        likely = tempered(likely, found.graph, found.levels, context.constraints)
    open_ = open_links(likely, found.graph)
    if (told := found.experiments) is not None:
        settled = told.settled(found.graph)
        open_ = open_ & ~(settled | settled.T)
    depends = np.where(found.graph, seen.forward, np.nan)
    hidden = (
        found.shared
        if found.uneven or found.levels is not None
        else found.shared | hidden_causes(found.graph, reading.residuals, seen.direction)
    )
    notes = [*answer.notes, *_open_note(found.graph, open_), *_rows_note(reading.residuals.follows)]
    return replace(
        answer,
        evidence={**answer.evidence, "dependence": depends},
        probabilities=likely,
        either_way=open_,
        open_because=open_reasons(seen, open_, found.levels),
        confounded=hidden,
        levels=() if found.levels is None else found.levels.places,
        notes=tuple(notes),
    )


def _rows_note(follows: float) -> list[str]:
    """Say that rows depend on those before them, where residuals follow those of the row before."""
    if follows < SERIAL:
        return []
    return [
        f"rows are not independent: residuals have a correlation of {follows:.2f} with those of the row before, so the "
        "evidence was reduced accordingly"
    ]


def _open_note(graph: BoolArray, either_way: BoolArray) -> list[str]:
    """Say how many links have no direction that the data support."""
    count, links = int((graph & either_way).sum()), int(graph.sum())
    if not count:
        return []
    have = "has" if count == 1 else "have"
    return [f"{count} of {links} links {have} an open direction: the data do not support either one"]
