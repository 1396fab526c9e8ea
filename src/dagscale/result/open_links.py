"""Why directions are open, in plain sentences: one for each rule that lowers a direction's probability."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.runtime.errors import shown
from dagscale.stages.answer import OpenReason

if TYPE_CHECKING:
    from dagscale.result import Result

COLUMN = "open_because"  # of the edge table; results of earlier versions lack it
SENTENCES = {  # a: cause, b: effect, as the link is drawn
    OpenReason.FORMULA: "{a} or {b} belongs to a formula, or has a copy: no noise is left, a formula can be solved "
    "for any of its columns, and what one of them does another may do",
    OpenReason.REPEATED_ROWS: "{b} and its causes have few distinct rows (a designed experiment, families, coarse "
    "rounding), where the shape of a relation shows no direction",
    OpenReason.COLLIDER: "{b} and one of its supposed causes are independent on their own, while both depend on "
    "another supposed cause of {b}: that one may be their common effect, and the arrow turned round",
    OpenReason.FEW_VALUES: "{a} or {b} has few values (levels, counts, coarse numbers) or one that many rows share "
    "(zeros, a cap), where the shape of a relation shows no direction; other columns, knowledge or an experiment "
    "would have to settle it",
    # its probability is shown as a half: what is in the graph has no less, and what is not has less
    OpenReason.LINK: "the link itself is in doubt: it is no more likely true than false",
    OpenReason.FITS_BOTH_WAYS: "the two columns fit equally well both ways, as straight lines with normal noise "
    "do, and no other column settles the direction",
    OpenReason.WEAK: "the best graph with the arrow turned round fits almost as well{nats}",
    OpenReason.SCALE: "on another scale (logarithms, ranks), or with another spread of the noise, the arrow turned "
    "round fits almost as well",
    OpenReason.ROUNDING: "with rounded values spread over their rounding cells, the arrow turned round fits almost as "
    "well",
    OpenReason.OTHER_LINKS: "it follows from other links whose own direction is open",
    OpenReason.FEW_ROWS: "the evidence varies much from row to row: few rows decide, or the model is wrong",
    OpenReason.SERIAL_ROWS: "rows depend on the rows before them, and too little evidence is left when they count "
    "for less",
    OpenReason.TANGLED: "other columns are linked with both {a} and {b}, as the effects of a hidden cause are, and the "
    "table settles few directions: that needs more evidence",
    OpenReason.RESIDUALS: "the residuals of {b} still depend on {a}: the model does not hold there",
    OpenReason.LEVEL: "{a} or {b} looks like one of several measurements of a hidden level: the link may as well be "
    "one of another of them",
    OpenReason.TIME: "the time ran out before the direction was compared with the other one in every way",
}


def reason_of(row: Mapping[Any, Any]) -> OpenReason | None:
    """Return the reason in a row of the edge table, None where the direction is claimed or none was stored."""
    text = row.get(COLUMN, "")
    return OpenReason(text) if text else None


def sentence(row: Mapping[Any, Any]) -> str:
    """Say in one sentence, without its full stop, why the link in a row of the edge table is open; "" if unknown."""
    if (reason := reason_of(row)) is None:
        return ""
    nats = float(row.get("direction_nats", math.nan))
    less = f" (its log likelihood is {nats:.1f} lower)" if math.isfinite(nats) and nats > 0 else ""
    return SENTENCES[reason].format(a=shown(row["source"]), b=shown(row["target"]), nats=less)


def of_pair(result: "Result", i: int, j: int) -> tuple[OpenReason | None, str]:
    """Return the reason and the sentence of the link of two columns, whichever way it is drawn."""
    if COLUMN not in result.edge_table or not result.either_way[i, j]:
        return None, ""
    a, b = (i, j) if result.adjacency[i, j] else (j, i)
    table, names = result.edge_table, result.names
    at = [s == names[a] and t == names[b] for s, t in zip(table["source"], table["target"], strict=True)]
    rows = table[np.array(at, dtype=bool)].to_dict("records")
    return (reason_of(rows[0]), sentence(rows[0])) if rows else (None, "")


def counted(result: "Result") -> str:
    """Count the reasons, the most frequent first: "few values (20), weak evidence (3)"; "" where none is known."""
    texts = result.edge_table[COLUMN].tolist() if COLUMN in result.edge_table else []
    counts = Counter(text for text in texts if text)
    return ", ".join(f"{text} ({count})" for text, count in counts.most_common())
