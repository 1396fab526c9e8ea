"""A column of text that comes a batch of rows at a time: codes and the different values, never all rows' text.

Where the different values are too many for labels they are forgotten, and only what later messages need is counted: is
it dates, IDs, or numbers with a slip among them?
"""

from collections.abc import Hashable, Sequence

import numpy as np

from dagscale.inputs.table.recognise import is_numbered
from dagscale.inputs.table.to_floats import (
    Column,
    FreeText,
    as_float,
    is_date,
    is_missing,
    label,
    text_column,
)
from dagscale.runtime.types import FloatArray, IntArray

MOST_TEXTS = 20_000  # different values that are kept of a column: a few MB


class TextColumn:
    """What is known so far of one column."""

    def __init__(self) -> None:
        self.code: dict[str, int] = {}  # of every different value, in the order they came
        self.free = False  # there were too many
        self.rows = self.present = self.spelt = 0  # rows, those with a value, those that spell a number
        self.dates = self.numbered = self.unique = True  # of all values so far
        self.slip: tuple[int, str] | None = None  # the first that spells no number

    def add(self, values: Sequence[str], codes: IntArray) -> FloatArray:
        """Take a batch, its different values and where they stand (b,), -1 for missing; return the column's codes."""
        texts = [None if is_missing(value) else label(value) for value in values]
        self._count(texts, np.where(codes < 0, len(texts), codes))
        if self.free:
            return np.full(len(codes), np.nan)
        own = [
            np.nan if text is None else self.code.setdefault(text, len(self.code)) for text in (*texts, None)
        ]
        self.unique = self.unique and len(self.code) == self.present
        if len(self.code) > MOST_TEXTS:
            self.free = True
            self.code.clear()
        return np.array(own, dtype=np.float64)[codes]

    def _count(self, texts: list[str | None], codes: IntArray) -> None:
        """Count a batch; a code that is no place in `texts` stands for a missing value."""
        rows = np.bincount(codes, minlength=len(texts) + 1)[:-1]
        there = [(k, text) for k, text in enumerate(texts) if text is not None]
        numbers = [k for k, text in there if as_float(text) is not None]
        present = int(sum(rows[k] for k, _ in there))
        if self.slip is None and len(numbers) < len(there):
            slips = sorted({k for k, _ in there}.difference(numbers))
            row = int(np.isin(codes, slips).argmax())
            self.slip = self.rows + row, str(texts[codes[row]])
        self.unique = self.unique and len(there) == present
        self.rows, self.present = self.rows + len(codes), self.present + present
        self.spelt += int(rows[numbers].sum())
        self.dates = self.dates and all(is_date(text) for _, text in there)
        self.numbered = self.numbered and all(is_numbered(text) for _, text in there)

    def column(self, name: Hashable, codes: FloatArray) -> Column:
        """Return the column, its values in place of the codes (n,)."""
        if not self.present:
            return Column(name, "number", codes)
        if self.dates:
            return Column(name, "date", codes)
        if self.free:
            mostly = 2 * self.spelt >= self.present and not self.numbered
            unique = self.unique and 2 * self.present > self.rows
            return Column(
                name, "free text", codes, free=FreeText(MOST_TEXTS, unique, self.slip if mostly else None)
            )
        if self.slip is None:
            numbers = np.array([float(text) for text in self.code] + [np.nan])
            codes[:] = numbers[np.where(np.isnan(codes), -1, codes).astype(np.intp)]
            return Column(name, "numeric text", codes)
        return text_column(name, list(self.code), codes)
