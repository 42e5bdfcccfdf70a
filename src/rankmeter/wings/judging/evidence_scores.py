"""Evidence as spans of documents: the same gold serves any way of cutting documents into chunks.

Each character counts once, however many chunks hold it. A gold span that no chunk holds stays in the denominator.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import product
from typing import Any, Literal, get_args

import numpy as np

from rankmeter.errors import InputError, check_choice, check_level, check_positive, check_whole, examples
from rankmeter.evaluating.verb import evaluate
from rankmeter.inputs.accepting import is_path
from rankmeter.inputs.attributes import check_roles
from rankmeter.inputs.frames import is_frame
from rankmeter.inputs.retrieved import may_be_response
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.placing.placements import Floats
from rankmeter.showing.charts import drawing, field, layer
from rankmeter.showing.document import Block, Chart, Column, Heading, Paragraph, Table
from rankmeter.showing.showable import Head, NotedTable, said_table
from rankmeter.wings.judging.estimators import bounded_mean
from rankmeter.wings.judging.evidence_spans import (
    COLUMNS,
    Documents,
    NamedColumns,
    Span,
    Spans,
    Unit,
    into_documents,
    read_spans,
    span_name,
)
from rankmeter.wording import Option, Said, kinds, said, word

Rule = Literal["joint", "share", "any", "iou", "contained"]
Dialect = Literal["rankmeter", "chroma", "legalbench_rag"]
Held = tuple[tuple[str, tuple[int, ...]], ...]
SCORES = ("span_recall", "all_spans", "span_share", "character_recall", "character_precision", "character_iou")
CHUNKS = "chunks"
LARGEST = 2**53
"""Of a budget; no list holds as much."""


_UNITS = kinds("evidence_{}", ("characters", "tokens"))
_SCORES = kinds("evidence_{}", SCORES)
_DIALECTS = kinds("evidence_{}", ("chroma", "legalbench_rag"))


@dataclass(frozen=True, slots=True)
class Holding:
    """When chunks hold a span, and how what they hold is counted."""

    rule: Rule = "joint"
    share: float = 0.5
    dialect: Dialect = "rankmeter"

    def places(self, span: Span, chunks: Sequence[Span]) -> list[int]:
        """Which chunks hold a span, by their places; under ``joint`` the one that completes it."""
        size = span[2] - span[1]
        near = [(place, chunk, both) for place, chunk in enumerate(chunks) if (both := _overlap(span, chunk))]
        if self.rule == "joint":
            for at, (place, _, _) in enumerate(near):
                if _covered([chunk for _, chunk, _ in near[: at + 1]], span) >= self.share * size:
                    return [place]
            return []
        enough = {"any": 1, "share": self.share * size, "contained": size}
        if self.rule != "iou":
            return [place for place, _, both in near if both >= enough[self.rule]]
        return [place for place, (_, start, end), both in near if both >= self.share * (size + end - start - both)]

    def scores(self, gold: Sequence[Span], chunks: Sequence[Span]) -> dict[str, float]:
        """Everything that is said of the gold spans of one query and the chunks that are looked at."""
        held = [bool(self.places(span, chunks)) for span in gold]
        shares = [_covered(chunks, span) / (span[2] - span[1]) for span in gold]
        return {
            "span_recall": sum(held) / len(gold), "all_spans": float(all(held)),
            "span_share": math.fsum(shares) / len(gold), **self._counted(gold, chunks),
        }  # fmt: skip

    def _counted(self, gold: Sequence[Span], chunks: Sequence[Span]) -> dict[str, float]:
        wanted, returned = _covered(gold), _covered(chunks)
        both = wanted + returned - _covered([*gold, *chunks])
        either: float = wanted + returned - both
        if self.dialect != "rankmeter":
            wanted, returned = _length(gold), _length(chunks)
            either = returned + sum(end - start - _covered(chunks, (name, start, end)) for name, start, end in gold)
        if self.dialect == "legalbench_rag":
            both, either = sum(_overlap(span, chunk) for span, chunk in product(gold, chunks)), math.nan
        return {
            "character_recall": both / wanted,
            "character_precision": both / returned if returned else 0.0,
            "character_iou": both / either,
        }


def _length(spans: Sequence[Span]) -> int:
    return sum(end - start for _, start, end in spans)


def _overlap(span: Span, other: Span) -> int:
    return max(min(span[2], other[2]) - max(span[1], other[1]), 0) if span[0] == other[0] else 0


def _covered(pieces: Sequence[Span], within: Span | None = None) -> int:
    """How many characters some spans hold, each once; of one span, or in all."""
    if within is not None:
        name, first, last = within
        pieces = [(name, max(start, first), min(end, last)) for other, start, end in pieces if other == name]
    total, document, reached = 0, None, 0
    for name, start, end in sorted(pieces):
        reached = reached if name == document else 0
        total += max(end - max(start, reached), 0)
        document, reached = name, max(reached, end)
    return total


def _within(chunks: Sequence[Span], budget: int) -> list[Span]:
    """The first chunks up to a number of characters, the last of them cut off."""
    fitting = []
    for name, start, end in chunks:
        if budget <= 0:
            break
        fitting.append((name, start, min(end, start + budget)))
        budget -= end - start
    return fitting


@dataclass(frozen=True, slots=True, repr=False)
class SpanScores(NotedTable):
    """How much of the gold spans the first chunks of each system hold; made by :func:`rankmeter.evidence`."""

    holding: Holding
    unit: Literal["characters", "tokens"]
    systems: tuple[str, ...]
    sizes: tuple[tuple[str, int], ...]
    """How far each list is looked at: ``("chunks", 5)``, ``("characters", 2000)``."""
    per_query: pl.DataFrame
    """``system``, ``query``, ``by`` and ``size`` (as in ``sizes``), then the scores."""
    measured: pl.DataFrame
    """``system``, ``measure``, ``query``, ``value`` of the measures that take the spans as subtopics."""
    held: Mapping[str, Mapping[str, Held]]
    """By system and query, each chunk's name and the numbers of the spans that it holds (``joint``: completes)."""
    gold: Mapping[str, tuple[Span, ...]]
    level: float
    notes: tuple[Said, ...]

    def value(self, score: str, k: int | None = None, *, budget: int | None = None, system: str | None = None) -> float:
        """The mean of one score over queries, of the first k chunks or within a budget of characters."""
        size = (CHUNKS, k) if budget is None else (self.unit, budget)
        name = self.systems[0] if system is None else system
        if score not in SCORES or size not in self.sizes or name not in self.systems:
            sizes = [f"{count} {by}" for by, count in self.sizes]
            raise InputError.of("judging.no_span_score", score=str(score), system=name, size=f"{size[1]} {size[0]}",
                                scores=list(SCORES), systems=list(self.systems), sizes=sizes)  # fmt: skip
        return float(self._values(name, size, score).mean())

    def _values(self, system: str, size: tuple[str, int | None], score: str) -> Floats:
        here = (pl.col("system") == system) & (pl.col("by") == size[0]) & (pl.col("size") == size[1])
        return self.per_query.filter(here)[score].to_numpy()

    def subtopics(self, system: str | None = None) -> tuple[pl.DataFrame, dict[str, list[str]]]:
        """Judgments whose subtopics are the gold spans, and a system's run, for StRecall, alpha_nDCG and the like.

        A span that no chunk holds has a placeholder item, so that it stays in the denominator. Which chunk holds a span
        depends on the whole list under the rule ``joint``, else the chunks of all systems are judged.
        """
        name = self.systems[0] if system is None else system
        judged = [name] if self.holding.rule == "joint" else list(self.systems)
        rows: dict[tuple[str, str, str], int] = {}
        for query, spans in self.gold.items():
            chunks = [chunk for other in judged for chunk in self.held[other].get(query, ())]
            rows |= {(query, item, f"s{number + 1}"): 1 for item, numbers in chunks for number in numbers}
            missing = set(range(len(spans))) - {number for _, numbers in chunks for number in numbers}
            rows |= {(query, f"(span {number + 1})", f"s{number + 1}"): 1 for number in sorted(missing)}
        frame = pl.DataFrame([*rows], schema=["query", "item", "subtopic"], orient="row").with_columns(grade=pl.lit(1))
        return frame, {query: [item for item, _ in chunks] for query, chunks in self.held[name].items()}

    def _rows(self) -> list[dict[str, Any]]:
        """A row per system, size and score, with the difference from the first system; then the measures."""
        rows: list[dict[str, Any]] = []
        for (by, size), score, system in product(self.sizes, SCORES, self.systems):
            values = self._values(system, (by, size), score)
            if math.isnan(values.sum()):
                continue  # the dialect does not define it
            row = {"system": system, "by": by, "size": size, "score": score, **self._mean(values)}
            if len(self.systems) > 1:
                apart = values - self._values(self.systems[0], (by, size), score)
                less = self._mean(apart, ends=(-1.0, 1.0)) if system != self.systems[0] else {}
                names = {"difference": "value", "difference_low": "low", "difference_high": "high"}
                row |= {name: less.get(part) for name, part in names.items()}
            rows.append(row)
        for (system, measure), part in self.measured.group_by("system", "measure", maintain_order=True):
            values = part["value"].to_numpy()
            rows.append({"system": system, "by": None, "size": None, "score": measure, **self._mean(values)})
        return rows

    def _mean(self, values: Floats, ends: tuple[float, float] = (0.0, 1.0)) -> dict[str, float]:
        """The mean with its interval, which holds nothing impossible."""
        return dict(zip(("value", "low", "high"), bounded_mean(values, self.level, ends), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        unit = word(_UNITS[self.unit], "en")
        return {
            "rule": self.holding.rule, "share": self.holding.share, "dialect": self.holding.dialect, "unit": self.unit,
            "systems": list(self.systems), "level": self.level, "scores": self.to_polars().to_dicts(),
            "per_query": self.per_query.to_dicts(), "measured": self.measured.to_dicts(), "notes": list(self.notes),
            "definitions": {name: word(_SCORES[name], "en", unit=unit) for name in SCORES},
        }  # fmt: skip

    def _blocks(self) -> list[Block]:
        """A table of scores for each way of looking at lists, and the measures."""
        rule, unit = self.holding, said(_UNITS[self.unit])
        facts = said("evidence_facts", spans=sum(map(len, self.gold.values())), queries=len(self.gold), rule=rule.rule,
                     share=rule.share, unit=unit, dialect=rule.dialect)  # fmt: skip
        blocks: list[Block] = [Heading(said("evidence_title"), 1), Paragraph(facts)]
        rows = self.to_polars()
        for by in dict.fromkeys(by for by, _ in self.sizes):
            title, axis = ("evidence_equal_chunks", said("evidence_at_chunks"))
            if by != CHUNKS:
                title, axis = "evidence_equal_size", unit
            here = rows.filter(pl.col("by") == by)
            blocks += [Heading(said(title, unit=unit), 2), self._table(here, by, axis)]
            if len(self.systems) > 1 and find_spec("vl_convert") is not None:
                blocks.append(_chart(here, by, axis))
        if len(self.measured):
            measured = rows.filter(pl.col("by").is_null()).select("score", "system", "value", "low", "high")
            cells = ((score, system, tuple(ends)) for score, system, *ends in measured.iter_rows())
            table = said_table((("measure", "text"), ("system", "text"), "value"), cells, "measures")
            blocks += [Heading(said("evidence_measures"), 2), table]
        return blocks

    def _table(self, rows: pl.DataFrame, by: str, axis: Said) -> Table:
        """A line per score and size, a column per system and per difference from the first."""
        first, *others = self.systems
        heads: list[Head] = [("score", "text"), (axis, "count")]
        heads += [Column(name) for name in self.systems] if others else ["value"]
        heads += [Column(f"{name} - {first}", "difference") for name in others]
        shown = ("value",) if others else ("value", "low", "high")
        apart = ("difference", "difference_low", "difference_high")
        lines = []
        for score in SCORES:
            for (size,), part in rows.filter(pl.col("score") == score).group_by("size", maintain_order=True):
                of = {row["system"]: row for row in part.iter_rows(named=True)}
                values = (tuple(of[name][end] for end in shown) for name in self.systems)
                gaps = (tuple(of[name][end] for end in apart) for name in others)
                lines.append((said(_SCORES[score], unit=said(_UNITS[self.unit])), size, *values, *gaps))
        return said_table(heads, lines, f"spans-{by}")


def _chart(rows: pl.DataFrame, by: str, axis: Said) -> Chart:
    """Span recall of each system as it grows."""
    data = rows.filter(pl.col("score") == "span_recall").select("system", "size", "value").to_dicts()
    x = field("size:Q", axis={"title": axis})
    y = field("value:Q", axis={"title": None}, scale={"domain": [0, 1]})
    colour = field("system:N", sort=None, legend={"title": None, "orient": "bottom"})
    drawn = drawing(data, 220, layer({"type": "line", "point": True}, x=x, y=y, color=colour))
    return Chart(f"spans-by-{by}", said("evidence_span_recall"), drawn)


_NOT_MEASURED = pl.DataFrame(
    schema={"system": pl.String, "measure": pl.String, "query": pl.String, "value": pl.Float64}
)


def evidence(
    gold: object,
    retrieved: object,
    measures: Sequence[str | Measure] = (),
    *,
    rule: Rule = "joint",
    share: object = 0.5,
    cutoffs: Sequence[int] = (1, 3, 5, 10),
    budgets: Sequence[int] | None = None,
    unit: Unit = "characters",
    dialect: Dialect = "rankmeter",
    texts: object = None,
    level: float = 0.95,
    columns: Mapping[str, str] | None = None,
) -> SpanScores:
    """Say how much of the evidence the first chunks hold, of one system or of several, such as ways of chunking.

    Parameters
    ----------
    gold
        ``{query: [(document, start, end), ...]}``, end excluded; or ``(document, quoted text)``, which needs ``texts``;
        or a table (a frame or a file) with the columns query, document, and start and end or quote.
    retrieved
        The same, best first; a table may have a rank or a score. Or what a retriever returned for each query, as
        objects or in a file: the fields with the document and the start are found or named (``columns``), and a chunk
        without an end ends where its text does. Or several, ``{system: retrieved}``.
    measures
        Measures that take the spans as subtopics, such as ``StRecall@5`` and ``alpha_nDCG@5``.
    rule
        When a span is held: ``joint`` (default) by the first k chunks together, ``share`` of its characters; ``share``
        by one chunk; ``any`` character by one chunk; ``iou`` of a chunk and the span at least ``share``; ``contained``
        wholly in one chunk.
    share
        How much is enough under ``joint``, ``share`` and ``iou``.
    cutoffs
        How many chunks are looked at.
    budgets
        How many characters are looked at, the last chunk cut off: the fair comparison of ways of chunking. By default,
        where there are several systems, what as many chunks as in ``cutoffs`` hold where they are smallest.
    unit
        What is counted: characters, or tokens (words, marks and each character of Chinese; or what a function of the
        text returns as ``(start, end)``). A span holds the tokens that it touches.
    dialect
        How another tool counts characters: ``chroma`` (chunking_evaluation), ``legalbench_rag``.
    texts
        ``{document: text}`` or a table: spans beyond its end are refused, and quoted text is looked up in it.
    level
        Of the intervals, Student's t over queries.
    columns
        Where columns have other names: ``{"document": "file"}``, ``{"document": "metadata.source"}`` in results.

    Examples
    --------
    >>> import rankmeter as rm
    >>> gold = {"q": [("D1", 20, 60), ("D1", 100, 120), ("D2", 0, 30)]}
    >>> chunks = {"q": [("D1", 0, 50), ("D1", 40, 90), ("D1", 110, 160), ("D2", 100, 150)]}
    >>> scores = rm.evidence(gold, chunks, cutoffs=[1, 3])
    >>> [round(scores.value("span_recall", k), 4) for k in (1, 3)], round(scores.value("character_iou", 1), 4)
    ([0.3333, 0.6667], 0.2727)
    >>> both = rm.evidence(gold, {"small": chunks, "whole": {"q": [("D1", 0, 200)]}}, budgets=[60])
    >>> round(both.value("span_recall", budget=60, system="whole"), 4)
    0.3333
    """
    check_level(level)
    check_roles(columns or {}, [*COLUMNS, "text"])
    named = NamedColumns(columns or {})
    check_choice("rule", rule, get_args(Rule))
    check_choice("dialect", dialect, get_args(Dialect))
    holding = Holding(rule, check_positive("share", share, 0.5, most=1), dialect)
    if not callable(unit):
        check_choice("unit", unit, ("characters", "tokens"))
    documents = into_documents(texts, unit, named, is_first_taken=dialect == "chroma")
    spans = read_spans(gold, "gold", documents, named)
    if not spans:
        raise InputError.of("judging.no_spans")
    runs = {name: read_spans(data, "chunk", documents, named) for name, data in _by_system(retrieved).items()}
    named.check()
    _check(spans, runs, holding)
    counted = _counted(spans, documents, spans)
    for query, own in counted.items():
        if empty := [span for span, (_, start, end) in zip(spans[query], own, strict=True) if start == end]:
            raise InputError.of("judging.span_without_token", query=query, span=span_name(empty[0]))
    lists = {name: _counted(run, documents, spans) for name, run in runs.items()}
    counts: Literal["characters", "tokens"] = "characters" if unit == "characters" else "tokens"
    sizes = _sizes(cutoffs, budgets, counts, lists)
    rows, held = [], {}
    for name, run in lists.items():
        for (query, wanted), (by, size) in product(counted.items(), sizes):
            chunks = run[query][:size] if by == CHUNKS else _within(run[query], size)
            rows.append({"system": name, "query": query, "by": by, "size": size, **holding.scores(wanted, chunks)})
        held[name] = {
            query: _spans_held(counted[query], run[query], runs[name].get(query, ()), holding) for query in spans
        }
    notes = _notes(spans, runs, holding, counts, is_cut=sizes[-1][0] != CHUNKS)
    scores = SpanScores(
        holding, counts, tuple(runs), sizes, pl.DataFrame(rows), _NOT_MEASURED, held, spans, level, notes
    )  # fmt: skip
    return replace(scores, measured=_measured_systems(scores, measures)) if measures else scores


def _by_system(retrieved: object) -> dict[str, object]:
    """The lists of each system by name; one that has no name is called by its file."""
    if isinstance(retrieved, Mapping) and retrieved:
        systems = [isinstance(data, Mapping) or is_path(data) or is_frame(data) for data in retrieved.values()]
        if all(systems) and not all(map(may_be_response, retrieved.values())):
            return {str(name): data for name, data in retrieved.items()}
    return {CHUNKS: retrieved}


def _check(gold: Spans, runs: Mapping[str, Spans], holding: Holding) -> None:
    """Refuse a query without gold, lists of other queries altogether, and a chunk that a list holds twice."""
    for query, own in gold.items():
        if not own:
            raise InputError.of("judging.no_spans_of", query=query)
    for run in runs.values():
        if run and not gold.keys() & run.keys():
            raise InputError.of("judging.no_chunk_in_common", gold=examples(gold), chunks=examples(run))
        for query, chunks in run.items():
            if holding.dialect == "rankmeter" and len(set(chunks)) < len(chunks):
                twice = next(chunk for at, chunk in enumerate(chunks) if chunk in chunks[:at])
                raise InputError.of("judging.chunk_twice", query=query, chunk=span_name(twice))


def _counted(run: Spans, documents: Documents, gold: Spans) -> Spans:
    """The lists of the queries with gold spans, in what is counted."""
    return {query: tuple(documents.counted(chunk, query) for chunk in run.get(query, ())) for query in gold}


def _sizes(
    cutoffs: Sequence[int], budgets: Sequence[int] | None, unit: str, lists: Mapping[str, Spans]
) -> tuple[tuple[str, int], ...]:
    """How far lists are looked at; by default the budgets are what the first chunks of the smallest chunking hold."""
    for name, sizes in (("cutoffs", cutoffs), ("budgets", budgets)):
        if sizes is not None and not isinstance(sizes, Iterable):
            raise InputError.of("general.not_whole", option=Option(name, sizes), least=1, hint=f"{name}=[{sizes}]")
    depths = sorted({check_whole("cutoffs", k, 1) for k in cutoffs})
    if budgets is None and len(lists) > 1:
        means = [
            min(float(np.mean([_length(chunks[:k]) for chunks in run.values()])) for run in lists.values())
            for k in depths
        ]
        budgets = [_rounded(mean) for mean in means if mean >= 1]
    limits = sorted({check_whole("budgets", budget, 1) for budget in budgets or ()})
    if not depths and not limits:
        raise InputError.of("judging.no_sizes")
    if max(*depths, *limits, 0, 0) > LARGEST:
        raise InputError.of("judging.size_too_large", size=max(*depths, *limits, 0, 0), most=LARGEST)
    return (*((CHUNKS, k) for k in depths), *((unit, budget) for budget in limits))


def _rounded(number: float) -> int:
    """To two digits."""
    return max(round(number, 1 - math.floor(math.log10(number))).__int__(), 1)


def _spans_held(gold: Sequence[Span], counted: Sequence[Span], chunks: Sequence[Span], holding: Holding) -> Held:
    places = [set(holding.places(span, counted)) for span in gold]
    numbers = (tuple(n for n, at in enumerate(places) if place in at) for place in range(len(chunks)))
    return tuple((span_name(chunk), spans) for chunk, spans in zip(chunks, numbers, strict=True))


def _measured_systems(scores: SpanScores, measures: Sequence[str | Measure]) -> pl.DataFrame:
    """The measures of each system, with the gold spans as subtopics."""
    tables = []
    for system in scores.systems:
        judgments, run = scores.subtopics(system)
        values = evaluate(judgments, run, measures).per_query
        long = values.unpivot(index="query", variable_name="measure", value_name="value")
        tables.append(long.select(pl.lit(system).alias("system"), "measure", "query", "value"))
    return pl.concat(tables).drop_nulls("value")


def _notes(gold: Spans, runs: Mapping[str, Spans], holding: Holding, unit: str, *, is_cut: bool) -> tuple[Said, ...]:
    notes = []
    counts = said(_UNITS[unit])
    for system, run in runs.items():
        if empty := sum(not run.get(query) for query in gold):
            notes.append(said("evidence_nothing_returned", system=system, count=empty, queries=len(gold)))
        if more := [query for query in run if query not in gold]:
            notes.append(said("evidence_without_gold", system=system, count=len(more), queries=examples(more)))
    if len(runs) > 1:
        notes.append(said("evidence_across", unit=counts))
    if is_cut:
        notes.append(said("evidence_budget", unit=counts))
    if holding.rule == "any":
        notes.append(said("evidence_rule_matters"))
    if holding.dialect in _DIALECTS:
        notes.append(said(_DIALECTS[holding.dialect]))
    return tuple(notes)
