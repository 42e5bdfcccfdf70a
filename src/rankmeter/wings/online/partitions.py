"""A log as partitions of whole users, small enough to be counted one at a time, here or by the workers of Spark.

Rows are read once, in batches, and made compact: words become small numbers, and ids become 64-bit codes, equal where
the ids are and nowhere else. A number of 64 bits is its own code; any other id stays text until its partition is
counted, and is numbered there. A hash only chooses the partition. What does not fit in memory waits in a temporary
folder. Spark looks at the rows once for what holds for the whole log, then deals them out by user; each worker counts
its users as they would be counted here, and hands over totals that add up exactly, so that the digits are the same.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError
from rankmeter.late import pl
from rankmeter.placing.matching import mixed_hashes
from rankmeter.placing.placements import Ints
from rankmeter.placing.segments import row_changes
from rankmeter.wings.online.event_columns import HOUR, NO_ZONE, UNITS, of_another_unit, span_of
from rankmeter.wings.online.events import CONVERSION, FIELDS, KINDS, DistantRows, Events, unreadable

ROWS_PER_PARTITION = 100_000
"""On average at most; small enough for a processor's caches, where sorting and looking up is several times faster."""

BATCH_ROWS = 600_000
"""So many that NumPy asks for large pages, which saves a twelfth of the time."""
WORDS_TRIED = 6
"""How many words of types are looked for one by one, the most frequent first; each takes a tenth of numbering all."""
HELD_BYTES = 1_000_000_000
"""How much is kept in memory before partitions are written to a file."""

MOST_LABELS = 1_000
"""More variants or segments than this are a mistake in the columns."""

LARGEST_VALUE = 1e100
"""A larger one is not an amount of anything, and its square would not be a number."""

MOST_PARTS = 64
"""How many partitions a worker of Spark makes of its users at most."""

FLAGS = {"request": 4, "item": 8, "session": 16, "id": 32, "refund": 64, "query": 128}
"""Bits of ``flags`` beside the kind, which takes the lowest two."""

ORDER = "place in the log"
"""The column that says where a row stood, where rows come in another order."""

Columns = dict[str, npt.NDArray[Any]]
Held = dict[str, Any]
"""The columns of some rows: numbers as arrays, text as a series of Polars."""


