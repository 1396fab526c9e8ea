"""A real dask cluster of worker processes: the same results as here, also when a worker is killed."""

import contextlib
import json
import os
import runpy
import signal
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest

import dagscale
from dagscale.runtime.parallel import parallel_map, run_in_threads
from dagscale.runtime.ship_closures import LARGE

distributed = pytest.importorskip(
    "distributed", reason="needs dask.distributed: pip install 'dagscale[dask]'"
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("cluster"),
    # dask's own sockets and event loops, closed when they are collected
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        )
    with cluster, distributed.Client(cluster) as connected:
        yield connected


@pytest.fixture
def on_cluster(client):
    client.wait_for_workers(3, timeout=100)  # after a kill a busy machine takes its time
    with joblib.parallel_config("dask"):
        yield client


def test_tasks_run_in_other_processes_and_come_back_in_order(on_cluster):
    table = np.arange(2.0 * LARGE).reshape(2, -1)
    found = parallel_map(lambda k: (k, float(table[k % 2].sum()), os.getpid()), range(12))
    assert [k for k, _, _ in found] == list(range(12))
    assert [total for _, total, _ in found] == [float(table[k % 2].sum()) for k in range(12)]
    assert os.getpid() not in {pid for _, _, pid in found}


def test_data_are_scattered_once_and_go_when_they_are_gone_here(on_cluster, monkeypatch):
    sent = []
    scatter = type(on_cluster).scatter
    monkeypatch.setattr(
        type(on_cluster), "scatter", lambda *args, **options: sent.append(1) or scatter(*args, **options)
    )
    table = np.random.default_rng(0).normal(size=(100, 200))
    views = [table[:, :100], table.T]
    for power in (1, 2, 3):  # three maps of many tasks, each with a function of its own over the same data
        parallel_map(lambda k, p=power: float((views[0][k] ** p).sum() + views[1][k, 0]), range(20))
    assert len(sent) == 1
    table[0, 0] += 1  # what has changed is sent anew
    found = parallel_map(lambda k: float(table[k, 0]), range(20))
    assert found[0] == table[0, 0]
    assert len(sent) == 2


def test_views_arrive_with_their_strides_and_share_their_memory(on_cluster):
    table = np.random.default_rng(0).normal(size=(200, 100))
    parts = [table.T, table[::2, 3:50], table[:, ::-1], np.asfortranarray(table)]

    def look(k):
        same = np.shares_memory(parts[0], parts[1])
        return parts[k].strides, parts[k].tobytes(), same, parts[k].flags.writeable

    for part, (strides, content, same, _) in zip(parts, parallel_map(look, range(4)), strict=True):
        assert strides == part.strides
        assert content == part.tobytes()
        assert same


def test_short_work_and_shared_arrays_stay_here(on_cluster):
    out = np.zeros(4)
    run_in_threads(lambda k: out.__setitem__(k, k), range(4))
    assert out.tolist() == [0, 1, 2, 3]
    assert set(parallel_map(lambda _: os.getpid(), range(4), local=True)) == {os.getpid()}


def test_errors_come_back(on_cluster):
    with pytest.raises(ZeroDivisionError):
        parallel_map(lambda k: 1 / k, [1, 0, 2])


def test_the_example(client, capsys):
    example = Path(__file__).parents[2] / "examples" / "cluster.py"
    runpy.run_path(str(example))["main"](client.scheduler.address)
    assert "3 workers" in (said := capsys.readouterr().out)
    assert "the same as here: True" in said


@pytest.fixture(scope="module")
def table():
    return dagscale.simulate(nodes=7, samples=150, random_state=1000).table


def same_result(one, other):
    return one.order == other.order and one.edges.equals(other.edges)


def test_one_discovery_on_the_cluster(table, on_cluster):
    there = dagscale.discover(table, "nogam")  # for auto see the example above
    with joblib.parallel_config("threading", n_jobs=1):
        assert same_result(dagscale.discover(table, "nogam"), there)


def test_a_worker_killed_in_the_middle_of_a_map(on_cluster, tmp_path):
    table = np.random.default_rng(0).normal(size=(100, 200))
    mark = tmp_path / "killed"

    def task(k):
        if k == 5:
            with contextlib.suppress(FileExistsError):
                mark.touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.02)
        return float(table[k].sum())

    assert parallel_map(task, range(40)) == [float(row.sum()) for row in table[:40]]
    assert mark.exists()


class Killer:
    """A progress callback that kills one of the cluster's workers by SIGKILL, at the given step."""

    def __init__(self, client, label, step):
        self.victim = next(iter(client.run(os.getpid).values()))
        self.label, self.step = label, step

    def __call__(self, label, done, _total):
        if self.victim and label == self.label and done == self.step:
            os.kill(self.victim, signal.SIGKILL)
            self.victim = None


def test_a_worker_killed_in_the_middle_of_a_discovery(table, on_cluster):
    killer = Killer(on_cluster, "additive pruning", 2)
    there = dagscale.discover(table, "cam", progress=killer)
    assert killer.victim is None
    with joblib.parallel_config("threading", n_jobs=1):
        assert same_result(dagscale.discover(table, "cam"), there)


def test_a_worker_killed_in_the_middle_of_a_bootstrap(table, on_cluster):
    killer = Killer(on_cluster, "bootstrap", 3)
    there = dagscale.bootstrap(table, "cam", replicates=12, progress=killer)
    assert killer.victim is None
    with joblib.parallel_config("threading", n_jobs=1):
        here = dagscale.bootstrap(table, "cam", replicates=12)
    assert np.array_equal(here.confidence, there.confidence)
    assert np.array_equal(here.precedence, there.precedence)


def test_a_benchmark_suite_on_the_cluster(on_cluster, tmp_path):
    from dagscale.cli import _exit_code

    address = on_cluster.scheduler.address
    command = ["benchmark", "run", "paper-er1", "--nodes=10", "--seeds=1000,1001", "--methods=cam"]
    assert _exit_code([*command, "--out", str(tmp_path / "there"), "--dask", address, "--quiet"]) == 0
    assert _exit_code([*command, "--out", str(tmp_path / "here"), "--n-jobs", "1", "--quiet"]) == 0
    assert graphs(tmp_path / "here") == graphs(tmp_path / "there")
    assert len(graphs(tmp_path / "here")) == 2


def graphs(folder):
    lines = [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]
    return {(r["method"], r["seed"]): r["graph"] for r in map(json.loads, lines)}
