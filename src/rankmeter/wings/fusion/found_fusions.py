"""Which definitions give a fused list, and how they are shown."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.showing.document import Block, Heading, Paragraph, Table, text_table
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wording import Language, kinds, word

MOST = 20
"""Rows that are shown."""
_HEADS = kinds("fusion_col_{}", "name definition order share gap".split())


@dataclass(frozen=True, slots=True)
class FoundFusion:
    """A definition that was tried."""

    name: str
    """As it is typed: ``qdrant:rrf``, ``wsum(norm=max)``."""
    definition: str
    share: float
    """Of the items of the fused lists, those to which it gives the same score (the same place, without scores)."""
    gap: float
    """The mean difference of scores; 0 where there are none."""
    is_in_order: bool
    """Whether its order is that of the lists."""


@dataclass(frozen=True, slots=True, repr=False)
class FoundFusions(ShownAsTable):
    """Which definitions give a fused list; made by :func:`rankmeter.reconcile_fusion`."""

    matches: tuple[FoundFusion, ...]
    """Those that give every score, those in the same order and with the least stated first."""
    nearest: tuple[FoundFusion, ...]
    """The five nearest, where none matches."""
    tried: int
    queries: int
    digits: int | None
    """Decimals to which scores are compared, where no definition gives them to 1e-9 and they look rounded."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        found = {name: list(map(asdict, getattr(self, name))) for name in ("matches", "nearest")}
        return {**found, "tried": self.tried, "queries": self.queries, "digits": self.digits}

    def to_polars(self) -> pl.DataFrame:
        """The definitions, a row each."""
        return pl.DataFrame(list(map(asdict, self.matches or self.nearest)), infer_schema_length=None)

    def document(self, language: Language = "en") -> list[Block]:
        """The definitions that match, or the nearest."""
        kind = "fusion_found" if self.matches else "fusion_not_found"
        told = word(kind, language, count=len(self.matches), tried=self.tried, queries=self.queries)
        notes = [] if self.digits is None else [word("fusion_found_rounded", language, digits=self.digits)]
        if len(self.matches) > MOST:
            notes.append(word("fusion_found_more", language, count=len(self.matches) - MOST))
        return [Heading(told, 1), self.table(language), *(Paragraph(note, "note") for note in notes)]

    def table(self, language: Language = "en") -> Table:
        """The definitions that match, or the nearest."""
        yes, no = word("fusion_same_order", language), word("fusion_other_order", language)
        names = ("name", "definition", "order") if self.matches else ("name", "definition", "share", "gap")
        rows: list[tuple[object, ...]] = [
            (one.name, one.definition, *([yes if one.is_in_order else no] if self.matches else [one.share, one.gap]))
            for one in (self.matches or self.nearest)[:MOST]
        ]
        heads = [word(_HEADS[name], language) for name in names]
        if self.matches:
            return text_table(heads, rows, ("text", "text", "text"), name="found")
        return text_table(heads, rows, ("text", "text", "share", "number"), 6, name="found")
