import pytest

from dagscale.benchmark.cases import RAW, STANDARDISED
from dagscale.benchmark.published import published, published_rows
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.suite import parse_nodes, parse_seeds
from dagscale.benchmark.suites import all_suites, find_suite
from dagscale.runtime.errors import InputError


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        ("3", (0, 1, 2)),
        ("1", (0,)),
        ("0-9", tuple(range(10))),
        ("0,4,7", (0, 4, 7)),
        ("1000,1004-1006", (1000, 1004, 1005, 1006)),
        ("7,", (7,)),
        ("2,2,1-2", (2, 1)),
    ],
)
def test_seeds(text, seeds):
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["0", "-3", "a", "3-1", "1.5", ""])
def test_seeds_that_are_none(text):
    with pytest.raises(InputError, match="write 3"):
        parse_seeds(text)


def test_sizes():
    assert parse_nodes("10, 20") == (10, 20)
    with pytest.raises(InputError, match="write 10,20"):
        parse_nodes("10;20")


def test_a_part_of_a_suite():
    trials = find_suite("paper-er1").trials([10, 20], [0, 1, 2], ["empty", "das:cutoff=0.05"])
    assert len(trials) == 2 * 2 * 3 * 2  # sizes, units, seeds, methods
    assert {t.case.units for t in trials} == {STANDARDISED, RAW}
    assert [t.case.nodes for t in trials] == sorted(t.case.nodes for t in trials)
    # all rows of one table stand together, so that a worker draws it once
    assert [t.row.method for t in trials[:2]] == ["empty", "das"]
    assert trials[0].case == trials[1].case
    assert {t.case.units for t in find_suite("paper-er1").trials([10], [0], ["empty"], [RAW])} == {RAW}
    some = find_suite("auto-board").trials(
        [10], [0], ["empty"], families=["SF4, variance U(0.4, 0.8)", "ER1"]
    )
    assert sorted(t.case.family for t in some) == ["ER1", "SF4, variance U(0.4, 0.8)"]


def test_declared_seeds_and_limits():
    trials = find_suite("paper-er4").trials()
    assert {t.seed for t in trials if t.case.nodes == 200} == set(range(10))
    assert {t.seed for t in trials if t.case.nodes == 500} == {0, 1, 2}
    assert {t.case.nodes for t in trials if t.row.method == "nogam"} == {10, 20, 50}
    assert find_suite("paper-er4").left_out(100) == ["nogam"]
    named = find_suite("paper-er4").trials([100], [0], ["nogam"])
    assert len(named) == 2  # asked for by name, it runs


def test_one_table_is_not_run_ten_times():
    trials = find_suite("paper-sachs").trials()
    seeds = {row: sum(t.row.method == row for t in trials) for row in ("das", "random")}
    assert seeds == {"das": 2, "random": 20}  # in two units
    assert len(find_suite("paper-syntren").trials(methods=["das"])) == 20


def test_every_published_table_is_a_suite_with_all_baselines():
    suites = all_suites()
    families = {case.family for suite in suites.values() for case in suite.cases}
    assert {family for family, _, _ in published_rows()} <= families
    for suite in suites.values():
        known = set(suite.methods)
        assert known >= set(TRIVIAL) or suite.name == "auto-board"
        assert "empty" in known
        first = [case.units for case in suite.cases[:1]]
        assert first == [STANDARDISED]


def test_figures_share_the_runs_of_the_tables():
    table = {t.case: None for t in find_suite("paper-er1").trials(methods=["empty"])}
    figure = {t.case: None for t in find_suite("paper-figure1").trials(methods=["empty"])}
    assert table.keys() <= figure.keys()


def test_what_is_not_there():
    with pytest.raises(InputError, match="did you mean 'paper-er1'"):
        find_suite("paper-er11")
    with pytest.raises(InputError, match="has no case with 30 nodes"):
        find_suite("paper-er1").trials([30])
    with pytest.raises(InputError, match="unknown units"):
        find_suite("paper-er1").trials([10], units=["metres"])
    with pytest.raises(InputError, match="no family 'ER2'; it has ER1; ER4; SF4"):
        find_suite("neighbours").trials([10], families=["ER2"])


def test_the_neighbours_stand_beside_our_methods():
    methods = find_suite("neighbours").methods
    assert {"auto", "das", "grandag", "empty"} <= set(methods)
    assert sum(method.startswith("peer:") for method in methods) >= 5


def test_published_numbers_belong_to_the_graphs_whatever_the_noise():
    family = "ER4, variance U(0.4, 0.8)"
    assert published(family, 10, "grandag") == published("ER4", 10, "grandag")
    assert {case.family for case in find_suite("grandag").cases} == {"ER1", "ER4", "ER1" + family[3:], family}


def test_the_suite_of_experiments_declares_what_each_row_is_told():
    suite = find_suite("interventions")
    assert {case.nodes for case in suite.cases} == {10, 20, 100}
    assert all(case.experiments is not None for case in suite.cases)
    assert {t.row.name for t in suite.trials([10], [0])} >= {
        "auto", "auto:labels=observed", "auto:labels=none", "auto:labels=unknown", "auto:labels=wrong",
        "cam", "das", "score", "peer:gies-bic", "peer:causaldag-utigsp",
    }  # fmt: skip
    assert not set(find_suite("neighbours").methods) & {"peer:gies-bic", "peer:causaldag-igsp"}
