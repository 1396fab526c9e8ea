import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from dagscale.benchmark import peers as environment
from dagscale.benchmark.measure import TimeLimitReached, measured, time_limit
from dagscale.benchmark.peers import INTERVENTIONAL, PEERS, peer_version, run_peer, run_there
from dagscale.benchmark.peers.adapters import edges_of
from dagscale.runtime.errors import InputError

SLOW = ("dagma-mlp", "gcastle-grandag", "sdcd-mlp")  # minutes
QUICK = [name for name in PEERS if name not in SLOW]
PACKAGES = {
    "causal": "causal-learn",
    "lingam": "lingam",
    "dagma": "dagma",
    "gcastle": "gcastle",
    "pgmpy": "pgmpy",
    "gies": "gies",
    "sdcd": "sdcd",
    "causaldag": "causaldag",
    "ges": "ges",
}


def chain(n=300):
    """Draw a -> b -> c, linear with uniform noise, which every quick peer can at least connect."""
    rng = np.random.default_rng(0)
    e = rng.uniform(-1, 1, (n, 3))
    a = e[:, 0]
    b = 1.5 * a + e[:, 1]
    return np.column_stack([a, b, 1.5 * b + e[:, 2]])


@pytest.fixture
def fake_peer(tmp_path, monkeypatch):
    """Write a file with a peer that does as its seed says; return its path."""
    text = """
        def fake_one(X, names, seed, told=None):
            import os, pathlib, time
            import numpy as np
            assert names == ["a", "b"] and X.dtype == np.float64
            print("noise on standard output")
            if seed == 9:
                os.kill(os.getpid(), 9)
            if seed == 2:
                np.ones(int(open(f"/proc/{os.getppid()}/statm").read().split()[1]) * 512 + 20_000_000)
            if seed == 60:
                pathlib.Path(os.environ["PID_FILE"]).write_text(str(os.getpid()))
                time.sleep(60)
            if seed == 4:
                return told
            if seed == 13:
                raise ArithmeticError("thirteen")
            return np.array([[False, seed == 1], [False, False]])
    """
    path = tmp_path / "fakepeer.py"
    path.write_text("\n".join(line[8:] for line in text.splitlines()), encoding="utf-8")
    return path


def test_a_peer_is_named_after_its_package():
    assert len(PEERS) == 18
    assert {name.rpartition("-")[0] for name in PEERS} == set(PACKAGES.values())


def test_the_adapters_need_nothing_of_dagscale():
    text = Path(environment.adapters.__file__).read_text()
    assert "dagscale" not in [word for line in text.splitlines() if "import" in line for word in line.split()]
    code = f"import runpy; runpy.run_path({environment.adapters.__file__!r})['edges_of']"
    code += "; import sys; assert 'dagscale' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_marks_become_edges():
    # 0 -> 1, 1 - 2, 2 <-> 3, 0 o-> 2, 0 o-o 3; G[i, j] is the mark at i
    G = np.zeros((4, 4), dtype=int)
    for i, j, at_i, at_j in ((0, 1, -1, 1), (1, 2, -1, -1), (2, 3, 1, 1), (0, 2, 2, 1), (0, 3, 2, 2)):
        G[i, j], G[j, i] = at_i, at_j
    edges = {(int(i), int(j)) for i, j in np.argwhere(edges_of(G))}
    assert edges == {(0, 1), (1, 2), (2, 1), (2, 3), (3, 2), (0, 2), (0, 3), (3, 0)}


def test_a_missing_package_is_named_with_its_remedy(monkeypatch):
    monkeypatch.delenv(environment.VARIABLE, raising=False)
    monkeypatch.setattr(environment, "version_here", lambda package: None)
    with pytest.raises(InputError, match=r"needs lingam: pip install lingam, or set DAGSCALE"):
        run_peer("lingam-direct", np.zeros((2, 2)), ["a", "b"], 0)


