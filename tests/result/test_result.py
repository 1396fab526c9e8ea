"""What a user holds after `discover`: frozen, readable, with its reasons."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscale
from dagscale.inputs.knowledge import Knowledge
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.result.kept import SAMPLE_CELLS, SAMPLE_ROWS, _kept_rows
from dagscale.runtime.errors import InputError
from dagscale.stages.answer import Answer, Stage, StageKind

NAMES = ("rain", "wet", "slip", "noise")


def table(names=NAMES, rows=200, seed=1000):
    """rain -> wet -> slip; noise on its own."""
    X = np.random.default_rng(seed).normal(size=(rows, 4))
    X[:, 1] += 2 * X[:, 0]
    X[:, 2] -= X[:, 1]
    return Table(X=X, names=names, notes=("column 'id' left out",))


def found():
    """Order rain, wet, slip, noise; pruning kept rain -> wet -> slip and weighed rain -> slip."""
    order = np.arange(4)
    before = np.triu(np.ones((4, 4), dtype=bool), 1)
    adjacency = np.zeros((4, 4), dtype=bool)
    adjacency[0, 1] = adjacency[1, 2] = True
    candidates = before.copy()
    candidates[:, 3] = False
    p = np.full((4, 4), np.nan)
    p[0, 1], p[1, 2], p[0, 2] = 1e-9, 1e-5, 0.4
    trail = (
        Stage(StageKind.KNOWLEDGE, ~np.eye(4, dtype=bool)),
        Stage(StageKind.ORDER, before),
        Stage(StageKind.NEIGHBOURS, candidates),
        Stage(StageKind.PRUNING, adjacency, p, "p-value", 0.001),
    )
    return Answer(order, adjacency, {"p_value": p}, trail, ("auto chose CAM",))


@pytest.fixture
def result():
    return Result.from_answer(found(), table(), "cam", {"alpha": 0.001}, {"cam": 0.5}, None)


def test_the_fields_a_user_relies_on(result):
    assert result.names == list(NAMES)
    assert result.order == list(NAMES)
    assert result.positions == {"rain": 0, "wet": 1, "slip": 2, "noise": 3}
    assert list(result.edges.columns) == ["source", "target", "strength", "sign", "p_value"]
    rows = {(e.source, e.target): (e.sign, e.p_value) for e in result.edges.itertuples()}
    assert rows == {("rain", "wet"): (1, 1e-9), ("wet", "slip"): (-1, 1e-5)}
    assert result.edges["strength"].between(0.5, 0.95).all()
    assert result.notes == ("column 'id' left out", "auto chose CAM")
    assert set(result.graph.edges) == {("rain", "wet"), ("wet", "slip")}
    assert list(result.graph.nodes) == list(NAMES)
    assert result.graph["rain"]["wet"]["sign"] == 1
    assert result.versions["numpy"] == np.__version__
    assert result.n_samples == 200


def test_it_is_frozen_and_its_table_is_a_copy(result):
    with pytest.raises(FrozenInstanceError):
        result.method = "das"
    with pytest.raises(ValueError, match="read-only"):
        result.adjacency[0, 0] = True
    edges = result.edges
    edges["strength"] = 0.0
    assert (result.edges["strength"] > 0).all()


def test_the_method_may_change_its_arrays_afterwards():
    answer = found()
    result = Result.from_answer(answer, table(), "cam", {}, {}, None)
    answer.adjacency[:] = False
    assert result.adjacency.sum() == 2


def test_why_a_kept_edge(result):
    why = result.why("rain", "wet")
    assert why.kept
    assert (why.stage, why.statistic, why.label, why.threshold) == (
        "additive pruning",
        1e-9,
        "p-value",
        0.001,
    )
    assert "rain -> wet is in the graph" in str(why)
    assert "threshold 0.001" in str(why)
    assert why.runner_up is None  # nobody else was weighed as a cause of wet


def test_why_a_pruned_edge_names_stage_statistic_threshold_and_rival(result):
    why = result.why("rain", "slip")
    assert not why.kept
    assert (why.stage, why.statistic, why.threshold) == ("additive pruning", 0.4, 0.001)
    assert why.runner_up == "wet"
    assert "removed it (p-value 0.4, threshold 0.001)" in str(why)


def test_why_a_kept_edge_names_the_closest_loser(result):
    assert result.why("wet", "slip").runner_up == "rain"


def test_why_an_open_link_is_the_same_both_ways_round(result):
    open_ = result.adjacency & (np.arange(4) == 1)  # rain -- wet
    told = replace(result, either_way=open_ | open_.T)
    for source, target in (("rain", "wet"), ("wet", "rain")):
        why = told.why(source, target)
        assert str(why).startswith(f"{source} -- {target} is in the graph as a link with an open direction")
        assert why.open
        assert why.kept == (source == "rain")
        assert "cycle" not in str(why)
    assert not told.why("wet", "slip").open


def test_why_against_the_order(result):
    why = result.why("slip", "rain")
    assert why.stage == "order"
    assert "the order contradicts it: 'rain' has place 1, 'slip' place 3 of 4" in str(why)
    assert "the edge 'rain' -> 'wet' is there instead" in str(result.why("wet", "rain"))


def test_why_a_pair_that_was_never_weighed(result):
    why = result.why("rain", "noise")
    assert (why.kept, why.stage, why.statistic, why.threshold) == (False, "neighbour search", None, None)
    assert [step.stage for step in why.steps] == ["knowledge", "order", "neighbour search"]
    assert "'noise' has no parent" in str(why)


def test_why_speaks_of_knowledge():
    knowledge = Knowledge(
        required=[("rain", "wet")], forbidden=[("rain", "slip")], tiers=[["slip"], ["noise"]]
    )
    answer = found()
    allowed = knowledge.resolve(NAMES).allowed
    trail = (Stage(StageKind.KNOWLEDGE, allowed), *answer.trail[1:])
    answer = Answer(answer.order, answer.adjacency, answer.evidence, trail)
    result = Result.from_answer(answer, table(), "cam", {}, {}, knowledge)
    assert "your knowledge requires it" in str(result.why("rain", "wet"))
    assert "your knowledge forbids it" in str(result.why("rain", "slip"))
    assert "your knowledge excludes it" in str(result.why("noise", "slip"))


def test_why_where_a_search_put_an_edge_back():
    full, none = np.triu(np.ones((2, 2), dtype=bool), 1), np.zeros((2, 2), dtype=bool)
    gains = np.array([[np.nan, 5.0], [np.nan, np.nan]])
    two = Table(X=np.random.default_rng(0).normal(size=(50, 2)), names=("a", "b"), notes=())

    def ask(adjacency, *stages):
        answer = Answer(np.arange(2), adjacency, {}, stages)
        return Result.from_answer(answer, two, "auto", {}, {}, None).why("a", "b")

    back = ask(
        full, Stage(StageKind.SCREENING, none), Stage(StageKind.INTERACTIONS, full, gains, "gain", 2.0)
    )
    assert (back.kept, back.stage) == (True, "interactions")
    gone = ask(
        none,
        Stage(StageKind.SCREENING, none),
        Stage(StageKind.INTERACTIONS, full),
        Stage(StageKind.PRUNING, none, gains, "gain", 9.0),
    )
    assert (gone.kept, gone.stage, gone.statistic) == (False, "additive pruning", 5.0)
    assert ask(none).reason == "the method left it out"


@pytest.mark.parametrize(
    ("pair", "text"),
    [
        (("rian", "wet"), r"no column 'rian'; did you mean 'rain'\?"),
        (("rain", "zzzzzz"), "no column 'zzzzzz'; the columns are"),
        (("rain", "rain"), "two different columns"),
        (([], "rain"), "no column"),
    ],
)
def test_why_refuses_what_is_no_pair(result, pair, text):
    with pytest.raises(InputError, match=text) as error:
        result.why(*pair)
    assert "\n" not in str(error.value)


def test_names_are_found_by_their_text_when_that_is_unambiguous():
    mixed = Result.from_answer(found(), table(names=(0, "0", 1.5, (2, "x"))), "cam", {}, {}, None)
    assert mixed.why(0, "0").kept
    assert not mixed.why("0", 0).kept
    assert mixed.why("0", "1.5").kept
    assert not mixed.why("(2, 'x')", "1.5").kept


@settings(deadline=None, max_examples=20, derandomize=True)
@given(st.data())
def test_why_answers_every_pair_in_accord_with_the_graph(data):
    seed = data.draw(st.integers(1000, 2000))
    rng = np.random.default_rng(seed)
    d = 5
    order = rng.permutation(d)
    adjacency = np.zeros((d, d), dtype=bool)
    adjacency[np.ix_(order, order)] = np.triu(rng.random((d, d)) < 0.5, 1)
    stages = tuple(
        Stage(kind, rng.random((d, d)) < 0.7, rng.normal(size=(d, d)), "gain")
        for kind in (StageKind.NEIGHBOURS, StageKind.GREEDY, StageKind.PRUNING)
    )
    some = Table(X=rng.normal(size=(30, d)), names=tuple("abcde"), notes=())
    result = Result.from_answer(Answer(order, adjacency, {}, stages), some, "auto", {}, {}, None)
    for i, a in enumerate("abcde"):
        for j, b in enumerate("abcde"):
            if a != b:
                why = result.why(a, b)
                assert why.kept == adjacency[i, j]
                decided = result.explainer.deciding[i, j]  # where no stage removed it, `why` names the last
                assert why.stage == stages[min(decided, 2)].kind
                assert (decided == 3) == (why.reason.startswith("the method left it out"))
                assert str(why).startswith(f"{a} -> {b} is")
                if why.runner_up is not None:
                    rival = "abcde".index(why.runner_up)
                    assert adjacency[rival, j] != why.kept


def test_text_and_markup_show_hostile_names_as_text():
    hostile = "<script>alert(1)</script>"
    result = Result.from_answer(
        found(), table(names=(hostile, "a\nb", "x" * 500, "&amp;")), "cam", {}, {}, None
    )
    assert len(repr(result).splitlines()) == 6  # what it is, how sure, order, strongest, two notes
    markup = result._repr_html_() + result.why(hostile, "a\nb")._repr_html_()
    assert "<script>" not in markup
    assert "&lt;script&gt;" in markup
    assert "&amp;amp;" in markup
    assert all(len(line) < 400 for line in repr(result).splitlines())


def test_repr_is_short_for_a_large_graph():
    d = 500
    order = np.arange(d)
    adjacency = np.triu(np.random.default_rng(0).random((d, d)) < 0.004, 1)
    wide = Table(X=np.random.default_rng(0).normal(size=(20, d)), names=tuple(range(d)), notes=())
    result = Result.from_answer(Answer(order, adjacency), wide, "das", {}, {}, None)
    assert len(repr(result)) < 600
    assert repr(result).startswith(f"Result of das: 500 columns, {adjacency.sum()} edges, 20 rows")
    assert len(result._repr_html_()) < 5000


def test_the_sample_is_bounded_and_repeatable():
    rows = _kept_rows(10_000, 3)
    assert len(rows) == SAMPLE_ROWS
    assert (rows == _kept_rows(10_000, 3)).all()
    assert _kept_rows(7, 3).tolist() == list(range(7))
    assert len(_kept_rows(5000, 8000)) * 8000 <= SAMPLE_CELLS


def test_plot_draws_every_edge_and_node(result):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = result.plot()
    assert [type(patch).__name__ for patch in ax.patches].count("PathPatch") == 2  # a line each
    assert [text.get_text() for text in ax.texts] == list(NAMES)
    own = pyplot.subplots()[1]
    assert result.plot(own) is own
    ax.figure.canvas.draw()
    pyplot.close("all")


@pytest.mark.parametrize("change", [lambda x: x * 1e50, lambda x: x * 1e-50, lambda x: x + 1e9])
def test_the_sample_keeps_values_that_float32_cannot(change):
    table = np.random.default_rng(0).normal(size=(60, 3))
    table[:, 1] = change(table[:, 1])
    result = dagscale.discover(table, method="varsort", n_jobs=1)
    np.testing.assert_array_equal(result.sample, table)
    assert result.with_confidence(replicates=2, n_jobs=1).sample is not None
    assert dagscale.discover(table[:, ::2], method="empty").sample.dtype == np.float32
