"""Plots and the results page, from results made here."""

from dataclasses import replace

import pytest

from dagscale.benchmark import plots
from dagscale.benchmark.document import commands, write_document
from dagscale.benchmark.plots import plot
from dagscale.benchmark.runner import Conditions, run_suite
from dagscale.benchmark.store import read_folder
from dagscale.benchmark.suites import find_suite
from dagscale.benchmark.summary import summarise
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


def test_commands_are_those_that_make_the_runs(results):
    summary = summarise(find_suite("paper-er1"), read_folder(results))
    rows = "empty,peer:boardpeers.nothing"
    assert commands(summary, results) == [
        f"dagscale benchmark run paper-er1 --nodes 10 --seeds 2 --methods {rows} --out {results}",
        f"dagscale benchmark run paper-er1 --nodes 20 --seeds 1 --methods {rows} --out {results}",
    ]


def test_the_page(results):
    pytest.importorskip("matplotlib")
    page = write_document(results, results.parent / "results.md")
    text = page.read_text()
    assert "## ER1 graphs, Gaussian-process mechanisms (Table 2)" in text
    assert "dagscale benchmark run paper-er1 --nodes 10 --seeds 2" in text
    assert "Machine: " in text
    assert "](results/paper-er1.svg)" in text
    assert (results / "paper-er1.svg").exists()
    assert "**On standardised data a trivial baseline is not beaten**" in text
    assert "paper-sachs" not in text  # it has no results
    assert "### ER1, d = 20" in text
    assert write_document(results, page).read_text() == text


def test_a_row_of_another_suite_stands_in_its_own_section_alone(tmp_path):
    suite = find_suite("paper-er1")
    trials = suite.trials([10], [0], ["empty", "true-parents"], ["standardised"])
    run_suite(suite, trials, tmp_path, Conditions(n_jobs=1))
    sections = write_document(tmp_path, tmp_path / "page.md").read_text().split("\n## ")
    shown = {text.splitlines()[0]: ("`empty`" in text, "`true-parents`" in text) for text in sections[1:]}
    assert shown["ER1 graphs, Gaussian-process mechanisms (Table 2)"] == (True, False)
    assert shown["GraN-DAG against its published numbers"] == (True, True)


def test_no_results_no_page(tmp_path):
    with pytest.raises(InputError, match="no results in"):
        write_document(tmp_path, tmp_path / "page.md")
    assert not (tmp_path / "page.md").exists()


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
