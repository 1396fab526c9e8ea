"""Run the stress suite and print one table: what was tried, what survived.

PYTHONPATH=tools python -m stress                   # all of it; what an interrupted run has tried is not tried again
PYTHONPATH=tools python -m stress --only kills      # one part; the page keeps the other parts as they were
PYTHONPATH=tools python -m stress --most 20         # a short look that leaves the page alone
PYTHONPATH=tools python -m stress --take there.json --only tables    # a part that was run on another machine
"""

import argparse
import sys
from pathlib import Path

from stress.judge import Outcome
from stress.page import page, table_of
from stress.parts import PARTS, Part
from stress.record import Log, load, merge, store, summary
from stress.runs import why_no_disk

ROOT = Path(__file__).resolve().parent.parent.parent
SUMMARY, PAGE = Path(__file__).parent / "summary.json", ROOT / "docs" / "stress.md"


def main() -> int:
    """Run what was asked for; 1 where something did not survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", choices=PARTS, action="append", help="these parts only; repeatable")
    parser.add_argument(
        "--first", type=int, default=0, help="number of the first attempt: other tables, kills and pairs"
    )
    parser.add_argument("--most", type=int, help="attempts of each part; fewer than all leave the page alone")
    parser.add_argument("--n-jobs", type=int, default=None, help="attempts side by side")
    parser.add_argument("--log", type=Path, default=ROOT / "build" / "stress", help="outcomes so far")
    parser.add_argument("--again", action="store_true", help="forget the outcomes so far")
    parser.add_argument(
        "--take", type=Path, help="try nothing: take the parts from this summary, and write the page"
    )
    given = parser.parse_args()
    if given.take:
        merge(SUMMARY, load(given.take), given.only or PARTS)
        PAGE.write_text(page(load(SUMMARY)), encoding="utf-8")
        return 0
    shown, lost = {}, False
    for name in given.only or PARTS:
        part, without = PARTS[name], why_no_disk() if name == "disk" else ""
        if without:
            print(f"{name}: skipped, {without}", file=sys.stderr)
            continue
        count = part.count if given.most is None else min(given.most, part.count)
        log = Log(given.log / f"{name}.jsonl")
        if given.again:
            log.path.unlink(missing_ok=True)
        first = given.first if part.beside else 0
        numbers = range(first, first + count)
        rows = summary(tried(part, numbers, log, given.n_jobs))
        lost = lost or any(row["lost"] for row in rows)
        if count == part.count:
            store(SUMMARY, name, rows, first)
            PAGE.write_text(page(load(SUMMARY)), encoding="utf-8")
            log.path.replace(log.path.with_suffix(".done.jsonl"))  # the next run begins anew
        shown[name] = {"rows": rows, "date": "now"}
    print(table_of(shown))
    return int(lost)


def tried(part: Part, numbers: range, log: Log, n_jobs: int | None = None) -> list[Outcome]:
    """Make the attempts that the log lacks, and return the outcomes of all; say what does not survive as it comes."""
    known = log.read()
    for k, outcomes in part.outcomes([k for k in numbers if k not in known], n_jobs):
        log.add(k, outcomes)
        known[k] = outcomes
        for outcome in outcomes:
            if outcome.fault:
                print(f"{outcome.what}: {outcome.fault} [{outcome.label}]", file=sys.stderr, flush=True)
    return [outcome for k in numbers for outcome in known[k]]


if __name__ == "__main__":
    sys.exit(main())
