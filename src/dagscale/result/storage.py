"""A result as the parts of a saved folder, and back; the folder itself is `runtime.container`'s."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dagscale.graphs.pair_values import DENSE, Numbers, PairValues, pair_values
from dagscale.inputs.knowledge import Knowledge
from dagscale.result import stored_columns as columns
from dagscale.result.edges import edge_frame
from dagscale.result.open_links import COLUMN
from dagscale.runtime.codec import decode, encode
from dagscale.runtime.saved_folder import Arrays, Damaged, Readable, read_folder, write_folder
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.stages.answer import OpenReason, Stage, StageKind

Fields = dict[str, Any]  # the constructor arguments of a Result
_KINDS = {
    "method": str,
    "settings": dict,
    "timings": dict,
    "versions": dict,
    "notes": tuple | list,
    "n_samples": int,
}
_OF_PAIRS = ("either_way", "confounded", "probabilities")  # files of earlier versions lack some
_PLAIN = ("method", "settings", "timings", "versions", "notes", "n_samples", "stored_checks", "costs")


def write(content: Fields, path: str | Path) -> Path:
    """Write a result's fields into the folder `path` and return it."""
    arrays = _arrays(content)
    stages = []
    for k, stage in enumerate(content["trail"]):
        arrays.update(_stage_arrays(k, stage))
        stages.append({"name": stage.kind, "label": stage.label, "threshold": encode(stage.threshold)})
    index = {name: i for i, name in enumerate(content["names"])}
    readable = {
        "names": [encode(name) for name in content["names"]],
        "order": [index[name] for name in content["order"]],
        "edge_columns": _edge_columns(content["edge_table"]),
        "trail": stages,
        "knowledge": _encode_knowledge(content["knowledge"]),
        **columns.described(content),
        **{key: encode(content[key]) for key in _PLAIN},
    }
    return write_folder(readable, arrays, path)


def read(path: str | Path) -> Fields:
    """Read back the fields; refuse with one line what is damaged, foreign or newer."""
    return read_folder(path, _fields)


def _edge_columns(table: pd.DataFrame) -> list[str]:
    return [name for name in table.columns if name not in ("source", "target")]


def _arrays(content: Fields) -> Arrays:
    arrays: Arrays = {name: np.asarray(content[name]) for name in ("adjacency", *_OF_PAIRS)}
    if len(content["names"]) > DENSE:  # nearly all of them are zero
        likely = arrays.pop("probabilities")
        ends = np.nonzero(likely)
        arrays["probable_ends"], arrays["probable"] = np.stack(ends), likely[ends]
    if (done := content["conditions"]) is not None:
        arrays["targets"], arrays["environment"] = done.targets, done.environment
    for name in ("sample", "units"):
        if content[name] is not None:
            arrays[name] = content[name]
    table: pd.DataFrame = content["edge_table"]
    index = {name: i for i, name in enumerate(content["names"])}
    arrays["edge_ends"] = np.array(
        [[index[a], index[b]] for a, b in zip(table["source"], table["target"], strict=True)], dtype=np.int64
    ).reshape(-1, 2)
    for k, name in enumerate(_edge_columns(table)):
        own = table[name].to_numpy()
        arrays[f"edge_{k}"] = own if own.dtype.kind in "biuf" else own.astype(str)
    return arrays


def _stage_arrays(k: int, stage: Stage) -> Arrays:
    arrays: Arrays = {f"stage_{k}_kept": stage.kept}
    if isinstance(stage.statistic, PairValues):
        ends = np.stack([stage.statistic.parents, stage.statistic.children])
        arrays[f"stage_{k}_ends"], arrays[f"stage_{k}_numbers"] = ends, stage.statistic.numbers
    elif stage.statistic is not None:
        arrays[f"stage_{k}_statistic"] = stage.statistic
    return arrays


def _fields(content: Readable, arrays: Arrays) -> Fields:
    names = [decode(name) for name in content["names"]]
    adjacency = _pairs(arrays["adjacency"], len(names))
    plain = {key: decode(content[key]) for key in _PLAIN}
    if len(set(names)) < len(names) or sorted(content["order"]) != list(range(len(names))):
        raise Damaged("names and order do not fit together")
    position = np.argsort(content["order"])
    parents, children = np.nonzero(adjacency)
    if (position[parents] >= position[children]).any():
        raise Damaged("an edge goes against the order")
    if any(not isinstance(plain[key], kind) for key, kind in _KINDS.items()) or plain["n_samples"] < 0:
        raise Damaged("its description is not one of ours")
    return {
        "names": names,
        "order": [names[i] for i in content["order"]],
        "adjacency": adjacency,
        "edge_table": _edge_table(names, content["edge_columns"], arrays, adjacency),
        "trail": tuple(_stage(k, described, arrays) for k, described in enumerate(content["trail"])),
        "knowledge": _decode_knowledge(content["knowledge"]),
        "sample": _sample(arrays, len(names)),
        **_certainty(arrays, adjacency),
        **columns.restored(content, arrays, names),
        **plain,
    }


