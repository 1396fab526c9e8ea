"""The probabilities of `auto`: collect evidence of pairs on simulated tables of many kinds, fit the map, judge it.

    python benchmarks/calibrate.py --collect --n-jobs 16 --out calibration.jsonl --time-limit 1200
    python benchmarks/calibrate.py --collect --small --out few.jsonl                 # one table a kind
    python benchmarks/calibrate.py --fit calibration.jsonl --svg reliability.svg     # each kind by a fit without it

Tuning seeds (1000 and on); every kind of the suite `violations`, standardised, and tables made to look measured
(`as_measured.py`). One line a table; the same command goes on with a file that was begun, so that a limit of time or an
interrupt loses nothing. `--fit` prints Markdown: the table of kinds, what is claimed, the reliability diagram, and the
coefficients for `certainty_map.py`. A kind has few pairs, so that its expected calibration error would not be 0 even if
every probability were right: "by chance" is what it would be then. "Map in use" is the error of the one that the
package has. A claimed arrow is right if its cause is an ancestor of its effect; "said" is its mean probability.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import json
import time
from functools import reduce
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np

from as_measured import MARK, MESSY_KINDS, TANGLED, TANGLED_SIZES, clean, messy
from as_measured import SIZES as MESSY_SIZES
from dagscale.benchmark.suites.violations import KINDS
from dagscale.inputs.knowledge import Constraints
from dagscale.inputs.table import read_table
from dagscale.methods.auto.certainty.certainty_map import CALIBRATED, Map
from dagscale.methods.auto.certainty.pair_evidence import pair_evidence
from dagscale.methods.auto.certainty.probabilities import (
    PairEvidence,
    direction_features,
    link_features,
    open_links,
    probabilities,
)
from dagscale.methods.auto.certainty.reading import Reading
from dagscale.methods.auto.method import settled
from dagscale.methods.context import Context
from dagscale.runtime.types import FloatArray

# (columns, edges a node, rows, tables)
SIZES = (
    (10, 2, 1000, 1), (10, 1, 1000, 1), (10, 2, 300, 1), (10, 1, 300, 2), (5, 1, 1000, 2), (5, 1, 300, 2),
    (6, 2, 1000, 1), (10, 4, 1000, 1),
)  # fmt: skip
DRAWS = 200  # of truths from the probabilities themselves
KEY = ("kind", "d", "k", "n", "seed")  # what a line of the file is known by
ADDITIVE = (
    "GP", "exponential noise", "gamma noise", "Laplace noise", "uniform noise", "LiNGAM",
)  # fmt: skip
KNOWN = {}  # features of lines, which every fit uses again
WIDTH = 40  # signs of a bar of the reliability diagram
SMALL = ((5, 1, 300, 1),)
MESSY_TABLES = 16  # of each kind that is made to look measured
TANGLED_TABLES = 8  # of each that is tangled, too


def tasks(sizes, messy_tables):
    """List (kind, columns, edges a node, rows, seed), both families by turns."""
    clean_ones = [
        (kind, d, k, n, 1000 + t)
        for d, k, n, tables in sizes
        for kind in KINDS
        for t in range(tables)
    ]  # fmt: skip
    messy_ones = []
    for t in range(messy_tables):
        for kind in MESSY_KINDS:
            tangled = kind.startswith(TANGLED)
            sizes, tables = (TANGLED_SIZES, TANGLED_TABLES) if tangled else (MESSY_SIZES, messy_tables)
            if t < tables:
                messy_ones.append((MARK + kind, *sizes[(1000 + t) % len(sizes)], 1000 + t))
    by_turns = [task for pair in zip_longest(clean_ones, messy_ones) for task in pair]
    return [task for task in by_turns if task is not None]


def table_of(kind, d, k, n, seed):
    """Draw one table."""
    return messy(kind.removeprefix(MARK), seed) if kind.startswith(MARK) else clean(kind, seed, (d, k, n))


def plain(array):
    """Lay out an array as JSON; infinities as ±1e9."""
    array = np.nan_to_num(np.asarray(array, dtype=float), nan=0.0, posinf=1e9, neginf=-1e9)
    return [float(f"{v:.4g}") for v in array.ravel()]


def collected(kind, d, k, n, seed):
    """Find the graph of one table, and return the evidence of all pairs."""
    made = table_of(kind, d, k, n, seed)
    data = read_table(made.table)
    d = len(data.names)
    began = time.process_time()
    found, refined = settled(data.X, Context(Constraints.none(d), n_jobs=1, kinds=data.kinds))
    searched = time.process_time() - began
    seen = pair_evidence(Reading(found), None if refined is None else refined.evidence)
    values = {
        "truth": made.edges, "right": made.right, "graph": seen.graph, "joined": seen.joined, "apart": seen.apart,
        "across": seen.across, "forward": seen.forward, "backward": seen.backward, "trust": seen.trust,
        "shapeless": seen.shapeless & np.ones((d, d), dtype=bool),
    }  # fmt: skip
    if refined is not None:
        values |= {"process_nats": seen.processes, "process_direction": seen.process_direction}
    about = {
        "kind": kind, "d": d, "k": k, "n": n, "seed": seed, "serial": seen.serial, "scale": found.scale.name,
        "uneven": found.uneven, "interacting": found.interacting, "refined": refined is not None,
        "searched": round(searched, 2), "seconds": round(time.process_time() - began, 2),
    }  # fmt: skip
    return {**about, **{name: plain(array) for name, array in values.items()}}


def in_time(task, until):
    """Look at one table, unless it is too late to begin."""
    return collected(*task) if time.time() < until else None


def collect(path, todo, n_jobs, limit):
    """Write one line a task, as they are done, after those that the file has; begin none after `limit` seconds."""
    path = Path(path)
    begun = [] if not path.exists() else whole_lines(path)
    done = {tuple(row[name] for name in KEY) for row in begun}
    todo = [task for task in todo if task not in done]
    print(f"{len(done)} tables are there, {len(todo)} are left", flush=True)
    until = np.inf if limit is None else time.time() + limit
    runs = joblib.Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")(
        joblib.delayed(in_time)(task, until) for task in todo
    )
    spent, count = 0.0, 0
    with path.open("a", encoding="utf-8") as file:
        for row in runs:
            if row is None:
                continue
            file.write(json.dumps(row) + "\n")
            file.flush()
            spent, count = spent + row["seconds"], count + 1
            size = f"d={row['d']} n={row['n']}"
            print(f"{count}/{len(todo)} {spent:.0f} s {row['kind']} {size} {row['seconds']} s", flush=True)
    if count < len(todo):
        print(f"{len(todo) - count} tables are left: the same command goes on")


def whole_lines(path):
    """Read the lines of a file; one that an interrupt cut short is taken off the file, too."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.endswith("}\n")]
    if len(kept) < len(lines):
        path.write_text("".join(kept), encoding="utf-8")
    return [json.loads(line) for line in kept]


