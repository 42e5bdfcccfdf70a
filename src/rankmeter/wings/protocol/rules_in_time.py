"""What other tools do with the order of time: the last rows of a user, shares of them, and points in time."""

# ruff: noqa: ARG001 (every rule takes the same, whether the tool heeds it or not)

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.protocol.interactions import Interactions, distinct_rows
from rankmeter.wings.protocol.strategies import BestTime, Draw
from rankmeter.wings.protocol.tool_rules import (
    Backend,
    Group,
    Whole,
    all_rows,
    by_user,
    drop_flags,
    parts,
    rectools_cleaned,
    refuse_few,
    rule,
    seconds,
    user_rows,
)
from rankmeter.wings.protocol.user_order import NONE, TEST, TRAIN, VALIDATION, Cut, Labels, in_order


@rule("rectools", "last_n")
def rectools_last_n(
    table: Interactions,
    draw: Draw,
    n: int = 1,
    n_splits: int = 1,
    filters: str = "default",
) -> list[Labels]:
    """Fold j tests n rows; later rows are in no part, and users with few rows are tested on all of them."""
    folds = []
    for split in reversed(range(n_splits)):
        until = by_user(table, lambda count, split=split: (max(0, count - (split + 1) * n), 0))  # type: ignore[misc]
        later = by_user(table, lambda count, split=split: (max(0, count - split * n), 0))  # type: ignore[misc]
        until[later == TEST] = NONE
        folds.append(rectools_cleaned(table, until, filters))
    return folds


