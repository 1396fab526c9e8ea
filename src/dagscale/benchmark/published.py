"""The numbers printed in the DAS paper, as data.

Every value is a mean and, where the paper gives one, a standard deviation over its 10 runs. All were
measured on data in the simulator's own units ("raw"); the paper has no standardised results. The rows of
CAM and GraN-DAG (and SCORE on scale-free graphs) are quoted there from Rolland et al. 2022.
"""

from dataclasses import dataclass
from functools import cache

# One line per row of a table: nodes, method, SHD, SID, precision, recall, seconds; "-" is not given.
_ER4 = """
10   das      27.0±2.2   43.6±5.8   1.00±0.00  0.33±0.02  7.7±0.1
10   score    26.5±1.5   42.3±2.9   0.99±0.00  0.33±0.02  7.9±0.1
10   cam      24.4±3.1   45.2±10.2  -          -          30.1±3.7
10   grandag  22.2±2.6   42.0±6.2   -          -          185±26
20   das      56.4±2.5   213±28     0.99±0.00  0.27±0.04  16.1±0.3
20   score    57.17±3.1  229±23     0.99±0.01  0.30±0.04  40.7±1.8
20   cam      54.2±5.4   202±29     -          -          313±80
20   grandag  49.3±4.5   211±37     -          -          357±47
50   das      156±4      1460±67    0.96±0.02  0.24±0.03  48.3±1.1
50   score    144±6      1346±57    0.97±0.01  0.30±0.03  245±5
50   cam      141±6      1337±94    -          -          1143±79
50   grandag  141±10     1432±110   -          -          1410±73
100  das      335±5      6695±224   0.91±0.03  0.21±0.04  114±2
100  score    313±11     5965±273   0.91±0.03  0.27±0.06  779±13
200  das      691±13     25147±835  0.89±0.06  0.21±0.05  279±4
200  score    626±14     25707±891  0.88±0.04  0.30±0.05  4142±35
500  das      1761±15    -          0.80±0.04  0.19±0.03  1308±7
500  score    1642       -          0.82       0.27       25307
1000 das      3951±9     -          0.76±0.05  0.08±0.00  5539±81
"""
_ER1 = """
10   das      1.0±0.8    3.3±3.7    0.97±0.01  0.84±0.05  7.8±0.1
10   score    0.7±0.5    4.5±4.3    0.98±0.01  0.98±0.01  8.0±0.2
10   cam      1.7±1.0    6.4±4.2    -          -          30.1±3.7
10   grandag  1.5±1.4    6.5±7.2    -          -          185±26
20   das      3.2±1.4    18.1±10.1  0.98±0.02  0.85±0.03  16.7±0.4
20   score    2.0±1.8    8.3±9.9    0.99±0.01  0.91±0.03  36.4±1.8
20   cam      3.5±1.6    14.3±9.8   -          -          313±80
20   grandag  7.6±4.2    31.6±22.7  -          -          357±47
50   das      17.3±3.4   99.6±42.1  0.96±0.04  0.77±0.04  49.2±2.1
50   score    9.8±3.8    69.6±41.3  0.98±0.01  0.87±0.03  251±7
50   cam      8.3±2.9    53.7±31.9  -          -          1143±79
50   grandag  20.2±6.1   135±456    -          -          1410±73
100  das      46.6±9.1   327±47     0.92±0.06  0.68±0.04  111±6
100  score    27.5±6.9   288±115    0.97±0.02  0.83±0.05  776±12
200  das      110±6.6    899±191    0.88±0.07  0.68±0.06  282±4
200  score    59.9±8.5   495±161    0.95±0.03  0.85±0.07  4237±22
500  das      291±13     -          0.78±0.07  0.65±0.05  1329±7
500  score    209        -          0.8        0.85       25115
1000 das      994±15     -          0.59±0.02  0.09±0.00  5544±73
"""
_SF1 = """
10   das      0.4±0.7    2.2±3.4      0.99±0.04  0.84±0.15  7.6±0.1
10   score    0.3±0.6    2.7±5.8      -          -          -
10   cam      0.4±0.5    2.8±3.6      -          -          -
10   grandag  1.4±1.0    12.5±9.7     -          -          -
20   das      1.9±1.6    19.1±7.4     0.99±0.02  0.84±0.11  16.6±0.4
20   score    0.9±0.9    13.8±12.6    -          -          -
20   cam      0.9±0.9    12.9±14.0    -          -          -
20   grandag  3.2±1.9    25.5±15.6    -          -          -
50   das      10.9±4.9   225.3±72.1   0.96±0.03  0.74±0.08  53.1±0.9
50   score    4.6±2.4    132.6±75.8   -          -          -
50   cam      3.6±1.9    115.4±72.6   -          -          -
50   grandag  9.2±3.3    281.8±129.8  -          -          -
100  das      39.4±8.0   214±42       0.94±0.02  0.51±0.07  102±5
200  das      112±11     626±83       0.97±0.02  0.33±0.03  279±6
500  das      271±15     -            0.93±0.09  0.68±0.01  1315±9
1000 das      910±12     -            0.59±0.02  0.09±0.00  5442±61
"""
_SF4 = """
10   das      10.1±2.39   35.7±9.1    0.99±0.01  0.75±0.06  7.8±0.1
10   score    4.6±1.7     21.5±9.6    -          -          -
10   cam      9.6±2.0     40.4±11.4   -          -          -
10   grandag  4.7±1.8     23.0±7.3    -          -          -
20   das      30.4±5.78   248.1±20.0  0.98±0.02  0.59±0.06  17.1±0.7
20   score    17.5±3.5    179.2±23.8  -          -          -
20   cam      26.4±3.9    253.7±28.8  -          -          -
20   grandag  14.7±4.0    168.0±39.2  -          -          -
50   das      115.5±10.8  703.1±87.5  0.97±0.01  0.45±0.06  51.3±1.2
50   score    68.3±3.6    1724±109    -          -          -
50   cam      85.3±4.2    1935±99     -          -          -
50   grandag  63.8±9.7    1677±118    -          -          -
100  das      295.3±10.8  3212±145    0.97±0.01  0.25±0.02  108±2
200  das      674.2±16.6  21314±891   0.95±0.02  0.11±0.01  283±3
500  das      1890±7.1    -           0.97±0.03  0.02±0.01  1212±31
1000 das      3715±21.3   -           0.92±0.04  0.03±0.01  5016±53
"""
# The threshold table repeats Tables 1 and 2 for cutoff 0.01 (its ER4 d=100 entry, 355 ± 5, contradicts
# Table 1's 335 ± 5; Table 1 is kept here) and adds cutoff 0.05, of which it gives the SHD only.
_THRESHOLD_ER1 = """
10   das:cutoff=0.05  0.9±0.9   - - - -
20   das:cutoff=0.05  3.1±1.6   - - - -
50   das:cutoff=0.05  17.1±3.7  - - - -
100  das:cutoff=0.05  47.6±5.3  - - - -
200  das:cutoff=0.05  114±8     - - - -
"""
_THRESHOLD_ER4 = """
10   das:cutoff=0.05  26.7±2.0  - - - -
20   das:cutoff=0.05  58.2±2.5  - - - -
50   das:cutoff=0.05  155±5     - - - -
100  das:cutoff=0.05  339±6     - - - -
200  das:cutoff=0.05  698±9     - - - -
"""
_SACHS = """
11 das      12 45 - - -
11 score    12 45 - - -
11 cam      12 55 - - -
11 grandag  13 47 - - -
"""
_SYNTREN = """
20 das      38.0±4.1  188.5±71.2  - - -
20 score    36.8±4.7  193.4±60.2  - - -
20 cam      40.5±6.8  152.3±48.0  - - -
20 grandag  34.0±8.5  161.7±53.4  - - -
"""
_TABLES = {
    "ER1": _ER1 + _THRESHOLD_ER1,
    "ER4": _ER4 + _THRESHOLD_ER4,
    "SF1": _SF1,
    "SF4": _SF4,
    "Sachs": _SACHS,
    "SynTReN": _SYNTREN,
}


