"""Columns that label rows are told from measurements, and measurements are kept."""

import numpy as np
import pytest

from dagscale.inputs.table.identifiers import has_id_name, reasons_to_leave_out, units_of
from dagscale.inputs.table.to_floats import Column

n = 40
rng = np.random.default_rng(0)
shuffled = rng.permutation(n).astype(float)
measured = Column("height", "number", rng.normal(size=n))
sparse = np.sort(rng.choice(10_000, n, replace=False)).astype(float)
labels = np.array([f"s{i}" for i in range(n)], dtype=object)
gaps = np.delete(np.arange(n + 6.0), [3, 4, 9, 17, 30, 31])

LEFT_OUT = {
    "an index without a name": Column("Unnamed: 0", "integer", np.arange(n) + 0.0),
    "an index of floats": Column("Unnamed: 0", "number", np.arange(n) + 0.0),
    "labels without a name": Column("", "text", np.arange(n) + 0.0, tuple(labels)),
    "an empty column without a name": Column("Unnamed: 7", "number", np.full(n, np.nan)),
    "the index pandas keeps in Parquet": Column("__index_level_0__", "integer", shuffled),
    "an ID": Column("id", "integer", sparse[rng.permutation(n)]),
    "an ID in capitals": Column("Patient ID", "integer", sparse),
    "an ID in camels": Column("sampleID", "integer", sparse),
    "an ID of text": Column("sample", "text", np.arange(n) + 0.0, tuple(labels)),
    "an ID with gaps": Column("row_id", "number", np.where(np.arange(n) % 7 == 0, np.nan, sparse)),
    "an ID with repeated values": Column("patient_id", "integer", np.arange(n) // 2 + 0.0),
    "an ID in camels with repeated values": Column("subjectId", "integer", np.arange(n) // 4 + 0.0),
    "an ID of repeated texts": Column(
        "patient_id", "text", np.arange(n) % 15 + 0.0, tuple(f"P{k}" for k in range(15))
    ),
    "an ID of digits that are text": Column("patient_id", "numeric text", np.arange(n) // 2 + 0.0),
    "the number of a person": Column("Person", "integer", np.arange(n) % 8 + 0.0),
    "a count": Column("anything", "integer", np.arange(n) + 100.0),
    "a count downwards": Column("anything", "integer", np.arange(n)[::-1] + 0.0),
    "a count with gaps": Column("anything", "integer", gaps),
    "a shuffled count": Column("anything", "integer", shuffled),
    "dates": Column("when", "date", labels),
}

KEPT = {
    "floats that count": Column("dose", "number", np.arange(n) + 0.0),
    "floats evenly spaced": Column("time", "number", np.linspace(0, 1, n)),
    "sorted integers": Column("income", "integer", sparse),
    "unique integers": Column("income", "integer", rng.permutation(sparse)),
    "small integers": Column("children", "integer", rng.integers(0, 5, n) + 0.0),
    "an ID's name with a few values": Column("patient_id", "integer", np.arange(n) % 7 + 0.0),
    "what may be an ID": Column("case", "integer", np.arange(n) // 2 + 0.0),
    "names of categories": Column(
        "family", "text", np.arange(n) % 12 + 0.0, tuple(f"{k}aceae" for k in "ABCDEFGHIJKL")
    ),
    "a few texts": Column("patient_id", "text", np.arange(n) % 7 + 0.0, tuple(f"P{k}" for k in range(7))),
    "an ID's name with measurements": Column("id", "number", rng.normal(size=n)),
    "measurements without a name": Column("Unnamed: 3", "number", rng.normal(size=n)),
    "booleans": Column("id", "boolean", np.array([0.0, 1.0] * (n // 2))),
    "a word ending in id": Column("plasmid", "integer", sparse),
    "text": Column("city", "other", labels),
    "integers with a hole": Column("anything", "integer", np.where(np.arange(n) == 3, np.nan, np.arange(n))),
}


@pytest.mark.parametrize("column", LEFT_OUT.values(), ids=LEFT_OUT)
def test_labels_are_left_out(column):
    assert list(reasons_to_leave_out([measured, column], named=True)) == [1]


@pytest.mark.parametrize("column", KEPT.values(), ids=KEPT)
def test_measurements_are_kept(column):
    assert reasons_to_leave_out([measured, column], named=True) == {}


def test_a_table_of_ranks_is_kept():
    ranks = [Column(name, "integer", rng.permutation(n) + 1.0) for name in "abc"]
    assert reasons_to_leave_out(ranks, named=True) == {}
    with_index = [Column("i", "integer", np.arange(n) + 0.0), *ranks]
    assert list(reasons_to_leave_out(with_index, named=True)) == [0]


def test_in_a_plain_array_only_a_first_column_that_counts_is_left_out():
    count = Column(0, "number", np.arange(n) + 5.0)
    assert reasons_to_leave_out([count, measured], named=False) == {0: "it counts the rows"}
    assert reasons_to_leave_out([measured, count], named=False) == {}
    for values in (shuffled, gaps, np.arange(n) + 0.5, 2.0 * np.arange(n)):
        assert reasons_to_leave_out([Column(0, "integer", values), measured], named=False) == {}


@pytest.mark.parametrize(
    "name", ["id", "ID", "row", "Row Number", "gene_id", "gene.id", "userId", "obs", "case no", 3]
)
def test_names_of_ids(name):
    assert has_id_name(name) == (name != 3)


@pytest.mark.parametrize(
    "name", ["acid", "fluid", "COVID", "Raf", "body_mass_index", "keys", "arrow", "idle", "RAPID"]
)
def test_other_names(name):
    assert not has_id_name(name)


def test_rows_of_one_unit_are_told_by_its_id():
    person = Column("person", "integer", np.array([5.0, 5, 3, np.nan, 3, np.nan, *range(10, 18)]))
    plate = Column("plate", "integer", np.arange(14) // 2 + 0.0)
    units = units_of([plate, person])
    assert units.shape == (14, 1)
    places = units[:, 0].tolist()
    assert places[0] == places[1] != places[2] == places[4]
    assert len(set(places)) == 12  # a row without a name is a unit of its own
    assert units_of([plate]) is None
