"""How an input was read: from what, which column became what, what orders it, what looked odd, and how far it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import LISTS, RawColumn, contents, is_missing, is_text
from rankmeter.inputs.columns import RANKING, Named, Role, Side, is_user_name, judgment_columns, run_columns
from rankmeter.wording import AFTER_NAME, BETWEEN, Language, Said, is_about_users, kinds, line_about, said, word

Order = Literal["score", "distance", "rank", "row order", "lists"]
_ORDERED = kinds("read_{}", get_args(Order))
Head = Callable[[str], "RawColumn | Sequence[object]"]
"""The first rows of a column."""

_SHOWN, _WEIGHED, _GLANCE = 12, 200, 50
"""So many unused columns are shown; of no more than so many it is told, from so many rows, what they hold."""

UNUSED = "unused"
"""The kind of note that names columns of which nothing was read where rows alone say what counts."""
QUERY_CHANCE, ITEM_CHANCE, ITEM_DEPTH, DIFFERING_DEPTH = CHANCES = (
    "query_chance",
    "item_chance",
    "item_depth",
    "differing_depth",
)
"""Columns that record a draw: they are kept with judgments for those who ask for them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How one side was read.

    Examples
    --------
    >>> import polars as pl, rankmeter as rm
    >>> run = pl.DataFrame({"uid": [1, 1], "iid": [8, 9], "y_pred": [0.1, 0.9], "title": ["a", "b"]})
    >>> reading = rm.evaluate({1: {9}}, run, "RR").reading
    >>> reading.run.columns, reading.run.order, reading.run.unused
    ({'query': 'uid', 'item': 'iid', 'score': 'y_pred'}, 'score', ('title',))
    >>> print(reading.run)
    run (polars DataFrame): user=uid, item=iid, score=y_pred; highest score first; not used: title; 2 rows
    """

    source: str
    """The file, or what kind of object it was."""
    format: str = ""
    """How the file is written, or ``mapping``, ``lists``, ``array``, ``frame``."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Which column became what, by role."""
    rows: int | None = None
    """How many rows, or pairs of query and item; None where nobody counted them."""
    order: Order | None = None
    """What orders the items of a run."""
    unused: tuple[str, ...] = ()
    """Columns that nothing was read from."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What looked odd, by kind."""
    export: str = ""
    """What wrote the file, where it is a response or an export of a known kind."""

    @property
    def roles(self) -> Mapping[Role, str]:
        """Which column became what."""
        return cast("Mapping[Role, str]", self.columns)

    def text(self, lang: Language = "en") -> str:
        """All of it in one line."""
        size = "" if self.rows is None else word("read_rows", lang, count=self.rows)
        return line_about(self.source, (self.kind_text(lang), size), lang)

    def kind_text(self, lang: Language = "en", *, of_users: bool = False) -> str:
        """What does not depend on this very file."""
        words = {"query": "user"} if of_users or is_user_name(self.columns.get("query", "")) else {}
        named = ", ".join(f"{words.get(role, role)}={column}" for role, column in self.columns.items())
        kind = word("read_trec", lang) if self.format == "trec" else named or self.format
        kind = f"{self.export} ({kind})" if self.export else kind
        order = word(_ORDERED[self.order], lang) if self.order else ""
        left = [name for name in self.unused if name not in CHANCES]
        unused = word("read_unused", lang, names=examples(left, shown=_SHOWN)) if left else ""
        return BETWEEN[lang].join(filter(None, (kind, order, unused)))

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True, slots=True)
class Readings:
    """How judgments and run were read; None for a side that was not read here."""

    judgments: Reading | None = None
    run: Reading | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What looked odd on either side."""
        return tuple(note for side in self.sides for note in side.notes.values())

    @property
    def names_users(self) -> bool:
        """Whether a column says that lists belong to users."""
        return any(is_user_name(side.columns.get("query", "")) for side in self.sides)

    @property
    def sides(self) -> tuple[Reading, ...]:
        """Those that were read."""
        return tuple(side for side in (self.judgments, self.run) if side is not None)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Readings:
        """Read what ``dataclasses.asdict`` made."""
        return cls(
            **{
                side: None if saved_side is None else Reading(**{**saved_side, "unused": tuple(saved_side["unused"])})
                for side, saved_side in saved.items()
            }
        )


def reading_line(readings: Iterable[Readings]) -> Said | None:
    """One line for all that was read: what was read alike is said once; None where nothing had to be decided."""
    sides = [side for reading in readings for side in reading.sides]
    decided = [side for side in sides if side.export or side.format not in ("", "mapping", "lists", "array")]
    return said("read_all", parts=_Alike(decided, is_about_users())) if decided else None


@dataclass(frozen=True, slots=True)
class _Alike:
    """What was read, the files that were read alike together."""

    sides: list[Reading]
    of_users: bool

    def worded(self, language: Language, _: object) -> str:
        """The sources of each way of reading, and the way."""
        sources: dict[str, dict[str, None]] = {}
        for side in self.sides:
            sources.setdefault(side.kind_text(language, of_users=self.of_users), {})[side.source] = None
        return " | ".join(f"{', '.join(names)}{AFTER_NAME[language]}{kind}" for kind, names in sources.items())


def read_as(side: Side, names: Sequence[str], head: Head, named: Named | None, source: str, format: str) -> Reading:
    """Find out which column of a table is what."""
    broken = next((name for name in names if not is_text(name)), None)
    if broken is not None:
        raise InputError.of("inputs.name_not_text", source=source, name=repr(broken))
    find = judgment_columns if side == "judgments" else run_columns
    holds = cache(lambda column: contents(head(column)))
    roles = find(names, named, source, holds)
    columns: dict[str, str] = dict(roles.items())
    unused = _likeliest_first([name for name in names if name not in columns.values()], head)
    notes = {}
    decides = ("grade", "relevant") if side == "judgments" else (*RANKING, "order")
    if unused and not any(role in columns or role in (named or {}) for role in decides):
        notes[UNUSED] = said(
            "unused_in_run" if side == "run" else "unused_in_judgments", source=source, names=examples(unused)
        )
    if side == "judgments":
        return Reading(source, format, columns, unused=unused, notes=notes)
    order: Order = next((role for role in ("score", "distance", "rank") if role in columns), "row order")
    if order == "row order" and holds(columns["item"]) in LISTS:
        order = "lists"
    return Reading(source, format, columns, order=order, unused=unused, notes=notes)


def _likeliest_first(unused: Sequence[str], head: Head) -> tuple[str, ...]:
    """The columns that nothing is read from; where not all of them are shown, numbers, flags and few words first."""
    if not _SHOWN < len(unused) <= _WEIGHED:
        return tuple(unused)
    weight = {name: contents(head(name)[:_GLANCE]) in ("numbers", "some numbers", "few words") for name in unused}
    return tuple(sorted(unused, key=lambda name: not weight[name]))


def trec_reading(side: Side, source: str, rows: int | None, notes: Mapping[str, str] | None = None) -> Reading:
    """How TREC text is read, which has the same fields in every file."""
    order: Order | None = "score" if side == "run" else None
    value = {"score": "field 5"} if side == "run" else {"grade": "field 4"}
    return Reading(source, "trec", {"query": "field 1", "item": "field 3", **value}, rows, order, notes=notes or {})


class ReadLog:
    """What is noticed while the files of a run are read, perhaps several times: each time they must be the same."""

    def __init__(self, source: str | None = None, notes: Mapping[str, str] | None = None) -> None:
        self._source, self._notes = source, notes or {}
        self._stamps: dict[str, tuple[int, int, int]] = {}
        self._now: Reading | None = None
        self._whole: Reading | None = None

    @property
    def reading(self) -> Reading | None:
        """How the files were read when they were last read to the end, or so far."""
        return self._whole or self._now

    def begin(self) -> None:
        """The files are read from the beginning."""
        self._now = None

    def add(self, reading: Reading | None, rows: int) -> None:
        """Some rows were read."""
        if self._now is None:
            notes = {**self._notes, **(reading.notes if reading else {})}
            self._now = reading and replace(reading, rows=rows, source=self._source or reading.source, notes=notes)
        elif reading is not None:
            notes = {**reading.notes, **self._now.notes}
            if reading.columns != self._now.columns:
                notes.setdefault("read otherwise", said("read_otherwise", file=reading.text()))
            self._now = replace(self._now, rows=(self._now.rows or 0) + rows, notes=notes)

    def note(self, kind: str, note: str) -> None:
        """Something looked odd that one file alone does not show."""
        if self._now is not None:
            self._now = replace(self._now, notes={**self._now.notes, kind: note})

    def end(self) -> None:
        """The files were read to the end."""
        self._whole = self._now

    def check(self, path: str) -> None:
        """Refuse a file that is not as it was when it was looked at before."""
        place = Path(path)
        if not place.is_file():
            return
        now = place.stat()
        stamp = (now.st_size, now.st_mtime_ns, now.st_ino)
        if self._stamps.setdefault(path, stamp) != stamp:
            raise InputError.of("inputs.changed_meanwhile", source=path)


class GroupedQueries(list[object]):
    """The query of each row, taken from groups of rows, of so many rows each, of which some may be empty."""

    def __init__(self, groups: Sequence[object], sizes: Sequence[int]) -> None:
        super().__init__(chain.from_iterable(map(repeat, groups, sizes)))
        self.groups = list(groups)
        filled = {str(query) for query, size in zip(groups, sizes, strict=True) if size}
        self.has_empty = any(str(query) not in filled for query in self.groups)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows come from, so that messages can name the row or line at fault."""

    source: str
    lines: Sequence[int] | None = None
    """The line of each row in its file; None where rows have only a position."""
    first_row: int = 0
    """How many rows came before these, where a table is read in parts."""
    reading: Reading | None = None
    """Which column became what."""
    rows: npt.NDArray[np.intp] | None = None
    """The row that each stood in, where lists were taken apart."""

    def blame(self, fact: Said, rows: Sequence[int], raw: Mapping[Role, RawColumn], hint: str = "") -> InputError:
        """Say the fact about the first row, where it is, and which rows are like it."""
        roles: tuple[Role, ...] = ("query", "item")
        known = {role: value for role in roles if role in raw and not is_missing(value := raw[role][rows[0]])}
        whose: Said | str = ""
        if len(known) == len(roles):
            whose = said("inputs.known_query_item", **known)
        elif "query" in known:
            whose = said("inputs.known_query", **known)
        elif known:
            whose = said("inputs.known_item", **known)
        pair = said("inputs.pair", pair=whose) if known else ""
        if self.lines is None:
            mine = rows if self.rows is None else dict.fromkeys(self.rows[list(rows)].tolist())
            places = [row + self.first_row for row in mine]
            where = said("inputs.row_pair", row=places[0], pair=whose) if known else ""
            return InputError.of(
                "inputs.in_rows", source=self.source, fact=fact, count=len(rows), rows=examples(places), where=where,
                hint=hint,
            )  # fmt: skip
        numbers_ = [self.lines[row] for row in rows]
        like = said("inputs.like_this", count=len(rows), lines=examples(numbers_)) if len(rows) > 1 else ""
        return InputError.of(
            "inputs.in_line", source=self.source, line=numbers_[0], fact=fact, pair=pair, like=like, hint=hint
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reading of a run, or the ranking of a catalogue, has come.

    Examples
    --------
    >>> Progress(rows=2_000_000, fraction=0.25, seconds=3.0).seconds_left
    9.0
    """

    rows: int
    """Rows read, or judged items placed, so far."""
    fraction: float | None
    """How much of the input that is, from 0 to 1; None where its size is not known (a pipe)."""
    seconds: float
    """Time since the work began."""
    memory: int | None = None
    """Bytes that the work takes beside what was given, where that is known."""

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest takes if it goes on like this; None where that cannot be told."""
        return self.seconds * (1 - self.fraction) / self.fraction if self.fraction else None


Listener = Callable[[Progress], object]
"""What is told about progress, after every block of whole queries."""


def show_progress(progress: Progress) -> None:
    """A bar on standard error, which stays in its line."""
    width, fraction = 30, progress.fraction or 0.0
    bar = "#" * round(width * fraction)
    left = "" if progress.seconds_left is None else f", {progress.seconds_left:,.0f} s left"
    memory = "" if progress.memory is None else f", {progress.memory / 1e9:,.1f} GB"
    line = f"\r[{bar:<{width}}] {fraction:4.0%} {progress.rows:,} rows{memory}{left}"
    sys.stderr.write(f"{line:<79}" + ("\n" if fraction >= 1 else ""))
    sys.stderr.flush()
