import contextlib
import sys
import threading
import time

import numpy as np
import pytest

from dagscale.benchmark.measure import TimeLimitReached, measured, time_limit

MB = 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot reset the high-water mark")
def test_a_small_run_does_not_inherit_the_peak_of_a_large_one():
    with measured() as large:
        np.ones(200 * MB // 8).sum()
    with measured() as small:
        np.ones(MB // 8).sum()
    assert large.peak_mb - large.start_mb > 190
    assert small.peak_mb - small.start_mb < 50


def test_sleeping_costs_wall_time_but_no_cpu_time():
    with measured() as cost:
        time.sleep(0.2)
    assert cost.wall >= 0.2
    assert cost.cpu < 0.15


def test_cost_is_known_after_an_error():
    with pytest.raises(ZeroDivisionError), measured() as cost:
        1 / 0  # noqa: B018
    assert cost.wall >= 0
    assert cost.peak_mb > 0


def test_the_limit_stops_what_catches_every_exception():
    started = time.monotonic()
    with pytest.raises(TimeLimitReached):
        _stubborn()
    assert time.monotonic() - started < 2


def _stubborn():
    with time_limit(0.1):
        while True:
            with contextlib.suppress(Exception):
                time.sleep(5)


def test_no_alarm_is_left_behind():
    with time_limit(0.2):
        pass
    time.sleep(0.3)
    with time_limit(None):
        time.sleep(0.01)


def test_in_a_thread_there_is_no_limit_but_no_failure():
    ended = []

    def work():
        with time_limit(0.05):
            time.sleep(0.15)
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [True]
