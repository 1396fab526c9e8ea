"""What counts as survived: a valid result, or one clear line."""

import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import dagscale
from dagscale.runtime.errors import DagscaleError

HANG = 600  # seconds after which a run counts as hung


@dataclass(frozen=True)
class Outcome:
    """What became of one attempt: `fault` is empty where it survived."""

    what: str
    label: str
    seconds: float = 0.0
    refused: bool = False
    fault: str = ""


def faults(result: dagscale.Result) -> list[str]:
    """List what is wrong with a result."""
    found = []
    place = {name: k for k, name in enumerate(result.order)}
    ends = zip(result.edges["source"], result.edges["target"], strict=True)
    if sorted(place.values()) != list(range(len(result.names))) or set(place) != set(result.names):
        found.append("the order is no permutation of the names")
    elif any(place[a] >= place[b] for a, b in ends):
        found.append("an edge goes against the order")
    if not nx.is_directed_acyclic_graph(nx.DiGraph(result.adjacency.astype(int))):
        found.append("the graph has a cycle")
    strengths = result.edges["strength"].to_numpy(float)
    if not (np.isfinite(strengths).all() and (strengths >= 0).all() and (strengths <= 1).all()):
        found.append("a strength is not between 0 and 1")
    if len(result.edges) != result.adjacency.sum():
        found.append("edges and adjacency differ")
    probabilities = getattr(result, "probabilities", None)
    if probabilities is not None:
        p = np.asarray(probabilities, dtype=float)
        if not np.isfinite(p).all() or (p < 0).any() or ((p + p.T) > 1 + 1e-9).any():
            found.append("a probability is not one")
    return found


@contextmanager
def watched() -> Iterator[None]:
    """Turn numerical warnings into errors, other warnings into silence, and a hang into an error."""

    def hung(*_: Any) -> None:
        raise TimeoutError(f"hung for {HANG} s")

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(HANG)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def attempt(what: str, label: str, work: Callable[..., list[str]], *arguments: Any) -> Outcome:
    """Call `work`, which returns what is wrong, and say what became of it."""
    started = time.monotonic()
    refused, fault = False, ""
    try:
        with watched():
            fault = "; ".join(work(*arguments))
    except DagscaleError as error:
        refused = True
        fault = "more than one line" if "\n" in str(error) or not str(error) else ""
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        fault = f"{type(error).__name__}: {str(error)[:80]} ({Path(where.filename).name}:{where.lineno})"
    return Outcome(what, label, time.monotonic() - started, refused, fault)
