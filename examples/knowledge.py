"""Knowledge after the fact: what you know, what it changes, and what it costs in evidence.

Run it with `python examples/knowledge.py`.
"""

import dagscale

sachs = dagscale.datasets.load("sachs")
result = dagscale.discover(sachs.table, method="cam")
print(result)

# Biologists know that Raf drives Mek, that PKC drives Jnk and P38, and that nothing measured here drives PKC.
known = dagscale.Knowledge(required=[("Raf", "Mek"), ("PKC", "Jnk"), ("PKC", "P38")], roots=["PKC"])
informed = result.with_knowledge(known)
for piece in informed.costs:
    print(piece["sentence"])
print(informed.notes[-1])
print(informed.why("PKC", "Jnk"))

# The same in a file, for the command line: dagscale discover cells.csv --knowledge known.yaml
known.save("known.yaml")
assert dagscale.Knowledge.load("known.yaml") == known
for name, found in (("before", result), ("after", informed)):
    print(name, dagscale.metrics.shd(sachs.adjacency, found.adjacency), "wrong edges")
