"""Proteins under reagents: the experiments of Sachs et al. (2005), from the table to the effect of one protein.

Five of the reagents act on a known protein each. The column `intervention` names it, row by row.
"""

import dagscale

data = dagscale.datasets.load("sachs-experiments")
print(data.table["intervention"].value_counts().to_string(), end="\n\n")

result = dagscale.discover(data.table, interventions=data.interventions, effort="quick")
print(*result.notes, sep="\n", end="\n\n")
print(
    result.edges[["source", "target", "strength", "probability", "direction"]].round(2).to_string(),
    end="\n\n",
)

print(result.why("PKC", "P38"), end="\n\n")
print(result.why("Mek", "Raf"), end="\n\n")
print(result.ask()[["question", "links"]].to_string(), end="\n\n")
print(result.effect("PKA", "Akt"), end="\n\n")
print("page:", result.report("sachs.html").name)
