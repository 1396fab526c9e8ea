"""The checkpoint of a run: a folder with one file to which finished pieces are appended.

The file is a list of records, each with its length and checksum. A kill in the middle of a write leaves a
torn last record, which is cut off. The first record says whose pieces these are (the identity that the caller
gives); a file that does not fit is refused. Nothing is written in
the first seconds, and later so rarely that it costs little: a kill loses about a second of work.
"""

import json
import os
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.lock import locked_folder
from dagscale.runtime.resume import Memory

FILE, RESAMPLES = "checkpoint.bin", "bootstrap.bin"  # of a discovery, of a bootstrap
FIRST = 2.0  # seconds before which a run is not worth a file
PAUSE = 1.0  # seconds between two writes ...
SHARE = 0.005  # ... or more, so that writing takes no more than this share of the time
_FRAME = struct.Struct("<IIQ")  # checksum, bytes of JSON, bytes of arrays

Identity = dict[str, str]  # what makes a run what it is, by name


@dataclass(frozen=True)
class Checkpoint:
    """A folder where a run leaves its finished pieces.

    Attributes
    ----------
    folder : Path
        Made, and locked, as long as the run lasts; gone at the end if nothing was worth writing.
    replace : bool
        Begin anew where the folder holds the checkpoint of another run, instead of refusing.
    again : str
        How to go on after an interruption, in words.
    name : str
        Of the file: a discovery and its bootstrap share a folder.
    locked : bool
        The caller holds the folder's lock already.
    """

    folder: Path
    replace: bool = False
    again: str = "the same call goes on from there"
    name: str = FILE
    locked: bool = False

    @classmethod
    def at(cls, place: "str | Path | Checkpoint | None", name: str = FILE) -> "Checkpoint | None":
        """Return the checkpoint in a folder, or the one given, under that name."""
        if place is None:
            return None
        return replace(place, name=name) if isinstance(place, Checkpoint) else cls(Path(place), name=name)

    @property
    def file(self) -> Path:
        """The one file."""
        return self.folder / self.name

    @property
    def begun(self) -> bool:
        """Whether the folder holds work of an interrupted run, its discovery's or its bootstrap's."""
        return any((self.folder / name).exists() for name in (FILE, RESAMPLES))

    @contextmanager
    def open(self, identity: Callable[[], Identity]) -> Iterator[Memory]:
        """Give the memory of the run of this identity; Ctrl-C says how to go on."""
        with self._folder():
            log = Log(self.file, identity, self.replace)
            try:
                yield Memory(log)
            except KeyboardInterrupt:
                log.close()
                if not self.begun:
                    raise
                raise KeyboardInterrupt(f"finished work is in {self.folder}: {self.again}") from None
            finally:
                log.close()

    @contextmanager
    def _folder(self) -> Iterator[None]:
        """Make the folder and lock it, from the first moment: two runs never share one."""
        with ExitStack() as stack:
            try:
                if not self.locked:
                    stack.enter_context(locked_folder(self.folder))
            except OSError as error:
                raise _unwritable(self.folder, error) from None
            yield

    def remove(self) -> None:
        """Remove the file, and the folder if nothing else is in it."""
        with suppress(FileNotFoundError):
            self.file.unlink()
        with suppress(OSError):
            self.folder.rmdir()


