"""A row of a table is a method with its settings, written `das` or `das:cutoff=0.05,K=10`."""

from ast import literal_eval
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from dagscale.benchmark.cases import Problem
from dagscale.benchmark.labels import KNOWN, LABELS, told
from dagscale.benchmark.one_hot import ONE_HOT, one_hot_cam
from dagscale.benchmark.peers import PREFIX, find_peer, run_peer
from dagscale.benchmark.truth import TRUTH_ROWS
from dagscale.graphs.dag import topological_order
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.runtime.errors import InputError, closest
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

FLOW_SETTINGS = (
    "effort",
    "time_budget",
    "standardize",
    "transform",
    "kinds",
)  # of `discover`, not of a method
LABELLED = "labels"  # a row's setting: what it is told of the experiments, one of `LABELS`
TRIVIAL = ("empty", "random", "varsort", "varsort-desc", "r2sort", "r2sort-desc")
# Raise a method's number when a change of its code changes its results: stored runs of an
# earlier number are then ignored and made again. A method that is not listed has number 1.
RESULTS_VERSIONS: dict[str, int] = {"auto": 6}


@dataclass(frozen=True)
class Row:
    """A parsed row: the method's name and its settings, sorted by name."""

    method: str
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """The row in its one canonical spelling."""
        settings = ",".join(f"{name}={value}" for name, value in self.settings)
        return f"{self.method}:{settings}" if settings else self.method


@dataclass(frozen=True)
class Answer:
    """What a row found: a graph, its order (None when it has a cycle or undirected edges), remarks."""

    adjacency: BoolArray
    order: IntArray | None
    notes: tuple[str, ...] = ()
    either_way: BoolArray | None = None  # links whose direction is not claimed
    probabilities: FloatArray | None = None  # [i, j]: of the edge i -> j
    labels: Mapping[str, float] = field(default_factory=dict)  # measures of what was said of the experiments


def parse_row(text: str) -> Row:
    """Read a row, refusing methods and settings nobody knows."""
    text = text.strip()
    if text.startswith(PREFIX):
        find_peer(text.removeprefix(PREFIX))
        return Row(text)
    method, _, rest = text.partition(":")
    settings = dict(_setting(text, part) for part in rest.split(",")) if rest else {}
    bare = (*TRUTH_ROWS, ONE_HOT)
    if method in bare and settings:
        raise InputError(f"row {text!r}: {method} takes no settings")
    if method not in bare:
        _check(method, settings)
    return Row(method, tuple(sorted(settings.items())))


def split_rows(text: str) -> list[str]:
    """Split a comma-separated list of rows, in which a row's own settings may hold commas.

    `das,score:K=5,eta=0.1,cam` is `das`, `score:K=5,eta=0.1`, `cam`: a part with "=" but no ":" before
    it goes on with the row before.
    """
    rows: list[str] = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        if rows and "=" in part and ":" not in part.partition("=")[0]:
            rows[-1] += f",{part}"
        else:
            rows.append(part)
    return rows


def results_version(name: str) -> int:
    """Return the present number of a row's method, by the row's name."""
    method = name if name.startswith(PREFIX) else name.partition(":")[0]
    return RESULTS_VERSIONS.get(method, 1)


def answer(row: Row, data: Problem, seed: int, n_jobs: int = 1, device: str = "cpu") -> Answer:
    """Run a row on a problem."""
    if row.method.startswith(PREFIX):
        return _peer_answer(row, data, seed)
    if row.method in TRUTH_ROWS:
        if data.truth is None:
            raise InputError(f"row {row.name!r} needs the true graph, and nobody knows that of this table")
        found = TRUTH_ROWS[row.method](data.numbers, data.truth, n_jobs)
        return Answer(found, topological_order(data.truth))
    if row.method == ONE_HOT:
        return _graph_answer(one_hot_cam(data.numbers, data.kinds, seed, n_jobs))
    from dagscale.flow import discover
    from dagscale.methods.registry import METHODS

    settings = {"n_jobs": n_jobs, "random_state": seed, "device": device, **dict(row.settings)}
    only = CONTINUOUS if METHODS[row.method].numbers_only else None
    labels = settings.pop(LABELLED, KNOWN)
    table, kinds = _with_kinds(data, settings.pop("kinds", only))
    table, of_rows, judge_labels = told(table, data.targets, labels, seed)
    result = discover(table, method=row.method, kinds=kinds, **of_rows, **settings)
    if result.names != list(data.table.columns):
        left_out = [name for name in data.table.columns if name not in result.names]
        raise InputError(f"discover left out {left_out}: its graph cannot be compared with the truth")
    place = {name: i for i, name in enumerate(result.names)}
    order = np.array([place[name] for name in result.order], dtype=np.intp)
    said = judge_labels(result)
    return Answer(result.adjacency, order, tuple(result.notes), result.either_way, result.probabilities, said)


def _with_kinds(data: Problem, kinds: str | None) -> tuple[pd.DataFrame, dict[Hashable, str] | None]:
    """Return the table and its kinds: as drawn, or with `kinds` "continuous" all codes taken for numbers."""
    names = list(data.table.columns)
    if kinds is None:
        return data.table, dict(zip(names, data.kinds, strict=True)) if data.kinds else None
    return pd.DataFrame(data.numbers, columns=names), dict.fromkeys(names, kinds)


def _peer_answer(row: Row, data: Problem, seed: int) -> Answer:
    names = [str(column) for column in data.table.columns]
    peer = row.method.removeprefix(PREFIX)
    return _graph_answer(run_peer(peer, data.numbers, names, seed, data.kinds, data.targets))


def _graph_answer(adjacency: BoolArray) -> Answer:
    """Put an order beside a graph, where it has one."""
    if undirected := int((adjacency & adjacency.T).sum()) // 2:
        return Answer(adjacency, None, (f"{undirected} undirected edges: no SID, no order",))
    try:
        return Answer(adjacency, topological_order(adjacency))
    except ValueError:
        return Answer(adjacency, None, ("the graph has a cycle: no SID, no order",))


def _setting(text: str, part: str) -> tuple[str, Any]:
    name, equals, value = part.partition("=")
    if not equals:
        raise InputError(f"row {text!r}: write settings as method:name=value,name=value")
    try:
        return name.strip(), literal_eval(value.strip())
    except (ValueError, SyntaxError):
        return name.strip(), value.strip()


def _check(method: str, settings: dict[str, Any]) -> None:
    from dagscale.methods.registry import METHODS

    if method not in METHODS:
        known = [*METHODS, *TRUTH_ROWS, ONE_HOT]
        raise InputError(
            f"unknown method {method!r}{closest(method, known)}; known: {', '.join(known)}, {PREFIX}NAME"
        )
    allowed = [*METHODS[method].settings(), *FLOW_SETTINGS, LABELLED]
    for name in settings:
        if name not in allowed:
            hint = f"{closest(name, allowed)}; known: {', '.join(allowed)}"
            raise InputError(f"method {method!r} has no setting {name!r}{hint}")
    if (labels := settings.get(LABELLED, KNOWN)) not in LABELS:
        raise InputError(f"row with labels={labels}: choose from {', '.join(LABELS)}")
