"""An effect in plain words: one sentence, what it assumes, and the few lines that `print` shows."""

import html
import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from dagscale.inputs.kinds import ORDINAL
from dagscale.result.display import listed, short
from dagscale.runtime.types import FloatArray

if TYPE_CHECKING:
    from dagscale.result import Result
    from dagscale.result.effects.columns import Columns
    from dagscale.result.effects.effect import Effect

SHOWN_GRAPHS = 4
Numbers = dict[str, FloatArray]


def headline(
    result: "Result", ends: tuple[int, int], verdict: str, table: pd.DataFrame, found: Numbers, level: float
) -> str:
    """Return the answer in one sentence; `found` has the numbers before the verdict was applied to them."""
    a, b = (short(result.names[k]) for k in ends)
    unit = " levels" if result.kinds[result.names[ends[1]]] == ORDINAL else ""  # steps of its levels
    if verdict in ("effect", "open"):
        rows = table.to_dict("records")
        if len(rows) == 1:
            return f"{_contrast(a, b, rows[0], level, unit)}."
        told = "; ".join(_briefly(b, row) for row in rows)
        return f"The average effect of {a} on {b}, with {level:.0%} intervals: {told}."
    together = _together(a, b, table, found, level, unit)
    if verdict == "confounded":
        return (
            f"The effect of {a} on {b} cannot be estimated from this table: hidden common causes connect the two, "
            f"and adjusting for columns of the table does not remove that. {together}"
        )
    why = (
        f"{b} is a cause of {a}, not an effect"
        if verdict == "reversed"
        else f"no arrows lead from {a} to {b}"
    )
    return f"Setting {a} does nothing to {b} in this graph: {why}. {together}".strip()


def assumptions(
    result: "Result", ends: tuple[int, int], verdict: str, graphs: int, columns: "Columns"
) -> tuple[str, ...]:
    """List what the numbers rest on."""
    a, b = (short(result.names[k]) for k in ends)
    hidden = "" if verdict == "confounded" else f", and nothing outside the table causes both {a} and {b}"
    lines = [f"The graph is right about the causes of {a}{hidden}."]
    if verdict in ("effect", "open"):
        if graphs > 1:
            lines.append(
                f"Links of {a} have open directions: the interval covers the {graphs} ways to direct them that "
                "fit the rest of the graph (no cycle, and no column that becomes a common effect of unlinked causes)."
            )
        lines.append(
            f"The effect of {a} and those of the columns held fixed add up: no interactions between them."
        )
        lines.append("The interval covers sampling error only, not the possibility that the graph is wrong.")
    if columns.conditions.shape[1]:
        lines.append(f"The condition of each row is held fixed, too, but not whether {a} was set.")
    if columns.dropped:
        lines.append(
            f"{columns.dropped} rows are left out: {b}, or a column on the way to it, was set in them or "
            "had another mechanism."
        )
    if changed := [label for label, names in result.changed.items() if result.names[ends[1]] in names]:
        lines.append(
            f"{b} follows another mechanism under {listed(changed, ', ')}: the effect may differ there."
        )
    if result.sample is not None and len(result.sample) < result.n_samples:
        lines.append(f"The {len(result.sample)} rows kept with the result stand for all {result.n_samples}.")
    return tuple(lines)


def text(effect: "Effect") -> str:
    """Return the effect on a few lines."""
    lines = [effect.headline]
    if effect.verdict in ("effect", "open"):
        if len(effect.table) > 1:  # a line each
            lines = [f"{effect.headline.partition(':')[0]}:"]
            lines += [f"  {_briefly(short(effect.outcome), row)}" for row in effect.table.to_dict("records")]
        else:
            lines += _in_other_units(effect, effect.table.iloc[0])
        sets = [listed(names, ", ") or "nothing" for names in effect.adjusted_for]
        more = f"; and {len(sets) - SHOWN_GRAPHS} more" if len(sets) > SHOWN_GRAPHS else ""
        lines.append(f"  held fixed: {'; or '.join(sets[:SHOWN_GRAPHS])}{more}")
    lines.append(f"  {effect.rows} rows. This assumes:")
    return "\n".join([*lines, *(f"  - {line}" for line in effect.assumes)])