def test_data_and_answers_travel(fake_peer, tmp_path):
    X = np.zeros((2, 2))
    there = sys.executable, fake_peer, "fake_one", X, ["a", "b"]
    assert not run_there(*there, 0).any()
    assert run_there(*there, 1).tolist() == [[False, True], [False, False]]
    targets = np.array([[True, False], [False, False]])
    assert np.array_equal(run_there(*there, 4, targets), targets)
    with pytest.raises(RuntimeError, match=r"fake_one failed in .*ArithmeticError: thirteen"):
        run_there(*there, 13)
    with pytest.raises(RuntimeError, match="ended by signal 9"):
        run_there(*there, 9)


def test_the_version_there(tmp_path):
    ask = environment.version_there
    assert ask("numpy", sys.executable) == np.__version__
    assert ask("no-such-package", sys.executable) is ask("numpy", None) is None
    assert ask("numpy", str(tmp_path / "no-python")) is None


def test_what_a_run_elsewhere_costs_is_counted(fake_peer):
    with measured() as cost:
        run_there(sys.executable, fake_peer, "fake_one", np.zeros((2, 2)), ["a", "b"], 2)
    assert cost.cpu > 0.05  # an interpreter was started and imported numpy
    with measured() as other:
        pass
    if Path("/proc/self/status").exists():
        assert cost.peak_mb > other.start_mb + 100  # seed 2 takes 150 MB more than this process has
    assert other.cpu < 0.05


def test_a_peer_goes_where_its_package_is_and_ends_at_the_time_limit(fake_peer, tmp_path, monkeypatch):
    """A script stands for the interpreter; it alone has the package `fake`."""
    info = tmp_path / "packages" / "fake-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fake\nVersion: 1.0\n")
    script = tmp_path / "python-with-packages"
    path = f'PYTHONPATH="{tmp_path / "packages"}"'
    script.write_text(f'#!/bin/sh\n{path} exec "{sys.executable}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv(environment.VARIABLE, str(script))
    monkeypatch.setenv("PID_FILE", str(tmp_path / "pid"))
    monkeypatch.setitem(PEERS, "fake-one", lambda *_: pytest.fail("ran here"))
    monkeypatch.setattr(environment.adapters, "__file__", str(fake_peer))
    assert peer_version("fake-one") == {"fake": "1.0"}
    assert run_peer("fake-one", np.zeros((2, 2)), ["a", "b"], 1)[0, 1]
    started = time.perf_counter()
    with pytest.raises(TimeLimitReached), time_limit(5):
        run_peer("fake-one", np.zeros((2, 2)), ["a", "b"], 60)
    assert time.perf_counter() - started < 30
    child = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.parametrize("name", QUICK)
def test_the_real_peers_connect_a_chain(name):
    try:
        version = peer_version(name)
    except InputError as missing:
        pytest.skip(str(missing))
    assert list(version) == [PACKAGES[name.split("-")[0]]]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other packages
        found = run_peer(name, chain(), ["a", "b", "c"], 0)
    assert found.shape == (3, 3)
    assert found.dtype == bool
    assert not found.diagonal().any()
    connected = found | found.T
    assert connected[0, 1]
    assert connected[1, 2]
    if name == "lingam-direct":
        assert found[0, 1]  # [parent, child], unlike lingam's own matrix
        assert found[1, 2]
        assert not found[1, 0]


def set_chain(n=200):
    """Draw a -> b -> c, linear Gaussian, and as many rows with each of a, b, c set; only these tell directions."""
    rng = np.random.default_rng(0)
    targets = np.repeat(np.vstack([np.zeros(3), np.eye(3)]), n, axis=0).astype(bool)
    e = rng.standard_normal((len(targets), 3))
    X = np.zeros_like(e)
    for j in range(3):
        own = e[:, j] + (1.5 * X[:, j - 1] if j else 0.0)
        X[:, j] = np.where(targets[:, j], 4.0 + e[:, j], own)
    return X, targets


@pytest.mark.parametrize("name", [name for name in INTERVENTIONAL if name not in SLOW])
def test_interventional_peers_are_told_the_targets(name):
    try:
        peer_version(name)
    except InputError as missing:
        pytest.skip(str(missing))
    X, targets = set_chain()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run_peer(name, X, ["a", "b", "c"], 0, targets=targets)
    assert found.astype(int).tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
