"""Large files, read a batch of rows at a time: the numbers go straight to their place in X.

Text becomes codes as it comes, and only its different values are kept (`stream_text.py`). So reading takes little more
memory than X has. Whatever else a file holds (dates, categories and nested values of Parquet) is read as a whole.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagscale.inputs.table.stream_text import TextColumn
from dagscale.inputs.table.to_floats import Column, Kind
from dagscale.runtime.types import FloatArray

LARGE_FILE = 20_000_000  # bytes of text from which on batches are worth it
LARGE_TABLE = 10_000_000  # values: 80 MB
ROWS = 65_536  # of a batch
KINDS: dict[str, Kind] = {"f": "number", "i": "integer", "u": "integer", "b": "boolean"}  # by numpy's kind


@dataclass(frozen=True)
class StreamedTable:
    """A table in one piece.

    Attributes
    ----------
    X : (n, d) float array
        Numbers, or codes of text.
    columns : list of Column
        Their values are views of X.
    """

    X: FloatArray
    columns: list[Column]

    @property
    def names(self) -> list[Any]:
        """The columns' names."""
        return [column.name for column in self.columns]


def parquet_table(file: Any) -> StreamedTable | None:
    """Read a large `pyarrow.parquet.ParquetFile` of numbers and text; None if it is no such file."""
    import pyarrow.types as types

    schema, n = file.schema_arrow, file.metadata.num_rows
    kinds: dict[int, Kind] = {}
    texts: dict[int, TextColumn] = {}
    for j, kind in enumerate(schema.types):
        if types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind):
            kinds[j] = KINDS["b" if types.is_boolean(kind) else "f" if types.is_floating(kind) else "i"]
        elif types.is_string(kind) or types.is_large_string(kind):
            texts[j] = TextColumn()
        else:
            return None
    if n * len(schema.names) < LARGE_TABLE:
        return None
    X, end = np.empty((n, len(schema.names))), 0
    for batch in file.iter_batches(batch_size=ROWS):
        start, end = end, end + batch.num_rows
        for j, column in enumerate(batch.columns):
            if j in texts:
                coded = column.dictionary_encode()
                codes = coded.indices.fill_null(-1).to_numpy()
                X[start:end, j] = texts[j].add(coded.dictionary.to_pylist(), codes)
                continue
            if column.null_count and kinds[j] == "boolean":  # numpy has no missing booleans
                column = column.cast("float64")
            X[start:end, j] = column.to_numpy(zero_copy_only=False)
    return _finished(schema.names, X, kinds, texts)


def text_table(parse: Callable[[set[int]], Iterable[Any]], names: Sequence[Any]) -> StreamedTable:
    """Join the frames a large text file comes in.

    Parameters
    ----------
    parse : callable
        Parses the file, the columns of a set as text; gives pandas frames.
    names : sequence of d names
    """
    told: set[int] = set()
    while True:  # again from the top, if a column turns out to be text only later
        found = _joined(parse(told), names, told)
        if isinstance(found, StreamedTable):
            return found
        told = told | found


def _joined(frames: Iterable[Any], names: Sequence[Any], told: set[int]) -> StreamedTable | set[int]:
    """Join frames; or return the columns that are no numbers in one of them, beyond those told."""
    blocks: list[FloatArray] = []
    seen: dict[int, set[str]] = {j: set() for j in range(len(names)) if j not in told}
    texts = {j: TextColumn() for j in sorted(told)}
    for frame in frames:
        block = np.empty(frame.shape)
        for j, text in texts.items():
            codes, uniques = frame.iloc[:, j].factorize()
            block[:, j] = text.add(list(uniques), codes)
        for j, kinds in seen.items():
            kind, block[:, j] = _numbers(frame.iloc[:, j])
            kinds.add(kind)
        # truth values in one frame and numbers in another are text, as in a file that is read as a whole
        more = {j for j, kinds in seen.items() if "O" in kinds or ("b" in kinds and kinds & {"i", "u", "f"})}
        if more:
            return more
        blocks.append(block)
    X, end = np.empty((sum(map(len, blocks)), len(names))), 0
    for place, block in enumerate(blocks):
        start, end = end, end + len(block)
        X[start:end] = block
        blocks[place] = block[:0].copy()  # gives the block's memory back: never two tables at once
        del block
    return _finished(names, X, {j: _kind(own) for j, own in seen.items()}, texts)


def _kind(seen: set[str]) -> Kind:
    """Return what the kinds of a column's batches make together."""
    if seen <= {"b", ""} and "b" in seen:
        return "boolean"
    return KINDS[next(iter(seen))] if len(seen) == 1 and seen != {""} else "number"


def _numbers(column: Any) -> tuple[str, Any]:
    """Return numpy's kind of a pandas column and its numbers; "" of one without a value, "O" of what is text."""
    if column.isna().all():
        return "", np.nan
    kind = getattr(column.dtype, "kind", "O")
    if kind in KINDS:
        return kind, column.to_numpy(dtype=np.float64)
    if all(isinstance(value, bool) for value in column.dropna().unique()):  # truth values with some missing
        return "b", column.map({True: 1.0, False: 0.0}).to_numpy(dtype=np.float64)
    return "O", np.nan


def _finished(
    names: Sequence[Any], X: FloatArray, kinds: dict[int, Kind], texts: dict[int, TextColumn]
) -> StreamedTable:
    columns = [
        texts[j].column(name, X[:, j]) if j in texts else Column(name, kinds[j], X[:, j])
        for j, name in enumerate(names)
    ]
    return StreamedTable(X, columns)
