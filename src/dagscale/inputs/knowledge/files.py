"""Knowledge in a file, YAML, JSON or Tetrad's own: reading it without surprises, writing it back."""

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dagscale.inputs.knowledge import tetrad
from dagscale.runtime.errors import InputError, closest, shown


def read(path: Path, keys: Sequence[str]) -> dict[str, Any]:
    """Return the file's lists by key; refuse what is not among `keys`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise InputError(f"knowledge file {shown(str(path))} cannot be read: {reason}") from None
    if tetrad.is_tetrad(text):
        return tetrad.read(text, path)
    pairs = _json_pairs(text, path) if path.suffix.lower() == ".json" else _yaml_pairs(text, path)
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key not in keys:
            remedy = closest(key, keys) or f"; the keys are {', '.join(keys)}"
            raise InputError(f"knowledge file {shown(str(path))}: unknown key {shown(key)}{remedy}")
        if key in found:
            raise InputError(
                f"knowledge file {shown(str(path))}: key {key!r} stands twice; join the two lists"
            )
        found[key] = () if value in (None, "") else value  # nothing after a key: an empty list
    return found


def write(path: Path, lists: dict[str, Any]) -> None:
    """Write the lists that are not empty; pairs and tiers are lists of names, the rest names."""
    nested = ("required", "forbidden", "tiers")
    plain = {
        key: [[_plain(name) for name in item] if key in nested else _plain(item) for item in items]
        for key, items in lists.items()
        if items
    }
    if path.suffix.lower() == ".json":
        text = json.dumps(plain, indent=2, ensure_ascii=False) + "\n"
    else:
        text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"knowledge file {shown(str(path))} cannot be written: {error.strerror}") from None


def _plain(name: Hashable) -> str | int | float:
    return name if isinstance(name, str | int | float) else str(name)


@dataclass(frozen=True)
class _Object:
    """A JSON object as its pairs: in a dict, a key that stands twice would vanish in silence."""

    pairs: list[tuple[Any, Any]]

    def __repr__(self) -> str:
        return repr(dict(self.pairs))


def _json_pairs(text: str, path: Path) -> list[tuple[Any, Any]]:
    try:
        content = json.loads(text, object_pairs_hook=_Object)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, f"not JSON: {error}") from None
    if not isinstance(content, _Object):
        raise _no_mapping(path)
    return content.pairs


def _yaml_pairs(text: str, path: Path) -> list[tuple[Any, Any]]:
    # BaseLoader builds text, lists and dicts only: safe, and `no` stays a name instead of becoming False.
    try:
        loader = yaml.BaseLoader(text)
        node = loader.get_single_node()
        if node is None:
            return []
        if not isinstance(node, yaml.MappingNode):
            raise _no_mapping(path)
        return [
            (loader.construct_object(key, deep=True), loader.construct_object(value, deep=True))
            for key, value in node.value
        ]
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise _damaged(path, f"{where}{getattr(error, 'problem', None) or error}") from None


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"knowledge file {shown(str(path))} is damaged, {' '.join(why.split())}")


def _no_mapping(path: Path) -> InputError:
    return InputError(
        f"knowledge file {shown(str(path))} must hold keys like 'required:' followed by a list, see Knowledge"
    )
