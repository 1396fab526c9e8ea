"""`Result.ask`: which single answer or experiment would settle most of the directions that the data leave open."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dagscale.graphs.partial import split, with_direction
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


def questions(result: "Result") -> Iterator[Question]:
    """Yield a question for every open link, and an experiment for every column with two or more of them.

    Where no column has, an experiment for the likelier cause of every open link.
    """
    directed, open_ = split(result.adjacency, result.either_way)
    likely = result.probabilities + result.probabilities.T
    ends = np.argwhere(np.triu(open_))
    ends = ends[np.argsort(-likely[ends[:, 0], ends[:, 1]], kind="stable")][:MOST]
    for i, j in ends.tolist():
        yield _about_link(result.names, directed, open_, i, j)
    several = np.flatnonzero(open_.sum(axis=0) > 1)
    causes = [i if result.adjacency[i, j] else j for i, j in ends.tolist()]
    for v in several.tolist() or dict.fromkeys(causes):
        yield _experiment(result, directed, open_, v)


def _about_link(names: list[Any], directed: BoolArray, open_: BoolArray, i: int, j: int) -> Question:
    counts, answers = [], {}
    for a, b in ((i, j), (j, i)):
        after = with_direction(directed, open_, a, b)
        if after is not None:
            counts.append(_links(open_) - _links(after[1]))
            answers[f"{shown(names[a])} -> {shown(names[b])}"] = Knowledge(required=[(names[a], names[b])])
    said = (
        f"Does {shown(names[i])} cause {shown(names[j])}, or does {shown(names[j])} cause {shown(names[i])}?"
    )
    return Question(said, min(counts, default=1), answers)


def _experiment(result: "Result", directed: BoolArray, open_: BoolArray, v: int) -> Question:
    """Set a column: those of its partners that follow are effects, those that do not are causes."""
    names, partners = result.names, np.flatnonzero(open_[v])
    listed, one = ", ".join(shown(names[k]) for k in partners), len(partners) == 1
    answers = {
        "it changes" if one else "all of them change": Knowledge(
            required=[(names[v], names[k]) for k in partners]
        ),
        "it does not change" if one else "none of them changes": Knowledge(
            required=[(names[k], names[v]) for k in partners]
        ),
    }
    asks = f"does {listed} change?" if one else f"which of {listed} change?"
    said = f"Set {shown(names[v])} in an experiment: {asks}"
    return Question(said, _likely_settled(result, directed, open_, v, partners), answers)


def _likely_settled(
    result: "Result", directed: BoolArray, open_: BoolArray, v: int, partners: IntArray
) -> int:
    """Count the links that the likelier answers would direct."""
    now = directed, open_
    for k in partners.tolist():
        if now[1][v, k]:
            a, b = (v, k) if result.adjacency[v, k] else (k, v)
            now = with_direction(*now, a, b) or now
    return _links(open_) - _links(now[1])


def _links(open_: BoolArray) -> int:
    return int(open_.sum()) // 2
