"""Proteins under reagents: the experiments of Sachs et al. (2005), from the table to the effect of one protein.

Five of the reagents act on a known protein each; the column `intervention` names it, row by row.

    python examples/sachs_experiments.py
"""

import dagscale

data = dagscale.datasets.load("sachs-experiments")
result = dagscale.discover(data.table, interventions="intervention", effort="quick")

print("1.", result, end="\n\n")
print(
    "2.",
    *[note for note in result.notes if "condition" in note or "experiment" in note],
    sep="\n   ",
    end="\n\n",
)
print("3.", result.why("Mek", "Raf"), end="\n\n")
print("4.", result.ask()[["question", "links"]].to_string(index=False), end="\n\n")
print("5.", result.effect("PKA", "Akt"))
