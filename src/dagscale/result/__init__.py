"""What a run returns: the graph with its evidence, reasons, checks and the page that shows them."""

from pathlib import Path

from dagscale.result.result import Result

__all__ = ["Result", "load"]


def load(path: str | Path) -> Result:
    """Read a result that `Result.save` or `dagscale discover --out` wrote.

    Parameters
    ----------
    path : str or Path
        The folder.
    """
    return Result.load(path)
