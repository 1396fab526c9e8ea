"""Confidence by resampling: counts against a slow loop, the same for any workers, bounds that hold."""

import subprocess
import sys
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.graphs.dag import descendants, topological_order
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.inputs.table import Table
from dagscale.methods.context import Context
from dagscale.methods.registry import METHODS, Method
from dagscale.methods.run_resamples import Job, replicate
from dagscale.resampling import Bootstrap, bootstrap
from dagscale.runtime.errors import InputError, InputTypeError
from dagscale.stages.answer import Answer


@pytest.fixture(scope="module")
def table():
    return dagscale.simulate(nodes=6, samples=200, standardize=True, random_state=1000).table


def same(a, b):
    return all(
        (getattr(a, k) == getattr(b, k)).all() for k in ("confidence", "precedence", "ancestry", "sizes")
    )


def job_of(function, d, share=None, pairs=False):
    return Job(function, {}, False, Constraints.none(d), list(range(d)), share, pairs, "cpu", "full", None)


def test_the_function_wins_over_the_module_and_the_import_stays_light():
    assert dagscale.bootstrap is bootstrap
    code = (
        "import sys, dagscale; sys.exit(any(m in sys.modules for m in ('sklearn', 'scipy.stats', 'pandas')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_counts_are_those_of_a_plain_loop(table):
    found = bootstrap(table, method="cam", replicates=5, n_jobs=1, random_state=7)
    X = table.to_numpy()
    seeds = np.random.SeedSequence(7).spawn(10)
    confidence, before, path = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 6))
    for k in range(5):
        rows = np.random.default_rng(seeds[2 * k]).integers(200, size=200)
        run = Context(Constraints.none(6), 1, "cpu", int(seeds[2 * k + 1].generate_state(1)[0]))
        one = METHODS["cam"].function(X[rows], run)
        confidence += one.adjacency / 5
        path += descendants(one.adjacency) / 5
        for a, i in enumerate(one.order):
            for j in one.order[a + 1 :]:
                before[i, j] += 1 / 5
    np.testing.assert_allclose(found.confidence, confidence)
    np.testing.assert_allclose(found.precedence, before)
    np.testing.assert_allclose(found.ancestry, path)
    assert found.possible == 30
    assert found.sizes.sum() == pytest.approx(5 * confidence.sum())


def test_the_same_for_any_number_of_workers_and_backends(table):
    one = bootstrap(table, method="cam", replicates=4, n_jobs=1)
    assert same(one, bootstrap(table, method="cam", replicates=4, n_jobs=2))
    with joblib.parallel_config("threading", n_jobs=2):
        assert same(one, bootstrap(table, method="cam", replicates=4))
    assert not same(one, bootstrap(table, method="cam", replicates=4, n_jobs=1, random_state=1))


def test_on_a_dask_cluster(table):
    distributed = pytest.importorskip("distributed")
    here = bootstrap(table, method="varsort", replicates=4, n_jobs=1)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as c,
        distributed.Client(c),
        joblib.parallel_config("dask"),
    ):
        assert same(here, bootstrap(table, method="varsort", replicates=4, n_jobs=2))


def test_precedence_and_ancestry_fit_together(table):
    found = bootstrap(table, method="cam", replicates=6, n_jobs=1)
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose((found.precedence + found.precedence.T)[off], 1)
    assert (np.diag(found.precedence) == 0).all()
    assert (found.ancestry <= found.precedence + 1e-12).all()
    assert (found.confidence <= found.ancestry + 1e-12).all()


@pytest.mark.parametrize("method", ["das", "score", "nogam", "cam", "auto"])
def test_repeated_rows_break_no_method(method):
    made = dagscale.simulate(nodes=5, samples=60, random_state=1000)
    X = made.table.round(1)  # ties within columns as well
    found = bootstrap(X, method=method, replicates=2, n_jobs=1)
    assert np.isfinite(found.confidence).all()


def test_columns_of_rare_values_are_drawn_again():
    g = np.random.default_rng(1000)
    X = np.column_stack([g.normal(size=100), np.arange(100) == 3]).astype(float)  # constant in 37% of draws
    seen = []

    def method(X, run):
        seen.append(X[:, 1].max() > X[:, 1].min())
        return Answer(np.arange(2), np.zeros((2, 2), dtype=bool))

    for k in range(20):
        replicate(
            job_of(method, 2), Table(X, (0, 1), ()), np.random.SeedSequence(k), np.random.SeedSequence(k), 0
        )
    assert all(seen)
    with pytest.raises(InputError, match="column 1 is constant in most resamples"):
        replicate(
            job_of(method, 2, 0.5, pairs=True),
            Table(X, (0, 1), ()),
            np.random.SeedSequence(1),
            np.random.SeedSequence(1),
            0,
        )


