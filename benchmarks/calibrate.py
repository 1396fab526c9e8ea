"""The probabilities of `auto`: collect evidence of pairs on simulated tables of many kinds, fit the map, judge it.

    python benchmarks/calibrate.py --collect --n-jobs 16 --out calibration.jsonl     # about 1,300 CPU seconds
    python benchmarks/calibrate.py --collect --small --out few.jsonl                 # one table a kind
    python benchmarks/calibrate.py --fit calibration.jsonl     # coefficients, each kind by a fit without it

Tuning seeds (1000 and on), every kind of the suite `violations`, standardised. One line a table.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import json
import time
from pathlib import Path

import joblib
import numpy as np

import dagscale
from dagscale.benchmark.suites.violations import KINDS
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.certainty import (
    PairEvidence,
    direction_features,
    link_features,
    open_links,
    probabilities,
)
from dagscale.methods.auto.certainty_map import Map
from dagscale.methods.auto.method import settled
from dagscale.methods.auto.pair_evidence import SHAPELESS
from dagscale.methods.auto.shape_trust import shape_nats
from dagscale.methods.context import Context

# (columns, edges a node, rows, tables): the longest first
SIZES = (
    (20, 1, 300, 1), (10, 2, 1000, 1), (10, 1, 1000, 2), (10, 2, 300, 3), (10, 1, 300, 2), (5, 1, 1000, 2),
    (5, 1, 300, 2),
)  # fmt: skip
SMALL = ((5, 1, 300, 1),)


def tasks(sizes):
    """List (kind, columns, edges a node, rows, seed)."""
    return [
        (kind, d, k, n, 1000 + t)
        for d, k, n, tables in sizes
        for kind in KINDS
        for t in range(tables)
    ]  # fmt: skip


def simulated(kind, d, k, n, seed):
    """Draw one table; hidden causes need pairs without an edge."""
    options = dict(KINDS[kind])
    if "hidden" in options:
        options["hidden"] = max(1, round(options["hidden"] * d / 20))
    return dagscale.simulate(
        nodes=d, edges_per_node=k, samples=n, standardize=True, random_state=seed, **options
    )


def plain(array):
    """Lay out an array as JSON; infinities as ±1e9."""
    array = np.nan_to_num(np.asarray(array, dtype=float), nan=0.0, posinf=1e9, neginf=-1e9)
    return [float(f"{v:.4g}") for v in array.ravel()]


def collected(kind, d, k, n, seed):
    """Find the graph of one table, and return the evidence of all pairs."""
    made = simulated(kind, d, k, n, seed)
    X = made.table.to_numpy(dtype=float)
    began = time.process_time()
    found, refined = settled(X, Context(Constraints.none(d), n_jobs=1))
    searched = time.process_time() - began
    near, checks, graph, gain = found.alternatives, found.residuals, found.graph, found.objective.gain
    seen = found.evidence(None if refined is None else refined.evidence)
    told = [gain.told[j, tuple(np.flatnonzero(graph[:, j]).tolist())] for j in range(d)]
    values = {
        "truth": made.adjacency, "graph": graph, "joined": near.joined, "apart": near.apart,
        "nats": found.numbers.nats, "forward": checks.forward.size, "backward": checks.backward.size,
        "between": checks.between.size,
        "serial": checks.serial, "left": [one.left for one in told], "spread": [one.spread for one in told],
        "joint": [one.joint for one in told],
        "across": seen.across, "trust": seen.trust, "shape": shape_nats(graph, gain),
    }  # fmt: skip
    if made.confounded is not None:
        values["confounded"] = made.confounded
    if refined is not None:
        values["process_nats"] = refined.evidence["evidence"]
        values["process_direction"] = refined.evidence["direction_nats"]
    seconds = time.process_time() - began
    about = {
        "kind": kind, "d": d, "k": k, "n": n, "seed": seed, "price": found.price, "uneven": found.uneven,
        "interacting": found.interacting, "scale": found.scale.name, "refined": refined is not None,
        "searched": round(searched, 2), "seconds": round(seconds, 2),
    }  # fmt: skip
    return {**about, **{name: plain(array) for name, array in values.items()}}


def collect(path, sizes, n_jobs):
    """Write one line a table, as they are done."""
    todo = tasks(sizes)
    runs = joblib.Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")(
        joblib.delayed(collected)(*task) for task in todo
    )
    spent = 0.0
    with Path(path).open("w", encoding="utf-8") as file:
        for done, row in enumerate(runs, 1):
            file.write(json.dumps(row) + "\n")
            file.flush()
            spent += row["seconds"]
            size = f"d={row['d']} n={row['n']}"
            print(f"{done}/{len(todo)} {spent:.0f} s {row['kind']} {size} {row['seconds']} s", flush=True)


def evidence_of(row):
    """Lay out one line of the file as evidence of pairs."""
    d = row["d"]

    def square(name):
        return np.array(row[name]).reshape(d, d) if name in row else None

    graph = square("graph") > 0
    serial = np.maximum(np.abs(row["serial"]) - 1.0 / np.sqrt(row["n"]), 0.0).mean()
    shapeless = np.abs(square("shape")) < SHAPELESS if "shape" in row else False
    plain_model = not row["interacting"] and not row["uneven"] and row["scale"] == "data"
    return PairEvidence(
        graph, square("joined"), square("apart"), square("across"), square("forward"), square("backward"),
        square("trust"), shapeless if plain_model else False,
        square("process_nats"), square("process_direction"), float(serial),
    )  # fmt: skip


def logistic_fit(F, y, weight, ridge=0.05):
    """Fit a logistic regression without an intercept by Newton's method; columns of mean square 1 share a ridge."""
    scale = np.sqrt((F**2).mean(axis=0)) + 1e-12
    Z, beta = F / scale, np.zeros(F.shape[1])
    for _ in range(60):
        p = 1.0 / (1.0 + np.exp(-np.clip(Z @ beta, -30, 30)))
        slope = Z.T @ (weight * (y - p)) - ridge * beta
        H = (Z * (weight * p * (1 - p))[:, None]).T @ Z + (ridge + 1e-9) * np.eye(len(beta))
        step = np.linalg.solve(H, slope)
        beta = beta + step / max(1.0, np.abs(step).max())
    return beta / scale


