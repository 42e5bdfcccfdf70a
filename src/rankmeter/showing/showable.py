"""Results that show themselves: each describes itself as a document, which every medium renders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, cast

from rankmeter.errors import check_language, load_library
from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.showing.document import Block, Cell, Column, Heading, Paragraph, Table, number_cell
from rankmeter.whole_files import check_writable, write_text
from rankmeter.wording import Language, Said, chosen_language, said

if TYPE_CHECKING:
    import pandas as pd

    from rankmeter.measures import Measure


class Showable:
    """A result for people: in a terminal, a notebook, a document, a page; and as plain data for programs."""

    __slots__ = ()

    def told(self) -> Sequence[Block]:
        """What is shown, as data, its words and sentences as :func:`rankmeter.wording.said` makes them."""
        raise NotImplementedError

    def document(self, language: Language = "en") -> Sequence[Block]:
        """What is shown, as data, in one language."""
        return [_worded(block, language) for block in self.told()]

    def page(self, language: Language = "en") -> Sequence[Block]:
        """What a page of its own shows, as data; with pictures, where there are any."""
        return self.document(language)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # every result is a dataclass

    def to_text(self, lang: Language = "en", *, width: int | None = None) -> str:
        """For a terminal; lines and tables fit ``width`` where one is given."""
        from rankmeter.showing.terminal import document_text

        return document_text(self.document(check_language(lang)), width=width)

    def to_markdown(self, lang: Language = "en", *, level: int = 2) -> str:
        """For a document; ``level`` is that of its outermost heading."""
        from rankmeter.showing.markdown import document_markdown

        return document_markdown(self.document(check_language(lang)), level=level) + "\n"

    def to_latex(self, lang: Language = "en") -> str:
        """Its tables, each a ``tabular`` with the rules of booktabs."""
        from rankmeter.showing.latex import table_latex

        return "\n".join(table_latex(part) for part in self.document(check_language(lang)) if isinstance(part, Table))

    def to_html(self, lang: Language = "en") -> str:
        """For a notebook or a part of a page: no script, every text escaped."""
        from rankmeter.showing.html import notebook_html

        return notebook_html(self.document(check_language(lang)), lang=lang)

    def show(self, *, lang: Language | None = None) -> Showable:
        """Its page, to look at in a notebook: the last line of a cell shows it. Pictures need the extra ``report``."""
        return ShownPage(self, None if lang is None else check_language(lang))

    def report(self, path: str | os.PathLike[str], *, lang: Language = "en", title: str = "") -> Path:
        """Write its page: one HTML file that needs no network and no script. Pictures need the extra ``report``."""
        from rankmeter.showing.html import page_html

        place, page = check_writable(path), self.page(check_language(lang))
        heads = (part.text for part in page if isinstance(part, Heading) and part.level == 1)
        write_text(place, page_html(page, title=title or next(heads, "rankmeter"), lang=lang))
        return place

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything into one file of JSON, which :meth:`load` reads."""
        from rankmeter.showing.saved_results import save_result

        save_result(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what :meth:`save` wrote of a result of this kind."""
        from rankmeter.showing.saved_results import load_result

        return load_result(cls, path)

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


@dataclass(frozen=True, slots=True, repr=False)
class ShownPage(Showable):
    """The page of a result, to look at in a notebook."""

    result: Showable | Reported
    lang: Language | None
    """None for the language of whoever looks at it."""

    def document(self, language: Language = "en") -> Sequence[Block]:
        """What the page shows."""
        return self.result.page(self.lang or language)

    def to_dict(self) -> dict[str, Any]:
        """What the result holds."""
        return self.result.to_dict()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the result."""
        cast(Any, self.result).save(path)


class Tracked(NamedTuple):
    """The numbers of a result as trackers of experiments show them, each with its interval; NaN where there is none."""

    measures: Sequence[Measure]
    values: Sequence[tuple[str, Measure, float, float, float]]
    """Of which group (empty for all), the measure, the value and its ends."""
    differences: Sequence[tuple[str, str, Measure, float, float, float, float]] = ()
    """Of which group, from which other, the measure, the difference, its ends, and the corrected p-value."""


def pandas_of(frame: pl.DataFrame) -> pd.DataFrame:
    """The same columns as a pandas frame."""
    values = {name: frame[name].to_list() for name in frame.columns}
    made: pd.DataFrame = load_library("pandas").DataFrame(values)
    return made


class Formatted(Protocol):
    """A table with the definitions below it, in a language and with some digits."""

    def to_markdown(self) -> str:
        """For a document."""

    def to_latex(self) -> str:
        """For LaTeX with booktabs; what is not the table are comments."""


class Reported:
    """Numbers that papers, notebooks and pages show: an evaluation or a comparison, with the same options."""

    __slots__ = ()

    def _shown(self, language: Language, digits: int = 4) -> Formatted:
        raise NotImplementedError

    def _page_html(self, lang: Language, titles: object, lists: int, title: str) -> str:
        raise NotImplementedError

    def page(self, language: Language = "en") -> Sequence[Block]:
        """What :meth:`show` shows, as data."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Everything but the values per query, as plain Python."""
        raise NotImplementedError

    def to_markdown(self, *, digits: int = 4, lang: Language = "en") -> str:
        """A table with what its numbers and marks mean."""
        return self._shown(check_language(lang), digits).to_markdown()

    def to_latex(self, *, digits: int = 4, lang: Language = "en") -> str:
        """The table of :meth:`to_markdown` as a LaTeX ``tabular`` with the rules of booktabs."""
        return self._shown(check_language(lang), digits).to_latex()

    def show(self, *, lang: Language | None = None) -> Showable:
        """The answer with its charts, to look at in a notebook: the last line of a cell shows it.

        It needs the extra ``report``; :meth:`report` writes everything as a page of its own.
        """
        return ShownPage(self, None if lang is None else check_language(lang))

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        lang: Language = "en",
        titles: object = None,
        lists: int = 50,
        title: str = "",
    ) -> Path:
        """Write one HTML file that shows everything and needs no network; see docs/how-to/report.md.

        Parameters
        ----------
        path
            Where to write it.
        lang
            ``en`` or ``zh``.
        titles
            ``{"queries": ..., "items": ...}``: texts by id, as mappings or paths of CSV or TSV files.
        lists
            For how many queries details are kept: ranked lists of a comparison, the most informative first; values of
            an evaluation, the worst first.
        title
            The heading.
        """
        place = check_writable(path)
        write_text(place, self._page_html(check_language(lang), titles, lists, title))
        return place


class ShownAsTable(Showable):
    """A result that is a table too, for programs that read rows."""

    __slots__ = ()

    def to_polars(self) -> pl.DataFrame:
        """The numbers, a row each."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """What :meth:`to_polars` gives, as a pandas frame."""
        return pandas_of(self.to_polars())


class Trackable(ShownAsTable):
    """A result whose numbers trackers of experiments show."""

    __slots__ = ()

    def tracked(self) -> Tracked:
        """The numbers, each with its interval."""
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
