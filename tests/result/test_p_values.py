"""p-values beyond reason are shown as that."""

import dagscale
from dagscale.result.p_values import p_text
from dagscale.result.why import number


def test_a_p_value_is_never_shown_with_a_precision_that_tests_do_not_have():
    assert p_text(2e-177) == p_text(0.0) == "< 1e-16"
    assert p_text(0.0123) == "0.012"
    assert number(2e-177, "p-value") == "< 1e-16"
    assert number(2e-177, "gain in log likelihood") == "2e-177"


def test_why_shows_it():
    made = dagscale.simulate(nodes=3, samples=500, linear=1.0, random_state=1000)
    result = dagscale.discover(made.table, method="das", n_jobs=1)
    a, b = result.edges.loc[result.edges["p_value"].idxmin(), ["source", "target"]]
    assert result.edges["p_value"].min() < 1e-16
    assert "p-value < 1e-16" in str(result.why(a, b))
