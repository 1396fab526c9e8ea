import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg

import dagscale
from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.methods.context import Context
from dagscale.methods.grandag.method import grandag
from dagscale.methods.grandag.thresholding import is_acyclic, strongest_dag
from dagscale.runtime.errors import InputError, MissingDependencyError
from dagscale.stages.answer import StageKind


def data(n=400, seed=1000):
    """Draw 0 -> 1, 0 -> 2, 1 -> 3 with strong nonlinear effects."""
    rng = np.random.default_rng(seed)
    e = rng.standard_normal((n, 4))
    x0 = e[:, 0]
    x1 = 2 * np.sin(1.5 * x0) + 0.5 * e[:, 1]
    x2 = x0**2 + 0.5 * e[:, 2]
    x3 = 2 * np.tanh(2 * x1 - 1) + np.cos(x1) + 0.5 * e[:, 3]
    truth = np.zeros((4, 4), dtype=bool)
    truth[[0, 0, 1], [1, 2, 3]] = True
    return np.column_stack([x0, x1, x2, x3]), truth


def run_of(constraints=None, d=4, **conditions):
    return Context(constraints or Constraints.none(d), n_jobs=1, **conditions)


def networks(mask, hidden=3, seed=0):
    torch = pytest.importorskip("torch", reason="GraN-DAG needs torch: pip install 'dagscale[torch]'")
    from dagscale.methods.grandag.networks import Networks

    built = Networks(torch.tensor(mask, dtype=torch.float64), hidden, torch.Generator().manual_seed(seed))
    return torch, built


def test_acyclicity_is_the_trace_of_the_exponential_and_its_gradient_is_right():
    torch = pytest.importorskip("torch", reason="GraN-DAG needs torch: pip install 'dagscale[torch]'")
    from dagscale.methods.grandag.networks import acyclicity

    rng = np.random.default_rng(0)
    A = rng.random((5, 5)) * ~np.eye(5, dtype=bool)
    h, gradient = acyclicity(torch.tensor(A))
    assert h == pytest.approx(np.trace(scipy.linalg.expm(A)) - 5, rel=1e-12)
    for i, j in ((0, 1), (3, 2), (4, 0)):
        step = np.zeros_like(A)
        step[i, j] = 1e-5
        slope = (np.trace(scipy.linalg.expm(A + step)) - np.trace(scipy.linalg.expm(A - step))) / 2e-5
        assert float(gradient[i, j]) == pytest.approx(slope, rel=1e-7)
    # two nodes in a cycle: tr e^A = 2 cosh √(ab)
    assert acyclicity(torch.tensor([[0, 0.3], [0.5, 0]]))[0] == pytest.approx(
        2 * np.cosh(np.sqrt(0.15)) - 2, rel=1e-6
    )
    assert acyclicity(torch.tensor(np.triu(A, 1)))[0] == 0


def test_connectivity_sums_the_paths_of_handmade_weights():
    torch, nets = networks(~np.eye(2, dtype=bool), hidden=2)
    w = nets.weights
    w["W1"].zero_()
    w["W1"][0, 1] = torch.tensor([-1.0, 2.0])  # column 0 enters node 1's two units
    w["W2"][1] = torch.tensor([[3.0, 0.0], [1.0, -4.0]])
    w["w3"][1] = torch.tensor([[5.0], [-6.0]])
    # paths: 1·3·5 through the first unit, 2·1·5 and 2·4·6 through the second; four paths in all
    expected = np.array([[0, (15 + 10 + 48) / 4], [0, 0]])
    np.testing.assert_allclose(nets.connectivity().numpy(), expected)


def test_an_input_without_paths_has_no_influence():
    torch, nets = networks(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool))
    X = torch.tensor(np.random.default_rng(0).standard_normal((20, 3)))
    strength = nets.mean_absolute_jacobian(X).numpy()
    assert ((strength > 0) == (nets.connectivity().numpy() > 0)).all()
    assert (strength > 0).tolist() == (nets.mask.numpy() > 0).tolist()


