"""The powers behind forecasts by the first graph are those of the times they are fitted to."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")  # the script sets them, for itself
    yield importlib.import_module("first_graph")
    for name in ("first_graph", "known_order", "known_order_tables"):
        sys.modules.pop(name, None)


def test_powers_are_found_again_and_short_runs_and_many_rows_left_out(script, capsys):
    g = np.random.default_rng(1000)
    lines = [
        {"n": int(g.integers(100, 5000)), "t": g.uniform(0.01, 1.0), "e": g.uniform(1.0, 4.0)}
        for _ in range(30)
    ]
    for line in lines:
        line["quick"] = 3.0 * line["t"] ** 0.9 * line["e"] ** 0.5 * min(line["n"], 2000) ** 0.4
    lines.append({"n": 500, "t": 1.0, "e": 4.0, "quick": 0.01})  # too short to tell
    found = script.fitted(lines, "quick")
    assert found == pytest.approx({"1": 3.0, "t": 0.9, "e": 0.5, "m": 0.4}, rel=1e-3)
    assert "30 tables: 100% of the forecasts within a factor of two" in capsys.readouterr().out


def test_simulated_tables_are_drawn_by_their_names(script):
    some = [name for name in script.names() if name not in script.TABLES]
    assert len(some) == len(set(some)) == len(script.SIZES) * len(script.SOME) + len(script.MIXED)
    for name in (some[0], some[-1]):
        d, _, n, _ = map(int, name.split()[-4:])
        assert script.simulated(name).shape == (n, d)