def test_subsamples_have_no_row_twice_and_pairs_none_in_common():
    X = np.arange(100.0)[:, None] + np.zeros((1, 2))
    job = job_of(None, 2, 0.5, pairs=True)
    seed = np.random.SeedSequence(1000)
    first, second = (job.rows(X, seed, half) for half in (0, 1))
    assert len(first) == len(second) == 50
    assert len({*first, *second}) == 100
    third = job_of(None, 2, 0.3).rows(X, seed, 0)
    assert len(set(third)) == len(third) == 30
    assert len(set(job_of(None, 2).rows(X, seed, 0))) < 80  # with replacement: about 63 different ones


def test_pairs_make_the_replicates_even(table):
    found = bootstrap(table, method="varsort", replicates=5, pairs=True, n_jobs=1)
    assert found.replicates == 6
    assert found.subsample == 0.5
    assert "in disjoint pairs" in repr(found)


def test_knowledge_is_obeyed_and_not_counted(table):
    known = Knowledge(required=[("X0", "X1")], forbidden=[("X2", "X3")])
    found = bootstrap(table, method="cam", replicates=4, n_jobs=1, knowledge=known)
    assert found.confidence[0, 1] == 1
    assert found.confidence[2, 3] == 0
    assert found.precedence[0, 1] == 1
    assert found.possible == 30 - 1 - 1 - 1  # the required edge, its reverse, the forbidden one
    assert found.sizes.mean() == pytest.approx(found.confidence.sum() - 1)


def fake(confidence, sizes, possible, subsample=0.5):
    d = len(confidence)
    flat = np.full((d, d), 0.5)
    return Bootstrap(
        list("abcdefgh")[:d],
        np.array(confidence),
        flat,
        flat,
        np.array(sizes),
        possible,
        "cam",
        {},
        subsample,
        True,
    )


def test_stability_selection_states_its_bound():
    confidence = np.zeros((3, 3))
    confidence[0, 1], confidence[1, 2], confidence[2, 0] = 0.95, 0.8, 0.5
    found = fake(confidence, [2, 3, 2, 1], 6)
    chosen = found.stability_selection(threshold=0.75)
    assert list(zip(chosen.edges["source"], chosen.edges["target"], strict=True)) == [("a", "b"), ("b", "c")]
    assert chosen.expected_false == pytest.approx(2**2 / (0.5 * 6))
    assert found.stability_selection(threshold=1.0).expected_false == pytest.approx(4 / 6)
    wanted = found.stability_selection(expected_false=1.0)
    assert wanted.threshold == pytest.approx((1 + 4 / 6) / 2)
    assert wanted.expected_false == pytest.approx(1.0)
    assert "at most 1 of them are expected to be there by chance" in str(wanted)


def test_stability_selection_refuses_what_it_cannot_promise(table):
    confidence = np.zeros((3, 3))
    with pytest.raises(InputError, match="pairs=True"):
        fake(confidence, [2, 2], 6, subsample=None).stability_selection()
    with pytest.raises(InputError, match=r"above 0\.5"):
        fake(confidence, [2, 2], 6).stability_selection(threshold=0.5)
    with pytest.raises(InputError, match="not both"):
        fake(confidence, [2, 2], 6).stability_selection(threshold=0.8, expected_false=1)
    with pytest.raises(InputError, match="use a smaller alpha"):
        fake(confidence, [5, 5], 6).stability_selection(expected_false=0.1)


def guess(X, run):
    """Draw four edges at random, as a method would that learns nothing from its data."""
    g = run.rng()
    order = g.permutation(8)
    pairs = [(order[a], order[b]) for a in range(8) for b in range(a + 1, 8)]
    A = np.zeros((8, 8), dtype=bool)
    for k in g.choice(len(pairs), 4, replace=False):
        A[pairs[k]] = True
    return Answer(topological_order(A), A)


def test_the_bound_holds_for_a_method_that_guesses(monkeypatch):
    monkeypatch.setitem(METHODS, "guess", Method(guess))
    X = np.random.default_rng(1000).normal(size=(80, 8))
    kept, bounds = [], []
    for seed in range(1000, 1030):
        found = bootstrap(X, method="guess", replicates=10, pairs=True, n_jobs=1, random_state=seed)
        chosen = found.stability_selection(threshold=0.6)
        kept.append(len(chosen.edges))
        bounds.append(chosen.expected_false)
    assert np.mean(kept) <= np.mean(bounds)
    assert np.mean(bounds) == pytest.approx(16 / (0.2 * 56))


def test_a_method_of_the_users_own_reaches_the_workers(monkeypatch):
    def own(X, run):
        return Answer(np.arange(3), np.eye(3, k=1, dtype=bool))

    monkeypatch.setitem(METHODS, "own", Method(own))
    X = np.random.default_rng(1000).normal(size=(50, 3))
    found = bootstrap(X, method="own", replicates=3, n_jobs=2)
    assert (found.confidence == np.eye(3, k=1)).all()


