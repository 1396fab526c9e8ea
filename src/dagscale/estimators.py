"""The scikit-learn face: `DAS(...).fit(X)`. Each class only stores its settings; `fit` runs the method."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from dagscale.flow import run_table
from dagscale.inputs.knowledge import Knowledge
from dagscale.inputs.table import Table
from dagscale.methods.registry import check_request
from dagscale.runtime.errors import DataWarning

FEW_ROWS = 20  # `discover` refuses fewer; an estimator, which tools fit on slices, only warns

# What concerns the run rather than the method; everything else in an estimator's signature is a setting.
_OF_THE_RUN = ("knowledge", "standardize", "n_jobs", "device", "random_state", "effort", "time_budget")


class _Discovery(BaseEstimator):  # type: ignore[misc]
    """What the estimators share: `fit` and the fitted attributes.

    Attributes
    ----------
    adjacency_ : (d, d) bool array
        [parent, child]. lingam's `adjacency_matrix_` is [child, parent]: the transpose.
    order_ : list
        Column names (or indices where X has no names), sources first.
    graph_ : networkx.DiGraph
    edges_ : DataFrame
    result_ : Result
    """

    _method: ClassVar[str]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the graph behind X.

        Parameters
        ----------
        X : (n, d) array or DataFrame
        y : ignored
        """
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        if len(X) < FEW_ROWS:
            warnings.warn(f"{len(X)} rows are too few to find edges in", DataWarning, stacklevel=2)
        names = getattr(self, "feature_names_in_", np.arange(X.shape[1])).tolist()
        params = self.get_params(deep=False)
        of_the_run = {name: params.pop(name) for name in _OF_THE_RUN if name in params}
        check_request(self._method, params, of_the_run.get("effort", "full"), of_the_run.get("time_budget"))
        self.result_ = run_table(Table(X, tuple(names), ()), self._method, params, **of_the_run)
        self.adjacency_ = self.result_.adjacency
        self.order_ = self.result_.order
        self.graph_ = self.result_.graph
        self.edges_ = self.result_.edges
        return self


class DAS(_Discovery):
    """Discovery At Scale: order and parents from the Jacobian of the score (Montagna et al. 2023).

    Parameters
    ----------
    K : int
        Candidates kept per node besides the reference.
    cutoff : float
        Level of the Welch test that chooses candidates.
    alpha : float
        Level of the additive pruning test.
    eta : float
        Ridge of the Stein estimator.
    min_parents : int
        Strongest candidates kept untested; 0 is the literal algorithm.
    criterion : str
        How the leaf is chosen: "variance" as in the paper, or a scale-free variant.
    knowledge, standardize, n_jobs, device, random_state
        As in `dagscale.discover`.

    Examples
    --------
    >>> import dagscale
    >>> sim = dagscale.simulate(nodes=5, samples=300, random_state=1)
    >>> dagscale.DAS().fit(sim.table).adjacency_.shape
    (5, 5)
    """

    _method = "das"

    def __init__(
        self,
        K: int = 20,
        cutoff: float = 0.01,
        alpha: float = 0.001,
        eta: float = 0.001,
        min_parents: int = 5,
        criterion: str = "variance",
        knowledge: Knowledge | None = None,
        standardize: bool | None = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        random_state: int = 0,
    ) -> None:
        self.K = K
        self.cutoff = cutoff
        self.alpha = alpha
        self.eta = eta
        self.min_parents = min_parents
        self.criterion = criterion
        self.knowledge = knowledge
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state


class SCORE(_Discovery):
    """SCORE: order by the variance of the Jacobian's diagonal, then additive pruning (Rolland et al. 2022).

    Parameters
    ----------
    alpha : float
        Level of the additive pruning test.
    eta : float
        Ridge of the Stein estimator.
    criterion : str
        How the leaf is chosen.
    pns : bool, optional
        Search neighbours before pruning; None does so from 50 columns on.
    pns_method : {"boosting", "trees"}
        How neighbours are searched.
    K : int
        Neighbours kept per node.
    knowledge, standardize, n_jobs, device, random_state
        As in `dagscale.discover`.
    """

    _method = "score"

    def __init__(
        self,
        alpha: float = 0.001,
        eta: float = 0.001,
        criterion: str = "variance",
        pns: bool | None = None,
        pns_method: str = "boosting",
        K: int = 20,
        knowledge: Knowledge | None = None,
        standardize: bool | None = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        random_state: int = 0,
    ) -> None:
        self.alpha = alpha
        self.eta = eta
        self.criterion = criterion
        self.pns = pns
        self.pns_method = pns_method
        self.K = K
        self.knowledge = knowledge
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state


