"""What an audit found: each finding with the claims that contradict, the reason in words, and what would explain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rankmeter.late import pl
from rankmeter.showing.document import Block, Heading, Paragraph, Table, items, text_table
from rankmeter.showing.document import Kind as CellKind
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.results.printed import PrintedClaim
from rankmeter.wording import Language, Said, kinds, word

Kind = Literal["impossible", "only_if", "protocol"]
KINDS: tuple[Kind, ...] = ("impossible", "only_if", "protocol")
_HEADS = kinds("audit_head_{}", KINDS)
_COLUMNS = kinds("audit_col_{}", ("system", "measure", "value", "half_at_least", "half_at_most", "least_difference"))
SHOWN = 40
"""How many findings and cells a text lists; the data has all of them."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """Something that cannot be as it is printed, or only in some ways."""

    kind: Kind
    """``impossible``; ``only_if``: possible only in the ``ways``; ``protocol``: doubts about how it was measured."""
    claims: tuple[PrintedClaim, ...]
    """The fewest that contradict each other."""
    reason: Said
    ways: tuple[Said, ...] = ()
    """What would explain it: definitions for ``only_if``, else other ways to count."""
    place: str = ""

    @property
    def system(self) -> str:
        """Whose values they are, and on what."""
        first = self.claims[0]
        return " / ".join(part for part in (first.dataset, first.system) if part)

    def to_dict(self) -> dict[str, Any]:
        """As plain Python."""
        return {
            "kind": self.kind,
            "system": self.claims[0].system,
            "dataset": self.claims[0].dataset,
            "claims": [claim.text for claim in self.claims],
            "places": [claim.place for claim in self.claims if claim.place] or [self.place],
            "reason": str(self.reason),
            "ways": list(map(str, self.ways)),
        }


@dataclass(frozen=True, slots=True)
class Resolution:
    """How exact a number can be, from how many queries it is a mean of."""

    claim: PrintedClaim
    half_at_least: float
    """Half the width of its 95% interval, at the least."""
    half_at_most: float
    least_difference: float
    """The difference to another system that shows with 80% power, if the two differ on as many queries as they can."""


@dataclass(frozen=True, slots=True, repr=False)
class Audit(ShownAsTable):
    """The verdict on printed numbers; made by :func:`rankmeter.audit`."""

    claims: tuple[PrintedClaim, ...]
    findings: tuple[AuditFinding, ...]
    resolutions: tuple[Resolution, ...]
    notes: tuple[Said, ...]

    @property
    def is_possible(self) -> bool:
        """Whether nothing is impossible."""
        return not self.of_kind("impossible")

    def of_kind(self, kind: Kind) -> tuple[AuditFinding, ...]:
        """The findings of one kind."""
        return tuple(finding for finding in self.findings if finding.kind == kind)

    def verdict(self, claim: PrintedClaim) -> str:
        """``impossible``, ``only_if``, ``protocol`` or ``possible``."""
        return next(
            (kind for kind in KINDS if any(claim in finding.claims for finding in self.of_kind(kind))), "possible"
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "possible": self.is_possible,
            "findings": [finding.to_dict() for finding in self.findings],
            "cells": self._rows(),
            "notes": list(map(str, self.notes)),
        }

    def _rows(self) -> list[dict[str, Any]]:
        exact = {resolution.claim: resolution for resolution in self.resolutions}
        return [
            {
                "system": claim.system,
                "dataset": claim.dataset,
                "measure": str(claim.measure),
                "printed": claim.printed.text,
                "value": claim.value,
                "verdict": self.verdict(claim),
                "half_at_least": exact[claim].half_at_least if claim in exact else None,
                "half_at_most": exact[claim].half_at_most if claim in exact else None,
                "least_difference": exact[claim].least_difference if claim in exact else None,
                "place": claim.place,
            }
            for claim in self.claims
        ]

    def to_polars(self) -> pl.DataFrame:
        """The cells, a row each."""
        return pl.DataFrame(self._rows(), infer_schema_length=None)

    def document(self, language: Language = "en") -> list[Block]:
        """The verdict, what is impossible and why, and how exact the numbers can be."""
        bad = len(self.of_kind("impossible"))
        kind = "audit_verdict_bad" if bad else "audit_verdict_good"
        blocks: list[Block] = [
            Heading(word("audit_title", language), 1),
            Paragraph(word(kind, language, count=len(self.claims), bad=bad), "alarm" if bad else "plain"),
        ]
        for kind_of in KINDS:
            if found := self.of_kind(kind_of):
                blocks.append(Heading(word(_HEADS[kind_of], language, count=len(found))))
                blocks += _verdict_lines(found[:SHOWN], language)
                if len(found) > SHOWN:
                    blocks.append(Paragraph(word("audit_more", language, count=len(found) - SHOWN)))
        if self.resolutions:
            blocks += [Heading(word("audit_head_exact", language)), self._exactness(language)]
            if len(self.resolutions) > SHOWN:
                blocks.append(Paragraph(word("audit_more", language, count=len(self.resolutions) - SHOWN)))
        return [*blocks, *(Paragraph(note.text(language), "note") for note in self.notes)]

    def _exactness(self, language: Language) -> Table:
        rows = [
            (
                " / ".join(part for part in (one.claim.dataset, one.claim.system) if part),
                one.claim.name,
                one.claim.printed.bare,
                one.half_at_least,
                one.half_at_most,
                one.least_difference,
            )
            for one in self.resolutions[:SHOWN]
        ]
        types: list[CellKind] = ["text", "text", "text", "number", "number", "number"]
        table = text_table([word(head, language) for head in _COLUMNS.values()], rows, types, name="exactness")
        return table.only(lambda column: column != table.columns[0]) if all(not row[0] for row in rows) else table


def _verdict_lines(findings: Sequence[AuditFinding], language: Language) -> list[Paragraph]:
    lines = []
    for finding in findings:
        system = finding.system
        text = finding.reason.text(language)
        is_placed = not finding.place or finding.place in text
        place = "" if is_placed else word("audit_at", language, place=finding.place)
        lines.append((f"{system}: " if system and language == "en" else f"{system}：" if system else "") + text + place)
        if finding.ways:
            kind = "audit_only_if" if finding.kind == "only_if" else "audit_would"
            lines.append("  " + word(kind, language, ways=[way.text(language) for way in finding.ways]))
    return items(lines)
