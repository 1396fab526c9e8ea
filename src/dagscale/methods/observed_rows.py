"""What methods that find an order first make of experiments: rows to find it on, and what shifts say of it.

Score matching needs one distribution, so the order is found on the rows in which nothing was set. Columns that move
when another one alone is set come after it (as in Intersort, Chevalley et al. 2025): clear shifts bind the order. Edges
are then tested on every child's own rows.
"""

import numpy as np

from dagscale.graphs.dag import descendants, reaches
from dagscale.inputs.conditions import Conditions
from dagscale.inputs.knowledge import Constraints
from dagscale.inputs.subsample import subsample
from dagscale.methods.context import Context
from dagscale.runtime.types import BoolArray, FloatArray

FEWEST = 100  # rows without intervention that an order is found on
CLEAR = 20.0  # nats of a shift that binds the order
TESTED = "edges were tested, child by child, on the rows in which the child was not set"


def rows_for_order(
    X: FloatArray, context: Context, most: int
) -> tuple[FloatArray, Constraints, tuple[str, ...]]:
    """Return the rows that an order is found on, what binds it, and what to say of both."""
    done, known = context.conditions, context.constraints
    if done is None:
        rows, said = subsample(X, most)
        return rows, known, said
    plain = ~done.targets.any(axis=1) & (done.environment == 0)
    before = shift_order(X, done, known)
    notes = ["columns that move when another one is set come after it"] if before.any() else []
    if plain.sum() >= FEWEST:
        X = X[plain]
        notes.append("the order was found on the rows in which nothing was set")
    else:
        notes.append(f"fewer than {FEWEST} rows have nothing set, so the order was found on all rows")
    rows, said = subsample(X, most)
    return rows, Constraints(known.allowed & ~before.T, known.required.copy(), before), (*notes, *said)


def shift_order(X: FloatArray, done: Conditions, known: Constraints) -> BoolArray:
    """Return which columns come before which (d, d), by knowledge and by clear shifts, the clearest first.

    A shift against knowledge, or against clearer ones, is not believed.
    """
    d = X.shape[1]
    plain = ~done.targets.any(axis=1) & (done.environment == 0)
    ties = known.before | known.required
    if plain.sum() < FEWEST:
        return known.before.copy()
    shifts = []
    for i in range(d):
        own = done.targets[:, i] & (done.targets.sum(axis=1) == 1)
        if own.sum() < 2:
            continue
        nats = _moved(X[plain], X[own])
        if nats[i] > CLEAR:  # a target that did not move says nothing
            shifts += [(float(nats[j]), i, j) for j in np.flatnonzero(nats > CLEAR).tolist() if j != i]
    ties = ties.copy()
    for _, i, j in sorted(shifts, reverse=True):
        if not reaches(ties, j, i):
            ties[i, j] = True
    return descendants(ties) & ~np.eye(d, dtype=bool)


def _moved(base: FloatArray, own: FloatArray) -> FloatArray:
    """Nats by which a normal density of its own beats a shared one, of every column (d,)."""
    both = np.concatenate([base, own])
    parts = ((both, 1.0), (base, -1.0), (own, -1.0))
    nats = sum(k * len(A) * np.log(np.maximum(A.std(axis=0), 1e-12)) for A, k in parts)
    return np.asarray(nats - np.log(len(own)))
