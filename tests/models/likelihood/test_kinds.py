"""Children and parents of levels and counts: closed forms, slow independent versions, invariances, null calibration."""

import numpy as np
import pytest
from scipy import optimize, stats

from dagscale.inputs.kinds import BINARY, CATEGORICAL, CONTINUOUS, COUNT, ORDINAL
from dagscale.models.likelihood import laplace
from dagscale.models.likelihood.basis import level_effects
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.families import Categorical, Count, Ordinal, families_of
from dagscale.models.likelihood.joint_gain import JointGain
from dagscale.models.likelihood.spline_gain import SplineGain

N = 800


def rng():
    return np.random.default_rng(11)


def gain_of(X, kinds):
    return SplineGain(scales_of(X, kinds)[0])


def drawn(kind, predictor, g):
    """Draw a column of a kind whose log odds or log mean is a predictor (n,)."""
    if kind == BINARY:
        return (g.logistic(size=len(predictor)) < predictor).astype(float)
    if kind == COUNT:
        return g.poisson(np.exp(1.0 + 0.5 * predictor)).astype(float)
    codes = np.searchsorted([-1.0, 1.0], predictor + g.logistic(size=len(predictor))).astype(float)
    return codes if kind == ORDINAL else np.array([2.0, 0.0, 1.0])[codes.astype(int)]


