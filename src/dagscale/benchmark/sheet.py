"""A printed table: a title, a header, rows of text, remarks; as Markdown or as plain text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Sheet:
    """One table, ready to print.

    Attributes
    ----------
    title : str
    header : tuple of str
    rows : tuple of tuple of str
        Cells wrapped in `**` are the best of their row.
    notes : tuple of str
        Sentences below the table.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def as_markdown(sheets: Iterable[Sheet], level: int = 3) -> str:
    """Write tables as Markdown."""
    return "\n".join(_markdown(sheet, level) for sheet in sheets)


def as_text(sheets: Iterable[Sheet]) -> str:
    """Write tables with aligned columns."""
    return "\n".join(_text(sheet) for sheet in sheets)


def number(value: float | None, digits: int = 1) -> str:
    """Write a number shortly: fewer decimals the larger it is, a dash for none."""
    if value is None:
        return "–"
    return f"{value:.{digits}f}" if abs(value) < 99.95 or digits == 0 else f"{value:.0f}"


def spread(mean: float | None, sd: float | None, digits: int = 1) -> str:
    """Write a mean with its standard deviation."""
    if mean is None:
        return "–"
    return number(mean, digits) if sd is None else f"{number(mean, digits)} ± {number(sd, digits)}"


def _markdown(sheet: Sheet, level: int) -> str:
    lines = [f"{'#' * level} {sheet.title}", "", _pipes(sheet.header), _pipes(["---"] * len(sheet.header))]
    lines += [_pipes(row) for row in sheet.rows]
    lines += ["", *(f"- {note}" for note in sheet.notes)] if sheet.notes else []
    return "\n".join(lines) + "\n"


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _text(sheet: Sheet) -> str:
    table = [
        tuple(_plain(cell) for cell in sheet.header),
        *(tuple(_plain(cell) for cell in row) for row in sheet.rows),
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    lines.insert(1, "-" * (sum(widths) + 2 * (len(widths) - 1)))
    notes = [f"  {_plain(note.replace('**', ''))}" for note in sheet.notes]
    return "\n".join([sheet.title, *lines, *notes]) + "\n"


def _plain(cell: str) -> str:
    """Mark the best of a row by a star instead of bold, and drop the code marks."""
    return re.sub(r"\*\*(.+?)\*\*", r"\1*", cell).replace("`", "")