def test_real_edges_are_stable_and_noise_is_not():
    g = np.random.default_rng(1000)
    a = g.normal(size=400)
    b = np.sin(2 * a) + 0.3 * g.normal(size=400)
    X = pd.DataFrame({"noise": g.normal(size=400), "b": b, "a": a})
    found = bootstrap(X, method="cam", replicates=10, n_jobs=1)
    best = found.to_frame().iloc[0]
    assert (best["source"], best["target"], best["confidence"]) == ("a", "b", 1.0)
    assert best["before"] == 1
    assert best["reverse"] == 0
    assert best["path"] == 1
    assert found.stable(0.9).sum() == 1
    assert repr(found).startswith("Bootstrap of cam: 3 columns, 10 replicates, rows drawn with replacement")


def test_annotate_matches_by_name_and_survives_saving(table, tmp_path):
    found = bootstrap(table, method="cam", replicates=4, n_jobs=1)
    result = dagscale.discover(table[table.columns[::-1]], method="cam")
    marked = found.annotate(result)
    assert "confidence" not in result.edges
    for row in marked.edges.itertuples():
        i, j = found.names.index(row.source), found.names.index(row.target)
        assert row.confidence == found.confidence[i, j]
        assert row.reverse == found.confidence[j, i]
    assert marked.notes[-1].startswith("confidence: the share of 4 runs on rows drawn with replacement")
    assert found.annotate(marked).notes == marked.notes  # told once, however often it is added
    marked.save(tmp_path / "run")
    assert (dagscale.Result.load(tmp_path / "run").edges["confidence"] == marked.edges["confidence"]).all()
    other = dagscale.discover(table.rename(columns={"X0": "else"}), method="varsort")
    with pytest.raises(InputError, match="'else'"):
        found.annotate(other)


def test_frequent_edges_that_the_graph_lacks_are_told(table):
    result = dagscale.discover(table.set_axis(list("abcdef"), axis=1), method="empty")
    confidence = np.zeros((6, 6))
    confidence[0, 1], confidence[2, 0], confidence[1, 0] = 0.75, 0.6, 0.25
    note = fake(confidence, [2], 30).annotate(result).notes[-1]
    assert "2 edges are in more than half of them but not in this graph (first 'a' -> 'b', 75%)" in note


def test_a_result_runs_its_own_method_again_on_its_rows(table):
    known = Knowledge(forbidden=[("X0", "X1")])
    result = dagscale.discover(table, method="cam", knowledge=known, alpha=0.01, random_state=3)
    steps = []
    marked = result.with_confidence(4, n_jobs=1, progress=lambda *step: steps.append(step))
    sample = pd.DataFrame(result.sample.astype(float), columns=result.names)
    same_way = bootstrap(
        sample, method="cam", replicates=4, knowledge=known, alpha=0.01, random_state=3, n_jobs=1
    )
    assert marked.edges.equals(same_way.annotate(result).edges)
    assert steps[-1] == ("bootstrap", 4, 4)
    assert "50% of the rows in disjoint pairs" in result.with_confidence(2, pairs=True, n_jobs=1).notes[-1]


def test_a_result_without_rows_or_of_an_unknown_method_says_what_to_do(table):
    result = dagscale.discover(table, method="varsort")
    with pytest.raises(InputError, match="without its rows"):
        replace(result, sample=None).with_confidence(2)
    with pytest.raises(InputError, match="not known here"):
        replace(result, method="elsewhere").with_confidence(2)


def test_progress_counts_replicates(table):
    seen = []
    bootstrap(
        table,
        method="varsort",
        replicates=3,
        n_jobs=1,
        progress=lambda label, k, n: seen.append((label, k, n)),
    )
    assert seen == [("bootstrap", k, 3) for k in range(4)]


@pytest.mark.parametrize(
    ("wrong", "kind", "says"),
    [
        ({"replicates": 0}, InputError, "at least 1"),
        ({"replicates": 2.5}, InputTypeError, "whole number"),
        ({"subsample": 1.5}, InputError, "between 0 and 1"),
        ({"subsample": 0.05}, InputError, "fewer than 20"),
        ({"subsample": 0.7, "pairs": True}, InputError, r"at most 0\.5"),
        ({"method": "camm"}, InputError, "did you mean 'cam'"),
        ({"cutof": 1}, InputError, "has no setting 'cutof'"),
        ({"alpha": 2}, InputError, "alpha"),
    ],
)
def test_mistakes_are_refused_in_one_line(table, wrong, kind, says):
    with pytest.raises(kind, match=says) as caught:
        bootstrap(table, **{"method": "cam", "replicates": 2, "n_jobs": 1, **wrong})
    assert "\n" not in str(caught.value)


def test_workers_use_one_blas_thread_each():
    X = np.random.default_rng(1000).normal(size=(40, 2))
    seen = []

    def method(X, run):
        import threadpoolctl

        seen.append(
            [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
        )
        return Answer(np.arange(2), np.zeros((2, 2), dtype=bool))

    replicate(
        job_of(method, 2), Table(X, (0, 1), ()), np.random.SeedSequence(1), np.random.SeedSequence(1), 0
    )
    assert seen
    assert all(threads == 1 for threads in seen[0])