def evidence_of(row):
    """Lay out one line of the file as evidence of pairs."""
    d = row["d"]

    def square(name):
        return np.array(row[name]).reshape(d, d) if name in row else None

    return PairEvidence(
        square("graph") > 0, square("joined"), square("apart"), square("across"), square("forward"),
        square("backward"), square("trust"), square("shapeless") > 0, square("process_nats"),
        square("process_direction"), row["serial"],
    )  # fmt: skip


def logistic_fit(F, y, weight, ridge=0.05):
    """Fit a logistic regression without an intercept by Newton's method; columns of mean square 1 share a ridge."""
    scale = np.sqrt((F**2).sum(axis=0) / max(len(F), 1)) + 1e-12
    Z, beta = F / scale, np.zeros(F.shape[1])
    for _ in range(60):
        p = 1.0 / (1.0 + np.exp(-np.clip(Z @ beta, -30, 30)))
        slope = Z.T @ (weight * (y - p)) - ridge * beta
        H = (Z * (weight * p * (1 - p))[:, None]).T @ Z + (ridge + 1e-9) * np.eye(len(beta))
        step = np.linalg.solve(H, slope)
        beta = beta + step / max(1.0, np.abs(step).max())
    return beta / scale


def shares(rows):
    """Return the weight of a table of every kind: every kind of a family counts alike, and both families as much."""
    kinds = [row["kind"] for row in rows]
    families = [kind.startswith(MARK) for kind in set(kinds)]
    return {kind: 20000.0 / kinds.count(kind) / families.count(kind.startswith(MARK)) for kind in set(kinds)}


def fitted(rows):
    """Fit the map on lines of the file, every kind with the same weight, both families of kinds with half of it."""
    share, parts = shares(rows), [features(row) for row in rows]
    found = []
    for of in zip(*parts, strict=True):  # links, directions, additions
        F, y = (np.concatenate([part[k] for part in of]) for k in (0, 1))
        weights = [
            share[row["kind"]] / part[2] * np.ones(len(part[1])) for row, part in zip(rows, of, strict=True)
        ]
        found.append(logistic_fit(F, y.astype(float), np.concatenate(weights)))
    return Map(tuple(found[0]), tuple(found[1]), float(found[2][0]))


