"""What one cell of a table holds: nothing, a number, a truth value, a list, or text that spells one of them.

CSV that is written is shown and not run by a spreadsheet: text that would begin a formula carries an apostrophe, and is
read back as it was. Numbers stay numbers, below zero too: a spreadsheet does not run them.
"""

from __future__ import annotations

import csv
import io
import math
import numbers
import re
import unicodedata
from ast import literal_eval
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from rankmeter.late import decimal, json, pl

RawColumn: TypeAlias = "pl.Series | list[object]"
"""A column before it is checked; a list where no Polars type was known (object columns, JSON)."""

EXACT_WHOLE_NUMBERS = 2**53
"""Whole numbers below are the same as floats."""
_MOST_DIGITS = 4000
"""Python makes no whole number of 4,300 digits."""

LOOKED_AT = 1000
"""How many rows of a column are looked at to tell what it holds."""

Contents = Literal["numbers", "some numbers", "few words", "words", "lists", "lists of numbers", "other"]
"""What a column holds: numbers alone, some among other things, a few words again and again, short texts, lists (also
as text), or none of these."""
LISTS: tuple[Contents, ...] = ("lists", "lists of numbers")

_FEW_WORDS = 10
_LONG_TEXT = 40
_DATE = r"\s*(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2})"
NULLS = ("NoneType", "NAType", "NaTType")  # by name: pandas is not imported for its nulls
_ALWAYS_THERE = frozenset({str, int, bool, dict, list})
_TRUTH_VALUES = {"true": True, "false": False}


def is_null(value: object) -> bool:
    """Whether this is None or one of the missing values of pandas."""
    return type(value).__name__ in NULLS


def is_missing(value: object) -> bool:
    """Whether this stands for nothing: None, NaN, or the missing values of pandas."""
    if type(value) in _ALWAYS_THERE:  # asked of every field of every hit: the others take ten times as long
        return False
    return is_null(value) or (isinstance(value, numbers.Real) and value != value)  # noqa: PLR0124 (NaN)


def is_list(value: object) -> bool:
    """Whether this is a list, an array of one dimension, or text that looks like a list: ``[1, 2]``."""
    if isinstance(value, str):
        return value[:1] == "[" and value[-1:] == "]"
    return isinstance(value, (list, tuple, set, frozenset)) or (
        hasattr(value, "__array__") and getattr(value, "ndim", 1) == 1
    )


def list_of(value: object) -> Sequence[object] | None:
    """The values of a list, an array, or text that spells a list; None for everything else."""
    if isinstance(value, str):
        read = _spelled(value, json.loads)
        value = _spelled(value, literal_eval) if read is None else read
    if isinstance(value, str) or not is_list(value):
        return None
    return list(value.tolist() if hasattr(value, "tolist") else cast("Collection[object]", value))


