"""The board on a real local cluster of two worker processes, reached by its address."""

import json

import pytest
from typer.testing import CliRunner

from dagscale.benchmark.cli import app
from dagscale.benchmark.store import key_of

distributed = pytest.importorskip("distributed")
NOTHING = "peer:boardpeers.nothing"


@pytest.mark.filterwarnings("ignore")  # dask's own, which differ from release to release
def test_a_cluster_makes_the_same_records(peers, tmp_path):
    arguments = ["run", "paper-er1", "--nodes", "10", "--seeds", "2", "--methods", NOTHING, "--quiet"]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        away = [*arguments, "--out", str(tmp_path / "away"), "--dask", cluster.scheduler_address]
        assert CliRunner().invoke(app, away).exit_code == 0
    assert (
        CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "here"), "--n-jobs", "1"]).exit_code == 0
    )
    assert graphs(tmp_path / "away") == graphs(tmp_path / "here")


def graphs(folder):
    lines = (folder / "paper-er1.jsonl").read_text().splitlines()
    return {key_of(r): (r["graph"], r["metrics"]) for r in map(json.loads, lines)}
