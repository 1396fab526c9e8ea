"""From a table to a graph you can question, and to an effect: the proteins of Sachs et al. (2005)."""

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

import dagscale

# 1. A table, and the graph behind it. CAM takes a second; without method= it is `auto`, which takes longer.
sachs = dagscale.datasets.load("sachs")
result = dagscale.discover(sachs.table, method="cam")
print(result.edges.round(3).to_string(index=False))

# 2. How far is it from the graph biologists agree on, and how far is a trivial answer?
print(f"{'cam':12s}", dagscale.metrics.shd(sachs.adjacency, result.adjacency), "wrong edges")
for method in ("empty", "random", "varsort", "varsort-desc", "r2sort"):
    baseline = dagscale.discover(sachs.table, method=method, standardize=False)
    print(f"{method:12s}", dagscale.metrics.shd(sachs.adjacency, baseline.adjacency), "wrong edges")

# 3. Do the assumptions hold, and would the edges come back in another sample?
print(result.diagnostics)
result = result.with_confidence(replicates=20)
print(result.edges[["source", "target", "confidence", "reverse"]].to_string(index=False))

# 4. Why is an edge there, or not?
print(result.why("PKC", "Raf"))

# 5. What you know goes in, and says what it costs.
known = dagscale.Knowledge(required=[("Raf", "Mek")], forbidden=[("Jnk", "PKC")])
informed = result.with_knowledge(known)
for piece in informed.costs:
    print(piece["sentence"])

# 6. An effect: what would P38 be if PKC were set to a value? The parents of the cause are what to adjust for.
cause, outcome = "PKC", "P38"
adjust_for = list(informed.graph.predecessors(cause))
logs = np.log(sachs.table)
model = make_pipeline(SplineTransformer(6), RidgeCV(np.logspace(-3, 3, 13)))
model.fit(logs[[cause, *adjust_for]], logs[outcome])
low, high = (
    model.predict(logs[[cause, *adjust_for]].assign(**{cause: level})).mean()
    for level in logs[cause].quantile([0.25, 0.75])
)
print(
    f"Moving {cause} from its lower to its upper quartile multiplies {outcome} by {np.exp(high - low):.2f},"
)
print(f"adjusted for {', '.join(adjust_for) or 'nothing'}, if the graph is right.")

# 7. One page for a colleague; no network needed.
result.report("sachs.html")
