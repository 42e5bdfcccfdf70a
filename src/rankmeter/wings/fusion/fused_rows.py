"""One query of a fused run, row by row: where each list holds an item, what that is worth, and the fused score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.showing.document import Block, Heading, Paragraph, Table, text_table
from rankmeter.showing.numbers import NONE
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wording import Language, kinds, word

_HEADS = kinds("fusion_col_{}", "rank item fused".split())
_FORMULAS: Mapping[str, str] = {
    **dict.fromkeys(("rrf", "rbc", "w_bordafuse", "wsum"), "Σ w·v"),
    **dict.fromkeys(("sum", "bordafuse", "mapfuse", "posfuse", "slidefuse", "probfuse", "segfuse", "bayesfuse"), "Σ v"),
    "isr": "n · Σ w·v", "log_isr": "ln(n) · Σ v", "logn_isr": "ln(n + {sigma:g}) · Σ v",
    "min": "min v", "max": "max v", "med": "median v", "anz": "Σ v / m", "mnz": "n · Σ v", "gmnz": "n^{gamma:g} · Σ v",
    "wmnz": "Σ w · Σ v·w", "mixed": "√n · Σ w·v", "arithmetic": "Σ w·v / Σ w", "geometric": "(Π v^w)^(1 / Σ w)",
    "harmonic": "Σ w / Σ (w / v)",
}  # fmt: skip
"""How the worth v of an item in each list becomes its score: w are weights, n how many lists hold it, m have a v."""


@dataclass(frozen=True, slots=True)
class HeldBy:
    """What one list says of an item."""

    ranks: tuple[int, ...]
    """Where it stands there: nowhere, once, or several times."""
    scores: tuple[float, ...]
    worth: float | None
    """Its normalised score, or what its rank is worth, before weights; None where the list has nothing to say."""


@dataclass(frozen=True, slots=True)
class FusedRow:
    """One item of a fused list."""

    rank: int
    item: str
    score: float
    lists: tuple[HeldBy, ...]
    """What each run says of it, in their order."""


@dataclass(frozen=True, slots=True, repr=False)
class FusedRows(ShownAsTable):
    """How the scores of one query came about; made by ``fuse(...).explain(query, runs)``."""

    query: str
    definition: Fusion
    names: tuple[str, ...]
    weights: tuple[float, ...]
    rows: tuple[FusedRow, ...]

    @property
    def formula(self) -> str:
        """How what the lists say becomes the score."""
        definition = self.definition
        if definition.how not in _FORMULAS:
            return ""  # votes of pairs are no formula of one item
        formula = _FORMULAS[definition.how].format(sigma=definition.sigma, gamma=definition.gamma)
        if definition.weighting == "ranks":
            formula = formula.replace("w·v", "v")
        if definition.scale == "best":
            formula = f"{formula} / {sum(self.weights) / (definition.k + definition.first):.6g}"
        return formula

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        plain = {"query": self.query, "definition": str(self.definition), "formula": self.formula}
        return {**plain, "names": list(self.names), "weights": list(self.weights), "rows": list(map(asdict, self.rows))}

    def to_polars(self) -> pl.DataFrame:
        """The items, a row each, with what each run says of them."""
        return pl.DataFrame(
            [
                {"rank": row.rank, "item": row.item, "score": row.score}
                | {f"{name}.worth": held.worth for name, held in zip(self.names, row.lists, strict=True)}
                for row in self.rows
            ],
            infer_schema_length=None,
        )

    def document(self, language: Language = "en") -> list[Block]:
        """The rows, and how what the lists say becomes the score."""
        title = word("fusion_rows_title", language, how=str(self.definition), query=self.query)
        told = "fusion_rows_formula" if self.formula else "fusion_rows_votes"
        weights = [f"{name} {weight:.6g}" for name, weight in zip(self.names, self.weights, strict=True)]
        return [
            Heading(title, 1),
            self.table(language),
            Paragraph(word(told, language, formula=self.formula, weights=weights)),
        ]

    def table(self, language: Language = "en") -> Table:
        """The items, best first; of each list the rank, the score and what it is worth."""
        heads = [word(_HEADS[head], language) for head in ("rank", "item", "fused")]
        rows = [(row.rank, row.item, row.score, *map(_said, row.lists)) for row in self.rows]
        kinds_of = ("count", "text", "number", *("text" for _ in self.names))
        return text_table([*heads, *self.names], rows, kinds_of, 6, name="rows")  # type: ignore[arg-type]


def _said(held: HeldBy) -> str:
    """``#2 9.5 → 0.0161``."""
    places = [f"#{rank} {score:.6g}" for rank, score in zip(held.ranks, held.scores, strict=True)]
    worth = NONE if held.worth is None else f"{held.worth:.6g}"
    return f"{', '.join(places)} → {worth}" if places else worth if held.worth is None else f"→ {worth}"
