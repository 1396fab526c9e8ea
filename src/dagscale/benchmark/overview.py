"""The results page: what wins where, where `auto` loses, measured data, time. Numbers come from stored runs."""

from collections.abc import Iterable, Sequence
from itertools import product
from statistics import fmean

from dagscale.benchmark.cases import RAW, STANDARDISED, Case
from dagscale.benchmark.published import published
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.sheet import number, pipes
from dagscale.benchmark.store import Store
from dagscale.benchmark.suites import find_suite
from dagscale.benchmark.summary import Cell, summarise
from dagscale.benchmark.truth import TRUTH_ROWS

PAGE = """\
# Results

All numbers on this page come from the stored runs in `{folder}`; `dagscale benchmark document {folder}` writes
it. The structural Hamming distance (SHD) counts missing, extra and reversed edges, each as one error, so
lower is better. Columns are standardised, because on raw simulated data the variance of a column reveals its
place in the causal order. Each line compares all methods on the same graphs. A *sort* orders the columns
by their variance or by how well the others predict them, and prunes; the *empty* graph has no edges. No
setting was tuned on these seeds ([seeds](seeds.md)).

## Gaussian-process mechanisms

The data of the paper: 1000 rows, noise variance 1. ER are Erdős–Rényi graphs, SF scale-free graphs; the number
is the expected number of edges per node.

{paper}

## Other mechanisms and noises

20 nodes, ER1 and ER4, three graphs per case. The cases differ in the distribution of the noise, the number of
rows or the length scale. SHD is the mean over the cases.

{mechanisms}

`auto` is best or tied in {wins} of {cases} cases.

## Where `auto` loses

In {losses} of {compared} cases another method or a baseline has a lower mean SHD. These are the largest differences:

{worst}

On linear Gaussian data the directions are not identifiable from standardised columns, so any method that chooses
directions can only guess. Sines and sums of one-dimensional functions are CAM's own model. Dense random
graphs (ER4) remain hard in absolute terms: see the first table.

## Measured and realistic data

Sachs has 853 cells, 11 proteins and a consensus graph of 17 edges. SynTReN simulates gene expression: 10 tables
of 500 rows and 20 genes. SHD on standardised and raw columns, and the paper's number (raw).

{real}

On both data sets a trivial baseline is as good as the best method. Such a table does not show which method is
better.

## Time

Mean wall seconds of one run on one core, without drawing the data; `*` marks means with runs on a GPU. The runs
were made on several machines, so small differences mean nothing.

{time}

## Every table

Baselines, published numbers, all measures and the machines:

{pages}
"""
PAPER = ("paper-er1", "paper-sf1", "paper-er4", "paper-sf4")
SUITES = (*PAPER, "auto-board", "mechanisms", "linear-failure", "paper-sachs", "paper-syntren")
SORTS = tuple(row for row in TRIVIAL if "sort" in row)
MECHANISMS = {
    "gp": "Gaussian process",
    "gp-additive": "sum of Gaussian processes",
    "sigmoid-additive": "sum of sigmoids",
    "mlp": "neural network",
    "polynomial": "polynomial",
    "sine": "sum of sines",
}
HEADER = ("`auto`", "best other method", "best sort", "empty")
SHOWN = 12  # cases of the table of losses
Results = dict[Case, dict[str, Cell]]


def overview(store: Store, folder: str, pages: Iterable[tuple[str, str]]) -> str:
    """Write the page; `pages` are the titles and addresses of the suites' own pages."""
    results: Results = {}
    for name in SUITES:
        summary = summarise(find_suite(name), store)
        results |= {case: summary.of(case) for case in summary.cases()}
    cases = [case for case in find_suite("mechanisms").cases if _compared(case, results)]
    compared = [case for case in results if _compared(case, results)]
    lost = sorted((case for case in compared if _gap(case, results) > 0), key=lambda c: -_gap(c, results))
    return PAGE.format(
        folder=folder,
        paper=_paper(results),
        mechanisms=_mechanisms(cases, results),
        wins=sum(_gap(case, results) <= 0 for case in cases),
        cases=len(cases),
        losses=len(lost),
        compared=len(compared),
        worst=_worst(lost[:SHOWN], results),
        real=_real(results),
        time=_time(results),
        pages="\n".join(f"- [{title}]({address})" for title, address in pages),
    )


