"""Tables made to break things, each from a random generator."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from dagscale import simulate

Rng = np.random.Generator


def _ordinary(rng: Rng, rows: int | None = None, columns: int | None = None) -> pd.DataFrame:
    return simulate(
        nodes=columns or int(rng.integers(2, 7)),
        samples=rows or int(rng.integers(40, 160)),
        mechanism=str(rng.choice(["gp", "linear", "sine", "polynomial", "mlp"])),
        noise=str(rng.choice(["gaussian", "laplace", "uniform", "gumbel", "exponential"])),
        random_state=int(rng.integers(2**31)),
    ).table


def _some_column(t: pd.DataFrame, rng: Rng) -> int:
    return int(rng.integers(t.shape[1]))


def extreme_value(rng: Rng) -> pd.DataFrame:
    """One cell far from all others."""
    t = _ordinary(rng)
    sign = rng.choice([-1, 1])
    t.iloc[int(rng.integers(len(t))), _some_column(t, rng)] = sign * 10.0 ** rng.uniform(3, 59)
    return t


def extreme_values(rng: Rng) -> pd.DataFrame:
    """A few cells far from all others, in several columns."""
    t = _ordinary(rng)
    for _ in range(int(rng.integers(2, 8))):
        t.iloc[int(rng.integers(len(t))), _some_column(t, rng)] = rng.choice([-1, 1]) * 10 ** rng.uniform(
            3, 12
        )
    return t


def ties(rng: Rng) -> pd.DataFrame:
    """Columns rounded to a few values."""
    return _ordinary(rng).round(int(rng.integers(0, 2)))


def duplicates(rng: Rng) -> pd.DataFrame:
    """Rows that repeat."""
    t = _ordinary(rng)
    return pd.concat([t, t.iloc[: int(rng.integers(1, len(t) + 1))]], ignore_index=True)


def constant_but_few(rng: Rng) -> pd.DataFrame:
    """A column that is constant in all rows but one to three."""
    t = _ordinary(rng)
    j = _some_column(t, rng)
    t.isetitem(j, np.zeros(len(t)))
    for _ in range(int(rng.integers(1, 4))):
        t.iloc[int(rng.integers(len(t))), j] = rng.normal()
    return t


def tiny_and_huge(rng: Rng) -> pd.DataFrame:
    """Columns in units that differ by many orders of magnitude."""
    t = _ordinary(rng)
    return t * 10.0 ** rng.uniform(-30, 30, t.shape[1])


def shifted(rng: Rng) -> pd.DataFrame:
    """Columns far from zero in units of their spread."""
    t = _ordinary(rng)
    return t + t.std() * 10.0 ** rng.uniform(2, 11, t.shape[1])


def few_rows(rng: Rng) -> pd.DataFrame:
    """Hardly more rows than are needed, or fewer."""
    return _ordinary(rng, rows=int(rng.integers(5, 30)))


def many_columns(rng: Rng) -> pd.DataFrame:
    """More columns than rows, or nearly."""
    return _ordinary(rng, rows=int(rng.integers(20, 40)), columns=int(rng.integers(15, 45)))


def gaps(rng: Rng) -> pd.DataFrame:
    """Missing and infinite values."""
    t = _ordinary(rng)
    cells = rng.uniform(size=t.shape) < rng.uniform(0.01, 0.4)
    return t.mask(cells, np.nan).replace(to_replace=t.iloc[0, 0], value=np.inf)


def heavy_tails(rng: Rng) -> pd.DataFrame:
    """Noise without a variance."""
    t = _ordinary(rng)
    return t + rng.standard_t(rng.uniform(0.3, 2), size=t.shape)


def exponentials(rng: Rng) -> pd.DataFrame:
    """Columns that span many orders of magnitude."""
    t = _ordinary(rng)
    return np.exp(t / t.std() * rng.uniform(1, 15))


def integers(rng: Rng) -> pd.DataFrame:
    """Counts and codes."""
    t = _ordinary(rng)
    return (t * rng.uniform(0.5, 5)).round().astype("int64")


def booleans(rng: Rng) -> pd.DataFrame:
    """Some columns with two values only."""
    t = _ordinary(rng)
    for j in range(t.shape[1]):
        if rng.uniform() < 0.6:
            t.isetitem(j, (t.iloc[:, j] > t.iloc[:, j].quantile(rng.uniform(0.02, 0.98))).to_numpy())
    return t


def copies(rng: Rng) -> pd.DataFrame:
    """A column that is another one, exactly or nearly."""
    t = _ordinary(rng)
    source = t.iloc[:, _some_column(t, rng)]
    noise = rng.normal(size=len(t)) * source.std() * 10.0 ** rng.uniform(-12, -1)
    t["copy"] = source * rng.choice([1, -3]) + (noise if rng.uniform() < 0.8 else 0)
    return t


def sums(rng: Rng) -> pd.DataFrame:
    """A column that is the sum of all others, exactly or nearly."""
    t = _ordinary(rng)
    t["sum"] = t.sum(axis=1) + rng.normal(size=len(t)) * rng.choice([0, 1e-9, 1e-4])
    return t


def functions(rng: Rng) -> pd.DataFrame:
    """Columns that are functions of others without any noise."""
    t = _ordinary(rng)
    source = t.iloc[:, _some_column(t, rng)]
    t["square"] = source**2
    t["wave"] = np.sin(3 * source)
    return t


def clusters(rng: Rng) -> pd.DataFrame:
    """Rows in a few tight clusters."""
    t = _ordinary(rng)
    centres = rng.normal(size=(int(rng.integers(2, 5)), t.shape[1]))
    values = centres[rng.integers(len(centres), size=len(t))] + t * 10.0 ** rng.uniform(-11, -1)
    return pd.DataFrame(values, columns=t.columns)


def ordinary(rng: Rng) -> pd.DataFrame:
    """Nothing wrong with it."""
    return _ordinary(rng)


def categories(rng: Rng) -> pd.DataFrame:
    """Some columns of words, some of whole numbers."""
    t = _ordinary(rng)
    for j in range(t.shape[1]):
        cut = pd.qcut(t.iloc[:, j], int(rng.integers(2, 6)), labels=False, duplicates="drop")
        if rng.uniform() < 0.5:
            t.isetitem(j, np.array(["red", "green", "blue", "grey", "white"])[cut.to_numpy()])
        elif rng.uniform() < 0.5:
            t.isetitem(j, rng.poisson(np.exp(np.minimum(cut.to_numpy(), 3))))
    return t


def names(rng: Rng) -> pd.DataFrame:
    """Hostile column names."""
    t = _ordinary(rng)
    odd = ["=1+1", "@x", "-a", "+b", 'say "no"', "a\\nb", "new\nline", "nul\0", "<b>", "", " ", "𝔘", "1e5"]
    return t.set_axis(rng.choice(odd, t.shape[1], replace=False), axis=1)


KINDS: tuple[Callable[[Rng], pd.DataFrame], ...] = (
    extreme_value,
    extreme_values,
    ties,
    duplicates,
    constant_but_few,
    tiny_and_huge,
    shifted,
    few_rows,
    many_columns,
    gaps,
    heavy_tails,
    exponentials,
    integers,
    booleans,
    copies,
    sums,
    functions,
    clusters,
    ordinary,
    names,
    categories,
)
