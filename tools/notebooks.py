"""Build and execute the notebooks of examples/notebooks from their scripts; with --check, say whether they drifted.

A script has cells that begin with `# %%`, or `# %% [markdown]` for text. Executing needs nbclient and ipykernel:
pip install -e ".[docs]". A large output, such as the page of `result.show()`, is replaced by a line.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "notebooks"
LARGEST = 60_000  # characters of an output that is kept
HEAD = re.compile(r"^# %%(.*)\n", re.MULTILINE)


def cells(script: str) -> list[tuple[str, str]]:
    """Return (kind, text) of every cell of a script."""
    _, *parts = HEAD.split(script)
    found = []
    for mark, body in zip(parts[::2], parts[1::2], strict=True):
        text = body.strip()
        if "markdown" in mark:
            found.append(("markdown", re.sub(r"^# ?", "", text, flags=re.MULTILINE)))
        else:
            found.append(("code", text))
    return found


def notebook(script: str) -> dict[str, Any]:
    """Return the notebook of a script, not executed."""
    made: list[dict[str, Any]] = []
    for k, (kind, text) in enumerate(cells(script)):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{k}", "metadata": {}, "source": text}
        made.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def executed(script: str) -> dict[str, Any]:
    """Return the notebook with what its cells print, an error where one fails."""
    import nbformat
    from nbclient import NotebookClient

    made = nbformat.from_dict(notebook(script))
    NotebookClient(made, timeout=600, kernel_name="python3", record_timing=False).execute()
    for cell in made.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            for kind in [kind for kind, value in data.items() if len(str(value)) > LARGEST]:
                data[kind] = (
                    "<i>run the cell to see it</i>" if kind == "text/html" else "run the cell to see it"
                )
    return json.loads(json.dumps(made))  # type: ignore[no-any-return]


def drifted() -> list[str]:
    """List the notebooks whose cells are not those of their scripts, or that were never executed."""
    found = []
    for path in sorted(FOLDER.glob("*.py")):
        kept = path.with_suffix(".ipynb")
        stored = json.loads(kept.read_text(encoding="utf-8"))["cells"] if kept.exists() else []
        pairs = [(cell["cell_type"], "".join(cell["source"])) for cell in stored]
        run = all(cell["execution_count"] for cell in stored if cell["cell_type"] == "code")
        if pairs != cells(path.read_text(encoding="utf-8")) or not run:
            found.append(path.stem)
    return found


def main(check: bool) -> int:
    """Build all notebooks, or check them; return the exit code."""
    if check:
        for name in (stale := drifted()):
            print(f"examples/notebooks/{name}.ipynb is not what its script says: python tools/notebooks.py")
        return 1 if stale else 0
    for path in sorted(FOLDER.glob("*.py")):
        text = json.dumps(executed(path.read_text(encoding="utf-8")), indent=1, ensure_ascii=False)
        path.with_suffix(".ipynb").write_text(text + "\n", encoding="utf-8")
        print(path.with_suffix(".ipynb").name)
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
