"""What a column is as a variable: continuous, binary, categorical, ordinal or a count.

Numbers stay continuous unless their values say otherwise:

- two different values are binary;
- three to seven different whole numbers are ordinal: ranks, grades, answers on a scale. They may as well be codes of
  categories, which no rule can tell: a note asks;
- more of them are a count if they start at 0, are small and as skewed to the right as counts are; a count of large
  numbers is as good as continuous.

Booleans are binary, ordered categories ordinal, other categories and text of few levels categorical. Text of many
different values names or describes rows and is left out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dagscale.inputs.kinds import BINARY, CATEGORICAL, CONTINUOUS, COUNT, ORDINAL
from dagscale.inputs.table.to_floats import Column, as_float, is_missing, label, plain
from dagscale.runtime.errors import shown
from dagscale.runtime.types import FloatArray

MOST_RANKS = 7  # different whole numbers that are taken for ranks
MOST_LEVELS = 30  # levels of a category, rare ones pooled
RARE, RARE_SHARE = 10, 0.05  # rows, or share of the rows of small tables, below which a level is rare
COUNT_MEAN = 10.0  # largest mean of what is taken for a count
LOOK = 256  # rows that settle most columns

_NUMBERED = re.compile(r"[A-Za-z]{0,3}[-_]?\d+[A-Za-z]?")
_SIGNED = re.compile(  # 45.3%, $1,234.50, 1 234,5
    r"[-+]?[$€£¥]?\s?[-+]?(\d{1,3}([,.'’\s]\d{3})+|\d+)([.,]\d+)?\s?[%$€£¥]?"
)
_FIRST_NUMBER = re.compile(r"(?<!\d)-?\d+([.,]\d+)?")

Levels = tuple[Any, ...] | None


@dataclass(frozen=True)
class Variable:
    """A column as models take it.

    Attributes
    ----------
    column : Column
        As it came.
    kind : str
        One of `inputs.kinds.KINDS`.
    values : (n,) float array
        Numbers, or codes 0, 1, 2 ... of levels; NaN where missing.
    levels : tuple or None
        What codes stand for.
    """

    column: Column
    kind: str
    values: FloatArray
    levels: Levels = None


class Unusable(Exception):
    """A column that is no variable; the text says why.

    `label` where it names or describes rows, `slip` where it holds numbers but for a typing error.
    """

    def __init__(self, why: str, label: bool = False, slip: bool = False) -> None:
        super().__init__(why)
        self.label, self.slip = label, slip


def recognised(column: Column, asked: str | None = None) -> Variable:
    """Return a column as a variable, of the kind asked for or the one its values speak for; or raise `Unusable`."""
    if column.kind in ("text", "free text", "other"):
        column = _labels(column, asked is not None)
    if column.levels is not None:
        return _of_levels(column, asked)
    values = np.asarray(column.values, dtype=np.float64)
    if column.kind == "boolean" and asked in (None, BINARY):
        return Variable(column, BINARY, values, (False, True))
    if asked is None:
        asked = CONTINUOUS if column.kind == "duration" else kind_of_numbers(values)
    return _of_numbers(column, values, asked)


def kind_of_numbers(values: FloatArray) -> str:
    """Say what numbers (n,) are by their values, NaN and infinite ones aside."""
    for part in (values[:LOOK], values):  # the first rows tell of nearly every column that it is continuous
        part = part[np.isfinite(part)]
        levels = np.unique(part)
        if len(levels) <= 2:
            continue
        if (levels != np.round(levels)).any():
            return CONTINUOUS
        if len(levels) > MOST_RANKS and levels[0] < 0:
            return CONTINUOUS
    if len(levels) < 2:
        return CONTINUOUS  # constant, or nothing there: refused later
    if len(levels) == 2:
        return BINARY
    if len(levels) <= MOST_RANKS:
        return ORDINAL
    return COUNT if _counts(part, levels) else CONTINUOUS


def _counts(x: FloatArray, levels: FloatArray) -> bool:
    """Say whether whole numbers look like counts: from 0 on, small, as variable and as skewed as Poisson's."""
    mean, variance = float(x.mean()), float(x.var())
    if levels[0] != 0 or mean > COUNT_MEAN:
        return False
    skewness = float(np.mean((x - mean) ** 3)) / variance**1.5
    return variance >= 0.5 * mean and skewness >= 0.5 / np.sqrt(mean)


def rare_rows(n: int) -> float:
    """Rows below which a level of a table of n rows is rare."""
    return min(RARE, RARE_SHARE * n)


