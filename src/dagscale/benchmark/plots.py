"""A suite's measure against the number of nodes, as a picture (needs matplotlib)."""

from pathlib import Path
from typing import Any

from dagscale.benchmark.cases import RAW, UNITS
from dagscale.benchmark.measures import MEASURES
from dagscale.benchmark.published import published
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.summary import Cell, Summary
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
    measure = measure or summary.suite.measure
    if measure not in MEASURES:
        raise InputError(f"unknown measure {measure!r}; choose from {', '.join(MEASURES)}")
    if path.suffix not in SUFFIXES:
        raise InputError(f"cannot write a plot as {path.suffix or path.name!r}; use {', '.join(SUFFIXES)}")
    families = list(dict.fromkeys(cell.case.family for cell in summary.cells))
    if len({cell.case.nodes for cell in summary.cells}) < 2:
        raise InputError(
            f"suite {summary.suite.name!r} has results for fewer than two sizes: nothing to draw"
        )
    figure_class = _figure_class()
    styles = _styles(list(dict.fromkeys(cell.method for cell in summary.cells)))
    units = [unit for unit in UNITS if any(cell.case.units == unit for cell in summary.cells)]
    figure = figure_class(figsize=(5.2 * len(units), 3.6 * len(families) + 0.8), layout="constrained")
    panels = figure.subplots(len(families), len(units), squeeze=False, sharex=True, sharey="row")
    for family, row in zip(families, panels, strict=True):
        for unit, axes in zip(units, row, strict=True):
            cells = [c for c in summary.cells if (c.case.family, c.case.units) == (family, unit) and c.runs]
            _panel(axes, f"{family}, {unit}", cells, measure, styles)
    sizes = sorted({cell.case.nodes for cell in summary.cells})
    panels[0, 0].set_xticks(sizes, [str(d) for d in sizes])  # of all panels: they share the axis
    handles = {label: line for axes in panels.flat for line, label in zip(*_legend(axes), strict=True)}
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=5, fontsize=8, frameon=False
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


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("plots need matplotlib: pip install 'dagscale[plot]'") from None
    return Figure


def _legend(axes: Any) -> Any:
    return axes.get_legend_handles_labels()


def _panel(axes: Any, title: str, cells: list[Cell], measure: str, styles: dict[str, Any]) -> None:
    floor = _floor(cells, measure)
    for method in dict.fromkeys(cell.method for cell in cells):
        style = styles[method]
        own = sorted((c for c in cells if c.method == method), key=lambda c: c.case.nodes)
        points = [(c.case.nodes, m, c.sd(measure) or 0) for c in own if (m := c.mean(measure)) is not None]
        if points:
            d, mean, sd = zip(*points, strict=True)
            heights = [max(m, floor) for m in mean]
            # a bar that would reach below the axis ends at its floor
            below = [min(s, h - floor) for s, h in zip(sd, heights, strict=True)]
            axes.errorbar(d, heights, yerr=(below, sd), label=method, **style)
        _published_line(axes, method, own, measure, style)
    axes.set(title=title, xscale="log", yscale="log", xlabel="nodes", ylabel=MEASURES[measure][0])
    axes.minorticks_off()
    axes.grid(alpha=0.25)


def _published_line(axes: Any, method: str, own: list[Cell], measure: str, style: dict[str, Any]) -> None:
    attribute = {"wall": "seconds"}.get(measure, measure)
    rows = [
        (c.case.nodes, published(c.case.family, c.case.nodes, method)) for c in own if c.case.units == RAW
    ]
    values = [(d, value.mean) for d, row in rows if row and (value := getattr(row, attribute, None))]
    if values:
        d, mean = zip(*values, strict=True)
        dashed = {**style, "linestyle": "--", "marker": "", "linewidth": 1.0}
        axes.plot(
            d, mean, label=f"{method}, published", **{k: v for k, v in dashed.items() if k != "capsize"}
        )


def _floor(cells: list[Cell], measure: str) -> float:
    positive = [m for c in cells if (m := c.mean(measure)) is not None and m > 0]
    return min(positive, default=1.0) / 2


def _styles(methods: list[str]) -> dict[str, dict[str, Any]]:
    """Give every method one look in all panels: colours, baselines grey, rows that know the truth dotted."""
    common = {"markersize": 4, "linewidth": 1.3, "capsize": 2, "linestyle": "-"}
    coloured = [m for m in methods if m not in TRIVIAL and m not in TRUTH_ROWS]
    styles: dict[str, dict[str, Any]] = {
        method: {**common, "color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
        for k, method in enumerate(coloured)
    }
    for method in methods:
        if method in TRIVIAL:
            marker = MARKERS[TRIVIAL.index(method)]
            styles[method] = {**common, "color": "0.6", "marker": marker, "linewidth": 0.8}
        elif method in TRUTH_ROWS:
            styles[method] = {**common, "color": "black", "marker": "", "linestyle": ":"}
    return styles