class NoGAM(_Discovery):
    """NoGAM: order by how well residuals predict the score, for arbitrary noise (Montagna et al. 2023b).

    Parameters
    ----------
    alpha : float
        Level of the additive pruning test.
    eta : float
        Ridge of the Stein estimator.
    ridge : float
        Ridge of the kernel regressions.
    n_crossval : int
        Folds of the cross-fitted predictions.
    pns, pns_method, K
        As in `SCORE`.
    knowledge, standardize, n_jobs, device, random_state
        As in `dagscale.discover`.
    """

    _method = "nogam"

    def __init__(
        self,
        alpha: float = 0.001,
        eta: float = 0.001,
        ridge: float = 0.1,
        n_crossval: int = 5,
        pns: bool | None = None,
        pns_method: str = "boosting",
        K: int = 20,
        knowledge: Knowledge | None = None,
        standardize: bool | None = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        random_state: int = 0,
    ) -> None:
        self.alpha = alpha
        self.eta = eta
        self.ridge = ridge
        self.n_crossval = n_crossval
        self.pns = pns
        self.pns_method = pns_method
        self.K = K
        self.knowledge = knowledge
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state


class CAM(_Discovery):
    """CAM: neighbours, greedy additive likelihood, pruning (Bühlmann et al. 2014).

    Parameters
    ----------
    alpha : float
        Level of the additive pruning test.
    max_parents : int
        Most parents a node gets in the greedy search.
    pns, pns_method, K
        As in `SCORE`.
    knowledge, standardize, n_jobs, device, random_state
        As in `dagscale.discover`.
    """

    _method = "cam"

    def __init__(
        self,
        alpha: float = 0.001,
        max_parents: int = 20,
        pns: bool | None = None,
        pns_method: str = "boosting",
        K: int = 20,
        knowledge: Knowledge | None = None,
        standardize: bool | None = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        random_state: int = 0,
    ) -> None:
        self.alpha = alpha
        self.max_parents = max_parents
        self.pns = pns
        self.pns_method = pns_method
        self.K = K
        self.knowledge = knowledge
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state


class GraNDAG(_Discovery):
    """GraN-DAG: one neural network per node under acyclicity (Lachapelle et al. 2020); needs torch.

    Parameters
    ----------
    alpha : float
        Level of the additive pruning test.
    pruning : {"additive", "evidence"}
        The paper's test, or Gaussian process evidence, which sees interactions.
    hidden, batch, steps : int
        Units per hidden layer, rows per step, most steps.
    sparsity : float
        Weight of the summed connectivity in the loss.
    pns, K
        As in `SCORE`.
    pns_method : {"trees", "boosting"}
        How neighbours are searched.
    time_budget : float, optional
        Seconds after which training ends with what it has learned.
    knowledge, standardize, n_jobs, device, random_state
        As in `dagscale.discover`.
    """

    _method = "grandag"

    def __init__(
        self,
        alpha: float = 0.001,
        pruning: str = "additive",
        hidden: int = 10,
        batch: int = 256,
        steps: int = 30_000,
        sparsity: float = 0.04,
        pns: bool | None = None,
        pns_method: str = "trees",
        K: int = 20,
        time_budget: float | None = None,
        knowledge: Knowledge | None = None,
        standardize: bool | None = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        random_state: int = 0,
    ) -> None:
        self.alpha = alpha
        self.pruning = pruning
        self.hidden = hidden
        self.batch = batch
        self.steps = steps
        self.sparsity = sparsity
        self.pns = pns
        self.pns_method = pns_method
        self.K = K
        self.time_budget = time_budget
        self.knowledge = knowledge
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state


class Auto(_Discovery):
    """The default of `dagscale.discover`: the best this project can do, chosen by measurement.

    Parameters
    ----------
    effort : {"full", "quick"}
        How hard to try.
    time_budget : float, optional
        Seconds after which the best graph so far is returned.
    knowledge, standardize, n_jobs, device, random_state
        As in `dagscale.discover`.
    """

    _method = "auto"

    def __init__(
        self,
        effort: str = "full",
        time_budget: float | None = None,
        knowledge: Knowledge | None = None,
        standardize: bool | None = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        random_state: int = 0,
    ) -> None:
        self.effort = effort
        self.time_budget = time_budget
        self.knowledge = knowledge
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state
