"""Regulatory networks with signs, and connected sub-networks of them without feedback."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dagscale.data.datasets.packages import resource
from dagscale.data.simulate.graphs import hubs
from dagscale.runtime.errors import InputError
from dagscale.runtime.types import BoolArray

PACKAGE, INSTALL = "avici", "avici==1.0.7"
ECOLI = "ecoli_transcriptional_network_regulonDB_6_7.tsv"
SYNTHETIC_GENES = 1500


@dataclass(frozen=True)
class Regulation:
    """Who regulates whom.

    Attributes
    ----------
    genes : list of str
    links : dict of (int, int) to int
        Regulator and target to +1 (activates), -1 (inhibits) or 0 (both or unknown); no self-loops.
    """

    genes: list[str]
    links: dict[tuple[int, int], int]


def ecoli(folder: str | Path | None = None) -> Regulation:
    """Read the transcriptional network of E. coli (RegulonDB 6.7): 1564 genes, 3648 links, no self-loops.

    The file is looked for in `folder` or DAGSCALE_DATA, then in the installed package avici.
    """
    path = resource(PACKAGE, ECOLI, INSTALL, "use network='synthetic'", folder)
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    signs = {"+": 1, "-": -1}
    named = {(source, target): signs.get(sign, 0) for source, target, sign in rows if source != target}
    genes = list(dict.fromkeys(gene for link in named for gene in link))
    place_of = {gene: i for i, gene in enumerate(genes)}
    return Regulation(genes, {(place_of[a], place_of[b]): sign for (a, b), sign in named.items()})


def synthetic(rng: np.random.Generator, genes: int = SYNTHETIC_GENES) -> Regulation:
    """Draw a scale-free network with hubs, two regulators a gene, 55 % of the links activating."""
    adjacency = hubs(genes, 2, "exact", rng)
    signs = rng.choice([1, -1], p=[0.55, 0.45], size=int(adjacency.sum()))
    pairs = ((int(a), int(b)) for a, b in np.argwhere(adjacency))
    return Regulation([f"g{i:04d}" for i in range(genes)], dict(zip(pairs, map(int, signs), strict=True)))


def connected_part(regulation: Regulation, size: int, rng: np.random.Generator) -> list[int]:
    """Choose a connected set of genes by adding neighbours, as SynTReN does; start at a regulator."""
    neighbours: list[set[int]] = [set() for _ in regulation.genes]
    for a, b in regulation.links:
        neighbours[a].add(b)
        neighbours[b].add(a)
    largest = max(_components(neighbours), key=len)
    if size > len(largest):
        raise InputError(f"nodes={size}: the largest connected part of the network has {len(largest)} genes")
    regulators = sorted({a for a, _ in regulation.links} & largest)
    chosen = [int(rng.choice(regulators))]
    border = set(neighbours[chosen[0]])
    while len(chosen) < size:
        gene = int(rng.choice(sorted(border)))
        chosen.append(gene)
        border = (border | neighbours[gene]) - set(chosen)
    return chosen


def without_feedback(
    regulation: Regulation, genes: list[int], rng: np.random.Generator
) -> dict[tuple[int, int], int]:
    """Return the links among the genes, numbered by their place in the list, less those that close a cycle.

    Links are taken up in random order, so which link of a cycle goes is chance.
    """
    place = {gene: i for i, gene in enumerate(genes)}
    inside = [
        (place[a], place[b], sign) for (a, b), sign in regulation.links.items() if a in place and b in place
    ]
    reaches: BoolArray = np.eye(len(genes), dtype=bool)  # [i, j]: i leads to j
    kept = {}
    for k in rng.permutation(len(inside)):
        a, b, sign = inside[k]
        if not reaches[b, a]:
            kept[a, b] = sign
            reaches[reaches[:, a]] |= reaches[b]
    return kept


def _components(neighbours: list[set[int]]) -> Iterable[set[int]]:
    left = set(range(len(neighbours)))
    while left:
        part, frontier = set(), {left.pop()}
        while frontier:
            part |= frontier
            frontier = set().union(*(neighbours[v] for v in frontier)) - part
        left -= part
        yield part
