"""On which scale a table with heavy tails is taken: as it is, or by the normal scores of its ranks.

A few rows far out in two columns look like an effect to any test that takes noise for normal, and a
quantity measured on an exponential scale has no additive noise on it. Scores of ranks mend both. But
where the mechanism itself makes the tails (a cube), ranks bend what was additive. So a table with
heavy-tailed columns is started from on each of three scales (as it is, those columns by ranks, all by
ranks), and the one stays on which parents tell most:

    told = n Σ_j (h(x_j) - h(r_j)) - 2 edf - penalty · edges        in nats,

r_j being what an additive fit leaves of column j, h the entropy by spacings, which takes no noise for
normal, and edf what the fits spent: edges between independent columns with Student's t (3 degrees of freedom)
tell 13 nats each and spend 6. A bijection of a column changes h(x_j) by a constant that cancels against
the likelihood's Jacobian, so the scales compare, once h(x_j) of scores, which lie more evenly than any
sample, is lowered towards that of a sample (`evenness`: 8 nats a child of 1000 rows). Without edges all tell
nothing, and the scores of all stay.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from dagscale.inputs.table.transforms import apply_transforms
from dagscale.methods.auto.penalty import edge_penalty
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.outliers import far_out
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray

RANKED = "all columns were used as normal scores of their ranks"


def heavy_tailed(X: FloatArray) -> BoolArray:
    """Tell the columns, (d,), of whose rows more than a share `outlying` lie beyond six robust deviations."""
    heavy: BoolArray = far_out(X) > SETTINGS.outlying
    return heavy


def normal_scores(X: FloatArray, columns: BoolArray | None = None) -> FloatArray:
    """Return X with every column, or those chosen, replaced by the normal scores of its ranks."""
    chosen = range(X.shape[1]) if columns is None else [int(j) for j in np.flatnonzero(columns)]
    scored = X.copy()
    apply_transforms(scored, range(X.shape[1]), dict.fromkeys(chosen, "rank"))
    return scored


class Scale(NamedTuple):
    """A scale that a table may be taken on.

    Attributes
    ----------
    values : (n, d) float array
    scored : (d,) bool array
        The columns that are normal scores of their ranks.
    notes : tuple of str
        What is said when it is taken.
    """

    values: FloatArray
    scored: BoolArray
    notes: tuple[str, ...] = ()


def scales(X: FloatArray) -> list[Scale]:
    """Return the scales that X may be taken on, the safest last."""
    heavy = heavy_tailed(X)
    none = np.zeros_like(heavy)
    if not heavy.any():
        return [Scale(X, none)]
    found = f"{int(heavy.sum())} of {len(heavy)} columns have heavy tails: "
    kept = found + "the parents explain most on the scale of the data, so it was kept"
    some = found + "they were used as normal scores of their ranks"
    between = [] if heavy.all() else [Scale(normal_scores(X, heavy), heavy, (some,))]
    return [Scale(X, none, (kept,)), *between, ranked(X, found)]


def ranked(X: FloatArray, found: str = "") -> Scale:
    """Return the scale of all ranks; `found` is said before it."""
    return Scale(normal_scores(X), np.ones(X.shape[1], dtype=bool), (found + RANKED,))


def told(
    table: SplineTable, graph: BoolArray, scored: BoolArray | None = None, n_jobs: int | None = None
) -> float:
    """Nats that the parents tell of their children, whatever the noise, less what the telling costs.

    Parameters
    ----------
    table : SplineTable
        The splines of the values.
    graph : (d, d) bool array
    scored : (d,) bool array, optional
        Columns that are normal scores of ranks.
    n_jobs : int or None
    """
    n = len(table.data)
    few = table.on_some_rows(SETTINGS.scale_rows, n_jobs)
    excess = few.n / n * evenness(few.n)

    def one(child: int) -> float:
        fit = AdditiveFit.of(few, child, np.flatnonzero(graph[:, child]), "reml")
        gained = spacing_entropy(few.X[:, child]) - spacing_entropy(fit.residuals)
        gained -= excess if scored is not None and scored[child] else 0.0
        return n * gained - 2.0 * float(fit.edf.sum())

    children = [int(j) for j in np.flatnonzero(graph.any(axis=0))]
    nats = sum(parallel_map(one, children, n_jobs, local=True))
    return nats - edge_penalty(graph, n) * float(np.count_nonzero(graph))


def spacing_entropy(x: FloatArray) -> float:
    """Estimate the entropy of a sample (n,) in nats from gaps between its ordered values.

    Vasicek's estimator, gaps of 2 √n places, corrected for the shorter gaps at the ends (Ebrahimi,
    Pflughoeft and Soofi 1994). Its bias nearly cancels between a column and its residual.
    """
    n = len(x)
    m, spanned = _spanned(n)
    ends = np.pad(np.sort(x), m, mode="edge")
    gaps = np.maximum(ends[2 * m :] - ends[: -2 * m], np.finfo(float).tiny)
    return float(np.mean(np.log(gaps * n / spanned)))


def evenness(n: int) -> float:
    """Nats by which n normal scores have more entropy by spacings than a normal sample of n.

    Scores have the gaps that a sample has on average; the logarithm of a sample's, which vary like a Gamma
    variable of as many steps as they span, is less: by log k - digamma(k) where they span k.
    """
    _, spanned = _spanned(n)
    return float(np.mean(np.log(spanned) - digamma(spanned)))


def _spanned(n: int) -> tuple[int, FloatArray]:
    """Half the places that a gap spans, and how many each of n really does, fewer at the ends."""
    m = max(1, round(np.sqrt(n)))
    place = np.arange(n)
    return m, m * np.minimum(1.0 + np.minimum(place, n - 1 - place) / m, 2.0)
