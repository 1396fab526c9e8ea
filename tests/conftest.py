"""What tests of several modules share."""

import pytest

from dagscale.cli import _exit_code


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