def features(row):
    """Lay out (features, truths, what they share a weight of 1 by) of a line: links, directions, additions."""
    key = tuple(row[name] for name in KEY)
    if key not in KNOWN:
        seen, d = evidence_of(row), row["d"]
        truth = np.array(row["truth"]).reshape(d, d) > 0
        above, linked = np.triu(np.ones((d, d), dtype=bool), 1), truth | truth.T
        told, missed = seen.graph & linked, above & linked & ~seen.linked
        there = np.clip(seen.joined, -60, 60)
        KNOWN[key] = (
            (link_features(seen)[above], linked[above], d * (d - 1) / 2),
            (direction_features(seen)[told], truth[told], max(told.sum(), 1)),
            ((there - there.T)[missed][:, None], truth[missed], max(missed.sum(), 1)),
        )
    return KNOWN[key]


class Judged(NamedTuple):
    """Probabilities and truths of all ordered pairs of some tables, and counts.

    `edges` there are; arrows `claimed`, of which so many are `right`; what was `said` of them (sum of probabilities);
    and of all links those that are `true`.
    """

    p: FloatArray
    t: FloatArray
    edges: float
    claimed: float
    right: float
    said: float
    links: float
    true: float

    def with_others(self, other):
        """Put two together."""
        joined = (np.concatenate([a, b]) for a, b in zip(self[:2], other[:2], strict=True))
        return Judged(*joined, *(a + b for a, b in zip(self[2:], other[2:], strict=True)))


def judged(rows, coefficients):
    """Judge the probabilities that a map gives on some lines of the file."""
    found = []
    for row in rows:
        seen, d = evidence_of(row), row["d"]
        truth, right = (np.array(row[name]).reshape(d, d) > 0 for name in ("truth", "right"))
        likely, off = probabilities(seen, Constraints.none(d), coefficients), ~np.eye(d, dtype=bool)
        claimed = seen.graph & ~open_links(likely, seen.graph)
        counts = truth.sum(), claimed.sum(), (claimed & right).sum(), likely[claimed].sum()
        links = seen.graph.sum(), (seen.graph & (truth | truth.T)).sum()
        found.append(Judged(likely[off], truth[off].astype(float), *counts, *links))
    return reduce(Judged.with_others, found)


def calibration_error(p, t, bins=10):
    """Expected calibration error over pairs with a probability above .05."""
    kept = p > 0.05
    p, t = p[kept], t[kept]
    where = np.minimum((p * bins).astype(int), bins - 1)
    return sum(abs(p[where == k].sum() - t[where == k].sum()) for k in range(bins)) / max(len(p), 1)


def error_by_chance(p):
    """Mean calibration error where every pair has an edge with exactly the probability that is said."""
    rng = np.random.default_rng(0)
    return np.mean([calibration_error(p, rng.random(len(p)) < p) for _ in range(DRAWS)])


def fit(path, svg=None):
    """Print the coefficients, and how kinds fare that were left out of the fit, in Markdown."""
    rows = whole_lines(Path(path))
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    print(f"{len(rows)} tables of {len(kinds)} kinds; every kind is judged by a fit without it.\n")
    print("| kind | tables | pairs > .05 | ECE | by chance | map in use | Brier | edges claimed |", end="")
    print(" claims right | said | links right |\n|---|---|---|---|---|---|---|---|---|---|---|")
    found = {}
    for kind in sorted(kinds, key=lambda kind: kind.startswith(MARK)):
        own = [row for row in rows if row["kind"] == kind]
        found[kind] = one = judged(own, fitted([row for row in rows if row["kind"] != kind]))
        in_use = calibration_error(*judged(own, CALIBRATED)[:2])
        errors = f"{calibration_error(one.p, one.t):.3f} | {error_by_chance(one.p):.3f} | {in_use:.3f}"
        print(f"| {kind} | {len(own)} | {(one.p > 0.05).sum()} | {errors} | {shares_of(one)} |", flush=True)
    print()
    for name, of in (
        ("All kinds", kinds),
        ("Clean", [kind for kind in kinds if not kind.startswith(MARK)]),
        ("Made to look measured", [kind for kind in kinds if kind.startswith(MARK) and TANGLED not in kind]),
        ("Tangled", [kind for kind in kinds if TANGLED in kind]),
        (f"Additive noise ({', '.join(ADDITIVE)})", [kind for kind in kinds if kind in ADDITIVE]),
    ):
        if of:
            summary(name, {kind: found[kind] for kind in of})
    every = reduce(Judged.with_others, found.values())
    reliability(every.p, every.t, svg)
    final = fitted(rows)
    for name in ("link", "direction"):
        print(f"{name}=({', '.join(f'{v:.3f}' for v in getattr(final, name))}),")
    print(f"addition={final.addition:.3f},")


