"""Names in CSV files that a spreadsheet would run as formulas: a leading apostrophe, taken off on reading.

A spreadsheet runs a cell that starts with = + - @, a tab or a carriage return. Such a name is written with
one apostrophe before it, the spreadsheet's own mark of text; and so that every name comes back as it was,
a name that starts with apostrophes and then one of these gets one more.
"""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def escaped(name: object) -> object:
    """Return a name as a CSV file holds it; what is no text stays as it is.

    >>> escaped("=1+1"), escaped("'=1"), escaped("rain")
    ("'=1+1", "''=1", 'rain')
    """
    return f"'{name}" if isinstance(name, str) and _FORMULA.match(name) else name


def unescaped(text: str) -> str:
    """Undo `escaped`.

    >>> unescaped("'=1+1"), unescaped("''=1"), unescaped("'tis")
    ('=1+1', "'=1", "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
