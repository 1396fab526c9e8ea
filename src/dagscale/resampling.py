"""How sure is it? The method run again on resampled tables; `confidence.py` counts what comes back.

Three ways to resample: n rows with replacement (the bootstrap); a share of the rows without replacement; or
complementary pairs, two disjoint halves at a time (Shah and Samworth 2013). Subsamples carry an error bound.
"""

from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.flow import settings_of
from dagscale.graphs.dag import descendants
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.inputs.knowledge.taken_for_set import taken_for_set
from dagscale.inputs.table import Table, read_table
from dagscale.methods.checkpoint_identity import identity_of
from dagscale.methods.numbers_only import needs_numbers
from dagscale.methods.registry import METHODS, check_request
from dagscale.methods.run_resamples import Drawn, Job, run_all
from dagscale.result.confidence import HALF, Bootstrap, Selection
from dagscale.runtime.checkpoint import RESAMPLES, Checkpoint, Identity
from dagscale.runtime.errors import InputError, InputTypeError, shown
from dagscale.runtime.progress import Progress, reporter
from dagscale.runtime.resume import FORGETFUL

if TYPE_CHECKING:
    from dagscale.result import Result

__all__ = ["Bootstrap", "Selection", "bootstrap", "confidence_of"]


def bootstrap(
    table: Any,
    method: str = "auto",
    replicates: int = 100,
    *,
    subsample: float | None = None,
    pairs: bool = False,
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
) -> Bootstrap:
    """Run a method on many resamples of a table and count what comes back.

    Parameters
    ----------
    table, method, knowledge, alpha, device, effort, standardize, missing, transform, columns, drop,
    interventions, environment, kinds
        As in `discover`, and so are the method's settings.
    replicates : int
        How many times; made even where `pairs`.
    subsample : float, optional
        Share of the rows, drawn without replacement. None draws as many rows as there are with replacement.
    pairs : bool
        Draw two disjoint subsamples at a time, halves unless `subsample` is smaller: what the error bound of
        `Bootstrap.stability_selection` is sharpest for.
    n_jobs : int, optional
        Replicates run at once, each in a process of its own with one BLAS thread; None is the active
        `joblib.parallel_config` (also "dask"), else all cores. On another device than the CPU one at a
        time. Never changes the result.
    random_state : int
        Seed; every replicate has its own stream.
    progress : bool or callable
        As in `discover`, counting replicates.
    time_budget : float, optional
        Seconds for each replicate, for `auto`; the result then depends on the machine.
    checkpoint : path, optional
        Folder where finished replicates are kept, removed at the end. After an interruption of any kind the
        same call goes on from there, to the same result.

    Returns
    -------
    Bootstrap

    Examples
    --------
    >>> import dagscale
    >>> sim = dagscale.simulate(nodes=4, samples=200, random_state=1)
    >>> sure = dagscale.bootstrap(sim.table, method="varsort", replicates=4, n_jobs=1)
    >>> sure.confidence.shape
    (4, 4)
    """
    if alpha is not None:
        settings["alpha"] = alpha
    check_request(
        method,
        settings,
        replicates=replicates,
        pairs=pairs,
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
    share = _checked(replicates, subsample, pairs)
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
    request = _Request(method, settings, knowledge, standardize, device, effort, time_budget)
    kept = Checkpoint.at(checkpoint, RESAMPLES)
    sure = _resampled(data, request, replicates, share, pairs, n_jobs, random_state, progress, kept)
    if kept is not None and not isinstance(checkpoint, Checkpoint):
        kept.remove()
    return sure


def confidence_of(
    result: "Result",
    replicates: int,
    pairs: bool,
    n_jobs: int | None,
    progress: bool | Progress,
) -> Bootstrap:
    """Run a result's method again on resamples of the rows it keeps; see `Result.with_confidence`."""
    data = result.kept_table()
    used = result.settings
    request = _Request(
        result.method,
        settings_of(result),
        result.knowledge,
        used.get("standardize"),
        device=used.get("device", "cpu"),
        effort=used.get("effort", "full"),
        time_budget=used.get("time_budget"),
    )
    share = _checked(replicates, None, pairs)
    return _resampled(data, request, replicates, share, pairs, n_jobs, used.get("random_state", 0), progress)


@dataclass(frozen=True)
class _Request:
    """What to run on every resample; the fields are arguments of `bootstrap`."""

    method: str
    settings: dict[str, Any]
    knowledge: Knowledge | None = None
    standardize: bool | None = None
    device: str = "cpu"
    effort: str = "full"
    time_budget: float | None = None


def _resampled(
    data: Table,
    request: _Request,
    replicates: int,
    share: float | None,
    pairs: bool,
    n_jobs: int | None,
    random_state: int,
    progress: bool | Progress,
    checkpoint: Checkpoint | None = None,
) -> Bootstrap:
    if share is not None and int(share * len(data.X)) < 20:
        raise InputError(f"subsample={share} of {len(data.X)} rows leaves fewer than 20: give a larger share")
    constraints = (request.knowledge or Knowledge()).resolve(data.names)
    if request.method == "auto":  # resamples are not crossed
        constraints, _ = taken_for_set(data, request.knowledge, constraints)
    chosen = METHODS[request.method]
    needs_numbers(chosen, request.method, data)
    scaled = chosen.standardize if request.standardize is None else request.standardize
    job = Job(
        chosen.function,
        request.settings,
        scaled,
        constraints,
        data.names,
        share,
        pairs,
        request.device,
        request.effort,
        request.time_budget,
    )
    count, n_jobs = replicates + replicates % 2 if pairs else replicates, n_jobs if job.device == "cpu" else 1

    def identity() -> Identity:
        told = (sorted(job.settings.items()), random_state, job.effort, job.time_budget, job.device, scaled)
        return identity_of(data, request.method, ("bootstrap", told, share, pairs), constraints)

    memory = nullcontext(FORGETFUL) if checkpoint is None else checkpoint.open(identity)
    with reporter(progress) as report, memory as kept:
        drawn = run_all(job, data, random_state, count, n_jobs, report, kept)
    used = {**chosen.settings(), **request.settings, "standardize": scaled, "random_state": random_state}
    return _counted(drawn, list(data.names), constraints, request.method, used, share, pairs)


def _checked(replicates: Any, subsample: Any, pairs: bool) -> float | None:
    """Return the share of the rows to draw, None for the bootstrap."""
    if isinstance(replicates, bool) or not isinstance(replicates, int | np.integer):
        raise InputTypeError(f"replicates must be a whole number, not {shown(replicates)}")
    if replicates < 1:
        raise InputError(f"replicates={replicates}: give at least 1")
    if subsample is None:
        return HALF if pairs else None
    if isinstance(subsample, bool) or not isinstance(subsample, int | float) or not 0 < subsample < 1:
        raise InputError(f"subsample={shown(subsample)}: give a share of the rows between 0 and 1")
    if pairs and subsample > HALF:
        raise InputError(f"subsample={subsample} with pairs=True: two disjoint samples hold at most 0.5 each")
    return float(subsample)


def _counted(
    drawn: list[Drawn],
    names: list[Any],
    constraints: Constraints,
    method: str,
    settings: dict[str, Any],
    share: float | None,
    pairs: bool,
) -> Bootstrap:
    d = len(names)
    confidence, precedence, ancestry = (np.zeros((d, d)) for _ in range(3))
    sizes = np.zeros(len(drawn), dtype=np.intp)
    for k, (adjacency, order) in enumerate(drawn):
        position = np.argsort(order)
        confidence += adjacency
        precedence += position[:, None] < position
        ancestry += descendants(adjacency)
        sizes[k] = int((adjacency & ~constraints.required).sum())
    possible = int((constraints.allowed & ~constraints.required).sum())
    return Bootstrap(
        names,
        confidence / len(drawn),
        precedence / len(drawn),
        ancestry / len(drawn),
        sizes,
        possible,
        method,
        settings,
        share,
        pairs,
    )
