"""Interventional data of other packages as one table with a column of targets."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.runtime.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

TARGETS = "intervention"


def from_dcdi(folder: str | Path, number: int = 1, names: Sequence[str] | None = None) -> "pd.DataFrame":
    """Read a data set of DCDI: data_interv<k>.npy and intervention<k>.csv (and regime<k>.csv, if it is there).

    Parameters
    ----------
    folder : str or Path
        Where the files are.
    number : int
        k.
    names : sequence of str, optional
        Of the columns; X0, X1 ... if not given.

    Returns
    -------
    pandas.DataFrame
        The columns, and `intervention`: the targets of every row, for `discover(..., interventions="intervention")`.
        Rows of a regime other than the first without a target get "?": something unknown was done.
    """
    home = Path(folder)
    data, targets, regimes = (
        home / name.format(number) for name in ("data_interv{}.npy", "intervention{}.csv", "regime{}.csv")
    )
    for file in (data, targets):
        if not file.is_file():
            raise InputError(f"{home} holds no {file.name}: give the folder of one of DCDI's data sets")
    X = np.load(data, allow_pickle=False)
    titles = _titles(names, X.shape[1])
    lines = targets.read_text(encoding="utf-8").split("\n")[: len(X)]
    labels = [",".join(titles[int(part)] for part in line.split(",") if part.strip()) for line in lines]
    labels += [""] * (len(X) - len(labels))
    if regimes.is_file():
        regime = np.loadtxt(regimes, dtype=int, ndmin=1)
        labels = ["?" if not text and k != 0 else text for text, k in zip(labels, regime, strict=True)]
    return _labelled(X, titles, labels)


def from_avici(x: Any, interv: Any = None, names: Sequence[str] | None = None) -> "pd.DataFrame":
    """Join AVICI's data x (n, d) and mask interv (n, d), 1 where a column was set, to one table.

    Parameters
    ----------
    x : (n, d) array, or (n, d, 2) array whose second layer is the mask
    interv : (n, d) array, optional
    names : sequence of str, optional
        Of the columns; X0, X1 ... if not given.

    Returns
    -------
    pandas.DataFrame
        The columns, and `intervention`, for `discover(..., interventions="intervention")`.
    """
    X = np.asarray(x, dtype=float)
    if X.ndim == 3 and X.shape[2] == 2 and interv is None:
        X, interv = X[..., 0], X[..., 1]
    mask = np.zeros(X.shape, dtype=bool) if interv is None else np.asarray(interv) != 0
    if X.ndim != 2 or mask.shape != X.shape:
        raise InputError(
            f"x has shape {X.shape} and interv {mask.shape}: give two arrays of the same rows and columns"
        )
    titles = _titles(names, X.shape[1])
    return _labelled(X, titles, [",".join(titles[j] for j in np.flatnonzero(row)) for row in mask])


def _titles(names: Sequence[str] | None, d: int) -> list[str]:
    if names is not None and len(names) != d:
        raise InputError(f"{len(names)} names for {d} columns: give one for each")
    return [f"X{j}" for j in range(d)] if names is None else [str(name) for name in names]


def _labelled(X: Any, titles: list[str], labels: list[str]) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame(np.asarray(X, dtype=float), columns=titles).assign(**{TARGETS: labels})
