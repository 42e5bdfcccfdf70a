"""Results that show themselves: each describes itself as a document, which every medium renders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rankmeter.late import pl
from rankmeter.showing.document import Block, Paragraph, Table
from rankmeter.wording import Language, Said, chosen_language


class Showable:
    """A result for people: in a terminal, a notebook, a document, a page; and as plain data for programs."""

    __slots__ = ()

    def document(self, language: Language = "en") -> Sequence[Block]:
        """What is shown, as data."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # every result is a dataclass

    def to_text(self, language: Language = "en", *, width: int | None = None) -> str:
        """For a terminal; lines and tables fit ``width`` where one is given."""
        from rankmeter.showing.terminal import document_text

        return document_text(self.document(language), width=width, lang=language)

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
        from rankmeter.showing.json import json_text

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

    def _blocks(self, language: Language) -> list[Block]:
        """What is shown above the notes."""
        raise NotImplementedError

    def to_polars(self) -> pl.DataFrame:
        """The numbers, a row each; null where there is none."""
        return pl.DataFrame(self._rows(), infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))

    def document(self, language: Language = "en") -> list[Block]:
        """What is shown, the notes last."""
        return [*self._blocks(language), *(Paragraph(note.text(language), "note") for note in self.notes)]


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
