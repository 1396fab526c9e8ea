"""How sure is an edge? Bootstrap shares, stability selection with its bound, and the page that shows both.

Run it with `python examples/confidence.py`.
"""

import numpy as np

import dagscale

simulation = dagscale.simulate(
    nodes=10, samples=300, mechanism="gp-additive", standardize=True, random_state=1000
)
table, names = simulation.table, simulation.names
true = {(names[i], names[j]) for i, j in np.argwhere(simulation.adjacency)}

# The result's own method again, on rows drawn with replacement: which edges come back, and which turn around?
result = dagscale.discover(table, method="cam").with_confidence(replicates=20)
print(result.edges[["source", "target", "strength", "confidence", "reverse"]].round(2).to_string(index=False))
print(result.notes[-1])

# Disjoint halves carry a bound: how many of the edges kept are expected to be there by chance?
halves = dagscale.bootstrap(table, method="cam", replicates=20, pairs=True)
chosen = halves.stability_selection(threshold=0.8)
print(chosen)
right = true.intersection(zip(chosen.edges["source"], chosen.edges["target"], strict=True))
print(f"{len(right)} of them are true")

# Orders are less certain than edges: in what share of the runs does the first column come before the others?
print(dict(zip(halves.names, halves.precedence[0].round(2).tolist(), strict=True)))

result.report("confidence.html")
