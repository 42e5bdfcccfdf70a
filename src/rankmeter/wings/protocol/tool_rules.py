"""The rules of other tools, and what they are made of.

Each rule is a function of a table whose parameters are called as the tool calls them; it returns the labels of each
fold. Ties in time fall by the order of the rows, as in all of these tools.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from rankmeter.errors import InputError
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.protocol.chance import of_rows
from rankmeter.wings.protocol.interactions import Interactions
from rankmeter.wings.protocol.steps import without
from rankmeter.wings.protocol.strategies import Draw
from rankmeter.wings.protocol.user_order import TEST, TRAIN, VALIDATION, Cut, Labels, by_cut, in_order

Rule = Callable[..., "list[Labels]"]
Backend = Literal["polars", "pandas"]
Group = Literal["user", "item"]
Whole = Literal["", "train", "test"]
"""Where a session goes of which rows are in both parts; empty: rows stay where they are."""
RULES: dict[str, dict[str, Rule]] = {}
"""The rules of each tool, by its word for them."""

RECTOOLS_STEPS = {"cold_users": "cold_users", "cold_items": "cold_items", "already_seen": "seen"}
"""RecTools' filters in their order, each with our word for it."""
RECTOOLS_FILTERS = {"default": "+".join(RECTOOLS_STEPS), "none": ""}


def rule(tool: str, word: str) -> Callable[[Rule], Rule]:
    """Register a function as what a tool means by a word."""

    def registered(function: Rule) -> Rule:
        RULES.setdefault(tool, {})[word] = function
        return function

    return registered


def seconds(table: Interactions) -> Floats:
    """Times as a tool gets them: seconds, or the numbers of the column."""
    times, clock = table.times, table.known_clock
    return times / 1e6 if clock.kind != "number" else times.astype(np.float64)


def by_user(
    table: Interactions, cut: Cut, *, key: Ints | None = None, chosen: Bools | None = None, group: Group = "user"
) -> Labels:
    """Labels by place in the order of time, or of another key, of each user or item; rows not chosen are in no part."""
    rows = np.arange(len(table)) if chosen is None else np.flatnonzero(chosen)
    part = table if chosen is None else table.take(rows)
    ids = part.user if group == "user" else part.item
    order = (table.times if key is None else key)[rows]
    labels = np.zeros(len(table), np.uint8)
    labels[rows] = by_cut(in_order(ids.codes, ids.count, order, part, "rows"), cut)
    return labels


def all_rows(table: Interactions, cut: Cut, *, key: Ints | None = None) -> Labels:
    """Labels by place in the order of all rows."""
    order = table.times if key is None else key
    return by_cut(in_order(np.zeros(len(table), np.int64), 1, order, table, "rows"), cut)


def chance(table: Interactions, draw: Draw, fold: int = 0) -> Ints:
    """A random key for each row."""
    return of_rows(table, draw.seed + 1_000_003 * fold)


def user_rows(table: Interactions, group: Group = "user") -> Ints:
    """For every row, how many rows its user has."""
    ids = table.user if group == "user" else table.item
    counts: Ints = np.bincount(ids.codes, minlength=ids.count)[ids.codes]
    return counts


def parts(train: Bools, test: Bools, validation: Bools | None = None) -> Labels:
    """Labels from what is in each part."""
    labels = np.zeros(len(train), np.uint8)
    labels[train] = TRAIN
    labels[test] = TEST
    if validation is not None:
        labels[validation] = VALIDATION
    return labels


def cleaned(table: Interactions, labels: Labels, *steps: str) -> Labels:
    """Labels with steps done to what is not train."""
    for step in steps:
        labels, _ = without(labels, table, step)
    return labels


def rectools_cleaned(table: Interactions, labels: Labels, filters: str) -> Labels:
    """RecTools' filters: cold users, cold items, already seen, in this order; all of them by default."""
    asked = RECTOOLS_FILTERS.get(filters, filters).split("+")
    if unknown := set(asked) - {"", *RECTOOLS_STEPS}:
        raise InputError.of(
            "protocol.tool_value", text="rectools", name="filters", value=min(unknown),
            expected="default | none | " + "+".join(RECTOOLS_STEPS),
        )  # fmt: skip
    return cleaned(table, labels, *(step for name, step in RECTOOLS_STEPS.items() if name in asked))


def drop_flags(table: Interactions, labels: Labels, users: bool, items: bool) -> Labels:  # noqa: FBT001 (two flags of the tool)
    """Labels without the rows of cold users or items, where the tool is asked so."""
    return cleaned(table, labels, *(["cold_users"] if users else []), *(["cold_items"] if items else []))


def refuse_few(table: Interactions, least: int, tool: str, group: Group = "user") -> None:
    """Fail as the tool does where one user has too few rows."""
    few = user_rows(table, group) < least
    if few.any():
        ids = table.user if group == "user" else table.item
        (shown,) = ids.id_of(ids.codes[few][:1])
        raise InputError.of(
            "protocol.tool_fails", tool=tool, id=shown, rows=int(user_rows(table, group)[few][0]), least=least,
            hint=f"before='min_{group}({least})'",
        )  # fmt: skip
