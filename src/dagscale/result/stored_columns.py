"""What a saved result tells of its columns and rows: kinds, levels, conditions."""

from typing import Any

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.inputs.kinds import KINDS
from dagscale.runtime.codec import decode, encode
from dagscale.runtime.saved_folder import Arrays, Damaged, Readable
from dagscale.runtime.types import IntArray

Fields = dict[str, Any]


def described(content: Fields) -> Readable:
    """Return the readable part."""
    names, done = content["names"], content["conditions"]
    return {
        "kinds": [content["kinds"][name] for name in names],
        "levels": [encode(content["levels"].get(name)) for name in names],
        "conditions": None if done is None else list(done.labels),
        "changed": {label: [encode(name) for name in own] for label, own in content["changed"].items()},
    }


def restored(content: Readable, arrays: Arrays, names: list[Any]) -> Fields:
    """Read it back; nothing from files of earlier versions, whose columns were all continuous."""
    if "kinds" not in content:
        return {}
    kinds, levels = content["kinds"], [decode(own) for own in content["levels"]]
    if len(kinds) != len(names) or len(levels) != len(names) or not set(kinds) <= set(KINDS):
        raise Damaged("names and kinds do not fit together")
    changed = {label: [decode(name) for name in own] for label, own in content["changed"].items()}
    if not {name for own in changed.values() for name in own} <= set(names):
        raise Damaged("a mechanism changed that is no column's")
    return {
        "kinds": dict(zip(names, kinds, strict=True)),
        "levels": {name: tuple(own) for name, own in zip(names, levels, strict=True) if own is not None},
        "changed": changed,
        "conditions": _conditions(content["conditions"], arrays, len(names)),
        "units": _units(arrays),
    }


def _units(arrays: Arrays) -> IntArray | None:
    """Read what each row is a measurement of, (n, k); None where no column of IDs was left out."""
    units, sample = arrays.get("units"), arrays.get("sample")
    if units is None:
        return None
    if units.ndim != 2 or units.dtype.kind not in "iu" or (sample is not None and len(sample) != len(units)):
        raise Damaged("rows and units do not fit together")
    return units.astype(np.intp)


def _conditions(labels: list[str] | None, arrays: Arrays, d: int) -> Conditions | None:
    if labels is None:
        return None
    targets, environment, sample = (arrays.get(name) for name in ("targets", "environment", "sample"))
    if targets is None or environment is None or targets.shape[1:] != (d,) or targets.dtype.kind != "b":
        raise Damaged("names and interventions do not fit together")
    if environment.shape != targets.shape[:1] or (sample is not None and len(sample) != len(targets)):
        raise Damaged("rows and interventions do not fit together")
    if environment.dtype.kind not in "iu" or ((environment < 0) | (environment >= len(labels))).any():
        raise Damaged("a row has an unknown condition")
    return Conditions(targets, environment.astype(np.intp), tuple(labels))
