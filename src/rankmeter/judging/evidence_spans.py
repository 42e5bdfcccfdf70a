"""Evidence as spans of documents: the same gold serves any way of cutting documents into chunks.

Gold spans and chunks are (document, start, end), end excluded, in characters of the same text. Each character counts
once, however many chunks hold it. A gold span that no chunk holds stays in the denominator.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np

from rankmeter.errors import InputError, check_level, check_whole
from rankmeter.late import pl
from rankmeter.showing.document import Block, Cell, Column, Heading, Paragraph, Table
from rankmeter.showing.showable import ShownAsTable
from rankmeter.stats.assisted import people_only
from rankmeter.wording import Language, Option, Said, said, word

Rule = Literal["joint", "share", "any", "iou", "contained"]
Span = tuple[str, int, int]
SCORES = ("span_recall", "all_spans", "span_share", "character_recall", "character_precision", "character_iou")


@dataclass(frozen=True, slots=True, repr=False)
class SpanScores(ShownAsTable):
    """How much of the gold spans the first chunks hold; made by :func:`rankmeter.evidence`."""

    rule: Rule
    share: float
    cutoffs: tuple[int, ...]
    per_query: pl.DataFrame
    """``query``, ``k``, then the scores."""
    held: Mapping[str, tuple[tuple[str, tuple[int, ...]], ...]]
    """By query, each chunk's name and the numbers of the spans that it holds (``joint``: that it completes)."""
    gold: Mapping[str, tuple[Span, ...]]
    level: float
    notes: tuple[Said, ...]

    def value(self, score: str, k: int) -> float:
        """The mean of one score over queries."""
        rows = self.per_query.filter(pl.col("k") == k)
        if score not in SCORES or not len(rows):
            raise InputError.of("judging.no_span_score", score=str(score), k=str(k), scores=list(SCORES))
        return float(rows[score].mean())  # type: ignore[arg-type]

    def subtopics(self) -> tuple[pl.DataFrame, dict[str, list[str]]]:
        """Judgments whose subtopics are the gold spans, and the run, for StRecall, alpha_nDCG and the like.

        Every span also has a placeholder item, so that one that no chunk holds stays in the denominator.
        """
        rows = []
        for query, spans in self.gold.items():
            rows += [(query, f"(span {number + 1})", f"s{number + 1}", 1) for number in range(len(spans))]
            for name, numbers in self.held.get(query, ()):
                rows += [(query, name, f"s{number + 1}", 1) for number in numbers]
        frame = pl.DataFrame(rows, schema=["query", "item", "subtopic", "grade"], orient="row")
        return frame, {query: [name for name, _ in chunks] for query, chunks in self.held.items()}

    def to_polars(self) -> pl.DataFrame:
        """A row per cutoff and score."""
        rows = []
        for k in self.cutoffs:
            for score in SCORES:
                values = self.per_query.filter(pl.col("k") == k)[score].to_numpy()
                low = high = math.nan
                if len(values) > 1 and np.ptp(values) > 0:
                    made = people_only(values, level=self.level)
                    low, high = max(float(made.low), 0.0), min(float(made.high), 1.0)
                rows.append({"k": k, "score": score, "value": float(values.mean()), "low": low, "high": high})
        return pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "rule": self.rule, "share": self.share, "level": self.level, "scores": self.to_polars().to_dicts(),
            "per_query": self.per_query.to_dicts(), "notes": list(self.notes),
            "definitions": {name: word(f"evidence_{name}", "en") for name in SCORES},
        }  # fmt: skip

    def document(self, language: Language = "en") -> list[Block]:
        """What is shown."""
        spans = sum(map(len, self.gold.values()))
        facts = said("evidence_facts", spans=spans, queries=len(self.gold), rule=self.rule, share=self.share)
        columns = (
            Column("k", "count"), Column(word("score", language), "text"), Column(word("value", language)),
        )  # fmt: skip
        rows = tuple(
            (
                Cell(row["k"]),
                Cell(word(f"evidence_{row['score']}", language)),
                Cell(row["value"], span=None if row["low"] is None else (row["low"], row["high"])),
            )
            for row in self.to_polars().iter_rows(named=True)
        )
        return [
            Heading(word("evidence_title", language), 1), Paragraph(facts.text(language)),
            Table(columns, rows, name="spans"), *(Paragraph(note.text(language), "note") for note in self.notes),
        ]  # fmt: skip


