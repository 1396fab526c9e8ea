"""From a table to a graph you can question: the proteins of Sachs et al. (2005)."""

import dagscale

sachs = dagscale.datasets.load("sachs")
result = dagscale.discover(sachs.table)

print("\n".join(result.notes))
print(result.edges.round(3).to_string(index=False))

# How far is it from the graph biologists agree on, and how far is a trivial answer?
print("auto   ", dagscale.metrics.shd(sachs.adjacency, result.adjacency), "wrong edges")
for method in ("empty", "random", "varsort", "varsort-desc", "r2sort"):
    baseline = dagscale.discover(sachs.table, method=method, standardize=False)
    print(f"{method:12s}", dagscale.metrics.shd(sachs.adjacency, baseline.adjacency), "wrong edges")

# Why is an edge there, or not?
print(result.why("PKC", "Raf"))

# What you know goes in first.
known = dagscale.Knowledge(required=[("Raf", "Mek")], forbidden=[("Erk", "PKA")])
print(dagscale.discover(sachs.table, knowledge=known))
