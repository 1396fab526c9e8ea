"""Columns that were set in a designed experiment: nothing in the table causes them, unless the user says otherwise."""

from dataclasses import replace

import numpy as np

from dagscale.inputs.designed import Factor, factors
from dagscale.inputs.knowledge.knowledge import Constraints, Knowledge
from dagscale.inputs.table import Table
from dagscale.inputs.table.problems import listed


def taken_for_set(
    table: Table, knowledge: Knowledge | None, known: Constraints
) -> tuple[Constraints, tuple[str, ...]]:
    """Take from what is `known` the causes of columns that were set, and say so.

    Columns that were set may still be linked with each other. A column in one of the tiers, or with a required cause,
    is left as the knowledge has it. Where rows are under conditions, these say what was set.
    """
    if table.conditions is not None:
        return known, ()
    spoken_of = _spoken_of(knowledge)
    found = [factor for factor in factors(table.X) if str(table.names[factor.column]) not in spoken_of]
    if not found:
        return known, ()
    own = np.zeros(len(table.names), dtype=bool)
    own[[factor.column for factor in found]] = True
    allowed = known.allowed & (own[:, None] | ~own)
    return replace(known, allowed=allowed), (_said(found, table),)


def _spoken_of(knowledge: Knowledge | None) -> set[str]:
    if knowledge is None:
        return set()
    in_tiers = (name for tier in knowledge.tiers for name in tier)
    return {str(name) for name in (*in_tiers, *(effect for _, effect in knowledge.required))}


def _said(found: list[Factor], table: Table) -> str:
    own = listed([table.names[factor.column] for factor in found])
    crossed = listed(list(dict.fromkeys(table.names[j] for factor in found for j in factor.crossed)))
    often = "exactly once" if found[0].once else "equally often"
    one = len(found) == 1
    return (
        f"{own} {'is crossed with ' + crossed if one else 'are crossed'} in every combination {often}, as in a "
        f"designed experiment: {'it was' if one else 'they were'} taken to be set, not caused by other columns; if "
        f"{'it was' if one else 'one was'} not, put it in a tier of the knowledge, with the columns that may cause it"
    )
