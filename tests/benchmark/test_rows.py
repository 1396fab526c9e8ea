import numpy as np
import pandas as pd
import pytest

from dagscale.benchmark.cases import Problem
from dagscale.benchmark.peers import peer_version
from dagscale.benchmark.rows import Row, answer, parse_row, results_version, split_rows
from dagscale.runtime.errors import InputError


def test_one_spelling_for_a_row():
    assert parse_row("das").name == "das"
    assert parse_row(" das:cutoff=0.050 , K=10").name == "das:K=10,cutoff=0.05"
    assert parse_row("score:pns=True").settings == (("pns", True),)
    assert parse_row("auto:effort=quick").settings == (("effort", "quick"),)
    assert parse_row("true-order") == Row("true-order")


def test_the_results_version_belongs_to_the_method(monkeypatch):
    from dagscale.benchmark.rows import RESULTS_VERSIONS

    monkeypatch.setitem(RESULTS_VERSIONS, "das", 4)
    assert results_version("das") == results_version("das:K=3,cutoff=0.05") == 4
    assert results_version("score") == results_version("peer:das") == 1


def test_rows_with_several_settings_in_a_list():
    assert split_rows("das, score:K=5,eta=0.1 ,cam") == ["das", "score:K=5,eta=0.1", "cam"]
    assert split_rows("das:K=3,peer:a.b") == ["das:K=3", "peer:a.b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dass", "did you mean 'das'"),
        ("das:cutof=1", "did you mean 'cutoff'"),
        ("das:cutoff", "method:name=value"),
        ("true-order:K=2", "takes no settings"),
        ("peer:nobody", "unknown peer 'nobody'"),
        ("peer:no.such.module", "cannot be imported"),
    ],
)
def test_rows_nobody_knows(text, message):
    with pytest.raises(InputError, match=message):
        parse_row(text)


def problem():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200)
    table = pd.DataFrame({"b": np.sin(2 * x) + 0.1 * rng.standard_normal(200), "a": x})
    return Problem(table, np.array([[False, False], [True, False]]))


def test_a_method_answers_in_the_tables_columns():
    found = answer(parse_row("varsort-desc"), problem(), 0, 1)
    assert found.order.tolist() == [1, 0]  # a varies most
    assert found.adjacency.tolist() == [[False, False], [True, False]]


def test_true_order_is_the_pruner_with_the_truth():
    data = problem()
    found = answer(parse_row("true-order"), data, 0, 1)
    assert (found.adjacency == data.truth).all()
    other = Problem(data.table, data.truth.T)
    assert (answer(parse_row("true-order"), other, 0, 1).adjacency == data.truth.T).all()


def test_the_true_parents_with_the_additive_test_miss_an_interaction_alone():
    rng = np.random.default_rng(0)
    a, b, noise = rng.standard_normal((3, 400))
    table = pd.DataFrame(
        {"sum": np.sin(a) + b**2 + 0.3 * noise, "product": a * b + 0.3 * noise, "a": a, "b": b}
    )
    truth = np.zeros((4, 4), dtype=bool)
    truth[2:, :2] = True
    found = answer(parse_row("true-parents"), Problem(table, truth), 0, 1).adjacency
    assert found[2:, 0].all()
    assert found.sum() == 2


def test_the_oracle_keeps_what_the_data_show_and_invents_nothing():
    data = problem()
    assert (answer(parse_row("oracle"), data, 0, 1).adjacency == data.truth).all()
    noise = pd.DataFrame(np.random.default_rng(1).standard_normal((200, 6)))
    one_edge = np.zeros((6, 6), dtype=bool)
    one_edge[0, 1] = True
    assert not answer(parse_row("oracle"), Problem(noise, one_edge), 0, 1).adjacency.any()


def test_the_true_order_by_evidence_sees_interactions_and_keeps_to_the_order():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 400))
    table = pd.DataFrame({"product": a * b + 0.3 * rng.standard_normal(400), "a": a, "b": b, "c": c})
    truth = np.zeros((4, 4), dtype=bool)
    truth[[1, 2], 0] = True
    assert (answer(parse_row("true-order-evidence"), Problem(table, truth), 0, 1).adjacency == truth).all()
    turned = answer(parse_row("true-order-evidence"), Problem(table, truth.T), 0, 1).adjacency
    assert not turned[1:, 0].any()
    assert turned[0].any()


def test_peers(peers):
    data = problem()
    assert not answer(parse_row("peer:boardpeers.nothing"), data, 0, 1).adjacency.any()
    assert peer_version("boardpeers.nothing") == {}
    # an undirected edge is given no direction
    undirected = answer(parse_row("peer:boardpeers.undirected"), data, 0, 1)
    assert (undirected.adjacency == data.truth | data.truth.T).all()
    assert undirected.order is None
    assert undirected.notes == ("1 undirected edges: no SID, no order",)


def test_a_peer_with_a_cycle_has_no_order(peers):
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((30, 3)))
    found = answer(parse_row("peer:boardpeers.circular"), Problem(table, np.zeros((3, 3), bool)), 0, 1)
    assert found.order is None
    assert "cycle" in found.notes[0]


def test_rows_of_mixed_tables():
    """Kinds reach methods, codes are what `kinds=continuous` sees, and peers are told kinds if they take them."""
    from dagscale.benchmark.cases import problem
    from dagscale.benchmark.one_hot import one_hot
    from dagscale.benchmark.suites.mixed import SUITES

    data = problem(SUITES[0].cases[0], 1000)
    assert set(data.kinds) == {"continuous", "binary", "categorical", "count"}
    assert data.numbers.shape == data.table.shape
    Z, own = one_hot(data.numbers, data.kinds)
    assert Z.shape[1] == 20 + data.kinds.count("categorical") == own.sum()
    found = answer(parse_row("one-hot-cam"), data, 0, 1).adjacency
    assert (found | found.T)[data.truth].mean() > 0.5
    with pytest.raises(InputError, match="takes no settings"):
        parse_row("one-hot-cam:alpha=1")
    assert answer(parse_row("empty:kinds=continuous"), data, 0, 1).adjacency.sum() == 0


def test_a_method_for_numbers_takes_codes_for_numbers():
    data = problem()
    levels = pd.DataFrame({**data.table, "sex": np.random.default_rng(2).integers(0, 2, 200)})
    found = answer(parse_row("das"), Problem(levels, None), 0, 1)
    assert found.adjacency.shape == (3, 3)
    assert found.adjacency[:2, :2].sum() == 1


def test_rows_that_are_told_the_truth_need_one():
    with pytest.raises(InputError, match="nobody knows that of this table"):
        answer(parse_row("true-order"), Problem(problem().table, None, tiers=(0, 1)), 0, 1)
