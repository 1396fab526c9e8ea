"""Plots and the results page, from results made here."""

from dataclasses import replace
from pathlib import Path

import pytest

from dagscale.benchmark import plots
from dagscale.benchmark.document import pages, write_pages
from dagscale.benchmark.execute import Conditions
from dagscale.benchmark.overview import means_of
from dagscale.benchmark.plots import plot
from dagscale.benchmark.runner import run_suite
from dagscale.benchmark.store import read_folder
from dagscale.benchmark.suites import find_suite
from dagscale.benchmark.summary import Cell, summarise
from dagscale.runtime.errors import InputError


@pytest.fixture(scope="module")
def results(tmp_path_factory, peers):
    folder = tmp_path_factory.mktemp("board") / "docs" / "results"
    suite = find_suite("paper-er1")
    rows = ["empty", "peer:boardpeers.nothing"]
    trials = suite.trials([10], [0, 1], rows) + suite.trials([20], [0], rows)
    run_suite(suite, trials, folder, Conditions(n_jobs=1))
    return folder


def test_plot_is_the_same_every_time(results, tmp_path):
    pytest.importorskip("matplotlib")
    summary = summarise(find_suite("paper-er1"), read_folder(results))
    first = plot(summary, tmp_path / "a.svg").read_bytes()
    assert first == plot(summary, tmp_path / "b.svg").read_bytes()
    assert b"<svg" in first
    assert plot(summary, tmp_path / "a.png", "wall").read_bytes().startswith(b"\x89PNG")


def test_plots_that_cannot_be_drawn(results, tmp_path):
    pytest.importorskip("matplotlib")
    store = read_folder(results)
    suite = find_suite("paper-er1")
    with pytest.raises(InputError, match=r"use \.svg"):
        plot(summarise(suite, store), tmp_path / "a.gif")
    with pytest.raises(InputError, match="unknown measure"):
        plot(summarise(suite, store), tmp_path / "a.svg", "beauty")
    with pytest.raises(InputError, match="fewer than two sizes"):
        plot(summarise(suite, store, nodes=[10]), tmp_path / "a.svg")


def test_the_pages(results):
    pytest.importorskip("matplotlib")
    written = write_pages(results)
    assert results.parent / "results.md" in written
    text = (results / "paper-er1.md").read_text()
    assert text.startswith("# ER1 graphs, Gaussian-process mechanisms (Table 2)")
    assert f"dagscale benchmark run paper-er1 --out {results}" in text
    assert "Machines: " in text
    assert "](paper-er1.svg)" in text
    assert (results / "paper-er1.svg").exists()
    assert "the baseline `empty` (10.0) is as good as or better than every method" in text
    assert "## ER1, d = 20" in text
    assert not (results / "paper-sachs.md").exists()  # it has no results
    assert "](results/paper-er1.md)" in (results.parent / "results.md").read_text()
    assert pages(read_folder(results), results) == {p: p.read_text() for p in written if p.suffix == ".md"}


def test_a_row_of_another_suite_stands_on_its_own_page_alone(tmp_path):
    suite = find_suite("paper-er1")
    trials = suite.trials([10], [0], ["empty", "true-parents"], ["standardised"])
    run_suite(suite, trials, tmp_path, Conditions(n_jobs=1))
    shown = {path.stem: text for path, text in pages(read_folder(tmp_path), tmp_path).items()}
    assert "`empty`" in shown["paper-er1"]
    assert "`true-parents`" not in shown["paper-er1"]
    assert "`true-parents`" in shown["grandag"]


def test_no_results_no_page(tmp_path):
    with pytest.raises(InputError, match="no results in"):
        write_pages(tmp_path)
    assert list(tmp_path.iterdir()) == []


def cell(case, method, shds):
    return Cell(case, method, tuple({"seed": s, "metrics": {"shd": x}} for s, x in shds.items()))


def test_methods_are_compared_on_the_graphs_of_auto():
    case, other = find_suite("paper-er1").cases[:2]
    results = {
        case: {
            "auto": cell(case, "auto", {0: 2, 1: 4}),
            "cam": cell(case, "cam", {0: 1, 1: 5, 2: 90}),
            "das": cell(case, "das", {0: 0}),  # not on all of them
            "true-order": cell(case, "true-order", {0: 0, 1: 0}),
        }
    }
    assert means_of([case], results) == {"auto": 3, "cam": 3}
    results[other] = {"auto": cell(other, "auto", {0: 9})}
    assert means_of([case, other], results) == {"auto": 6}


def test_the_pages_of_the_documentation_are_what_the_command_writes(monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[2])
    folder = Path("docs/results")
    texts = pages(read_folder(folder), folder)
    different = [str(p) for p, text in texts.items() if p.read_text(encoding="utf-8") != text]
    assert not different, "run `dagscale benchmark document docs/results`"
    assert {p.name for p in folder.glob("*.md")} == {p.name for p in texts if p.parent == folder}
    assert len(texts[Path("docs/results.md")]) < 10_000  # two screens


def test_a_method_looks_the_same_in_every_panel(results, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    summary = summarise(find_suite("paper-er1"), read_folder(results))
    names = {"empty": "das", "peer:boardpeers.nothing": "auto"}
    cells = [replace(cell, method=names[cell.method]) for cell in summary.cells]
    # das, drawn first, is missing from one panel
    cells = [cell for cell in cells if (cell.method, cell.case.units) != ("das", "raw")]
    drawn, panel = [], plots._panel

    def noted(axes, *arguments):
        panel(axes, *arguments)
        lines, labels = axes.get_legend_handles_labels()
        drawn.extend((label, line[0].get_color()) for line, label in zip(lines, labels, strict=True)
                     if label in names.values())  # fmt: skip

    monkeypatch.setattr(plots, "_panel", noted)
    plot(replace(summary, cells=cells), tmp_path / "a.svg")
    assert sorted(label for label, _ in drawn) == ["auto", "auto", "das"]
    assert len(set(drawn)) == 2
