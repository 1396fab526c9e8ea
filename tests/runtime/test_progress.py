"""Progress: bars on a terminal, a line now and then elsewhere, a callable as it is."""

import pytest

from dagscale.runtime.progress import lines, reporter, silent


def test_without_a_terminal_a_line_is_written_at_growing_pauses():
    written, now = [], [0.0]
    tell = lines(written.append, clock=lambda: now[0])
    for second in range(0, 301, 1):
        now[0] = float(second)
        tell("searching", second, 300)
    assert written[:4] == [f"{s} s: searching, {s} of 300\n" for s in (10, 20, 40, 80)]
    assert len(written) == 7  # then every minute


@pytest.mark.parametrize("progress", [False, True])
def test_a_short_run_writes_nothing(progress, capsys):
    with reporter(progress) as report:
        report("searching", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_callable_is_used_as_it_is():
    with reporter(silent) as report:
        assert report is silent
