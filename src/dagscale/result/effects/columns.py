"""A result's rows as regressions need them: the outcome, the cause, and columns to hold fixed, by their kinds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.inputs.kinds import BINARY, CATEGORICAL, ORDINAL
from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from dagscale.result import Result

FEWEST_ROWS = 30
MOST_STEPS = 10  # levels up to which an ordinal cause has an effect per level; beyond, one per step


@dataclass(frozen=True)
class Columns:
    """Cause and outcome as numbers.

    Attributes
    ----------
    X : (n, d) float array
        The rows in use.
    kinds : tuple of str
    cause : (n, m) float array
        The column itself, or one indicator per level but the first.
    steps : list of (from, to)
        What each column of `cause` contrasts; ("", "+1") for a number.
    outcomes : (n, k) float array
        The column itself, or one indicator per level.
    levels : list of str
        What each column of `outcomes` is the probability of; "" for a number.
    dropped : int
        Rows left out because something between the cause and the outcome was set in them.
    conditions : (n, q) float array
        Indicators of the conditions that the rows were seen under, but for the most frequent; always held fixed.
    """

    X: FloatArray
    kinds: tuple[str, ...]
    cause: FloatArray
    steps: list[tuple[str, str]]
    outcomes: FloatArray
    levels: list[str]
    dropped: int
    conditions: FloatArray

    @property
    def numeric(self) -> bool:
        """Whether the cause is a number, with one effect per unit."""
        return self.steps == [("", "+1")]

    def held(self, columns: tuple[int, ...]) -> FloatArray:
        """Return columns to hold fixed (n, q): indicators of categories, else the column itself."""
        parts = [
            _indicators(self.X[:, k])[:, 1:] if self.kinds[k] == CATEGORICAL else self.X[:, [k]]
            for k in columns
        ]
        return np.hstack([self.conditions, *parts])


def columns_of(result: "Result", i: int, j: int, after: BoolArray) -> Columns:
    """Choose the rows and code the two columns.

    Rows in which the outcome, or a column `after` (d,) the cause, was set or had another mechanism say nothing of the
    cause's effect. Conditions may shift both, so they are held fixed. That the cause was set makes no condition: what
    moves there is the effect.
    """
    if result.sample is None:
        raise InputError("the result was saved without its rows: run discover on the table again")
    X = result.sample.astype(np.float64)
    kept: BoolArray = np.ones(len(X), dtype=bool)
    if result.conditions is not None:
        set_ = after.copy()
        set_[i], set_[j] = False, True
        left_out = result.conditions.left_out(result.changed, result.names)
        kept = np.asarray(~left_out[:, set_].any(axis=1))
    X, conditions = X[kept], _conditions(result, i)[kept]
    conditions = conditions[:, conditions.any(axis=0)]
    if len(X) < FEWEST_ROWS:
        raise InputError(
            f"{len(X)} rows are too few to estimate an effect: give discover a table of {FEWEST_ROWS} or more"
        )
    kinds = tuple(result.kinds[name] for name in result.names)
    cause, steps = _cause(X[:, i], kinds[i], result.levels.get(result.names[i]))
    outcomes, levels = _outcomes(X[:, j], kinds[j], result.levels.get(result.names[j]))
    for k, column in ((i, cause), (j, outcomes)):
        if not np.ptp(column, axis=0).all():
            raise InputError(
                f"column {shown(result.names[k])} does not vary in the rows kept: it has no effects"
            )
    return Columns(X, kinds, cause, steps, outcomes, levels, int((~kept).sum()), conditions)


def _conditions(result: "Result", i: int) -> FloatArray:
    """Return indicators (n, q) of the conditions but for the most frequent; whether i was set makes no condition."""
    done, n = result.conditions, 0 if result.sample is None else len(result.sample)
    if done is None:
        return np.zeros((n, 0))
    key = np.column_stack([done.environment, np.delete(done.targets, i, axis=1)])
    _, of_row, size = np.unique(key, axis=0, return_inverse=True, return_counts=True)
    others = np.delete(np.arange(len(size)), size.argmax())
    return np.asarray(of_row.reshape(-1, 1) == others, dtype=np.float64)


def _cause(x: FloatArray, kind: str, levels: Any) -> tuple[FloatArray, list[tuple[str, str]]]:
    codes = np.unique(x)
    few = kind in (BINARY, CATEGORICAL) or (kind == ORDINAL and len(codes) <= MOST_STEPS)
    if not few or len(codes) < 2:
        return x[:, None], [("", "+1")]
    first = codes[np.argmax([(x == code).sum() for code in codes])] if kind == CATEGORICAL else codes[0]
    others = [code for code in codes if code != first]
    named = [(_named(first, levels), _named(code, levels)) for code in others]
    return np.stack([x == code for code in others], axis=1).astype(np.float64), named


def _outcomes(y: FloatArray, kind: str, levels: Any) -> tuple[FloatArray, list[str]]:
    codes = np.unique(y)
    if kind == CATEGORICAL and len(codes) > 1:
        return _indicators(y), [_named(code, levels) for code in codes]
    if kind == BINARY and len(codes) == 2:
        return _indicators(y)[:, 1:], [_named(codes[1], levels)]
    return y[:, None], [""]


def _indicators(x: FloatArray) -> FloatArray:
    return np.stack([x == code for code in np.unique(x)], axis=1).astype(np.float64)


def _named(code: float, levels: Any) -> str:
    return f"{code:g}" if levels is None else str(levels[int(code)])
