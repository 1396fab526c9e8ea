"""`Result.effect`: closed forms of linear Gaussian tables, DoWhy, open directions, and honest refusals."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dagscale.graphs.dag import topological_order
from dagscale.inputs.conditions import Conditions
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.runtime.errors import InputError
from dagscale.stages.answer import Answer

NAMES = ["age", "dose", "pulse", "recovery", "site"]
EDGES = {
    ("age", "dose"): 0.8,
    ("age", "recovery"): -4.0,
    ("dose", "pulse"): 1.5,
    ("dose", "recovery"): 0.5,
    ("pulse", "recovery"): 0.4,
}


def made(X, names, edges, open_=(), hidden=(), kinds=(), levels=(), conditions=None):
    """Make a result with a given graph over given rows."""
    place = {name: k for k, name in enumerate(names)}

    def pairs(listed, both=False):
        found = np.zeros((len(names), len(names)), dtype=bool)
        for a, b in listed:
            found[place[a], place[b]] = True
        return found | found.T if both else found

    adjacency = pairs(edges)
    answer = Answer(
        topological_order(adjacency),
        adjacency,
        {},
        (),
        either_way=pairs(open_, both=True),
        confounded=pairs(hidden, both=True),
    )
    table = Table(X, tuple(names), (), kinds, levels or (None,) * len(kinds), conditions)
    return Result.from_answer(answer, table, "cam", {}, {}, None)


def linear(rng, n=2000, weights=EDGES):
    W = np.zeros((5, 5))
    for (a, b), weight in weights.items():
        W[NAMES.index(a), NAMES.index(b)] = weight
    return rng.normal(size=(n, 5)) @ np.linalg.inv(np.eye(5) - W), W


@pytest.fixture(scope="module")
def table():
    return linear(np.random.default_rng(1000))


@pytest.mark.parametrize(("cause", "outcome"), [("dose", "recovery"), ("age", "recovery"), ("dose", "pulse")])
def test_linear_tables_give_the_sum_over_paths(table, cause, outcome):
    X, W = table
    total = np.linalg.inv(np.eye(5) - W)[NAMES.index(cause), NAMES.index(outcome)]
    effect = made(X, NAMES, EDGES).effect(cause, outcome, level=0.999)
    low, high = effect.interval
    assert effect.verdict == "effect"
    assert low < total < high
    assert effect.estimate == pytest.approx(total, abs=0.25)
    assert effect.linear == pytest.approx(effect.estimate, abs=0.05)
    assert "raises" in effect.headline if total > 0 else "lowers" in effect.headline


def test_without_the_adjustment_the_sign_would_be_wrong(table):
    X, _ = table
    effect = made(X, NAMES, EDGES).effect("dose", "recovery")
    assert effect.adjusted_for == (("age",),)
    assert np.polyfit(X[:, 1], X[:, 3], 1)[0] < 0 < effect.interval[0]


def test_intervals_cover_at_their_level():
    truth, hits = 1.1, 0
    for seed in range(40):
        X, _ = linear(np.random.default_rng(3000 + seed), 300)
        low, high = made(X, NAMES, EDGES).effect("dose", "recovery", level=0.8).interval
        hits += low < truth < high
    assert 25 <= hits <= 38  # 32 are expected


def test_open_directions_give_a_range_that_covers_every_graph(table):
    X, _ = table
    closed = made(X, NAMES, EDGES).effect("dose", "recovery")
    turned = made(X, NAMES, [*EDGES.keys() - {("age", "dose")}, ("dose", "age")]).effect("dose", "recovery")
    either = made(X, NAMES, EDGES, open_=[("age", "dose")]).effect("dose", "recovery")
    row = either.table.iloc[0]
    assert either.verdict == "effect"
    assert either.adjusted_for == (("age",), ())
    assert row["most"] == closed.estimate == either.estimate
    assert row["least"] == turned.estimate
    assert either.interval == (turned.interval[0], closed.interval[1])
    assert "between" in either.headline


def test_an_open_link_between_the_two_leaves_no_effect_possible(table):
    X, _ = table
    effect = made(X, NAMES, {("dose", "pulse"): 1}, open_=[("dose", "pulse")]).effect("dose", "pulse")
    assert effect.verdict == "open"
    assert effect.table["least"][0] == effect.interval[0] == 0
    assert effect.table["most"][0] == pytest.approx(1.5, abs=0.1)
    back = made(X, NAMES, {("dose", "pulse"): 1}, open_=[("dose", "pulse")]).effect("pulse", "dose")
    assert back.verdict == "open"
    assert back.estimate == 0 < back.table["most"][0]


def test_no_path_and_the_way_back_are_zero_and_say_what_the_rows_show(table):
    X, _ = table
    result = made(X, NAMES, EDGES)
    reversed_, none = result.effect("recovery", "age"), result.effect("site", "recovery")
    assert (reversed_.verdict, none.verdict) == ("reversed", "none")
    assert reversed_.estimate == none.estimate == 0
    assert "age is a cause of recovery" in reversed_.headline
    assert "the two are not associated" in none.headline
    missing = made(X, NAMES, {}).effect("dose", "pulse")
    assert missing.verdict == "none"
    assert "the two are still associated" in missing.headline


def test_a_hidden_common_cause_is_not_adjusted_away(table):
    X, _ = table
    effect = made(X, NAMES, EDGES, hidden=[("dose", "recovery")]).effect("dose", "recovery")
    assert effect.verdict == "confounded"
    assert np.isnan(effect.estimate)
    assert "cannot be estimated" in effect.headline
    elsewhere = made(X, NAMES, EDGES, hidden=[("pulse", "site")]).effect("dose", "recovery")
    assert elsewhere.verdict == "effect"


def test_levels_are_compared_with_the_first_and_probabilities_are_effects():
    rng = np.random.default_rng(1001)
    n = 3000
    farm = rng.integers(0, 3, size=n).astype(float)
    rain = np.array([0.0, 2.0, -1.0])[farm.astype(int)] + rng.normal(size=n)
    crop = (rng.random(n) < 0.5 + 0.1 * np.tanh(rain)).astype(float)
    result = made(
        np.column_stack([farm, rain, crop]),
        ["farm", "rain", "crop"],
        [("farm", "rain"), ("rain", "crop")],
        kinds=("categorical", "continuous", "binary"),
        levels=(("hill", "valley", "coast"), None, ("lost", "sold")),
    )
    effect = result.effect("farm", "rain")
    by_level = dict(
        zip(zip(effect.table["from"], effect.table["to"], strict=True), effect.table["estimate"], strict=True)
    )
    first = result.effect("farm", "rain").table["from"][0]
    truth = {"hill": 0.0, "valley": 2.0, "coast": -1.0}
    assert {b for _, b in by_level} == set(truth) - {first}
    for (a, b), estimate in by_level.items():
        assert estimate == pytest.approx(truth[b] - truth[a], abs=0.15)
    assert np.isnan(effect.estimate)
    assert effect.curve is None
    chance = result.effect("rain", "crop")
    slope = np.mean(0.1 * (1 - np.tanh(rain) ** 2))
    assert chance.interval[0] < slope < chance.interval[1]
    assert "probability of crop = sold" in chance.headline
    assert len(result.effect("crop", "farm").table) == 3


def test_rows_in_which_the_outcome_was_set_are_left_out(table):
    X, _ = table
    X = X.copy()
    targets = np.zeros(X.shape, dtype=bool)
    targets[::2, 3] = True
    X[::2, 3] = 100.0 + np.random.default_rng(0).normal(size=len(X) // 2)
    conditions = Conditions(targets, np.zeros(len(X), dtype=np.intp))
    effect = made(X, NAMES, EDGES, conditions=conditions).effect("dose", "recovery")
    assert effect.rows == len(X) // 2
    assert effect.estimate == pytest.approx(1.1, abs=0.2)
    assert any("was set" in line for line in effect.assumes)


def test_conditions_in_which_the_outcome_had_another_mechanism_are_left_out(table):
    X, _ = table
    X = X.copy()
    X[::2, 3] = 100.0 + np.random.default_rng(0).normal(size=len(X) // 2)
    where = (np.arange(len(X)) % 2 == 0).astype(np.intp)
    conditions = Conditions(np.zeros(X.shape, dtype=bool), where, ("obs", "drug"))
    result = replace(made(X, NAMES, EDGES, conditions=conditions), changed={"drug": [NAMES[3]]})
    effect = result.effect("dose", "recovery")
    assert effect.rows == len(X) // 2
    assert effect.estimate == pytest.approx(1.1, abs=0.2)
    assert any("had another mechanism" in line for line in effect.assumes)


def test_conditions_that_shift_cause_and_outcome_are_held_fixed():
    """A batch raises both columns; rows in which the cause was set show its effect between conditions."""
    rng = np.random.default_rng(0)
    batch = np.repeat([0, 1], 400).astype(np.intp)
    a = rng.normal(size=800) + 5.0 * batch
    targets = np.zeros((800, 2), dtype=bool)
    targets[:100, 0] = True
    a[:100] = 3.0 + 0.01 * rng.normal(size=100)  # set to one value: only its mean tells
    X = np.column_stack([a, 0.5 * a + 8.0 * batch + 0.3 * rng.normal(size=800)])
    known = Conditions(targets, batch, ("obs", "batch 2"))
    effect = made(X, ["a", "b"], {("a", "b"): 0.5}, conditions=known).effect("a", "b")
    assert effect.estimate == pytest.approx(0.5, abs=0.05)
    assert any("held fixed, too" in line for line in effect.assumes)
    blind = made(X, ["a", "b"], {("a", "b"): 0.5}).effect("a", "b")
    assert blind.estimate > 1.0


def test_what_it_prints_and_gives_to_machines(table):
    X, _ = table
    effect = made(X, NAMES, EDGES).effect("dose", "recovery")
    printed = repr(effect)
    assert printed.startswith("One unit more of dose raises recovery by 1.")
    assert "held fixed: age" in printed
    assert "by straight lines alone" in printed
    assert "one standard deviation (1.2" in printed
    assert "<li>" in effect._repr_html_()
    document = json.loads(json.dumps(effect.to_dict()))
    assert document["adjusted_for"] == [["age"]]
    assert document["table"][0]["estimate"] == effect.estimate
    assert list(effect.curve.columns) == ["value", "effect", "low", "high"]


def test_bad_questions_are_answered_in_one_line(table):
    X, _ = table
    result = made(X, NAMES, EDGES)
    with pytest.raises(InputError, match="did you mean 'dose'"):
        result.effect("doze", "recovery")
    with pytest.raises(InputError, match="two different columns"):
        result.effect("dose", "dose")
    with pytest.raises(InputError, match="level=2"):
        result.effect("dose", "recovery", level=2)
    with pytest.raises(InputError, match="too few"):
        made(X[:20], NAMES, EDGES).effect("dose", "recovery")


def test_column_order_and_units_do_not_matter(table):
    X, _ = table
    effect = made(X, NAMES, EDGES).effect("dose", "recovery")
    turned = made(X[:, ::-1], NAMES[::-1], EDGES).effect("dose", "recovery")
    assert turned.estimate == pytest.approx(effect.estimate, rel=1e-6)
    scaled = made(X * [1, 1000, 1, 10, 1], NAMES, EDGES).effect("dose", "recovery")
    assert scaled.estimate == pytest.approx(effect.estimate / 100, rel=1e-4)


@pytest.mark.parametrize(
    ("cause", "outcome"), [("dose", "recovery"), ("age", "recovery"), ("pulse", "recovery")]
)
def test_dowhy_agrees(table, cause, outcome, recwarn):
    dowhy = pytest.importorskip("dowhy", reason="DoWhy is not installed: pip install dowhy")
    X, _ = table
    result = made(X, NAMES, EDGES)
    frame = pd.DataFrame(result.sample.astype(float), columns=NAMES)
    model = dowhy.CausalModel(data=frame, treatment=cause, outcome=outcome, graph=result.to_dowhy())
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    theirs = model.estimate_effect(estimand, method_name="backdoor.linear_regression").value
    ours = result.effect(cause, outcome)
    low, high = ours.interval
    assert low < theirs < high
    if set(estimand.get_backdoor_variables()) == set(ours.adjusted_for[0]):
        assert ours.linear == pytest.approx(theirs, rel=1e-6)


def test_an_open_effect_tells_ranges_and_no_minus_zero(table):
    X, _ = table
    told = str(made(X, NAMES, {("dose", "pulse"): 1}, open_=[("dose", "pulse")]).effect("pulse", "dose"))
    assert ": 0 to " in told
    assert "straight lines alone: interval 0 to " in told
    assert "-0" not in told


@pytest.fixture(scope="module")
def mixed():
    """smoker (binary) and job (three levels) act on weight, and on ill (binary); age confounds them all."""
    rng = np.random.default_rng(1002)
    n = 4000
    age = rng.normal(size=n)
    smoker = (rng.random(n) < 1 / (1 + np.exp(-age))).astype(float)
    job = np.clip(np.floor(1.5 + age + rng.logistic(size=n)), 0, 2)
    weight = 2.0 * smoker + np.array([0.0, -1.0, 1.0])[job.astype(int)] - 1.5 * age + rng.normal(size=n)
    ill = (rng.random(n) < 1 / (1 + np.exp(-(smoker + 0.5 * age)))).astype(float)
    names = ["age", "smoker", "job", "weight", "ill"]
    edges = [("age", b) for b in names[1:]] + [("smoker", "weight"), ("job", "weight"), ("smoker", "ill")]
    kinds = ("continuous", "binary", "categorical", "continuous", "binary")
    levels = (None, ("no", "yes"), ("farm", "office", "shop"), None, ("no", "yes"))
    return made(np.column_stack([age, smoker, job, weight, ill]), names, edges, kinds=kinds, levels=levels)


def test_an_open_effect_of_a_binary_cause_tells_a_range_too(mixed):
    opened = replace(mixed, either_way=np.isin(np.arange(5), [1, 3])[:, None] & np.isin(np.arange(5), [1, 3]))
    told = str(opened.effect("smoker", "weight"))
    assert "something between 0 and" in told
    assert "straight lines alone: interval 0 to" in told


@pytest.mark.parametrize(("cause", "outcome"), [("smoker", "weight"), ("smoker", "ill"), ("age", "ill")])
def test_dowhy_agrees_on_a_mixed_table(mixed, cause, outcome, recwarn):
    dowhy = pytest.importorskip("dowhy", reason="DoWhy is not installed: pip install dowhy")
    frame = pd.DataFrame(mixed.sample.astype(float), columns=mixed.names)
    model = dowhy.CausalModel(data=frame, treatment=cause, outcome=outcome, graph=mixed.to_dowhy())
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    theirs = model.estimate_effect(estimand, method_name="backdoor.linear_regression").value
    ours = mixed.effect(cause, outcome)
    low, high = (float(ours.table[end][0]) for end in ("low", "high"))
    assert low < theirs < high
    assert high - low < 0.5 * abs(theirs)  # an interval that says something


def test_dowhy_agrees_level_by_level(mixed, recwarn):
    dowhy = pytest.importorskip("dowhy", reason="DoWhy is not installed: pip install dowhy")
    ours = mixed.effect("job", "weight").table
    code = {level: k for k, level in enumerate(mixed.levels["job"])}
    frame = pd.DataFrame(mixed.sample.astype(float), columns=mixed.names)
    for _, row in ours.iterrows():
        two = frame[frame["job"].isin([code[row["from"]], code[row["to"]]])].copy()
        two["job"] = (two["job"] == code[row["to"]]).astype(float)
        model = dowhy.CausalModel(data=two, treatment="job", outcome="weight", graph=mixed.to_dowhy())
        estimand = model.identify_effect(proceed_when_unidentifiable=True)
        theirs = model.estimate_effect(estimand, method_name="backdoor.linear_regression").value
        assert row["low"] - 0.1 < theirs < row["high"] + 0.1  # DoWhy sees two of the three levels' rows
        assert row["estimate"] == pytest.approx(
            {"farm": 0, "office": -1, "shop": 1}[row["to"]]
            - {"farm": 0, "office": -1, "shop": 1}[row["from"]],
            abs=0.2,
        )
