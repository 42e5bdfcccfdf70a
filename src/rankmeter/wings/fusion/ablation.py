"""What each run adds to a fusion, and how it is shown."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.showing.document import Block, Heading, Paragraph, Table, text_table
from rankmeter.showing.numbers import NONE, number_or_none, signed
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wording import Language, Said, kinds, word

_HEADS = kinds("ablate_col_{}", "run alone without adds interval p unique first second jaccard rbo".split())


@dataclass(frozen=True, slots=True)
class AddedBy:
    """What one run adds."""

    run: str
    alone: float
    without: float
    """The value of the fusion of the others."""
    adds: float
    """The value of the fusion of all, less that."""
    low: float
    """NaN where there is no spread."""
    high: float
    p: float
    """Of the paired t test, corrected by Holm for all runs."""
    unique: int
    """Relevant items that only this run returned."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """How far two runs agree on their first items, means over queries."""

    first: str
    second: str
    jaccard: float
    rbo: float


@dataclass(frozen=True, slots=True, repr=False)
class Ablation(ShownAsTable):
    """What each run adds to a fusion; made by :func:`rankmeter.ablate`."""

    measure: str
    definition: Fusion
    runs: tuple[AddedBy, ...]
    overlaps: tuple[Overlap, ...]
    fused: float
    """The value of the fusion of all runs."""
    best_run: float
    """The value if somebody knew the best run of each query."""
    bound: float
    """The value of all items that were returned in the best possible order."""
    relevant: int
    """Relevant items that any run returned."""
    queries: int
    cutoff: int
    level: float
    notes: tuple[Said, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        runs = [{**asdict(one), "low": number_or_none(one.low), "high": number_or_none(one.high)} for one in self.runs]
        names = ("measure", "fused", "best_run", "bound", "relevant", "queries", "cutoff", "level")
        plain = {name: getattr(self, name) for name in names}
        return {**plain, "definition": str(self.definition), "runs": runs, "overlaps": list(map(asdict, self.overlaps)),
                "notes": list(map(str, self.notes))}  # fmt: skip

    def to_polars(self) -> pl.DataFrame:
        """The runs, a row each."""
        return pl.DataFrame(list(map(asdict, self.runs)))

    def document(self, language: Language = "en") -> list[Block]:
        """What each run adds, the bounds, and how much the runs overlap."""
        title = word("ablate_title", language, how=str(self.definition), measure=self.measure, queries=self.queries)
        bounds = word("ablate_bounds", language, fused=self.fused, best_run=self.best_run, bound=self.bound)
        heads = [word(_HEADS[head], language) for head in ("first", "second", "jaccard", "rbo")]
        rows = [(one.first, one.second, one.jaccard, one.rbo) for one in self.overlaps]
        overlaps = text_table(heads, rows, ("text", "text", "number", "number"), 3, name="overlaps")
        return [
            Heading(title, 1),
            Paragraph(bounds),
            self.table(language),
            Paragraph(word("ablate_unique", language, relevant=self.relevant)),
            Heading(word("ablate_head_overlap", language, cutoff=self.cutoff)),
            overlaps,
            *(Paragraph(note.text(language), "note") for note in self.notes),
        ]

    def table(self, language: Language = "en") -> Table:
        """What each run adds."""
        heads = [
            word(_HEADS[head], language) for head in ("run", "alone", "without", "adds", "interval", "p", "unique")
        ]
        rows = [
            (one.run, one.alone, one.without, one.adds, NONE if math.isnan(one.low) else
             f"{signed(one.low)} – {signed(one.high)}", one.p, one.unique)
            for one in self.runs
        ]  # fmt: skip
        return text_table(heads, rows, ("text", "number", "number", "difference", "text", "p", "count"), name="runs")
