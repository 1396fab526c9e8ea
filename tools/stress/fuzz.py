"""Fuzzed tables through the public face, and what is made of their results."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx

import dagscale
from dagscale.graphs.given import read_graph
from stress.judge import Outcome, attempt, faults
from stress.trials import Trial, trial

EXPORTED = 10  # of so many results, one is saved, exported and read back


def fuzzed(seed: int) -> list[Outcome]:
    """Try the table of one seed."""
    given = trial(seed)
    label = f"seed {seed}: {given.label}, {given.options}"
    found: list[dagscale.Result] = []

    def discover() -> list[str]:
        found.append(dagscale.discover(given.table, **given.options))
        return faults(found[0])

    outcomes = [attempt("fuzzed tables", label, discover)]
    if found and seed % EXPORTED == 0:
        outcomes.append(attempt("exports read back", label, _exported, found[0]))
        outcomes.append(attempt("reports", label, _reported, found[0]))
        outcomes.append(attempt("questions", label, _asked, found[0]))
    if seed % EXPORTED == 5:
        outcomes.append(attempt("estimators", label, _fitted, given))
    return outcomes


def _exported(result: dagscale.Result) -> list[str]:
    """Write every form and read it back."""
    wrong = []
    count = len(result.edges)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        again = dagscale.Result.load(result.save(folder / "run"))
        if not (again.adjacency == result.adjacency).all() or not again.edges.equals(result.edges):
            wrong.append("the saved result differs")
        result.to_graphml(folder / "g.graphml")
        result.to_gml(folder / "g.gml")
        result.to_json(folder / "g.json")
        result.to_csv(folder / "g.csv")
        (folder / "g.dot").write_text(result.to_dot(), encoding="utf-8", errors="replace")
        for form in ("graphml", "gml", "json", "dot", "csv"):
            adjacency, names = read_graph(folder / f"g.{form}")
            if adjacency.sum() != count or (form != "csv" and len(names) != len(result.names)):
                wrong.append(f"{form} read back differs")
        if nx.read_graphml(folder / "g.graphml").number_of_edges() != count:
            wrong.append("networkx reads another GraphML")
        if nx.read_gml(folder / "g.gml").number_of_edges() != count:
            wrong.append("networkx reads another GML")
        wrong += _read_by_others(folder, count)
    return wrong


def _read_by_others(folder: Path, count: int) -> list[str]:
    """Have the formats read by an XML parser, and by Graphviz where it is installed."""
    wrong = []
    root = ElementTree.parse(folder / "g.graphml").getroot()
    if sum(element.tag.endswith("}edge") for element in root.iter()) != count:
        wrong.append("an XML parser reads another GraphML")
    if shutil.which("dot") is not None:
        drawn = subprocess.run(["dot", "-Tplain", str(folder / "g.dot")], capture_output=True, check=False)
        edges = sum(line.startswith(b"edge ") for line in drawn.stdout.splitlines())
        if drawn.returncode or drawn.stderr or edges < count:  # hidden causes are drawn as well
            wrong.append(f"Graphviz says {drawn.stderr[:80]!r} and draws {edges} of {count} edges")
    return wrong


def _reported(result: dagscale.Result) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        page = result.report(Path(name) / "report.html")
        return [] if Path(page).stat().st_size > 1000 else ["an empty page"]


def _asked(result: dagscale.Result) -> list[str]:
    """Ask all that a result can be asked."""
    first, last = result.names[0], result.names[-1]
    texts = [repr(result), str(result.why(first, last)), str(result.why(last, first)), result._repr_html_()]
    texts.append(str(result.diagnostics))
    again = dagscale.bootstrap(result.sample, method="varsort", replicates=2, n_jobs=1)
    if again.confidence.shape != result.adjacency.shape:
        texts.append("")
    return [] if all(texts) else ["an empty answer"]


def _fitted(given: Trial) -> list[str]:
    """Fit the estimator of the trial's method, where there is one."""
    classes = {"das": dagscale.DAS, "score": dagscale.SCORE, "nogam": dagscale.NoGAM, "cam": dagscale.CAM}
    conditions = "interventions" in given.options or "environment" in given.options
    if given.options["method"] not in classes or conditions or given.table.isna().to_numpy().any():
        return []
    try:
        fitted = classes[given.options["method"]](n_jobs=1).fit(given.table)
    except ValueError as error:  # scikit-learn's own refusal of the table
        return [] if str(error) else ["an error without a word"]
    return faults(fitted.result_)
