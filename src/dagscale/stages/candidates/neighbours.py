"""Preliminary neighbour search (paper, section 2.3; CAM, section 3.1): the K likeliest parents of each node.

"boosting" is the paper's: componentwise L2 boosting (Bühlmann and Yu 2003) of every node on all other
columns. A step fits the residual r of node j on the splines of each column i alone, takes the column that
explains most, and subtracts a fraction nu = 0.1 of its fit. With Q_i orthonormal, column i explains
|Q_i' r|^2, and a step changes these products by those of the splines with each other: no row is looked at
again. The base learner has four degrees of freedom, as that of mboost, which CAM calls. As in CAM, a column
is kept if at least 2% of 100 steps took it, and of more than K such columns those taken most often.

Whatever the mask, all columns compete, children of the node among them: so CAM defines its search and so do
the code bases of SCORE and GraN-DAG, whereas the paper's section 2.3 lets the predecessors of an order
compete among themselves. A predecessor that says less about a node than its children do is then no candidate:
on raw GP data, ER1 d = 200, seeds 1000 and 1001, SCORE's SHD was 58 and 85 that way, 73 and 86 the other.

Deviation: beyond about a thousand columns, a node is boosted on the 3 K + 4 that explain most of it alone.

"trees" is the variant of the SCORE and GraN-DAG code bases: the importances of extremely randomised trees.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from dagscale.models.splines import SplineTable
from dagscale.runtime.errors import InputError
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

LEARNER_RANK = 5  # splines of rank 5, less the constant: four degrees of freedom
OFTEN = 0.02  # share of the steps that must take a column
WHOLE_GRAM = 4096  # learners' splines up to which all products of two are kept (134 MB)
CHUNK = 128  # nodes boosted in one task; fixed, so that n_jobs changes no rounding


def neighbours(
    X: FloatArray,
    mask: BoolArray,
    K: int = 20,
    method: str = "boosting",
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
    *,
    steps: int = 100,
    nu: float = 0.1,
    trees: int = 100,
    splines: SplineTable | None = None,
    memory: Memory = FORGETFUL,
) -> BoolArray:
    """Keep the candidates of every node that are among the K columns that predict it best together.

    Parameters
    ----------
    X : (n, d) float array
    mask : (d, d) bool array
        Candidates, [parent, child].
    K : int
        Most columns kept; nodes with no more than K candidates keep all.
    method : {"boosting", "trees"}
    rng : numpy Generator, optional
        Only "trees" draws from it.
    n_jobs : int or None
    steps : int
        Of the boosting.
    nu : float
        Step length of the boosting.
    trees : int
        Trees per node.
    splines : SplineTable, optional
        The splines of X, where they are already built.
    memory : Memory
        Keeps the nodes boosted.

    Returns
    -------
    mask : (d, d) bool array
        A subset of the one given.
    """
    if method not in ("boosting", "trees"):
        raise InputError(f"method={method!r} is no neighbour search; choose 'boosting' or 'trees'")
    crowded = np.flatnonzero(mask.sum(axis=0) > K)
    kept = mask.copy()
    if len(crowded) == 0:
        return kept
    kept[:, crowded] = False
    if method == "trees":
        rng = np.random.default_rng(0) if rng is None else rng
        found = _by_trees(X, crowded, K, rng, trees, n_jobs)
    else:
        table = SplineTable.of(X, n_jobs=n_jobs) if splines is None else splines
        found = _by_boosting(table, crowded, K, steps, nu, n_jobs, memory.within("boosting", X, K, steps, nu))
    for child, chosen in found:
        kept[chosen, child] = mask[chosen, child]
    return kept


def _by_boosting(
    table: SplineTable, nodes: IntArray, K: int, steps: int, nu: float, n_jobs: int | None, memory: Memory
) -> Iterator[tuple[int, IntArray]]:
    table.prepare()
    learners = _Learners.of(table)

    def boost(some: IntArray) -> list[IntArray]:
        products = learners.products(table, some)  # (d, w, m)
        chosen = []
        for place, node in enumerate(some):
            c, others = products[:, :, place], table.widths > 0
            others[node] = False
            if learners.gram is not None:
                chosen.append(_boost(learners.gram, c.copy(), others, K, steps, nu))
                continue
            listed = _strongest(c, others, 3 * K + 4)
            taken = _boost(learners.gram_of(listed), c[listed], np.ones(len(listed), bool), K, steps, nu)
            chosen.append(listed[taken])
        return chosen

    chunks = [nodes[start : start + CHUNK] for start in range(0, len(nodes), CHUNK)]
    for some, chosen in zip(chunks, memory.map("nodes", boost, chunks, n_jobs), strict=True):
        yield from zip(some.tolist(), chosen, strict=True)


@dataclass(frozen=True)
class _Learners:
    """Every column's base learner, padded with zeros to w splines where a column has fewer.

    Attributes
    ----------
    rotation : (D, d w) sparse array
        From the table's splines to the learners'.
    rows : (d w, n) float array or None
        The learners' splines, where the table has rows.
    gram : (d, w, d w) float array or None
        Products of the learners' splines with each other, where they are not too many.
    columns : int
        d.
    """

    rotation: scipy.sparse.csc_array
    rows: FloatArray | None
    gram: FloatArray | None
    columns: int

    @classmethod
    def of(cls, table: SplineTable) -> "_Learners":
        d, narrow = len(table.means), [column.narrowed(LEARNER_RANK)[0] for column in table.columns]
        w = max(
            LEARNER_RANK - 1, *(block.shape[1] for block in narrow)
        )  # more where a category has many levels
        blocks = [np.pad(block, ((0, 0), (0, w - block.shape[1]))) for block in narrow]
        rotation = scipy.sparse.csc_array(scipy.sparse.block_diag(blocks, format="csc"))
        if table.Q is None:
            return cls(rotation, None, (rotation.T @ (table.gram @ rotation)).reshape(d, w, d * w), d)
        rows = rotation.T @ table.Q.T
        gram = (rows @ rows.T).reshape(d, w, d * w) if len(rows) <= WHOLE_GRAM else None
        return cls(rotation, rows, gram, d)

    def products(self, table: SplineTable, some: IntArray) -> FloatArray:
        """Products of all learners with some columns (d, w, m)."""
        rows = self.rows
        c = self.rotation.T @ table.against(some) if rows is None else rows @ table.X[:, some]
        products: FloatArray = c.reshape(len(table.means), -1, len(some))
        return products

    def gram_of(self, some: IntArray) -> FloatArray:
        """Products of some columns' learners with each other (k, w, k w)."""
        assert self.rows is not None
        w = len(self.rows) // self.columns
        rows = self.rows.reshape(-1, w, self.rows.shape[1])[some].reshape(len(some) * w, -1)
        return (rows @ rows.T).reshape(len(some), w, len(some) * w)


