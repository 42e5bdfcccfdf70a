"""One number seen by people and by the machine: whole queries that people judged, or single items of all queries.

With which chances they were drawn stands in columns that :func:`rankmeter.draw` writes and that are kept. A difference
of two systems is the same kind of thing: everything is subtracted query by query.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError
from rankmeter.inputs.accepting import is_path
from rankmeter.inputs.attributes import table_of
from rankmeter.inputs.reading import DIFFERING_DEPTH, ITEM_CHANCE, ITEM_DEPTH, QUERY_CHANCE
from rankmeter.inputs.tables import Judgments
from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.judging.estimators import (
    FEWEST,
    FEWEST_RARE,
    FEWEST_WRONG,
    ROUGH,
    Estimated,
    Target,
    count_wrong,
    estimated,
    is_rare,
    judgments_needed,
    people_needed,
    people_only,
    tuned,
    unequal,
    weighted_mean,
    where_lists_differ,
)
from rankmeter.wording import Said, said


@dataclass(frozen=True, slots=True)
class Observed:
    """What is known of one number: values of people where they judged, of the machine everywhere.

    Of each kind: ``method`` (how it is estimated), ``judged`` (queries that people looked at), ``correlation``.
    """

    machine: Floats
    """(N,) under the machine's judgments."""

    @property
    def total(self) -> int:
        """How many queries there are."""
        return len(self.machine)

    def needed(self, half_width: float, level: float, target: Target) -> int | None:  # noqa: ARG002
        """How many queries people have to judge for an interval; None where it depends on what is drawn next."""
        return None

    def worth(self, half_width: float, level: float) -> int | None:  # noqa: ARG002
        """How many queries people alone would have to judge; None where items and queries are not the same work."""
        return None


