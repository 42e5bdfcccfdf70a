"""Which definition a function follows: the result, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.measures.prose import read_convention
from rankmeter.showing.document import Block, Heading, Paragraph, Table, items, text_table
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.conformance.cases import version
from rankmeter.wings.conformance.known_definitions import shown
from rankmeter.wording import Language, Said, kinds, word

SHOWN = 12
"""How many cases and tools a text lists; the data has all of them."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A cell on which the answer is not what the definition gives."""

    case: str
    k: int | None
    question: dict[str, str]
    expected: float | None
    """None where the definition gives no value."""
    got: float | None
    error: str = ""
    """What was raised instead of an answer."""


_HEADS = ("check_head_case", "check_head_question", "check_head_expected", "check_head_got")
_FAULTS = kinds(
    "check_fault_{}", ("above", "below", "not_finite", "raises", "mutated", "ordered", "unsteady", "not_a_number")
)
TOPICS = tuple("plain grades negative short empty-list empty unjudged ties sign order duplicates ids queries".split())
_TOPICS = kinds("check_topic_{}", TOPICS)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong under any definition."""

    kind: str
    """``above``, ``below``, ``not_finite``, ``raises``, ``mutated``, ``ordered``, ``unsteady`` or ``not_a_number``."""
    cells: tuple[str, ...]
    example: str
    """What was returned or raised on the first of them."""


@dataclass(frozen=True, slots=True)
class SameTool:
    """A metric of a tool that gives the same values."""

    tool: str
    metric: str
    but: tuple[str, ...] = ()
    """The topic of cases on which it differs, if any."""

    def text(self, language: Language) -> str:
        """The metric, and where it differs."""
        name = f"{self.tool} {self.metric}"
        return word("check_but", language, tool=name, topic=word(_TOPICS[self.but[0]], language)) if self.but else name


@dataclass(frozen=True, slots=True)
class Reason:
    """A convention in which the definition that is followed differs from the one that it is compared with."""

    option: str
    value: Any
    text: dict[str, str]
    """What the value means, in each language; empty for a number."""


@dataclass(frozen=True, slots=True, repr=False)
class Conformity(ShownAsTable):
    """Which definition a function follows; made by :func:`rankmeter.check`."""

    name: str
    """Of the function, or the command."""
    claimed: str | None
    """The definition that it was said to follow."""
    follows: str | None
    """The definition with its value on every case; None where no known one has."""
    nearest: str
    """The definition that differs on the fewest cases; the same where one is followed."""
    meets_claim: bool
    """Whether its values are those of the claimed definition, on every case for which that states a rule."""
    reasons: tuple[Reason, ...]
    """How the nearest definition differs from the claimed one, or from rankmeter's default."""
    departures: tuple[Departure, ...]
    """Where its values are not those of the claimed definition or, without a claim, of the nearest."""
    tools: tuple[SameTool, ...]
    """Metrics of tools with its value on every case, or on all but those of one topic."""
    faults: tuple[Fault, ...]
    notes: tuple[Said, ...]
    cells: int
    """How many questions were asked: cases, each at its cutoffs."""
    matched: int
    """On how many the nearest definition has its value."""

    @property
    def conforms(self) -> bool:
        """Whether it follows what was claimed or, without a claim, a known definition, and nothing is wrong with it."""
        return not self.faults and (self.meets_claim if self.claimed else self.follows is not None)

    @property
    def badge(self) -> str:
        """One line that says it: for a README or a log.

        >>> import rankmeter as rm
        >>> rm.check(lambda retrieved, relevant, k: len({*retrieved[:k]} & relevant) / k, "P@10").badge
        'P@k: conforms to rankmeter cases 1.0 (60 of 60)'
        """
        followed = self.claimed if self.claimed and self.meets_claim else self.nearest
        kind = "check_badge_conforms" if self.conforms else "check_badge_departs"
        return word(kind, "en", definition=followed, version=version(), matched=self.matched, cells=self.cells)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {"conforms": self.conforms, "badge": self.badge, "version": version(), **asdict(self)}

    def to_polars(self) -> pl.DataFrame:
        """The departures, a row each."""
        rows = [{**asdict(departure), "question": departure.question["en"]} for departure in self.departures]
        schema = {"case": pl.String, "k": pl.Int64, "question": pl.String, "expected": pl.Float64, "got": pl.Float64}
        return pl.DataFrame(rows, schema={**schema, "error": pl.String})

    def document(self, language: Language = "en") -> list[Block]:
        """The verdict, its reasons, what is wrong, the cases, and the tools that do the same."""
        lines = [self._verdict(language)]
        if self.claimed and not self.meets_claim:
            kind = "check_but_follows" if self.follows else "check_nearest"
            lines.append(word(kind, language, definition=self.nearest, matched=self.matched, cells=self.cells))
        blocks: list[Block] = [Heading(word("check_title", language, name=self.name), 1), *map(Paragraph, lines)]
        if self.reasons:
            heading = "check_reasons" if self.claimed else "check_conventions"
            blocks += [
                Heading(word(heading, language)),
                *items([_reason_shown(reason, language) for reason in self.reasons]),
            ]
        if self.faults:
            told = [
                word(
                    _FAULTS[fault.kind],
                    language,
                    cells=list(fault.cells[:3]),
                    count=len(fault.cells),
                    example=fault.example,
                )
                for fault in self.faults
            ]
            blocks += [Heading(word("check_faults", language)), *items(told)]
        if self.departures:
            blocks += [Heading(word("check_departures", language, count=len(self.departures))), self._table(language)]
            if len(self.departures) > SHOWN:
                blocks.append(Paragraph(word("check_more", language, count=len(self.departures) - SHOWN)))
        if self.tools:
            told = [tool.text(language) for tool in self.tools[:SHOWN]]
            more = len(self.tools) - len(told)
            text = word("check_tools_more" if more else "check_tools", language, tools=told, more=more)
            blocks += [Heading(word("check_same", language)), Paragraph(text)]
        return [*blocks, *(Paragraph(note.text(language), "note") for note in self.notes)]

    def _verdict(self, language: Language) -> str:
        values = {"claimed": self.claimed, "definition": self.nearest, "cells": self.cells, "matched": self.matched}
        if self.claimed:
            return word(
                "check_meets" if self.meets_claim else "check_not_claimed",
                language,
                **values,
                count=len(self.departures),
            )
        return word("check_follows" if self.follows else "check_none", language, **values)

    def _table(self, language: Language) -> Table:
        rows = [
            (
                departure.case if departure.k is None else f"{departure.case}@{departure.k}",
                departure.question[language],
                _number(departure.expected, "", language),
                _number(departure.got, departure.error, language),
            )
            for departure in self.departures[:SHOWN]
        ]
        heads = [word(head, language) for head in _HEADS]
        return text_table(heads, rows, ("text", "text", "text", "text"), name="departures")


