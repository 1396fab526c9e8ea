"""A check of one assumption, and all of them together: a sentence, a number and a verdict each."""

import html
import math
from collections.abc import Hashable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import pandas as pd

OK, DOUBTFUL, FAILED = "ok", "doubtful", "failed"
VERDICTS = (OK, DOUBTFUL, FAILED)  # from good to bad
LIGHTS = {OK: "green", DOUBTFUL: "amber", FAILED: "red"}
SHOWN_NODES = 8
COLOURS = {OK: "#0072b2", DOUBTFUL: "#e69f00", FAILED: "#d55e00"}  # Okabe and Ito: told apart by all eyes


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
        The number behind the verdict; NaN where nothing could be measured.
    verdict : {"ok", "doubtful", "failed"}
    sentence : str
        What it means, in plain words, with the number.
    """

    name: str
    node: Hashable | None
    value: float
    verdict: str
    sentence: str

    @property
    def light(self) -> str:
        """The verdict as a traffic light: "green", "amber" or "red"."""
        return LIGHTS[self.verdict]

    def __str__(self) -> str:
        where = "" if self.node is None else f" {self.node}"
        return f"[{self.verdict:8}] {self.name}{where}: {self.sentence}"


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
    >>> result.diagnostics.verdict in ("ok", "doubtful", "failed")
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
    def verdict(self) -> str:
        """The worst verdict among the checks of the whole table."""
        return worst([check.verdict for check in self.overall])

    @property
    def light(self) -> str:
        """That verdict as a traffic light: "green", "amber" or "red"."""
        return LIGHTS[self.verdict]

    @property
    def overall(self) -> tuple[Check, ...]:
        """The checks of the whole table."""
        return tuple(check for check in self.checks if check.node is None)

    @property
    def warnings(self) -> tuple[Check, ...]:
        """The checks that are not ok, the failed ones first."""
        return tuple(check for bad in (FAILED, DOUBTFUL) for check in self.checks if check.verdict == bad)

    @property
    def summary(self) -> str:
        """One sentence: how many checks came out how, and the worst of them."""
        counts = {one: sum(check.verdict == one for check in self.overall) for one in VERDICTS}
        told = ", ".join(f"{count} {one}" for one, count in reversed(counts.items()) if count)
        worst = [check.sentence for check in self.warnings if check.node is None][:1]
        return f"{told or 'nothing could be checked'} ({self.rows} rows)" + (f": {worst[0]}" if worst else "")

    def of(self, node: Hashable) -> tuple[Check, ...]:
        """Return the checks of one column."""
        return tuple(check for check in self.checks if check.node is not None and check.node == node)

    def to_frame(self) -> "pd.DataFrame":
        """Return the checks as a DataFrame: name, node, value, verdict, sentence."""
        import pandas as pd

        columns = ["name", "node", "value", "verdict", "sentence"]
        return pd.DataFrame([[getattr(check, c) for c in columns] for check in self.checks], columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON and for `from_dict`."""
        return {"rows": self.rows, "checks": [asdict(check) for check in self.checks]}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        """Undo `to_dict`; results saved by earlier versions hold lights instead of verdicts."""
        verdict_of_light = {light: verdict for verdict, light in LIGHTS.items()}
        checks = []
        for check in stored["checks"]:
            own = {name: value for name, value in check.items() if name != "light"}
            own.setdefault("verdict", verdict_of_light.get(check.get("light", ""), DOUBTFUL))
            checks.append(Check(**own))
        return cls(tuple(checks), stored["rows"])

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
            f"<tr><td><span style='color:{COLOURS[check.verdict]}'>&#9679;</span> {check.verdict}</td>"
            f"<td>{html.escape(check.name)}</td>"
            f"<td>{'' if check.node is None else html.escape(str(check.node))}</td>"
            f"<td>{html.escape(check.sentence)}</td></tr>"
            for check in shown
        )
        head = "".join(f"<th>{title}</th>" for title in ("verdict", "check", "column", "what it means"))
        title = html.escape(self.summary.split(": ")[0])
        table = f"<table><thead><tr>{head}</tr></thead>{rows}</table>"
        return f"<div><p><b>Diagnostics: {title}</b></p>{table}</div>"


def verdict_of(value: float, doubtful: float, failed: float) -> str:
    """Grade a number of which more is worse; NaN is ok: nothing was found."""
    if math.isnan(value) or value < doubtful:
        return OK
    return FAILED if value >= failed else DOUBTFUL


def worst(verdicts: list[str]) -> str:
    """Return the worst of several verdicts, ok where there are none."""
    return max(verdicts, key=VERDICTS.index, default=OK)
