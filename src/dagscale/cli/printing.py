"""What the commands print: results on stdout, notes on stderr, names always as plain text."""

import json
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from dagscale.result.display import in_words

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

PLAIN_WIDTH = 120  # of a line where there is no terminal
SHOWN_EDGES = 40


def console() -> "Console":
    """Return the console on stdout; without a terminal its lines have a fixed width and no colours."""
    import sys

    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False)


def note(line: str) -> None:
    """Write one line for the person to stderr."""
    from dagscale.cli.hints import in_options

    typer.echo(in_options(line), err=True)


@contextmanager
def warnings_as_notes(quiet: bool) -> Iterator[None]:
    """Show our own warnings as one line on stderr each, instead of Python's two with a file name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if not quiet:
        for line in dict.fromkeys(
            str(item.message) for item in caught if issubclass(item.category, UserWarning)
        ):
            note(f"warning: {line}")


def print_json(value: Any) -> None:
    """Write one JSON document to stdout; what is not a finite number is null."""
    typer.echo(json.dumps(_plain(value), indent=1))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table; numbers to the right, names as they are, whatever they contain."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=Text(title), title_justify="left", title_style="bold")
    for k, name in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[k], int | float) for row in rows)
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    console().print(table)


def print_edges(edges: "pd.DataFrame", knowledge: bool = False) -> None:
    """Print the strongest edges as a table: where the method tells, how sure the link and its direction are.

    `knowledge` says that some was given, which is what makes a direction certain.
    """
    columns, rows = in_words(edges.head(SHOWN_EDGES), knowledge)
    more = len(edges) - len(rows)
    title = f"{len(edges)} edge{'' if len(edges) == 1 else 's'}" + (
        f", the strongest {len(rows)} shown" if more else ""
    )
    print_table(title, columns, rows)


def _cell(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
