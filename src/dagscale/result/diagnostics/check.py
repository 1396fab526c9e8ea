"""A check of one assumption, and all of them together: a sentence, a number and a traffic light each."""

import html
import math
from collections.abc import Hashable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import pandas as pd

GREEN, AMBER, RED = "green", "amber", "red"
LIGHTS = (GREEN, AMBER, RED)  # from good to bad
MARKS = {GREEN: "ok  ", AMBER: "care", RED: "STOP"}  # readable without colours
SHOWN_NODES = 8
COLOURS = {GREEN: "#0072b2", AMBER: "#e69f00", RED: "#d55e00"}  # Okabe and Ito: told apart by all eyes


@dataclass(frozen=True)
class Check:
    """One assumption, looked at on one column or on the whole table.

    Attributes
    ----------
    name : str
        What was checked, such as "linearity".
    node : name or None
        The column; None where the check is about the whole table.
    value : float
        The number behind the light; NaN where nothing could be measured.
    light : {"green", "amber", "red"}
    sentence : str
        What it means, in plain words, with the number.
    """

    name: str
    node: Hashable | None
    value: float
    light: str
    sentence: str

    def __str__(self) -> str:
        where = "" if self.node is None else f" {self.node}"
        return f"[{MARKS[self.light]}] {self.name}{where}: {self.sentence}"


@dataclass(frozen=True)
class Diagnostics:
    """All checks of a result: the whole table's first, then each column's.

    Attributes
    ----------
    checks : tuple of Check
    rows : int
        Rows of the table they were computed on: the sample a result keeps.

    Examples
    --------
    >>> import dagscale
    >>> result = dagscale.discover(dagscale.simulate(nodes=4, samples=200).table, method="das")
    >>> result.diagnostics.light in ("green", "amber", "red")
    True
    """

    checks: tuple[Check, ...]
    rows: int

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def __getitem__(self, name: str) -> Check:
        """Return the whole table's check of that name."""
        for check in self.checks:
            if check.name == name and check.node is None:
                return check
        raise KeyError(name)

    @property
    def light(self) -> str:
        """The worst light among the checks of the whole table."""
        return max((check.light for check in self.overall), key=LIGHTS.index, default=GREEN)

    @property
    def overall(self) -> tuple[Check, ...]:
        """The checks of the whole table."""
        return tuple(check for check in self.checks if check.node is None)

    @property
    def warnings(self) -> tuple[Check, ...]:
        """The checks whose light is not green, the red ones first."""
        return tuple(check for light in (RED, AMBER) for check in self.checks if check.light == light)

    @property
    def summary(self) -> str:
        """One sentence: how many checks gave which light, and the worst of them."""
        counts = {light: sum(check.light == light for check in self.overall) for light in LIGHTS}
        told = ", ".join(f"{count} {light}" for light, count in reversed(counts.items()) if count)
        worst = [check.sentence for check in self.warnings if check.node is None][:1]
        return f"{told or 'nothing could be checked'} ({self.rows} rows)" + (f": {worst[0]}" if worst else "")

    def of(self, node: Hashable) -> tuple[Check, ...]:
        """Return the checks of one column."""
        return tuple(check for check in self.checks if check.node is not None and check.node == node)

    def to_frame(self) -> "pd.DataFrame":
        """Return the checks as a DataFrame: name, node, value, light, sentence."""
        import pandas as pd

        columns = ["name", "node", "value", "light", "sentence"]
        return pd.DataFrame([[getattr(check, c) for c in columns] for check in self.checks], columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON and for `from_dict`."""
        return {"rows": self.rows, "checks": [asdict(check) for check in self.checks]}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        """Undo `to_dict`."""
        return cls(tuple(Check(**check) for check in stored["checks"]), stored["rows"])

    def __str__(self) -> str:
        lines = [f"Diagnostics: {self.summary.split(': ')[0]}", *(f"  {check}" for check in self.overall)]
        nodes = [check for check in self.warnings if check.node is not None]
        lines += [f"  {check}" for check in nodes[:SHOWN_NODES]]
        if len(nodes) > SHOWN_NODES:
            lines.append(f"  and {len(nodes) - SHOWN_NODES} more about single columns, see .warnings")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        shown = [*self.overall, *[check for check in self.warnings if check.node is not None][:SHOWN_NODES]]
        rows = "".join(
            f"<tr><td><span style='color:{COLOURS[check.light]}'>&#9679;</span> {check.light}</td>"
            f"<td>{html.escape(check.name)}</td>"
            f"<td>{'' if check.node is None else html.escape(str(check.node))}</td>"
            f"<td>{html.escape(check.sentence)}</td></tr>"
            for check in shown
        )
        head = "".join(f"<th>{title}</th>" for title in ("light", "check", "column", "what it means"))
        title = html.escape(self.summary.split(": ")[0])
        table = f"<table><thead><tr>{head}</tr></thead>{rows}</table>"
        return f"<div><p><b>Diagnostics: {title}</b></p>{table}</div>"


def light_of(value: float, amber: float, red: float) -> str:
    """Grade a number of which more is worse; NaN is green: nothing was found."""
    if math.isnan(value) or value < amber:
        return GREEN
    return RED if value >= red else AMBER


def worst(lights: list[str]) -> str:
    """Return the worst of several lights, green where there are none."""
    return max(lights, key=LIGHTS.index, default=GREEN)
