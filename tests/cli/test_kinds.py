"""Kinds of columns on the command line."""

import numpy as np
import pandas as pd

from dagscale.cli import _exit_code
from dagscale.result import Result


def test_kinds_are_recognised_said_and_refused_in_options(tmp_path, capsys):
    rng = np.random.default_rng(0)
    a, code = rng.normal(size=120), rng.integers(1, 4, 120)
    mixed = {"a": a, "b": a + rng.normal(size=120), "code": code, "town": np.array(["x", "y", "z"])[code - 1]}
    mixed["town"] = np.where(rng.random(120) < 0.1, "x", mixed["town"])
    path = tmp_path / "mixed.csv"
    pd.DataFrame(mixed).to_csv(path, index=False)
    out = tmp_path / "run"
    asked = ["discover", str(path), "--method", "cam", "--n-jobs", "1"]
    assert _exit_code([*asked, "--kind", "code=categorical", "--out", str(out), "--quiet"]) == 0
    assert list(Result.load(out).kinds.values()) == ["continuous"] * 2 + ["categorical"] * 2
    capsys.readouterr()
    assert _exit_code(asked) == 0
    assert "--kind code=categorical" in "".join(capsys.readouterr())
    for extra, line in (
        (["--kind", "code=categoric"], "did you mean 'categorical'?"),
        (["--kind", "cod=ordinal"], "--kind: the table has no column 'cod'; did you mean 'code'?"),
        (["--kind", "code"], "write --kind column=categorical"),
        (
            ["--method", "das"],
            "use --method auto, or leave out with --drop code,town, or take as numbers with --kind",
        ),
    ):
        assert _exit_code([*asked, *extra]) == 2
        told = capsys.readouterr().err
        assert line in told
        assert told.count("\n") == 1
