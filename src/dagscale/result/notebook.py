"""The report page inside a notebook, Jupyter's or VS Code's: a frame that holds the whole page."""

import html
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagscale.result import Result


@dataclass(frozen=True, repr=False)
class Page:
    """A result's report as a notebook displays it.

    Attributes
    ----------
    result : Result
    height : int
        Of the frame, in pixels.
    """

    result: "Result"
    height: int

    def __repr__(self) -> str:
        return "the report page: displayed in notebooks; elsewhere write it with result.report('report.html')"

    def _repr_html_(self) -> str:
        page = html.escape(self.text(), quote=True)
        style = f"width:100%;height:{int(self.height)}px;border:1px solid #8884"
        return f'<iframe srcdoc="{page}" style="{style}" title="dagscale report"></iframe>'

    def text(self) -> str:
        """Return the page's HTML."""
        from dagscale.result.report import write_page

        with TemporaryDirectory() as folder:
            return write_page(self.result, Path(folder) / "report.html").read_text(encoding="utf-8")
