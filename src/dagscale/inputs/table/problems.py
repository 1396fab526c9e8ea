"""All problems of a table in one message: a user should not meet them one by one."""

from collections.abc import Hashable, Sequence

from dagscale.runtime.errors import InputError, shown

TOLD = 8  # problems told in full


class Problems:
    """What makes a table unusable, collected until `refuse`."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, *texts: str) -> None:
        """Note problems, each with its culprit and remedy."""
        self.found += texts

    def refuse(self) -> None:
        """Raise one error with all that was found; do nothing where nothing was."""
        if len(self.found) == 1:
            raise InputError(self.found[0])
        if self.found:
            numbered = "; ".join(f"({k}) {text}" for k, text in enumerate(self.found[:TOLD], start=1))
            more = f"; and {len(self.found) - TOLD} more" if len(self.found) > TOLD else ""
            raise InputError(f"the table has {len(self.found)} problems: {numbered}{more}")


def listed(names: Sequence[Hashable], limit: int = 5) -> str:
    """Return names for an error or a note, cut after a few."""
    text = ", ".join(shown(name) for name in names[:limit])
    return text if len(names) <= limit else f"{text} and {len(names) - limit} more"


def column_list(names: Sequence[Hashable]) -> str:
    """Return "column 'a'" or "columns 'a', 'b'"."""
    return f"column{'s' if len(names) > 1 else ''} {listed(names)}"