def _spelled(text: str, read: Callable[[str], object]) -> object:
    try:
        return read(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def is_number(value: object) -> bool:
    """Whether float() may take this object: a number of any kind or a truth value, but not text."""
    if isinstance(value, int):
        return value.bit_length() < 1024  # float() refuses more than 308 digits
    if isinstance(value, decimal.Decimal):
        return not value.is_snan()
    return isinstance(value, numbers.Real) and not isinstance(value, np.timedelta64)


def is_text(value: str) -> bool:
    """Whether every character is one; half of one (a lone surrogate) cannot be written anywhere."""
    try:
        value.isascii() or value.encode()
    except UnicodeEncodeError:
        return False
    return True


def number_of(text: object) -> object:
    """Take the number or truth value that a field spells, or the field itself for the message that refuses it."""
    if not isinstance(text, str) or "_" in text or not text.isascii():
        return text  # float() takes 1_000 and digits of other scripts; no other tool does
    try:
        return as_written(text.strip())
    except ValueError:
        return _TRUTH_VALUES.get(text.strip().casefold(), text) if text.strip() else None


def as_written(text: str) -> float | int | decimal.Decimal:
    """A number as the float that it spells; one beyond 2**53 that no float is like, exactly.

    Digits that the float itself would be written with spell it, however many of them there are.

    >>> as_written("9007199254740993"), as_written("9007199254740993.0"), as_written("9007199254740994.0")
    (9007199254740993, Decimal('9007199254740993.0'), 9007199254740994.0)
    """
    number = float(text)
    if not abs(number) >= EXACT_WHOLE_NUMBERS:
        return number
    if text.lstrip("+-").isdigit() and len(text) < _MOST_DIGITS:
        return int(text)
    try:
        written = decimal.Decimal(text)
    except decimal.InvalidOperation:  # an exponent of twenty digits
        return decimal.Decimal((number < 0, (1,), decimal.MAX_EMAX))
    digits = len(written.as_tuple().digits)
    return number if written in (number, decimal.Decimal(f"{number:.{digits - 1}e}")) else written


def is_rounded(value: Any) -> bool:
    """Whether a number beyond 2**53 becomes another one as a float, so that two of them may become one."""
    if isinstance(value, (float, np.float16, np.float32)):
        return False
    exact = int(value) if isinstance(value, numbers.Integral) else value
    if isinstance(exact, decimal.Decimal):
        # Its own abs() rounds, and refuses what is too large for the thread's precision.
        return not exact.is_nan() and bool(exact.copy_abs() >= EXACT_WHOLE_NUMBERS and exact != float(exact))
    try:
        return bool(abs(exact) >= EXACT_WHOLE_NUMBERS and exact != float(exact))
    except OverflowError:  # more than 308 digits
        return True


def highest(values: npt.NDArray[Any]) -> int:
    """The highest of one or more whole numbers, or more than any where one is below 0: as unsigned, such are high.

    >>> highest(np.array([3, 7])), highest(np.array([3, -7], np.int8)) == 2**64
    (7, True)
    """
    found = int(values.view(f"{values.dtype.byteorder}u{values.itemsize}").max())
    return found if found <= np.iinfo(values.dtype).max else 1 << 64


def merged(values: Iterable[Any]) -> tuple[Any, Any] | None:
    """Two different numbers that are the same float: decimals and fractions have digits that a float has not."""
    first: dict[float, Any] = {}
    for value in values:
        if isinstance(value, (float, int, type(None))) or math.isnan(value):
            continue
        if first.setdefault(float(value), value) != value:
            return first[float(value)], value
    return None


def spells_number(text: str) -> bool:
    """Whether a field of a text file holds a number or a truth value."""
    return isinstance(number_of(text), (int, float))


def contents(column: RawColumn | Sequence[object]) -> Contents:
    """Tell from the first rows of a column what it holds; truth values are numbers, also where they are text.

    Sentences, addresses and dates make it none of them, unless there are more numbers than these.

    Examples
    --------
    >>> [contents(values) for values in (["0.5", "1e3", None], [True, False], ["N/A", "0,5"], ["-", "1 %"])]
    ['numbers', 'numbers', 'some numbers', 'some numbers']
    >>> [contents(values) for values in (["yes", "no", "yes"], ["yes", "no"], [None], ["https://a.example/1", "1"])]
    ['few words', 'words', 'other', 'other']
    >>> [contents(values) for values in ([[1, 2], [3]], ["['a', 'b']", "[]"])]
    ['lists of numbers', 'lists']
    """
    rows = list(column[:LOOKED_AT])
    values = [value for value in rows if not is_missing(value) and not (isinstance(value, str) and not value)]
    if values and all(map(is_list, values)):
        listed = next((several for value in values if (several := list_of(value))), ())
        return "lists of numbers" if all(is_number(one) or spells_number(str(one)) for one in listed) else "lists"
    texts = [value for value in values if isinstance(value, str)]
    others = [value for value in values if not isinstance(value, str)]
    if values and all(map(spells_number, texts)) and all(map(is_number, others)):
        return "numbers"
    numbers_read = sum(map(reads_as_number, texts)) + sum(map(is_number, others))
    if numbers_read > (prose := sum(map(_is_free_text, texts))):
        return "some numbers"
    if prose or not texts:
        return "other"
    different = len(set(map(str, values))) + (len(values) < len(rows))
    return "few words" if different <= _FEW_WORDS and different < len(rows) else "words"


def _is_free_text(text: str) -> bool:
    """Whether this is longer than any number or verdict, an address, or a date."""
    return len(text) > _LONG_TEXT or len(text.split()) > 5 or "://" in text or re.match(_DATE, text) is not None


def reads_as_number(text: str) -> bool:
    """Whether a person reads a number: with a decimal comma, a percent sign, in the digits of any script."""
    plain = unicodedata.normalize("NFKC", text).strip().replace("\u2212", "-").removesuffix("%").rstrip()
    return any(character.isdigit() for character in plain) and spells_number(plain.replace(",", "."))


_BLANKS = "[ \t\n\r\x0b\x0c\x85\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]*"
"""What a spreadsheet passes over before it looks for a formula; the same for Python and Polars."""
_BEGINS = _BLANKS + r"[=+\-@\t\r]"
_FORMULA = f"^'*{_BEGINS}"
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_GUARDED = f"^'+{_BEGINS}"


def guarded(text: str) -> str:
    """A cell of text as it is written.

    >>> guarded("=1+1"), guarded(" =1"), guarded("-0.5"), guarded("'=1"), guarded("plain")
    ("'=1+1", "' =1", '-0.5', "''=1", 'plain')
    """
    return f"'{text}" if re.match(_FORMULA, text) and not re.fullmatch(_NUMBER, text) else text


def unguarded(text: str) -> str:
    """A cell of text as it was before it was written.

    >>> unguarded("'=1+1"), unguarded("''=1"), unguarded("'tis")
    ('=1+1', "'=1", "'tis")
    """
    return text[1:] if text[:1] == "'" and re.match(_GUARDED, text) else text


def unguarded_column(column: pl.Series) -> pl.Series:
    """A column of text as it was before it was written."""
    if column.dtype != pl.String or not column.str.starts_with("'").any():
        return column
    return column.str.replace(f"^'('*{_BEGINS})", "$1")


def unguarded_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Every column of text of a table as it was before it was written."""
    return frame.with_columns(map(unguarded_column, frame.get_columns()))


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV, the first of them the header; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return text.getvalue()


def frame_csv(frame: pl.DataFrame) -> str:
    """A table as CSV."""
    texts = (pl.col(name) for name, kind in frame.schema.items() if kind == pl.String)
    frame = frame.with_columns(
        pl.when(text.str.contains(_FORMULA) & ~text.str.contains(f"^(?:{_NUMBER})$"))
        .then(pl.concat_str(pl.lit("'"), text))
        .otherwise(text)
        .name.keep()
        for text in texts
    )
    return frame.rename({name: guarded(name) for name in frame.columns}).write_csv()
