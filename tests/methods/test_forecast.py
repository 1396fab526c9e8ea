"""Forecasts: the sum of their terms, near the truth, and heeded before memory runs out."""

import json
import time
from itertools import pairwise

import joblib
import numpy as np
import pytest

import dagscale
from dagscale.cli import _exit_code
from dagscale.methods import das as methods_das
from dagscale.methods import forecast
from dagscale.methods.forecast import (
    _data,
    _kind,
    _model,
    duration,
    feature,
    gigabytes,
    planned_methods,
    refuse_what_does_not_fit,
    slowness,
)
from dagscale.runtime import resources
from dagscale.runtime.errors import InputError
from dagscale.runtime.resources import LIMIT, free_memory, probe_speed


@pytest.fixture
def free(monkeypatch):
    """Set how much memory is free, in GB."""
    return lambda gb: monkeypatch.setenv(LIMIT, str(gb))


def test_features_are_products_of_powers():
    assert feature("1", 100, 10) == 1
    assert feature("n^2 d", 100, 10) == 100_000
    assert feature("q^2", 50_000, 10) == 4000**2
    assert feature("q^2", 50_000, 10, max_rows=20_000) == 20_000**2
    assert feature("w m^2", 5000, 10, workers=3) == 3 * 2000**2
    assert feature("k d", 50_000, 3) == 30_000
    assert feature("g", 500, 100) == 900
    assert feature("g", 500, 10_000) == 3000  # beyond, no Gram matrix of all splines is kept ...
    assert feature("g", 50_000, 10_000) == 90_000  # ... but for long tables
    assert feature("s^2 n", 10, 1000) == 400_000
    assert feature("f^2", 300, 10) == 300**2
    assert feature("f^2", 5000, 10) == 400**2  # the first fits of the evidence


def test_a_forecast_is_the_sum_of_its_terms():
    told = dagscale.plan(700, 30, "das", n_jobs=1, probe=False)
    terms = _data()["cpu"]["methods"]["das"]
    assert told.seconds == pytest.approx(sum(c * feature(t, 700, 30) for t, c in terms["seconds"].items()))
    assert told.memory == pytest.approx(sum(c * feature(t, 700, 30) for t, c in terms["bytes"].items()))
    assert "GHz" in told.measured_on or told.measured_on
    two = dagscale.plan(700, 30, "das", n_jobs=2, probe=False)
    share = terms["parallel"]
    assert two.seconds == pytest.approx(told.seconds * (1 - share / 2))


def test_forecasts_grow_with_the_table():
    for method, effort in planned_methods():
        sizes = [(500, 10), (500, 100), (2000, 100), (2000, 400)]
        plans = [dagscale.plan(n, d, method, effort=effort, n_jobs=1, probe=False) for n, d in sizes]
        for small, large in pairwise(plans):
            assert 0 < small.seconds <= large.seconds
            assert 1e8 < small.memory <= large.memory


def test_every_method_of_the_paper_and_auto_is_covered():
    assert {"auto", "das", "score", "nogam", "cam"} <= {method for method, _ in planned_methods()}
    assert ("auto", "quick") in planned_methods()


@pytest.mark.parametrize(("method", "n", "d"), [("das", 600, 25), ("cam", 1200, 50)])
def test_a_held_out_size_is_near_its_forecast(method, n, d):
    """Loose, for busy machines; `benchmarks/plan.py --check` holds all methods to a factor of two."""
    table = dagscale.simulate(nodes=d, samples=n, mechanism="mlp", random_state=1000).table
    dagscale.discover(table.iloc[:50, :3], method, n_jobs=1)  # imports
    spent = []
    for _ in range(2):
        start = time.process_time()
        dagscale.discover(table, method, n_jobs=1)
        spent.append(time.process_time() - start)
    assert 1 / 4 < dagscale.plan(n, d, method, n_jobs=1).seconds / min(spent) < 4


