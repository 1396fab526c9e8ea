"""Which hidden causes independence can tell from arrows at all, if the true graph is told.

What columns show of a graph with hidden causes is its maximal ancestral graph: two columns are joined if no set of
others separates them, and an edge has an arrowhead at j if j is no ancestor of its other end. Several such graphs may
allow the same independences. The arrowheads that all of them share follow from colliders by four rules (FCI; Zhang
2008, R1 to R4). Where both arrowheads of a pair are among them, every arrow between the two makes a prediction that
fails; elsewhere nothing but shapes can tell it from a hidden cause.
"""

from itertools import permutations

import numpy as np

from dagscale.graphs.adjustment import separated
from dagscale.graphs.dag import descendants

ABSENT, OPEN, HEAD, TAIL = range(4)  # [i, j] is the mark at j of the edge between i and j


def told_by_independence(graph, hidden):
    """Mark the pairs (d, d) that no arrow can stand for, under a DAG (d, d) and pairs with a hidden cause (d, d)."""
    heads = compelled_heads(*ancestral(graph, hidden))
    return heads & heads.T


def ancestral(graph, hidden):
    """Return who is joined, and at which ends j [i, j] an edge has an arrowhead, (d, d) each."""
    reach = descendants(graph) | np.eye(len(graph), dtype=bool)
    pairs, joined = np.argwhere(np.triu(hidden)).tolist(), graph | graph.T | hidden
    for i, j in np.argwhere(~joined & np.triu(np.ones_like(joined), 1)).tolist():
        above = np.flatnonzero(reach[:, i] | reach[:, j]).tolist()
        joined[i, j] = joined[j, i] = not separated(graph, pairs, i, j, [k for k in above if k not in (i, j)])
    return joined, joined & ~reach.T


def compelled_heads(joined, heads):
    """Mark the arrowheads [i, j] at j that every maximal ancestral graph of the same independences has."""
    marks = np.where(joined, OPEN, ABSENT)
    triples = list(permutations(range(len(joined)), 3))
    for i, j, k in triples:
        if joined[i, j] and joined[k, j] and not joined[i, k] and heads[i, j] and heads[k, j]:
            marks[i, j] = HEAD
    before = None
    while before is None or (marks != before).any():
        before = marks.copy()
        for i, j, k in triples:
            _directed_on(marks, i, j, k)
            _directed_past(marks, i, j, k)
        for i, j in np.argwhere(marks == OPEN).tolist():
            if _between_colliders(marks, i, j):
                marks[i, j] = HEAD
            elif _discriminated(marks, j, i):
                marks[i, j] = HEAD if heads[i, j] else TAIL
                marks[j, i] = HEAD
    return marks == HEAD


def _directed_on(marks, i, j, k):
    """R1: i *-> j o-* k, i and k not joined: j -> k."""
    if marks[i, j] == HEAD and marks[k, j] == OPEN and marks[i, k] == ABSENT:
        marks[k, j], marks[j, k] = TAIL, HEAD


def _directed_past(marks, i, j, k):
    """R2: i -> j *-> k or i *-> j -> k, and i *-o k: i *-> k."""
    if marks[i, k] == OPEN and marks[i, j] == marks[j, k] == HEAD and TAIL in (marks[j, i], marks[k, j]):
        marks[i, k] = HEAD


def _between_colliders(marks, i, j):
    """R3: a *-> j <-* b and a *-o i o-* b, a and b not joined, and i *-o j: i *-> j."""
    both = np.flatnonzero((marks[:, j] == HEAD) & (marks[:, i] == OPEN)).tolist()
    return any(marks[a, b] == ABSENT for a in both for b in both if a != b)


def _discriminated(marks, b, c):
    """R4: say whether a path of colliders that are parents of c leads from b to a column that c is not joined with."""
    parents = (marks[:, c] == HEAD) & (marks[c] == TAIL)
    front, seen = np.flatnonzero(parents & (marks[b] == HEAD)).tolist(), set()
    while front:
        a = front.pop()
        seen.add(a)
        for before in np.flatnonzero(marks[:, a] == HEAD).tolist():
            if before not in (b, c) and marks[before, c] == ABSENT:
                return True
            if parents[before] and marks[a, before] == HEAD and before not in seen:
                front.append(before)
    return False
