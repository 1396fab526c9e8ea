import os
import sys
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from dagscale.benchmark.measure import TimeLimitReached, measured, time_limit
from dagscale.benchmark.peers import _environment as environment
from dagscale.benchmark.peers import peer_module, peer_names, peer_version
from dagscale.benchmark.peers._marks import edges_of
from dagscale.runtime.errors import InputError

PEERS = [
    "causal-learn-camuv", "causal-learn-fci", "causal-learn-ges", "causal-learn-pc", "dagma-linear",
    "dagma-mlp", "gcastle-grandag", "lingam-direct", "lingam-resit",
]  # fmt: skip
QUICK = [name for name in PEERS if name not in ("dagma-mlp", "gcastle-grandag")]  # those take minutes
PACKAGES = {"causal": "causal-learn", "lingam": "lingam", "dagma": "dagma", "gcastle": "gcastle"}


def chain(n=300):
    """Draw a -> b -> c, linear with uniform noise, which every quick peer can at least connect."""
    rng = np.random.default_rng(0)
    e = rng.uniform(-1, 1, (n, 3))
    a = e[:, 0]
    b = 1.5 * a + e[:, 1]
    return np.column_stack([a, b, 1.5 * b + e[:, 2]])


@pytest.fixture
def no_other_python(monkeypatch):
    monkeypatch.delenv(environment.VARIABLE, raising=False)


@pytest.fixture
def fake_peer(tmp_path, monkeypatch):
    """Make a peer whose package is installed nowhere, as a module of a folder on the path."""
    text = """
        from dagscale.benchmark.peers._environment import peer_of
        PACKAGE = "no-such-package"
        @peer_of(PACKAGE)
        def run(X, names, seed):
            import numpy as np
            assert names == ["a", "b"] and X.dtype == np.float64
            print("noise on standard output")
            if seed == 9:
                import os
                os.kill(os.getpid(), 9)
            if seed == 2:
                import os
                np.ones(int(open(f"/proc/{os.getppid()}/statm").read().split()[1]) * 512 + 20_000_000)
            if seed == 60:
                import os, pathlib, time
                pathlib.Path(os.environ["PID_FILE"]).write_text(str(os.getpid()))
                time.sleep(60)
            if seed == 13:
                raise ArithmeticError("thirteen")
            return np.array([[False, seed == 1], [False, False]])
    """
    lines = [line[8:] for line in text.splitlines()]
    (tmp_path / "fakepeer.py").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    yield
    sys.modules.pop("fakepeer", None)


def test_every_file_of_the_folder_is_a_peer():
    assert peer_names() == PEERS
    assert all(callable(peer_module(name).run) for name in PEERS)


def test_marks_become_edges():
    # 0 -> 1, 1 - 2, 2 <-> 3, 0 o-> 2, 0 o-o 3; G[i, j] is the mark at i
    G = np.zeros((4, 4), dtype=int)
    for i, j, at_i, at_j in ((0, 1, -1, 1), (1, 2, -1, -1), (2, 3, 1, 1), (0, 2, 2, 1), (0, 3, 2, 2)):
        G[i, j], G[j, i] = at_i, at_j
    edges = {(int(i), int(j)) for i, j in np.argwhere(edges_of(G))}
    assert edges == {(0, 1), (1, 2), (2, 1), (2, 3), (3, 2), (0, 2), (0, 3), (3, 0)}


def test_a_missing_package_is_named_with_its_remedy(fake_peer, no_other_python):
    peer = import_module("fakepeer")
    with pytest.raises(InputError, match=r"needs no-such-package: pip install .*, or set DAGSCALE"):
        peer.run(np.zeros((2, 2)), ["a", "b"], 0)
    assert environment.installed_version(peer.PACKAGE) is None


def test_an_interpreter_without_the_package_says_so_in_one_line(fake_peer):
    with pytest.raises(RuntimeError, match=r"fakepeer failed in .*needs no-such-package"):
        environment.run_there(sys.executable, "fakepeer", np.zeros((2, 2)), ["a", "b"], 1)


def test_data_and_answers_travel(fake_peer, monkeypatch, tmp_path):
    info = tmp_path / "no_such_package-1.0.dist-info"  # now the worker has the package, found on its path
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: no-such-package\nVersion: 1.0\n")
    X = np.zeros((2, 2))
    answers = [environment.run_there(sys.executable, "fakepeer", X, ["a", "b"], seed) for seed in (0, 1)]
    assert not answers[0].any()
    assert answers[1].tolist() == [[False, True], [False, False]]
    with pytest.raises(RuntimeError, match="ArithmeticError: thirteen"):
        environment.run_there(sys.executable, "fakepeer", X, ["a", "b"], 13)
    with pytest.raises(RuntimeError, match="ended by signal 9"):
        environment.run_there(sys.executable, "fakepeer", X, ["a", "b"], 9)
    assert environment.version_there("no-such-package", sys.executable) == "1.0"
    assert environment.version_there("no-such-package", None) is None
    assert environment.version_there("no-such-package", str(tmp_path / "no-python")) is None


def test_what_a_run_elsewhere_costs_is_counted(fake_peer, tmp_path):
    info = tmp_path / "no_such_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: no-such-package\nVersion: 1.0\n")
    with measured() as cost:
        environment.run_there(sys.executable, "fakepeer", np.zeros((2, 2)), ["a", "b"], 2)
    assert cost.cpu > 0.05  # an interpreter was started and imported numpy
    with measured() as other:
        pass
    if Path("/proc/self/status").exists():
        assert cost.peak_mb > other.start_mb + 100  # seed 2 takes 150 MB more than this process has
    assert other.cpu < 0.05


def test_a_script_may_stand_for_the_interpreter_and_its_run_ends_at_the_time_limit(
    fake_peer, tmp_path, monkeypatch
):
    packages = tmp_path / "packages"
    info = packages / "no_such_package-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: no-such-package\nVersion: 1.0\n")
    script = tmp_path / "python-with-packages"
    path = f'PYTHONPATH="{packages}:{tmp_path}"'
    script.write_text(f'#!/bin/sh\n{path} exec "{sys.executable}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv(environment.VARIABLE, str(script))
    monkeypatch.setenv("PID_FILE", str(tmp_path / "pid"))
    peer = import_module("fakepeer")
    assert environment.installed_version(peer.PACKAGE) == "1.0"
    assert peer.run(np.zeros((2, 2)), ["a", "b"], 1)[0, 1]
    started = time.perf_counter()
    with pytest.raises(TimeLimitReached), time_limit(5):
        peer.run(np.zeros((2, 2)), ["a", "b"], 60)
    assert time.perf_counter() - started < 30
    child = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.parametrize("name", QUICK)
def test_the_real_peers_connect_a_chain(name):
    package = PACKAGES[name.split("-")[0]]
    if environment.installed_version(package) is None:
        pytest.skip(f"{package} is neither here nor in the Python of {environment.VARIABLE}")
    with np.errstate(all="ignore"):
        found = peer_module(name).run(chain(), ["a", "b", "c"], 0)
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
    assert peer_version(name).startswith(f"{package}-")
