"""Messages on the command line speak of options."""

import pytest

from dagscale.cli.hints import in_options


@pytest.mark.parametrize(
    ("python", "typed"),
    [
        ("leave it out with drop=['a', 'b c']", "leave it out with --drop a,b c"),
        ("use transform='rank'", "use --transform rank"),
        ("transform={'a': 'log'}", "--transform a=log"),
        ("random_state=-1: give", "--seed -1: give"),
        ("name it in columns=", "name it in --columns"),
        ("K=0: give a whole number", "--set K=0: give a whole number"),
        ("effort='quick'", "--effort quick"),
        ("standardize=True", "--standardize"),
        ("standardize=False", "--raw"),
        ("n_jobs=0", "--n-jobs 0"),
        ("write --set name=value", "write --set name=value"),
        ("a value of x=3 stays", "a value of x=3 stays"),
    ],
)
def test_arguments_become_options(python, typed):
    assert in_options(python) == typed


def test_what_a_wrong_setting_is_answered_with(refused, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "\n".join(f"{k},{k * k % 7}" for k in range(40)))
    assert "--set K=0" in refused("discover", str(path), "--method", "das", "--set", "K=0")
    assert "--n-jobs 0" in refused("discover", str(path), "--n-jobs", "0")
