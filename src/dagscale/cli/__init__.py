"""The command `dagscale`: parse, call, write. Every command lives in its own small file.

Heavy modules are imported inside the commands, so that `--help` and errors of spelling answer at once.
"""

import io
import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import typer

from dagscale.cli import datasets, discover, evaluate, plan, saved, simulate
from dagscale.cli.app import command
from dagscale.runtime.errors import DagscaleError
from dagscale.runtime.face import COMMAND_LINE, words_of

EXAMPLES = """
**Start here**

- `dagscale discover --demo` — two tables with known graphs, no file needed

- `dagscale discover data.csv --out run/` — your table: result, edges, report page

- `dagscale open data.csv` — the same on a page in your browser, on this machine

- `dagscale why run/ rain wet` — why this edge is there, or is not

- `dagscale effect run/ rain wet` — what setting one column does to another

- `dagscale plot run/ graph.pdf` — a figure for a paper

- `dagscale compare run/ earlier/` — what two graphs share, and what only one has

- `dagscale evaluate truth.csv run/` — how far the graph is from a known one
"""

app = typer.Typer(
    name="dagscale",
    help="Find the causal graph behind a table.\n" + EXAMPLES,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class _Interrupted(Exception):
    """Ctrl-C in one of our own commands; typer would turn it into a bare exit code."""


def _add_command(name: str, function: Callable[..., None]) -> None:
    @wraps(function)
    def command(*arguments: Any, **options: Any) -> None:
        try:
            function(*arguments, **options)
        except KeyboardInterrupt as stop:
            raise _Interrupted(str(stop)) from None

    app.command(name)(command)


_add_command("discover", discover.discover)
_add_command("open", command.open_)
_add_command("evaluate", evaluate.evaluate)
_add_command("why", saved.why)
_add_command("effect", saved.effect)
_add_command("compare", saved.compare)
_add_command("report", saved.report)
_add_command("plot", saved.plot)
_add_command("plan", plan.plan)
_add_command("simulate", simulate.simulate)
_add_command("datasets", datasets.datasets)


def _print_version(wanted: bool) -> None:
    if wanted:
        from dagscale.runtime.versions import __version__

        typer.echo(f"dagscale {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Options before the command; the help text is `app`'s."""


def _add_benchmark() -> None:
    try:
        from dagscale.benchmark.cli import app as benchmark
    except ModuleNotFoundError:  # a slim installation without the benchmark
        return
    app.add_typer(benchmark, name="benchmark")


_add_benchmark()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 2 the input's fault (one line on stderr), 130 interrupted."""
    sys.exit(_exit_code(arguments))


def _exit_code(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may not know the characters of a column's name
            stream.reconfigure(errors="replace")
    try:
        with words_of(COMMAND_LINE):
            code = app(args=arguments, standalone_mode=False, prog_name="dagscale")
        sys.stdout.flush()
    except DagscaleError as error:
        return _complain(str(error))
    except (_Interrupted, KeyboardInterrupt) as stop:
        return _complain(f"interrupted, {str(stop) or 'nothing was written'}", code=130)
    except MemoryError:
        return _complain("not enough memory; use fewer rows or columns, or another machine", code=1)
    except BrokenPipeError:  # the reader of our output, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        # Errors of spelling; typer keeps their class in another place from version to version.
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "dagscale"
        return _complain(f"{error.format_message()} See `{command} --help`.")
    return code if isinstance(code, int) else 0


def _complain(line: str, code: int = 2) -> int:
    from dagscale.cli.hints import in_options

    typer.echo(f"dagscale: {in_options(' '.join(line.split()))}", err=True)
    return code
