"""Run the demo and keep what it prints in docs/demo.txt, which pages show; with --check, say whether it has drifted.

Seconds depend on the machine and are left out. After a change, `python tools/include_code.py` refreshes the pages.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "docs" / "demo.txt"
SECONDS = re.compile(r"\d+\.\d s$", re.MULTILINE)


def printed() -> str:
    """Return what `dagscale discover --demo` prints, without blanks at the ends of lines."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "dagscale", "discover", "--demo", "--out", "demo-result"],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def comparable(text: str) -> str:
    """Return the text without seconds."""
    return SECONDS.sub("… s", text)


def main(check: bool) -> int:
    """Write the text, or compare it with what is kept; return the exit code."""
    text = printed()
    if not check:
        KEPT.write_text(comparable(text), encoding="utf-8")
        return 0
    if comparable(text) == comparable(KEPT.read_text(encoding="utf-8")):
        return 0
    print(
        "the demo prints something else than docs/demo.txt: python tools/demo_output.py, then tools/include_code.py"
    )
    print(text)
    return 1


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
