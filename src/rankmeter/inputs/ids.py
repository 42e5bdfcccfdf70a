"""Ids: as columns of text or 64-bit whole numbers, never floats; and why those of two inputs do not match."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, date, datetime
from itertools import islice
from numbers import Integral
from sys import getsizeof
from typing import Any, NoReturn
from uuid import UUID

import numpy as np

from rankmeter.errors import InputError, examples
from rankmeter.inputs.cells import is_text
from rankmeter.late import pl
from rankmeter.wording import Said, said, spelled

_UUID_BYTES = 16


class LateIds:
    """Ids that become a column when somebody looks at them, so that means alone never load Polars."""

    __slots__ = ("_column", "values")

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self._column: pl.Series | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def column(self) -> pl.Series:
        """The column, made once."""
        if self._column is None:
            self._column = ids(self.values)
        return self._column


def column_of_ids(given: pl.Series | LateIds) -> pl.Series:
    """Ids as a column."""
    return given.column if isinstance(given, LateIds) else given


def list_of_ids(given: pl.Series | LateIds) -> list[Any]:
    """Ids as a list."""
    return given.values if isinstance(given, LateIds) else given.to_list()


def types_of_ids(groups: Iterable[Collection[Any]]) -> set[type]:
    """The types of all ids of some mappings or lists.

    To look at every key takes half as long again as to evaluate a long run, so a dictionary is asked for its size: one
    whose keys are all text takes fewer bytes than any other.
    """
    groups = list(groups)
    if set(map(type, groups)) == {dict} and _TEXT_SIZES.issuperset(map(getsizeof, groups)):
        return {str}
    types: set[type] = set()
    for ids_ in groups:
        if type(ids_) is dict and getsizeof(ids_) in _TEXT_SIZES:
            types.add(str)
        else:
            types.update(map(type, ids_))
    return types


def is_id_type(kind: type) -> bool:
    """Whether objects of this type can be ids: text and whole numbers can, truth values and durations cannot."""
    return issubclass(kind, (str, Integral)) and not issubclass(kind, (bool, np.timedelta64))


def has_text(kind: type) -> bool:
    """Whether objects of this type are ids by the one text that they have: UUIDs, days and moments."""
    return issubclass(kind, (UUID, date, np.datetime64))


def plain_id(id_: Any) -> str | int:
    """The text or the number that an id is: that of a member of an enumeration, which may be shown as its name.

    A moment at midnight without a zone is its day, because pandas has no days; one with a zone is that of UTC.

    >>> from datetime import date, datetime
    >>> plain_id(date(2026, 1, 31)), plain_id(datetime(2026, 1, 31)), plain_id(datetime(2026, 1, 31, 12, 0, 0, 500_000))
    ('2026-01-31', '2026-01-31', '2026-01-31 12:00:00.5')
    """
    if isinstance(id_, str):
        return str.__str__(id_)
    if isinstance(id_, datetime):
        if id_.tzinfo is not None:
            id_ = id_.astimezone(UTC)
        return _short_moment(id_.isoformat(sep=" "))
    if isinstance(id_, np.datetime64):
        coarse = np.datetime_data(id_.dtype)[0] in ("Y", "M", "W", "D", "h", "m")
        return _short_moment(str(id_.astype("datetime64[s]") if coarse else id_).replace("T", " "))
    return str(id_) if has_text(type(id_)) else int(id_)


def is_no_time(value: Any) -> bool:
    """Whether this is the missing value of times."""
    return bool(value != value)  # noqa: PLR0124 (NaT)


def _short_moment(text: str) -> str:
    """Without zeros behind the last digit that says anything, and without a midnight that has no zone."""
    moment, plus, zone = text.partition("+")
    if "." in moment:
        moment = moment.rstrip("0").rstrip(".")
    return moment + plus + zone if plus else moment.removesuffix(" 00:00:00")


def ids_as_text(column: pl.Series) -> pl.Series | None:
    """Days, moments and UUIDs (which Parquet keeps as 16 bytes) as `plain_id` writes them; None for other columns."""
    dtype = column.dtype
    if dtype == pl.Date:
        return column.cast(pl.String)
    if isinstance(dtype, pl.Datetime):
        zone = "" if dtype.time_zone is None else "+00:00"
        moments = column.dt.convert_time_zone("UTC") if zone else column
        text = moments.dt.to_string("%Y-%m-%d %H:%M:%S%.9f").str.replace(r"\.?0*$", "")
        text = text if zone else text.str.replace(" 00:00:00$", "")
        return text + zone
    if dtype == pl.Binary and (column.bin.size() == _UUID_BYTES).all():
        parts = r"^(.{8})(.{4})(.{4})(.{4})(.{12})$"
        return column.bin.encode("hex").str.replace(parts, "$1-$2-$3-$4-$5")
    return None


def id_text(id_: Any) -> str:
    """An id as text; refuses a whole number of more digits than Python writes."""
    return _as_text(plain_id(id_))


def are_mixed(*types: Iterable[type]) -> bool:
    """Whether some types of ids are text and some are numbers."""
    return len({issubclass(kind, str) for some in types for kind in some}) > 1


def refuse_same_text(what: str) -> NoReturn:
    """Say that two ids of one mapping would become one."""
    raise InputError.of("inputs.same_text", what=what)


def _text_sizes() -> frozenset[int]:
    """The sizes that dictionaries with nothing but text for keys can have.

    CPython keeps no hash beside such keys: an entry takes 16 bytes in place of 24. A table of 2^n places has room for
    two thirds as many entries and an index of 1, 2 or 4 bytes a place, so that the sizes of the two kinds never meet.
    """
    entries = {n: 16 * ((2 << n) // 3) + (1 << n) * (1 if n < 8 else 2 if n < 16 else 4) for n in range(3, 32)}
    rest = getsizeof({"a": 0}) - entries[3]
    return frozenset(rest + size for size in entries.values())


_TEXT_SIZES = _text_sizes()


def ids(values: list[Any]) -> pl.Series:
    """Ids as a column: 64-bit numbers where all are whole numbers, text otherwise.

    What is not an id is refused: a float, nothing, or text that no table can hold.
    """
    kinds = set(map(type, values))
    if values and all(is_id_type(kind) and not issubclass(kind, str) for kind in kinds):
        whole = [int(value) for value in values]
        if min(whole) >= -(2**63) and max(whole) < 2**63:
            return pl.Series(whole, dtype=pl.Int64)
    if any(map(has_text, kinds)):
        values = [plain_id(value) if has_text(type(value)) and not is_no_time(value) else value for value in values]
        kinds = set(map(type, values))
    if not all(map(is_id_type, kinds)):
        wrong = next(value for value in values if not is_id_type(type(value)))
        kind = "inputs.float_id" if isinstance(wrong, float) else "inputs.no_id"
        raise InputError.of(kind, value=spelled(wrong), type=type(wrong).__name__)
    texts = values if kinds <= {str} else list(map(id_text, values))
    refuse_no_text(texts)
    return pl.Series(texts, dtype=pl.String)


def refuse_no_text(values: Iterable[Any]) -> None:
    """Refuse ids of which any is not text."""
    try:
        together = "".join(values)
    except TypeError:  # numbers among them
        together = "".join(map(_as_text, values))
    if not together.isascii() and not is_text(together):
        raise no_text(next(text for text in map(str, values) if not is_text(text)))


def _as_text(value: object) -> str:
    try:
        return str(value)
    except ValueError:
        raise InputError.of("inputs.id_of_digits", most=sys.get_int_max_str_digits()) from None


def no_text(id_: str) -> InputError:
    """What is said of an id that is not text: half of a character, which no file and no table can hold."""
    return InputError.of("inputs.lone_surrogate", id=spelled(id_))


LOOKED_AT = 10_000
"""How many ids of each side are looked at."""

_CHANGES: Mapping[str, Callable[[str], str]] = {
    "ids_differ_in_blanks": str.strip,
    "ids_differ_in_case": str.casefold,
    "ids_differ_in_form": lambda text: unicodedata.normalize("NFKC", text),
    "ids_differ_in_zeros": lambda text: text.lstrip("0"),
    "ids_differ_in_all": lambda text: unicodedata.normalize("NFKC", text).strip().casefold().lstrip("0"),
}


def why_unlike(judged: Iterable[object], returned: Iterable[object]) -> Said | None:
    """Why no id of one side is among those of the other: the first change that makes some of them equal, or None.

    Examples
    --------
    >>> why_unlike(["D1", "D2"], ["d2", "d9"]).text("en")
    "they differ in upper and lower case ('D2' and 'd2')"
    >>> why_unlike([17, 4], ["doc/4", "doc/9"]).text("en")
    "one side has a prefix ('4' and 'doc/4')"
    >>> why_unlike(["a"], ["b"]) is None
    True
    """
    judged_ids, returned_ids = ([str(id_) for id_ in islice(ids, LOOKED_AT)] for ids in (judged, returned))
    for kind, change in _CHANGES.items():
        if (pair := _pair_made_equal(judged_ids, returned_ids, change, change)) is not None:
            return said(kind, judged=repr(pair[0]), returned=repr(pair[1]))
    for first, second in ((_without_prefix(judged_ids), str), (str, _without_prefix(returned_ids))):
        if (pair := _pair_made_equal(judged_ids, returned_ids, first, second)) is not None:
            return said("ids_differ_in_prefix", judged=repr(pair[0]), returned=repr(pair[1]))
    return None


def no_query_in_common(judgments: str, judged: Iterable[object], run: str, returned: Iterable[object]) -> InputError:
    """The error where a run holds none of the judged queries."""
    judged, returned = list(judged), list(returned)
    kind = "inputs.no_query_given" if run == "run" else "inputs.no_query_in_common"  # objects may be one query's answer
    return InputError.of(
        kind, judgments=judgments, judged=examples(judged, shown=3), run=run,
        returned=examples(returned, shown=3), hint=why_unlike(judged, returned),
    )  # fmt: skip


def _pair_made_equal(
    judged: list[str], returned: list[str], change: Callable[[str], str], of_other: Callable[[str], str]
) -> tuple[str, str] | None:
    """An id of each side that the changes make equal."""
    changed = {of_other(id_): id_ for id_ in reversed(returned)}
    changed.pop("", None)
    return next(((id_, changed[key]) for id_ in judged if (key := change(id_)) in changed), None)


def _without_prefix(ids: list[str]) -> Callable[[str], str]:
    """Take away what all ids begin with: up to the last sign that is neither letter nor digit, or to the digits."""
    first, last = min(ids, default=""), max(ids, default="")
    length = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    signs = [at for at, letter in enumerate(first[:length], 1) if not letter.isalnum()]
    prefix = first[: signs[-1]] if signs else first[:length].rstrip("0123456789")
    return lambda text: text.removeprefix(prefix)