def test_the_probe_is_short_and_compares_like_with_like(monkeypatch):
    start = time.process_time()
    now = probe_speed()
    assert time.process_time() - start < 4
    assert now.keys() == _data()["cpu"]["probe"].keys()
    slowness.cache_clear()
    thrice = {name: 3 * seconds for name, seconds in _data()["cpu"]["probe"].items()}
    monkeypatch.setattr(forecast, "probe_speed", lambda _: thrice)
    assert slowness("cpu") == pytest.approx(3)
    slow, same = (dagscale.plan(700, 30, "das", probe=probe) for probe in (True, False))
    assert slow.seconds == pytest.approx(3 * same.seconds)
    assert slow.memory == same.memory
    slowness.cache_clear()


def test_what_does_not_fit_is_refused_before_it_runs(free, monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 3))
    free(0.001)
    monkeypatch.setattr(methods_das, "das_pass", lambda *_, **__: pytest.fail("it ran"))
    with pytest.raises(
        InputError,
        match=r"^das on 60 rows and 3 columns needs about 0\.\d+ GB, 0.001 GB are free: use fewer col",
    ) as refusal:
        dagscale.discover(X, "das")
    assert "\n" not in str(refusal.value)
    assert f"set {LIMIT} if more may be used" in str(refusal.value)


def test_the_remedy_fits(free):
    free(8)
    refuse_what_does_not_fit((1_000_000, 10), "das")  # its kernel looks at some of the rows ...
    with pytest.raises(InputError, match="use a smaller max_rows"):  # ... unless told otherwise
        refuse_what_does_not_fit((1_000_000, 10), "das", max_rows=100_000)
    with pytest.raises(InputError, match=r"use at most (\d+) rows") as refusal:
        refuse_what_does_not_fit((1_000_000_000, 10), "cam")
    rows = int(str(refusal.value).split("at most ")[1].split()[0])
    refuse_what_does_not_fit((rows, 10), "cam")
    with pytest.raises(InputError):
        refuse_what_does_not_fit((int(1.2 * rows), 10), "cam")
    model = _model("auto", "full", "cpu", 10)["bytes"]
    if "w m^2" in model:  # every worker has matrices of its own
        many = int(8e9 / (model["w m^2"] * 2000**2)) + 1
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(forecast, "count_workers", lambda _: many)
            patch.setattr(joblib, "cpu_count", lambda: many)
            with pytest.raises(InputError, match="use effort='quick'"):
                refuse_what_does_not_fit((2000, 10), "auto")


def test_what_was_not_measured_is_not_refused(free):
    free(1e-6)
    refuse_what_does_not_fit((10**6, 10**3), "empty")
    refuse_what_does_not_fit((10**6, 10**3), "das", "no-such-device")


def test_free_memory(monkeypatch, tmp_path):
    assert 1e7 < free_memory() < 1e15
    monkeypatch.setenv(LIMIT, "2.5")
    assert free_memory() == 2.5e9
    monkeypatch.setenv(LIMIT, "much")
    with pytest.raises(InputError, match="number of gigabytes"):
        free_memory()
    monkeypatch.delenv(LIMIT)
    monkeypatch.setattr(resources, "_meminfo", lambda: 5e9)
    monkeypatch.setattr(resources, "_control_group", lambda: 2e9)
    assert free_memory() == 2e9
    monkeypatch.setattr(resources, "_meminfo", lambda: None)
    monkeypatch.setattr(resources, "_control_group", lambda: None)
    assert free_memory() is None
    assert dagscale.plan(500, 10, "das", probe=False).fits


def test_sizes_and_methods_that_make_no_sense_are_refused():
    for n, d in ((0, 5), (5, -1), (5.5, 2), (True, 2)):
        with pytest.raises(InputError, match="positive whole number"):
            dagscale.plan(n, d)
    with pytest.raises(InputError, match="did you mean 'das'"):
        dagscale.plan(10, 5, "daz")
    with pytest.raises(InputError, match="no forecast was measured for 'empty' on cpu"):
        dagscale.plan(10, 5, "empty")
    with pytest.raises(InputError, match="no forecast was measured for 'das' on xpu"):
        dagscale.plan(10, 5, "das", "xpu:1")
    assert _kind("cuda:1") == "cuda"


