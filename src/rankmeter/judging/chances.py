"""With which chances people's judgments were drawn: columns that :func:`rankmeter.draw` writes and that are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError
from rankmeter.inputs.accepting import into_judgments
from rankmeter.inputs.attributes import table_of
from rankmeter.inputs.reading import DIFFERING_DEPTH, ITEM_CHANCE, ITEM_DEPTH, QUERY_CHANCE
from rankmeter.inputs.tables import Judgments
from rankmeter.late import pl
from rankmeter.wording import Said, said

Kind = Literal["assumed", "queries", "unequal", "differing", "items"]


@dataclass(frozen=True, slots=True)
class Design:
    """How the judgments of people were drawn."""

    kind: Kind
    """``assumed``: nothing is recorded; ``queries``: whole queries with one chance; ``unequal``: whole queries, each
    with a chance of its own; ``differing``: whole queries among those on which the lists of some runs differ;
    ``items``: single items, each with a chance of its own."""
    chances: pl.DataFrame | None = None
    """``query``, for items also ``item``, and ``chance``; ids as text."""
    depth: int | None = None
    """Down to which rank items had a chance, or lists were compared, where it is recorded."""

    @property
    def is_partial(self) -> bool:
        """Whether something had no chance of being judged, so that people's judgments alone measure no system."""
        return self.kind in ("differing", "items")

    @property
    def eligible(self) -> int:
        """How many queries could have been drawn with the one chance that those drawn have."""
        return 0 if self.chances is None else round(len(self.chances) / float(self.chances["chance"][0]))

    def notes(self, judged: int, total: int) -> list[Said]:
        """What the draw leaves open, of ``judged`` queries among ``total``: not recorded, or not judged to its end."""
        if self.kind == "assumed":
            return [said("assumed_random")]
        if self.kind != "queries" or self.chances is None:
            return []
        drawn = round(float(self.chances["chance"][0]) * total)
        return [said("drawn_not_judged", drawn=drawn, judged=judged)] if judged < drawn else []


def with_design(people: Any, columns: Mapping[str, str] | None = None) -> tuple[Judgments, Design]:
    """The judgments of people, and how they were drawn where a column records it."""
    judgments = into_judgments(people, columns=columns)
    reading = judgments.how_read()
    recorded = [name for name in (QUERY_CHANCE, ITEM_CHANCE) if name in reading.unused]
    if not recorded:
        return judgments, Design("assumed")
    if len(recorded) > 1:
        raise InputError.of("judging.two_chances", source=reading.source)
    is_file = isinstance(people, (str, Path)) or Path(str(reading.source)).is_file()
    table = table_of(people if isinstance(people, (str, Path)) or not is_file else reading.source, "judgments")
    roles = reading.roles
    frame = pl.DataFrame(
        {
            "query": table[roles["query"]].cast(pl.String),
            "item": table[roles["item"]].cast(pl.String),
            "chance": table[recorded[0]],
        }
    )
    if recorded == [ITEM_CHANCE]:
        frame = frame.with_columns(_numbers(frame, ITEM_CHANCE, reading.source))
        return judgments, Design("items", frame, _depth(table, ITEM_DEPTH))
    design, depth = drawn_queries(frame, reading.source), _depth(table, DIFFERING_DEPTH)
    if depth is None:
        return judgments, design
    if design.kind == "unequal":
        raise InputError.of("judging.unlike_differing", source=reading.source)
    return judgments, Design("differing", design.chances, depth)


def _depth(table: pl.DataFrame, name: str) -> int | None:
    """The least of a column of ranks; None where there is none."""
    least = table[name].cast(pl.Int64, strict=False).min() if name in table.columns else None
    return least if isinstance(least, int) else None


def drawn_queries(frame: pl.DataFrame, source: str) -> Design:
    """How whole queries were drawn, from a table with the ``chance`` of every ``query`` and ``item``."""
    by_query = (
        frame.with_columns(_numbers(frame, QUERY_CHANCE, source))
        .group_by("query", maintain_order=True)
        .agg(pl.col("chance").first(), pl.col("chance").n_unique().alias("different"))
    )
    unlike = by_query.filter(pl.col("different") > 1)
    if len(unlike):
        raise InputError.of("judging.unlike_chances", source=source, query=unlike["query"][0])
    chances = by_query.select("query", "chance")
    spread = chances["chance"].to_numpy()
    is_equal = bool(np.ptp(spread) <= 1e-9 * spread.max())
    return Design("queries" if is_equal else "unequal", chances)


def _numbers(frame: pl.DataFrame, name: str, source: str) -> pl.Series:
    """Chances above 0 and at most 1; refuses others with their place."""
    column = frame["chance"]
    numbers = column.cast(pl.Float64, strict=False)
    wrong = ~((numbers > 0) & (numbers <= 1)).fill_null(value=False)
    if wrong.any():
        row = int(wrong.arg_true()[0])
        raise InputError.of(
            "judging.chance", source=source, column=name, value=str(column[row]), count=int(wrong.sum()),
            query=frame["query"][row], item=frame["item"][row],
        )  # fmt: skip
    return numbers
