"""The page of the documentation that shows what was tried and what survived."""

from collections.abc import Mapping, Sequence
from typing import Any

from stress.tables import KINDS

HEAD = "| what | tried | survived | of these one clear line | slowest | run on |"
RULE = "|---|---:|---:|---:|---:|---|"
INTRODUCTION = """# Trust under stress

`make stress` tries to break every promise from outside and writes this page. *Survived* is a valid result or one
clear line that names the culprit and the remedy; no traceback, no numerical warning, nothing half-written.

- **Fuzzed tables**: {kinds} kinds of damage (one value far from all others, copies, sums, ties, few rows, gaps, words,
  hostile names, ...) times every method, with settings, column kinds, interventions and conditions drawn at random.
  One result in ten is exported, read back by the readers of each format, reported and asked.
- **Mixed tables**: numbers, levels, counts, labels, dates and typing mistakes in one table.
- **Kills**: `kill -9` at two random moments of a run; the same command then goes on to the identical result.
- **Concurrent pairs**: two different runs into one `--out`; one wins, the other says so.
- **Full disk**: disks of 4 to 192 kB; once there is room the same command goes on.
- **Budgets**: twenty hard tables, the answer within 1.3 times the budget, or within 1.3 times the quick answer's time
  where that is longer; seconds of the processor, one worker.
- **Memory against plan**: the peak at most 1.5 times what `dagscale plan` says.
- **Invariances**: edges do not depend on the order of columns, their units or the number of workers; not on the order
  of columns where values tie or columns determine each other either.
- **Versions**: the lowest declared and the newest version of every dependency pass a short suite.

`python -m stress --only kills` tries one part again and writes the page anew (`PYTHONPATH=tools`).
"""


def table_of(parts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table: a row for each thing tried."""
    lines = [HEAD, RULE]
    for part in parts.values():
        for row in part["rows"]:
            counts = f"{row['tried']} | {row['survived']} | {row['refused']} | {row['slowest']:.1f} s"
            lines.append(f"| {row['what']} | {counts} | {part['date']} |")
    return "\n".join(lines)


def page(parts: Mapping[str, Mapping[str, Any]], remarks: Sequence[str] = ()) -> str:
    """Return the page of a summary."""
    texts = [INTRODUCTION.format(kinds=len(KINDS)), table_of(parts)]
    rows = [row for part in parts.values() for row in part["rows"]]
    lost = [f"- {row['what']}: {fault}".replace("|", "/") for row in rows for fault in row["lost"]]
    if lost:
        texts.append("What did not survive:\n\n" + "\n".join(lost))
    texts += remarks
    made: dict[str, list[str]] = {}
    for name, part in parts.items():
        made.setdefault(part["with"], []).append(name)
    texts.append("Run with:\n\n" + "\n".join(f"- {', '.join(names)}: {how}" for how, names in made.items()))
    return "\n\n".join(text.strip() for text in texts) + "\n"
