"""Questions: the one that settles most comes first, and its answers settle that many."""

from dataclasses import replace

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.inputs.knowledge import Knowledge
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.stages.answer import Answer


def result(edges, open_links, names="abcdef"):
    d = len(names)
    adjacency, open_ = np.zeros((d, d), dtype=bool), np.zeros((d, d), dtype=bool)
    for i, j in edges:
        adjacency[i, j] = True
    for i, j in open_links:
        open_[i, j] = open_[j, i] = True
    X = np.random.default_rng(1000).normal(size=(60, d))
    answer = Answer(np.arange(d), adjacency, either_way=open_)
    return Result.from_answer(answer, Table(X, tuple(names), ()), "auto", {}, {}, None)


def test_the_end_of_a_chain_settles_it_all():
    chain = [(0, 1), (1, 2), (2, 3)]
    asked = result(chain, chain).ask()
    assert list(asked.columns) == ["question", "links", "answers"]
    assert list(asked["links"]) == sorted(asked["links"], reverse=True)
    link = asked[asked["question"].str.startswith("Does")]
    # a -> b settles three, b -> a one: whichever the answer, one; the middle link settles two either way
    assert dict(zip(link["question"], link["links"], strict=True)) == {
        "Does 'a' cause 'b', or does 'b' cause 'a'?": 1,
        "Does 'b' cause 'c', or does 'c' cause 'b'?": 2,
        "Does 'c' cause 'd', or does 'd' cause 'c'?": 1,
    }
    answers = link["answers"].iloc[0]
    assert answers["'b' -> 'c'"] == Knowledge(required=[("b", "c")])


def test_an_experiment_settles_all_links_of_a_column():
    star = [(0, 1), (0, 2), (0, 3)]
    first = result(star, star).ask().iloc[0]
    assert first["question"] == "Set 'a' in an experiment: which of 'b', 'c', 'd' change?"
    assert first["links"] == 3


def test_an_experiment_is_named_where_open_links_stand_alone():
    asked = result([(0, 1), (3, 2)], [(0, 1), (3, 2)]).ask()
    experiments = asked[asked["question"].str.startswith("Set")]
    assert set(experiments["question"]) == {
        "Set 'a' in an experiment: does 'b' change?",
        "Set 'd' in an experiment: does 'c' change?",
    }
    assert experiments["answers"].iloc[0]["it does not change"] == Knowledge(required=[("b", "a")])


def test_a_link_that_was_left_open_for_its_own_reasons_counts_once():
    edges = [(0, 1), (1, 2), (3, 4)]  # 0 -> 1 -- 2: that 1 causes 2 would follow, but was not believed
    asked = result(edges, [(1, 2), (3, 4)]).ask()
    assert set(asked["links"]) == {1}


def test_columns_that_were_set_are_not_named_again():
    found = result([(0, 1), (3, 2)], [(0, 1), (3, 2)])
    targets = np.zeros((60, 6), dtype=bool)
    targets[:20, 0] = targets[20:40, 2] = targets[40:50, 3] = True
    asked = replace(found, conditions=Conditions(targets, np.zeros(60, dtype=np.intp))).ask()
    experiments = asked["question"][asked["question"].str.startswith("Set")]
    assert experiments.tolist() == ["Set 'b' in an experiment: does 'a' change?"]


def test_nothing_open_nothing_asked():
    asked = result([(0, 1)], []).ask()
    assert len(asked) == 0
    assert list(asked.columns) == ["question", "links", "answers"]


def test_an_answer_that_closes_a_cycle_is_not_offered():
    answers = result([(0, 1), (1, 2), (0, 2)], [(0, 2)]).ask()["answers"].iloc[0]
    assert list(answers) == ["'a' -> 'c'"]


def test_columns_that_may_collide_are_not_said_to_settle_each_other():
    """a -> c <- b, both open: nobody said that the two arrows do not meet, so a -> c tells nothing of b."""
    meeting = [(0, 2), (1, 2), (2, 3)]
    link = result(meeting, meeting, names="abcd").ask()
    link = link[link["question"].str.startswith("Does")].set_index("question")["links"]
    assert link["Does 'a' cause 'c', or does 'c' cause 'a'?"] == 1  # c -> a settles no more than itself