def fitted(rows):
    """Fit the map on lines of the file, every kind of table with the same weight."""
    kinds = [row["kind"] for row in rows]
    share = {kind: 1000.0 / kinds.count(kind) for kind in set(kinds)}
    link, way, addition = ([], [], []), ([], [], []), ([], [], [])
    for row in rows:
        seen, d = evidence_of(row), row["d"]
        truth = np.array(row["truth"]).reshape(d, d) > 0
        above = np.triu(np.ones((d, d), dtype=bool), 1)
        linked, weight = truth | truth.T, share[row["kind"]] / (d * (d - 1) / 2)
        _put(link, link_features(seen)[above], linked[above], weight)
        told = seen.graph & linked
        _put(way, direction_features(seen)[told], truth[told], share[row["kind"]] / max(told.sum(), 1))
        missed = above & linked & ~seen.linked
        there = np.clip(seen.joined, -60, 60)
        _put(
            addition,
            (there - there.T)[missed][:, None],
            truth[missed],
            share[row["kind"]] / max(missed.sum(), 1),
        )
    found = [logistic_fit(*(np.concatenate(part) for part in parts)) for parts in (link, way, addition)]
    return Map(tuple(found[0]), tuple(found[1]), float(found[2][0]))


def _put(parts, F, y, weight):
    for part, values in zip(parts, (F, y.astype(float), np.full(len(y), weight)), strict=True):
        part.append(values)


def judged(rows, coefficients):
    """Return the probabilities and truths of all ordered pairs, claims and what was right of them."""
    p, t, counts = [], [], np.zeros(5)
    for row in rows:
        seen, d = evidence_of(row), row["d"]
        truth = np.array(row["truth"]).reshape(d, d) > 0
        likely = probabilities(seen, Constraints.none(d), coefficients)
        off = ~np.eye(d, dtype=bool)
        p.append(likely[off])
        t.append(truth[off])
        linked = likely + likely.T >= 0.5
        claimed = linked & ~open_links(likely, seen.graph) & (likely > likely.T)
        links_right = (linked & (truth | truth.T)).sum() / 2
        counts += [truth.sum(), claimed.sum(), (claimed & truth).sum(), links_right, linked.sum() / 2]
    return np.concatenate(p), np.concatenate(t), counts


def calibration_error(p, t, bins=10):
    """Expected calibration error over pairs with a probability above .05."""
    kept = p > 0.05
    p, t = p[kept], t[kept]
    where = np.minimum((p * bins).astype(int), bins - 1)
    return sum(abs(p[where == k].sum() - t[where == k].sum()) for k in range(bins)) / max(len(p), 1)


def fit(path):
    """Print the coefficients, and how kinds fare that were left out of the fit."""
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    print(f"{len(rows)} tables; every kind judged by a fit without it")
    print("| kind | tables | pairs > .05 | ECE | Brier | edges claimed | claimed right | links right |")
    every_p, every_t = [], []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        p, t, (true, claimed, right, links_right, links) = judged(
            own, fitted([row for row in rows if row["kind"] != kind])
        )
        every_p.append(p)
        every_t.append(t)
        shares = f"{right / true:.2f} | {right / max(claimed, 1):.2f} | {links_right / max(links, 1):.2f}"
        errors = f"{calibration_error(p, t):.3f} | {((p - t) ** 2).mean():.4f}"
        print(f"| {kind} | {len(own)} | {(p > 0.05).sum()} | {errors} | {shares} |")
    p, t = np.concatenate(every_p), np.concatenate(every_t)
    print(f"all: ECE {calibration_error(p, t):.3f}, Brier {((p - t) ** 2).mean():.4f}")
    print("| probability | pairs | mean | true |")
    for k in range(10):
        own = (p > max(k / 10, 0.05)) & (p <= (k + 1) / 10)
        if own.any():
            print(
                f"| {k / 10:.1f} to {(k + 1) / 10:.1f} | {own.sum()} | {p[own].mean():.3f} | {t[own].mean():.3f} |"
            )
    final = fitted(rows)
    for name in ("link", "direction"):
        print(f"{name}=({', '.join(f'{v:.3f}' for v in getattr(final, name))}),")
    print(f"addition={final.addition:.3f},")


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
    options = parser.parse_args()
    if options.fit:
        fit(options.fit)
    elif options.collect:
        collect(options.out, SMALL if options.small else SIZES, options.n_jobs)


if __name__ == "__main__":
    main()
