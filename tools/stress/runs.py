"""The command line under attack: kills at random moments, two runs at once, a full disk."""

import functools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import dagscale
from stress.command_line import Run
from stress.judge import Outcome, attempt

SIZES = (4, 16, 32, 64, 96, 128, 192)  # kB of the small disks
QUICK = ("--effort", "quick")
# Method, options and columns: the longer a run, the more moments there are to kill it at.
KILLED: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("das", (), 12),
    ("cam", (), 6),
    ("nogam", (), 6),
    ("auto", QUICK, 6),
    ("auto", (), 4),
    ("varsort", ("--bootstrap", "6"), 6),
)
PAIRED = (("das", ()), ("cam", ()), ("auto", QUICK), ("varsort", ()))
COMMON = ("--n-jobs", "1", "--quiet", "--out")


def _table(folder: Path, seed: int, nodes: int = 6, samples: int = 120) -> Path:
    path = folder / "table.csv"
    dagscale.simulate(nodes=nodes, samples=samples, random_state=seed, n_jobs=1).table.to_csv(
        path, index=False
    )
    return path


def _same(one: Path, other: Path) -> bool:
    a, b = dagscale.Result.load(one), dagscale.Result.load(other)
    return bool(a.order == b.order and (a.adjacency == b.adjacency).all() and a.edges.equals(b.edges))


def kills(k: int) -> list[Outcome]:
    """Kill a run twice at random moments, go on, and compare with an undisturbed run."""
    method, more, _ = KILLED[k % len(KILLED)]
    shares = np.random.default_rng(k).uniform(0, 1, 2)
    label = f"{k}: {' '.join((method, *more))}, at {shares[0]:.0%} and {shares[1]:.0%} of the time"
    return [attempt("kills resumed", label, _kill, k % len(KILLED), shares)]


@functools.cache
def _undisturbed(which: int) -> tuple[tempfile.TemporaryDirectory[str], tuple[object, ...], float]:
    """Run to the end: the folder with table and result, the command without its `--out`, and the seconds."""
    method, more, nodes = KILLED[which]
    kept = tempfile.TemporaryDirectory()
    table = _table(Path(kept.name), seed=7, nodes=nodes)
    command = ("discover", table, "--method", method, *more, *COMMON)
    run = Run(*command, Path(kept.name) / "whole")
    code, said = run.ended()
    if code:
        raise RuntimeError(f"the undisturbed run ended with {code}: {said[-100:]}")
    return kept, command, time.monotonic() - run.began


def _kill(which: int, shares: np.ndarray) -> list[str]:
    kept, command, seconds = _undisturbed(which)
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "killed"
        for share in shares:
            if not _killed(command, out, share * seconds):
                return ["the run could not be killed before its end"]
        code, said = Run(*command, out).ended()
        if code:
            return [f"going on ended with {code}: {said[-100:]}"]
        left = {path.name for path in out.parent.iterdir()} - {"killed"}
        wrong = [f"left behind: {left}"] if left else []
        return wrong if _same(Path(kept.name) / "whole", out) else [*wrong, "another result"]


def _killed(command: tuple[object, ...], out: Path, seconds: float) -> bool:
    """Kill a run after so many seconds, or after fewer if it ends before; False where it always does."""
    for part in (1.0, 0.5, 0.25, 0.0):
        run = Run(*command, out)
        time.sleep(part * seconds)
        if run.kill():
            return True
        shutil.rmtree(out, ignore_errors=True)
    return False


def pairs(k: int) -> list[Outcome]:
    """Start two different runs into one folder; one wins, the other says so."""
    rng = np.random.default_rng([1, k])
    pause = float(rng.choice([0.0, rng.uniform(0, 0.2), rng.uniform(0, 2)]))
    first, second = rng.choice(len(PAIRED), 2, replace=False)
    label = f"{k}: {PAIRED[first][0]} and {PAIRED[second][0]}, {pause:.2f} s apart"
    return [attempt("concurrent pairs", label, _pair, (PAIRED[first], PAIRED[second]), pause)]


def _pair(both: tuple[tuple[str, tuple[str, ...]], ...], pause: float) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, runs = _table(folder, seed=3, nodes=4, samples=100), []
        for method, more in both:
            runs.append(Run("discover", table, "--method", method, *more, *COMMON, folder / "run"))
            time.sleep(pause)
        ends = [run.ended() for run in runs]
        codes = [code for code, _ in ends]
        if sorted(codes) != [0, 2]:
            return [f"exit codes {codes}: {[said for _, said in ends]}"]
        winner, loser = both[codes.index(0)][0], ends[codes.index(2)][1]
        wrong = (
            [] if dagscale.Result.load(folder / "run").method == winner else ["the loser's result is there"]
        )
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


def why_no_disk() -> str:
    """Say why no small disk can be mounted here; empty where one can."""
    if os.name != "posix" or os.geteuid() != 0:
        return "mounting a small tmpfs needs root"
    with tempfile.TemporaryDirectory() as name:
        try:
            with _small_disk(Path(name), 64):
                return ""
        except (PermissionError, FileNotFoundError) as error:
            return f"no tmpfs can be mounted here ({str(error).splitlines()[0]})"


def full_disk(k: int) -> list[Outcome]:
    """Run on a disk that is too small for the result, then go on after room was made."""
    return [attempt("full disk", f"{SIZES[k]} kB", _fill, SIZES[k])]


def _fill(kilobytes: int) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "disk"
        folder.mkdir()
        table = _table(Path(name), seed=5, nodes=5, samples=100)
        command = ("discover", table, "--method", "cam", *COMMON, folder / "run")
        with _small_disk(folder, kilobytes):
            code, said = Run(*command).ended()
            if code == 0:
                return []
            if code != 2 or said.count("\n") != 1:
                return [f"ended with {code}: {said[-200:]}"]
            subprocess.run(["mount", "-o", "remount,size=64M", str(folder)], check=True)
            code, said = Run(*command).ended()
            return [] if code == 0 else [f"going on ended with {code}: {said[-200:]}"]
