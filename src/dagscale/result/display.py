"""A result in a few lines, for the prompt and for notebooks."""

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dagscale.result.certainty import headline
from dagscale.result.p_values import LEAST_P, p_text

if TYPE_CHECKING:
    import pandas as pd

    from dagscale.result import Result

SHOWN_EDGES = 10
LEFT_OUT = (  # told by arrows, or numbers of the method's own, which `Result.edges` has
    "source", "target", "either_way", "open_because", "probability", "direction", "evidence", "direction_nats",
    "dependence", "share", "share_alone",
)  # fmt: skip
SHOWN_NAMES = 12
LONGEST_NAME = 40


def text(result: "Result") -> str:
    """Return the result on a few lines: what it is, its order, its strongest edges."""
    lines = [title(result), f"  {headline(result)}"]
    table = result.edge_table.head(5)
    if len(table):
        lines.append(f"  {order_line(result)}")
    strongest = [
        f"{short(a)} {arrow} {short(b)} ({strength:.2f})"
        for a, b, strength, arrow in zip(
            table["source"], table["target"], table["strength"], arrows(table), strict=True
        )
    ]
    if strongest:
        lines.append(f"  strongest: {', '.join(strongest)}")
    return "\n".join(lines)


def order_line(result: "Result") -> str:
    """Return the causal order on one line; where directions are open it is one of several."""
    several = result.either_way.any()
    return f"{'one order that fits' if several else 'order'}, causes first: {listed(result.order, ' < ')}"


def arrows(edges: "pd.DataFrame") -> list[str]:
    """Return "->" for every edge, "--" where its direction is not claimed."""
    if "either_way" not in edges:
        return ["->"] * len(edges)
    return ["--" if open_ else "->" for open_ in edges["either_way"]]


def in_words(edges: "pd.DataFrame", knowledge: bool = False) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the columns and rows of an edge table for a reader: where it is told, how sure links and directions are.

    `knowledge` says that some was given, which is what makes a direction certain.
    """
    empty = "confounded" if "confounded" in edges and not edges["confounded"].any() else None
    columns = [str(name) for name in edges.columns if name not in (*LEFT_OUT, empty)]
    told = "probability" in edges and "direction" in edges
    rows = [
        (
            short(row["source"]),
            arrow,
            short(row["target"]),
            *(_number(name, row[name]) for name in columns),
            *(_sureness(row, arrow, knowledge) if told else ()),
        )
        for arrow, (_, row) in zip(arrows(edges), edges.iterrows(), strict=True)
    ]
    return ["source", "", "target", *columns, *(("linked", "direction") if told else ())], rows


def _sureness(row: "pd.Series[Any]", arrow: str, knowledge: bool) -> tuple[str, str]:
    """Return how likely the two are linked, and how likely the direction is given that they are."""
    linked = min(1.0, row["probability"] / row["direction"]) if row["direction"] > 0 else 0.0
    if arrow == "--":
        because = row.get("open_because", "")
        return _share(linked), f"open: {because}" if because else "open"
    return _share(linked), "known" if knowledge and row["direction"] == 1 else _share(row["direction"])


def _share(value: float) -> str:
    return "> 99%" if value > 0.99 else f"{value:.0%}"


def _number(name: str, value: Any) -> Any:
    if name == "sign":
        return {1: "+", -1: "-"}.get(int(value), "±")  # it rises and falls, or differs by level
    if name == "confounded":
        return "yes" if value else ""
    if name == "p_value" and value < LEAST_P:
        return p_text(value)
    return value if isinstance(value, str) else float(value)


def title(result: "Result") -> str:
    """Return the first line: method, size of the graph, rows."""
    edges = len(result.edge_table)
    return (
        f"Result of {result.method}: {len(result.names)} columns, {edges} edge{'' if edges == 1 else 's'}, "
        f"{result.n_samples} rows"
    )


def markup(result: "Result") -> str:
    """Return the result as HTML for a notebook; every name is escaped."""
    columns, rows = in_words(result.edge_table.head(SHOWN_EDGES), result.knowledge is not None)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_cell(value))}</td>" for value in row) + "</tr>" for row in rows
    )
    more = len(result.edge_table) - len(rows)
    rest = f"<p>and {more} more edges in <code>result.edges</code></p>" if more > 0 else ""
    first, sure = html.escape(title(result)), html.escape(headline(result))
    if not rows:  # nothing to put in a table, and every order fits
        return f"<div><p><b>{first}</b></p><p>{sure}</p></div>"
    return (
        f"<div><p><b>{first}</b></p><p>{sure}</p><p>{html.escape(order_line(result))}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}</div>"
    )


def short(name: Any, limit: int = LONGEST_NAME) -> str:
    """Return a name as one line of at most `limit` characters, without any that could steer a terminal."""
    line = " ".join(str(name).split()) or repr(name)
    line = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in line
    )
    return line if len(line) <= limit else line[: limit - 1] + "…"


def listed(names: Iterable[Any], separator: str) -> str:
    """Join names on one line, the middle of a long list left out."""
    texts = [short(name) for name in names]
    if len(texts) > SHOWN_NAMES:
        half = SHOWN_NAMES // 2
        texts = [*texts[:half], f"… {len(texts) - 2 * half} more …", *texts[-half:]]
    return separator.join(texts)


def _cell(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else short(value)
