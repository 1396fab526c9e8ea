"""Run the stress suite and print one table: what was tried, what survived.

PYTHONPATH=tools python -m stress --tables 200
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable

from stress.budgets import budgets
from stress.fuzz import tables
from stress.judge import Outcome
from stress.mixed import mixed_tables
from stress.runs import full_disk, kills, pairs

PARTS = ("tables", "mixed", "kills", "pairs", "disk", "budgets")


def main() -> int:
    """Run what was asked for; 1 where something did not survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", type=int, default=2000, help="fuzzed tables")
    parser.add_argument("--first", type=int, default=0, help="seed of the first of them")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--only", choices=PARTS, action="append", help="these parts only; repeatable")
    given = parser.parse_args()
    parts = given.only or PARTS
    outcomes: list[Outcome] = []
    remarks: list[str] = []
    if "tables" in parts:
        outcomes += _noted(tables(given.tables, given.first))
    if "mixed" in parts:
        outcomes += _noted(mixed_tables(given.tables, given.first))
    if "kills" in parts:
        outcomes += _noted(kills(given.kills))
    if "pairs" in parts:
        outcomes += _noted(pairs(given.pairs))
    if "disk" in parts:
        disk = full_disk()
        if isinstance(disk, str):
            remarks.append(f"full disk: {disk}")
        else:
            outcomes += _noted(disk)
    if "budgets" in parts:
        outcomes += _noted(budgets())
    _print_table(outcomes)
    print(*remarks, sep="\n")
    return int(any(outcome.fault for outcome in outcomes))


def _noted(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Print what does not survive as it comes."""
    found = []
    for outcome in outcomes:
        found.append(outcome)
        if outcome.fault:
            print(f"{outcome.what}: {outcome.fault} [{outcome.label}]", file=sys.stderr, flush=True)
    return found


def _print_table(outcomes: list[Outcome]) -> None:
    tried = Counter(outcome.what for outcome in outcomes)
    survived = Counter(outcome.what for outcome in outcomes if not outcome.fault)
    refused = Counter(outcome.what for outcome in outcomes if outcome.refused and not outcome.fault)
    slowest = {what: max(o.seconds for o in outcomes if o.what == what) for what in tried}
    print("| what | tried | survived | of these one clear line | slowest |")
    print("|---|---:|---:|---:|---:|")
    for what in tried:
        print(f"| {what} | {tried[what]} | {survived[what]} | {refused[what]} | {slowest[what]:.1f} s |")


if __name__ == "__main__":
    sys.exit(main())
