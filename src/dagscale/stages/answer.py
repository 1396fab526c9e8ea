"""What a method returns to `discover`: the graph, its evidence and the trail of decisions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from dagscale.graphs.pair_values import Numbers
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from dagscale.models.splines import SplineTable


class StageKind(StrEnum):
    """Which stage decided. The value is what a user reads, and what a saved result holds."""

    KNOWLEDGE = "knowledge"
    DESIGN = "experimental design"
    HIDDEN_CAUSE = "hidden causes"  # links that one explains better
    ORDER = "order"
    JACOBIAN_TEST = "Jacobian test"
    NEIGHBOURS = "neighbour search"
    GREEDY = "greedy likelihood"
    GREEDY_TURNED = "greedy likelihood, turned by the noise's shape"
    INTERACTIONS = "interactions"
    STRENGTH = "strength"
    SCREENING = "screening"
    EVIDENCE = "evidence"
    LIKELIHOOD = "likelihood"
    TRAINING = "network training"
    THRESHOLDING = "thresholding to a DAG"
    PRUNING = "additive pruning"
    EVIDENCE_PRUNING = "evidence pruning"
    EMPTY = "empty graph"
    METHOD = "method"  # no stage in particular


class OpenReason(StrEnum):
    """Which rule left the direction of a link open. The value is what a user reads, and what a saved result holds."""

    FORMULA = "no noise"
    REPEATED_ROWS = "few distinct rows"
    COLLIDER = "looks turned round"
    FEW_VALUES = "few values"
    LINK = "doubtful link"
    FITS_BOTH_WAYS = "fits both ways"
    WEAK = "weak evidence"
    SCALE = "depends on the scale"
    ROUNDING = "depends on rounding"
    OTHER_LINKS = "depends on open links"
    FEW_ROWS = "few rows decide"
    SERIAL_ROWS = "rows not independent"
    TANGLED = "among linked columns"
    RESIDUALS = "residuals depend on the cause"
    LEVEL = "hidden level"
    TIME = "time ran out"


@dataclass(frozen=True)
class Stage:
    """One stage's decision over all pairs, kept so that `Result.why` can tell who removed an edge.

    Attributes
    ----------
    kind : StageKind
        Which stage it was.
    kept : (d, d) bool array
        Pairs [parent, child] still possible after this stage.
    statistic : (d, d) float array, or `PairValues` where d is large, or None
        The number the decision was made on; NaN where the stage looked at nothing.
    label : str
        What `statistic` is ("p-value", "gain in evidence").
    threshold : float or None
        The value `statistic` was compared with.
    """

    kind: StageKind
    kept: BoolArray
    statistic: Numbers | None = None
    label: str = ""
    threshold: float | None = None


@dataclass(frozen=True)
class Dispute:
    """An experiment whose label the data contradict; columns by their places.

    Attributes
    ----------
    targets : tuple of int
        What the label says was set.
    unmoved : tuple of int
        Targets that followed their usual mechanism.
    also : tuple of int
        Columns that did not, and are not named.
    rows : int
    """

    targets: tuple[int, ...]
    unmoved: tuple[int, ...]
    also: tuple[int, ...]
    rows: int


@dataclass(frozen=True)
class Answer:
    """A method's answer.

    Attributes
    ----------
    order : (d,) int array
        Column indices, sources first.
    adjacency : (d, d) bool array
        [parent, child].
    evidence : dict of str to (d, d) float array or `PairValues`
        One column of `Result.edges` each, read at the edges.
    trail : tuple of Stage
        In the order in which they decided.
    notes : tuple of str
        What the method wants the user to know (choices it made, limits it met).
    splines : SplineTable or None
        The splines of X, where the method has built them: the strengths of edges need them again.
    strength : (d, d) float array or None
        Share of the child's variance that goes with each edge, under the model that decided; None where additive
        fits tell it as well.
    either_way : (d, d) bool array or None
        Symmetric: links whose direction the method does not claim.
    open_because : dict of (parent, child) to OpenReason
        Why, edge by edge, where the method tells; other pairs are not read.
    probabilities : (d, d) float array or None
        Probability of each edge [parent, child], where the method tells it.
    confounded : (d, d) bool array or None
        Symmetric: pairs that share a hidden cause, as far as the method tells.
    changed : (conditions, d) bool array or None
        Which mechanisms differ from the reference's under each condition, where conditions were named.
    disputes : tuple of Dispute
        Experiments whose labels the data contradict.
    levels : tuple of tuples of int
        Columns that look like measurements of the same hidden level, level by level.
    """

    order: IntArray
    adjacency: BoolArray
    evidence: Mapping[str, Numbers] = field(default_factory=dict)
    trail: tuple[Stage, ...] = ()
    notes: tuple[str, ...] = ()
    splines: "SplineTable | None" = None
    strength: Numbers | None = None
    either_way: BoolArray | None = None
    open_because: Mapping[tuple[int, int], OpenReason] = field(default_factory=dict)
    probabilities: FloatArray | None = None
    confounded: BoolArray | None = None
    changed: BoolArray | None = None
    disputes: tuple[Dispute, ...] = ()
    levels: tuple[tuple[int, ...], ...] = ()
