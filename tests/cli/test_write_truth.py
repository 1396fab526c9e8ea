"""The commands around tables with a known graph: simulate, datasets, evaluate."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.cli import _exit_code
from dagscale.cli.write_truth import write_known
from dagscale.graphs.given import read_graph
from dagscale.inputs.table import read_table


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
        (["--noise", "location-scale", "--linear", "0.5"], {"noise": "location-scale", "linear": 0.5}),
        (["--noise", "multiplicative"], {"noise": "multiplicative"}),
        (["--post-nonlinear", "cube", "--hidden", "2"], {"post_nonlinear": "cube", "hidden": 2}),
        (
            ["--measurement-error", "0.1", "--autoregressive", "0.5"],
            {"measurement_error": 0.1, "autoregressive": 0.5},
        ),
    ],
)
def test_simulate_has_the_choices_of_the_function(tmp_path, options, settings):
    out = tmp_path / "sim"
    assert _exit_code(["simulate", "--nodes", "6", "--samples", "40", "--out", str(out), *options]) == 0
    expected = dagscale.simulate(nodes=6, samples=40, **settings).table
    pd.testing.assert_frame_equal(pd.read_csv(out / "data.csv"), expected)
    plain = dagscale.simulate(nodes=6, samples=40).table
    assert not np.allclose(expected.to_numpy(), plain.to_numpy())


@pytest.mark.parametrize(
    ("options", "interventions"),
    [(["7"], 7), (["X3=6", "X1,X2=4"], {"X3": 6, ("X1", "X2"): 4})],
)
def test_simulate_writes_what_was_set_hidden_and_cut(tmp_path, capsys, options, interventions):
    out = tmp_path / "sim"
    given = [word for option in options for word in ("--interventions", option)]
    size = ["--nodes", "6", "--samples", "40", "--hidden", "2", "--discrete", "0.5"]
    assert _exit_code(["simulate", "--out", str(out), *size, "--intervention-kind", "soft", *given]) == 0
    made = dagscale.simulate(
        nodes=6, samples=40, hidden=2, discrete=0.5, interventions=interventions, intervention_kind="soft"
    )
    table = pd.read_csv(out / "data.csv", keep_default_na=False)
    assert list(table["intervention"]) == made.targets
    pd.testing.assert_frame_equal(
        table.drop(columns="intervention"), made.table, check_categorical=False, check_dtype=False
    )
    about = json.loads((out / "truth.json").read_text())["graph"]
    assert about["kinds"] == made.kinds
    pairs = {frozenset(pair) for pair in about["confounded"]}
    places = zip(*np.nonzero(made.confounded), strict=True)
    assert pairs == {frozenset((made.names[a], made.names[b])) for a, b in places}
    printed = capsys.readouterr().out
    assert f"{len(table)} rows, 6 columns, 6 edges, hidden causes of " in printed
    assert "3 columns discrete" in printed
    assert _exit_code(["evaluate", str(out / "truth.json"), str(out / "truth.csv")]) == 0


def test_simulate_refuses_what_it_cannot_read(tmp_path, refused):
    where = ["simulate", "--out", str(tmp_path / "sim")]
    assert "0.4,0.8" in refused(*where, "--noise-variance", "0.4-0.8")
    assert "did you mean 'grandag'" in refused(*where, "--noise-variance", "grandagg")
    assert "two ends" in refused(*where, "--noise-variance", "1,2,3")
    assert "leave out --standardize" in refused(*where, "--iscm", "--standardize")
    assert "did you mean 'location-scale'" in refused(*where, "--noise", "locationscale")
    assert "did you mean 'cube'" in refused(*where, "--post-nonlinear", "cub")
    assert "between 0 and 1" in refused(*where, "--linear", "3")
    assert "fewer hidden causes" in refused(*where, "--hidden", "500")
    assert "X1,X2=40" in refused(*where, "--interventions", "many")
    assert "X1,X2=40" in refused(*where, "--interventions", "X1=many")
    assert "X1,X2=40" in refused(*where, "--interventions", "X1=5", "--interventions", "6")
    assert "no column 'X77'" in refused(*where, "--interventions", "X77=5")
    assert not (tmp_path / "sim").exists()


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


def test_a_table_with_names_that_a_spreadsheet_would_run_is_read_back(tmp_path):
    names = ["=1+1", "-x", "'@y", "plain"]
    rng = np.random.default_rng(0)
    known = SimpleNamespace(
        adjacency=np.zeros((4, 4), dtype=bool),
        table=pd.DataFrame(rng.normal(size=(30, 4)), columns=names),
        names=names,
        edges=pd.DataFrame({"source": names[:2], "target": names[1:3]}),
    )
    write_known(known, tmp_path)
    assert (tmp_path / "data.csv").read_text().startswith("'=1+1,'-x,''@y,plain\n")
    assert list(read_table(tmp_path / "data.csv").names) == names
    assert read_graph(tmp_path / "truth.csv")[1] == names[:3]
