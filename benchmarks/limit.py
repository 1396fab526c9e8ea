"""How far can any search get? Told everything about the tables of ER4 but which sets are the parents.

    python benchmarks/limit.py --seeds 0 1 2 3 4 5 6 7 8 9

Each node knows the true order, the true length scale of every column, the variances of process and noise, and
the density of the graph. Of its predecessors it gets the set with the highest posterior probability that
growing by alignment and improving by single columns finds, or the true set if that is likelier. So no
error is one of the search. It is the likeliest graph; probabilities of single edges are not looked at.
"""

import argparse
from collections import defaultdict

import numpy as np

import dagscale
from dagscale.graphs.dag import topological_order
from dagscale.methods.auto.search.align import best_set
from dagscale.models.gp import Evidence
from dagscale.models.gp.alignment import Alignment
from dagscale.models.gp.prior import Prior
from dagscale.runtime.parallel import parallel_map


def told_everything(table, raw):
    """Kernels of the true scales: raw columns have the length scale 1, process and noise the variance 1."""
    columns = Evidence(table.to_numpy(), n_jobs=1, clip=np.inf).columns
    alignment = Alignment(columns, Prior(scale=(0.0, 1.0), joint=(0.0, 1.0)))
    variances = raw.to_numpy().var(axis=0)
    for column, kernel in zip(alignment.layout, alignment.kernels, strict=True):
        z = columns.values[column, : alignment.n]
        kernel[:] = np.exp(-0.5 * variances[column] * (z[alignment.first] - z[alignment.second]) ** 2)
    alignment.norms = np.array([float((kernel * kernel).sum()) for kernel in alignment.kernels])
    return alignment


def likeliest_graph(seed, nodes, caution, n_jobs):
    """Return the true graph, the likeliest one, and how many true sets are likelier than the set found."""
    truth, raw = (
        dagscale.simulate(
            "ER", nodes=nodes, edges_per_node=4, samples=1000, standardize=standardize, random_state=seed
        )
        for standardize in (True, False)
    )
    true, alignment = truth.adjacency, told_everything(truth.table, raw.table)
    order = topological_order(true)
    pairs = nodes * (nodes - 1) / 2
    penalty = caution + float(np.log(pairs / true.sum() - 1.0))  # the odds against an edge

    def one(place):
        j, before = int(order[place]), tuple(int(i) for i in order[:place])
        parents = tuple(np.flatnonzero(true[:, j]).tolist())
        found = best_set(alignment, j, before, (), penalty)
        nats = alignment.evidence(j, [found, parents]) - penalty * np.array([len(found), len(parents)])
        return j, found if nats[0] >= nats[1] else parents, nats[1] > nats[0] + 0.1

    graph, missed = np.zeros_like(true), 0
    for j, parents, better in parallel_map(one, range(nodes), n_jobs, local=True):
        graph[list(parents), j] = True
        missed += better
    return true, graph, missed


def main():
    """Print the likeliest graphs' errors."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, nargs="+", default=list(range(10)))
    options.add_argument("--nodes", type=int, default=20)
    options.add_argument("--caution", type=float, default=0.0, help="nats besides the odds, for precision")
    options.add_argument("--n-jobs", type=int, default=1)
    asked = options.parse_args()
    rows, by_parents = [], defaultdict(list)
    for seed in asked.seeds:
        true, graph, missed = likeliest_graph(seed, asked.nodes, asked.caution, asked.n_jobs)
        quality = dagscale.metrics.evaluate(true, graph)
        rows.append([quality["shd"], quality["precision"], quality["recall"]])
        for j in range(asked.nodes):
            by_parents[int(true[:, j].sum())].append(np.array_equal(true[:, j], graph[:, j]))
        print(
            f"seed {seed}: SHD {rows[-1][0]}, precision {rows[-1][1]:.2f}, recall {rows[-1][2]:.2f}; "
            f"true sets likelier than the one the search found: {missed}",
            flush=True,
        )
    shd, precision, recall = np.mean(rows, axis=0)
    print(f"mean: SHD {shd:.1f}, precision {precision:.3f}, recall {recall:.3f}")
    for parents, exact in sorted(by_parents.items()):
        print(f"{parents:2d} parents: {sum(exact)} of {len(exact)} sets exact")


if __name__ == "__main__":
    main()
