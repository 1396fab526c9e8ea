"""DAS's edge search: the Welch test, the literal algorithm and `min_parents`, knowledge, one pass."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from dagscale.inputs.knowledge import Constraints
from dagscale.stages.candidates.jacobian_test import das_pass, denoised_size, mean_sizes, parents_of_leaf
from dagscale.stages.jacobian.stein import fit
from dagscale.stages.ordering.leaf import leaf_order


def chosen_from(row, **settings):
    return parents_of_leaf(*mean_sizes(row), len(row), **settings)


def rows(means, n=200, seed=0):
    """Jacobian entries of random sign whose sizes have about the given means."""
    rng = np.random.default_rng(seed)
    return rng.gamma(4, np.asarray(means) / 4, (n, len(means))) * rng.choice([-1, 1], (n, len(means)))


def random_dag_data(n, d, seed, density=0.4):
    rng = np.random.default_rng(seed)
    adjacency = np.triu(rng.random((d, d)) < density, 1)
    X = rng.standard_normal((n, d))
    for j in range(d):
        for i in np.flatnonzero(adjacency[:, j]):
            X[:, j] += 1.5 * np.sin(rng.uniform(1, 2) * X[:, i])
    return X, adjacency


def literal(row, K, cutoff):
    """Algorithm 1 with the K + 1 of the text, by scipy's Welch test, one column after the other."""
    size = np.abs(row)
    top = sorted(range(row.shape[1]), key=lambda j: -size[:, j].mean())[: K + 1]
    reference = top[-1]
    chosen = []
    for j in top[:-1]:
        test = ttest_ind(size[:, j], size[:, reference], equal_var=False, alternative="greater")
        if test.pvalue <= cutoff:
            chosen.append(j)
    return set(chosen)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    means=st.lists(st.floats(0.5, 2), min_size=1, max_size=9),
    K=st.integers(1, 10),
    cutoff=st.sampled_from([0.001, 0.01, 0.2]),
    seed=st.integers(0, 1000),
)
def test_without_min_parents_it_is_the_literal_algorithm(means, K, cutoff, seed):
    row = rows(means, n=40, seed=seed)
    kept, _ = chosen_from(row, K=K, cutoff=cutoff, min_parents=0)
    assert set(np.flatnonzero(kept)) == literal(row, K, cutoff)


def test_p_values_are_welchs():
    row = rows([1, 3, 0.9, 1.3])
    _, p_values = chosen_from(row)
    for j in (0, 1, 3):
        test = ttest_ind(np.abs(row[:, j]), np.abs(row[:, 2]), equal_var=False, alternative="greater")
        assert p_values[j] == pytest.approx(test.pvalue, rel=1e-9)
    assert p_values[2] == 0.5  # the reference


def test_only_the_top_K_plus_one_are_looked_at():
    row = rows([1, 5, 2, 4, 3])
    kept, p_values = chosen_from(row, K=2, min_parents=0)
    assert np.isnan(p_values[[0, 2]]).all()
    assert p_values[4] == 0.5
    np.testing.assert_array_equal(kept, [False, True, False, True, False])


def test_the_strongest_are_kept_untested_but_never_more_than_K():
    row = rows([1.0, 1.01, 0.99, 1.02, 0.98, 1.03, 0.97], n=5000)  # nothing tells them apart
    strength = np.argsort(-np.abs(row).mean(axis=0))
    for min_parents, K, expected in ((0, 20, 0), (3, 20, 3), (5, 2, 2), (9, 20, 7)):
        kept, _ = chosen_from(row, K=K, cutoff=1e-9, min_parents=min_parents)
        assert set(np.flatnonzero(kept)) == set(strength[:expected])


def test_strength_chooses_the_untested_and_leaves_the_test_alone():
    row = rows([1.0, 1.01, 0.99, 3.0], n=500)
    kept, p_values = chosen_from(row, cutoff=1e-9, min_parents=1, strength=np.array([0, 0, 1, 0]))
    assert kept.tolist() == [False, False, True, True]
    np.testing.assert_array_equal(p_values, chosen_from(row, cutoff=1e-9, min_parents=1)[1])


