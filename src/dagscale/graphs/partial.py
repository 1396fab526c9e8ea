"""Partially directed graphs: some links have a direction, others may point either way.

Meek's four rules (1995) say which open links follow from the directed ones, if neither a new collider nor a cycle may
arise: what a piece of knowledge settles besides the link that it speaks of.
"""

import numpy as np

from dagscale.graphs.dag import descendants
from dagscale.runtime.types import BoolArray


def split(adjacency: BoolArray, either_way: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Return the directed edges [parent, child] and the open links, symmetric, (d, d) each."""
    linked = adjacency | adjacency.T
    return adjacency & ~either_way, linked & either_way


def equivalence_class(dag: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Return the compelled edges of a DAG and the links that may point either way in its Markov class (a CPDAG)."""
    return following(dag, colliding(dag))


def colliding(dag: BoolArray) -> BoolArray:
    """Edges i -> j of a DAG that meet another one, k -> j, i and k being apart, (d, d)."""
    linked = dag | dag.T | np.eye(len(dag), dtype=bool)
    return np.asarray(dag & (((~linked).astype(np.float32) @ dag.astype(np.float32)) > 0))


def following(
    dag: BoolArray, certain: BoolArray, unsure: BoolArray | None = None, never: BoolArray | None = None
) -> tuple[BoolArray, BoolArray]:
    """Return the edges of a DAG that follow from certain ones among them, these included, and the links left open.

    `unsure` and `never` (d, d) as in `implied`.
    """
    return implied(certain & dag, (dag | dag.T) & ~(certain | certain.T), unsure, never)


def implied(
    directed: BoolArray,
    open_: BoolArray,
    unsure: BoolArray | None = None,
    never: BoolArray | None = None,
) -> tuple[BoolArray, BoolArray]:
    """Direct the open links that Meek's rules settle; return what is directed and what stays open then.

    A link that two rules would direct both ways stays open: the graph then contradicts itself there. `unsure` pairs
    (d, d), symmetric, are apart but may or may not collide somewhere: no rule builds on them. Links of `never` (d, d),
    symmetric, are not directed by any rule, so that nothing follows from them either.
    """
    joined = np.zeros_like(directed) if unsure is None else unsure
    directed, open_ = directed.copy(), open_.copy()
    while open_.any():
        found = open_ & _settled(directed, open_, joined)
        found &= ~found.T
        if never is not None:
            found &= ~never
        if not found.any():
            break
        directed |= found
        open_ &= ~(found | found.T)
        if _cyclic(directed):
            break
    return directed, open_


def with_direction(
    directed: BoolArray,
    open_: BoolArray,
    i: int,
    j: int,
    never: BoolArray | None = None,
    unsure: BoolArray | None = None,
) -> tuple[BoolArray, BoolArray] | None:
    """Direct the open link i -> j and all that follows; None where that closes a cycle.

    `never` and `unsure` (d, d) as in `implied`.
    """
    directed, open_ = directed.copy(), open_.copy()
    directed[i, j], open_[i, j], open_[j, i] = True, False, False
    if _cyclic(directed):
        return None
    return implied(directed, open_, unsure, never)


def _settled(directed: BoolArray, open_: BoolArray, joined: BoolArray) -> BoolArray:
    """[i, j]: a rule directs the open link i -> j; `joined` pairs (d, d) count as linked."""
    d = len(directed)
    linked = directed | directed.T | open_ | joined | np.eye(d, dtype=bool)
    found = (directed.T.astype(np.float32) @ ~linked) > 0  # 1: k -> i - j, k and j apart
    found |= descendants(directed)  # 2: a directed path leads from i to j
    for i, j in np.argwhere(open_ & ~found).tolist():
        into = np.flatnonzero(open_[i] & directed[:, j])  # 3: i - k -> j and i - l -> j, k and l apart
        if len(into) > 1 and not linked[np.ix_(into, into)].all():
            found[i, j] = True
            continue
        last = directed[:, j] & linked[i]  # 4: i - k -> l -> j, k and j apart
        first = open_[i] & ~linked[:, j]
        found[i, j] = bool(directed[np.ix_(first, last)].any())
    return np.asarray(found)


def _cyclic(directed: BoolArray) -> bool:
    try:
        descendants(directed)
    except ValueError:
        return True
    return False
