"""A result to look at: the page and the figure, the methods `report` and `plot` of `Result`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from dagscale.result import Result


class Pictures:
    """Methods that draw the result."""

    def report(self, path: str | Path, title: str | None = None, compare: Any = None) -> Path:
        """Write one offline HTML page with the graph, the evidence and the reasons.

        Parameters
        ----------
        path : str or Path
            The file.
        title : str, optional
            Heading of the page; by default the name of the file the table came from.
        compare : optional
            A known graph or another result to lay over this one, anything `compare` takes.
        """
        from dagscale.result.report import write_page

        return write_page(_result(self), path, title=title, compare=compare)

    def plot(
        self,
        ax: Any = None,
        *,
        size: "str | tuple[float, float] | None" = None,
        legend: bool = True,
    ) -> Any:
        """Draw the graph with matplotlib (extra `plot`), causes above their effects; return the axes.

        A solid arrow is claimed, a plain line has an open direction, a dashed line with two heads is a hidden
        common cause. Width is strength, opacity is probability. Save it with `ax.figure.savefig("graph.pdf")`.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        size : {"one-column", "two-column"} or (width, height) in inches, optional
            Of a new figure: as wide as one or two columns of a paper; by default as large as the graph needs.
        legend : bool
            Explain the lines below the graph.
        """
        from dagscale.result.plot import draw

        return draw(_result(self), ax, size, legend)


def _result(pictures: Pictures) -> "Result":
    return cast("Result", pictures)
