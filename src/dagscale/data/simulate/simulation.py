"""`simulate`: the choices by name, checked, and the table they make."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.data.simulate.checks import (
    RandomState,
    checked_model,
    finite,
    refuse_mixing,
    seed_sequence,
    share,
)
from dagscale.data.simulate.discrete import CONTINUOUS, as_columns, draw_kinds
from dagscale.data.simulate.graphs import FAMILIES, randomly_oriented
from dagscale.data.simulate.hidden import with_hidden
from dagscale.data.simulate.interventions import intervened_rows, labels
from dagscale.data.simulate.measurement import measured
from dagscale.data.simulate.mechanisms import Mechanism, standardized
from dagscale.data.simulate.noise import Noise, Variance
from dagscale.data.simulate.sample import Roles, sample
from dagscale.graphs.dag import topological_order
from dagscale.graphs.given import as_graph
from dagscale.inputs.arguments import at_least, chosen, one_of, whole
from dagscale.runtime.errors import answering_seed
from dagscale.runtime.types import BoolArray

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Simulation:
    """A table with the graph that made it.

    Attributes
    ----------
    table : pandas.DataFrame
        n rows, one column per node, in random order.
    adjacency : (d, d) bool array
        [parent, child], rows and columns as the table's columns.
    names : list of str
        The table's columns.
    settings : dict
        What `simulate` was called with.
    confounded : (d, d) bool array or None
        Symmetric: the two columns share a hidden cause. None without hidden causes.
    interventions : (n, d) bool array or None
        True where the column was intervened on in that row. None without interventions.
    kinds : dict or None
        Column -> "continuous", "binary", "categorical" or "count". None where all are continuous.
    """

    table: "pd.DataFrame"
    adjacency: BoolArray
    names: list[str]
    settings: dict[str, Any] = field(default_factory=dict, repr=False)
    confounded: BoolArray | None = None
    interventions: BoolArray | None = None
    kinds: dict[str, str] | None = None

    @property
    def order(self) -> list[str]:
        """One causal order, sources first."""
        return [self.names[j] for j in topological_order(self.adjacency)]

    @property
    def targets(self) -> list[str] | None:
        """The columns intervened on, row by row: "" for none, "a", or "a,b". None without interventions.

        As a column of the table, they are what `discover` takes as `interventions`.
        """
        return None if self.interventions is None else labels(self.interventions, self.names)

    @property
    def edges(self) -> "pd.DataFrame":
        """The edges as a table with the columns source and target."""
        import pandas as pd

        source, target = np.nonzero(self.adjacency)
        names = np.array(self.names, dtype=object)
        return pd.DataFrame({"source": names[source], "target": names[target]})


@answering_seed
def simulate(
    graph: Any = "ER",
    nodes: int = 20,
    edges_per_node: float = 1,
    samples: int = 1000,
    mechanism: str | Mechanism = "gp",
    noise: str | Noise = "gaussian",
    noise_variance: Variance = 1.0,
    standardize: bool | str = False,
    random_state: RandomState = 0,
    *,
    length_scale: float = 1.0,
    edge_count: str = "exact",
    orientation: str = "old-to-new",
    shuffle: bool = False,
    post_nonlinear: str | None = None,
    linear: float = 0.0,
    hidden: int = 0,
    measurement_error: float = 0.0,
    autoregressive: float = 0.0,
    discrete: float = 0.0,
    interventions: int | Mapping[Any, int] | None = None,
    intervention_kind: str = "perfect",
    n_jobs: int | None = None,
) -> Simulation:
    """Draw a random graph and a table from it.

    Every x_j = f_j(parents) + e_j with a random function and independent noise, unless the options below say
    otherwise; they can be combined. The same seed gives the same table for any `n_jobs`. Columns of generated
    graphs always come in random order, so that a method cannot profit from the order of the columns.

    Parameters
    ----------
    graph : str or graph
        "ER" (Erdős–Rényi), "SF" (Barabási–Albert), "hubs" (scale-free with hubs), "bipartite" or "chain"; or
        a graph of your own (array [parent, child], adjacency DataFrame, `networkx.DiGraph`, `Result`), which
        makes `nodes`, `edges_per_node`, `edge_count` and `orientation` moot.
    nodes, edges_per_node, samples : int, float, int
        d, k and n: about k d edges, never more than the family can hold.
    mechanism : str or callable
        "gp" (all parents jointly, RBF kernel; exact up to 3000 rows, random Fourier features beyond),
        "gp-additive", "sigmoid-additive", "mlp", "polynomial", "sine", "linear"; or your own
        `f(parents (n, p), rng, length_scale) -> (n,)`.
    noise : str or callable
        "gaussian", "laplace", "gumbel", "uniform", "exponential", "gamma" (shape 2), all of mean 0;
        "heteroscedastic" and "location-scale": x = f(parents) + g(parents) e with Gaussian e and log g linear
        or a random smooth function; "multiplicative": x = exp(log Σ parents + |e|), positive, whatever the
        mechanism (GraN-DAG's PNL-MULT); or your own `f(parents (n, p), rng) -> (n,)` of mean 0, variance 1.
    noise_variance : float, (low, high) or "grandag"
        The same for all nodes, drawn for each, or U(1, 2) for roots and 0.16 U(1, 2) for the others.
    standardize : bool or "iscm"
        True scales the finished columns to mean 0 and variance 1; "iscm" does so while sampling, before
        the children see them, which leaves no trace of the order in the variances. Discrete columns keep
        their levels and counts.
    random_state : int, numpy Generator, SeedSequence or None
        None takes fresh entropy.
    length_scale : float
        Of the Gaussian processes.
    edge_count : {"exact", "binomial"}
        For ER and bipartite: k d edges exactly, or in expectation.
    orientation : {"old-to-new", "random"}
        For SF and hubs: parents are older than children, or every edge follows a new random order.
    shuffle : bool
        Shuffle the columns of a graph of your own as well (generated graphs always are); names travel along.
    post_nonlinear : {None, "cube", "exp"}
        Make every child h(z) with z the standardised f(parents) + e: z³ / √15 or exp(z) / √(e² - e), of
        variance 1 for Gaussian z; values of z beyond ±4 are drawn in to ±5.
    linear : float
        Share of the mechanisms that are linear, |weights| in (0.5, 2): that part of the children at random.
    hidden : int
        Number of hidden causes, sources of two columns each that no edge joins; they are in neither table nor
        adjacency, and `confounded` marks the pairs.
    measurement_error : float
        Variance of the Gaussian error added to every continuous column once all are made, as a share of the
        column's own variance.
    autoregressive : float
        Correlation of a column's noise with its noise in the row before, between -1 and 1.
    discrete : float
        Share of the columns that are cut to two levels, to three levels without an order, or to counts,
        before their children see them as 0, 1, 2, ...; `kinds` says which.
    interventions : int, dict or None
        Rows of experiments, after the `samples` observational ones. 60 gives 60 rows for every column alone;
        {"X3": 60, ("X1", "X2"): 40} so many for these. `Simulation.interventions` and `targets` say which
        column was intervened on in which row.
    intervention_kind : {"perfect", "soft"}
        Perfect: values from N(m + 2 s, s²) whatever the parents, with the mean and standard deviation of the
        observational rows. Soft: a new mechanism of the same parents, 2 s higher.
    n_jobs : int or None
        Workers over nodes of the same depth, as in joblib.

    Returns
    -------
    Simulation
        With `table`, `adjacency` and `names`, and `confounded`, `interventions` and `kinds` where they apply.

    Examples
    --------
    >>> import dagscale
    >>> made = dagscale.simulate(graph="ER", nodes=10, edges_per_node=4, samples=100)
    >>> made.table.shape, int(made.adjacency.sum())
    ((100, 10), 40)
    """
    settings = {name: value for name, value in locals().items() if name != "n_jobs"}
    model = checked_model(
        mechanism, noise, noise_variance, length_scale, standardize, post_nonlinear, autoregressive
    )
    linear, discrete = share(linear, "linear"), share(discrete, "discrete")
    hidden, error = whole(hidden, "hidden", 0), at_least(measurement_error, "measurement_error", 0)
    soft = one_of(intervention_kind, ("perfect", "soft"), "intervention_kind") == "soft"
    refuse_mixing(model, linear, discrete)
    n = whole(samples, "samples", 2)
    graph_seed, column_seed, node_seed, *others = seed_sequence(random_state).spawn(7)
    linear_rng, hidden_rng, kind_rng, error_rng = map(np.random.default_rng, others)
    if isinstance(graph, str):
        d, k = whole(nodes, "nodes", 1), at_least(edges_per_node, "edges_per_node", 0)
        adjacency, names = _generated(graph, d, k, edge_count, orientation, graph_seed), None
    else:
        adjacency, names = as_graph(graph)
    order = np.arange(len(adjacency))  # the table's columns among the nodes
    if shuffle or isinstance(graph, str):
        order = np.random.default_rng(column_seed).permutation(len(adjacency))
    names = [names[j] for j in order] if names else [f"X{j}" for j in range(len(adjacency))]

    targets = intervened_rows(interventions, names, n)
    rows = np.zeros((n, len(names)), dtype=bool) if targets is None else targets
    extended, confounded = with_hidden(adjacency, hidden, hidden_rng)
    kinds = draw_kinds(len(names), discrete, kind_rng)
    roles = _roles(extended, linear, kinds, rows[:, np.argsort(order)], soft, linear_rng)
    X = finite(sample(extended, len(rows), model, node_seed, n_jobs, roles), model)[:, order]
    kinds = [kinds[j] for j in order]
    continuous = np.array([kind == CONTINUOUS for kind in kinds], dtype=bool)
    if error > 0:
        X = measured(X, error, continuous, roles.reference, error_rng)
    if standardize is True:
        X = np.where(continuous, standardized(X), X)
    return Simulation(
        as_columns(X, names, kinds),
        adjacency[np.ix_(order, order)],
        names,
        settings,
        None if confounded is None else confounded[np.ix_(order, order)],
        targets,
        None if continuous.all() else dict(zip(names, kinds, strict=True)),
    )


def _roles(
    extended: BoolArray,
    linear: float,
    kinds: list[str],
    targets: BoolArray,
    soft: bool,
    rng: np.random.Generator,
) -> Roles:
    """Draw the linear children; hidden nodes, which come last, are continuous and never intervened on."""
    hidden = len(extended) - len(kinds)
    children = rng.permutation(np.flatnonzero(extended.any(axis=0)))
    is_linear = np.zeros(len(extended), dtype=bool)
    is_linear[children[: round(linear * len(children))]] = True
    padded = np.pad(targets, ((0, 0), (0, hidden)))
    reference: BoolArray = np.logical_not(targets.any(axis=1))
    return Roles(is_linear, kinds + [CONTINUOUS] * hidden, padded, reference, soft)


def _generated(
    family: str, d: int, k: float, edge_count: str, orientation: str, seed: np.random.SeedSequence
) -> BoolArray:
    rng = np.random.default_rng(seed)
    make = chosen(family, FAMILIES, "graph")
    adjacency = make(d, k, one_of(edge_count, ("exact", "binomial"), "edge_count"), rng)
    if one_of(orientation, ("old-to-new", "random"), "orientation") == "random":
        return randomly_oriented(adjacency, rng)
    return adjacency