def _in_other_units(effect: "Effect", row: "pd.Series[Any]") -> list[str]:
    """Return the effect of one standard deviation, and what straight lines alone would say."""
    linear = _span(row["linear_low"], row["linear_high"])
    least, most = (effect.deviation * row[name] for name in ("least", "most"))
    if row["most"] > row["least"]:  # open directions: no single number
        size, straight = _span(least, most), f"interval {linear}"
    else:
        size, straight = (
            f"{effect.deviation * row['estimate']:.3g}",
            f"{row['linear']:.3g} (interval {linear})",
        )
    lines = [f"  by straight lines alone: {straight}"]
    if not math.isnan(effect.deviation):
        cause = short(effect.cause)
        lines.insert(0, f"  one standard deviation ({effect.deviation:.3g}) more of {cause}: {size}")
    return lines


def markup(effect: "Effect") -> str:
    """Return the effect as HTML for a notebook."""
    first, *rest = text(effect).split("\n")
    items = "".join(f"<li>{html.escape(line)}</li>" for line in effect.assumes)
    told = "<br>".join(html.escape(line.strip()) for line in rest[: len(rest) - len(effect.assumes)])
    return f"<div><p><b>{html.escape(first)}</b></p><p>{told}</p><ul>{items}</ul></div>"


def _contrast(a: str, b: str, row: dict[Any, Any], level: float, unit: str) -> str:
    estimate, least, most = (float(row[name]) for name in ("estimate", "least", "most"))
    step = f"{a} {row['from']} → {row['to']}" if row["from"] != "" else f"One unit more of {a}"
    what = f"the probability of {b} = {short(row['outcome'])}" if row["outcome"] != "" else b
    span = _span(float(row["low"]), float(row["high"]))
    if math.isnan(estimate):
        return f"{step}: cannot be estimated: {a} hardly varies once the other columns are held fixed"
    if most - least > 0:
        return (
            f"{step} changes {what} by something between {least + 0.0:.3g} and {most + 0.0:.3g}{unit} on average, "
            f"depending on directions that are open ({level:.0%} interval over all of them: {span})"
        )
    if float(row["low"]) <= 0 <= float(row["high"]):
        verb, size, doubt = "changes", estimate, ", which includes zero"
    else:
        verb, size, doubt = "raises" if estimate > 0 else "lowers", abs(estimate), ""
    interval = f"{level:.0%} interval of the effect: {span}{doubt}"
    return f"{step} {verb} {what} by {size:.3g}{unit} on average ({interval})"


def _briefly(b: str, row: dict[Any, Any]) -> str:
    """Return one of several contrasts in a few words."""
    step = f"{row['from']} → {row['to']}" if row["from"] != "" else "one unit more"
    what = f", {b} = {short(row['outcome'])}" if row["outcome"] != "" else ""
    span = _span(row["low"], row["high"])
    if row["most"] > row["least"]:
        least, most = (_signed(row[name]) for name in ("least", "most"))
        return f"{step}{what}: between {least} and {most}, depending on open directions ({span})"
    return f"{step}{what}: {_signed(row['estimate'])} ({span})"


def _signed(value: float) -> str:
    return f"{value:+.3g}" if value else "0"


def _together(a: str, b: str, table: pd.DataFrame, found: Numbers, level: float, unit: str) -> str:
    """Say what the rows show beside a graph without an effect."""
    if len(table) != 1 or math.isnan(found["estimate"][0]):
        return ""
    low, high = float(found["low"][0]), float(found["high"][0])
    if low <= 0 <= high:
        return f"In the data, too, the two are not associated once the causes of {a} are held fixed."
    row = table.iloc[0]
    what = f"the probability of {b} = {short(row['outcome'])}" if row["outcome"] != "" else b
    step = f"from {a} = {row['from']} to {row['to']}" if row["from"] != "" else f"per unit of {a}"
    return (
        f"In the data the two are still associated: {what} changes by {found['estimate'][0]:.3g}{unit} {step} "
        f"({level:.0%} interval: {_span(low, high)}) with the causes of {a} held fixed. "
        "That is an association, not an estimate of the effect."
    )


def _span(low: float, high: float) -> str:
    return f"{low + 0.0:.3g} to {high + 0.0:.3g}"  # no "-0"