def shares_of(one):
    """Lay out the Brier score and the shares of what was judged."""
    claimed = max(one.claimed, 1)
    shares = one.right / one.edges, one.right / claimed, one.said / claimed, one.true / max(one.links, 1)
    return " | ".join([f"{((one.p - one.t) ** 2).mean():.4f}", *(f"{share:.2f}" for share in shares)])


def summary(name, found):
    """Print a sentence on some kinds."""
    whole = reduce(Judged.with_others, found.values())
    errors = {kind: calibration_error(one.p, one.t) for kind, one in found.items()}
    worst = max(errors, key=errors.get)
    print(
        f"{name}: expected calibration error {calibration_error(whole.p, whole.t):.3f}, "
        f"the largest of a kind {errors[worst]:.3f} ({worst}); Brier score {((whole.p - whole.t) ** 2).mean():.4f}; "
        f"{whole.claimed:.0f} arrows claimed, {whole.right / max(whole.claimed, 1):.1%} of them right "
        f"({whole.said / max(whole.claimed, 1):.1%} said), {whole.right / whole.edges:.1%} of the edges.\n"
    )


def reliability(p, t, svg=None):
    """Print the reliability diagram: a bar as long as the share of edges that are true, ◆ at what was said."""
    print("| probability | pairs | said | true | |\n|---|---|---|---|---|")
    points = []
    for k in range(10):
        own = (p > max(k / 10, 0.05)) & (p <= (k + 1) / 10)
        if own.any():
            said, true = p[own].mean(), t[own].mean()
            points.append((said, true, int(own.sum())))
            bar = ["█" if (at + 0.5) / WIDTH < true else "·" for at in range(WIDTH)]
            bar[min(int(said * WIDTH), WIDTH - 1)] = "◆"
            ends = f"{max(k / 10, 0.05):.2g} to {(k + 1) / 10:.1f}"
            print(f"| {ends} | {own.sum()} | {said:.3f} | {true:.3f} | `{''.join(bar)}` |")
    print()
    if svg:
        Path(svg).write_text(drawn(points), encoding="utf-8")


def drawn(points, side=320, edge=40):
    """Draw the reliability diagram as SVG; the area of a point grows with the pairs behind it."""
    most = max(count for _, _, count in points)

    def at(x, y):
        return f"{edge + side * x:.1f}", f"{edge + side * (1 - y):.1f}"

    dots = [
        '<circle cx="{}" cy="{}" r="{:.1f}" fill="#0072b2"/>'.format(
            *at(said, true), 3 + 7 * (count / most) ** 0.5
        )
        for said, true, count in points
    ]
    (x0, y0), (x1, y1) = at(0, 0), at(1, 1)
    whole = side + 2 * edge
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" font-family="sans-serif" '
        'font-size="12" text-anchor="middle">',
        "<title>Reliability of the probabilities of edges</title>",
        f'<rect x="{x0}" y="{y1}" width="{side}" height="{side}" fill="white" stroke="#888"/>',
        f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="#888" stroke-dasharray="4"/>',
        *dots,
        *(f'<text x="{at(v, 0)[0]}" y="{edge + side + 16}">{v:g}</text>' for v in (0, 0.5, 1)),
        *(f'<text x="{edge - 14}" y="{at(0, v)[1]}">{v:g}</text>' for v in (0, 0.5, 1)),
        f'<text x="{whole / 2}" y="{whole - 6}">probability that was said</text>',
        f'<text x="{whole / 2}" y="{edge - 12}">share of these edges that are true</text>',
        "</svg>",
    ]) + "\n"  # fmt: skip


def main():
    """Collect or fit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--collect", action="store_true")
    parser.add_argument("--fit", metavar="FILE")
    parser.add_argument("--small", action="store_true", help="one small table a kind")
    parser.add_argument("--out", default="calibration.jsonl")
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--time-limit", type=float, help="seconds after which no table is begun")
    parser.add_argument("--svg", metavar="FILE", help="draw the reliability diagram, too")
    options = parser.parse_args()
    if options.fit:
        fit(options.fit, options.svg)
    elif options.collect:
        todo = tasks(SMALL, 1) if options.small else tasks(SIZES, MESSY_TABLES)
        collect(options.out, todo, options.n_jobs, options.time_limit)


if __name__ == "__main__":
    main()
