"""The size rule of the linter: functions of at most 45 code lines, files of at most 400 lines.

Usage: python tools/check_size.py src tests ...
"""

import ast
import sys
from pathlib import Path

MAX_FUNCTION = 45
MAX_FILE = 400


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function's body, its docstring left out."""
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def violations(path: Path) -> list[str]:
    """List what breaks the size rule in one file."""
    text = path.read_text(encoding="utf-8")
    found = []
    if (lines := text.count("\n")) > MAX_FILE:
        found.append(f"{path}: {lines} lines, at most {MAX_FILE}")
    functions = (
        n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    found += [
        f"{path}:{f.lineno} {f.name}: {code_lines(f)} code lines, at most {MAX_FUNCTION}"
        for f in functions
        if code_lines(f) > MAX_FUNCTION
    ]
    return found


def main(folders: list[str]) -> int:
    """Print every violation and return the exit code."""
    files = sorted(p for folder in folders for p in Path(folder).rglob("*.py"))
    found = [line for path in files for line in violations(path)]
    print("\n".join(found) or f"size rule: {len(files)} files hold it")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
