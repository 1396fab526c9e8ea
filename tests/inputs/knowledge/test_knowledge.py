"""Knowledge becomes a closed partial order, and contradictions are refused in one line."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.runtime.errors import DagscaleError, InputError, InputTypeError

NAMES = list("abcdef")
fuzz = settings(deadline=None, max_examples=150, derandomize=True)


def test_nothing_known_allows_every_edge():
    none = Constraints.none(3)
    assert none.allowed.tolist() == (~np.eye(3, dtype=bool)).tolist()
    assert not none.required.any()
    assert not none.before.any()
    empty = Knowledge().resolve(NAMES)
    assert empty.allowed.sum() == 30
    assert not empty.before.any()


def test_constraints_are_read_only():
    constraints = Knowledge(required=[("a", "b")]).resolve(NAMES)
    for array in (constraints.allowed, constraints.required, constraints.before):
        assert array.dtype == bool
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = True


def pairs_of(mask, names=NAMES):
    return {(names[i], names[j]) for i, j in zip(*np.nonzero(mask), strict=True)}


def test_required_edges_order_their_chain():
    constraints = Knowledge(required=[("a", "b"), ("b", "c")]).resolve(list("cab"))
    assert pairs_of(constraints.before, "cab") == {("a", "b"), ("b", "c"), ("a", "c")}
    assert pairs_of(constraints.required, "cab") == {("a", "b"), ("b", "c")}
    assert pairs_of(constraints.allowed, "cab") == {("a", "b"), ("b", "c"), ("a", "c")}


def test_tiers_leave_the_unnamed_free():
    constraints = Knowledge(tiers=[["a"], ["b", "c"]]).resolve(list("abcd"))
    assert pairs_of(constraints.before, "abcd") == {("a", "b"), ("a", "c")}
    refused = pairs_of(~constraints.allowed & ~np.eye(4, dtype=bool), "abcd")
    assert refused == {("b", "a"), ("c", "a")}


def test_a_root_of_a_late_tier_comes_first_and_a_leaf_of_an_early_tier_last():
    constraints = Knowledge(tiers=[["leaf", "x"], ["y", "root"]], roots=["root"], leaves=["leaf"]).resolve(
        ["leaf", "x", "y", "root"]
    )
    assert pairs_of(constraints.before, ["leaf", "x", "y", "root"]) == {
        ("root", "x"),
        ("root", "y"),
        ("root", "leaf"),
        ("x", "y"),
        ("x", "leaf"),
        ("y", "leaf"),
    }
    # The tiers still forbid what they forbid: root -> x and y -> leaf run against them.
    assert pairs_of(constraints.allowed, ["leaf", "x", "y", "root"]) == {
        ("x", "leaf"),
        ("x", "y"),
        ("root", "y"),
    }


def test_root_and_leaf_stands_alone():
    constraints = Knowledge(tiers=[["a"], ["b"], ["c"]], roots=["b"], leaves=["b"]).resolve(list("abc"))
    assert pairs_of(constraints.before, "abc") == {("a", "c")}
    assert pairs_of(constraints.allowed, "abc") == {("a", "c")}


def test_names_of_any_kind_and_their_text():
    constraints = Knowledge(required=[(1, ("t", 2))], roots=np.array(["z"])).resolve([("t", 2), 1, "z"])
    assert constraints.required[1, 0]
    assert constraints.before[2].tolist() == [True, True, False]
    assert Knowledge(required=[("1", "('t', 2)")]).resolve([("t", 2), 1]).required[1, 0]


CONTRADICTIONS = {
    "required and forbidden": (
        {"required": [("a", "b")], "forbidden": [("a", "b")]},
        "'a' -> 'b' is both required and forbidden",
    ),
    "cycle": ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "form a cycle, 'b' -> 'c' -> 'a' -> 'b'"),
    "two-cycle": ({"required": [("a", "b"), ("b", "a")]}, "cycle"),
    "against tiers": (
        {"required": [("b", "a")], "tiers": [["a"], ["b"]]},
        "'b' -> 'a' goes against the tiers: 'b' is in tier 2, 'a' in tier 1",
    ),
    "against tiers by a path": (
        {"required": [("d", "b"), ("b", "x"), ("x", "a")], "tiers": [["a"], ["b"], ["c", "d"]]},
        "'d' -> 'b' goes against the tiers",
    ),
    "against tiers through the free": (
        {"required": [("b", "x"), ("x", "y"), ("y", "a")], "tiers": [["a"], ["b"]]},
        "'b' -> 'x' -> 'y' -> 'a' goes against the tiers",
    ),
    "into a root": ({"required": [("a", "b")], "roots": ["b"]}, "enters 'b', listed in roots"),
    "out of a leaf": ({"required": [("a", "b")], "leaves": ["a"]}, "leaves 'a', listed in leaves"),
    "two tiers": ({"tiers": [["a"], ["b", "a"]]}, "'a' is in tier 1 and in tier 2"),
    "self edge": ({"required": [("a", "a")]}, "'a' -> 'a' goes from a column to itself"),
    "triple": ({"required": [("a", "b", "c")]}, "('a', 'b', 'c'); write each edge as a pair"),
    "text pair": ({"forbidden": ["ab"]}, "forbidden holds 'ab'; write each edge as a pair"),
    "number pair": ({"required": [3]}, "required holds 3; write each edge as a pair"),
    "a bare pair": ({"required": ("a", "b")}, "required holds 'a'; write each edge as a pair"),
}


@pytest.mark.parametrize(("knowledge", "line"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_contradictions_are_refused_when_made(knowledge, line):
    with pytest.raises(InputError) as refused:
        Knowledge(**knowledge)
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("knowledge", "line"),
    [
        ({"roots": "abc"}, "roots must be a list like ['a', 'b'], not 'abc'"),
        ({"tiers": ["ab", "cd"]}, "a tier must be a list like ['a', 'b'], not 'ab'"),
        ({"tiers": {"a": 1}}, "tiers must be a list"),
        ({"required": {"a": "b"}}, "required must be a list like [('a', 'b')]"),
        ({"required": 3}, "required must be a list"),
        ({"leaves": [["a"]]}, "leaves holds ['a'], which cannot be a column name"),
        ({"required": [("a", {})]}, "required holds {}, which cannot be a column name"),
    ],
)
def test_wrong_kinds_are_refused(knowledge, line):
    with pytest.raises(InputTypeError) as refused:
        Knowledge(**knowledge)
    assert line in str(refused.value)


def test_an_unknown_column_is_named_with_the_closest():
    with pytest.raises(InputError, match=r"no column 'Rafx'; did you mean 'Raf'\?"):
        Knowledge(required=[("Rafx", "Mek")]).resolve(["Raf", "Mek"])
    with pytest.raises(InputError, match=r"no column 'zzz'; the columns are \['Raf', 'Mek'\]"):
        Knowledge(roots=["zzz"]).resolve(["Raf", "Mek"])


def test_names_equal_only_by_text_still_contradict():
    known = Knowledge(required=[(1, 2)], forbidden=[("1", "2")])
    with pytest.raises(InputError, match="1 -> 2 is both required and forbidden"):
        known.resolve([1, 2])


def test_a_long_cycle_is_cut_in_the_middle():
    with pytest.raises(InputError, match=r"\(91 more\)") as refused:
        Knowledge(required=[(i, (i + 1) % 100) for i in range(100)])
    assert len(str(refused.value)) < 300


def test_thousands_of_columns_are_closed_through_gates():
    d = 4000
    known = Knowledge(
        tiers=[range(1000), range(1000, 3500)], roots=[2000], required=[(i, i + 1) for i in range(1500)]
    )
    before = known.resolve(range(d)).before
    assert before[2000].sum() == d - 1  # the root comes before all others
    assert before[:, 2000].sum() == 0
    assert before[0, 1:1501].all()
    assert not before[3500:].any()


# Random knowledge, contradictory or not, against the rules written out pair by pair.

names = st.sampled_from(NAMES)
pairs = st.lists(st.tuples(names, names), max_size=5)
anything = st.builds(
    dict,
    required=pairs,
    forbidden=pairs,
    tiers=st.lists(st.lists(names, max_size=3, unique=True), max_size=3),
    roots=st.lists(names, max_size=2),
    leaves=st.lists(names, max_size=2),
)


@st.composite
def consistent(draw):
    """Knowledge that some order satisfies: drawn along a hidden order."""
    order = draw(st.permutations(NAMES))
    forward = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    required = draw(st.lists(st.sampled_from(forward), max_size=6, unique=True))
    cuts = sorted(draw(st.lists(st.integers(0, len(order)), max_size=3)))
    free = draw(st.sets(names))
    bounds = [0, *cuts, len(order)]
    return {
        "required": required,
        "forbidden": [pair for pair in draw(pairs) if pair not in required],
        "tiers": [[x for x in order[i:j] if x not in free] for i, j in pairwise(bounds)],
        "roots": [x for x in draw(st.sets(names)) if x not in {b for _, b in required}],
        "leaves": [x for x in draw(st.sets(names)) if x not in {a for a, _ in required}],
    }


def closed(relation):
    relation = set(relation)
    while more := {(a, d) for a, b in relation for c, d in relation if b == c} - relation:
        relation |= more
    return relation


def slow_rules(required, forbidden, tiers, roots, leaves):
    """Return (contradictory, before, allowed) as sets of pairs, straight from the rules."""
    everyone = {(a, b) for a in NAMES for b in NAMES if a != b}
    tier_of = {name: k for k, tier in enumerate(tiers) for name in tier}
    twice = len(tier_of) < sum(map(len, tiers))
    backwards = {(a, b) for a, b in everyone if a in tier_of and b in tier_of and tier_of[a] > tier_of[b]}
    lonely = set(roots) & set(leaves)
    relation = set(required)
    relation |= {(a, b) for b, a in backwards if a not in leaves and b not in roots}
    relation |= {(a, b) for a, b in everyone if a in roots and b not in roots and a not in lonely}
    relation |= {(a, b) for a, b in everyone if b in leaves and a not in leaves and b not in lonely}
    before = closed(relation)
    allowed = {
        (a, b)
        for a, b in everyone - backwards - set(forbidden)
        if b not in roots and a not in leaves and (b, a) not in before
    }
    contradictory = twice or not set(required) <= allowed or bool(closed(required) & backwards)
    return contradictory or any(a == b for a, b in before), before, allowed


@fuzz
@given(anything)
def test_contradictions_are_exactly_those_of_the_rules(known):
    contradictory, before, allowed = slow_rules(**known)
    if contradictory:
        with pytest.raises(DagscaleError, match=r"^knowledge: [^\n]*\Z"):
            Knowledge(**known)
        return
    constraints = Knowledge(**known).resolve(NAMES)
    assert pairs_of(constraints.before) == before
    assert pairs_of(constraints.allowed) == allowed
    assert pairs_of(constraints.required) == set(known["required"])


@fuzz
@given(consistent(), st.randoms(use_true_random=False))
def test_consistent_knowledge_is_a_closed_order_that_admits_the_required_edges(known, random):
    constraints = Knowledge(**known).resolve(NAMES)
    before, required = constraints.before, constraints.required
    assert not (before & before.T).any()
    assert not (before.astype(int) @ before.astype(int) > 0)[~before].any()
    assert not (required & ~constraints.allowed).any()
    remaining, order = set(range(len(NAMES))), []
    while remaining:  # any topological order: a random one of those that may come next
        ready = [i for i in sorted(remaining) if not any(before[k, i] for k in remaining)]
        order.append(random.choice(ready))
        remaining.remove(order[-1])
    place = np.argsort(order)
    parents, children = np.nonzero(required)
    assert (place[parents] < place[children]).all()


@fuzz
@given(consistent(), st.permutations(NAMES))
def test_the_order_of_the_columns_does_not_matter(known, shuffled):
    one, other = Knowledge(**known).resolve(NAMES), Knowledge(**known).resolve(shuffled)
    for field in ("allowed", "required", "before"):
        assert pairs_of(getattr(one, field)) == pairs_of(getattr(other, field), shuffled)