def _pairs(stored: Any, d: int) -> BoolArray:
    """Return a (d, d) bool array, or refuse what is none."""
    if stored.shape != (d, d) or stored.dtype.kind != "b":
        raise Damaged("names and adjacency do not fit together")
    pairs: BoolArray = stored
    return pairs


def _ends(stored: Any, d: int) -> IntArray:
    """Return indices of columns, or refuse what are none."""
    if stored.ndim != 2 or stored.dtype.kind not in "iu" or ((stored < 0) | (stored >= d)).any():
        raise Damaged("an edge ends at no column")
    ends: IntArray = stored
    return ends


def _certainty(arrays: Arrays, adjacency: BoolArray) -> Fields:
    """Return open links, probabilities and hidden causes; nothing from files that do not tell."""
    found: Fields = {name: _pairs(arrays[name], len(adjacency)) for name in _OF_PAIRS[:2] if name in arrays}
    ends = {name: np.nonzero(pairs) for name, pairs in found.items()}
    if not all(found[name][j, i].all() for name, (i, j) in ends.items()):
        raise Damaged("open links and adjacency contradict each other")
    if "either_way" in ends and not (adjacency[ends["either_way"]] | adjacency.T[ends["either_way"]]).all():
        raise Damaged("open links and adjacency contradict each other")
    if "probable" in arrays:
        parents, children = _ends(arrays["probable_ends"], len(adjacency))
        likely = np.zeros(adjacency.shape)
        likely[parents, children] = _likely(arrays["probable"], parents.shape)
        found["probabilities"] = likely
    if "probabilities" in arrays:
        found["probabilities"] = _likely(arrays["probabilities"], adjacency.shape)
    return found


def _likely(stored: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return probabilities, or refuse what are none."""
    if stored.shape != shape or stored.dtype.kind != "f" or ((stored < 0) | (stored > 1)).any():
        raise Damaged("probabilities are not between 0 and 1")
    likely: FloatArray = stored
    return likely


def _sample(arrays: Arrays, d: int) -> Any:
    sample = arrays.get("sample")
    if sample is not None and (sample.ndim != 2 or sample.shape[1] != d or sample.dtype.kind != "f"):
        raise Damaged("names and sample do not fit together")
    return sample


def _edge_table(names: list[Any], columns: list[str], arrays: Arrays, adjacency: BoolArray) -> pd.DataFrame:
    ends = _ends(arrays["edge_ends"], len(names))
    listed = np.zeros_like(adjacency)
    listed[tuple(ends.T)] = True
    values = {name: arrays[f"edge_{k}"] for k, name in enumerate(columns)}
    if ends.shape != (adjacency.sum(), 2) or (listed != adjacency).any():
        raise Damaged("edges and adjacency contradict each other")
    if len(values) < len(columns) or any(column.shape != (len(ends),) for column in values.values()):
        raise Damaged("the edges' columns are not of one length")
    if not set(np.unique(values.get(COLUMN, ""))) <= {"", *OpenReason}:
        raise Damaged("a direction is open for an unknown reason")
    return edge_frame(names, ends, values)


def _stage(k: int, described: dict[str, Any], arrays: Arrays) -> Stage:
    d = len(arrays["adjacency"])
    kept = _pairs(arrays[f"stage_{k}_kept"], d)
    statistic: Numbers | None = arrays.get(f"stage_{k}_statistic")
    if statistic is not None and statistic.shape != (d, d):
        raise Damaged("names and evidence do not fit together")
    if f"stage_{k}_ends" in arrays:
        parents, children = _ends(arrays[f"stage_{k}_ends"], d)
        numbers = arrays[f"stage_{k}_numbers"]
        if numbers.shape != parents.shape or numbers.dtype.kind != "f":
            raise Damaged("names and evidence do not fit together")
        statistic = pair_values(d, parents, children, numbers)
    return Stage(
        kind=StageKind(described["name"]),
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
