"""Build the wheel and the sdist, check both, install the wheel into an empty environment, and use it from outside.

python tools/smoke.py --folder build/smoke          # builds; the environment that runs this needs build and twine
"""

import argparse
import os
import subprocess
import sys
import tarfile
import time
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 3_000_000  # bytes of the wheel
IMPORT = 2.0  # seconds of the processor that `import dagscale` may take
CONSUMER = """
import dagscale


def strongest(path: str) -> tuple[str, float]:
    result: dagscale.Result = dagscale.discover(path, method="das", n_jobs=1)
    row = result.edges.iloc[0]
    return str(row["source"]), float(row["strength"])


dagscale.discover("a.csv", n_jobs="two")
"""


def main() -> int:
    """Build, install, use."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "smoke")
    folder = parser.parse_args().folder.resolve()
    wheel = built(folder / "dist")
    python = installed(folder / "venv", wheel)
    used(python, folder)
    typed(python, folder)
    print(f"{wheel.name}: built, installed into an empty environment, used and type-checked from outside")
    return 0


def built(folder: Path) -> Path:
    """Build both distributions and check them; return the wheel."""
    for old in folder.glob("dagscale-*"):
        old.unlink()
    _run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    _run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    names = zipfile.ZipFile(wheel).namelist()
    _must("dagscale/py.typed" in names, "the wheel has no py.typed")
    strangers = [name for name in names if not name.startswith(("dagscale/", "dagscale-"))]
    _must(not strangers, f"the wheel holds {strangers}")
    _must(wheel.stat().st_size < LARGEST, f"the wheel has {wheel.stat().st_size} bytes")
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    _must({"LICENSE", "README.md", "CHANGELOG.md", "tests/conftest.py"} <= inside, "the sdist lacks files")
    return wheel


def installed(folder: Path, wheel: Path) -> Path:
    """Install the wheel, and nothing of the source, into a new environment; return its Python."""
    venv.create(folder, with_pip=True, clear=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    return python


def used(python: Path, folder: Path) -> None:
    """Run the demo, import without torch, and see how long the import takes."""
    for module in ("torch", "matplotlib", "distributed"):
        absent = subprocess.run([str(python), "-c", f"import {module}"], capture_output=True).returncode
        _must(absent != 0, f"{module} is installed: it should be optional")
    _run(python, "-m", "dagscale", "discover", "--demo", "--out", folder / "demo", "--force")
    _must((folder / "demo" / "report.html").is_file(), "the demo wrote no report")
    began = time.monotonic()
    spent = "import time; import dagscale; print(time.process_time())"
    seconds = float(_run(python, "-c", spent).split()[-1])
    wall = time.monotonic() - began
    _must(seconds < IMPORT, f"importing takes {seconds:.1f} s")
    print(f"import: {seconds:.2f} s of the processor, {wall:.2f} s of the clock")


def typed(python: Path, folder: Path) -> None:
    """Have mypy check a script of a user: right calls pass, a wrong one is found."""
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "mypy", "pandas-stubs")
    script = folder / "consumer.py"
    script.write_text(CONSUMER, encoding="utf-8")
    command = [str(python), "-m", "mypy", "--strict", "--cache-dir", str(folder / "mypy"), str(script)]
    said = subprocess.run(command, capture_output=True, text=True, cwd=folder).stdout
    wrong = len(CONSUMER.rstrip().splitlines())
    errors = [line for line in said.splitlines() if ": error:" in line]
    _must(len(errors) == 1 and f"consumer.py:{wrong}:" in errors[0], f"mypy from outside says: {said}")


def _run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=ROOT.parent)
    _must(done.returncode == 0, f"{command[1:4]} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def _must(held: bool, otherwise: str) -> None:
    if not held:
        raise SystemExit(otherwise)


if __name__ == "__main__":
    sys.exit(main())
