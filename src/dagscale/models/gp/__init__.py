"""The shared Gaussian-process engine: marginal likelihood of a node given parents, fast and cached."""

from dagscale.evidence.engine import Evidence, Fit
from dagscale.evidence.fitting import Plan

__all__ = ["Evidence", "Fit", "Plan"]
