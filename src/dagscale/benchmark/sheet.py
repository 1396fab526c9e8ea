"""A printed table: a title, a header, rows of text, remarks; as Markdown or as plain text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

# The heading and the decimals of every measure of a run.
MEASURES: dict[str, tuple[str, int]] = {
    "shd": ("SHD", 1),
    "sid": ("SID", 1),
    "precision": ("precision", 2),
    "recall": ("recall", 2),
    "f1": ("F1", 2),
    "skeleton_f1": ("adjacency F1", 2),
    "link_errors": ("wrong links", 1),
    "claimed": ("arrows claimed", 1),
    "claimed_precision": ("claimed arrows right", 2),
    "wrong_way": ("share of the edges claimed the wrong way", 3),
    "numbers_claimed": ("edges between numbers claimed", 2),
    "order_errors": ("order errors", 1),
    "changed_f1": ("F1 of the mechanisms said to have changed", 2),
    "wrong_named": ("share of the wrong labels that are named", 2),
    "right_accused": ("right labels called wrong", 1),
    "tier_score": ("arrows along the known tiers less arrows against them", 1),
    "accuracy": ("share of right directions", 2),
    "decision_area": ("area under the decision-rate curve", 2),
    "wall": ("seconds", 1),
    "cpu": ("CPU seconds", 1),
    "peak_mb": ("peak MB", 0),
}
NOT_EVERYWHERE = (  # tables leave out columns that are empty
    "link_errors", "claimed", "claimed_precision", "wrong_way", "numbers_claimed", "tier_score", "accuracy",
    "decision_area", "changed_f1", "wrong_named", "right_accused",
)  # fmt: skip
HIGHER_IS_BETTER = (
    "precision", "recall", "f1", "skeleton_f1", "claimed", "claimed_precision", "numbers_claimed",
    "tier_score", "accuracy", "decision_area", "changed_f1", "wrong_named",
)  # fmt: skip


@dataclass(frozen=True)
class Sheet:
    """One table, ready to print: cells wrapped in `**` are the best of their row, notes stand below."""

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


def pipes(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table in Markdown."""
    header = list(header)
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def _markdown(sheet: Sheet, level: int) -> str:
    notes = "".join(f"\n- {note}" for note in sheet.notes)
    body = pipes(sheet.header, sheet.rows) + (f"\n{notes}" if notes else "")
    return f"{'#' * level} {sheet.title}\n\n{body}\n"


def _text(sheet: Sheet) -> str:
    table = [tuple(map(_plain, row)) for row in (sheet.header, *sheet.rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for first, *rest in table:
        cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    lines.insert(1, "-" * (sum(widths) + 2 * (len(widths) - 1)))
    notes = [f"  {_plain(note)}" for note in sheet.notes]
    return "\n".join([sheet.title, *lines, *notes]) + "\n"


def _plain(cell: str) -> str:
    """Mark the best of a row by a star instead of bold, and drop the code marks."""
    return re.sub(r"\*\*(.+?)\*\*", r"\1*", cell).replace("`", "")