KINDS = (BINARY, CATEGORICAL, ORDINAL, COUNT)
FAMILIES = {
    BINARY: lambda: Ordinal((rng().random(N) < 0.4).astype(int)),
    CATEGORICAL: lambda: Categorical.of(rng().choice(4, N)),
    ORDINAL: lambda: Ordinal(rng().choice(4, N, p=[0.1, 0.2, 0.3, 0.4])),
    COUNT: lambda: Count.of(rng().negative_binomial(3, 0.4, N).astype(float)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_are_those_of_the_likelihood(kind):
    family, g = FAMILIES[kind](), rng()
    alpha, eta = family.start(), 0.3 * g.normal(size=(N, family.predictors))
    at = family.derivatives(alpha, eta)
    step = 1e-5
    for k in range(len(alpha)):
        up, down = (family.derivatives(alpha + s * np.eye(len(alpha))[k], eta).value for s in (step, -step))
        assert at.alpha[k] == pytest.approx((up - down) / (2 * step), rel=1e-4, abs=1e-3)
    for row in (0, 7):
        for k in range(family.predictors):
            moved = np.zeros_like(eta)
            moved[row, k] = step
            up, down = (family.derivatives(alpha, eta + s * moved).value for s in (1, -1))
            assert at.eta[row, k] == pytest.approx((up - down) / (2 * step), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_information_is_the_variance_of_the_slope(kind):
    """Fisher's information: over the values of one row, weighted by their probabilities."""
    eta = 0.4
    family = FAMILIES[kind]()
    alpha, m = family.start(), family.predictors
    values = np.arange(60.0) if kind == COUNT else np.arange(4)[: 2 if kind == BINARY else 4]
    same = Count(values, family.log_size) if kind == COUNT else type(family)(
        values, *([family.contrasts] if kind == CATEGORICAL else []),
    )  # fmt: skip
    at = same.derivatives(alpha, np.full((len(values), m), eta))
    low, high = same.limits(alpha, np.full((len(values), m), eta))
    shares = high - low
    assert shares.sum() == pytest.approx(1.0, abs=1e-6)
    assert at.eta.T @ shares == pytest.approx(np.zeros(m), abs=1e-6)
    assert (at.eta * shares[:, None]).T @ at.eta == pytest.approx(at.weight[0], abs=1e-4)


@pytest.mark.parametrize("kind", [BINARY, COUNT])
def test_evidence_of_a_line_is_that_of_quadrature(kind):
    """Laplace's method beside a grid over the coefficient, the intercept at its best for each."""
    g = rng()
    x = g.normal(size=N)
    x = (x - x.mean()) / x.std()
    family = families_of(kind, drawn(kind, 0.3 * x, g).astype(int))[0]
    found = laplace.fit(family, x[:, None], np.zeros(1), np.zeros(1, dtype=int))

    def best(slope):
        def loss(intercept):
            return -found.family.derivatives(np.array([intercept]), slope * x[:, None]).value

        intercept = optimize.minimize_scalar(loss, (family.start()[0] - 1, family.start()[0] + 1)).x
        at = found.family.derivatives(np.array([intercept]), slope * x[:, None])
        return at.value - 0.5 * np.log(at.information[0, 0])

    slopes = np.linspace(-1.0, 1.5, 501)
    null = family.derivatives(family.start(), np.zeros((N, 1)))
    terms = np.array([best(s) for s in slopes]) + stats.norm.logpdf(slopes, 0, np.sqrt(family.line_variance))
    slow = np.logaddexp.reduce(terms) + np.log(slopes[1] - slopes[0])
    assert found.gain == pytest.approx(slow - null.value + 0.5 * np.log(null.information[0, 0]), abs=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_the_fit_is_the_penalised_maximum(kind):
    """A general optimiser finds no better coefficients at the same smoothness."""
    g = rng()
    x = g.normal(size=(N, 2))
    Z = x - x.mean(axis=0)
    y = drawn(kind, Z[:, 0], g)
    family = families_of(kind, y.astype(int))[0]
    found = laplace.fit(family, Z, np.array([0.0, 1.0]), np.array([0, 1]))
    m, a = family.predictors, len(found.alpha)
    precision = np.array([1 / family.line_variance, 1 / found.tau[1]])

    def loss(at):
        beta = at[a:].reshape(m, 2)
        there = found.family.derivatives(at[:a], Z @ beta.T)
        return 1e9 if there is None else -there.value + 0.5 * float((precision * beta**2).sum())

    start = np.concatenate([found.alpha, found.beta.ravel()])
    better = optimize.minimize(loss, start + 0.05, method="BFGS")
    assert loss(start) < better.fun + 0.05
    assert start == pytest.approx(better.x, abs=0.05)


def test_saturated_table_has_the_mutual_information():
    """Two columns of levels: what a full table of frequencies tells, less the price of its coefficients."""
    g = rng()
    n = 4000
    parent = g.choice(3, n)
    child = np.where(g.random(n) < 0.6, parent, g.choice(3, n))
    X = np.column_stack([parent, child]).astype(float)
    counts = np.histogram2d(parent, child, bins=(3, 3))[0]
    expected = np.outer(counts.sum(1), counts.sum(0)) / n
    information = float((counts * np.log(counts / expected)).sum())
    forward, backward = gain_of(X, (CATEGORICAL, CATEGORICAL))([(1, (0,)), (0, (1,))])
    assert information - 20 < forward < information
    assert forward == pytest.approx(backward, abs=2.0)


def test_counts_are_negative_binomial():
    g = rng()
    for size in (2.0, 50.0):
        y = g.negative_binomial(size, size / (size + 4.0), 5000).astype(float)
        law = Count.of(y)
        slow = optimize.minimize(
            lambda at, y=y: -stats.nbinom.logpmf(y, np.exp(at[0]), 1 / (1 + np.exp(at[1] - at[0]))).sum(),
            [0.0, 1.0], method="Nelder-Mead",
        )  # fmt: skip
        mine = law.log_probability(np.full(len(y), y.mean())).sum()
        assert mine == pytest.approx(-slow.fun, abs=0.01)
    poisson = g.poisson(3.0, 5000).astype(float)
    limit = Count.of(poisson).log_probability(np.full(5000, poisson.mean())).sum()
    assert limit == pytest.approx(stats.poisson.logpmf(poisson, poisson.mean()).sum(), abs=3.0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_parent_is_seen_and_an_idle_one_costs(kind):
    g = rng()
    x, idle = g.normal(size=N), g.normal(size=N)
    y = drawn(kind, 1.5 * x, g)
    gain = gain_of(np.column_stack([x, idle, y]), (CONTINUOUS, CONTINUOUS, kind))
    none, one, other, both = gain([(2, ()), (2, (0,)), (2, (1,)), (2, (0, 1))])
    assert none == 0.0
    assert one > 50
    assert -8 < other < 1
    assert one - 8 < both < one + 1
    assert 0.0 < gain.told[2, (0,)].left < 0.95
    assert gain.told[2, (1,)].left > 0.97


@pytest.mark.parametrize("child", [*KINDS, CONTINUOUS])
@pytest.mark.parametrize("parent", [*KINDS, CONTINUOUS])
def test_null_parents_lose_on_average(child, parent):
    """Independent columns: the mean gain over draws is negative, and few gain what an edge costs."""
    g = rng()
    nats = []
    for _ in range(12):
        columns = [
            g.normal(size=400) if kind == CONTINUOUS else drawn(kind, g.normal(size=400), g)
            for kind in (parent, child)
        ]
        nats.append(gain_of(np.column_stack(columns), (parent, child))([(1, (0,))])[0])
    assert np.mean(nats) < -0.5
    assert np.max(nats) < 4.0


@pytest.mark.parametrize("kind", [CONTINUOUS, CATEGORICAL, BINARY])
def test_names_and_order_of_levels_do_not_matter(kind):
    g = rng()
    levels = g.choice(4, N, p=[0.1, 0.2, 0.3, 0.4])
    z = np.array([0.0, 2.0, -1.0, 0.5])[levels]
    x = g.normal(size=N)
    y = z + x * (levels == 1) + g.normal(size=N) if kind == CONTINUOUS else drawn(kind, z + x, g)
    X = np.column_stack([levels, x, y])
    turned = X.copy()
    turned[:, 0] = np.array([2.0, 0.0, 3.0, 1.0])[levels]
    kinds = (CATEGORICAL, CONTINUOUS, kind)
    items = [(2, (0,)), (2, (0, 1)), (0, (1, 2)), (1, (0,))]
    one, other = (JointGain(gain_of(V, kinds))(items) for V in (X, turned))
    assert one == pytest.approx(other, abs=0.05)


def test_order_of_columns_does_not_matter():
    g = rng()
    x = g.normal(size=N)
    X = np.column_stack([x, drawn(CATEGORICAL, x, g), drawn(COUNT, x, g), drawn(BINARY, x, g)])
    kinds = (CONTINUOUS, CATEGORICAL, COUNT, BINARY)
    one = gain_of(X, kinds)([(1, (0, 2)), (3, (0, 1)), (2, (1, 3))])
    turned = gain_of(X[:, ::-1].copy(), kinds[::-1])([(2, (1, 3)), (0, (2, 3)), (1, (0, 2))])
    assert one == pytest.approx(turned, abs=1e-3)


def test_effects_of_levels_are_orthonormal_random_effects():
    x = rng().choice(5, N, p=[0.05, 0.1, 0.15, 0.3, 0.4]).astype(float)
    Q, penalty = level_effects(x)
    assert np.allclose(Q.T @ Q, np.eye(4))
    assert Q.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-8)
    covariance = Q @ np.diag(1 / penalty) @ Q.T  # one variance for all effects of levels, the mean taken out
    dummies = (x[:, None] == np.arange(5)) - np.bincount(x.astype(int)) / N
    assert covariance / covariance[0, 0] == pytest.approx(
        dummies @ dummies.T / (dummies[0] @ dummies[0]), abs=1e-6
    )


@pytest.mark.parametrize("kind", [BINARY, CATEGORICAL, COUNT])
def test_interactions_of_levels_and_numbers_are_seen(kind):
    g = rng()
    x, z = g.normal(size=(2, N))
    y = drawn(kind, 3 * np.sign(x * z), g)
    gain = gain_of(np.column_stack([x, z, y]), (CONTINUOUS, CONTINUOUS, kind))
    joint = JointGain(gain)
    assert gain([(2, (0, 1))])[0] < 30
    assert joint([(2, (0, 1))])[0] > 60
    assert joint.told[2, (0, 1)].joint


def test_slopes_that_differ_by_level_are_seen():
    g = rng()
    level, x = g.choice(3, N), g.normal(size=N)
    y = np.array([-1.0, 0.0, 1.0])[level] * x + 0.5 * g.normal(size=N)
    gain = gain_of(np.column_stack([level, x, y]), (CATEGORICAL, CONTINUOUS, CONTINUOUS))
    assert JointGain(gain)([(2, (0, 1))])[0] > gain([(2, (0, 1))])[0] + 100


@pytest.mark.parametrize("kind", KINDS)
def test_residuals_are_standard_normal_and_independent_of_the_parent(kind):
    g = rng()
    x = g.normal(size=2000)
    y = drawn(kind, np.sin(2 * x) + x, g)
    gain = gain_of(np.column_stack([x, y]), (CONTINUOUS, kind))
    z = gain.noise((1, (0,)))
    assert stats.kstest(z, "norm").pvalue > 0.01
    assert abs(stats.spearmanr(z, x).statistic) < 0.06
    assert np.array_equal(z, gain.noise((1, (0,))))


def test_all_continuous_is_as_without_kinds():
    X = rng().normal(size=(200, 3))
    plain, told = (scales_of(X, kinds) for kinds in ((), (CONTINUOUS,) * 3))
    for one, other in zip(plain, told, strict=True):
        assert np.array_equal(one.children, other.children)
        assert np.array_equal(one.offset, other.offset)
        assert other.kinds == ()


@pytest.fixture(scope="module", params=KINDS)
def eight_columns(request):
    """A child of one kind that four of seven parents act on, two of which say much the same."""
    g = np.random.default_rng(1001)
    X = g.normal(size=(N, 7))
    X[:, 1] = X[:, 0] + 0.5 * X[:, 1]
    X[:, 6] = X[:, 6] > 0
    y = drawn(request.param, X[:, 0] + 0.5 * X[:, 2] ** 2 + 0.4 * X[:, 3] + 0.4 * X[:, 6], g)
    return np.column_stack([X, y]), (*(CONTINUOUS,) * 6, BINARY, request.param)


def test_what_a_parent_is_worth_is_known_without_fitting(eight_columns):
    """To second order, at the smoothness of the others: nobody stands in for a parent whose twin was switched off."""
    gain = gain_of(*eight_columns)
    for parents in [tuple(range(7)), (0, 1, 2, 4), (0, 3, 5, 6)]:
        whole = gain([(7, parents)])[0]
        lost = whole - gain([(7, tuple(k for k in parents if k != i)) for i in parents])
        worth = np.array(gain.told[7, parents].idle)
        little = worth < 8
        assert little.any()
        assert worth[little] == pytest.approx(lost[little], abs=1.5)
        assert lost[worth.argmin()] == pytest.approx(lost.min(), abs=0.5)


def test_fits_end_where_they_do_from_anywhere(eight_columns):
    """From nothing, from a fit with a parent less, and from one with a parent more."""
    whole, item, less = (7, tuple(range(7))), (7, (0, 1, 2, 3, 5, 6)), (7, (0, 1, 2, 3, 6))
    nats = []
    for first in ([], [less], [whole]):
        discrete = gain_of(*eight_columns).discrete
        for other in first:
            discrete.additive(other)
        starts, near = discrete._starts(item)
        assert [one is None for one in starts] == [not first] * len(starts)
        assert near == (first == [whole])
        nats.append([one.gain for one in discrete._fits(item)])
    assert nats[1] == pytest.approx(nats[0], abs=0.1)
    assert nats[2] == pytest.approx(nats[0], abs=0.1)


def test_fits_of_levels_by_levels_are_shared_by_all_scales():
    """Codes are the same on every scale, so a child of levels is fitted once; on each alone the nats are the same."""
    rng = np.random.default_rng(1000)
    n = 300
    u = np.exp(rng.normal(size=n))
    a = rng.integers(0, 3, n)
    b = (rng.random(n) < 1 / (1 + np.exp(1.0 - a))).astype(float)
    X = np.column_stack([u, a, b, rng.poisson(2.0, n)]).astype(float)
    data, log, _ = scales_of(X, ("continuous", "categorical", "binary", "count"))
    first = SplineGain(data)
    items = [(2, (1,)), (2, (0,)), (2, (0, 1)), (2, (3,))]
    first(items)
    other = first.on(log)
    made = len(first.discrete.fits)
    np.testing.assert_allclose(other(items), SplineGain(log)(items), atol=0.05)
    assert other.discrete.like is first.discrete
    assert set(other.discrete.fits) == {
        (2, (0,)),
        (2, (0, 1)),
        (2, (3,)),
    }  # numbers and counts follow the scale
    assert len(first.discrete.fits) == made
    assert other(items)[0] == first(items)[0]
