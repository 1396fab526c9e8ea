"""The output folder of a run: complete or not there at all, and one run's alone."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.lock import locked_folder

# Everything a command writes; whatever else lies in a folder is the user's.
WRITTEN = {
    "result.json",
    "result.npz",
    "edges.csv",
    "graph.dot",
    "report.html",
    "data.csv",
    "truth.csv",
    "truth.json",
    "knowledge.yaml",
}
UNFINISHED = {f"{name}.partial" for name in WRITTEN}  # a file that a kill or a full disk cut off
CHECKPOINTS = {"checkpoint.bin", "bootstrap.bin"}  # as in runtime.checkpoint, which is slow to import
MARKS = ("result.json", "truth.json", "knowledge.yaml")  # a folder with one of these was written by us


@contextmanager
def output_folder(out: Path, force: bool) -> Iterator[Path]:
    """Give a folder to write into, `<out>.partial`; rename it to `out` at the end, remove it on any error.

    Made, and locked, before the work starts: a place that cannot be written, or that another run is writing
    to, is found out at once. A checkpoint in it stays after an error, for the next run to go on from, and
    goes when the folder is complete.
    """
    out = Path(os.path.normpath(out))
    if not out.name or out.name == "..":
        raise InputError(f"--out {shown(str(out))} names no folder of its own; choose another --out")
    try:
        _refuse_existing(out, force)
        partial = partial_folder(out)
        if partial.exists() and not partial.is_dir():
            raise _in_the_way(partial)
        with locked_folder(partial):
            _refuse_existing(out, force)  # another run may have finished just now
            _remove_leftover(partial)
            (partial / "result.json").touch()
            (partial / "result.json").unlink()
            try:
                yield partial
                _refuse_existing(out, force)
                for name in CHECKPOINTS:
                    (partial / name).unlink(missing_ok=True)
                _put_in_place(partial, out)
            except BaseException:
                _clear(partial)
                raise
    except OSError as error:
        raise InputError(
            f"cannot write to {shown(str(out))}: {error.strerror}; choose another --out"
        ) from None


def partial_folder(out: Path) -> Path:
    """Return the folder a run writes into until it is complete."""
    out = Path(os.path.normpath(out))
    return out.with_name(out.name + ".partial")


def _refuse_existing(out: Path, force: bool) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError(f"--out {shown(str(out))} is a file; name a folder")
    if not any(out.iterdir()):
        return
    if not any((out / mark).exists() for mark in MARKS):
        raise InputError(f"{shown(str(out))} exists and holds something else; choose another --out")
    if not force:
        raise InputError(f"{shown(str(out))} exists; add --force to replace it, or choose another --out")


def _in_the_way(partial: Path) -> InputError:
    return InputError(f"{shown(str(partial))} is in the way and not ours; remove it or choose another --out")


def _remove_leftover(partial: Path) -> None:
    """Clear away what an interrupted run left, but for its checkpoint; refuse to touch anything else."""
    if not {entry.name for entry in partial.iterdir()} <= WRITTEN | UNFINISHED | CHECKPOINTS:
        raise _in_the_way(partial)
    _clear(partial)


def _clear(partial: Path) -> None:
    """Remove what was written; the folder goes with its lock, unless it holds a checkpoint."""
    for name in WRITTEN | UNFINISHED:
        with suppress(OSError):
            (partial / name).unlink(missing_ok=True)


def _put_in_place(partial: Path, out: Path) -> None:
    if not out.exists():
        partial.rename(out)
        return
    old = out.with_name(f"{out.name}.old-{os.getpid()}")
    out.rename(old)
    partial.rename(out)
    for entry in old.iterdir():
        if entry.name not in WRITTEN:  # the user's own files stay
            entry.rename(out / entry.name)
    shutil.rmtree(old)