def test_on_the_command_line(capsys, tmp_path, free):
    free(3)
    assert _exit_code(["plan", "--rows", "1000", "--columns", "100"]) == 0
    shown = capsys.readouterr().out
    assert "1000 rows, 100 columns" in shown
    assert "auto, quick" in shown
    assert "3 GB of memory are free; measured on" in shown
    assert shown.strip().endswith(_data()["cpu"]["machine"])
    (tmp_path / "t.csv").write_text(
        "a,b\n" + "\n".join(f"{i * i % 11},{i * i % 7}" for i in range(30)) + "\n"
    )
    assert _exit_code(["plan", str(tmp_path / "t.csv"), "--method", "cam", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["n"], one["d"], one["method"], one["fits"]) == (30, 2, "cam", True)
    assert _exit_code(["plan", "--rows", "10", "--columns", "2", "-m", "das"]) == 0
    assert capsys.readouterr().out.startswith("das on 10 rows and 2 columns, ")
    assert _exit_code(["plan", "--rows", "10"]) == 2
    assert _exit_code(["plan", "--rows", "10", "--columns", "2", "--device", "xpu"]) == 2
    assert "no forecast was measured on device 'xpu'" in capsys.readouterr().err


@pytest.mark.parametrize("levels", [0.0, 0.5])
def test_a_table_s_own_first_graph_is_behind_its_forecast(levels, tmp_path, capsys):
    made = dagscale.simulate(nodes=6, samples=300, discrete=levels, random_state=1000)
    made.table.to_csv(tmp_path / "t.csv", index=False)
    for effort in ("quick", "full"):
        asked = ["plan", str(tmp_path / "t.csv"), "--method", "auto", "--effort", effort, "--json"]
        assert _exit_code(asked) == 0
        (of_table,) = json.loads(capsys.readouterr().out)
        assert 0.0 < of_table["seconds"] < 60.0
        assert _exit_code([*asked, "--density", "1", "--discrete", str(levels)]) == 0
        (of_sizes,) = json.loads(capsys.readouterr().out)
        assert of_sizes["memory"] == of_table["memory"]
    made.table[:50].to_csv(tmp_path / "t.csv", index=False)  # too few rows for a first graph
    assert _exit_code(["plan", str(tmp_path / "t.csv")]) == 0
    assert "1.0 edges a column" in capsys.readouterr().out


def test_durations_and_sizes_in_words():
    said = [duration(s) for s in (0.04, 9.96, 59, 600, 7200, 400_000)]
    assert said == ["0.0 s", "10.0 s", "59 s", "10 min", "2.0 h", "4.6 days"]
    assert [gigabytes(b) for b in (2e8, 3.21e9, 4.5e11)] == ["0.2 GB", "3.2 GB", "450 GB"]


def test_density_is_learnt_from_the_table_and_counts():
    made = [
        dagscale.simulate(
            nodes=12, edges_per_node=k, samples=500, mechanism="linear", random_state=1000
        ).table
        for k in (1, 4)
    ]
    sparse, dense = (forecast.first_graph(table.to_numpy()).edges_per_node for table in made)
    assert sparse < 2 < dense
    assert forecast.feature("d e^2", 500, 12, density=3.0) == 108.0


def test_density_is_seen_where_no_straight_line_sees_it():
    """Effects are even functions: a straight line tells nothing of them."""
    g = np.random.default_rng(1000)
    X = g.normal(size=(400, 6))
    for j in range(2, 6):
        X[:, j] = (X[:, :2] ** 2).sum(axis=1) + 0.3 * X[:, j]
    assert forecast.first_graph(X).edges_per_node > 1.2


def test_a_first_graph_that_takes_longer_forecasts_a_longer_run():
    fast, slow = (forecast.FirstGraph(2.0, seconds) for seconds in (0.1, 1.0))
    for effort, discrete in (("quick", 0.0), ("quick", 0.5), ("full", 0.5)):
        powers = _model("auto", effort, "cpu", 10, discrete=discrete)["first"]
        told = {"effort": effort, "discrete": discrete, "n_jobs": 1, "probe": False}
        short, long = (dagscale.plan(800, 10, first=first, **told).seconds for first in (fast, slow))
        assert long / short == pytest.approx(10 ** powers["t"], rel=0.1)
    # numbers alone: processes may search on, and the full effort takes as long as the quick one, at least
    by_sizes = dagscale.plan(800, 10, n_jobs=1, probe=False)
    assert dagscale.plan(800, 10, first=fast, n_jobs=1, probe=False).seconds >= by_sizes.seconds
    assert dagscale.plan(800, 10, first=slow._replace(seconds=20.0), n_jobs=1, probe=False).seconds > 60


def test_wide_and_short_tables_have_no_first_graph():
    g = np.random.default_rng(1000)
    assert forecast.first_graph(g.normal(size=(50, 4))) is None
    assert forecast.first_graph(g.normal(size=(200, 61))) is None


def test_dense_graphs_and_levels_are_products_of_powers():
    numbers = dagscale.plan(500, 20, n_jobs=1, probe=False)
    dense = dagscale.plan(500, 20, n_jobs=1, probe=False, edges_per_node=3.0)
    powers = _model("auto", "full", "cpu", 20)["product"]
    assert powers["e"] > 0.2
    assert dense.seconds / numbers.seconds == pytest.approx(3.0 ** powers["e"], rel=0.05)
    few, most = (dagscale.plan(500, 20, n_jobs=1, probe=False, discrete=share) for share in (0.2, 1.0))
    of_levels = _model("auto", "full", "cpu", 20, discrete=0.2)["product"]
    assert of_levels != powers  # no processes search on
    assert most.seconds / few.seconds == pytest.approx((2.0 / 1.2) ** of_levels["l"], rel=0.05)
    with pytest.raises(InputError, match="discrete must be a share of the columns"):
        dagscale.plan(500, 20, discrete=30)


def test_a_plan_takes_what_chooses_columns_and_kinds(capsys, tmp_path):
    rng = np.random.default_rng(0)
    rows = zip(*rng.normal(size=(2, 90)), list("uvw") * 30, rng.integers(0, 5, 90), strict=True)
    file = tmp_path / "t.csv"
    file.write_text("a,b,c,grade\n" + "".join(f"{a},{b},{c},{grade}\n" for a, b, c, grade in rows))

    def planned(*options):
        assert _exit_code(["plan", str(file), "--method", "auto", "--json", *options]) == 0
        (one,) = json.loads(capsys.readouterr().out)
        return one["d"], one["discrete"]

    assert planned() == (4, 0.5)
    assert planned("--kind", "grade=continuous") == (4, 0.25)
    assert planned("--drop", "c") == (3, pytest.approx(1 / 3))
    assert planned("--columns", "a,b") == (2, 0.0)
    assert planned("--environment", "c") == (3, pytest.approx(1 / 3))
    assert planned("--discrete", "0") == (4, 0.0)
    assert _exit_code(["plan", str(file)]) == 0
    assert "50% of the columns levels or counts" in capsys.readouterr().out
    assert _exit_code(["plan", str(file), "--kind", "grad=count"]) == 2
    assert "did you mean 'grade'" in capsys.readouterr().err
    assert _exit_code(["plan", "--rows", "10", "--columns", "a,b"]) == 2
    assert "is no number of columns" in capsys.readouterr().err
    assert _exit_code(["plan", "--rows", "10", "--columns", "5", "--drop", "a"]) == 2
    assert _exit_code(["plan", str(file), "--rows", "10"]) == 2
