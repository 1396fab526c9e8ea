"""How sure is it? The method run again on resampled tables: edge and order confidence, stability selection.

Three ways to resample: n rows with replacement (the bootstrap); a share of the rows without replacement; or
complementary pairs, two disjoint halves at a time (Shah and Samworth 2013). Subsamples carry an error bound.
With p possible edges, of which a subsample gives q on average, and edges kept that at least a share t > 1/2
of the subsamples have,

    E(kept edges whose chance in a subsample is at most q / p) <= q^2 / ((2 t - 1) p)

for pairs, whatever the data and the method (their theorem 1); Meinshausen and Bühlmann (2010) prove the same
for false edges where the method is no worse than guessing and all false edges are equally likely.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.discover import check_request
from dagscale.errors import InputError, InputTypeError, shown
from dagscale.found import descendants
from dagscale.knowledge import Constraints, Knowledge
from dagscale.progress import reporter
from dagscale.resample import HALF, Drawn, Job, run_all
from dagscale.run import Progress
from dagscale.table import read_table
from dagscale.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from dagscale.result import Result


@dataclass(frozen=True, eq=False)
class Selection:
    """Edges that subsamples agree on, with the bound on how many of them are there by chance.

    Attributes
    ----------
    edges : DataFrame
        source, target, confidence; the surest first.
    threshold : float
        Share of the subsamples an edge had to be in.
    expected_false : float
        Bound on the expected number of edges kept though a subsample gives them no more often than an edge
        picked at random.
    per_subsample : float
        Edges a subsample has on average, q.
    possible : int
        Edges there could be, p.
    """

    edges: "pd.DataFrame"
    threshold: float
    expected_false: float
    per_subsample: float
    possible: int

    def __str__(self) -> str:
        return (
            f"{len(self.edges)} edges are in at least {self.threshold:.0%} of the subsamples; at most "
            f"{self.expected_false:.2g} of them are expected to be there by chance (subsamples have "
            f"{self.per_subsample:.1f} of {self.possible} possible edges)"
        )

    __repr__ = __str__


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Confidence in edges and order, from a method run on many resamples of a table.

    Attributes
    ----------
    names : list of d names
    confidence : (d, d) float array
        [parent, child]: share of the replicates with that edge.
    precedence : (d, d) float array
        [i, j]: share of the replicates whose order has i before j.
    ancestry : (d, d) float array
        [i, j]: share of the replicates with a directed path from i to j. The order of columns that no path
        joins is arbitrary: where ancestry is 0 both ways, precedence says nothing.
    sizes : (replicates,) int array
        Edges in each replicate, those that knowledge requires left out.
    possible : int
        Edges that knowledge leaves open.
    method : str
    settings : dict
    subsample : float or None
        Share of the rows in each replicate; None is the bootstrap, rows drawn with replacement.
    pairs : bool
        Whether replicates 2k and 2k + 1 share no row.
    """

    names: list[Any]
    confidence: FloatArray
    precedence: FloatArray
    ancestry: FloatArray
    sizes: IntArray
    possible: int
    method: str
    settings: dict[str, Any]
    subsample: float | None
    pairs: bool

    @property
    def replicates(self) -> int:
        """How many times the method ran."""
        return len(self.sizes)

    def to_frame(self) -> "pd.DataFrame":
        """Return all edges seen, the surest first: source, target, confidence, reverse, before, path.

        `reverse` is the confidence of the opposite edge, `before` the share of orders with source before
        target, `path` the share of graphs in which source is a cause of target, directly or not.
        """
        from dagscale.effects import edge_frame

        ends = np.argwhere(self.confidence > 0)
        at = (ends[:, 0], ends[:, 1])
        ranking = np.argsort(-self.confidence[at], kind="stable")
        ends, at = ends[ranking], (at[0][ranking], at[1][ranking])
        columns = {
            "confidence": self.confidence[at],
            "reverse": self.confidence.T[at],
            "before": self.precedence[at],
            "path": self.ancestry[at],
        }
        return edge_frame(self.names, ends, columns)

    def stable(self, threshold: float = 0.5) -> BoolArray:
        """Return [parent, child]: the edge is in at least that share of the replicates (d, d)."""
        return self.confidence >= threshold - 1e-12

    def stability_selection(
        self, threshold: float | None = None, expected_false: float | None = None
    ) -> Selection:
        """Keep the edges that subsamples agree on, with a bound on the false ones.

        Parameters
        ----------
        threshold : float, optional
            Share of the subsamples, above 0.5; 0.75 unless told otherwise.
        expected_false : float, optional
            The bound wanted, instead of a threshold: the smallest threshold that gives it is taken.

        Returns
        -------
        Selection
        """
        if self.subsample is None or self.subsample > HALF:
            raise InputError(
                "the error bound holds for subsamples of half of the rows or less: bootstrap with pairs=True"
            )
        q, p = float(self.sizes.mean()), self.possible
        if expected_false is not None:
            if threshold is not None:
                raise InputError("give threshold or expected_false, not both")
            threshold = _threshold_for(expected_false, q, p)
        threshold = 0.75 if threshold is None else threshold
        if not HALF < threshold <= 1:
            raise InputError(f"threshold={shown(threshold)}: give a share above 0.5 and of at most 1")
        bound = q * q / ((2 * threshold - 1) * max(p, 1))
        frame = self.to_frame()[["source", "target", "confidence"]]
        kept = frame[frame["confidence"] >= threshold - 1e-12]
        return Selection(kept, threshold, min(bound, q), q, p)

    def annotate(self, result: "Result") -> "Result":
        """Return the result with a column `confidence` in its edges; columns are matched by name."""
        place = {name: i for i, name in enumerate(self.names)}
        missing = [name for name in result.names if name not in place]
        if missing:
            raise InputError(f"the bootstrap has no column {shown(missing[0])}: run it on the same table")
        table = result.edges
        sources, targets = ([place[name] for name in table[side]] for side in ("source", "target"))
        table["confidence"] = self.confidence[sources, targets]
        return replace(result, edge_table=table)

    def __repr__(self) -> str:
        drawn = (
            "rows drawn with replacement" if self.subsample is None else f"{self.subsample:.0%} of the rows"
        )
        sure = int(self.stable(0.9).sum())
        return (
            f"Bootstrap of {self.method}: {len(self.names)} columns, {self.replicates} replicates, "
            f"{drawn}{' in disjoint pairs' if self.pairs else ''}; {self.sizes.mean():.1f} edges each, "
            f"{sure} of them in at least 90%"
        )


