"""What a reader can add: the questions whose answers would settle most, and effects worked out beforehand."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.result.report.network import short_number
from dagscale.result.report.reasons import strongest_edges
from dagscale.runtime.errors import DagscaleError

if TYPE_CHECKING:
    from dagscale.result import Result

MOST_QUESTIONS, MOST_EXPERIMENTS = 6, 2
MOST_EFFECTS = 60  # pairs ...
MOST_FITS = 500  # ... and regressions for them, a hundredth of a second each: open directions ask for many
EFFECTS_UP_TO = 60  # columns


def questions(result: "Result") -> list[dict[str, Any]]:
    """Return the questions of `result.ask()`, the most useful first; answers are pairs of columns' indices.

    Those about two columns come before experiments: they are the ones that a reader can answer.
    """
    if not result.either_way.any():
        return []
    index = {name: i for i, name in enumerate(result.names)}

    def pairs(known: Any) -> list[list[int]]:
        return [[index[a], index[b]] for a, b in known]

    asked = list(result.ask().itertuples(index=False, name=None))
    of_pairs = [one for one in asked if all(len(known.required) == 1 for known in one[2].values())]
    experiments = [one for one in asked if one not in of_pairs]
    return [
        {
            "text": str(question),
            "links": int(links),
            "answers": [
                {"text": str(text), "required": pairs(known.required), "forbidden": pairs(known.forbidden)}
                for text, known in answers.items()
            ],
        }
        for question, links, answers in of_pairs[:MOST_QUESTIONS] + experiments[:MOST_EXPERIMENTS]
    ]


def effects(result: "Result") -> list[dict[str, Any]]:
    """Return what `result.effect` says of the edges, of open links reversed, then of pairs joined by longer paths."""
    if result.sample is None or len(result.names) > EFFECTS_UP_TO:
        return []
    found, fits = [], 0
    for i, j in _pairs_with_a_way(result)[:MOST_EFFECTS]:
        if fits >= MOST_FITS:
            break
        try:
            effect = result.effect(result.names[i], result.names[j])
        except DagscaleError:
            continue
        fits += max(len(effect.adjusted_for), 1) * max(effect.table["outcome"].nunique(), 1)
        found.append({**plain(effect.to_dict()), "source": i, "target": j})
    return found


def _pairs_with_a_way(result: "Result") -> list[tuple[int, int]]:
    edges = strongest_edges(result, MOST_EFFECTS)
    reversed_ = [(j, i) for i, j in edges if result.either_way[i, j]]
    reach = result.adjacency.astype(np.intp)
    for _ in range(int(np.ceil(np.log2(max(2, len(reach)))))):
        reach = ((reach + reach @ reach) > 0).astype(np.intp)
    longer = [(i, j) for i, j in np.argwhere(reach & ~result.adjacency).tolist() if i != j]
    return edges + reversed_ + [pair for pair in longer if pair not in reversed_]


def plain(value: Any) -> Any:
    """Return a value that JSON can hold: numbers shortened, NaN and infinity null, the rest as text."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return short_number(value) if math.isfinite(value) else None
    return str(value)
