"""A hook of mkdocs: code blocks of the language `math` (LaTeX) become MathML, which browsers draw themselves.

So the formulas need no script and no network, and the same blocks are drawn by code hosts that know `math`.
"""

import re
from typing import Any

from latex2mathml.converter import convert

BLOCK = re.compile(r"^```math\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def formula(match: re.Match[str]) -> str:
    """Return one block as a piece of HTML without blank lines."""
    return f'<div class="formula">{convert(match[1].strip(), display="block")}</div>'


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the blocks of one page."""
    return BLOCK.sub(formula, markdown)
