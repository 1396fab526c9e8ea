"""The fixed main effects of a column: the additive part of the evidence and the basis of the screen."""

import numpy as np
import scipy.linalg

from dagscale.runtime.types import FloatArray

LENGTH = 1.0  # of the smooth part, in standard deviations of the column
LANDMARKS = 40
CURVES = 8


def main_effects(x: FloatArray) -> FloatArray:
    """Return the line and the curves of a column, (n, 1 + CURVES), centred, each group of mean square 1.

    The curves are the leading part of a Gaussian kernel of one standard deviation, centred.
    `x` is standardised. The sign of x changes signs of features only.
    """
    places = np.quantile(x, np.linspace(0.0, 1.0, LANDMARKS))
    C = np.exp(-0.5 * ((x[:, None] - places) / LENGTH) ** 2)  # (n, landmarks)
    A = np.exp(-0.5 * ((places[:, None] - places) / LENGTH) ** 2)
    L = scipy.linalg.cholesky(A + 1e-8 * np.eye(LANDMARKS), lower=True)
    V = scipy.linalg.solve_triangular(L, C.T, lower=True)  # (landmarks, n): V' V is the kernel
    V -= V.mean(axis=1, keepdims=True)
    rotation = np.linalg.eigh(V @ V.T).eigenvectors
    leading = rotation[:, ::-1][:, :CURVES].T @ V  # (CURVES, n), orthogonal rows, largest first
    power = max(float((leading**2).sum()), 1e-12 * len(x)) / len(x)
    return np.column_stack([x, leading.T / np.sqrt(power)])
