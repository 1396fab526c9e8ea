"""The scikit-learn face: `DAS(...).fit(X)`. Each class takes its settings from its method's signature.

A class only stores its settings; `fit` runs the method. A setting added to a method is a parameter of its
estimator without another line here.
"""

import warnings
from dataclasses import replace
from inspect import Parameter, Signature, cleandoc
from typing import Any, ClassVar, Self

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from dagscale.flow import run_table
from dagscale.inputs.interventions import Marks, set_aside
from dagscale.inputs.table import Table, read_table
from dagscale.inputs.table.checks import refuse_degenerate
from dagscale.inputs.table.frames import raw_table
from dagscale.inputs.table.problems import Problems
from dagscale.methods.registry import METHODS, check_request
from dagscale.runtime.errors import DataWarning, InputError, refuse_seed, shown
from dagscale.runtime.face import ESTIMATOR, words_of

FEW_ROWS = 20  # `discover` refuses fewer; an estimator, which tools fit on slices, only warns

# What concerns the run rather than the method, with the defaults of `discover`.
OF_THE_RUN: dict[str, Any] = {
    "knowledge": None,
    "standardize": None,
    "n_jobs": None,
    "device": "cpu",
    "random_state": 0,
    "kinds": None,
}
BUDGET: dict[str, Any] = {"time_budget": None}
EFFORT: dict[str, Any] = {"effort": "full", **BUDGET}


class _Discovery(BaseEstimator):  # type: ignore[misc]
    """What the estimators share: `fit` and the fitted attributes.

    Attributes
    ----------
    adjacency_ : (d, d) bool array
        [parent, child]. lingam's `adjacency_matrix_` is [child, parent]: the transpose.
    order_ : list
        Column names (or indices where X has no names), sources first.
    graph_ : networkx.DiGraph
    edges_ : DataFrame
    result_ : Result
    """

    _method: ClassVar[str]
    _of_the_run: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, method: str, also: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Make the constructor: the method's settings, `also`, and what concerns the run."""
        super().__init_subclass__(**kwargs)
        cls._method, cls._of_the_run = method, {**(also or {}), **OF_THE_RUN}
        cls.__doc__ = "\n".join([cleandoc(cls.__doc__ or ""), *_documented(method, cls._of_the_run)])
        setattr(cls, "__init__", _constructor({**METHODS[method].settings(), **cls._of_the_run}))  # noqa: B010

    def fit(self, X: Any, y: Any = None, interventions: Any = None, environment: Any = None) -> Self:
        """Find the graph behind X.

        Parameters
        ----------
        X : (n, d) array or DataFrame
            Numbers are taken as continuous, unless `kinds` says otherwise; a DataFrame with text or categories
            is read as `discover` does.
        y : ignored
        interventions : name of a column of X, or (n, d) mask, optional
            As in `discover`: which columns were set in which row.
        environment : name of a column of X, optional
            As in `discover`: conditions under which unknown mechanisms may have changed. Columns of X that are
            named here are no variables.
        """
        with words_of(ESTIMATOR):
            return self._fit(X, interventions, environment)

    def _fit(self, X: Any, interventions: Any, environment: Any) -> Self:
        params = self.get_params(deep=False)
        of_the_run = {name: params.pop(name) for name in self._of_the_run}
        kinds = of_the_run.pop("kinds")
        check_request(self._method, params, **of_the_run)
        X, marks = _set_aside(X, interventions, environment)
        table = self._mixed_table(X, kinds) if kinds or _has_labels(X) else self._number_table(X)
        table = table if marks is None else _with_conditions(table, marks)
        if len(table.X) < FEW_ROWS:
            warnings.warn(f"{len(table.X)} rows are too few to find edges in", DataWarning, stacklevel=3)
        self.result_ = run_table(table, self._method, params, **of_the_run)
        self.adjacency_ = self.result_.adjacency
        self.order_ = self.result_.order
        self.graph_ = self.result_.graph
        self.edges_ = self.result_.edges
        return self

    def _number_table(self, X: Any) -> Table:
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        names = getattr(self, "feature_names_in_", np.arange(X.shape[1])).tolist()
        refuse_degenerate(X, names)
        return Table(X, tuple(names), ())

    def _mixed_table(self, X: Any, kinds: Any) -> Table:
        """Read a table of several kinds of columns, all of which are variables."""
        validate_data(self, X, skip_check_array=True)
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_)).tolist()
        return read_table(X, columns=names, kinds=kinds, min_rows=2)


