"""Spans of documents: gold evidence and retrieved chunks as (document, start, end), end excluded.

They come as mappings or as tables, with places or with quoted text that is looked up in the documents. Places are
characters of one text; where tokens are to be counted, every span is turned into a span of tokens once, at the start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError
from rankmeter.inputs.attributes import find_roles, name_of_table, table_of
from rankmeter.inputs.columns import ASKED, DOCUMENTS, USUAL_NAMES, no_named_column
from rankmeter.inputs.frames import is_frame
from rankmeter.inputs.retrieved import retrieved_rows
from rankmeter.late import pl
from rankmeter.wording import said

Span = tuple[str, int, int]
Spans = dict[str, tuple[Span, ...]]
Tokenizer = Callable[[str], Iterable[tuple[int, int]]]
Unit = Literal["characters", "tokens"] | Tokenizer
What = Literal["gold", "chunk"]
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "query": (*ASKED, "question"),
    "document": ("document", *DOCUMENTS, "file", "file_path", "filename", "source", "ref_doc_id", "source_id"),
    "start": (
        "start",
        "start_index",
        "start_char",
        "start_char_idx",
        "split_idx_start",
        "span_start",
        "begin",
        "offset",
    ),
    "end": ("end", "end_index", "end_char", "end_char_idx", "span_end", "stop"),
    "quote": ("quote", "text", "content", "page_content", "snippet", "chunk", "passage", "answer"),
    "rank": USUAL_NAMES["rank"],
    "score": USUAL_NAMES["score"],
}
"""How the columns are usually called."""
TEXT_COLUMNS = {"document": (*COLUMNS["document"], "id", "_id"), "text": ("text", "content", "body", "document_text")}


class NamedColumns:
    """The columns that the caller named; each must be in one of the tables that are read."""

    def __init__(self, by_role: Mapping[str, str]) -> None:
        self._by_role, self._seen = by_role, list[str]()

    def of(self, table: pl.DataFrame, roles: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
        """Those that a table has."""
        self._seen += table.columns
        return {role: name for role, name in self._by_role.items() if name in table.columns and role in roles}

    def check(self) -> None:
        """Refuse a name that no table had."""
        for role, name in self._by_role.items():
            if name not in self._seen:
                raise no_named_column(role, name, list(dict.fromkeys(self._seen)), said("inputs.the_table"))


_ONE_EACH = "぀-ヿ㐀-鿿가-힯"
"""Characters that are words of their own: kana, Han, hangul."""
_TOKEN = re.compile(rf"[{_ONE_EACH}]|[^\W{_ONE_EACH}]+|[^\w\s]")


def words_and_marks(text: str) -> list[tuple[int, int]]:
    """The tokens that are counted where no tokenizer is given: words, marks, and each character of Chinese."""
    return [match.span() for match in _TOKEN.finditer(text)]


@dataclass(frozen=True, slots=True)
class Documents:
    """The texts, where they are known; spans are checked against them, quotes are looked up in them."""

    texts: Mapping[str, str] | None = None
    tokenizer: Tokenizer | None = None
    """Where tokens are counted instead of characters."""
    is_first_taken: bool = False
    """Whether a text that a document holds twice is its first occurrence, not an error."""
    _tokens: dict[str, Any] = field(default_factory=dict)

    def span(self, place: object, query: str, what: What) -> Span:
        """What was given as a span that lies in its document."""
        parts = tuple(place) if isinstance(place, (tuple, list)) else ()
        if len(parts) == 2 and isinstance(parts[1], str):
            return self._quoted(str(parts[0]), parts[1], query)
        whole = len(parts) == 3 and all(isinstance(end, Integral) and not isinstance(end, bool) for end in parts[1:])
        if not whole or not 0 <= parts[1] < parts[2]:
            raise InputError.of("judging.not_a_span", query=query, what=what, value=str(place)[:80])
        span = str(parts[0]), int(parts[1]), int(parts[2])
        if self.texts is not None:
            length = len(self._text(span[0], query))
            if span[2] > length:
                raise InputError.of("judging.span_beyond", query=query, span=span_name(span), length=length)
        return span

    def _text(self, document: str, query: str) -> str:
        known = self.texts or {}
        if document not in known:
            raise InputError.of("judging.no_text_of", query=query, document=document, documents=list(known)[:3])
        return known[document]

    def _quoted(self, document: str, quote: str, query: str) -> Span:
        if self.texts is None:
            raise InputError.of("judging.quote_without_texts", query=query, quote=quote[:60])
        text = self._text(document, query)
        start = text.find(quote) if quote else -1
        facts = {"query": query, "document": document, "quote": quote[:60]}
        if start < 0:
            spaced = bool(quote.strip()) and " ".join(quote.split()) in " ".join(text.split())
            raise InputError.of("judging.quote_spaced" if spaced else "judging.quote_not_found", **facts)
        if not self.is_first_taken and text.find(quote, start + 1) >= 0:  # also where the two overlap
            raise InputError.of("judging.quote_twice", **facts)
        return document, start, start + len(quote)

    def counted(self, span: Span, query: str) -> Span:
        """The span in what is counted: characters, or the tokens that it touches."""
        if self.tokenizer is None:
            return span
        document, start, end = span
        if document not in self._tokens:
            text = self._text(document, query)
            try:
                self._tokens[document] = np.array(list(self.tokenizer(text)), np.int64).reshape(-1, 2).T.copy()
            except Exception as error:  # a function of the caller's may raise anything
                why = f"{type(error).__name__}: {error}"
                raise InputError.of("judging.not_tokens", document=document, why=why) from error
        starts, ends = self._tokens[document]
        return document, int(np.searchsorted(ends, start, "right")), int(np.searchsorted(starts, end, "left"))


def span_name(span: Span) -> str:
    """What a chunk is called where it is an item."""
    return f"{span[0]}[{span[1]}:{span[2]})"


def into_documents(texts: object, unit: Unit, columns: NamedColumns, *, is_first_taken: bool) -> Documents:
    """The texts of the documents, ``{id: text}`` or a table with a document and a text column."""
    tokenizer = unit if callable(unit) else words_and_marks if unit == "tokens" else None
    if texts is None:
        if tokenizer is not None:
            raise InputError.of("judging.tokens_without_texts")
        return Documents()
    if isinstance(texts, Mapping):
        known = {str(document): text for document, text in texts.items()}
    else:
        table, source = table_of(texts, "texts of documents"), name_of_table(texts)
        chosen = find_roles(
            table.columns, TEXT_COLUMNS, columns.of(table, TEXT_COLUMNS), source, needed=("document", "text")
        )
        both = table.select(pl.col(chosen["document"]).cast(pl.String), pl.col(chosen["text"]).cast(pl.String))
        known = dict(both.iter_rows())
        if len(known) < len(both):
            document = both.to_series(0).filter(both.to_series(0).is_duplicated())[0]
            raise InputError.of("judging.text_twice", source=source, document=str(document))
    unreadable = [document for document, text in known.items() if not isinstance(text, str)]
    if unreadable:
        raise InputError.of("judging.not_a_text", document=str(unreadable[0]), count=len(unreadable))
    return Documents(known, tokenizer, is_first_taken)


def read_spans(data: object, what: What, documents: Documents, columns: NamedColumns) -> Spans:
    """The spans of each query; chunks best first."""
    by_query = data if isinstance(data, Mapping) and not _are_results(data) else _of_table(data, what, columns)
    for query, spans in by_query.items():
        if not isinstance(spans, (list, tuple)):
            raise InputError.of("judging.not_spans", query=str(query), kind=type(spans).__name__)
    return {
        str(query): tuple(documents.span(span, str(query), what) for span in spans) for query, spans in by_query.items()
    }


def _are_results(by_query: Mapping[Any, Any]) -> bool:
    """Whether lists hold what a retriever returned, not spans."""
    if any(isinstance(spans, Mapping) for spans in by_query.values()):
        return True
    first = next((spans[0] for spans in by_query.values() if isinstance(spans, (list, tuple)) and spans), ())
    plain = first[0] if isinstance(first, (list, tuple)) and first else first
    return plain != () and not isinstance(plain, (str, Integral))


def _table(data: object, what: What) -> pl.DataFrame:
    """The rows of a table, or of what a retriever returned: a row for each result."""
    is_table = is_frame(data) or isinstance(data, pl.DataFrame) or what == "gold"
    rows = None if is_table else retrieved_rows(data, name_of_table(data) or what)
    return (
        table_of(data, f"{what} spans") if rows is None else pl.DataFrame(rows, infer_schema_length=None, strict=False)
    )


def _of_table(data: object, what: What, columns: NamedColumns) -> dict[str, list[Sequence[Any]]]:
    """The rows of a table by query: (document, start, end), or (document, quote) where there are no places."""
    table, source = _table(data, what), name_of_table(data)
    chosen = find_roles(table.columns, COLUMNS, columns.of(table, COLUMNS), source, needed=("query", "document"))
    if what == "chunk" and "start" in chosen and "quote" in chosen and "end" not in chosen:  # as LangChain splits
        length = pl.col(chosen["quote"]).cast(pl.String).str.len_chars()
        start = pl.col(chosen["start"]).cast(pl.String).cast(pl.Int64, strict=False)
        table, chosen = table.with_columns((start + length).alias("end of text")), {**chosen, "end": "end of text"}
    roles = ["start", "end"] if "start" in chosen and "end" in chosen else ["quote"]
    missing = [role for role in roles if role not in chosen]
    if missing:
        raise InputError.of("judging.no_places", source=source, what=what, columns=list(table.columns)[:12])
    parts = {role: table[chosen[role]] for role in ("query", "document", *roles)}
    rows = pl.DataFrame({role: part.cast(pl.String) for role, part in parts.items()})
    if roles != ["quote"]:
        places = rows.select(pl.col(roles).str.strip_chars().cast(pl.Float64, strict=False))
        whole = pl.when(pl.col(roles) == pl.col(roles).floor()).then(pl.col(roles))  # 20.0 is 20: gaps make floats
        rows = rows.with_columns(places.select(whole.cast(pl.Int64, strict=False)))
    empty = rows.select(pl.any_horizontal(pl.all().is_null())).to_series()
    if empty.any():
        at = int(empty.arg_true()[0])
        lost = next(role for role in rows.columns if rows[role][at] is None)
        value = table[chosen[lost]][at]
        raise InputError.of("judging.span_row", source=source, row=at + 1, role=chosen[lost], value=str(value),
                            count=int(empty.sum()))  # fmt: skip
    if what == "chunk":
        rows = rows[_order(table, chosen, source)]
    elif ranked := next((chosen[role] for role in ("rank", "score") if role in chosen), None):
        raise InputError.of("judging.ranked_gold", source=source, column=ranked)
    spans: dict[str, list[Sequence[Any]]] = {}
    for query, *span in rows.iter_rows():
        spans.setdefault(query, []).append(tuple(span))
    return spans


def _order(table: pl.DataFrame, chosen: Mapping[str, str], source: str) -> pl.Series:
    """The rows best first: by rank, else by score, else as they stand."""
    role = "rank" if "rank" in chosen else "score" if "score" in chosen else None
    if role is None:
        return pl.int_range(len(table), eager=True)
    numbers = table[chosen[role]].cast(pl.Float64, strict=False)
    if numbers.null_count() or numbers.is_nan().any():
        count = numbers.null_count() + int(numbers.is_nan().sum())
        raise InputError.of("judging.unordered", source=source, role=chosen[role], count=count)
    ordered = pl.DataFrame({"by": numbers if role == "rank" else -numbers}).with_row_index("row")
    return ordered.sort("by", maintain_order=True)["row"]
