"""How far judges agree: every pair of judges, all of them together, query by query, and what is worth discussing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from rankmeter.errors import NotFoundError, check_choice, check_level, did_you_mean
from rankmeter.late import pl
from rankmeter.placing.placements import Bools
from rankmeter.showing.document import Block, Cell, Column, Folded, Heading, Paragraph, Table, text_table
from rankmeter.showing.showable import Head, NotedTable, said_table
from rankmeter.wings.judging.judge_agreement import (
    FEWEST_QUERIES,
    GAP,
    OF_MANY,
    OF_TWO,
    GradeCounts,
    Grades,
    Jackknifed,
    jackknifed,
    kappa_from,
)
from rankmeter.wings.judging.panel import Panel, into_panel, plain_number
from rankmeter.wording import Said, kinds, said, word

Singles = Literal["skip", "count"]
MOST_PAIRED = 12
"""More judges are not put into pairs: each stands against all others together."""
SHOWN_QUERIES, SHOWN_PAIRS = 5, 10
LOPSIDED = 0.8
"""From this share of one grade on, kappa is low and AC high at the same agreement."""
MOST_DISCUSSED = 1000
"""Pairs that are kept for discussion."""
MAIN = (
    "agreement", "within_one", "bias", "absolute_error", "kappa_quadratic", "kappa_linear", "kappa", "alpha_ordinal",
    "alpha_interval", "alpha_nominal", "ac2_quadratic", "ac2_linear", "ac1", "brennan_prediger", "fleiss", "pearson",
    "spearman", "tau_b",
)  # fmt: skip
"""The order in which coefficients are shown: no one of them says all."""
POSSIBLE: Mapping[str, tuple[float, float]] = {
    "agreement": (0.0, 1.0), "within_one": (0.0, 1.0), "bias": (-math.inf, math.inf), "absolute_error": (0.0, math.inf),
    "alpha_ordinal": (-math.inf, 1.0), "alpha_interval": (-math.inf, 1.0), "alpha_nominal": (-math.inf, 1.0),
}  # fmt: skip
"""Between what a coefficient lies; the others between -1 and 1."""


_COEFFICIENTS, _MEANS = kinds("coefficient_{}", MAIN), kinds("coefficient_{}_means", (*OF_MANY, *OF_TWO))


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges on what both judged."""

    first: str
    second: str
    pairs: int
    """Pairs of query and item that both judged."""
    queries: int
    coefficients: Mapping[str, Jackknifed]
    confusion: tuple[tuple[int, ...], ...]
    """Rows the grades of the first, columns those of the second."""
    kappa_from: Mapping[float, float]
    """Cohen's kappa of two classes, for each grade from which on an item is relevant."""


