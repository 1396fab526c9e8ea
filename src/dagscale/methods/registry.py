"""All methods by name. Each is a choice of stages: read its file to see which.

A method is a function `method(X, context, *, settings...) -> Answer`; its keyword-only arguments are the
settings a user may pass to `discover`. Adding a method is adding a small file to this room and a line to
`METHODS`; adding a stage is adding a small file to the folder of its kind in `stages`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

from dagscale.inputs.conditions import Conditions
from dagscale.methods.auto.method import auto
from dagscale.methods.baselines import BASELINES
from dagscale.methods.cam import cam
from dagscale.methods.das import das
from dagscale.methods.grandag.method import grandag
from dagscale.methods.nogam import nogam
from dagscale.methods.rules import check_argument
from dagscale.methods.score import score
from dagscale.runtime.errors import InputError, InputTypeError, closest, refuse_seed
from dagscale.stages.answer import Answer


@dataclass(frozen=True)
class Method:
    """A row of the registry: the function, and what it does and takes.

    Attributes
    ----------
    function : callable
    standardize, numbers_only : bool
        Whether it standardises the columns by default, and takes only numbers.
    interventions, environments : bool
        Whether it uses what was set in rows, and compares environments.
    """

    function: Callable[..., Answer]
    standardize: bool = False
    numbers_only: bool = False
    interventions: bool = False
    environments: bool = False

    def not_used(self, done: Conditions | None) -> tuple[str, ...]:
        """Say what of the conditions the method takes no notice of."""
        if done is None:
            return ()
        said = []
        if done.targets.any() and not self.interventions:
            said.append("this method does not use interventions: all rows were taken as observed")
        if (done.environment > 0).any() and not self.environments:
            said.append("this method does not compare environments: only `auto` says what changed")
        return tuple(said)

    @property
    def summary(self) -> str:
        """First line of the function's docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]

    def settings(self) -> dict[str, Any]:
        """Names and defaults of the settings a user may pass."""
        parameters = signature(self.function).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is Parameter.KEYWORD_ONLY}


METHODS: dict[str, Method] = {
    "auto": Method(auto, interventions=True, environments=True),
    "das": Method(das, numbers_only=True, interventions=True),
    "score": Method(score, numbers_only=True, interventions=True),
    "nogam": Method(nogam, numbers_only=True, interventions=True),
    "cam": Method(cam, interventions=True),
    "grandag": Method(grandag, numbers_only=True),
    **{name: Method(function, interventions=True) for name, function in BASELINES.items()},
}


def check_request(method: str, settings: dict[str, Any], **run: Any) -> None:
    """Refuse an unknown method or setting, and values out of range, before anything is read or computed.

    Parameters
    ----------
    method : str
    settings : dict
        Of the method.
    **run
        Arguments of the run: `effort`, `time_budget`, `n_jobs` ...; names in `rules.RULES`.
    """
    if not isinstance(method, str):
        raise InputTypeError(f"method must be a name such as 'auto' or 'das', not {type(method).__name__}")
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}{closest(method, METHODS)}; known: {', '.join(METHODS)}")
    known = METHODS[method].settings()
    refuse_seed(settings)
    for name, value in settings.items():
        if name not in known:
            raise InputError(
                f"method {method!r} has no setting {name!r}{closest(name, known)}; "
                f"known: {', '.join(known) or 'none'}"
            )
        check_argument(name, value)
    for name, value in run.items():
        check_argument(name, value)
