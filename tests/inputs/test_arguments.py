"""Arguments: what passes, what is refused, and that refusals name the remedy."""

import numpy as np
import pytest

from dagscale.inputs.arguments import at_least, chosen, one_of, whole
from dagscale.runtime.errors import InputError, InputTypeError


def test_numbers_pass_in_any_kind_and_come_back_plain():
    assert type(whole(np.int32(3), "n", 1)) is int
    assert type(at_least(np.float32(0.5), "x", 0)) is float
    assert at_least(0, "x", 0) == 0


@pytest.mark.parametrize("value", [2.0, "2", True, None, np.nan])
def test_what_is_no_whole_number(value):
    with pytest.raises(InputTypeError, match="n="):
        whole(value, "n", 1)


def test_bounds():
    with pytest.raises(InputError, match="at least 1"):
        whole(0, "n", 1)
    with pytest.raises(InputError, match="above 0"):
        at_least(0, "x", 0, strict=True)
    for value in (-1, np.inf, np.nan):
        with pytest.raises(InputError, match="finite"):
            at_least(value, "x", 0)
    with pytest.raises(InputTypeError):
        at_least("1", "x", 0)


def test_choices():
    assert chosen("er", {"ER": 1}, "graph") == 1
    assert chosen(len, {}, "graph") is len
    assert one_of("exact", ("exact", "binomial"), "edge_count") == "exact"
    with pytest.raises(InputError, match="did you mean 'exact'"):
        one_of("exac", ("exact", "binomial"), "edge_count")
    with pytest.raises(InputError):
        one_of(1, (False, True, "iscm"), "standardize")
    with pytest.raises(InputError, match="did you mean 'chain'"):
        chosen("chian", {"chain": 1, "ER": 2}, "graph")
    with pytest.raises(InputTypeError, match="neither a name nor callable"):
        chosen(3, {"chain": 1}, "graph")
