"""A column of targets, a mask or a column of environments -> `Conditions`; what cannot be used is said at once."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.inputs.interventions.masks import mask_of
from dagscale.inputs.table.checks import listed, to_drop
from dagscale.inputs.table.frames import RawTable
from dagscale.inputs.table.problems import Problems, column_list
from dagscale.inputs.table.to_floats import Column
from dagscale.runtime.errors import InputError, closest, shown
from dagscale.runtime.face import spelled
from dagscale.runtime.types import BoolArray, IntArray

NOTHING = ("", "obs", "nan", "none", "na", "null")  # labels of rows in which nothing was set
REFERENCES = ("obs", "observational", "control", "reference")  # labels of the environment to compare with
UNKNOWN = "?"
TELLS = {"interventions": "which columns were set", "environment": "under which condition a row was seen"}
LEAST = 20  # rows of a condition, and of a column's own mechanism


@dataclass(frozen=True)
class Marks:
    """What the user said of the rows, before rows and columns are left out.

    Attributes
    ----------
    labels : list of str or None
        Row by row, the text of the column of targets.
    mask : mask as given, or None
    environment : list of str or None
        Row by row, the label of the environment.
    said : tuple of str
        The names of the arguments' columns, for messages.
    columns : list of names
        Of the table as given, without the columns set aside: what the columns of a mask may be.
    """

    labels: list[str] | None = None
    mask: Any = None
    environment: list[str] | None = None
    said: tuple[str, ...] = ("interventions", "environment")
    columns: tuple[Hashable, ...] = ()

    def conditions(
        self, names: Sequence[Hashable], rows: BoolArray, found: Problems
    ) -> tuple[Conditions | None, list[str]]:
        """Return the conditions of the rows kept (n,) for the columns used, and notes; problems go to `found`."""
        problems: list[str] = []
        targets, unknown = self._targets(names, rows, problems)
        codes, labels = self._environments(rows, unknown, problems)
        if not problems:
            problems += _too_few(targets, codes, labels, names)
        found.add(*problems)
        if problems:
            return None, []
        if not targets.any() and len(labels) == 1:
            return None, [
                "no row is marked as an intervention, and there is only one environment: nothing to compare"
            ]
        return Conditions(targets, codes, labels), _notes(targets, codes, labels, names)

    def labelled(self, n: int) -> BoolArray:
        """Say which of the n rows have a label of the environment, where one is asked for."""
        return np.ones(n, dtype=bool) if self.environment is None else np.array(self.environment) != ""

    def _targets(
        self, names: Sequence[Hashable], rows: BoolArray, problems: list[str]
    ) -> tuple[BoolArray, BoolArray]:
        """Return the targets (n, d) and the rows (n,) in which something unknown was set."""
        n = int(rows.sum())
        none, unknown = np.zeros((n, len(names)), dtype=bool), np.zeros(n, dtype=bool)
        if self.mask is not None:
            mask = mask_of(self.mask, names, self.columns, len(rows), problems)
            return (none if mask is None else mask[rows]), unknown
        if self.labels is None:
            return none, unknown
        by_text = {str(name): j for j, name in enumerate(names)}
        kept = [text for text, keep in zip(self.labels, rows, strict=True) if keep]
        places = {text: _places(text, by_text) for text in dict.fromkeys(kept)}
        wrong = dict.fromkeys(part for own in places.values() for part in own if isinstance(part, str))
        wrong.pop(UNKNOWN, None)
        out = {str(name) for name in self.columns}
        for text in wrong:
            what = (
                f"names {text!r}, which is a column that was left out: keep it, or leave out the rows that set it"
                if text in out
                else f"names {text!r}, which is no column{closest(text, by_text)}"
            )
            problems.append(f"{self.said[0]} {what}")
        for row, text in enumerate(kept):
            own = places[text]
            none[row, [j for j in own if not isinstance(j, str)]] = True
            unknown[row] = UNKNOWN in own
        return none, unknown

    def _environments(
        self, rows: BoolArray, unknown: BoolArray, problems: list[str]
    ) -> tuple[IntArray, tuple[str, ...]]:
        n = int(rows.sum())
        own = (
            [""] * n
            if self.environment is None
            else [text for text, keep in zip(self.environment, rows, strict=True) if keep]
        )
        if self.environment is not None and (empty := sum(text == "" for text in own)):
            problems.append(
                f"{self.said[1]} has no label in {_rows(empty)}: give one, such as 'obs', or leave out what has none "
                f"with {spelled('missing', 'drop')}"
            )
        own = [
            text if not mark else f"{UNKNOWN} in {text}" if text else UNKNOWN
            for text, mark in zip(own, unknown, strict=True)
        ]
        count = Counter(own)
        named = [label for label in count if label.casefold() in REFERENCES or label == ""]
        first = named[0] if named else max(sorted(count), key=lambda label: count[label])
        labels = (first, *sorted(set(count) - {first}))
        place = {label: k for k, label in enumerate(labels)}
        return np.array([place[label] for label in own], dtype=np.intp), labels


def set_aside(
    raw: RawTable, interventions: Any, environment: Any, named_in: Mapping[str, Any]
) -> tuple[RawTable, Marks]:
    """Take the columns of labels out of a table; they are no variables.

    Parameters
    ----------
    raw : RawTable
    interventions : name of a column, mask, or None
    environment : name of a column, or None
    named_in : dict of str to names or None
        Columns that the user names in other arguments, as variables.
    """
    named = interventions is None or (np.isscalar(interventions) and not isinstance(interventions, bytes))
    of_targets = _place(raw, interventions, "interventions") if named and interventions is not None else None
    of_place = None if environment is None else _place(raw, environment, "environment")
    for place, option in ((of_targets, "interventions"), (of_place, "environment")):
        if place is not None:
            _refuse_variable(raw, place, option, named_in)
    if of_targets is not None and of_targets == of_place:
        raise InputError(
            f"column {shown(raw.names[of_targets])} is in {spelled('interventions')} and in {spelled('environment')}: "
            "name it in one of them"
        )
    out = {place for place in (of_targets, of_place) if place is not None}
    left = [j for j in range(len(raw.names)) if j not in out]
    marks = Marks(
        None if of_targets is None else _texts(raw, of_targets),
        None if named else interventions,
        None if of_place is None else _texts(raw, of_place),
        tuple(
            f"{option} column {shown(raw.names[place])}" if place is not None else option
            for place, option in ((of_targets, "interventions"), (of_place, "environment"))
        ),
        tuple(raw.names[j] for j in left),
    )
    if not out:
        return raw, marks
    kept = replace(raw, names=[raw.names[j] for j in left], raw=[raw.raw[j] for j in left], whole=None)
    return kept, marks


def _refuse_variable(raw: RawTable, place: int, option: str, named_in: Mapping[str, Any]) -> None:
    """Refuse a column of labels that is a variable, too."""
    name = shown(raw.names[place])
    for other, names in named_in.items():
        named = [names] if isinstance(names, str) else names if isinstance(names, Iterable) else ()
        if str(raw.names[place]) in map(str, named):
            raise InputError(
                f"column {name} is in {spelled(other)} and in {spelled(option)}: it says what was done to "
                "the rows, so it is no variable; remove it from one"
            )
    if _measured(_texts(raw, place)):
        raise InputError(
            f"column {name} of {spelled(option)} holds measured numbers, so it is a variable: "
            f"name the column that says {TELLS[option]}"
        )


def _place(raw: RawTable, name: Any, option: str) -> int:
    by_text = {str(own): j for j, own in enumerate(raw.names)}
    if str(name) not in by_text:
        hint = closest(name, by_text) or f"; the columns are {shown(list(raw.names), 200)}"
        raise InputError(f"{spelled(option, name)}: the table has no such column{hint}")
    return by_text[str(name)]


def _texts(raw: RawTable, j: int) -> list[str]:
    """Return the labels of a column as texts, "" for what is missing; whole numbers without a point."""
    column = raw.raw[j]
    values = column.entries() if isinstance(column, Column) else column
    found = values.to_list() if hasattr(values, "to_list") else list(np.asarray(values, dtype=object))
    return [_text(value) for value in found]


def _measured(labels: list[str]) -> bool:
    """Say whether labels are the values of a variable: many different numbers with decimals."""
    return sum("." in text and _is_number(text) for text in set(labels)) > LEAST


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return ""
        return str(int(value)) if float(value).is_integer() else str(value)
    text = str(value).strip()
    return "" if text in ("<NA>", "NaT") else text


def _places(text: str, by_text: dict[str, int]) -> list[int | str]:
    """Return the columns that a label names; texts that name none stay texts."""
    if text in ("", "obs") or (text.casefold() in NOTHING and text not in by_text):
        return []
    if text in by_text:
        return [by_text[text]]
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return [by_text.get(part, part) for part in parts]


def _too_few(
    targets: BoolArray, codes: IntArray, labels: tuple[str, ...], names: Sequence[Hashable]
) -> list[str]:
    """Say which columns are always set, and which conditions have too few rows."""
    found = []
    free = (~targets).sum(axis=0)
    if always := [names[j] for j in np.flatnonzero(free == 0).tolist()]:
        found.append(
            f"{_are(always)} set in every row, so causes cannot be found: "
            f"add rows in which that is not so, or leave out with {to_drop(always)}"
        )
    if seldom := [names[j] for j in np.flatnonzero((free > 0) & (free < LEAST)).tolist()]:
        found.append(
            f"{_are(seldom)} left alone in fewer than {LEAST} rows: add rows in which nothing is set, "
            f"or leave out with {to_drop(seldom)}"
        )
    sets, count = np.unique(targets, axis=0, return_counts=True)
    small = [
        f"{','.join(str(names[j]) for j in np.flatnonzero(one).tolist())!r} ({_rows(size)})"
        for one, size in zip(sets, count, strict=True)
        if one.any() and size < LEAST
    ]
    for k, label in enumerate(labels):
        if (size := int((codes == k).sum())) < LEAST and len(labels) > 1:
            small.append(f"{label!r} ({_rows(size)})")
    if small:
        found.append(
            f"too few rows under {', '.join(small[:5])}{' and others' if len(small) > 5 else ''}: a condition "
            f"needs at least {LEAST}; leave those rows out, or give them the label of a condition like it"
        )
    return found


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"


def _are(names: Sequence[Hashable]) -> str:
    return f"{column_list(names)} {'is' if len(names) == 1 else 'are'}"


def _notes(
    targets: BoolArray, codes: IntArray, labels: tuple[str, ...], names: Sequence[Hashable]
) -> list[str]:
    found = []
    if targets.any():
        set_ = [names[j] for j in np.flatnonzero(targets.any(axis=0)).tolist()]
        found.append(
            f"{int(targets.any(axis=1).sum())} of {len(targets)} rows are from experiments that set {listed(set_)}"
        )
    if len(labels) > 1:
        others = ", ".join(
            f"{label!r} ({int((codes == k + 1).sum())})" for k, label in enumerate(labels[1:6])
        )
        more = f" and {len(labels) - 6} more" if len(labels) > 6 else ""
        count = int((codes == 0).sum())
        base = f"{labels[0]!r} ({count})" if labels[0] else f"the other {count} rows"
        found.append(f"environments, by rows: {others}{more}, compared with {base}")
    return found
