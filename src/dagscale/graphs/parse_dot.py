"""Reading the part of the DOT language that graphs of causes use."""

import re
from itertools import pairwise

from dagscale.runtime.errors import InputError

TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*)
    | (?P<quoted>"(?:\\.|[^"\\])*")
    | (?P<word>[A-Za-z_0-9.\u0080-\uffff]+|-[.0-9]+)
    | (?P<mark>->|--|[\[\]{};,=:])
    | (?P<space>\s+)
    | (?P<odd>.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
DEFAULTS = ("graph", "node", "edge")


def parse_dot(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    r"""Return the nodes, in order of appearance, and the directed edges of a DOT graph.

    Understood: quoted and plain names, chains `a -> b -> c`, attributes in brackets (ignored, but for dir=both:
    a hidden cause, which is no edge), defaults such as `node [shape=box]`, `key=value`, subgraphs as mere
    grouping, comments. Refused: undirected edges, ports, edges to a whole subgraph.

    >>> parse_dot('digraph { "a b" -> c [weight=2]; d; }')
    (['a b', 'c', 'd'], [('a b', 'c')])
    """
    nodes: dict[str, None] = {}
    edges: list[tuple[str, str]] = []
    for statement in _statements(_tokens(text)):
        words = [token for token in statement if token != "->"]
        if len(statement) != 2 * len(words) - 1:
            raise InputError("a DOT edge needs a node on both sides of ->")
        names = [_name(word) for word in words]
        nodes.update(dict.fromkeys(names))
        edges += pairwise(names)
    return list(nodes), edges


def _tokens(text: str) -> list[str]:
    matches = TOKEN.finditer(text)
    tokens = [match.group() for match in matches if match.lastgroup not in ("comment", "space")]
    heads = [token.lower() for token in tokens[:2] if token.lower() != "strict"]
    if not heads or heads[0] != "digraph" or "{" not in tokens:
        raise InputError("a DOT file of a causal graph starts with digraph {")
    return tokens[tokens.index("{") + 1 :]


def _statements(tokens: list[str]) -> list[list[str]]:
    """Split into node and edge statements; names not joined by -> are statements of their own."""
    statements: list[list[str]] = [[]]
    tokens = _without_attributes(tokens)
    for i, token in enumerate(tokens):
        if token in ("--", ":"):
            raise InputError(
                f"{token} in a DOT graph is not supported: only directed edges between plain nodes are"
            )
        if len(token) == 1 and not token.isalnum() and token not in "_{};,":
            raise InputError(f"unexpected {token!r} in a DOT graph: quote names with unusual characters")
        if token in ("{", "}", ";", ","):
            if "->" in (tokens[i - 1 : i] or [""]) or (token == "}" and tokens[i + 1 : i + 2] == ["->"]):
                raise InputError("a DOT edge to a whole subgraph is not supported: write one edge per pair")
            statements.append([])
        elif token == "->" or (statements[-1] and statements[-1][-1] == "->"):
            statements[-1].append(token)
        else:
            statements.append([token])
    return [statement for statement in statements if statement]


def _without_attributes(tokens: list[str]) -> list[str]:
    """Drop [...] lists, `key=value`, the words graph, node and edge before a list, and `subgraph name`."""
    kept: list[str] = []
    depth, i = 0, 0
    while i < len(tokens):
        token = tokens[i]
        following = tokens[i + 1] if i + 1 < len(tokens) else ""
        if token == "[" and _dashed(tokens[i:]):
            del kept[-3:]
        depth += (token == "[") - (token == "]")
        if depth or token == "]":
            i += 1
        elif following == "=":
            i += 3
        elif token.lower() in DEFAULTS and following == "[":
            i += 1
        elif token.lower() == "subgraph":
            i += 1 if following == "{" else 2
        else:
            kept.append(token)
            i += 1
    return kept


def _dashed(tokens: list[str]) -> bool:
    """Say whether an attribute list gives an edge two arrowheads: a hidden cause, no edge between the two."""
    inside = tokens[: tokens.index("]")] if "]" in tokens else tokens
    return any(inside[k : k + 3] == ["dir", "=", "both"] for k in range(len(inside)))


def _name(token: str) -> str:
    if not token.startswith('"'):
        return token
    return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL)
