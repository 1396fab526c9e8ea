import numpy as np
import pytest
from scipy.stats import multivariate_normal

from dagscale.models.gp.exact import Exact, Trial, middle

ALL = np.arange(1)


def stacked(Z, y, F):
    return Exact(Z[None], y[None], F[None], np.ones((1, Z.shape[1])))


def covariance(theta, Z, F):
    """The model's K, entry by entry."""
    n, p = Z.shape
    w, (l, v, a) = np.exp(theta[:p]), np.exp(theta[p:])
    E = np.array([[np.exp(-0.5 * (w * (s - t) ** 2).sum()) for t in Z] for s in Z])
    H = np.eye(n) - 1.0 / n
    K = np.eye(n) + l * H @ E @ H
    b = F.shape[1] // p
    for i in range(p):
        S = F[:, i * b + 1 : (i + 1) * b]
        K += w[i] / (1 + w[i]) * (v * np.outer(Z[:, i], Z[:, i]) + a * S @ S.T)
    return K


@pytest.mark.parametrize("p", [1, 2, 3])
def test_loss_is_the_log_density_at_the_best_noise(problem, p):
    Z, y, F = problem(p=p)
    theta = np.r_[np.linspace(-1, 0.5, p), 0.7, -1.2, -2.0]
    values = stacked(Z, y, F).value(theta[None], ALL)
    K = covariance(theta, Z, F)
    null = multivariate_normal(np.zeros(len(y)), np.eye(len(y))).logpdf(y)
    densities = [
        multivariate_normal(np.zeros(len(y)), s2 * K).logpdf(y)
        for s2 in values.noise[0] * np.array([0.9, 1.0, 1.1])
    ]
    assert -values.loss[0] == pytest.approx(densities[1] - null, abs=1e-8)
    assert densities[1] > max(densities[0], densities[2])


@pytest.mark.parametrize("p", [1, 3])
def test_gradient_is_the_numerical_one(problem, p):
    Z, y, F = problem(p=p)
    objective = stacked(Z, y, F)
    theta = np.r_[np.linspace(-1, 0.5, p), 0.7, -1.2, -2.0][None]
    objective.value(theta, ALL)
    gradient, _ = objective.derivatives(ALL)
    for k in range(p + 3):
        step = 1e-5 * np.eye(p + 3)[k]
        difference = objective.value(theta + step, ALL).loss - objective.value(theta - step, ALL).loss
        assert gradient[0, k] == pytest.approx(difference[0] / 2e-5, rel=1e-5, abs=1e-6)


def test_curvature_averages_observed_and_expected_information(problem):
    """The average information of l, v and a, the noise (direction K itself) profiled out."""
    Z, y, F = problem(p=1)
    n, theta = len(y), np.array([0.1, 0.7, -1.2, -2.0])
    objective = stacked(Z, y, F)
    noise = objective.value(theta[None], ALL).noise[0]
    _, curvature = objective.derivatives(ALL)
    K = covariance(theta, Z, F)
    inverse = np.linalg.inv(K)
    alpha = inverse @ y
    alone = 50.0 * (np.eye(3) - 1.0)  # switches the other two parts off
    directions = [covariance(theta + np.r_[0, off], Z, F) - np.eye(n) for off in alone] + [K]
    full = np.array([[0.5 / noise * alpha @ a @ inverse @ b @ alpha for b in directions] for a in directions])
    profiled = full[:3, :3] - np.outer(full[:3, 3], full[3, :3]) / full[3, 3]
    np.testing.assert_allclose(curvature[0, 1:, 1:], profiled, rtol=1e-7)


def test_absent_parents_change_nothing(problem):
    Z, y, F = problem(p=2)
    b = F.shape[1] // 2
    theta = np.array([[-0.3, 0.2, -1.0, -2.0]])
    alone = stacked(Z[:, :1], y, F[:, :b])
    padded = Exact(Z[None], y[None], F[None], np.array([[1.0, 0.0]]))
    wide = np.insert(theta, 1, 3.0, axis=1)
    assert padded.value(wide, ALL).loss == pytest.approx(alone.value(theta, ALL).loss)
    gradient, curvature = padded.derivatives(ALL)
    expected, _ = alone.derivatives(ALL)
    np.testing.assert_allclose(gradient[0, [0, 2, 3, 4]], expected[0])
    assert gradient[0, 1] == 0
    assert not curvature[0, 1].any()


def test_a_stack_is_its_problems(problem):
    problems = [problem(seed=s) for s in (1, 2, 3)]
    Z, y, F = (np.stack(parts) for parts in zip(*problems, strict=True))
    theta = np.array([[-0.5, 0.1, 0.2, -1.0, -2.0], [0.5, -2.0, 1.0, -3.0, 0.3], [0.0, 0.0, 0.0, 0.0, 0.0]])
    together = Exact(Z, y, F, np.ones((3, 2)))
    which = np.array([2, 0])
    values = together.value(theta[which], which)
    gradient, curvature = together.derivatives(np.array([1]))
    alone = stacked(*problems[0])
    np.testing.assert_allclose(values.loss[1:], alone.value(theta[:1], ALL).loss)
    expected = alone.derivatives(ALL)
    np.testing.assert_allclose(gradient, expected[0], rtol=1e-8)
    np.testing.assert_allclose(curvature, expected[1], rtol=1e-8)


def test_torch_gives_the_same_numbers(problem):
    torch = pytest.importorskip("torch")
    problems = [problem(seed=s) for s in (1, 2)]
    Z, y, F = (np.stack(parts) for parts in zip(*problems, strict=True))
    theta = np.array([[-0.5, 0.1, 0.2, -1.0, -2.0], [0.5, -2.0, 1.0, -3.0, 0.3]])
    both = np.arange(2)
    here = Exact(Z, y, F, np.ones((2, 2)))
    there = Exact(*(torch.as_tensor(part) for part in (Z, y, F, np.ones((2, 2)))))
    for mine, other in zip(here.value(theta, both), there.value(theta, both), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9)
    for mine, other in zip(here.derivatives(both), there.derivatives(both), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-7, atol=1e-9)


def test_middle_weighs_every_direction(problem):
    """d loss = 1/2 tr(M dK) for any centred symmetric dK, which the screen of candidates relies on."""
    Z, y, F = problem(n=40)
    objective = stacked(Z, y, F)
    theta = np.array([-0.5, 0.1, 0.2, -1.0, -2.0])
    objective.value(theta[None], ALL)
    trial: Trial = objective.trial
    M = np.tril(middle(trial)[0])
    M = M + np.tril(M, -1).T
    rng = np.random.default_rng(0)
    direction = rng.normal(size=(40, 3))
    direction -= direction.mean(axis=0)
    D = direction @ direction.T
    K = covariance(theta, Z, F)

    def loss(K):
        n = len(y)
        return 0.5 * n * np.log(y @ np.linalg.solve(K, y) / n) + 0.5 * np.linalg.slogdet(K)[1]

    numerical = (loss(K + 1e-5 * D) - loss(K - 1e-5 * D)) / 2e-5
    assert 0.5 * (M * D).sum() == pytest.approx(numerical, rel=1e-5)
