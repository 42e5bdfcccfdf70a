"""When something happened, as whole numbers: moments in microseconds (UTC), or the numbers of the column as they are.

Only order, differences and given points matter for a split, so a number needs no unit until somebody names a duration.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Literal

import numpy as np

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.placing.placements import Ints

Kind = Literal["moment", "number", "fraction"]
_ZONED = ("%+", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z", "%Y-%m-%d %H:%M%#z")
_UNZONED = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d")
_MICRO = 1_000_000
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_UNITS = ((1e11, 1), (1e14, 1_000), (1e17, _MICRO), (float("inf"), 1_000_000_000))
"""Numbers since 1970 up to each size count so many parts of a second."""
_SMALLEST_EPOCH = 100_000_000
"""Smaller numbers are no seconds since 1970 of a recommender's data, but days, steps or years."""


@dataclass(frozen=True, slots=True)
class Clock:
    """What the numbers of a column of times mean."""

    kind: Kind
    per_second: int = 0
    """How many of them are a second; 0 where nobody can tell."""

    def point(self, stated: object) -> int:
        """A stated point in time as a number of this clock: ``"2024-06-01"``, or a number of the column."""
        if isinstance(stated, (int, float)) and not isinstance(stated, bool) and self.kind != "moment":
            return int(np.ceil(stated * _MICRO)) if self.kind == "fraction" else int(np.ceil(stated))
        if isinstance(stated, (int, float)) and stated >= _SMALLEST_EPOCH:  # seconds since 1970
            return int(np.ceil(stated * _MICRO))
        text = stated.isoformat() if isinstance(stated, date) else str(stated).strip()
        if re.fullmatch(r"-?\d+(\.\d+)?", text):
            number = float(text) if "." in text else int(text)
            if self.kind != "moment" or number >= _SMALLEST_EPOCH:
                return self.point(number)
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise InputError.of("protocol.not_a_time", text=text) from None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if not self.per_second:
            raise InputError.of("protocol.date_of_numbers", text=text)
        since = moment - datetime(1970, 1, 1, tzinfo=UTC)
        micro = (since.days * 86400 + since.seconds) * _MICRO + since.microseconds
        return -(-micro * self.per_second // _MICRO)

    def length(self, stated: object) -> int:
        """A stated duration as a number of this clock: ``"30d"``, ``"12h"``, or a number of the column."""
        text = str(stated).strip()
        if re.fullmatch(r"\d+", text) and self.kind == "number":
            return int(text)
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|min|m|h|d|w)", text.lower())
        if match is None:
            raise InputError.of("protocol.not_a_duration", text=text)
        if not self.per_second:
            raise InputError.of("protocol.duration_of_numbers", text=text)
        return round(float(match[1]) * _SECONDS[match[2]] * self.per_second)

    def shown(self, value: int) -> str:
        """A number of this clock for people."""
        if self.kind == "number" and self.per_second != 1:
            return str(value)
        if self.kind == "fraction":
            return str(value / _MICRO)
        try:
            moment = datetime.fromtimestamp(value // self.per_second, UTC)
        except (OverflowError, OSError, ValueError):
            return str(value)
        rest = value % self.per_second
        text = moment.strftime("%Y-%m-%d" if moment.hour == moment.minute == moment.second == rest == 0 else
                               "%Y-%m-%d %H:%M:%S")  # fmt: skip
        return f"{text}.{rest:06d}".rstrip("0") if rest else text


def read_times(column: pl.Series, source: str, name: str) -> tuple[Ints, Clock]:
    """The times of a column; refuses what is missing, is no time, or mixes zones."""
    if isinstance(column.dtype, (pl.Categorical, pl.Enum)):
        column = column.cast(pl.String)
    if column.dtype == pl.String:
        column = _of_text(column, source, name)
    _refuse_missing(column, source, name)
    dtype = column.dtype
    if dtype == pl.Date:
        column, dtype = column.cast(pl.Datetime("us")), pl.Datetime("us")
    if isinstance(dtype, pl.Datetime):
        return column.dt.epoch("us").to_numpy(), Clock("moment", _MICRO)
    if isinstance(dtype, pl.Decimal):
        column, dtype = column.cast(pl.Float64), pl.Float64()
    if dtype.is_float():
        return _of_floats(column.cast(pl.Float64), source, name)
    if not dtype.is_integer():
        raise InputError.of("protocol.time_type", source=source, column=name, dtype=str(dtype))
    whole = column.cast(pl.Int64, strict=False)
    if whole.null_count():
        raise InputError.of("protocol.time_too_large", source=source, column=name)
    values = whole.to_numpy()
    return values, Clock("number", _parts_of_a_second(values))


def _parts_of_a_second(values: Ints) -> int:
    """How many of these numbers make a second, told by their size; 0 for numbers that are no time since 1970."""
    largest = int(np.abs(values[:: max(1, len(values) // 10_000)]).max(initial=0))
    return 0 if largest < _SMALLEST_EPOCH else next(parts for most, parts in _UNITS if largest < most)


def _of_floats(column: pl.Series, source: str, name: str) -> tuple[Ints, Clock]:
    values = column.to_numpy()
    wrong = ~np.isfinite(values)
    if wrong.any():
        raise InputError.of(
            "protocol.no_time", source=source, column=name, count=int(wrong.sum()), row=int(wrong.argmax()) + 1
        )
    if np.abs(values).max(initial=0) >= 2**53:
        raise InputError.of("protocol.time_rounded", source=source, column=name)
    whole = values.astype(np.int64)
    if np.array_equal(whole, values):
        return whole, Clock("number", _parts_of_a_second(whole))
    if np.abs(values).max() * _MICRO >= 2**53:
        raise InputError.of("protocol.time_rounded", source=source, column=name)
    return np.rint(values * _MICRO).astype(np.int64), Clock("fraction", _MICRO)


def _refuse_missing(column: pl.Series, source: str, name: str) -> None:
    if missing := column.null_count():
        row = int(column.is_null().arg_max() or 0) + 1
        raise InputError.of("protocol.no_time", source=source, column=name, count=missing, row=row)


def _of_text(column: pl.Series, source: str, name: str) -> pl.Series:
    """Numbers or moments that are written as text."""
    column = column.str.strip_chars().replace("", None)
    _refuse_missing(column, source, name)
    for kind in (pl.Int64, pl.Float64):
        if not (numbers := column.cast(kind, strict=False)).null_count():
            return numbers
    frame = column.alias("t").to_frame()
    zoned = pl.coalesce(
        pl.col("t").str.to_datetime(form, time_unit="us", time_zone="UTC", strict=False) for form in _ZONED
    )
    plain = pl.coalesce(pl.col("t").str.to_datetime(form, time_unit="us", strict=False) for form in _UNZONED)
    both = frame.select(zoned=zoned, plain=plain)
    aware = both["zoned"].is_not_null() & both["plain"].is_null()
    unread = column.filter(both["zoned"].is_null() & both["plain"].is_null())
    if len(unread):
        unread = min(unread, column.filter(numbers.is_null()), key=len)  # of what most rows are, those that are not
        raise InputError.of(
            "protocol.not_times",
            source=source,
            column=name,
            count=len(unread),
            shown=examples(map(repr, unread.head(6)), shown=3),
        )
    if aware.any() and not aware.all():
        raise InputError.of("protocol.mixed_zones", source=source, column=name)
    return both["zoned"] if aware.any() else both["plain"]
