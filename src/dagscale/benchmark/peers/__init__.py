"""Other people's methods as rows of the board: one small file each.

A peer is a module with a function `run(X, names, seed) -> adjacency` that takes an (n, d) array and
returns a (d, d) bool array [parent, child]. `peer:causal-learn-pc` is the file `causal_learn_pc.py` of
this folder; a name with a dot, `peer:mypackage.mymodule`, is any module that can be imported, so that a
method of your own runs on the same board without touching this package. `PACKAGE`, where a peer
defines it, names the distribution whose version is recorded and made part of the run's code version.

Partially directed answers are scored by one convention: a peer returns each undirected edge in both
directions, and the runner keeps the direction of the truth where the truth has that edge (the answer
did not contradict it) and drops to one arbitrary direction, lower column first, where it has not. So
undirected edges are judged by their adjacency alone, which favours the peer. Directed cycles that
remain make SID and the order undefined; those columns are then empty.
"""

from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dagscale.errors import InputError, closest
from dagscale.types import BoolArray

PREFIX = "peer:"
Peer = Callable[..., Any]


def peer_names() -> list[str]:
    """List the peers this package ships adapters for."""
    return sorted(p.stem.replace("_", "-") for p in Path(__file__).parent.glob("[a-z]*.py"))


def peer_module(name: str) -> ModuleType:
    """Import the adapter called `name` (without the "peer:")."""
    if "." in name:
        target = name
    elif name in peer_names():
        target = f"{__name__}.{name.replace('-', '_')}"
    else:
        known = ", ".join(peer_names()) or "none shipped"
        raise InputError(
            f"unknown peer {name!r}{closest(name, peer_names())}; known: {known}, or any module.path"
        )
    try:
        return import_module(target)
    except ImportError as missing:
        raise InputError(f"peer {name!r} cannot be imported: {missing}") from missing


def peer_version(name: str) -> str:
    """Return the version of the distribution behind a peer, "" when the adapter names none."""
    package = getattr(peer_module(name), "PACKAGE", None)
    if package is None:
        return ""
    try:
        return f"{package}-{metadata.version(package)}"
    except metadata.PackageNotFoundError as missing:
        raise InputError(f"peer {name!r} needs the package {package!r}: pip install {package}") from missing


def resolve_undirected(answer: BoolArray, truth: BoolArray) -> BoolArray:
    """Turn every edge given in both directions into one, by the convention of this module."""
    both = answer & answer.T
    lower_first = np.triu(both & ~(truth | truth.T))
    resolved: BoolArray = (answer & ~both) | (both & truth) | lower_first
    return resolved
