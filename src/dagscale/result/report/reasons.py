"""Why an edge is there or is not: in full for every pair of a small table, for the closest pairs of a large one."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.graphs.pair_values import pairs_with_numbers
from dagscale.result.missing_edge import additions, splines_of
from dagscale.result.why import Why
from dagscale.runtime.errors import shown
from dagscale.stages.answer import StageKind

if TYPE_CHECKING:
    from dagscale.result import Result

ALL_PAIRS_UP_TO = 50  # columns; wider tables explain edges and the strongest candidates only
EVERY_PAIR_UP_TO = 2000  # columns; up to here the stage that decided is told for every pair
CANDIDATES = 3000  # pairs without an edge that are explained, the closest
EXPLAINED, CANDIDATES_OF_WIDE = 1500, 1000  # edges and candidates of still wider tables


def reasons(result: "Result") -> dict[str, dict[str, Any]]:
    """Return the explanation by "parent child"."""
    d = len(result.names)
    explain = result.explainer
    if d <= ALL_PAIRS_UP_TO:
        pairs = [(i, j) for i in range(d) for j in range(d) if i != j]
    else:
        edges, most = (
            (len(result.edge_table), CANDIDATES) if d <= EVERY_PAIR_UP_TO else (EXPLAINED, CANDIDATES_OF_WIDE)
        )
        pairs = [*strongest_edges(result, edges), *_strongest_candidates(result, most)]
    found = {(i, j): explain.pair(i, j) for i, j in pairs}
    told = _additions(result, found) if d <= ALL_PAIRS_UP_TO else {}
    return {f"{i} {j}": _reason(why, told.get((i, j), "")) for (i, j), why in found.items()}


def strongest_edges(result: "Result", most: int) -> list[tuple[int, int]]:
    """Return the strongest edges as pairs of indices; the edge table has the strongest first."""
    index = {name: i for i, name in enumerate(result.names)}
    table = result.edge_table.head(most)
    return [(index[a], index[b]) for a, b in zip(table["source"], table["target"], strict=True)]


def _additions(result: "Result", found: dict[tuple[int, int], Why]) -> dict[tuple[int, int], str]:
    """Say what the missing edges that no number decided on would add, child by child."""
    unweighed = [pair for pair, why in found.items() if not why.kept and why.statistic is None]
    table, names = splines_of(result), [shown(name) for name in result.names]
    told = {}
    for j in {j for _, j in unweighed}:
        causes = [i for i, child in unweighed if child == j]
        texts = additions(table, result.adjacency, names, causes, j)
        told.update({(i, j): text for i, text in zip(causes, texts, strict=True)})
    return told


def _strongest_candidates(result: "Result", most: int) -> list[tuple[int, int]]:
    """Return the pairs without an edge that came closest to one, by the last stage that has numbers."""
    for stage, small in result.explainer.weighed:
        assert stage.statistic is not None
        sources, targets, values = pairs_with_numbers(stage.statistic)
        open_ = ~result.adjacency[sources, targets] & (sources != targets)
        sources, targets, values = sources[open_], targets[open_], values[open_] if small else -values[open_]
        if len(values) > most:  # sorting tens of millions of pairs would take a minute
            close = np.flatnonzero(values <= np.partition(values, most)[most])
            sources, targets, values = sources[close], targets[close], values[close]
        best = np.lexsort((targets, sources, values))[:most]
        return list(zip(sources[best].tolist(), targets[best].tolist(), strict=True))
    return []


def _reason(why: Why, addition: str) -> dict[str, Any]:
    notes = [note for note in (addition, why.runner_up_note) if note]
    return {"reason": why.reason, "steps": [str(step) for step in why.steps], "notes": notes}


def decided(result: "Result") -> dict[str, Any]:
    """Say for every pair which stage decided: per child, parents in causal order, runs of equal stages.

    `runs` holds, child by child in causal order, [stage, count, stage, count, ...]; `stages` the names. Empty
    where `reasons` has every pair already.
    """
    d = len(result.names)
    if d <= ALL_PAIRS_UP_TO or d > EVERY_PAIR_UP_TO:
        return {"stages": [], "runs": []}
    order = np.argsort(result.explainer.position)
    deciding = result.explainer.deciding[np.ix_(order, order)]
    runs = []
    for column in deciding.T:
        starts = np.flatnonzero(np.diff(column, prepend=-1))
        counts = np.diff(starts, append=d)
        runs.append(np.column_stack([column[starts], counts]).ravel().tolist())
    return {"stages": [*(stage.kind for stage in result.trail), StageKind.METHOD], "runs": runs}
