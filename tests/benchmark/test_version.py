"""A row's code version changes with the code it runs, and with nothing else."""

import ast

import pytest

from dagscale.benchmark import version
from dagscale.benchmark.definitions import Module, reached
from dagscale.benchmark.rows import Row, parse_row
from dagscale.benchmark.version import code_version

ROWS = (
    "das",
    "score",
    "cam",
    "nogam",
    "empty",
    "random",
    "varsort",
    "true-order",
    "true-parents",
    "oracle",
    "true-order-evidence",
)
BY_EVIDENCE = {"oracle", "true-order-evidence"}


def versions(source="simulated"):
    code_version.cache_clear()
    return {row: code_version(parse_row(row), source) for row in ROWS}


def changed_by(monkeypatch, module, name=None):
    """Name the rows whose version changes when a module's code does, or one definition in it."""
    before = versions()
    if name is None:
        path, real = version._file(module), version._normal_source
        assert path is not None, module
        changed = lambda p: real(p) + "\nchanged = 1" if p == path else real(p)  # noqa: E731
        monkeypatch.setattr(version, "_normal_source", changed)
    else:
        definitions = version._modules()[module].definitions
        monkeypatch.setitem(definitions, name, [*definitions[name], ast.parse("changed = 1")])
    after = versions()
    monkeypatch.undo()
    code_version.cache_clear()  # what comes next must not find versions of a changed source
    return {row for row in ROWS if before[row] != after[row]}


@pytest.mark.parametrize(
    ("module", "name", "rows"),
    [
        ("jacobian.stein", "Stein", {"das", "score", "nogam"} | BY_EVIDENCE),  # a class is one definition
        ("evidence.engine", "Evidence", BY_EVIDENCE),
        ("evidence.exact", "gradient", BY_EVIDENCE),
        ("search.penalty", "LEAST", BY_EVIDENCE),
        ("search.align", "best_set", BY_EVIDENCE),
        ("start", "additive_start", {"true-order-evidence"}),
        ("candidates.jacobian_test", "das_pass", {"das"}),
        ("ordering.greedy", "greedy_order", {"cam", "true-order-evidence"}),
        ("pruning.additive", "prune", set(ROWS) - {"empty", "oracle"}),
        ("splines.smoothing", "reml", set(ROWS) - {"empty"}),  # one of a dictionary's functions
        ("effects", "signs", set()),  # beside a function that they call, but not called
        ("simulate.graphs", None, set(ROWS)),
        ("metrics", None, set(ROWS)),
        ("discover", None, set(ROWS)),
    ],
)
def test_a_change_voids_the_rows_that_run_it(monkeypatch, module, name, rows):
    assert changed_by(monkeypatch, module, name) == rows


SOURCES = {
    "a": "from dagscale.b import used\nfrom dagscale import c\nDATA = {1: used}\n"
    "def start(x):\n    return DATA[x](c.taken)\ndef idle():\n    return used\n",
    "b": "from dagscale.d import Moved as used\n",
    "c": "taken = 1\nleft = 2\n",
    "d": "class Moved:\n    def go(self):\n        from dagscale.e import late\n        return late()\n",
    "e": "def late():\n    return 1\ndef other():\n    return 2\n",
    "n": "def neutral():\n    return 1\n",
}


def test_definitions_are_followed_by_name_through_modules():
    modules = {name: Module.of(source, SOURCES.__contains__) for name, source in SOURCES.items()}
    found = set(reached([("a", "start"), ("n", "neutral")], modules, lambda name: name == "n"))
    assert found == {("a", "start"), ("a", "DATA"), ("c", "taken"), ("d", "Moved"), ("e", "late")}
    assert ("c", "left") in reached([("c", "")], modules, lambda _: False)


@pytest.mark.parametrize("module", ["result", "table", "benchmark.table", "benchmark.store", "errors"])
def test_what_cannot_change_a_number_voids_nothing(monkeypatch, module):
    assert changed_by(monkeypatch, module) == set()


def test_data_sets_count_where_they_are_used(monkeypatch):
    assert changed_by(monkeypatch, "datasets") == set()
    row = Row("empty")
    assert code_version(row, "sachs") != code_version(row, "simulated")


def test_comments_docstrings_and_layout_do_not_count():
    plain = "def f(a):\n    return a + 1\n\n\nclass C:\n    x = 1\n"
    dressed = '"""Module."""\n# why\ndef f( a ):\n    """Doc."""\n    return (a + 1)  # so\n'
    dressed += 'class C:\n    "Doc."\n    x = 1'
    assert version._docless(plain) == version._docless(dressed)
    assert version._docless(plain) != version._docless(plain.replace("1", "2"))


def test_a_source_is_written_down_alike_in_every_python():
    """`ast.unparse` quotes f-strings otherwise from 3.12 on: runs of two machines never met."""
    written = version._docless("def f(a):\n    return f'{a[\"k\"]!r:>{2}} x'\n")
    assert written == (
        "Module(body=[FunctionDef(name='f' args=arguments(args=[arg(arg='a')]) body=[Return(value="
        "JoinedStr(values=[FormattedValue(value=Subscript(value=Name(id='a' ctx=Load()) "
        "slice=Constant(value='k') ctx=Load()) conversion=114 format_spec=JoinedStr(values=["
        "Constant(value='>') FormattedValue(value=Constant(value=2) conversion=-1)])) "
        "Constant(value=' x')]))])])"
    )


def test_the_method_functions_themselves_count(monkeypatch):
    from dagscale.methods.registry import METHODS

    functions, places = version._reach(METHODS["das"].function)
    assert any(text.startswith("FunctionDef(name='das'") for text in functions)
    assert any(text.startswith("FunctionDef(name='_prune_additive'") for text in functions)
    assert not any(text.startswith("FunctionDef(name='score'") for text in functions)
    assert ("pruning.additive", "prune") in places


def test_the_same_for_settings_and_stable_within_a_process():
    assert code_version(parse_row("das"), "simulated") == code_version(parse_row("das:K=3"), "simulated")


def test_a_peer_counts_by_its_own_file(peers):
    rows = [Row(f"peer:boardpeers.{name}") for name in ("nothing", "slow")]
    assert code_version(rows[0], "simulated") != code_version(rows[1], "simulated")
