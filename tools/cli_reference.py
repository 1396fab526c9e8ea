"""Write docs/cli.md, the reference of all commands and options; with --check, only say whether it drifted.

    python tools/cli_reference.py [--check]

The page is read off the typer application itself, by attributes that all supported versions of typer have.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from dagscale.cli import app

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
HEAD = """# Command line

Every command and option, read off the program by `python tools/cli_reference.py`; a test fails when this page
and the program differ. `dagscale COMMAND --help` prints the same on a terminal.

Results go to standard output, notes and errors to standard error. The exit code is 0 when the command did its
work, 2 when the input is at fault (one line names the culprit and the remedy), 130 when it was interrupted.
"""


def commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield (path, command) for every command that does something, in the order of the help page."""
    subcommands = getattr(command, "commands", {})
    if not subcommands:
        yield path, command
    for name, each in subcommands.items():
        yield from commands(each, f"{path} {name}")


def value_name(parameter: Any) -> str:
    """Name what follows an option, or stands for an argument."""
    return parameter.metavar or str(parameter.name).strip("_").upper()


def usage(path: str, command: Any) -> str:
    """Return the line that shows how a command is called."""
    parts = [path]
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            name = value_name(parameter) + ("..." if parameter.nargs == -1 else "")
            parts.append(name if parameter.required else f"[{name}]")
    return " ".join([*parts, "[OPTIONS]"])


def default_of(parameter: Any) -> str:
    """Return a parameter's default as text, empty where there is none worth showing."""
    default = parameter.default
    if parameter.required:
        return "required"
    if isinstance(default, bool) or not isinstance(default, str | int | float | Path):
        return ""
    return f"`{default}`" if str(default) else ""


def spelled(parameter: Any) -> str:
    """Return how a parameter is written on the command line."""
    if parameter.param_type_name == "argument":
        return f"`{value_name(parameter)}`"
    names = [*parameter.opts, *parameter.secondary_opts]
    value = "" if parameter.is_flag else f" {value_name(parameter)}"
    return ", ".join(f"`{name}{value}`" for name in names)


def table(command: Any) -> list[str]:
    """Return the table of a command's arguments and options."""
    rows = []
    for parameter in command.params:
        if getattr(parameter, "hidden", False) or "--help" in parameter.opts:
            continue
        text = re.sub(r"\s+", " ", parameter.help or "").replace("|", "\\|")
        rows.append(f"| {spelled(parameter)} | {text} | {default_of(parameter)} |")
    return ["| argument or option | meaning | default |", "|---|---|---|", *rows] if rows else ["No options."]


def section(path: str, command: Any) -> str:
    """Return the section of one command."""
    text = "\n".join(line.rstrip() for line in (command.help or "").strip().splitlines())
    return "\n".join(
        [f"## `{path}`", "", text, "", "```text", usage(path, command), "```", "", *table(command), ""]
    )


def page() -> str:
    """Return the whole page."""
    found = commands(typer.main.get_command(app), "dagscale")
    return "\n".join([HEAD, *(section(path, command) for path, command in found)])


def main(check: bool) -> int:
    """Write or check the page; return the exit code."""
    text = page()
    if not check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/cli.md differs from the commands: python tools/cli_reference.py")
    return 1


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
