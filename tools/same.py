"""Show that a change has not changed what any method returns.

    python tools/same.py                run every case, compare it with what is stored; exit 1 if one differs
    python tools/same.py --only quick   the cases that the tests run, or those whose name holds a text
    python tools/same.py --store        store anew what differs, after a change that should change results

A case (`same_cases.py`) is one call of a public function on a cheap table. Of its result are stored the
order, the edges and how many pairs each stage kept, which must agree exactly, and every edge's numbers,
rounded, which must agree within a tolerance: the last digits depend on the machine's linear algebra. P-values
are stored as their decimal logarithms.
"""

import argparse
import hashlib
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import dagscale
from same_cases import CASES, Case

STORED = Path(__file__).resolve().parent.parent / "tests" / "fingerprints" / "graphs.json"
DIGITS = 4
RELATIVE = 0.01  # numbers that differ by less than this share agree, or by less than this much:
ABSOLUTE = {"p_value": 0.05, "evidence": 0.5, "direction": 0.5, "share": 0.02, "share_alone": 0.02}
OTHERWISE = 0.002  # evidence has more room: its fits end when less than a nat is to be gained
LEAST = 1e-300  # p-values below it are all the same

Fingerprint = dict[str, Any]


def fingerprint(result: dagscale.Result, table: pd.DataFrame) -> Fingerprint:
    """Return what is compared of a result and of the table it was found in."""
    edges = result.edges
    columns = [name for name in edges.columns if name not in ("source", "target", "open_because")]
    order = [str(name) for name in result.order]
    links = {
        f"{row['source']} -> {row['target']}": [rounded(name, row[name]) for name in columns]
        for row in edges.sort_values(["source", "target"]).to_dict("records")
    }
    graph = json.dumps([order, sorted(links), np.asarray(result.adjacency, int).tolist()])
    return {
        "graph": hashlib.sha256(graph.encode()).hexdigest()[:12],
        "count": len(links),
        "table": [*table.shape, rounded("", np.nansum(np.abs(table.select_dtypes("number").iloc[0])))],
        "stages": [int(stage.kept.sum()) for stage in result.trail],
        "order": " ".join(order),
        "costs": [rounded("evidence", cost["cost"]) for cost in result.costs],
        "columns": columns,
        "edges": links,
    }


def rounded(column: str, value: float) -> float | None:
    """Round a number to a few significant digits, a p-value on the scale of its decimal logarithm."""
    value = float(value)
    if not math.isfinite(value):
        return None
    if column == "p_value":
        return round(math.log10(max(value, LEAST)), 2)
    return float(f"{value:.{DIGITS}g}")


def agree(column: str, one: float | None, other: float | None) -> bool:
    """Say whether two rounded numbers of a column are the same but for the last digits."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE.get(column, OTHERWISE))


def differences(stored: Fingerprint, now: Fingerprint) -> list[str]:
    """List in words what of a result is not as it was."""
    before, after = stored["edges"], now["edges"]
    exact = [key for key in ("columns", "stages", "order", "count") if stored[key] != now[key]]
    close = [key for key in ("table", "costs") if not _all_agree(stored[key], now[key])]
    told = [f"{key}: {stored[key]} became {now[key]}" for key in (*exact, *close)]
    turned = {edge for edge in after.keys() - before.keys() if _reverse(edge) in before.keys() - after.keys()}
    told += [f"turned, now {edge}" for edge in sorted(turned)]
    told += [f"added {edge}" for edge in sorted(after.keys() - before.keys() - turned)]
    told += [
        f"removed {edge}" for edge in sorted(before.keys() - after.keys() - {_reverse(e) for e in turned})
    ]
    if stored["columns"] == now["columns"]:
        for edge in sorted(before.keys() & after.keys()):
            told += [
                f"{edge} {column}: {one} became {other}"
                for column, one, other in zip(now["columns"], before[edge], after[edge], strict=True)
                if not agree(column, one, other)
            ]
    return told or (["the graph's hash"] if stored["graph"] != now["graph"] else [])


def _all_agree(some: list[float | None], others: list[float | None]) -> bool:
    return len(some) == len(others) and all(agree("", *pair) for pair in zip(some, others, strict=True))


def _reverse(edge: str) -> str:
    return " -> ".join(reversed(edge.split(" -> ")))


def run(case: Case) -> Fingerprint:
    """Run a case on one thread."""
    with threadpool_limits(1):
        table = case.table()
        return fingerprint(case.run(table), table)


def check(case: Case, stored: dict[str, Fingerprint]) -> tuple[Fingerprint | None, list[str]]:
    """Run a case; return its fingerprint, None where it failed, and what differs from the stored one."""
    try:
        now = run(case)
    except Exception as error:  # one case that fails must not hide the others
        return None, [f"failed: {type(error).__name__}: {error}"]
    return now, differences(stored[case.name], now) if case.name in stored else ["was not stored"]


def read(path: Path | None = None) -> dict[str, Fingerprint]:
    """Read the stored fingerprints."""
    path = path or STORED
    content: dict[str, Fingerprint] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return content


def write(content: dict[str, Fingerprint], path: Path | None = None) -> None:
    """Write fingerprints, one entry and one edge a line, so that a change can be read in a diff."""
    path = path or STORED
    path.parent.mkdir(parents=True, exist_ok=True)
    cases = []
    for name in (name for name in CASES if name in content):
        entries = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in content[name].items() if k != "edges"]
        edges = [f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in content[name]["edges"].items()]
        entries.append('  "edges": {\n' + ",\n".join(edges) + "}")
        cases.append(f" {json.dumps(name)}: {{\n" + ",\n".join(entries) + "}")
    path.write_text("{\n" + ",\n".join(cases) + "\n}\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the cases asked for, print what differs, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", action="store_true", help="store anew what differs")
    parser.add_argument("--only", default="", help="'quick', or a text that the case's name holds")
    asked = parser.parse_args(arguments)
    stored, began, differ, cases = read(), time.monotonic(), [], _asked(asked.only)
    for case in cases:
        started = time.monotonic()
        now, told = check(case, stored)
        print(
            f"{case.name}: {'DIFFERS' if told else 'same'} ({time.monotonic() - started:.1f} s)", flush=True
        )
        print("".join(f"    {line}\n" for line in told), end="")
        if told and asked.store and now is not None:
            stored[case.name] = now
        elif told:
            differ.append(case.name)
    if asked.store:
        write(stored)
    print(f"{len(cases)} cases in {time.monotonic() - began:.0f} s; different: {', '.join(differ) or 'none'}")
    return 1 if differ else 0


def _asked(only: str) -> list[Case]:
    """Return the cases asked for, those that cannot run here left out with a word."""
    asked = [case for case in CASES.values() if (case.quick if only == "quick" else only in case.name)]
    for case in asked:
        if not case.runs_here:
            print(f"{case.name}: skipped, because {case.needs} is not installed")
    return [case for case in asked if case.runs_here]


if __name__ == "__main__":
    sys.exit(main())