@dataclass(frozen=True, slots=True)
class WholeQueries(Observed):
    """People judged the pools of some queries."""

    people: Floats
    """(n,) under people's judgments."""
    is_judged: Bools
    """(N,) which queries they are."""
    chances: Floats | None = None
    """(n,) with which they were drawn, where these differ."""
    lists: Ints | None = None
    """(N,) a number for each query, the same where two systems have the same list; where that is looked at."""
    differs: Bools | None = None
    """(N,) of a difference, where the lists differ: on the others it is 0, whatever is relevant."""
    only_differing: bool = False
    """Whether no other queries could be drawn."""

    @property
    def method(self) -> str:
        """How it is estimated."""
        if self.judged == self.total:
            return "people"
        if self.differs is not None:
            return "differing"
        return "tuned" if self.chances is None else "unequal"

    @property
    def judged(self) -> int:
        """How many queries people judged."""
        return len(self.people)

    def minus(self, other: WholeQueries) -> WholeQueries:
        """The difference of two systems."""
        gap = replace(self, machine=self.machine - other.machine, people=self.people - other.people)
        if self.chances is not None or self.lists is None or other.lists is None:
            return gap
        differs: Bools = self.lists != other.lists
        # What is seen decides: a measure that looks further than the lists that were compared differs elsewhere too.
        is_zero = not gap.machine[~differs].any() and not gap.people[~differs[self.is_judged]].any()
        enough = int(differs[self.is_judged].sum()) >= FEWEST and not differs.all()
        if self.only_differing and not (is_zero and (enough or differs.all())):
            raise InputError.of("judging.differ_elsewhere", count=int(differs[self.is_judged].sum()), fewest=FEWEST)
        return replace(gap, differs=differs) if is_zero and enough else gap

    def assisted(self, level: float, target: Target) -> Estimated:
        """The regression estimator; with chances of their own the difference estimator; of all queries, people."""
        beside = self.machine[self.is_judged]
        if self.judged == self.total:
            return self.alone(level, target)
        if self.chances is not None:
            return unequal(self.people, beside, self.chances, self.machine, level=level, target=target)
        if self.differs is not None:
            return self._among(self.machine, self.differs, level, target)
        return tuned(self.people, beside, self.machine, level=level, target=target)

    def _among(self, machine: Floats, differs: Bools, level: float, target: Target) -> Estimated:
        """From the queries on which the lists differ; those judged are a random sample of them, too."""
        people = self.people[differs[self.is_judged]]
        beside = machine[differs & self.is_judged]
        return where_lists_differ(people, beside, machine[differs], self.total, level=level, target=target)

    def alone(self, level: float, target: Target) -> Estimated:
        """Student's t; where chances differ, the mean weighted by them."""
        if self.chances is not None and self.judged < self.total:
            return weighted_mean(self.people, self.chances, self.total, level=level, target=target)
        if self.differs is not None and self.judged < self.total:
            return self._among(np.zeros(self.total), self.differs, level, target)
        return people_only(self.people, self.total, level=level, target=target)

    @property
    def correlation(self) -> float:
        """Of the judged queries' values."""
        return _linear_correlation(self.people, self.machine[self.is_judged])

    def needed(self, half_width: float, level: float, target: Target) -> int | None:
        """Planned with the spread and the correlation of the judged queries."""
        correlation = max(self.correlation, 0.0) if math.isfinite(self.correlation) else 0.0
        spread, total = float(self.people.std(ddof=1)), self.total
        if self.only_differing and self.differs is not None:  # as much sharper as there are fewer of them
            total = int(self.differs.sum())
            half_width *= self.total / total
        return judgments_needed(spread, correlation, total, half_width, level=level, target=target)

    def worth(self, half_width: float, level: float) -> int | None:
        """Of queries drawn from as many as one likes."""
        return people_needed(float(self.people.std(ddof=1)), half_width, level=level)

    def _wrong(self) -> int | None:
        """On how many judged queries the machine is wrong, where these are too few to know its errors by."""
        people, beside = self.people, self.machine[self.is_judged]
        if self.differs is not None:
            people, beside = people[self.differs[self.is_judged]], self.machine[self.differs & self.is_judged]
        wrong = int(count_wrong(people - beside))
        return wrong if is_rare(wrong, len(people)) and np.ptp(self.machine) > 0 else None

    def cautions(self) -> list[Said]:
        """Too few queries, too few that differ, or too few errors of the machine."""
        notes = []
        if self.judged < ROUGH:
            notes.append(said("few_people", count=self.judged, fewest=ROUGH))
        values, counts = np.unique(self.people, return_counts=True)
        usual = int(counts.max())
        if self.method != "people" and (wrong := self._wrong()) is not None:
            notes.append(said("rare_errors", count=wrong, judged=self.judged, fewest=FEWEST_WRONG))
        if self.judged - usual < FEWEST_RARE and 2 * usual > self.judged and len(values) > 1:
            notes.append(said("rare_values", count=self.judged - usual, usual=float(values[counts.argmax()]),
                             judged=self.judged, fewest=FEWEST_RARE))  # fmt: skip
        return notes