@dataclass
class Seen:
    """What was seen while reading, over the whole log."""

    rows: int = 0
    hours: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """For each hour with events how many they are, and the first and the last moment."""
    span: tuple[int, int] | None = None
    """When the log begins and ends; a clock that was far from the others moves neither. None where it has no events."""
    lowest_position: float = math.inf
    of_another_unit: int = 0
    """Times that look like another unit than the log's."""
    found: Counter[str] = field(default_factory=Counter)
    """What was wrong or odd, by the names of the findings."""
    types: Counter[str] = field(default_factory=Counter)
    labels: dict[str, list[str]] = field(default_factory=lambda: {"variant": [], "segment": []})
    """The words behind the codes of variants and segments, in the order in which they were met."""

    def add(self, other: Seen) -> None:
        """Add what was seen in other rows, which come later in the log."""
        for name in ("rows", "of_another_unit", "found", "types"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.lowest_position = min(self.lowest_position, other.lowest_position)
        self.add_hours((hour, *known) for hour, known in other.hours.items())
        for role, words in other.labels.items():
            self.labels[role] += [word for word in words if word not in self.labels[role]]

    def add_hours(self, hours: Iterable[tuple[int, ...]]) -> None:
        """Add an hour, how many events it has, and the first and the last moment of them."""
        for hour, count, first, last in hours:
            known = self.hours.get(hour, (0, first, last))
            self.hours[hour] = known[0] + count, min(known[1], first), max(known[2], last)

    def settle(self, events: Events) -> None:
        """Refuse times of two units, and leave stray clocks out of the beginning and the end of the log."""
        if self.of_another_unit:
            unit, others = events.time_unit, [unit for unit in UNITS if unit != events.time_unit]
            raise InputError.of("online.times_of_two_units", source=events.source, time_unit=unit,
                                of_another_unit=self.of_another_unit, rows=self.rows, others=others)  # fmt: skip
        if self.hours:
            begin, end = span_of({hour: count for hour, (count, *_) in self.hours.items()})
            self.span = self.hours[begin][1], self.hours[end][2]
            for hour, (count, *_) in self.hours.items():
                if not begin <= hour <= end:
                    self.found[f"events dated {'before' if hour < begin else 'after'} the rest"] += count


Words = dict[str, Any]
"""For each id that is text a table of the ``code`` and the ``word`` behind it, in one partition."""
Work = Callable[[Columns, Seen, Words], Any]
"""What is done with the events of some whole users."""


class Partitions:
    """The compact rows of a log, by partitions of users; a context that removes its temporary file.

    ``needed`` are the roles beside time, user and type that the work will look at; ``words`` for the texts behind
    codes, ``user name`` for numbers that stand for users in every partition.
    """

    def __init__(self, events: Events, needed: set[str]) -> None:
        self.seen = Seen()
        self._events = events
        self._needed = [role for role in FIELDS if role in needed and events.has(role)]
        self._needed += [f"covariate {number}" for number in range(len(events.covariates))]
        self._names_users = "user name" in needed
        self._keeps_words = "words" in needed
        self._held: list[list[Held | Path]] = []
        """The chunks of each partition, here or in a file."""
        self._held_bytes = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        # Times that are text say which have no time zone.
        no_zone = [NO_ZONE] if NO_ZONE in self._events.rows.collect_schema() else []
        rows = self._events.rows.select("time", "user", "type", *self._needed, *no_zone)
        try:
            total = int(rows.select(pl.len()).collect(engine="streaming").item())
            self.divide(total)
            batches = rows.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)
            # While one batch is looked at, the one before is dealt.
            for _ in in_turn(self._share_out, map(self.look, batches), min(1, _cores() - 1)):
                pass
            self.seen.settle(self._events)
        except BaseException as error:
            self.__exit__()
            if isinstance(error, pl.exceptions.PolarsError):
                raise unreadable(self._events.source, error) from error
            raise
        return self

    def divide(self, rows: int) -> None:
        """Make ready for a number of rows."""
        self._held = [[] for _ in range(max(1, -(-rows // ROWS_PER_PARTITION)))]

    def each(self, work: Work) -> Iterator[Any]:
        """What the work makes of each partition: its columns, what was seen of the log, the words behind its codes."""
        parts = [number for number, chunks in enumerate(self._held) if chunks]
        yield from in_turn(partial(self._worked, work), parts, _cores() if _cores() > 1 else 0)

    def _worked(self, work: Work, number: int) -> Any:
        chunks, self._held[number] = self._held[number], []
        held = _joined(chunks)
        if ORDER in held:
            order = np.argsort(held.pop(ORDER), kind="stable")
            held = {name: column[order] for name, column in held.items()}
        words: Words = {}
        columns = {name: self._coded(name, column, words) for name, column in held.items()}
        return work(columns, self.seen, words)

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def _coded(self, role: str, column: Any, words: Words) -> npt.NDArray[Any]:
        """A column as numbers; text is numbered, so that equal codes are equal texts."""
        if not isinstance(column, pl.Series):
            return np.asarray(column)
        named = column.cast(pl.Categorical)
        code = named.to_physical().fill_null(0).cast(pl.UInt64)
        if self._keeps_words:
            words[role] = pl.DataFrame({"word": column, "code": code}).unique("code")
        return code.to_numpy()

    def take(self, batch: pl.DataFrame) -> None:
        """Look at some rows, and hold them to be worked on."""
        self._share_out(self.look(batch))

    def look(self, batch: pl.DataFrame) -> Held:
        """Look at some rows; those that can be counted, made compact."""
        seen = self.seen
        seen.rows += len(batch)
        # Counting nulls costs nothing; every other question to a column is a query of its own.
        if batch["user"].null_count() or batch["time"].null_count():
            no_user, no_time = batch["user"].is_null(), batch["time"].is_null()
            seen.found["events without user"] += int(no_user.sum())
            seen.found["events without readable time"] += int((no_time & ~no_user).sum())
            batch = batch.filter(~(no_user | no_time))
        if not len(batch):
            return {}
        if NO_ZONE in batch.columns:
            seen.found["times without a time zone"] += int(batch[NO_ZONE].sum())
        columns = self._compact(batch)
        time = columns["time"]
        seen.of_another_unit += of_another_unit(time, self._events.time_unit)
        seen.add_hours(_hours(time))
        return columns

    def _compact(self, batch: pl.DataFrame) -> Held:
        flags = self._kinds(batch["type"])
        columns: Held = {"user": self._ids("user", batch["user"]), "time": batch["time"].to_numpy()}
        if self._names_users and isinstance(columns["user"], pl.Series):
            columns["user name"] = _hashed(columns["user"])
        if ORDER in batch.columns:
            columns[ORDER] = batch[ORDER].to_numpy()
        for role, bit in FLAGS.items():
            if role in self._needed:
                columns[role] = self._ids(role, batch[role])
                flags |= np.uint8(bit) * (batch[role].is_not_null().to_numpy() if batch[role].null_count() else True)
        if "position" in self._needed:
            columns["position"] = self._positions(batch["position"])
        if "value" in self._needed:
            value = batch["value"].to_numpy()  # null is NaN there
            columns["value"] = value = np.where(np.abs(value) <= LARGEST_VALUE, value, np.nan)
            # Money that is given back is not a conversion; what it takes away is counted with the value.
            refund = ((flags & 3) == CONVERSION) & (value < 0)
            flags = np.where(refund, (flags & ~np.uint8(3)) | np.uint8(FLAGS["refund"]), flags)
        for role in ("variant", "segment"):
            if role in self._needed:
                columns[role] = self._labels(role, batch[role])
        columns |= {name: batch[name].to_numpy() for name in self._needed if name.startswith("covariate")}
        columns["flags"] = flags
        return columns

    def _ids(self, role: str, ids: pl.Series) -> npt.NDArray[np.uint64] | pl.Series:
        """Codes where the ids are numbers of 64 bits, their text where they are anything else; missing ones are 0."""
        if ids.dtype.is_float():
            self._check_exact(role, ids)
            return (ids.cast(pl.Float64).fill_null(0.0) + 0.0).to_numpy().view(np.uint64)  # -0.0 is 0.0
        if ids.dtype.is_integer() and ids.dtype not in (pl.Int128, pl.UInt128):
            return (ids if ids.dtype == pl.UInt64 else ids.cast(pl.Int64)).fill_null(0).to_numpy().view(np.uint64)
        return ids.bin.encode("hex") if ids.dtype == pl.Binary else ids.cast(pl.String)

    def _check_exact(self, role: str, ids: pl.Series) -> None:
        """Refuse ids whose digits a float has lost: the ids of several users would be one."""
        exact = 2**24 if ids.dtype == pl.Float32 else 2**53
        lost = ids.filter(ids.abs() >= exact)
        if len(lost):
            column = self._events.columns[role]
            raise InputError.of(
                "online.ids_lost_digits", source=self._events.source, role=role, columns=column, lost=lost[0]
            )

    def _positions(self, position: pl.Series) -> npt.NDArray[np.int32]:
        """Whole positions, -1 where there is none."""
        whole = position.cast(pl.Int32, strict=False)
        if not position.dtype.is_integer():
            whole = pl.select(pl.when(whole == position).then(whole)).to_series()
        self.seen.found["positions that are not whole"] += whole.null_count() - position.null_count()
        lowest: Any = whole.min()
        if lowest is not None and lowest < 0:  # -1 and the like stand for none
            lowest = whole.filter(whole >= 0).min()
        self.seen.lowest_position = min(self.seen.lowest_position, math.inf if lowest is None else lowest)
        return whole.fill_null(-1).to_numpy()

    def _kinds(self, words: pl.Series) -> npt.NDArray[np.uint8]:
        """The kind of each event, and how often each word was met."""
        words, types = words.fill_null(""), self.seen.types
        known = dict(types.most_common(WORDS_TRIED)) or words.head(1000).unique(maintain_order=True).to_list()
        kinds, rest = np.zeros(len(words), np.uint8), np.ones(len(words), np.bool_)
        for word in [*known][:WORDS_TRIED]:
            is_word = (words == word).to_numpy()
            kinds |= is_word.view(np.uint8) * np.uint8(self._kind(word))
            types[word] += int(np.count_nonzero(is_word))
            rest ^= is_word
        rows = np.flatnonzero(rest)
        if len(rows):
            code, vocabulary = _vocabulary(words.gather(rows))
            counts = np.bincount(code)
            of_code = np.zeros(len(counts), np.uint8)
            for word, number in vocabulary:
                types[word] += int(counts[number])
                of_code[number] = self._kind(word)
            kinds[rows] = of_code[code]
        return kinds

    def _kind(self, word: str) -> int:
        return KINDS.index(self._events.kinds.get(word.casefold(), "other"))

    def _labels(self, role: str, words: pl.Series) -> npt.NDArray[np.int16]:
        code, vocabulary = _vocabulary(words)
        known = self.seen.labels[role]
        table = np.full(int(code.max(initial=0)) + 1, -1, np.int16)
        for word, number in vocabulary:
            if word not in known:
                known.append(word)
            table[number] = known.index(word)
        if len(known) > MOST_LABELS:
            column = self._events.columns[role]
            raise InputError.of(
                "online.too_many_labels", source=self._events.source, column=column, role=role, most_labels=MOST_LABELS
            )
        labels: npt.NDArray[np.int16] = table[code]
        labels[words.is_null().to_numpy()] = -1
        return labels

    def _share_out(self, columns: Held) -> None:
        if not columns:
            return
        parts, user = len(self._held), columns["user"]
        for column in columns.values():
            self._held_bytes += int(column.estimated_size()) if isinstance(column, pl.Series) else column.nbytes
        if parts > 1:
            hashed = user.hash(seed=7).to_numpy() if isinstance(user, pl.Series) else mixed_hashes(user)
            home = (((hashed >> np.uint64(32)) * np.uint64(parts)) >> np.uint64(32)).astype(np.int16)
            order = np.argsort(home, kind="stable")  # the order of a user's events is kept
            ends = np.cumsum(np.bincount(home, minlength=parts)).tolist()
            place = np.empty_like(order)
            place[order] = np.arange(len(order))
            columns = {name: _dealt(column, order, place) for name, column in columns.items()}
        else:
            ends = [len(user)]
        for number, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            if end > start:
                self._held[number].append({name: column[start:end] for name, column in columns.items()})
        if self._held_bytes > HELD_BYTES:
            self._write()

    def _write(self) -> None:
        """Move what is held into files."""
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="rankmeter-")
        for number, chunks in enumerate(self._held):
            written = [chunk for chunk in chunks if isinstance(chunk, Path)]
            if here := chunks[len(written) :]:
                file = Path(self._folder.name) / f"{number}.{len(written)}"
                # The older layout of text holds what these rows use, not what their whole batch did.
                pl.DataFrame(_joined(here)).write_ipc(file, compat_level=pl.CompatLevel.oldest())
                self._held[number] = [*written, file]
        self._held_bytes = 0


def _cores() -> int:
    """How many cores there are for this, which is what Polars was told."""
    return pl.thread_pool_size()


def in_turn(work: Callable[[Any], Any], parts: Iterable[Any], helpers: int) -> Iterator[Any]:
    """What the work makes of each part, in the order of the parts; helpers do it while the next parts are made.

    Two cores take 0.6 of the time of one on the clock.
    """
    if not helpers:
        yield from map(work, parts)
        return
    with ThreadPoolExecutor(helpers) as pool:
        begun: deque[Future[Any]] = deque()
        for part in parts:
            if len(begun) > helpers:
                yield begun.popleft().result()
            begun.append(pool.submit(work, part))
        while begun:
            yield begun.popleft().result()


def _dealt(column: Any, order: Ints, place: Ints) -> Any:
    """Rows in another order, each put into its place: in half the time of fetching them from all over a batch."""
    if isinstance(column, pl.Series):
        return column[order]
    dealt = np.empty_like(column)
    dealt[place] = column
    return dealt


def _hours(time: npt.NDArray[np.int64]) -> Iterable[tuple[int, ...]]:
    """Each hour, how many events it has, and the first and the last moment of them.

    A log is nearly in order, so that stretches of the same hour are few; only they are grouped.
    """
    hour = time // HOUR
    begins = np.flatnonzero(row_changes(hour))
    stretches = pl.DataFrame(
        {
            "hour": hour[begins], "events": np.diff(begins, append=len(time)),
            "first": np.minimum.reduceat(time, begins), "last": np.maximum.reduceat(time, begins),
        }
    )  # fmt: skip
    return stretches.group_by("hour").agg(pl.sum("events"), pl.min("first"), pl.max("last")).iter_rows()


def _hashed(texts: pl.Series) -> npt.NDArray[np.uint64]:
    """64 bits for each text, the same on every machine and with every version of every library."""
    once = texts.unique()
    codes = [int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) for text in once.to_list()]
    return texts.replace_strict(once, pl.Series(codes, dtype=pl.UInt64)).to_numpy()


def _joined(chunks: list[Held | Path]) -> Held:
    """Rows one after the other; files are read, and removed."""
    tables = [_read(chunk) if isinstance(chunk, Path) else chunk for chunk in chunks]
    joined: Held = {}
    for name, first in tables[0].items():
        columns = [table[name] for table in tables]
        joined[name] = pl.concat(columns) if isinstance(first, pl.Series) else np.concatenate(columns)
    return joined


def _read(file: Path) -> Held:
    table = pl.read_ipc(file.read_bytes())
    file.unlink()
    return {column.name: column if column.dtype == pl.String else column.to_numpy() for column in table}


def _vocabulary(words: pl.Series) -> tuple[npt.NDArray[np.uint32], list[tuple[str, int]]]:
    """(n,) the code of each word, 0 where there is none; and the words with their codes, each once."""
    named = words.cast(pl.Categorical)
    once = named.drop_nulls().unique(maintain_order=True)
    codes = zip(once.cast(pl.String).to_list(), once.to_physical().to_list(), strict=True)
    return named.to_physical().fill_null(0).to_numpy(), list(codes)


def partitioned(events: Events, needed: set[str]) -> Partitions | DistantPartitions:
    """A context whose ``seen`` says what holds for the whole log, and which runs work on ``each`` part of its users."""
    if events.elsewhere is None:
        return Partitions(events, needed)
    log = replace(events, elsewhere=None, rows=events.rows.head(0))
    return DistantPartitions(log, events.elsewhere, partial(Partitions, log, needed))


@dataclass(slots=True)
class DistantPartitions:
    """The rows of a log in a cluster, by partitions of users."""

    log: Events
    """Without its rows."""
    rows: DistantRows
    empty: Callable[[], Partitions]
    """Makes the partitions of a worker."""
    seen: Seen = field(default_factory=Seen)

    def __enter__(self) -> Self:
        for seen in self.rows.worked(partial(_look_through, self.empty)):
            self.seen.add(seen)
        self.seen.settle(self.log)
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was written here."""

    def each(self, work: Work) -> Iterator[Any]:
        """What the work makes of each partition, made there."""
        yield from self.rows.worked(partial(_count, self.empty, self.seen, self.rows.order, work), dealt=True)


def _look_through(empty: Callable[[], Partitions], batches: Iterator[pl.DataFrame]) -> Iterator[Seen]:
    """What is seen in the rows of a part there."""
    partitions = empty()
    for batch in batches:
        partitions.look(batch)
    yield partitions.seen


def _count(
    empty: Callable[[], Partitions], seen: Seen, order: str, work: Work, batches: Iterator[pl.DataFrame]
) -> Iterator[Any]:
    """What the work makes of the users of a part there."""
    partitions = empty()
    partitions.seen.labels = seen.labels  # so that all workers mean the same by a code
    partitions.divide(min(seen.rows, MOST_PARTS * ROWS_PER_PARTITION))
    try:
        for batch in batches:
            partitions.take(batch.rename({order: ORDER}))
        partitions.seen = seen
        yield from partitions.each(work)
    finally:
        partitions.__exit__()
