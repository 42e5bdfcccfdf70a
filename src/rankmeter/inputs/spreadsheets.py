"""CSV that a spreadsheet shows and does not run: text that would begin a formula carries an apostrophe.

What is written here is read back as it was. Numbers stay numbers, below zero too: a spreadsheet does not run them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from rankmeter.late import pl

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
