"""Which column of a log is the time, the user, the item, the type; and the layouts that are known by heart.

A column is found by its usual names, or named by the caller (``columns={"user": "visitor"}``). A name with dots reaches
into nested records: ``event_attributes.object.object_id``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from rankmeter.errors import InputError, examples
from rankmeter.inputs.attributes import check_roles
from rankmeter.inputs.columns import USUAL_NAMES, fold, no_named_column, say_missing, usual_column
from rankmeter.late import pl
from rankmeter.wording import said

NEEDED = ("time", "user", "type")

EVENT_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
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
"""The usual names of each role, the most usual first."""

ROLES = tuple(EVENT_NAMES)

CLICK_FLAGS = frozenset({"clicked", "click", "isclick", "isclicked"})
"""What a column of 0 and 1 is called in a log that has a row per impression."""

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
    missing = [role for role in NEEDED if role not in columns]
    if missing and not schema:
        raise InputError.of("online.log_without_columns", source=source)
    if missing:
        free = [name for name in schema.names() if name not in columns.values()]
        both = said("online.and_no", first=missing[0], second=missing[1:]) if missing[1:] else missing[0]
        hint = say_missing(missing[0], EVENT_NAMES[missing[0]], free)
        flag = next((name for name in free if fold(name) in CLICK_FLAGS), None)
        if missing == ["type"] and flag is not None:
            hint = said("online.row_per_event", column=flag)
        raise InputError.of(
            "online.columns_missing", source=source, missing=both, names=examples(schema.names(), shown=12), hint=hint
        )
    return {role: columns[role] for role in ROLES if role in columns}, layout


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
