"""The command line under attack: kills at random moments, two runs at once, a full disk."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import dagscale
from stress.judge import Outcome, attempt

# A run that keeps its pieces at once, as a long one does after its first seconds, and says when it begins.
EAGER = """
import sys
from dagscale.runtime import checkpoint
checkpoint.FIRST = checkpoint.PAUSE = 0.0
checkpoint.SHARE = 1e9
import dagscale.methods.registry, dagscale.resampling, dagscale.result.report
from dagscale.cli import main
print("ready", flush=True)
main(sys.argv[1:])
"""
SIZES = (4, 16, 32, 64, 96, 128, 192)  # kB of the small disks
KILLED = (("das", []), ("cam", []), ("nogam", []), ("auto", []), ("varsort", ["--bootstrap", "6"]))


def _started(arguments: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", EAGER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _table(folder: Path, seed: int, nodes: int = 6, samples: int = 120) -> Path:
    path = folder / "table.csv"
    dagscale.simulate(nodes=nodes, samples=samples, random_state=seed).table.to_csv(path, index=False)
    return path


def _same(one: Path, other: Path) -> bool:
    a, b = dagscale.Result.load(one), dagscale.Result.load(other)
    return bool(a.order == b.order and (a.adjacency == b.adjacency).all() and a.edges.equals(b.edges))


def kills(count: int) -> Iterator[Outcome]:
    """Kill runs at random moments, go on, and compare with an undisturbed run."""
    rng = np.random.default_rng(0)
    for k in range(count):
        method, more = KILLED[k % len(KILLED)]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shares = rng.uniform(0, 1, 2)
            yield attempt("kills resumed", f"{method} {more}, {k}", _kill, folder, method, more, shares)


def _kill(folder: Path, method: str, more: list[str], shares: np.ndarray) -> list[str]:
    table = _table(folder, seed=7)
    command = ["discover", str(table), "--method", method, "--n-jobs", "1", "--quiet", *more, "--out"]
    whole = _started([*command, str(folder / "whole")])
    assert whole.stdout is not None
    whole.stdout.readline()
    began = time.monotonic()
    if whole.wait(600):
        return [f"the undisturbed run ended with {whole.returncode}"]
    seconds = time.monotonic() - began
    for share in shares:
        run = _started([*command, str(folder / "killed")])
        assert run.stdout is not None
        run.stdout.readline()
        time.sleep(share * seconds)
        run.send_signal(signal.SIGKILL)
        run.communicate()
        if (folder / "killed").exists():
            break
    last = _started([*command, str(folder / "killed")])
    line = last.communicate(timeout=600)[1]
    if last.returncode not in (0, 2) or (last.returncode == 2 and "--force" not in line):
        return [f"going on ended with {last.returncode}: {line[-100:]}"]
    left = [path.name for path in folder.iterdir() if path.name not in ("table.csv", "whole", "killed")]
    wrong = [f"left behind: {left}"] if left else []
    return wrong if _same(folder / "whole", folder / "killed") else [*wrong, "another result"]


def pairs(count: int) -> Iterator[Outcome]:
    """Start two different runs into one folder; one wins, the other says so."""
    rng = np.random.default_rng(1)
    for k in range(count):
        with tempfile.TemporaryDirectory() as name:
            folder, pause = Path(name), float(rng.choice([0.0, rng.uniform(0, 0.5), rng.uniform(0, 3)]))
            yield attempt("concurrent pairs", f"{k}, {pause:.2f} s apart", _pair, folder, pause)


def _pair(folder: Path, pause: float) -> list[str]:
    table = _table(folder, seed=3, nodes=4, samples=100)
    command = ["discover", str(table), "--quiet", "--n-jobs", "1", "--out", str(folder / "run"), "--method"]
    methods = ("das", "cam")
    runs = []
    for method in methods:
        runs.append(_started([*command, method]))
        time.sleep(pause)
    said = [run.communicate(timeout=600)[1] for run in runs]
    codes = [run.returncode for run in runs]
    if sorted(codes) != [0, 2]:
        return [f"exit codes {codes}: {said}"]
    winner, loser = methods[codes.index(0)], said[codes.index(2)]
    wrong = [] if dagscale.Result.load(folder / "run").method == winner else ["the loser's result is there"]
    if loser.count("\n") != 1 or not ("another run" in loser or "--force" in loser):
        wrong.append(f"the loser said {loser!r}")
    names = {path.name for path in folder.iterdir()} - {"table.csv", "run"}
    return [*wrong, *([f"left behind: {names}"] if names else [])]


@contextmanager
def _small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode:
        raise PermissionError(done.stderr.strip())
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def full_disk() -> Iterator[Outcome] | str:
    """Run on disks too small for the result, then go on after room was made; a reason where it cannot be."""
    if os.name != "posix" or os.geteuid() != 0:
        return "skipped: mounting a small tmpfs needs root"
    with tempfile.TemporaryDirectory() as name:
        try:
            with _small_disk(Path(name), 64):
                pass
        except (PermissionError, FileNotFoundError) as error:
            return f"skipped: no tmpfs can be mounted here ({str(error).splitlines()[0]})"
    return (attempt("full disk", f"{size} kB", _fill, size) for size in SIZES)


def _fill(kilobytes: int) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "disk"
        folder.mkdir()
        table = _table(Path(name), seed=5, nodes=5, samples=100)
        command = ["discover", str(table), "--method", "cam", "--quiet", "--n-jobs", "1", "--out"]
        with _small_disk(folder, kilobytes):
            run = _started([*command, str(folder / "run")])
            line = run.communicate(timeout=600)[1]
            if run.returncode == 0:
                return []
            if run.returncode != 2 or line.count("\n") != 1:
                return [f"ended with {run.returncode}: {line[-200:]}"]
            grow = ["mount", "-o", "remount,size=64M", str(folder)]
            subprocess.run(grow, check=True)
            again = _started([*command, str(folder / "run")])
            line = again.communicate(timeout=600)[1]
            return [] if again.returncode == 0 else [f"going on ended with {again.returncode}: {line[-200:]}"]