def _of_levels(column: Column, asked: str | None) -> Variable:
    assert column.levels is not None
    own = ORDINAL if column.kind == "category" else CATEGORICAL
    numbers = all(isinstance(level, int | float) and not isinstance(level, bool) for level in column.levels)
    if asked in (CONTINUOUS, COUNT) and numbers:
        codes = column.values
        known = np.append(np.array(column.levels, dtype=np.float64), np.nan)
        return _of_numbers(column, known[np.where(np.isnan(codes), -1, codes).astype(np.intp)], asked)
    if asked in (CONTINUOUS, COUNT):
        what = "a count" if asked == COUNT else asked
        raise Unusable(f"is to be {what} but holds text ({shown(column.levels[0])})")
    if asked == ORDINAL and own != ORDINAL and not numbers and len(column.levels) > 2:
        column = _in_order(column)
    levels = column.levels or ()
    if asked == BINARY and len(levels) != 2:
        raise Unusable(f"is to be binary but has {len(levels)} levels")
    kind = BINARY if len(levels) == 2 else asked or own
    return Variable(column, kind, column.values, levels)


def by_number(levels: Sequence[Any]) -> list[int] | None:
    """Return the places of texts such as <10, 10-19, 20+ in the order of their first numbers; None if not told."""
    keys = []
    for text in map(str, levels):
        number = _FIRST_NUMBER.search(text)
        if number is None:
            return None
        beyond = (text.lstrip()[:1] in (">", "≥") or text.rstrip().endswith("+")) - (
            text.lstrip()[:1] in ("<", "≤")
        )
        keys.append((float(number[0].replace(",", ".")), beyond))
    return sorted(range(len(keys)), key=keys.__getitem__) if len(set(keys)) == len(keys) else None


def _in_order(column: Column) -> Column:
    """Sort the levels of a column of text by the numbers in them."""
    assert column.levels is not None
    order = by_number(column.levels)
    if order is None:
        raise Unusable("is to be ordinal but its text has no order: give an ordered category, or numbers")
    place = np.append(np.argsort(order), np.nan)
    codes = place[np.where(np.isnan(column.values), -1, column.values).astype(np.intp)]
    return replace(column, values=codes, levels=tuple(column.levels[k] for k in order))


def _of_numbers(column: Column, values: FloatArray, kind: str) -> Variable:
    if kind == CONTINUOUS:
        return Variable(column, kind, values)
    finite = np.isfinite(values)
    if kind == COUNT:
        wrong = values[finite & ((values < 0) | (values != np.round(values)))]
        if len(wrong):
            raise Unusable(f"is to be a count but holds {wrong[0]:g}")
        return Variable(column, kind, values)
    levels, codes = np.unique(values[finite], return_inverse=True)
    if kind == BINARY and len(levels) != 2:
        raise Unusable(f"is to be binary but has {len(levels)} different values")
    if len(levels) > MOST_LEVELS and kind == ORDINAL:
        raise Unusable(f"is to be ordinal but has {len(levels)} different values, more than {MOST_LEVELS}")
    coded = np.full(len(values), np.nan)
    coded[finite] = codes
    return Variable(column, BINARY if len(levels) == 2 else kind, coded, tuple(map(plain, levels.tolist())))


def _labels(column: Column, asked: bool) -> Column:
    """Take a column of text as labels; refuse free text, numbers with a slip among them, and what is neither."""
    if column.levels is None:
        raise _no_labels(column, asked)
    there = column.values[~np.isnan(column.values)].astype(np.intp)
    rows, n = np.bincount(there, minlength=len(column.levels)), len(there)
    spelt = sum(int(rows[k]) for k, text in enumerate(column.levels) if as_float(text) is not None)
    common = rows[rows >= rare_rows(len(column.values))]
    if not asked and len(rows) > MOST_RANKS:
        if 2 * spelt >= n and not all(is_numbered(text) for text in column.levels):
            raise _slip(*column.first_non_number())
        if len(common) > MOST_LEVELS or common.sum() < n / 2:
            signed = [text for text in column.levels if _SIGNED.fullmatch(text)]
            example = next((text for text in signed if as_float(text) is None), None)
            if len(signed) > 0.9 * len(rows) and example is not None:
                raise Unusable(
                    f"it holds text such as {shown(example)}; to use it, write plain numbers", label=True
                )
            raise Unusable(f"it holds text of {len(rows)} different values", label=True)
    return replace(column, kind="labels")


def _no_labels(column: Column, asked: bool) -> Unusable:
    """Say why a column without levels is no variable."""
    if column.free is None:
        strange = next(value for value in column.values if not is_missing(value) and label(value) is None)
        return Unusable(f"holds what is neither a number nor text: {shown(strange)}")
    if column.free.slip is not None:
        return _slip(*column.free.slip)
    return Unusable(f"it holds text of more than {column.free.different} different values", label=not asked)


def _slip(row: int, text: str) -> Unusable:
    return Unusable(f"holds numbers, and text: {shown(text)} in row {row} (counted from 0)", slip=True)


def is_numbered(text: str) -> bool:
    """Say whether a text is a label such as 135, 136A or B-12."""
    return _NUMBERED.fullmatch(text) is not None
