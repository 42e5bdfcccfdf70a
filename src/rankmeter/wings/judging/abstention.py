"""Questions without a right answer: who returns something there, who stays silent elsewhere, and where to cut scores.

A query is answerable where an item is relevant. Under ``empty=silent`` the others count 1 where nothing was returned,
as in SQuAD 2.0; ``zero``, ``one`` and ``skip`` cannot see silence at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankmeter.errors import InputError, check_level, check_number
from rankmeter.evaluating.asking import ask
from rankmeter.evaluating.evaluation import evaluate_measure
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.placing.placements import Bools, Floats
from rankmeter.showing.document import Block, Heading, Paragraph
from rankmeter.showing.showable import NotedTable, said_table
from rankmeter.stats.power import wilson
from rankmeter.wings.judging.risk_areas import area_of_risks, normalised_area, separation_of
from rankmeter.wording import Said, kinds, said

MOST_CUTS = 12
"""How many cuts are looked at where none are named: quantiles of the best scores."""


_NAUC = kinds("silence_nauc_{}", ("max", "std", "gap"))


@dataclass(frozen=True, slots=True)
class Cut:
    """What happens where only items with this score or a higher one are returned."""

    cut: float | None
    """None: everything is returned."""
    value: float
    """Over all queries, silence being right where nothing is relevant."""
    answerable: float
    unanswerable: float
    """The share of unanswerable queries that were met with silence."""
    false_return: float
    """The share of unanswerable queries for which something was returned."""
    false_return_low: float
    false_return_high: float
    false_silence: float
    """The share of answerable queries for which nothing was returned."""
    false_silence_low: float
    false_silence_high: float


@dataclass(frozen=True, slots=True, repr=False)
class Abstention(NotedTable):
    """Returning and staying silent; made by :func:`rankmeter.silence`."""

    measure: str
    answerable: int
    unanswerable: int
    cuts: tuple[Cut, ...]
    auroc: float
    """The chance that the best score of an answerable query is above that of an unanswerable one; silence is lowest."""
    risk_area: float
    """AURC over the queries that returned something, by their best score; the loss is 1 less the value."""
    risk_excess: float
    """How much that is above the best order."""
    nauc: Mapping[str, float]
    """By confidence: ``max`` (the best score), ``std`` (of the scores), ``gap`` (first less second score)."""
    level: float
    notes: tuple[Said, ...]

    @property
    def floor(self) -> float:
        """What a system gets that is always silent."""
        return self.unanswerable / (self.answerable + self.unanswerable)

    def at(self, cut: float | None = None) -> Cut:
        """One of the cuts; without one, everything is returned."""
        by_score = {look.cut: look for look in self.cuts}
        if cut not in by_score:
            raise InputError.of("judging.no_cut", cut=str(cut), cuts=list(map(str, by_score)))
        return by_score[cut]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "measure": self.measure, "answerable": self.answerable, "unanswerable": self.unanswerable,
            "floor": self.floor, "cuts": self._rows(), "auroc": self.auroc,
            "risk_area": self.risk_area, "risk_excess": self.risk_excess, "nauc": dict(self.nauc),
            "level": self.level, "notes": list(self.notes),
        }  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        """A row per cut."""
        return [asdict(cut) for cut in self.cuts]

    def _blocks(self) -> list[Block]:
        """The cuts, and how far scores tell what can be answered."""
        facts = said("silence_facts", answerable=self.answerable, unanswerable=self.unanswerable, floor=self.floor)
        heads = (
            ("silence_cut", "text"), "silence_all", "silence_answerable", "silence_unanswerable",
            ("false_return", "number", 1), ("false_silence", "number", 1),
        )  # fmt: skip
        rows = (
            (
                said("silence_none") if cut.cut is None else f"{cut.cut:g}",
                cut.value, cut.answerable, cut.unanswerable,
                (cut.false_return, cut.false_return_low, cut.false_return_high),
                (cut.false_silence, cut.false_silence_low, cut.false_silence_high),
            )
            for cut in self.cuts
        )  # fmt: skip
        numbers = {
            "silence_auroc": self.auroc, "silence_risk_area": self.risk_area, "silence_risk_excess": self.risk_excess,
            **{_NAUC[name]: value for name, value in self.nauc.items()},
        }  # fmt: skip
        more = ((said(name), value) for name, value in numbers.items())
        return [
            Heading(said("silence_title", measure=self.measure), 1), Paragraph(facts),
            said_table(heads, rows, "cuts"), said_table((("coefficient", "text"), "value"), more, "confidence"),
        ]  # fmt: skip


def silence(
    judgments: object,
    run: object,
    measure: str | Measure = "Success@1",
    *,
    cuts: Sequence[object] | None = None,
    level: float = 0.95,
    columns: Mapping[str, str] | None = None,
) -> Abstention:
    """Say how a system deals with queries that have no right answer, and what a cut of its scores would do.

    Parameters
    ----------
    judgments
        What is true, as for :func:`rankmeter.evaluate`. A query without a relevant item is unanswerable; one whose
        items nobody could name is given with an item of grade 0.
    run
        What was returned, with scores. A query that is absent was met with silence.
    measure
        A ranked measure with values in 0..1; its ``empty`` becomes ``silent``.
    cuts
        Scores from which on an item is returned; by default some quantiles of the best scores.
    level
        Of the intervals of the rates (Wilson).
    columns
        Columns of unusual names, as for :func:`rankmeter.evaluate`.

    Returns
    -------
    Abstention
        For each cut the value over all, answerable and unanswerable queries, false-return and false-silence rates; the
        AUROC of the best score, the area under risk and coverage, and nAUC.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth = {"q": {"a": 1}, "none": {"b": 0}}
    >>> curve = rm.silence(truth, {"q": {"a": 0.9}, "none": {"c": 0.4}}, cuts=[0.5])
    >>> curve.at().value, curve.at(0.5).value, curve.at().false_return
    (0.5, 1.0, 1.0)
    """
    check_level(level)
    asked = ask(measure)
    meant = asked.measures[0]
    is_one = len(asked.measures) == 1 and isinstance(meant, RankedMeasure)
    if not is_one or meant.aggregate != "mean" or meant.bounds != (0, 1):
        raise InputError.of("judging.not_for_silence", measure=str(measure))
    silent = meant(empty="silent")
    truth = into_judgments(judgments, columns=columns).judgment_table()
    returned = into_run(run, columns=columns).run_table()
    if not returned.scored:
        raise InputError.of("judging.silence_needs_scores", source=returned.source)
    lists = pl.DataFrame({"query": returned.query.cast(pl.String), "item": returned.item, "score": returned.score})
    named = JudgmentTable(truth.query.cast(pl.String), truth.item, truth.grade)
    best = lists.group_by("query").agg(pl.col("score").max())
    if cuts is not None:
        chosen = [check_number("cuts", cut) for cut in cuts]
    else:
        shares, top = np.linspace(0, 1, MOST_CUTS + 2)[1:-1], best["score"].to_numpy()
        chosen = sorted(set(np.quantile(top, shares, method="higher").tolist())) if len(top) else []
    relevant = silent.describe().get("rel") or 1
    with_answer = set(truth.query.cast(pl.String).filter(truth.grade >= relevant))
    asked_for = lists["query"].unique(maintain_order=True)
    looks = []
    for cut in (None, *chosen):
        passing = lists if cut is None else lists.filter(pl.col("score") >= cut)
        kept = RunTable(passing["query"], passing["item"], passing["score"], returned.source, queries=asked_for)
        ev = evaluate_measure(named, kept, silent)
        seen = ev.values[silent]
        queries = ev.queries.filter(pl.Series(seen.counted)).to_list()
        values, spoke = seen.value[seen.counted], set(passing["query"])
        answerable: Bools = np.array([query in with_answer for query in queries], np.bool_)
        returns: Bools = np.array([query in spoke for query in queries], np.bool_)
        looks.append((_cut(cut, values, answerable, returns, level), values))
    values = looks[0][1]
    top, spread, gap = _confidences(lists, queries)
    if answerable.any() and not answerable.all():
        notes = [said("silence_cut_flatters"), said("silence_scales")]
    else:
        notes = [said("silence_no_unanswerable" if answerable.all() else "silence_no_answerable")]
    here = np.isfinite(top)
    area, excess = area_of_risks(top[here], 1 - values[here]) if here.any() else (math.nan, math.nan)
    confidences = {"max": top[here], "std": spread[here], "gap": gap[here]}
    notes += _about_order(confidences, values[here])
    return Abstention(
        measure=str(silent), answerable=int(answerable.sum()), unanswerable=int((~answerable).sum()),
        cuts=tuple(cut for cut, _ in looks), auroc=separation_of(top[answerable], top[~answerable]),
        risk_area=area, risk_excess=excess,
        nauc={name: normalised_area(part, values[here]) if here.any() else math.nan
              for name, part in confidences.items()},
        level=level, notes=tuple(notes),
    )  # fmt: skip


def _about_order(confidences: Mapping[str, Floats], values: Floats) -> list[Said]:
    """Why nAUC has no value, or is 0 whatever the answers are worth."""
    if len(values) and np.ptp(values) <= 1e-12:
        return [said("silence_values_equal", value=float(values[0]))]
    flat = [said(_NAUC[name]) for name, confidence in confidences.items() if (confidence == confidence[:1]).all()]
    return [said("silence_confidences_equal", names=flat)] if flat and len(values) else []


def _cut(cut: float | None, values: Floats, answerable: Bools, returns: Bools, level: float) -> Cut:
    """What happens at one cut, from the value of each query, whether it has an answer, and whether it returned any."""

    def mean(part: Any) -> float:
        return float(part.mean()) if len(part) else math.nan

    def rate(part: Bools) -> tuple[float, float, float]:
        return (mean(part), *(wilson(int(part.sum()), len(part), level=level) if len(part) else (math.nan, math.nan)))

    of_answerable, of_others = mean(values[answerable]), mean(values[~answerable])
    return Cut(cut, mean(values), of_answerable, of_others, *rate(returns[~answerable]), *rate(~returns[answerable]))


def _confidences(lists: pl.DataFrame, queries: list[str]) -> tuple[Floats, Floats, Floats]:
    """The best score, the spread of the scores, and first less second; minus infinity where nothing was returned."""
    falling = pl.col("score").sort(descending=True)
    stats = lists.group_by("query").agg(
        pl.col("score").max().alias("max"),
        pl.col("score").std(ddof=0).alias("std"),
        (falling.first() - falling.slice(1, 1).first().fill_null(falling.first())).alias("gap"),
    )
    rows = {row[0]: row[1:] for row in stats.iter_rows()}
    silent = (-math.inf,) * 3
    table = np.array([rows.get(query, silent) for query in queries], np.float64).reshape(len(queries), 3)
    return table[:, 0], table[:, 1], table[:, 2]
