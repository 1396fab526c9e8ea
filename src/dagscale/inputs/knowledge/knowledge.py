"""What the user already knows about the graph, and the arrays the stages obey.

`Knowledge` speaks of names, `Constraints` of indices. A contradiction is refused when the
knowledge is made, and once more when it meets the table's columns: before anything is computed.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, Self

import numpy as np

from dagscale.runtime.errors import InputError, InputTypeError, none_of, shown
from dagscale.runtime.types import BoolArray

Pairs = Sequence[tuple[Hashable, Hashable]]  # kept as tuples, whatever was given
Names = Sequence[Hashable]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Knowledge as arrays over the columns of X; read-only.

    Attributes
    ----------
    allowed : (d, d) bool array
        [parent, child]: the edge may exist. False on the diagonal and against `before`.
    required : (d, d) bool array
        [parent, child]: the edge must exist; a subset of `allowed`.
    before : (d, d) bool array
        [i, j]: i precedes j in every order. A strict partial order, transitively closed.
    """

    allowed: BoolArray
    required: BoolArray
    before: BoolArray

    def __post_init__(self) -> None:
        for array in (self.allowed, self.required, self.before):
            array.setflags(write=False)

    @classmethod
    def none(cls, d: int) -> Self:
        """Return the constraints of someone who knows nothing about d columns."""
        nothing = np.zeros((d, d), dtype=bool)
        return cls(allowed=~np.eye(d, dtype=bool), required=nothing, before=nothing.copy())


