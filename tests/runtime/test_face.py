"""Remedies are spelled as the user of Python or of the command line would type them."""

import pytest

from dagscale.runtime.face import COMMAND_LINE, ESTIMATOR, spelled, words_of


@pytest.mark.parametrize(
    ("argument", "value", "python", "option"),
    [
        ("drop", ["a", "b"], "drop=['a', 'b']", "--drop a,b"),
        ("drop", ["with, comma", "c"], "drop=['with, comma', 'c']", "--drop '\"with, comma\",c'"),
        ("drop", list("abcdefg"), "drop=['a', 'b', 'c', 'd', 'e', ...]", "--drop a,b,c,d,e,..."),
        ("kinds", {"x y": "count"}, "kinds={'x y': 'count'}", "--kind 'x y=count'"),
        ("kinds", {"a": "count", 2: "binary"}, "kinds={'a': 'count', 2: 'binary'}", "--kind a=count --kind 2=binary"),
        ("missing", "drop", "missing='drop'", "--missing drop"),
        ("time_budget", 30, "time_budget=30", "--time-budget 30"),
        ("columns", None, "columns=", "--columns"),
        ("random_state", 3, "random_state=3", "--seed 3"),
    ],
)  # fmt: skip
def test_arguments_in_the_words_of_both_faces(argument, value, python, option):
    assert spelled(argument, value) == python
    with words_of(COMMAND_LINE):
        assert spelled(argument, value) == option
    assert spelled(argument, value) == python


def test_what_an_estimator_has_no_argument_for_is_done_to_the_table():
    with words_of(ESTIMATOR):
        assert spelled("method", "auto") == "dagscale.Auto()"
        assert spelled("drop", ["a", "b"]) == "X.drop(columns=['a', 'b'])"
        assert (spelled("missing", "drop"), spelled("missing", "impute")) == (
            "X.dropna()",
            "sklearn.impute.SimpleImputer",
        )
        assert spelled("kinds", {"a": "count"}) == "kinds={'a': 'count'}"
