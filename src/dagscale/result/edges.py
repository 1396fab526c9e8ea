"""How strong each edge is, and whether it raises or lowers its child: one additive fit per child.

The strength (`splines.strength`) is the share of the child's variance that the graph cannot explain without
this parent; of a child of levels or counts (`models.levels`), the share of its deviance.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from dagscale.graphs.dag import parents_by_child, with_edges
from dagscale.inputs.kinds import CATEGORICAL, CONTINUOUS
from dagscale.inputs.standardize import standardized
from dagscale.inputs.subsample import evenly_spaced_rows
from dagscale.models.levels import LevelFit
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.strength import noise_variance, strengths, terms
from dagscale.result.certainty import given_linked
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.runtime.workers import worth_processes
from dagscale.stages.answer import Answer

T = TypeVar("T")
ChildFit = AdditiveFit | LevelFit
ROWS = 2000  # strengths and curves need no more rows than this; evenly spaced ones are taken
SIGNIFICANT = 2.0  # standard errors by which an average slope must differ from zero to have a sign


def edge_table(
    X: FloatArray,
    names: list[Any],
    found: Answer,
    n_jobs: int | None = None,
    kinds: tuple[str, ...] = (),
    left_out: BoolArray | None = None,
) -> pd.DataFrame:
    """Lay out the edges, strongest first: source, target, strength, sign, then the method's evidence.

    Cells `left_out` (n, d) tell nothing of their column's mechanism.
    """
    parents, children = np.nonzero(found.adjacency)
    strength, sign = np.zeros(len(parents)), np.zeros(len(parents), dtype=np.intp)
    place_of = {ends: k for k, ends in enumerate(zip(parents.tolist(), children.tolist(), strict=True))}
    for rows, adjacency in by_rows(found.adjacency, left_out):
        own_X = X if rows is None else X[rows]
        fitted = fit_children(own_X, adjacency, _summary, n_jobs, splines=found.splines, kinds=kinds)
        for child, (own, shares, signs) in fitted.items():
            at = [place_of[parent, child] for parent in own]
            strength[at], sign[at] = shares, signs
    if found.strength is not None:
        strength = np.nan_to_num(found.strength[parents, children])
    place = np.argsort(found.order)
    # Ties by place in the order, which knows nothing of the table's column order.
    sorting = np.lexsort((place[parents], place[children], -strength))
    ends = np.stack([parents, children], axis=1)[sorting]  # (edges, 2)
    evidence = {name: values[ends[:, 0], ends[:, 1]] for name, values in found.evidence.items()}
    if found.probabilities is not None:
        likely, sure = found.probabilities, given_linked(found.probabilities, found.adjacency)
        told = {"probability": likely, "direction": sure}
        evidence = {name: values[ends[:, 0], ends[:, 1]] for name, values in told.items()} | evidence
    if found.either_way is not None:
        open_ = evidence["either_way"] = found.either_way[ends[:, 0], ends[:, 1]]
        because = [str(found.open_because.get((i, j), "")) for i, j in ends.tolist()]
        evidence["open_because"] = np.where(open_, np.array(because, dtype=str), "")
    if found.confounded is not None and found.confounded.any():
        evidence["confounded"] = found.confounded[ends[:, 0], ends[:, 1]]
    return edge_frame(names, ends, {"strength": strength[sorting], "sign": sign[sorting], **evidence})


def edge_frame(names: list[Any], ends: IntArray, values: dict[str, Any]) -> pd.DataFrame:
    """Make a frame with one row per edge: source, target (by name), then the columns of `values`."""
    kind: Any = "str" if all(isinstance(name, str) and _is_utf8(name) for name in names) else object
    sides = {
        side: pd.Series([names[i] for i in ends[:, k]], dtype=kind)
        for k, side in enumerate(("source", "target"))
    }
    texts = {
        name: pd.Series(own.tolist(), dtype="str") for name, own in values.items() if own.dtype.kind == "U"
    }
    return pd.DataFrame({**sides, **values, **texts})


def _is_utf8(text: str) -> bool:
    """Say whether pandas' string column can hold the text: half a surrogate pair breaks it."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def by_rows(adjacency: BoolArray, left_out: BoolArray | None) -> Iterator[tuple[IntArray | None, BoolArray]]:
    """Yield the rows that tell of some children (None: all), and the graph (d, d) into these children alone."""
    if left_out is None or not left_out.any():
        yield None, adjacency
        return
    sets, part_of = np.unique(left_out.T, axis=0, return_inverse=True)
    for k, out in enumerate(sets):
        own = adjacency & (part_of.reshape(-1) == k)
        if own.any() and not out.all():
            yield np.flatnonzero(~out), own


