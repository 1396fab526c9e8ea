"""Plain sentences about baselines: where sorting columns, or no graph at all, does as well as a method."""

from collections.abc import Mapping

from dagscale.benchmark.peers import PREFIX
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.sheet import number
from dagscale.benchmark.summary import Cell
from dagscale.benchmark.truth import TRUTH_ROWS


def trivial_wins(units: str, cells: Mapping[str, Cell]) -> list[str]:
    """Say which methods the best trivial baseline matches or beats in mean SHD; nothing where none."""
    means = {method: mean for method, cell in cells.items() if (mean := cell.fair_mean("shd")) is not None}
    baselines = {method: mean for method, mean in means.items() if method in TRIVIAL}
    methods = {m: mean for m, mean in means.items() if m not in TRIVIAL and m not in TRUTH_ROWS}
    if not baselines or not methods:
        return []
    best = min(baselines, key=lambda m: baselines[m])
    beaten = [m for m in methods if baselines[best] <= methods[m]]
    if not beaten:
        return []
    shown = f"`{best}` ({number(baselines[best])})"
    own = [m for m in methods if not m.startswith(PREFIX)]
    if len(beaten) == len(methods):
        winner = min(methods, key=lambda m: methods[m])
        outcome = "ties with" if baselines[best] == methods[winner] else "beats"
        against = f"the best method, `{winner}` ({number(methods[winner])})"
        return [f"**On {units} data a trivial baseline is not beaten**: {shown} {outcome} {against}."]
    listed = ", ".join(f"`{m}` ({number(methods[m])})" for m in beaten)
    remark = "" if set(own) - set(beaten) else " (all of this package's methods)"
    return [f"On {units} data the baseline {shown} does as well as or better than {listed}{remark}."]
