"""Options that several commands take: what they are called and what their help says stands once."""

from typing import Annotated

import typer

DATA = "The table"  # panel of the help

Drop = Annotated[
    list[str] | None,
    typer.Option(help="Columns to leave out, as a,b,c; repeatable.", rich_help_panel=DATA),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=KIND",
        help="Take a column as continuous, binary, categorical, ordinal or count; repeatable.",
        rich_help_panel=DATA,
    ),
]
Interventions = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that names what was set in each row: a, or a,b; empty or obs for nothing, ? for unknown.",
        rich_help_panel=DATA,
    ),
]
Environment = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column of conditions under which unknown mechanisms may have changed.",
        rich_help_panel=DATA,
    ),
]
