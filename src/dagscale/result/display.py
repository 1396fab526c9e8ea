"""A result in a few lines, for the prompt and for notebooks."""

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dagscale.result.certainty import headline

if TYPE_CHECKING:
    import pandas as pd

    from dagscale.result import Result

SHOWN_EDGES = 10
SHOWN_NAMES = 12
LONGEST_NAME = 40


def text(result: "Result") -> str:
    """Return the result on a few lines: what it is, its order, its strongest edges."""
    lines = [title(result), f"  {headline(result)}", f"  {order_line(result)}"]
    table = result.edge_table.head(5)
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


def title(result: "Result") -> str:
    """Return the first line: method, size of the graph, rows."""
    edges = len(result.edge_table)
    return (
        f"Result of {result.method}: {len(result.names)} columns, {edges} edge{'' if edges == 1 else 's'}, "
        f"{result.n_samples} rows"
    )


def markup(result: "Result") -> str:
    """Return the result as HTML for a notebook; every name is escaped."""
    table = result.edge_table.head(SHOWN_EDGES)
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in table.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_cell(value))}</td>" for value in row) + "</tr>"
        for row in table.itertuples(index=False, name=None)
    )
    more = len(result.edge_table) - len(table)
    rest = f"<p>and {more} more edges in <code>result.edges</code></p>" if more > 0 else ""
    order = html.escape(order_line(result))
    first, sure = html.escape(title(result)), html.escape(headline(result))
    return (
        f"<div><p><b>{first}</b></p><p>{sure}</p><p>{order}</p><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{rest}</div>"
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
    return f"{value:.4g}" if isinstance(value, float) else short(value)