def test_jacobian_against_finite_differences():
    torch, nets = networks(~np.eye(3, dtype=bool))
    X = torch.tensor(np.random.default_rng(1).standard_normal((30, 3)))
    slopes = np.zeros((3, 3))
    for i in range(3):
        step = torch.zeros(3, dtype=torch.float64)
        step[i] = 1e-6
        change = nets._predict(X + step)[-1] - nets._predict(X - step)[-1]
        slopes[i] = (change.abs() / 2e-6).mean(1).numpy()
    np.testing.assert_allclose(nets.mean_absolute_jacobian(X).numpy(), slopes, rtol=1e-5, atol=1e-8)


def test_gradients_of_likelihood_and_penalty_against_finite_differences():
    mask = ~np.eye(3, dtype=bool)
    mask[2, 0] = False
    torch, nets = networks(mask)
    from dagscale.methods.grandag.networks import acyclicity

    rng = np.random.default_rng(2)
    X = torch.tensor(rng.standard_normal((25, 3)))
    nets.weights["log_s"].copy_(torch.tensor(rng.standard_normal((3, 1)) / 3))

    def loss():
        A = nets.connectivity()
        h = acyclicity(A)[0]
        return nets.negative_log_likelihood(X) + 0.7 * h + 0.5 * 3.0 * h * h + 0.2 * float(A.sum())

    nets.fit_gradient(X)
    nets.add_penalty(0.7, 3.0, 0.2)
    free = (nets.weights["W1"] != 0).flatten().numpy()  # a masked weight has no loss to differentiate
    analytic, numeric = nets.gradient.numpy().copy(), np.zeros(len(nets.theta))
    for k in range(len(nets.theta)):
        nets.theta[k] += 1e-6
        up = loss()
        nets.theta[k] -= 2e-6
        numeric[k] = (up - loss()) / 2e-6
        nets.theta[k] += 1e-6
    checked = np.concatenate([free, np.ones(len(nets.theta) - len(free), dtype=bool)])
    np.testing.assert_allclose(analytic[checked], numeric[checked], rtol=1e-4, atol=1e-8)


def test_recovers_a_small_nonlinear_graph_the_same_way_twice():
    pytest.importorskip("torch", reason="GraN-DAG needs torch: pip install 'dagscale[torch]'")
    X, truth = data()
    reports = []
    run = run_of(progress=lambda label, done, total: reports.append((label, done <= total)))
    found = grandag(X, run, steps=5000)
    assert (found.adjacency == truth).all()
    assert (topological_order(found.adjacency) >= 0).all()
    assert "training networks" in {label for label, _ in reports}
    assert all(within for _, within in reports)
    short = [grandag(X, run_of(seed=seed), steps=300) for seed in (3, 3, 4)]
    np.testing.assert_array_equal(short[0].evidence["jacobian"], short[1].evidence["jacobian"])
    assert (short[0].evidence["jacobian"] != short[2].evidence["jacobian"]).any()


def test_steps_shorten_from_subproblem_to_subproblem_down_to_the_least(monkeypatch):
    pytest.importorskip("torch", reason="GraN-DAG needs torch: pip install 'dagscale[torch]'")
    from dagscale.methods.grandag import training

    rates = []
    monkeypatch.setattr(training, "_step", lambda networks, batch, squares, rate, *rest: rates.append(rate))
    monkeypatch.setattr(training._Subproblem, "has_converged", lambda self, objective: True)
    how = training.Training(steps=500, rate=0.1, rate_decay=0.5, least_rate=0.04, first_rate=1.0)
    run = run_of()
    training.train(data(n=100)[0], run.constraints.allowed, run.constraints.required, run, how)
    assert rates[:: training.WINDOW] == [1.0, 0.1, 0.05, 0.04, 0.04]


def test_leaves_the_global_seed_alone():
    torch = pytest.importorskip("torch", reason="GraN-DAG needs torch: pip install 'dagscale[torch]'")
    before = torch.get_rng_state()
    grandag(data(n=100)[0], run_of(), steps=100)
    assert torch.equal(before, torch.get_rng_state())


