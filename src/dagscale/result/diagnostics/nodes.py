"""The checks of single columns: one sentence for each measurement that says something about it."""

from collections.abc import Iterator

import numpy as np

from dagscale.inputs.kinds import COUNT
from dagscale.result.diagnostics.check import DOUBTFUL, FAILED, OK, Check, verdict_of
from dagscale.result.diagnostics.examine import BENT, NEAR_COPY, NORMAL, Decided, Examined
from dagscale.result.p_values import p_text
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
                "sample size", name, ratio, DOUBTFUL, f"{len(fit.parents)} parents share {seen.rows} rows"
            )


def straight_edges(seen: Examined, j: int) -> IntArray:
    """Numbers among the parents of column j whose effect shows no departure from a straight line."""
    fit, numbers = seen.fits[j], number_parents(seen, j)
    return numbers[np.isin(numbers, fit.parents[fit.bent >= BENT])] if len(numbers) else numbers


def number_parents(seen: Examined, j: int) -> IntArray:
    """Parents of column j that have curves: levels and counts have none that could tell a direction."""
    fit = seen.fits[j]
    own = [int(i) for i in fit.parents if fit.curvature is not None and not seen.discrete(int(i))]
    return np.array(own, dtype=np.intp)


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
        none = "no effect" if len(number_parents(seen, j)) else "no parent is a number, so no effect"
        return Check("linearity", seen.names[j], share, OK, f"{said}; {none} is a straight line")
    which = f"{_listed(seen, straight)} {'acts' if len(straight) == 1 else 'act'} along a straight line"
    if not is_gaussian(seen, j):
        remark = (
            f"{which}, with noise that is not Gaussian: the direction follows from the shape of the noise"
        )
        return Check("linearity", seen.names[j], share, DOUBTFUL, f"{said}; {remark}")
    if seen.decided is not None:
        claimed = [i for i in straight if not seen.decided.either_way[i, j]]
        remark = f"{which} with Gaussian noise"
        remark += ": directions there follow from other links or from what was known" if claimed else ""
        return Check("linearity", seen.names[j], share, DOUBTFUL if claimed else OK, f"{said}; {remark}")
    verdict = FAILED if len(straight) == len(number_parents(seen, j)) else DOUBTFUL
    remark = f"{which} with Gaussian noise: such an effect fits equally well in reverse"
    return Check("linearity", seen.names[j], share, verdict, f"{said}; {remark}")


def additivity(seen: Examined, j: int, tests: int) -> Check:
    """Do the parents' effects add up?"""
    found = seen.fits[j].interaction
    assert found is not None
    surprising = found.p_value * tests < FAMILY
    verdict = verdict_of(found.share, INTERACTING, MOSTLY_INTERACTING) if surprising else OK
    sentence = f"interactions of parents explain {found.share:.1%} of its variance beyond their sum"
    if verdict != OK:
        sentence += f", most of it {' and '.join(shown(seen.names[i]) for i in found.pair)}"
        sentence += "" if seen.decided is not None else ": an additive test may miss parents"
    return Check("additivity", seen.names[j], found.share, verdict, sentence)


def noise(seen: Examined, j: int) -> Check:
    """Is what the parents leave Gaussian?"""
    s = seen.shapes[j]
    size = max(abs(s.skewness) / SKEWED, abs(s.kurtosis) / TAILED)
    very = abs(s.skewness) >= VERY_SKEWED or abs(s.kurtosis) >= VERY_TAILED
    odd = s.p_value * len(seen.shapes) < FAMILY and size >= 1
    what = "its residual" if len(seen.fits[j].parents) else "the column"
    found = "is not Gaussian" if odd else "looks Gaussian"
    numbers = f"skewness {s.skewness:.2f}, excess kurtosis {s.kurtosis:.2f}, p {p_text(s.p_value)}"
    sentence = f"{what} {found} ({numbers})"
    return Check("noise", seen.names[j], s.kurtosis, (FAILED if very else DOUBTFUL) if odd else OK, sentence)


def calibration(seen: Examined, j: int) -> Check:
    """Are the levels or counts as probable as the model has them?"""
    s = seen.shapes[j]
    odd = (
        s.p_value * len(seen.shapes) < FAMILY and max(abs(s.skewness) / SKEWED, abs(s.kurtosis) / TAILED) >= 1
    )
    found = "are not" if odd else "look"
    what = "counts" if seen.kinds[j] == COUNT else "levels"
    said = f"its randomised quantile residuals {found} standard normal (p {p_text(s.p_value)})"
    said += f": its {what} are not as probable as the model has them" if odd else ""
    return Check("calibration", seen.names[j], s.kurtosis, DOUBTFUL if odd else OK, said)


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
        return Check("independence", seen.names[j], size, OK, sentence)
    sentence = (
        f"its residual depends on {name} (size {size:.2f}): the noise is not additive, the direction is "
        f"wrong or both have a hidden common cause"
    )
    return Check("independence", seen.names[j], size, FAILED if size >= DEPENDENT else DOUBTFUL, sentence)


