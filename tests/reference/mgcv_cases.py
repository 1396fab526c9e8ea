"""The random additive tables on which dagscale's splines are compared with mgcv, and the comparison itself.

Draws come from raw PCG64 integers, a stream numpy guarantees, so that stored reference values stay valid.

    python tests/reference/mgcv_cases.py             # fit mgcv to all of them again (minutes) and store it
    python tests/reference/mgcv_cases.py fresh 5000  # compare on cases that played no part in development
"""

import csv
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.special import ndtri

HERE = Path(__file__).parent
ROWS = (200, 500, 1000)
TERMS = (1, 2, 4, 8, 16)
ADDITIVE = range(95)  # 622 terms
NARROW = range(200, 212)  # rank k = 3 .. 8
REML = range(300, 312)
NULL = range(2500)  # four terms each
SHAPES = (
    lambda x: x,
    lambda x: x**2 / np.sqrt(2),
    lambda x: np.sin(2 * x) * np.sqrt(2),
    lambda x: np.tanh(2 * x),
    lambda x: np.abs(x) - 0.8,
    lambda x: np.sin(5 * x),
)


class Draws:
    """Uniform and normal numbers from a stream that no numpy release changes."""

    def __init__(self, seed):
        self._bits = np.random.PCG64(seed)

    def uniform(self, *shape):
        raw = self._bits.random_raw(int(np.prod(shape, dtype=int)))
        return ((raw >> np.uint64(11)).astype(float) + 0.5).reshape(shape) / 2.0**53

    def normal(self, *shape):
        return ndtri(self.uniform(*shape))

    def integer(self, low, high):
        return low + int(self.uniform(1)[0] * (high - low))


def covariates(draws, n, p):
    """Correlated columns: normal, uniform, skewed or rounded."""
    common = draws.normal(n, 1)
    share = 0.7 * draws.uniform(1)[0]
    Z = np.sqrt(1 - share) * draws.normal(n, p) + np.sqrt(share) * common
    columns = []
    for z in Z.T:
        kind = draws.integer(0, 6)
        columns.append({3: np.tanh(z), 4: np.exp(z / 2), 5: np.round(4 * z) / 4}.get(kind, z))
    return np.column_stack(columns)


def additive_case(seed):
    """Return X (n, p), y (n,) of one random additive model: null, weak and strong terms mixed."""
    draws = Draws(seed)
    n = ROWS[draws.integer(0, len(ROWS))]
    p = TERMS[draws.integer(0, len(TERMS))]
    X = covariates(draws, n, p)
    y = draws.normal(n)
    for x in X.T:
        kind = draws.uniform(1)[0]
        shape = SHAPES[draws.integer(0, len(SHAPES))]
        z = (x - x.mean()) / x.std()
        # a weak term's signal is a few standard errors: its p-value is about as likely above 0.001 as below
        weak = np.sqrt((8 + 24 * draws.uniform(1)[0]) / n)
        y = y + (0.0 if kind < 0.35 else weak if kind < 0.75 else 0.7) * shape(z)
    return X, y


def null_case(seed):
    """Return X (200, 4) and a y (200,) that has nothing to do with it."""
    draws = Draws(100_000 + seed)
    return covariates(draws, 200, 4), draws.normal(200)


def case_name(seed, k=None):
    return f"c{seed:04d}" + ("" if k is None else f"_k{k}")


def narrow_rank(seed):
    return 3 + seed % 6


def mgcv_found():
    """Say whether Rscript with mgcv can be called."""
    if shutil.which("Rscript") is None:
        return False
    asked = ["Rscript", "-e", 'cat(requireNamespace("mgcv", quietly = TRUE))']
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() == "TRUE"


def run_mgcv(cases, method="GCV.Cp"):
    """Fit mgcv to cases {name: (X, y)}; return its rows as dictionaries."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (X, y) in cases.items():
            header = ",".join(["y", *(f"x{i + 1}" for i in range(X.shape[1]))])
            np.savetxt(
                Path(folder, name + ".csv"),
                np.column_stack([y, X]),
                fmt="%.17g",
                delimiter=",",
                header=header,
                comments="",
            )
        command = ["Rscript", str(HERE / "mgcv.R"), folder, method]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(told.splitlines()))


def stored(name):
    """Read stored reference rows, by case."""
    by_case = {}
    with (HERE / f"{name}.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            by_case.setdefault(row["case"], []).append(row)
    return by_case


def store(name, rows, columns):
    with (HERE / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    columns = ["case", "term", "p_value", "edf", "edf1", "criterion", "deviance"]
    store("mgcv_additive", run_mgcv({case_name(s): additive_case(s) for s in ADDITIVE}), columns)
    narrow = {case_name(s, narrow_rank(s)): additive_case(s) for s in NARROW}
    store("mgcv_narrow", run_mgcv(narrow), columns)
    store("mgcv_reml", run_mgcv({case_name(s): additive_case(s) for s in REML}, "REML"), columns)
    null = run_mgcv({case_name(s): null_case(s) for s in NULL})
    for row in null:
        row["p_value"] = f"{float(row['p_value']):.4g}"
    store("mgcv_null", null, ["case", "term", "p_value"])


def fresh(first, count=95, level=0.001):
    """Print on how many terms of new cases dagscale and mgcv decide alike."""
    from dagscale.models.splines import AdditiveFit, SplineTable

    seeds = range(first, first + count)
    theirs = {}
    for row in run_mgcv({case_name(s): additive_case(s) for s in seeds}):
        theirs.setdefault(row["case"], []).append(float(row["p_value"]))
    alike = total = 0
    for s in seeds:
        X, y = additive_case(s)
        table = SplineTable.of(np.column_stack([y, X]), n_jobs=1)
        ours = AdditiveFit.of(table, 0, range(1, X.shape[1] + 1), rank=10).p_values  # mgcv's default basis
        same = (ours < level) == (np.array(theirs[case_name(s)]) < level)
        alike, total = alike + int(same.sum()), total + len(same)
    sys.stdout.write(f"seeds {first} on: the same decision at {level} on {alike} of {total} terms\n")


if __name__ == "__main__":
    fresh(int(sys.argv[2])) if sys.argv[1:2] == ["fresh"] else main()
