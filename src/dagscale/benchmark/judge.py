"""An answer against the truth: every measure a run is recorded with."""

from typing import Any

import numpy as np

from dagscale import metrics
from dagscale.benchmark.rows import Answer
from dagscale.types import BoolArray


def judge(truth: BoolArray, found: Answer) -> dict[str, Any]:
    """Compute the measures of an answer; None where one is undefined, as SID is for a graph with a cycle."""
    if found.order is None:
        measures = _with_cycle(truth, found.adjacency)
    else:
        measures = metrics.evaluate(truth, found.adjacency)
        measures["order_errors"] = metrics.order_errors(truth, found.order)
    measures = {name: round(v, 6) if isinstance(v, float) else v for name, v in measures.items()}
    return measures | {"recall_by_in_degree": found_by_in_degree(truth, found.adjacency)}


def found_by_in_degree(truth: BoolArray, adjacency: BoolArray) -> dict[str, list[int]]:
    """Count the true edges found and all of them, by the child's number of true parents.

    Counts, not shares, so that several seeds can be pooled.
    """
    in_degree = truth.sum(axis=0)
    hits = (truth & adjacency).sum(axis=0)
    return {
        str(k): [int(hits[in_degree == k].sum()), int(k * (in_degree == k).sum())]
        for k in np.unique(in_degree)
        if k > 0
    }


def _with_cycle(truth: BoolArray, adjacency: BoolArray) -> dict[str, Any]:
    """Compute what needs no order; `metrics` refuses graphs with cycles, which some peers return."""
    hits = int((truth & adjacency).sum())
    edges, found = int(truth.sum()), int(adjacency.sum())
    reversed_edges = int((truth & adjacency.T & ~adjacency).sum())
    return {
        "shd": edges + found - 2 * hits - reversed_edges,
        "sid": None,
        "precision": hits / found,
        "recall": hits / edges if edges else 1.0,
        "f1": 2 * hits / (edges + found),
        "order_errors": None,
        "true_edges": edges,
        "estimated_edges": found,
    }
