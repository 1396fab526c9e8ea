"""What `discover` returns: the graph, its evidence, the reasons; frozen, saved and loaded without pickle."""

from collections.abc import Hashable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from dagscale.graphs.pair_values import pair_values
from dagscale.inputs.conditions import Conditions
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.knowledge import Knowledge
from dagscale.result import cautions, display, open_links, storage
from dagscale.result.certainty import pair_text
from dagscale.result.edges import edge_table
from dagscale.result.experiments import experiment_notes, settled_by
from dagscale.result.exports import Exports
from dagscale.result.kept import left_out, of_answer
from dagscale.result.level_notes import level_notes
from dagscale.result.pictures import Pictures
from dagscale.result.why import Explainer, Why
from dagscale.runtime.errors import InputError
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.runtime.versions import versions
from dagscale.runtime.wiring import given
from dagscale.stages.answer import Answer, Stage

if TYPE_CHECKING:
    import networkx as nx
    import numpy.typing as npt
    import pandas as pd

    from dagscale.inputs.table import Table
    from dagscale.result.comparison import Comparison
    from dagscale.result.confidence import Bootstrap
    from dagscale.result.diagnostics import Diagnostics
    from dagscale.result.effects import Effect
    from dagscale.result.notebook import Page
    from dagscale.runtime.progress import Progress

ENDS = ("source", "target")


