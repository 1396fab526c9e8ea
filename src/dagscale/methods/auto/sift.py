"""Sifting: improve an order by moving one node at a time to its best place.

An order is scored by the sum over nodes u of the evidence of u given all its predecessors,

    score(order) = Σ_u gain(u, predecessors(u) ∩ candidates(u)),

where `gain` is the log marginal likelihood of u given those columns less that of u alone. The
evidence fits a length scale per column, so predecessors that are no parents cost next to nothing and
no graph has to be guessed on the way. Taking a node v out and putting it back at the best of all d
places changes v itself and whether v stands before each other node: 3d evidences for all d places, or
6w + 1 for those at most w from where it stood.
Adjacent swaps, the usual move, stop in local optima that this move leaves.
"""

from collections.abc import Callable, Iterable

import numpy as np

from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.gain import Gain, Item
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.types import BoolArray, FloatArray, IntArray


def sift(
    order: IntArray,
    gain: Gain,
    candidates: BoolArray,
    before: BoolArray | None = None,
    *,
    rounds: int = 3,
    window: int | None = None,
    out_of_time: Callable[[], bool] = lambda: False,
    progress: Progress = silent,
) -> IntArray:
    """Sift every node until a whole round moves none.

    Parameters
    ----------
    order : (d,) int array
        Where to start, sources first.
    gain : callable
        Evidence of items (node, columns) over the node alone, in nats.
    candidates : (d, d) bool array
        [i, j]: i may explain j when it comes before it.
    before : (d, d) bool array, optional
        [i, j]: i must come before j; the start must obey it, the result does.
    rounds : int
        Rounds over all nodes at most.
    window : int, optional
        Places that a node may move at once; any by default.
    out_of_time : callable
        Asked before every node; True returns the order as it stands.
    progress : callable
        Called with (label, done, total).

    Returns
    -------
    (d,) int array
    """
    current = [int(v) for v in order]
    d = len(current)
    quiet = 0  # nodes sifted since the last move: d of them in a row and no move is left
    for done in range(rounds * d):
        if quiet >= d or out_of_time():
            break
        progress("likeliest graph: orders of the columns", done, rounds * d)
        v = int(order[done % d])
        moved = _sift_node(v, current, gain, candidates, before, d if window is None else window)
        quiet = 0 if moved != current else quiet + 1
        current = moved
    progress("likeliest graph: orders of the columns", rounds * d, rounds * d)
    return np.array(current, dtype=np.intp)


def order_score(order: Iterable[int], gain: Gain, candidates: BoolArray) -> float:
    """Score an order: the sum of the nodes' gains given their predecessors."""
    order = [int(v) for v in order]
    return float(gain([_item(v, order[:k], candidates) for k, v in enumerate(order)]).sum())


def _item(v: int, predecessors: Iterable[int], candidates: BoolArray) -> Item:
    return v, tuple(sorted(u for u in predecessors if candidates[u, v]))


def _sift_node(
    v: int, order: list[int], gain: Gain, candidates: BoolArray, before: BoolArray | None, window: int
) -> list[int]:
    """Return the order with v at its best place, unchanged if no place is better by `worth_a_move`."""
    rest = [u for u in order if u != v]
    here = order.index(v)
    first, last = max(0, here - window), min(len(rest), here + window)
    places = np.arange(first, last + 1)
    scores = _place_scores(v, rest, first, last, gain, candidates)
    if before is not None:
        scores[~_places_allowed(v, rest, before)[places]] = -np.inf
    if scores.max() < scores[here - first] + SETTINGS.worth_a_move:
        return order
    best = places[scores >= scores.max() - 1e-9]
    place = int(best[np.argmin(np.abs(best - here))])  # equal places: the nearest
    return [*rest[:place], v, *rest[place:]]


def _place_scores(
    v: int, rest: list[int], first: int, last: int, gain: Gain, candidates: BoolArray
) -> FloatArray:
    """Score the order with v at each of the places from `first` to `last`, up to a constant."""
    told = [k for k in range(first, last) if candidates[v, rest[k]]]  # nodes passed that v may explain
    without = [_item(rest[k], rest[:k], candidates) for k in told]
    with_v = [_item(rest[k], [*rest[:k], v], candidates) for k in told]
    own = [_item(v, rest[:place], candidates) for place in range(first, last + 1)]
    values = gain([*without, *with_v, *own])
    lost = np.zeros(last - first)  # what each node passed loses when v comes after it
    lost[np.array(told, dtype=np.intp) - first] = values[len(told) : 2 * len(told)] - values[: len(told)]
    return np.asarray(values[2 * len(told) :] - np.concatenate([[0.0], np.cumsum(lost)]))


def _places_allowed(v: int, rest: list[int], before: BoolArray) -> BoolArray:
    """Tell the places of v that keep it after its required ancestors and before its descendants."""
    first = max((k + 1 for k, u in enumerate(rest) if before[u, v]), default=0)
    last = min((k for k, u in enumerate(rest) if before[v, u]), default=len(rest))
    places = np.arange(len(rest) + 1)
    return (places >= first) & (places <= last)
