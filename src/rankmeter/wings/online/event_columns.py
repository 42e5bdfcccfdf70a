"""Which column of a log is the time, the user, the item, the type; and the layouts that are known by heart.

A column is found by its usual names, or named by the caller (``columns={"user": "visitor"}``). A name with dots reaches
into nested records: ``event_attributes.object.object_id``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from rankmeter.errors import InputError
from rankmeter.inputs.attributes import check_roles
from rankmeter.inputs.columns import (
    USUAL_NAMES,
    fold,
    is_unknown,
    missing_columns,
    name_pairs,
    no_named_column,
    usual_column,
)
from rankmeter.late import pl
from rankmeter.placing.placements import Ints
from rankmeter.wording import Option, Said, chinese, said

NEEDED = ("time", "user", "type")

_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "time": (
            *("time", "timestamp", "ts", "event_time", "event_timestamp", "datetime", "date_time", "created_at"),
            *("occurred_at", "server_time", "event_datetime"),
        ),
        "user": (
            *("user", "user_id", "uid", "user_pseudo_id", "client_id", "visitor_id", "visitor", "customer_id"),
            *("device_id", "anonymous_id", "distinct_id", "member_id", "cookie_id"),
        ),
        "type": ("type", "event_type", "event_name", "event", "action", "action_name", "action_type", "kind"),
        "session": ("session", "session_id", "sid", "ga_session_id", "visit_id"),
        "request": ("request", "request_id", "query_id", "search_id", "qid", "slate_id", "list_id", "search_query_id"),
        "query": ("query", "query_text", "search_term", "search_query", "keyword", "user_query", "context"),
        "item": (*USUAL_NAMES["item"], "object_id", "content_id", "sku", "ad_id"),
        "position": ("position", "pos", "rank", "slot", "item_list_index", "ordinal", "item_position"),
        "value": ("value", "revenue", "amount", "purchase_revenue", "event_value", "gmv", "order_value"),
        "variant": (
            *("variant", "variation", "arm", "variant_id", "experiment_group", "test_group", "ab_group", "bucket"),
        ),
        "segment": ("segment",),
        "id": ("id", "event_id", "insert_id", "event_uuid", "message_id"),
    }
)
EVENT_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {role: (*names, *(name for name in chinese.EVENT_COLUMNS[role] if name not in names))
     for role, names in _NAMES.items()}
)  # fmt: skip
"""The usual names of each role, the most usual first."""

ROLES = tuple(EVENT_NAMES)

CLICK_FLAGS = frozenset({"clicked", "click", "isclick", "isclicked"}) | chinese.CLICK_FLAGS
"""What a column of 0 and 1 is called in a log that has a row per impression."""

_FLAGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"click": ("click", "点击"), "conversion": ("conver", "purchas", "bought", *sorted(chinese.CONVERSION_FLAGS))}
)
"""What stands in the names of columns that say of each row whether such an event followed, in place of a row of its
own."""
_NO_FLAGS = ("id", "time", "timestamp", "date", "at", "url", "name", "type", "时间", "编号")
"""What the name of a column ends with that is about something else."""

UBI = {
    "time": ("timestamp",),
    "user": ("client_id", "user_id"),
    "type": ("action_name",),
    "request": ("query_id",),
    "session": ("session_id", "event_attributes.session_id"),
    "item": ("event_attributes.object.object_id", "object_id"),
    "position": ("event_attributes.position.ordinal", "ordinal"),
    "id": ("event_id",),
    "variant": ("variant", "event_attributes.variant"),
}
"""OpenSearch User Behavior Insights: the columns of ``ubi_events``, nested or flattened with dots."""

GA4 = {
    "time": ("event_timestamp",),
    "user": ("user_pseudo_id", "user_id"),
    "type": ("event_name",),
    "session": ("ga_session_id",),
    "item": ("item_id",),
    "position": ("item_list_index", "index"),
    "value": ("value", "purchase_revenue"),
    "variant": ("variant",),
}
"""Google Analytics 4, as exported to BigQuery (nested ``items`` and ``event_params``) or flattened."""


def layout_of(schema: pl.Schema) -> str:
    """Which known layout a table has: ``ubi``, ``ga4`` or ``plain``."""
    names = set(schema.names())
    if "action_name" in names and ({"client_id", "query_id"} & names):
        return "ubi"
    if {"event_name", "event_timestamp"} <= names and ({"user_pseudo_id", "items"} & names):
        return "ga4"
    return "plain"


def find_event_columns(schema: pl.Schema, given: Mapping[str, str], source: str) -> tuple[dict[str, str], str]:
    """Find the column (or dotted path) of each role, and say which layout the table has."""
    layout = layout_of(schema)
    check_roles(given, ROLES)
    columns = dict(given)
    for role, column in given.items():
        if not has_path(schema, column):
            raise no_named_column(role, column, schema.names(), source)
    of_layout = {"ubi": UBI, "ga4": GA4}.get(layout, {})
    for role in [role for role in ROLES if role not in columns]:
        taken = set(columns.values())
        paths = (path for path in of_layout.get(role, ()) if has_path(schema, path) and path not in taken)
        free = [name for name in schema.names() if name not in taken]
        path = next(paths, None) or usual_column(role, EVENT_NAMES[role], free, source)
        if path is not None:
            columns[role] = path
    missing = {role: EVENT_NAMES[role] for role in NEEDED if role not in columns}
    if missing and not schema:
        raise InputError.of("online.log_without_columns", source=source)
    if missing:
        raise _no_log(missing, schema.names(), columns, source)
    return {role: columns[role] for role in ROLES if role in columns}, layout


_OF_GA4 = frozenset(
    "eventdate eventprevioustimestamp eventvalueinusd eventbundlesequenceid eventservertimestampoffset privacyinfo "
    "userfirsttouchtimestamp userltv device geo appinfo trafficsource streamid platform eventdimensions ecommerce "
    "collectedtrafficsource sessiontrafficsourcelastclick isactiveuser batcheventindex batchpageid batchorderingid "
    "publisher userproperties userid userpseudoid".split()
)
"""What every export of Google Analytics has."""


def flags_set(frame: pl.LazyFrame, schema: pl.Schema, roles: Mapping[str, str]) -> dict[str, str]:
    """The columns beside those that were found which say of some row that a click or a conversion followed, by kind."""
    flags = {
        kind: name
        for kind, names in _FLAGS.items()
        for name in schema.names()
        if name not in roles.values()
        and any(part in fold(name) for part in names)
        and not fold(name).endswith(_NO_FLAGS)
        and (schema[name].is_numeric() or schema[name] in (pl.Boolean, pl.String))
    }
    said_so = [_is_set(pl.col(name), schema[name]).any().alias(kind) for kind, name in flags.items()]
    if not said_so:
        return {}
    return {kind: flags[kind] for kind, is_set in frame.select(said_so).collect().row(0, named=True).items() if is_set}


def _is_set(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if dtype == pl.Boolean:
        return column
    if dtype.is_numeric():
        return column > 0
    text = column.cast(pl.String, strict=False).str.strip_chars().str.to_lowercase()
    return text.is_in(["true", "yes", "y", "是"]) | (text.cast(pl.Float64, strict=False) > 0)


def _no_log(
    missing: Mapping[str, tuple[str, ...]], names: list[str], columns: Mapping[str, str], source: str
) -> InputError:
    """The error for a table without the columns that every log has."""
    unknown = [name for name in names if name not in columns.values() and is_unknown(name)]
    if {"time", "type"} <= missing.keys() and name_pairs(names) and len(unknown) < len(missing):
        return InputError.of("online.not_a_log", source=source)
    flag = next((name for name in unknown if fold(name) in CLICK_FLAGS), None)
    hint = said("online.row_per_event", column=flag) if [*missing] == ["type"] and flag is not None else ""
    return missing_columns(missing, names, columns.values(), source, hint=hint)


def unused_columns(schema: pl.Schema, roles: Mapping[str, str], known: Sequence[str], layout: str) -> tuple[str, ...]:
    """The columns, and fields of nested records, of which nothing is read: flags first, then numbers and texts.

    Those that stand in every export of Google Analytics and say nothing of whether an event counts are left out.
    """
    unread = dict(_unread(dict(schema), "", {*roles.values(), *known}))
    names = [name for name in unread if layout != "ga4" or fold(name) not in _OF_GA4]
    return tuple(sorted(names, key=lambda name: _weight(unread[name])))


def _unread(fields: Mapping[str, pl.DataType], above: str, used: Collection[str]) -> Iterator[tuple[str, pl.DataType]]:
    for name, dtype in fields.items():
        path = f"{above}{name}"
        if path in used:
            continue
        if isinstance(dtype, pl.Struct) and any(one.startswith(f"{path}.") for one in used):
            yield from _unread({field.name: cast(pl.DataType, field.dtype) for field in dtype.fields}, f"{path}.", used)
        elif dtype != pl.Null:
            yield path, dtype


def _weight(dtype: pl.DataType) -> int:
    """How little a column of this type may decide."""
    return 0 if dtype == pl.Boolean else 1 if dtype.is_numeric() else 2 if dtype == pl.String else 3


def has_path(schema: pl.Schema, path: str) -> bool:
    """Whether a column, or a field inside nested records, is there."""
    if path in schema:
        return True
    name, *inner = path.split(".")
    dtype = schema.get(name)
    for part in inner:
        inside: dict[str, Any] = (
            {field.name: field.dtype for field in dtype.fields} if isinstance(dtype, pl.Struct) else {}
        )
        dtype = inside.get(part)
    return dtype is not None and bool(inner)


def at_path(schema: pl.Schema, path: str) -> pl.Expr:
    """The expression that reaches a column or a nested field."""
    if path in schema:
        return pl.col(path)
    name, *inner = path.split(".")
    reached = pl.col(name)
    for part in inner:
        reached = reached.struct.field(part)
    return reached


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
    """How many times only make sense in another unit than the log's: they would fall into our century in that one."""
    if not unit:
        return 0
    wrong = time >= _FAR
    for coarser in range(1, UNITS.index(unit) + 1):
        wrong |= (time >= _FROM // 1000**coarser) & (time < _UNTIL // 1000**coarser)
    return int(np.count_nonzero(wrong))


def span_of(events: Mapping[int, int]) -> tuple[int, int]:
    """The first and the last hour of a log, by how many events each hour has; stray clocks are left out."""
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
    return int(hours[begin]), int(hours[end])


def check_mapping(name: str, given: object, example: str) -> Mapping[Any, Any]:
    """A mapping, or nothing."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError.of("online.not_a_mapping", option=Option(name), type=type(given).__name__, hint=example)
    return given


def check_names(name: str, given: object, example: str) -> Mapping[str, Any]:
    """A mapping from roles or kinds to names."""
    checked = check_mapping(name, given, example)
    for role, stated in checked.items():
        named = [stated] if isinstance(stated, str) else stated
        named = named if isinstance(named, (list, tuple, set, frozenset)) else [None]
        if not isinstance(role, str) or not all(isinstance(word, str) for word in named):
            raise InputError.of(
                "online.not_names", option=Option(name), role=repr(role), stated=repr(stated), hint=example
            )
    return checked