@rule("rectools", "time_range")
def rectools_time_range(
    table: Interactions,
    draw: Draw,
    test_size: str = "7D",
    n_splits: int = 1,
    filters: str = "default",
) -> list[Labels]:
    """Windows that end at the first border of the unit after the last row."""
    clock, times = table.known_clock, table.times
    unit = clock.length(f"1{test_size[-1]}")
    size = int(test_size[:-1]) * unit
    end = (int(times.max()) // unit + 1) * unit
    folds = []
    for split in range(n_splits):
        start = end - (n_splits - split) * size
        folds.append(rectools_cleaned(table, parts(times < start, (times >= start) & (times < start + size)), filters))
    return folds


def _replay_sessions(table: Interactions, labels: Labels, session: Whole) -> Labels:
    """A session of which rows are in both parts goes to one of them."""
    if not session:
        return labels
    if table.session is None:
        raise InputError.of("protocol.session_needed")
    pair = distinct_rows(table.user.codes, table.session.codes, table.session.count)
    _, member = np.unique(pair, return_inverse=True)
    tested = np.bincount(member, labels == TEST) > 0
    trained = np.bincount(member, labels == TRAIN) > 0
    both = (tested & trained)[member]
    return np.where(both, np.uint8(TEST if session == "test" else TRAIN), labels)


@rule("replay", "last_n")
def replay_last_n(
    table: Interactions, draw: Draw, N: int = 1,
    strategy: Literal["interactions", "timedelta"] = "interactions", backend: Backend = "polars",
    drop_cold_users: bool = False, drop_cold_items: bool = False, session: Whole = "",  # noqa: FBT001, FBT002
) -> list[Labels]:  # fmt: skip
    """The last N rows or seconds of a user; in Polars users with fewer than N rows are train, in pandas test."""
    if strategy == "timedelta":
        last = np.full(table.user.count, -np.inf)
        np.maximum.at(last, table.user.codes, seconds(table))
        test = last[table.user.codes] - seconds(table) < N
        labels = parts(~test, test)
    else:
        labels = by_user(table, lambda n: (n - N if n >= N else n if backend == "polars" else 0, 0))
    labels = _replay_sessions(table, labels, session)
    return [drop_flags(table, labels, drop_cold_users, drop_cold_items)]


@rule("replay", "ratio")
def replay_ratio(
    table: Interactions, draw: Draw, test_size: float = 0.2, split_by_fractions: bool = True,  # noqa: FBT001, FBT002
    min_interactions_per_group: int = 0, backend: Backend = "polars", session: Whole = "",
    drop_cold_users: bool = False, drop_cold_items: bool = False,  # noqa: FBT001, FBT002
) -> list[Labels]:  # fmt: skip
    """A share of a user's rows, by rounded fractions or by counts."""
    least = round(1 - test_size, 3)

    def by_fraction(n: int) -> tuple[int, int]:
        if n < min_interactions_per_group:
            return n, 0
        return sum(round(place / n, 3) <= least for place in range(1, n + 1)), 0

    def by_count(n: int) -> tuple[int, int]:
        if n < min_interactions_per_group:
            return n, 0
        train = n - int(n * test_size)
        one_anyway = 0 < n * test_size < 1 and train > 1 and not min_interactions_per_group
        return train - one_anyway, 0

    labels = by_user(table, by_fraction if split_by_fractions else by_count)
    labels = _replay_sessions(table, labels, session)
    return [drop_flags(table, labels, drop_cold_users, drop_cold_items)]


@rule("replay", "time")
def replay_time(
    table: Interactions, draw: Draw, time_threshold: Any = 0.2, backend: Backend = "polars", session: Whole = "",
    drop_cold_users: bool = False, drop_cold_items: bool = False,  # noqa: FBT001, FBT002
) -> list[Labels]:  # fmt: skip
    """A point in time, or a share of the rows: through ties in Polars, around them in pandas."""
    times = table.times
    if isinstance(time_threshold, float) and time_threshold < 1:
        train = int(len(times) * (1 - time_threshold))
        if backend == "polars":
            labels = all_rows(table, lambda _: (train, 0))
        else:
            at = np.sort(times)[train]
            labels = parts(times < at, times >= at)
    else:
        point = table.known_clock.point(time_threshold)
        labels = parts(times < point, times >= point)
    labels = _replay_sessions(table, labels, session)
    return [drop_flags(table, labels, drop_cold_users, drop_cold_items)]


@rule("replay", "new_users")
def replay_new_users(
    table: Interactions,
    draw: Draw,
    test_size: float = 0.2,
    backend: Backend = "polars",
) -> list[Labels]:
    """Test is all rows of the newest users; train are the rows of everybody before the first of these."""
    first = np.full(table.user.count, np.iinfo(np.int64).max)
    np.minimum.at(first, table.user.codes, table.times)
    there = np.unique(table.user.codes)
    newest = np.sort(first[there])[::-1]
    point = newest[max(math.ceil(test_size * len(there)) - 1, 0)]
    return [parts(table.times < point, first[table.user.codes] >= point)]


def lenskit_holdout(table: Interactions, cut: Cut, key: Ints | None = None) -> list[Labels]:
    """LensKit's holdouts see the last row of each pair, ties in the order of items; tested pairs leave train."""
    pair = distinct_rows(table.user.codes, table.item.codes, table.item.count)
    _, reversed_first, member = np.unique(pair[::-1], return_index=True, return_inverse=True)
    last = len(pair) - 1 - reversed_first
    by_item = last[np.argsort(table.item.codes[last], kind="stable")]
    labels = by_user(table.take(by_item), cut, key=None if key is None else key[by_item])
    tested = np.zeros(len(last), bool)
    tested[member[::-1][by_item[labels == TEST]]] = True
    test = np.zeros(len(table), bool)
    test[by_item[labels == TEST]] = True
    return [parts(~tested[member[::-1]], test)]


@rule("lenskit", "last_n")
def lenskit_last_n(table: Interactions, draw: Draw, n: int = 1) -> list[Labels]:
    """The last n rows, all of a user with no more."""
    return lenskit_holdout(table, lambda count: (max(0, count - n), 0))


@rule("lenskit", "last_frac")
def lenskit_last_frac(table: Interactions, draw: Draw, frac: float = 0.2) -> list[Labels]:
    """The rounded share; where that is no row, all rows."""
    return lenskit_holdout(table, lambda count: (count - round(count * frac) if round(count * frac) else 0, 0))


@rule("lenskit", "global_time")
def lenskit_global_time(
    table: Interactions,
    draw: Draw,
    time: Any = None,
    filter_test_users: int = 0,
) -> list[Labels]:
    """Points in time, ``12/17`` for two; each part ends at the next point."""
    points = [table.known_clock.point(one) for one in (str(time).split("/") if isinstance(time, str) else [time])]
    ends = [*points[1:], np.iinfo(np.int64).max]
    return [
        _with_history(table, table.times < start, (table.times >= start) & (table.times < end), filter_test_users)
        for start, end in zip(points, ends, strict=True)
    ]


def _with_history(table: Interactions, train: Bools, test: Bools, least: int) -> Labels:
    counts = np.bincount(table.user.codes[train], minlength=table.user.count)
    return parts(train, test & (counts[table.user.codes] >= least))


@rule("lenskit", "temporal_fraction")
def lenskit_temporal_fraction(
    table: Interactions,
    draw: Draw,
    test_fraction: float = 0.2,
    filter_test_users: int = 0,
) -> list[Labels]:
    """The interpolated quantile of the times."""
    times = table.times.astype(np.float64)
    point = _interpolated(times, 1 - test_fraction)
    return [_with_history(table, times < point, times >= point, filter_test_users)]


def _interpolated(times: Floats, share: float) -> float:
    ordered = np.sort(times)
    place = share * (len(times) - 1)
    low = math.floor(place)
    return float(ordered[low] + (ordered[min(low + 1, len(times) - 1)] - ordered[low]) * (place - low))


def _size(value: float, count: int) -> int:
    return math.ceil(value * count) if value < 1 else int(value)


@rule("cornac", "timestamp")
def cornac_timestamp(
    table: Interactions, draw: Draw, test_timestamp: Any = None, val_timestamp: Any = None,
    test_size: float = 0.2, val_size: float = 0, exclude_unknowns: bool = False, built: bool = False,  # noqa: FBT001, FBT002
) -> list[Labels]:  # fmt: skip
    """Points in time or shares of the rows; ``built``: as the sets are after Cornac has made them."""
    times, count = table.times, len(table)
    if test_timestamp is not None:
        point = table.known_clock.point(test_timestamp)
        before = point if val_timestamp is None else table.known_clock.point(val_timestamp)
    else:
        ordered = np.sort(times)
        tested, valid = _size(test_size, count), _size(val_size, count)
        if tested + valid >= count:
            raise InputError.of("protocol.tool_nothing_left", tool="cornac")
        point = ordered[count - tested]
        before = ordered[count - tested - valid] if valid else point
        if ordered[0] >= before:
            raise InputError.of("protocol.tool_nothing_left", tool="cornac")
    labels = parts(times < before, times >= point, (times >= before) & (times < point))
    if built:
        labels = drop_flags(table, labels, exclude_unknowns, exclude_unknowns)
        labels = _first_of_pairs(table, labels)
        asked = {TRAIN, TEST, *([VALIDATION] if val_timestamp is not None or val_size else [])}
        if asked - set(np.unique(labels).tolist()):
            raise InputError.of("protocol.tool_nothing_left", tool="cornac")
    return [labels]


def _first_of_pairs(table: Interactions, labels: Labels) -> Labels:
    """Repeated pairs of one part: the first row stays."""
    pair = distinct_rows(table.user.codes, table.item.codes, table.item.count) * 4 + labels
    _, first = np.unique(pair, return_index=True)
    kept = np.zeros(len(labels), np.uint8)
    kept[first] = labels[first]
    return kept


@rule("cornac", "stratified")
def cornac_stratified(
    table: Interactions,
    draw: Draw,
    test_size: float = 0.2,
    group_by: Group = "user",
) -> list[Labels]:
    """The latest rows of each user or item, rounded up; fails where that is all of one's rows."""
    counts = np.unique(user_rows(table, group_by))
    if any(_size(test_size, int(count)) >= count for count in counts):
        least = next(count for count in range(1, len(table) + int(test_size) + 2) if _size(test_size, count) < count)
        refuse_few(table, least, "cornac", group_by)
    return [by_user(table, lambda count: (count - _size(test_size, count), 0), group=group_by)]


@rule("cornac", "leave_last_out")
def cornac_leave_last_out(table: Interactions, draw: Draw) -> list[Labels]:
    """The last row of a user is test, the one before validation; users with fewer than three are in no part."""
    return [by_user(table, lambda count: (count - 2, 1), chosen=user_rows(table) >= 3)]


@rule("cornac", "from_timestamps")
def cornac_from_timestamps(
    table: Interactions,
    draw: Draw,
    test_timestamp: Any = None,
    val_timestamp: Any = None,
) -> list[Labels]:
    """Whole sessions by their last row."""
    if table.session is None:
        raise InputError.of("protocol.session_needed")
    last = np.full(table.session.count, np.iinfo(np.int64).min)
    np.maximum.at(last, table.session.codes, table.times)
    ends = last[table.session.codes]
    point = table.known_clock.point(test_timestamp)
    before = point if val_timestamp is None else table.known_clock.point(val_timestamp)
    return [parts(ends < before, ends >= point, (ends >= before) & (ends < point))]


def _singles(table: Interactions) -> Ints:
    """Times as RecBole keeps them, in 32 bits, as their ranks."""
    _, ranks = np.unique(seconds(table).astype(np.float32), return_inverse=True)
    return ranks.astype(np.int64)


@rule("recbole", "LS")
def recbole_ls(
    table: Interactions, draw: Draw, mode: Literal["valid_and_test", "valid_only", "test_only"] = "valid_and_test"
) -> list[Labels]:
    """Leave one out; a row is kept in train, and with two rows validation is left out, not test."""
    wanted = 2 if mode == "valid_and_test" else 1

    def cut(count: int) -> tuple[int, int]:
        held = min(wanted, count - 1)
        valid = int(held == 2) if wanted == 2 else held * (mode == "valid_only")
        return count - held, valid

    return [by_user(table, cut, key=_singles(table))]


def recbole_cut(shares: tuple[float, float, float]) -> Cut:
    """RecBole's sizes: a part with less than a row gets one while train has more than one, test first."""
    total = sum(shares)
    _, valid, test = (share / total for share in shares)

    def cut(count: int) -> tuple[int, int]:
        sizes = {"valid": int(valid * count), "test": int(test * count)}
        left = count - sum(sizes.values())
        for part, share in (("test", test), ("valid", valid)):
            if left > 1 and 0 < share * count < 1:
                sizes[part] += 1
                left -= 1
        return left, sizes["valid"]

    return cut


@rule("recbole", "RS")
def recbole_rs(
    table: Interactions, draw: Draw, train: float = 0.8, valid: float = 0.1, test: float = 0.1,
    order: Literal["TO", "RO"] = "TO", group_by: Literal["user", "none"] = "user",
) -> list[Labels]:  # fmt: skip
    """Shares of a user's or of all rows, in time (TO) or at random (RO)."""
    from rankmeter.wings.protocol.tool_rules import chance

    key = _singles(table) if order == "TO" else chance(table, draw)
    cut = recbole_cut((train, valid, test))
    return [by_user(table, cut, key=key) if group_by == "user" else all_rows(table, cut, key=key)]


@rule("recbole", "TS")
def recbole_ts(
    table: Interactions,
    draw: Draw,
    train: float = 0.8,
    valid: float = 0.1,
    test: float = 0.1,
) -> list[Labels]:
    """Test after the percentile of all times; up to it the first share of each user is train."""
    total = train + valid + test
    share = test / total
    times = seconds(table).astype(np.float32).astype(np.float64)
    early = times <= _interpolated(times, 1 - share)
    inner = (train / total) / (1 - share)
    labels = by_user(table, lambda count: (int(count * inner), count), key=_singles(table), chosen=early)
    labels[~early] = TEST
    return [labels]


def recommenders_cut(ratios: list[float]) -> Cut:
    """Cuts at rounded sums of the shares."""
    total = math.fsum(ratios)
    shares = ratios if total == 1 else [ratio / total for ratio in ratios]

    def cut(count: int) -> tuple[int, int]:
        first = round(shares[0] * count)
        if len(shares) == 2:
            return first, 0
        return first, round((shares[0] + shares[1]) * count) - first

    return cut


def ratios_of(ratio: Any) -> list[float]:
    """``0.75``, or ``0.7/0.2/0.1``."""
    if isinstance(ratio, str):
        return [float(part) for part in ratio.split("/")]
    return [ratio, 1 - ratio]


@rule("recommenders", "chrono")
def recommenders_chrono(
    table: Interactions,
    draw: Draw,
    ratio: Any = 0.75,
    filter_by: Group = "user",
    min_rating: int = 1,
) -> list[Labels]:
    """Shares of each user's or item's rows in time; ``min_rating`` is a number of rows."""
    cut, chosen = recommenders_cut(ratios_of(ratio)), user_rows(table, filter_by) >= min_rating
    return [by_user(table, cut, chosen=chosen, group=filter_by)]


@rule("datarec", "leave_n_last")
def datarec_leave_n_last(
    table: Interactions,
    draw: Draw,
    test_n: int = 1,
    validation_n: int = 0,
) -> list[Labels]:
    """The last rows of every user; fails where one has fewer."""
    refuse_few(table, test_n + validation_n, "datarec")
    return [by_user(table, lambda count: (count - test_n - validation_n, validation_n))]


def datarec_ratio_cut(test_ratio: float, val_ratio: float) -> Cut:
    """Both shares of all rows of a user, rounded."""

    def cut(count: int) -> tuple[int, int]:
        test = min(round(test_ratio * count), count)
        valid = min(round(val_ratio * count), count - test)
        return count - test - valid, valid

    return cut


@rule("datarec", "leave_ratio_last")
def datarec_leave_ratio_last(
    table: Interactions,
    draw: Draw,
    test_ratio: float = 0.2,
    val_ratio: float = 0,
) -> list[Labels]:
    """The last share of every user's rows."""
    return [by_user(table, datarec_ratio_cut(test_ratio, val_ratio))]


@rule("datarec", "temporal_holdout")
def datarec_temporal_holdout(
    table: Interactions,
    draw: Draw,
    test_ratio: float = 0.2,
    val_ratio: float = 0,
) -> list[Labels]:
    """The last share of all rows, through ties."""
    test = round(len(table) * test_ratio)
    valid = round((len(table) - test) * val_ratio)
    return [all_rows(table, lambda count: (count - test - valid, valid))]


@rule("datarec", "temporal_threshold")
def datarec_temporal_threshold(
    table: Interactions, draw: Draw, val_threshold: Any = None, test_threshold: Any = None
) -> list[Labels]:
    """Two points in time."""
    return cornac_timestamp(table, draw, test_threshold, val_threshold)


def _warprec_aligned(table: Interactions, labels: Labels, aligned: bool) -> list[Labels]:  # noqa: FBT001
    return [drop_flags(table, labels, aligned, aligned)]


def _warprec(table: Interactions, labels: Labels, aligned: bool, cut: Cut | None, chosen: Any) -> list[Labels]:  # noqa: FBT001
    """Train divided again for validation, and both aligned with what is then train."""
    if cut is None:
        return _warprec_aligned(table, labels, aligned)
    labels = drop_flags(table, labels, aligned, aligned)
    rows = np.flatnonzero(labels == TRAIN)
    inner = by_user(table.take(rows), cut, chosen=chosen(table.take(rows)))
    labels[rows] = np.array([NONE, TRAIN, VALIDATION, VALIDATION], np.uint8)[inner]
    return _warprec_aligned(table, labels, aligned)


@rule("warprec", "temporal_holdout")
def warprec_temporal_holdout(
    table: Interactions,
    draw: Draw,
    ratio: float = 0.2,
    validation: float = 0,
    align: bool = True,  # noqa: FBT001, FBT002
) -> list[Labels]:
    """Train is the floor of the share that is left, in floats: .8 of ten rows leaves one."""

    def cut_of(share: float) -> Cut:
        return lambda count: (max(1, math.floor(count * (1 - share))), 0)

    labels = by_user(table, cut_of(ratio))
    return _warprec(table, labels, align, cut_of(validation) if validation else None, lambda _: None)


@rule("warprec", "temporal_leave_k_out")
def warprec_temporal_leave_k_out(
    table: Interactions,
    draw: Draw,
    k: int = 1,
    validation: int = 0,
    align: bool = True,  # noqa: FBT001, FBT002
) -> list[Labels]:
    """The last k rows; users with no more are in no part."""
    labels = by_user(table, lambda count: (count - k, 0), chosen=user_rows(table) > k)
    cut: Cut | None = (lambda count: (count - validation, 0)) if validation else None
    return _warprec(table, labels, align, cut, lambda part: user_rows(part) > validation)


@rule("warprec", "timestamp_slicing")
def warprec_timestamp_slicing(
    table: Interactions,
    draw: Draw,
    timestamp: Any = "best",
    align: bool = True,  # noqa: FBT001, FBT002
) -> list[Labels]:
    """A point in time, or the one that divides most users."""
    if timestamp == "best":
        (labels,) = BestTime().divide(table, draw).folds
    else:
        point = table.known_clock.point(timestamp)
        labels = parts(table.times < point, table.times >= point)
    return _warprec_aligned(table, labels, align)


@rule("scikit-learn", "time_series_split")
def sklearn_time_series_split(
    table: Interactions,
    draw: Draw,
    n_splits: int = 5,
    gap: int = 0,
    test_size: int = 0,
) -> list[Labels]:
    """Rows sorted by time, cut into pieces by count, through ties."""
    count = len(table)
    size = test_size or count // (n_splits + 1)
    rows = in_order(np.zeros(count, np.int64), 1, table.times, table, "rows").rows
    folds = []
    for split in range(n_splits):
        start = count - (n_splits - split) * size
        labels = np.zeros(count, np.uint8)
        labels[rows[: max(0, start - gap)]] = TRAIN
        labels[rows[start : start + size]] = TEST
        folds.append(labels)
    return folds
