"""Which rule leaves a direction open: a table for every reason, and the order in which rules are named."""

import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.certainty import pair_evidence
from dagscale.methods.auto.certainty.open_reasons import open_reasons
from dagscale.methods.auto.certainty.probabilities import PairEvidence, Rules, open_links, probabilities
from dagscale.methods.auto.certainty.reading import Reading
from dagscale.methods.auto.method import settled
from dagscale.methods.context import Context
from dagscale.result.open_links import SENTENCES, sentence
from dagscale.stages.answer import OpenReason

n = 300


def simulated(seed, **options):
    return dagscale.simulate(nodes=5, samples=n, random_state=seed, **options).table


def formula(seed):
    x = np.random.default_rng(seed).normal(size=n)
    return pd.DataFrame({"x": x, "y": x**3 + x})


def coarse(seed):
    g = np.random.default_rng(seed)
    x = g.normal(size=n)
    return pd.DataFrame({"x": np.round(x), "y": np.round(np.sin(x) + 0.3 * g.normal(size=n))}) + 0.5


def levels(seed):
    g = np.random.default_rng(seed)
    x = g.normal(size=n)
    return pd.DataFrame({"x": x, "y": np.array(["no", "yes"])[(x + g.logistic(size=n) > 0).astype(int)]})


def straight(seed):
    g = np.random.default_rng(seed)
    x = g.normal(size=n)
    return pd.DataFrame({"x": x, "y": x + g.normal(size=n)})


def bent(seed):
    g = np.random.default_rng(seed)
    x = g.normal(size=n)
    return pd.DataFrame({"x": x, "y": x + 0.15 * x**2 + g.normal(size=n)})


def common_cause(seed):
    g = np.random.default_rng(seed)
    hidden, a, b, e, f = g.normal(size=(5, n))
    return pd.DataFrame({"u": hidden**2 + e / 2, "v": np.sin(2 * hidden) + f / 2, "w": hidden * a + 0.3 * b})


def steps(seed):
    g = np.random.default_rng(seed)
    x = g.normal(size=n)
    return pd.DataFrame({"x": np.round(2 * x) + 0.5, "y": x + 0.5 * g.normal(size=n)})


def location_scale(seed):
    return simulated(seed, noise="location-scale")


def serial(seed):
    return simulated(seed, autoregressive=0.9)


def tangled(seed):
    made = dagscale.simulate(
        nodes=13, edges_per_node=4, samples=600, noise="gamma", linear=0.5, random_state=seed
    )
    causes_of_many = np.argsort(-made.adjacency.sum(axis=1), kind="stable")[:6]
    return made.table.drop(columns=made.table.columns[causes_of_many])


TABLES = {
    OpenReason.FORMULA: (formula, 1000),
    OpenReason.REPEATED_ROWS: (coarse, 1000),
    OpenReason.COLLIDER: (location_scale, 1018),
    OpenReason.FEW_VALUES: (levels, 1000),
    OpenReason.FITS_BOTH_WAYS: (straight, 1000),
    OpenReason.WEAK: (bent, 1000),
    OpenReason.SCALE: (common_cause, 1004),
    OpenReason.ROUNDING: (steps, 1000),
    OpenReason.OTHER_LINKS: (location_scale, 1004),
    OpenReason.FEW_ROWS: (serial, 1001),
    OpenReason.SERIAL_ROWS: (serial, 1001),
    OpenReason.TANGLED: (tangled, 1000),
    OpenReason.RESIDUALS: (location_scale, 1015),
}


@pytest.mark.parametrize("reason", TABLES)
def test_every_reason_has_a_table_and_is_said(reason, tmp_path):
    make, seed = TABLES[reason]
    kinds = {"x": "continuous", "y": "continuous"} if make in (coarse, steps) else None
    result = dagscale.discover(make(seed), effort="quick", n_jobs=1, kinds=kinds)
    edges = result.edges
    named = edges[edges["open_because"] == reason]
    assert len(named)
    assert named["either_way"].all()
    assert ((edges["open_because"] != "") == edges["either_way"]).all()
    row = named.iloc[0]
    said = SENTENCES[reason].partition("{")[0]
    for source, target in ((row["source"], row["target"]), (row["target"], row["source"])):
        why = result.why(source, target)
        assert why.open_because is reason
        assert f"the direction is open: {said}" in str(why)
    loaded = dagscale.load(result.save(tmp_path / "run"))
    assert loaded.edges.equals(edges)
    assert str(loaded.why(row["source"], row["target"])) == str(result.why(row["source"], row["target"]))


def test_time_that_ran_out_is_said(monkeypatch):
    """The evidence of this table is just enough, and not when half of it is believed."""
    table = dagscale.simulate(nodes=6, samples=200, random_state=1001).table
    reasons = set(dagscale.discover(table, effort="quick", n_jobs=1).edges["open_because"])
    assert OpenReason.TIME not in reasons
    monkeypatch.setattr(pair_evidence, "late", lambda until: True)
    reasons = set(dagscale.discover(table, effort="quick", n_jobs=1).edges["open_because"])
    assert OpenReason.TIME in reasons


def one_edge(**changes):
    """An edge 0 -> 1 of 30 nats that nothing speaks against."""
    graph = np.array([[False, True], [False, False]])
    joined = np.array([[0.0, 0.0], [-30.0, 0.0]])
    nothing, enough = np.zeros((2, 2)), np.array([30.0])
    in_turn = (OpenReason.SCALE, OpenReason.OTHER_LINKS, OpenReason.FEW_ROWS)
    rules = Rules(
        {OpenReason.FORMULA: np.array([False]), OpenReason.FEW_VALUES: np.array([False])},
        dict.fromkeys(in_turn, enough),
        dict.fromkeys(in_turn, np.zeros(1)),
        np.ones(1),
    )
    seen = PairEvidence(graph, joined, nothing, nothing + 30.0, nothing, nothing, nothing + 1.0, rules=rules)
    own = {name: value for name, value in changes.items() if name in ("distrusted", "nats", "trust")}
    rest = {name: value for name, value in changes.items() if name not in own}
    return replace(seen, **rest, rules=replace(rules, **own))


