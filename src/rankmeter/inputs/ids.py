"""Ids as columns: text or 64-bit whole numbers, never floats."""

from __future__ import annotations

from typing import Any

from rankmeter.errors import InputError, with_hint
from rankmeter.late import pl


class LateIds:
    """Ids that become a column when somebody looks at them, so that means alone never load Polars."""

    __slots__ = ("_column", "values")

    def __init__(self, values: list[Any]) -> None:
        _refuse_no_ids(values)
        self.values = values
        self._column: pl.Series | None = None

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


def ids(values: list[Any]) -> pl.Series:
    """Ids as a column: 64-bit numbers where all are whole numbers, text otherwise."""
    if values and all(hasattr(value, "__index__") for value in values):
        whole = [int(value) for value in values]
        if min(whole) >= -(2**63) and max(whole) < 2**63:
            return pl.Series(whole, dtype=pl.Int64)
    _refuse_no_ids(values)
    return pl.Series([str(value) for value in values], dtype=pl.String)


def _refuse_no_ids(values: list[Any]) -> None:
    """Refuse what is no id: a float, nothing, or text that no table can hold."""
    if any(issubclass(kind, (float, type(None))) for kind in set(map(type, values))):
        wrong = next(value for value in values if isinstance(value, float) or value is None)
        fact = f"an id is {wrong!r}, of type {type(wrong).__name__}; ids are text or whole numbers."
        raise InputError(with_hint(fact, "floats lose digits of large ids; convert them where they are made"))
    try:
        "".join(map(str, values)).encode()
    except UnicodeEncodeError as error:
        raise InputError(no_text(next(text for text in map(str, values) if not _is_text(text)))) from error


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def no_text(id_: str) -> str:
    """What is said of an id that is no text: half of a character, which no file and no table can hold."""
    hint = "bytes were decoded with surrogateescape or cut in two; decode them again"
    return with_hint(f"the id {id_!r:.60} holds a lone surrogate, which is no character.", hint)
