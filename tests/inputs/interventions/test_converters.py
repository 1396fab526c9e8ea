"""Data of other packages become one table with a column of targets."""

from pathlib import Path

import numpy as np
import pytest

from dagscale.inputs.interventions import from_avici, from_dcdi
from dagscale.runtime.errors import InputError


def test_dcdi_files(tmp_path: Path) -> None:
    X = np.arange(15.0).reshape(5, 3)
    np.save(tmp_path / "data_interv2.npy", X)
    (tmp_path / "intervention2.csv").write_text("\n\n1\n0,2\n\n")
    (tmp_path / "regime2.csv").write_text("0\n0\n1\n2\n3\n")
    table = from_dcdi(tmp_path, 2)
    assert table["intervention"].tolist() == ["", "", "X1", "X0,X2", "?"]
    assert np.array_equal(table[["X0", "X1", "X2"]].to_numpy(), X)
    with pytest.raises(InputError, match=r"data_interv1\.npy"):
        from_dcdi(tmp_path, 1)


def test_avici_mask() -> None:
    X, mask = np.ones((3, 2)), np.array([[0, 0], [1, 0], [1, 1]])
    assert from_avici(X, mask, ["a", "b"])["intervention"].tolist() == ["", "a", "a,b"]
    assert from_avici(np.stack([X, mask], axis=2))["intervention"].tolist() == ["", "X0", "X0,X1"]
    with pytest.raises(InputError, match="same rows and columns"):
        from_avici(X, mask[:2])
