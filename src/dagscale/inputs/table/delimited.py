"""Delimited text: the delimiter, the header and the decimal sign are found, not asked for."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from dagscale.inputs.table.batches import ROWS, text_table
from dagscale.inputs.table.to_floats import MISSING_TEXT
from dagscale.runtime.errors import InputError
from dagscale.runtime.spreadsheet import unescaped

DELIMITERS = (",", "\t", ";", "|", " ")  # " " stands for any run of blanks

_SAMPLE_LINES, _SAMPLE_CHARACTERS, _LONGEST_LINE = 100, 1 << 18, 1 << 26
_MOST_TITLES = 10  # rows above the header that may be a title
_POINT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?(\d*),(\d+)([eE][+-]?\d+)?")
_NAMED_DELIMITER = re.compile(r"\ufeff?\"?sep=.?\"?\s*", re.IGNORECASE)  # Excel's first line


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out.

    Attributes
    ----------
    delimiter : str
        One of `DELIMITERS`.
    rows : list of lists of str
        The sample split into cells, header included.
    lines : list of int
        For each row, the number of physical lines up to its end.
    titles : int
        Rows above the header, left out.
    """

    delimiter: str
    rows: list[list[str]]
    lines: list[int]
    titles: int = 0

    @property
    def width(self) -> int:
        """The number of cells most rows after the first have."""
        body = self.rows[1:] or self.rows
        return Counter(len(row) for row in body).most_common(1)[0][0]


def read_delimited(text: IO[str], where: str, large: bool = False) -> tuple[Any, tuple[str, ...]]:
    """Read a text file into a pandas DataFrame, a large one in batches; say what was guessed.

    A first line of numbers is data, not a header, unless it counts 0, 1, 2 ... or 1, 2, 3 ...
    A header one cell short, as R writes it, leaves the row names without one.
    """
    import pandas as pd

    sample, skipped = _sample(text)
    layout = max((_split(sample, delimiter) for delimiter in DELIMITERS), key=_plausibility)
    names, has_header = _names(layout, where)
    comma = _decimal_comma(layout)
    notes = _notes(names, has_header, comma, layout.titles > 0)
    above = skipped + (layout.lines[0] if has_header else 0)

    def parse(**options: Any) -> Any:
        text.seek(0)
        for _ in range(above):
            text.readline()
        return pd.read_csv(
            text,
            sep=r"\s+" if layout.delimiter == " " else layout.delimiter,
            header=None,
            names=list(range(len(names))),
            decimal="," if comma else ".",
            na_values=sorted(MISSING_TEXT - {""}),
            skipinitialspace=True,
            low_memory=False,
            **_exact_floats(),
            **options,
        )

    def batches(texts: set[int]) -> Any:
        return parse(chunksize=ROWS, dtype=dict.fromkeys(texts, str))

    try:
        if large:
            return text_table(lambda texts: _checked(batches(texts), names, where), names), notes
        (frame,) = _checked([parse()], names, where)
    except pd.errors.ParserError as error:
        raise InputError(f"{where} is no regular table: {_plain_reason(error, above)}") from None
    if not len(frame):
        raise InputError(f"{where} has a header but no rows")
    frame.columns = pd.Index(names, dtype=object)
    return frame, notes


def _checked(frames: Iterable[Any], names: list[str], where: str) -> Iterator[Any]:
    """Refuse rows that are too long: pandas makes an index of what they have too many."""
    import pandas as pd

    for frame in frames:
        if not isinstance(frame.index, pd.RangeIndex):
            raise InputError(f"{where} is no regular table: some rows have more than {len(names)} cells")
        yield frame


def _exact_floats() -> dict[str, Any]:
    """Ask pandas for the same numbers as in memory, to the last bit; from 3.1 on it gives no others."""
    import pandas as pd

    version = tuple(int(part) for part in pd.__version__.split(".")[:2])
    return {"float_precision": "round_trip"} if version < (3, 1) else {}


def _notes(names: list[str], has_header: bool, comma: bool, titles: bool) -> tuple[str, ...]:
    notes = []
    if titles:
        notes.append("left out the title above the names of the columns")
    if not has_header:
        notes.append(f"the file has no header line: columns are named {names[0]} to {names[-1]}")
    if comma:
        notes.append("commas are read as decimal signs")
    return tuple(notes)


def _plain_reason(error: Exception, above: int) -> str:
    """Return what pandas says, lines counted from the file's first one: pandas has not seen those `above`."""
    said = " ".join(str(error).replace("Error tokenizing data. C error: ", "").split())
    return re.sub(r"(?<=\bline )\d+", lambda line: str(int(line[0]) + above), said)


