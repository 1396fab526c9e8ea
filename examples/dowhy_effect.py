"""From a graph to an effect, with DoWhy: identify, estimate, and try to falsify the graph.

    pip install dowhy
    python examples/dowhy_effect.py

Age drives both the dose and the recovery, so that the plain slope of recovery on dose is wrong, even in its
sign. The graph found says what to adjust for. By construction one more unit of the dose raises recovery by 1:
a straight effect with Gaussian noise, whose direction no data can tell; but the dose came first, and that is
said beforehand.
"""

import warnings

import numpy as np
import pandas as pd

import dagscale

TRUE_EFFECT = 1.0
ROWS = 1000


def trial(seed=1000):
    """age -> dose, age -> recovery, dose -> recovery -> stay; site matters to nothing."""
    rng = np.random.default_rng(seed)
    age = rng.normal(size=ROWS)
    dose = 2 * np.tanh(1.5 * age) + 0.8 * rng.normal(size=ROWS)
    recovery = TRUE_EFFECT * dose - 4 * age + rng.normal(size=ROWS)
    stay = np.exp(-0.2 * recovery) + 0.3 * rng.normal(size=ROWS)
    site = rng.normal(size=ROWS)
    return pd.DataFrame({"age": age, "dose": dose, "recovery": recovery, "stay": stay, "site": site})


def graph_of(table):
    """Find the graph, knowing that the dose came before the recovery."""
    return dagscale.discover(table, knowledge=dagscale.Knowledge(forbidden=[("recovery", "dose")]))


def effect(result, table, cause="dose", outcome="recovery"):
    """Return DoWhy's estimand and estimate of what one unit of the cause does to the outcome."""
    from dowhy import CausalModel

    model = CausalModel(data=table, treatment=cause, outcome=outcome, graph=result.to_dowhy())
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    return estimand, model.estimate_effect(estimand, method_name="backdoor.linear_regression")


def falsified(result, table, permutations=50):
    """Ask DoWhy whether the graph fits the table better than graphs of the same shape under other names."""
    from dowhy import gcm

    gcm.config.disable_progress_bars()
    gcm.config.set_default_n_jobs(1)
    gcm.util.general.set_random_seed(0)
    test = gcm.regression_based  # seconds; the default, kernel tests, takes minutes
    return gcm.falsify.falsify_graph(
        result.to_dowhy(),
        table,
        n_permutations=permutations,
        independence_test=test,
        conditional_independence_test=test,
        suggestions=False,
        show_progress_bar=False,
    )


def main():
    table = trial()
    result = graph_of(table)
    print(result)
    plain = np.polyfit(table["dose"], table["recovery"], 1)[0]
    estimand, estimate = effect(result, table)
    print(f"adjust for: {', '.join(estimand.get_backdoor_variables())}")
    print(f"plain slope {plain:.2f}, DoWhy's estimate {estimate.value:.2f}, the truth {TRUE_EFFECT:.2f}")
    print(falsified(result, table))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # DoWhy's own
    main()
