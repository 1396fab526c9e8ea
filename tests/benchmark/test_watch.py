import io

import pytest

from dagscale.benchmark.cases import Case
from dagscale.benchmark.forecast import Forecast, in_words
from dagscale.benchmark.rows import Row
from dagscale.benchmark.suite import Trial
from dagscale.benchmark.watch import watching

TRIAL = Trial(Case("ER1", 10), Row("das"), 0)


def record(method="das", nodes=10, wall=4.0, **more):
    return {
        "method": method,
        "case": {"nodes": nodes},
        "wall": wall,
        "status": "ok",
        "metrics": {"shd": 2},
    } | more


def test_forecast_by_row_and_size():
    forecast = Forecast([record(wall=3.0), record(wall=5.0), record("cam", 20, 1.0)])
    assert forecast.seconds(("das", 10)) == 4
    assert forecast.seconds(("das", 20)) == 16  # four times the cost at twice the size
    assert forecast.seconds(("score", 20)) == 1  # nothing known of it: the mean at that size
    assert forecast.seconds(("score", 50)) is None
    assert forecast.remaining({("das", 10): 3, ("cam", 20): 2}, workers=2) == 7
    # the unknown kind counts as the mean of the known ones
    assert forecast.remaining({("das", 10): 1, ("score", 50): 1}, workers=1) == 8
    assert forecast.remaining({("score", 50): 1}, workers=1) is None
    assert forecast.remaining({("das", 10): 0}, workers=1) == 0


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (80, "80 s"), (600, "10 min"), (9000, "2.5 h"), (2e5, "2.3 days")]
)
def test_durations(seconds, words):
    assert in_words(seconds) == words


def test_lines_without_a_terminal():
    stream = io.StringIO()
    with watching(stream) as watch:
        watch(TRIAL, record(), 1, 3, 61.0)
        watch(TRIAL, record(), 2, 3, 50.0)  # too soon after the first
        failed = {"status": "error", "error": "ValueError: no"}
        watch(TRIAL, failed, 3, 3, 0.0)
    assert stream.getvalue().splitlines() == [
        "[1/3] das on ER1 d=10 standardised seed 0: SHD 2 in 4.0 s; about 61 s left",
        "[3/3] das on ER1 d=10 standardised seed 0: error ValueError: no; about 1 s left",
    ]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_on_a_terminal(capsys):
    with watching(Terminal()) as watch:
        watch(TRIAL, record(), 1, 1, None)
    assert capsys.readouterr().out == ""
