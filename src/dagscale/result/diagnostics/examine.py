"""Measure everything the checks speak about, once: fits, residuals, tests of all pairs, margins."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS, COUNT, ORDERED, of_kinds
from dagscale.inputs.standardize import standardized
from dagscale.models.dependence import Dependence, dependence, p_of_size, spread, waves
from dagscale.models.outliers import far_out
from dagscale.models.splines import SplineTable
from dagscale.result.diagnostics.check import Check
from dagscale.result.diagnostics.margins import margins
from dagscale.result.diagnostics.normality import Shape, shape
from dagscale.result.diagnostics.residuals import NodeFit, fit_nodes
from dagscale.result.diagnostics.rows import repeated_rows, row_order
from dagscale.runtime.types import BoolArray, FloatArray

BENT = 0.01  # an edge below this p-value is no straight line
NORMAL = 0.01  # a residual below this p-value is not Gaussian
NEAR_COPY = 0.99  # correlation from which two columns count as one


@dataclass(frozen=True)
class Pairs:
    """Dependence between what should be independent, in the better of two tests each.

    Attributes
    ----------
    p_values : (d, d) float array
        Of a pair, both tests allowed for; 1 where nothing was tested.
    size : (d, d) float array
        Effect size of the test with the smaller p-value.
    tests : int
        How many pairs were looked at.
    """

    p_values: FloatArray
    size: FloatArray
    tests: int

    @classmethod
    def better_of(cls, one: Dependence, other: Dependence, where: BoolArray) -> "Pairs":
        """Take the smaller p-value of two tests, doubled, at the pairs `where`."""
        p_values = np.minimum(1.0, 2 * np.minimum(one.p_values, other.p_values))
        size = np.where(one.p_values <= other.p_values, one.size, other.size)
        return cls(np.where(where, p_values, 1.0), np.where(where, size, 0.0), int(where.sum()))


@dataclass(frozen=True)
class Decided:
    """What the model that decided on the graph says of it itself.

    Attributes
    ----------
    either_way : (d, d) bool array
        Symmetric: links whose direction it does not claim.
    direction : (d, d) float array
        Probability of every edge's direction, given that the two are linked; NaN off the graph.
    dependence : (d, d) float array or None
        Effect size of the dependence of each child's noise on its parent, under that model; None where not told.
    rows : int
        Rows it looked at.
    confounded : (d, d) bool array
        Symmetric: pairs that seem to share a hidden cause.
    serial : bool
        Whether residuals follow those of the row before.
    """

    either_way: BoolArray
    direction: FloatArray
    dependence: FloatArray | None
    rows: int
    confounded: BoolArray
    serial: bool = False

    def effects(self, adjacency: BoolArray) -> Pairs | None:
        """Return the tests of every child's noise along its parents, as far as they were made."""
        if self.dependence is None:
            return None
        size = np.where(adjacency, np.nan_to_num(self.dependence), 0.0)
        return Pairs(np.where(adjacency, p_of_size(size, self.rows), 1.0), size, int(adjacency.sum()))


@dataclass(frozen=True)
class Examined:
    """All measurements of one result.

    Attributes
    ----------
    names : list of d names
    adjacency : (d, d) bool array
    rows : int
        Rows looked at.
    table_rows : int
        Rows of the whole table.
    fits : list of NodeFit
    shapes : list of Shape
        Of every residual.
    margins : (d, d) float array
        Nats by which each edge's direction is held, NaN where it cannot be turned alone or where the child's
        parents interact: additive fits then miss more of the effect one way than the other.
    effects : Pairs
        [parent, child]: the child's residual along its parent, at the edges.
    unlinked : Pairs
        Residuals of two columns without an edge, above the diagonal.
    far : (d,) float array
        Share of rows far out.
    correlation : (d, d) float array
        0 where one of the two is a category.
    row_checks : tuple of Check
        Of the rows: whether they follow or repeat each other.
    decided : Decided or None
        What the model that decided says, where it says anything.
    kinds : tuple of d str
        () where all columns are continuous.
    experiments : bool
        Whether the table has rows of other conditions, which are not among these.
    """

    names: list[Hashable]
    adjacency: BoolArray
    rows: int
    table_rows: int
    fits: list[NodeFit]
    shapes: list[Shape]
    margins: FloatArray
    effects: Pairs
    unlinked: Pairs
    far: FloatArray
    correlation: FloatArray
    row_checks: tuple[Check, ...] = ()
    decided: Decided | None = None
    kinds: tuple[str, ...] = ()
    experiments: bool = False

    def discrete(self, j: int) -> bool:
        """Say whether column j has levels or counts."""
        return bool(self.kinds) and self.kinds[j] != CONTINUOUS


def examine(
    X: FloatArray,
    names: list[Hashable],
    adjacency: BoolArray,
    table_rows: int,
    splines: SplineTable,
    n_jobs: int | None = None,
    decided: Decided | None = None,
) -> Examined:
    """Measure a graph (d, d) on rows X (n, d), whose standardised columns' splines are given."""
    n, d = X.shape
    fits = fit_nodes(splines, adjacency, n_jobs)
    residuals = np.column_stack([fit.residual for fit in fits])
    of_columns, of_residuals = waves(X), waves(residuals)
    linked = adjacency | adjacency.T
    above = np.triu(np.ones((d, d), dtype=bool), 1)
    trend = dependence(of_residuals[:1], of_residuals[:1])
    Z = standardized(X)
    tested = decided.effects(adjacency) if decided else None
    if tested is None:
        tested = Pairs.better_of(
            spread(of_columns, of_residuals), dependence(of_columns, of_residuals), adjacency
        )
    measured = of_kinds(splines.kinds, (CONTINUOUS, COUNT), d)  # codes are never far out
    counted = of_kinds(splines.kinds, (COUNT,), d)  # the root of a count varies as much wherever its mean is
    ordered = of_kinds(splines.kinds, ORDERED, d)
    return Examined(
        names=names,
        adjacency=adjacency,
        rows=n,
        table_rows=table_rows,
        fits=fits,
        shapes=[shape(residual) for residual in residuals.T],
        margins=np.where([fit.adds_up for fit in fits], margins(splines, adjacency, n_jobs), np.nan),
        effects=tested,
        unlinked=Pairs.better_of(trend, dependence(of_residuals, of_residuals), above & ~linked),
        far=np.where(measured, far_out(np.where(counted, np.sqrt(np.abs(X)), X)), 0.0),
        correlation=np.where(ordered & ordered[:, None], np.clip(Z.T @ Z / n, -1, 1), np.eye(d)),
        row_checks=(row_order(X, residuals, None if decided is None else decided.serial), repeated_rows(X)),
        decided=decided,
        kinds=splines.kinds,
    )
