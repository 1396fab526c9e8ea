"""From the columns of a table to its variables: chosen, recognised, those that only label rows left out."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from dagscale.inputs.kinds import BINARY, CATEGORICAL, CONTINUOUS, COUNT, ORDINAL
from dagscale.inputs.table.frames import RawTable
from dagscale.inputs.table.identifiers import has_id_name, names_units, reasons_to_leave_out, units_of
from dagscale.inputs.table.problems import Problems, listed
from dagscale.inputs.table.recognise import Unusable, Variable, by_number, recognised
from dagscale.inputs.table.to_floats import Column
from dagscale.runtime.errors import InputError, InputTypeError, none_of, shown
from dagscale.runtime.face import spelled
from dagscale.runtime.types import IntArray

_TAKEN_AS_NUMBERS = {
    "integer": "integers as continuous numbers",
    "duration": "durations as numbers",
    "numeric text": "text that spells numbers as those numbers",
}


def usable_variables(
    raw: RawTable,
    columns: Sequence[Hashable] | None,
    drop: Sequence[Hashable] | None,
    kinds: Mapping[Hashable, str] | None,
    transform: Any,
    problems: Problems,
) -> tuple[list[Variable], tuple[str, ...], IntArray | None]:
    """Return the columns that measure something, at least two, notes on the others, and the units that those name."""
    if not raw.names:
        raise InputError("the table is empty: it has no columns")
    if not len(raw.raw[0]):
        raise InputError("the table is empty: it has columns but no rows")
    _refuse_unknown(raw.names, columns=columns, drop=drop, kinds=kinds, transform=_transformed(transform))
    kept = chosen_columns(raw.names, columns, drop)
    asked = _asked_kinds(raw.names, kinds, transform)
    found = [raw.column(j) for j in kept]
    # A column the user names is never taken for a label.
    reasons = reasons_to_leave_out(found, raw.named) if columns is None else {}
    used, left_out, labels = [], [], []
    for place, (j, column) in enumerate(zip(kept, found, strict=True)):
        if place in reasons and j not in asked:
            left_out.append(_left_out(column, reasons[place]))
            labels.append(column)
            continue
        try:
            if column.kind == "date":
                raise Unusable("holds dates or times")
            used.append(recognised(column, asked.get(j)))
        except Unusable as why:
            if why.label and columns is None:
                also = "; it still says which rows belong together" if names_units(column) else ""
                left_out.append(f"left out column {shown(column.name)}: {why}{also}")
                labels.append(column)
            else:
                problems.add(_refusal(column, why))
    if len(used) < 2 and not problems.found:
        left = f"only column {shown(used[0].column.name)} is left" if used else "no column is left"
        because = f" ({'; '.join(left_out[:3])})" if left_out else ""
        raise InputError(f"a graph needs at least two columns, and {left}{because}")
    kinds_said = _kind_notes(used, set(asked), columns is not None or not raw.named)
    return used, (*raw.notes, *left_out, *kinds_said), units_of(labels)


def chosen_columns(
    names: list[Hashable], columns: Sequence[Hashable] | None, drop: Sequence[Hashable] | None
) -> list[int]:
    """Return the places of the columns to use, in the table's order."""
    keep = positions(names, columns, "columns") if columns is not None else list(range(len(names)))
    out = set(positions(names, drop, "drop") if drop is not None else [])
    both = out.intersection(keep) if columns is not None else set()
    if both:
        raise InputError(
            f"column {listed([names[j] for j in both])} is in {spelled('columns')} and in {spelled('drop')}; "
            "remove it from one"
        )
    return sorted(set(keep) - out)


def positions(names: Sequence[Hashable], wanted: Any, option: str) -> list[int]:
    """Find names, or their text: the command line knows only text."""
    option = spelled(option).rstrip("=")
    if isinstance(wanted, str):
        wanted = [wanted]
    if not isinstance(wanted, Iterable):
        raise InputTypeError(f"{option} must be a list of column names, not {shown(wanted)}")
    exact = {name: j for j, name in enumerate(names)}
    by_text = {str(name): j for j, name in enumerate(names)}
    found, unknown = [], []
    for name in wanted:
        position = exact.get(name) if isinstance(name, Hashable) else None
        position = by_text.get(str(name)) if position is None else position
        if position is None:
            unknown.append(name)
        else:
            found.append(position)
    if unknown:
        raise InputError(f"{option}: the table has {none_of(unknown, names)}")
    return found


