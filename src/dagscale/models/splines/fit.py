"""One node's fitted additive model: its terms' curves, degrees of freedom and p-values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dagscale.models.splines.curves import natural
from dagscale.models.splines.minimum import smooth
from dagscale.models.splines.smoothing import NormalEquations, Solution
from dagscale.models.splines.table import SplineTable
from dagscale.models.splines.testing import reference_edf, residual_df, term_p_values
from dagscale.runtime.types import FloatArray, IntArray

DEPENDENT = 1e3  # variance of a coefficient in units of that of a term of its own: terms are nearly collinear
EXACT = 1e-3  # share of the child's variance that a fit without noise leaves


@dataclass(frozen=True)
class PartialEffect:
    """A parent's fitted effect on the child, all else held.

    Attributes
    ----------
    x : (g,) float array
        Values of the parent.
    effect : (g,) float array
        f(x), of mean zero over the table, in the child's units.
    standard_error : (g,) float array
        Pointwise, from the Bayesian posterior covariance as mgcv's plots show it.
    """

    x: FloatArray
    effect: FloatArray
    standard_error: FloatArray


@dataclass(frozen=True)
class AdditiveFit:
    """A child's additive regression x_j = mean + sum_i f_i(x_i) + noise on its parents.

    Attributes
    ----------
    table : SplineTable
    child : int
    parents : tuple of int
        Columns with a term, in the order of all per-term arrays.
    rank : int
        Of each term's splines.
    equations : NormalEquations
    solution : Solution
        At the chosen smoothing parameters.
    """

    table: SplineTable
    child: int
    parents: tuple[int, ...]
    rank: int
    equations: NormalEquations
    solution: Solution

    @classmethod
    def of(
        cls,
        table: SplineTable,
        child: int,
        parents: Sequence[int] | IntArray,
        criterion: str = "gcv",
        rank: int | None = None,
        *,
        afresh: bool = False,
    ) -> "AdditiveFit":
        """Fit the child on its parents.

        Parameters
        ----------
        table : SplineTable
        child : int
        parents : sequence of int
            Constant ones are left out.
        criterion : {"gcv", "reml"}
            How smoothness is chosen.
        rank : int, optional
            Of each term's splines; by default CAM's rule, `basis_rank`.
        afresh : bool
            Multiply this fit's own splines rather than read the products that all fits share, whose rounding
            depends on where columns stand in the table.
        """
        varying = tuple(int(i) for i in parents if table.widths[i] > 0)
        rank = table.rank(len(varying)) if rank is None else rank
        equations = table.equations(child, varying, rank, afresh=afresh)
        return cls(table, child, varying, rank, equations, smooth(equations, criterion))

    @property
    def deviance(self) -> float:
        """Residual sum of squares."""
        return self.solution.deviance

    @property
    def noise_variance(self) -> float:
        """Unbiased estimate from the residuals."""
        return self.deviance / residual_df(self.equations, self.solution)

    @property
    def degenerate(self) -> bool:
        """Whether terms determine one another or the child, so that rounding decides about the rest."""
        dependent = self.solution.P.diagonal().max(initial=0.0) > DEPENDENT
        return bool(dependent or self.deviance < EXACT * self.equations.yy)

    @cached_property
    def edf(self) -> FloatArray:
        """Effective degrees of freedom of each term (p,): 1 is a straight line."""
        edf: FloatArray = np.add.reduceat(self.solution.leverage, self.equations.starts)
        return edf

    @cached_property
    def reference_edf(self) -> FloatArray:
        """Degrees of freedom of each term's test (p,)."""
        return reference_edf(self.equations, self.solution)

    @cached_property
    def p_values(self) -> FloatArray:
        """p-value of each term against the zero function (p,), see `testing`."""
        return term_p_values(self.equations, self.solution)

    @cached_property
    def effects(self) -> FloatArray:
        """f_i at the table's rows (n, p)."""
        curves = [self.table.term(i, self.rank)[0] @ self._beta(t) for t, i in enumerate(self.parents)]
        return np.stack(curves, axis=1) if curves else np.zeros((self.equations.n, 0))

    @cached_property
    def residuals(self) -> FloatArray:
        """The child less its mean and all effects (n,)."""
        residuals: FloatArray = self.table.column(self.child) - self.effects.sum(axis=1)
        return residuals

    def partial(self, parent: int, x: FloatArray | int = 100) -> PartialEffect:
        """Evaluate a parent's effect at values x, or at so many equal steps over its range.

        Beyond the range it goes on as a straight line.
        """
        t = self.parents.index(parent)
        rows = self.table.column(parent)
        grid = np.linspace(rows.min(), rows.max(), x) if isinstance(x, int) else x - self.table.means[parent]
        knots, first = np.unique(rows, return_index=True)
        basis = self.table.term(parent, self.rank)[0][first]
        at = natural(knots, basis)(grid)
        start = self.equations.starts[t]
        block = slice(start, start + self.equations.widths[t])
        variance = np.einsum("ga,ab,gb->g", at, self.solution.P[block, block], at) * self.noise_variance
        return PartialEffect(grid + self.table.means[parent], at @ self._beta(t), np.sqrt(variance))

    def _beta(self, t: int) -> FloatArray:
        start = self.equations.starts[t]
        return self.solution.beta[start : start + self.equations.widths[t]]
