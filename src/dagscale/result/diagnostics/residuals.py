"""What every column's parents leave unexplained, and the shape of what they explain."""

from dataclasses import dataclass

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.models.levels import LevelFit
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.result.diagnostics.effect_shape import Curvature, Interaction, curvature, interaction
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

NOT_ADDITIVE = 0.01  # below this p-value of the products, the residual is that of a joint fit
FREQUENCIES = 100  # of the joint fit's random features
LENGTH_SCALES = (0.5, 1.0, 2.0)  # times the square root of the number of parents, standardised
PENALTIES = np.logspace(-4, 2, 13)


@dataclass(frozen=True)
class NodeFit:
    """One column given its parents.

    Attributes
    ----------
    parents : (k,) int array
        Those that vary.
    residual : (n,) float array
        The centred column where there are no parents; of levels and counts, randomised quantile residuals.
    explained : float
        Share of the variance, or deviance, explained.
    curvature : Curvature or None
        None without parents, and of levels and counts.
    interaction : Interaction or None
        None with fewer than two parents or too few rows.
    """

    parents: IntArray
    residual: FloatArray
    explained: float
    curvature: Curvature | None = None
    interaction: Interaction | None = None

    @property
    def adds_up(self) -> bool:
        """Whether no product of parents matters, as far as the rows can tell."""
        return self.interaction is None or self.interaction.p_value >= NOT_ADDITIVE

    @property
    def bent(self) -> FloatArray:
        """p-value of each edge's departure from a straight line, by curvature or by products (k,)."""
        if self.curvature is None:
            return np.ones(0)
        if self.interaction is None:
            return self.curvature.edges
        smaller: FloatArray = np.minimum(self.curvature.edges, self.interaction.edges)
        return np.minimum(2 * smaller, 1.0)


def fit_nodes(table: SplineTable, adjacency: BoolArray, n_jobs: int | None = None) -> list[NodeFit]:
    """Fit every column on its parents."""
    varying = np.diff(table.starts) > 0
    if table.gram is not None:
        table.prepare()

    def one(child: int) -> NodeFit:
        parents = np.flatnonzero(adjacency[:, child] & varying)
        if table.kind(child) != CONTINUOUS and varying[child]:
            fit = LevelFit.of(table, child, parents)
            return NodeFit(parents, fit.residuals, 1.0 - fit.fit.left)
        if not len(parents) or not varying[child]:
            return NodeFit(parents[:0], table.X[:, child], 0.0)
        return _fit(table, child, parents)

    return parallel_map(one, range(len(adjacency)), n_jobs, local=True)


def _fit(table: SplineTable, child: int, parents: IntArray) -> NodeFit:
    residual = AdditiveFit.of(table, child, parents, "reml").residuals
    products = interaction(table, child, parents)
    if products is not None and products.p_value < NOT_ADDITIVE:
        residual = residual - joint_fit(table.X[:, parents], residual)
    total = float(table.X[:, child] @ table.X[:, child])
    explained = max(0.0, 1 - float(residual @ residual) / total)
    return NodeFit(parents, residual, explained, curvature(table, child, parents), products)


def joint_fit(P: FloatArray, y: FloatArray) -> FloatArray:
    """Fit y (n,) on all columns of P (n, k) jointly and return the fit (n,).

    Ridge regression on random Fourier features (Rahimi and Recht 2007) of the standardised columns; length
    scale and penalty by generalised cross-validation. It takes up the interactions that additive fits leave.
    """
    n, k = P.shape
    Z = (P - P.mean(axis=0)) / P.std(axis=0)
    directions = np.random.default_rng(0).standard_normal((k, FREQUENCIES)) / np.sqrt(k)
    best, fitted = np.inf, np.zeros(n)
    for scale in LENGTH_SCALES:
        angle = Z @ directions / scale
        F = np.hstack([np.cos(angle), np.sin(angle)])
        F -= F.mean(axis=0)
        squares, rotation = np.linalg.eigh(F.T @ F / FREQUENCIES)
        squares = np.maximum(squares, 1e-12)
        scores = rotation.T @ (F.T @ y) / np.sqrt(FREQUENCIES * squares)
        kept = squares / (squares + PENALTIES[:, None])  # (penalties, features)
        left = float(y @ y) - (scores**2 * (1 - (1 - kept) ** 2)).sum(axis=1)
        criterion = np.maximum(left, 0) / (n - 1 - kept.sum(axis=1)).clip(min=1) ** 2
        chosen = int(np.argmin(criterion))
        if criterion[chosen] < best:
            best = float(criterion[chosen])
            fitted = F @ (rotation @ (kept[chosen] * scores / np.sqrt(FREQUENCIES * squares)))
    return fitted
