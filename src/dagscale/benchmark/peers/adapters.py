"""One function per peer: `causal_learn_pc` is the row `peer:causal-learn-pc` and needs causal-learn.

Each takes an (n, d) array and returns (d, d) bool [parent, child]; an undirected edge stands in both
directions. A fourth parameter is told the columns' kinds, or as `targets` (n, d) which were set in which row. This file
imports nothing of dagscale, so that it runs in an interpreter that lacks it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]
Graph = NDArray[np.bool_]
LEVELS = ("binary", "categorical", "ordinal")
NO_EDGE, ARROW = 0, 1  # causal-learn's marks; a tail is -1, a circle ("unknown", in FCI's graphs) 2


def causal_learn_pc(X: Table, names: list[str], seed: int) -> Graph:
    """PC with its defaults: Fisher's z test at 0.05."""
    from causallearn.search.ConstraintBased.PC import pc

    return edges_of(pc(X, show_progress=False).G.graph)


def causal_learn_fci(X: Table, names: list[str], seed: int) -> Graph:
    """FCI with its defaults: Fisher's z test at 0.05; its graphs allow hidden causes."""
    from causallearn.search.ConstraintBased.FCI import fci

    return edges_of(fci(X, show_progress=False)[0].graph)


def causal_learn_ges(X: Table, names: list[str], seed: int) -> Graph:
    """GES with its defaults: the BIC of linear Gaussian models."""
    from causallearn.search.ScoreBased.GES import ges

    return edges_of(ges(X)["G"].graph)


def ges_bic(X: Table, names: list[str], seed: int) -> Graph:
    """GES of the package ges with its defaults: the BIC of linear Gaussian models, all three phases."""
    from ges import fit_bic

    return _nonzero(fit_bic(X)[0])


def causal_learn_camuv(X: Table, names: list[str], seed: int) -> Graph:
    """CAM-UV as in its example: level 0.01, at most three parents at a time.

    A pair that it believes to share a hidden cause is not an edge here.
    """
    from causallearn.search.FCMBased.lingam import CAMUV

    adjacency = np.zeros((X.shape[1], X.shape[1]), dtype=bool)
    for child, parents in enumerate(CAMUV.execute(X, 0.01, 3)[0]):
        adjacency[list(parents), child] = True
    return adjacency


def causal_learn_gsq(X: Table, names: list[str], seed: int, kinds: list[str]) -> Graph:
    """PC with the G² test at 0.05, its test for levels; numbers and counts are cut into three at their quantiles."""
    from causallearn.search.ConstraintBased.PC import pc

    return edges_of(pc(_cut(X, kinds), indep_test="gsq", show_progress=False).G.graph)


def causal_learn_rcit(X: Table, names: list[str], seed: int) -> Graph:
    """PC with the kernel test by random features at 0.05, its test for any kind of column; levels as their codes."""
    from causallearn.search.ConstraintBased.PC import pc

    np.random.seed(seed)  # noqa: NPY002  # it draws from numpy's global stream
    return edges_of(pc((X - X.mean(axis=0)) / X.std(axis=0), indep_test="rcit", show_progress=False).G.graph)


def pgmpy_hill(X: Table, names: list[str], seed: int, kinds: list[str]) -> Graph:
    """Hill climbing with the BIC of conditional Gaussian models, pgmpy's score for mixed tables."""
    import pandas as pd
    from pgmpy.estimators import BICCondGauss, HillClimbSearch

    table = pd.DataFrame(X, columns=names)
    for name, kind in zip(names, kinds, strict=True):
        if kind in LEVELS:
            table[name] = pd.Categorical(table[name].astype(int).astype(str))
    found = HillClimbSearch(table).estimate(scoring_method=BICCondGauss(table), show_progress=False)
    place = {name: i for i, name in enumerate(names)}
    adjacency = np.zeros((len(names),) * 2, dtype=bool)
    for parent, child in found.edges():
        adjacency[place[parent], place[child]] = True
    return adjacency


