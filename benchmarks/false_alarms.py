"""How often each check of the assumptions warns, given the true graph, with and without hidden causes.

    python benchmarks/false_alarms.py --tables 60 --seed 3100

Ten columns seen, 1 to 4 edges a node, 500 and 1000 rows, no units left to read (`standardize="iscm"`).
"""

import argparse
from collections import Counter

import numpy as np

import dagscale
from dagscale.result.diagnostics import diagnose

COLUMNS, HIDDEN = 10, 2
DENSITIES = (1, 2, 4)
ROWS = (500, 1000)


def table(seed, rows, mechanism, hidden):
    """A table and its true graph; the columns of most children are hidden."""
    made = dagscale.simulate(
        nodes=COLUMNS + hidden,
        edges_per_node=DENSITIES[seed % len(DENSITIES)],
        samples=rows,
        mechanism=mechanism,
        standardize="iscm",
        random_state=seed,
    )
    seen = np.sort(np.argsort(made.adjacency.sum(axis=1), kind="stable")[:COLUMNS])
    return made.table.to_numpy()[:, seen], made.adjacency[np.ix_(seen, seen)]


def warnings(seeds, rows, mechanism, hidden):
    """Count the tables on which each check of the whole table is not green."""
    counts = Counter()
    for seed in seeds:
        X, adjacency = table(seed, rows, mechanism, hidden)
        found = diagnose(X, list(range(COLUMNS)), adjacency, n_jobs=1)
        counts.update({check.name: check.verdict != "ok" for check in found.overall})
    return counts


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--tables", type=int, default=60)
    options.add_argument("--seed", type=int, default=3100, help="of the first table")
    options.add_argument("--mechanisms", nargs="+", default=["gp", "gp-additive"])
    chosen = options.parse_args()
    seeds = range(chosen.seed, chosen.seed + chosen.tables)
    for mechanism in chosen.mechanisms:
        for rows in ROWS:
            for hidden in (0, HIDDEN):
                counts = warnings(seeds, rows, mechanism, hidden)
                told = ", ".join(f"{name} {count}" for name, count in counts.items())
                print(
                    f"{mechanism}, {rows} rows, {hidden} hidden causes, of {len(seeds)} tables: {told}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
