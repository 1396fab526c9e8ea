"""What was tried so far: outcomes kept as they come, and a summary of each part that the page is made of.

The outcomes of a part are a file of its own, a line an attempt, so that a run that was interrupted goes on where it
was. The summary is small and belongs to the repository: a part can be tried again without the others.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from dagscale.runtime.versions import versions
from stress.judge import Outcome

MOST = 40  # attempts that did not survive, named for each part


@dataclass(frozen=True)
class Log:
    """The file of a part's outcomes."""

    path: Path

    def read(self) -> dict[int, list[Outcome]]:
        """Return the outcomes of the attempts made, by number."""
        if not self.path.exists():
            return {}
        lines = [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]
        return {line["k"]: [Outcome(**outcome) for outcome in line["outcomes"]] for line in lines}

    def add(self, k: int, outcomes: Sequence[Outcome]) -> None:
        """Keep the outcomes of one attempt."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"k": k, "outcomes": [asdict(outcome) for outcome in outcomes]}) + "\n")


def summary(outcomes: Iterable[Outcome]) -> list[dict[str, object]]:
    """Return a row for each thing tried."""
    outcomes = list(outcomes)
    tried = Counter(outcome.what for outcome in outcomes)
    rows = []
    for what, count in tried.items():
        own = [outcome for outcome in outcomes if outcome.what == what]
        lost = [f"{outcome.fault} ({outcome.label})" for outcome in own if outcome.fault]
        rows.append(
            {
                "what": what,
                "tried": count,
                "survived": count - len(lost),
                "refused": sum(outcome.refused and not outcome.fault for outcome in own),
                "slowest": round(max(outcome.seconds for outcome in own), 1),
                "lost": lost[:MOST],
            }
        )
    return rows


def store(path: Path, part: str, rows: Sequence[dict[str, object]], first: int = 0) -> None:
    """Put the rows of a part into the summary, in the place of those that it had; `first` is its first attempt."""
    kept = load(path)
    kept[part] = {"rows": list(rows), "date": f"{datetime.now(UTC):%Y-%m-%d}", "with": _made_with(first)}
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def merge(path: Path, other: Mapping[str, dict[str, object]], parts: Iterable[str]) -> None:
    """Take parts from the summary of a run on another machine, as far as it has them."""
    kept = load(path)
    kept |= {part: other[part] for part in parts if part in other}
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(path: Path) -> dict[str, dict[str, object]]:
    """Return the summary, by part."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _made_with(first: int) -> str:
    made = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"{made}; {os.cpu_count()} cores, load {os.getloadavg()[1]:.0f}" + f"; --first {first}" * bool(
        first
    )
