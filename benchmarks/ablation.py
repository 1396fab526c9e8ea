"""What each part of `auto` is worth: the method with one of them taken out, on the same tables, of many kinds.

    python benchmarks/ablation.py --out ablation.jsonl                                # 20 columns: 40 minutes a core
    python benchmarks/ablation.py --out ablation.jsonl --nodes 50 --edges 1           # 50 columns
    python benchmarks/ablation.py --out full.jsonl --parts processes --nodes 10 --edges 4 --kinds GP --tables 4

Tables are of the kinds of the suite `violations`, one after another, ER graphs, standardised, n = 1000, tuning seeds.
Parts: of the search by one objective (`search`), of what is read off its graph (`reading`; all start from the same
graph), both with effort="quick", and of the refinement by processes (`processes`), which takes the full effort.
`--variants` takes whole names. A line of the file for every variant of every table: the same command goes on with a
file that was begun, and prints what it holds.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import json
import sys
import time
import zlib
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from unittest.mock import PropertyMock, patch

import joblib
import numpy as np

import dagscale
from dagscale.benchmark.suites.violations import KINDS
from dagscale.methods.auto import method
from dagscale.methods.auto.certainty import alternatives, pair_evidence, reading
from dagscale.methods.auto.search import (
    align,
    candidates,
    likelihood_search,
    order_search,
    processes,
    scale_choice,
)
from dagscale.methods.auto.search.proposers import single
from dagscale.methods.auto.search.within import Within
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.gp import Evidence
from dagscale.models.likelihood import columns, density, joint_gain, spline_gain
from dagscale.models.likelihood.joint_gain import JointGain
from dagscale.models.likelihood.shared_noise import SharedNoise
from dagscale.models.likelihood.spline_gain import SplineGain

WHOLE = "whole"
FITTED = ((SplineGain, "_fitted"), (JointGain, "_several"), (Evidence, "_fit_here"))
KEY = ("nodes", "edges", "kind", "seed", "part", "variant")  # what a line of the file is known by


def nothing(*_asked):
    """Propose no change."""
    return iter(())


def first(given, *_others):
    """Leave what is given as it is."""
    return given


def flat_features(own):
    """Make features of the spread that say nothing."""
    return lambda *asked: np.zeros_like(own(*asked))


def not_known(shown, *_others):
    """Say nothing of any pair."""
    graph = shown.graph if hasattr(shown, "graph") else shown
    return np.full(graph.shape, np.nan)


def normal(Z):
    """Tell nothing by the shape of noise."""
    return np.zeros(len(Z))


for proxy in (SharedNoise, Within):  # they pass on what they have not, and a copy has nothing at first
    proxy.__setstate__ = lambda self, state: self.__dict__.update(state)
CONTENDERS = likelihood_search.contenders
NO_EDGES = (density, "_edges", lambda T: (np.zeros((len(T), density.BINS)),) * 3)
SMOOTH_ALONE = [
    (density, "ROUGH", density.SMOOTH),
    (density, "_across", lambda: np.eye(density._features(*density.SMOOTH).values.shape[1])),
]
PARTS = {  # names replaced in a module, and settings changed
    "search": {
        WHOLE: [],
        "no start by order": [(scale_choice, "by_order", lambda X, known, price, start, *_: start)],
        "no kicks in the search by order": [(order_search, "KICKS", 0)],
        "one scale searched on": [(likelihood_search, "contenders", lambda *a: CONTENDERS(*a)[-1:])],
        "no parents exchanged": [(likelihood_search, "PROPOSERS", (single,))],
        "no interactions": [(likelihood_search, "_with_interactions", first)],
        "no columns that act through a parent": [
            (candidates, "add_interacting", lambda table, graph, *_: (graph, []))
        ],
        "no scales of single columns": [(likelihood_search, "_with_own_scales", first)],
        "noise of one spread": [(scale_choice.Start, "is_uneven", PropertyMock(return_value=False))],
        "no spread by the parents": [
            (SplineGain, "spread_features", flat_features(SplineGain.spread_features))
        ],
        "no edges of the density": [NO_EDGES],
        "no rough density": SMOOTH_ALONE,
        "noise taken for normal": [
            (room, "shape_evidence", normal) for room in (columns, joint_gain, spline_gain)
        ],
        "no hidden levels": [(method, "with_hidden_levels", first)],
        "no hidden causes of links": [(method, "_with_hidden", first)],
    },
    "reading": {
        WHOLE: [],
        "no paths turned": [(alternatives, "path", nothing)],
        "no long ways turned": [(alternatives, "_turned_paths", nothing)],
        "no parents of turned blocks": [(alternatives, "_turned_blocks", nothing)],
        "one model for directions": [(reading, "across_models", not_known)],
        "evidence that varies from row to row": [(reading, "variance_of_directions", not_known)],
        "mute edges order others": [(pair_evidence, "without_mute", not_known)],
        "no other models of residuals": [(reading.Reading, "other_models", PropertyMock(return_value=[]))],
    },
    "processes": {
        WHOLE: [],
        "no sets of parents that do nothing alone": [(likelihood_search, "wide", nothing)],
        "no refinement": [(method, "_refined", lambda found, _: (found, None))],
        "length scales not learnt": [(processes, "_informed", first)],
        "no aligned sets": [(align.Aligner, "__call__", nothing)],
        "no parents exchanged": [(processes, "exchange", nothing)],
        "every change fitted": [{"raced": 10**6, "hopeless": np.inf}],
        "noise taken for normal": [{"shaped": np.inf}],
    },
}  # fmt: skip


def cell(options):
    """List (kind, seed) of the tables: every kind in turn, then the next seed."""
    kinds = options.kinds or list(KINDS)
    return [(kinds[k % len(kinds)], options.seed + k // len(kinds)) for k in range(options.tables)]


def replaced(changes):
    """List (owner, name, value): as given, and for changed settings one for every module that reads them."""
    settings = {
        name: value for change in changes if isinstance(change, dict) for name, value in change.items()
    }
    modules = [module for name, module in sys.modules.items() if name.startswith("dagscale.")]
    readers = [module for module in modules if "SETTINGS" in vars(module)] if settings else []
    changed = replace(SETTINGS, **settings)
    return [change for change in changes if not isinstance(change, dict)] + [
        (module, "SETTINGS", changed) for module in readers
    ]


class Fits:
    """Fits that variants of one table share, each with the seconds that it took.

    A variant asks for few items that no other has asked for. It is charged for all, as if it had made them.
    """

    def __init__(self):
        self.kept, self.owed = {}, 0.0

    def shared(self, likelihood, name, model):
        """Return a method (gain, items) that fits what is not kept yet; `model` tells changed likelihoods apart."""
        fit = getattr(likelihood, name)

        def asked(gain, items, *noise):
            if noise:  # wanted row by row
                return fit(gain, items, *noise)
            own = self.of(gain, model)
            new = [item for item in items if item not in own]
            began = time.process_time()
            told = fit(gain, new) if new else []
            spent = time.process_time() - began
            own.update((item, (one, spent / len(new))) for item, one in zip(new, told, strict=True))
            self.owed += sum(own[item][1] for item in items) - spent
            return [own[item][0] for item in items]

        return patch.object(likelihood, name, asked)

    def of(self, gain, model):
        """Return what is kept of a likelihood: known by its columns and what it is made of."""
        if isinstance(gain, Evidence):
            made_of = (zlib.crc32(gain.columns.values.tobytes()), gain.shaped, gain.prior)
        else:
            scale, additive = gain.scale, getattr(gain, "additive", gain)
            joint = (gain.length, gain.counts) if additive is not gain else ()
            columns = zlib.crc32(scale.parents.tobytes() + scale.children.tobytes())
            made_of = (columns, additive.uneven, joint)
        return self.kept.setdefault((model, made_of), {})


class Same(Exception):
    """What was found is what the whole method found, so that the same is read off it."""


def measure(table, truth, part, changes, fits, whole=None):
    """Run one variant on one table; `whole` has what the whole method found, and its line of numbers.

    Seconds are those of the search, or of the reading where that is what differs: it starts from what `whole` found.
    """
    search, found, began = method.settled, [], []

    def settled(*asked):
        began.append(time.process_time() + fits.owed)
        found.append(search(*asked) if part != "reading" else deepcopy(whole[0]))
        began.append(time.process_time() + fits.owed)
        if part != "reading" and whole is not None and alike(found[0], whole[0]):
            raise Same
        return deepcopy(found[0])

    effort = {} if part == "processes" else {"effort": "quick"}
    with ExitStack() as stack:
        patched = [*replaced(changes), (method, "settled", settled)]
        model = [
            name for owner, name, _ in patched if ".models." in getattr(owner, "__module__", owner.__name__)
        ]
        for owner, name, value in patched:
            stack.enter_context(patch.object(owner, name, value))
        for likelihood, name in FITTED:
            stack.enter_context(fits.shared(likelihood, name, str(model)))
        try:
            result = dagscale.discover(table, n_jobs=1, **effort)
        except Same:
            return found[0], whole[1] | {"seconds": round(began[1] - began[0], 2)}
    spent = time.process_time() + fits.owed - began[1] if part == "reading" else began[1] - began[0]
    claimed = result.adjacency & ~result.either_way
    return found[0], {
        "shd": dagscale.metrics.shd(truth, result.adjacency),
        "claims": int(claimed.sum()), "right": int((claimed & truth).sum()), "seconds": round(spent, 2),
    }  # fmt: skip


def alike(one, other):
    """Whether two searches found the same graph by the same likelihood."""
    (one, refined), (other, before) = one, other
    return (
        np.array_equal(one.graph, other.graph)
        and np.array_equal(one.shared, other.shared)
        and abs(one.score - other.score) < 1e-6
        and (refined is None) == (before is None)
    )


def measured(options, kind, seed, done):
    """Yield the lines of one table that are not done yet."""
    size = {"nodes": options.nodes, "edges_per_node": options.edges}
    drawn = dagscale.simulate(
        graph="ER", random_state=seed, standardize=True, n_jobs=1, **size, **KINDS[kind]
    )
    found, fits = {}, Fits()  # by effort: what the whole method finds
    for part in options.parts:
        full = part == "processes"
        for variant in [WHOLE, *(options.variants or list(PARTS[part])[1:])]:
            key = dict(zip(KEY, (options.nodes, options.edges, kind, seed, part, variant), strict=True))
            if tuple(key.values()) in done or variant not in PARTS[part]:
                continue
            if full not in found:
                found[full] = measure(drawn.table, drawn.adjacency, part if full else "search", [], fits)
            whole = found[full]
            if variant == WHOLE and part != "reading":
                yield key | whole[1]
            else:
                yield key | measure(drawn.table, drawn.adjacency, part, PARTS[part][variant], fits, whole)[1]


def shown(lines):
    """Return a table of one cell and part in Markdown: means, and how many of the tables are better and worse."""
    whole = {(line["kind"], line["seed"]): line for line in lines if line["variant"] == WHOLE}
    rows = [
        "| part taken out | SHD | change | better, worse, of | claims | right | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for variant in dict.fromkeys(line["variant"] for line in lines):
        own = [line for line in lines if line["variant"] == variant]
        more = np.array([line["shd"] - whole[line["kind"], line["seed"]]["shd"] for line in own])
        error = more.std(ddof=1) / np.sqrt(len(more)) if len(more) > 1 else np.nan
        sums = {name: sum(line[name] for line in own) for name in ("shd", "claims", "right", "seconds")}
        change = "" if variant == WHOLE else f"{more.mean():+.2f} ± {error:.2f}"
        counts = f"{(more < 0).sum()}, {(more > 0).sum()}, {len(own)}"
        rows.append(
            f"| {variant} | {sums['shd'] / len(own):.2f} | {change} | {counts} "
            f"| {sums['claims']} | {sums['right'] / max(sums['claims'], 1):.1%} | {sums['seconds'] / len(own):.1f} |"
        )
    return "\n".join(rows)


def main():
    """Measure what is missing, and print a table for every part."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", nargs="+", default=["search", "reading"])
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--edges", type=int, default=2)
    parser.add_argument("--kinds", nargs="+", choices=KINDS)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--variants", nargs="+")
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    lines = (
        [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    )
    done = {tuple(line[name] for name in KEY) for line in lines}

    def one(kind, seed):
        for line in measured(options, kind, seed, done):
            with options.out.open("a") as file:
                file.write(json.dumps(line) + "\n")

    joblib.Parallel(options.n_jobs)(joblib.delayed(one)(kind, seed) for kind, seed in cell(options))
    lines = [json.loads(line) for line in options.out.read_text().splitlines()]
    for part in options.parts:
        own = [
            line
            for line in lines
            if (line["nodes"], line["edges"], line["part"]) == (options.nodes, options.edges, part)
        ]
        tables = len({(line["kind"], line["seed"]) for line in own})
        print(f"\n{part}, d = {options.nodes}, ER{options.edges}, {tables} tables\n\n{shown(own)}")


if __name__ == "__main__":
    main()