@dataclass(frozen=True)
class Knowledge:
    """What is known about the graph before looking at the data.

    Parameters
    ----------
    required, forbidden : pairs (cause, effect)
        Edges that must, or must not, be in the graph.
    tiers : list of lists of names
        Groups in causal order: no column causes one of an earlier tier. Columns in no tier are free.
    roots : names
        Columns without parents; whatever their tier, they can come first.
    leaves : names
        Columns without children; a column that is root and leaf stands alone.

    Examples
    --------
    >>> known = Knowledge(required=[("rain", "wet")], tiers=[["season"], ["rain", "wet"]])
    >>> known.resolve(["wet", "season", "rain"]).before.astype(int)
    array([[0, 0, 0],
           [1, 0, 1],
           [1, 0, 0]])
    """

    required: Pairs = ()
    forbidden: Pairs = ()
    tiers: Sequence[Names] = ()
    roots: Names = ()
    leaves: Names = ()

    def __post_init__(self) -> None:
        for field in ("required", "forbidden"):
            pairs = tuple(_pair(pair, field) for pair in _items(getattr(self, field), field, "[('a', 'b')]"))
            object.__setattr__(self, field, pairs)
        tiers = _items(self.tiers, "tiers", "[['a'], ['b', 'c']]")
        object.__setattr__(self, "tiers", tuple(_names(tier, "a tier") for tier in tiers))
        for field in ("roots", "leaves"):
            object.__setattr__(self, field, _names(getattr(self, field), field))
        _refuse_contradictions(self)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a YAML or JSON file with the keys `required, forbidden, tiers, roots, leaves`.

        In YAML every name is read as text, so that a column called `no` or `1e3` stays what it is. A file of
        Tetrad's (`/knowledge` on its first line) is read as well.
        """
        from dagscale.inputs.knowledge.files import read

        return cls(**read(Path(path), [field.name for field in fields(cls)]))

    @classmethod
    def from_causallearn(cls, background: Any, names: Sequence[Hashable] | None = None) -> Self:
        """Take over causal-learn's `BackgroundKnowledge`: nodes, patterns and tiers.

        Parameters
        ----------
        background : causallearn BackgroundKnowledge
        names : sequence of names, optional
            The table's columns; needed where it holds patterns.
        """
        from dagscale.inputs.knowledge.causallearn import read

        return cls(**read(background, names))

    def save(self, path: str | Path) -> None:
        """Write the knowledge to a file: JSON if the name ends in .json, YAML otherwise.

        Names other than text and numbers are written as their text, which `resolve` understands.
        """
        from dagscale.inputs.knowledge.files import write

        write(Path(path), {field.name: getattr(self, field.name) for field in fields(self)})

    def resolve(self, names: Sequence[Hashable]) -> Constraints:
        """Translate names to column indices and close the order transitively.

        Parameters
        ----------
        names : sequence of d names
            The table's columns. A name that is not among them is looked up once more by its text,
            so that the "1" of a file finds the column 1.

        Returns
        -------
        Constraints
            `before` holds required pairs, tiers, roots before and leaves after all others, closed
            transitively; a tier puts no column before a root or after a leaf.
        """
        if self == type(self)():
            return Constraints.none(len(names))
        known = _by_position(self, names)
        _refuse_contradictions(known, labels=names)
        d = len(names)
        required = np.zeros((d, d), dtype=bool)
        for i, j in known.required:
            required[i, j] = True
        before = _closed_order(known, d)
        return Constraints(allowed=_allowed(known, before), required=required, before=before)


@dataclass(frozen=True)
class _Positions:
    """`Knowledge` with column positions in the place of names."""

    required: tuple[tuple[int, int], ...]
    forbidden: tuple[tuple[int, int], ...]
    tiers: tuple[tuple[int, ...], ...]
    roots: tuple[int, ...]
    leaves: tuple[int, ...]


def _by_position(knowledge: Knowledge, names: Sequence[Hashable]) -> _Positions:
    exact = {name: i for i, name in enumerate(names)}
    by_text = {str(name): i for i, name in enumerate(names)}

    unknown: dict[Hashable, None] = {}

    def find(name: Hashable) -> int:
        position = exact.get(name, by_text.get(str(name)))
        if position is None:
            unknown[name] = None
            return -1
        return position

    found = _Positions(
        required=tuple((find(a), find(b)) for a, b in knowledge.required),
        forbidden=tuple((find(a), find(b)) for a, b in knowledge.forbidden),
        tiers=tuple(tuple(map(find, tier)) for tier in knowledge.tiers),
        roots=tuple(map(find, knowledge.roots)),
        leaves=tuple(map(find, knowledge.leaves)),
    )
    if unknown:
        raise InputError(f"knowledge: the table has {none_of(list(unknown), names)}")
    return found


def _closed_order(known: _Positions, d: int) -> BoolArray:
    """Close the order transitively, (d, d).

    Between two tiers stands a gate, a node that everything before it enters and everything after
    it leaves; likewise after the roots and before the leaves. The relation then has O(d) pairs
    instead of O(d²), and its closure costs O(d) row operations.
    """
    roots, leaves = set(known.roots), set(known.leaves)
    gates = len(known.tiers) + 2  # the last two belong to the roots and to the leaves
    after: list[list[int]] = [[] for _ in range(d + gates)]
    for i, j in known.required:
        after[i].append(j)
    for k, tier in enumerate(known.tiers):
        gate = d + k
        for i in tier:
            if i not in leaves:
                after[i].append(gate)
            if k > 0 and i not in roots:
                after[gate - 1].append(i)
        if k > 0:
            after[gate - 1].append(gate)
    root_gate, leaf_gate = d + gates - 2, d + gates - 1
    for i in range(d):
        if i in roots and i not in leaves:
            after[i].append(root_gate)
        elif i not in roots:
            after[root_gate].append(i)
        if i in leaves and i not in roots:
            after[leaf_gate].append(i)
        elif i not in leaves:
            after[i].append(leaf_gate)
    reach = np.zeros((d + gates, d), dtype=bool)
    for node in TopologicalSorter(dict(enumerate(after))).static_order():  # the last in the order first
        for later in after[node]:
            reach[node] |= reach[later]
            if later < d:
                reach[node, later] = True
    return reach[:d].copy()


def _allowed(known: _Positions, before: BoolArray) -> BoolArray:
    allowed = ~before.T
    np.fill_diagonal(allowed, False)
    for i, j in known.forbidden:
        allowed[i, j] = False
    earlier: list[int] = []
    for tier in known.tiers:
        allowed[np.ix_(tier, earlier)] = False
        earlier.extend(tier)
    allowed[:, list(known.roots)] = False
    allowed[list(known.leaves), :] = False
    return np.ascontiguousarray(allowed)


def _refuse_contradictions(known: Any, labels: Sequence[Hashable] | None = None) -> None:
    """Raise on the first contradiction; `labels` gives the names where `known` holds positions."""

    def name(node: Any) -> str:
        return shown(node if labels is None else labels[node])

    def path(nodes: Sequence[Any]) -> str:
        if len(nodes) > 10:
            return f"{path(nodes[:5])} -> ({len(nodes) - 10} more) -> {path(nodes[-5:])}"
        return " -> ".join(map(name, nodes))

    tier_of: dict[Any, int] = {}
    for number, tier in enumerate(known.tiers, start=1):
        for node in tier:
            if tier_of.setdefault(node, number) != number:
                raise InputError(
                    f"knowledge: {name(node)} is in tier {tier_of[node]} and in tier {number}; keep it in one"
                )
    forbidden, roots, leaves = set(known.forbidden), set(known.roots), set(known.leaves)
    for edge in known.required:
        a, b = edge
        if a == b:
            raise InputError(f"knowledge: required edge {path(edge)} goes from a column to itself; remove it")
        if edge in forbidden:
            raise InputError(f"knowledge: {path(edge)} is both required and forbidden; remove one of the two")
        if b in roots:
            raise InputError(
                f"knowledge: required edge {path(edge)} enters {name(b)}, listed in roots; remove one"
            )
        if a in leaves:
            raise InputError(
                f"knowledge: required edge {path(edge)} leaves {name(a)}, listed in leaves; remove one"
            )
    against = _against_tiers(known.required, tier_of, path)
    if against:
        first, last = against[0], against[-1]
        raise InputError(
            f"knowledge: required {path(against)} goes against the tiers: {name(first)} is in tier "
            f"{tier_of[first]}, {name(last)} in tier {tier_of[last]}; remove an edge or move a column"
        )


def _against_tiers(required: Iterable[tuple[Any, Any]], tier_of: dict[Any, int], path: Any) -> list[Any]:
    """Return a required path from a later to an earlier tier, [] when there is none; refuse a cycle."""
    causes: dict[Any, list[Any]] = {}
    for a, b in required:
        causes.setdefault(b, []).append(a)
    try:
        order = list(TopologicalSorter(causes).static_order())
    except CycleError as error:
        raise InputError(
            f"knowledge: the required edges form a cycle, {path(error.args[1])}; remove one of them"
        ) from None
    # For each node, the latest tier among its ancestors and itself, and the cause it came through.
    latest: dict[Any, int] = {}
    through: dict[Any, Any] = {}
    for node in order:
        tier = tier_of.get(node, 0)
        cause = max(causes.get(node, ()), key=lambda cause: latest[cause], default=None)
        above = 0 if cause is None else latest[cause]
        latest[node] = max(tier, above)
        if above > tier:
            through[node] = cause
        if 0 < tier < above:
            walk = [node]
            while walk[-1] in through:
                walk.append(through[walk[-1]])
            return walk[::-1]
    return []


def _items(value: Any, field: str, example: str) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InputTypeError(f"knowledge: {field} must be a list like {example}, not {shown(value)}")
    return list(value)


def _names(value: Any, field: str) -> Names:
    return tuple(_name(item, field) for item in _items(value, field, "['a', 'b']"))


def _name(value: Any, field: str) -> Hashable:
    name = value.item() if isinstance(value, np.generic) else value
    try:
        hash(name)
    except TypeError:
        raise InputTypeError(
            f"knowledge: {field} holds {shown(value)}, which cannot be a column name"
        ) from None
    return name  # type: ignore[no-any-return]


def _pair(value: Any, field: str) -> tuple[Hashable, Hashable]:
    items = [] if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable) else list(value)
    if len(items) != 2:
        raise InputError(
            f"knowledge: {field} holds {shown(value)}; write each edge as a pair (cause, effect)"
        )
    return _name(items[0], field), _name(items[1], field)