@dataclass(frozen=True, slots=True, repr=False)
class JudgeAgreement(NotedTable):
    """How far judges agree; made by :func:`rankmeter.judges`."""

    judges: tuple[str, ...]
    scale: tuple[float, ...]
    scale_text: str
    is_stated: bool
    """Whether the scale was stated, not taken from the grades."""
    level: float
    singles: Singles
    judged: int
    """Pairs of query and item that somebody judged."""
    in_common: int
    """Pairs that two or more judged; the coefficients are about these."""
    queries: int
    """Queries that have such a pair."""
    coefficients: Mapping[str, Jackknifed]
    """Of all judges together; of two judges also what only two have."""
    pairs: tuple[JudgePair, ...]
    """Every two judges; none where there are too many."""
    per_judge: pl.DataFrame
    """``judge``, ``judged``, ``in_common``, ``mean``, ``bias`` (against the mean of the others), ``absolute_error``."""
    per_query: pl.DataFrame
    """``query``, ``pairs``, ``agreement``, ``absolute_error`` (mean over two judgments of one pair): worst first."""
    to_discuss: pl.DataFrame
    """``query``, ``item``, the grade of each judge, ``spread``: those furthest apart, worst first."""
    notes: tuple[Said, ...]

    def __getitem__(self, name: str) -> float:
        return self.coefficient(name).value

    def coefficient(self, name: str) -> Jackknifed:
        """One of the coefficients with its interval, such as ``kappa_quadratic`` or ``alpha_ordinal``."""
        if name not in self.coefficients:
            hint = did_you_mean(name, list(self.coefficients)) or ", ".join(self.coefficients)
            raise NotFoundError.of("judging.no_coefficient", name=name, hint=hint)
        return self.coefficients[name]

    def pair(self, first: str, second: str) -> JudgePair:
        """Two judges, in the order in which they were given."""
        for two in self.pairs:
            if {two.first, two.second} == {first, second}:
                return two
        raise NotFoundError.of("judging.no_pair", first=first, second=second, judges=list(self.judges))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python; of the pairs to discuss the first hundred."""
        return {
            "judges": list(self.judges),
            "scale": list(self.scale), "scale_stated": self.is_stated, "level": self.level, "singles": self.singles,
            "judged": self.judged, "in_common": self.in_common, "queries": self.queries,
            "coefficients": {name: asdict(estimate) for name, estimate in self.coefficients.items()},
            "pairs": [
                {
                    **asdict(two), "confusion": [list(row) for row in two.confusion],
                    "kappa_from": {plain_number(grade): value for grade, value in two.kappa_from.items()},
                }
                for two in self.pairs
            ],
            "per_judge": self.per_judge.to_dicts(), "per_query": self.per_query.to_dicts(),
            "to_discuss": self.to_discuss.head(100).to_dicts(),
            "definitions": {name: word(_MEANS[name], "en") for name in self.coefficients},
            "notes": list(self.notes),
        }  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        """A row per coefficient, of all judges together and of every two."""
        sources = [("all", self.coefficients, self.in_common)]
        if len(self.judges) > 2:
            sources += [(f"{two.first}, {two.second}", two.coefficients, two.pairs) for two in self.pairs]
        return [
            {"judges": judges, "coefficient": name, "value": estimate.value, "low": estimate.low, "high": estimate.high,
             "error": estimate.error, "pairs": pairs, "queries": estimate.queries}
            for judges, coefficients, pairs in sources
            for name, estimate in coefficients.items()
        ]  # fmt: skip

    def _blocks(self) -> list[Block]:
        """All judges together, every two, each, the queries and pairs to discuss, and what coefficients mean."""
        names = ", ".join(self.judges) if len(self.judges) <= 6 else str(len(self.judges))
        scale = said("scale_stated" if self.is_stated else "scale_taken", scale=self.scale_text)
        facts = said("judges_facts", pairs=self.in_common, queries=self.queries, judged=self.judged, scale=scale)
        shown = [name for name in MAIN if name in self.coefficients]
        rows = [(said(_COEFFICIENTS[name]), *self._cells(self.coefficients[name], name)) for name in shown]
        interval = said("level_interval", level=self.level)
        coefficients = said_table((("coefficient", "text"), "value", (interval, "interval", 1)), rows, "coefficients")
        blocks: list[Block] = [Heading(said("judges_title", judges=names), 1), Paragraph(facts), coefficients]
        if len(self.pairs) == 1:
            blocks += [Heading(said("judges_confusion")), self._confusion_table(self.pairs[0])]
        elif self.pairs:
            blocks += [Heading(said("judges_pairs")), self._pair_table()]
        each = (
            ("judge", "text"), ("judged", "count"), ("also_others", "count", 1), "mean_grade",
            ("bias_to_others", "difference"), "coefficient_absolute_error",
        )  # fmt: skip
        blocks += [Heading(said("judges_each")), said_table(each, self.per_judge.iter_rows(), "per_judge")]
        if len(self.to_discuss):
            heads = (("query", "text"), ("pairs", "count"), "coefficient_agreement", "coefficient_absolute_error")
            rows_of_queries = self.per_query.head(SHOWN_QUERIES).rows()
            blocks += [Heading(said("judges_queries")), said_table(heads, rows_of_queries, "per_query")]
            apart = self.to_discuss.head(SHOWN_PAIRS)
            names_of = (said("query"), said("item"), *apart.columns[2:-1], said("spread"))
            cells = [[plain_number(part) if isinstance(part, float) else part for part in row] for row in apart.rows()]
            discussed = text_table(names_of, cells, ["text"] * len(names_of), name="to_discuss")
            blocks += [Heading(said("judges_discuss")), discussed]
        meanings = [
            Paragraph(
                said("and_its_meaning", name=said(_COEFFICIENTS[name]), text=said(_MEANS[name])),
                "item",
            )
            for name in shown
        ]
        return [*blocks, Heading(said("judges_reading"), 2), Folded(said("meaning"), tuple(meanings))]

    def _cells(self, estimate: Jackknifed, name: str) -> tuple[Cell, Cell]:
        """A value and its interval, which shows nothing impossible."""
        if math.isnan(estimate.value):
            return Cell(said("undefined")), Cell()
        lowest, highest = POSSIBLE.get(name, (-1.0, 1.0))
        span = None if math.isnan(estimate.error) else (max(estimate.low, lowest), min(estimate.high, highest))
        return Cell(estimate.value), Cell(span=span)

    def _confusion_table(self, two: JudgePair) -> Table:
        grades = [plain_number(grade) for grade in self.scale]
        corner = said("rows_and_columns", rows=two.first, columns=two.second)
        heads: list[Head] = [(corner, "text"), *(Column(grade, "count") for grade in grades), ("all", "count")]
        rows = ((grade, *row, sum(row)) for grade, row in zip(grades, two.confusion, strict=True))
        return said_table(heads, rows, "confusion")

    def _pair_table(self) -> Table:
        shown = ("agreement", "bias", "absolute_error", "kappa_quadratic", "alpha_ordinal", "ac2_quadratic")
        heads: list[Head] = [("judges", "text"), ("pairs", "count")]
        heads += [(f"coefficient_{name}", "number", at) for at, name in enumerate(shown)]
        rows = []
        for two in self.pairs:
            both = (self._cells(two.coefficients[name], name) for name in shown)
            cells = (Cell(value.value, span=interval.span) for value, interval in both)
            rows.append((f"{two.first}, {two.second}", two.pairs, *cells))
        return said_table(heads, rows, "pairs")


def judges(
    judges: object,
    *,
    scale: object = None,
    judge: str | None = None,
    level: float = 0.95,
    singles: Singles = "skip",
    columns: Mapping[str, str] | None = None,
) -> JudgeAgreement:
    """Say how far judges agree: people with each other, a machine with people.

    Parameters
    ----------
    judges
        ``{name: judgments}``, each as for :func:`rankmeter.evaluate`; or one table (a frame or a file) with a row per
        judgment and a column that names the judge.
    scale
        The grades that could be given: ``"0..3"``, or a list such as ``[0, 0.5, 1]``. Without it: from 0 to the
        highest grade, where that is the same for all judges. Gwet's AC and Brennan-Prediger depend on it.
    judge
        The column that names the judge, where it is not called ``judge``, ``assessor``, ``annotator`` or ``rater``.
    level
        Of the intervals, which come from leaving out one query at a time.
    singles
        Whether pairs that one judge alone judged tell how often each grade is given: ``skip`` (default) or ``count``,
        as Gwet defines it for judges of one panel. Agreement itself is about pairs that two or more judged.
    columns
        Where tables have unusual column names, as for :func:`rankmeter.evaluate`.

    Returns
    -------
    JudgeAgreement
        Coefficients with intervals, confusion by grade, every two judges, each judge, each query, and the pairs that
        are most worth discussing.

    Examples
    --------
    >>> import rankmeter as rm
    >>> people = {"q1": {"a": 3, "b": 2, "c": 0}, "q2": {"a": 0, "b": 1}}
    >>> machine = {"q1": {"a": 3, "b": 3, "c": 1}, "q2": {"a": 0, "b": 1}}
    >>> agreed = rm.judges({"people": people, "machine": machine}, scale="0..3")
    >>> round(agreed["agreement"], 2), round(agreed["bias"], 2), round(agreed["kappa_quadratic"], 4)
    (0.6, 0.4, 0.8649)
    """
    check_level(level)
    check_choice("singles", singles, get_args(Singles))
    panel = into_panel(judges, scale=scale, judge=judge, columns=columns)
    grades = panel.grades
    is_judged = grades.codes != GAP
    in_common = is_judged.sum(0) >= 2
    is_compared = np.ones(len(in_common), np.bool_) if singles == "count" else in_common
    together = grades.only(is_compared)
    wanted = {**OF_MANY, **OF_TWO} if len(panel.judges) == 2 else OF_MANY
    coefficients, counts = jackknifed(together, wanted, level=level, singles=singles == "count")
    pairs: tuple[JudgePair, ...] = ()
    if len(panel.judges) == 2 and singles == "skip":
        pairs = (_pair(panel.judges, together, coefficients, counts),)
    elif len(panel.judges) <= MOST_PAIRED:
        couples = combinations(range(len(panel.judges)), 2)
        pairs = tuple(two for couple in couples if (two := _two_judges(panel, couple, level)) is not None)
    per_query, to_discuss = _apart(panel, in_common)
    queries = len(np.unique(grades.query[in_common]))
    return JudgeAgreement(
        judges=panel.judges, scale=tuple(grades.scale.tolist()), scale_text=panel.scale_text, is_stated=panel.is_stated,
        level=level, singles=singles, judged=len(in_common), in_common=int(in_common.sum()), queries=queries,
        coefficients=coefficients, pairs=pairs, per_judge=_per_judge(panel), per_query=per_query,
        to_discuss=to_discuss, notes=tuple(_notes(panel, coefficients, queries, int(in_common.sum()))),
    )  # fmt: skip


def _two_judges(panel: Panel, couple: tuple[int, int], level: float) -> JudgePair | None:
    """Two judges on what both judged; None where that is nothing."""
    both = replace(panel.grades, codes=panel.grades.codes[list(couple)])
    two = both.only((both.codes != GAP).all(0))
    names = [panel.judges[at] for at in couple]
    return _pair(names, two, *jackknifed(two, {**OF_MANY, **OF_TWO}, level=level)) if len(two.query) else None


def _pair(names: Sequence[str], two: Grades, coefficients: Mapping[str, Jackknifed], counts: GradeCounts) -> JudgePair:
    thresholds = {float(grade): float(kappa_from(counts, place)) for place, grade in enumerate(two.scale) if place}
    confusion = tuple(tuple(int(count) for count in row) for row in counts.confusion)
    return JudgePair(names[0], names[1], len(two.query), two.queries, coefficients, confusion, thresholds)


def _per_judge(panel: Panel) -> pl.DataFrame:
    """Each judge against the mean of the others, on what others judged too."""
    codes, scale = panel.grades.codes, panel.grades.scale
    is_judged = codes != GAP
    many = is_judged.sum(0)
    total = np.zeros(codes.shape[1])
    for row, judged in zip(codes, is_judged, strict=True):
        total[judged] += scale[row[judged]]
    rows = []
    for name, row, judged in zip(panel.judges, codes, is_judged, strict=True):
        both = judged & (many >= 2)
        own = scale[row[both]]
        apart = own - (total[both] - own) / (many[both] - 1)
        rows.append((name, int(judged.sum()), int(both.sum()), float(scale[row[judged]].mean()),
                     float(apart.mean()), float(np.abs(apart).mean())))  # fmt: skip
    heads = ["judge", "judged", "in_common", "mean", "bias", "absolute_error"]
    return pl.DataFrame(rows, schema=heads, orient="row")


def _apart(panel: Panel, in_common: Bools) -> tuple[pl.DataFrame, pl.DataFrame]:
    """How far apart the judgments of each query are, and the pairs by how far apart they are."""
    codes = panel.grades.codes[:, in_common]
    values = np.where(codes == GAP, np.nan, panel.grades.scale[np.maximum(codes, 0)])
    rising = np.sort(values, axis=0)  # NaN last
    many = np.isfinite(values).sum(0)
    places = np.arange(len(values))[:, None]
    # The sum over two judgments of |a - b| of sorted values: each counts once for every one below, less those above.
    signed = np.where(places < many, (2 * places - many + 1) * np.nan_to_num(rising), 0.0).sum(0)
    couples = many * (many - 1) / 2
    same = np.zeros(values.shape[1])
    for grade in panel.grades.scale:
        alike = (values == grade).sum(0)
        same += alike * (alike - 1) / 2
    number = panel.grades.query[in_common]
    queries, count = np.unique(number, return_counts=True)
    owner = np.repeat(np.arange(len(queries)), count)
    first = count.cumsum() - count
    pairs = panel.pairs.filter(pl.Series(in_common))
    per_query = pl.DataFrame(
        {
            "query": pairs["query"].gather(first),
            "pairs": count,
            "agreement": np.bincount(owner, same / couples) / count,
            "absolute_error": np.bincount(owner, signed / couples) / count,
        }
    ).sort("absolute_error", descending=True, maintain_order=True)
    spread = np.nanmax(values, 0) - np.nanmin(values, 0)
    apart = np.flatnonzero(spread > 0)
    furthest = apart[np.lexsort((-(signed / couples)[apart], -spread[apart]))[:MOST_DISCUSSED]]
    # The grades of all judges of a small panel are listed beside each pair.
    taken = {"query", "item", "spread"}
    judges = panel.judges if len(panel.judges) <= MOST_PAIRED else ()
    named = [(f"judge {judge}" if judge in taken else judge, row) for judge, row in zip(judges, values, strict=False)]
    discussed = pairs[furthest].with_columns(
        *(pl.Series(name, row[furthest]).fill_nan(None) for name, row in named),
        pl.Series("spread", spread[furthest]),
    )
    return per_query, discussed


def _notes(panel: Panel, coefficients: Mapping[str, Jackknifed], queries: int, in_common: int) -> list[Said]:
    notes = []
    is_judged = panel.grades.codes != GAP
    if left := int((is_judged.sum(0) == 1).sum()):
        alone = {
            name: int((judged & (is_judged.sum(0) == 1)).sum())
            for name, judged in zip(panel.judges, is_judged, strict=True)
        }
        notes.append(said("judged_alone", count=left, by={name: count for name, count in alone.items() if count}))
    if not panel.is_stated:
        notes.append(said("scale_not_stated", scale=panel.scale_text))
    if queries < FEWEST_QUERIES:
        notes.append(said("too_few_queries", queries=queries, fewest=FEWEST_QUERIES))
    else:
        notes.append(said("intervals_by_query", queries=queries))
    codes = panel.grades.codes[is_judged & (is_judged.sum(0) >= 2)]
    if len(codes) and (codes == codes[0]).all():
        grade = plain_number(panel.grades.scale[codes[0]])
        notes.append(said("all_the_same", grade=grade, count=in_common))
    elif len(codes) and (share := float(np.bincount(codes).max() / len(codes))) >= LOPSIDED:
        notes.append(said("lopsided", share=share))
    if "kappa_quadratic" in coefficients:
        notes.append(said("bias_beside_kappa"))
    notes.append(said("agreement_yardstick"))
    if len(panel.judges) > MOST_PAIRED:
        notes.append(said("many_judges", count=len(panel.judges), most=MOST_PAIRED))
    return notes