def direction(seen: Examined, j: int) -> Iterator[Check]:
    """Could an edge into the column as well point the other way?"""
    if seen.decided is not None:
        yield from unsupported(seen, seen.decided, j)
        return
    column = seen.margins[:, j]
    if np.isnan(column).all():
        return
    i = int(np.nanargmin(column))
    margin, edge = float(column[i]), f"{shown(seen.names[i])} -> {shown(seen.names[j])}"
    if margin >= UNDECIDED:
        return
    if margin > -UNDECIDED:
        said = f"{edge} could as well point the other way (log odds {margin:.1f} from its own two fits)"
        yield Check("direction", seen.names[j], margin, DOUBTFUL, said)
    else:
        said = f"{edge} fits better the other way (log odds {margin:.1f} from its own two fits)"
        yield Check("direction", seen.names[j], margin, FAILED, said)


def unsupported(seen: Examined, decided: Decided, j: int) -> Iterator[Check]:
    """Say which links of the column have no direction that the data support, as the model that decided tells."""
    parents = np.flatnonzero(seen.adjacency[:, j] & decided.either_way[:, j])
    if len(parents):
        i = parents[int(np.argmin(decided.direction[parents, j]))]
        likely = float(decided.direction[i, j])
        said = f"{shown(seen.names[i])} -- {shown(seen.names[j])} may point either way"
        said += f" (probability {likely:.2f} of {shown(seen.names[i])} -> {shown(seen.names[j])})"
        if len(parents) > 1:
            said += f", and {len(parents) - 1} more of its links"
        yield Check("direction", seen.names[j], likely, DOUBTFUL, said)


def hidden_causes(seen: Examined, j: int) -> Iterator[Check]:
    """Does the column share something with others that no edge explains?"""
    if seen.decided is not None:
        if len(partners := np.flatnonzero(seen.decided.confounded[j])):
            said = f"it seems to share a hidden cause with {_listed(seen, partners)}"
            yield Check("hidden causes", seen.names[j], float(len(partners)), FAILED, said)
        return
    both = np.minimum(seen.unlinked.p_values[:, j], seen.unlinked.p_values[j])
    partners = np.flatnonzero(family_p(both, seen.unlinked.tests) < FAMILY)
    if len(partners):
        partners = partners[np.argsort(both[partners], kind="stable")]
        first = partners[0]
        size = float(max(seen.unlinked.size[first, j], seen.unlinked.size[j, first]))
        said = (
            f"its residual depends on that of {_listed(seen, partners)} (size {size:.2f}): "
            f"a hidden common cause or a missing edge"
        )
        yield Check("hidden causes", seen.names[j], size, FAILED if size >= DEPENDENT else DOUBTFUL, said)


def table_checks(seen: Examined, j: int) -> Iterator[Check]:
    """What is wrong with the column itself: rows far out, another column that is nearly the same."""
    share = float(seen.far[j])
    if share >= FAR:
        rows = round(share * seen.rows)
        verdict = FAILED if share >= TOO_FAR and rows >= 3 else DOUBTFUL
        counts = bool(seen.kinds) and seen.kinds[j] == COUNT
        remedy = "" if counts else f", or use {spelled('transform', 'rank')}"
        of_what = " of its square root" if counts else ""
        said = f"{rows} of {seen.rows} rows lie beyond 6 robust standard deviations{of_what} ({share:.2%})"
        yield Check(
            "outliers",
            seen.names[j],
            share,
            verdict,
            f"{said}: look at them{remedy}",
        )
    others = np.abs(seen.correlation[j])
    others[j] = 0
    twin = int(np.argmax(others))
    if others[twin] > NEAR_COPY:
        r = seen.correlation[j, twin]
        said = f"nearly the same as {shown(seen.names[twin])} (correlation {r:.4f}): drop one"
        yield Check("duplicates", seen.names[j], float(others[twin]), FAILED, said)


def _listed(seen: Examined, nodes: IntArray) -> str:
    named = ", ".join(shown(seen.names[i]) for i in nodes[:3])
    return named if len(nodes) <= 3 else f"{named} and {len(nodes) - 3} more"
