"""Interventions: errors with known, unknown and wrong targets, beside peers and the same rows without labels.

    python benchmarks/interventions.py --seeds 0-9 --n-jobs 16            # simulated tables
    python benchmarks/interventions.py --sachs                            # the experiments of Sachs et al.

Rows: `known` (interventions=), `unknown` (environment=), `wrong` (one label in five is another column's),
`observed` (rows without intervention), `pooled` (all rows, no labels), `gies` and `ut-igsp` where their packages are.
Every run is one line of JSON; the table comes last.
"""

import argparse
import json
import time
import warnings
from collections import defaultdict

import numpy as np
from dagscale.metrics import shd

import dagscale
from dagscale.benchmark.suite import parse_seeds
from dagscale.runtime.parallel import parallel_map

KINDS = {"linear": {"linear": 1.0}, "gp": {}, "sigmoid": {"mechanism": "sigmoid-additive"}}
ROWS = ("known", "unknown", "wrong", "observed", "pooled", "gies", "ut-igsp")


def simulated(kind: str, d: int, seed: int):
    """Draw 400 observations, and 60 rows of each single intervention: on all of 10 columns, on half of 20."""
    names = [f"X{j}" for j in range(d)]
    some = names if d <= 10 else np.random.default_rng(seed).permutation(names)[: d // 2].tolist()
    return dagscale.simulate(
        nodes=d, edges_per_node=2, samples=400, interventions=dict.fromkeys(some, 60), random_state=seed,
        standardize=True, **KINDS[kind],
    )  # fmt: skip


def mislabelled(targets: list[str], seed: int) -> tuple[list[str], dict[str, str]]:
    """Exchange the labels of one experiment in five, at least two, among each other."""
    known = sorted(set(targets) - {""})
    some = np.random.default_rng(seed).permutation(known)[: max(2, len(known) // 5)].tolist()
    new = dict(zip(some, np.roll(some, 1).tolist(), strict=True))
    return [new.get(label, label) for label in targets], new


def run(kind: str, d: int, seed: int, row: str) -> dict:
    """Run one row on one table."""
    sim = simulated(kind, d, seed)
    table, truth = sim.table, sim.adjacency
    more: dict = {}
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if row in ("gies", "ut-igsp"):
            graph = PEERS[row](table.to_numpy(), sim.interventions)
        elif row == "known":
            graph = dagscale.discover(table, interventions=sim.interventions, n_jobs=1).adjacency
        elif row == "unknown":
            found = dagscale.discover(
                table.assign(e=[t or "obs" for t in sim.targets]), environment="e", n_jobs=1
            )
            got = {(label, name) for label, own in found.changed.items() for name in own}
            true = {(t, t) for t in set(sim.targets) - {""}}
            more, graph = {"f1": 2 * len(got & true) / (len(got) + len(true))}, found.adjacency
        elif row == "wrong":
            labels, new = mislabelled(sim.targets, seed)
            found = dagscale.discover(table.assign(e=labels), interventions="e", n_jobs=1)
            said = [note for note in found.notes if note.startswith("the experiment labelled")]
            named = sum(
                any(f"labelled {b!r}" in note and repr(a) in note for note in said) for a, b in new.items()
            )
            more = {"named": named / len(new), "false": len(said) - named}
            graph = found.adjacency
        else:
            rows = table[~sim.interventions.any(axis=1)] if row == "observed" else table
            graph = dagscale.discover(rows, n_jobs=1).adjacency
    seconds = round(time.process_time() - begun, 1)
    return {
        "kind": kind,
        "d": d,
        "seed": seed,
        "row": row,
        "shd": float(shd(truth, graph)),
        "s": seconds,
        **more,
    }


def gies(X: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """GIES (Hauser and Bühlmann 2012) by the Gaussian BIC; links it leaves open stand both ways."""
    import gies as package

    sets = np.unique(targets, axis=0)
    data = [X[(targets == one).all(axis=1)] for one in sets]
    found, _ = package.fit_bic(data, [np.flatnonzero(one).tolist() for one in sets])
    return np.asarray(found) != 0


def ut_igsp(X: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """UT-IGSP (Squires et al. 2020), which is not told the targets; tests of partial correlation and invariance."""
    import causaldag as package
    from conditional_independence import (
        MemoizedCI_Tester,
        gauss_invariance_suffstat,
        gauss_invariance_test,
        partial_correlation_suffstat,
        partial_correlation_test,
    )

    plain = ~targets.any(axis=1)
    sets = [one for one in np.unique(targets, axis=0) if one.any()]
    samples = [X[(targets == one).all(axis=1)] for one in sets]
    ci = MemoizedCI_Tester(partial_correlation_test, partial_correlation_suffstat(X[plain]), alpha=1e-3)
    same = package.MemoizedInvarianceTester(
        gauss_invariance_test, gauss_invariance_suffstat(X[plain], samples), alpha=1e-3
    )
    found, _ = package.unknown_target_igsp(
        [{"known_interventions": []} for _ in sets], set(range(X.shape[1])), ci, same
    )
    return np.asarray(found.to_amat()[0]) != 0


PEERS = {"gies": gies, "ut-igsp": ut_igsp}


def summary(done: list[dict]) -> None:
    """Print the means over seeds."""
    by = defaultdict(list)
    for one in done:
        by[one["kind"], one["d"], one["row"]].append(one)
    print("| kind | d | row | SHD | F1 | named | false | s |\n|---|---|---|---|---|---|---|---|")
    for (kind, d, row), own in sorted(by.items()):
        cells = [
            f"{np.mean([one[key] for one in own]):.2f}" if key in own[0] else ""
            for key in ("shd", "f1", "named", "false", "s")
        ]
        print("|", " | ".join([kind, str(d), row, *cells]), "|")


def sachs() -> None:
    """Judge what experiments, observations and peers make of Sachs et al. by every published graph."""
    data = dagscale.datasets.load("sachs-experiments")
    names, label = data.names, data.table["intervention"]
    targets = np.array([[name == own for name in names] for own in label])
    X = data.table[names]
    found = {
        "known": lambda: dagscale.discover(data.table, interventions="intervention").adjacency,
        "observed": lambda: dagscale.discover(X[label == ""]).adjacency,
        "pooled": lambda: dagscale.discover(X).adjacency,
        "gies": lambda: gies(np.log(X.to_numpy()), targets),
        "ut-igsp": lambda: ut_igsp(np.log(X.to_numpy()), targets),
    }
    print("| row | graph | edges | SHD | adjacency F1 | directed F1 | s |\n|---|---|---|---|---|---|---|")
    for row, make in found.items():
        begun = time.perf_counter()
        try:
            A = make()
        except ImportError as missing:
            print(f"| {row} | {missing} |")
            continue
        seconds = time.perf_counter() - begun
        for graph in ("reconstructed", "consensus", "eaton", "mooij"):
            T = dagscale.datasets.load("sachs-experiments", graph=graph).adjacency
            both = _f1(T | T.T, A | A.T)
            one_way = A & ~A.T  # a link left open is no directed hit
            print(
                f"| {row} | {graph} | {int((A | A.T).sum()) // 2} | {shd(T, A):g} | {both:.2f} | "
                f"{_f1(T, one_way):.2f} | {seconds:.0f} |",
                flush=True,
            )


def _f1(truth: np.ndarray, found: np.ndarray) -> float:
    return float(2 * (truth & found).sum() / max(truth.sum() + found.sum(), 1))


def main() -> None:
    """Read the options, run, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", default="0-9")
    parser.add_argument("--kinds", default="linear,gp,sigmoid")
    parser.add_argument("--sizes", default="10,20")
    parser.add_argument("--rows", default="known,unknown,wrong,observed,pooled")
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--sachs", action="store_true")
    options = parser.parse_args()
    if options.sachs:
        sachs()
        return
    tasks = [
        (kind, int(d), seed, row)
        for d in options.sizes.split(",")
        for kind in options.kinds.split(",")
        for seed in parse_seeds(options.seeds)
        for row in options.rows.split(",")
    ]

    def one(task: tuple) -> dict:
        done = run(*task)
        print(json.dumps(done), flush=True)
        return done

    summary(parallel_map(one, tasks, options.n_jobs, processes=options.n_jobs > 1))


if __name__ == "__main__":
    main()
