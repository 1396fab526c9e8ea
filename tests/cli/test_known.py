"""The commands around tables with a known graph: simulate, datasets, evaluate."""

import json

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.cli import _exit_code


def test_simulate_then_evaluate(tmp_path, capsys, refused):
    out = tmp_path / "sim"
    assert _exit_code(["simulate", "--nodes", "6", "--samples", "50", "--out", str(out)]) == 0
    assert sorted(p.name for p in out.iterdir()) == ["data.csv", "truth.csv", "truth.json"]
    assert pd.read_csv(out / "data.csv").shape == (50, 6)
    capsys.readouterr()
    assert _exit_code(["evaluate", str(out / "truth.json"), str(out / "truth.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shd"] == 0
    assert _exit_code(["evaluate", str(out / "truth.json"), str(out / "truth.csv")]) == 0
    assert "edges missing, extra or reversed" in capsys.readouterr().out
    assert "--force" in refused("simulate", "--nodes", "6", "--out", str(out))


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--noise-variance", "0.4,0.8"], {"noise_variance": (0.4, 0.8)}),
        (["--noise-variance", "grandag", "--iscm"], {"noise_variance": "grandag", "standardize": "iscm"}),
        (["--edge-count", "binomial", "--length-scale", "2"], {"edge_count": "binomial", "length_scale": 2}),
        (["--graph", "SF", "--orientation", "random"], {"graph": "SF", "orientation": "random"}),
    ],
)
def test_simulate_has_the_choices_of_the_function(tmp_path, options, settings):
    out = tmp_path / "sim"
    assert _exit_code(["simulate", "--nodes", "6", "--samples", "40", "--out", str(out), *options]) == 0
    expected = dagscale.simulate(nodes=6, samples=40, **settings).table
    pd.testing.assert_frame_equal(pd.read_csv(out / "data.csv"), expected)
    plain = dagscale.simulate(nodes=6, samples=40).table
    assert not np.allclose(expected.to_numpy(), plain.to_numpy())


def test_simulate_refuses_what_it_cannot_read(tmp_path, refused):
    where = ["simulate", "--out", str(tmp_path / "sim")]
    assert "0.4,0.8" in refused(*where, "--noise-variance", "0.4-0.8")
    assert "did you mean 'grandag'" in refused(*where, "--noise-variance", "grandagg")
    assert "two ends" in refused(*where, "--noise-variance", "1,2,3")
    assert "leave out --standardize" in refused(*where, "--iscm", "--standardize")


def test_datasets(tmp_path, capsys, refused):
    assert _exit_code(["datasets"]) == 0
    listed = capsys.readouterr().out
    assert "source" in listed
    assert "Sachs, Perez" in listed
    assert _exit_code(["datasets", "--json"]) == 0
    assert "sachs" in [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert _exit_code(["datasets", "sachs", "--out", str(tmp_path / "sachs")]) == 0
    assert pd.read_csv(tmp_path / "sachs" / "data.csv").shape == (853, 11)
    capsys.readouterr()
    assert "--out" in refused("datasets", "sachs")
    assert "sachs" in refused("datasets", "sacks", "--out", str(tmp_path / "x"))
