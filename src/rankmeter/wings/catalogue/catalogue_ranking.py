"""Exact ranks of judged items against a whole catalogue, from vectors, without ever storing the scores.

A rank is a count: 1 + the items that score higher. Seen items are counted like all others and taken off again, so no
mask of queries x items is ever needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from threading import Lock
from time import monotonic
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, check_choice, check_whole, examples, warn
from rankmeter.evaluating.pairing import Ready
from rankmeter.frozen import dataclass
from rankmeter.inputs.accepting import into_judgments
from rankmeter.inputs.columns import are_columns
from rankmeter.inputs.ids import ids as as_ids
from rankmeter.inputs.reading import Listener, Progress, show_progress
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.placing.indexes import PlacedRun, judged_placements
from rankmeter.placing.numbering import encode, numbers_among
from rankmeter.placing.pairs import Placeable
from rankmeter.placing.placements import Bools, Floats, Ints, Placements, Plan
from rankmeter.placing.segments import Places, group_rows, offsets_of, text_keys
from rankmeter.wings.catalogue.callback import Score, ScoredTiles
from rankmeter.wings.catalogue.devices import VectorPair, into_vectors
from rankmeter.wings.catalogue.pair_counts import AskedPairs, CountedPairs, Excluded, host
from rankmeter.wings.catalogue.vectors import Precision
from rankmeter.wording import said, spelled

T = TypeVar("T")


@dataclass(frozen=True, slots=True, repr=False)
class RankedCatalogue(Placeable):
    """Judged items placed against a whole catalogue; give it to ``evaluate`` in place of judgments and run.

    With ``top=k`` measures of lists (``Coverage@10``, ``Novelty@10``) look at the k best items; the catalogue that was
    ranked is the catalogue, unless ``catalogue=`` says more of its items. ``by=`` slices the queries.
    """

    placed: PlacedRun
    precision: Precision
    device: str
    items: int
    """How many items the catalogue holds."""
    recomputed: int
    """How many scores the fast arithmetic left in doubt and the definition decided."""
    uncertain: int
    """How many ranks stay in doubt; 0 for ``precision="exact"``, for ``fast`` estimated from a sample of queries."""
    top: npt.NDArray[Any] | None = None
    """(queries, k) ids of the best items of each judged query, best first, where ``top=k`` was asked for.

    The rows are those of ``placed.queries``. Where there are fewer than k items, numbers are -1 and texts None."""
    judged: JudgedRows | None = field(default=None, repr=False)
    """The judgments it was ranked with."""

    @property
    def source(self) -> str:  # type: ignore[override]
        """How messages name it."""
        return self.placed.source

    def _place(self, plan: Plan) -> PlacedRun:
        return Ready(self.placed).place(plan)

    def judged_table(self) -> JudgmentTable | None:
        """The judgments that it was ranked with, by their ids."""
        if (own := self.judged) is None:
            return None
        known = np.flatnonzero(own.item >= 0)  # what is not relevant may stand outside of the catalogue
        query, item = own.queries.gather(own.query[known]), own.names[1].column.gather(own.item[known])
        return JudgmentTable(query, item, pl.Series(own.grade[known]), self.source, queries=own.queries)

    def catalogue(self) -> pl.Series | None:
        """The ids of all items."""
        return None if self.judged is None else self.judged.names[1].column

    def run(self, depth: int | None = None) -> RunTable:
        """The best items of each query, for what looks at the first ``depth`` items of its lists."""
        kept = 0 if self.top is None else self.top.shape[1]
        if (self.items if depth is None else min(depth, self.items)) > kept:
            asked = self.items if depth is None else depth
            raise InputError.of("catalogue.top_not_kept" if self.top is None else "catalogue.top_too_few",
                                top=kept, asked=asked)  # fmt: skip
        lists = self.top_lists() if self.top is not None else {}
        present = np.ones(len(self.placed.queries), np.bool_) if self.judged is None else self.judged.row >= 0
        queries = self.placed.queries.filter(pl.Series(present))
        sizes = [len(lists.get(query, ())) for query in queries]
        query = queries.gather(np.repeat(np.arange(len(queries)), sizes))
        listed = [item for query in queries for item in lists.get(query, ())]
        rank = np.array([rank for size in sizes for rank in range(1, size + 1)], np.float64)
        item = as_ids(listed) if (known := self.catalogue()) is None else pl.Series(listed, dtype=known.dtype)
        score = pl.Series(-rank)
        return RunTable(query, item, score, self.source, scored=False, queries=queries)

    def __repr__(self) -> str:
        """What was ranked, in one line; the ranks stand in ``placed``."""
        best = "" if self.top is None else f", top={self.top.shape[1]}"
        sizes = f"queries={len(self.placed.placements.is_judged)}, items={self.items}{best}"
        return f"RankedCatalogue({sizes}, precision={self.precision!r}, device={self.device!r})"

    def check_judgments(self, judgments: object) -> None:
        """Refuse judgments other than those it was ranked with, whose items alone have been placed."""
        own = self.judged
        if own is None:
            return
        given = JudgedRows.of(judgments, *own.names)
        place = _rows_known(own.queries, given.queries)
        same = len(given.item) == len(own.item) and bool((place >= 0).all())
        if same:
            query = place[given.query]
            left, right = np.lexsort((given.item, query)), np.lexsort((own.item, own.query))
            sides = ((query, own.query), (given.item, own.item), (given.grade, own.grade))
            same = all(bool((theirs[left] == ours[right]).all()) for theirs, ours in sides)
        if not same:
            raise InputError.of("catalogue.other_judgments")

    def top_lists(self) -> dict[Any, list[Any]]:
        """The best items of each query as a run: ``{query: [items, best first]}``."""
        if self.top is None:
            raise InputError.of("catalogue.top_not_kept")
        # By their number: -1 may be the id of an item.
        sizes = self.placed.placements.returned.tolist()
        lists = (row[:size] for row, size in zip(self.top.tolist(), sizes, strict=True))
        return dict(zip(self.placed.queries.to_list(), lists, strict=True))


def rank_catalogue(
    judgments: object,
    query_vectors: Any = None,
    item_vectors: Any = None,
    *,
    score: Score | None = None,
    exclude: object = None,
    bias: Any = None,
    similarity: Literal["dot", "cosine"] = "dot",
    queries: Iterable[Any] | int | None = None,
    items: Iterable[Any] | int | None = None,
    top: int | None = None,
    precision: Precision = "exact",
    device: str | Sequence[str] | None = None,
    progress: Listener | bool | None = None,
) -> RankedCatalogue:
    """Rank every judged item among all items of a catalogue, by the product of vectors or by a callback's scores.

    Parameters
    ----------
    judgments
        What is true, of any kind that ``evaluate`` accepts; or pairs ``(query, item)`` or ``(query, item, grade)`` as
        arrays or tensors of ids, also as one matrix of two or three columns.
    query_vectors, item_vectors
        ``(queries, width)`` and ``(items, width)``, NumPy or torch, computed as float32.
    score
        Instead of vectors: ``score(rows, items)`` with an array of query rows and a slice of item rows returns their
        scores, ``(len(rows), items)``, NumPy or torch on any device. It is called twice for the same tiles (first for
        the scores of the judged items, then to count what is above them) and must answer alike: no dropout. The
        numbers of rows are ``queries`` and ``items``.
    exclude
        What is not to be ranked for a query (items the user has seen): ``{query: items}``, a table of pairs, or pairs
        as arrays or tensors, which are not copied from the device they are on.
    bias
        ``(items,)`` added to each item's score.
    similarity
        ``dot``, or ``cosine``: the dot product of vectors divided by their length.
    queries, items
        The ids of the rows, or only their number; row numbers are the ids where left out.
    top
        Also keep the ids of this many best items of each judged query; equal scores stand in catalogue order.
    precision
        ``exact``: every rank is that of the score's definition, whatever the device. ``fast``: one pass in low
        precision (CUDA only), with the number of ranks that it leaves in doubt.
    device
        ``cpu`` (NumPy), or ``cuda``; where left out, the one the vectors are on. Several, ``["cuda:0", "cuda:1"]``,
        share the queries. Items that do not fit a device stay in main memory and pass through it in blocks.
    progress
        Called with a `Progress` (judged items placed, fraction, seconds left, and from the first call on the memory
        that ranking takes); True shows a bar on standard error.

    Examples
    --------
    >>> import numpy as np, rankmeter as rm
    >>> users, films = np.eye(2, 3), np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0]])
    >>> ranked = rm.rank_catalogue({0: [1], 1: [2]}, users, films, exclude={0: [0]})
    >>> rm.evaluate(ranked, measures=["RR"])["RR"]
    1.0
    """
    if top is not None:
        check_whole("top", top, 1)
    check_choice("similarity", similarity, ("dot", "cosine"))
    check_choice("precision", precision, ("exact", "fast"))
    if score is None:
        if query_vectors is None or item_vectors is None:
            raise InputError.of("catalogue.nothing_to_rank_by")
        devices = [device] if device is None or isinstance(device, str) else list(device)
        if not devices:
            raise InputError.of("catalogue.no_device")
        sides = {"bias": bias, "similarity": similarity}
        places = [into_vectors(query_vectors, item_vectors, **sides, device=name) for name in devices]
        rows, columns = places[0].shape
        names = Names.of(queries, rows, "queries"), Names.of(items, columns, "items")
        judged = JudgedRows.of(judgments, *names)
        pairs = _seen_pairs(exclude, *names)
    else:
        if query_vectors is not None or item_vectors is not None or bias is not None or similarity != "dot":
            raise InputError.of("catalogue.score_alone")
        names = Names.of(queries, None, "queries"), Names.of(items, None, "items")
        judged = JudgedRows.of(judgments, *names)
        pairs = _seen_pairs(exclude, *names)
        places = [_scored_tiles(score, judged, (host(pairs[0]), host(pairs[1])), names)]
    return _Ranking(
        places, judged, pairs, names[1], precision, show_progress if progress is True else progress or None
    ).run(top)


def _scored_tiles(
    score: Score, judged: JudgedRows, pairs: tuple[Ints, Ints], names: tuple[Names, Names]
) -> ScoredTiles:
    """The first pass of a callback, for the judged and the excluded pairs of judged queries."""
    rows, items = names[0].count, names[1].count
    row = judged.row[judged.query]
    known = (row >= 0) & (judged.item >= 0)
    excluded = Excluded.of(*pairs, judged.asked(rows), items).keys
    query = np.concatenate([row[known], excluded // items])
    return ScoredTiles.of(score, (rows, items), query, np.concatenate([judged.item[known], excluded % items]))


@dataclass(frozen=True, slots=True)
class Names:
    """The ids of the rows of vectors: given ones, or the row numbers."""

    count: int
    ids: pl.Series | None

    @classmethod
    def of(cls, given: Iterable[Any] | int | None, rows: int | None, what: str) -> Names:
        """Check ids against the number of vectors; None where a callback has none."""
        if given is None and rows is None:
            raise InputError.of("catalogue.how_many", what=what)
        if given is None or isinstance(given, (int, np.integer)):
            count = int(given if given is not None else rows)  # type: ignore[arg-type]
            if count < 1:
                raise InputError.of("catalogue.none_of_them", what=what, count=count)
            if rows is not None and count != rows:
                raise InputError.of("catalogue.count_of_rows", what=what, count=count, rows=rows)
            return cls(count, None)
        column = given if isinstance(given, pl.Series) else as_ids(list(given))
        if rows is not None and len(column) != rows:
            raise InputError.of("catalogue.names_of_rows", what=what, count=len(column), rows=rows)
        if column.n_unique() != len(column):
            raise InputError.of(
                "catalogue.row_twice", what=what, listed=examples(column.filter(column.is_duplicated()).to_list())
            )
        return cls(len(column), column)

    @property
    def column(self) -> pl.Series:
        """The ids."""
        return pl.Series(np.arange(self.count)) if self.ids is None else self.ids

    def rows(self, wanted: pl.Series) -> Ints:
        """The row of each wanted id, -1 where there is none."""
        if self.ids is None and wanted.dtype.is_integer():
            number = wanted.to_numpy().astype(np.int64)  # nothing to look up: the numbers are the rows
            return np.where((number >= 0) & (number < self.count), number, -1)
        return _rows_known(self.column, wanted)

    def text_order(self) -> Ints:
        """Numbers that sort as the ids do as text."""
        if self.ids is None:
            return text_keys(self.count)
        return self.ids.cast(pl.String).rank("ordinal").to_numpy().astype(np.int64)


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """The judgments by rows of the vectors, grouped by query."""

    queries: pl.Series
    """The ids of the judged queries."""
    row: Ints
    """(n,) the row of each judged query's vector, -1 where it has none."""
    query: Ints
    """(j,) which judged query each judgment belongs to, in rising order."""
    item: Ints
    """(j,) the row of the item's vector, -1 where the catalogue does not hold it."""
    grade: Floats
    names: tuple[Names, Names]
    """The ids of the rows of queries and items."""

    @classmethod
    def of(cls, judgments: object, queries: Names, items: Names) -> JudgedRows:
        """Find the rows of judged queries and items."""
        table = _judgment_rows(judgments, items.count)
        judged, number = encode(table.query, table.queries)
        order = group_rows(number, len(judged))
        item = items.rows(table.item)
        grade = table.grade.to_numpy()
        keys = np.sort((number * items.count + item)[item >= 0])
        if len(twice := keys[1:][keys[1:] == keys[:-1]]):
            query, again = judged.gather(twice // items.count), items.column.gather(twice % items.count)
            twice_judged = ({"item": str(one), "query": str(of)} for one, of in zip(again, query, strict=True))
            pairs = examples(twice_judged, kind="general.item_in_query")
            raise InputError.of("placing.judged_twice", source=table.source, pairs=pairs)
        outside = np.flatnonzero((item < 0) & (grade > 0))
        if len(outside):
            names = [f"{table.item[int(row)]} (query {table.query[int(row)]})" for row in outside[:5]]
            raise InputError.of(
                "catalogue.outside_catalogue", count=len(outside), listed=examples([*names, *outside[5:]])
            )
        return cls(judged, queries.rows(judged), number[order], item[order], grade[order], (queries, items))

    def asked(self, queries: int) -> Bools:
        """(queries,) which rows are judged."""
        asked = np.zeros(queries, np.bool_)
        asked[self.row[self.row >= 0]] = True
        return asked


@dataclass(frozen=True, slots=True)
class _Ranking:
    """All that is known before anything is ranked."""

    places: list[VectorPair]
    """The same vectors on each device, or a callback."""
    judged: JudgedRows
    pairs: tuple[Any, ...]
    """Rows of queries and items that are not ranked, arrays or tensors."""
    items: Names
    precision: Precision
    told: Listener | None

    def run(self, top: int | None) -> RankedCatalogue:
        """Place the judged items, each device a part of them."""
        judged = self.judged
        excluded = [self._excluded(place) for place in self.places]
        rows = np.flatnonzero((judged.row[judged.query] >= 0) & (judged.item >= 0))
        is_hidden = excluded[0].holds(judged.row[judged.query[rows]], judged.item[rows])
        hidden_hits = int((judged.grade[rows[is_hidden]] > 0).sum())
        rows = rows[~is_hidden]
        # Thresholds are counted query by query in the order of the vectors.
        rows = rows[np.argsort(judged.row[judged.query[rows]], kind="stable")]
        owner, item = judged.row[judged.query[rows]], judged.item[rows]
        parts = np.array_split(np.arange(len(rows)), len(self.places))
        memory = max(place.memory(self.precision) for place in self.places)
        told = _Told(self.told, len(rows), [len(part) for part in parts], memory)
        asked = [
            AskedPairs(owner[part], item[part], self.items.text_order, hidden, told.part(number))
            for number, (part, hidden) in enumerate(zip(parts, excluded, strict=True))
        ]
        counted = CountedPairs.joined(self._on_each(lambda place, part: place.count(part, self.precision), asked))
        placed = PlacedRun(
            judged.queries,
            _placements(judged, rows, counted, excluded[0], self.items.count),
            scored=True,
            highest_grade=float(judged.grade.max(initial=0.0)),
            source="catalogue",
            notes=(said("relevant_excluded", count=hidden_hits),) if hidden_hits else (),
            unplaced=judged.names[0].count - int((judged.row >= 0).sum()),
        )
        return RankedCatalogue(
            placed=placed,
            precision=self.precision,
            device=", ".join(place.device for place in self.places),
            items=self.items.count,
            recomputed=counted.recomputed,
            uncertain=counted.uncertain,
            top=None if top is None else self._top_ids(excluded, top),
            judged=judged,
        )

    def _excluded(self, place: VectorPair) -> Excluded:
        queries, items = place.shape
        query, item = (place.native(side) for side in self.pairs)
        return Excluded.of(query, item, place.native(self.judged.asked(queries)), items)

    def _on_each(self, work: Callable[[VectorPair, Any], T], parts: list[Any]) -> list[T]:
        """The work of every device, at the same time."""
        if len(self.places) == 1:
            return [work(self.places[0], parts[0])]
        with ThreadPoolExecutor(len(self.places)) as pool:
            return list(pool.map(work, self.places, parts))

    def _top_ids(self, excluded: list[Excluded], k: int) -> npt.NDArray[Any]:
        """(judged queries, k) ids of the best items."""
        present = np.flatnonzero(self.judged.row >= 0)
        order = present[np.argsort(self.judged.row[present], kind="stable")]
        best = np.full((len(self.judged.row), k), -1, np.int64)
        parts = list(zip(np.array_split(self.judged.row[order], len(self.places)), excluded, strict=True))
        best[order] = np.concatenate(self._on_each(lambda place, part: place.top(part[0], k, part[1]), parts))
        if self.items.ids is None:
            return best
        ids = self.items.ids.to_numpy()
        numbers = ids.dtype.kind in "iu"
        named: npt.NDArray[Any] = (ids if numbers else ids.astype(object))[best]
        named[best < 0] = -1 if numbers else None
        return named


class _Told:
    """Tells a listener how far all devices are together, and before anything else how much memory it takes."""

    def __init__(self, listener: Listener | None, rows: int, sizes: list[int], memory: int) -> None:
        self._listener, self._rows, self._sizes, self._memory = listener, rows, sizes, memory
        self._done, self._lock, self._start = [0.0] * len(sizes), Lock(), monotonic()
        self._tell()

    def part(self, number: int) -> Callable[[float], None]:
        """What one device calls."""

        def told(fraction: float) -> None:
            with self._lock:
                self._done[number] = fraction * self._sizes[number]
                self._tell()

        return told

    def _tell(self) -> None:
        if self._listener is not None:
            done = sum(self._done)
            fraction = done / self._rows if self._rows else 1.0
            self._listener(Progress(int(done), fraction, monotonic() - self._start, self._memory))


def _placements(judged: JudgedRows, rows: Ints, counted: CountedPairs, excluded: Excluded, items: int) -> Placements:
    total = len(judged.queries)
    present = judged.row >= 0
    returned = np.zeros(total, np.int64)
    returned[present] = items - excluded.sizes(judged.row[present])
    offsets = offsets_of(np.bincount(judged.query, minlength=total).astype(np.int64))
    query = judged.query[rows]
    order = group_rows(query, total)
    columns = {"query": query, "grade": judged.grade[rows], "score": counted.threshold}
    columns.update((name, getattr(counted, name)) for name in Places._fields)
    placed = {name: column[order] for name, column in columns.items()}
    return judged_placements(returned, judged.grade, offsets, placed, in_run=present)


def _judgment_rows(judgments: object, items: int) -> JudgmentTable:
    """Judgments of any kind as columns; pairs as they are."""
    columns = _columns_of_pairs(judgments, items)
    if columns is None:
        return into_judgments(judgments).judgment_table()
    query, item, *grade = columns
    grades = np.ones(len(query)) if not grade else host(grade[0]).astype(np.float64)
    if len(wrong := np.flatnonzero(~np.isfinite(grades))):
        raise InputError.of("catalogue.not_finite_grades", count=len(wrong), rows=examples(wrong.tolist()))
    return JudgmentTable(_ids_in(query), _ids_in(item), pl.Series(grades), "judgments")


def _ids_in(column: Any) -> pl.Series:
    """A column of pairs as ids."""
    return pl.Series(values) if (values := host(column)).dtype.kind in "iu" else as_ids(values.tolist())


def _columns_of_pairs(given: Any, items: int) -> tuple[Any, ...] | None:
    """Columns of queries, items and perhaps grades, as arrays or tensors; None where something else was given.

    A matrix with as many columns as there are items holds grades, one with two or three columns pairs. A frame is no
    matrix: its columns have names.
    """
    columns: tuple[Any, ...]
    if isinstance(given, tuple) and given and all(hasattr(column, "__array__") for column in given):
        # A column of a frame is an array beside an index.
        columns = tuple(column if hasattr(column, "detach") else np.asarray(column) for column in given)
    elif _is_matrix(given) and given.shape[1] in (2, 3) and given.shape[1] != items:
        columns = tuple(given[:, place] for place in range(given.shape[1]))
    else:
        return None
    shapes = [tuple(column.shape) for column in columns]
    if len(columns) not in (2, 3) or len(set(shapes)) > 1 or len(shapes[0]) != 1:
        raise InputError.of("catalogue.pairs_of_shape", shapes=str(shapes))
    if not all(_kind_of(column) in "iuOUT" for column in columns[:2]):
        raise InputError.of("catalogue.pairs_of_type", query_type=columns[0].dtype, item_type=columns[1].dtype)
    if not all(_kind_of(column) in "iufb" for column in columns[2:]):
        raise InputError.of("catalogue.grades_of_type", type=columns[2].dtype)
    return columns


def _is_matrix(given: Any) -> bool:
    return hasattr(given, "__array__") and not hasattr(given, "columns") and getattr(given, "ndim", 0) == 2


def _kind_of(column: Any) -> str:
    """NumPy's letter for the type of an array, also of a tensor's."""
    return "f" if "bfloat16" in str(column.dtype) else host(column[:0]).dtype.kind


def _rows_known(known: pl.Series, wanted: pl.Series) -> Ints:
    """The row of each wanted id among the known ones, -1 where it is not there."""
    if known.dtype != wanted.dtype:
        known, wanted = known.cast(pl.String), wanted.cast(pl.String)
    return numbers_among(known, wanted)


def _seen_pairs(exclude: object, queries: Names, items: Names) -> tuple[Any, Any]:
    """Rows of queries and items, -1 for what is not known; tensors stay where they are."""
    if exclude is None:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    columns = _columns_of_pairs(exclude, items.count)
    pairs: tuple[Any, ...]
    if (
        columns is not None
        and queries.ids is None
        and items.ids is None
        and all(_kind_of(s) in "iu" for s in columns[:2])
    ):
        # In 64 bits whatever was given: queries x items is soon beyond 32.
        pairs = tuple(s.long() if hasattr(s, "long") else s.astype(np.int64, copy=False) for s in columns[:2])
    elif columns is not None:
        pairs = queries.rows(_ids_in(columns[0])), items.rows(_ids_in(columns[1]))
    elif isinstance(exclude, Mapping) and not are_columns(exclude):
        for query, of_one in exclude.items():
            if isinstance(of_one, str) or not isinstance(of_one, Iterable):
                raise InputError.of("catalogue.no_items_excluded", query=str(query), value=spelled(of_one))
        seen = {query: list(of_one) for query, of_one in exclude.items()}
        row = queries.rows(as_ids(list(seen))) if seen else np.empty(0, np.int64)
        listed = [item for of_one in seen.values() for item in of_one]
        pairs = np.repeat(row, [len(of_one) for of_one in seen.values()]), items.rows(as_ids(listed))
    else:  # every row is a pair, whatever its grade
        table = into_judgments(exclude, columns={"relevant": "rows"}).judgment_table()
        pairs = queries.rows(table.query), items.rows(table.item)
    if len(pairs[0]) and not ((pairs[1] >= 0) & (pairs[1] < items.count)).any():
        known = examples(items.column.head(3))
        raise InputError.of("catalogue.nothing_excluded", count=len(pairs[1]), ids=known)
    if len(pairs[0]) and not ((pairs[0] >= 0) & (pairs[0] < queries.count)).any():  # users without a past are possible
        warn(said("nothing_excluded", count=len(pairs[0]), ids=examples(queries.column.head(3))))
    return pairs[0], pairs[1]
