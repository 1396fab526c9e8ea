"""How a cell of a table is written: runs without an answer count and are seen."""

from collections.abc import Iterable

from dagscale.benchmark.execute import TIMEOUT
from dagscale.benchmark.measures import MEASURES
from dagscale.benchmark.sheet import spread
from dagscale.benchmark.summary import Cell


def found(cell: Cell | None, name: str) -> str:
    """Write a mean with its standard deviation, and how many runs have none."""
    if cell is None:
        return "–"
    text = spread(cell.mean(name), cell.sd(name), MEASURES[name][1])
    if not cell.failures:
        return text
    word = "timeout" if all(run["status"] == TIMEOUT for run in cell.failures) else "failed"
    return f"{text} ({len(cell.failures)} {word})" if cell.runs else word


def seeds(cell: Cell | None) -> str:
    """Write how many runs have an answer, and of how many where some have none."""
    if cell is None:
        return "–"
    total = len(cell.runs) + len(cell.failures)
    return f"{len(cell.runs)} of {total}" if cell.failures else str(total)


def earlier(labelled: Iterable[tuple[str, Cell]]) -> list[str]:
    """Name what an earlier version of the code made, in a sentence; nothing where there is none."""
    made = list(dict.fromkeys(label for label, cell in labelled if cell.outdated))
    return [f"Made by an earlier version of the code: {', '.join(made)}."] if made else []
