"""What a run returns: the graph with its evidence, reasons, checks and the page that shows them."""

from dagscale.result.result import Result

__all__ = ["Result"]
