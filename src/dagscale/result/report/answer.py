"""What the page says first: the table's name, one sentence of conclusion, and how much of it is supported."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.result.certainty import drawn_pairs, remarks

if TYPE_CHECKING:
    from dagscale.result import Result


def answer(result: "Result", title: str | None) -> dict[str, Any]:
    """Return `title`, `sentence` and the counts that the page shows as large numbers."""
    counts = counted(result)
    return {"title": title or "", "sentence": _sentence(result, counts), "counts": counts}


def counted(result: "Result") -> dict[str, int]:
    """Count the links: with a direction that is claimed, with an open one, and pairs with a hidden cause."""
    open_ = result.either_way[result.adjacency]
    return {
        "columns": len(result.names),
        "links": len(open_),
        "directed": int((~open_).sum()),
        "open": int(open_.sum()),
        "hidden": int(np.count_nonzero(result.confounded)) // 2,
    }


def tells_probabilities(result: "Result") -> bool:
    """Say whether the method told how sure it is; without that, a claimed edge has probability 1."""
    claimed = result.adjacency & ~result.either_way
    return "probability" in result.edge_table or bool((result.probabilities[claimed] < 1).any())


def _sentence(result: "Result", counts: dict[str, int]) -> str:
    """Say what was found, how many pairs seem to share a hidden cause, and what the command line remarks on, too."""
    text, hidden = _links(result, counts), counts["hidden"]
    remarked = "; ".join(remarks(result))
    after = f" {remarked[0].upper()}{remarked[1:]}." if remarked else ""
    if not hidden:
        return text + after
    crowded = (
        "" if drawn_pairs(result).any() else ", too many to draw; the notes say which columns belong together"
    )
    return f"{text} {hidden} pair{' seems' if hidden == 1 else 's seem'} to share a hidden cause{crowded}.{after}"


def _links(result: "Result", counts: dict[str, int]) -> str:
    links, directed, open_ = counts["links"], counts["directed"], counts["open"]
    if not links:
        return f"No link between the {counts['columns']} columns is supported by the data."
    data = "the data" if result.knowledge is None else "the data and what you know"
    found = f"{links} link{'s' * (links != 1)} between {counts['columns']} columns"
    if not tells_probabilities(result) and not open_:
        return f"{found}; {result.method} gives each a direction, and does not say how sure it is."
    if not directed:
        return f"{found}; the data support no direction for any of them."
    if not open_:
        return f"{found}, and {data} support {'its' if links == 1 else 'every'} direction."
    return f"{found}: {data} support the direction of {directed} and leave {open_} open."