def reason(seen):
    return open_reasons(seen, np.ones((2, 2), dtype=bool)).get((0, 1))


def test_no_rule_no_reason_and_the_first_rule_is_named():
    assert reason(one_edge()) is None
    assert reason(one_edge(joined=np.array([[0.0, 0.0], [-3.0, 0.0]]))) is OpenReason.WEAK
    assert (
        reason(one_edge(joined=np.array([[0.0, 0.0], [-1.0, 0.0]]), shapeless=True))
        is OpenReason.FITS_BOTH_WAYS
    )
    assert reason(
        one_edge(nats={OpenReason.SCALE: np.array([1.0]), OpenReason.FEW_ROWS: np.array([0.0])})
    ) is (OpenReason.SCALE)
    assert reason(one_edge(serial=0.98)) is OpenReason.SERIAL_ROWS
    assert reason(one_edge(trust=np.zeros(1))) is OpenReason.RESIDUALS
    marked = {OpenReason.FORMULA: np.array([False]), OpenReason.FEW_VALUES: np.array([True])}
    assert reason(one_edge(distrusted=marked, serial=0.98)) is OpenReason.FEW_VALUES


def test_a_link_that_is_more_likely_false_has_no_direction():
    """Where all columns are joined, each by less than nothing, any link may be the work of a hidden cause."""
    d = 14
    graph = np.triu(np.ones((d, d), dtype=bool), 1)
    joined, nothing = np.where(graph, 0.0, -12.0), np.zeros((d, d))
    rules = Rules(
        {},
        {OpenReason.SCALE: np.full(d * (d - 1) // 2, 12.0)},
        {OpenReason.SCALE: np.zeros(d * (d - 1) // 2)},
        np.ones(d * (d - 1) // 2),
    )
    seen = PairEvidence(
        graph, joined, nothing + 50.0, nothing + 12.0, nothing, nothing, nothing + 1.0, rules=rules
    )
    likely = probabilities(seen, Constraints.none(d))
    assert np.allclose(likely, likely.T)
    assert set(open_reasons(seen, open_links(likely, graph)).values()) == {OpenReason.LINK}
    assert np.allclose((likely + likely.T)[graph], 0.5)  # what is said of it agrees with what is shown
    said = sentence({"source": "a", "target": "b", "open_because": OpenReason.LINK.value})
    assert said.startswith("the link itself is in doubt: it is no more likely true than false")
    sure = replace(seen, apart=np.where(graph | graph.T, -200.0, 0.0))
    assert not open_links(probabilities(sure, Constraints.none(d)), graph).any()


def test_columns_of_a_formula_tell_no_directions_of_others():
    """What a product does, its factors may do: an arrow from it to a third column is not supported."""
    for seed in range(1000, 1003):
        g = np.random.default_rng(seed)
        a, b = g.gamma(3.0, size=(2, n))
        table = pd.DataFrame({"a": a, "b": b, "product": a * b, "effect": a * b + g.exponential(size=n)})
        edges = dagscale.discover(table, effort="quick", n_jobs=1).edges
        at_product = edges[(edges[["source", "target"]] == "product").any(axis=1)]
        assert len(at_product)
        assert at_product["either_way"].all()


def test_zeros_at_one_end_are_no_direction():
    for seed in range(1000, 1004):
        g = np.random.default_rng(seed)
        education = g.integers(8, 21, 2 * n)
        income = np.where(
            g.random(2 * n) < 0.1, 0.0, np.exp(7.0 + 0.12 * education + 0.3 * g.normal(size=2 * n))
        )
        rent = np.where(income > 0, 0.3 * income * np.exp(0.2 * g.normal(size=2 * n)), 0.0)
        table = pd.DataFrame({"education": education, "income": income.round(), "rent": rent.round()})
        result = dagscale.discover(table, effort="quick", n_jobs=1)
        i, j = (result.names.index(name) for name in ("income", "education"))
        assert not result.adjacency[i, j] or result.either_way[i, j]


def test_links_that_are_not_open_have_no_reason():
    assert open_reasons(one_edge(trust=np.zeros(1)), np.zeros((2, 2), dtype=bool)) == {}


def test_other_methods_say_it_of_columns_with_few_values():
    result = dagscale.discover(levels(1000), method="cam", n_jobs=1)
    assert set(result.edges["open_because"]) == {"few values"}


def test_directions_that_no_rule_has_judged_in_time_are_open():
    made = dagscale.simulate(nodes=8, edges_per_node=1, samples=600, standardize=True, random_state=1000)
    none = Constraints.none(8)
    found, _ = settled(made.table.to_numpy(), Context(none, effort="quick"))
    reading, graph = Reading(found), found.graph
    claimed = graph & ~open_links(probabilities(pair_evidence.pair_evidence(reading), none), graph)
    assert claimed.sum() >= 4
    seen = pair_evidence.pair_evidence(reading.by(time.monotonic() - 1.0))
    links = open_links(probabilities(seen, none), graph)
    assert (links | links.T)[graph].all()
    assert set(open_reasons(seen, links).values()) <= {OpenReason.TIME, OpenReason.WEAK, OpenReason.RESIDUALS}
    known = Constraints(none.allowed & ~found.graph.T, none.required, none.before)
    assert not open_links(probabilities(seen, known), graph).any()