@dataclass(frozen=True, slots=True)
class SingleItems(Observed):
    """People judged single items, each drawn with a known chance; for measures that are sums over items."""

    corrected: Floats
    """(N,) the machine's value plus what people corrected, each correction over its chance."""
    from_people: Floats
    """(N,) what people's grades add, each over its chance."""
    corrections: Floats
    """(drawn,) how far people's grade moves the value of its query."""
    gains: Floats
    """(drawn,) what people's grade adds to the value of its query."""
    chances: Floats
    """(drawn,)."""
    queries_seen: int

    method = "items"

    @property
    def judged(self) -> int:
        """How many queries have a judged item."""
        return self.queries_seen

    def minus(self, other: SingleItems) -> SingleItems:
        """The difference of two systems."""
        parts = ("machine", "corrected", "from_people", "corrections", "gains")
        gaps: dict[str, Any] = {name: getattr(self, name) - getattr(other, name) for name in parts}
        return replace(self, **gaps)

    def assisted(self, level: float, target: Target) -> Estimated:
        """Student's t over the corrected values of all queries; of these queries, by the chances."""
        return self._estimated(self.corrected, self.corrections, level, target, weight=1.0)

    def alone(self, level: float, target: Target) -> Estimated:
        """The value from people's judgments alone, without the machine."""
        return self._estimated(self.from_people, self.gains, level, target, weight=0.0)

    def _estimated(self, values: Floats, drawn: Floats, level: float, target: Target, *, weight: float) -> Estimated:
        estimate = people_only(values, level=level)
        more = self._more(drawn)
        if target == "queries":
            variance = ((1 - self.chances) / self.chances**2 * drawn**2).sum() / self.total**2 + more
            return estimated(estimate.value, variance, max(len(drawn) - 1, 1), level, weight)
        return estimated(estimate.value, estimate.error**2 + more, estimate.freedom, level, weight)

    def _more(self, drawn: Floats) -> float:
        """The variance of two more items on which the machine is wrong, where few of those drawn are such."""
        if not is_rare(count_wrong(drawn), len(drawn)):
            return 0.0
        gains = np.maximum(np.abs(self.gains), np.abs(self.gains - self.corrections))
        if not gains.any():
            return 0.0
        squares = ((1 - self.chances) * (gains / self.chances) ** 2)[gains > 0]
        return 2 * float(squares.mean()) / self.total**2

    @property
    def correlation(self) -> float:
        """Of what people and machine add for each drawn item."""
        return _linear_correlation(self.gains, self.gains - self.corrections)

    def cautions(self) -> list[Said]:
        """Too few items, or too few errors of the machine."""
        notes = [said("few_items", count=len(self.chances), fewest=ROUGH)] if len(self.chances) < ROUGH else []
        wrong = int(count_wrong(self.corrections))
        if is_rare(wrong, len(self.corrections)):
            notes.append(said("rare_errors_of_items", count=wrong, judged=len(self.corrections), fewest=FEWEST_WRONG))
        return notes


Seen = WholeQueries | SingleItems


def _linear_correlation(values: Floats, other: Floats) -> float:
    if len(values) < 2 or not (np.ptp(values) > 0 and np.ptp(other) > 0):
        return math.nan
    return float(np.corrcoef(values, other)[0, 1])


DesignKind = Literal["assumed", "queries", "unequal", "differing", "items"]


@dataclass(frozen=True, slots=True)
class Design:
    """How the judgments of people were drawn."""

    kind: DesignKind
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


def design_of(people: Any, judgments: Judgments) -> Design:
    """How the judgments of people were drawn, where a column of what they were read from records it."""
    reading = judgments.how_read()
    recorded = [name for name in (QUERY_CHANCE, ITEM_CHANCE) if name in reading.unused]
    if not recorded:
        return Design("assumed")
    if len(recorded) > 1:
        raise InputError.of("judging.two_chances", source=reading.source)
    roles = reading.roles
    table = _table_of_people(people, judgments, {recorded[0], roles["query"], roles["item"]})
    frame = pl.DataFrame(
        {
            "query": table[roles["query"]].cast(pl.String),
            "item": table[roles["item"]].cast(pl.String),
            "chance": table[recorded[0]],
        }
    )
    if recorded == [ITEM_CHANCE]:
        frame = frame.with_columns(_numbers(frame, ITEM_CHANCE, reading.source))
        return Design("items", frame, _depth(table, ITEM_DEPTH))
    design, depth = drawn_queries(frame, reading.source), _depth(table, DIFFERING_DEPTH)
    if depth is None:
        return design
    if design.kind == "unequal":
        raise InputError.of("judging.unlike_differing", source=reading.source)
    return Design("differing", design.chances, depth)


def _table_of_people(people: Any, judgments: Judgments, needed: set[str]) -> pl.DataFrame:
    """All columns of what people judged: of a frame, or of the files that the judgments were read from."""
    source = judgments.how_read().source
    was_read = Path(source).is_file() and (isinstance(people, Judgments) or is_path(people))
    paths = getattr(judgments, "paths", ()) or ((source,) if was_read else ())
    tables = [table_of(path, "judgments") for path in paths] or [table_of(people, "judgments")]
    for path, table in zip(paths, tables, strict=False):
        if lacking := needed.difference(table.columns):
            raise InputError.of("judging.files_differ", source=path, columns=sorted(lacking), others=source)
    return pl.concat(tables, how="diagonal_relaxed")


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
