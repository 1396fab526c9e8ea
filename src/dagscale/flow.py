"""The whole flow of one run: table -> X, names -> method -> Result. Read this first."""

import time
from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.inputs.knowledge.left_out import resolved
from dagscale.inputs.knowledge.taken_for_set import taken_for_set
from dagscale.inputs.standardize import standardized
from dagscale.inputs.table import Table, read_table
from dagscale.methods.auto.search.replicates import why_units_are_not_used
from dagscale.methods.checkpoint_identity import identity_of
from dagscale.methods.context import Context
from dagscale.methods.forecast import refuse_what_does_not_fit
from dagscale.methods.numbers_only import needs_numbers
from dagscale.methods.registry import METHODS, check_request
from dagscale.result import Result
from dagscale.runtime.checkpoint import Checkpoint
from dagscale.runtime.clock import stoppable
from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.progress import Progress, reporter
from dagscale.runtime.resume import FORGETFUL
from dagscale.runtime.workers import one_blas_thread
from dagscale.stages.answer import Answer, Stage, StageKind

LOOKS_AT_THE_CLOCK = ("auto", "grandag")


def discover(
    table: Any,
    method: str = "auto",
    knowledge: Knowledge | None = None,
    alpha: float | None = None,
    n_jobs: int | None = None,
    device: str = "cpu",
    random_state: int = 0,
    progress: bool | Progress = False,
    effort: str = "full",
    time_budget: float | None = None,
    standardize: bool | None = None,
    missing: str = "raise",
    transform: str | Mapping[Hashable, str] | None = None,
    columns: Sequence[Hashable] | None = None,
    drop: Sequence[Hashable] | None = None,
    checkpoint: str | Path | Checkpoint | None = None,
    interventions: Any = None,
    environment: Hashable | None = None,
    kinds: Mapping[Hashable, str] | None = None,
    **settings: Any,
) -> Result:
    """Find the causal graph behind a table.

    Parameters
    ----------
    table : DataFrame (pandas, polars), arrow table, array, dict of columns, or path to a file
        One row per observation, one column per variable.
    method : str
        "auto", "das", "score", "nogam", "cam", "grandag", or a baseline ("empty", "random", "varsort", ...).
    knowledge : Knowledge, optional
        Edges that must or must not be there, tiers, roots, leaves.
    alpha : float, optional
        Level of the pruning test; None is the method's own.
    n_jobs : int, optional
        Workers; None is the active `joblib.parallel_config`, else all cores. Never changes the result.
    device : str
        "cpu", or a torch device such as "cuda".
    random_state : int
        Seed of everything random; the same seed gives the same result.
    progress : bool or callable
        True draws bars on a terminal; a callable gets (label, done, total).
    effort : {"full", "quick"}
        How hard `auto` tries.
    time_budget : float, optional
        Seconds after which `auto` returns the best graph so far.
    standardize : bool, optional
        Bring columns to mean 0 and variance 1 first. None: as the method does; the paper's methods
        take the table as it is, and so does `auto`, whose result does not depend on units.
    missing : {"raise", "drop", "impute"}
        What to do with rows that have missing values; "impute" fills in the column's median or most
        frequent level.
    transform : {"log", "rank"} or dict of column to one of them, optional
        Applied to continuous columns before anything else.
    columns, drop : list of names, optional
        Columns to use, or to leave out.
    checkpoint : path, optional
        Folder where a run of more than a few seconds leaves what it has finished, removed at the end. After
        an interruption of any kind the same call goes on from there, to the same result.
    interventions : name of a column, or (n, d) mask, optional
        Which columns were set in which row: a column with their names ("akt", or "akt,pkc"; empty, missing or
        "obs" for none, "?" for something unknown), or booleans with the table's rows and columns. A row in
        which a column was set tells nothing of what moves that column, and much of what it moves.
    environment : name of a column, optional
        Its labels are conditions under which unknown mechanisms may have changed; `Result.changed` says which
        did. Compared with the label "obs", "control" or "reference", or the most frequent one.
    kinds : dict of column to kind, optional
        "continuous", "binary", "categorical", "ordinal" or "count", in place of what is recognised;
        `Result.kinds` says what was used.
    **settings
        Settings of the method (K, cutoff, eta, ...); unknown names are refused.

    Returns
    -------
    Result
        Order, adjacency, edges with their evidence, and the reasons; see `Result`.

    Examples
    --------
    >>> import dagscale
    >>> sim = dagscale.simulate(nodes=5, samples=300, random_state=1)
    >>> result = dagscale.discover(sim.table, method="das")
    >>> result.adjacency.shape
    (5, 5)
    """
    if alpha is not None:
        settings["alpha"] = alpha
    check_request(
        method,
        settings,
        knowledge=knowledge,
        n_jobs=n_jobs,
        device=device,
        random_state=random_state,
        progress=progress,
        effort=effort,
        time_budget=time_budget,
        standardize=standardize,
        checkpoint=checkpoint,
    )
    data = read_table(
        table,
        columns=columns,
        drop=drop,
        transform=transform,
        missing=missing,
        kinds=kinds,
        interventions=interventions,
        environment=environment,
    )
    kept = Checkpoint.at(checkpoint)
    result = run_table(
        data,
        method,
        settings,
        knowledge=knowledge,
        n_jobs=n_jobs,
        device=device,
        random_state=random_state,
        progress=progress,
        effort=effort,
        time_budget=time_budget,
        standardize=standardize,
        checkpoint=kept,
    )
    if kept is not None and not isinstance(checkpoint, Checkpoint):
        kept.remove()
    if isinstance(table, str | Path):
        return replace(result, settings={**result.settings, "table": Path(table).name})
    return result


