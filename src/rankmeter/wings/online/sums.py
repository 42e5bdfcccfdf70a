"""What a test needs to know of a group of units: how many, the means, and how the columns vary together.

Sums of parts of the data add up to the sums of the whole, whatever the parts were, so a log can be counted by parts, a
cluster can count where the data lies, and a warehouse can hand over a row per variant instead of its events.

No order of the units and no partition of the log changes a total by a bit: sums, also of products, are exact whole
numbers on a grid (`rankmeter.arithmetic.exact_sums`), and each mean and each product of deviations is rounded once, at
the end. A log that is counted whole, by partitions on disk or by the workers of a cluster has the same digits.

Units are resampled partition by partition too. In a bootstrap of many units each is drawn about Poisson(1) times,
independently of the others, and how often follows from its id, the seed and the number of the resample: the resampled
totals of partitions add up, and no partition changes a digit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.arithmetic.exact_sums import GRID, Pieces, rounded
from rankmeter.errors import InputError
from rankmeter.inputs.attributes import table_of
from rankmeter.inputs.frames import is_frame
from rankmeter.late import pl
from rankmeter.measures import Measure, parse
from rankmeter.placing.matching import Hashes, mixed_hashes
from rankmeter.placing.placements import Floats
from rankmeter.wings.online.measures import OnlineMeasure
from rankmeter.wording import Said, said

BLOCK = 1 << 20
"""Rows at once: so many products of two pieces, below 2^52 together, add up without rounding."""
CELLS = 4_000_000
"""How many draws are held at once."""
_CHANCES = 20
"""Bits of chance in a draw."""
_ODD = np.uint64(0x9E3779B97F4A7C15)


def _pieces_of(rows: Floats) -> Pieces:
    """The numbers of a table with a row per unit, cut at the places of the grid."""
    if not np.isfinite(rows).all():
        raise InputError.of("online.units_not_finite")
    return Pieces.of(rows)


@dataclass(frozen=True, slots=True)
class Totals:
    """How many units, and the exact totals of columns and of their products; they add up."""

    n: int
    columns: npt.NDArray[Any]
    """(d,) whole numbers, in units of the grid's last place."""
    products: npt.NDArray[Any]
    """(d, d) whole numbers, in units of its square."""

    @classmethod
    def of_rows(cls, rows: Floats) -> Totals:
        """The totals of a table with a row per unit, ``(n, d)``."""
        width = rows.shape[1]
        columns, products = np.zeros(width, object), np.zeros((width, width), object)
        for first in range(0, len(rows), BLOCK):
            pieces = _pieces_of(rows[first : first + BLOCK])
            totals = pieces.table.sum(axis=0).tolist()
            squares = (pieces.table.T @ pieces.table).tolist()
            places = list(zip(pieces.column, pieces.shift, strict=True))
            for (column, shift), total, row in zip(places, totals, squares, strict=True):
                columns[column] += int(total) << shift
                for (other, more), product in zip(places, row, strict=True):
                    products[column, other] += int(product) << (shift + more)
        return cls(len(rows), columns, products)

    def __add__(self, other: Totals) -> Totals:
        return Totals(self.n + other.n, self.columns + other.columns, self.products + other.products)

    def means(self) -> Floats:
        """(d,) the mean of each column, rounded once."""
        return rounded(self.columns, self.n)

    def deviations(self) -> Floats:
        """(d, d) the sums of products of deviations from the means, each rounded once."""
        spread = self.n * self.products - np.outer(self.columns, self.columns)
        rounded = [product / (self.n << (2 * GRID)) for product in spread.ravel().tolist()]
        return np.array(rounded, float).reshape(spread.shape)


def totals_by(group: npt.NDArray[np.int64], groups: int, rows: Floats) -> npt.NDArray[Any]:
    """(groups, d) the exact totals of the rows of each group, in units of the grid's last place."""
    pieces = _pieces_of(rows)
    totals = np.zeros((groups, rows.shape[1]), object)
    for piece, column, shift in zip(pieces.table.T, pieces.column, pieces.shift, strict=True):
        counts = np.bincount(group, piece, minlength=groups).tolist()
        totals[:, column] += np.array([int(count) << shift for count in counts], object)
    return totals