def means_of(cases: Sequence[Case], results: Results) -> dict[str, float]:
    """Average the SHD over cases, for every row that has an answer for all graphs of `auto`."""
    means: dict[str, list[float]] = {}
    for case in cases:
        cells = results[case]
        seeds = cells["auto"].seeds
        for row, cell in cells.items():
            if row not in TRUTH_ROWS and seeds <= cell.seeds:
                means.setdefault(row, []).append(fmean(cell.at(seeds).values("shd")))
    return {row: fmean(values) for row, values in means.items() if len(values) == len(cases)}


def _compared(case: Case, results: Results) -> bool:
    """Say whether a case is on standardised data and `auto` and another row have run on it."""
    return (
        case.units == STANDARDISED and "auto" in results.get(case, {}) and len(means_of([case], results)) > 1
    )


def _gap(case: Case, results: Results) -> float:
    """Return by how much the best other row, baselines included, is better than `auto`; negative if worse."""
    means = means_of([case], results)
    return means["auto"] - min(mean for row, mean in means.items() if row != "auto")


def _line(means: dict[str, float]) -> tuple[str, ...]:
    """Write the cells under `HEADER`, the lowest in bold."""
    others = [row for row in means if row not in TRIVIAL and row != "auto"]
    shown = []
    for rows in (["auto"], others, SORTS, ["empty"]):
        row = min((row for row in rows if row in means), key=lambda row: means[row], default="")
        text = number(means[row]) if row else "–"
        text = f"**{text}**" if row and text == number(min(means.values())) else text
        shown.append(f"{text} (`{row}`)" if row and len(rows) > 1 else text)
    return tuple(shown)


def _paper(results: Results) -> str:
    lines = []
    for name, d in product(PAPER, (20, 100, 1000)):
        for case in find_suite(name).cases:
            if case.nodes == d and _compared(case, results):
                seeds = str(len(results[case]["auto"].seeds))
                lines.append((case.family, str(d), *_line(means_of([case], results)), seeds))
    return pipes(("graphs", "nodes", *HEADER, "graphs compared"), lines)


def _mechanisms(cases: Sequence[Case], results: Results) -> str:
    lines = []
    for mechanism, title in MECHANISMS.items():
        if own := [case for case in cases if dict(case.settings)["mechanism"] == mechanism]:
            wins = sum(_gap(case, results) <= 0 for case in own)
            lines.append((title, *_line(means_of(own, results)), f"{wins} of {len(own)}"))
    return pipes(("mechanism", *HEADER, "`auto` best or tied"), lines)


def _worst(cases: Sequence[Case], results: Results) -> str:
    lines = []
    for case in cases:
        means = means_of([case], results)
        best = min(means, key=lambda row: means[row])
        linear = "linear, " if dict(case.settings).get("mechanism") == "linear" else ""
        label = f"{case.family}, {linear}{case.nodes} nodes"
        lines.append((label, number(means["auto"]), number(means[best]), f"`{best}`"))
    return pipes(("case", "`auto`", "best", "by"), lines)


def _real(results: Results) -> str:
    names = {"paper-sachs": "Sachs", "paper-syntren": "SynTReN"}
    rows = [row for row in find_suite("paper-sachs").methods if row not in TRUTH_ROWS]
    lines = []
    for row in rows:
        line = [f"`{row}`"]
        for name, units in product(names, (STANDARDISED, RAW)):
            case = next(case for case in find_suite(name).cases if case.units == units)
            cell = results.get(case, {}).get(row)
            line.append(number(cell.mean("shd") if cell else None))
            if units == RAW:
                paper = published(case.family, case.nodes, row)
                line.append(number(paper.shd.mean) if paper and paper.shd else "")
        lines.append(line)
    header = [
        f"{name} {what}".strip() for name in names.values() for what in (STANDARDISED, RAW, "published")
    ]
    return pipes(("", *header), lines)


def _time(results: Results) -> str:
    sizes = (10, 50, 100, 200, 1000)
    lines = []
    for (name, family), row in product(
        (("paper-er1", "ER1"), ("paper-er4", "ER4")), ("auto", "das", "score", "cam")
    ):
        cases = {c.nodes: c for c in find_suite(name).cases if c.units == STANDARDISED}
        lines.append((family, f"`{row}`", *(_seconds(results.get(cases[d], {}).get(row)) for d in sizes)))
    return pipes(("graphs", "", *(f"d = {d}" for d in sizes)), lines)


def _seconds(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    return number(cell.mean("wall")) + ("*" if any(run["device"] != "cpu" for run in cell.runs) else "")
