"""What the user knows beforehand, and the constraints that follow from it."""

from dagscale.inputs.knowledge.knowledge import Constraints, Knowledge

__all__ = ["Constraints", "Knowledge"]
