"""Saved results: a folder with `result.json` (what can be read) and `result.npz` (arrays), never a pickle.

The JSON names the schema's version and the checksum of both parts, so that a damaged, foreign or newer
folder is refused with one line instead of giving a wrong graph.
"""

import hashlib
import io
import json
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from dagscale.codec import decode, encode
from dagscale.effects import edge_frame
from dagscale.errors import InputError, shown
from dagscale.found import Stage
from dagscale.knowledge import Knowledge
from dagscale.pairs import Numbers, PairValues, pair_values

FORMAT = "dagscale.result"
VERSION = 1
JSON_NAME = "result.json"
NPZ_NAME = "result.npz"

Arrays = dict[str, npt.NDArray[Any]]
Fields = dict[str, Any]  # the constructor arguments of a Result


def write(content: Fields, path: str | Path) -> Path:
    """Write a result's fields into the folder `path` and return it.

    A new folder appears complete or not at all; in an existing one only the two files are replaced.
    """
    folder = Path(path)
    json_bytes, npz_bytes = _pack(content)
    try:
        if folder.exists():
            _replace_file(folder / NPZ_NAME, npz_bytes)
            _replace_file(folder / JSON_NAME, json_bytes)
        else:
            partial = folder.with_name(folder.name + ".partial")
            partial.mkdir(parents=True, exist_ok=True)
            (partial / NPZ_NAME).write_bytes(npz_bytes)
            (partial / JSON_NAME).write_bytes(json_bytes)
            partial.rename(folder)
    except OSError as error:
        raise InputError(
            f"cannot save to {shown(str(folder))}: {error.strerror}; name a folder that can be written"
        ) from None
    return folder


def read(path: str | Path) -> Fields:
    """Read back the fields; refuse with one line what is damaged, foreign or newer."""
    folder = Path(path)
    if folder.name == JSON_NAME and folder.is_file():
        folder = folder.parent
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
    if not isinstance(document.get("version"), int) or document["version"] > VERSION:
        raise InputError(
            f"{shown(str(path))} was saved by a newer dagscale (schema {shown(document.get('version'))}, "
            f"this one reads up to {VERSION}); upgrade dagscale"
        )
    try:
        return _unpack(document, (folder / NPZ_NAME).read_bytes())
    except OSError:
        _refuse(path, f"{NPZ_NAME} is missing")
    except _Damaged as error:
        _refuse(path, str(error))
    except (
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        zipfile.BadZipFile,
        RecursionError,
        MemoryError,
    ):
        _refuse(path, "its content makes no sense")


class _Damaged(Exception):
    """The parts of a saved result do not belong together."""


def _refuse(path: str | Path, reason: str) -> NoReturn:
    raise InputError(f"{shown(str(path))} is not a usable saved result: {reason}; save it again")


def _replace_file(path: Path, content: bytes) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    partial.replace(path)


def _pack(content: Fields) -> tuple[bytes, bytes]:
    arrays: Arrays = {"adjacency": np.asarray(content["adjacency"])}
    if content["sample"] is not None:
        arrays["sample"] = content["sample"]
    table: pd.DataFrame = content["edge_table"]
    index = {name: i for i, name in enumerate(content["names"])}
    arrays["edge_ends"] = np.array(
        [[index[a], index[b]] for a, b in zip(table["source"], table["target"], strict=True)], dtype=np.int64
    ).reshape(-1, 2)
    columns = [name for name in table.columns if name not in ("source", "target")]
    for k, name in enumerate(columns):
        arrays[f"edge_{k}"] = table[name].to_numpy()
    stages = []
    for k, stage in enumerate(content["trail"]):
        arrays[f"stage_{k}_kept"] = stage.kept
        if isinstance(stage.statistic, PairValues):
            ends = np.stack([stage.statistic.parents, stage.statistic.children])
            arrays[f"stage_{k}_ends"], arrays[f"stage_{k}_numbers"] = ends, stage.statistic.numbers
        elif stage.statistic is not None:
            arrays[f"stage_{k}_statistic"] = stage.statistic
        stages.append({"name": stage.name, "label": stage.label, "threshold": encode(stage.threshold)})
    packed = io.BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **arrays)
    readable = {
        "names": [encode(name) for name in content["names"]],
        "order": [index[name] for name in content["order"]],
        "edge_columns": columns,
        "trail": stages,
        "knowledge": _encode_knowledge(content["knowledge"]),
        **{key: encode(content[key]) for key in _PLAIN},
    }
    document = {
        "format": FORMAT,
        "version": VERSION,
        "checksum": _checksum(readable, packed.getvalue()),
        "content": readable,
    }
    return json.dumps(document, indent=1).encode(), packed.getvalue()


_PLAIN = ("method", "settings", "timings", "versions", "notes", "n_samples", "stored_checks", "costs")


def _checksum(readable: Fields, npz: bytes) -> str:
    canonical = json.dumps(readable, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode() + npz).hexdigest()


def _unpack(document: dict[str, Any], npz: bytes) -> Fields:
    content = document["content"]
    if document.get("checksum") != _checksum(content, npz):
        raise _Damaged("the checksum does not match")
    with np.load(io.BytesIO(npz), allow_pickle=False) as stored:
        arrays: Arrays = {key: stored[key] for key in stored.files}
    names = [decode(name) for name in content["names"]]
    adjacency = np.asarray(arrays["adjacency"], dtype=bool)
    if sorted(content["order"]) != list(range(len(names))) or adjacency.shape != (len(names), len(names)):
        raise _Damaged("names, order and adjacency do not fit together")
    position = np.argsort(content["order"])
    parents, children = np.nonzero(adjacency)
    if (position[parents] >= position[children]).any():
        raise _Damaged("an edge goes against the order")
    return {
        "names": names,
        "order": [names[i] for i in content["order"]],
        "adjacency": adjacency,
        "edge_table": _edge_table(names, content["edge_columns"], arrays),
        "trail": tuple(_stage(k, described, arrays) for k, described in enumerate(content["trail"])),
        "knowledge": _decode_knowledge(content["knowledge"]),
        "sample": arrays.get("sample"),
        **{key: decode(content[key]) for key in _PLAIN},
    }


def _edge_table(names: list[Any], columns: list[str], arrays: Arrays) -> pd.DataFrame:
    ends = arrays["edge_ends"]
    values = {name: arrays[f"edge_{k}"] for k, name in enumerate(columns)}
    return edge_frame(names, ends, values)


def _stage(k: int, described: dict[str, Any], arrays: Arrays) -> Stage:
    kept = arrays[f"stage_{k}_kept"]
    statistic: Numbers | None = arrays.get(f"stage_{k}_statistic")
    if f"stage_{k}_ends" in arrays:
        parents, children = arrays[f"stage_{k}_ends"]
        statistic = pair_values(len(kept), parents, children, arrays[f"stage_{k}_numbers"])
    return Stage(
        name=described["name"],
        kept=kept,
        statistic=statistic,
        label=described["label"],
        threshold=decode(described["threshold"]),
    )


def _encode_knowledge(knowledge: Knowledge | None) -> Any:
    if knowledge is None:
        return None
    return {field.name: encode(getattr(knowledge, field.name)) for field in fields(knowledge)}


def _decode_knowledge(stored: Any) -> Knowledge | None:
    if stored is None:
        return None
    return Knowledge(**{key: decode(value) for key, value in stored.items()})