def evidence(
    gold: Mapping[Any, Sequence[Any]],
    retrieved: Mapping[Any, Sequence[Any]],
    *,
    rule: Rule = "joint",
    share: object = 0.5,
    cutoffs: Sequence[int] = (1, 3, 5, 10),
    texts: Mapping[Any, str] | None = None,
    level: float = 0.95,
) -> SpanScores:
    """Say how much of the evidence the first chunks hold.

    Parameters
    ----------
    gold
        ``{query: [(document, start, end), ...]}``, end excluded; or ``(document, quoted text)``, which needs ``texts``.
    retrieved
        ``{query: [(document, start, end), ...]}``, best first.
    rule
        When a span is held: ``joint`` (default) by the first k chunks together, ``share`` of its characters; ``share``
        by one chunk; ``any`` character by one chunk; ``iou`` of a chunk and the span at least ``share``; ``contained``
        wholly in one chunk.
    share
        How much is enough under ``joint``, ``share`` and ``iou``.
    cutoffs
        How many chunks are looked at.
    texts
        ``{document: text}``: spans beyond its end are refused, and quoted text is looked up in it.
    level
        Of the intervals, Student's t over queries.

    Examples
    --------
    >>> import rankmeter as rm
    >>> gold = {"q": [("D1", 20, 60), ("D1", 100, 120), ("D2", 0, 30)]}
    >>> chunks = {"q": [("D1", 0, 50), ("D1", 40, 90), ("D1", 110, 160), ("D2", 100, 150)]}
    >>> scores = rm.evidence(gold, chunks, cutoffs=[1, 3])
    >>> [round(scores.value("span_recall", k), 4) for k in (1, 3)], round(scores.value("character_iou", 1), 4)
    ([0.3333, 0.6667], 0.2727)
    """
    check_level(level)
    if rule not in get_args(Rule):
        raise InputError.of("general.not_one_of", option=Option("rule", rule), choices=list(get_args(Rule)))
    if not isinstance(share, Real) or not 0 < float(share) <= 1:
        raise InputError.of("judging.not_a_span_share", option=Option("share", share))
    enough = float(share)
    depths = tuple(check_whole("cutoffs", k, 1) for k in cutoffs)
    if not gold:
        raise InputError.of("judging.no_spans")
    known = {str(document): text for document, text in (texts or {}).items()}
    spans = {str(query): tuple(_span(one, query, "gold", known) for one in given) for query, given in gold.items()}
    lists = {str(query): [_span(one, query, "chunk", known) for one in given] for query, given in retrieved.items()}
    rows, held = [], {}
    for query, wanted in spans.items():
        if not wanted:
            raise InputError.of("judging.no_spans_of", query=query)
        chunks = lists.get(query, [])
        if len(set(chunks)) < len(chunks):
            twice = next(one for at, one in enumerate(chunks) if one in chunks[:at])
            raise InputError.of("judging.chunk_twice", query=query, chunk=_name(twice))
        places = [_place(one, chunks, rule, enough) for one in wanted]
        numbers = [tuple(n for n, at in enumerate(places) if place in at) for place in range(len(chunks))]
        held[query] = tuple((_name(chunk), tuple(who)) for chunk, who in zip(chunks, numbers, strict=True))
        rows += [{"query": query, "k": k, **_scores(wanted, chunks[:k], places, k)} for k in depths]
    notes = (said("evidence_across"), said("evidence_rule_matters"))
    return SpanScores(rule, enough, depths, pl.DataFrame(rows), held, spans, level, notes)


def _name(span: Span) -> str:
    return f"{span[0]}[{span[1]}:{span[2]})"


def _span(given: Any, query: object, what: str, texts: Mapping[str, str]) -> Span:
    """A span that lies in its document; a quote is looked up."""
    parts = tuple(given) if isinstance(given, (tuple, list)) else ()
    if len(parts) == 2 and isinstance(parts[1], str):
        document, quote = str(parts[0]), parts[1]
        count = texts.get(document, "").count(quote) if quote else 0
        if count != 1:
            kind = "judging.quote_not_found" if count == 0 else "judging.quote_twice"
            raise InputError.of(kind, query=str(query), document=document, quote=quote[:60], count=count)
        start = texts[document].index(quote)
        return document, start, start + len(quote)
    whole = len(parts) == 3 and all(isinstance(end, Integral) and not isinstance(end, bool) for end in parts[1:])
    if not whole or not 0 <= parts[1] < parts[2]:
        raise InputError.of("judging.not_a_span", query=str(query), what=what, value=str(given)[:80])
    document, start, end = str(parts[0]), int(parts[1]), int(parts[2])
    if document in texts and end > len(texts[document]):
        raise InputError.of(
            "judging.span_beyond", query=str(query), span=_name((document, start, end)), length=len(texts[document])
        )
    return document, start, end


def _common(one: Span, other: Span) -> int:
    return max(min(one[2], other[2]) - max(one[1], other[1]), 0) if one[0] == other[0] else 0


def _covered(pieces: Sequence[Span], within: Span | None = None) -> int:
    """How many characters some spans hold, each once; of one span, or in all."""
    total = 0
    for document in {piece[0] for piece in pieces}:
        reached = -1
        for _, start, end in sorted(piece for piece in pieces if piece[0] == document):
            low, high = max(start, reached), end
            if within is not None:
                low, high = (max(low, within[1]), min(high, within[2])) if document == within[0] else (0, 0)
            total += max(high - low, 0)
            reached = max(reached, end)
    return total


def _place(span: Span, chunks: Sequence[Span], rule: Rule, share: float) -> list[int]:
    """Which chunks hold a span, by their places; under ``joint`` the one that completes it."""
    size = span[2] - span[1]
    if rule == "joint":
        for place in range(len(chunks)):
            if _covered(chunks[: place + 1], span) >= share * size:
                return [place]
        return []
    made = []
    for place, chunk in enumerate(chunks):
        both = _common(span, chunk)
        union = size + chunk[2] - chunk[1] - both
        holds = {
            "any": both > 0,
            "share": both >= share * size,
            "iou": both >= share * union,
            "contained": both == size,
        }
        if holds[rule]:
            made.append(place)
    return made


def _scores(gold: Sequence[Span], chunks: Sequence[Span], places: Sequence[Sequence[int]], k: int) -> dict[str, float]:
    reached = [any(place < k for place in at) for at in places]
    shares = [_covered(chunks, one) / (one[2] - one[1]) for one in gold]
    wanted, returned = _covered(gold), _covered(chunks)
    both = wanted + returned - _covered([*gold, *chunks])
    return {
        "span_recall": sum(reached) / len(gold), "all_spans": float(all(reached)),
        "span_share": sum(shares) / len(gold), "character_recall": both / wanted,
        "character_precision": both / returned if returned else 0.0,
        "character_iou": both / (wanted + returned - both),
    }  # fmt: skip