def run_table(
    data: Table,
    method: str,
    settings: dict[str, Any],
    *,
    knowledge: Knowledge | None = None,
    n_jobs: int | None = None,
    device: str = "cpu",
    random_state: int = 0,
    progress: bool | Progress = False,
    effort: str = "full",
    time_budget: float | None = None,
    standardize: bool | None = None,
    checkpoint: Checkpoint | None = None,
) -> Result:
    """Run a method on a validated table; what `discover` and the scikit-learn estimators share."""
    knowledge, given, said = resolved(knowledge, data)
    constraints, designed = taken_for_set(data, knowledge, given) if method == "auto" else (given, ())
    chosen = METHODS[method]
    scaled = chosen.standardize if standardize is None else standardize
    needs_numbers(chosen, method, data)
    X = standardized(data.X, data.kinds) if scaled else data.X
    refuse_what_does_not_fit(X.shape, method, device, effort, n_jobs, settings.get("max_rows"))
    started = time.monotonic()
    deadline = float("inf") if time_budget is None else started + time_budget

    def identity() -> dict[str, str]:
        told = (sorted(settings.items()), random_state, effort, time_budget, device, scaled)
        return identity_of(data, method, told, constraints)

    memory = nullcontext(FORGETFUL) if checkpoint is None else checkpoint.open(identity)
    stop = stoppable() if method == "auto" else nullcontext()
    with reporter(progress) as report, one_blas_thread(), memory as kept, stop:
        run = (n_jobs, device, random_state, report, effort, deadline, kept)
        context = Context(constraints, *run, data.kinds, data.conditions, data.units)
        answer = chosen.function(X, context, **settings)
    notes = (*said, *designed, *answer.notes, *_not_used(method, data, effort, time_budget))
    answer = replace(_with_design(answer, given, constraints), notes=notes)
    return Result.from_answer(
        answer,
        data,
        method=method,
        settings={
            **chosen.settings(),
            **settings,
            **_run_settings(method, effort, device, time_budget),
            "standardize": scaled,
            "random_state": random_state,
        },
        timings={method: time.monotonic() - started},
        knowledge=knowledge,
        n_jobs=n_jobs,
    )


def rerun(result: Result, table: Table, knowledge: Knowledge | None, n_jobs: int | None) -> Result:
    """Run a result's method again, with its settings, on a table and under knowledge of the caller's."""
    return run_table(
        table,
        result.method,
        settings_of(result),
        knowledge=knowledge,
        n_jobs=n_jobs,
        random_state=result.settings.get("random_state", 0),
        effort=result.settings.get("effort", "full"),
        standardize=result.settings.get("standardize"),
    )


def _with_design(answer: Answer, given: Constraints, known: Constraints) -> Answer:
    """Tell what the user knows from what the design of the experiment tells."""
    if known is given:
        return answer
    told = Stage(StageKind.KNOWLEDGE, given.allowed), Stage(StageKind.DESIGN, known.allowed)
    return replace(answer, trail=(*told, *answer.trail[1:]))


def _not_used(method: str, data: Table, effort: str, time_budget: float | None) -> list[str]:
    """Say which arguments the method takes no notice of."""
    notes = [*METHODS[method].not_used(data.conditions), *_units_not_used(method, data)]
    if time_budget is not None and method not in LOOKS_AT_THE_CLOCK:
        notes.append("the time budget was not used: only `auto` and `grandag` look at the clock")
    if effort != "full" and method != "auto":
        notes.append("the effort was not used: only `auto` has more than one")
    return notes


def _units_not_used(method: str, data: Table) -> list[str]:
    """Say that rows which belong together count each for itself, where they do."""
    if data.units is None:
        return []
    why = "only `auto` does" if method != "auto" else why_units_are_not_used(data.units, data.X.shape[1])
    every = "every row counts as an observation of its own"
    return [f"which rows belong together was not used ({why}): {every}"] if why else []


def _run_settings(method: str, effort: str, device: str, time_budget: float | None) -> dict[str, Any]:
    """How a method was run, as far as it was not by default: a rerun on resamples does the same."""
    told: dict[str, Any] = {"effort": effort} if method == "auto" else {}
    if device != "cpu":
        told["device"] = device
    if time_budget is not None:
        told["time_budget"] = time_budget
    return told


def settings_of(result: Result) -> dict[str, Any]:
    """Return the settings of a result that its method takes."""
    if result.method not in METHODS:
        raise InputError(f"the result's method {shown(result.method)} is not known here: use discover")
    own = METHODS[result.method].settings()
    return {name: value for name, value in result.settings.items() if name in own}
