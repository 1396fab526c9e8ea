"""dagscale: the causal graph behind a table of observations."""

__version__ = "0.1.0"
