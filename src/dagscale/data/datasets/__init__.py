"""Real and semi-real tables with their graphs."""

from dagscale.datasets.dataset import Dataset
from dagscale.datasets.registry import catalogue, load

__all__ = ["Dataset", "catalogue", "load"]