def _strongest(c: FloatArray, candidates: BoolArray, most: int) -> IntArray:
    """Return the candidates that explain most alone, by their products c (d, w)."""
    explained = np.where(candidates, np.einsum("dw,dw->d", c, c), -1.0)
    first = np.argpartition(-explained, min(most, len(c) - 1))[:most]
    return np.sort(first[candidates[first]])


def _boost(gram: FloatArray, c: FloatArray, mask: BoolArray, K: int, steps: int, nu: float) -> IntArray:
    """Boost one node; return the columns taken often, at most K.

    Parameters
    ----------
    gram : (k, w, k w) float array
        Products of the learners with each other.
    c : (k, w) float array
        Their products with the node; becomes that with its residual.
    mask : (k,) bool array
        Who may be taken.
    """
    times, since = np.zeros(len(c), dtype=np.intp), np.full(len(c), steps)
    barred = ~mask
    for step in range(steps if mask.any() else 0):
        explained = np.einsum("kw,kw->k", c, c)
        explained[barred] = -1.0
        best = int(explained.argmax())
        times[best] += 1
        since[best] = min(since[best], step)
        c -= (nu * c[best] @ gram[best]).reshape(c.shape)
    often = np.lexsort((since, -times))[:K]  # of two taken equally often, the one taken first
    return np.sort(often[times[often] >= max(1, OFTEN * steps)])


def _by_trees(
    X: FloatArray,
    nodes: IntArray,
    K: int,
    rng: np.random.Generator,
    trees: int,
    n_jobs: int | None,
) -> Iterator[tuple[int, IntArray]]:
    """Keep columns of at least 0.75 times the mean importance, at most K, as GraN-DAG's code does."""
    from sklearn.ensemble import ExtraTreesRegressor

    seeds = rng.integers(2**31, size=len(nodes))

    def grow(task: tuple[int, int]) -> IntArray:
        node, seed = task
        others = np.delete(np.arange(X.shape[1]), node)
        forest = ExtraTreesRegressor(n_estimators=trees, random_state=seed, n_jobs=1)
        importance = forest.fit(X[:, others], X[:, node]).feature_importances_
        strongest = np.argsort(-importance, kind="stable")[:K]
        chosen: IntArray = others[strongest[importance[strongest] >= 0.75 * importance.mean()]]
        return chosen

    tasks = list(zip(nodes.tolist(), seeds.tolist(), strict=True))
    for (node, _), chosen in zip(tasks, parallel_map(grow, tasks, n_jobs), strict=True):
        yield node, chosen
