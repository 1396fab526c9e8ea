"""Progress: bars on a terminal, a line now and then elsewhere, a callable as it is."""

import time

import pytest

from dagscale.runtime.progress import fitted, kept_alive, lines, reporter, silent


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


def test_the_line_goes_on_without_news_and_keeps_the_best_score():
    told = []
    with kept_alive(lambda *news: told.append(news), pause=0.001) as news:
        news("curves, best so far 12 nats", 1, 4)
        news("interactions", 2, 4)
        limit = time.monotonic() + 30.0
        while len(told) < 5 and time.monotonic() < limit:
            time.sleep(0.001)
    assert told[:3] == [
        ("curves, best so far 12 nats", 1, 4),
        ("interactions, best so far 12 nats", 2, 4),
        ("interactions, best so far 12 nats", 2, 4),
    ]
    assert len(told) >= 5
    ended = len(told)
    time.sleep(0.02)
    assert len(told) == ended


def test_a_terminal_has_one_line_that_says_what_is_done(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("dagscale.runtime.progress.DELAY", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with reporter(True) as report:
        report("curves, best so far 12 nats", 1, 4)
        time.sleep(0.3)
        report("interactions", 2, 4)
        time.sleep(0.6)
    drawn = capsys.readouterr().err
    assert "interactions, best so far 12 nats" in drawn


def test_a_narrow_line_keeps_the_score_and_cuts_what_is_done():
    label = "how sure: comparing graphs with one link changed, best so far log likelihood +1927"
    assert fitted(label, 200) == label
    cut = fitted(label, 62)
    assert len(cut) == 62
    assert cut.startswith("how sure: comparing")
    assert cut.endswith("…, best so far log likelihood +1927")
