"""Hidden causes of two columns each: what the data show if the true graph is told, and what `auto` marks.

    python benchmarks/hidden_causes.py --told --seeds 0 1 2              # no search: seconds a table
    python benchmarks/hidden_causes.py --seeds 0 1 2 --effort quick      # marks, and SHD with and without them
    python benchmarks/hidden_causes.py --clean --seeds 0 1 2             # false marks on every kind of `violations`
    python benchmarks/hidden_causes.py --clean --nodes 10 --edges 40     # in small dense tables

d = 20 and 30 edges if not told otherwise, n = 1000, standardised. Marks are counted for several mechanisms; the SHD of
the graph in which no link was taken for a hidden cause stands beside. `--told` says what is possible at best, the true
graph being told: how many hidden causes independence tells from every arrow (`told_apart.py`), for how many of these
the noise of the one column raises the likelihood of the other by what an edge must earn, and how many leave dependent
noise whichever way an arrow points.
"""

import argparse
import os
from functools import partial
from itertools import product
from unittest.mock import patch

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import joblib
import numpy as np

import dagscale
from dagscale.benchmark.suites.violations import KINDS
from dagscale.methods.auto.certainty.residual_checks import alarm_level, own_noise
from dagscale.methods.auto.search.objective import Objective, item_of
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.dependence import dependence, waves
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.one_step import one_step
from dagscale.models.likelihood.rows_gain import best_length, spline_gain
from dagscale.models.likelihood.shared_noise import beside_noises, giving
from told_apart import told_by_independence

ROWS = 1000
MECHANISMS = {
    "Gaussian processes": {},
    "sums of Gaussian processes": {"mechanism": "gp-additive"},
    "sums of sigmoids": {"mechanism": "sigmoid-additive"},
    "neural networks": {"mechanism": "mlp"},
    "sines": {"mechanism": "sine"},
    "cubics": {"mechanism": "polynomial"},
    "LiNGAM": {"linear": 1.0, "noise": "exponential"},
    "linear Gaussian": {"linear": 1.0},
}


def table(seed, nodes, edges, **options):
    """Draw one table."""
    return dagscale.simulate(
        nodes=nodes, edges_per_node=edges / nodes, samples=ROWS, standardize=True, random_state=seed, **options
    )  # fmt: skip


def told(seed, **options):
    """Of every hidden cause whether independence tells it, whether it is worth an edge, and whether shapes tell it."""
    made = table(seed, **options)
    X, graph = made.table.to_numpy(dtype=float), made.adjacency
    gain = best_length(spline_gain(scales_of(X)[0]), graph)
    price = Objective(gain, len(graph), SETTINGS.likelihood.caution).price(int(graph.sum()))
    independent = told_by_independence(graph, made.confounded)
    return np.array([
        (
            independent[i, j],
            max(nats_of_noise(gain, graph, *ends) for ends in ((i, j), (j, i))) > price,
            all(depends(X, gain, graph, *ends) for ends in ((i, j), (j, i))),
        )
        for i, j in np.argwhere(np.triu(made.confounded)).tolist()
    ])  # fmt: skip


def nats_of_noise(gain, graph, i, j):
    """Nats that j gains by the noise of i, beside its parents."""
    cause, effect = item_of(graph, i), item_of(graph, j)
    gain([cause, effect])
    noise = gain.noise(cause) if cause[1] else gain.scale.parents[:, i]
    shared = giving(beside_noises(gain, noise[:, None]), {j: (0,)})
    return float(shared([effect])[0] - gain([effect])[0])


def depends(X, gain, graph, i, j):
    """Say whether an arrow i -> j leaves noise of j that depends on that of i, all pairs corrected together.

    Parents of i are parents of j, too: what the two share makes j depend on them given i, by independence alone.
    """
    own, rest = item_of(graph, i), item_of(graph, j)[1]
    items = own, (j, tuple(sorted({i, *own[1], *rest} - {j})))
    gain(list(items))
    cause, effect = (waves(best_noise(X, gain, item)[:, None]) for item in items)
    return dependence(cause, effect).p_values[0, 0] < alarm_level(len(graph))


