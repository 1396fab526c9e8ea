"""The DOT reader against statements written out."""

import pytest

from dagscale.graphs.parse_dot import parse_dot
from dagscale.runtime.errors import InputError


@pytest.mark.parametrize(
    ("text", "nodes", "edges"),
    [
        ("digraph {}", [], []),
        ("strict digraph G { a -> b -> c; d }", ["a", "b", "c", "d"], [("a", "b"), ("b", "c")]),
        ('digraph "my graph" { "a b"->"c;d" ; }', ["a b", "c;d"], [("a b", "c;d")]),
        (
            r'digraph { "say \"hi\"" -> "back\\slash" }',
            ['say "hi"', "back\\slash"],
            [('say "hi"', "back\\slash")],
        ),
        ("digraph {\n// a -> x\n# b -> y\n/* c -> z\n */ a -> b\n}", ["a", "b"], [("a", "b")]),
        (
            'digraph { rankdir=LR; node [shape=box, label="x -> y"]; a -> b [w=-1.5e-3]; }',
            ["a", "b"],
            [("a", "b")],
        ),
        ("digraph { subgraph cluster_0 { a; b } a -> b }", ["a", "b"], [("a", "b")]),
        ("DiGraph { a\nb\na -> b\nµ -> a }", ["a", "b", "µ"], [("a", "b"), ("µ", "a")]),
        ("digraph { a -> b [label='odd (text)' color=\"#ff0000\"] }", ["a", "b"], [("a", "b")]),
        ("digraph { 1 -> 2.5 -> -3 }", ["1", "2.5", "-3"], [("1", "2.5"), ("2.5", "-3")]),
    ],
)
def test_understood(text, nodes, edges):
    assert parse_dot(text) == (nodes, edges)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("graph { a -- b }", "digraph"),
        ("a -> b", "digraph"),
        ("digraph { a -- b }", "directed"),
        ("digraph { a:port -> b }", "plain nodes"),
        ("digraph { a -> { b c } }", "subgraph"),
        ("digraph { { a b } -> c }", "subgraph"),
        ("digraph { a -> }", "both sides|subgraph"),
        ("digraph { -> a }", "both sides"),
        ("digraph { a(b) -> c }", "quote"),
    ],
)
def test_refused(text, complaint):
    with pytest.raises(InputError, match=complaint):
        parse_dot(text)
