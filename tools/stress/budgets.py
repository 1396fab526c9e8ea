"""Time budgets: an answer within 1.3 times the budget, or with the quick answer if that takes longer."""

import time
from collections.abc import Iterator

import dagscale
from stress.judge import Outcome, attempt

KEPT = 1.3
SLACK = 0.5  # seconds: a busy machine
SIZES = ((5, 200), (10, 400), (20, 300), (15, 1000))
BUDGETS = (2.0, 10.0)


def budgets() -> Iterator[Outcome]:
    """Run `auto` under budgets on tables of several sizes."""
    for nodes, samples in SIZES:
        table = dagscale.simulate(nodes=nodes, samples=samples, random_state=11).table
        started = time.monotonic()
        dagscale.discover(table, effort="quick", n_jobs=1)
        quick = time.monotonic() - started
        for budget in BUDGETS:
            label = f"{nodes} columns, {samples} rows, {budget} s (quick answer {quick:.1f} s)"
            yield attempt("budgets", label, _kept, table, budget, quick)


def _kept(table: object, budget: float, quick: float) -> list[str]:
    started = time.monotonic()
    dagscale.discover(table, time_budget=budget, n_jobs=1)
    taken = time.monotonic() - started
    allowed = max(KEPT * budget, KEPT * quick) + SLACK
    return [] if taken <= allowed else [f"took {taken:.1f} s"]