def bootstrap(
    table: Any,
    method: str = "auto",
    replicates: int = 100,
    *,
    subsample: float | None = None,
    pairs: bool = False,
    knowledge: Knowledge | None = None,
    alpha: float | None = None,
    n_jobs: int | None = None,
    device: str = "cpu",
    random_state: int = 0,
    progress: bool | Progress = False,
    effort: str = "full",
    time_budget: float | None = None,
    standardize: bool | None = None,
    missing: str = "raise",
    transform: str | Mapping[Hashable, str] | None = None,
    columns: Sequence[Hashable] | None = None,
    drop: Sequence[Hashable] | None = None,
    **settings: Any,
) -> Bootstrap:
    """Run a method on many resamples of a table and count what comes back.

    Parameters
    ----------
    table, method, knowledge, alpha, device, effort, standardize, missing, transform, columns, drop
        As in `discover`, and so are the method's settings.
    replicates : int
        How many times; made even where `pairs`.
    subsample : float, optional
        Share of the rows, drawn without replacement. None draws as many rows as there are with replacement.
    pairs : bool
        Draw two disjoint subsamples at a time, halves unless `subsample` is smaller: what the error bound of
        `Bootstrap.stability_selection` is sharpest for.
    n_jobs : int, optional
        Replicates run at once, each in a process of its own with one BLAS thread; None is the active
        `joblib.parallel_config` (also "dask"), else all cores. On another device than the CPU one at a
        time. Never changes the result.
    random_state : int
        Seed; every replicate has its own stream.
    progress : bool or callable
        As in `discover`, counting replicates.
    time_budget : float, optional
        Seconds for each replicate, for `auto`; the result then depends on the machine.

    Returns
    -------
    Bootstrap

    Examples
    --------
    >>> import dagscale
    >>> sim = dagscale.simulate(nodes=4, samples=200, random_state=1)
    >>> sure = dagscale.bootstrap(sim.table, method="varsort", replicates=4, n_jobs=1)
    >>> sure.confidence.shape
    (4, 4)
    """
    from dagscale.methods import METHODS

    if alpha is not None:
        settings["alpha"] = alpha
    check_request(method, settings, effort, time_budget)
    share = _checked(replicates, subsample, pairs)
    data = read_table(table, columns=columns, drop=drop, transform=transform, missing=missing)
    if share is not None and int(share * len(data.X)) < 20:
        raise InputError(f"subsample={share} of {len(data.X)} rows leaves fewer than 20: give a larger share")
    constraints = (knowledge or Knowledge()).resolve(data.names)
    chosen = METHODS[method]
    scaled = chosen.standardize if standardize is None else standardize
    count = replicates + replicates % 2 if pairs else replicates
    job = Job(
        chosen.function,
        settings,
        scaled,
        constraints,
        data.names,
        share,
        pairs,
        device,
        effort,
        time_budget,
    )
    with reporter(progress) as report:
        drawn = run_all(job, data.X, random_state, count, n_jobs if device == "cpu" else 1, report)
    used = {**chosen.settings(), **settings, "standardize": scaled, "random_state": random_state}
    return _counted(drawn, list(data.names), constraints, method, used, share, pairs)


