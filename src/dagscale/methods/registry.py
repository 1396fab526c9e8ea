"""Every method is a choice of stages. Read one to see which.

A method is a function `method(X, run, *, settings...) -> Found`; its keyword-only arguments are the
settings a user may pass to `discover`. Adding a method is adding a function here and a line to
`METHODS`; adding a stage is adding a small file to the folder of its kind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

from dagscale.auto import auto
from dagscale.candidates.jacobian_test import das_pass
from dagscale.candidates.neighbours import neighbours
from dagscale.candidates.predecessors import predecessors
from dagscale.effects import with_edges
from dagscale.found import Found, Stage
from dagscale.grandag import grandag
from dagscale.ordering.greedy import greedy_order
from dagscale.ordering.leaf import leaf_order
from dagscale.ordering.residual import residual_order
from dagscale.ordering.sorts import r2_order, random_order, variance_order
from dagscale.pairs import restored
from dagscale.pruning import additive
from dagscale.rows import KERNEL_ROWS, some_rows
from dagscale.run import Run
from dagscale.splines import SplineTable
from dagscale.types import BoolArray, FloatArray, IntArray

PNS_FROM = 50  # the paper's methods search neighbours first only from 50 columns on


def das(
    X: FloatArray,
    run: Run,
    *,
    alpha: float = 0.001,
    cutoff: float = 0.01,
    K: int = 20,
    eta: float = 0.001,
    min_parents: int = 5,
    criterion: str = "variance",
    max_rows: int = KERNEL_ROWS,
) -> Found:
    """DAS, Algorithm 1 of the paper: order and candidate parents from one pass over the Jacobian."""
    rows, notes = some_rows(X, max_rows)
    order, mask, welch = das_pass(
        rows,
        run.constraints,
        K=K,
        cutoff=cutoff,
        min_parents=min_parents,
        eta=eta,
        criterion=criterion,
        device=run.device,
        n_jobs=run.n_jobs,
        progress=run.progress,
        memory=run.memory,
    )
    jacobian_test = Stage("Jacobian test", mask, welch, "Welch p-value", cutoff)
    return _prune_additive(X, run, order, mask, alpha, jacobian_test, notes=notes)


def score(
    X: FloatArray,
    run: Run,
    *,
    alpha: float = 0.001,
    eta: float = 0.001,
    criterion: str = "variance",
    pns: bool | None = None,
    pns_method: str = "boosting",
    K: int = 20,
    max_rows: int = KERNEL_ROWS,
) -> Found:
    """SCORE (Rolland et al. 2022): order by leaf variance, neighbour search from 50 columns on, pruning."""
    rows, notes = some_rows(X, max_rows)
    order = leaf_order(
        rows,
        run.constraints.before,
        eta=eta,
        criterion=criterion,
        device=run.device,
        n_jobs=run.n_jobs,
        progress=run.progress,
        memory=run.memory,
    )
    return _prune_order(X, run, order, alpha, pns, pns_method, K, notes)


def nogam(
    X: FloatArray,
    run: Run,
    *,
    alpha: float = 0.001,
    eta: float = 0.001,
    pns: bool | None = None,
    pns_method: str = "boosting",
    K: int = 20,
    ridge: float = 0.1,
    n_crossval: int = 5,
    max_rows: int = KERNEL_ROWS,
) -> Found:
    """NoGAM (Montagna et al. 2023): order by predicting the score from residuals, for arbitrary noise."""
    rows, notes = some_rows(X, max_rows)
    order = residual_order(
        rows,
        run.constraints.before,
        eta=eta,
        ridge=ridge,
        n_crossval=n_crossval,
        rng=run.rng(),
        n_jobs=run.n_jobs,
        progress=run.progress,
        memory=run.memory,
    )
    return _prune_order(X, run, order, alpha, pns, pns_method, K, notes)


def cam(
    X: FloatArray,
    run: Run,
    *,
    alpha: float = 0.001,
    pns: bool | None = None,
    pns_method: str = "boosting",
    K: int = 20,
    max_parents: int = 20,
) -> Found:
    """CAM (Bühlmann et al. 2014): neighbours, greedy additive likelihood, pruning."""
    allowed = run.constraints.allowed
    trail = [Stage("knowledge", allowed)]
    mask = allowed
    splines = SplineTable.of(X, n_jobs=run.n_jobs)
    if _use_pns(X, pns):
        mask = _neighbours(X, run, mask, K, pns_method, splines)
        trail.append(Stage("neighbour search", mask))
    order, chosen, gains = run.memory.once(
        "greedy likelihood",
        lambda: greedy_order(
            X,
            mask,
            run.constraints,
            max_parents,
            splines=splines,
            n_jobs=run.n_jobs,
            device=run.device,
            memory=run.memory,
        ),
        mask,
        restore=lambda order, chosen, gains: (order, chosen, restored(gains)),
    )
    trail.append(Stage("greedy likelihood", chosen, gains, "gain in log likelihood a row"))
    return _prune_additive(X, run, order, chosen, alpha, *trail[1:], splines=splines)


def empty(X: FloatArray, run: Run) -> Found:
    """Find no edge but the required ones: the baseline that costs nothing."""
    order = random_order(X.shape[1], run.rng(), run.constraints.before)
    return Found(
        order, run.constraints.required.copy(), {}, (Stage("empty graph", run.constraints.required),)
    )


def _sorted(order_of: Callable[[FloatArray, Run], IntArray], doc: str) -> Callable[..., Found]:
    """Make a baseline method: an order that looks at no causal signal, with the same pruning."""

    def method(
        X: FloatArray, run: Run, *, alpha: float = 0.001, pns: bool | None = None, K: int = 20
    ) -> Found:
        return _prune_order(X, run, order_of(X, run), alpha, pns, "boosting", K)

    method.__doc__ = doc
    return method


def _use_pns(X: FloatArray, pns: bool | None) -> bool:
    return X.shape[1] >= PNS_FROM if pns is None else pns


def _prune_order(
    X: FloatArray,
    run: Run,
    order: IntArray,
    alpha: float,
    pns: bool | None,
    pns_method: str,
    K: int,
    notes: tuple[str, ...] = (),
) -> Found:
    """Turn an order into a graph: all predecessors, a neighbour search where d is large, pruning."""
    mask = predecessors(order, run.constraints.allowed)
    if not _use_pns(X, pns):
        return _prune_additive(X, run, order, mask, alpha, notes=notes)
    splines = SplineTable.of(X, n_jobs=run.n_jobs)
    kept = _neighbours(X, run, mask, K, pns_method, splines)
    before = Stage("neighbour search", kept)
    return _prune_additive(X, run, order, kept, alpha, before, splines=splines, notes=notes)


def _neighbours(
    X: FloatArray, run: Run, mask: BoolArray, K: int, method: str, splines: SplineTable
) -> BoolArray:
    """Keep the K likeliest parents of each node, and the required ones."""
    kept = run.memory.once(
        "neighbour search",
        lambda: neighbours(
            X,
            mask,
            K=K,
            method=method,
            rng=run.rng(),
            n_jobs=run.n_jobs,
            splines=splines,
            memory=run.memory,
        ),
        mask,
    )
    return kept | run.constraints.required


def _prune_additive(
    X: FloatArray,
    run: Run,
    order: IntArray,
    mask: BoolArray,
    alpha: float,
    *before: Stage,
    splines: SplineTable | None = None,
    notes: tuple[str, ...] = (),
) -> Found:
    """Prune by the additive test and write down the whole trail."""
    if splines is None:
        splines = SplineTable.of(X, n_jobs=run.n_jobs, only=with_edges(mask | run.constraints.required))
    adjacency, p_values = additive.prune(
        X,
        mask,
        alpha=alpha,
        required=run.constraints.required,
        n_jobs=run.n_jobs,
        progress=run.progress,
        memory=run.memory,
        splines=splines,
    )
    trail = (
        Stage("knowledge", run.constraints.allowed),
        Stage("order", predecessors(order, run.constraints.allowed)),
        *before,
        Stage("additive pruning", adjacency, p_values, "p-value", alpha),
    )
    return Found(order, adjacency, {"p_value": p_values}, trail, notes, splines)


@dataclass(frozen=True)
class Method:
    """A row of the registry: the function, and whether it standardises the columns by default."""

    function: Callable[..., Found]
    standardize: bool = False

    @property
    def summary(self) -> str:
        """First line of the function's docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]

    def settings(self) -> dict[str, Any]:
        """Names and defaults of the settings a user may pass."""
        parameters = signature(self.function).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is Parameter.KEYWORD_ONLY}


METHODS: dict[str, Method] = {
    "auto": Method(auto, standardize=True),
    "das": Method(das),
    "score": Method(score),
    "nogam": Method(nogam),
    "cam": Method(cam),
    "grandag": Method(grandag),
    "empty": Method(empty),
    "random": Method(
        _sorted(
            lambda X, run: random_order(X.shape[1], run.rng(), run.constraints.before),
            "Baseline: a random order, then pruning.",
        )
    ),
}
for _name, _order, _what in (("varsort", variance_order, "variance"), ("r2sort", r2_order, "R²")):
    for _suffix, _descending, _way in (("", False, "least"), ("-desc", True, "most")):
        METHODS[_name + _suffix] = Method(
            _sorted(
                lambda X, run, o=_order, d=_descending: o(X, run.constraints.before, descending=d),  # type: ignore[misc]
                f"Baseline: columns sorted by {_what}, {_way} first, then pruning.",
            )
        )
