"""Positions for large graphs: distances from a few pivots give the shape, local forces the spacing.

Both parts cost about as much as the graph has edges: PivotMDS (Brandes and Pich 2007) instead of all pairs of
shortest paths, and repulsion only between nodes that are near each other.
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree

from dagscale.runtime.types import BoolArray, FloatArray, IntArray

PIVOTS = 60
STEPS, FEWEST_STEPS = 150, 35
STEPS_TIMES_NODES = 200_000  # larger graphs take fewer steps
REMEMBERED = 4  # steps for which nodes count as near each other
SPACING = 90.0  # pixels per unit of length
REACH = 3.0  # nodes further apart do not repel each other
PULL = 0.5


def force_positions(adjacency: BoolArray) -> FloatArray:
    """Return positions (d, 2) of a connected graph; the same graph always gets the same ones."""
    either = adjacency | adjacency.T
    xy = _pivot_positions(csr_array(either))
    edges = np.argwhere(np.triu(either))  # (edges, 2)
    radius = np.sqrt(len(adjacency))
    steps = int(np.clip(STEPS_TIMES_NODES // len(adjacency), FEWEST_STEPS, STEPS))
    for step in range(steps):
        move = -PULL * xy / radius  # towards the middle, so that long arms fold in
        if step % REMEMBERED == 0:
            pairs = cKDTree(xy).query_pairs(REACH, output_type="ndarray")
        _apply(move, xy, pairs, _repulsion)
        _apply(move, xy, edges, lambda length: -0.35 * np.minimum(length, 4))
        limit = 0.5 * (1 - step / steps) + 0.01  # steps shrink so that the picture settles
        size = np.linalg.norm(move, axis=1, keepdims=True)
        xy += move * np.minimum(1, limit / np.maximum(size, 1e-12))
    return SPACING * xy


def _repulsion(length: FloatArray) -> FloatArray:
    push: FloatArray = 0.5 * np.maximum(0, 1 - (length / REACH) ** 2) / np.maximum(length, 0.1)
    return push


def _apply(
    move: FloatArray, xy: FloatArray, pairs: IntArray, push: Callable[[FloatArray], FloatArray]
) -> None:
    """Add to both ends of each pair the push (positive is apart) along the line between them."""
    between = xy[pairs[:, 0]] - xy[pairs[:, 1]]
    length = np.linalg.norm(between, axis=1)
    shift = between / np.maximum(length, 1e-9)[:, None] * push(length)[:, None]
    for axis in range(2):
        move[:, axis] += np.bincount(pairs[:, 0], shift[:, axis], minlength=len(xy))
        move[:, axis] -= np.bincount(pairs[:, 1], shift[:, axis], minlength=len(xy))


def _pivot_positions(linked: csr_array) -> FloatArray:
    d = linked.shape[0]
    pivots = [0]
    nearest = _distances(linked, 0)
    far = [nearest]
    while len(pivots) < min(PIVOTS, d):
        pivots.append(int(np.argmax(nearest)))  # the node furthest from all pivots so far
        far.append(_distances(linked, pivots[-1]))
        nearest = np.minimum(nearest, far[-1])
    squares = np.stack(far, axis=1) ** 2  # (d, pivots)
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean()
    U, s, _ = np.linalg.svd(-centred / 2, full_matrices=False)
    xy = U[:, :2] * np.sqrt(s[:2])
    # Keep every direction but spread the distances from the middle evenly over a disc: long arms fold in.
    away = np.linalg.norm(xy, axis=1)
    rank = np.argsort(np.argsort(away, kind="stable"), kind="stable")
    xy *= (np.sqrt(rank / np.pi) / np.maximum(away, 1e-9))[:, None]
    # Leaves of one parent would share a point: part them by a fixed jitter.
    spread: FloatArray = xy + np.random.default_rng(0).normal(scale=0.3, size=(d, 2))
    return spread


def _distances(linked: csr_array, source: int) -> FloatArray:
    distances: FloatArray = shortest_path(linked, unweighted=True, directed=False, indices=source)
    return distances
