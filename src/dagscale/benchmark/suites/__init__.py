"""The suites. A file of this folder declares `SUITES`, a tuple of `Suite`; `ALL` lists the files' tuples."""

from dagscale.benchmark.suite import Suite
from dagscale.benchmark.suites import boards, interventions, measured, mixed, paper, violations
from dagscale.runtime.errors import InputError, closest

ALL = (
    *paper.SUITES,
    *boards.SUITES,
    *violations.SUITES,
    *mixed.SUITES,
    *measured.SUITES,
    *interventions.SUITES,
)


def all_suites() -> dict[str, Suite]:
    """Return every suite by name."""
    return {suite.name: suite for suite in ALL}


def find_suite(name: str) -> Suite:
    """Return the suite called `name`, or refuse with the closest."""
    suites = all_suites()
    if name not in suites:
        raise InputError(f"unknown suite {name!r}{closest(name, suites)}; known: {', '.join(suites)}")
    return suites[name]
