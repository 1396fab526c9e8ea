"""A deadline, or Ctrl-C once, ends a search with the best it has; Ctrl-C twice interrupts it."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from dagscale.runtime.clock import late, stoppable, why_late

CODE = """
import dagscale, os, signal, sys, threading, time
table = dagscale.simulate(nodes=15, edges_per_node=2, samples=500, random_state=1000).table

def pressed(label, done, total):
    if "best so far" in label and not sent:
        sent.append(time.monotonic())
        for _ in range(int(sys.argv[1])):
            os.kill(os.getpid(), signal.SIGINT)

sent = []
try:
    result = dagscale.discover(table, progress=pressed, n_jobs=1)
    said = [note for note in result.notes if "Ctrl-C" in note]
    print(time.monotonic() - sent[0] < 60, said, result.adjacency.sum() > 0)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    ("times", "said"),
    [("1", "True ['Ctrl-C ended the search: this is the best graph so far'] True"), ("2", "interrupted")],
)
def test_ctrl_c_once_returns_the_best_graph_and_twice_interrupts(times, said):
    ran = subprocess.run([sys.executable, "-c", CODE, times], capture_output=True, text=True, timeout=250)
    assert ran.stdout.strip() == said, ran.stderr


@pytest.fixture
def usual_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # some libraries leave their own
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("usual_handler")
def test_what_ended_is_said_and_forgotten():
    with stoppable():
        assert not late(float("inf"))
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        assert late(float("inf"))
        assert why_late().startswith("Ctrl-C")
    assert not late(float("inf"))
    assert why_late().startswith("the time budget")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("usual_handler")
def test_other_threads_and_other_handlers_are_left_alone():
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        with stoppable():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            assert seen == [1]
            assert not late(float("inf"))
    finally:
        signal.signal(signal.SIGINT, before)

    def elsewhere():
        with stoppable():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen[-1] is signal.default_int_handler
