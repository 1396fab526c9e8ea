"""Methods that model densities of numbers say so where a table has other columns."""

from typing import TYPE_CHECKING

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.table import Table
from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.face import SHOWN, spelled

if TYPE_CHECKING:
    from dagscale.methods.registry import Method


def needs_numbers(chosen: "Method", method: str, table: Table) -> None:
    """Refuse, in one line, columns that are not continuous where the method takes only numbers."""
    if not chosen.numbers_only or not table.kinds:
        return
    others = [j for j, kind in enumerate(table.kinds) if kind != CONTINUOUS]
    names = [table.names[j] for j in others]
    numeric = [table.names[j] for j in others if _spells_numbers(table.levels[j])]
    remedies = [f"use {spelled('method', 'auto')}", f"leave out with {spelled('drop', names)}"]
    if numeric:
        remedies.append(f"take as numbers with {spelled('kinds', dict.fromkeys(numeric, CONTINUOUS))}")
    told = [f"{shown(table.names[j])} ({table.kinds[j]})" for j in others[:SHOWN]]
    more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
    raise InputError(
        f"method {method!r} needs continuous columns, not {', '.join(told)}{more}: {', or '.join(remedies)}"
    )


def _spells_numbers(levels: tuple[object, ...] | None) -> bool:
    return levels is None or all(isinstance(level, int | float) for level in levels)
