import pytest

from dagscale.benchmark.published import Value, published, published_methods, published_rows

SIZES = (10, 20, 50, 100, 200, 500, 1000)
# The lowest mean SHD of any method in each of the paper's tables, read off them by hand.
BEST = {
    "ER1": (0.7, 2.0, 8.3, 27.5, 59.9, 209, 994),
    "ER4": (22.2, 49.3, 141, 313, 626, 1642, 3951),
    "SF1": (0.3, 0.9, 3.6, 39.4, 112, 271, 910),
    "SF4": (4.6, 14.7, 63.8, 295.3, 674.2, 1890, 3715),
}


@pytest.mark.parametrize("family", BEST)
def test_lowest_published_shd_of_each_size(family):
    for nodes, best in zip(SIZES, BEST[family], strict=True):
        methods = [m for m in published_methods(family, nodes) if ":" not in m]
        assert min(published(family, nodes, m)["shd"].mean for m in methods) == best


def test_whole_rows_as_printed():
    row = published("ER4", 20, "score")
    assert row["shd"] == Value(57.17, 3.1)
    assert row["sid"] == Value(229, 23)
    assert (row["precision"], row["recall"]) == (Value(0.99, 0.01), Value(0.30, 0.04))
    assert row["wall"] == Value(40.7, 1.8)
    assert published("ER1", 50, "grandag")["sid"] == Value(135, 456)
    assert published("SF4", 1000, "das")["wall"] == Value(5016, 53)


def test_a_dash_is_none_and_a_single_run_has_no_deviation():
    single = published("ER1", 500, "score")
    assert single["shd"] == Value(209, None)
    assert "sid" not in single
    assert published("ER4", 10, "cam").keys() == {"shd", "sid", "wall"}


def test_data_sets_and_the_threshold_table():
    sachs = {m: published("Sachs", 11, m)["shd"].mean for m in published_methods("Sachs", 11)}
    assert sachs == {"das": 12, "score": 12, "cam": 12, "grandag": 13}
    assert published("SynTReN", 20, "grandag")["shd"] == Value(34.0, 8.5)
    assert published("ER4", 200, "das:cutoff=0.05")["shd"] == Value(698, 9)
    assert published("ER1", 10, "das:cutoff=0.05")["shd"] == Value(0.9, 0.9)


def test_what_the_paper_does_not_have():
    assert published("ER1", 1000, "score") == {}
    assert published("ER2", 10, "das") == {}
    assert {family for family, _, _ in published_rows()} == {*BEST, "Sachs", "SynTReN"}