def best_noise(X, gain, item):
    """Noise of an item, refitted by its shape; the column itself without parents."""
    noise = own_noise(X, item, gain)
    return one_step(noise, gain.scale.parents[:, item[1]]) if item[1] else noise


def marked(seed, effort, **options):
    """Pairs marked, pairs marked rightly, pairs with a hidden cause, SHD, and SHD with no link taken out."""
    made = table(seed, **options)
    true = np.zeros_like(made.adjacency) if made.confounded is None else made.confounded
    result = dagscale.discover(made.table, effort=effort, n_jobs=1)
    marks = np.triu(result.confounded)
    with_links = result if not marks.any() else with_every_link(made.table, effort)
    counts = [marks.sum(), (marks & true).sum(), np.triu(true).sum()]
    return np.array([*counts, shd(result, made), shd(with_links, made)], dtype=float)


def with_every_link(columns, effort):
    """Search as if no link could be explained by a hidden cause."""
    with patch("dagscale.methods.auto.method.with_hidden_causes", lambda found: found):
        return dagscale.discover(columns, effort=effort, n_jobs=1)


def shd(result, made):
    """Structural Hamming distance to the true graph."""
    differs = result.adjacency != made.adjacency
    return int(np.triu(differs | differs.T).sum())


def over_seeds(count, cases, options):
    """Yield what was counted on all seeds of each case, options of `simulate`, as soon as it is there."""
    size = {"nodes": options.nodes, "edges": options.edges}
    jobs = (joblib.delayed(count)(seed, **size, **case) for case in cases for seed in options.seeds)
    runs = joblib.Parallel(n_jobs=options.n_jobs, return_as="generator")(jobs)
    for _ in cases:
        yield [next(runs) for _ in options.seeds]


def print_clean(options):
    """Print the false marks of every kind without hidden causes."""
    clean = [kind for kind in options.kinds or KINDS if "hidden" not in KINDS[kind]]
    searched = partial(marked, effort=options.effort)
    print("| kind | tables | false marks a table |\n|---|---|---|")
    runs = over_seeds(searched, [KINDS[kind] for kind in clean], options)
    marks = list[float]()
    for kind, counts in zip(clean, runs, strict=True):
        marks += [one[0] for one in counts]
        print(f"| {kind} | {len(counts)} | {np.mean(marks[-len(counts) :]):.2f} |", flush=True)
    print(f"| all | {len(marks)} | {np.mean(marks):.2f} |")


def print_mechanisms(options):
    """Print what can be told of every mechanism's hidden causes, or what is marked."""
    cases = list(product(options.mechanisms or MECHANISMS, (3, 6)))
    count = told if options.told else partial(marked, effort=options.effort)
    runs = over_seeds(count, [{"hidden": hidden, **MECHANISMS[name]} for name, hidden in cases], options)
    if options.told:
        columns = "hidden causes | worth an edge | told by independence | both | told by shapes"
    else:
        columns = "marked | right | hidden causes | SHD | with all links"
    print(f"| mechanism | hidden | tables | {columns} |")
    print("|---|---|---|---|---|---|---|---|")
    for (name, hidden), found in zip(cases, runs, strict=True):
        if options.told:
            apart, worth, shapes = np.concatenate(found).T
            counts = [
                str(n) for n in (len(apart), worth.sum(), apart.sum(), (apart & worth).sum(), shapes.sum())
            ]
        else:
            sums = np.sum(found, axis=0)
            counts = [f"{n:.0f}" for n in sums[:3]] + [f"{total / len(found):.1f}" for total in sums[3:]]
        print(f"| {name} | {hidden} | {len(found)} | {' | '.join(counts)} |", flush=True)


def main():
    """Print what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--told", action="store_true", help="the true graph is told")
    parser.add_argument("--clean", action="store_true", help="false marks without hidden causes")
    parser.add_argument(
        "--kinds", nargs="+", choices=KINDS, metavar="KIND", help="for --clean; all if not given"
    )
    parser.add_argument(
        "--mechanisms", nargs="+", choices=MECHANISMS, metavar="NAME", help="all if not given"
    )
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--edges", type=int, default=30)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--effort", default="full")
    options = parser.parse_args()
    (print_clean if options.clean else print_mechanisms)(options)


if __name__ == "__main__":
    main()