@dataclass(frozen=True, eq=False, repr=False)
class Result(Exports, Pictures):
    """A causal graph found in a table, with everything needed to judge it.

    Attributes
    ----------
    names : list
        The columns, in the table's order.
    order : list
        The same names in causal order, sources first.
    adjacency : (d, d) bool array
        [parent, child], rows and columns as `names`; read-only. (lingam's matrix is [child, parent].)
    method : str
        Which method found it.
    settings, timings, versions : dict
        How it was run, how many seconds it took, and with which software.
    notes : tuple of str
        What the table's reader and the method want you to know.
    n_samples : int
        Rows of the table.
    trail : tuple of Stage
        Every stage's decision over all pairs; `why` reads it.
    knowledge : Knowledge or None
        What you told the method beforehand.
    sample : (m, d) float32 array, float64 where that would not do, or None
        Rows of the table for effect curves: 2000 at most, fewer in tables of more than 2000 columns.
    either_way : (d, d) bool array
        Symmetric: links whose direction is not claimed. `adjacency` has the likelier one, so that it stays a DAG.
    probabilities : (d, d) float array
        [parent, child]: how likely the edge is. Of methods that do not tell, 1 where an edge is claimed, and a half
        each way where its direction is open.
    confounded : (d, d) bool array
        Symmetric: the two columns share a hidden cause, as far as the data tell.
    kinds : dict
        Column -> "continuous", "binary", "categorical", "ordinal" or "count".
    levels : dict
        Column -> the values that its codes 0, 1, 2 ... stand for, of columns that have codes in `sample`.
    conditions : Conditions or None
        What was done to the rows of `sample`: interventions and environments.
    units : (n, k) int array or None
        What each row of `sample` is a measurement of, by each of k columns of IDs that were left out.
    changed : dict
        Condition -> columns whose mechanism differs there from the reference; empty without conditions.
    stored_checks : dict or None
        What `diagnostics` found, where it was asked for before saving.
    costs : tuple of dict
        What each piece of knowledge costs in evidence, where `with_knowledge` added it; see there.

    Examples
    --------
    >>> import dagscale
    >>> result = dagscale.discover(dagscale.simulate(nodes=4, samples=200).table, method="das")
    >>> list(result.edges.columns[:4])
    ['source', 'target', 'strength', 'sign']
    """

    names: list[Any]
    order: list[Any]
    adjacency: BoolArray
    edge_table: "pd.DataFrame" = field(repr=False)
    method: str
    settings: dict[str, Any]
    timings: dict[str, float]
    versions: dict[str, str]
    notes: tuple[str, ...]
    n_samples: int
    trail: tuple[Stage, ...]
    knowledge: Knowledge | None
    sample: "npt.NDArray[np.floating] | None"
    stored_checks: dict[str, Any] | None = None
    costs: tuple[dict[str, Any], ...] = ()
    either_way: BoolArray = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    probabilities: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    confounded: BoolArray = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    kinds: dict[Any, str] = field(default_factory=dict)
    levels: dict[Any, tuple[Any, ...]] = field(default_factory=dict)
    conditions: Conditions | None = None
    units: IntArray | None = None
    changed: dict[str, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = self.adjacency.shape
        for name in ("either_way", "confounded"):
            if getattr(self, name).shape != own:  # not told: every direction is claimed, no hidden cause
                object.__setattr__(self, name, np.zeros_like(self.adjacency))
        if self.probabilities.shape != own:
            likely = np.where(self.either_way, 0.5, np.asarray(self.adjacency, dtype=float))
            object.__setattr__(self, "probabilities", likely)
        if not self.kinds:
            object.__setattr__(self, "kinds", dict.fromkeys(self.names, CONTINUOUS))
        for name in ("adjacency", "either_way", "probabilities", "confounded"):
            getattr(self, name).setflags(write=False)

    @classmethod
    def from_answer(
        cls,
        answer: Answer,
        table: "Table",
        method: str,
        settings: dict[str, Any],
        timings: dict[str, float],
        knowledge: Knowledge | None,
        n_jobs: int | None = None,
    ) -> Self:
        """Join a method's answer with the table it came from; strengths and signs are computed here."""
        names = list(table.names)
        return cls(
            names=names,
            order=[names[i] for i in answer.order],
            adjacency=np.array(answer.adjacency, dtype=bool),
            edge_table=edge_table(table.X, names, answer, n_jobs, table.kinds, left_out(answer, table)),
            method=method,
            settings=dict(settings),
            timings=dict(timings),
            versions=versions(),
            notes=(
                *table.notes,
                *answer.notes,
                *level_notes(answer, table),
                *experiment_notes(answer, table),
            ),
            n_samples=len(table.X),
            trail=tuple(answer.trail),
            knowledge=knowledge,
            **of_answer(answer, table),
        )

    def kept_table(self, *notes: str) -> "Table":
        """Return the rows kept with the result as a table that methods run on."""
        from dagscale.inputs.table import Table

        if self.sample is None:
            raise InputError("the result was saved without its rows: run discover on the table again")
        kinds = self.table_kinds
        levels = tuple(self.levels.get(name) for name in self.names) if kinds else ()
        X = self.sample.astype(np.float64)
        return Table(X, tuple(self.names), notes, kinds, levels, self.conditions, units=self.units)

    @property
    def edges(self) -> "pd.DataFrame":
        """The edges, strongest first: source, target, strength, sign and the method's evidence.

        `strength` is the share of the target's variance (deviance, where it has levels or counts) that is lost
        when the source is taken out of the target's parents: under the model that decided, for `auto`, else of
        an additive fit, corrected for chance; `probability` is that of the edge, `direction` that of its
        direction given that the two are linked; `either_way` says that no direction is claimed, `open_because`
        names the rule that left it open (`why` says it in a sentence); `sign` is that of the average slope, 0
        where the slope does not differ from zero (a U-shaped effect, say) or where one of the two is a
        category. A copy: change it freely.
        """
        return self.edge_table.copy()

    @property
    def positions(self) -> dict[Any, int]:
        """Place of each name in the order, from 0."""
        return {name: place for place, name in enumerate(self.order)}

    @cached_property
    def graph(self) -> "nx.DiGraph[Any]":
        """The graph as a `networkx.DiGraph` over the names."""
        return self.to_networkx()

    @cached_property
    def explainer(self) -> Explainer:
        """What `why` reads, prepared once for all pairs."""
        index = {name: i for i, name in enumerate(self.names)}
        table = self.edge_table
        sources, targets = (np.array([index[name] for name in table[side]], dtype=np.intp) for side in ENDS)
        strength = pair_values(len(index), sources, targets, table["strength"].to_numpy(np.float64))
        places = self.positions
        position = np.array([places[name] for name in self.names], dtype=np.intp)
        kinds = tuple(self.kinds[name] for name in self.names)
        return Explainer(
            self.names, position, self.adjacency, self.trail, self.knowledge, strength, kinds, self.either_way
        )

    @property
    def diagnosed(self) -> bool:
        """Whether the checks were computed already, here or before saving."""
        return "diagnostics" in self.__dict__ or self.stored_checks is not None

    @cached_property
    def diagnostics(self) -> "Diagnostics":
        """Checks of the assumptions on the stored rows, a verdict each; computed at first use."""
        from dagscale.result.diagnostics import Diagnostics, diagnose_result

        if self.stored_checks is not None:
            return Diagnostics.from_dict(self.stored_checks)
        return diagnose_result(self)

    def with_knowledge(self, knowledge: Knowledge | None, n_jobs: int | None = None) -> "Result":
        """Return a new result that obeys other knowledge, with what each piece of it costs in evidence.

        Where the order found satisfies the knowledge, only the columns it touches are pruned again; otherwise
        the method runs again on the stored rows. `notes` says which, and how many rows that were; `costs`
        has one entry per constraint.

        Parameters
        ----------
        knowledge : Knowledge or None
            In place of what was known before; None forgets it.
        n_jobs : int, optional
            Workers, as in `discover`.
        """
        from dagscale.result.with_knowledge import revise

        return revise(self, knowledge, n_jobs)

    def with_confidence(
        self,
        replicates: int = 100,
        *,
        pairs: bool = False,
        n_jobs: int | None = None,
        progress: "bool | Progress" = False,
    ) -> "Result":
        """Return the result with how often each edge comes back when the method runs on resampled rows.

        `edges` gets the columns `confidence` and `reverse` (the opposite edge), and so do the report and the
        exports. The rows are those stored with the result, at most 2000; for a larger table, or for the
        order's confidence, use `dagscale.bootstrap(table, ...)` and its `annotate`.

        Parameters
        ----------
        replicates : int
            How many times the method runs.
        pairs : bool
            Draw disjoint halves in pairs instead of rows with replacement.
        n_jobs : int, optional
            Replicates at once, as in `bootstrap`.
        progress : bool or callable
            As in `discover`, counting replicates.
        """
        confidence: Bootstrap = given("resample")(self, replicates, pairs, n_jobs, progress)
        return confidence.annotate(self)

    def why(self, source: Hashable, target: Hashable) -> Why:
        """Say which stage kept or removed source -> target, with its statistic and the runner-up.

        Parameters
        ----------
        source, target : names
            Any two columns, whether there is an edge or not.

        Returns
        -------
        Why
            Print it, or read its fields: `kept`, `stage`, `statistic`, `threshold`, `runner_up`, `steps`.
        """
        from dagscale.result.missing_edge import of_pair

        why = self.explainer.explain(source, target)
        ends = [self.names.index(name) for name in (why.source, why.target)]
        why = replace(why, certainty=pair_text(self, *ends), open_because=open_links.of_pair(self, *ends)[0])
        if why.kept and (told := settled_by(self, *ends)):
            why = replace(why, reason=f"{why.reason}; {told}")
        if why.kept or why.open or why.statistic is not None:
            return why
        return replace(why, addition=of_pair(self, *ends))

    def effect(self, cause: Hashable, outcome: Hashable, level: float = 0.95) -> "Effect":
        """Estimate what setting one column does to another on average, if the graph is right.

        The causes of `cause` are held fixed; where its links have open directions, the interval covers every
        way to direct them. For a category the effect of each level against the first is told.

        Parameters
        ----------
        cause, outcome : names
            Any two columns; without a directed path the answer is zero, and says so.
        level : float
            Coverage of the intervals.

        Returns
        -------
        Effect
            Print it, or read `estimate`, `interval`, `linear`, `table`, `adjusted_for`, `assumes`, `curve`.
        """
        from dagscale.result.effects import effect_of

        return effect_of(self, cause, outcome, level)

    def compare(self, other: Any, name: str | None = None) -> "Comparison":
        """Lay the graph beside another one: links that are shared, reversed, open in one, added, missing.

        Parameters
        ----------
        other : object
            A result, a graph (networkx, DoWhy's, causal-learn's, a simulation), an adjacency (array, DataFrame),
            edges (DataFrame or list of (source, target)), or a path to a file or a saved result.
        name : str, optional
            What to call it.

        Returns
        -------
        Comparison
            Print it, or use `table`, `counts`, `plot()`.
        """
        from dagscale.result.comparison import compare

        return compare(self, other, name)

    def ask(self) -> "pd.DataFrame":
        """Say which single answer or experiment would settle most of the directions left open.

        Returns
        -------
        DataFrame
            The most useful first: `question`; `links`, how many open links the answer would direct (by
            acyclicity and Meek's rules); `answers`, from each answer to the `Knowledge` that it is. Give that
            to `with_knowledge` or `discover`.
        """
        from dagscale.result.ask import ask

        return ask(self)

    def save(self, path: str | Path, data: bool = True) -> Path:
        """Write the result to a folder (`result.json` and `result.npz`, no pickle).

        Parameters
        ----------
        path : str or Path
            The folder. A new one appears complete or not at all; in an existing one only the two files
            are replaced.
        data : bool
            Store `sample` too: rows of your table, which the report draws effect curves over. False keeps
            the data out of the file, and a loaded result then draws none.
        """
        content = {item.name: getattr(self, item.name) for item in fields(self)}
        if self.diagnosed:
            content["stored_checks"] = self.diagnostics.to_dict()
        return storage.write(content if data else {**content, "sample": None}, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` or `dagscale discover --out` wrote; a damaged folder is refused with one line."""
        return cls(**storage.read(path))

    def show(self, height: int = 720) -> "Page":
        """Return the report page as a notebook shows it: the whole page in a frame, no file, no network."""
        from dagscale.result.notebook import Page

        return Page(self, height)

    def __repr__(self) -> str:
        return "\n".join([display.text(self), *(f"  {line}" for line in cautions.cautions(self))])

    def _repr_html_(self) -> str:
        return display.markup(self) + cautions.markup(self)