def _summary(fit: ChildFit) -> tuple[list[int], FloatArray, IntArray]:
    if isinstance(fit, LevelFit):
        return list(fit.parents), fit.strengths, fit.signs
    return list(fit.parents), strengths(fit), signs(fit)


def fit_children(
    X: FloatArray,
    adjacency: BoolArray,
    summary: Callable[[ChildFit], T],
    n_jobs: int | None = None,
    done: Callable[[int], None] | None = None,
    splines: SplineTable | None = None,
    kinds: tuple[str, ...] = (),
) -> dict[int, T]:
    """Return `summary(fit)` for every column that varies and has parents that do, by its index.

    `done(k)` is called as the k-th fit is finished. `splines` save time where they are those of X in any
    units; a method may have built them on other columns (ranks, say), and then they are not used. Children of
    levels and counts have a `LevelFit`.
    """
    X = standardized(X[evenly_spaced_rows(len(X), ROWS)], kinds)
    same = splines is not None and splines.n == len(X) and splines.kinds == kinds
    if splines is not None and same and np.allclose(X, standardized(splines.data, kinds), atol=1e-6):
        return _fits(splines, adjacency, splines.widths > 0, summary, n_jobs, done)
    if not adjacency.any():
        return {}
    varying = np.asarray(X.any(axis=0) if not kinds else np.ptp(X, axis=0) > 0)
    table = SplineTable.of(X, n_jobs=n_jobs, only=with_edges(adjacency), kinds=kinds)
    return _fits(table, adjacency, varying, summary, n_jobs, done)


def _fits(
    table: SplineTable,
    adjacency: BoolArray,
    varying: BoolArray,
    summary: Callable[[ChildFit], T],
    n_jobs: int | None,
    done: Callable[[int], None] | None,
) -> dict[int, T]:
    children = np.flatnonzero(adjacency[varying].any(axis=0) & varying)
    parents = parents_by_child(adjacency)
    table.prepare()

    def one(child: int) -> T:
        if table.kind(child) != CONTINUOUS:
            return summary(LevelFit.of(table, child, parents[child]))
        return summary(AdditiveFit.of(table, child, parents[child], criterion="reml"))

    elsewhere = worth_processes(len(children), n_jobs)
    fitted = parallel_map(one, children, n_jobs, done, local=not elsewhere, processes=elsewhere)
    return dict(zip(children.tolist(), fitted, strict=True))


def signs(fit: AdditiveFit) -> IntArray:
    """Sign of each parent's average slope (p,), 0 where it does not differ from zero or levels have no order.

    The slope is cov(f, x) / var(x), the mean of f' with weights that favour the middle of the data (for
    Gaussian x exactly E f'): the coefficient of the straight line, every term's first column. Its error
    counts both the fit and the draw of the rows, so that x^2 over a nearly symmetric x has no sign.
    """
    found = []
    for t, own in enumerate(terms(fit)):
        if fit.table.kind(fit.parents[t]) == CATEGORICAL:
            found.append(0)
            continue
        x, f = fit.table.X[:, fit.parents[t]], fit.effects[:, t]
        x = x / np.linalg.norm(x)
        slope = float(x @ f)
        drawn = len(x) * float(np.var(x * (f - slope * x)))
        error = np.sqrt(max(0.0, noise_variance(fit) * fit.solution.M[own, own][0, 0]) + drawn)
        found.append(np.sign(slope) if abs(slope) > SIGNIFICANT * error else 0)
    return np.array(found, dtype=np.intp)
