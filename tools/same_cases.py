"""The cases of `make same`: cheap tables on which every method runs, by the public functions alone.

What a case is for stands in its `about`; that the branch named there is the one that runs was read off the
notes of the result. Seeds from 1000 on: those below are for reporting.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

import dagscale

METHODS = ("auto", "das", "score", "nogam", "cam")
BASELINES = ("empty", "random", "varsort", "varsort-desc", "r2sort", "r2sort-desc")


@dataclass(frozen=True)
class Case:
    """One call of `discover`.

    Attributes
    ----------
    name, about : str
        How it is stored, and what it is there to show.
    table : callable
        Makes the table.
    method : str
    options : mapping
        Other arguments of `discover`.
    then : callable, optional
        What is done with the result (and the table) before it is compared.
    quick : bool
        Whether it is among the cases that the tests run.
    needs : str
        A package without which the case is skipped.
    """

    name: str
    about: str
    table: Callable[[], pd.DataFrame]
    method: str = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)
    then: Callable[[dagscale.Result, pd.DataFrame], dagscale.Result] | None = None
    quick: bool = False
    needs: str = ""

    @property
    def runs_here(self) -> bool:
        """Whether what the case needs is installed."""
        return not self.needs or find_spec(self.needs) is not None

    def run(self, table: pd.DataFrame) -> dagscale.Result:
        """Return the result, found by one worker."""
        result = dagscale.discover(table, self.method, n_jobs=1, **self.options)
        return result if self.then is None else self.then(result, table)


def simulated(nodes: int, edges: float = 1, rows: int = 200, **model: Any) -> Callable[[], pd.DataFrame]:
    """Return what draws a table: standardised and by seed 1000, unless the model says otherwise."""
    settings = {"standardize": True, "random_state": 1000, "n_jobs": 1, **model}
    return lambda: dagscale.simulate(nodes=nodes, edges_per_node=edges, samples=rows, **settings).table


def changed(
    table: Callable[[], pd.DataFrame], by: Callable[[pd.DataFrame], pd.DataFrame]
) -> Callable[[], pd.DataFrame]:
    """Return what draws a table and changes it."""
    return lambda: by(table())


def set_in_turn(**label: str) -> Callable[[], pd.DataFrame]:
    """Return what draws a table of which each column was set in 40 rows; `done` says which, or `label` instead."""

    def draw() -> pd.DataFrame:
        made = dagscale.simulate(
            nodes=5, samples=150, linear=1.0, interventions=40, standardize=True, random_state=1000, n_jobs=1
        )
        return made.table.assign(done=[label.get(own, own) or "obs" for own in made.targets])

    return draw


def loaded(name: str, **options: Any) -> Callable[[], pd.DataFrame]:
    """Return what loads a data set."""
    return lambda: dagscale.datasets.load(name, **options).table


def holes(table: pd.DataFrame) -> pd.DataFrame:
    """Take out two values of a hundred."""
    return table.mask(np.random.default_rng(1000).random(table.shape) < 0.02)


def resampled(result: dagscale.Result, table: pd.DataFrame) -> dagscale.Result:
    """Add how often each edge comes back in four resamples."""
    return dagscale.bootstrap(table, result.method, 4, n_jobs=1, random_state=1000).annotate(result)


def known_later(**pieces: Any) -> Callable[[dagscale.Result, pd.DataFrame], dagscale.Result]:
    """Return what makes a result obey knowledge afterwards."""
    return lambda result, _: result.with_knowledge(dagscale.Knowledge(**pieces), n_jobs=1)


RAW = simulated(8, 1.5, 200, standardize=False, random_state=1001)
SMALL = simulated(6, 1, 200)
MIXED = simulated(8, 1, 300, discrete=0.4)
WIDE = simulated(52, 1, 150)
NEARLY_LINEAR = {"mechanism": "sigmoid-additive"}
CLEAR = {"noise_variance": 0.1}
TIERS = dagscale.Knowledge(tiers=[["X0", "X1", "X2"], ["X3", "X4", "X5"]])
PIECES = dagscale.Knowledge(
    required=[("X0", "X1")], forbidden=[("X2", "X3"), ("X3", "X2")], roots=["X4"], leaves=["X5"]
)
QUICK = {"effort": "quick"}

AUTO = [
    Case("auto sparse 8", "every pair is a candidate", simulated(8, 1, 250, random_state=1001)),
    Case("auto sparse 15", "partners by screening; may hide that it is dense", simulated(15, 1, 150)),
    Case("auto sparse 24", "sparse, more than 20 columns", simulated(24, 1, 150)),
    Case("auto mixed 8", "levels and counts beside numbers", MIXED),
    Case("auto mixed 8, quick", "levels and counts beside numbers", MIXED, options=QUICK, quick=True),
    Case("auto mixed 10", "mostly levels and counts, two edges a node", simulated(10, 2, 250, discrete=0.8)),
    Case("cam mixed 8", "greedy search and pruning with levels and counts", MIXED, "cam", quick=True),
    Case("auto faint 14", "a dense graph of which few rows show little", simulated(14, 3, 150)),
    Case("auto dense 7", "dense, length scales learnt, sets aligned", simulated(7, 3, 200, random_state=1002)),
    Case("auto dense 10", "dense, ten columns", simulated(10, 4, 200, **CLEAR)),
    Case("auto dense 8 sines", "fast waves",
         simulated(8, 2, mechanism="sine", **CLEAR)),
    Case("auto dense 14", "dense, more than twelve columns", simulated(14, 3, 200, **CLEAR)),
    Case("auto dense 22", "a dense start tells the scales itself; aligned", simulated(22, 2.5, 250, **CLEAR)),
    Case("auto grown 22", "exchanged start, dense once climbed, then scales learnt",
         simulated(22, 2.5, 150, **CLEAR)),
    Case("auto laplace 8", "shape of the noise; some columns by ranks",
         simulated(8, 1, 250, noise="laplace", **NEARLY_LINEAR)),
    Case("auto gumbel 15", "shape of the noise among screened pairs",
         simulated(15, 1, 300, noise="gumbel", **NEARLY_LINEAR)),
    Case("auto uniform dense 8", "shape of the noise, dense",
         simulated(8, 3, 200, mechanism="gp-additive", noise="uniform")),
    Case("auto uniform 22", "linear effects turned by the noise's shape",
         simulated(22, 1, 200, mechanism="linear", noise="uniform")),
    Case("auto splines", "additive fast waves, noise not normal, tails kept",
         simulated(8, 1, 300, mechanism="polynomial", noise="laplace")),
    Case("auto splines sines", "additive sines, no heavy tails, noise not normal",
         simulated(8, 1, 250, mechanism="sine", random_state=1003, **CLEAR)),
    Case("auto linear 6", "edges that may point either way", simulated(6, 1, 200, mechanism="linear")),
    Case("auto not additive", "noise not additive by ranks either: strong edges only",
         loaded("regulatory", nodes=10, samples=300, network="synthetic", random_state=1003), quick=True),
    Case("auto sachs", "measured data; noise not additive", loaded("sachs")),
    Case("auto mended", "noise additive once ranked",
         changed(simulated(6, 1, 300, mechanism="mlp"), lambda t: np.tanh(2 * t)), quick=True),
    Case("auto exponential", "noise additive once ranked",
         changed(simulated(8, 1, 250), lambda t: np.exp(1.5 * t))),
    Case("auto more rows", "more rows than the evidence looks at", simulated(3, 1, 2100)),
    Case("auto alpha", "another level of the start's pruning", SMALL, options={"alpha": 0.1}, quick=True),
    Case("auto empty", "independent columns", simulated(6, 0, 150)),
    Case("auto tiers", "tiers, sparse", SMALL, options={"knowledge": TIERS}, quick=True),
    Case("auto pieces", "required, forbidden, roots and leaves; scales learnt",
         simulated(7, 2.5, 200, random_state=1002), options={"knowledge": PIECES}),
    Case("auto known later", "knowledge afterwards: runs again", SMALL,
         then=known_later(required=[("X5", "X0")])),
    Case("auto raw", "units do not matter unless told", RAW, options={"standardize": False}),
]  # fmt: skip

SHORT = [
    Case("quick 6", "start and interactions alone", SMALL, options=QUICK, quick=True),
    Case("quick interactions", "edges by interactions",
         simulated(20, 3, 500, **CLEAR), options=QUICK),
    Case("quick more rows", "interactions on some rows", simulated(10, 1, 3500), options=QUICK),
    Case("quick wide", "many columns", simulated(60, 1.5, 200), options=QUICK),
    Case("quick pieces", "knowledge", RAW, options={**QUICK, "knowledge": PIECES}, quick=True),
    Case("quick waves", "finer curves, for sines of several parents",
         simulated(8, 3, 400, mechanism="sine"), options=QUICK, quick=True),
    Case("quick levels", "hidden levels, which explain the links better than arrows",
         loaded("regulatory", network="synthetic", samples=300, random_state=1003), options=QUICK, quick=True),
    Case("quick multiplied", "sums of parents times noise",
         simulated(8, 2, 400, noise="multiplicative"), options=QUICK, quick=True),
    Case("quick ranks", "heavy tails, shape of the noise",
         simulated(12, 1, 300, noise="laplace"), options=QUICK, quick=True),
    Case("quick not additive", "another level where noise is not additive",
         loaded("regulatory", nodes=8, samples=300, network="synthetic", random_state=1003),
         options={**QUICK, "alpha": 0.01}, quick=True),
]  # fmt: skip


def _settings(method: str, **options: Any) -> Case:
    """Return the case of a method with other settings than its own, on the raw table."""
    shown = " ".join(f"{key}={value}" for key, value in options.items())
    return Case(f"{method} {shown}", "settings", RAW, method, options, quick=True)


SETTINGS = [
    *(Case(f"{method} raw", "as it comes", RAW, method, quick=True) for method in (*METHODS[1:], *BASELINES)),
    *(_settings(method, alpha=0.05) for method in (*METHODS[1:], "varsort", "r2sort")),
    *(_settings(method, standardize=True) for method in METHODS[1:]),
    *(_settings(method, pns=True, K=3) for method in (*METHODS[2:], "varsort")),
    *(_settings(method, pns=True, K=3, pns_method="trees") for method in METHODS[2:]),
    _settings("das", K=2, min_parents=1, cutoff=0.1),
    _settings("das", criterion="median"),
    _settings("das", eta=0.01, max_rows=120),
    _settings("score", criterion="scale-free"),
    _settings("score", criterion="mad"),
    _settings("score", eta=0.1, max_rows=120),
    _settings("nogam", ridge=1.0, n_crossval=3, random_state=1),
    _settings("cam", max_parents=1),
    _settings("random", random_state=7),
    *(Case(f"{m} pieces", "knowledge", RAW, m, {"knowledge": PIECES}, quick=True)
      for m in (*METHODS[1:], *BASELINES)),
    *(Case(f"{m} tiers", "knowledge", RAW, m, {"knowledge": TIERS}, quick=True) for m in METHODS[1:]),
    *(Case(f"{m} experiments", "columns that were set", set_in_turn(), m,
           {"interventions": "done", **how}, quick=True)
      for m, how in (("auto", {"effort": "quick"}), ("cam", {}), ("das", {}))),
    Case("auto experiments, wrong labels", "labels that the data contradict", set_in_turn(X1="X2", X2="X1"), "auto",
         {"interventions": "done", "effort": "quick"}, quick=True),
    Case("auto conditions", "conditions of unknown targets", set_in_turn(), "auto",
         {"environment": "done", "effort": "quick"}, quick=True),
    *(Case(f"{m} sachs", "measured data", loaded("sachs"), m)
      for m in (*METHODS[1:], "varsort", "r2sort-desc")),
    *(Case(f"{m} wide", "neighbour search, from 50 columns on", WIDE, m) for m in (*METHODS[1:], "r2sort")),
    Case("cam impute", "missing values filled in", changed(RAW, holes), "cam",
         {"missing": "impute"}, quick=True),
    Case("das drop", "rows with missing values left out", changed(RAW, holes), "das",
         {"missing": "drop"}, quick=True),
    Case("cam log", "logarithms", changed(RAW, np.exp), "cam", {"transform": "log"}, quick=True),
    Case("das rank", "ranks of some columns", RAW, "das",
         {"transform": {"X0": "rank", "X3": "rank"}}, quick=True),
    Case("score columns", "some columns", RAW, "score",
         {"columns": ["X0", "X1", "X2", "X3", "X4"]}, quick=True),
    Case("varsort resampled", "confidence of the edges", RAW, "varsort", then=resampled, quick=True),
    Case("cam forbidden later", "knowledge afterwards: pruned again", RAW, "cam",
         then=known_later(forbidden=[("X0", "X1"), ("X2", "X3")]), quick=True),
    Case("das tiers later", "knowledge afterwards: runs again", RAW, "das",
         then=known_later(tiers=[["X0", "X1", "X2"], ["X3", "X4", "X5"]]), quick=True),
    Case("grandag", "networks, half trained", SMALL, "grandag", {"steps": 400}, needs="torch"),
]  # fmt: skip

CASES = {case.name: case for case in (*AUTO, *SHORT, *SETTINGS)}