def _sample(text: IO[str]) -> tuple[list[str], int]:
    """Return the first lines, and how many before them are blank, comments, or name the delimiter as Excel does."""
    lines: list[str] = []
    skipped = characters = 0
    while len(lines) < _SAMPLE_LINES and (characters < _SAMPLE_CHARACTERS or len(lines) < 4):
        line = text.readline(_LONGEST_LINE)
        if not line:
            break
        if not lines and (not line.strip() or line.startswith("#") or _NAMED_DELIMITER.fullmatch(line)):
            skipped += 1
            continue
        lines.append(line)
        characters += len(line)
    return lines or ["\n"], skipped


def _split(lines: list[str], delimiter: str) -> Layout:
    if delimiter == " ":
        lines = [line.replace("\t", " ").strip() for line in lines]
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    rows, ends = [], []
    try:
        for row in reader:
            if row:  # a blank line is none
                rows.append([cell.strip() for cell in row])
                ends.append(reader.line_num)
    except csv.Error:  # a cell beyond csv's limit: whatever this is, the delimiter is not this one
        rows, ends = [[""]], [1]
    if len(rows) > 2:  # the sample may end inside a quoted cell
        rows, ends = rows[:-1], ends[:-1]
    titles = _titles(rows, comma=delimiter != ",")
    return Layout(delimiter, rows[titles:] or [[""]], ends[titles:] or [1], titles)


def _titles(rows: list[list[str]], comma: bool) -> int:
    """Count the rows above the header, as spreadsheets have them: a title in the first cell at most, the others empty.

    The header is a full row of texts, and a row with a number comes next.
    """
    for k, row in enumerate(rows[: _MOST_TITLES + 1]):
        if len(row) > 1 and any(row[1:]):
            under = rows[k + 1] if k + 1 < len(rows) else []
            named = all(row) and not any(_is_number(cell, comma) for cell in row) and len(under) == len(row)
            return k if named and any(_is_number(cell, comma) for cell in under) else 0
    return 0


def _plausibility(layout: Layout) -> tuple[bool, float, int]:
    """Rank a layout: rows of one width first, then cells that are numbers, then more columns."""
    width, body = layout.width, layout.rows[1:]
    if width < 2:
        return False, 0.0, width
    regular = sum(len(row) == width for row in body) >= 0.9 * len(body)
    cells = [cell for row in body for cell in row]
    numbers = sum(_is_number(cell, comma=layout.delimiter in "\t;|") for cell in cells)
    fits = len(layout.rows[0]) in (width - 1, width, width + 1)
    return regular and fits, numbers / max(1, len(cells)), width


def _is_number(cell: str, comma: bool = False) -> bool:
    if _POINT.fullmatch(cell) or cell.lower() in MISSING_TEXT:
        return True
    return comma and _COMMA.fullmatch(cell) is not None


def _names(layout: Layout, where: str) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether the file has them in its first line."""
    header, width, body = layout.rows[0], layout.width, layout.rows[1:]
    comma = layout.delimiter != ","
    if all(_is_number(cell, comma) for cell in header) and not _counts([cell for cell in header if cell]):
        return [f"x{j}" for j in range(width)], False
    if len(header) == width - 1:
        trailing = all(not row[-1] for row in body)  # a delimiter at the end of every line but the first
        header = [*header, ""] if trailing else ["", *header]
    elif len(header) == width + 1 and not header[-1]:
        header = header[:-1]
    if len(header) != width:
        raise InputError(
            f"{where} is no regular table: its header has {len(header)} cells where the rows have {width}"
        )
    return [unescaped(cell) or f"Unnamed: {j}" for j, cell in enumerate(header)], True


def _counts(cells: list[str]) -> bool:
    return len(cells) > 1 and (
        cells == [str(j) for j in range(len(cells))] or cells == [str(j + 1) for j in range(len(cells))]
    )


def _decimal_comma(layout: Layout) -> bool:
    """Say whether commas are decimal signs: not where they part the cells, and not if they may group thousands."""
    if layout.delimiter == ",":
        return False
    cells = [cell for row in layout.rows[1:] for cell in row]
    if any("." in cell and _POINT.fullmatch(cell) and cell != "." for cell in cells):
        return False
    found = [match for cell in cells if (match := _COMMA.fullmatch(cell))]
    return any(
        len(match[2]) != 3 or match[1] in ("", "0") or len(match[1]) > 3 or match[3] is not None
        for match in found
    )
