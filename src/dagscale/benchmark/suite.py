"""A suite is a declaration: cases × methods × seeds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dagscale.benchmark.cases import NUMBERED, UNITS, Case
from dagscale.benchmark.rows import Row, parse_row
from dagscale.runtime.errors import InputError

REPORTING_SEEDS = tuple(range(10))  # tuning is done on seeds of 1000 and above, never on these
FEW_SEEDS_ABOVE = 200  # nodes; beyond, three seeds are declared
DRAWS_EVERY_TIME = ("random",)  # on one fixed table only these rows differ from seed to seed


@dataclass(frozen=True)
class Trial:
    """One run: a row on a case with a seed."""

    case: Case
    row: Row
    seed: int

    @property
    def name(self) -> str:
        """The run in words."""
        return f"{self.row.name} on {self.case.name} seed {self.seed}"


@dataclass(frozen=True)
class Suite:
    """Cases × methods × seeds."""

    name: str
    title: str
    about: str  # sentences below the title
    cases: tuple[Case, ...]
    methods: tuple[str, ...]  # rows, as `parse_row` reads them
    largest: Mapping[str, int] = field(default_factory=dict)  # beyond this size a row runs only if asked for
    # "grid": one measure of all rows; "detail": every measure of a case; "tiers": arrows between known tiers
    tables: tuple[str, ...] = ("grid",)
    measure: str = "shd"  # of the grid and the plot
    also: tuple[str, ...] = ()  # measures of further grids, each of the cases that have it
    time_limit: float | None = None  # seconds a run may take unless the command says otherwise

    def trials(
        self,
        nodes: Sequence[int] | None = None,
        seeds: Sequence[int] | None = None,
        methods: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        families: Sequence[str] | None = None,
    ) -> list[Trial]:
        """List the runs of the suite, or of a part of it, the cheap sizes first.

        All rows of a case and seed stand together, so that a worker draws the data once.
        """
        rows = [parse_row(text) for text in (methods or self.methods)]
        limits = {} if methods else self.largest
        return [
            Trial(case, row, seed)
            for d in self.check_sizes(nodes)
            for cases in [self._cases(d, units, families)]
            for seed in (seeds if seeds is not None else _all_seeds(cases))
            for case in cases
            for row in rows
            if (seeds is not None or seed in default_seeds(case))
            and d <= limits.get(row.name, d)
            and _varies(case, row, seed, seeds)
        ]

    def sizes(self) -> list[int]:
        """List the numbers of columns of the cases, smallest first."""
        return sorted({case.nodes for case in self.cases})

    def left_out(self, nodes: int) -> list[str]:
        """Name the rows declared infeasible at this size."""
        return [row for row in self.methods if nodes > self.largest.get(row, nodes)]

    def check_sizes(self, nodes: Sequence[int] | None) -> list[int]:
        """Return the sizes asked for, all of them if none is; refuse one the suite does not have."""
        known = self.sizes()
        if unknown := set(nodes or ()) - set(known):
            sizes = ", ".join(map(str, known))
            raise InputError(f"suite {self.name!r} has no case with {min(unknown)} nodes; it has {sizes}")
        return known if nodes is None else sorted(set(nodes))

    def _cases(self, d: int, units: Sequence[str] | None, families: Sequence[str] | None) -> list[Case]:
        known = list(dict.fromkeys(case.family for case in self.cases))
        if unknown := set(units or ()) - set(UNITS):
            raise InputError(f"unknown units {min(unknown)!r}; choose from {', '.join(UNITS)}")
        if unknown := set(families or ()) - set(known):
            raise InputError(f"suite {self.name!r} has no family {min(unknown)!r}; it has {'; '.join(known)}")
        chosen = (units or UNITS, families or known)
        return [c for c in self.cases if c.nodes == d and c.units in chosen[0] and c.family in chosen[1]]


def reported_seeds(case: Case) -> Sequence[int]:
    """Return the seeds whose runs the tables of a case show: 0-9, or one for each table of a collection."""
    return range(NUMBERED[case.source]) if case.source in NUMBERED else REPORTING_SEEDS


def default_seeds(case: Case) -> Sequence[int]:
    """Return the seeds declared for a case: those reported, and 0-2 where runs are long."""
    return reported_seeds(case) if case.nodes <= FEW_SEEDS_ABOVE else REPORTING_SEEDS[:3]


def parse_seeds(text: str) -> tuple[int, ...]:
    """Read seeds: `3` is 0, 1, 2; `0-9` is a range with both ends; `1000,1004-1006` a list."""
    try:
        parts = (
            [range(int(text))] if text.strip().isdigit() else map(_range, filter(str.strip, text.split(",")))
        )
        seeds = tuple(dict.fromkeys(seed for part in parts for seed in part))
    except ValueError:
        seeds = ()
    if not seeds:
        raise InputError(f"cannot read the seeds {text!r}: write 3 (for 0, 1, 2), 0-9 or 0,4,7")
    return seeds


def parse_nodes(text: str) -> tuple[int, ...]:
    """Read sizes: `10,20`."""
    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise InputError(f"cannot read the sizes {text!r}: write 10,20") from None


def _all_seeds(cases: Iterable[Case]) -> list[int]:
    return sorted({seed for case in cases for seed in default_seeds(case)})


def _range(part: str) -> range:
    low, dash, high = part.strip().partition("-")
    return range(int(low), int(high if dash else low) + 1)


def _varies(case: Case, row: Row, seed: int, asked: Sequence[int] | None) -> bool:
    """Say whether a run adds anything: on one fixed table, most rows give the same answer for every seed."""
    first = asked[0] if asked else 0
    return not case.fixed or seed == first or row.method in DRAWS_EVERY_TIME
