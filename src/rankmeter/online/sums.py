"""What a test needs to know of a group of units: how many, the means, and how the columns vary together.

Sums of parts of the data add up to the sums of the whole, whatever the parts were, so a log can be counted by parts, a
cluster can count where the data lies, and a warehouse can hand over a row per variant instead of its events.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.errors import InputError
from rankmeter.inputs.frames import is_frame
from rankmeter.late import pl
from rankmeter.measures import Measure, parse
from rankmeter.online.exact_totals import Totals
from rankmeter.placing.placements import Floats
from rankmeter.wording import Said, said

BEFORE = " before"
"""What is added to a column's name for the same quantity before the experiment."""


def above(measure: Measure | str) -> str:
    """The column of what a unit adds above the line of a measure."""
    return f"{measure} x"


def below(measure: Measure | str) -> str:
    """The column of what a unit adds below the line."""
    return f"{measure} y"


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

    def covariance(self, one: str, other: str) -> float:
        """How two columns vary together over units, divided by n - 1."""
        if self.n < 2:
            return math.nan
        return float(self.products[self.place(one), self.place(other)] / (self.n - 1))

    def block(self, names: Sequence[str]) -> Floats:
        """The covariances of some columns, ``(k, k)``."""
        return np.array([[self.covariance(one, other) for other in names] for one in names])

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
        return {
            "names": list(self.names),
            "n": self.n,
            "means": self.means.tolist(),
            "products": self.products.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Sums:
        """Read what :meth:`to_dict` gave."""
        return cls(
            tuple(data["names"]), int(data["n"]), np.array(data["means"], float), np.array(data["products"], float)
        )


_PLAIN = ("x", "y", "xx", "yy", "xy")
_BEFORE = ("px", "py", "pxx", "pyy", "pxy", "x_px", "x_py", "y_px", "y_py")
_PRODUCTS = (("x", "y", "xy"), ("px", "py", "pxy"), ("x", "px", "x_px"), ("x", "py", "x_py"), ("y", "px", "y_px"),
             ("y", "py", "y_py"))  # fmt: skip


def is_sums(data: object) -> bool:
    """Whether this is sums by variant, and not a log."""
    return isinstance(data, Mapping) and bool(data) and all(isinstance(one, Sums) for one in data.values())


def sums_from_table(table: object) -> dict[str, Sums]:
    """Sums by variant from a table that a warehouse made: a row per variant and measure.

    The columns are ``variant``, ``measure``, ``n`` (units) and the totals over units ``x`` (above the line), ``y``
    (below), ``xx``, ``yy``, ``xy`` (sums of products). With the same quantities before the experiment (``px``, ``py``,
    ``pxx``, ``pyy``, ``pxy``, ``x_px``, ``x_py``, ``y_px``, ``y_py``) variance can be reduced too.

    Examples
    --------
    >>> from rankmeter.online import sums_from_table
    >>> table = [{"variant": "A", "measure": "CTR", "n": 2, "x": 2, "y": 14, "xx": 2, "yy": 116, "xy": 14}]
    >>> sums_from_table(table)["A"].mean("CTR y")
    7.0
    """
    rows = _rows(table)
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


def _rows(table: object) -> list[dict[str, Any]]:
    if isinstance(table, pl.DataFrame):
        return table.to_dicts()
    if isinstance(table, (list, tuple)) and all(isinstance(row, Mapping) for row in table):
        return [dict(row) for row in table]
    if is_frame(table):
        import narwhals as nw

        made: Any = nw.from_native(table, eager_only=True)
        return [dict(row) for row in made.iter_rows(named=True)]
    raise InputError.of("online.sums_type", type=type(table).__name__)


def _checked(variant: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """A row whose sums are numbers, and can be sums of the same units."""
    numbers = dict(row)
    has_before = all(row.get(name) is not None for name in _BEFORE)
    for name in ("n", *_PLAIN, *(_BEFORE if has_before else ())):
        try:
            numbers[name] = float(row[name])
        except (TypeError, ValueError):
            numbers[name] = math.nan
        if not math.isfinite(numbers[name]):
            raise InputError.of(
                "online.sums_no_number", name=name, measure=row["measure"], variant=variant, row=repr(row[name])
            )
    where = said("online.sums_where", measure=str(row["measure"]), variant=variant)
    if numbers["n"] != int(numbers["n"]):
        raise InputError.of("online.sums_n_not_whole", n=numbers["n"], where=where)
    for name in ("y", "py") if has_before else ("y",):
        if numbers[name] < 0:
            raise InputError.of("online.sums_below_zero", name=name, found=numbers[name], where=where)
    pairs = (("x", "xx"), ("y", "yy"), *((("px", "pxx"), ("py", "pyy")) if has_before else ()))
    spreads = {total: _spread(numbers, total, squares, where) for total, squares in pairs}
    for one, other, product in _PRODUCTS if has_before else _PRODUCTS[:1]:
        together = numbers[product] - numbers[one] * numbers[other] / max(numbers["n"], 1)
        # Rounded sums are off by some of the last digits of what was subtracted.
        slack = 1e-9 * (abs(numbers[product]) + abs(numbers[one] * numbers[other]) / max(numbers["n"], 1))
        if abs(together) > math.sqrt(spreads[one] * spreads[other]) * (1 + 1e-9) + slack:
            raise InputError.of(
                "online.sums_product", product=product, value=numbers[product], where=where, first=one, second=other
            )
    return numbers


def _spread(numbers: Mapping[str, float], total: str, squares: str, where: Said) -> float:
    """The sum of squared deviations: a sum of squares is at least the square of the sum over n."""
    least = numbers[total] ** 2 / numbers["n"] if numbers["n"] > 0 else 0.0
    if numbers[squares] < least * (1 - 1e-9):
        raise InputError.of(
            "online.sums_squares_small",
            squares=squares,
            found=numbers[squares],
            where=where,
            n=numbers["n"],
            total=total,
            found_2=numbers[total],
            least=least,
        )
    return max(numbers[squares] - least, 0.0)


def _sums_of(variant: str, rows: Iterable[Mapping[str, Any]]) -> Sums:
    rows = [_checked(variant, row) for row in rows]
    # However a measure was written, its string is its name.
    named = [str(parse(str(row["measure"]))) for row in rows]
    twice = {name for name in named if named.count(name) > 1}
    if twice:
        raise InputError.of("online.sums_rows_twice", variant=variant, twice=sorted(map(str, twice)))
    counts = {int(row["n"]) for row in rows}
    if len(counts) > 1:
        raise InputError.of("online.sums_n_differs", variant=variant, count=len(counts), counts=sorted(counts))
    n = counts.pop()
    if n < 1:
        raise InputError.of("online.sums_n_small", variant=variant, n=n)
    names: list[str] = []
    blocks = []
    for measure, row in zip(named, rows, strict=True):
        names += [above(measure), below(measure)]
        totals = [row["x"], row["y"]]
        squares = [[row["xx"], row["xy"]], [row["xy"], row["yy"]]]
        if all(row.get(name) is not None for name in _BEFORE):
            names += [above(measure) + BEFORE, below(measure) + BEFORE]
            totals += [row["px"], row["py"]]
            across = [[row["x_px"], row["x_py"]], [row["y_px"], row["y_py"]]]
            before = [[row["pxx"], row["pxy"]], [row["pxy"], row["pyy"]]]
            squares = np.block([[np.array(squares, float), np.array(across, float)],
                                [np.array(across, float).T, np.array(before, float)]]).tolist()  # fmt: skip
        blocks.append(Sums.of_totals(["" for _ in totals], n, totals, squares))
    products = np.full((len(names), len(names)), np.nan)
    place = 0
    for block in blocks:
        width = len(block.names)
        products[place : place + width, place : place + width] = block.products
        place += width
    return Sums(tuple(names), n, np.concatenate([block.means for block in blocks]), products)


def sums_to_table(groups: Mapping[str, Sums], measures: Sequence[Measure]) -> pl.DataFrame:
    """The inverse of :func:`sums_from_table`: a row per variant and measure."""
    rows = []
    for variant, sums in groups.items():
        raw = sums.products + sums.n * np.outer(sums.means, sums.means)
        for measure in measures:
            x, y = sums.place(above(measure)), sums.place(below(measure))
            row: dict[str, Any] = {"variant": variant, "measure": str(measure), "n": sums.n}
            row |= {"x": sums.total(above(measure)), "y": sums.total(below(measure))}
            row |= {"xx": float(raw[x, x]), "yy": float(raw[y, y]), "xy": float(raw[x, y])}
            if sums.has(above(measure) + BEFORE):
                px, py = sums.place(above(measure) + BEFORE), sums.place(below(measure) + BEFORE)
                pairs = ((px, px), (py, py), (px, py), (x, px), (x, py), (y, px), (y, py))
                row |= {"px": sums.total(above(measure) + BEFORE), "py": sums.total(below(measure) + BEFORE)}
                row |= {name: float(raw[pair]) for name, pair in zip(_BEFORE[2:], pairs, strict=True)}
            rows.append(row)
    return pl.DataFrame(rows)
