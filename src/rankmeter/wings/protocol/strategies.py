"""How rows are divided: each strategy is a value, spelled ``last_n(2)``, that gives every row a label per fold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from rankmeter.errors import InputError, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Ints
from rankmeter.wings.protocol.chance import lowest, of_ids, of_rows
from rankmeter.wings.protocol.interactions import Interactions
from rankmeter.wings.protocol.user_order import (
    NONE,
    TEST,
    TRAIN,
    Cut,
    Labels,
    TieRule,
    by_cut,
    decided_by_ties,
    in_order,
    last_of_each,
)
from rankmeter.wording import Said, kinds, said

ROUNDS = 4
"""Up to so many last rows are found round by round; for more, all rows are sorted."""
ROWS_IN_CACHE = 1 << 17
"""Rows that are labelled at once, a byte each."""
Few = Literal["keep", "train", "test", "drop"]
"""A user with no more than n rows keeps one in train, or all in train, or all in test, or is in no part."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What a split is made under, whatever the strategy."""

    seed: int = 0
    ties: TieRule = "item"


@dataclass(frozen=True, slots=True)
class Divided:
    """The labels of a table."""

    folds: tuple[Labels, ...]
    tied: int = 0
    """Rows whose label the rule for ties decides."""
    facts: Mapping[str, Any] = {}
    """What was found in the data: the time point."""


class Strategy:
    """A way to divide rows."""

    __slots__ = ()
    word: ClassVar[str]
    has_folds: ClassVar[bool] = False
    needs_time: ClassVar[bool] = False

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        """Label every row."""
        raise NotImplementedError

    def told(self, facts: Mapping[str, Any]) -> Said:
        """The strategy as a sentence."""
        return said(SAID[self.word], **{**self.values(), **facts})

    def values(self) -> dict[str, Any]:
        """Its parameters by name."""
        return {part.name: getattr(self, part.name) for part in fields(self)}  # type: ignore[arg-type]

    def __str__(self) -> str:
        parts = fields(self)  # type: ignore[arg-type]
        stated = [str(getattr(self, part.name)) for part in parts[:1]]
        stated += [
            f"{part.name}={getattr(self, part.name)}" for part in parts[1:] if getattr(self, part.name) != part.default
        ]
        return f"{self.word}({','.join(stated)})" if stated else self.word


def share_of(value: object, what: str = "share") -> Fraction:
    """A share between 0 and 1, exactly as it is written: 0.2 is a fifth."""
    try:
        share = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share < 1:
        raise InputError.of("protocol.not_a_share", what=what, value=value)
    return share


