"""Columns of targets, masks and environments become conditions; what cannot be used is said in one line."""

import numpy as np
import pandas as pd
import pytest

from dagscale.inputs.table import read_table
from dagscale.runtime.errors import InputError
from dagscale.runtime.face import COMMAND_LINE, words_of


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=["akt", "pkc", "mek"])
    return frame.assign(target=[""] * 40 + ["akt"] * 40 + ["akt, pkc"] * 40)


def test_targets_are_read_and_the_column_is_no_variable(table: pd.DataFrame) -> None:
    read = read_table(table, interventions="target")
    assert read.names == ("akt", "pkc", "mek")
    expected = np.zeros((120, 3), dtype=bool)
    expected[40:, 0], expected[80:, 1] = True, True
    assert np.array_equal(read.conditions.targets, expected)
    assert not read.conditions.environment.any()


@pytest.mark.parametrize("nothing", ["", "obs", None, np.nan, "None"])
def test_rows_without_intervention_have_many_spellings(table: pd.DataFrame, nothing: object) -> None:
    spelled = table.assign(target=[nothing] * 80 + ["pkc"] * 40)
    assert read_table(spelled, interventions="target").conditions.targets.sum(axis=0).tolist() == [0, 40, 0]


def test_mask_and_column_say_the_same(table: pd.DataFrame) -> None:
    known = read_table(table, interventions="target").conditions.targets
    for mask in (known, known.astype(int), pd.DataFrame(known[:, ::-1], columns=["mek", "pkc", "akt"])):
        read = read_table(table.drop(columns="target"), interventions=mask)
        assert np.array_equal(read.conditions.targets, known)


def test_rows_with_missing_values_leave_the_conditions_too(table: pd.DataFrame) -> None:
    table.loc[[0, 41, 42], "mek"] = np.nan
    read = read_table(table, interventions="target", missing="drop")
    assert len(read.X) == len(read.conditions.targets) == 117
    assert read.conditions.targets.sum(axis=0).tolist() == [78, 40, 0]


def test_something_unknown_is_an_environment(table: pd.DataFrame) -> None:
    read = read_table(table.assign(target=["obs"] * 80 + ["?"] * 40), interventions="target")
    assert read.conditions.labels == ("", "?")
    assert read.conditions.environment.tolist() == [0] * 80 + [1] * 40
    assert "environments, by rows: '?' (40), compared with the other 80 rows" in read.notes


@pytest.mark.parametrize(
    ("labels", "reference"), [(["b"] * 30 + ["a"] * 90, "a"), (["a"] * 90 + ["Control"] * 30, "Control")]
)
def test_the_reference_environment(table: pd.DataFrame, labels: list[str], reference: str) -> None:
    read = read_table(table.drop(columns="target").assign(where=labels), environment="where")
    assert read.conditions.labels[0] == reference
    assert read.names == ("akt", "pkc", "mek")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"target": [""] * 80 + ["atk"] * 40}, "'atk', which is no column; did you mean 'akt'?"),
        ({"target": ["akt"] * 120}, "'akt' is set in every row"),
        ({"target": [""] * 110 + ["akt"] * 10}, "too few rows under 'akt' (10 rows)"),
        ({"target": ["akt"] * 110 + [""] * 10}, "left alone in fewer than 20 rows"),
    ],
)
def test_what_cannot_be_used_is_said(table: pd.DataFrame, change: dict[str, list[str]], said: str) -> None:
    with pytest.raises(InputError) as error:
        read_table(table.assign(**change), interventions="target")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("option", "says"), [("interventions", "were set"), ("environment", "was seen")])
def test_a_variable_is_no_column_of_labels(table: pd.DataFrame, option: str, says: str) -> None:
    with pytest.raises(InputError, match=f"'akt' of {option}= holds measured numbers.*{says}$"):
        read_table(table.drop(columns="target"), **{option: "akt"})


def test_a_target_that_was_left_out_is_said_with_a_remedy(table: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="keep it, or leave out the rows that set it"):
        read_table(table, interventions="target", drop=["akt"])


