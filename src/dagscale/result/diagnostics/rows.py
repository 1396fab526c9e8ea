"""The checks of the rows: every method takes them for independent draws."""

import numpy as np

from dagscale.inputs.table.copies import copied_rows
from dagscale.result.diagnostics.check import DOUBTFUL, OK, Check, verdict_of
from dagscale.runtime.types import FloatArray

SERIAL, STRONGLY_SERIAL = 0.1, 0.3  # mean absolute rank correlation of residuals with the row before
SURPRISING = 4.0  # standard errors of one correlation
DEPENDENT = "the rows are not independent (a time series, families, batches?)"
FOLLOWING = f"residuals follow those of the row before: {DEPENDENT}; the evidence was reduced accordingly"
FREE = "residuals do not follow those of the row before"
REPEATED, OFTEN_REPEATED = 0.01, 0.1  # shares of the rows


def row_order(X: FloatArray, residuals: FloatArray, told: bool | None = None) -> Check:
    """Do the residuals (n, d) follow those of the row before? Columns that the rows X are sorted by do not count.

    `told` is what a method says that looks at this itself and reduces its evidence; None where it does not look.
    """
    n, steps = len(residuals), np.diff(X, axis=0)
    residuals = residuals[:, ~((steps >= 0).all(axis=0) | (steps <= 0).all(axis=0))]
    ranks = np.argsort(np.argsort(residuals, axis=0, kind="stable"), axis=0).astype(np.float64)
    ranks -= ranks.mean(axis=0)
    correlation = np.abs((ranks[1:] * ranks[:-1]).sum(axis=0) / np.maximum((ranks**2).sum(axis=0), 1e-300))
    mean = float(correlation.mean()) if correlation.size else 0.0
    if told is not None:  # the method's note has its own number: of all columns, less what chance explains
        return Check("row order", None, mean, DOUBTFUL if told else OK, FOLLOWING if told else FREE)
    surprising = correlation.max(initial=0.0) * np.sqrt(n) > SURPRISING
    verdict = verdict_of(mean, SERIAL, STRONGLY_SERIAL) if surprising else OK
    said = f"residuals have a correlation of {mean:.2f} with those of the row before, on average"
    if verdict != OK:
        said += (
            f": {DEPENDENT}, so all evidence is overstated. Take every k-th row, or columns of differences"
        )
    return Check("row order", None, mean, verdict, said)


def repeated_rows(X: FloatArray) -> Check:
    """Are rows (n, d) exact copies of others, more often than rounding explains?"""
    n = len(X)
    count = n - len(np.unique(X, axis=0))
    share, by_chance = count / n, not copied_rows(X)
    verdict = OK if by_chance else verdict_of(share, REPEATED, OFTEN_REPEATED)
    said = f"{count} of {n} rows {'is an exact copy' if count == 1 else 'are exact copies'} of others"
    if count and by_chance:
        said += ", as rounded values make them"
    if verdict != OK:
        said += ": leave out copies, keep what was measured anew"
    return Check("repeated rows", None, share, verdict, said)
