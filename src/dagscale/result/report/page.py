"""The page put together: template, style, scripts and data in one file that asks the network for nothing."""

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

SCRIPTS = (  # in this order
    "data", "chart", "bars", "graph", "table", "checks", "pairs", "effects", "detail", "questions", "overlay",
    "conditions", "export", "main",
)  # fmt: skip


def assemble(data: dict[str, Any]) -> bytes:
    """Return the page's bytes.

    The data travels as JSON in a script that the browser does not run, with every `<` escaped; the scripts
    put it on the page as text. A content security policy names the scripts by their hashes and forbids
    everything else, so that nothing in a column's name could run or call home.
    """
    engine = _text("vendor/cytoscape.min.js")
    program = (
        "(() => {\n'use strict';\n"
        + "\n".join(_text(f"template/js/{name}.js") for name in SCRIPTS)
        + "\n})();"
    )
    page = _text("template/page.html")
    parts = {
        "POLICY": _policy(engine, program),
        "STYLE": _text("template/page.css"),
        "ENGINE": engine,
        "PROGRAM": program,
        "DATA": embedded_json(data),
    }
    for name, content in parts.items():
        before, after = page.split("{{" + name + "}}")
        page = before + content + after
    return page.encode()


def embedded_json(data: Any) -> str:
    """Return JSON that is safe inside a script element: no `<` can close it, all is ASCII."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _policy(*scripts: str) -> str:
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:"


def _text(name: str) -> str:
    return files("dagscale.result.report").joinpath(name).read_text(encoding="utf-8")
