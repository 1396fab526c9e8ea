"""How long what remains will take, judged by the runs that are done."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean

from dagscale.benchmark.store import Record
from dagscale.benchmark.suite import Trial

GROWTH = 2  # a size that has not been run yet is taken to cost (d / d')² of the nearest one that has
Kind = tuple[str, int]  # a row and a size: the runs that are taken to cost the same


def kind_of(trial: Trial) -> Kind:
    """Return what a run's time is judged by."""
    return trial.row.name, trial.case.nodes


class Forecast:
    """Mean time of each row at each size, from records as they come in."""

    def __init__(self, known: Iterable[Record] = ()) -> None:
        self._spent: dict[str, dict[int, list[float]]] = defaultdict(dict)  # row -> size -> [seconds, runs]
        for record in known:
            self.learn(record)

    def learn(self, record: Record) -> None:
        """Take in a finished run, failed or not."""
        if record.get("wall") is not None:
            spent = self._spent[record["method"]].setdefault(record["case"]["nodes"], [0.0, 0])
            spent[0] += record["wall"]
            spent[1] += 1

    def seconds(self, kind: Kind) -> float | None:
        """Predict the time of one run; None before anything is known."""
        row, nodes = kind
        sizes = self._spent.get(row)
        if not sizes:
            same_size = [s[nodes][0] / s[nodes][1] for s in self._spent.values() if nodes in s]
            return fmean(same_size) if same_size else None
        nearest = min(sizes, key=lambda d: abs(d - nodes))
        total, runs = sizes[nearest]
        return total / runs * float(nodes / nearest) ** GROWTH

    def remaining(self, waiting: Mapping[Kind, int], workers: int) -> float | None:
        """Predict the time of so many runs of each kind; kinds nothing is known of count as the mean."""
        each = {kind: self.seconds(kind) for kind, runs in waiting.items() if runs}
        known = {kind: s for kind, s in each.items() if s is not None}
        if not known:
            return None if each else 0.0
        unknown = sum(waiting[kind] for kind in each.keys() - known.keys())
        return (
            sum(s * waiting[kind] for kind, s in known.items()) + fmean(known.values()) * unknown
        ) / workers


def in_words(seconds: float) -> str:
    """Write a duration as a person would."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 36 * 3600 else f"{seconds / 86400:.1f} days"
