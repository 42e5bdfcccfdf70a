r"""How much a position is looked at, apart from what stands there.

A high position is clicked more because better items stand there *and* because more people look. Items that the log
shows at two neighbouring positions tell the two apart: the same items, so the ratio of their click-through rates is the
ratio of examination (intervention harvesting, Agarwal and others 2019; here chained from position to position). This
holds where items move between positions for reasons that have nothing to do with how good they are at the moment:
several rankers, A/B tests, random swaps.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, check_level, check_whole, with_hint
from rankmeter.late import pl
from rankmeter.online.bootstrap import check_resamples, middle
from rankmeter.online.counting import POSITIONS
from rankmeter.online.events import read_events
from rankmeter.online.log import Log
from rankmeter.online.partitions import HAS_ITEM, Partitions
from rankmeter.online.telling import Told

Floats = npt.NDArray[np.float64]


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
    """Items shown here and one position above."""

    @property
    def looked_at(self) -> str:
        """For people: the examination with its interval."""
        if math.isnan(self.examination):
            return "no data"
        span = "no interval" if math.isnan(self.low) else f"{self.low:.3f}, {self.high:.3f}"
        return f"{self.examination:.3f} [{span}]"


@dataclass(frozen=True, slots=True)
class PositionBias(Told):
    """The curve of positions, and clicks over expected clicks of each variant."""

    source: str
    positions: tuple[Examination, ...]
    clicks_over_expected: Mapping[str, float]
    """COEC: the clicks of a variant over what the mean rate of the positions it filled would give."""
    level: float
    resamples: int

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {"source": self.source, "positions": [asdict(one) for one in self.positions], "level": self.level,
                "clicks_over_expected": dict(self.clicks_over_expected), "resamples": self.resamples}  # fmt: skip

    def to_polars(self) -> pl.DataFrame:
        """A row per position."""
        return pl.DataFrame([asdict(one) for one in self.positions])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{one.position}</td><td>{one.impressions:,}</td><td>{one.rate:.4f}</td>"
            f"<td>{one.looked_at}</td></tr>"
            for one in self.positions
        )
        head = "<th>position</th><th>impressions</th><th>CTR</th><th>examination, relative to position 1</th>"
        return f"<table><caption>{html.escape(self.source)}</caption><tr>{head}</tr>{rows}</table>"


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
        A log with items and positions.
    positions
        How many positions, at most 20.
    level, resamples, seed
        Of the intervals, by resampling items.
    columns, types, format
        As for :func:`rankmeter.online.read_events`.

    Examples
    --------
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
    check_resamples(resamples, level)
    check_whole("seed", seed)
    if not 1 <= check_whole("positions", positions) <= POSITIONS:
        raise InputError(f"positions={positions} is not possible; expected 1 to {POSITIONS}.")
    log = read_events(events, columns=columns, types=types, format=format)
    for role in ("item", "position"):
        if not log.has(role):
            fact = f"{log.source} has no {role} column, without which positions cannot be compared."
            raise InputError(with_hint(fact, f'columns={{"{role}": "NAME"}}'))
    table, labels = _counts(log, positions)
    if not len(table):
        raise InputError(f"{log.source} has no impressions with an item and a position.")
    curve = table.group_by("position").agg(pl.col("shown").sum(), pl.col("clicked").sum()).sort("position")
    by_item = table.group_by("item", "position").agg(pl.col("shown").sum(), pl.col("clicked").sum())
    ratios, low, high, shared = _chained(by_item, positions, level, resamples, seed)
    rows = []
    for place, shown, clicked in curve.iter_rows():
        at = place - 1
        rows.append(Examination(place, shown, clicked, clicked / shown, float(ratios[at]), float(low[at]),
                                float(high[at]), shared[at]))  # fmt: skip
    return PositionBias(log.source, tuple(rows), _clicks_over_expected(table, curve, labels), level, resamples)


def _counts(log: Any, positions: int) -> tuple[pl.DataFrame, list[str]]:
    """How often each item was shown and clicked at each position, by variant."""
    tables = []
    with Partitions(log, {"request", "item", "position", "variant", "id"}) as partitions:
        seen = partitions.seen
        for columns in partitions:
            part = Log(columns, first_position=0 if seen.lowest_position == 0 else 1, last_time=seen.last_time or 0)
            pairs = part.exposures()
            clicked = part.clicks("once", "drop")
            rows = np.flatnonzero(
                (pairs.first_impression | clicked) & part.known(HAS_ITEM)
                & (pairs.position > 0) & (pairs.position <= positions)
            )  # fmt: skip
            variant = part.column("variant")[rows] if part.has("variant") else np.zeros(len(rows), np.int16)
            made = pl.DataFrame(
                {
                    "item": part.column("item")[rows], "variant": variant,
                    "position": pairs.position[rows].astype(np.int64),
                    "shown": pairs.first_impression[rows].astype(np.int64), "clicked": clicked[rows].astype(np.int64),
                }
            )  # fmt: skip
            made = made.group_by("item", "position", "variant").agg(pl.col("shown", "clicked").sum())
            if "item" in partitions.words:  # codes of texts are those of one partition
                words = partitions.words["item"]
                made = made.join(words, left_on="item", right_on="code").with_columns(item="word").drop("word")
            tables.append(made)
        labels = seen.labels["variant"]
    if not tables:
        return pl.DataFrame(), labels
    whole = pl.concat(tables).group_by("item", "position", "variant").agg(pl.col("shown", "clicked").sum())
    return whole.filter(pl.col("shown") > 0).sort("item", "position", "variant"), labels


def _chained(
    table: pl.DataFrame, positions: int, level: float, resamples: int, seed: int
) -> tuple[Floats, Floats, Floats, list[int]]:
    """Examination of each position relative to the first, from the items that two neighbours share."""
    table = table.sort("item", "position")
    code = table["item"].rank("dense").cast(pl.Int64).to_numpy() - 1
    items = int(code.max()) + 1
    rate = np.full((items, positions), np.nan)
    shown = np.zeros((items, positions))
    at = table["position"].to_numpy() - 1
    shown[code, at] = table["shown"].to_numpy()
    rate[code, at] = table["clicked"].to_numpy() / table["shown"].to_numpy()
    pairs, shared = [], [items]
    for place in range(1, positions):
        both = (shown[:, place] > 0) & (shown[:, place - 1] > 0)
        shared.append(int(both.sum()))
        one, other = shown[both, place], shown[both, place - 1]
        weight = one * other / (one + other)
        pairs.append((np.flatnonzero(both), weight * rate[both, place], weight * rate[both, place - 1]))

    def chain(drawn: Floats | None) -> Floats:
        curve = np.ones(positions)
        for place, (which, here, above) in enumerate(pairs, start=1):
            weight = np.ones(len(which)) if drawn is None else drawn[which]
            below = float((weight * above).sum())
            curve[place] = curve[place - 1] * float((weight * here).sum()) / below if below > 0 else math.nan
        return curve

    random = np.random.default_rng(seed)
    drawn = np.array([chain(random.poisson(1.0, items).astype(float)) for _ in range(resamples)])
    low, high = np.full(positions, np.nan), np.full(positions, np.nan)
    for place in range(positions):
        known = drawn[:, place][~np.isnan(drawn[:, place])] if resamples else np.zeros(0)
        if len(known):
            low[place], high[place] = middle(known, level)
    return chain(None), low, high, shared


def _clicks_over_expected(table: pl.DataFrame, curve: pl.DataFrame, labels: list[str]) -> dict[str, float]:
    """Of each variant the clicks over those that the positions alone would explain."""
    if not labels:
        return {}
    rates = curve.select("position", (pl.col("clicked") / pl.col("shown")).alias("rate"))
    joined = table.join(rates, on="position").filter(pl.col("variant") >= 0)
    found = joined.group_by("variant").agg(
        pl.col("clicked").sum() / (pl.col("shown") * pl.col("rate")).sum(),
    ).sort("variant")  # fmt: skip
    return {labels[int(code)]: float(value) for code, value in found.iter_rows()}