def _set_aside(X: Any, interventions: Any, environment: Any) -> tuple[Any, Marks | None]:
    """Take the columns that say what was done to the rows out of a frame; an array has no names to find them by."""
    if interventions is None and environment is None:
        return X, None
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    named = [name for name in (interventions, environment) if name is not None and np.isscalar(name)]
    if named and not isinstance(frame, nw.DataFrame):
        raise InputError(f"{shown(named[0])} names a column, and X has no names: give a DataFrame, or a mask")
    left, marks = set_aside(raw_table(X), interventions, environment, {})
    return frame.select(left.names).to_native() if named else X, marks


def _with_conditions(table: Table, marks: Marks) -> Table:
    """Add what was done to the rows of a table."""
    found = Problems()
    conditions, notes = marks.conditions(table.names, np.ones(len(table.X), dtype=bool), found)
    found.refuse()
    return replace(table, conditions=conditions, notes=(*table.notes, *notes))


def _has_labels(X: Any) -> bool:
    """Say whether a frame has columns of text or categories."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return False
    return any(isinstance(dtype, nw.String | nw.Categorical | nw.Enum) for dtype in frame.schema.dtypes())


def _documented(method: str, of_the_run: dict[str, Any]) -> list[str]:
    """Return the method's own lines on its settings, and a last one on what concerns the run."""
    lines = cleandoc(METHODS[method].function.__doc__ or "").splitlines()
    heads = [k for k, line in enumerate(lines) if set(line) == {"-"}]
    first = next((k for k in heads if lines[k - 1] == "Parameters"), None)
    own: list[str] = []
    if first is not None:
        end = min([k - 1 for k in heads if k > first], default=len(lines))
        settings = METHODS[method].settings()
        kept = False
        for line in lines[first + 1 : end]:
            if line and not line.startswith(" "):
                kept = line.split(" : ")[0].split(", ")[0] in settings
            own += [line] if kept else []
    while own and not own[-1]:
        own.pop()
    return ["", "Parameters", "----------", *own, ", ".join(of_the_run), "    As in `dagscale.discover`."]


def _constructor(defaults: dict[str, Any]) -> Any:
    """Return an `__init__` with these parameters, which stores them and does nothing else.

    scikit-learn reads the parameters of an estimator off the signature of its `__init__`.
    """
    own = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=value) for name, value in defaults.items()
    ]
    signature = Signature([Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), *own])

    def __init__(*arguments: Any, **named: Any) -> None:
        refuse_seed(named)
        given = signature.bind(*arguments, **named)
        given.apply_defaults()
        estimator = given.arguments.pop("self")
        for name, value in given.arguments.items():
            setattr(estimator, name, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


class DAS(_Discovery, method="das"):
    """Discovery At Scale: order and parents from the Jacobian of the score (Montagna et al. 2023).

    Examples
    --------
    >>> import dagscale
    >>> sim = dagscale.simulate(nodes=5, samples=300, random_state=1)
    >>> dagscale.DAS().fit(sim.table).adjacency_.shape
    (5, 5)
    """


class SCORE(_Discovery, method="score"):
    """SCORE: order by the variance of the Jacobian's diagonal, then pruning (Rolland et al. 2022)."""


class NoGAM(_Discovery, method="nogam"):
    """NoGAM: order by how well residuals predict the score, for any noise (Montagna et al. 2023b)."""


class CAM(_Discovery, method="cam"):
    """CAM: neighbours, greedy additive likelihood, pruning (Bühlmann et al. 2014)."""


class GraNDAG(_Discovery, method="grandag", also=BUDGET):
    """GraN-DAG: one neural network per node under acyclicity (Lachapelle et al. 2020); needs torch."""


class Auto(_Discovery, method="auto", also=EFFORT):
    """The default of `dagscale.discover`: the best this project can do, chosen by measurement."""
