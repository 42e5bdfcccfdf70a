"""Grades from clicks: how attractive an item of a query is, given where it was shown.

A click says more at position 8 than at position 1. The **examined rate** divides the clicks of a pair of query and item
by how much it was looked at, the sum of the examination of its positions; **cascade** and **sdbn** take everything down
to the first, or the last, click as looked at. A rate is drawn towards the others, has an interval, and becomes a grade
where there is enough of it: too little evidence is not a grade of 0, it is no judgment.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, check_choice, check_level
from rankmeter.late import pl
from rankmeter.placing.placements import Floats
from rankmeter.showing.document import Block, Heading, Kind, Paragraph, Table
from rankmeter.showing.showable import NotedTable, said_table
from rankmeter.wings.loading import public
from rankmeter.wings.online.click_counts import PAIR, ClickCounts, ListCounting, count_clicks
from rankmeter.wings.online.click_models import (
    BetaPrior,
    GammaPrior,
    Prior,
    beta_prior,
    clopper_pearson,
    dynamic_bayesian,
    gamma_prior,
    garwood,
    has_enough,
    position_based,
)
from rankmeter.wings.online.events import Events, read_events
from rankmeter.wings.online.position_bias import PositionBias, position_bias
from rankmeter.wording import Option, Said, said

Model = Literal["examined", "ctr", "ips", "pbm", "cascade", "sdbn", "dbn"]
MODELS: tuple[Model, ...] = get_args(Model)
WITH_INTERVAL = ("examined", "ctr", "cascade", "sdbn")
_POSITIONS = 20


@dataclass(frozen=True, slots=True, repr=False)
class ClickGrades(NotedTable):
    """What clicks say of pairs of query and item."""

    source: str
    model: Model
    frame: pl.DataFrame
    """``query``, ``item``, ``shown``, ``clicks``, ``evidence``, ``users``, ``rate``, ``low``, ``high``, ``grade`` (null
    where there is too little evidence), ``unsure`` (whether the interval spans more than one grade)."""
    prior: Prior | None
    """What rates are drawn towards; None where they stand as they are."""
    examination: tuple[float, ...]
    """How much each position is looked at, relative to the first; empty where the model does not say."""
    starts: tuple[float, ...]
    """The rates at which grades 1, 2, ... begin."""
    notes: tuple[Said, ...]
    agreement: NotedTable | None = None
    """With judgments of people, where they were given to :meth:`against`."""

    @property
    def max_grade(self) -> int:
        """The highest grade."""
        return len(self.starts)

    def against(self, judgments: object, *, level: float = 0.95) -> ClickGrades:
        """The same, with how far the grades agree with judgments of people on the pairs that both judged."""
        panel = {"people": judgments, "clicks": self.judgments}
        try:
            return replace(self, agreement=public("judges")(panel, scale=f"0..{self.max_grade}", level=level))
        except InputError as error:
            if error.problem.kind != "judging.outside_scale":
                raise
            raise error.changed(hint=said("online.grade_as_people", most=self.max_grade)) from None

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
        return {
            "source": self.source, "model": self.model, "max_grade": self.max_grade, "starts": list(self.starts),
            "prior": None if self.prior is None else asdict(self.prior), "examination": list(self.examination),
            "pairs": self.frame.to_dicts(), "notes": list(self.notes),
            "agreement": None if self.agreement is None else self.agreement.to_dict(),
        }  # fmt: skip

    def _blocks(self) -> list[Block]:
        """How many pairs have which grade, how positions are looked at, the pairs with most evidence, agreement."""
        facts = said("clicks_facts", model=self.model, pairs=len(self.frame), queries=self.frame["query"].n_unique(),
                     starts=[f"{start:g}" for start in self.starts])  # fmt: skip
        graded = self.frame.filter(pl.col("grade").is_not_null())
        counts = graded.group_by("grade").agg(pl.len(), pl.col("unsure").sum()).sort("grade")
        rows: list[list[object]] = [[str(grade), pairs, unsure] for grade, pairs, unsure in counts.iter_rows()]
        rows.append([said("clicks_ungraded"), self.frame.height - graded.height, None])
        heads = (("clicks_grade", "text"), ("clicks_pairs", "count"), ("clicks_unsure", "count"))
        blocks: list[Block] = [
            Heading(said("clicks_title", source=self.source), 1), Paragraph(facts), said_table(heads, rows, "grades"),
            Heading(said("clicks_most")), self._pair_table(),
        ]  # fmt: skip
        if self.examination:
            places = [(str(place), looked) for place, looked in enumerate(self.examination, 1)]
            table = said_table((("clicks_position", "text"), "clicks_examination"), places, "")
            blocks += [Heading(said("clicks_positions")), table]
        return [*blocks, *(self.agreement.told() if self.agreement is not None else ())]

    def _pair_table(self) -> Table:
        heads: dict[str, tuple[str, Kind]] = {
            "query": ("clicks_query", "text"), "item": ("clicks_item", "text"), "clicks": ("clicks_clicks", "count"),
            "evidence": ("clicks_evidence", "number"), "rate": ("clicks_rate", "number"),
            "low": ("clicks_low", "number"), "high": ("clicks_high", "number"), "grade": ("clicks_grade", "text"),
        }  # fmt: skip
        most = self.frame.sort("evidence", "query", "item", descending=[True, False, False]).head(10)
        most = most.with_columns(pl.col("grade").cast(pl.String))
        rows = ((*row[:-1], row[-1] or said("clicks_ungraded")) for row in most.select(list(heads)).iter_rows())
        return said_table(list(heads.values()), rows, "pairs")


def judgments_from_clicks(
    events: object,
    *,
    model: Model = "examined",
    examination: PositionBias | Sequence[float] | None = None,
    grades: int | Sequence[float] = 3,
    grade_by: Literal["rate", "low"] = "rate",
    shrink: bool | tuple[float, float] = True,
    clickless: Literal["seen", "left out"] = "seen",
    least: Sequence[float] = (10.0, 2),
    level: float = 0.95,
    columns: Mapping[str, str] | None = None,
    types: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
) -> ClickGrades:
    """Turn a log of impressions and clicks into judgments.

    With clicks on an item of a query, and how much its positions are looked at (examination, relative to position 1):

    - ``examined``: its clicks over the sum of the examination of the positions at which it was shown; ``ctr``: over how
      often it was shown; ``ips``: the mean over its showings of click over examination, without bias and much noisier;
    - ``pbm``: attraction and examination fitted together, without an estimate of either beforehand;
    - ``cascade``: clicks over how often it was seen down to the first click; ``sdbn``: attraction (clicks over how
      often it was seen down to the last click) times satisfaction (last clicks over clicks); ``dbn``: the same fitted,
      with the chance that a user who is not satisfied goes on; it holds all lists in memory.

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
        Whether rates are drawn towards those of the others (``examined`` and ``ctr``; not with fewer than 20 pairs); or
        towards what: shape and strength of a Gamma prior (``examined``), or clicks and misses added to every count
        (``ctr``, ``cascade``, ``sdbn``; PyClick's is (1, 1)).
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
    check_choice("model", model, MODELS)
    check_choice("grade_by", grade_by, ("rate", "low"))
    check_choice("clickless", clickless, ("seen", "left out"))
    if grade_by == "low" and model not in WITH_INTERVAL:
        raise InputError.of("online.no_low_end", model=model)
    if len(_numbers_of(least)) != 2:
        raise InputError.of("online.not_least", option=Option("least", least))
    starts = _starts(grades)
    log = read_events(events, columns=columns, types=types, format=format)
    for role in ("query", "item", "position"):
        if not log.has(role):
            raise InputError.of(
                "online.log_without", source=log.source, role=role, option=Option("columns", {role: "NAME"})
            )
    known = _examination(examination, log, model)
    until = {"cascade": "first", "sdbn": "last"}.get(model, "")
    counts = count_clicks(log, ListCounting(until, clickless == "left out", model == "dbn"))
    counted, seen, beyond = _counted(counts, model, known)
    notes = _notes(log, counts, beyond, len(known))
    frame, prior = _rated(counted, model, level, shrink=shrink)
    if shrink is True and prior is None and model in ("examined", "ctr"):
        notes.append(said("clicks_not_shrunk"))
    frame = _graded(frame, starts, grade_by, least)
    notes.append(said("clicks_assume", model=model))
    return ClickGrades(log.source, model, frame, prior, tuple(seen), tuple(starts), tuple(notes))


def _notes(log: Events, counts: ClickCounts, beyond: int, positions: int) -> list[Said]:
    """What was left out of the log, and what stands for what it does not say."""
    notes = [said("clicks_without_impression", count=counts.orphans)] if counts.orphans else []
    if not log.has("request"):
        notes.append(said("clicks_by_user"))
        if (session := log.columns.get("session")) is not None:
            notes.append(said("clicks_by_session", option=Option("columns", {"request": session})))
    if beyond:
        notes.append(said("clicks_beyond", count=beyond, positions=positions))
    return notes


def _numbers_of(data: object) -> list[float]:
    """Several numbers as they are; nothing where it is anything else."""
    values: list[Any] = list(data) if isinstance(data, Iterable) else []
    return values if all(isinstance(value, Real) for value in values) else []


def _starts(grades: int | Sequence[float]) -> list[float]:
    """The rates at which grades 1, 2, ... begin."""
    if isinstance(grades, int):
        if grades not in range(1, 11):
            raise InputError.of("online.max_grade", grades=grades)
        return [(2**grade - 1) / 2**grades for grade in range(1, grades + 1)]
    starts = _numbers_of(grades)
    if not starts or sorted(set(starts)) != starts or not starts[0] > 0:
        raise InputError.of("online.thresholds", thresholds=str(grades))
    return starts


def _examination(examination: PositionBias | Sequence[float] | None, log: Events, model: Model) -> list[float]:
    """How much each position is looked at, down to where it is known."""
    if model not in ("examined", "ips"):
        return []
    if examination is not None and not isinstance(examination, PositionBias):
        looked = _numbers_of(examination)
        if not looked or not all(0 < share < math.inf for share in looked):
            raise InputError.of("online.not_looked", option=Option("examination", examination))
        return looked
    bias = position_bias(log, positions=_POSITIONS) if examination is None else examination
    known = list(takewhile(lambda share: 0 < share < math.inf, (place.examination for place in bias.positions)))
    if not known:
        raise InputError.of("online.no_examination")
    return known


def _counted(counts: ClickCounts, model: Model, known: Sequence[float]) -> tuple[pl.DataFrame, list[float], int]:
    """Clicks and evidence of each pair, how much positions are looked at, and what lies beyond those that are known.

    ``top`` over ``evidence`` is the rate; ``satisfied`` is what it is multiplied by.
    """
    places = counts.places
    beyond = 0
    if model in ("examined", "ips"):
        near = places.filter(pl.col("place") <= len(known))
        beyond = int(places["shown"].sum()) - int(near["shown"].sum())
        places = near.with_columns(pl.Series("looked", known, pl.Float64).gather(near["place"] - 1))
    if model == "pbm":
        places, known = _position_based(places)
    top, weight = {
        "examined": (pl.col("clicks"), pl.col("shown") * pl.col("looked")),
        "ips": (pl.col("clicks") / pl.col("looked"), pl.col("shown")),
        "pbm": (pl.col("attraction") * pl.col("shown") * pl.col("looked"), pl.col("shown") * pl.col("looked")),
        "cascade": (pl.col("seen_clicks"), pl.col("seen")),
        "sdbn": (pl.col("seen_clicks"), pl.col("seen")),
    }.get(model, (pl.col("clicks"), pl.col("shown")))
    counted = places.group_by(PAIR).agg(
        pl.col("shown", "clicks", "last").sum(), weight.cast(pl.Float64).sum().alias("evidence"),
        top.cast(pl.Float64).sum().alias("top"),
    )  # fmt: skip
    counted = counted.filter(pl.col("shown") > 0).join(counts.users, on=PAIR, how="left").sort(PAIR)
    if model == "dbn":
        counted, known = _dynamic_bayesian(counted, counts.lists), []
    return counted, list(known), beyond


def _position_based(places: pl.DataFrame) -> tuple[pl.DataFrame, list[float]]:
    """The counts with the fitted attraction of their pair and examination of their place."""
    pair = places.select(pl.struct(PAIR).rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
    place = places["place"].to_numpy() - 1
    shown, clicks = (places[name].to_numpy().astype(float) for name in ("shown", "clicks"))
    fitted = position_based(pair, place, shown, np.minimum(clicks, shown))
    attraction = pl.Series("attraction", fitted.attraction[pair])
    looked = pl.Series("looked", fitted.examination[place])
    return places.with_columns(attraction, looked), fitted.examination.tolist()


def _dynamic_bayesian(counted: pl.DataFrame, lists: pl.DataFrame) -> pl.DataFrame:
    """The pairs with what a DBN that is fitted to the lists says of them."""
    pairs = counted.select(*PAIR, pl.int_range(pl.len()).alias("pair"))
    rows = lists.join(pairs, on=PAIR).sort("list", "place")
    row = rows["list"].rank("dense").cast(pl.Int64).to_numpy() - 1
    place = rows.select(pl.int_range(pl.len()).over("list")).to_series().to_numpy()
    of_list = np.full((int(row.max()) + 1, int(place.max()) + 1), -1, np.int64)
    clicked = np.zeros(of_list.shape, np.bool_)
    of_list[row, place], clicked[row, place] = rows["pair"].to_numpy(), rows["clicked"].to_numpy()
    fitted = dynamic_bayesian(of_list, clicked, len(pairs))
    return counted.with_columns(
        pl.Series("evidence", fitted.examined), pl.Series("top", fitted.attraction * fitted.examined),
        pl.Series("satisfied", fitted.satisfaction),
    )  # fmt: skip


def _rated(
    counted: pl.DataFrame, model: Model, level: float, *, shrink: bool | tuple[float, float]
) -> tuple[pl.DataFrame, Prior | None]:
    """The rate of each pair with its interval, where the model has one."""
    top, evidence, clicks, last = (
        counted[name].to_numpy().astype(float) for name in ("top", "evidence", "clicks", "last")
    )
    prior = _prior(top, evidence, model, shrink=shrink)
    rate = np.divide(top, evidence, out=np.full(len(top), np.nan), where=evidence > 0)
    rate = prior.mean(top, evidence) if prior else rate
    low, high = np.full(len(top), np.nan), np.full(len(top), np.nan)
    if model in WITH_INTERVAL:
        # A product lies between the products of the ends of two intervals that hold together.
        sure = (1 + level) / 2 if model == "sdbn" else level
        exact = garwood if model == "examined" else clopper_pearson
        low, high = prior.interval(top, evidence, sure) if prior else exact(top, evidence, sure)
        high = np.minimum(high, np.maximum(rate, 1.0))  # a click at the first position has at most the chance 1
    if model == "sdbn":
        satisfied = np.divide(last, clicks, out=np.zeros(len(top)), where=clicks > 0)
        rate = rate * (prior.mean(last, clicks) if prior else satisfied)
        ends = prior.interval(last, clicks, sure) if prior else clopper_pearson(last, clicks, sure)
        low, high = low * ends[0], high * ends[1]
    elif model == "dbn":
        rate = rate * counted["satisfied"].to_numpy()
    rated = counted.select(*PAIR, "shown", "clicks", "evidence", "users")
    return rated.with_columns(pl.Series("rate", rate), pl.Series("low", low), pl.Series("high", high)), prior


def _prior(top: Floats, evidence: Floats, model: Model, *, shrink: bool | tuple[float, float]) -> Prior | None:
    """What rates are drawn towards: as stated, or what the rates of all say; None where they stand as they are."""
    if isinstance(shrink, bool):
        if not shrink or model not in ("examined", "ctr") or not has_enough(top):
            return None
        has_evidence = evidence > 0
        return (gamma_prior if model == "examined" else beta_prior)(top[has_evidence], evidence[has_evidence])
    if model not in ("examined", "ctr", "cascade", "sdbn"):
        raise InputError.of("online.no_prior", model=model)
    numbers = [isinstance(number, Real) and math.isfinite(number) and number > 0 for number in shrink]
    if numbers != [True, True]:
        raise InputError.of("online.not_a_prior", option=Option("shrink", shrink))
    return GammaPrior(*shrink) if model == "examined" else BetaPrior(*shrink)


def _graded(frame: pl.DataFrame, starts: Sequence[float], grade_by: str, least: Sequence[float]) -> pl.DataFrame:
    """Grades where there is enough evidence."""

    def grades(name: str) -> npt.NDArray[np.int64]:
        values = np.nan_to_num(frame[name].to_numpy(), nan=0.0)
        return np.asarray(np.searchsorted(np.asarray(starts), values + 1e-12, side="right"), np.int64)

    grade = grades("low" if grade_by == "low" else "rate")
    has_interval = ~np.isnan(frame["low"].to_numpy())
    unsure = has_interval & (grades("low") != grades("high"))
    enough = (pl.col("evidence") >= least[0]) & (pl.col("users") >= least[1]) & pl.col("rate").is_not_nan()
    graded = frame.with_columns(pl.Series("grade", grade), pl.Series("unsure", unsure))
    return graded.with_columns(pl.when(enough).then(pl.col("grade")).alias("grade"))
