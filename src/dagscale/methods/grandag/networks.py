"""All nodes' networks as one tensor program: likelihood, path connectivity, and the gradients of both.

Node j predicts x_j from the other columns with two hidden layers of h leaky ReLU units,

    m_j(x) = w3_j' a(W2_j' a(W1_j' x + b1_j) + b2_j) + b3_j,      x_j ~ N(m_j(x), s_j²),

and the connectivity of i -> j sums, over all paths from input i to the output, the products of absolute
weights along them (Lachapelle et al. 2020, section 3.1), divided by the number h² of paths:

    A[i, j] = |W1_j[i]| |W2_j| |w3_j| / h².

A[i, j] = 0 means that m_j does not depend on x_i. The gradients are written out: at these sizes the
bookkeeping of automatic differentiation costs more than the arithmetic.
"""

import math

import torch

from dagscale.runtime.types import Array

SLOPE = 0.01  # of the leaky ReLU below zero


class Networks:
    """The parameters of d networks in one flat vector, and the gradient beside it.

    Parameters
    ----------
    mask : (d, d) float tensor
        1 where column i may enter node j's network, [i, j].
    hidden : int
        Units of each hidden layer.
    generator : torch.Generator
        Draws the first weights, on the CPU so that every device starts alike.

    Attributes
    ----------
    theta, gradient : flat tensors
        The views in `weights` and `slopes` share their memory: W1 (d, d, h) [input, node, unit], b1 (d h,),
        W2 (d, h, h), b2 (d, 1, h), w3 (d, h, 1), b3 (d, 1), log_s (d, 1).
    """

    def __init__(self, mask: Array, hidden: int, generator: Array) -> None:
        d, h = len(mask), hidden
        self.d, self.h, self.mask = d, h, mask.clone()
        shapes = {"W1": (d, d, h), "b1": (d * h,), "W2": (d, h, h), "b2": (d, 1, h)}
        shapes |= {"w3": (d, h, 1), "b3": (d, 1), "log_s": (d, 1)}
        sizes = [math.prod(shape) for shape in shapes.values()]
        self.theta = torch.zeros(sum(sizes), dtype=mask.dtype, device=mask.device)
        self.gradient = torch.zeros_like(self.theta)
        self.weights = _views(self.theta, shapes, sizes)
        self.slopes = _views(self.gradient, shapes, sizes)
        for name, units in (("W1", d + h), ("W2", h + h), ("w3", h + 1)):
            # Glorot and Bengio's bounds with the gain of a ReLU, as in the original
            bound = math.sqrt(2) * math.sqrt(6 / units)
            draw = torch.rand(shapes[name], generator=generator, dtype=torch.float32)
            self.weights[name].copy_((2 * draw - 1) * bound)
        self.disconnect()

    def disconnect(self) -> None:
        """Set to zero the first-layer weights of inputs outside the mask."""
        self.weights["W1"].mul_(self.mask.unsqueeze(2))

    def negative_log_likelihood(self, X: Array) -> float:
        """Mean over rows and nodes of -log p(x_j | x), constants left out."""
        residual = self._predict(X)[-1] - X.T
        log_s = self.weights["log_s"]
        return float((0.5 * residual.square() * torch.exp(-2 * log_s) + log_s).mean())

    def fit_gradient(self, X: Array) -> None:
        """Overwrite `gradient` with that of the negative log likelihood on the rows of X (b, d)."""
        w, g, b = self.weights, self.slopes, len(X)
        z1, a1, z2, a2, mean = self._predict(X)
        precision = torch.exp(-2 * w["log_s"])
        residual = mean - X.T  # (d, b)
        g["log_s"].copy_((1 - (residual.square() * precision).mean(1, keepdim=True)) / self.d)
        g_mean = residual * (precision / (b * self.d))
        g["b3"].copy_(g_mean.sum(1, keepdim=True))
        torch.bmm(a2.transpose(1, 2), g_mean.unsqueeze(2), out=g["w3"])
        g_z2 = g_mean.unsqueeze(2) * w["w3"].transpose(1, 2) * _leak(z2)  # (d, b, h)
        g["b2"].copy_(g_z2.sum(1, keepdim=True))
        torch.bmm(a1.transpose(1, 2), g_z2, out=g["W2"])
        g_z1 = torch.bmm(g_z2, w["W2"].transpose(1, 2)) * _leak(z1)
        flat = g_z1.transpose(0, 1).reshape(b, -1)  # (b, d h)
        g["b1"].copy_(flat.sum(0))
        torch.mm(X.T, flat, out=g["W1"].view(self.d, -1))

    def connectivity(self) -> Array:
        """Return A, (d, d) [input, node]."""
        return self._paths()[0]

    def add_penalty(self, multiplier: float, penalty: float, sparsity: float) -> None:
        """Add the gradient of multiplier h(A) + penalty h(A)² / 2 + sparsity Σ A."""
        w, g = self.weights, self.slopes
        A, to_output, W2, w3 = self._paths()
        h, slope = acyclicity(A)
        g_A = ((multiplier + penalty * h) * slope + sparsity).to(A.dtype)
        g_A.mul_(self.mask / self.h**2)
        W1 = w["W1"]
        through = torch.einsum("ij,iju->ju", g_A, W1.abs())  # (d, h)
        g["W1"].addcmul_(g_A.unsqueeze(2) * to_output, W1.sign())
        g["W2"].addcmul_(through.unsqueeze(2) * w3.transpose(1, 2), w["W2"].sign())
        g["w3"].addcmul_(torch.bmm(W2.transpose(1, 2), through.unsqueeze(2)), w["w3"].sign())

    def mean_absolute_jacobian(self, X: Array) -> Array:
        """Mean over the rows of |∂m_j / ∂x_i|, (d, d) [input, node]."""
        w = self.weights
        z1, _, z2, _, _ = self._predict(X)
        g_z2 = w["w3"].transpose(1, 2) * _leak(z2)
        g_z1 = torch.bmm(g_z2, w["W2"].transpose(1, 2)) * _leak(z1)  # (d, b, h)
        jacobian = torch.bmm(g_z1, w["W1"].permute(1, 2, 0))  # (d, b, d) [node, row, input]
        return jacobian.abs().mean(1).T

    def _predict(self, X: Array) -> tuple[Array, ...]:
        """Return both layers' inputs and outputs (d, b, h) and the means (d, b)."""
        w = self.weights
        z1 = torch.addmm(w["b1"], X, w["W1"].view(self.d, -1))  # (b, d h)
        z1 = z1.view(-1, self.d, self.h).transpose(0, 1)
        a1 = torch.maximum(z1, SLOPE * z1)
        z2 = torch.baddbmm(w["b2"], a1, w["W2"])
        a2 = torch.maximum(z2, SLOPE * z2)
        return z1, a1, z2, a2, torch.bmm(a2, w["w3"]).squeeze(2) + w["b3"]

    def _paths(self) -> tuple[Array, Array, Array, Array]:
        """Return A, the paths from the first layer's units to the output (d, h), |W2| and |w3|."""
        W2, w3 = self.weights["W2"].abs(), self.weights["w3"].abs()
        to_output = torch.bmm(W2, w3).squeeze(2)
        A = (self.weights["W1"].abs() * to_output).sum(2) * (self.mask / self.h**2)
        return A, to_output, W2, w3


def acyclicity(A: Array) -> tuple[float, Array]:
    """Return h(A) = tr(e^A) - d, zero exactly for a DAG (Zheng et al. 2018), and its gradient (e^A)'.

    In double precision whatever A is in: the last thresholds on h are 1e-8 of d.
    """
    exponential = torch.linalg.matrix_exp(A.double())
    return float(exponential.diagonal().sum()) - len(A), exponential.T


def _leak(z: Array) -> Array:
    """Slope of the leaky ReLU; several times faster on a CPU than `torch.where` with two scalars."""
    return z.sign().clamp_(min=SLOPE)


def _views(flat: Array, shapes: dict[str, tuple[int, ...]], sizes: list[int]) -> dict[str, Array]:
    parts = torch.split(flat, sizes)
    return {name: part.view(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