def count_of(value: object, what: str, least: int = 1) -> int:
    """A whole number of at least so much."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError.of("protocol.not_a_count", what=what, value=value, least=least)
    return value


def ceiling(share: Fraction, count: int) -> int:
    """The smallest whole number that is at least this share of a count."""
    return -(-share.numerator * count // share.denominator)


def _cut_n(n: int, few: Few) -> Cut:
    def cut(rows: int) -> tuple[int, int] | None:
        if rows > n:
            return rows - n, 0
        return {"keep": (1, 0), "train": (rows, 0), "test": (0, 0), "drop": None}[few]

    return cut


def _cut_share(share: Fraction) -> Cut:
    return lambda rows: (rows - min(ceiling(share, rows), rows - 1), 0)


def _by_user(table: Interactions, key: Ints, cut: Cut, draw: Draw) -> tuple[tuple[Labels], int]:
    """Labels by place among the rows of each user in the order of a key, and how many the rule for ties decides."""
    ordered = in_order(table.user.codes, table.user.count, key, table, draw.ties)
    labels = by_cut(ordered, cut)
    return (labels,), decided_by_ties(ordered, labels)


def _last_rows(table: Interactions, key: Ints, n: int, cut: Cut, draw: Draw) -> tuple[tuple[Labels], int]:
    """As :func:`_by_user` where no more than n rows of a user are not train."""
    if n > ROUNDS:
        return _by_user(table, key, cut, draw)
    labels, tied = last_of_each(table, key, n, cut, draw.ties)
    return (labels,), tied


@dataclass(frozen=True, slots=True)
class LastN(Strategy):
    """The last n rows of every user are test."""

    word: ClassVar[str] = "last_n"
    needs_time: ClassVar[bool] = True
    n: int = 1
    few: Few = "keep"

    def __post_init__(self) -> None:
        count_of(self.n, "n")
        _check_few(self.few)

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        return Divided(*_last_rows(table, table.times, self.n, _cut_n(self.n, self.few), draw))

    def told(self, facts: Mapping[str, Any]) -> Said:
        return said("split_last_one") if self.n == 1 else Strategy.told(self, facts)


@dataclass(frozen=True, slots=True)
class RandomN(Strategy):
    """n rows of every user, drawn at random, are test."""

    word: ClassVar[str] = "random_n"
    n: int = 1
    few: Few = "keep"

    def __post_init__(self) -> None:
        count_of(self.n, "n")
        _check_few(self.few)

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        labels, _ = _last_rows(table, of_rows(table, draw.seed), self.n, _cut_n(self.n, self.few), draw)
        return Divided(labels)


def _check_few(few: str) -> None:
    if few not in (choices := ("keep", "train", "test", "drop")):
        raise InputError.of("protocol.unknown_few", few=few, choices=list(choices))


@dataclass(frozen=True, slots=True)
class LastShare(Strategy):
    """The last rows of every user, a share of them rounded up, are test; one stays in train."""

    word: ClassVar[str] = "last_share"
    needs_time: ClassVar[bool] = True
    share: object = 0.2

    def __post_init__(self) -> None:
        share_of(self.share)

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        return Divided(*_by_user(table, table.times, _cut_share(share_of(self.share)), draw))


@dataclass(frozen=True, slots=True)
class RandomShare(Strategy):
    """A share of every user's rows, rounded up, is test; one stays in train."""

    word: ClassVar[str] = "random_share"
    share: object = 0.2

    def __post_init__(self) -> None:
        share_of(self.share)

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        labels, _ = _by_user(table, of_rows(table, draw.seed), _cut_share(share_of(self.share)), draw)
        return Divided(labels)


@dataclass(frozen=True, slots=True)
class RandomRows(Strategy):
    """A share of all rows, rounded up, is test."""

    word: ClassVar[str] = "random"
    share: object = 0.2

    def __post_init__(self) -> None:
        share_of(self.share)

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        return Divided((_labelled(lowest(table, draw.seed, ceiling(share_of(self.share), len(table)))),))


@dataclass(frozen=True, slots=True)
class TimePoint(Strategy):
    """Rows before a time are train, rows from it on are test."""

    word: ClassVar[str] = "time"
    needs_time: ClassVar[bool] = True
    point: object = None

    def __post_init__(self) -> None:
        if self.point is None:
            raise InputError.of("protocol.no_point")

    def divide(self, table: Interactions, draw: Draw) -> Divided:  # noqa: ARG002 (nothing is drawn)
        return _from(table.times, table.known_clock.point(self.point), table)


def _from(times: Ints, point: int, table: Interactions) -> Divided:
    return Divided((_labelled(times >= point),), 0, {"at": table.known_clock.shown(point)})


def _labelled(is_test: Bools) -> Labels:
    """Test where this holds, train elsewhere, in the memory of the answers."""
    labels = is_test.view(np.uint8)
    for start in range(0, len(labels), ROWS_IN_CACHE):
        block = labels[start : start + ROWS_IN_CACHE]
        block *= np.uint8(TEST - TRAIN)
        block += np.uint8(TRAIN)
    return labels


@dataclass(frozen=True, slots=True)
class TimeShare(Strategy):
    """The latest time from which on there is at least this share of the rows divides them."""

    word: ClassVar[str] = "time_share"
    needs_time: ClassVar[bool] = True
    share: object = 0.2

    def __post_init__(self) -> None:
        share_of(self.share)

    def divide(self, table: Interactions, draw: Draw) -> Divided:  # noqa: ARG002 (nothing is drawn)
        times = table.times
        at = len(times) - ceiling(share_of(self.share), len(times))
        return _from(times, int(np.partition(times, at)[at]), table)


