"""What tests of several modules share."""

from dataclasses import replace

import pytest

from dagscale.cli import _exit_code
from dagscale.methods.auto import method


@pytest.fixture
def refused(capsys):
    """Run a command that must fail; return its one line."""

    def line(*arguments):
        assert _exit_code(list(arguments)) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith("dagscale: ")
        assert printed.err.count("\n") == 1
        return printed.err

    return line


@pytest.fixture
def many_columns(monkeypatch):
    """Let `auto` treat any table as one of many columns, which starts from CAM's greedy search."""
    monkeypatch.setattr(method, "SETTINGS", replace(method.SETTINGS, narrow_table=0))
