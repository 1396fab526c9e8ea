"""Which warnings to expect: a clean table, straight effects, a hidden common cause, a copied column.

Run it with `python examples/checks.py`.
"""

import numpy as np

import dagscale
from dagscale.result.diagnostics import diagnose

SHOWN = ("linearity", "hidden causes", "independence", "additivity", "noise", "duplicates")


def simulated(mechanism, hidden=0, seed=1000):
    """A table of ten columns and its true graph; the columns of most children are hidden."""
    made = dagscale.simulate(
        nodes=10 + hidden, samples=1000, mechanism=mechanism, standardize="iscm", random_state=seed
    )
    seen = np.sort(np.argsort(made.adjacency.sum(axis=1), kind="stable")[:10])
    return made.table.to_numpy()[:, seen], made.adjacency[np.ix_(seen, seen)]


def tables():
    """Yield (what is wrong, X, true graph)."""
    yield "nothing", *simulated("gp-additive")
    yield "parents interact", *simulated("gp")
    yield "straight effects", *simulated("linear")
    yield "two hidden causes", *simulated("gp-additive", hidden=2)
    X, graph = simulated("gp-additive")
    X[:, 9] = X[:, 8] + 0.01 * np.random.default_rng(1000).normal(size=len(X))
    yield "a copied column", X, graph


def main():
    print(" " * 20 + "".join(f"{name:>15s}" for name in SHOWN))
    for wrong, X, graph in tables():
        found = diagnose(X, list(range(10)), graph)
        print(f"{wrong:20s}" + "".join(f"{found[name].light:>15s}" for name in SHOWN))
    print("\nOf the last table, in words:")
    print(found)


if __name__ == "__main__":
    main()