@dataclass(frozen=True, slots=True)
class BestTime(Strategy):
    """The latest time of the data for which most users have rows before it and from it on divides them."""

    word: ClassVar[str] = "time_best"
    needs_time: ClassVar[bool] = True

    def divide(self, table: Interactions, draw: Draw) -> Divided:  # noqa: ARG002 (nothing is drawn)
        times = table.times
        far = np.iinfo(np.int64)
        first, last = np.full(table.user.count, far.max), np.full(table.user.count, far.min)
        np.minimum.at(first, table.user.codes, times)
        np.maximum.at(last, table.user.codes, times)
        there = first <= last
        points = np.unique(times)
        # A user counts for every point after the first of its rows, up to the last.
        counts = np.searchsorted(np.sort(first[there]), points) - np.searchsorted(np.sort(last[there]), points)
        best = int(points[len(points) - 1 - int(np.argmax(counts[::-1]))])
        divided = _from(times, best, table)
        return replace(divided, facts={**divided.facts, "users": int(counts.max())})


@dataclass(frozen=True, slots=True)
class Windows(Strategy):
    """Windows of time, the last of which ends with the last row: test is a window, train all rows before it."""

    word: ClassVar[str] = "windows"
    has_folds: ClassVar[bool] = True
    needs_time: ClassVar[bool] = True
    length: object = None
    count: int = 1

    def __post_init__(self) -> None:
        if self.length is None:
            raise InputError.of("protocol.no_length")
        count_of(self.count, "count")

    def divide(self, table: Interactions, draw: Draw) -> Divided:  # noqa: ARG002 (nothing is drawn)
        times, clock = table.times, table.known_clock
        if (length := clock.length(self.length)) <= 0:
            raise InputError.of("protocol.not_a_duration", text=self.length)
        end = int(times.max()) + 1
        folds = []
        for window in range(self.count):
            start = end - (self.count - window) * length
            folds.append(_in_window(times, start, start + length))
        return Divided(tuple(folds), 0, {"at": clock.shown(end - self.count * length)})


def _in_window(times: Ints, start: int, end: int) -> Labels:
    labels = _labelled(times >= start)
    labels[times >= end] = NONE
    return labels


@dataclass(frozen=True, slots=True)
class RowFolds(Strategy):
    """k folds of equal size over all rows, at random."""

    word: ClassVar[str] = "folds"
    has_folds: ClassVar[bool] = True
    k: int = 5

    def __post_init__(self) -> None:
        count_of(self.k, "k", 2)

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        order = np.argsort(of_rows(table, draw.seed), kind="stable")
        return Divided(_folds_by_member(order, self.k, np.arange(len(order))))


def _folds_by_member(order: Ints, k: int, member: Ints) -> tuple[Labels, ...]:
    """K folds: ``order`` are the members as drawn, ``member`` that of each row."""
    fold = np.empty(len(order), np.int64)
    fold[order] = np.arange(len(order)) % k
    of_row = fold[member]
    return tuple(_labelled(of_row == number) for number in range(k))


@dataclass(frozen=True, slots=True)
class UserFolds(Strategy):
    """k folds over users, at random: all rows of a user are in one."""

    word: ClassVar[str] = "user_folds"
    has_folds: ClassVar[bool] = True
    k: int = 5

    def __post_init__(self) -> None:
        count_of(self.k, "k", 2)

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        drawn = _drawn(table.user.codes, of_ids(table.user, draw.seed))
        place = np.zeros(table.user.count, np.int64)
        place[drawn] = np.arange(len(drawn))
        return Divided(_folds_by_member(np.arange(len(drawn)), self.k, place[table.user.codes]))


def _drawn(codes: Ints, hashes: Any) -> Ints:
    """The codes that occur, in random order."""
    there = np.flatnonzero(np.bincount(codes, minlength=len(hashes)))
    order: Ints = there[np.argsort(hashes[there], kind="stable")]
    return order


def _held_out(codes: Ints, hashes: Any, size: object, what: str) -> Divided:
    drawn = _drawn(codes, hashes)
    is_count = isinstance(size, int) and not isinstance(size, bool) and size >= 1
    count = int(size) if is_count else ceiling(share_of(size), len(drawn))  # type: ignore[call-overload]
    if count >= len(drawn):
        raise InputError.of("protocol.all_held_out", what=said(what), count=count, there=len(drawn))
    chosen = np.zeros(len(hashes), bool)
    chosen[drawn[:count]] = True
    return Divided((_labelled(chosen[codes]),), 0, {"count": count})


