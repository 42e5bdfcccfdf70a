"""What any model should beat: lists of popular, random, similar and last seen items, as runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_args

import numpy as np

from rankmeter.errors import InputError, check_choice, check_whole, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.inputs.ids import ids
from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.protocol.chance import mixed, of_ids
from rankmeter.wings.protocol.interactions import CodedIds, Interactions, code, distinct_rows, read_interactions
from rankmeter.wings.protocol.item_popularity import By, Similarity, popularity, recent, similarity, taken
from rankmeter.wings.protocol.steps import texts_of
from rankmeter.wings.protocol.strategies import called
from rankmeter.wings.protocol.user_order import in_order

CELLS_AT_ONCE = 1 << 22
"""Cells of a block of users that are in memory at once."""
EXAMPLES = (
    "popular",
    "popular(rows)",
    "popular(window=30d)",
    "popular(segment=yes)",
    "random",
    "cosine",
    "jaccard",
    "lift",
    "last_seen",
)
Lists = tuple[Ints, Ints]
"""(n,) places of users and codes of items, the items of a user best first."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What baselines are made of."""

    table: Interactions
    users: Ints
    """(m,) the codes of the users who get lists; -1 for those who are not in train."""
    k: int
    seed: int
    without_seen: bool
    matrix: Any
    """(users, items) who took what."""
    segments: Ints | None
    """(m,) the segment of each of these users."""
    segment_of: Ints | None
    """(users,) that of each user of train; -1 where there is none."""


def baselines(
    train: object,
    users: object = None,
    k: int = 100,
    *,
    kinds: str | Iterable[str] = ("popular", "random"),
    seen: str = "removed",
    segments: Mapping[Any, Any] | None = None,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
) -> dict[str, pl.DataFrame]:
    """Lists that any model should beat, by their names, as runs for :func:`rankmeter.evaluate` and ``compare``.

    Parameters
    ----------
    train
        Interactions, as for :func:`rankmeter.split`.
    users
        Who gets lists; by default everybody in train. For users who are not in train, lists of popular and random items
        are made all the same.
    k
        How long the lists are.
    kinds
        ``popular``, by how many users took an item; ``popular(rows)``, ``popular(mean_rating)``,
        ``popular(sum_rating)``; ``popular(window=30d)`` of the rows since 30 days before the last;
        ``popular(segment=yes)`` among the users of one segment; ``random``; ``cosine``, ``jaccard``, ``lift``: items
        that were taken together with those of the user, added up; ``last_seen``: the user's own items, the last first.
    seen
        ``removed``: no list holds what its user took in train (but ``last_seen``); or ``kept``.
    segments
        ``{user: segment}``, for ``popular(segment=yes)``.
    seed
        For all random draws.
    columns
        Columns of unusual names, as for :func:`rankmeter.split`.

    Returns
    -------
    dict
        For each kind a frame with ``user``, ``item`` and ``rank``. Of items alike the lower id comes first.

    Examples
    --------
    >>> import rankmeter as rm
    >>> train = {"user": [1, 1, 2, 2, 3], "item": ["a", "b", "a", "c", "a"]}
    >>> rm.baselines(train, k=2, kinds="popular")["popular"].rows()
    [(1, 'c', 1), (2, 'b', 1), (3, 'b', 1), (3, 'c', 2)]
    """
    check_whole("k", k, 1)
    check_whole("seed", seed)
    check_choice("seen", seen, ("removed", "kept"))
    table, _ = read_interactions(train, columns=columns)
    return lists_of(table, users, k, kinds=kinds, without_seen=seen == "removed", segments=segments, seed=seed)


