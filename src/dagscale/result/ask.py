"""`Result.ask`: which single answer or experiment would settle most of the directions that the data leave open."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dagscale.graphs.partial import implied, split, with_direction
from dagscale.inputs.knowledge import Knowledge
from dagscale.runtime.errors import shown
from dagscale.runtime.types import BoolArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from dagscale.result import Result

MOST = 200  # open links that are asked about, the likeliest first


class Question(NamedTuple):
    """One question.

    Attributes
    ----------
    question : str
    links : int
        Open links that the answer would direct, whichever it is: the link itself and those that follow.
    answers : dict of str to Knowledge
        What each answer says, as knowledge for `discover` or `with_knowledge`.
    """

    question: str
    links: int
    answers: dict[str, Knowledge]


def ask(result: "Result") -> "pd.DataFrame":
    """Rank the questions by the number of links that they would direct."""
    import pandas as pd

    asked = sorted(questions(result), key=lambda one: -one.links)
    frame = pd.DataFrame(asked, columns=list(Question._fields))
    return frame.astype({"links": int})


class _State(NamedTuple):
    """What is directed, what is open (symmetric), and open links that no answer to another question directs.

    `unsure` pairs (symmetric) are apart and meet in the graph, but on open links: they may collide there or not.
    """

    directed: BoolArray
    open_: BoolArray
    never: BoolArray
    unsure: BoolArray

    @classmethod
    def of(cls, result: "Result") -> "_State":
        """A link that would follow from the directed ones as they are was left open for its own reasons."""
        directed, open_ = split(result.adjacency, result.either_way)
        unsure = _meeting(result.adjacency, result.adjacency & result.either_way)
        return cls(directed, open_, open_ & ~implied(directed, open_, unsure)[1], unsure)

    def after(self, i: int, j: int) -> "_State | None":
        """Direct i -> j and all that follows; None where that closes a cycle."""
        found = with_direction(self.directed, self.open_, i, j, self.never, self.unsure)
        return None if found is None else _State(*found, self.never, self.unsure)

    def more_than(self, other: "_State") -> int:
        """Links that are open here and not there."""
        return _links(self.open_) - _links(other.open_)


def questions(result: "Result") -> Iterator[Question]:
    """Yield a question for every open link, and an experiment for every column with two or more of them.

    Where no column has, an experiment for an end of every open link, the likelier cause if possible. Columns that
    were set in the table are not named again.
    """
    state = _State.of(result)
    likely = result.probabilities + result.probabilities.T
    ends = np.argwhere(np.triu(state.open_))
    ends = ends[np.argsort(-likely[ends[:, 0], ends[:, 1]], kind="stable")][:MOST]
    for i, j in ends.tolist():
        yield _about_link(result.names, state, i, j)
    new: BoolArray = np.ones(len(result.names), dtype=bool)
    if result.conditions is not None:
        new = np.asarray(~result.conditions.targets.any(axis=0))
    several = np.flatnonzero((state.open_.sum(axis=0) > 1) & new).tolist()
    for v in several or dict.fromkeys(_one_end(result.adjacency, new, ends)):
        yield _experiment(result, state, v)


def _one_end(adjacency: BoolArray, new: BoolArray, ends: IntArray) -> Iterator[int]:
    """Yield one of the new columns of every link."""
    for i, j in ends.tolist():
        pair = (i, j) if adjacency[i, j] else (j, i)
        yield from [v for v in pair if new[v]][:1]


def _about_link(names: list[Any], state: _State, i: int, j: int) -> Question:
    counts, answers = [], {}
    for a, b in ((i, j), (j, i)):
        after = state.after(a, b)
        if after is not None:
            counts.append(state.more_than(after))
            answers[f"{shown(names[a])} -> {shown(names[b])}"] = Knowledge(required=[(names[a], names[b])])
    said = (
        f"Does {shown(names[i])} cause {shown(names[j])}, or does {shown(names[j])} cause {shown(names[i])}?"
    )
    return Question(said, min(counts, default=1), answers)


def _experiment(result: "Result", state: _State, v: int) -> Question:
    """Set a column: those of its partners that follow are effects, those that do not are causes."""
    names, partners = result.names, np.flatnonzero(state.open_[v])
    listed, one = ", ".join(shown(names[k]) for k in partners), len(partners) == 1
    follow, stay = (
        ("it changes", "it does not change") if one else ("all of them change", "none of them changes")
    )
    answers = {
        follow: Knowledge(required=[(names[v], names[k]) for k in partners]),
        stay: Knowledge(required=[(names[k], names[v]) for k in partners]),
    }
    asks = f"does {listed} change?" if one else f"which of {listed} change?"
    return Question(
        f"Set {shown(names[v])} in an experiment: {asks}",
        _likely_settled(result, state, v, partners),
        answers,
    )


def _likely_settled(result: "Result", state: _State, v: int, partners: IntArray) -> int:
    """Count the links that the likelier answers would direct."""
    now = state
    for k in partners.tolist():
        if now.open_[v, k]:
            a, b = (v, k) if result.adjacency[v, k] else (k, v)
            now = now.after(a, b) or now
    return state.more_than(now)


def _meeting(adjacency: BoolArray, open_: BoolArray) -> BoolArray:
    """Pairs (d, d), symmetric, that are apart and have a common child, one of them by an open link."""
    meet = (open_.astype(np.float32) @ adjacency.T.astype(np.float32)) > 0
    return np.asarray((meet | meet.T) & ~(adjacency | adjacency.T) & ~np.eye(len(adjacency), dtype=bool))


def _links(open_: BoolArray) -> int:
    return int(open_.sum()) // 2
