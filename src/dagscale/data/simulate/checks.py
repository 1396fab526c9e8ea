"""`simulate`'s arguments, checked where they enter, and the model they describe."""

from typing import Any

import numpy as np

from dagscale.data.simulate.mechanisms import MECHANISMS
from dagscale.data.simulate.noise import MULTIPLICATIVE, NOISES, SPREADS, Noise, Variance, gaussian
from dagscale.data.simulate.post_nonlinear import TRANSFORMS
from dagscale.data.simulate.sample import Model
from dagscale.inputs.arguments import at_least, chosen, one_of, whole
from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.types import FloatArray

RandomState = int | np.random.Generator | np.random.SeedSequence | None
LARGEST = 1e100  # beyond, sums of squares overflow


def checked_model(
    mechanism: Any,
    noise: Any,
    noise_variance: Any,
    length_scale: Any,
    standardize: Any,
    post_nonlinear: Any,
    autoregressive: Any,
) -> Model:
    """Return the model of these choices, or say which of them is wrong."""
    if post_nonlinear is not None:
        post_nonlinear = TRANSFORMS[one_of(post_nonlinear, (None, *TRANSFORMS), "post_nonlinear")]
    function: Noise = chosen(noise, {**NOISES, MULTIPLICATIVE: gaussian}, "noise")
    name = noise.lower() if isinstance(noise, str) else ""
    return Model(
        chosen(mechanism, MECHANISMS, "mechanism"),
        gaussian if name in SPREADS else function,
        _checked_variance(noise_variance),
        at_least(length_scale, "length_scale", 0, strict=True),
        one_of(standardize, (False, True, "iscm"), "standardize") == "iscm",
        SPREADS.get(name),
        name == MULTIPLICATIVE,
        _correlation(autoregressive, "autoregressive"),
        post_nonlinear,
    )


def refuse_mixing(model: Model, linear: float, discrete: float) -> None:
    """Refuse what multiplicative noise cannot go with: its columns are positive and made in one way only."""
    if not model.multiplicative:
        return
    culprits = {
        "standardize='iscm'": (model.internally_standardized, "use standardize=True"),
        "post_nonlinear": (model.post_nonlinear is not None, "leave it out"),
        "linear": (linear > 0, "leave it out"),
        "discrete": (discrete > 0, "leave it out"),
    }
    for culprit, (given, remedy) in culprits.items():
        if given:
            raise InputError(f"noise='multiplicative' does not go with {culprit}: {remedy}")


def share(value: Any, what: str) -> float:
    """Return a number between 0 and 1."""
    number = at_least(value, what, 0)
    if number > 1:
        raise InputError(f"{what}={value}: give a share between 0 and 1")
    return number


def finite(X: FloatArray, model: Model) -> FloatArray:
    """Return the values unless some are too large to compute with."""
    if not (np.abs(X) < LARGEST).all():  # also catches NaN
        remedy = "a smaller noise_variance" if model.multiplicative else "standardize='iscm'"
        raise InputError(f"the simulated values overflow on so deep a graph: use {remedy} or fewer edges")
    return X


def seed_sequence(random_state: RandomState) -> np.random.SeedSequence:
    """Return a seed sequence of our own: the caller's stays as it was."""
    if isinstance(random_state, np.random.SeedSequence):
        # spawning from the caller's own object would change it, and the second call's table with it
        return np.random.SeedSequence(random_state.entropy, spawn_key=random_state.spawn_key)
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if random_state is None:
        return np.random.SeedSequence()
    return np.random.SeedSequence(whole(random_state, "random_state", 0))


def _correlation(value: Any, what: str) -> float:
    number = at_least(value, what, -1, strict=True)
    if number >= 1:
        raise InputError(f"{what}={value}: give a correlation between -1 and 1, both excluded")
    return number


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