def test_all_problems_come_at_once(table: pd.DataFrame) -> None:
    bad = table.assign(target=[""] * 60 + ["atk"] * 30 + ["pck"] * 30)
    with pytest.raises(InputError, match=r"'atk'.*'pck'"):
        read_table(bad, interventions="target")


def test_a_column_of_targets_is_no_variable(table: pd.DataFrame) -> None:
    with pytest.raises(InputError, match=r"in columns= and in interventions="):
        read_table(table, interventions="target", columns=["akt", "pkc", "target"])
    with pytest.raises(
        InputError, match="interventions='tarjet': the table has no such column; did you mean 'target'"
    ):
        read_table(table, interventions="tarjet")
    with pytest.raises(InputError, match="name it in one of them"):
        read_table(table, interventions="target", environment="target")


def test_a_mask_of_another_size_is_refused(table: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="has 5 rows, the table 120"):
        read_table(table.drop(columns="target"), interventions=np.zeros((5, 3), dtype=bool))
    with pytest.raises(InputError, match="has 7 columns"):
        read_table(table.drop(columns="target"), interventions=np.zeros((120, 7), dtype=bool))


@pytest.mark.parametrize("kind", [list, pd.Series, np.array])
def test_labels_beside_the_table_are_sent_into_it(table: pd.DataFrame, kind: type) -> None:
    with pytest.raises(InputError, match="put it into the table as a column, and give its name"):
        read_table(table.drop(columns="target"), interventions=kind(table["target"].tolist()))


def test_small_environments_and_empty_labels_are_refused(table: pd.DataFrame) -> None:
    plain = table.drop(columns="target")
    with pytest.raises(InputError, match=r"too few rows under 'b' \(5 rows\)"):
        read_table(plain.assign(where=["a"] * 115 + ["b"] * 5), environment="where")
    with pytest.raises(InputError, match="no label in 5 rows"):
        read_table(plain.assign(where=["a"] * 115 + [None] * 5), environment="where")


def test_rows_without_a_condition_are_left_out_with_the_missing_values(table: pd.DataFrame) -> None:
    labelled = table.drop(columns="target").assign(where=["a"] * 60 + ["b"] * 57 + [None, "", np.nan])
    labelled.loc[[0, 119], "mek"] = np.nan
    with pytest.raises(InputError, match=r"no label in 3 rows: .*missing='drop'"):
        read_table(labelled, environment="where", missing="impute")
    read = read_table(labelled, environment="where", missing="drop")
    assert len(read.X) == len(read.conditions.environment) == 116
    assert np.bincount(read.conditions.environment).tolist() == [59, 57]
    assert "left out 3 of 120 rows: environment column 'where' has no label there" in read.notes
    assert np.array_equal(read.X[:, 0], labelled["akt"].to_numpy()[1:117])


@pytest.mark.parametrize(
    "named", [{"columns": ["akt", "target"]}, {"drop": ["target"]}, {"kinds": {"target": "categorical"}}]
)
def test_a_column_of_labels_is_named_once(table: pd.DataFrame, named: dict[str, object]) -> None:
    option = next(iter(named))
    with pytest.raises(
        InputError, match=f"'target' is in {option}= and in interventions=: .*remove it from one"
    ):
        read_table(table, interventions="target", **named)


def test_the_command_line_hears_its_own_words(table: pd.DataFrame) -> None:
    with words_of(COMMAND_LINE), pytest.raises(InputError) as error:
        read_table(table, interventions="taget")
    assert str(error.value) == "--interventions taget: the table has no such column; did you mean 'target'?"
    with words_of(COMMAND_LINE), pytest.raises(InputError, match="in --interventions and in --environment"):
        read_table(table, interventions="target", environment="target")


def test_several_columns_that_are_always_set_are_told_in_the_plural(table: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="columns 'akt', 'pkc' are set in every row"):
        read_table(table.assign(target="akt,pkc"), interventions="target")
