r"""How much a position is looked at, apart from what stands there.

A high position is clicked more because better items stand there *and* because more people look. An item that the log
shows for the same query at two neighbouring positions tells the two apart: it is as good at both, so the ratio of its
click-through rates is the ratio of examination (intervention harvesting, Agarwal and others 2019; here chained from
position to position). This holds where items move between positions for reasons that have nothing to do with how good
they are at the moment: several rankers, A/B tests, random swaps. Without a query an item is compared with itself over
all lists, which is right only where it is as good in every list: a search log without its queries gives a curve that is
far too steep.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from rankmeter.errors import InputError, check_level, check_whole
from rankmeter.inputs.columns import say_names
from rankmeter.late import pl
from rankmeter.placing.placements import Floats
from rankmeter.showing.document import Cell, Column, Table
from rankmeter.showing.showable import ToldTable
from rankmeter.stats.resampling import check_draws, middle
from rankmeter.wings.online.events import Events, read_events
from rankmeter.wings.online.log import Log
from rankmeter.wings.online.partitions import Columns, Seen, Words, partitioned
from rankmeter.wings.online.shown_estimates import interval_cell
from rankmeter.wings.online.sums import CELLS
from rankmeter.wings.online.tallies import POSITIONS
from rankmeter.wording import Language, Said, exact_percent, said, word

_KEYS = ("query", "item", "position", "variant")


@dataclass(frozen=True, slots=True)
class Examination:
    """One position: how often it is clicked, and how much it is looked at compared with position 1."""

    position: int
    impressions: int
    clicks: int
    rate: float
    examination: float
    """Relative to position 1; NaN where no items were shown here and one position above."""
    low: float
    high: float
    shared_items: int
    """Items (of a query, where there are queries) shown here and one position above."""


@dataclass(frozen=True, slots=True, repr=False)
class PositionBias(ToldTable):
    """The curve of positions, and clicks over expected clicks of each variant."""

    source: str
    positions: tuple[Examination, ...]
    clicks_over_expected: Mapping[str, float]
    """COEC: the clicks of a variant over what the mean rate of the positions it filled would give."""
    level: float
    resamples: int
    by_query: bool = False
    """Whether an item is compared with itself within a query only."""

    @property
    def assumption(self) -> Said:
        """What the curve rests on."""
        return said("bias_assumes_query" if self.by_query else "bias_assumes_item")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return asdict(self) | {"assumption": self.assumption}

    def to_polars(self) -> pl.DataFrame:
        """A row per position."""
        return pl.DataFrame([asdict(position) for position in self.positions])

    def sentences(self) -> list[Said]:
        """What the curve rests on, what it is relative to, and how variants compare with it."""
        over = self.clicks_over_expected
        return [self.assumption, said("bias_is_relative"), *([said("bias_over_expected", over=over)] if over else [])]

    def table(self, language: Language = "en") -> Table:
        """A row per position."""
        examined = word("bias_examination", language, level=exact_percent(self.level))
        columns = (
            Column(word("online_position", language), "text"), Column(word("bias_impressions", language), "count"),
            Column("CTR"), Column(examined, digits=3), Column(word("bias_shared", language), "count"),
        )  # fmt: skip
        rows = [
            (Cell(str(position.position)), Cell(position.impressions), Cell(position.rate),
             interval_cell(position.examination, position.low, position.high, language), Cell(position.shared_items))
            for position in self.positions
        ]  # fmt: skip
        return Table(columns, tuple(rows))


def position_bias(
    events: object,
    *,
    positions: int = 10,
    level: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    types: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
) -> PositionBias:
    """Estimate how much each position is looked at.

    Parameters
    ----------
    events
        A log with items and positions; a search log with its queries too (the role ``query``): the text of the query,
        or whatever makes two lists answers to the same question.
    positions
        How many positions, at most 20.
    level, resamples, seed
        Of the intervals, by resampling queries, or items where there are no queries.
    columns, types, format
        As for :func:`rankmeter.online.read_events`.

    Examples
    --------
    >>> from rankmeter.online import position_bias
    >>> log = [
    ...     {"time": t, "user": t, "item": "a", "position": p, "type": kind}
    ...     for p, clicks in ((1, 4), (2, 2))
    ...     for t in range(8)
    ...     for kind in (["impression", "click"] if t < clicks else ["impression"])
    ... ]
    >>> log = [{**row, "user": f"{row['user']}-{row['position']}"} for row in log]
    >>> [one.examination for one in position_bias(log, positions=2).positions]
    [1.0, 0.5]
    """
    check_level(level)
    check_draws(resamples, level)
    check_whole("seed", seed)
    if not 1 <= check_whole("positions", positions) <= POSITIONS:
        raise InputError.of("online.positions_range", positions=positions, most=POSITIONS)
    log = read_events(events, columns=columns, types=types, format=format)
    if missing := [role for role in ("item", "position") if not log.has(role)]:
        hint = say_names(*missing)
        raise InputError.of("online.bias_needs_column", source=log.source, missing=missing, hint=hint)
    table, labels = _shown_and_clicked(log, positions)
    if not len(table):
        raise InputError.of("online.no_impressions", source=log.source)
    curve = table.group_by("position").agg(pl.col("shown").sum(), pl.col("clicked").sum()).sort("position")
    pairs = table.group_by("query", "item", "position").agg(pl.col("shown").sum(), pl.col("clicked").sum())
    by_query = log.has("query")
    known = _chained(pairs, positions, level, resamples, seed, "query" if by_query else "item")
    rows = (
        Examination(at, shown, clicked, clicked / shown, *known[at - 1]) for at, shown, clicked in curve.iter_rows()
    )
    over = _clicks_over_expected(table, curve, labels)
    return PositionBias(log.source, tuple(rows), over, level, resamples, by_query)


def _shown_and_clicked(log: Events, positions: int) -> tuple[pl.DataFrame, list[str]]:
    """How often each item of each query was shown and clicked at each position, by variant."""
    needed = {"request", "query", "item", "position", "variant", "id", "words"}
    with partitioned(log, needed) as partitions:
        tables = list(partitions.each(partial(_placed_counts, positions=positions)))
        labels = partitions.seen.labels["variant"]
    if not tables:
        return pl.DataFrame(), labels
    whole = pl.concat(tables).group_by(_KEYS).agg(pl.col("shown", "clicked").sum())
    return whole.filter(pl.col("shown") > 0).sort(_KEYS), labels


def _placed_counts(columns: Columns, seen: Seen, words: Words, *, positions: int) -> pl.DataFrame:
    """Impressions and clicks of some whole users, by item, query and position."""
    exposures = Log(columns, seen).shown_items().filter(pl.col("place") <= positions)
    counts = exposures.group_by("query", "item", "variant", pl.col("place").alias("position")).agg(
        pl.col("shown").sum(), pl.col("clicks").sum().alias("clicked")
    )
    for role in [role for role in _KEYS if role in words]:  # codes of texts are those of one partition
        counts = counts.join(words[role].rename({"word": "", "code": role}), on=role).drop(role).rename({"": role})
    return counts.select(*_KEYS, "shown", "clicked")


def _chained(
    table: pl.DataFrame, positions: int, level: float, resamples: int, seed: int, cluster: str
) -> list[tuple[float, float, float, int]]:
    """Of each position its examination relative to the first with its interval, and how many pairs it shares.

    A pair is a query and an item that are shown at two neighbouring positions. What one cluster adds to a quotient of
    neighbours is summed first, so that a resample is a product of matrices.
    """
    table = table.sort("query", "item", "position")
    code = table[cluster].rank("dense").cast(pl.Int64).to_numpy() - 1
    clusters = int(code.max()) + 1
    place, shown, clicked = (table[name].to_numpy() for name in ("position", "shown", "clicked"))
    # The row before is the same item of the same query, one position above.
    pair = pl.col("query", "item")
    is_below = pl.all_horizontal(pair == pair.shift(), pl.col("position").diff() == 1)
    rows = table.select(is_below.arg_true()).to_series().to_numpy()
    weight = shown[rows] * shown[rows - 1] / (shown[rows] + shown[rows - 1])
    here, above = np.zeros((clusters, positions)), np.zeros((clusters, positions))
    np.add.at(here, (code[rows], place[rows] - 1), weight * clicked[rows] / shown[rows])
    np.add.at(above, (code[rows], place[rows] - 1), weight * clicked[rows - 1] / shown[rows - 1])
    shared = np.bincount(place[rows] - 1, minlength=positions).tolist()
    shared[0] = table.select("query", "item").n_unique()

    def chain(drawn: Floats) -> Floats:
        top, bottom = drawn @ here, drawn @ above
        steps = np.divide(top, bottom, out=np.full(top.shape, math.nan), where=bottom > 0)
        steps[:, 0] = 1.0
        return np.cumprod(steps, axis=1)

    random, step = np.random.default_rng(seed), max(1, CELLS // clusters)
    sizes = [min(step, resamples - first) for first in range(0, resamples, step)]
    drawn = [np.zeros((0, positions)), *(chain(random.poisson(1.0, (n, clusters)).astype(float)) for n in sizes)]
    ends = [middle(column[~np.isnan(column)], level) for column in np.vstack(drawn).T]
    ratios = chain(np.ones((1, clusters)))[0].tolist()
    return [(ratio, *span, count) for ratio, span, count in zip(ratios, ends, shared, strict=True)]


def _clicks_over_expected(table: pl.DataFrame, curve: pl.DataFrame, labels: list[str]) -> dict[str, float]:
    """Of each variant the clicks over those that the positions alone would explain."""
    if not labels:
        return {}
    rates = curve.select("position", (pl.col("clicked") / pl.col("shown")).alias("rate"))
    joined = table.join(rates, on="position", maintain_order="left").filter(pl.col("variant") >= 0)
    ratios = joined.group_by("variant").agg(
        pl.col("clicked").sum() / (pl.col("shown") * pl.col("rate")).sum(),
    ).sort("variant")  # fmt: skip
    return {labels[int(code)]: float(value) for code, value in ratios.iter_rows()}