@dataclass(frozen=True, slots=True)
class Draws:
    """The totals of resamples of some units, exact, so that those of other units can be added."""

    width: int
    totals: Mapping[tuple[int, int], Floats]
    """(resamples,) for each column and place of the grid a whole number for each resample."""

    @classmethod
    def of_rows(cls, rows: Floats, units: Hashes, resamples: int, seed: int) -> Draws:
        """Resample a table with a row per unit; ``units`` are their ids, spread over all bits."""
        pieces = _pieces_of(rows)
        totals = np.zeros((resamples, pieces.table.shape[1]))
        resample = mixed_hashes(np.arange(1, resamples + 1, dtype=np.uint64) * _ODD + np.uint64(seed))
        step = max(1, CELLS // resamples)
        for first in range(0, len(rows), step):
            block = slice(first, first + step)
            chance = mixed_hashes(resample[:, None] ^ units[None, block]) >> np.uint64(64 - _CHANCES)
            totals += _poisson()[chance] @ pieces.table[block]
        places = zip(pieces.column, pieces.shift, strict=True)
        return cls(rows.shape[1], dict(zip(places, totals.T, strict=True)))

    def __add__(self, other: Draws) -> Draws:
        totals = dict(self.totals)
        for place, more in other.totals.items():
            totals[place] = totals[place] + more if place in totals else more
        return Draws(self.width, totals)

    def resampled(self, resamples: int) -> Floats:
        """(resamples, d) the totals as floats."""
        totals = np.zeros((resamples, self.width))
        for column, shift in sorted(self.totals):  # from the smallest place on
            totals[:, column] += np.ldexp(self.totals[column, shift], shift - GRID)
        return totals


@cache
def _poisson() -> Floats:
    """(2^20,) how often a unit is drawn, for each value of its bits of chance."""
    at_most = np.cumsum([math.exp(-1) / math.factorial(times) for times in range(10)])
    ends = np.rint(np.append(at_most, 1.0) * (1 << _CHANCES)).astype(np.int64)
    return np.repeat(np.arange(11.0), np.diff(ends, prepend=0))


def quotients(totals: Floats, x: int, y: int) -> Floats:
    """(resamples,) the quotient of two columns of ``totals`` in each resample; NaN where the second is 0."""
    above, below = totals[:, x], totals[:, y]
    return np.asarray(np.divide(above, below, out=np.full(len(above), math.nan), where=below > 0))


BEFORE = " before"
"""What is added to a column's name for the same quantity before the experiment."""


def numerator(measure: Measure | str) -> str:
    """The column of what each unit adds to the numerator of a measure."""
    return f"{measure} x"


def denominator(measure: Measure | str) -> str:
    """The column of what each unit adds to its denominator."""
    return f"{measure} y"


def measures_of(sums: Sums) -> list[str]:
    """The measures whose columns there are."""
    return [name.removesuffix(numerator("")) for name in sums.names if name.endswith(numerator(""))]


@dataclass(frozen=True, slots=True)
class Sums:
    """How many units, the mean of each column, and the sums of products of the deviations from the means.

    Sums of rows are exact until they are rounded, once: no order and no partition of the rows changes a digit.

    Examples
    --------
    >>> import numpy as np
    >>> from rankmeter.online import Sums
    >>> left, right = np.array([[1.0], [2.0]]), np.array([[6.0]])
    >>> both = Sums.of_rows(("x",), left) + Sums.of_rows(("x",), right)
    >>> both.n, both.means.tolist(), both.covariance("x", "x")
    (3, [3.0], 7.0)
    """

    names: tuple[str, ...]
    n: int
    means: Floats
    """(d,) the mean of each column."""
    products: Floats
    """(d, d) sums of products of deviations; NaN where two columns were never seen together."""

    @classmethod
    def of_rows(cls, names: tuple[str, ...], rows: Floats) -> Sums:
        """The sums of a table with a row per unit, ``(n, d)``."""
        return cls.of(names, Totals.of_rows(rows))

    @classmethod
    def of(cls, names: tuple[str, ...], totals: Totals) -> Sums:
        """From exact totals, each number rounded once."""
        return cls(names, totals.n, totals.means(), totals.deviations()) if totals.n else cls.empty(names)

    @classmethod
    def empty(cls, names: tuple[str, ...]) -> Sums:
        """The sums of nothing."""
        return cls(names, 0, np.zeros(len(names)), np.zeros((len(names), len(names))))

    @classmethod
    def of_totals(cls, names: Sequence[str], n: int, totals: Sequence[float], squares: Any) -> Sums:
        """From plain totals, as SQL gives them: the sum of each column and the sums of products of each two.

        Examples
        --------
        >>> sums = Sums.of_totals(["x"], 3, [9.0], [[41.0]])
        >>> sums.covariance("x", "x")
        7.0
        """
        means = np.asarray(totals, float) / n
        return cls(tuple(names), int(n), means, np.asarray(squares, float) - n * np.outer(means, means))

    def __add__(self, other: Sums) -> Sums:
        """The sums of both groups together (Chan, Golub and LeVeque 1983)."""
        if self.names != other.names:
            raise InputError.of("online.sums_of_other_columns")
        if not self.n or not other.n:
            return other if not self.n else self
        n = self.n + other.n
        step = other.means - self.means
        means = self.means + step * (other.n / n)
        products = self.products + other.products + np.outer(step, step) * (self.n * other.n / n)
        return Sums(self.names, n, means, products)

    def place(self, name: str) -> int:
        """Where a column stands."""
        if name not in self.names:
            raise InputError.of("online.sums_without_column", name=name, names=list(self.names))
        return self.names.index(name)

    def mean(self, name: str) -> float:
        """The mean of a column."""
        return float(self.means[self.place(name)]) if self.n else math.nan

    def total(self, name: str) -> float:
        """The sum of a column."""
        return float(self.means[self.place(name)] * self.n)

    def covariance(self, name: str, other: str) -> float:
        """How two columns vary together over units, divided by n - 1."""
        if self.n < 2:
            return math.nan
        return float(self.products[self.place(name), self.place(other)] / (self.n - 1))

    def block(self, names: Sequence[str]) -> Floats:
        """The covariances of some columns, ``(k, k)``."""
        return np.array([[self.covariance(name, other) for other in names] for name in names])

    def with_columns(self, other: Sums) -> Sums:
        """These sums with some columns replaced; how those vary with the others is then not known."""
        places = [self.place(name) for name in other.names]
        means, products = self.means.copy(), self.products.copy()
        products[places, :] = products[:, places] = np.nan
        means[places], products[np.ix_(places, places)] = other.means, other.products
        return Sums(self.names, self.n, means, products)

    def has(self, name: str) -> bool:
        """Whether there is such a column."""
        return name in self.names

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python; ``from_dict`` reads it."""
        means, products = self.means.tolist(), self.products.tolist()
        return {"names": list(self.names), "n": self.n, "means": means, "products": products}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Sums:
        """Read what :meth:`to_dict` gave."""
        means, products = (np.array(data[name], float) for name in ("means", "products"))
        return cls(tuple(data["names"]), int(data["n"]), means, products)


_SUMS: Mapping[str, tuple[str, ...]] = {
    "x": ("x",), "y": ("y",), "xx": ("x", "x"), "yy": ("y", "y"), "xy": ("x", "y"),
    "px": ("px",), "py": ("py",), "pxx": ("px", "px"), "pyy": ("py", "py"), "pxy": ("px", "py"),
    "x_px": ("x", "px"), "x_py": ("x", "py"), "y_px": ("y", "px"), "y_py": ("y", "py"),
}  # fmt: skip
"""The columns of a table of sums, and what each is the sum of: a quantity, or the product of two."""
_PLAIN = {name: of for name, of in _SUMS.items() if not {"px", "py"} & set(of)}


def _quantities(measure: Measure | str) -> dict[str, str]:
    """How `Sums` calls what the table calls x, y, px and py."""
    x, y = numerator(measure), denominator(measure)
    return {"x": x, "y": y, "px": x + BEFORE, "py": y + BEFORE}


def is_sums(data: object) -> bool:
    """Whether this is sums by variant, and not a log."""
    return isinstance(data, Mapping) and bool(data) and all(isinstance(sums, Sums) for sums in data.values())


def sums_from_table(table: object) -> dict[str, Sums]:
    """Sums by variant from a table that a warehouse made: a row per variant and measure.

    The columns are ``variant``, ``measure``, ``n`` (units) and the totals over units ``x`` (numerator), ``y``
    (denominator), ``xx``, ``yy``, ``xy`` (sums of products). With the same quantities before the experiment (``px``,
    ``py``, ``pxx``, ``pyy``, ``pxy``, ``x_px``, ``x_py``, ``y_px``, ``y_py``) variance can be reduced too.

    Counts alone will do for CTR: ``variant``, ``clicks`` and ``impressions``, a row per variant, or several that add up
    (days, countries). The unit is then the impression, as nothing says whose it was.

    Examples
    --------
    >>> from rankmeter.online import sums_from_table
    >>> table = [{"variant": "A", "measure": "CTR", "n": 2, "x": 2, "y": 14, "xx": 2, "yy": 116, "xy": 14}]
    >>> sums_from_table(table)["A"].mean("CTR y")
    7.0
    >>> sums_from_table([{"variant": "A", "clicks": 50, "impressions": 1000}])["A"].mean("CTR x")
    0.05
    """
    rows = _rows(table)
    if rows and all(is_counts(row) for row in rows):
        return _sums_of_counts(rows)
    wanted = ("variant", "measure", "n", *_PLAIN)
    missing = [name for name in wanted if any(name not in row for row in rows)]
    if not rows:
        raise InputError.of("online.sums_empty", wanted=wanted)
    if missing:
        raise InputError.of("online.sums_columns", missing=missing, wanted=wanted)
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(str(row["variant"]), []).append(row)
    return {variant: _sums_of(variant, group) for variant, group in groups.items()}


COUNTS = ("variant", "clicks", "impressions")
"""The columns of a table of counts."""


def is_counts(names: Iterable[str]) -> bool:
    """Whether these are the columns of clicks and impressions by variant, and of nothing that sums have."""
    return set(COUNTS) <= {*names} and not {"measure", "user", "time"} & {*names}


def counts_impressions(groups: Mapping[str, Sums], measure: Measure | str) -> bool:
    """Whether every unit has exactly one impression, so that the unit is the impression."""
    y = denominator(measure)
    return all(sums.mean(y) == 1 and sums.products[sums.place(y), sums.place(y)] == 0 for sums in groups.values())


def _sums_of_counts(rows: Iterable[Mapping[str, Any]]) -> dict[str, Sums]:
    """Clicks of impressions, each of which is a unit that was clicked or not."""
    counted: dict[str, tuple[int, int]] = {}
    for row in rows:
        variant, numbers = str(row["variant"]), [_count(row, name) for name in COUNTS[1:]]
        before = counted.get(variant, (0, 0))
        counted[variant] = (before[0] + numbers[0], before[1] + numbers[1])
    wrong = {name: pair for name, pair in counted.items() if not 0 < pair[1] >= pair[0]}
    for name, (clicks, shown) in wrong.items():
        raise InputError.of("online.counts_impossible", variant=name, clicks=clicks, impressions=shown)
    x, y = numerator("CTR"), denominator("CTR")
    return {
        name: Sums.of_totals((x, y), shown, (clicks, shown), [[clicks, clicks], [clicks, shown]])
        for name, (clicks, shown) in counted.items()
    }


def _count(row: Mapping[str, Any], name: str) -> int:
    try:
        number = float(row[name])
    except (TypeError, ValueError):
        number = math.nan
    if not (number >= 0 and number == math.floor(number) and math.isfinite(number)):
        raise InputError.of("online.counts_no_count", name=name, variant=row["variant"], found=repr(row[name]))
    return int(number)


def _rows(table: object) -> list[dict[str, Any]]:
    if isinstance(table, (list, tuple)) and all(isinstance(row, Mapping) for row in table):
        return [dict(row) for row in table]
    if is_frame(table):
        return table_of(table, "sums").to_dicts()
    raise InputError.of("online.sums_type", type=type(table).__name__)


def _sums_of(variant: str, rows: Iterable[Mapping[str, Any]]) -> Sums:
    # However a measure was written, its string is its name.
    numbers = [(str(parse(str(row["measure"]))), _checked(variant, row)) for row in rows]
    named = [measure for measure, _ in numbers]
    twice = {name for name in named if named.count(name) > 1}
    if twice:
        raise InputError.of("online.sums_rows_twice", variant=variant, twice=sorted(twice))
    counts = {int(row["n"]) for _, row in numbers}
    if len(counts) > 1:
        raise InputError.of("online.sums_n_differs", variant=variant, count=len(counts), counts=sorted(counts))
    if min(counts) < 1:
        raise InputError.of("online.sums_n_small", variant=variant, n=min(counts))
    blocks = [_block(measure, row) for measure, row in numbers]
    names = tuple(name for block in blocks for name in block.names)
    products = np.full((len(names), len(names)), np.nan)
    for block in blocks:
        places = [names.index(name) for name in block.names]
        products[np.ix_(places, places)] = block.products
    return Sums(names, min(counts), np.concatenate([block.means for block in blocks]), products)


def _block(measure: str, row: Mapping[str, float]) -> Sums:
    """The sums of one measure."""
    quantities = {name: column for name, column in _quantities(measure).items() if name in row}
    product = {frozenset(of): row[name] for name, of in _SUMS.items() if name in row and len(of) == 2}
    squares = [[product[frozenset((first, second))] for second in quantities] for first in quantities]
    return Sums.of_totals(list(quantities.values()), int(row["n"]), [row[name] for name in quantities], squares)


def _checked(variant: str, row: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a row, which can be sums of the same units."""
    used = _SUMS if all(row.get(name) is not None for name in _SUMS) else _PLAIN
    numbers = {name: _number(variant, row, name) for name in ("n", *used)}
    where = said("online.sums_where", measure=str(row["measure"]), variant=variant)
    n = numbers["n"]
    if n != int(n):
        raise InputError.of("online.sums_n_not_whole", n=n, where=where)
    for name in ("y", "py"):
        if numbers.get(name, 0.0) < 0:
            raise InputError.of("online.sums_below_zero", name=name, found=numbers[name], where=where)
    spreads = {of[0]: _spread(numbers, of[0], name, where) for name, of in used.items() if len(set(of)) < len(of)}
    for name, of in used.items():
        if len(set(of)) == 2:
            first, second = of
            expected = numbers[first] * numbers[second] / max(n, 1)
            # Rounded sums are off by some of the last digits of what was subtracted.
            slack = 1e-9 * (abs(numbers[name]) + abs(expected))
            if abs(numbers[name] - expected) > math.sqrt(spreads[first] * spreads[second]) * (1 + 1e-9) + slack:
                raise InputError.of(
                    "online.sums_product", product=name, value=numbers[name], where=where, first=first, second=second
                )
    return numbers


def _number(variant: str, row: Mapping[str, Any], name: str) -> float:
    try:
        number = float(row[name])
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError.of(
            "online.sums_no_number", name=name, measure=row["measure"], variant=variant, row=repr(row[name])
        )
    return number


def _spread(numbers: Mapping[str, float], total: str, squares: str, where: Said) -> float:
    """The sum of squared deviations: a sum of squares is at least the square of the sum over n."""
    least = numbers[total] ** 2 / numbers["n"] if numbers["n"] > 0 else 0.0
    if numbers[squares] < least * (1 - 1e-9):
        raise InputError.of("online.sums_squares_small", squares=squares, where=where, least=least, total=total,
                            n=numbers["n"], found=numbers[squares], found_2=numbers[total])  # fmt: skip
    return max(numbers[squares] - least, 0.0)


def sums_to_table(groups: Mapping[str, Sums], measures: Sequence[OnlineMeasure]) -> pl.DataFrame:
    """The inverse of :func:`sums_from_table`: a row per variant and measure that is a quotient of sums."""
    rows = []
    for variant, sums in groups.items():
        totals, raw = sums.means * sums.n, sums.products + sums.n * np.outer(sums.means, sums.means)
        for measure in [measure for measure in measures if not measure.is_located]:
            column = _quantities(measure)
            used = _SUMS if column["px"] in sums.names else _PLAIN
            places = {name: tuple(sums.place(column[factor]) for factor in of) for name, of in used.items()}
            numbers = {name: float((totals if len(at) == 1 else raw)[at]) for name, at in places.items()}
            rows.append({"variant": variant, "measure": str(measure), "n": sums.n, **numbers})
    return pl.DataFrame(rows)
