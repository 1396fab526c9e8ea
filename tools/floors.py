"""Install the lowest declared version of every dependency into an environment of its own, and test there.

python tools/floors.py --print                  # the versions
python tools/floors.py --environment FOLDER     # install them there and run a short suite
"""

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEST_TOOLS = ("pytest>=8.2", "pytest-timeout>=2.3", "hypothesis>=6.100")
# What a version of a dependency can break: arrays, linear algebra, frames, files, workers, the command line.
SHORT_SUITE = (
    "tests/runtime/test_arrays.py",
    "tests/runtime/test_parallel.py",
    "tests/runtime/test_ship_closures.py",
    "tests/graphs/test_export.py",
    "tests/graphs/test_files.py",
    "tests/inputs/table/test_checks.py",
    "tests/models/splines/test_basis.py",
    "tests/stages/ordering/test_leaf.py",
    "tests/result/test_storage.py",
    "tests/cli",
    "tests/test_estimators.py",
)


def floors() -> list[str]:
    """Return the lowest declared version of every dependency, as pip takes it."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        declared = tomllib.load(file)["project"]["dependencies"]
    return [re.sub(r">=\s*", "==", requirement) for requirement in declared]


def main() -> int:
    """Print the floors, or install them and test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--print", action="store_true", help="print the versions and stop")
    parser.add_argument("--environment", type=Path, default=ROOT / ".venv-floors")
    parser.add_argument("tests", nargs="*", default=SHORT_SUITE)
    given = parser.parse_args()
    if given.print:
        print(*floors(), sep="\n")
        return 0
    python = given.environment / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(given.environment)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *floors(), *TEST_TOOLS], check=True)
    subprocess.run([*pip, "--no-deps", "-e", str(ROOT)], check=True)
    # warnings are no errors here: old versions complain of one another
    options = ["-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    options += ["-o", "filterwarnings=default", "--disable-warnings"]
    return subprocess.run([str(python), "-m", "pytest", *options, *given.tests], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
