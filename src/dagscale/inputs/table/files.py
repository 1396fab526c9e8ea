"""Files: what is in one is told by its first bytes, not by its name."""

import gzip
import zlib
from collections.abc import Callable
from io import BufferedIOBase, TextIOWrapper
from pathlib import Path
from typing import Any

from dagscale.inputs.table.batches import LARGE_FILE
from dagscale.runtime.errors import InputError, MissingDependencyError, shown

PACKED = 4  # times smaller that gzip makes a table's text, or more
_HEAD = 1 << 16  # bytes looked at to tell text from anything else

_BINARY = "binary, neither text nor Parquet nor Feather; save the table as CSV"
_UNREAD = {
    b"PK\x03\x04": "a zip archive or an Excel workbook; save its table as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save its table as CSV",
    b"\x89HDF": "an HDF5 file; save its table as CSV or Parquet",
    b"\x93NUMPY": "a numpy file; load it with numpy.load and give the array",
    b"BZh": "compressed with bzip2; unpack it, or use gzip",
    b"\xfd7zXZ": "compressed with xz; unpack it, or use gzip",
    b"%PDF": "a PDF; save its table as CSV",
}


def read_file(path: Path) -> tuple[Any, tuple[str, ...]]:
    """Read CSV, TSV or any delimited text, Parquet or Feather, gzipped or not.

    Parameters
    ----------
    path : Path

    Returns
    -------
    frame : pandas DataFrame, arrow table, or `StreamedTable` for a large file
    notes : tuple of str
        What had to be guessed about a text file.
    """
    where = f"file {shown(str(path))}"
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.GzipFile(path) if packed else path.open("rb") as content:
            return _read(content, where, path.stat().st_size * (PACKED if packed else 1) > LARGE_FILE)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where} cannot be read: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    if isinstance(error, gzip.BadGzipFile | EOFError | zlib.error):
        return "its gzip compression is damaged"
    if isinstance(error, UnicodeDecodeError):
        return f"it is {_BINARY}"
    text = getattr(error, "strerror", None) or str(error)
    return {"Is a directory": "it is a directory; name a file in it"}.get(text, " ".join(text.split()))


def _read(file: BufferedIOBase, where: str, large: bool) -> tuple[Any, tuple[str, ...]]:
    head = file.read(_HEAD)
    file.seek(0)
    if not head.strip():
        raise InputError(f"{where} is empty")
    if head.startswith(b"PAR1"):
        return _arrow(where, "Parquet", lambda: _parquet(file)), ()
    if head.startswith((b"ARROW1", b"FEA1")):
        return _arrow(where, "Feather", lambda: _feather(file)), ()
    for magic, what in _UNREAD.items():
        if head.startswith(magic):
            raise InputError(f"{where} is {what}")
    if b"\x00" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{where} is {_BINARY}")
    return _text(file, head, where, large)


def _text(file: BufferedIOBase, head: bytes, where: str, large: bool) -> tuple[Any, tuple[str, ...]]:
    """Read text as UTF-16 if it says so, else as UTF-8, else as Windows-1252."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decoded(file, "utf-16", where, large)
    try:
        return _decoded(file, "utf-8-sig", where, large)
    except UnicodeDecodeError:
        pass
    if any(byte < 32 and byte not in b"\t\n\r\f" for byte in head):
        raise InputError(f"{where} is {_BINARY}")
    frame, notes = _decoded(file, "cp1252", where, large)
    return frame, ("the file is not UTF-8: read as Windows-1252", *notes)


def _decoded(file: BufferedIOBase, encoding: str, where: str, large: bool) -> tuple[Any, tuple[str, ...]]:
    from dagscale.inputs.table.delimited import read_delimited

    file.seek(0)
    text = TextIOWrapper(
        file,  # type: ignore[type-var]
        encoding=encoding,
        newline="",
    )
    try:
        return read_delimited(text, where, large)
    finally:
        text.detach()  # the file stays open for another try


def _arrow(where: str, kind: str, read: Callable[[], Any]) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependencyError(
            f"{where} is {kind}, which needs pyarrow: pip install 'dagscale[parquet]', or save it as CSV"
        ) from None
    try:
        return read()
    except (pyarrow.ArrowException, OSError) as error:
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{where} is damaged {kind}: {text[:150]}") from None


def _parquet(file: BufferedIOBase) -> Any:
    from pyarrow import parquet

    from dagscale.inputs.table.batches import parquet_table

    opened = parquet.ParquetFile(file)
    streamed = parquet_table(opened)
    return opened.read() if streamed is None else streamed


def _feather(file: BufferedIOBase) -> Any:
    from pyarrow import feather

    return feather.read_table(file)
