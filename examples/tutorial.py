"""From a table to a graph you can question, and to an effect: the proteins of Sachs et al. (2005)."""

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

# 6. An effect: what would P38 be if PKC were set to a value? The graph says what to hold fixed.
print(informed.effect("PKC", "P38"))

# 7. One page for a colleague; no network needed.
result.report("sachs.html")
