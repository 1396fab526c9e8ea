"""dagscale: the causal graph behind a table of observations.

>>> import dagscale
>>> result = dagscale.discover(table)      # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# `discover`, `simulate`, `bootstrap` and `plan` live in modules of the same name: bound here, eagerly,
# so that the function wins. Everything else is loaded on first use, which keeps the import fast.
from dagscale.bootstrap import Bootstrap, bootstrap
from dagscale.discover import discover
from dagscale.plan import Plan, plan
from dagscale.simulate import Simulation, simulate

if TYPE_CHECKING:
    from dagscale import datasets, metrics
    from dagscale.errors import DagscaleError, InputError, InputTypeError
    from dagscale.estimators import CAM, DAS, SCORE, Auto, GraNDAG, NoGAM
    from dagscale.knowledge import Knowledge
    from dagscale.result import Result

__version__ = "0.1.0"

_LAZY = {
    "Result": "dagscale.result",
    "Knowledge": "dagscale.knowledge",
    "DAS": "dagscale.estimators",
    "SCORE": "dagscale.estimators",
    "CAM": "dagscale.estimators",
    "NoGAM": "dagscale.estimators",
    "GraNDAG": "dagscale.estimators",
    "Auto": "dagscale.estimators",
    "DagscaleError": "dagscale.errors",
    "InputError": "dagscale.errors",
    "InputTypeError": "dagscale.errors",
    "metrics": "dagscale",
    "datasets": "dagscale",
}

__all__ = [
    "CAM",
    "DAS",
    "SCORE",
    "Auto",
    "Bootstrap",
    "DagscaleError",
    "GraNDAG",
    "InputError",
    "InputTypeError",
    "Knowledge",
    "NoGAM",
    "Plan",
    "Result",
    "Simulation",
    "bootstrap",
    "datasets",
    "discover",
    "metrics",
    "plan",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'dagscale' has no attribute {name!r}")
    if _LAZY[name] == "dagscale":
        return import_module(f"dagscale.{name}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
