"""Fuzzed tables of mixed columns: numbers, levels, counts, labels, dates and what people type by mistake."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import dagscale
from dagscale.inputs.kinds import KINDS
from stress.judge import Outcome, attempt, faults

Rng = np.random.Generator
Maker = Callable[[np.ndarray, Rng], Any]  # a hidden number a row -> a column that depends on it
ASKED = 7  # of so many results, one is asked everything


def _cut(z: np.ndarray, rng: Rng, levels: int) -> np.ndarray:
    noisy = z + rng.normal(size=len(z))
    return np.searchsorted(np.quantile(noisy, np.sort(rng.uniform(size=levels - 1))), noisy)


def _words(z: np.ndarray, rng: Rng) -> np.ndarray:
    pool = np.array(["yes", "no", "may be", "ä ö", "=1+1", "a,b", "<b>", "x" * 300, "new\nline", "0.5"])
    return rng.permutation(pool)[_cut(z, rng, int(rng.integers(2, 10)))]


def _gappy(made: Maker) -> Maker:
    def column(z: np.ndarray, rng: Rng) -> Any:
        values = pd.Series(made(z, rng), dtype=object)
        values[rng.random(len(z)) < rng.uniform(0, 0.3)] = None
        return values

    return column


MAKERS: dict[str, Maker] = {
    "number": lambda z, rng: z + rng.normal(size=len(z)),
    "rounded": lambda z, rng: np.round(z + rng.normal(size=len(z)), int(rng.integers(0, 2))),
    "words": _words,
    "words with gaps": _gappy(_words),
    "boolean": lambda z, rng: z + rng.normal(size=len(z)) > rng.normal(),
    "boolean with gaps": _gappy(lambda z, rng: z > rng.normal()),
    "grade": lambda z, rng: 1 + _cut(z, rng, int(rng.integers(2, 8))),
    "grade with gaps": _gappy(lambda z, rng: 1.0 * _cut(z, rng, 4)),
    "category": lambda z, rng: pd.Categorical(_words(z, rng)),
    "category of numbers": lambda z, rng: pd.Categorical(_cut(z, rng, 5) * 10),
    "ordered": lambda z, rng: pd.Categorical.from_codes(_cut(z, rng, 4), list("wzxyq"), ordered=True),
    "count": lambda z, rng: rng.poisson(np.exp(np.clip(rng.normal() + 0.5 * z, -5, 8))),
    "rare": lambda z, rng: np.where(rng.random(len(z)) < 3 / len(z), "rare", "common"),
    "many levels": lambda z, rng: np.array([f"l{k}" for k in rng.geometric(0.1, len(z))]),
    "name": lambda z, rng: np.array([f"person {k}" for k in rng.permutation(len(z))]),
    "id": lambda z, rng: np.arange(len(z)),
    "date": lambda z, rng: pd.date_range("2020", periods=len(z)),
    "constant": lambda z, rng: np.full(len(z), "same"),
    "objects": lambda z, rng: pd.Series([[1]] * len(z)),
    "slip": lambda z, rng: pd.Series([*map(str, z[:-1]), "1.2.3"]),
    "infinite": lambda z, rng: np.where(np.arange(len(z)) == 3, np.inf, z),
}
USUAL = ("number", "number", "words", "boolean", "grade", "category", "ordered", "count")


def mixed_table(seed: int) -> tuple[str, pd.DataFrame, dict[str, Any]]:
    """Return what was made of a seed, the table and the options it is tried with."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(15, 250)), int(rng.integers(2, 8))
    odd = rng.uniform() < 0.5
    chosen = [str(rng.choice(list(MAKERS) if odd and rng.uniform() < 0.4 else USUAL)) for _ in range(d)]
    hidden = rng.normal(size=(n, 2))
    columns = {f"{kind} {k}": MAKERS[kind](hidden[:, k % 2], rng) for k, kind in enumerate(chosen)}
    if rng.uniform() < 0.1:
        hot = _cut(hidden[:, 0], rng, 3)
        columns |= {f"is {k}": (hot == k).astype(int) for k in range(3)}
    method = str(rng.choice(["auto", "auto", "cam", "cam", "varsort", "das"]))
    options: dict[str, Any] = {"method": method, "n_jobs": 1, "random_state": seed}
    options |= {"effort": "quick"} if method == "auto" else {}
    options["missing"] = str(rng.choice(["impute", "drop", "raise"], p=[0.5, 0.4, 0.1]))
    if rng.uniform() < 0.2:
        options["kinds"] = {str(rng.choice(list(columns))): str(rng.choice(KINDS))}
    if rng.uniform() < 0.1:
        options["transform"] = "rank"
    return ", ".join(chosen), pd.DataFrame(columns), options


def mixed(seed: int) -> list[Outcome]:
    """Try the table of one seed."""
    label, table, options = mixed_table(seed)
    label = f"seed {seed}: {label}, {options}"
    found: list[dagscale.Result] = []

    def discover() -> list[str]:
        found.append(dagscale.discover(table, **options))
        return faults(found[0]) + _kind_faults(found[0])

    outcomes = [attempt("mixed tables", label, discover)]
    if found and seed % ASKED == 0:
        outcomes.append(attempt("mixed results", label, _asked, found[0]))
    return outcomes


def _kind_faults(result: dagscale.Result) -> list[str]:
    """List what does not fit between kinds, levels and rows."""
    wrong = []
    assert result.sample is not None
    for j, name in enumerate(result.names):
        own = result.levels.get(name)
        if (own is None) != (result.kinds[name] in ("continuous", "count")):
            wrong.append(f"{name} has levels and no codes, or codes and no levels")
        elif own is not None and not set(np.unique(result.sample[:, j])) <= set(range(len(own))):
            wrong.append(f"{name} has codes without a level")
    return wrong


def _asked(result: dagscale.Result) -> list[str]:
    """Ask for checks, reasons, the page's data and resamples."""
    from dagscale.result.report.payload import payload

    first, last = result.names[0], result.names[-1]
    texts = [repr(result), str(result.why(first, last)), str(result.diagnostics), result.to_dot()]
    payload(result, lambda *_: None)
    if result.method != "auto":
        result.with_confidence(2, n_jobs=1)
    return [] if all(texts) else ["an empty answer"]
