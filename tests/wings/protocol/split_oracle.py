"""Splits in slow, plain Python: rows are (user, item, time, rating), answers are sets of row numbers."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction

Row = tuple[object, object, int, float]


def by_user(rows: list[Row], chosen: Iterable[int]) -> dict[object, list[int]]:
    groups = defaultdict(list)
    for number in chosen:
        groups[rows[number][0]].append(number)
    return groups


def sorted_by_time(rows: list[Row], chosen: Iterable[int], ties: str) -> list[int]:
    return sorted(chosen, key=lambda n: (rows[n][2], rows[n][1], rows[n][3], n) if ties == "item" else (rows[n][2], n))


def last_n(rows: list[Row], n: int, few: str, ties: str) -> tuple[set[int], set[int]]:
    train, test = set(), set()
    for own in by_user(rows, range(len(rows))).values():
        order = sorted_by_time(rows, own, ties)
        if len(order) > n:
            train |= set(order[:-n])
            test |= set(order[-n:])
        elif few == "keep":
            train.add(order[0])
            test |= set(order[1:])
        elif few == "train":
            train |= set(order)
        elif few == "test":
            test |= set(order)
    return train, test


def last_share(rows: list[Row], share: str, ties: str) -> tuple[set[int], set[int]]:
    train, test = set(), set()
    for own in by_user(rows, range(len(rows))).values():
        order = sorted_by_time(rows, own, ties)
        held = min(math.ceil(Fraction(share) * len(order)), len(order) - 1)
        for place, number in enumerate(order):
            (test if place >= len(order) - held else train).add(number)
    return train, test


def from_time(rows: list[Row], point: float) -> tuple[set[int], set[int]]:
    test = {number for number, row in enumerate(rows) if row[2] >= point}
    return set(range(len(rows))) - test, test


def time_share(rows: list[Row], share: str) -> tuple[set[int], set[int]]:
    wanted = math.ceil(Fraction(share) * len(rows))
    point = max(t for _, _, t, _ in rows if sum(row[2] >= t for row in rows) >= wanted)
    return from_time(rows, point)


def time_best(rows: list[Row]) -> tuple[set[int], set[int]]:
    def divided(point: int) -> int:
        users = {row[0] for row in rows}
        return sum(
            any(row[0] == u and row[2] < point for row in rows) and any(row[0] == u and row[2] >= point for row in rows)
            for u in users
        )

    points = sorted({row[2] for row in rows}, reverse=True)
    return from_time(rows, max(points, key=divided))


def windows(rows: list[Row], length: int, count: int) -> list[tuple[set[int], set[int]]]:
    end = max(row[2] for row in rows) + 1
    folds = []
    for window in range(count, 0, -1):
        start = end - window * length
        folds.append((
            {n for n, row in enumerate(rows) if row[2] < start},
            {n for n, row in enumerate(rows) if start <= row[2] < start + length},
        ))  # fmt: skip
    return folds


def k_core(rows: list[Row], k_user: int, k_item: int, rounds: int | None) -> set[int]:
    kept = set(range(len(rows)))
    done = 0
    while rounds is None or done < rounds:
        done += 1
        before = set(kept)
        users = Counter(rows[n][0] for n in kept)
        kept = {n for n in kept if users[rows[n][0]] >= k_user}
        items = Counter(rows[n][1] for n in kept)
        kept = {n for n in kept if items[rows[n][1]] >= k_item}
        if kept == before:
            break
    return kept


def duplicates(rows: list[Row], which: str, ties: str) -> set[int]:
    pairs = defaultdict(list)
    for number, row in enumerate(rows):
        pairs[row[0], row[1]].append(number)
    return {sorted_by_time(rows, own, ties)[0 if which == "first" else -1] for own in pairs.values()}


def without(rows: list[Row], train: set[int], test: set[int], step: str) -> set[int]:
    users, items = {rows[n][0] for n in train}, {rows[n][1] for n in train}
    pairs = {rows[n][:2] for n in train}
    return {
        n
        for n in test
        if (step != "cold_users" or rows[n][0] in users)
        and (step != "cold_items" or rows[n][1] in items)
        and (step != "seen" or rows[n][:2] not in pairs)
    }


def leaks(rows: list[Row], train: set[int], test: set[int]) -> dict[str, int]:
    def earlier(n: int, others: Iterable[int]) -> bool:
        return any(rows[n][2] < rows[m][2] for m in others)

    own = by_user(rows, train)
    return {
        "rows": len(test),
        "pairs": len(test) - len(without(rows, train, test, "seen")),
        "own_past": sum(earlier(n, own.get(rows[n][0], [])) for n in test),
        "global_past": sum(earlier(n, train) for n in test),
        "cold_users": len(test) - len(without(rows, train, test, "cold_users")),
        "cold_items": len(test) - len(without(rows, train, test, "cold_items")),
    }
