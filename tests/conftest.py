"""What tests of several modules share."""

import signal

import pytest

from dagscale.cli import _exit_code


def pytest_addoption(parser):
    parser.addoption("--most-skips", type=int, help="fail where more tests than this are skipped")


def pytest_configure():
    """Let Ctrl-C be heard by the programs that tests start: a shell's background job has it ignored, and they too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionfinish(session):
    """Fail a run that skipped more than it may, as CI asks: a test that never runs proves nothing."""
    most = session.config.getoption("--most-skips")
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if most is None or reporter is None:  # the workers of xdist have no reporter
        return
    skipped = len(reporter.stats.get("skipped", []))
    if skipped > most:
        reporter.ensure_newline()
        reporter.write_line(f"tests skipped: {skipped}, more than the {most} allowed", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


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
