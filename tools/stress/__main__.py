"""Run the stress suite and print one table: what was tried, what survived.

PYTHONPATH=tools python -m stress --tables 200
PYTHONPATH=tools python -m stress --write docs/stress.md
PYTHONPATH=tools python -m stress --only kills --log stress.jsonl --write docs/stress.md   # in several sittings
"""

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from stress.budgets import budgets
from stress.fuzz import tables
from stress.invariances import invariances
from stress.judge import Outcome
from stress.memory import memory
from stress.mixed import mixed_tables
from stress.page import table_of, write
from stress.runs import full_disk, kills, pairs
from stress.tables import KINDS

PARTS = ("tables", "mixed", "kills", "pairs", "disk", "budgets", "memory", "invariances")


def main() -> int:
    """Run what was asked for; 1 where something did not survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", type=int, default=2000, help="fuzzed tables")
    parser.add_argument("--first", type=int, default=0, help="seed of the first of them")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--invariances", type=int, default=20, help="tables, each with five methods")
    parser.add_argument("--n-jobs", type=int, default=None, help="processes for the fuzzed tables")
    parser.add_argument("--only", choices=PARTS, action="append", help="these parts only; repeatable")
    parser.add_argument("--log", type=Path, help="add the outcomes to this file, and show all that it holds")
    parser.add_argument("--write", type=Path, help="keep the table as this page")
    given = parser.parse_args()
    disk: Iterable[Outcome] | str = ()
    remarks: list[str] = []
    if "disk" in (given.only or PARTS):
        disk = full_disk()
        if isinstance(disk, str):
            remarks.append(f"Full disk: {disk}.")
            disk = ()
    attempts: dict[str, Iterable[Outcome]] = {
        "tables": tables(given.tables, given.first, given.n_jobs),
        "mixed": mixed_tables(given.tables, given.first),
        "kills": kills(given.kills),
        "pairs": pairs(given.pairs),
        "disk": disk,
        "budgets": budgets(),
        "memory": memory(),
        "invariances": invariances(given.invariances),
    }
    outcomes: list[Outcome] = []
    for part in given.only or PARTS:
        outcomes += _noted(attempts[part])
    outcomes = outcomes if given.log is None else _logged(outcomes, given.log)
    print(table_of(outcomes))
    print(*remarks, sep="\n")
    if given.write is not None:
        write(given.write, outcomes, remarks, len(KINDS))
    return int(any(outcome.fault for outcome in outcomes))


def _noted(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Print what does not survive as it comes."""
    found = []
    for outcome in outcomes:
        found.append(outcome)
        if outcome.fault:
            print(f"{outcome.what}: {outcome.fault} [{outcome.label}]", file=sys.stderr, flush=True)
    return found


def _logged(outcomes: list[Outcome], path: Path) -> list[Outcome]:
    """Add outcomes to a file and return all of it."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(outcome)) + "\n" for outcome in outcomes)
    return [Outcome(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
