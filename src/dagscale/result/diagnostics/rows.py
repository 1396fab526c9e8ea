"""The checks of the rows: every method takes them for independent draws."""

import numpy as np

from dagscale.result.diagnostics.check import DOUBTFUL, OK, Check, verdict_of
from dagscale.runtime.types import FloatArray

SERIAL, STRONGLY_SERIAL = 0.1, 0.3  # mean absolute rank correlation of residuals with the row before
SURPRISING = 4.0  # standard errors of one correlation
REPEATED, OFTEN_REPEATED = 0.01, 0.1  # shares of the rows
TELLING = 0.5  # share of distinct rows that have a value of their own in some column: repeats are then no coincidence


def row_order(residuals: FloatArray, allowed_for: bool = False) -> Check:
    """Do the residuals (n, d) follow those of the row before, and did the method allow for that?"""
    n = len(residuals)
    ranks = np.argsort(np.argsort(residuals, axis=0, kind="stable"), axis=0).astype(np.float64)
    ranks -= ranks.mean(axis=0)
    correlation = np.abs((ranks[1:] * ranks[:-1]).sum(axis=0) / np.maximum((ranks**2).sum(axis=0), 1e-300))
    mean = float(correlation.mean()) if correlation.size else 0.0
    surprising = correlation.max(initial=0.0) * np.sqrt(n) > SURPRISING
    verdict = verdict_of(mean, SERIAL, STRONGLY_SERIAL) if surprising else OK
    said = f"residuals have a correlation of {mean:.2f} with those of the row before, on average"
    if verdict != OK:
        said += ": the rows are not independent (a time series, families, batches?)"
        said += (
            "; the method reduced its evidence accordingly"
            if allowed_for
            else ", so all evidence is overstated. Take every k-th row, or columns of differences"
        )
        verdict = DOUBTFUL if allowed_for else verdict
    return Check("row order", None, mean, verdict, said)


def repeated_rows(X: FloatArray) -> Check:
    """Are rows (n, d) exact copies of others, though columns have values enough to tell them apart?"""
    n = len(X)
    distinct = np.unique(X, axis=0)
    share = 1.0 - len(distinct) / n
    own = max(len(np.unique(column)) for column in distinct.T) / len(distinct)
    verdict = verdict_of(share, REPEATED, OFTEN_REPEATED) if own >= TELLING else OK
    count = n - len(distinct)
    said = f"{count} of {n} rows {'is an exact copy' if count == 1 else 'are exact copies'} of others"
    if verdict != OK:
        said += ": they were counted as new information. Drop them unless they were measured anew"
    return Check("repeated rows", None, share, verdict, said)
