"""What a result keeps of its table and of the method's answer, beside the graph."""

from typing import Any

import numpy as np
import numpy.typing as npt

from dagscale.inputs.subsample import evenly_spaced_rows
from dagscale.inputs.table import Table
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.stages.answer import Answer

SAMPLE_ROWS = 2000  # rows kept for effect curves and residual plots ...
SAMPLE_CELLS = 4_000_000  # ... fewer where the table is wide: at most 16 MB, rarely 32
LARGEST_KEPT = 1e30  # float32 holds values up to here, and down to its inverse ...
DIGITS_KEPT = 1e5  # ... and a range that is more than this share of the values' size


def of_answer(answer: Answer, table: Table) -> dict[str, Any]:
    """Return the fields that need no names of the method's: kept rows, kinds, and how sure the answer is."""
    names, rows = list(table.names), _kept_rows(*table.X.shape)
    told = {name: getattr(answer, name) for name in ("either_way", "confounded", "probabilities")}
    fields_: dict[str, Any] = {name: np.array(values) for name, values in told.items() if values is not None}
    if answer.changed is not None and table.conditions is not None:
        fields_["changed"] = changed_by_label(answer, table)
    if table.kinds:
        fields_["kinds"] = dict(zip(names, table.kinds, strict=True))
        fields_["levels"] = {
            name: own for name, own in zip(names, table.levels, strict=True) if own is not None
        }
    if table.conditions is not None:
        fields_["conditions"] = table.conditions.take(rows)
    if table.units is not None:
        fields_["units"] = table.units[rows]
    return {**fields_, "sample": _sample(table.X[rows])}


def changed_by_label(answer: Answer, table: Table) -> dict[str, list[Any]]:
    """Return the columns whose mechanism changed under each label but the reference's."""
    if answer.changed is None or table.conditions is None:
        return {}
    by_label = zip(table.conditions.labels[1:], answer.changed[1:], strict=True)
    return {label: [table.names[j] for j in np.flatnonzero(row)] for label, row in by_label}


def left_out(answer: Answer, table: Table) -> BoolArray | None:
    """Cells (n, d) that tell nothing of their column's mechanism; None without conditions."""
    if table.conditions is None:
        return None
    return table.conditions.left_out(changed_by_label(answer, table), table.names)


def _kept_rows(n: int, d: int) -> IntArray:
    """Choose evenly spaced rows, so that the same table always gives the same sample."""
    return evenly_spaced_rows(n, min(n, SAMPLE_ROWS, max(1, SAMPLE_CELLS // max(1, d))))


def _sample(X: FloatArray) -> npt.NDArray[np.floating]:
    """Keep rows as float32, unless some column would overflow or lose its variation there."""
    size, spread = np.abs(X).max(axis=0, initial=0.0), np.ptp(X, axis=0) if len(X) else 0.0
    held = (size < LARGEST_KEPT) & (spread > size / DIGITS_KEPT) & (spread > 1 / LARGEST_KEPT)
    return X.astype(np.float32) if np.all(held | (spread == 0)) else X
