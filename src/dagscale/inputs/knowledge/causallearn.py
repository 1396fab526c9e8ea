"""causal-learn's BackgroundKnowledge as our own, read by its attributes: the package is not needed."""

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from dagscale.runtime.errors import InputError, InputTypeError, shown

Pair = tuple[Hashable, Hashable]


def read(background: Any, names: Sequence[Hashable] | None = None) -> dict[str, Any]:
    """Return the constructor arguments of a `Knowledge`.

    Parameters
    ----------
    background : causallearn.utils.PCUtils.BackgroundKnowledge.BackgroundKnowledge
    names : sequence of names, optional
        The table's columns: patterns are matched with them, and texts become them.
    """
    if not hasattr(background, "forbidden_rules_specs") or not hasattr(background, "tier_map"):
        raise InputTypeError(
            f"knowledge: expected causal-learn's BackgroundKnowledge, not {type(background).__name__}"
        )
    by_text = {str(name): name for name in names or ()}

    def name_of(node: Any) -> Hashable:
        text = str(node.get_name())
        return by_text.get(text, text)

    def pairs(kind: str) -> list[Pair]:
        told = {(name_of(a), name_of(b)) for a, b in getattr(background, f"{kind}_rules_specs")}
        patterns = getattr(background, f"{kind}_pattern_rules_specs", ())
        return _sorted({*told, *_matching(patterns, by_text, kind)})

    tiers = [sorted(map(name_of, background.tier_map[k]), key=str) for k in sorted(background.tier_map)]
    within = getattr(background, "forbidden_within_tiers", ())
    apart = {
        (name_of(a), name_of(b))
        for k in within
        for a in background.tier_map.get(k, ())
        for b in background.tier_map.get(k, ())
        if name_of(a) != name_of(b)
    }
    forbidden = _sorted({*pairs("forbidden"), *apart})
    return {"required": pairs("required"), "forbidden": forbidden, "tiers": [tier for tier in tiers if tier]}


def _matching(patterns: Iterable[tuple[str, str]], by_text: dict[str, Hashable], kind: str) -> set[Pair]:
    """Return the pairs of columns that regular expressions (cause, effect) name, as `re.match` finds them."""
    found: set[Pair] = set()
    for first, second in patterns:
        if not by_text:
            raise InputError(
                f"knowledge: {kind} pattern {shown(first)} -> {shown(second)} needs the columns; give names="
            )
        causes = [name for text, name in by_text.items() if re.match(first, text)]
        effects = [name for text, name in by_text.items() if re.match(second, text)]
        found |= {(a, b) for a in causes for b in effects if a != b}
    return found


def _sorted(pairs: set[Pair]) -> list[Pair]:
    return sorted(pairs, key=lambda pair: (str(pair[0]), str(pair[1])))  # sets have no order of their own
