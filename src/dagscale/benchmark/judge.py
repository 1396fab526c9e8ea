"""An answer against the truth, or against the known tiers: every measure a run is recorded with."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dagscale.benchmark.cases import Problem
from dagscale.benchmark.pairs import decision
from dagscale.benchmark.rows import Answer
from dagscale.graphs import metrics
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.runtime.types import BoolArray


def judge_problem(data: Problem, found: Answer) -> dict[str, Any]:
    """Compute the measures of an answer by what is known: a graph, tiers of columns, or which of two is the cause."""
    if data.truth is None:
        return judge_tiers(data.tiers, found, [str(name) for name in data.table.columns])
    if data.weight is not None:
        return vars(decision(data.truth, found, data.weight))
    return judge(data.truth, found, data.kinds) | dict(found.labels)


def judge_tiers(tiers: Sequence[int], found: Answer, names: Sequence[str]) -> dict[str, Any]:
    """Count the links between tiers: arrows claimed from an earlier to a later one, against that, left open.

    `tier_score` is arrows along the tiers less arrows against them: 0 for a graph that claims nothing.
    """
    level, adjacency = np.array(tiers), found.adjacency
    linked = adjacency | adjacency.T
    is_open = adjacency & adjacency.T
    if found.either_way is not None:
        is_open = is_open | (found.either_way & linked)
    claimed = adjacency & ~is_open
    later: BoolArray = level[:, None] < level[None, :]  # [i, j]: j is in a later tier than i
    against = claimed & later.T
    along = int((claimed & later).sum())
    return {
        "links": int(np.triu(linked).sum()),
        "along": along,
        "against": int(against.sum()),
        "open": int((is_open & later).sum()),
        "tier_score": along - int(against.sum()),
        "arrows_against": [f"{names[i]} -> {names[j]}" for i, j in np.argwhere(against)],
    }


def judge(truth: BoolArray, found: Answer, kinds: tuple[str, ...] = ()) -> dict[str, Any]:
    """Compute the measures of an answer; None where one is undefined, as SID is for a graph with a cycle.

    `kinds` are the columns', () where all are continuous.
    """
    directed = found.adjacency & ~found.adjacency.T
    if found.order is None:
        measures = _not_a_dag(truth, found.adjacency)
    else:
        measures = metrics.evaluate(truth, found.adjacency)
        measures["order_errors"] = metrics.order_errors(truth, found.order)
    measures = {name: round(v, 6) if isinstance(v, float) else v for name, v in measures.items()}
    measures |= claims(truth, directed if found.either_way is None else directed & ~found.either_way, kinds)
    return measures | {
        "link_errors": int(np.triu((truth | truth.T) != (found.adjacency | found.adjacency.T)).sum()),
        "undirected_edges": int((found.adjacency & ~directed).sum()) // 2,
        "recall_by_in_degree": found_by_in_degree(truth, directed),
    }


def claims(truth: BoolArray, claimed: BoolArray, kinds: tuple[str, ...] = ()) -> dict[str, Any]:
    """Count the arrows that are claimed, and say what of them is right.

    `claimed_precision` is the share of them that is right, `wrong_way` the share of the true edges that are claimed
    the wrong way, `numbers_claimed` the share of the edges between numbers that are claimed the right way.
    """
    numbers = np.array([kind == CONTINUOUS for kind in kinds or [CONTINUOUS] * len(truth)])
    between = truth & np.outer(numbers, numbers)
    count, right = int(claimed.sum()), int((claimed & truth).sum())
    return {
        "claimed": count,
        "claimed_precision": round(right / count, 6) if count else None,
        "wrong_way": round(int((claimed & truth.T).sum()) / int(truth.sum()), 6) if truth.any() else None,
        "numbers_claimed": round(int((claimed & between).sum()) / int(between.sum()), 6)
        if between.any()
        else None,
    }


def found_by_in_degree(truth: BoolArray, adjacency: BoolArray) -> dict[str, list[int]]:
    """Count the true edges found, and all of them, by the child's number of true parents."""
    in_degree = truth.sum(axis=0)
    hits = (truth & adjacency).sum(axis=0)
    return {
        str(k): [int(hits[in_degree == k].sum()), int(k * (in_degree == k).sum())]
        for k in np.unique(in_degree)
        if k > 0
    }


def _not_a_dag(truth: BoolArray, adjacency: BoolArray) -> dict[str, Any]:
    """Compute what needs no order; `metrics` refuses the graphs with cycles that some peers return.

    An edge in both directions is undirected: one edge claimed, and wrong whatever the truth has there, since
    half an answer is none. Its adjacency may be right, which adjacency F1 counts.
    """
    undirected = adjacency & adjacency.T
    hits = int((truth & adjacency & ~undirected).sum())
    edges, found = int(truth.sum()), int(adjacency.sum()) - int(undirected.sum()) // 2
    differs = (truth != adjacency) | (truth != adjacency).T
    joined = int((truth & (adjacency | adjacency.T)).sum())
    return {
        "shd": int(np.triu(differs).sum()),
        "sid": None,
        "precision": hits / found,
        "recall": hits / edges if edges else 0.0,
        "f1": 2 * hits / (edges + found),
        "skeleton_f1": 2 * joined / (edges + found),
        "order_errors": None,
        "true_edges": edges,
        "estimated_edges": found,
    }