def lists_of(
    table: Interactions, users: object, k: int, *, kinds: str | Iterable[str], without_seen: bool,
    segments: Mapping[Any, Any] | None, seed: int,
) -> dict[str, pl.DataFrame]:  # fmt: skip
    """What :func:`baselines` gives, from interactions that are read."""
    given: object = kinds
    named = texts_of(given if isinstance(given, str) else list(given)) if isinstance(given, Iterable) else []
    if not named:
        raise InputError.of("protocol.no_kinds", given=repr(given))
    if segments is not None and not isinstance(segments, Mapping):
        raise InputError.of("protocol.not_segments", type=type(segments).__name__)
    makers = {text: _maker(text) for text in named}
    asked, codes = _users(table, users)
    by_text = {str(user): str(segment) for user, segment in (segments or {}).items()}
    group = None if segments is None else code(ids([by_text.get(str(one), "None") for one in asked.to_list()]))
    known = np.full(table.user.count, -1)
    if group is not None:
        known[codes[codes >= 0]] = group.codes[codes >= 0]
    learned = Learned(
        table, codes, k, seed, without_seen, taken(table), None if group is None else group.codes,
        None if group is None else known,
    )  # fmt: skip
    return {text: _frame(asked, table.item, *make(learned)) for text, make in makers.items()}


def _users(table: Interactions, users: object) -> tuple[pl.Series, Ints]:
    """Who gets lists, and their codes in train."""
    there = np.unique(table.user.codes)
    known = ids(table.user.id_of(there))
    if users is None:
        return known, there
    if isinstance(users, (str, bytes)) or not isinstance(users, Iterable):
        raise InputError.of("protocol.users_text", users=repr(users))
    given = users if isinstance(users, pl.Series) else ids(list(users))
    given = given.unique(maintain_order=True)
    by_text = dict(zip(known.cast(pl.String), there.tolist(), strict=True))
    return given, np.array([by_text.get(text, -1) for text in given.cast(pl.String)], np.int64)


def _frame(users: pl.Series, items: CodedIds, place: Ints, item: Ints) -> pl.DataFrame:
    """A run: the items of each user with their ranks."""
    first = np.r_[True, place[1:] != place[:-1]] if len(place) else np.zeros(0, bool)
    start = np.maximum.accumulate(np.where(first, np.arange(len(place)), 0))
    return pl.DataFrame({
        "user": users.gather(place), "item": ids(items.id_of(item)) if len(item) else pl.Series([], dtype=pl.String),
        "rank": np.arange(len(place)) - start + 1,
    })  # fmt: skip


def _maker(text: str) -> Callable[[Learned], Lists]:
    """What makes the lists of a kind."""
    word, given, named = called(text)
    makers: dict[str, Callable[..., Lists]] = {
        "popular": popular, "random": at_random, "last_seen": last_seen,
        **dict.fromkeys(get_args(Similarity), lambda learned, kind=word: alike(learned, kind)),
    }  # fmt: skip
    if word not in makers:
        raise InputError.of(
            "protocol.no_baseline", text=word, known=list(EXAMPLES), hint=did_you_mean(word, list(makers)) or None
        )
    if word == "popular":
        by = str(given[0]) if given else str(named.pop("by", "users"))
        check_choice("by", by, get_args(By))
        window, segment = named.pop("window", None), named.pop("segment", None)
        if named or len(given) > 1:
            raise InputError.of("protocol.other_arguments", text=text, names=["by", "window", "segment"])
        if segment not in (None, "yes"):
            raise InputError.of("protocol.segment_word", text=text, segment=segment)
        return lambda learned: popular(learned, by, window, segmented=segment is not None)  # type: ignore[arg-type]
    if given or named:
        raise InputError.of("protocol.no_arguments", text=text, word=word)
    return makers[word]


def popular(learned: Learned, by: By = "users", window: object = None, *, segmented: bool = False) -> Lists:
    """The most popular items, in train, in a recent window of it, or among the users of a segment."""
    rows = None if window is None else recent(learned.table, window)
    if not segmented:
        return _from_order(learned, _best_first(popularity(learned.table, by, rows)), np.arange(len(learned.users)))
    if learned.segments is None or learned.segment_of is None:
        raise InputError.of("protocol.no_segments")
    places, items = [], []
    for segment in np.unique(learned.segments):
        own: Bools = learned.segment_of[learned.table.user.codes] == segment
        values = popularity(learned.table, by, own if rows is None else own & rows)
        place, item = _from_order(learned, _best_first(values), np.flatnonzero(learned.segments == segment))
        places.append(place)
        items.append(item)
    place, item = np.concatenate(places), np.concatenate(items)
    order = np.argsort(place, kind="stable")
    return place[order], item[order]