@dataclass(frozen=True, slots=True)
class HeldUsers(Strategy):
    """Users drawn at random, a share or a number of them: all of their rows are test."""

    word: ClassVar[str] = "users"
    size: object = 0.1

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        return _held_out(table.user.codes, of_ids(table.user, draw.seed), self.size, "protocol_users")


@dataclass(frozen=True, slots=True)
class HeldItems(Strategy):
    """Items drawn at random, a share or a number of them: all of their rows are test."""

    word: ClassVar[str] = "items"
    size: object = 0.1

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        return _held_out(table.item.codes, of_ids(table.item, draw.seed), self.size, "protocol_items")


@dataclass(frozen=True, slots=True)
class Inferred(Strategy):
    """What two parts look like, made by somebody else."""

    word: ClassVar[str] = "inferred"
    guess: str = ""

    def divide(self, table: Interactions, draw: Draw) -> Divided:  # noqa: ARG002 (it cannot be made again)
        raise InputError.of("protocol.only_inferred", guess=self.guess)


STRATEGIES: Mapping[str, type[Strategy]] = {
    kind.word: kind
    for kind in (
        *(LastN, RandomN, LastShare, RandomShare, RandomRows, TimePoint, TimeShare, BestTime, Windows),
        *(RowFolds, UserFolds, HeldUsers, HeldItems, Inferred),
    )
}
SAID = kinds("split_{}", STRATEGIES)
EXAMPLES = (
    *("last_n(1)", "random_n(1)", "last_share(0.2)", "random_share(0.2)", "random(0.2)", "time(2024-06-01)"),
    *("time_share(0.2)", "time_best", "windows(30d,3)", "folds(5)", "user_folds(5)", "users(0.1)", "items(0.1)"),
)


def called(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """A word with its arguments: ``last_n(2, few=drop)``.

    >>> called("last_n(2, few=drop)"), called("time_best")
    (('last_n', [2], {'few': 'drop'}), ('time_best', [], {}))
    """
    match = re.fullmatch(r"\s*([A-Za-z_]+)\s*(?:\(([^()]*)\))?\s*", text)
    if match is None:
        raise InputError.of("protocol.not_a_call", text=text)
    given: list[Any] = []
    named: dict[str, Any] = {}
    for part in filter(None, map(str.strip, (match[2] or "").split(","))):
        name, equals, value = part.partition("=")
        if equals:
            if name.strip() in named:
                raise InputError.of("protocol.twice", text=text, name=name.strip())
            named[name.strip()] = _value(value.strip())
        else:
            given.append(_value(part))
    return match[1], given, named


def _value(text: str) -> Any:
    text = text.strip("\"'")
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+\.\d*|\.\d+)(e[+-]?\d+)?", text, re.IGNORECASE):
        return float(text)
    return text


def parse_strategy(how: object) -> Strategy:
    """A strategy from its text.

    >>> str(parse_strategy("last_n(2,few=drop)")), parse_strategy("time_share(.1)")
    ('last_n(2,few=drop)', TimeShare(share=0.1))
    """
    if isinstance(how, Strategy):
        return how
    if not isinstance(how, str):
        raise InputError.of("protocol.unknown_strategy", text=repr(how), known=list(EXAMPLES))
    if inferred := re.fullmatch(r"inferred\((.*)\)", how):  # what it looks like is a strategy in brackets itself
        return Inferred(inferred[1])
    word, given, named = called(how)
    kind = STRATEGIES.get(word)
    if kind is None:
        raise InputError.of(
            "protocol.unknown_strategy", text=word, known=list(EXAMPLES), hint=did_you_mean(word, [*STRATEGIES]) or None
        )
    strategy: Strategy = made(kind, how, given, named)
    return strategy


def made(kind: Any, text: str, given: list[Any], named: Mapping[str, Any]) -> Any:
    """A value of a class from the arguments of a text."""
    return kind(**arguments_of([part.name for part in fields(kind)], text, given, named))


def arguments_of(names: Sequence[str], text: str, given: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a text by their names, each of which is known and stated once."""
    if len(given) > len(names) or any(name not in names for name in named):
        raise InputError.of("protocol.other_arguments", text=text, names=list(names))
    placed = dict(zip(names, given, strict=False))
    if twice := [name for name in named if name in placed]:
        raise InputError.of("protocol.twice", text=text, name=twice[0])
    return {**placed, **named}
