"""Knowledge about columns that the table has but the run leaves out."""

from collections.abc import Hashable, Sequence

from dagscale.inputs.knowledge.knowledge import Constraints, Knowledge
from dagscale.inputs.table import Table
from dagscale.inputs.table.problems import listed
from dagscale.runtime.errors import InputError, shown


def resolved(
    knowledge: Knowledge | None, table: Table
) -> tuple[Knowledge | None, Constraints, tuple[str, ...]]:
    """Return the knowledge about the columns of a table, its constraints, and a note if something was ignored."""
    if knowledge is None:
        return None, Constraints.none(len(table.names)), ()
    rest, notes = without(knowledge, table.left_out)
    return rest, rest.resolve(table.names), notes


def without(knowledge: Knowledge, left_out: Sequence[Hashable]) -> tuple[Knowledge, tuple[str, ...]]:
    """Return the knowledge about the columns that are used, and a note if something was ignored.

    Tiers, forbidden edges, roots and leaves of a column that is left out ask for nothing. A required edge does, and is
    refused.
    """
    out = {str(name) for name in left_out}
    for pair in knowledge.required:
        if gone := [name for name in pair if str(name) in out]:
            edge = " -> ".join(map(shown, pair))
            raise InputError(
                f"knowledge: the required edge {edge} names column {shown(gone[0])}, which is left out; "
                f"remove the edge, or keep the column"
            )
    named = [*(name for pair in knowledge.forbidden for name in pair), *knowledge.roots, *knowledge.leaves]
    named += [name for tier in knowledge.tiers for name in tier]
    ignored = list(dict.fromkeys(name for name in named if str(name) in out))
    if not ignored:
        return knowledge, ()

    def kept(names: Sequence[Hashable]) -> list[Hashable]:
        return [name for name in names if str(name) not in out]

    rest = Knowledge(
        required=knowledge.required,
        forbidden=[pair for pair in knowledge.forbidden if len(kept(pair)) == len(pair)],
        tiers=[tier for tier in map(kept, knowledge.tiers) if tier],
        roots=kept(knowledge.roots),
        leaves=kept(knowledge.leaves),
    )
    return rest, (f"knowledge about columns that are left out was ignored: {listed(ignored)}",)