@dataclass(frozen=True)
class Value:
    """A published mean and its standard deviation (None where the paper prints none: a single run)."""

    mean: float
    sd: float | None


@dataclass(frozen=True)
class PublishedRow:
    """One row of a published table; None where the paper prints a dash."""

    shd: Value | None
    sid: Value | None
    precision: Value | None
    recall: Value | None
    seconds: Value | None


def published(family: str, nodes: int, method: str) -> PublishedRow | None:
    """Return the paper's row for a method on a family of graphs ("ER1", ..., "Sachs"), or None.

    What follows a comma in the family's name (the noise's variance) tells apart cases of ours, not of the
    paper's: it does not say which variance its data had, and quotes CAM and GraN-DAG from another paper.
    """
    return _rows().get((graphs_of(family), nodes, method))


def published_methods(family: str, nodes: int) -> list[str]:
    """List the methods of the paper's rows for one family and size, in the paper's order."""
    return [m for f, d, m in _rows() if (f, d) == (graphs_of(family), nodes)]


def graphs_of(family: str) -> str:
    """Return the kind of graphs of a family: ER1 for "ER1, variance U(0.4, 0.8)"."""
    return family.split(",")[0]


def published_families() -> tuple[str, ...]:
    """Name the families of graphs and data sets the paper reports."""
    return tuple(_TABLES)


@cache
def _rows() -> dict[tuple[str, int, str], PublishedRow]:
    rows = {}
    for family, text in _TABLES.items():
        for line in filter(None, text.splitlines()):
            nodes, method, *cells = line.split()
            rows[family, int(nodes), method] = PublishedRow(*(_value(cell) for cell in cells))
    return rows


def _value(cell: str) -> Value | None:
    if cell == "-":
        return None
    mean, _, sd = cell.partition("±")
    return Value(float(mean), float(sd) if sd else None)
