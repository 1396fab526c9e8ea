"""A folder with `result.json` (what can be read) and `result.npz` (arrays), never a pickle.

The JSON names the schema's version and the checksum of both parts, so that a damaged, foreign or newer
folder is refused with one line instead of giving a wrong graph.
"""

import hashlib
import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from dagscale.runtime.errors import InputError, as_path, shown

FORMAT = "dagscale.result"
VERSION = 2  # 2: edges have a column of text, which readers of 1 take for numbers
JSON_NAME = "result.json"
NPZ_NAME = "result.npz"

SAMPLE_BYTES = 64_000_000  # what a saved sample of the table's rows may take

# What reading a forged file may end in: NumPy, zipfile and zlib each have their own kinds of complaint.
SENSELESS = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)

T = TypeVar("T")
Arrays = dict[str, npt.NDArray[Any]]
Readable = dict[str, Any]  # what JSON can hold


class Damaged(Exception):
    """The parts of a saved result do not belong together."""


def write_folder(readable: Readable, arrays: Arrays, path: str | Path) -> Path:
    """Write both parts into the folder `path` and return it.

    A new folder appears complete or not at all; in an existing one only the two files are replaced.
    """
    folder = as_path(path)
    json_bytes, npz_bytes = _pack(readable, arrays)
    try:
        if folder.exists():
            _replace_file(folder / NPZ_NAME, npz_bytes)
            _replace_file(folder / JSON_NAME, json_bytes)
        else:
            _new_folder(folder, {NPZ_NAME: npz_bytes, JSON_NAME: json_bytes})
    except OSError as error:
        raise InputError(
            f"cannot save to {shown(str(folder))}: {error.strerror}; name a folder that can be written"
        ) from None
    return folder


def read_folder(path: str | Path, make: Callable[[Readable, Arrays], T]) -> T:
    """Read back both parts and return what `make` makes of them; refuse what is damaged, foreign or newer."""
    folder = as_path(path)
    if folder.name == JSON_NAME and folder.is_file():
        folder = folder.parent
    document = _document(folder, path)
    try:
        return make(*_unpack(document, (folder / NPZ_NAME).read_bytes()))
    except OSError:
        _refuse(path, f"{NPZ_NAME} is missing")
    except Damaged as error:
        _refuse(path, str(error))
    except SENSELESS:
        _refuse(path, "its content makes no sense")


def _document(folder: Path, path: str | Path) -> dict[str, Any]:
    """Read the JSON part and check that it is one of ours, of a version that is known here."""
    try:
        document = json.loads((folder / JSON_NAME).read_bytes())
    except OSError:
        raise InputError(
            f"{shown(str(path))} holds no saved result; name the folder that Result.save or "
            f"`dagscale discover --out` wrote"
        ) from None
    except (ValueError, RecursionError):
        _refuse(path, f"{JSON_NAME} is not JSON")
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        _refuse(path, f"{JSON_NAME} is not one of ours")
    version = document.get("version")
    if type(version) is not int or version < 1:
        _refuse(path, f"there is no schema {shown(version)}")
    if version > VERSION:
        raise InputError(
            f"{shown(str(path))} was saved by a newer dagscale (schema {version}, "
            f"this one reads up to {VERSION}); upgrade dagscale"
        )
    return document


def _refuse(path: str | Path, reason: str) -> NoReturn:
    raise InputError(f"{shown(str(path))} is not a usable saved result: {reason}; save it again")


def _new_folder(folder: Path, files: dict[str, bytes]) -> None:
    partial = folder.with_name(folder.name + ".partial")
    partial.mkdir(parents=True, exist_ok=True)
    try:
        for name, content in files.items():
            (partial / name).write_bytes(content)
        partial.rename(folder)
    except OSError:
        for name in files:
            (partial / name).unlink(missing_ok=True)
        with suppress(OSError):
            partial.rmdir()
        raise


def _replace_file(path: Path, content: bytes) -> None:
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def _pack(readable: Readable, arrays: Arrays) -> tuple[bytes, bytes]:
    packed = io.BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **arrays)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "checksum": _checksum(readable, packed.getvalue()),
        "content": readable,
    }
    return json.dumps(document, indent=1).encode(), packed.getvalue()


def _unpack(document: dict[str, Any], npz: bytes) -> tuple[Readable, Arrays]:
    content = document["content"]
    if document.get("checksum") != _checksum(content, npz):
        raise Damaged("the checksum does not match")
    _refuse_oversized(npz, content)
    with np.load(io.BytesIO(npz), allow_pickle=False) as stored:
        return content, {key: stored[key] for key in stored.files}


def _refuse_oversized(npz: bytes, content: Readable) -> None:
    """Compare what the arrays say they are with what the names allow, before anything is unpacked."""
    d, stages = len(content["names"]), len(content["trail"])
    most = SAMPLE_BYTES + 24 * (stages + 4) * (d * d + 100)  # a stage: pairs, their number, their ends
    with zipfile.ZipFile(io.BytesIO(npz)) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > most:
            raise Damaged("its arrays are larger than its names allow")
        for member in members:
            with archive.open(member) as file:
                if _declared_bytes(file) != member.file_size:
                    raise Damaged(f"{shown(member.filename)} is not of the size it declares")


def _declared_bytes(file: IO[bytes]) -> int:
    """Return how long a .npy file is by its own header."""
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise Damaged("its arrays are in an unknown format")
    old = version == (1, 0)
    read_header = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
    shape, _, dtype = read_header(file)
    if dtype.hasobject:
        raise Damaged("it holds Python objects")
    return file.tell() + math.prod(shape) * dtype.itemsize


def _checksum(readable: Readable, npz: bytes) -> str:
    canonical = json.dumps(readable, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode() + npz).hexdigest()
