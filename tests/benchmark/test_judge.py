import json

import numpy as np
import pandas as pd

from dagscale.benchmark.cases import Problem
from dagscale.benchmark.judge import judge, judge_problem, judge_tiers
from dagscale.benchmark.rows import Answer

# 0 -> 2, 1 -> 2, 2 -> 3
TRUTH = np.zeros((4, 4), dtype=bool)
TRUTH[[0, 1, 2], [2, 2, 3]] = True


def graph(*edges):
    adjacency = np.zeros((4, 4), dtype=bool)
    for i, j in edges:
        adjacency[i, j] = True
    return adjacency


def test_worked_by_hand():
    # 0 -> 2 found, 1 -> 2 missed, 2 -> 3 reversed, 0 -> 1 invented
    found = judge(TRUTH, Answer(graph((0, 2), (3, 2), (0, 1)), np.array([0, 1, 3, 2])))
    assert found["shd"] == 3
    assert found["precision"] == found["recall"] == round(1 / 3, 6)
    assert found["order_errors"] == 1  # of the order given, not of the graph
    assert found["recall_by_in_degree"] == {"2": [1, 2], "1": [0, 1]}
    json.dumps(found, allow_nan=False)


def test_the_order_is_judged_apart_from_the_graph():
    found = judge(TRUTH, Answer(graph(), np.array([3, 2, 1, 0])))
    assert (found["shd"], found["order_errors"]) == (3, 3)
    assert found["recall"] == 0


def test_a_graph_with_a_cycle_agrees_with_the_others_where_both_are_defined():
    with_cycle = graph((0, 2), (2, 1), (1, 0))
    found = judge(TRUTH, Answer(with_cycle, None))
    assert (found["sid"], found["order_errors"]) == (None, None)
    assert found["shd"] == 1 + 1 + 1  # 2 -> 1 reversed, 1 -> 0 extra, 2 -> 3 missing
    rng = np.random.default_rng(0)
    for _ in range(20):
        acyclic = np.triu(rng.random((4, 4)) < 0.6, 1)
        acyclic[0, 1] = True
        order = np.arange(4)
        plain, other = judge(TRUTH, Answer(acyclic, order)), judge(TRUTH, Answer(acyclic, None))
        assert all(other[name] in (None, plain[name]) for name in other)


def test_an_undirected_edge_is_one_claim_and_no_hit():
    # 0 -> 2 found, 1 - 2 half right, 2 -> 3 missed, 0 - 1 invented
    found = judge(TRUTH, Answer(graph((0, 2), (1, 2), (2, 1), (0, 1), (1, 0)), None))
    assert found["shd"] == 3  # one each: 1 - 2, 2 -> 3, 0 - 1
    assert (found["estimated_edges"], found["undirected_edges"]) == (3, 2)
    assert found["precision"] == found["recall"] == found["f1"] == round(1 / 3, 6)
    assert found["skeleton_f1"] == round(2 * 2 / (3 + 3), 6)
    assert found["recall_by_in_degree"] == {"2": [1, 2], "1": [0, 1]}
    assert found["sid"] is None
    # no direction is never better than the wrong one, nor as good as the right one
    right, wrong = (judge(TRUTH, Answer(graph((0, 2), edge), np.arange(4))) for edge in ((1, 2), (2, 1)))
    half = judge(TRUTH, Answer(graph((0, 2), (1, 2), (2, 1)), None))
    assert right["shd"] < half["shd"] == wrong["shd"]
    assert right["skeleton_f1"] == half["skeleton_f1"] == wrong["skeleton_f1"]


def test_with_nothing_to_find():
    found = judge(graph(), Answer(graph((0, 1), (1, 0)), None))
    assert (found["shd"], found["recall"], found["precision"], found["skeleton_f1"]) == (1, 0, 0, 0)


def test_claims_leave_out_links_that_may_point_either_way():
    answer = Answer(graph((0, 2), (3, 2), (0, 1)), np.array([0, 1, 3, 2]), (), graph((2, 3), (3, 2)))
    found = judge(TRUTH, answer, ("continuous", "binary", "continuous", "count"))
    assert (
        found["link_errors"] == 2
    )  # 1 - 2 is missing, 0 - 1 is extra; the direction of 2 - 3 does not count
    assert (found["claimed"], found["claimed_precision"]) == (2, 0.5)
    assert found["wrong_way"] == 0.0  # 3 -> 2 is the wrong way, but left open
    turned = judge(TRUTH, Answer(graph((2, 0), (1, 2)), np.array([1, 2, 0, 3])))
    assert turned["wrong_way"] == round(1 / 3, 6)
    assert found["numbers_claimed"] == 1.0  # 0 -> 2, the only edge between numbers
    assert judge(TRUTH, answer)["numbers_claimed"] == round(1 / 3, 6)


TIERS = (0, 0, 1, 2)
NAMES = ["a", "b", "c", "d"]


def test_arrows_between_tiers_worked_by_hand():
    # a -> b within a tier, a -> c along, d -> c against, b -> d along but open
    either_way = graph((1, 3), (3, 1))
    adjacency = graph((0, 1), (0, 2), (3, 2), (1, 3))
    found = judge_tiers(TIERS, Answer(adjacency, np.array([0, 1, 3, 2]), either_way=either_way), NAMES)
    assert found == {
        "links": 4, "along": 1, "against": 1, "open": 1, "tier_score": 0, "arrows_against": ["d -> c"],
    }  # fmt: skip


def test_an_undirected_edge_between_tiers_is_open():
    found = judge_tiers(TIERS, Answer(graph((0, 3), (3, 0), (0, 2)), None), NAMES)
    assert (found["links"], found["along"], found["against"], found["open"]) == (2, 1, 0, 1)


def test_between_tiers_the_empty_graph_scores_nothing_and_turning_all_arrows_turns_the_sign():
    assert judge_tiers(TIERS, Answer(graph(), np.arange(4)), NAMES)["tier_score"] == 0
    rng = np.random.default_rng(0)
    for _ in range(20):
        A = np.triu(rng.random((4, 4)) < 0.6, 1)
        one, other = (judge_tiers(TIERS, Answer(G, None), NAMES) for G in (A, A.T))
        assert one["tier_score"] == -other["tier_score"]


def test_a_problem_is_judged_by_what_is_known_of_it():
    table = pd.DataFrame(np.zeros((2, 4)), columns=NAMES)
    answer = Answer(graph((0, 2)), np.arange(4))
    assert judge_problem(Problem(table, TRUTH), answer) == judge(TRUTH, answer)
    assert judge_problem(Problem(table, None, tiers=TIERS), answer)["tier_score"] == 1
    pair = Problem(table[["a", "b"]], TRUTH[:2, :2] | [[False, True], [False, False]], weight=0.25)
    told = judge_problem(pair, Answer(pair.truth, np.arange(2), probabilities=np.array([[0, 0.6], [0.2, 0]])))
    assert told == {"right": 1.0, "certainty": 0.75, "weight": 0.25}
