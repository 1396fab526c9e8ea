"""Install the lowest declared versions of all dependencies, or the newest, into an environment of its own; test there.

python tools/floors.py --print                  # the lowest versions
python tools/floors.py                          # install them and run a short suite
python tools/floors.py --newest                 # the same with the newest versions
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
    "tests/graphs/test_read_files.py",
    "tests/inputs/table/test_checks.py",
    "tests/models/splines/test_basis.py",
    "tests/stages/ordering/test_leaf.py",
    "tests/result/test_storage.py",
    "tests/cli",
    "tests/test_estimators.py",
)


def declared() -> list[str]:
    """Return what the package needs, as its project file says."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return list(tomllib.load(file)["project"]["dependencies"])


def floors() -> list[str]:
    """Return the lowest declared version of every dependency, as pip takes it."""
    return [re.sub(r">=\s*", "==", requirement) for requirement in declared()]


def main() -> int:
    """Print the floors, or install them or the newest versions, and test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--print", action="store_true", help="print the versions and stop")
    parser.add_argument("--newest", action="store_true", help="the newest versions instead of the lowest")
    parser.add_argument(
        "--environment", type=Path, help="where to install; default .venv-floors or .venv-newest"
    )
    parser.add_argument("tests", nargs="*", default=SHORT_SUITE)
    given = parser.parse_args()
    if given.print:
        print(*floors(), sep="\n")
        return 0
    place = given.environment or ROOT / (".venv-newest" if given.newest else ".venv-floors")
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = ["--upgrade", *declared()] if given.newest else floors()
    subprocess.run([*pip, *wanted, *TEST_TOOLS], check=True)
    subprocess.run([*pip, "--no-deps", "-e", str(ROOT)], check=True)
    # warnings are no errors here: old versions complain of one another, new ones of what they will change
    options = ["-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    options += ["-o", "filterwarnings=default", "--disable-warnings"]
    return subprocess.run([str(python), "-m", "pytest", *options, *given.tests], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
