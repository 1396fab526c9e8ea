"""The checks of single columns: one sentence for each measurement that says something about it."""

from collections.abc import Iterator

import numpy as np

from dagscale.inputs.kinds import COUNT
from dagscale.result.diagnostics.check import AMBER, GREEN, RED, Check, light_of
from dagscale.result.diagnostics.examine import BENT, NEAR_COPY, NORMAL, Examined
from dagscale.runtime.errors import shown
from dagscale.runtime.face import spelled
from dagscale.runtime.types import FloatArray, IntArray

FAMILY = 0.01  # chance of one false alarm among all columns of a check, where the graph is right
UNDECIDED = float(np.log(100))  # nats: odds of less than a hundred to one for the direction
INTERACTING, MOSTLY_INTERACTING = 0.01, 0.25  # shares of a column's variance
SKEWED, VERY_SKEWED = 0.3, 2.0
TAILED, VERY_TAILED = 0.6, 7.0  # excess kurtosis
DEPENDENT = 0.2  # effect size from which dependence is red
FAR, TOO_FAR = 1e-9, 0.01  # shares of rows far out; a single row is amber
ROWS_PER_PARENT = 30  # below, splines of ten functions no longer fit


def node_checks(seen: Examined) -> Iterator[Check]:
    """Yield the checks of every column, column by column."""
    children = sum(fit.curvature is not None for fit in seen.fits)
    several = sum(fit.interaction is not None for fit in seen.fits)
    for j, name in enumerate(seen.names):
        fit = seen.fits[j]
        if fit.curvature is not None:
            yield linearity(seen, j)
        if fit.interaction is not None:
            yield additivity(seen, j, several)
        if not seen.discrete(j):
            yield noise(seen, j)
        elif len(fit.parents) or seen.kinds[j] == COUNT:
            yield calibration(seen, j)
        if len(fit.parents):
            yield independence(seen, j)
            yield from direction(seen, j)
        yield from hidden_causes(seen, j)
        yield from table_checks(seen, j)
        if children and len(fit.parents) and seen.rows < ROWS_PER_PARENT * len(fit.parents):
            ratio = seen.rows / len(fit.parents)
            yield Check(
                "sample size", name, ratio, AMBER, f"{len(fit.parents)} parents share {seen.rows} rows"
            )


def straight_edges(seen: Examined, j: int) -> IntArray:
    """Parents of column j whose effect shows no departure from a straight line."""
    fit = seen.fits[j]
    return fit.parents[fit.bent >= BENT] if fit.curvature is not None else fit.parents[:0]


def is_gaussian(seen: Examined, j: int) -> bool:
    """Say whether the residual of column j could be Gaussian."""
    return seen.shapes[j].p_value >= NORMAL


def linearity(seen: Examined, j: int) -> Check:
    """Is the direction of the edges into a column identifiable?"""
    fit = seen.fits[j]
    assert fit.curvature is not None
    share, straight = fit.curvature.share, straight_edges(seen, j)
    said = f"{share:.0%} of what its parents explain is curved"
    if not len(straight):
        return Check("linearity", seen.names[j], share, GREEN, f"{said}; no effect is a straight line")
    which = f"{_listed(seen, straight)} {'acts' if len(straight) == 1 else 'act'} along a straight line"
    if not is_gaussian(seen, j):
        remark = f"{which}, with noise that is not Gaussian: the direction rests on the noise's shape"
        return Check("linearity", seen.names[j], share, AMBER, f"{said}; {remark}")
    light = RED if len(straight) == len(fit.parents) else AMBER
    remark = f"{which} with Gaussian noise: such an effect fits as well in reverse"
    return Check("linearity", seen.names[j], share, light, f"{said}; {remark}")


def additivity(seen: Examined, j: int, tests: int) -> Check:
    """Do the parents' effects add up?"""
    found = seen.fits[j].interaction
    assert found is not None
    surprising = found.p_value * tests < FAMILY
    light = light_of(found.share, INTERACTING, MOSTLY_INTERACTING) if surprising else GREEN
    sentence = f"products of parents explain {found.share:.1%} of its variance beyond their sum"
    if light != GREEN:
        pair = " and ".join(shown(seen.names[i]) for i in found.pair)
        sentence += f", most of it {pair}: an additive test may miss parents"
    return Check("additivity", seen.names[j], found.share, light, sentence)


def noise(seen: Examined, j: int) -> Check:
    """Is what the parents leave Gaussian?"""
    s = seen.shapes[j]
    size = max(abs(s.skewness) / SKEWED, abs(s.kurtosis) / TAILED)
    very = abs(s.skewness) >= VERY_SKEWED or abs(s.kurtosis) >= VERY_TAILED
    odd = s.p_value * len(seen.shapes) < FAMILY and size >= 1
    what = "its residual" if len(seen.fits[j].parents) else "the column"
    verdict = "is not Gaussian" if odd else "looks Gaussian"
    sentence = (
        f"{what} {verdict} (skewness {s.skewness:.2f}, excess kurtosis {s.kurtosis:.2f}, p {s.p_value:.2g})"
    )
    return Check("noise", seen.names[j], s.kurtosis, (RED if very else AMBER) if odd else GREEN, sentence)


