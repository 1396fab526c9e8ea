import numpy as np
import pytest
from scipy.optimize import minimize

from dagscale.models.gp import Evidence
from dagscale.models.gp.exact import Exact
from dagscale.models.gp.fitting import bounds, start
from dagscale.runtime.clock import BudgetSpent

ALL = np.arange(1)


def table(n=200, d=5, seed=1001):
    """0 -> 2 <- 1, 2 -> 3 a line, 4 alone."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 2] = np.sin(2 * X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=n)
    X[:, 3] = 2 * X[:, 2] + rng.normal(size=n)
    return X


ITEMS = [(2, (0,)), (2, (0, 1)), (2, (0, 1, 4)), (3, (2,)), (4, (0, 1)), (0, ()), (3, (0, 2))]


@pytest.fixture(scope="module")
def values():
    return Evidence(table(), n_jobs=1)(ITEMS)


def best_by_another_optimiser(evidence, item):
    """L-BFGS from several starts on the exact loss of all rows."""
    Z, y, F = evidence.columns.problem(item)
    p = Z.shape[1]
    objective = Exact(Z[None], y[None], F[None], np.ones((1, p)))

    def loss(theta):
        value = objective.value(theta[None], ALL).loss[0]
        return value, objective.derivatives(ALL)[0][0]

    box = bounds(np.ones((1, p), dtype=bool))
    rng = np.random.default_rng(0)
    starts = [
        start(box.present[:, :p])[0],
        *(np.r_[rng.uniform(-3, 1, p), rng.uniform(-4, 2, 3)] for _ in range(5)),
    ]
    ends = [
        minimize(loss, s, jac=True, method="L-BFGS-B", bounds=list(zip(box.low, box.high, strict=True)))
        for s in starts
    ]
    return -min(end.fun for end in ends)


@pytest.mark.parametrize("item", [(2, (0,)), (2, (0, 1)), (3, (2,)), (3, (0, 2))])
def test_values_are_the_maxima_another_optimiser_finds(item):
    evidence = Evidence(table(), n_jobs=1)
    assert evidence([item])[0] == pytest.approx(best_by_another_optimiser(evidence, item), abs=1.5)


def test_true_parents_gain_and_others_do_not(values):
    gain = dict(zip(ITEMS, values, strict=True))
    assert gain[2, (0, 1)] > gain[2, (0,)] + 50
    assert abs(gain[2, (0, 1, 4)] - gain[2, (0, 1)]) < 4
    assert gain[3, (2,)] > 50
    assert gain[4, (0, 1)] < 4
    assert gain[0, ()] == 0
    assert (values >= 0).all()


@pytest.mark.parametrize("how", ["one by one", "backwards", "two workers"])
def test_values_do_not_depend_on_what_was_asked_with_or_before_them(values, how):
    evidence = Evidence(table(), n_jobs=2 if how == "two workers" else 1)
    if how == "one by one":
        again = np.concatenate([evidence([item]) for item in ITEMS])
    elif how == "backwards":
        again = evidence(ITEMS[::-1])[::-1]
    else:
        again = evidence(ITEMS)
    np.testing.assert_array_equal(again, values)
    assert evidence.count == len(ITEMS)


def test_parents_are_a_set(values):
    evidence = Evidence(table(), n_jobs=1)
    same = evidence([(2, [1, 0]), (np.int64(2), np.array([0, 1])), (2, {0, 1}), (2, frozenset((1, 0)))])
    assert evidence.count == 1
    np.testing.assert_array_equal(same, values[1])


def test_columns_may_be_permuted_and_have_any_units(values):
    X = table()
    order = np.array([3, 0, 4, 2, 1])
    place = np.argsort(order)
    units = np.array([1e4, -0.3, 7.0, -1.0, 2.5])
    moved = Evidence(X[:, order] * units + np.arange(5), n_jobs=1)
    again = moved([(place[j], place[list(parents)]) for j, parents in ITEMS])
    np.testing.assert_allclose(again, values, atol=0.05)
    only_permuted = Evidence(X[:, order], n_jobs=1)
    again = only_permuted([(place[j], place[list(parents)]) for j, parents in ITEMS])
    np.testing.assert_array_equal(again, values)


def test_fit_describes_the_process():
    evidence = Evidence(table(), n_jobs=1)
    both, alone, line = evidence.fits([(2, (0, 1, 4)), (4, ()), (3, (2,))])
    assert both.weights.shape == (3,)
    assert both.weights[:2].min() > 20 * both.weights[2]
    assert 0.02 < both.noise < 0.3
    assert alone.noise == 1
    assert line.line > line.curves


def test_constant_and_copied_columns_do_no_harm():
    X = table()
    X[:, 4] = 3.0
    X[:, 1] = X[:, 0]
    evidence = Evidence(X, n_jobs=1)
    values = evidence([(4, (0,)), (0, (4,)), (2, (0, 1)), (2, (0,)), (0, (1,))])
    assert np.isfinite(values).all()
    np.testing.assert_allclose(values[:2], 0, atol=1e-6)
    assert values[2] == pytest.approx(values[3], abs=1)
    assert values[4] > 500  # one column explains its copy


def test_more_rows_than_wanted_are_sampled_once():
    evidence = Evidence(table(n=400), n_jobs=1, max_rows=150)
    assert evidence.columns.n == 150
    np.testing.assert_allclose(evidence.columns.values.std(axis=1), 1)
    assert evidence.value(2, (0, 1)) > 40


def test_outliers_of_independent_columns_are_no_evidence():
    X = np.random.default_rng(1007).normal(size=(1000, 2))
    X[7] = [40.0, -30.0]
    assert Evidence(X, n_jobs=1).value(0, (1,)) < 7
    assert Evidence(X, n_jobs=1, clip=np.inf).value(0, (1,)) > 100


@pytest.mark.parametrize("work", ["fits", "lost_without"])
def test_every_kind_of_work_ends_with_the_deadline(work, monkeypatch):
    evidence = Evidence(table(n=60), n_jobs=1)
    if work != "fits":
        evidence(ITEMS)  # so that no fit looks at the clock
    asked = []

    def late(deadline):
        asked.append(deadline)
        return len(asked) == 2  # in the middle of the work

    monkeypatch.setattr("dagscale.models.gp.evidence.late", late)
    with pytest.raises(BudgetSpent):
        getattr(evidence, work)(ITEMS)
    assert len(asked) == 2


def test_a_hundredth_of_the_rows_is_cut_at_most():
    X = np.random.default_rng(1008).lognormal(sigma=2, size=(1000, 1))
    cut = Evidence(X, n_jobs=1).columns.values[0]
    assert (cut == cut.max()).sum() == 10
    normal = np.random.default_rng(1008).normal(size=(1000, 1))
    kept = Evidence(normal, n_jobs=1).columns.values[0]
    assert len(np.unique(kept)) == 1000


def test_columns_mostly_of_one_value_keep_the_others():
    X = table()
    X[:, 0] = X[:, 0] > 1
    X[:, 2] = 3 * X[:, 0] + X[:, 4]
    assert Evidence(X, n_jobs=1).value(2, (0,)) > 20


def test_a_device_gives_the_same_values(values):
    pytest.importorskip("torch")
    there = Evidence(table(), device="torch")(ITEMS)
    # The last item, a line and a useless parent, has two optima a nat apart.
    np.testing.assert_allclose(there[:-1], values[:-1], atol=0.1)
    np.testing.assert_allclose(there, values, atol=1.0)


def test_a_gpu_gives_the_same_values(values):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no GPU here")
    there = Evidence(table(), device="cuda")
    np.testing.assert_allclose(there(ITEMS), Evidence(table(), device="torch")(ITEMS), atol=0.05)


def test_a_device_gives_the_same_values_in_any_batch(monkeypatch):
    pytest.importorskip("torch")
    together = Evidence(table(n=80), device="torch")(ITEMS)
    monkeypatch.setattr("dagscale.models.gp.evidence.MEMORY", 1.0)
    alone = Evidence(table(n=80), device="torch")(ITEMS)
    np.testing.assert_allclose(together, alone, atol=0.01)
