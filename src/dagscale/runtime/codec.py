"""Python values as JSON and back, types kept: what a saved result is written in.

JSON knows strings, numbers, booleans, None, lists and string-keyed objects. Everything else a result may hold
(tuples, dates, bytes, infinities, dicts with other keys) becomes `{"$": type, "v": content}`.
"""

import base64
import datetime as dt
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

TAG = "$"

_DECODERS: dict[str, Callable[[Any], Any]] = {
    "float": float,
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "timestamp": pd.Timestamp,
    "datetime": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "tuple": lambda items: tuple(decode(item) for item in items),
    "frozenset": lambda items: frozenset(decode(item) for item in items),
    "dict": lambda pairs: {decode(key): decode(value) for key, value in pairs},
}


def encode(value: Any) -> Any:
    """Turn a value into what `json.dumps` accepts; a type it does not know becomes its `str`."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _tagged("float", str(float(value)))
    return _encode_compound(value)


def _encode_compound(value: Any) -> Any:
    match value:
        case bytes():
            return _tagged("bytes", base64.b64encode(value).decode())
        case pd.Timestamp():
            return _tagged("timestamp", value.isoformat())
        case dt.datetime():
            return _tagged("datetime", value.isoformat())
        case dt.date():
            return _tagged("date", value.isoformat())
        case tuple():
            return _tagged("tuple", [encode(item) for item in value])
        case list():
            return [encode(item) for item in value]
        case set() | frozenset():
            return _tagged("frozenset", sorted((encode(item) for item in value), key=json.dumps))
        case dict():
            if TAG not in value and all(type(key) is str for key in value):
                return {key: encode(item) for key, item in value.items()}
            return _tagged("dict", [[encode(key), encode(item)] for key, item in value.items()])
    return str(value)


def decode(value: Any) -> Any:
    """Undo `encode`."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if isinstance(value, dict):
        if TAG in value:
            return _DECODERS[value[TAG]](value["v"])
        return {key: decode(item) for key, item in value.items()}
    return value


def _tagged(kind: str, content: Any) -> dict[str, Any]:
    return {TAG: kind, "v": content}
