"""What is said of columns that look like measurements of the same hidden level."""

from dagscale.inputs.table import Table
from dagscale.inputs.table.checks import listed
from dagscale.stages.answer import Answer


def level_notes(answer: Answer, table: Table) -> list[str]:
    """Name the columns of every hidden level, and say what that means for the links between them."""
    groups = [listed([table.names[j] for j in places]) for places in answer.levels]
    if not groups:
        return []
    return [
        *(f"these columns look like measurements of one hidden level: {names}" for names in groups),
        "hidden levels explain most links better than arrows do: the links between columns of one level were taken "
        "out, since the data do not tell which column the level acts through, if any; arrows at these columns are open",
    ]
