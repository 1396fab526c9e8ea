"""What a missing edge would add: the textbook F test, shortest cycles, and words for both."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.graphs.dag import shortest_path
from dagscale.inputs.standardize import standardized
from dagscale.inputs.table import Table
from dagscale.models.levels import LevelFit
from dagscale.models.splines import SplineTable
from dagscale.result import Result
from dagscale.result.missing_edge import additions, what_they_add
from dagscale.stages.answer import Answer, Stage, StageKind


def made(rows=300):
    """a -> b -> c, and d, a cause of c that the graph lacks; e is constant."""
    rng = np.random.default_rng(1000)
    X = rng.normal(size=(rows, 5))
    X[:, 1] += np.sin(2 * X[:, 0])
    X[:, 2] += X[:, 1] ** 2 + X[:, 3]
    X[:, 4] = 7
    adjacency = np.zeros((5, 5), dtype=bool)
    adjacency[[0, 1], [1, 2]] = True
    return X, adjacency


def as_result(X, adjacency):
    trail = (Stage(StageKind.SCREENING, adjacency), Stage(StageKind.EVIDENCE, adjacency))
    table = Table(X=X, names=tuple("abcde"), notes=())
    return Result.from_answer(Answer(np.arange(5), adjacency, {}, trail), table, "auto", {}, {}, None)


def test_it_is_the_textbook_f_test_of_one_more_spline():
    X, adjacency = made()
    table = SplineTable.of(X, n_jobs=1)
    p_values, shares = what_they_add(table, adjacency, np.array([0, 3, 4]), 2)
    y = X[:, 2] - X[:, 2].mean()

    def rss(*columns):
        design = np.column_stack([np.ones(len(y)), *(table.term(i, 10)[0] for i in columns)])
        return float(np.sum((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2)), design.shape[1]

    (small, few), (large, many) = rss(1), rss(1, 3)
    statistic = (small - large) / (many - few) / (large / (300 - many))
    expected = scipy.stats.f.sf(statistic, many - few, 300 - many)
    assert p_values[1] == pytest.approx(expected, rel=1e-6)
    assert shares[1] == pytest.approx(1 / np.var(y), abs=0.06)  # what d adds to c
    assert p_values[0] > 1e-3
    assert (p_values[2], shares[2]) == (1.0, 0.0)  # a constant adds nothing


def test_of_a_child_of_levels_it_is_the_likelihood_ratio_of_the_whole_fit():
    X, adjacency = made()
    X[:, 2] = X[:, 2] > np.median(X[:, 2])
    kinds = ("continuous", "continuous", "binary", "continuous", "continuous")
    table = SplineTable.of(standardized(X, kinds), n_jobs=1, kinds=kinds)
    p_values, shares = what_they_add(table, adjacency, np.array([0, 3, 4]), 2)
    for k, i in enumerate((0, 3)):
        fit = LevelFit.of(table, 2, [1, i])
        assert p_values[k] == pytest.approx(fit.p_values[-1], rel=1e-6)
        assert shares[k] == pytest.approx(fit.strengths[-1], abs=1e-9)
    assert (p_values[2], shares[2]) == (1.0, 0.0)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(1000, 2000), st.sampled_from([0.1, 0.3, 0.6]))
def test_paths_are_as_short_as_networkx_finds_them(seed, density):
    adjacency = np.triu(np.random.default_rng(seed).random((8, 8)) < density, 1)
    graph = nx.from_numpy_array(adjacency.astype(int), create_using=nx.DiGraph)
    for i in range(8):
        for j in range(8):
            found = shortest_path(adjacency, i, j)
            if not nx.has_path(graph, i, j):
                assert found == []
            else:
                assert len(found) == nx.shortest_path_length(graph, i, j) + 1
                assert nx.is_path(graph, found) or found == [i]


def test_why_tells_what_pairs_never_weighed_would_add():
    result = as_result(*made())
    assert "would explain almost nothing (F test, p-value" in result.why("a", "c").addition
    assert "added to this graph it would explain 1" in result.why("d", "c").addition
    assert "% of 'c' (F test, p-value" in str(result.why("d", "c"))
    assert result.why("c", "a").addition == "it would close a cycle: 'c' -> 'a' -> 'b' -> 'c'"
    assert result.why("a", "b").addition == ""  # it is there
    assert "close a cycle" in result.why("c", "a")._repr_html_()


def test_without_rows_only_cycles_can_be_told():
    bare = replace(as_result(*made()), sample=None)
    assert bare.why("d", "c").addition == ""
    assert "close a cycle" in bare.why("c", "a").addition
    few = as_result(*made(rows=20))
    assert few.why("d", "c").addition == ""


def test_many_at_once_say_the_same_as_one_by_one():
    X, adjacency = made()
    result = as_result(X, adjacency)
    table = SplineTable.of((X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1), n_jobs=1)
    names = [repr(name) for name in "abcde"]
    together = additions(table, adjacency, names, [0, 3, 4], 2)
    assert together == [result.why(name, "c").addition for name in "ade"]
