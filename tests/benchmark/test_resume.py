"""A benchmark that is killed outright loses no finished run and repeats none."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

from dagscale.benchmark.store import key_of

METHODS = "peer:boardpeers.slow,peer:boardpeers.nothing"
COMMAND = ["run", "paper-er1", "--nodes", "10", "--seeds", "4", "--methods", METHODS, "--n-jobs", "2"]
TOTAL = 4 * 2 * 2  # seeds, units, methods


def start(out, log):
    code = "from dagscale.benchmark.cli import app; app()"
    command = [sys.executable, "-c", code, *COMMAND, "--out", str(out)]
    # its own session, to end its workers with it: they outlive a killed parent by a run, and hold its files
    with log.with_suffix(".out").open("w") as o, log.with_suffix(".err").open("w") as e:
        return subprocess.Popen(command, stdout=o, stderr=e, start_new_session=True)


def keys(path):
    text = path.read_text() if path.exists() else ""
    return [key_of(json.loads(line)) for line in text.split("\n")[:-1]]


def test_killed_and_resumed(peers, tmp_path):
    results = tmp_path / "results"
    path = results / "paper-er1.jsonl"
    first = start(results, tmp_path / "first")
    try:
        deadline = time.monotonic() + 60
        while len(keys(path)) < 3 and first.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(first.pid, signal.SIGKILL)
    saved = keys(path)
    assert 3 <= len(saved) < TOTAL
    with path.open("a") as file:
        file.write('{"case": {"nodes": 10, "half')  # as if the power had gone in the middle of a line

    second = start(results, tmp_path / "second")
    code = second.wait(timeout=120)
    out, err = ((tmp_path / f"second.{stream}").read_text() for stream in ("out", "err"))
    assert code == 0, err
    assert f"{TOTAL - len(saved)} runs made (0 failed), {len(saved)} found" in err
    whole = [line for line in path.read_text().splitlines() if line.endswith("}")]
    made = [key_of(json.loads(line)) for line in whole]
    assert made[: len(saved)] == saved
    assert len(made) == len(set(made)) == TOTAL
    assert "ER1, d = 10" in out
    assert "published" in out