def _best_first(values: Floats) -> Ints:
    """The items that have a value, the highest first, of equals the lower id."""
    known = np.flatnonzero(~np.isnan(values))
    order: Ints = known[np.argsort(-values[known], kind="stable")]
    return order


def _seen_counts(learned: Learned) -> Ints:
    counts = np.diff(learned.matrix.indptr)
    return (
        np.where(learned.users >= 0, counts[learned.users], 0)
        if learned.without_seen
        else np.zeros(len(learned.users), int)
    )


def _from_order(learned: Learned, order: Ints, places: Ints) -> Lists:
    """The first items of one order for each of these users, without what each has seen."""
    rank = np.full(learned.table.item.count, len(order))
    rank[order] = np.arange(len(order))
    found = []
    for block, most in _blocks(places, _seen_counts(learned)[places] + learned.k):
        open_ = np.ones((len(block), min(len(order), most)), bool)
        if learned.without_seen:
            row, item = _seen(learned, block)
            at = rank[item]
            inside = at < open_.shape[1]
            open_[row[inside], at[inside]] = False
        open_ &= np.cumsum(open_, axis=1) <= learned.k
        row, column = np.nonzero(open_)
        found.append((block[row], order[column]))
    return _sorted(found)


def _blocks(places: Ints, widths: Ints) -> Iterator[tuple[Ints, int]]:
    """Users in blocks that fit the memory, those alike in width together; with the largest width of each."""
    order = np.argsort(widths, kind="stable")
    start = 0
    while start < len(order):
        size = max(1, CELLS_AT_ONCE // int(widths[order[start]]))
        while size > 1 and size * int(widths[order[min(start + size, len(order)) - 1]]) > CELLS_AT_ONCE:
            size //= 2
        block = order[start : start + size]
        yield places[block], int(widths[block[-1]])
        start += size


def _seen(learned: Learned, block: Ints) -> Lists:
    """Which items each user of a block took, with the user's place in the block."""
    codes = learned.users[block]
    known = np.flatnonzero(codes >= 0)
    taken_rows = learned.matrix[codes[known]]
    return np.repeat(known, np.diff(taken_rows.indptr)), taken_rows.indices


def _sorted(found: list[Lists]) -> Lists:
    """The lists of all blocks, users in their order."""
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    place, item = (np.concatenate([part[side] for part in found]) for side in (0, 1))
    order = np.argsort(place, kind="stable")
    return place[order], item[order]


def at_random(learned: Learned) -> Lists:
    """Items of train in random order, another one for each user; the same for the same user, whoever else is asked."""
    there = np.unique(learned.table.item.codes)
    keys, widths = _user_keys(learned), _seen_counts(learned) + learned.k
    few = widths * 4 > len(there)
    found = [
        _all_shuffled(learned, block, keys[block], there)
        for block, _ in _blocks(np.flatnonzero(few), np.full(int(few.sum()), len(there)))
    ]
    for block, most in _blocks(np.flatnonzero(~few), widths[~few] * 4 + 64):
        found.append(_drawn_in_turn(learned, block, keys[block], there, most))
    return _sorted(found)


def _all_shuffled(learned: Learned, block: Ints, keys: Any, there: Ints) -> Lists:
    """A random key for every item, the lowest first."""
    item_keys = of_ids(learned.table.item, learned.seed)[there]
    values = (mixed(item_keys[None, :] ^ keys[:, None]) >> np.uint64(1)).astype(np.int64)
    if learned.without_seen:
        row, item = _seen(learned, block)
        values[row, np.searchsorted(there, item)] = np.iinfo(np.int64).max
    return _lowest_in_rows(values, learned.k, block, there)


def _drawn_in_turn(learned: Learned, block: Ints, keys: Any, there: Ints, draws: int) -> Lists:
    """Items drawn one after the other, those that were drawn before or seen left out."""
    turn = np.arange(draws, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    drawn = (mixed(keys[:, None] + turn[None, :]) % np.uint64(len(there))).astype(np.int64)
    order = np.argsort(drawn, axis=1, kind="stable")
    ranked = np.take_along_axis(drawn, order, axis=1)
    is_new = np.ones(drawn.shape, bool)
    is_new[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    fresh = np.empty_like(is_new)
    np.put_along_axis(fresh, order, is_new, axis=1)
    if learned.without_seen:
        row, item = _seen(learned, block)
        pairs = np.sort(distinct_rows(row, np.searchsorted(there, item), len(there)))
        asked = distinct_rows(np.arange(len(block))[:, None], drawn, len(there))
        if len(pairs):
            fresh &= pairs[np.minimum(np.searchsorted(pairs, asked), len(pairs) - 1)] != asked
    counted = np.cumsum(fresh, axis=1)
    if (counted[:, -1] < learned.k).any():
        return _drawn_in_turn(learned, block, keys, there, 2 * draws)
    row, column = np.nonzero(fresh & (counted <= learned.k))
    return block[row], there[drawn[row, column]]


def _user_keys(learned: Learned) -> Any:
    keys = mixed(np.arange(len(learned.users), dtype=np.uint64) + np.uint64(learned.seed))
    known = learned.users >= 0
    keys[known] = of_ids(learned.table.user, learned.seed)[learned.users[known]]
    return keys


def alike(learned: Learned, kind: Similarity) -> Lists:
    """Items that were taken together with those of the user, their similarities added up."""
    near = similarity(learned.matrix, kind)
    near.setdiag(0)
    there = np.arange(learned.table.item.count)
    found = []
    size = max(1, CELLS_AT_ONCE // max(1, learned.table.item.count))
    known = np.flatnonzero(learned.users >= 0)
    for start in range(0, len(known), size):
        block = known[start : start + size]
        scores = (learned.matrix[learned.users[block]] @ near).toarray()
        values = np.where(scores > 0, -scores, np.inf)
        if learned.without_seen:
            row, item = _seen(learned, block)
            values[row, item] = np.inf
        found.append(_lowest_in_rows(values, learned.k, block, there))
    return _sorted(found)


def _lowest_in_rows(values: Any, k: int, block: Ints, items: Ints) -> Lists:
    """The k items with the lowest values of each row, of equals the lower ids; the end of the scale is none."""
    worst = np.iinfo(values.dtype).max if values.dtype.kind == "i" else np.inf
    order = np.argsort(values, axis=1, kind="stable")[:, :k]
    row, column = np.nonzero(np.take_along_axis(values, order, axis=1) < worst)
    return block[row], items[order[row, column]]


def last_seen(learned: Learned) -> Lists:
    """A user's own items, the last first."""
    table = learned.table
    ordered = in_order(table.user.codes, table.user.count, table.times, table, "item")
    rows = ordered.rows[::-1]
    pair = table.user.codes[rows] * np.int64(table.item.count) + table.item.codes[rows]
    _, first = np.unique(pair, return_index=True)
    rows = rows[np.sort(first)]
    place_of = np.full(table.user.count, -1)
    place_of[learned.users[learned.users >= 0]] = np.flatnonzero(learned.users >= 0)
    place = place_of[table.user.codes[rows]]
    rows, place = rows[place >= 0], place[place >= 0]
    order = np.argsort(place, kind="stable")
    place, item = place[order], table.item.codes[rows[order]]
    rank = np.arange(len(place)) - np.searchsorted(place, place)
    return place[rank < learned.k], item[rank < learned.k]
