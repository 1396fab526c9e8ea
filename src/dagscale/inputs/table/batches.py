"""Large files, read a batch of rows at a time: the numbers go straight to their place in X.

Only for tables of plain numbers; whatever else a file holds (text, dates, categories) is read as a whole.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagscale.inputs.table.to_floats import Column, Kind
from dagscale.runtime.types import FloatArray

LARGE_FILE = 100_000_000  # bytes of text from which on batches are worth it
LARGE_TABLE = 10_000_000  # numbers: 80 MB
ROWS = 65_536  # of a batch
KINDS: dict[str, Kind] = {"f": "number", "i": "integer", "u": "integer", "b": "boolean"}  # by numpy's kind


@dataclass(frozen=True)
class NumberTable:
    """A table of numbers in one piece.

    Attributes
    ----------
    names : list
    X : (n, d) float array
    kinds : list of str
        What each column was.
    """

    names: list[Any]
    X: FloatArray
    kinds: list[Kind]

    @property
    def columns(self) -> list[Column]:
        """The columns, views of X."""
        return [
            Column(name, kind, self.X[:, j])
            for j, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True))
        ]


def parquet_numbers(file: Any) -> NumberTable | None:
    """Read a large `pyarrow.parquet.ParquetFile` of plain numbers; None if it is no such file."""
    import pyarrow.types as types

    schema, n = file.schema_arrow, file.metadata.num_rows
    kinds: list[Kind] = []
    for kind in schema.types:
        if not (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind)):
            return None
        kinds.append(KINDS["b" if types.is_boolean(kind) else "f" if types.is_floating(kind) else "i"])
    if n * len(kinds) < LARGE_TABLE:
        return None
    X, end = np.empty((n, len(kinds))), 0
    for batch in file.iter_batches(batch_size=ROWS):
        start, end = end, end + batch.num_rows
        for j, column in enumerate(batch.columns):
            if column.null_count and kinds[j] == "boolean":  # numpy has no missing booleans
                column = column.cast("float64")
            X[start:end, j] = column.to_numpy(zero_copy_only=False)
    return NumberTable(schema.names, X, kinds)


def text_numbers(frames: Iterable[Any], names: list[Any]) -> NumberTable | None:
    """Join the frames a large text file comes in; None as soon as one holds anything but numbers."""
    blocks: list[FloatArray] = []
    kinds: list[set[str]] = [set() for _ in names]
    for frame in frames:
        for seen, dtype in zip(kinds, frame.dtypes, strict=True):
            seen.add(getattr(dtype, "kind", "O"))
        if any(not seen <= KINDS.keys() for seen in kinds):
            return None
        blocks.append(np.ascontiguousarray(frame.to_numpy(dtype=np.float64)))
    X, end = np.empty((sum(map(len, blocks)), len(names))), 0
    for place, block in enumerate(blocks):
        start, end = end, end + len(block)
        X[start:end] = block
        blocks[place] = block[:0].copy()  # gives the block's memory back: never two tables at once
        del block
    return NumberTable(names, X, [KINDS[seen.pop()] if len(seen) == 1 else "number" for seen in kinds])
