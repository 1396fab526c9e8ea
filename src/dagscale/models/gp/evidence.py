"""The evidence of a table: what each node gains, in nats, from being explained by a set of parents."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dagscale.models.gain import Item
from dagscale.models.gp.columns import Columns
from dagscale.models.gp.exact import Exact, process_residuals
from dagscale.models.gp.fitting import Optimum, fit, fit_stack
from dagscale.models.gp.prior import Prior
from dagscale.models.likelihood.density import shape_evidence
from dagscale.runtime.arrays import on_device
from dagscale.runtime.clock import BudgetSpent, late
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import FloatArray, IntArray

MEMORY = 4e9  # bytes that one batch may take where the device does not tell what it has
SILENT = 1e-4  # a weight below which a parent is not heard: a hundred standard deviations change nothing
NOTHING = 1e-300  # a parameter of a node that nothing explains


@dataclass(frozen=True)
class Fit:
    """The fitted Gaussian process of one node given its parents; `exact.py` has the symbols.

    Attributes
    ----------
    value : float
        Evidence over the node alone, in nats; at least 0, since parents may be ignored, but for what the
        shape of the residuals tells where it counts, and where a prior makes idle parents cost.
    weights : (p,) array
        Inverse squared length scales w, one per parent in increasing column order.
    joint, line, curves : float
        Variances l, v and a of the three parts of the kernel, relative to the noise.
    noise : float
        Noise variance s2 as a share of the node's variance.
    errors : (p + 3,) array
        Standard errors of `theta`.
    """

    value: float
    weights: FloatArray
    joint: float
    line: float
    curves: float
    noise: float
    errors: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def theta(self) -> FloatArray:
        """The log-parameters (log w, log l, log v, log a), (p + 3,)."""
        parameters = np.concatenate([self.weights, [self.joint, self.line, self.curves]])
        return np.asarray(np.log(parameters))


class Evidence:
    """Log marginal likelihoods of nodes given parents, fitted when asked for and remembered.

    `evidence(items)` is the natural use: an array of nats gained over the same nodes without
    parents, so that what an edge gains is a difference of two values. A value depends on the
    item and the table alone: not on what was asked before, on n_jobs, or on the items beside it.
    Columns are standardised inside: units and signs do not matter, nor does their order.

    Parameters
    ----------
    X : (n, d) array
        The table.
    n_jobs : int or None
        Workers on the CPU, as in `parallel_map`.
    device : str
        "cpu": numpy, one item per worker, low-rank where that is as good. Otherwise a torch device:
        batches of items, exact.
    max_rows : int
        Rows to use at most; more are subsampled (once, so that all values are comparable).
    clip : float
        Columns are cut at so many robust standard deviations from their median, at most 1% of the rows.
        Noise is taken to be normal, so a row far out in node and parent alike is worth any evidence: of
        independent columns with Student's t (3 degrees of freedom), 1.5% of the pairs gained 7 to 400
        nats, none when cut at 4. Normal columns do not reach so far. The price is paid where tails carry
        the mechanism (a cube of Laplace noise keeps a third of its evidence). inf cuts nothing.
    shaped : bool
        Whether the shape of the residuals counts (`density.py`), for tables whose noise is not normal.
    memory : Memory
        Keeps what was fitted, so that an interrupted run can go on.
    deadline : float
        `time.monotonic()` value after which a fit ends in `BudgetSpent`.
    """

    def __init__(
        self,
        X: FloatArray,
        n_jobs: int | None = None,
        device: str = "cpu",
        max_rows: int = 2000,
        clip: float = 4.0,
        shaped: bool = False,
        memory: Memory = FORGETFUL,
        deadline: float = np.inf,
    ) -> None:
        self.deadline = deadline
        self.columns = Columns(X, max_rows, device, n_jobs, clip)
        self.memory = memory.within("evidence", self.columns.values, shaped)
        self.n_jobs, self.device, self.shaped = n_jobs, device, shaped
        self.prior: Prior | None = None
        self._fits: dict[Item, Fit] = {}

    def _in_time(self, _done: int) -> None:
        """Raise where the deadline has passed; asked after every fit and every other piece of work."""
        if late(self.deadline):
            raise BudgetSpent

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what is remembered: a worker elsewhere needs the columns alone."""
        return {**self.__dict__, "_fits": {}}

    def __call__(self, items: Iterable[tuple[int, Iterable[int]]]) -> FloatArray:
        """Return the evidence of every item (node, parents), in nats over the node alone."""
        return np.array([fitted.value for fitted in self.fits(items)])

    def value(self, node: int, parents: Iterable[int]) -> float:
        """Return the evidence of one item."""
        return self.fits([(node, parents)])[0].value

    def fits(self, items: Iterable[tuple[int, Iterable[int]]]) -> list[Fit]:
        """Return the fitted process of every item; what is missing is fitted, in parallel."""
        keys = [item_of(node, parents) for node, parents in items]
        missing = sorted({key for key in keys if key not in self._fits})
        trivial = [(j, parents) for j, parents in missing if not parents or self.columns.constant[j]]
        for node, parents in trivial:
            self._fits[node, parents] = Fit(
                0.0, np.full(len(parents), NOTHING), NOTHING, NOTHING, NOTHING, 1.0
            )
        work = [key for key in missing if key not in self._fits]
        if work:
            self.columns.prepare()
        optima = self._fit_here(work) if self.device == "cpu" else self._fit_there(work)
        for key, optimum in zip(work, optima, strict=True):
            self._fits[key] = self._read(key, optimum)
        return [self._fits[key] for key in keys]

    def lost_without(self, items: Iterable[tuple[int, Iterable[int]]]) -> list[FloatArray]:
        """Return for every item the evidence lost when each parent in turn is switched off, (p,) in nats.

        All other parameters stay as they were fitted, so this is an upper bound of what a new fit without
        the parent loses, for one evaluation each. Parents in increasing column order.
        """
        keys = [item_of(node, parents) for node, parents in items]
        fitted = dict(zip(keys, self.fits(keys), strict=True))

        def one(key: Item) -> FloatArray:
            lost = np.zeros(len(key[1]))
            heard = np.flatnonzero(fitted[key].weights > SILENT)
            if len(heard) and not self.columns.constant[key[0]]:
                lost[heard] = self._lost(key, fitted[key], heard)
            return lost

        jobs = self.n_jobs if self.device == "cpu" else 1
        return self.memory.map("lost without", one, keys, jobs, done=self._in_time)

    def _lost(self, item: Item, fitted: Fit, heard: IntArray) -> FloatArray:
        objective = Exact.of_one(*(on_device(part, self.device) for part in self.columns.problem(item)))
        place = np.argsort(self.columns.ordered(item[1]))  # of each parent, among the fitted ones
        theta = np.tile(self._fitted_theta(item, fitted), (len(heard) + 1, 1))
        theta[np.arange(1, len(heard) + 1), place[heard]] = np.log(NOTHING)
        losses = np.array([objective.value(row[None], np.arange(1)).loss[0] for row in theta])
        return np.asarray(losses[1:] - losses[0])

    def with_prior(self, items: Iterable[tuple[int, Iterable[int]]]) -> "Evidence":
        """Return the evidence of the same table, length scales like those of `items` being the likelier ones.

        What is likely is learnt from the fits of the items (`prior.py`).
        """
        fitted = [found for found in self.fits(items) if len(found.errors)]
        return self.given_prior(
            Prior.learnt([found.theta for found in fitted], [found.errors for found in fitted])
        )

    def given_prior(self, prior: Prior | None) -> "Evidence":
        """Return the evidence of the same table under a prior learnt elsewhere; what is fitted so far is not shared."""
        other = copy(self)
        other.__dict__.update(prior=prior, _fits={}, memory=self.memory.within("prior", prior))
        return other

    def _fitted_theta(self, item: Item, fitted: Fit) -> FloatArray:
        """Return theta with the parents in the order in which `Columns.problem` lays them out."""
        places = [item[1].index(i) for i in self.columns.ordered(item[1])]
        return np.concatenate([fitted.theta[places], fitted.theta[-3:]])

    @property
    def count(self) -> int:
        """Number of items fitted so far."""
        return len(self._fits)

    def _fit_here(self, items: Sequence[Item]) -> list[Optimum]:
        # Dear ones first: the last to finish is then a cheap one.
        dear_first = sorted(range(len(items)), key=lambda k: -len(items[k][1]))
        done = self.memory.map(
            "fit",
            lambda item: self._completed(item, fit(*self.columns.problem(item), self.prior)),
            [items[k] for k in dear_first],
            self.n_jobs,
            done=self._in_time,
            restore=Optimum,
        )
        by_place = dict(zip(dear_first, done, strict=True))
        return [by_place[k] for k in range(len(items))]

    def _fit_there(self, items: Sequence[Item]) -> list[Optimum]:
        size = max(1, int(batch_memory(self.device) / (8 * 6 * self.columns.n**2)))
        alike = sorted(range(len(items)), key=lambda k: len(items[k][1]))
        found: dict[int, Optimum] = {}
        for first in range(0, len(alike), size):
            batch = alike[first : first + size]
            found.update(zip(batch, self._fit_batch([items[k] for k in batch]), strict=True))
            self._in_time(len(found))
        return [found[k] for k in range(len(items))]

    def _fit_batch(self, items: list[Item]) -> list[Optimum]:
        def fitted() -> list[Optimum]:
            optima = fit_stack(*self.columns.stack(items), self.prior)
            return [self._completed(*both) for both in zip(items, optima, strict=True)]

        found = self.memory.once("batch", fitted, self.device, items)
        return [optimum if isinstance(optimum, Optimum) else Optimum(*optimum) for optimum in found]

    def _completed(self, item: Item, optimum: Optimum) -> Optimum:
        """Add what the residuals' shape tells, if it counts."""
        if not self.shaped:
            return optimum
        Z, y, F = (on_device(part, self.device) for part in self.columns.problem(item))
        theta = np.concatenate([optimum.theta[: Z.shape[1]], optimum.theta[-3:]])  # without padding
        left, alone = shape_evidence(
            np.stack([process_residuals(Z, y, F, theta), self.columns.values[item[0]]])
        )
        return replace(optimum, shape=float(left - alone))

    def _read(self, item: Item, optimum: Optimum) -> Fit:
        parents = item[1]
        by_column = np.argsort(self.columns.ordered(parents))
        w, (l, v, a) = np.exp(optimum.theta[:-3]), np.exp(optimum.theta[-3:])
        gain = optimum.gain if self.prior else max(optimum.gain, 0.0)
        return Fit(
            gain + optimum.shape, w[by_column], float(l), float(v), float(a), optimum.noise,
            np.concatenate([optimum.errors[: len(parents)][by_column], optimum.errors[-3:]]),
        )  # fmt: skip


def item_of(node: int, parents: Iterable[int]) -> Item:
    """Return the key of an item: plain ints, parents in increasing order."""
    return int(node), tuple(sorted(int(i) for i in parents))


def batch_memory(device: str) -> float:
    """Return the bytes one batch may take: a good part of what a GPU has left, else `MEMORY`."""
    if not device.startswith("cuda"):
        return MEMORY
    import torch

    free, _ = torch.cuda.mem_get_info(device)
    return 0.4 * float(free)
