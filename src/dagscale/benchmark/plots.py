"""A suite's measure against the number of nodes, as a picture (needs matplotlib)."""

from pathlib import Path
from typing import Any

from dagscale.benchmark.cases import RAW, UNITS
from dagscale.benchmark.published import published
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.sheet import MEASURES
from dagscale.benchmark.summary import Cell, Summary
from dagscale.benchmark.table import check_measure
from dagscale.benchmark.truth import TRUTH_ROWS
from dagscale.runtime.errors import InputError, MissingDependencyError

# Okabe and Ito's palette, told apart by colour-blind readers; baselines are grey, told apart by their marker.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "v", "D", "P", "X", "<", ">")
SUFFIXES = (".svg", ".png", ".pdf")


def plot(summary: Summary, path: Path, measure: str | None = None) -> Path:
    """Draw the mean and standard deviation of a measure against d, one panel per family and units.

    Dashed lines without bars are the published values. The axes are logarithmic; a mean of 0 is drawn
    at the bottom.
    """
    measure = check_measure(measure or summary.suite.measure)
    if path.suffix not in SUFFIXES:
        raise InputError(f"cannot write a plot as {path.suffix or path.name!r}; use {', '.join(SUFFIXES)}")
    sizes = sorted({cell.case.nodes for cell in summary.cells})
    if len(sizes) < 2:
        raise InputError(
            f"suite {summary.suite.name!r} has results for fewer than two sizes: nothing to draw"
        )
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("plots need matplotlib: pip install 'dagscale[plot]'") from None
    families = list(dict.fromkeys(cell.case.family for cell in summary.cells))
    styles = _styles(list(dict.fromkeys(cell.method for cell in summary.cells)))
    units = [unit for unit in UNITS if any(cell.case.units == unit for cell in summary.cells)]
    figure = Figure(figsize=(5.2 * len(units), 3.6 * len(families) + 0.8), layout="constrained")
    panels = figure.subplots(len(families), len(units), squeeze=False, sharex=True, sharey="row")
    for family, row in zip(families, panels, strict=True):
        for unit, axes in zip(units, row, strict=True):
            cells = [c for c in summary.cells if (c.case.family, c.case.units) == (family, unit) and c.runs]
            _panel(axes, f"{family}, {unit}", cells, measure, styles)
    panels[0, 0].set_xticks(sizes, [str(d) for d in sizes])  # of all panels: they share the axis
    legends = [zip(*axes.get_legend_handles_labels(), strict=True) for axes in panels.flat]
    lines = {label: line for legend in legends for line, label in legend}
    figure.legend(
        lines.values(), lines.keys(), loc="outside lower center", ncols=5, fontsize=8, frameon=False
    )
    _save(figure, path)
    return path


def _save(figure: Any, path: Path) -> None:
    """Write the picture; no date and fixed identifiers: the same results give the same file."""
    from matplotlib import rc_context

    metadata = {"Date": None} if path.suffix == ".svg" else None
    # letters as text, not as outlines: smaller, and a reader can search them
    with rc_context({"svg.hashsalt": "dagscale", "svg.fonttype": "none"}):
        figure.savefig(path, metadata=metadata, dpi=130)


def _panel(axes: Any, title: str, cells: list[Cell], measure: str, styles: dict[str, Any]) -> None:
    floor = min((m for c in cells if (m := c.mean(measure))), default=1.0) / 2
    for method in dict.fromkeys(cell.method for cell in cells):
        own = sorted((c for c in cells if c.method == method), key=lambda c: c.case.nodes)
        points = [(c.case.nodes, m, c.sd(measure) or 0) for c in own if (m := c.mean(measure)) is not None]
        if points:
            d, mean, sd = zip(*points, strict=True)
            heights = [max(m, floor) for m in mean]
            # a bar that would reach below the axis ends at its floor
            below = [min(s, h - floor) for s, h in zip(sd, heights, strict=True)]
            axes.errorbar(d, heights, yerr=(below, sd), label=method, capsize=2, **styles[method])
        if values := _published(own, measure):
            dashed = styles[method] | {"linestyle": "--", "marker": "", "linewidth": 1.0}
            axes.plot(*zip(*values, strict=True), label=f"{method}, published", **dashed)
    axes.set(title=title, xscale="log", yscale="log", xlabel="nodes", ylabel=MEASURES[measure][0])
    axes.minorticks_off()
    axes.grid(alpha=0.25)


def _published(own: list[Cell], measure: str) -> list[tuple[int, float]]:
    rows = [
        (c.case.nodes, published(c.case.family, c.case.nodes, c.method)) for c in own if c.case.units == RAW
    ]
    return [(d, row[measure].mean) for d, row in rows if measure in row]


def _styles(methods: list[str]) -> dict[str, dict[str, Any]]:
    """Give every method one look in all panels: colours, baselines grey, rows that know the truth dotted."""
    styles: dict[str, dict[str, Any]] = {}
    for method in methods:
        look: dict[str, Any] = {"markersize": 4, "linewidth": 1.3, "linestyle": "-"}
        k = len([m for m in styles if m not in TRIVIAL and m not in TRUTH_ROWS])
        if method in TRIVIAL:
            look |= {"color": "0.6", "marker": MARKERS[TRIVIAL.index(method)], "linewidth": 0.8}
        elif method in TRUTH_ROWS:
            look |= {"color": "black", "marker": "", "linestyle": ":"}
        else:
            look |= {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
        styles[method] = look
    return styles