@pytest.mark.parametrize(
    "derivative",
    [
        pytest.param(lambda x: np.full_like(x, 0.5), id="linear"),
        pytest.param(lambda x: x, id="even, as of x²"),
        pytest.param(lambda x: 2 * np.cos(2 * x), id="odd, as of sin 2x"),
        pytest.param(lambda x: -1.5 * np.sin(1.5 * x), id="even, as of cos 1.5x"),
    ],
)
def test_a_weak_derivative_stands_out_of_the_noise_only_when_denoised(derivative):
    rng = np.random.default_rng(0)
    columns = rng.standard_normal((1000, 40))
    spread = rng.uniform(2, 4, 40)
    spread[7] = 2
    row = spread * rng.standard_normal((1000, 40))
    row[:, 7] += derivative(columns[:, 7])
    assert denoised_size(row, columns).argmax() == 7
    assert np.abs(row).mean(axis=0).argmax() != 7


def test_units_do_not_change_the_denoised_size():
    rng = np.random.default_rng(0)
    row, columns, units = rng.standard_normal((50, 3)), rng.standard_normal((50, 3)), np.array([1e-3, 7, -2])
    np.testing.assert_allclose(denoised_size(row / units, columns * units), denoised_size(row, columns))
    np.testing.assert_allclose(denoised_size(row, columns * [0, 1, 1])[0], 0)


def test_a_single_predecessor_can_be_a_parent_only_with_min_parents():
    row = rows([3])
    assert chosen_from(row)[0].tolist() == [True]
    assert chosen_from(row, min_parents=0)[0].tolist() == [False]


def test_even_functions_count_by_size_and_not_by_sign():
    """∂f/∂x of x² has mean zero; its size has not."""
    rng = np.random.default_rng(0)
    row = np.column_stack([2 * rng.standard_normal(500), 0.1 + 0.01 * rng.standard_normal(500)])
    assert chosen_from(row, min_parents=0)[0].tolist() == [True, False]


def test_knowledge_decides_who_competes_and_who_stays():
    row = rows([5, 4, 3, 2, 1])
    allowed = np.array([False, True, True, True, True])
    required = np.array([False, False, False, False, True])
    kept, p_values = chosen_from(row, K=2, min_parents=0, allowed=allowed, required=required)
    assert kept.tolist() == [False, True, True, False, True]
    assert np.isnan(p_values[[0, 4]]).all()
    assert p_values[3] == 0.5
    nothing, _ = chosen_from(row, allowed=np.zeros(5, dtype=bool))
    assert not nothing.any()


def test_constant_entries_need_no_variance():
    row = np.tile([2.0, 1.0, 1.0], (10, 1))
    kept, p_values = chosen_from(row, min_parents=0)
    assert kept.tolist() == [True, False, False]
    assert p_values.tolist() == [0.0, 0.5, 0.5]


@pytest.mark.parametrize("min_parents", [0, 2])
def test_one_pass_equals_the_algorithm_step_by_step(min_parents):
    X, _ = random_dag_data(80, 6, 0)
    order, mask, p_values = das_pass(X, min_parents=min_parents, K=3)
    np.testing.assert_array_equal(order, leaf_order(X))
    for place in range(6):
        leaf, before = order[place], sorted(order[:place])
        assert not mask[np.setdiff1d(range(6), before), leaf].any()
        if before:
            columns = [*before, leaf]
            row = fit(X[:, columns]).row(place)[:, :-1]
            strength = denoised_size(row, X[:, before] - X[:, before].mean(axis=0))
            kept, expected = chosen_from(row, K=3, min_parents=min_parents, strength=strength)
            np.testing.assert_array_equal(mask[before, leaf], kept)
            np.testing.assert_allclose(p_values[before, leaf], expected, rtol=1e-5, atol=1e-12)


