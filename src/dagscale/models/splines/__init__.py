"""The shared additive engine: splines, cross products, penalised fits and p-values.

`SplineTable.of(X)` builds every column's splines once; `AdditiveFit.of(table, child, parents)` fits one node.
"""

from dagscale.models.splines.fit import AdditiveFit, PartialEffect
from dagscale.models.splines.table import SplineTable, basis_rank

__all__ = ["AdditiveFit", "PartialEffect", "SplineTable", "basis_rank"]