def test_obeys_knowledge_and_the_deadline():
    pytest.importorskip("torch", reason="GraN-DAG needs torch: pip install 'dagscale[torch]'")
    X, _ = data(n=200)
    known = Knowledge(required=[(3, 1)], forbidden=[(0, 2)], roots=[3]).resolve(range(4))
    found = grandag(X, run_of(known, deadline=0.0))
    assert "trained for 0 steps" in found.notes[0]
    for graph in (found, grandag(X, run_of(known), steps=1000)):
        assert graph.adjacency[3, 1]
        assert not (graph.adjacency & ~known.allowed).any()
        place = np.argsort(graph.order)
        assert all(place[i] < place[j] for i, j in np.argwhere(graph.adjacency | known.before))


def test_neighbour_search_limits_the_inputs():
    pytest.importorskip("torch", reason="GraN-DAG needs torch: pip install 'dagscale[torch]'")
    X, _ = data(n=200)
    found = grandag(X, run_of(), steps=100, pns=True, K=1)
    stage = next(s for s in found.trail if s.kind is StageKind.NEIGHBOURS)
    assert (stage.kept.sum(axis=0) == 1).all()
    assert not (found.adjacency & ~stage.kept).any()


def test_prunes_by_evidence_where_asked():
    pytest.importorskip("torch", reason="GraN-DAG needs torch: pip install 'dagscale[torch]'")
    X, _ = data(n=200)
    found = grandag(X, run_of(), steps=500, pruning="evidence")
    dag, kept = found.trail[-2].kept, found.trail[-1].kept
    assert (kept == found.adjacency).all()
    assert not (kept & ~dag).any()
    assert (found.evidence["evidence"][kept] >= np.log(200)).all()
    with pytest.raises(InputError, match="pruning must be 'additive' or 'evidence', not 'gam'"):
        grandag(X, run_of(), pruning="gam")


def test_says_how_to_get_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("training", "networks"):
        monkeypatch.delitem(sys.modules, f"dagscale.methods.grandag.{name}", raising=False)
    for refused in (
        lambda X: grandag(X, run_of()),
        lambda X: dagscale.discover(X, method="grandag"),
        lambda X: dagscale.GraNDAG().fit(X),
    ):
        with pytest.raises(MissingDependencyError, match=r"pip install 'dagscale\[torch\]'") as error:
            refused(data(n=50)[0])
        assert "\n" not in str(error.value)


def test_torch_is_loaded_only_when_it_is_used():
    code = "import sys, dagscale, dagscale.methods; dagscale.GraNDAG(); print('torch' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_thresholding_cuts_the_weakest_until_acyclic():
    strength = np.array([[0, 5.0, 1.0], [2.0, 0, 4.0], [0.5, 3.0, 0]])
    connected = strength > 0
    nothing = np.zeros((3, 3), dtype=bool)
    dag, threshold = strongest_dag(connected, strength, nothing, nothing)
    assert threshold == 3.0
    assert dag.tolist() == (strength > 3).tolist()
    # a required edge outlives stronger ones, and so does an order that only a path could break
    required = nothing.copy()
    required[2, 0] = True
    dag, _ = strongest_dag(connected, strength, required, required)
    assert dag[2, 0]
    assert is_acyclic(dag)
    assert not dag[1, 2]
    before = nothing.copy()
    before[2, 0] = True
    dag, _ = strongest_dag(connected, strength, nothing, before)
    assert is_acyclic(dag | before)
    kept, threshold = strongest_dag(np.triu(connected), strength, nothing, nothing)
    assert threshold == 0
    assert (kept == np.triu(connected)).all()


def test_acyclic_means_powers_vanish():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(60):
        graph = rng.random((6, 6)) < 0.15
        nilpotent = not np.linalg.matrix_power(graph.astype(int), 6).any()
        assert is_acyclic(graph) == nilpotent
        seen.add(nilpotent)
    assert seen == {True, False}
