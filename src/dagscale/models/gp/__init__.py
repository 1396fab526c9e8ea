"""The shared Gaussian-process engine: marginal likelihood of a node given parents, fast and cached."""

from dagscale.models.gp.evidence import Evidence, Fit

__all__ = ["Evidence", "Fit"]
