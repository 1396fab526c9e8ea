"""What resampled runs agree on: confidence in edges and order, and stability selection with its error bound.

With p possible edges, of which a subsample gives q on average, and edges kept that at least a share t > 1/2
of the subsamples have,

    E(kept edges whose chance in a subsample is at most q / p) <= q^2 / ((2 t - 1) p)

for pairs of disjoint halves, whatever the data and the method (Shah and Samworth 2013, theorem 1).
Meinshausen and Bühlmann (2010) prove the same for false edges where the method is no worse than guessing and
all false edges are equally likely.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from dagscale.result import Result

HALF = 0.5  # of the rows, or of the replicates
NOTE = "confidence: "  # the note of `annotate` begins so


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
        from dagscale.result.edges import edge_frame

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
        """Return the result with its edges' confidence, for `edges`, the exports and the report page.

        The edges get the columns `confidence` and `reverse`, the shares of the replicates with the edge and
        with the opposite one; `notes` tells what was drawn and which frequent edges the graph does not have.
        Columns are matched by name.
        """
        place = {name: i for i, name in enumerate(self.names)}
        missing = [name for name in result.names if name not in place]
        if missing:
            raise InputError(f"the bootstrap has no column {shown(missing[0])}: run it on the same table")
        table = result.edges
        sources, targets = ([place[name] for name in table[side]] for side in ("source", "target"))
        table["confidence"] = self.confidence[sources, targets]
        table["reverse"] = self.confidence[targets, sources]
        kept = tuple(note for note in result.notes if not note.startswith(NOTE))
        return replace(result, edge_table=table, notes=(*kept, self._note(sources, targets)))

    def _note(self, sources: list[int], targets: list[int]) -> str:
        frequent = np.where(self.confidence > HALF, self.confidence, 0.0)
        frequent[sources, targets] = 0.0
        said = f"{NOTE}the share of {self.replicates} runs on {self.drawn} that have the edge"
        if not frequent.any():
            return said
        count = int((frequent > 0).sum())
        i, j = np.unravel_index(int(np.argmax(frequent)), frequent.shape)
        first = f"{shown(self.names[i])} -> {shown(self.names[j])}, {frequent[i, j]:.0%}"
        edges = f"{count} edge{' is' if count == 1 else 's are'}"
        return f"{said}; {edges} in more than half of them but not in this graph (first {first})"

    @property
    def drawn(self) -> str:
        """What each replicate saw, in words."""
        rows = (
            "rows drawn with replacement" if self.subsample is None else f"{self.subsample:.0%} of the rows"
        )
        return f"{rows}{' in disjoint pairs' if self.pairs else ''}"

    def __repr__(self) -> str:
        sure = int(self.stable(0.9).sum())
        return (
            f"Bootstrap of {self.method}: {len(self.names)} columns, {self.replicates} replicates, "
            f"{self.drawn}; {self.sizes.mean():.1f} edges each, {sure} of them in at least 90%"
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
