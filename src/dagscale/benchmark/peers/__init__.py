"""Other people's methods as rows of the board: one small file each.

A peer is a module with a function `run(X, names, seed) -> adjacency` that takes an (n, d) array and
returns a (d, d) bool array [parent, child]. `peer:causal-learn-pc` is the file `causal_learn_pc.py` of
this folder; a name with a dot, `peer:mypackage.mymodule`, is any module that can be imported, so that a
method of your own runs on the same board without touching this package. `PACKAGE`, where a peer
defines it, names the distribution whose version is recorded and made part of the run's code version.

Partially directed answers are scored by one strict convention (`judge.py`). A peer returns each undirected
edge in both directions. It is one claimed edge and no hit: on a true adjacency it counts one error in the
SHD, as a reversed edge does, it lowers precision and finds nothing for recall. Adjacency F1, which forgets
all directions, stands beside and shows what such an answer does know. Undirected edges and directed cycles
make SID and the order undefined; those columns are then empty.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

from dagscale.benchmark.peers._environment import VARIABLE, installed_version
from dagscale.runtime.errors import InputError, closest

PREFIX = "peer:"


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
    version = installed_version(package)
    if version is None:
        raise InputError(
            f"peer {name!r} needs {package}: pip install {package}, or set {VARIABLE} "
            "to the Python of an environment that has it"
        )
    return f"{package}-{version}"