def _checked(replicates: Any, subsample: Any, pairs: bool) -> float | None:
    """Return the share of the rows to draw, None for the bootstrap."""
    if isinstance(replicates, bool) or not isinstance(replicates, int | np.integer):
        raise InputTypeError(f"replicates must be a whole number, not {shown(replicates)}")
    if replicates < 1:
        raise InputError(f"replicates={replicates}: give at least 1")
    if subsample is None:
        return HALF if pairs else None
    if isinstance(subsample, bool) or not isinstance(subsample, int | float) or not 0 < subsample < 1:
        raise InputError(f"subsample={shown(subsample)}: give a share of the rows between 0 and 1")
    if pairs and subsample > HALF:
        raise InputError(f"subsample={subsample} with pairs=True: two disjoint samples hold at most 0.5 each")
    return float(subsample)


def _counted(
    drawn: list[Drawn],
    names: list[Any],
    constraints: Constraints,
    method: str,
    settings: dict[str, Any],
    share: float | None,
    pairs: bool,
) -> Bootstrap:
    d = len(names)
    confidence, precedence, ancestry = (np.zeros((d, d)) for _ in range(3))
    sizes = np.zeros(len(drawn), dtype=np.intp)
    for k, (adjacency, order) in enumerate(drawn):
        position = np.argsort(order)
        confidence += adjacency
        precedence += position[:, None] < position
        ancestry += descendants(adjacency)
        sizes[k] = int((adjacency & ~constraints.required).sum())
    possible = int((constraints.allowed & ~constraints.required).sum())
    return Bootstrap(
        names,
        confidence / len(drawn),
        precedence / len(drawn),
        ancestry / len(drawn),
        sizes,
        possible,
        method,
        settings,
        share,
        pairs,
    )


def _threshold_for(expected_false: float, q: float, p: int) -> float:
    if not expected_false > 0:
        raise InputError(f"expected_false={shown(expected_false)}: give a number above 0")
    threshold = (1 + q * q / (max(p, 1) * expected_false)) / 2
    if threshold > 1:
        raise InputError(
            f"no threshold keeps the expected number below {expected_false:g}: subsamples have {q:.1f} of "
            f"{p} possible edges, so {q * q / max(p, 1):.2g} is the least; use a smaller alpha"
        )
    return max(threshold, HALF + 1e-9)
