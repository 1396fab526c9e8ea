"""Refresh the code blocks of pages that show real code; with --check, only say whether they have drifted.

A block follows a line `<!-- include: PATH [PART] -->` and shows the whole file, one function of it, or of a text
the part whose first line begins with "PART. ".
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / name
    for name in ("CONTRIBUTING.md", "README.md", "docs/tutorial.md", "docs/howto-interventions.md")
]
BLOCK = re.compile(r"(<!-- include: (\S+)(?: (\S+))? -->\n```(?:python|text)\n)(.*?)(```)", re.DOTALL)


def source(path: str, function: str | None) -> str:
    """Return a file's text, or that of one function or numbered part in it."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if function is None:
        return text
    if path.endswith(".txt"):
        return part(text, int(function))
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return (ast.get_source_segment(text, node) or "") + "\n"
    raise SystemExit(f"{path} has no function {function}")


def part(text: str, number: int) -> str:
    """Return the lines from the one that begins with the number to the one with the next, or the end."""
    lines = text.splitlines()
    starts = {int(line.split(".")[0]): k for k, line in enumerate(lines) if re.match(r"\d+\. ", line)}
    end = starts.get(number + 1, len(lines))
    return "\n".join(lines[starts[number] : end]).strip() + "\n"


def refreshed(text: str) -> str:
    """Return a page with its blocks brought up to date."""
    return BLOCK.sub(lambda m: m[1] + source(m[2], m[3]) + m[5], text)


def main(check: bool) -> int:
    """Refresh or check all pages; return the exit code."""
    drifted = [
        page for page in PAGES if refreshed(page.read_text(encoding="utf-8")) != page.read_text("utf-8")
    ]
    for page in drifted:
        if check:
            print(f"{page.name} shows code that has changed: python tools/include_code.py")
        else:
            page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
    return 1 if check and drifted else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