def reasons_between(before: Measure, after: Measure) -> tuple[Reason, ...]:
    """The conventions in which two definitions differ, each with what the second one's value means."""
    from rankmeter.wings.conformance.space import changes_between

    if type(before) is not type(after):
        return ()
    kind = type(after).name
    return tuple(
        Reason(
            change.axis,
            change.value,
            {lang: read_convention(kind, change.axis, change.value, lang).meaning for lang in ("en", "zh")},
        )
        for change in sorted(changes_between(before, after), key=lambda change: change.axis == "duplicates")
        if change.axis not in ("cutoff", "depth") or "k" in shown(after)
    )


def _reason_shown(reason: Reason, language: Language) -> str:
    stated = f"{reason.option}={reason.value}"
    meaning = reason.text[language]
    return word("check_reason", language, option=stated, meaning=meaning) if meaning else stated


def _number(value: float | None, error: str, language: Language) -> str:
    if error:
        return error if len(error) <= 40 else error[:37] + "..."
    return word("check_no_value", language) if value is None else f"{value:.4f}"


def grouped_faults(faults: Sequence[tuple[str, str, str]]) -> tuple[Fault, ...]:
    """Faults of cells (kind, cell, example), those of a kind together."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for kind, cell, example in faults:
        kinds.setdefault(kind, []).append((cell, example))
    return tuple(Fault(kind, tuple(cell for cell, _ in met), met[0][1]) for kind, met in kinds.items())
