"""The augmented Lagrangian: likelihood under a constraint of acyclicity that tightens step by step."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch

from dagscale.methods.context import Context
from dagscale.methods.grandag.networks import Networks, acyclicity
from dagscale.runtime.types import Array, BoolArray, FloatArray

MULTIPLIER_GROWTH = 10.0
DECAY = 0.99  # of RMSprop's mean of squares
CLAMP = 1e-4  # an input whose connectivity falls below is cut off for good
CLAMP_EVERY = 10
WINDOW = 100  # steps between two looks at the held-out rows
FLAT = 1e-4  # a subproblem ends when the held-out objective moves less than this a step
HELD_OUT = 0.2


@dataclass(frozen=True)
class Training:
    """How to train; see `dagscale.methods.grandag.grandag` for the paper's values and where these differ.

    Attributes
    ----------
    hidden, batch, steps : int
        Units per hidden layer, rows per step, most steps.
    first_rate, rate, least_rate : float
        RMSprop's step length in the first subproblem, in the second, and in the last ones.
    rate_decay : float
        Factor on the step length from one subproblem to the next, down to `least_rate`. Under long steps a
        weak connection hovers above `CLAMP` for ever, and its cycles outlive the training.
    penalty : float
        First weight of h² / 2.
    progress_wanted : float
        The penalty grows tenfold when a subproblem leaves more than this share of h.
    tolerance : float
        h at which the graph counts as acyclic.
    sparsity : float
        Weight of the summed connectivity.
    """

    hidden: int = 10
    batch: int = 256
    steps: int = 30_000
    first_rate: float = 1e-2
    rate: float = 3e-3
    rate_decay: float = 0.85
    least_rate: float = 1e-4
    penalty: float = 1e-3
    progress_wanted: float = 0.5
    tolerance: float = 1e-8
    sparsity: float = 0.04


@dataclass(frozen=True)
class Trained:
    """What training leaves behind.

    Attributes
    ----------
    connected : (d, d) bool array
        Inputs [parent, child] not cut off.
    strength : (d, d) float array
        Mean |∂m_j / ∂x_i| over all rows.
    steps : int
        Steps taken.
    h : float
        What is left of the constraint.
    """

    connected: BoolArray
    strength: FloatArray
    steps: int
    h: float


@dataclass
class _Subproblem:
    """The Lagrangian's multipliers and the memory of the current subproblem."""

    penalty: float
    multiplier: float = 0.0
    last_h: float = float("inf")
    recent: list[float] = field(default_factory=list)

    def objective(self, loss: float, h: float) -> float:
        return loss + self.multiplier * h + 0.5 * self.penalty * h * h

    def has_converged(self, objective: float) -> bool:
        """Say whether the held-out objective is flat or rising over the last three looks, steadily."""
        self.recent = [*self.recent[-2:], objective]
        if len(self.recent) < 3:
            return False
        first, middle, last = self.recent
        steady = min(first, last) < middle < max(first, last)
        change = (last - first) / WINDOW
        return steady and (abs(change) < FLAT or change > 0)

    def tighten(self, h: float, progress_wanted: float) -> None:
        self.multiplier += self.penalty * h
        if h > progress_wanted * self.last_h:
            self.penalty *= MULTIPLIER_GROWTH
        self.last_h, self.recent = h, []


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute on one thread: the tensors are too small to share, and sums keep one order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@_one_thread()
def train(X: FloatArray, mask: BoolArray, required: BoolArray, context: Context, how: Training) -> Trained:
    """Fit all networks under the constraint, from the mask's edges down to (nearly) a DAG."""
    generator = torch.Generator().manual_seed(context.seed)  # no global seed is touched
    device = torch.device("cpu" if context.device.startswith("torch") else context.device)
    rows = torch.tensor(X, dtype=torch.float32, device=device)
    shuffled = rows[torch.randperm(len(X), generator=generator).to(device)]
    held_out, fitted = shuffled[: round(HELD_OUT * len(X))], shuffled[round(HELD_OUT * len(X)) :]
    networks = Networks(torch.tensor(mask, dtype=torch.float32, device=device), how.hidden, generator)
    keep = torch.tensor(required, device=device)
    problem, rate, next_rate = _Subproblem(how.penalty), how.first_rate, how.rate
    squares = torch.zeros_like(networks.theta)
    batches = _Batches(fitted, how.batch, generator)
    step, h = 0, float("inf")
    while step < how.steps and h > how.tolerance and not context.out_of_time():
        for _ in range(WINDOW):
            _step(networks, batches.next(), squares, rate, problem, how.sparsity)
            step += 1
            if step % CLAMP_EVERY == 0:
                networks.mask.mul_((networks.connectivity() > CLAMP) | keep)
            networks.disconnect()
        context.progress("training networks", step, how.steps)
        now = acyclicity(networks.connectivity())[0]
        loss = networks.negative_log_likelihood(held_out)
        if problem.has_converged(problem.objective(loss, now)):
            problem.tighten(now, how.progress_wanted)
            squares.zero_()
            rate, next_rate, h = next_rate, max(how.rate_decay * next_rate, how.least_rate), now
    context.progress("training networks", how.steps, how.steps)
    connected = (networks.mask > 0).cpu().numpy()
    strength = networks.mean_absolute_jacobian(rows).double().cpu().numpy()
    return Trained(connected, strength, step, acyclicity(networks.connectivity())[0])


def _step(
    networks: Networks, batch: Array, squares: Array, rate: float, problem: _Subproblem, sparsity: float
) -> None:
    """Take one step of RMSprop."""
    networks.fit_gradient(batch)
    networks.add_penalty(problem.multiplier, problem.penalty, sparsity)
    g = networks.gradient
    squares.mul_(DECAY).addcmul_(g, g, value=1 - DECAY)
    networks.theta.addcdiv_(g, squares.sqrt().add_(1e-8), value=-rate)


class _Batches:
    """Rows in random order, epoch after epoch; a rest too small for a batch is left for the next epoch."""

    def __init__(self, rows: Array, size: int, generator: Array) -> None:
        self.rows, self.size, self.generator = rows, min(size, len(rows)), generator
        self.pending: list[Array] = []

    def next(self) -> Array:
        """Return the next batch (size, d)."""
        if not self.pending:
            order = torch.randperm(len(self.rows), generator=self.generator).to(self.rows.device)
            self.pending = [part for part in self.rows[order].split(self.size) if len(part) == self.size]
        return self.pending.pop()
