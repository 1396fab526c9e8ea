"""One table of rules for arguments: what every setting of a method, and every argument of a run, may be.

Faces (`discover`, `bootstrap`, the estimators, the command line) check with it once, before anything is read
or computed; everything behind them trusts what it is given.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dagscale.inputs.arguments import at_least, between, one_of, whole
from dagscale.inputs.knowledge import Knowledge
from dagscale.runtime.checkpoint import Checkpoint
from dagscale.runtime.errors import InputError, InputTypeError, MissingDependencyError, shown
from dagscale.stages.ordering.leaf import CRITERIA

Rule = Callable[[Any, str], Any]  # value, name -> the value; raises what a user reads

EFFORTS = ("quick", "full")


def check_argument(name: str, value: Any) -> None:
    """Refuse, in one line, a value that an argument of that name cannot have."""
    RULES[name](value, name)


def _optional(rule: Rule) -> Rule:
    return lambda value, name: None if value is None else rule(value, name)


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"{name}={shown(value)}: give True or False")
    return bool(value)


def _workers(value: Any, name: str) -> int:
    if whole(value, name, least=-(2**31)) == 0:
        raise InputError(f"{name}=0: give the number of workers, or -1 for all cores")
    return int(value)


def _seconds(value: Any, name: str) -> float:
    if isinstance(value, float) and value == float("inf"):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value > 0:
        raise InputError(f"{name}={shown(value)}: give a positive number of seconds")
    return float(value)


def _device(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value:
        raise InputTypeError(f"{name}={shown(value)}: give 'cpu', or a torch device such as 'cuda'")
    if value != "cpu":
        try:
            import torch
        except ImportError:
            raise MissingDependencyError(
                f"{name}={value!r} needs torch: pip install 'dagscale[torch]', or use {name}='cpu'"
            ) from None
        try:
            torch.device("cpu" if value == "torch" else value.removeprefix("torch:"))
        except RuntimeError:
            raise InputError(f"{name}={value!r} is no torch device: give 'cpu', 'cuda' or 'cuda:1'") from None
    return value


def _knowledge(value: Any, name: str) -> Knowledge:
    if not isinstance(value, Knowledge):
        raise InputTypeError(
            f"{name}={shown(value)}: give dagscale.Knowledge(...), or Knowledge.load(file) of a YAML or JSON"
        )
    return value


def _place(value: Any, name: str) -> Any:
    if not isinstance(value, str | Path | Checkpoint) or value == "":
        raise InputTypeError(f"{name}={shown(value)}: give the path of a folder")
    return value


def _reporter(value: Any, name: str) -> Any:
    if not (isinstance(value, bool | np.bool_) or callable(value)):
        raise InputTypeError(f"{name}={shown(value)}: give True, False or a function (label, done, total)")
    return value


def _effort(value: Any, name: str) -> Any:
    return one_of(value, EFFORTS, name)


RULES: dict[str, Rule] = {
    # settings of methods
    "alpha": partial(between, least=0, most=1, strict=True),
    "batch": partial(whole, least=1),
    "criterion": lambda value, name: one_of(value, tuple(CRITERIA), name),
    "cutoff": partial(between, least=0, most=1),
    "eta": partial(at_least, least=0),
    "hidden": partial(whole, least=1),
    "K": partial(whole, least=1),
    "max_parents": partial(whole, least=1),
    "max_rows": partial(whole, least=2),
    "min_parents": partial(whole, least=0),
    "n_crossval": partial(whole, least=2),
    "pns": _optional(_flag),
    "pns_method": lambda value, name: one_of(value, ("boosting", "trees"), name),
    "pruning": lambda value, name: one_of(value, ("additive", "evidence"), name),
    "ridge": partial(at_least, least=0, strict=True),
    "sparsity": partial(at_least, least=0),
    "steps": partial(whole, least=1),
    # arguments of a run
    "checkpoint": _optional(_place),
    "device": _device,
    "effort": _effort,
    "knowledge": _optional(_knowledge),
    "n_jobs": _optional(_workers),
    "pairs": _flag,
    "progress": _reporter,
    "random_state": _optional(partial(whole, least=0)),
    "replicates": partial(whole, least=1),
    "standardize": _optional(_flag),
    "time_budget": _optional(_seconds),
}
