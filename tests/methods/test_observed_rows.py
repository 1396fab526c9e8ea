"""Orders under experiments: which rows, and what shifts bind."""

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.context import Context
from dagscale.methods.observed_rows import rows_for_order, shift_order


def _experiment() -> tuple[np.ndarray, Conditions]:
    rng = np.random.default_rng(0)
    n = 400
    targets = np.zeros((n, 3), dtype=bool)
    targets[200:300, 0], targets[300:, 2] = True, True
    x = rng.normal(size=n) + 3.0 * targets[:, 0]
    y = x + rng.normal(size=n)
    z = np.where(targets[:, 2], 4.0, 0.0) + rng.normal(size=n)
    return np.column_stack([x, y, z]), Conditions(targets, np.zeros(n, dtype=np.intp))


def test_what_moves_comes_after_what_was_set() -> None:
    X, done = _experiment()
    expected = np.zeros((3, 3), dtype=bool)
    expected[0, 1] = True
    assert np.array_equal(shift_order(X, done, Constraints.none(3)), expected)


def test_knowledge_is_stronger_than_shifts() -> None:
    X, done = _experiment()
    before = np.zeros((3, 3), dtype=bool)
    before[1, 0] = True
    known = Constraints(~before.T & ~np.eye(3, dtype=bool), np.zeros((3, 3), dtype=bool), before)
    assert np.array_equal(shift_order(X, done, known), before)


def test_the_order_is_found_on_rows_in_which_nothing_was_set() -> None:
    X, done = _experiment()
    rows, known, notes = rows_for_order(X, Context(Constraints.none(3), conditions=done), 10_000)
    assert np.array_equal(rows, X[:200])
    assert known.before[0, 1]
    assert not known.allowed[1, 0]
    assert any("nothing was set" in note for note in notes)
    same, _, _ = rows_for_order(X, Context(Constraints.none(3)), 10_000)
    assert np.array_equal(same, X)