def lingam_lim(X: Table, names: list[str], seed: int, kinds: list[str]) -> Graph:
    """LiM, LiNGAM for mixed tables, its global phase alone as in its example.

    Its discrete columns have two values, 0 and 1. All others are numbers to it, codes of three levels and counts too,
    and are standardised: as they are, it joins nearly all columns.
    """
    from lingam import LiM

    numbers = np.array([kind != "binary" for kind in kinds])
    table = np.where(numbers, (X - X.mean(axis=0)) / X.std(axis=0), X.max(axis=0) == X)
    model = LiM()
    model.fit(table, numbers[None].astype(int), only_global=True)
    return _nonzero(model.adjacency_matrix_.T)  # theirs is [child, parent]


def lingam_direct(X: Table, names: list[str], seed: int) -> Graph:
    """DirectLiNGAM with its defaults; made for linear mechanisms and noise that is not Gaussian."""
    from lingam import DirectLiNGAM

    return _nonzero(DirectLiNGAM(random_state=seed).fit(X).adjacency_matrix_.T)  # theirs is [child, parent]


def lingam_resit(X: Table, names: list[str], seed: int) -> Graph:
    """RESIT with the regressor of its documentation: random forests of depth four."""
    from lingam import RESIT
    from sklearn.ensemble import RandomForestRegressor

    model = RESIT(regressor=RandomForestRegressor(max_depth=4, random_state=seed), random_state=seed)
    return _nonzero(model.fit(X).adjacency_matrix_.T)  # theirs is [child, parent]


def dagma_linear(X: Table, names: list[str], seed: int) -> Graph:
    """DAGMA with linear mechanisms (Bello et al. 2022), settings of its documentation; it draws nothing."""
    from dagma.linear import DagmaLinear

    return _nonzero(DagmaLinear(loss_type="l2").fit(X.copy(), lambda1=0.02))  # fit centres X in place


def dagma_mlp(X: Table, names: list[str], seed: int) -> Graph:
    """DAGMA with one hidden layer of ten units per node, settings of its documentation."""
    import torch
    from dagma.nonlinear import DagmaMLP, DagmaNonlinear

    before = torch.get_default_dtype()  # DAGMA changes it for the whole process
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            networks = DagmaMLP(dims=[X.shape[1], 10, 1], bias=True, dtype=torch.double)
            model = DagmaNonlinear(networks, dtype=torch.double)
            return _nonzero(model.fit(X, lambda1=0.02, lambda2=0.005))
    finally:
        torch.set_default_dtype(before)


def gcastle_grandag(X: Table, names: list[str], seed: int) -> Graph:
    """gCastle's port of GraN-DAG with its defaults: 10,000 steps, no pruning of its own."""
    from castle.algorithms import GraNDAG

    model = GraNDAG(input_dim=X.shape[1], random_seed=seed)
    model.learn(X)
    return _nonzero(model.causal_matrix)


def gies_bic(X: Table, names: list[str], seed: int, targets: Graph) -> Graph:
    """GIES (Hauser and Bühlmann 2012) with its defaults: the BIC of linear Gaussian models; it is told the targets."""
    import gies

    sets, of_row = _experiments(targets)
    data = [X[of_row == k] for k in range(len(sets))]
    return _nonzero(gies.fit_bic(data, [np.flatnonzero(own).tolist() for own in sets])[0])


def sdcd_mlp(X: Table, names: list[str], seed: int, targets: Graph) -> Graph:
    """SDCD (Nazaret et al. 2024) with its defaults: one hidden layer of ten units per node; it is told the targets."""
    import pandas as pd
    import torch
    from sdcd.models import SDCD
    from sdcd.utils import create_intervention_dataset

    columns = [str(j) for j in range(X.shape[1])]
    table = pd.DataFrame((X - X.mean(axis=0)) / X.std(axis=0), columns=columns)
    table["targets"] = [",".join(str(j) for j in np.flatnonzero(own)) or "obs" for own in targets]
    with torch.random.fork_rng(devices=[]):
        model = SDCD()
        model.train(create_intervention_dataset(table, "targets"))  # it sets its own seed, 0
    return _nonzero(model.get_adjacency_matrix())


