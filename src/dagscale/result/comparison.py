"""Two graphs side by side: what they share, and what only one of them has. `Result.compare`."""

import html
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dagscale.graphs.links import Links, links_of
from dagscale.result.display import listed, short
from dagscale.runtime.errors import InputError, closest, shown

if TYPE_CHECKING:
    from dagscale.result import Result

SHARED, REVERSED, UNDIRECTED, ADDED, MISSING = "shared", "reversed", "undirected", "added", "missing"
STATUSES = {
    SHARED: "in both, the same way",
    REVERSED: "in both, the other way round",
    UNDIRECTED: "in both, but open in one of them",
    ADDED: "only in {here}",
    MISSING: "only in {there}",
}
SHOWN = 12  # pairs that are printed of each status


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """How a result's graph differs from another one.

    Attributes
    ----------
    here, there : str
        What the two are called.
    table : DataFrame
        One row per pair with a link in either: `source`, `target`, `status` ("shared", "reversed", "undirected",
        "added", "missing"), and how each has it, `here` and `there`: "->", "<-", "--" (no direction), "" (no link).
        A link that is open in one of the two is "undirected", one that is open in both "shared".
    only_here, only_there : tuple of str
        Columns that only one of the two has; their links are not compared.
    names : list of str
        The columns that both have.
    """

    here: str
    there: str
    table: pd.DataFrame
    names: list[str]
    only_here: tuple[str, ...] = ()
    only_there: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs have each status."""
        return {status: int((self.table["status"] == status).sum()) for status in STATUSES}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON and the report."""
        return {
            "here": self.here,
            "there": self.there,
            "counts": self.counts,
            "pairs": self.table.to_dict("records"),
            "only_here": list(self.only_here),
            "only_there": list(self.only_there),
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw both graphs in one with matplotlib (extra `plot`); return the axes."""
        from dagscale.result.comparison_plot import draw

        return draw(self, ax)

    def __repr__(self) -> str:
        counts = self.counts
        lines = [
            f"{self.here} against {self.there}: " + ", ".join(f"{counts[name]} {name}" for name in STATUSES)
        ]
        for status, meaning in STATUSES.items():
            if counts[status]:
                where = meaning.format(here=self.here, there=self.there)
                lines.append(f"  {status} ({where}): {listed_pairs(self.table, status)}")
        for names, where in ((self.only_here, self.here), (self.only_there, self.there)):
            if names:
                lines.append(f"  columns that only {where} has, not compared: {listed(names, ', ')}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        first, *rest = repr(self).split("\n")
        items = "".join(f"<li>{html.escape(line.strip())}</li>" for line in rest)
        return f"<div><p><b>{html.escape(first)}</b></p><ul>{items}</ul></div>"


def listed_pairs(table: pd.DataFrame, status: str) -> str:
    """Return the pairs of one status on one line, as the result has them, else as the other has."""
    own = table[table["status"] == status]
    marks = [here or there for here, there in zip(own["here"], own["there"], strict=True)]
    texts = [
        f"{short(a)} {mark} {short(b)}"
        for a, mark, b in zip(own["source"], marks, own["target"], strict=True)
    ]
    more = [f"and {len(texts) - SHOWN} more"] if len(texts) > SHOWN else []
    return ", ".join(texts[:SHOWN] + more)


def compare(result: "Result", other: Any, name: str | None = None) -> Comparison:
    """Lay a result's graph beside another one; see `Result.compare`."""
    there = name or called(other)
    here = result.method if there != result.method else "this result"
    return compare_links(links_of(result, result.names), links_of(other, result.names), here, there)


def compare_links(mine: Links, theirs: Links, here: str, there: str) -> Comparison:
    """Compare two graphs over the columns that both have; one that a list of edges lacks has no links there."""
    only_here = [name for name in mine.names if name not in set(theirs.names)]
    only_there = [name for name in theirs.names if name not in set(mine.names)]
    if theirs.names and mine.names and len(only_there) == len(theirs.names):
        hint = closest(only_there[0], mine.names)
        raise InputError(f"the two graphs share no column: {there} has {shown(only_there[0])}{hint}")
    if not theirs.complete:
        only_here = []
    elif not mine.complete:
        only_there = []
    everything = dict.fromkeys([*mine.names, *theirs.names])
    names = [name for name in everything if name not in {*only_here, *only_there}]
    table = _table(names, mine.over(names), theirs.over(names))
    return Comparison(here, there, table, names, tuple(only_here), tuple(only_there))


def called(other: Any) -> str:
    """Return a short name for a graph: of its file, of its method."""
    if isinstance(other, str | Path):
        return Path(other).name or str(other)
    return str(getattr(other, "method", None) or "the other graph")


def _table(names: list[str], mine: Links, theirs: Links) -> pd.DataFrame:
    linked = np.triu(mine.arrows | mine.arrows.T | theirs.arrows | theirs.arrows.T, 1)
    rows = []
    for i, j in np.argwhere(linked).tolist():
        if mine.arrows[j, i] or (theirs.arrows[j, i] and not mine.arrows[i, j]):
            i, j = j, i
        here, there = _mark(mine, i, j), _mark(theirs, i, j)
        rows.append((names[i], names[j], _status(here, there), here, there))
    rows.sort(key=lambda row: list(STATUSES).index(row[2]))
    return pd.DataFrame(rows, columns=["source", "target", "status", "here", "there"])


def _mark(links: Links, i: int, j: int) -> str:
    if not (links.arrows[i, j] or links.arrows[j, i]):
        return ""
    return "--" if links.open[i, j] else "->" if links.arrows[i, j] else "<-"


def _status(here: str, there: str) -> str:
    if here == there:
        return SHARED
    if not there:
        return ADDED
    if not here:
        return MISSING
    return UNDIRECTED if "--" in (here, there) else REVERSED
