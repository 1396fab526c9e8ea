import io

from dagscale.benchmark import watch as module
from dagscale.benchmark.cases import Case
from dagscale.benchmark.rows import Row
from dagscale.benchmark.suite import Trial
from dagscale.benchmark.watch import lines

SMALL, LARGE = (Trial(Case("ER1", d), Row("das"), 0) for d in (10, 20))
DONE = {"status": "ok", "wall": 4.0, "metrics": {"shd": 2}}


def test_lines_count_forecast_and_are_not_too_many(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    watch = lines(stream)
    now[0] = 10.0
    watch(SMALL, DONE, [LARGE, LARGE])
    watch(SMALL, DONE | {"status": "timeout"}, [LARGE] * 30)
    now[0] = 12.0
    watch(LARGE, DONE, [LARGE])  # too soon after the first
    watch(LARGE, {"status": "error", "error": "ValueError: no"}, [])
    assert stream.getvalue().splitlines() == [
        "[1/3] das on ER1 d=10 standardised seed 0: SHD 2 in 4.0 s; about 80 s left",  # 2 × 4 times the cost
        "[2/32] das on ER1 d=10 standardised seed 0: timeout; about 10 min left",
        "[4/4] das on ER1 d=20 standardised seed 0: error ValueError: no; about 0 s left",
    ]


def test_a_table_without_a_graph_tells_its_tier_score_and_a_pair_whether_it_is_right():
    tiers, pair = (DONE | {"metrics": metrics} for metrics in ({"tier_score": -1}, {"right": 0.5}))
    assert module.outcome(SMALL, tiers).endswith("tier score -1 in 4.0 s")
    assert module.outcome(SMALL, pair).endswith("right 0.5 in 4.0 s")
