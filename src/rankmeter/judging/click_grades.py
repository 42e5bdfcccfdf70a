"""Grades from clicks: how attractive an item of a query is, given where it was shown.

A click says more at position 8 than at position 1. The **examined rate** divides the clicks of a pair of query and item
by how much it was looked at, the sum of the examination of its positions; **cascade** and **sdbn** take everything down
to the first, or the last, click as looked at. A rate is drawn towards the others, has an interval, and becomes a grade
where there is enough of it: too little evidence is not a grade of 0, it is no judgment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, check_level
from rankmeter.late import pl
from rankmeter.online.events import Events, read_events
from rankmeter.online.position_bias import PositionBias, position_bias
from rankmeter.showing.document import Block, Paragraph, text_table
from rankmeter.showing.showable import ShownAsTable
from rankmeter.stats.shrinkage import GammaPrior, gamma_prior, garwood
from rankmeter.wording import Language, Said, said, word

Model = Literal["examined", "ctr", "ips", "cascade", "sdbn"]
MODELS: tuple[Model, ...] = get_args(Model)
_POSITIONS = 20
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class ClickGrades(ShownAsTable):
    """What clicks say of pairs of query and item."""

    source: str
    model: Model
    frame: pl.DataFrame
    """``query``, ``item``, ``shown``, ``clicks``, ``evidence``, ``users``, ``rate``, ``low``, ``high``, ``grade`` (null
    where there is too little evidence), ``unsure`` (whether the interval spans more than one grade)."""
    max_grade: int
    prior: tuple[float, float] | None
    """Shape and strength of the Gamma prior; None where rates stand as they are."""
    examination: tuple[float, ...]
    notes: tuple[Said, ...]

    @property
    def judgments(self) -> dict[str, dict[str, int]]:
        """The grades by query and item, as :func:`rankmeter.evaluate` takes them."""
        graded = self.frame.filter(pl.col("grade").is_not_null())
        grades: dict[str, dict[str, int]] = {}
        for query, item, grade in graded.select("query", "item", "grade").iter_rows():
            grades.setdefault(query, {})[item] = grade
        return grades

    def to_polars(self) -> pl.DataFrame:
        """The pairs with a grade: a table that is read as judgments."""
        first = ("query", "item", "grade")
        return self.frame.filter(pl.col("grade").is_not_null()).select(*first, pl.exclude(*first))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {"source": self.source, "model": self.model, "max_grade": self.max_grade, "prior": self.prior,
                "examination": list(self.examination), "pairs": self.frame.to_dicts(),
                "notes": [note.text("en") for note in self.notes]}  # fmt: skip

    def document(self, language: Language = "en") -> Sequence[Block]:
        """How many pairs have which grade, and the pairs that were seen most."""
        graded = self.frame.filter(pl.col("grade").is_not_null())
        counts = graded.group_by("grade").agg(pl.len(), pl.col("unsure").sum()).sort("grade")
        heads = [word(f"clicks_{name}", language) for name in ("grade", "pairs", "unsure")]
        rows: list[list[object]] = [[str(grade), pairs, unsure] for grade, pairs, unsure in counts.iter_rows()]
        rows.append([word("clicks_ungraded", language), self.frame.height - graded.height, None])
        most = graded.sort("evidence", "query", "item", descending=[True, False, False]).head(10)
        names = ("query", "item", "clicks", "evidence", "rate", "low", "high", "grade")
        shown = [[*row[:-1], str(row[-1])] for row in most.select(names).iter_rows()]
        kinds = ["text", "text", "count", "number", "number", "number", "number", "text"]
        return [
            text_table(heads, rows, ["text", "count", "count"]),
            text_table([word(f"clicks_{name}", language) for name in names], shown, kinds),  # type: ignore[arg-type]
            *(Paragraph(note.text(language)) for note in self.notes),
        ]


def judgments_from_clicks(
    events: object,
    *,
    model: Model = "examined",
    examination: PositionBias | Sequence[float] | None = None,
    grades: int | Sequence[float] = 3,
    grade_by: Literal["rate", "low"] = "rate",
    shrink: bool = True,
    clickless: Literal["seen", "left out"] = "seen",
    least: tuple[float, int] = (10.0, 2),
    level: float = 0.95,
    columns: Mapping[str, str] | None = None,
    types: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
) -> ClickGrades:
    """Turn a log of impressions and clicks into judgments.

    With clicks on an item of a query, and how much its positions are looked at (examination, relative to position 1):

    - ``examined``: its clicks over the sum of the examination of the positions at which it was shown; ``ctr``: over how
      often it was shown; ``ips``: the mean over its showings of click over examination, without bias and much noisier;
    - ``cascade``: clicks over how often it was seen down to the first click; ``sdbn``: attraction (clicks over how
      often it was seen down to the last click) times satisfaction (last clicks over clicks).

    Parameters
    ----------
    events
        A log with queries, items, positions and requests, as for :func:`rankmeter.online.position_bias`.
    model
        How clicks become rates, see above.
    examination
        How much each position is looked at, the first 1: what :func:`rankmeter.online.position_bias` gave, or numbers;
        estimated from the log by default. Pairs shown further down count up to where it is known.
    grades
        The highest grade m: a rate R becomes the grade floor(log2(1 + R 2^m)), the contrary of ERR's chance of being
        satisfied; with 3, grades 1, 2 and 3 begin at .125, .375 and .875. Or the rates at which grades 1, 2, ... begin.
    grade_by
        By the rate, or by the low end of its interval.
    shrink
        Whether rates are drawn towards those of the others (``examined`` and ``ctr``; not with fewer than 20 pairs).
    clickless
        What ``cascade`` and ``sdbn`` make of lists without a click: all of it was seen, or they are left out.
    least
        With less evidence, or fewer users, than this a pair is not judged: no click in three looks is not a grade of 0.
    level
        Of the intervals, which hold where users are independent of each other.
    columns, types, format
        As for :func:`rankmeter.online.read_events`.

    Examples
    --------
    >>> from rankmeter import judgments_from_clicks
    >>> lists = [("abcd", "1000"), ("abcd", "1010"), ("abcd", "0000"), ("bacd", "0100"), ("bacd", "1000")]
    >>> log = [{"time": t, "user": t, "request": t, "query": "q", "item": item, "position": place, "type": kind}
    ...        for t, (items, clicks) in enumerate(lists) for place, item in enumerate(items, 1)
    ...        for kind in (["impression", "click"] if clicks[place - 1] == "1" else ["impression"])]
    >>> made = judgments_from_clicks(log, examination=[1, 0.5, 1 / 3, 0.25], least=(1, 2))
    >>> made.frame.select("item", "clicks", "evidence", "grade").rows()[0]
    ('a', 3, 4.0, 2)
    """
    check_level(level)
    if model not in MODELS:
        raise InputError.of("judging.unknown_model", model=model, models=", ".join(MODELS))
    starts = _starts(grades)
    log = read_events(events, columns=columns, types=types, format=format)
    shown, notes = _exposures(log)
    known = _examination(examination, log, model)
    counted, beyond = _counted(shown, model, known, clickless)
    if beyond:
        notes.append(said("clicks_beyond", count=beyond, positions=len(known)))
    frame, prior = _rated(counted, model, level, shrink=shrink)
    if shrink and prior is None and model in ("examined", "ctr"):
        notes.append(said("clicks_not_shrunk"))
    frame = _graded(frame, starts, grade_by, least)
    notes.append(said("clicks_assume", model=model))
    made = None if prior is None else (prior.shape, prior.strength)
    return ClickGrades(log.source, model, frame, len(starts), made, tuple(known), tuple(notes))


def _starts(grades: int | Sequence[float]) -> list[float]:
    """The rates at which grades 1, 2, ... begin."""
    if isinstance(grades, int):
        if grades not in range(1, 11):
            raise InputError.of("judging.max_grade", grades=grades)
        return [(2**grade - 1) / 2**grades for grade in range(1, grades + 1)]
    starts = list(grades)
    if not starts or sorted(set(starts)) != starts or not starts[0] > 0:
        raise InputError.of("judging.thresholds", thresholds=starts)
    return starts


def _exposures(log: Events) -> tuple[pl.DataFrame, list[Said]]:
    """Every item of every list once: where it stood, and whether it was clicked."""
    for role in ("query", "item", "position"):
        if not log.has(role):
            raise InputError.of("judging.log_without", source=log.source, role=role)
    if log.elsewhere is not None:  # the rows at hand are a sample
        raise InputError.of("judging.log_in_spark", source=log.source)
    lists = "request" if log.has("request") else "user"
    wanted = dict.fromkeys([lists, "user", "query", "item", "position", "type"])
    known = pl.col("query").is_not_null() & pl.col("item").is_not_null()
    rows = log.rows.select(list(wanted)).collect().with_columns(pl.col("query", "item", "type").cast(pl.String))
    kinds = {word: log.kinds.get(word.casefold(), "other") for word in rows["type"].drop_nulls().unique()}
    rows = rows.with_columns(pl.col("type").replace_strict(kinds, default="other").alias("kind"))
    rows = rows.filter(known & pl.col("kind").is_in(["impression", "click"]))
    lowest = rows["position"].min()
    first = 0 if lowest == 0 else 1
    keys = list(dict.fromkeys([lists, "query", "item"]))
    impressions = rows.filter((pl.col("kind") == "impression") & (pl.col("position") >= first)).group_by(keys).agg(
        pl.col("user").first().alias("who"), (pl.col("position").min() - first + 1).cast(pl.Int64).alias("place")
    )  # fmt: skip
    clicks = (
        rows.filter(pl.col("kind") == "click").select(keys).unique().with_columns(pl.lit(value=True).alias("clicked"))
    )
    joined = impressions.join(clicks, on=keys, how="left").with_columns(pl.col("clicked").fill_null(value=False))
    if joined.is_empty():
        raise InputError.of("judging.no_impressions", source=log.source)
    lost = clicks.height - joined["clicked"].sum()
    notes = [said("clicks_without_impression", count=int(lost))] if lost else []
    if lists == "user":
        notes.append(said("clicks_by_user"))
    return joined.with_columns(pl.col(lists).alias("list")), notes


def _examination(given: PositionBias | Sequence[float] | None, log: Events, model: Model) -> list[float]:
    """How much each position is looked at, down to where it is known."""
    if model in ("ctr", "cascade", "sdbn"):
        return []
    if given is None:
        given = position_bias(log, positions=_POSITIONS)
    values = (
        [one.examination for one in given.positions] if isinstance(given, PositionBias) else list(map(float, given))
    )
    known = []
    for value in values:
        if not math.isfinite(value) or value <= 0:
            break
        known.append(value)
    if not known:
        raise InputError.of("judging.no_examination")
    return known


def _counted(shown: pl.DataFrame, model: Model, known: Sequence[float], clickless: str) -> tuple[pl.DataFrame, int]:
    """Clicks and evidence of each pair, and how many exposures lie beyond what is known of positions."""
    beyond = 0
    clicked = pl.col("clicked").cast(pl.Int64)
    if model in ("examined", "ips"):
        near = shown.filter(pl.col("place") <= len(known))
        beyond = shown.height - near.height
        looked = pl.Series(known).gather(near["place"] - 1)
        near = near.with_columns(looked.alias("looked"))
        weight = pl.col("looked").sum() if model == "examined" else pl.len().cast(pl.Float64)
        top = clicked if model == "examined" else clicked / pl.col("looked")
    elif model == "ctr":
        near, weight, top = shown, pl.len().cast(pl.Float64), clicked
    else:
        near = _seen(shown, model, clickless)
        weight, top = pl.col("seen").cast(pl.Float64).sum(), (clicked * pl.col("seen")).cast(pl.Float64)
    last = pl.col("last").cast(pl.Int64).sum() if model == "sdbn" else pl.lit(0)
    counted = near.group_by("query", "item").agg(
        pl.len().alias("shown"), clicked.sum().alias("clicks"), weight.alias("evidence"), top.sum().alias("top"),
        pl.col("who").n_unique().alias("users"), last.alias("last"),
    )  # fmt: skip
    return counted.sort("query", "item"), beyond


def _seen(shown: pl.DataFrame, model: Model, clickless: str) -> pl.DataFrame:
    """Which items of each list were looked at: down to the first click, or to the last."""
    place = pl.col("place").filter(pl.col("clicked"))
    end = (place.min() if model == "cascade" else place.max()).over("list", "query")
    rows = shown.with_columns(end.alias("end"))
    if clickless == "left out":
        rows = rows.filter(pl.col("end").is_not_null())
    seen = pl.col("end").is_null() | (pl.col("place") <= pl.col("end"))
    return rows.with_columns(seen.alias("seen"), (pl.col("clicked") & (pl.col("place") == pl.col("end"))).alias("last"))


def _rated(
    counted: pl.DataFrame, model: Model, level: float, *, shrink: bool
) -> tuple[pl.DataFrame, GammaPrior | None]:
    """The rate of each pair with its interval, where the model has one."""
    top, evidence = counted["top"].to_numpy().astype(float), counted["evidence"].to_numpy().astype(float)
    rate = np.divide(top, evidence, out=np.full(len(top), np.nan), where=evidence > 0)
    low, high = np.full(len(top), np.nan), np.full(len(top), np.nan)
    prior = None
    if model in ("examined", "ctr"):
        prior = gamma_prior(top, evidence) if shrink else None
        low, high = prior.interval(top, evidence, level) if prior else garwood(top, evidence, level)
        rate = prior.mean(top, evidence) if prior else rate
    if model == "sdbn":
        clicks = counted["clicks"].to_numpy()
        satisfied = np.divide(counted["last"].to_numpy(), clicks, out=np.zeros(len(top)), where=clicks > 0)
        rate = rate * satisfied
    made = counted.drop("top", "last").with_columns(
        pl.Series("rate", rate), pl.Series("low", low), pl.Series("high", high)
    )  # fmt: skip
    return made, prior


def _graded(frame: pl.DataFrame, starts: Sequence[float], grade_by: str, least: tuple[float, int]) -> pl.DataFrame:
    """Grades where there is enough evidence."""

    def grades(name: str) -> npt.NDArray[np.int64]:
        values = np.nan_to_num(frame[name].to_numpy(), nan=0.0)
        return np.asarray(np.searchsorted(np.asarray(starts), values + 1e-12, side="right"), np.int64)

    grade = grades("low" if grade_by == "low" else "rate")
    has_interval = ~np.isnan(frame["low"].to_numpy())
    unsure = has_interval & (grades("low") != grades("high"))
    enough = (pl.col("evidence") >= least[0]) & (pl.col("users") >= least[1]) & pl.col("rate").is_not_nan()
    made = frame.with_columns(pl.Series("grade", grade), pl.Series("unsure", unsure))
    return made.with_columns(pl.when(enough).then(pl.col("grade")).alias("grade"))