class Log:
    """The file: pieces by key. Whatever is kept reaches the disk within about a second of work."""

    def __init__(self, path: Path, identity: Callable[[], Identity], replace: bool = False) -> None:
        self._path, self._identity = path, identity
        self._places: dict[str, int] = {}  # where in the file a piece's record begins
        self._waiting: dict[str, bytes] = {}  # records to be written
        self._file: BinaryIO | None = None
        self._next_write = time.monotonic() + FIRST
        if path.exists():
            self._resume(replace)

    def __contains__(self, key: str) -> bool:
        return key in self._places or key in self._waiting

    def __len__(self) -> int:
        return len(self._places) + len(self._waiting)

    def recall(self, key: str) -> Any:
        """Return a piece."""
        if key in self._waiting:
            return _piece(self._waiting[key])
        assert self._file is not None
        self._file.seek(self._places[key])
        frame = self._file.read(_FRAME.size)
        _, head, rest = _FRAME.unpack(frame)
        record = frame + self._file.read(head + rest)
        self._file.seek(0, os.SEEK_END)
        return _piece(record)

    def keep(self, key: str, piece: Any) -> None:
        """Take in a piece as it is now, and write if it is time."""
        self._waiting[key] = _record({"key": key}, piece)
        if time.monotonic() >= self._next_write:
            self._write()

    def close(self) -> None:
        """Write what is waiting, unless the run was too short to be worth a file."""
        if self._waiting and (self._file is not None or time.monotonic() >= self._next_write):
            self._write()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self) -> None:
        try:
            self._append()
        except OSError as error:
            self._waiting.clear()  # what is torn is cut off by the next run
            raise _unwritable(self._path.parent, error) from None

    def _append(self) -> None:
        started = time.monotonic()
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _locked(self._path)
            self._file.write(_record({"identity": self._identity()}))
        for key, record in self._waiting.items():
            self._places[key] = self._file.tell()
            self._file.write(record)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._waiting.clear()
        now = time.monotonic()
        self._next_write = now + max(PAUSE, (now - started) / SHARE)

    def _resume(self, replace: bool) -> None:
        """Index the records of the file and cut off what a kill has torn."""
        self._file = _locked(self._path)
        self._file.seek(0)
        end, identity = 0, None
        while (head := _next_head(self._file)) is not None:
            if identity is None:
                identity = head.get("identity", {})
            else:
                self._places[head["key"]] = end
            end = self._file.tell()
        if identity != (wanted := self._identity()):
            if identity is not None and not replace:
                different = [name for name in wanted if identity.get(name) != wanted[name]]
                self._file.close()
                raise InputError(
                    f"{shown(str(self._path.parent))} holds the checkpoint of another run "
                    f"(different {' and '.join(different)}): remove it, or name another place"
                )
            self._places.clear()
            end = 0
        self._file.seek(end)
        self._file.truncate()
        if end == 0:
            self._file.write(_record({"identity": wanted}))


def _unwritable(folder: Path, error: OSError) -> InputError:
    return InputError(
        f"cannot write the checkpoint to {shown(str(folder))}: {error.strerror}; name another place"
    )


def _locked(path: Path) -> BinaryIO:
    """Open the file for reading and appending, by one process at a time."""
    file = path.open("r+b" if path.exists() else "w+b")
    with suppress(ImportError, OSError):  # neither Windows nor every network drive has locks
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise InputError(
                f"another run is writing to {shown(str(path.parent))}: wait for it, or name another place"
            ) from None
    file.seek(0, os.SEEK_END)
    return file


def _record(head: dict[str, Any], piece: Any = None) -> bytes:
    arrays: list[bytes] = []
    text = json.dumps({**head, "piece": _encode(piece, arrays)}).encode()
    rest = b"".join(arrays)
    return _FRAME.pack(zlib.crc32(rest, zlib.crc32(text)), len(text), len(rest)) + text + rest


def _piece(record: bytes) -> Any:
    _, head, _ = _FRAME.unpack_from(record)
    body = memoryview(record)[_FRAME.size :]
    return _decode(json.loads(bytes(body[:head]))["piece"], [body[head:]])


def _next_head(file: BinaryIO) -> dict[str, Any] | None:
    """Read a record; return its head, or None at the end or where the record is damaged."""
    frame = file.read(_FRAME.size)
    if len(frame) < _FRAME.size:
        return None
    checksum, head, rest = _FRAME.unpack(frame)
    try:
        body = file.read(head + rest)
    except (MemoryError, OverflowError):  # a damaged length
        return None
    if len(body) < head + rest or zlib.crc32(body) != checksum:
        return None
    found: dict[str, Any] = json.loads(body[:head])
    return found


def _encode(value: Any, arrays: list[bytes]) -> Any:
    """Write a value as JSON; the bytes of arrays go to the list."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        plain = np.packbits(value) if value.dtype.kind == "b" else np.ascontiguousarray(value)
        arrays.append(plain.tobytes())
        return {"dtype": value.dtype.str, "shape": value.shape}
    if is_dataclass(value):
        value = tuple(getattr(value, field.name) for field in fields(value))
    kind = "tuple" if isinstance(value, tuple) else "list"
    return {kind: [_encode(part, arrays) for part in value]}


def _decode(value: Any, left: list[memoryview]) -> Any:
    """Undo `_encode`; arrays are taken from the front of the memory that is left."""
    if not isinstance(value, dict):
        return value
    if "dtype" in value:
        dtype, shape = np.dtype(value["dtype"]), tuple(value["shape"])
        count = int(np.prod(shape, dtype=np.int64))
        size = -(-count // 8) if dtype.kind == "b" else dtype.itemsize * count
        taken, left[0] = left[0][:size], left[0][size:]
        if dtype.kind == "b":
            return np.unpackbits(np.frombuffer(taken, np.uint8), count=count).astype(bool).reshape(shape)
        return np.frombuffer(taken, dtype).reshape(shape).copy()
    if "tuple" in value:
        return tuple(_decode(part, left) for part in value["tuple"])
    return [_decode(part, left) for part in value["list"]]
