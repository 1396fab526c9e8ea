"""Every example runs as its reader would run it, and says what the docs say it says."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SAYS = {
    "checks": ["straight effects                red", "Of the last table, in words:"],
    "confidence": ["confidence: the share of 20 runs", "of them are expected to be there by chance"],
    "dowhy_effect": ["adjust for: age", "the truth 1.00", "Falsification Summary"],
    "knowledge": ["required 'PKC' -> 'Jnk' lowers the log likelihood by", "your knowledge requires it"],
    "linear_gaussian": ["Edges ordered backwards"],
    "sachs_experiments": [
        "experiments that set 'Mek'",
        "Set 'PKA' in an experiment",
        "One unit more of PKA changes Akt",
    ],
    "tutorial": [
        "wrong edges",
        "Diagnostics:",
        "PKC -> Raf is not in the graph",
        "One unit more of PKC raises P38",
    ],
}
ELSEWHERE = {"cluster": "runtime/test_cluster.py"}  # needs a cluster, which that test has


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def dowhy():
    return pytest.importorskip("dowhy", reason="DoWhy is not installed: pip install dowhy")


def test_every_example_is_run_and_shown():
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == set(SAYS) | set(ELSEWHERE)
    for name, test in ELSEWHERE.items():
        assert f"{name}.py" in (Path(__file__).parent / test).read_text(encoding="utf-8")
    gallery = (EXAMPLES.parent / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert {name for name in SAYS if f'"examples/{name}.py"' not in gallery} == set()


@pytest.mark.parametrize("name", sorted(SAYS))
def test_an_example_runs(name, tmp_path, request):
    if name == "dowhy_effect":
        request.getfixturevalue("dowhy")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [words for words in SAYS[name] if words not in done.stdout] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((EXAMPLES / "notebooks").glob("*.py")), ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    """As a notebook where nbclient is installed, else as the script that it is."""
    spec = importlib.util.spec_from_file_location("notebooks", EXAMPLES.parent / "tools" / "notebooks.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    text = path.read_text(encoding="utf-8")
    if importlib.util.find_spec("nbclient") and importlib.util.find_spec("ipykernel"):
        assert [cell for cell in tool.executed(text)["cells"] if cell["cell_type"] == "code"]
    else:
        environment = {**os.environ, "MPLBACKEND": "agg", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, str(path)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_dowhy_recovers_the_effect_that_the_plain_slope_has_the_wrong_sign_of(dowhy, recwarn):
    example = load("dowhy_effect")
    table = example.trial()
    result = example.graph_of(table)
    estimand, estimate = example.effect(result, table)
    assert estimand.get_backdoor_variables() == ["age"]
    assert estimate.value == pytest.approx(example.TRUE_EFFECT, abs=0.1)
    tested = example.falsified(result, table, permutations=20)
    assert tested.falsifiable
    assert not tested.falsified


def test_what_dowhy_is_given_is_what_it_reads():
    """DoWhy takes a networkx DAG whose nodes are the table's columns, as texts; no DoWhy needed to check."""
    import networkx as nx

    example = load("dowhy_effect")
    table = example.trial()
    graph = example.graph_of(table).to_dowhy()
    assert type(graph) is nx.DiGraph
    assert nx.is_directed_acyclic_graph(graph)
    assert list(graph.nodes) == list(table.columns)
    assert set(graph.edges) >= {("age", "dose"), ("age", "recovery"), ("dose", "recovery")}
    assert all(isinstance(node, str) for node in graph)