def calibration(seen: Examined, j: int) -> Check:
    """Are the levels or counts as probable as the model has them?"""
    s = seen.shapes[j]
    odd = (
        s.p_value * len(seen.shapes) < FAMILY and max(abs(s.skewness) / SKEWED, abs(s.kurtosis) / TAILED) >= 1
    )
    verdict = "are not" if odd else "look"
    what = "counts" if seen.kinds[j] == COUNT else "levels"
    said = f"its randomised quantile residuals {verdict} standard normal (p {s.p_value:.2g})"
    said += f": its {what} are not as probable as the model has them" if odd else ""
    return Check("calibration", seen.names[j], s.kurtosis, AMBER if odd else GREEN, said)


def family_p(p_values: FloatArray, tests: int) -> FloatArray:
    """p-values that allow for so many tests."""
    return np.minimum(1.0, p_values * max(tests, 1))


def independence(seen: Examined, j: int) -> Check:
    """Is the residual independent of the parents, as additive noise is?"""
    parents = seen.fits[j].parents
    p_values = family_p(seen.effects.p_values[parents, j], seen.effects.tests)
    i = int(np.argmin(p_values))
    size, name = float(seen.effects.size[parents[i], j]), shown(seen.names[parents[i]])
    if p_values[i] >= FAMILY:
        sentence = f"its residual is independent of its parents (largest size {size:.2f}, for {name})"
        return Check("independence", seen.names[j], size, GREEN, sentence)
    sentence = (
        f"its residual depends on {name} (size {size:.2f}): the noise is not additive, the direction is "
        f"wrong or both have a hidden common cause"
    )
    return Check("independence", seen.names[j], size, RED if size >= DEPENDENT else AMBER, sentence)


def direction(seen: Examined, j: int) -> Iterator[Check]:
    """Could an edge into the column as well point the other way?"""
    column = seen.margins[:, j]
    if np.isnan(column).all():
        return
    i = int(np.nanargmin(column))
    margin, edge = float(column[i]), f"{shown(seen.names[i])} -> {shown(seen.names[j])}"
    if margin >= UNDECIDED:
        return
    if margin > -UNDECIDED:
        said = f"{edge} could as well point the other way (log odds {margin:.1f} from its own two fits)"
        yield Check("direction", seen.names[j], margin, AMBER, said)
    else:
        said = f"{edge} fits better the other way (log odds {margin:.1f} from its own two fits)"
        yield Check("direction", seen.names[j], margin, RED, said)


def hidden_causes(seen: Examined, j: int) -> Iterator[Check]:
    """Does the column share something with others that no edge explains?"""
    both = np.minimum(seen.unlinked.p_values[:, j], seen.unlinked.p_values[j])
    partners = np.flatnonzero(family_p(both, seen.unlinked.tests) < FAMILY)
    if len(partners):
        partners = partners[np.argsort(both[partners], kind="stable")]
        first = partners[0]
        size = float(max(seen.unlinked.size[first, j], seen.unlinked.size[j, first]))
        said = (
            f"its unexplained part depends on that of {_listed(seen, partners)} (size {size:.2f}): "
            f"a hidden common cause or a missing edge"
        )
        yield Check("hidden causes", seen.names[j], size, RED if size >= DEPENDENT else AMBER, said)


def table_checks(seen: Examined, j: int) -> Iterator[Check]:
    """What is wrong with the column itself: rows far out, another column that is nearly the same."""
    share = float(seen.far[j])
    if share >= FAR:
        rows = round(share * seen.rows)
        light = RED if share >= TOO_FAR and rows >= 3 else AMBER
        said = f"{rows} of {seen.rows} rows lie beyond 6 robust standard deviations ({share:.2%})"
        yield Check(
            "outliers",
            seen.names[j],
            share,
            light,
            f"{said}: look at them, or use {spelled('transform', 'rank')}",
        )
    others = np.abs(seen.correlation[j])
    others[j] = 0
    twin = int(np.argmax(others))
    if others[twin] > NEAR_COPY:
        r = seen.correlation[j, twin]
        said = f"nearly the same as {shown(seen.names[twin])} (correlation {r:.4f}): drop one"
        yield Check("duplicates", seen.names[j], float(others[twin]), RED, said)


def _listed(seen: Examined, nodes: IntArray) -> str:
    named = ", ".join(shown(seen.names[i]) for i in nodes[:3])
    return named if len(nodes) <= 3 else f"{named} and {len(nodes) - 3} more"
