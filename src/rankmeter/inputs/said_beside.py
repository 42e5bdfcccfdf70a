"""Columns that nothing is read from and that say something about the rows: that one does not count, or whose it is.

What they say is not followed, because nobody can know what was meant; it is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankmeter.errors import examples
from rankmeter.inputs.cells import RawColumn, is_missing
from rankmeter.inputs.columns import fold
from rankmeter.inputs.reading import Reading
from rankmeter.late import pl
from rankmeter.wording import Said, chinese, said

_AGAINST = chinese.AGAINST | frozenset(
    "error errors failed isfailed failure timedout timeout ispartial partial incomplete truncated invalid isinvalid "
    "deleted isdeleted removed isremoved ignored ignore isignored excluded exclude isexcluded skipped skip isskipped "
    "rejected isrejected discarded cancelled canceled spam isspam obsolete outdated withdrawn disabled unsure".split()
)
"""What a column is called that says, where it is set, that a row does not count."""

_FOR = chinese.FOR | frozenset(
    "valid isvalid ok isok success successful issuccess succeeded accepted approved complete".split()
)
"""What a column is called that says so where it is not set."""

_STATES = frozenset({"status", "state", "状态"})
_FINE = frozenset(
    "ok 0 200 success succeeded successful done complete completed finished accepted approved final active valid "
    "published 正常 成功 完成 已完成 通过 有效".split()
)

_DIVIDES = chinese.DIVIDES | frozenset(
    "system systemid systemname model modelid modelname run runid runname runtag method algorithm ranker retriever "
    "reranker variant experiment experimentid config split subset partition fold judge judgeid judgename annotator "
    "annotatorid assessor assessorid rater raterid labeler labeller".split()
)
"""What a column is called that says whose row it is."""

_NOT_SET = frozenset({"", "0", "0.0", "false", "no", "none", "null", "nan", "n", "f", "否", "无", "-"})


def said_beside(reading: Reading) -> dict[str, str]:
    """The columns that nothing was read from and that may say something about the rows: ``{name: name}``."""
    return {name: name for name in reading.unused if fold(name) in _AGAINST | _FOR | _STATES | _DIVIDES}


def notes_beside(reading: Reading, columns: Mapping[str, RawColumn]) -> dict[str, Said]:
    """What these columns say, by the kind of note."""
    notes = {}
    for name, column in columns.items():
        given = _different(column)
        if fold(name) in _DIVIDES:
            if len(given) > 1:
                shown = examples(given, shown=3)
                notes[f"divided by {name}"] = said("rows_divided", source=reading.source, column=name, values=shown)
        elif against := [text for text in given if _speaks_against(fold(name), text)]:
            notes[f"{name} of a row"] = said(
                "rows_spoken_against", source=reading.source, column=name, value=against[0]
            )
    return notes


def _different(column: RawColumn | Sequence[object]) -> list[str]:
    """The different values of a column, as text; what is missing says nothing."""
    is_plain = isinstance(column, pl.Series) and not column.dtype.is_nested() and column.dtype != pl.Object
    values = column.unique(maintain_order=True).to_list() if is_plain else list(column)  # type: ignore[union-attr]
    return list(dict.fromkeys(str(value).strip() for value in values if not is_missing(value) and str(value).strip()))


def _speaks_against(name: str, text: str) -> bool:
    """Whether a value under this name says that a row does not count."""
    folded = text.casefold()
    if name in _STATES:
        return folded.removesuffix(".0") not in _FINE
    return (folded in _NOT_SET) == (name in _FOR)
