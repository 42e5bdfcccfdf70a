"""What happens to rows before and after they are divided, each step with its count, in the order that is stated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from rankmeter.errors import InputError, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Ints
from rankmeter.wings.protocol.interactions import Interactions, distinct_rows
from rankmeter.wings.protocol.strategies import called, count_of, made
from rankmeter.wings.protocol.user_order import TRAIN, Labels, TieRule, in_order


@dataclass(frozen=True, slots=True)
class KCore:
    """Rows of users and items with at least so many rows, until nothing changes (or so many rounds)."""

    k: int = 5
    user: int | None = None
    item: int | None = None
    rounds: int | None = None

    def __post_init__(self) -> None:
        _check_counts(1, k=self.k, rounds=self.rounds)
        _check_counts(0, user=self.user, item=self.item)

    def keep(self, table: Interactions, ties: TieRule) -> Bools:  # noqa: ARG002 (there are no ties)
        """Which rows stay: users first in each round, then items.

        All rows are counted once. After that, the rows that go are taken off the counts, and rows are looked at only
        where somebody has too few.
        """
        sides = (table.user, table.item)
        least = tuple(self.k if one is None else one for one in (self.user, self.item))
        counts = [np.bincount(ids.codes, minlength=ids.count) for ids in sides]
        kept = np.ones(len(table), bool)
        done, changed = 0, True
        while changed and (self.rounds is None or done < self.rounds):
            done, changed = done + 1, False
            for ids, count, enough in zip(sides, counts, least, strict=True):
                few = (count > 0) & (count < enough)
                if not few.any():
                    continue
                gone = few[ids.codes]
                gone &= kept
                rows, changed = np.flatnonzero(gone), True
                kept[rows] = False
                for other, left in zip(sides, counts, strict=True):
                    left -= np.bincount(other.codes[rows], minlength=other.count)
        return kept


def _check_counts(fewest: int, **counts: int | None) -> None:
    """Refuse what is not a number of rows or rounds."""
    for name, count in counts.items():
        if count is not None:
            count_of(count, name, fewest)


def _counted(codes: Ints, count: int, least: int, most: int | None) -> Bools:
    counts = np.bincount(codes, minlength=count)
    enough = counts >= least if most is None else (counts >= least) & (counts <= most)
    return np.asarray(enough[codes])


@dataclass(frozen=True, slots=True)
class MinUser:
    """Rows of users with at least so many rows, once."""

    least: int = 5
    most: int | None = None

    def __post_init__(self) -> None:
        _check_counts(0, least=self.least, most=self.most)

    def keep(self, table: Interactions, ties: TieRule) -> Bools:  # noqa: ARG002 (there are no ties)
        """Which rows stay."""
        return _counted(table.user.codes, table.user.count, self.least, self.most)


@dataclass(frozen=True, slots=True)
class MinItem:
    """Rows of items with at least so many rows, once."""

    least: int = 5
    most: int | None = None

    def __post_init__(self) -> None:
        _check_counts(0, least=self.least, most=self.most)

    def keep(self, table: Interactions, ties: TieRule) -> Bools:  # noqa: ARG002 (there are no ties)
        """Which rows stay."""
        return _counted(table.item.codes, table.item.count, self.least, self.most)


@dataclass(frozen=True, slots=True)
class MinRating:
    """Rows with at least this rating."""

    least: float = 4

    def __post_init__(self) -> None:
        if isinstance(self.least, bool) or not isinstance(self.least, (int, float)):
            raise InputError.of("protocol.not_a_rating", value=self.least)

    def keep(self, table: Interactions, ties: TieRule) -> Bools:  # noqa: ARG002 (there are no ties)
        """Which rows stay."""
        if table.rating is None:
            raise InputError.of("protocol.rating_needed")
        return np.asarray(table.rating >= self.least)


def _check_end(step: str, which: str) -> None:
    if which not in ("first", "last"):
        raise InputError.of("protocol.which_end", step=step, which=which)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """One row of each user and item: the first in time, or the last."""

    which: Literal["first", "last"] = "last"

    def __post_init__(self) -> None:
        _check_end("duplicates", self.which)

    def keep(self, table: Interactions, ties: TieRule) -> Bools:
        """Which rows stay."""
        pair = distinct_rows(table.user.codes, table.item.codes, table.item.count)
        _, code = np.unique(pair, return_inverse=True)
        time = table.time if table.time is not None else np.zeros(len(table), np.int64)
        order = in_order(code, int(code.max(initial=-1)) + 1, time, table, ties)
        ends = np.cumsum(order.counts)
        kept = np.zeros(len(table), bool)
        kept[order.rows[ends - (order.counts if self.which == "first" else 1)]] = True
        return kept


@dataclass(frozen=True, slots=True)
class UserRows:
    """The first n rows of every user in time, or the last n."""

    n: int = 1
    which: Literal["first", "last"] = "first"

    def __post_init__(self) -> None:
        _check_counts(1, n=self.n)
        _check_end("rows", self.which)

    def keep(self, table: Interactions, ties: TieRule) -> Bools:
        """Which rows stay."""
        order = in_order(table.user.codes, table.user.count, table.times, table, ties)
        place = np.arange(len(table)) - np.repeat(order.starts, order.counts)
        from_end = np.repeat(order.counts, order.counts) - place
        kept = np.zeros(len(table), bool)
        kept[order.rows[place < self.n if self.which == "first" else from_end <= self.n]] = True
        return kept


Before = KCore | MinUser | MinItem | MinRating | Duplicates | UserRows
BEFORE: Mapping[str, type[Before]] = {
    "k_core": KCore, "min_user": MinUser, "min_item": MinItem, "rating": MinRating, "duplicates": Duplicates,
    "rows": UserRows,
}  # fmt: skip


def cold_users(table: Interactions, train: Ints, rows: Ints) -> Bools:
    """Which rows are of users who have rows in train."""
    known = np.zeros(table.user.count, bool)
    known[table.user.codes[train]] = True
    return np.asarray(known[table.user.codes[rows]])


def cold_items(table: Interactions, train: Ints, rows: Ints) -> Bools:
    """Which rows are of items that have rows in train."""
    known = np.zeros(table.item.count, bool)
    known[table.item.codes[train]] = True
    return np.asarray(known[table.item.codes[rows]])


def not_seen(table: Interactions, train: Ints, rows: Ints) -> Bools:
    """Which rows are of pairs that are not in train."""
    users = np.zeros(table.user.count, bool)
    users[table.user.codes[rows]] = True
    of_them = train[users[table.user.codes[train]]]
    pair = [distinct_rows(table.user.codes[part], table.item.codes[part], table.item.count) for part in (of_them, rows)]
    asked, seen = pl.Series(pair[1]), pl.Series(pair[0])
    return np.asarray(~asked.is_in(seen.implode()).to_numpy())


AFTER: Mapping[str, Callable[[Interactions, Ints, Ints], Bools]] = {
    "cold_users": cold_users,
    "cold_items": cold_items,
    "seen": not_seen,
}


def parse_before(steps: object) -> tuple[tuple[str, Before], ...]:
    """Steps from their texts: ``["rating(4)", "k_core(5)"]``."""
    parsed = []
    for text in texts_of(steps):
        word, given, named = called(text)
        if word not in BEFORE:
            raise _unknown(word, [*BEFORE], "before")
        parsed.append((text, made(BEFORE[word], text, given, named)))
    return tuple(parsed)


def parse_after(steps: object) -> tuple[str, ...]:
    """Steps from their words: ``["cold_users", "seen"]``."""
    words = texts_of(steps)
    for word in words:
        if word not in AFTER:
            raise _unknown(word, [*AFTER], "after")
    return tuple(words)


def _unknown(word: str, known: Sequence[str], place: str) -> InputError:
    other = "after" if place == "before" else "before"
    is_elsewhere = word in (AFTER if place == "before" else BEFORE)
    hint = f"{other}={word!r}" if is_elsewhere else did_you_mean(word, known) or None
    return InputError.of("protocol.unknown_step", word=word, known=list(known), hint=hint)


def texts_of(steps: object) -> list[str]:
    """Texts of a list, or of one text with commas outside of brackets.

    >>> texts_of("rating(4), k_core(5, rounds=2)")
    ['rating(4)', 'k_core(5, rounds=2)']
    """
    if isinstance(steps, str):
        depth, parts = 0, [""]
        for letter in steps:
            depth += (letter == "(") - (letter == ")")
            if letter == "," and not depth:
                parts.append("")
            else:
                parts[-1] += letter
        return [part.strip() for part in parts if part.strip()]
    if isinstance(steps, Sequence) and all(isinstance(step, str) for step in steps):
        return [step.strip() for step in steps]
    raise InputError.of("protocol.not_steps", type=type(steps).__name__)


def without(labels: Labels, table: Interactions, word: str) -> tuple[Labels, int]:
    """The labels with a step done to what is not train; how many rows went."""
    train, others = np.flatnonzero(labels == TRAIN), np.flatnonzero(labels > TRAIN)
    gone = others[~AFTER[word](table, train, others)]
    if not len(gone):
        return labels, 0
    changed = labels.copy()
    changed[gone] = 0
    return changed, len(gone)
