"""What a missing edge would add to the graph: a test on top of the child's parents, or a cycle.

The test is an F test, of a child of levels or counts a likelihood ratio.

For pairs that a method never weighed this is the only number there is. It says what the data hold for the
edge given the graph, not why the method passed it over.
"""

from typing import TYPE_CHECKING

import numpy as np

from dagscale.graphs.dag import shortest_path
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.standardize import standardized
from dagscale.models.levels import LevelFit
from dagscale.models.splines import SplineTable
from dagscale.result.diagnostics.effect_shape import added, orthonormal
from dagscale.result.p_values import p_text
from dagscale.runtime.errors import shown
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.runtime.workers import one_blas_thread

if TYPE_CHECKING:
    from dagscale.result import Result

TELLING = 0.001  # p-values above it are almost nothing
FEWEST_ROWS = 30


def what_they_add(
    table: SplineTable, adjacency: BoolArray, candidates: IntArray, child: int
) -> tuple[FloatArray, FloatArray]:
    """Return each candidate's p-value on top of the child's parents, and its share of the variance."""
    parents = np.flatnonzero(adjacency[:, child] & (table.widths > 0))
    if table.kind(child) != CONTINUOUS:
        return _what_they_add_to_levels(table, parents, candidates, child)
    rank = table.rank(len(parents) + 1)
    base = orthonormal([table.term(int(p), rank)[0] for p in parents], table.n)
    y = table.X[:, child]
    p_values, shares = np.ones(len(candidates)), np.zeros(len(candidates))
    for k, i in enumerate(candidates):
        if table.widths[i] and y.any():
            block = added(base, table.term(int(i), rank)[0], y)
            p_values[k], shares[k] = block.p_value, min(1.0, block.beyond_chance / float(y @ y))
    return p_values, shares


def _what_they_add_to_levels(
    table: SplineTable, parents: IntArray, candidates: IntArray, child: int
) -> tuple[FloatArray, FloatArray]:
    p_values, shares = np.ones(len(candidates)), np.zeros(len(candidates))
    without: LevelFit | None = None  # the same for every candidate
    for k, i in enumerate(candidates):
        if table.widths[i] and table.widths[child]:
            fit = LevelFit.of(table, child, [*parents.tolist(), int(i)])
            without = fit.without_last() if without is None else without
            p_values[k], shares[k] = fit.last_over(without)
    return p_values, shares


def additions(
    table: SplineTable | None, adjacency: BoolArray, names: list[str], candidates: list[int], child: int
) -> list[str]:
    """Say in words what each missing edge candidate -> child would do; tests need the columns' splines."""
    cycles = {i: shortest_path(adjacency, child, i) for i in candidates}
    told = {
        i: f"it would close a cycle: {' -> '.join(names[k] for k in [i, *cycle])}" if cycle else ""
        for i, cycle in cycles.items()
    }
    tested = [i for i in candidates if not cycles[i]]
    if tested and table is not None:
        found = what_they_add(table, adjacency, np.array(tested), child)
        for i, p_value, share in zip(tested, *found, strict=True):
            verdict = "almost nothing" if p_value > TELLING else f"{share:.1%} of {names[child]}"
            test = "F test" if table.kind(child) == CONTINUOUS else "likelihood ratio"
            numbers = f"{test}, p-value {p_text(p_value)}, {table.n} rows"
            told[i] = f"added to this graph it would explain {verdict} ({numbers})"
    return [told[i] for i in candidates]


def splines_of(result: "Result", columns: IntArray | None = None) -> SplineTable | None:
    """Return the splines of a result's columns, or of some; None where it keeps no rows to speak of."""
    if result.sample is None or len(result.sample) < FEWEST_ROWS or not np.isfinite(result.sample).all():
        return None
    X, kinds = result.sample.astype(np.float64), result.table_kinds
    if columns is not None:
        X, kinds = X[:, columns], tuple(kinds[j] for j in columns) if kinds else ()
    return SplineTable.of(standardized(X, kinds), n_jobs=1, kinds=kinds)


def of_pair(result: "Result", i: int, j: int) -> str:
    """Say what one missing edge would do, looking at its columns alone."""
    names = [shown(name) for name in result.names]
    if shortest_path(result.adjacency, j, i):
        return additions(None, result.adjacency, names, [i], j)[0]
    own = np.unique([i, j, *np.flatnonzero(result.adjacency[:, j])])
    inner, near = result.adjacency[np.ix_(own, own)], [names[k] for k in own]
    a, b = np.searchsorted(own, [i, j]).tolist()
    with one_blas_thread():
        return additions(splines_of(result, own), inner, near, [a], b)[0]
