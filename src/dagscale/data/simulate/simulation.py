"""`simulate`: the choices by name, checked, and the table they make."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.data.simulate.graphs import FAMILIES, randomly_oriented
from dagscale.data.simulate.mechanisms import MECHANISMS, Mechanism, standardized
from dagscale.data.simulate.noise import NOISES, Noise, Variance
from dagscale.data.simulate.sample import Model, sample
from dagscale.graphs.dag import topological_order
from dagscale.graphs.given import as_graph
from dagscale.inputs.arguments import at_least, chosen, one_of, whole
from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    import pandas as pd

RandomState = int | np.random.Generator | np.random.SeedSequence | None
LARGEST = 1e100  # beyond, sums of squares overflow


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
    """

    table: "pd.DataFrame"
    adjacency: BoolArray
    names: list[str]
    settings: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def order(self) -> list[str]:
        """One causal order, sources first."""
        return [self.names[j] for j in topological_order(self.adjacency)]

    @property
    def edges(self) -> "pd.DataFrame":
        """The edges as a table with the columns source and target."""
        import pandas as pd

        source, target = np.nonzero(self.adjacency)
        names = np.array(self.names, dtype=object)
        return pd.DataFrame({"source": names[source], "target": names[target]})


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
    n_jobs: int | None = None,
) -> Simulation:
    """Draw a random graph and a table from it.

    Every x_j = f_j(parents) + e_j with a random function and independent noise. The same seed gives the
    same table for any `n_jobs`. Columns of generated graphs always come in random order, so that a
    method cannot profit from the order of the columns.

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
        "gaussian", "laplace", "gumbel", "uniform", "heteroscedastic" (its scale depends on the parents); or
        your own `f(parents (n, p), rng) -> (n,)` of mean 0 and variance 1.
    noise_variance : float, (low, high) or "grandag"
        The same for all nodes, drawn for each, or U(1, 2) for roots and 0.16 U(1, 2) for the others.
    standardize : bool or "iscm"
        True scales the finished columns to mean 0 and variance 1; "iscm" does so while sampling, before
        the children see them, which leaves no trace of the order in the variances.
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
    n_jobs : int or None
        Workers over nodes of the same depth, as in joblib.

    Returns
    -------
    Simulation
        With `table`, `adjacency` and `names`.

    Examples
    --------
    >>> import dagscale
    >>> made = dagscale.simulate(graph="ER", nodes=10, edges_per_node=4, samples=100)
    >>> made.table.shape, int(made.adjacency.sum())
    ((100, 10), 40)
    """
    settings = {name: value for name, value in locals().items() if name != "n_jobs"}
    model = Model(
        chosen(mechanism, MECHANISMS, "mechanism"),
        chosen(noise, NOISES, "noise"),
        _checked_variance(noise_variance),
        at_least(length_scale, "length_scale", 0, strict=True),
        one_of(standardize, (False, True, "iscm"), "standardize") == "iscm",
    )
    n = whole(samples, "samples", 2)
    graph_seed, column_seed, node_seed = _seed(random_state).spawn(3)
    if isinstance(graph, str):
        d, k = whole(nodes, "nodes", 1), at_least(edges_per_node, "edges_per_node", 0)
        adjacency, names = _generated(graph, d, k, edge_count, orientation, graph_seed), None
    else:
        adjacency, names = as_graph(graph)
    X = _finite(sample(adjacency, n, model, node_seed, n_jobs))
    if standardize is True:
        X = standardized(X)
    order = np.arange(len(adjacency))
    if shuffle or isinstance(graph, str):
        order = np.random.default_rng(column_seed).permutation(len(adjacency))
        names = names and [names[j] for j in order]
    return _named(X[:, order], adjacency[np.ix_(order, order)], names, settings)


def _named(
    X: FloatArray, adjacency: BoolArray, names: list[str] | None, settings: dict[str, Any]
) -> Simulation:
    import pandas as pd

    names = names or [f"X{j}" for j in range(len(adjacency))]
    return Simulation(pd.DataFrame(X, columns=names), adjacency, names, settings)


def _generated(
    family: str, d: int, k: float, edge_count: str, orientation: str, seed: np.random.SeedSequence
) -> BoolArray:
    rng = np.random.default_rng(seed)
    make = chosen(family, FAMILIES, "graph")
    adjacency = make(d, k, one_of(edge_count, ("exact", "binomial"), "edge_count"), rng)
    if one_of(orientation, ("old-to-new", "random"), "orientation") == "random":
        return randomly_oriented(adjacency, rng)
    return adjacency


def _finite(X: FloatArray) -> FloatArray:
    if not (np.abs(X) < LARGEST).all():  # also catches NaN
        raise InputError(
            "the simulated values overflow on so deep a graph: use standardize='iscm' or fewer edges"
        )
    return X


def _checked_variance(spec: Any) -> Variance:
    if isinstance(spec, str):
        return str(one_of(spec, ("grandag",), "noise_variance"))
    if isinstance(spec, tuple | list):
        if len(spec) != 2:
            raise InputError(f"noise_variance={shown(spec)}: a range has two ends, (low, high)")
        low, high = (at_least(end, "noise_variance", 0, strict=True) for end in spec)
        if low > high:
            raise InputError(f"noise_variance={shown(spec)}: its low end is above its high end; swap them")
        return low, high
    return at_least(spec, "noise_variance", 0, strict=True)


def _seed(random_state: RandomState) -> np.random.SeedSequence:
    if isinstance(random_state, np.random.SeedSequence):
        # spawning from the caller's own object would change it, and the second call's table with it
        return np.random.SeedSequence(random_state.entropy, spawn_key=random_state.spawn_key)
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if random_state is None:
        return np.random.SeedSequence()
    return np.random.SeedSequence(whole(random_state, "random_state", 0))