def test_two_columns_give_the_empty_graph_only_to_the_literal_algorithm():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(300)
    X = np.column_stack([2 * np.sin(x) + rng.standard_normal(300), x])
    assert not das_pass(X, min_parents=0)[1].any()
    np.testing.assert_array_equal(das_pass(X)[1], [[False, False], [True, False]])


def test_true_parents_are_among_the_candidates_and_most_others_are_not():
    pairs = edges = 0
    found, proposed = np.zeros(2, dtype=int), np.zeros(2, dtype=int)
    for seed in range(4):
        X, adjacency = random_dag_data(500, 10, seed, density=0.2)
        for k, min_parents in enumerate((0, 2)):
            _, mask, _ = das_pass(X, min_parents=min_parents)
            found[k] += (mask & adjacency).sum()
            proposed[k] += mask.sum()
        pairs += 45
        edges += adjacency.sum()
    assert (found > np.array([0.75, 0.9]) * edges).all()
    assert (proposed < np.array([0.6, 0.7]) * pairs).all()


@settings(deadline=None, max_examples=20, derandomize=True)
@given(seed=st.integers(0, 10**6), min_parents=st.sampled_from([0, 1, 5]))
def test_knowledge_is_honoured_by_order_and_candidates(seed, min_parents):
    rng = np.random.default_rng(seed)
    d = 5
    shuffled = rng.permutation(d)
    required = np.triu(rng.random((d, d)) < 0.2, 1)[np.ix_(shuffled, shuffled)]
    before = required.copy()
    for k in range(d):
        before |= before[:, [k]] & before[[k], :]
    allowed = (rng.random((d, d)) < 0.7) & ~np.eye(d, dtype=bool) & ~before.T | required
    order, mask, _ = das_pass(
        random_dag_data(40, d, seed)[0], Constraints(allowed, required, before), min_parents=min_parents
    )
    place = np.argsort(order)
    assert all(place[i] < place[j] for i, j in np.argwhere(before))
    assert all(place[i] < place[j] for i, j in np.argwhere(mask))
    assert not (mask & ~allowed).any()
    assert (mask | ~required).all()


def test_columns_permuted_give_the_mask_permuted():
    X, _ = random_dag_data(150, 7, 1)
    shuffled = np.random.default_rng(0).permutation(7)
    _, mask, _ = das_pass(X)
    np.testing.assert_array_equal(das_pass(X[:, shuffled])[1], mask[np.ix_(shuffled, shuffled)])


needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")


@needs_torch
@pytest.mark.parametrize(("d", "min_parents"), [(10, 0), (10, 1), (40, 0)])
def test_torch_gives_the_answer_of_numpy(d, min_parents):
    X, _ = random_dag_data(200, d, 2, density=4 / d)
    order, mask, p_values = das_pass(X, min_parents=min_parents)
    order_there, mask_there, p_values_there = das_pass(X, min_parents=min_parents, device="torch")
    np.testing.assert_array_equal(order_there, order)
    np.testing.assert_array_equal(mask_there, mask)
    np.testing.assert_allclose(p_values_there, p_values, rtol=1e-4, atol=1e-12)


@needs_torch
def test_a_leaf_is_few_operations_of_the_device():
    """A GPU waits for the host wherever a leaf is hundreds of short operations.

    With torch 2.13 they are 98, 37 of them views; other versions split some of them differently.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counter(TorchDispatchMode):
        operations = 0

        def __torch_dispatch__(self, operation, _types, args=(), kwargs=None):
            self.operations += 1
            return operation(*args, **(kwargs or {}))

    X = np.random.default_rng(0).standard_normal((40, 12))
    counted = []
    for d in (10, 12):
        with Counter() as counter:
            das_pass(X[:, :d], min_parents=0, device="torch")
        counted.append(counter.operations)
    assert (counted[1] - counted[0]) / 2 <= 130


def test_threads_do_not_change_the_answer():
    X, _ = random_dag_data(600, 6, 3)
    one, two = das_pass(X, n_jobs=1), das_pass(X, n_jobs=2)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
