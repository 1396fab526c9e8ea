"""What people type from habit is answered, and what the help lists is what there is."""

import pytest

import dagscale
from dagscale.cli.discover import METHOD_HELP
from dagscale.methods.registry import METHODS


@pytest.mark.parametrize(
    "call",
    [
        lambda: dagscale.discover({"a": [1, 2], "b": [2, 3]}, seed=3),
        lambda: dagscale.bootstrap({"a": [1, 2], "b": [2, 3]}, seed=3),
        lambda: dagscale.simulate(nodes=3, seed=3),
        lambda: dagscale.DAS(seed=3),
    ],
    ids=["discover", "bootstrap", "simulate", "estimator"],
)
def test_seed_is_answered_with_random_state(call):
    with pytest.raises(TypeError, match="write random_state=3") as caught:
        call()
    assert "\n" not in str(caught.value)


def test_the_help_names_every_method():
    assert [name for name in METHODS if name not in METHOD_HELP] == []


def test_load_reads_what_save_wrote(tmp_path):
    result = dagscale.discover(dagscale.simulate(nodes=3, samples=60).table, method="empty")
    result.save(tmp_path / "run")
    assert dagscale.load(tmp_path / "run").names == result.names
