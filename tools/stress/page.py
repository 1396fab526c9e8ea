"""The table of a stress run, printed and kept as a page of the documentation."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from dagscale.runtime.versions import versions
from stress.judge import Outcome

HEAD = "| what | tried | survived | of these one clear line | slowest |"
INTRODUCTION = """# Trust under stress

`make stress` tries to break every promise from outside and writes this page. *Survived* is a valid result or one
clear line that names the culprit and the remedy; no traceback, no numerical warning, nothing half-written.

- **Fuzzed tables**: {kinds} kinds of damage (one value far from all others, copies, sums, ties, few rows, gaps, words,
  hostile names, ...) times every method, with settings, column kinds, interventions and conditions drawn at random.
  One result in ten is exported, read back by the readers of each format, reported and asked.
- **Kills**: `kill -9` at a random moment; the same command then goes on to the identical result.
- **Concurrent pairs**: two different runs into one `--out`; one wins, the other says so.
- **Full disk**: disks of 4 to 192 kB; once there is room the same command goes on.
- **Budgets**: the answer within 1.3 times the budget, or with the quick answer where that takes longer.
- **Memory against plan**: the peak at most 1.5 times what `dagscale plan` says.
- **Invariances**: edges do not depend on the order of columns, their units or the number of workers.
"""


def table_of(outcomes: Sequence[Outcome]) -> str:
    """Return the table: a row for each thing tried."""
    tried = Counter(outcome.what for outcome in outcomes)
    survived = Counter(outcome.what for outcome in outcomes if not outcome.fault)
    refused = Counter(outcome.what for outcome in outcomes if outcome.refused and not outcome.fault)
    lines = [HEAD, "|---|---:|---:|---:|---:|"]
    for what in tried:
        slowest = max(outcome.seconds for outcome in outcomes if outcome.what == what)
        lines.append(f"| {what} | {tried[what]} | {survived[what]} | {refused[what]} | {slowest:.1f} s |")
    return "\n".join(lines)


def write(path: Path, outcomes: Sequence[Outcome], remarks: Sequence[str], kinds: int) -> None:
    """Write the page."""
    made = ", ".join(f"{name} {number}" for name, number in versions().items())
    parts = [INTRODUCTION.format(kinds=kinds), table_of(outcomes)]
    lost = [
        f"- {outcome.what}: {outcome.fault} ({outcome.label.split(',')[0]})"
        for outcome in outcomes
        if outcome.fault
    ]
    if lost:
        parts.append("What did not survive:\n\n" + "\n".join(line.replace("|", "/") for line in lost[:40]))
    parts += remarks
    parts.append(f"Run on {datetime.now(UTC):%Y-%m-%d} with {made}.")
    path.write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")
