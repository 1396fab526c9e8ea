"""The experiments of Sachs et al., judged by every published graph.

    DAGSCALE_PEERS_PYTHON=.peers/bin/python python benchmarks/interventions.py
    python benchmarks/interventions.py --times
    python benchmarks/interventions.py --wide

Rows: targets known (`interventions=`), conditions known (`environment=`), the rows without intervention, all rows
without labels, and the peers whose packages are there (docs/howto-benchmarks.md). Simulated experiments are the
suite `interventions`. With `--times`: processor time of simulated tables that are told the targets, and of the same
rows without labels. With `--wide`: errors of tables of 64 linear Gaussian columns, half of them set, told rightly,
with one label in five exchanged, and not told; several minutes a table.
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np

import dagscale
from dagscale.benchmark.labels import KNOWN, NONE, WRONG, told
from dagscale.benchmark.peers import INTERVENTIONAL, run_peer
from dagscale.benchmark.suites.interventions import KINDS, OBSERVATIONS
from dagscale.graphs.metrics import shd
from dagscale.runtime.errors import InputError

GRAPHS = ("reconstructed", "consensus", "eaton", "mooij")
LABELS = "intervention"
SIZES = (10, 20)
SEED = 1000
WIDE, WIDE_SEEDS = 64, (1000, 1001)


def rows() -> dict[str, Callable[[], np.ndarray]]:
    """Return what finds a graph by the name of its row."""
    data = dagscale.datasets.load("sachs-experiments")
    label, X = data.table[LABELS], data.table[data.names]
    targets = np.array([[name == own for name in data.names] for own in label])
    conditions = data.table.assign(**{LABELS: [own or "obs" for own in label]})
    found = {
        "targets known": lambda: dagscale.discover(data.table, interventions=LABELS).adjacency,
        "targets unknown": lambda: dagscale.discover(conditions, environment=LABELS).adjacency,
        "rows without intervention": lambda: dagscale.discover(X[label == ""]).adjacency,
        "all rows, no labels": lambda: dagscale.discover(X).adjacency,
    }
    logs = np.log(X.to_numpy())
    peers = {
        name: lambda name=name: run_peer(name, logs, data.names, 0, targets=targets)
        for name in INTERVENTIONAL
    }
    return found | peers


def f1(truth: np.ndarray, found: np.ndarray) -> float:
    """Return the harmonic mean of precision and recall."""
    return float(2 * (truth & found).sum() / max(truth.sum() + found.sum(), 1))


def times(wanted: str) -> None:
    """Print the processor time of tables with and without labels; half of twenty columns are set, all of ten."""
    print("| table | targets known, s | all rows, no labels, s | ratio |\n| --- | --- | --- | --- |")
    for d in SIZES:
        for kind, how in KINDS.items():
            if wanted not in (name := f"{kind}, d = {d}"):
                continue
            made = dagscale.simulate(
                nodes=d, edges_per_node=2, samples=OBSERVATIONS, standardize=True, random_state=SEED,
                interventions={f"X{j}": 60 for j in range(10)}, **how,
            )  # fmt: skip
            spent = []
            for targets in (made.interventions, None):
                begun = time.process_time()
                dagscale.discover(made.table, interventions=targets, n_jobs=1)
                spent.append(time.process_time() - begun)
            print(f"| {name} | {spent[0]:.1f} | {spent[1]:.1f} | {spent[0] / spent[1]:.2f} |", flush=True)


def wide() -> None:
    """Print the errors of wide tables, and the share of wrong labels that are named."""
    print("| seed | targets known | one label in five wrong | no labels | named |\n|" + " --- |" * 5)
    for seed in WIDE_SEEDS:
        made = dagscale.simulate(
            nodes=WIDE, edges_per_node=2, samples=OBSERVATIONS, linear=1.0, standardize=True, random_state=seed,
            interventions={f"X{j}": 60 for j in range(WIDE // 2)},
        )  # fmt: skip
        errors, named = [], 0.0
        for labels in (KNOWN, WRONG, NONE):
            table, how, judge = told(made.table, made.interventions, labels, seed)
            result = dagscale.discover(table, effort="quick", n_jobs=1, **how)
            errors.append(shd(made.adjacency, result.adjacency))
            named = judge(result).get("wrong_named", named)
        print(f"| {seed} | {' | '.join(map(str, errors))} | {named:.0%} |", flush=True)


def main() -> None:
    """Run every row and print its line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", help="only rows whose name contains this text")
    parser.add_argument("--times", action="store_true", help="processor time of simulated tables instead")
    parser.add_argument("--wide", action="store_true", help="errors of wide simulated tables instead")
    given = parser.parse_args()
    wanted = given.rows or ""
    if given.times:
        times(wanted)
        return
    if given.wide:
        wide()
        return
    truths = {graph: dagscale.datasets.load("sachs-experiments", graph=graph).adjacency for graph in GRAPHS}
    print("F1 of adjacencies and of directed edges; an undirected link is no directed hit.\n")
    print(f"| row | {' | '.join(GRAPHS)} | edges | seconds |\n|{' --- |' * (len(GRAPHS) + 3)}")
    for row, find in rows().items():
        if wanted not in row:
            continue
        begun = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                A = find()
        except InputError as missing:
            print(f"| {row} | {missing} |")
            continue
        seconds = time.perf_counter() - begun
        cells = [f"{f1(T | T.T, A | A.T):.2f}, {f1(T, A & ~A.T):.2f}" for T in truths.values()]
        print(f"| {row} | {' | '.join(cells)} | {int(np.triu(A | A.T).sum())} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
