"""The checks of the whole table and graph."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dagscale.result.diagnostics.check import DOUBTFUL, FAILED, OK, Check, verdict_of, worst
from dagscale.result.diagnostics.examine import NEAR_COPY, Decided, Examined
from dagscale.result.diagnostics.nodes import (
    FAMILY,
    UNDECIDED,
    family_p,
    is_gaussian,
    number_parents,
    straight_edges,
)
from dagscale.result.diagnostics.sorting import TrivialSort
from dagscale.runtime.errors import shown

NAN = float("nan")
SOME_STRAIGHT, MOSTLY_STRAIGHT = 0.25, 0.5  # shares of the edges
SOME_UNDECIDED, MOSTLY_UNDECIDED = 0.15, 0.5
NOT_ADDITIVE = 0.1  # mean share of interactions from which additive tests lose most parents
CERTAIN = 1e-6  # p-value, all pairs allowed for, from which leftover dependence is red
SORTABLE = 0.9
FEWEST_PAIRS = 10  # fewer ancestor pairs are all in one direction too often by chance
FEW_ROWS = 300


def whole_checks(
    seen: Examined, columns: list[Check], sorts: list[TrivialSort], units_matter: bool, additive: bool
) -> Iterator[Check]:
    """Yield the checks of the whole table; `columns` are those of the single columns."""
    residuals = independence(columns)
    yield linearity(seen)
    yield agreeing(direction(seen), residuals)
    yield hidden_causes(seen)
    yield residuals
    yield additivity(columns, additive, seen.decided is not None)
    yield noise(columns, seen.decided is not None)
    yield outliers(seen, columns)
    yield duplicates(seen)
    yield from seen.row_checks
    yield sample_size(seen)
    edges = int(seen.adjacency.sum())
    for sort in sorts:
        yield sorted_by(sort, edges, units_matter)


def linearity(seen: Examined) -> Check:
    """Are directions identified at all?"""
    edges = sum(len(number_parents(seen, j)) for j in range(len(seen.names)))
    if not edges:
        return Check("linearity", None, NAN, OK, "the graph has no edges")
    straight = [len(straight_edges(seen, j)) for j in range(len(seen.names))]
    hopeless = sum(count for j, count in enumerate(straight) if is_gaussian(seen, j))
    if seen.decided is not None:
        return straight_but_claimed(seen, edges)
    share = hopeless / edges
    verdict = verdict_of(share, SOME_STRAIGHT, MOSTLY_STRAIGHT)
    said = f"{hopeless} of {_curves(seen, edges)} cannot be distinguished from straight lines with Gaussian noise"
    if verdict == FAILED:
        said += ": their directions are not identified by these data; trust the links, not the arrows"
    elif verdict == DOUBTFUL:
        said += ": their directions follow from those of other edges at best"
    elif sum(straight) > MOSTLY_STRAIGHT * edges:
        verdict = DOUBTFUL
        said = (
            f"{sum(straight)} of {_curves(seen, edges)} cannot be distinguished from straight lines: only the shape of "
            f"their noise can show the direction, and a method that expects curved effects may reverse them"
        )
    return Check("linearity", None, share, verdict, said)


def straight_but_claimed(seen: Examined, edges: int) -> Check:
    """How many edges have an arrow that their own shape cannot support, though the method supports directions?"""
    assert seen.decided is not None
    straight = [
        (i, j) for j in range(len(seen.names)) if is_gaussian(seen, j) for i in straight_edges(seen, j)
    ]
    claimed = sum(not seen.decided.either_way[i, j] for i, j in straight)
    if not straight:
        return Check("linearity", None, 0.0, OK, "every edge is curved, or its noise is not Gaussian")
    said = f"{len(straight)} of {_curves(seen, edges)} cannot be distinguished from straight lines with Gaussian noise"
    if straight:
        said += f"; {claimed} of them {'has' if claimed == 1 else 'have'} a supported direction"
    if claimed:
        by = "experiments, from " if seen.experiments else ""
        said += f", which follows from {by}other links or from what was known, not from the edge's own shape"
    share = claimed / edges
    doubtful = share >= SOME_STRAIGHT and not seen.experiments
    return Check("linearity", None, share, DOUBTFUL if doubtful else OK, said)


def _curves(seen: Examined, edges: int) -> str:
    """Count the edges that are judged; those of levels have no curve."""
    return f"{edges} edges" if edges == int(seen.adjacency.sum()) else f"{edges} edges that have a curve"


def direction(seen: Examined) -> Check:
    """How many edges could as well point the other way?"""
    if seen.decided is not None:
        return supported(seen, seen.decided)
    known = seen.margins[~np.isnan(seen.margins)]
    if not len(known):
        return Check("direction", None, NAN, OK, "no edge could be judged by reversing it alone")
    undecided = int((known < UNDECIDED).sum())
    share = undecided / len(known)
    verdict = verdict_of(share, SOME_UNDECIDED, MOSTLY_UNDECIDED) if undecided > 1 else OK
    said = (
        f"{undecided} of {len(known)} edges that could be judged by reversing them alone have odds of "
        f"less than 100 to 1 for their direction (median log odds {np.median(known):.0f})"
    )
    if verdict != OK:
        said += ": straight effects, weak ones and hidden common causes look like that"
    return Check("direction", None, share, verdict, said)


def supported(seen: Examined, decided: Decided) -> Check:
    """How many links have a direction that the model which decided supports?"""
    links = int(seen.adjacency.sum())
    if not links:
        return Check("direction", None, NAN, OK, "the graph has no links")
    open_ = int((seen.adjacency & decided.either_way).sum())
    share = open_ / links
    said = f"{links - open_} of {_times(links, 'direction', 'directions')} supported by the data"
    if open_:
        said += f"; {_times(open_, 'link', 'links')} may point either way: "
        said += "'What you may know' on the report page, or result.ask(), says what would settle them"
    return Check("direction", None, share, verdict_of(share, SOME_UNDECIDED, MOSTLY_UNDECIDED), said)


def agreeing(directions: Check, residuals: Check) -> Check:
    """Take the ok from the directions where residuals depend on parents: the model they rest on does not hold."""
    if directions.verdict != OK or residuals.verdict != FAILED:
        return directions
    said = f"{directions.sentence}; but {residuals.sentence}, so the model does not hold there"
    return replace(directions, verdict=DOUBTFUL, sentence=said)


def hidden_causes(seen: Examined) -> Check:
    """Is there dependence that the graph does not explain?"""
    if seen.decided is not None:
        return marked(seen, seen.decided)
    unlinked = family_p(seen.unlinked.p_values, 2 * seen.unlinked.tests)
    effects = family_p(seen.effects.p_values, 2 * seen.effects.tests)
    apart, along = int((unlinked < FAMILY).sum()), int((effects < FAMILY).sum())
    if apart + along == 0:
        said = (
            "no dependence is left that the graph does not explain; a weak hidden cause, or one with "
            "linear effects, would not show here"
        )
        return Check("hidden causes", None, 0.0, OK, said)
    parts = []
    if apart:
        i, j = np.unravel_index(np.argmin(unlinked), unlinked.shape)
        names = f"{shown(seen.names[i])} and {shown(seen.names[j])}"
        parts.append(
            f"{_times(apart, 'pair', 'pairs')} without an edge still dependent "
            f"(first {names}, size {seen.unlinked.size[i, j]:.2f})"
        )
    if along:
        i, j = np.unravel_index(np.argmin(effects), effects.shape)
        names = f"{shown(seen.names[i])} -> {shown(seen.names[j])}"
        parts.append(
            f"{_times(along, 'edge', 'edges')} whose residual depends on the cause "
            f"(first {names}, size {seen.effects.size[i, j]:.2f})"
        )
    verdict = FAILED if min(unlinked.min(), effects.min()) < CERTAIN else DOUBTFUL
    said = f"{' and '.join(parts)}: suspect a hidden common cause, a missing edge or a wrong direction"
    return Check("hidden causes", None, float(apart + along), verdict, said)


def marked(seen: Examined, decided: Decided) -> Check:
    """Say which pairs the model that decided marks, so that the check and `confounded` never differ."""
    pairs = np.argwhere(np.triu(decided.confounded, 1)).tolist()
    if not pairs:
        said = "no pair of columns is marked; most hidden causes leave no trace that residuals show"
        return Check("hidden causes", None, 0.0, OK, said)
    i, j = pairs[0]
    named = f"{shown(seen.names[i])} and {shown(seen.names[j])}"
    said = f"{_times(len(pairs), 'pair seems', 'pairs seem')} to share a hidden cause (first {named}): what their "
    said += "parents leave of both is dependent, in a way that no arrow between them explains"
    return Check("hidden causes", None, float(len(pairs)), FAILED, said)


def independence(columns: list[Check]) -> Check:
    """In how many columns does the residual depend on a parent?"""
    own = [check for check in columns if check.name == "independence"]
    flagged = [check for check in own if check.verdict != OK]
    said = f"the residuals of {len(flagged)} of {len(own)} columns with parents depend on a parent"
    share = len(flagged) / len(own) if own else NAN
    return Check("independence", None, share, worst([check.verdict for check in flagged]), said)


def additivity(columns: list[Check], additive: bool, allowed: bool) -> Check:
    """Do effects add up? It matters most to a method that decides on edges by `additive` tests.

    `allowed` says whether the model has interactions where they tell more.
    """
    own = [check for check in columns if check.name == "additivity"]
    if not own:
        return Check("additivity", None, NAN, OK, "no column has several parents")
    flagged = [check for check in own if check.verdict != OK]
    mean = float(np.mean([check.value for check in own]))
    said = f"interactions of parents matter in {len(flagged)} of {len(own)} columns with several parents"
    said += f" (on average {mean:.1%} of the variance)"
    verdict = OK if not flagged else FAILED if additive and mean >= NOT_ADDITIVE else DOUBTFUL
    if verdict != OK and allowed:
        return Check("additivity", None, mean, OK, f"{said}; the search looks for that")
    if verdict != OK:
        said += ": additive tests miss parents that act only through interactions"
    return Check("additivity", None, mean, verdict, said)


def noise(columns: list[Check], allowed: bool) -> Check:
    """How many residuals are not Gaussian? `allowed` says whether the model has noise of any shape."""
    own = [check for check in columns if check.name == "noise"]
    flagged = [check for check in own if check.verdict != OK]
    if not own:
        return Check("noise", None, NAN, OK, "no column is continuous")
    red = sum(check.verdict == FAILED for check in flagged)
    verdict = OK if not flagged else FAILED if red > len(own) / 4 else DOUBTFUL
    share = len(flagged) / len(own)
    said = f"{len(flagged)} of {len(own)} columns have noise that is not Gaussian"
    if flagged and allowed:
        return Check("noise", None, share, OK, f"{said}; the model allows for any shape")
    if flagged:
        said += ": SCORE, DAS and CAM assume Gaussian noise, NoGAM does not"
    return Check("noise", None, share, verdict, said)


def outliers(seen: Examined, columns: list[Check]) -> Check:
    """How many columns have rows far out?"""
    flagged = [check for check in columns if check.name == "outliers"]
    largest = float(seen.far.max(initial=0.0))
    said = f"{_times(len(flagged), 'column has', 'columns have')} rows beyond 6 robust standard deviations"
    if flagged:
        said += f" (at most {largest:.2%} of them): heavy tails look like curved effects"
    return Check("outliers", None, largest, worst([check.verdict for check in flagged]), said)


def duplicates(seen: Examined) -> Check:
    """Are there columns that are nearly the same?"""
    twins = np.argwhere(np.triu(np.abs(seen.correlation) > NEAR_COPY, 1))
    if not len(twins):
        off = np.abs(seen.correlation - np.diag(np.diag(seen.correlation)))
        largest = float(off.max(initial=0.0))
        said = f"no two columns are nearly the same (largest correlation {largest:.2f})"
        return Check("duplicates", None, largest, OK, said)
    i, j = twins[0]
    said = (
        f"{_times(len(twins), 'pair of columns is', 'pairs of columns are')} nearly the same (first "
        f"{shown(seen.names[i])} and {shown(seen.names[j])}): edges between them mean nothing; drop one"
    )
    return Check("duplicates", None, float(abs(seen.correlation[i, j])), FAILED, said)


def sample_size(seen: Examined) -> Check:
    """Are there enough rows for so many columns?"""
    n, d = seen.table_rows, len(seen.names)
    verdict = FAILED if n < d or n < 100 else DOUBTFUL if n < 10 * d or n < FEW_ROWS else OK
    said = f"{n} rows for {d} columns, {n / d:.1f} a column"
    if verdict != OK:
        said += ": edges not found may still be there"
    if seen.rows < n:
        which = " in which nothing was done" if seen.experiments else ", evenly spaced"
        said += f"; these checks look at {seen.rows} rows{which}"
    return Check("sample size", None, n / d, verdict, said)


def sorted_by(sort: TrivialSort, edges: int, units_matter: bool) -> Check:
    """Would a trivial sort have found the same?"""
    name = f"{sort.measure} order"
    if sort.pairs == 0:
        return Check(name, None, NAN, OK, "no directed paths in the graph")
    first = "largest" if sort.descending else "smallest"
    said = (
        f"{sort.measure} increases along {sort.sortability:.0%} of {_times(sort.pairs, 'path', 'paths')}; "
        f"sorting by it, {first} first, and pruning finds {sort.common} of the {edges} edges and "
        f"{_times(sort.found - sort.common, 'other', 'others')}"
    )
    telling = max(sort.sortability, 1 - sort.sortability) >= SORTABLE and sort.pairs >= FEWEST_PAIRS
    if not telling:
        return Check(name, None, sort.sortability, OK, said)
    if sort.measure == "variance" and not units_matter:
        said += "; the method does not use variances"
        return Check(name, None, sort.sortability, OK, said)
    said += ": the order may come from the scale of the columns, not from causes"
    return Check(name, None, sort.sortability, DOUBTFUL, said)


def _times(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
