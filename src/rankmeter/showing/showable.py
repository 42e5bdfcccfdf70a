"""Results that show themselves: each describes itself as a document, which every medium renders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from typing import Any

from rankmeter.late import pl
from rankmeter.showing.document import Block, Cell, Column, Paragraph, Table, number_cell
from rankmeter.wording import Language, Said, chosen_language, said


class Showable:
    """A result for people: in a terminal, a notebook, a document, a page; and as plain data for programs."""

    __slots__ = ()

    def told(self) -> Sequence[Block]:
        """What is shown, as data, its words and sentences as :func:`rankmeter.wording.said` makes them."""
        raise NotImplementedError

    def document(self, language: Language = "en") -> Sequence[Block]:
        """What is shown, as data, in one language."""
        return [_worded(block, language) for block in self.told()]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # every result is a dataclass

    def to_text(self, language: Language = "en", *, width: int | None = None) -> str:
        """For a terminal; lines and tables fit ``width`` where one is given."""
        from rankmeter.showing.terminal import document_text

        return document_text(self.document(language), width=width)

    def to_markdown(self, language: Language = "en", *, level: int = 2) -> str:
        """For a document; ``level`` is that of its outermost heading."""
        from rankmeter.showing.markdown import document_markdown

        return document_markdown(self.document(language), level=level) + "\n"

    def to_html(self, language: Language = "en") -> str:
        """For a notebook or a part of a page: no script, every text escaped."""
        from rankmeter.showing.html import notebook_html

        return notebook_html(self.document(language), lang=language)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Everything as JSON; what has no value is null."""
        from rankmeter.showing.numbers import json_text

        return json_text(self.to_dict(), indent=indent)

    def __repr__(self) -> str:
        from rankmeter.showing.terminal import terminal_width

        return self.to_text(chosen_language(), width=terminal_width())

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return self.to_html(chosen_language())


class ShownAsTable(Showable):
    """A result that is a table too, for programs that read rows."""

    __slots__ = ()

    def to_polars(self) -> pl.DataFrame:
        """The numbers, a row each."""
        raise NotImplementedError


class NotedTable(ShownAsTable):
    """A result of several tables, with notes below them, and with rows for programs."""

    __slots__ = ()
    notes: tuple[Said, ...]

    def _rows(self) -> list[dict[str, Any]]:
        """The numbers, a row each; NaN where there is none."""
        raise NotImplementedError

    def _blocks(self) -> list[Block]:
        """What is shown above the notes."""
        raise NotImplementedError

    def told(self) -> list[Block]:
        """What is shown, the notes last."""
        return [*self._blocks(), *(Paragraph(note, "note") for note in self.notes)]

    def to_polars(self) -> pl.DataFrame:
        """The numbers, a row each; null where there is none."""
        return pl.DataFrame(self._rows(), infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))


def _worded(part: Any, language: Language) -> Any:
    """A part of a document with every sentence in it in one language."""
    if isinstance(part, Said):
        return part.text(language)
    if isinstance(part, (tuple, list)):
        return type(part)(_worded(each, language) for each in part)
    if isinstance(part, dict):
        return {name: _worded(each, language) for name, each in part.items()}
    if not is_dataclass(part) or isinstance(part, type):
        return part
    return replace(part, **{field.name: _worded(getattr(part, field.name), language) for field in fields(part)})


Head = str | tuple[Any, ...] | Column
"""A column: a word, a word (or sentence) with what else a column states, or the column itself."""


def said_table(heads: Sequence[Head], rows: Iterable[Sequence[Any]], name: str) -> Table:
    """A table whose heads are words; a cell is a value, or a number with the ends of its interval."""

    def column(head: Head) -> Column:
        if isinstance(head, Column):
            return head
        kind, *facts = head if isinstance(head, tuple) else (head,)
        return Column(kind if isinstance(kind, Said) else said(kind), *facts)

    def cell(value: Any) -> Cell:
        if isinstance(value, (tuple, float)):
            return number_cell(*value) if isinstance(value, tuple) else number_cell(value)
        return value if isinstance(value, Cell) else Cell(value)

    return Table(tuple(map(column, heads)), tuple(tuple(map(cell, row)) for row in rows), name=name)


class ToldTable(ShownAsTable):
    """A result that is one table and the sentences that belong to it."""

    __slots__ = ()

    def table(self, language: Language = "en") -> Table:
        """The numbers, for people."""
        raise NotImplementedError

    def sentences(self) -> list[Said]:
        """What belongs to the numbers."""
        raise NotImplementedError

    def document(self, language: Language = "en") -> Sequence[Block]:
        """The numbers, then what is said of them."""
        return [self.table(language), *(Paragraph(sentence.text(language)) for sentence in self.sentences())]
