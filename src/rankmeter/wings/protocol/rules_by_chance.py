"""What other tools draw at random: as many rows as they take, drawn by our own keys."""

# ruff: noqa: ARG001 (every rule takes the same, whether the tool heeds it or not)

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankmeter.placing.placements import Ints
from rankmeter.wings.protocol.chance import of_ids
from rankmeter.wings.protocol.interactions import Interactions
from rankmeter.wings.protocol.rules_in_time import (
    datarec_ratio_cut,
    lenskit_holdout,
    ratios_of,
    recommenders_cut,
)
from rankmeter.wings.protocol.strategies import Draw
from rankmeter.wings.protocol.tool_rules import (
    Backend,
    Group,
    all_rows,
    by_user,
    chance,
    drop_flags,
    parts,
    rectools_cleaned,
    refuse_few,
    rule,
    user_rows,
)
from rankmeter.wings.protocol.user_order import Cut, Labels, in_order


def _ranks(keys: Ints) -> Ints:
    ranks = np.empty(len(keys), np.int64)
    ranks[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    return ranks


def _folds(fold: Ints, count: int) -> list[Labels]:
    return [parts(fold != number, fold == number) for number in range(count)]


def _pieces(count: int, pieces: int) -> Ints:
    """The piece of each place where a length is cut into pieces, the first ones a row longer."""
    return np.repeat(np.arange(pieces), [len(piece) for piece in np.array_split(np.arange(count), pieces)])


@rule("rectools", "random")
def rectools_random(
    table: Interactions, draw: Draw, test_fold_frac: float = 0.2, n_splits: int = 1, filters: str = "default"
) -> list[Labels]:
    """Disjoint folds of a rounded share each."""
    size = round(test_fold_frac * len(table))
    ranks = _ranks(chance(table, draw))
    tests = ((ranks >= fold * size) & (ranks < (fold + 1) * size) for fold in range(n_splits))
    return [rectools_cleaned(table, parts(~test, test), filters) for test in tests]


@rule("replay", "random")
def replay_random(
    table: Interactions, draw: Draw, test_size: float = 0.2, backend: Backend = "polars",
    drop_cold_users: bool = False, drop_cold_items: bool = False,  # noqa: FBT001, FBT002
) -> list[Labels]:  # fmt: skip
    """A share of all rows; in Polars train has a row more than in pandas."""
    share = (1 - test_size) * len(table)
    train = int(share) + 1 if backend == "polars" else round(share)
    labels = all_rows(table, lambda _: (train, 0), key=chance(table, draw))
    return [drop_flags(table, labels, drop_cold_users, drop_cold_items)]


@rule("replay", "k_folds")
def replay_k_folds(table: Interactions, draw: Draw, n_folds: int = 5, backend: Backend = "polars") -> list[Labels]:
    """The place of a row among its user's, shuffled and counted from 1, modulo the number of folds."""
    ordered = in_order(table.user.codes, table.user.count, chance(table, draw), table, "rows")
    place = np.arange(len(table)) - np.repeat(ordered.starts, ordered.counts) + 1
    fold = np.empty(len(table), np.int64)
    fold[ordered.rows] = place % n_folds
    return _folds(fold, n_folds)


@rule("replay", "cold_users")
def replay_cold_users(
    table: Interactions, draw: Draw, test_size: float = 0.25, backend: Backend = "polars"
) -> list[Labels]:
    """A share of the users with all of their rows."""
    return _users_by_chance(table, draw, lambda count: round(test_size * count))


def _users_by_chance(table: Interactions, draw: Draw, size: Any) -> list[Labels]:
    there = np.unique(table.user.codes)
    drawn = there[np.argsort(of_ids(table.user, draw.seed)[there], kind="stable")]
    chosen = np.zeros(table.user.count, bool)
    chosen[drawn[: size(len(there))]] = True
    test = chosen[table.user.codes]
    return [parts(~test, test)]


@rule("lenskit", "sample_n")
def lenskit_sample_n(table: Interactions, draw: Draw, n: int = 1) -> list[Labels]:
    """N rows of a user, all of a user with no more."""
    return lenskit_holdout(table, lambda count: (max(0, count - n), 0), chance(table, draw))


@rule("lenskit", "sample_frac")
def lenskit_sample_frac(table: Interactions, draw: Draw, frac: float = 0.2) -> list[Labels]:
    """The rounded share of a user's rows, which may be none."""
    return lenskit_holdout(table, lambda count: (count - round(count * frac), 0), chance(table, draw))


@rule("lenskit", "crossfold_records")
def lenskit_crossfold_records(table: Interactions, draw: Draw, partitions: int = 5) -> list[Labels]:
    """Folds over all rows."""
    return _folds(_pieces(len(table), partitions)[_ranks(chance(table, draw))], partitions)


@rule("recommenders", "random")
def recommenders_random(table: Interactions, draw: Draw, ratio: Any = 0.75) -> list[Labels]:
    """Shares of all rows: one is rounded down, several are cut at rounded sums."""
    if not isinstance(ratio, str):
        return [all_rows(table, lambda count: (math.floor(ratio * count), 0), key=chance(table, draw))]
    return [all_rows(table, recommenders_cut(ratios_of(ratio)), key=chance(table, draw))]


@rule("recommenders", "stratified")
def recommenders_stratified(
    table: Interactions, draw: Draw, ratio: Any = 0.75, filter_by: Group = "user", min_rating: int = 1
) -> list[Labels]:
    """Shares of each user's or item's rows."""
    chosen = user_rows(table, filter_by) >= min_rating
    cut = recommenders_cut(ratios_of(ratio))
    return [by_user(table, cut, key=chance(table, draw), chosen=chosen, group=filter_by)]


@rule("cornac", "ratio")
def cornac_ratio(table: Interactions, draw: Draw, test_size: float = 0.2, val_size: float = 0) -> list[Labels]:
    """Shares of all rows, rounded up."""
    test, valid = (math.ceil(size * len(table)) if size < 1 else int(size) for size in (test_size, val_size))
    return [all_rows(table, lambda count: (count - test - valid, valid), key=chance(table, draw))]


@rule("cornac", "cross_validation")
def cornac_cross_validation(table: Interactions, draw: Draw, n_folds: int = 5) -> list[Labels]:
    """Folds over all rows; those that are left over get a fold by a draw of their own, as in Cornac."""
    whole = len(table) // n_folds * n_folds
    ranks = _ranks(chance(table, draw))
    left = np.abs(chance(table, draw, 1)) % n_folds
    return _folds(np.where(ranks < whole, ranks % n_folds, left), n_folds)


@rule("datarec", "random_holdout")
def datarec_random_holdout(
    table: Interactions, draw: Draw, test_ratio: float = 0.2, val_ratio: float = 0
) -> list[Labels]:
    """Shares of all rows, rounded up, that of validation of what is left."""
    test = math.ceil(test_ratio * len(table))
    valid = math.ceil(val_ratio * (len(table) - test))
    return [all_rows(table, lambda count: (count - test - valid, valid), key=chance(table, draw))]


@rule("datarec", "leave_n_out")
def datarec_leave_n_out(table: Interactions, draw: Draw, test_n: int = 1, validation_n: int = 0) -> list[Labels]:
    """Rows of every user; fails where one has fewer."""
    refuse_few(table, test_n + validation_n, "datarec")
    cut: Cut = lambda count: (count - test_n - validation_n, validation_n)  # noqa: E731
    return [by_user(table, cut, key=chance(table, draw))]


@rule("datarec", "leave_ratio_out")
def datarec_leave_ratio_out(
    table: Interactions, draw: Draw, test_ratio: float = 0.2, val_ratio: float = 0
) -> list[Labels]:
    """Rounded shares of every user's rows."""
    return [by_user(table, datarec_ratio_cut(test_ratio, val_ratio), key=chance(table, draw))]


@rule("datarec", "user_stratified")
def datarec_user_stratified(
    table: Interactions, draw: Draw, test_ratio: float = 0.2, val_ratio: float = 0
) -> list[Labels]:
    """Shares rounded up, that of validation of what is left; a part that would leave no train is skipped."""

    def cut(count: int) -> tuple[int, int]:
        test = math.ceil(test_ratio * count)
        left = count - test if count - test > 0 else count
        valid = math.ceil(val_ratio * left)
        return (left - valid, valid) if left - valid > 0 else (left, 0)

    return [by_user(table, cut, key=chance(table, draw))]


@rule("warprec", "random_holdout")
def warprec_random_holdout(
    table: Interactions,
    draw: Draw,
    ratio: float = 0.2,
    align: bool = True,  # noqa: FBT001, FBT002
) -> list[Labels]:
    """A share of all rows."""
    labels = all_rows(table, lambda count: (int(count * (1 - ratio)), 0), key=chance(table, draw))
    return [drop_flags(table, labels, align, align)]


@rule("warprec", "random_leave_k_out")
def warprec_random_leave_k_out(
    table: Interactions,
    draw: Draw,
    k: int = 1,
    align: bool = True,  # noqa: FBT001, FBT002
) -> list[Labels]:
    """K rows of a user; users with no more are in no part."""
    labels = by_user(table, lambda count: (count - k, 0), key=chance(table, draw), chosen=user_rows(table) > k)
    return [drop_flags(table, labels, align, align)]


@rule("warprec", "k_fold")
def warprec_k_fold(table: Interactions, draw: Draw, folds: int = 5, align: bool = False) -> list[Labels]:  # noqa: FBT001, FBT002
    """The place of a row among its user's, in the order of the rows and from 0, modulo the number of folds."""
    ordered = in_order(table.user.codes, table.user.count, np.arange(len(table)), table, "rows")
    fold = np.empty(len(table), np.int64)
    fold[ordered.rows] = (np.arange(len(table)) - np.repeat(ordered.starts, ordered.counts)) % folds
    return [drop_flags(table, labels, align, align) for labels in _folds(fold, folds)]


@rule("scikit-learn", "k_fold")
def sklearn_k_fold(table: Interactions, draw: Draw, n_splits: int = 5) -> list[Labels]:
    """Rows as they stand, in pieces."""
    return _folds(_pieces(len(table), n_splits), n_splits)
