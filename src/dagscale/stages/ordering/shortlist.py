"""The few candidates of every node that are worth a closer look, found in blocks: never d x d floats.

The first parent of a node gains what `splines.forward` says with A = I, and c of all pairs is one matrix
product. For a node that already has parents the same is done with its residual; what a candidate shares
with the parents (A below I) is left out of account, which can only make its gain look too small.
"""

import numpy as np

from dagscale.models.splines.forward import GRID, Blocks, Forward
from dagscale.runtime.arrays import array_namespace, beside, largest, on_device
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import Array, BoolArray, FloatArray, IntArray

CELLS = 8_000_000  # single-precision numbers computed at once: 32 MB a worker ...
WIDER = 8  # ... and so many times more on a device, which waits for the host after each
ROUGH = GRID[::2]  # the ranking needs no finer grid


def at_once(cells: int, device: str) -> int:
    """Return how many nodes to look at together, when each takes so many numbers."""
    return max(1, (CELLS if device == "cpu" else WIDER * CELLS) // cells)


def single(x: Array, device: str) -> Array:
    """Move an array to a device in single precision: seven digits of numbers that need three."""
    if device == "cpu":
        return np.asarray(x, dtype=np.float32)
    moved = on_device(x, device) if isinstance(x, np.ndarray) else x
    xp = array_namespace(moved)
    return xp.astype(moved, xp.float32)


def shortlist(
    blocks: Blocks,
    nodes: list[Forward],
    allowed: BoolArray,
    most: int,
    least: float,
    n_jobs: int | None = None,
    device: str = "cpu",
    memory: Memory = FORGETFUL,
) -> list[IntArray]:
    """Return the candidates of largest gain of each node, in the order of the columns.

    Parameters
    ----------
    blocks : Blocks
    nodes : list of Forward
        Their parents are taken into account, their candidates are not.
    allowed : (d, d) bool array
        [parent, child]: who may be a candidate of whom.
    most : int
        Candidates of a node.
    least : float
        Gain in log likelihood a row that a candidate must have.
    n_jobs : int or None
        Workers on the CPU.
    device : str
        Where the products are made.
    memory : Memory
        Keeps the lists of some nodes at a time; what else they depend on is the caller's to say.
    """
    d, w = blocks.penalty.shape
    splines = None
    if blocks.Q is not None:
        whole = blocks.Q if blocks.there is None else blocks.there
        splines = single(whole.reshape(d * w, -1), device)
    h = 1 / (1 + ROUGH[:, None] * blocks.penalty[:, None])  # (d, grid, w)
    kept, spent = single(1 - (1 - h) ** 2, device), single(h.sum(axis=2), device)

    def look(start: int) -> list[IntArray]:
        some = nodes[start : start + size]
        if splines is None:
            c = single(_gram_products(blocks, some), device)
        else:
            c = (splines @ single(_residuals(blocks, some), device)).reshape(d, w, len(some))
        root, free = (single(np.array(part), device) for part in zip(*map(_left, some), strict=True))
        gains = _gains(c, kept, spent, root, free)
        gains[~open_pairs[:, beside(kept, np.array([node.child for node in some]))]] = -np.inf
        return [np.sort(rows[found > least]) for found, rows in zip(*largest(gains, most), strict=True)]

    here = device == "cpu"
    open_pairs = beside(kept, allowed)
    size = at_once(d * len(ROUGH), device)
    found = memory.map("lists", look, range(0, len(nodes), size), n_jobs if here else 1, local=True)
    return [listed for task in found for listed in task]


def _left(node: Forward) -> tuple[float, float]:
    return max(node.rss, 1e-60) ** 0.5, node.free


def _residuals(blocks: Blocks, nodes: list[Forward]) -> FloatArray:
    """What the parents leave of each node (n, m)."""
    assert blocks.Q is not None
    R = blocks.table.X[:, [node.child for node in nodes]]
    for place, node in enumerate(nodes):
        if node.parents:
            R[:, place] -= np.einsum("pwn,pw->n", blocks.Q[node.parents], node.beta)
    return R


def _gram_products(blocks: Blocks, nodes: list[Forward]) -> FloatArray:
    """Products of all splines with what the parents leave of each node (d, w, m)."""
    assert blocks.gram is not None
    c = blocks.products(np.array([node.child for node in nodes]))
    for place, node in enumerate(nodes):
        for parent, beta in zip(node.parents, node.beta, strict=True):
            c[:, :, place] -= blocks.gram[:, :, parent] @ beta
    return c


def _gains(c: Array, kept: Array, spent: Array, root: Array, free: Array) -> Array:
    """`forward.smooth_gains` with A = I, for all columns and some nodes (d, m); c is overwritten."""
    xp = array_namespace(c)
    c /= root  # of the residual sum of squares
    c *= c
    left = kept @ c  # (d, grid, m)
    left *= -1
    left += 1
    left /= xp.clip(1 - spent[:, :, None] / free, 1e-6) ** 2
    return -0.5 * xp.log(xp.clip(xp.min(left, axis=1), 1e-12))
