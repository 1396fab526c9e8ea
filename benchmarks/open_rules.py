"""What each rule that leaves a direction open is worth: how many of the directions it opens would have been right.

    python benchmarks/open_rules.py --seeds 1000 1001 1002

Two families of small tables, effort quick: every kind of the suite `violations`, standardised, and tables made to look
like measured ones: of some kinds, with columns left out that have many children, measurement error, exponential or
saturating scales, and rounding. There a direction is right if the cause is an ancestor of the effect in the whole
graph, and a link of two columns of which neither is an ancestor of the other is false.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import joblib
import numpy as np

import dagscale
from dagscale.benchmark.suites.violations import KINDS
from dagscale.graphs.dag import descendants

SIZES = ((8, 2, 500), (10, 1, 300), (6, 2, 1000))  # columns, edges a node, rows; by the seed
MESSY = {
    "GP": {},
    "location-scale noise": {"noise": "location-scale"},
    "multiplicative noise": {"noise": "multiplicative"},
    "LiNGAM": {"linear": 1.0, "noise": "exponential"},
    "half linear, gamma noise": {"linear": 0.5, "noise": "gamma"},
    "post-nonlinear, cube": {"post_nonlinear": "cube"},
    "linear Gaussian": {"linear": 1.0},
    "sigmoids": {"mechanism": "sigmoid-additive"},
    "neural networks": {"mechanism": "mlp"},
}
CLAIMED = "(claimed)"


def clean(kind, seed):
    """Draw a table of the suite `violations`; return it and which directions are right (d, d)."""
    d, k, n = SIZES[seed % len(SIZES)]
    options = dict(KINDS[kind])
    if "hidden" in options:
        options["hidden"] = max(1, round(options["hidden"] * d / 20))
    made = dagscale.simulate(
        nodes=d, edges_per_node=k, samples=n, standardize=True, random_state=seed, **options
    )
    return made.table, made.adjacency


def messy(kind, seed):
    """Draw a table that looks like a measured one; return it and which directions are right (d, d)."""
    d, k, n = SIZES[seed % len(SIZES)]
    rng, hidden = np.random.default_rng([seed, 7]), d // 2 - 1
    made = dagscale.simulate(
        nodes=d + hidden,
        edges_per_node=k,
        samples=n,
        standardize=kind != "multiplicative noise",
        random_state=seed,
        **MESSY[kind],
    )
    many = np.argsort(-(made.adjacency.sum(axis=1) + rng.random(d + hidden)))[: 2 * hidden]
    kept = np.sort(np.setdiff1d(np.arange(d + hidden), rng.permutation(many)[:hidden]))
    table = made.table.iloc[:, kept].apply(lambda x: as_measured(x.to_numpy(dtype=float), rng))
    return table, descendants(made.adjacency)[np.ix_(kept, kept)]


def as_measured(x, rng):
    """Add measurement error to half of the columns, bend a third, round half; positive ones stay positive."""
    deviation = x.std()
    if rng.random() < 0.5 and x.min() <= 0:
        x = x + np.sqrt(rng.choice([0.02, 0.1, 0.3])) * deviation * rng.normal(size=len(x))
    bend = rng.random()
    if bend < 0.25:
        x = np.exp(0.7 * np.clip(x / deviation, -4.0, 4.0))
    elif bend < 0.35:
        x = np.tanh(x / deviation)
    if rng.random() < 0.5:
        low, high = np.quantile(x, [0.02, 0.98])
        x = np.round((x - low) / max(high - low, 1e-12) * rng.choice([8, 15, 30, 100]))
    return x


def judged(made, kind, seed):
    """Return (reason, right, false) of every link found in one table."""
    table, right = made(kind, seed)
    result = dagscale.discover(table, effort="quick", n_jobs=1)
    told = result.edges[["source", "target", "open_because"]].itertuples(index=False)
    reasons = {(a, b): reason or CLAIMED for a, b, reason in told}
    found = []
    for i, j in np.argwhere(result.adjacency).tolist():
        reason = str(reasons[result.names[i], result.names[j]])
        found.append((reason, bool(right[i, j]), not (right[i, j] or right[j, i])))
    return found


def main():
    """Print a table for either family."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, nargs="*", default=[1000, 1001, 1002])
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    for name, made, kinds in (("violations", clean, KINDS), ("as measured", messy, MESSY)):
        found = joblib.Parallel(options.n_jobs)(
            joblib.delayed(judged)(made, kind, seed) for kind in kinds for seed in options.seeds
        )
        links = [link for links in found for link in links]
        print(
            f"\n{name}: {len(found)} tables\n\n| rule | links | direction right | false links |\n|---|---|---|---|"
        )
        for reason in sorted({link[0] for link in links}):
            right, false = np.array([link[1:] for link in links if link[0] == reason]).T
            told = f"{right[~false].mean():.2f}" if not false.all() else ""
            print(f"| {reason} | {len(right)} | {told} | {false.sum()} |", flush=True)


if __name__ == "__main__":
    main()
