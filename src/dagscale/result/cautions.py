"""What a reader must know beside the edges: open directions, hidden causes, failed checks, notes."""

import html
from typing import TYPE_CHECKING

import numpy as np

from dagscale.result.display import short
from dagscale.result.open_links import counted
from dagscale.runtime.types import BoolArray

if TYPE_CHECKING:
    from dagscale.result import Result

SHOWN_LINKS = 6
SHOWN_NOTES = 8
CHECKED_AT_ONCE = (
    30  # columns up to which a notebook's view runs the checks; they take less than a second there
)


def cautions(result: "Result", check: bool = False) -> list[str]:
    """Return one line per caution; with `check`, run the checks of a small table where nobody has asked for them."""
    lines = []
    if left := _links(result, result.either_way & (result.adjacency | result.adjacency.T), "--"):
        because = f"; because: {told}" if (told := counted(result)) else ""
        lines.append(f"open directions: {left}{because}; result.ask() says what would settle them")
    lines += hidden_causes(result)
    if told := _checks(result, check):
        lines.append(told)
    notes = [f"note: {short(note, 200)}" for note in result.notes[:SHOWN_NOTES]]
    more = len(result.notes) - SHOWN_NOTES
    return [
        *lines,
        *notes,
        *([f"and {more} more note{'s' * (more > 1)} in result.notes"] if more > 0 else []),
    ]


def hidden_causes(result: "Result") -> list[str]:
    """Return the line that names the pairs marked as sharing a hidden cause, or none."""
    told = _links(result, result.confounded, "<->")
    return [f"hidden common causes suspected: {told}"] if told else []


def markup(result: "Result") -> str:
    """Return the cautions as an HTML list, empty where there are none."""
    items = "".join(f"<li>{html.escape(line)}</li>" for line in cautions(result, check=True))
    return f"<ul>{items}</ul>" if items else ""


def _links(result: "Result", pairs: BoolArray, mark: str) -> str:
    ends = np.argwhere(np.triu(pairs | pairs.T, 1)).tolist()
    texts = [f"{short(result.names[i])} {mark} {short(result.names[j])}" for i, j in ends[:SHOWN_LINKS]]
    more = [f"and {len(ends) - SHOWN_LINKS} more"] if len(ends) > SHOWN_LINKS else []
    return ", ".join([*texts, *more])


def _checks(result: "Result", check: bool) -> str:
    """Name the checks that failed, where they were run."""
    small = len(result.names) <= CHECKED_AT_ONCE and result.sample is not None
    if not result.diagnosed and not (check and small):
        return ""
    failed = [one.name for one in result.diagnostics.overall if one.verdict == "failed"]
    return "" if not failed else f"checks that failed: {', '.join(failed)}; see result.diagnostics"
