"""dagscale: the causal graph behind a table of observations.

>>> import dagscale
>>> result = dagscale.discover(table)      # doctest: +SKIP

Every public name is loaded at first use, which keeps the import fast.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dagscale.runtime import wiring
from dagscale.runtime.versions import __version__ as __version__

if TYPE_CHECKING:
    from dagscale.data import datasets
    from dagscale.data.simulate import Simulation, simulate
    from dagscale.estimators import CAM, DAS, SCORE, Auto, GraNDAG, NoGAM
    from dagscale.flow import discover
    from dagscale.graphs import metrics
    from dagscale.inputs.knowledge import Knowledge
    from dagscale.methods.forecast import Plan, plan
    from dagscale.resampling import bootstrap
    from dagscale.result import Result, load
    from dagscale.result.confidence import Bootstrap
    from dagscale.runtime.errors import DagscaleError, InputError, InputTypeError

_HOMES = {
    "discover": "flow",
    "load": "result",
    "bootstrap": "resampling",
    "plan": "methods.forecast",
    "Plan": "methods.forecast",
    "simulate": "data.simulate",
    "Simulation": "data.simulate",
    "Result": "result",
    "Bootstrap": "result.confidence",
    "Knowledge": "inputs.knowledge",
    **dict.fromkeys(("DAS", "SCORE", "CAM", "NoGAM", "GraNDAG", "Auto"), "estimators"),
    **dict.fromkeys(("DagscaleError", "InputError", "InputTypeError"), "runtime.errors"),
}
# Modules that users import by a short name (`from dagscale.metrics import shd`), and where they live.
_SHORT_NAMES = {
    "metrics": "graphs.metrics",
    "datasets": "data.datasets",
    "diagnostics": "result.diagnostics",
    "knowledge": "inputs.knowledge",
    "interventions": "inputs.interventions",
    "errors": "runtime.errors",
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
    "load",
    "metrics",
    "plan",
    "simulate",
]


class _Alias(ModuleType):
    """A module under its short name, loaded when something of it is asked for."""

    def __init__(self, name: str, home: str) -> None:
        super().__init__(f"{__name__}.{name}", f"Short name of `{__name__}.{home}`.")
        self.__dict__["_home"] = home

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(f"dagscale.{self._home}"), name)

    def __dir__(self) -> list[str]:
        return dir(import_module(f"dagscale.{self._home}"))

    def __reduce__(self) -> Any:
        return import_module, (self.__name__,)  # a function that uses it may travel to a worker


def _rerun(*arguments: Any) -> Any:
    from dagscale.flow import rerun

    return rerun(*arguments)


def _resample(*arguments: Any) -> Any:
    from dagscale.resampling import confidence_of

    return confidence_of(*arguments)


def __getattr__(name: str) -> Any:
    if name in _SHORT_NAMES:
        return import_module(f"dagscale.{_SHORT_NAMES[name]}")
    if name not in _HOMES:
        raise AttributeError(f"module 'dagscale' has no attribute {name!r}")
    return getattr(import_module(f"dagscale.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


for _name, _home in _SHORT_NAMES.items():
    sys.modules[f"dagscale.{_name}"] = _Alias(_name, _home)
wiring.give(rerun=_rerun, resample=_resample)
