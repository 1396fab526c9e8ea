"""What a row is told of the experiments in a table: `auto:labels=wrong`; and how much it sees through."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dagscale.runtime.errors import InputError
from dagscale.runtime.types import BoolArray

if TYPE_CHECKING:
    from dagscale.result import Result

KNOWN, OBSERVED, NONE, UNKNOWN, WRONG = "known", "observed", "none", "unknown", "wrong"
# the targets; only rows in which nothing was set; all rows, but no labels; which rows belong together; one label in
# five is another's
LABELS = (KNOWN, OBSERVED, NONE, UNKNOWN, WRONG)
COLUMN = "experiment"  # of the labels
REFERENCE = "obs"
SHARE = 5  # one label in so many is wrong, and at least two: they are exchanged
Judge = Callable[["Result"], dict[str, float]]


def told(
    table: pd.DataFrame, targets: BoolArray | None, labels: str, seed: int
) -> tuple[pd.DataFrame, dict[str, Any], Judge]:
    """Return the table, the arguments of `discover` that say what was done to its rows, and a judge of the answer.

    Parameters
    ----------
    table : DataFrame
    targets : (n, d) bool array or None
        Which columns were set in which row; None without experiments.
    labels : str
        One of `LABELS`.
    seed : int
        Of the choice of wrong labels.
    """
    if targets is None:
        if labels != KNOWN:
            raise InputError(f"labels={labels} needs a table with experiments, and this one has none")
        return table, {}, _nothing
    if labels == KNOWN:
        return table, {"interventions": targets}, _nothing
    if labels == OBSERVED:
        return table.iloc[np.flatnonzero(~targets.any(axis=1))].reset_index(drop=True), {}, _nothing
    if labels == NONE:
        return table, {}, _nothing
    names = [str(name) for name in table.columns]
    right = [",".join(names[j] for j in np.flatnonzero(row)) for row in targets]
    if labels == UNKNOWN:
        conditions = [label or REFERENCE for label in right]
        return table.assign(**{COLUMN: conditions}), {"environment": COLUMN}, _changes(right)
    wrong = exchanged(right, seed)
    given = [wrong.get(label, label) for label in right]
    return table.assign(**{COLUMN: given}), {"interventions": COLUMN}, _disputes(wrong)


def exchanged(labels: list[str], seed: int) -> dict[str, str]:
    """Draw the labels that are wrong, right -> given: one in five, at least two, exchanged in a ring."""
    known = sorted(set(labels) - {""})
    some = np.random.default_rng(seed).permutation(known)[: max(2, len(known) // SHARE)].tolist()
    return dict(zip(some, np.roll(some, 1).tolist(), strict=True))


def _nothing(result: "Result") -> dict[str, float]:
    return {}


def _changes(right: list[str]) -> Judge:
    """Judge which mechanisms are said to have changed, by (condition, column)."""
    true = {(label, name) for label in set(right) - {""} for name in label.split(",")}

    def judge(result: "Result") -> dict[str, float]:
        found = {(label, str(name)) for label, own in result.changed.items() for name in own}
        return {"changed_f1": round(2 * len(found & true) / (len(found) + len(true)), 6)}

    return judge


def _disputes(wrong: dict[str, str]) -> Judge:
    """Judge the notes on labels: a wrong one is named where its note also names a column that was really set."""

    def judge(result: "Result") -> dict[str, float]:
        notes = [note for note in result.notes if note.startswith("the experiment labelled")]
        named = {
            given: any(
                f"labelled {given!r} " in note and any(repr(name) in note for name in right.split(","))
                for note in notes
            )
            for right, given in wrong.items()
        }
        about_wrong = [note for note in notes if any(f"labelled {given!r} " in note for given in named)]
        return {
            "wrong_named": round(sum(named.values()) / len(named), 6),
            "right_accused": len(notes) - len(about_wrong),
        }

    return judge
