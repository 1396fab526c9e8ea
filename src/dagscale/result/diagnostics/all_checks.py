"""`diagnose`: all checks of a graph's assumptions on rows of its table."""

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS, of_kinds
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.inputs.ranks import normal_scores
from dagscale.inputs.standardize import standardized
from dagscale.models.splines import SplineTable
from dagscale.result.certainty import SERIAL_ROWS
from dagscale.result.diagnostics.check import DOUBTFUL, OK, Check, Diagnostics
from dagscale.result.diagnostics.examine import Decided, examine
from dagscale.result.diagnostics.nodes import node_checks
from dagscale.result.diagnostics.sorting import trivial_sorts
from dagscale.result.diagnostics.whole import whole_checks
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.runtime.workers import one_blas_thread
from dagscale.stages.answer import StageKind

if TYPE_CHECKING:
    from dagscale.result import Result

FEWEST_ROWS = 30
DECIDED_ON = 2000  # rows that `auto` looks at, at most
ALLOWED = (
    "noise",
    "additivity",
)  # no fault of a column where the model has noise of any shape, and interactions
SCALE_FREE = ("auto", "cam")  # their answers do not change with the columns' units


def diagnose(
    X: FloatArray,
    names: list[Hashable],
    adjacency: BoolArray,
    *,
    table_rows: int | None = None,
    constraints: Constraints | None = None,
    alpha: float = 0.001,
    units_matter: bool = True,
    additive: bool = True,
    n_jobs: int | None = None,
    decided: Decided | None = None,
    kinds: tuple[str, ...] = (),
    experiments: bool = False,
) -> Diagnostics:
    """Check the assumptions behind a graph on rows of its table.

    Parameters
    ----------
    X : (n, d) float array
        Rows, in the units the method saw or might have seen.
    names : list of d names
    adjacency : (d, d) bool array
        [parent, child], acyclic.
    table_rows : int, optional
        Rows of the whole table, where X is a sample of it.
    constraints : Constraints, optional
        What was known; the trivial sorts are held to it too.
    alpha : float
        Level of the pruning that follows the trivial sorts.
    units_matter : bool
        Whether the method could see the columns' variances.
    additive : bool
        Whether the method decides on edges by additive tests.
    n_jobs : int or None
    decided : Decided, optional
        What the model that decided says of directions and residuals; additive fits tell otherwise.
    kinds : tuple of d str
        The columns' kinds, () where all are continuous. What levels and counts leave unexplained are randomised
        quantile residuals (Dunn and Smyth 1996).
    experiments : bool
        Whether the table has rows of other conditions besides X.

    Returns
    -------
    Diagnostics

    Notes
    -----
    Independence, additivity, noise and the residual tests behind hidden causes are corrected for the number
    of columns or pairs (Bonferroni), at one table in a hundred if the graph is right. Linearity, direction
    and the sorts are shares held against a limit, without a level; direction weighs additive fits, and leaves
    out the edges into columns whose parents interact.
    """
    n, d = X.shape
    if n < FEWEST_ROWS or not np.isfinite(X).all():
        why = f"only {n} rows" if n < FEWEST_ROWS else "values too large for single precision"
        return unchecked(f"nothing could be checked: {why}", n)
    rows = n if table_rows is None else table_rows
    known = Constraints.none(d) if constraints is None else constraints
    with one_blas_thread():
        splines = SplineTable.of(standardized(X, kinds), n_jobs=n_jobs, kinds=kinds)
        seen = examine(X, names, adjacency, rows, splines, n_jobs, decided)
        seen = replace(seen, experiments=experiments)
        sorts = trivial_sorts(X, adjacency, known, alpha, splines, n_jobs)
    columns = list(node_checks(seen))
    whole = tuple(whole_checks(seen, columns, sorts, units_matter, additive))
    if decided is not None:
        columns = [replace(one, verdict=OK) if one.name in ALLOWED else one for one in columns]
    return Diagnostics((*whole, *columns), n)


def diagnose_result(result: "Result") -> Diagnostics:
    """Check the assumptions behind a result on the rows it keeps.

    Where columns were set, or mechanisms changed, the graph says nothing of these columns: rows in which nothing was
    done are looked at, if there are enough.
    """
    if result.sample is None:
        return unchecked("nothing could be checked: the result was saved without its rows")
    X = result.sample.astype(np.float64)
    untouched = None if result.conditions is None else result.conditions.untouched
    if experiments := untouched is not None and int(untouched.sum()) >= FEWEST_ROWS:
        X = X[untouched]
    return diagnose(
        on_the_scale_used(X, result),
        result.names,
        result.adjacency,
        table_rows=result.n_samples,
        constraints=(result.knowledge or Knowledge()).resolve(result.names),
        alpha=result.settings.get("alpha") or 0.001,
        units_matter=result.method not in SCALE_FREE and not result.settings.get("standardize", False),
        additive=not result.trail or result.trail[-1].kind is StageKind.PRUNING,
        decided=_decided(result),
        kinds=result.table_kinds,
        experiments=experiments,
    )


def on_the_scale_used(X: FloatArray, result: "Result") -> FloatArray:
    """Return rows (n, d) on the scale that the method says it used: what is far out on another one did not matter."""
    used = next(
        (how for said, how in SCALES.items() if any(note.startswith(said) for note in result.notes)), None
    )
    if used is None:
        return X
    taken = of_kinds(result.table_kinds, (CONTINUOUS,), X.shape[1])
    return np.column_stack([used(x) if here else x for x, here in zip(X.T, taken, strict=True)])


def _logarithms(x: FloatArray) -> FloatArray:
    """Logarithms of a column (n,), where it has them."""
    return np.asarray(np.log(x)) if x.min() > 0 else x


SCALES = {  # what a method's note begins with
    "the columns were used as their logarithms": _logarithms,
    "the columns were used as normal scores": normal_scores,
}


def _decided(result: "Result") -> Decided | None:
    """Return what the method says of directions and residuals, if it says how sure it is."""
    edges = result.edge_table
    if "direction" not in edges or "probability" not in edges:
        return None
    place = {name: i for i, name in enumerate(result.names)}
    ends = tuple([place[name] for name in edges[side]] for side in ("source", "target"))
    direction = np.full(result.adjacency.shape, np.nan)
    direction[ends] = edges["direction"].to_numpy(np.float64)
    dependence = None
    if "dependence" in edges:
        dependence = np.full(result.adjacency.shape, np.nan)
        dependence[ends] = edges["dependence"].to_numpy(np.float64)
    rows = min(result.n_samples, DECIDED_ON)
    serial = any(note.startswith(SERIAL_ROWS) for note in result.notes)
    return Decided(result.either_way, direction, dependence, rows, result.confounded, serial)


def unchecked(sentence: str, rows: int = 0) -> Diagnostics:
    """Return diagnostics that say why there are none."""
    return Diagnostics((Check("sample", None, float(rows), DOUBTFUL, sentence),), rows)
