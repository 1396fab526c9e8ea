"""Real and semi-real tables with their graphs."""

from dagscale.data.datasets.dataset import Dataset
from dagscale.data.datasets.registry import catalogue, load

__all__ = ["Dataset", "catalogue", "load"]