def causaldag_igsp(X: Table, names: list[str], seed: int, targets: Graph) -> Graph:
    """IGSP (Wang et al. 2017), told the targets: tests of partial correlation and of invariance at 0.001."""
    import causaldag

    nodes, sets, tests = _igsp(X, targets)
    settings = [{"interventions": np.flatnonzero(own).tolist()} for own in sets]
    return _nonzero(causaldag.igsp(settings, nodes, *tests).to_amat()[0])


def causaldag_utigsp(X: Table, names: list[str], seed: int, targets: Graph) -> Graph:
    """UT-IGSP (Squires et al. 2020): as IGSP, but told only which rows belong together, not the targets."""
    import causaldag

    nodes, sets, tests = _igsp(X, targets)
    settings: list[dict[str, Any]] = [{"known_interventions": []} for _ in sets]
    return _nonzero(causaldag.unknown_target_igsp(settings, nodes, *tests)[0].to_amat()[0])


def _igsp(X: Table, targets: Graph, level: float = 0.001) -> tuple[set[int], Any, tuple[Any, Any]]:
    """Return the nodes, the sets of columns of the experiments, and the two tests."""
    import causaldag
    import conditional_independence as tests

    sets, of_row = _experiments(targets)
    rows = [X[of_row == k] for k in range(1, len(sets))]
    plain = X[of_row == 0]
    partial = tests.MemoizedCI_Tester(
        tests.partial_correlation_test, tests.partial_correlation_suffstat(plain), alpha=level
    )
    same = causaldag.MemoizedInvarianceTester(
        tests.gauss_invariance_test, tests.gauss_invariance_suffstat(plain, rows), alpha=level
    )
    return set(range(X.shape[1])), sets[1:], (partial, same)


def _experiments(targets: Graph) -> tuple[Graph, NDArray[np.intp]]:
    """Return the sets of columns (experiments, d) that were set together, none of them first, and each row's place."""
    sets, of_row = np.unique(targets, axis=0, return_inverse=True)
    return sets, of_row.reshape(-1)


def edges_of(G: Any) -> Graph:
    """Turn causal-learn's marks, G[i, j] the mark at i of the edge between i and j, into [parent, child].

    i -> j is ruled out when the edge has an arrowhead at i and none at j. So `i o-> j` counts as i -> j,
    while `i - j`, `i o-o j` and `i <-> j` count as undirected.
    """
    G = np.asarray(G)
    against = (G == ARROW) & (G.T != ARROW)
    edges: Graph = (G != NO_EDGE) & ~against
    return edges


def _cut(X: Table, kinds: list[str]) -> NDArray[np.int64]:
    """Cut what are not levels into three parts of about as many rows."""
    parts = [
        x if kind in LEVELS else np.searchsorted(np.unique(np.quantile(x, [1 / 3, 2 / 3])), x)
        for x, kind in zip(X.T, kinds, strict=True)
    ]
    cut: NDArray[np.int64] = np.column_stack(parts).astype(np.int64)
    return cut


def _nonzero(weights: Any) -> Graph:
    edges: Graph = np.asarray(weights) != 0
    return edges


ALL = (
    causal_learn_pc, causal_learn_fci, causal_learn_ges, causal_learn_camuv, lingam_direct, lingam_resit,
    dagma_linear, dagma_mlp, gcastle_grandag, causal_learn_gsq, causal_learn_rcit, pgmpy_hill, lingam_lim,
    gies_bic, sdcd_mlp, causaldag_igsp, causaldag_utigsp, ges_bic,
)  # fmt: skip
