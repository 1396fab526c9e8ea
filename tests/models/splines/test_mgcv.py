"""The additive engine against R's mgcv: values stored in `tests/reference`, and live where R has it."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.testing import term_p_values
from dagscale.runtime.parallel import parallel_map

REFERENCE = Path(__file__).parents[2] / "reference" / "mgcv_cases.py"
_spec = importlib.util.spec_from_file_location("mgcv_cases", REFERENCE)
cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cases)


def fitted(X, y, criterion="gcv", rank=10):
    table = SplineTable.of(np.column_stack([y, X]), n_jobs=1)
    return AdditiveFit.of(table, 0, range(1, X.shape[1] + 1), criterion, rank)


def column(rows, name):
    return np.array([float(row[name]) for row in rows])


def decisions(by_case, fits, level=0.001):
    """Whether each term is kept: by us, by mgcv."""
    ours = np.concatenate([fits[name].p_values < level for name in by_case])
    theirs = np.concatenate([column(rows, "p_value") < level for rows in by_case.values()])
    return ours, theirs


@pytest.fixture(scope="module")
def additive():
    by_case = cases.stored("mgcv_additive")
    seeds = dict(zip(by_case, cases.ADDITIVE, strict=True))
    fits = parallel_map(lambda seed: fitted(*cases.additive_case(seed)), seeds.values())
    return by_case, dict(zip(by_case, fits, strict=True))


def test_same_decisions_as_mgcv(additive):
    """At 0.001, on 622 terms of which two in five are built to be borderline."""
    ours, theirs = decisions(*additive)
    assert len(ours) == 622
    assert 150 < theirs.sum() < 450
    assert (ours == theirs).mean() >= 0.99


def same_minimum(rows, fit):
    """GCV has several minima; mgcv's and ours can only be compared where they are the same one.

    mgcv's own deviance and degrees of freedom do not belong to its smoothing parameters when some of these
    are huge (its fit differs from the normal equations it states), which is excluded as well.
    """
    deviance, edf = column(rows, "deviance")[0], column(rows, "edf")
    return fit.deviance == pytest.approx(deviance, rel=1e-4) and np.abs(fit.edf - edf).max() < 0.02


def test_same_fit_where_the_minimum_is_the_same(additive):
    by_case, fits = additive
    alike = [name for name, rows in by_case.items() if same_minimum(rows, fits[name])]
    assert len(alike) > 0.7 * len(by_case)
    for name in alike:
        rows, fit = by_case[name], fits[name]
        np.testing.assert_allclose(fit.reference_edf, column(rows, "edf1"), atol=0.03)
        gcv = fit.equations.n * fit.deviance / (fit.equations.n - fit.solution.trace) ** 2
        assert gcv == pytest.approx(column(rows, "criterion")[0], rel=1e-5)
        # with mgcv's divisor of the noise variance; its tail is good to 2e-5
        p_values = term_p_values(fit.equations, fit.solution, fit.equations.n - fit.solution.trace)
        np.testing.assert_allclose(p_values, column(rows, "p_value"), rtol=0.03, atol=5e-5)


def test_our_minimum_is_as_good_as_mgcvs(additive):
    by_case, fits = additive
    excess = []
    for name, rows in by_case.items():
        n, trace = fits[name].equations.n, 1 + column(rows, "edf").sum()
        theirs = np.log(column(rows, "deviance")[0]) - 2 * np.log(n - trace)
        excess.append(n * (np.log(fits[name].deviance) - 2 * np.log(n - fits[name].solution.trace) - theirs))
    assert np.median(np.abs(excess)) < 0.01
    assert np.mean(excess) < 0.5


@pytest.mark.parametrize(("name", "seeds"), [("mgcv_narrow", cases.NARROW), ("mgcv_reml", cases.REML)])
def test_narrow_bases_and_reml(name, seeds):
    by_case = cases.stored(name)
    reml = name == "mgcv_reml"
    fits = {
        case: fitted(
            *cases.additive_case(seed),
            criterion="reml" if reml else "gcv",
            rank=10 if reml else cases.narrow_rank(seed),
        )
        for case, seed in zip(by_case, seeds, strict=True)
    }
    alike = [case for case, rows in by_case.items() if same_minimum(rows, fits[case])]
    assert len(alike) > (0.9 if reml else 0.75) * len(by_case)
    ours, theirs = decisions(by_case, fits)
    assert (ours == theirs).mean() >= 0.98


@pytest.mark.slow
def test_rejects_true_nulls_no_more_often_than_mgcv():
    """10,000 terms without effect, n = 200: our rejection rates lie nearer to the nominal ones."""
    theirs = column([row for rows in cases.stored("mgcv_null").values() for row in rows], "p_value")
    ours = np.concatenate(parallel_map(lambda seed: fitted(*cases.null_case(seed)).p_values, cases.NULL))
    for level in (0.05, 0.01, 0.001):
        assert abs((ours < level).mean() - level) <= abs((theirs < level).mean() - level)
        assert ((ours < level) == (theirs < level)).mean() > 0.99
    np.testing.assert_allclose(
        np.quantile(ours, [0.25, 0.5, 0.75]), np.quantile(theirs, [0.25, 0.5, 0.75]), atol=0.02
    )


def test_live_mgcv_says_what_is_stored():
    if not cases.mgcv_found():
        pytest.skip("needs Rscript with mgcv (apt-get install r-base-core r-cran-mgcv)")
    small = [s for s in cases.ADDITIVE if cases.additive_case(s)[0].size <= 2000][:6]
    told = cases.run_mgcv({cases.case_name(s): cases.additive_case(s) for s in small})
    by_case = cases.stored("mgcv_additive")
    for row in told:
        known = by_case[row["case"]][int(row["term"]) - 1]
        assert float(row["edf"]) == pytest.approx(float(known["edf"]), rel=1e-3)
        assert float(row["p_value"]) == pytest.approx(float(known["p_value"]), rel=1e-2, abs=1e-6)
