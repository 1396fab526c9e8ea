"""Peers made for these tests, importable here and in worker processes, and records made by hand."""

import os
import sys
from pathlib import Path

import pytest

PEERS = {
    "nothing": "def run(X, names, seed):\n    return np.zeros((X.shape[1],) * 2, bool)\n",
    "slow": "def run(X, names, seed):\n    time.sleep(0.25)\n    return np.zeros((X.shape[1],) * 2, bool)\n",
    "failing": "def run(X, names, seed):\n    raise RuntimeError('no luck\\nat all')\n",
    "endless": "def run(X, names, seed):\n    while True:\n        try:\n            time.sleep(60)\n"
    "        except Exception:\n            pass\n",
    "dying": "def run(X, names, seed):\n    os._exit(3)\n",
    "undirected": "def run(X, names, seed):\n    return ~np.eye(X.shape[1], dtype=bool)\n",
    "circular": "def run(X, names, seed):\n    return np.roll(np.eye(X.shape[1], dtype=bool), 1, axis=1)\n",
}


@pytest.fixture(scope="session")
def peers(tmp_path_factory: pytest.TempPathFactory):
    """Return a folder on the path with the package `boardpeers`; name its rows `peer:boardpeers.slow`."""
    folder: Path = tmp_path_factory.mktemp("peers")
    package = folder / "boardpeers"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name, body in PEERS.items():
        (package / f"{name}.py").write_text(f"import os, time\nimport numpy as np\n\n{body}")
    sys.path.insert(0, str(folder))
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), before]))
    yield folder
    sys.path.remove(str(folder))
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture
def suite(peers):
    """Return a tiny suite: ER1 with 4 nodes, both units, 40 rows."""
    from dagscale.benchmark.cases import simulated
    from dagscale.benchmark.suite import Suite

    settings = {"graph": "ER", "edges_per_node": 1, "samples": 40, "mechanism": "sine"}
    return Suite(
        "tiny", "A tiny suite", "For tests.", simulated({"ER1": settings}, (4,)), ("peer:boardpeers.nothing",)
    )
