"""The times of a log: what they are written in, where the log begins and ends, and which clocks were wrong.

Whatever a log calls time becomes microseconds since 1970 in UTC. A clock that is a year ahead must not move the end of
the log, by which it is decided which clicks have had their time to convert: a few events far from all others are
counted as they are, but the log ends before them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankmeter.errors import InputError
from rankmeter.late import pl
from rankmeter.online.event_columns import at_path
from rankmeter.placing.placements import Ints
from rankmeter.wording import Said, said

MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}
UNITS = ("s", "ms", "us", "ns")
"""Of numbers since 1970, each a thousandth of the one before."""
NO_ZONE = "no zone"
"""The column that says whether a time, as text, came without a time zone."""

HOUR = 3_600_000_000
"""In microseconds."""
_FROM, _UNTIL = 946_684_800_000_000, 4_102_444_800_000_000  # the years 2000 to 2099, in microseconds
_FAR = _FROM * 1000
"""What a number of the next smaller unit becomes: a time in the year 31,969 or later."""

STRAY = 1_000
"""One event in this many may be dated apart from the rest; in a smaller log one of all."""
APART_HOURS = 24
"""How far apart, at least; and farther than the longest pause in the rest of the log."""
ENOUGH = 10
"""In a log of fewer events no clock is suspected."""


# Databases write an offset of whole hours without its minutes, and people leave the seconds out.
_ZONED = ("%+", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z", "%Y-%m-%d %H:%M%#z")
_UNZONED = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d")


@dataclass(frozen=True, slots=True)
class Times:
    """How the time of each event is read."""

    columns: tuple[pl.Expr, ...]
    """``time``, and for text :data:`NO_ZONE`."""
    notes: tuple[Said, ...] = ()
    """What was decided."""
    unit: str = ""
    """What numbers count: s, ms, us or ns."""


def times_of(frame: pl.LazyFrame, schema: pl.Schema, path: str, source: str) -> Times:
    """Microseconds since 1970 in UTC from whatever the log calls time."""
    column = at_path(schema, path)
    sample = frame.select(column.alias("t")).drop_nulls().head(1000).collect().get_column("t")
    dtype = sample.dtype
    if isinstance(dtype, pl.Datetime):
        notes = () if dtype.time_zone else (said("times_have_no_zone"),)
        return Times((column.dt.epoch("us").alias("time"),), notes)
    if dtype == pl.Date:
        midnight = column.cast(pl.Datetime("us")).dt.epoch("us")
        return Times((midnight.alias("time"),), (said("times_are_days"),))
    if dtype == pl.String:
        numeric = sample.cast(pl.Float64, strict=False)
        if len(numeric) and numeric.null_count() * 2 < len(numeric):
            # 64-bit floats hold microseconds of our days exactly, but not nanoseconds.
            return _numbers(column.cast(pl.Int64, strict=False), column.cast(pl.Float64, strict=False), numeric)
        return _text(column)
    if dtype == pl.Float32:
        raise InputError.of("online.time_float32", source=source, path=path)
    if dtype.is_numeric():
        # Narrow integers, as a database's 32 bits, have no room for microseconds; decimals may have fractions.
        whole = column.cast(pl.Int64, strict=False) if dtype.is_integer() else pl.lit(None, pl.Int64)
        return _numbers(whole, column.cast(pl.Float64), sample.cast(pl.Float64))
    if dtype == pl.Null:
        return Times((pl.lit(None, pl.Int64).alias("time"),))
    raise InputError.of("online.time_type", source=source, path=path, dtype=dtype)


def _text(column: pl.Expr) -> Times:
    aware = pl.coalesce(
        column.str.to_datetime(form, time_unit="us", time_zone="UTC", strict=False).dt.epoch("us") for form in _ZONED
    )
    plain = pl.coalesce(column.str.to_datetime(form, time_unit="us", strict=False).dt.epoch("us") for form in _UNZONED)
    no_zone = aware.is_null() & plain.is_not_null()
    return Times((pl.coalesce(aware, plain).alias("time"), no_zone.alias(NO_ZONE)))


def _numbers(whole: pl.Expr, number: pl.Expr, sample: pl.Series) -> Times:
    """Numbers since 1970, exact where they are whole: which unit they count is told by their size."""
    largest = float(sample.filter(sample.is_finite()).abs().max() or 0.0)  # type: ignore[arg-type]
    unit = "s" if largest < 1e11 else "ms" if largest < 1e14 else "us" if largest < 1e17 else "ns"
    # What would not fit, as milliseconds among seconds may not, stays too far away to be overlooked.
    bound = 9_000_000_000_000_000_000 // MICROSECONDS.get(unit, 1)
    whole, number = whole.clip(-bound, bound), pl.when(number.is_finite()).then(number.clip(-bound, bound))
    if unit == "ns":
        exact, rounded = whole // 1000, (number / 1000).round()
    else:
        exact, rounded = whole * MICROSECONDS[unit], (number * MICROSECONDS[unit]).round()
    time = pl.coalesce(exact, rounded.cast(pl.Int64, strict=False))
    return Times((time.alias("time"),), (said("times_are_numbers", unit=unit),), unit)


def of_another_unit(time: Ints, unit: str) -> int:
    """How many times only make sense in another unit than the log's: they would fall into our century in that one.

    Examples
    --------
    >>> seconds = np.array([1_700_000_000, 1_700_000_060, 1_700_000_120_000])
    >>> of_another_unit(seconds * 1_000_000, "s")
    1
    """
    if not unit:
        return 0
    wrong = time >= _FAR
    for coarser in range(1, UNITS.index(unit) + 1):
        wrong |= (time >= _FROM // 1000**coarser) & (time < _UNTIL // 1000**coarser)
    return int(np.count_nonzero(wrong))


def span_of(events: Mapping[int, int]) -> tuple[int, int]:
    """Where a log begins and ends, by its events an hour: microseconds, end excluded, stray clocks left out."""
    hours = np.array(sorted(events), np.int64)
    counts = np.array([events[hour] for hour in hours.tolist()], np.int64)
    begin, end = 0, len(hours) - 1
    total = int(counts.sum())
    if total >= ENOUGH:
        stray = max(1, total // STRAY)
        until = np.cumsum(counts)
        # All but a few events of either end lie between these.
        first = int(np.searchsorted(until - counts, stray, side="right")) - 1
        last = int(np.argmax(total - until <= stray))
        pauses = np.diff(hours)
        far = pauses > max(APART_HOURS, int(pauses[first:last].max(initial=0)))
        begin = int(np.flatnonzero(far[:first])[-1]) + 1 if far[:first].any() else 0
        end = last + int(np.argmax(far[last:])) if far[last:].any() else end
    return int(hours[begin]) * HOUR, (int(hours[end]) + 1) * HOUR
