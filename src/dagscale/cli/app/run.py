"""One table and the run on it that the page watches: what was asked, how far it is, the report."""

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dagscale.runtime.errors import DagscaleError, InputError, shown

TAKEN = ("columns", "kinds", "tiers", "method", "effort")  # what a request may hold
SAID = ("left out", "missing")  # beginnings of notes that the page shows before a run
READY, RUNNING, DONE, FAILED, STOPPED = "ready", "running", "done", "failed", "stopped"


class _Stopped(Exception):
    """The person pressed Stop."""


@dataclass
class Run:
    """The table's columns, and the state of the run.

    Attributes
    ----------
    file : Path
    columns : list of dict
        `name` and recognised `kind` of every column.
    rows : int
    notes : list of str
        Which columns were left out, and what was filled in.
    status : {"ready", "running", "done", "failed", "stopped"}
    progress : dict
        `label`, `done`, `total` of the stage at work.
    message : str
        One line: what was found, or what is wrong.
    report : bytes
        The page of the last result.
    """

    file: Path
    columns: list[dict[str, str]]
    rows: int
    notes: list[str] = field(default_factory=list)
    status: str = READY
    progress: dict[str, Any] = field(default_factory=dict)
    message: str = ""
    report: bytes = b""
    _started: float = 0.0
    _wanted: bool = True
    _thread: threading.Thread | None = None

    @classmethod
    def of(cls, file: Path) -> "Run":
        """Read the table's columns; a table that cannot be read is refused here."""
        from dagscale.inputs.kinds import CONTINUOUS
        from dagscale.inputs.table import read_table

        table = read_table(file, missing="impute")
        kinds = table.kinds or (CONTINUOUS,) * len(table.names)
        columns = [{"name": str(name), "kind": kind} for name, kind in zip(table.names, kinds, strict=True)]
        notes = [note for note in table.notes if note.startswith(SAID)]
        return cls(file, columns, len(table.X), notes)

    def state(self) -> dict[str, Any]:
        """Return what the page shows."""
        return {
            "file": self.file.name,
            "rows": self.rows,
            "columns": self.columns,
            "notes": self.notes,
            "status": self.status,
            "progress": self.progress,
            "message": self.message,
            "seconds": round(time.monotonic() - self._started, 1) if self.status == RUNNING else None,
        }

    def start(self, asked: dict[str, Any]) -> None:
        """Begin a run; refuse a second one, and requests that make no sense."""
        if self.status == RUNNING:
            raise InputError("a run is in progress: stop it, or wait")
        options = _options(asked)
        self.status, self.message, self.progress, self._wanted = RUNNING, "", {}, True
        self._started = time.monotonic()
        self._thread = threading.Thread(target=self._work, args=(options,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask the run to end at its next report of progress."""
        self._wanted = False

    def wait(self, seconds: float) -> None:
        """Wait until the run has ended."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _work(self, options: dict[str, Any]) -> None:
        from dagscale.flow import discover
        from dagscale.result.certainty import headline
        from dagscale.result.report import write_page

        try:
            result = discover(self.file, progress=self._told, missing="impute", **options)
            with TemporaryDirectory() as folder:
                self.report = write_page(result, Path(folder) / "report.html", self._writing).read_bytes()
            self.message, self.status = headline(result), DONE
        except _Stopped:
            self.status = STOPPED
        except DagscaleError as error:
            self.message, self.status = str(error), FAILED
        except Exception as error:  # the page must hear of a fault of ours too
            self.message, self.status = f"{type(error).__name__}: {error}", FAILED

    def _told(self, label: str, done: int, total: int) -> None:
        if not self._wanted:
            raise _Stopped
        self.progress = {"label": label, "done": done, "total": total}

    def _writing(self, label: str, done: int, total: int) -> None:
        self._told(f"writing the report: {label}", done, total)


def _options(asked: dict[str, Any]) -> dict[str, Any]:
    """Turn a request into arguments of `discover`."""
    from dagscale.inputs.knowledge import Knowledge

    if not isinstance(asked, dict) or (odd := [key for key in asked if key not in TAKEN]):
        raise InputError(
            f"the request holds {shown(odd if isinstance(asked, dict) else asked)}: send {', '.join(TAKEN)}"
        )
    tiers = [list(tier) for tier in asked.get("tiers", []) if tier]
    return {
        "columns": list(asked.get("columns", [])) or None,
        "kinds": dict(asked.get("kinds", {})) or None,
        "knowledge": Knowledge(tiers=tiers) if len(tiers) > 1 else None,
        "method": asked.get("method", "auto"),
        "effort": asked.get("effort", "full"),
    }
