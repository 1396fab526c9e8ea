"""What setting one column does to another on average, by the graph found: `Result.effect`.

The graph says what to hold fixed (`graphs.adjustment`), regressions say how much is left
(`models.average_effect`). Where directions are open, every graph they allow around the cause is asked.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from dagscale.graphs import adjustment
from dagscale.inputs.arguments import between
from dagscale.models.average_effect import Curve, by_curve, by_line
from dagscale.result.effects import words
from dagscale.result.effects.columns import Columns, columns_of
from dagscale.result.why import find
from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from dagscale.result import Result

GRID = 60  # points of the curve
CONFOUNDED, NO_EFFECT = "confounded", "no effect"  # what a graph may say instead of an adjustment set
Said = tuple[int, ...] | str


@dataclass(frozen=True, repr=False)
class Effect:
    """The average effect of a cause on an outcome, and what it rests on.

    Attributes
    ----------
    cause, outcome : names
    verdict : {"effect", "open", "none", "reversed", "confounded"}
        "effect": a directed path leads from the cause to the outcome. "open": whether one does depends on links
        whose direction is open. "none": none does. "reversed": one leads the other way. "confounded": a hidden
        common cause stands in the way, and nothing in the table can be held fixed against it.
    headline : str
        The answer in one sentence.
    table : DataFrame
        One row per contrast: `from`, `to` (of the cause), `outcome` (the level whose probability changes, "" for
        a number), `estimate` with the ends `low`, `high` of its interval; `least` and `most` of the estimates
        over the graphs that open directions allow (the interval covers them all); `linear`, `linear_low` and
        `linear_high`, the same by straight lines.
    adjusted_for : tuple of tuples of names
        What was held fixed, in each of these graphs that has an effect; the first is the graph found, if it has.
    assumes : tuple of str
        What the numbers rest on.
    rows, level : int, float
        Rows used; coverage of the intervals.
    deviation : float
        Standard deviation of a numeric cause: the effect of so much more is `deviation * estimate`; else NaN.
    curve : DataFrame or None
        For a numeric cause: `value`, and the change of the outcome against its average, `effect`, `low`, `high`.
    """

    cause: Hashable
    outcome: Hashable
    verdict: str
    headline: str
    table: pd.DataFrame
    adjusted_for: tuple[tuple[Hashable, ...], ...]
    assumes: tuple[str, ...]
    rows: int
    level: float
    deviation: float = float("nan")
    curve: pd.DataFrame | None = None

    @property
    def estimate(self) -> float:
        """The average effect; NaN where there are several contrasts, see `table`."""
        return self._only("estimate")

    @property
    def interval(self) -> tuple[float, float]:
        """The interval's ends."""
        return self._only("low"), self._only("high")

    @property
    def linear(self) -> float:
        """The average effect by straight lines."""
        return self._only("linear")

    def _only(self, name: str) -> float:
        return float(self.table[name].iloc[0]) if len(self.table) == 1 else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; what is not known is None."""
        rows = self.table.astype(object).where(self.table.notna(), None).to_dict("records")
        plain = ("cause", "outcome", "verdict", "headline", "rows", "level", "deviation")
        return {
            **{name: getattr(self, name) for name in plain if getattr(self, name) == getattr(self, name)},
            "adjusted_for": [list(names) for names in self.adjusted_for],
            "table": rows,
            "assumes": list(self.assumes),
        }

    def __repr__(self) -> str:
        return words.text(self)

    def _repr_html_(self) -> str:
        return words.markup(self)


class _Fit(NamedTuple):
    """Estimates under one adjustment set (contrasts, 2): the effect and its standard error."""

    curved: FloatArray
    linear: FloatArray
    curve: Curve | None = None


def effect_of(result: "Result", cause: Hashable, outcome: Hashable, level: float = 0.95) -> Effect:
    """Estimate the effect of one column on another; see `Result.effect`."""
    level = between(level, "level", 0.5, 0.999)
    i, j = find(cause, result.names), find(outcome, result.names)
    if i == j:
        raise InputError(f"effect needs two different columns, not {shown(cause)} twice")
    graphs = list(adjustment.graphs_around(result.adjacency, result.either_way, i))
    said = [_says(result, graph, i, j) for graph in graphs]
    sets = list(dict.fromkeys(own for own in said if not isinstance(own, str)))
    verdict = _verdict(result, i, j, said)
    after = adjustment.possibly_reached(result.adjacency, result.either_way, i)
    columns = columns_of(result, i, j, after)
    parents = tuple(k for k in np.flatnonzero(result.adjacency[:, i]).tolist() if k != j)
    fits = [_fit(columns, own) for own in sets or [parents]]
    wide = NormalDist().inv_cdf(0.5 + level / 2)
    found = _numbers(fits, wide)
    table = _as_table(columns, _told(found, verdict, said[0] == NO_EFFECT))
    return Effect(
        cause=result.names[i],
        outcome=result.names[j],
        verdict=verdict,
        headline=words.headline(result, (i, j), verdict, table, found, level),
        table=table,
        adjusted_for=tuple(tuple(result.names[k] for k in own) for own in sets),
        assumes=words.assumptions(result, (i, j), verdict, len(graphs), columns),
        rows=len(columns.X),
        level=level,
        deviation=float(columns.cause.std()) if columns.numeric else float("nan"),
        curve=_curve_frame(fits[0].curve, wide) if verdict in ("effect", "open") else None,
    )


def _says(result: "Result", graph: BoolArray, i: int, j: int) -> Said:
    """Return what a graph says of the effect: the columns to hold fixed, or a word."""
    if graph[j, i] or not adjustment.possibly_reached(graph, result.either_way, i)[j]:
        return NO_EFFECT
    own = adjustment.back_door_set(graph, result.confounded, i, j)
    return CONFOUNDED if own is None else tuple(own)


def _verdict(result: "Result", i: int, j: int, said: list[Said]) -> str:
    if CONFOUNDED in said or (NO_EFFECT in said and result.confounded[i, j]):
        return "confounded"
    if NO_EFFECT not in said:
        return "effect"
    if any(isinstance(own, tuple) for own in said):
        return "open"
    return "reversed" if adjustment.reached(result.adjacency, [j])[i] else "none"


def _fit(columns: Columns, held: tuple[int, ...]) -> _Fit:
    Y, Z = columns.outcomes, columns.held(held)
    estimate, curve = by_curve(Y, columns.cause, Z, GRID if columns.numeric else 0)
    curved, linear = (
        np.stack(own, axis=-1).reshape(-1, 2) for own in (estimate, by_line(Y, columns.cause, Z))
    )
    return _Fit(curved, linear, curve)


def _numbers(fits: list[_Fit], wide: float) -> dict[str, FloatArray]:
    """Return the columns of `Effect.table`, over the graphs that have an effect."""
    curved, linear = np.stack([fit.curved for fit in fits]), np.stack([fit.linear for fit in fits])
    found = {"estimate": curved[0, :, 0]}
    found["low"] = (curved[..., 0] - wide * curved[..., 1]).min(axis=0)
    found["high"] = (curved[..., 0] + wide * curved[..., 1]).max(axis=0)
    found["least"], found["most"] = curved[..., 0].min(axis=0), curved[..., 0].max(axis=0)
    found["linear"] = linear[0, :, 0]
    found["linear_low"] = (linear[..., 0] - wide * linear[..., 1]).min(axis=0)
    found["linear_high"] = (linear[..., 0] + wide * linear[..., 1]).max(axis=0)
    return found


def _told(found: dict[str, FloatArray], verdict: str, zero: bool) -> dict[str, FloatArray]:
    """Return the numbers that the verdict allows: none, zeros, or all, with zero among them where that is open.

    `zero`: the graph found has no effect, though others that open directions allow have one.
    """
    if verdict == "confounded":
        return {name: np.full_like(values, np.nan) for name, values in found.items()}
    if verdict in ("none", "reversed"):
        return {name: np.zeros_like(values) for name, values in found.items()}
    if verdict == "effect":
        return found
    ends: dict[str, Any] = dict.fromkeys(("low", "least", "linear_low"), np.minimum)
    ends |= dict.fromkeys(("high", "most", "linear_high"), np.maximum)
    kept = 0.0 if zero else 1.0
    return {
        name: ends[name](values, 0.0) if name in ends else kept * values for name, values in found.items()
    }


def _as_table(columns: Columns, numbers: dict[str, FloatArray]) -> pd.DataFrame:
    labels = [(a, b, level) for level in columns.levels for a, b in columns.steps]
    frame = pd.DataFrame(labels, columns=["from", "to", "outcome"])
    return frame.assign(**numbers)


def _curve_frame(curve: Curve | None, wide: float) -> pd.DataFrame | None:
    if curve is None:
        return None
    ends = {"low": curve.effect - wide * curve.error, "high": curve.effect + wide * curve.error}
    return pd.DataFrame({"value": curve.x, "effect": curve.effect, **ends})