def _refuse_unknown(names: Sequence[Hashable], **named: Any) -> None:
    """Refuse names that are no columns, those of all options at once."""
    wrong = []
    for option, wanted in named.items():
        try:
            positions(names, () if wanted is None else wanted, option)
        except InputError as error:
            wrong.append(str(error))
    if wrong:
        raise InputError("; ".join(wrong))


def _asked_kinds(
    names: Sequence[Hashable], kinds: Mapping[Hashable, str] | None, transform: Any
) -> dict[int, str]:
    """Return the kinds the user gave by place; numbers that are to be transformed are continuous."""
    told = dict(kinds or {})
    by_place = dict(zip(positions(names, list(told), "kinds"), told.values(), strict=True))
    return dict.fromkeys(positions(names, _transformed(transform), "transform"), CONTINUOUS) | by_place


def _transformed(transform: Any) -> list[Hashable]:
    """Return the columns that are transformed by name."""
    return [name for name, how in transform.items() if how] if isinstance(transform, Mapping) else []


def _left_out(column: Column, why: str) -> str:
    said = f"left out column {shown(column.name)}: {why}"
    if names_units(column) and column.kind == "text":
        return f"{said}; to use it, give its kind, {spelled('kinds', {column.name: CATEGORICAL})}"
    return f"{said}; to use it, name it in {spelled('columns')}" if column.numeric else said


def _refusal(column: Column, unusable: Unusable) -> str:
    """Say why a column cannot be used, and what to do."""
    why, drop = str(unusable), f"leave it out with {spelled('drop', [column.name])}"
    if unusable.slip:
        drop = drop.replace("it", "the column", 1)
        return f"column {shown(column.name)} {why}; correct that cell, delete its row, or {drop}"
    if column.kind == "date":
        return (
            f"column {shown(column.name)} {why}; {drop}, or turn it into numbers such as days since the first"
        )
    if why.startswith("is to be"):
        return f"column {shown(column.name)} {why}; {drop}, or give it another kind with {spelled('kinds')}"
    return f"column {shown(column.name)} {why.removeprefix('it ')}; {drop}, or encode it as numbers"


def _kind_notes(variables: list[Variable], told: set[int], asked: bool) -> list[str]:
    def names(kind: str, *sources: str) -> list[Hashable]:
        return [
            one.column.name
            for one in variables
            if one.kind == kind and (not sources or one.column.kind in sources)
        ]

    notes = []
    if found := names(BINARY):
        notes.append(f"two values, so binary: {listed(found)}")
    if found := names(CATEGORICAL):
        notes.append(f"categories: {listed(found)}")
    notes += _level_notes(variables)
    if found := names(ORDINAL, "category"):
        notes.append(f"ordered categories: {listed(found)}")
    ranks = names(ORDINAL, "integer", "number", "numeric text")
    if ranks and not told:
        notes.append(
            f"few whole numbers, taken as ordered levels: {listed(ranks)}; if they are codes of categories, use "
            f"{spelled('kinds', {ranks[0]: CATEGORICAL})}, if amounts, {spelled('kinds', {ranks[0]: CONTINUOUS})}"
        )
    elif ranks:
        notes.append(f"taken as ordered levels: {listed(ranks)}")
    if found := names(COUNT):
        other = "" if told else f"; if they are amounts, use {spelled('kinds', {found[0]: CONTINUOUS})}"
        notes.append(f"taken as counts: {listed(found)}{other}")
    notes += [
        f"taken {how}: {listed(found)}"
        for source, how in _TAKEN_AS_NUMBERS.items()
        if (found := names(CONTINUOUS, source))
    ]
    suspects = [one.column.name for one in variables if one.column.kind == "integer"]
    suspects = [name for name in suspects if not asked and has_id_name(name)]
    if suspects:
        notes.append(f"named like an ID but with repeated values, so kept: {listed(suspects)}")
    return notes


def _level_notes(variables: list[Variable]) -> list[str]:
    """Ask about levels that may be in an order, or one and the same."""
    ranges = [
        one.column.name
        for one in variables
        if one.kind == CATEGORICAL and one.column.kind == "labels" and by_number(one.levels or ())
    ]
    notes = []
    if ranges:
        notes.append(
            f"the levels of {listed(ranges)} hold numbers; if they are in the order of these, use "
            f"{spelled('kinds', {ranges[0]: ORDINAL})}"
        )
    for one in variables:
        texts = [level for level in one.levels or () if isinstance(level, str)]
        alike = [text for text in texts if sum(text.casefold() == other.casefold() for other in texts) > 1]
        if alike:
            notes.append(
                f"levels of {shown(one.column.name)} differ in capitals only: {listed(alike)}; "
                "if they mean the same, spell them alike"
            )
    return notes
