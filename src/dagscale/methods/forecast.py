"""How long a discovery will take and how much memory it needs: forecast from measurements, before it is run.

Time and memory are sums of products of powers of the sizes that decide them, such as q^3 d for d Cholesky
factors of (q, q), with coefficients fitted to runs on one machine (`benchmarks/plan.py --measure` writes them
to `forecast.json`). A probe of about a second compares that machine with the present one.

The search of `auto` on narrow tables is no such sum: how many models it fits depends on the graph. Its time is one
product of powers, fitted to the logarithms of the times: of the rows, the columns, the density of the graph, and the
share of columns of levels and counts. Tables of numbers alone have powers of their own: where parents interact,
Gaussian processes search on. A table tells more than its sizes: the seconds that its first graph takes, and the density
of that (`first_graph`; `benchmarks/first_graph.py` fits the powers).
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dagscale.inputs.subsample import KERNEL_ROWS, evenly_spaced_rows
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.registry import check_request
from dagscale.models.gp.fitting import FIRST_ROWS
from dagscale.models.splines.table import LONG, WHOLE_GRAM
from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.resources import LIMIT, free_memory, probe_speed
from dagscale.runtime.types import FloatArray
from dagscale.runtime.workers import one_blas_thread
from dagscale.runtime.workers import workers as count_workers
from dagscale.stages.ordering.greedy import ALL_PAIRS

DATA = Path(__file__).with_name("forecast.json")
EVIDENCE_ROWS = 2000  # `Evidence` uses so many rows at most
SPLINES = 9  # of a column
# `auto` on more than `SETTINGS.narrow_table` columns, and on columns of levels
WIDE, MIXED = " wide", " mixed"
FEWEST_ROWS = 100  # fewer are no remedy
PROBE_ROWS = 500  # of the first graph
PROBED, SHORTEST = 2.0, 0.005  # seconds that it may take, and that are told from none


class FirstGraph(NamedTuple):
    """What the first graph of a table tells: edges a node, at least 1, and the seconds it took here."""

    edges_per_node: float
    seconds: float


@dataclass(frozen=True)
class Plan:
    """The forecast of one discovery.

    Attributes
    ----------
    method, effort, device : str
    n, d : int
        Rows and columns.
    n_jobs : int
        Workers.
    seconds : float
        Wall clock time, on an otherwise idle machine.
    memory : float
        Peak memory in bytes; of the device where it is not the CPU.
    free : float or None
        Bytes that are free now.
    measured_on : str
        The machine behind the coefficients.
    edges_per_node, discrete : float
        The density and the share of columns of levels and counts that were assumed.
    """

    method: str
    effort: str
    device: str
    n: int
    d: int
    n_jobs: int
    seconds: float
    memory: float
    free: float | None
    measured_on: str
    edges_per_node: float = 1.0
    discrete: float = 0.0

    @property
    def fits(self) -> bool:
        """Whether the memory is there."""
        return self.free is None or self.memory <= self.free

    def __str__(self) -> str:
        effort = ", quick" if self.effort == "quick" else ""
        room = "" if self.free is None else f", {gigabytes(self.free)} are free"
        return (
            f"{self.method}{effort} on {self.n} rows and {self.d} columns, {self.n_jobs} workers: "
            f"about {duration(self.seconds)} and {gigabytes(self.memory)} ({self.device}{room})"
        )


def plan(
    n: int,
    d: int,
    method: str = "auto",
    device: str = "cpu",
    *,
    effort: str = "full",
    n_jobs: int | None = None,
    max_rows: int | None = None,
    probe: bool = True,
    edges_per_node: float = 1.0,
    discrete: float = 0.0,
    first: FirstGraph | None = None,
) -> Plan:
    """Forecast time and peak memory of `discover` on n rows and d columns.

    Parameters
    ----------
    n, d : int
        Rows and columns.
    method, device, effort, n_jobs
        As in `discover`.
    max_rows : int, optional
        The setting of DAS, SCORE and NoGAM, if it is not theirs.
    probe : bool
        Compare this machine with the measured one, for about a second the first time.
    edges_per_node : float
        How dense the graph is; `auto` takes longer where it is.
    discrete : float
        Share of the columns that are binary, categorical, ordinal or counts; `auto` takes longer for them, too.
    first : FirstGraph, optional
        What a look at the table told; `auto` alone uses it.

    Returns
    -------
    Plan
        `benchmarks/plan.py --check` compares it with runs on sizes that were not measured.

    Examples
    --------
    >>> import dagscale
    >>> print(dagscale.plan(1000, 100, "das", n_jobs=1).seconds < 3600)
    True
    """
    from joblib import cpu_count  # workers elsewhere take no memory here

    check_request(method, {}, effort=effort, n_jobs=n_jobs)
    for name, size in (("n", n), ("d", d)):
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
            raise InputError(f"{name}={shown(size)}: give a positive whole number")
    model = _model(method, effort, device, d, discrete)
    used = count_workers(n_jobs)
    speed = slowness(_kind(device)) if probe else 1.0
    share = model["parallel"] if _kind(device) == "cpu" else 0.0
    if not 0.0 <= discrete <= 1.0:
        raise InputError(f"discrete must be a share of the columns, from 0 to 1, not {discrete!r}")
    told = speed * _value(model["seconds"], n, d, 1, max_rows, edges_per_node)
    searched = speed * _product(model.get("product", {}), n, d, edges_per_node, discrete)
    if first is not None and method == "auto" and d <= SETTINGS.narrow_table:
        searched = _by_first(model, n, first, searched)
    seconds = (told + searched) * (1 - share + share / used)
    memory = _bytes(method, effort, device, n, d, min(used, cpu_count()), max_rows)
    machine = _data()[_kind(device)]["machine"]
    free = free_memory(_kind(device))
    return Plan(
        method, effort, device, int(n), int(d), used, seconds, memory, free, machine, edges_per_node, discrete
    )


def planned_methods(device: str = "cpu") -> list[tuple[str, str]]:
    """List the methods that a forecast was measured for, with their effort."""
    names = [
        name
        for name in _data().get(_kind(device), {"methods": {}})["methods"]
        if WIDE not in name and MIXED not in name
    ]
    split = (name.partition(", ") for name in names)
    return [(method, effort or "full") for method, _, effort in split]


def refuse_what_does_not_fit(
    size: tuple[int, int],
    method: str,
    device: str = "cpu",
    effort: str = "full",
    n_jobs: int | None = None,
    max_rows: int | None = None,
) -> None:
    """Raise, in one line with a remedy, where a discovery on (n, d) numbers would exhaust the memory."""
    from joblib import cpu_count

    free, used = free_memory(_kind(device)), min(count_workers(n_jobs), cpu_count())
    n, d = size
    try:
        needed = _bytes(method, effort, device, n, d, used, max_rows)
    except InputError:  # nothing was measured: nothing is known
        return
    if free is None or needed <= free:
        return
    if method == "auto" and effort == "full" and _bytes(method, "quick", device, n, d, used) <= free:
        remedy = "effort='quick'"
    elif _bytes(method, effort, device, n, d, used) <= free:
        remedy = "a smaller max_rows"
    else:
        rows = n
        while rows >= FEWEST_ROWS and _bytes(method, effort, device, rows, d, used) > free:
            rows = rows * 9 // 10
        remedy = f"at most {rows} rows" if rows >= FEWEST_ROWS else "fewer columns, or another machine"
    raise InputError(
        f"{method} on {n} rows and {d} columns needs about {gigabytes(needed)}, {gigabytes(free)} are free: "
        f"use {remedy} (or set {LIMIT} if more may be used)"
    )


def _bytes(
    method: str, effort: str, device: str, n: int, d: int, workers: int, max_rows: int | None = None
) -> float:
    needed = _value(_model(method, effort, device, d)["bytes"], n, d, workers, max_rows)
    if (
        method == "auto" and effort == "full"
    ):  # begins with the quick search, whose peak may be the higher one
        needed = max(needed, _bytes(method, "quick", device, n, d, workers))
    return needed


@cache
def _data() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return loaded


def _kind(device: str) -> str:
    return "cpu" if device in ("cpu", "torch") else device.partition(":")[0]


def _model(method: str, effort: str, device: str, d: int, discrete: float = 0.0) -> dict[str, Any]:
    measured = _data().get(_kind(device), {"methods": {}})["methods"]
    name = method
    if method == "auto" and d > SETTINGS.narrow_table:
        name += WIDE
    elif method == "auto" and discrete > 0 and effort == "full" and method + MIXED in measured:
        name += MIXED
    name = f"{name}, quick" if effort == "quick" and method == "auto" else name
    if name not in measured:
        known = ", ".join(measured) or "none"
        raise InputError(f"no forecast was measured for {name!r} on {_kind(device)}; known: {known}")
    model: dict[str, Any] = measured[name]
    return model


def _value(
    terms: Mapping[str, float],
    n: float,
    d: float,
    workers: float,
    max_rows: int | None = None,
    k: float = 1.0,
) -> float:
    return float(sum(weight * feature(name, n, d, workers, max_rows, k) for name, weight in terms.items()))


def _by_first(model: Mapping[str, Any], n: int, first: FirstGraph, by_sizes: float) -> float:
    """Return the seconds of the search that the first graph tells of, in place of those by sizes.

    Where processes may search on, it does not tell how long they take: then at least as long as the quick search.
    """
    powers = model.get("first") or _model("auto", "quick", "cpu", 1)["first"]
    sizes = {"t": first.seconds, "e": first.edges_per_node, "m": min(n, EVIDENCE_ROWS)}
    told = float(powers["1"] * np.prod([size ** powers[name] for name, size in sizes.items()]))
    return told if "first" in model else max(told, by_sizes)


def _product(powers: Mapping[str, float], n: float, d: float, density: float, discrete: float) -> float:
    """Return the product of powers of sizes, times its factor "1"; 0 where there is none."""
    sizes = {name: feature(name, n, d, density=density, discrete=discrete) for name in powers if name != "1"}
    return powers.get("1", 0.0) * float(np.prod([sizes[name] ** powers[name] for name in sizes]))


def first_graph(X: FloatArray, kinds: tuple[str, ...] = ()) -> FirstGraph | None:
    """Find the first graph of `auto` on some rows of a table (n, d), in two seconds at most.

    None of tables so wide that `auto` goes another way, or of very few rows.
    """
    from dagscale.inputs.knowledge import Constraints
    from dagscale.methods.auto.search.loop import greedy
    from dagscale.methods.auto.search.objective import Objective
    from dagscale.methods.auto.search.proposers import Scene
    from dagscale.models.likelihood.columns import scales_of
    from dagscale.models.likelihood.spline_gain import SplineGain

    n, d = X.shape
    if d > SETTINGS.narrow_table or n < FEWEST_ROWS:
        return None
    known, rows = Constraints.none(d), X[evenly_spaced_rows(n, PROBE_ROWS)]
    scene = Scene(known, known.allowed, SETTINGS.likelihood.max_parents)

    def once(deadline: float) -> FirstGraph:
        began = time.process_time()
        gain = SplineGain(scales_of(rows, kinds)[0])
        graph = greedy(Objective(gain, d, SETTINGS.likelihood.caution), scene, deadline)
        return FirstGraph(max(1.0, float(graph.sum()) / d), max(time.process_time() - began, SHORTEST))

    with one_blas_thread():
        until = time.monotonic() + PROBED
        first = once(until)
        again = (
            once(until) if first.seconds < PROBED / 4.0 else first
        )  # the first call loads and prepares much
    return first._replace(seconds=min(first.seconds, again.seconds))


def feature(
    name: str,
    n: float,
    d: float,
    workers: float = 1,
    max_rows: int | None = None,
    density: float = 1.0,
    discrete: float = 0.0,
) -> float:
    """Compute a product of powers such as "q^2 d".

    n rows, d columns, w workers; q rows of the (q, q) kernels, m rows of the evidence, f of its first fits,
    k rows whose splines are kept, g splines whose Gram matrix is kept, s columns of
    which the greedy search looks at every pair, e edges a node, l one more than the share of columns of levels and
    counts.
    """
    sizes = {
        "1": 1,
        "n": n,
        "d": d,
        "w": workers,
        "q": min(n, KERNEL_ROWS if max_rows is None else max_rows),
        "m": min(n, EVIDENCE_ROWS),
        "f": min(n, FIRST_ROWS),
        "k": min(n, LONG),
        "g": SPLINES * d if n > LONG else min(SPLINES * d, WHOLE_GRAM),
        "s": min(d, ALL_PAIRS),
        "e": density,
        "l": 1.0 + discrete,
    }
    product = 1.0
    for factor in name.split():
        symbol, _, power = factor.partition("^")
        product *= float(float(sizes[symbol]) ** int(power or 1))
    return product


@cache
def slowness(kind: str = "cpu") -> float:
    """Compare the present machine with the measured one: 2 is twice as slow."""
    now = probe_speed(kind)
    before = _data()[kind]["probe"]
    return float(np.exp(np.mean([np.log(now[name] / before[name]) for name in before])))


def duration(seconds: float) -> str:
    """Write a duration as a person would."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 36 * 3600 else f"{seconds / 86400:.1f} days"


def gigabytes(size: float) -> str:
    """Write a number of bytes in GB."""
    return f"{size / 1e9:.2g} GB" if size < 1e11 else f"{size / 1e9:.0f} GB"
