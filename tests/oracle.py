"""The oracle: every measure a second time, slowly, in plain Python, the formula line by line.

It is written from the definitions (docstrings and ``measures/prose``), not from the library's arithmetic, and it is the
only second implementation. ``oracle(measure, judgments, run)`` returns the aggregate and the value of each query; None
stands for a query that is left out of the aggregate.

Where a definition leaves something open, the choice made here is marked ``Reading:``.
"""

from __future__ import annotations

import math
import statistics
import struct
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any

EPSILON = 0.00001

Judgments = Mapping[Hashable, Mapping[Hashable, float]]
Run = Mapping[Hashable, Mapping[Hashable, float] | Sequence[Hashable]]


@dataclass(frozen=True)
class Label:
    """All that a formula may know of an item: its grade (None: not in the judgments), and whether it may be found."""

    grade: float | None
    alive: bool = True
    assumed: bool = False
    """Whether nobody judged it and the measure gives it a grade all the same."""


@dataclass(frozen=True)
class Place:
    """A label at a rank; several places share a rank only under ties=shared and ties=middle."""

    rank: int
    label: Label


@dataclass(frozen=True)
class Query:
    """What a formula may know beside the order: the judgments that count, and how long the list is."""

    grades: tuple[float, ...]
    returned: int


@dataclass(frozen=True)
class Ratio:
    """A value as numerator and denominator, and whether anything was found."""

    top: float
    bottom: float
    found: bool

    @property
    def value(self) -> float:
        return self.top / self.bottom if self.bottom else 0.0


def oracle(
    measure: Any, judgments: Judgments, run: Run, queries: str | None = None
) -> tuple[float, dict[Hashable, float | None]]:
    """The aggregate of a measure and its value for every query that it is about."""
    policy = measure.queries or queries or "judged"
    chosen = {
        "judged": list(judgments),
        "common": [query for query in judgments if query in run],
        "run": list(run),
    }[policy]
    ratios = {
        query: rounded(
            measure, one_query(measure, judgments.get(query, {}), as_listed(measure, query, run.get(query, {})))
        )
        for query in chosen
    }
    values = {query: None if ratio is None else ratio.value for query, ratio in ratios.items()}
    kept = [ratio for ratio in ratios.values() if ratio is not None]
    return aggregated(measure.aggregate, kept), values


def aggregated(aggregate: str, ratios: Sequence[Ratio]) -> float:
    """One number from those of the queries."""
    values = [ratio.value for ratio in ratios]
    if aggregate == "filled":
        values, aggregate = [0.0 if math.isnan(value) else value for value in values], "mean"
    if aggregate == "sum":
        return math.fsum(values)
    if not values:
        return math.nan
    if any(math.isnan(value) for value in values):
        return math.nan
    if aggregate == "mean":
        return math.fsum(values) / len(values)
    if aggregate == "median":
        return statistics.median(values)
    if aggregate == "variance":
        return statistics.pvariance(values)
    if aggregate == "p90":
        rising, place = sorted(values), 0.9 * (len(values) - 1)
        low, high = rising[math.floor(place)], rising[math.ceil(place)]
        return low + (high - low) * (place - math.floor(place))
    if aggregate == "geometric":
        return math.exp(math.fsum(math.log(max(value, EPSILON)) for value in values) / len(values))
    bottom = math.fsum(ratio.bottom for ratio in ratios)
    return math.fsum(ratio.top for ratio in ratios) / bottom if bottom else 0.0


def rounded(measure: Any, ratio: Ratio | None) -> Ratio | None:
    if ratio is None or measure.digits is None or math.isnan(ratio.value):
        return ratio
    # Reading: halves go up, and what floats miss of a half by their last bits is a half.
    value = math.floor(ratio.value * 10**measure.digits + 0.5 + 1e-9) / 10**measure.digits
    return Ratio(value * ratio.bottom, ratio.bottom, ratio.found)


def as_listed(measure: Any, query: Hashable, returned: Any) -> list[tuple[Hashable, float]]:
    """The rows of a list with their scores, without the item that is named like the query where that is asked."""
    rows = list(returned.items()) if isinstance(returned, Mapping) else [(item, -i) for i, item in enumerate(returned)]
    return [row for row in rows if measure.itself == "kept" or str(row[0]) != str(query)]


def high_grades(judged: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """The grades of a query with those that are not high among them turned into 0."""
    rising = sorted(judged.values())
    limit = max(0.5 * rising[-1], rising[math.ceil(round(0.9 * len(rising), 9)) - 1]) if rising else math.inf
    return {item: grade if grade >= limit and grade > 0 else min(grade, 0) for item, grade in judged.items()}


def one_query(measure: Any, judged: Mapping[Hashable, float], returned: Any) -> Ratio | None:
    """The value of one query as a ratio; None where the query is left out."""
    if getattr(measure, "rel", None) == "high":
        measure, judged = measure(rel=math.ulp(0.0)), high_grades(judged)
    groups, repeats = tie_groups(measure, judged, returned)
    listed = [label for group in groups for label in group]
    if measure.candidates == "list":
        grades = [label.grade for label in listed if label.grade is not None and not label.assumed]
    else:
        grades = [*judged.values(), *repeats]
    query = Query(tuple(grades), len(listed))
    if measure.blank != "counted" and not (returned or (measure.candidates == "appended" and judged)):
        return None if measure.blank == "skip" else Ratio(math.nan, 1.0, found=False)
    # Reading: a count is a count; `empty` and `miss` are for measures that would divide by 0 or reward silence.
    formula = FORMULAS[measure.name]
    relevant = None if measure.name in ("NumRel", "NumRelRet", "Utility") else RELEVANT.get(measure.name)
    # Reading: a query in which something that nobody judged has a gain is not one without anything to find.
    assumed = [label.grade for label in listed if label.assumed and label.grade is not None]
    if relevant is not None and nothing_to_find(
        measure, [*grades, *assumed], places := shared_or_single(measure, groups), query
    ):
        # Reading: that a value is undefined comes before what an empty query is worth, but not before leaving it out.
        if measure.empty != "skip" and undefined(measure, groups):
            return Ratio(math.nan, 1.0, found=False)
        silent = not (returned or (measure.candidates == "appended" and judged))
        return {
            "zero": empty_zero,
            "one": empty_one,
            "nan": empty_nan,
            "skip": lambda _: None,
            "silent": empty_one if silent else empty_lost,
        }[measure.empty](formula(measure, places, query))
    if measure.ties == "mean":
        ratio = expected([formula(measure, single(order), query) for order in orders(groups)])
    else:
        ratio = formula(measure, shared_or_single(measure, groups), query)
    if relevant is not None and not ratio.found and measure.miss == "skip":
        return None
    return Ratio(math.nan, 1.0, ratio.found) if undefined(measure, groups) else ratio


def nothing_to_find(measure: Any, grades: Sequence[float], places: list[Place], query: Query) -> bool:
    """Whether a query is empty: no grade is worth anything, or the ideal is worth nothing and that is asked."""
    worth_finding = FINDABLE.get(measure.name) or RELEVANT[measure.name]
    guarded = (
        getattr(measure, "negative", "") == "guarded" and FORMULAS[measure.name](measure, places, query).bottom <= 0
    )
    return guarded or not any(worth_finding(measure, grade) for grade in grades)


def undefined(measure: Any, groups: list[list[Label]]) -> bool:
    """Whether an unjudged item leaves a query without a value."""
    unknown = [not is_judged(measure, label) for group in groups for label in group]
    if measure.unjudged == "nan":
        return any(unknown)
    if measure.unjudged != "undecided":
        return False
    places = [place for place in shared_or_single(measure, groups) if place.rank <= depth(measure)]
    if measure.name == "Success" and any(counts(measure, place) for place in places):
        return False
    first = next((at for at, place in enumerate(places) if counts(measure, place)), len(places))
    return any(unknown[:first])


def expected(ratios: Sequence[Ratio]) -> Ratio:
    """The mean over all orders. Reading: a query is missed when no order of the ties finds anything."""
    top = math.fsum(ratio.top for ratio in ratios) / len(ratios)
    mean = Ratio(top, math.fsum(ratio.bottom for ratio in ratios) / len(ratios), any(one.found for one in ratios))
    value = math.fsum(ratio.value for ratio in ratios) / len(ratios)
    assert math.isclose(mean.value, value, rel_tol=1e-12, abs_tol=1e-12), "the divisor depends on the order"
    return mean


# Reading: under aggregate=pooled an empty query keeps its denominator; for empty=one, where it has none, it is 1/1.
def empty_zero(ratio: Ratio) -> Ratio:
    return Ratio(0.0, ratio.bottom, found=False)


def empty_one(ratio: Ratio) -> Ratio:
    bottom = ratio.bottom or 1.0
    return Ratio(bottom, bottom, found=False)


# Reading: under empty=silent returning something weighs as much as returning nothing, or a pool would never see it.
def empty_lost(ratio: Ratio) -> Ratio:
    return Ratio(0.0, ratio.bottom or 1.0, found=False)


def empty_nan(_: Ratio) -> Ratio:
    return Ratio(math.nan, 1.0, found=False)


# ---------------------------------------------------------------------------------------------------------- the order


def tie_groups(
    measure: Any, judged: Mapping[Hashable, float], pairs: list[tuple[Hashable, float]]
) -> tuple[list[list[Label]], list[float]]:
    """The labels of the list, best score first, as groups of equal score, each in the order of the tie rule.

    Beside them the grades of repeats that count as items of their own.
    """
    if measure.scores == "float32":
        pairs = [(item, as_float32(score)) for item, score in pairs]
    rows = sorted(pairs, key=lambda pair: -pair[1])  # stable: the given order stays inside a tie
    if measure.duplicates in ("distinct", "separate") and measure.depth is not None:
        grouped = [list(group) for _, group in groupby(rows, key=lambda pair: pair[1])]
        ordered = [row for group in grouped for row in in_order(measure, [(one[0], one) for one in group])]
        rows = [row for _, row in ordered[: measure.depth]]
        rows.sort(key=lambda pair: (-pair[1], pairs.index(pair)))
    if measure.ties == "included" and measure.depth is not None:
        rows = [row for row in rows if len(rows) <= measure.depth or row[1] >= rows[measure.depth - 1][1]]
    seen: set[Hashable] = set()
    is_repeat = [item in seen or bool(seen.add(item)) for item, _ in rows]
    repeats: list[float] = []
    if measure.duplicates in ("first", "distinct"):
        rows = [row for row, again in zip(rows, is_repeat, strict=True) if not again]
    elif measure.duplicates == "once":
        rows = [(REPEAT if again else row[0], row[1]) for row, again in zip(rows, is_repeat, strict=True)]
    elif measure.duplicates == "separate":
        repeats = [judged[row[0]] for row, again in zip(rows, is_repeat, strict=True) if again and row[0] in judged]
    grouped = [list(rows_of_score) for _, rows_of_score in groupby(rows, key=lambda pair: pair[1])]
    groups = [
        [
            (item, labelled(measure, judged.get(item), alive=not (measure.sign == "positive" and score <= 0)))
            for item, score in group
        ]
        for group in grouped
    ]
    if measure.candidates == "appended":
        there = {item for item, _ in pairs}
        # Reading: what was not returned has no score, so none that is positive.
        alive, rest = measure.sign == "ignored", [row for row in judged.items() if row[0] not in there]
        groups.append([(item, labelled(measure, grade, alive=alive)) for item, grade in rest])
    if measure.depth is not None and measure.ties != "included":
        # Reading: -M of trec_eval; the list is cut in the order of the tie rule before anything else is done to it.
        groups = [[row] for group in groups for row in in_order(measure, group)][: measure.depth]
    if measure.unjudged == "removed":
        groups = [[row for row in group if is_judged(measure, row[1])] for group in groups]
    return [[label for _, label in in_order(measure, group)] for group in groups if group], repeats


REPEAT = object()
"""An item that nobody judged."""


def labelled(measure: Any, grade: float | None, *, alive: bool) -> Label:
    if isinstance(measure.unjudged, str) or is_judged(measure, Label(grade)):
        return Label(grade, alive)
    return Label(measure.unjudged, alive, assumed=True)


def in_order(measure: Any, group: list[tuple[Hashable, Label]]) -> list[tuple[Hashable, Label]]:
    rule = measure.ties
    if rule in ("item", "item-ascending"):
        return sorted(group, key=lambda row: str(row[0]).encode(), reverse=rule == "item")
    if rule == "reversed":
        return group[::-1]
    if rule in ("best", "worst"):
        # Reading: of two items that the measure sees alike, the one with the lower grade counts as the worse.
        def key(row: tuple[Hashable, Label]) -> tuple[float, float]:
            return worth(measure, row[1]), -math.inf if row[1].grade is None else row[1].grade

        return sorted(group, key=key, reverse=rule == "best")
    return group


def worth(measure: Any, label: Label) -> float:
    """What the measure sees in an item: the more, the better its place should be."""
    if measure.name == "Judged":
        return float(is_judged(measure, label))
    if measure.name in breadth.BY_GRADE:
        return -math.inf if label.grade is None else label.grade
    if measure.name in ("G", "nDCGrel", "RnDCG", *breadth.BLENDED):
        return 0.0 if label.grade is None or not label.alive else gain(measure, label.grade)
    if not label.alive or label.grade is None or measure.name not in RELEVANT:
        return 0.0
    if measure.name in ("CG", "DCG", "nDCG"):
        return gain(measure, label.grade)
    if measure.name == "MaxGrade" or (measure.name == "RBP" and measure.gain == "exp2"):
        return max(label.grade, 0.0)
    if measure.name == "ERR":
        return label.grade if lowers(measure) else max(label.grade, 0.0)
    if measure.name == "RBP" and measure.gain == "linear":
        return max(label.grade, 0.0) if label.grade >= measure.rel else 0.0
    return float(RELEVANT[measure.name](measure, label.grade))


def as_float32(score: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", score))[0]
    except OverflowError:
        return math.copysign(math.inf, score)


def single(order: Sequence[Label]) -> list[Place]:
    return [Place(rank, label) for rank, label in enumerate(order, start=1)]


def shared_or_single(measure: Any, groups: list[list[Label]]) -> list[Place]:
    if measure.ties not in ("shared", "middle"):
        return single([label for group in groups for label in group])
    places, above = [], 0
    for group in groups:
        rank = above + len(group) if measure.ties == "shared" else int(above + (len(group) + 1) / 2)
        above += len(group)
        places += [Place(rank, label) for label in group]
    return places


def orders(groups: list[list[Label]]) -> Iterator[list[Label]]:
    """Every order that the ties allow; orders that no formula can tell apart are taken once, as often as the others."""
    for choice in product(*(list(distinct_orders(Counter(group))) for group in groups)):
        yield [label for group in choice for label in group]


def distinct_orders(left: Counter[Label]) -> Iterator[list[Label]]:
    if not left.total():
        yield []
    for label in list(left):
        if left[label]:
            left[label] -= 1
            for rest in distinct_orders(left):
                yield [label, *rest]
            left[label] += 1


# ----------------------------------------------------------------------------------------------- what an item is worth


def is_judged(measure: Any, label: Label) -> bool:
    if label.grade is None or label.assumed:
        return False
    if label.grade >= 0 or measure.negative != "unjudged":
        return True
    # Reading: what counts is judged. An item of grade -1 that `rel=-1` makes relevant is not one nobody looked at.
    counted = RELEVANT.get(measure.name) if measure.counted_below else None
    return counted is not None and counted(measure, label.grade)


def at_least_rel(measure: Any, grade: float) -> bool:
    return grade >= measure.rel


def gain(measure: Any, grade: float) -> float:
    if measure.rel is not None and grade < measure.rel:
        return 0.0
    if measure.gain == "binary":
        # Reading: relevant is a grade of at least 1 where `rel` is not stated, as it is for P.
        return 1.0 if measure.rel is not None or grade >= 1 else 0.0
    gained = 2.0**grade - 1.0 if measure.gain == "exp2" else grade
    if not isinstance(measure.gain, str):
        gained = dict(measure.gain).get(grade, grade)
    return gained if lowers(measure) else max(gained, 0.0)


def lowers(measure: Any) -> bool:
    return getattr(measure, "negative", "") in ("counted", "guarded")


def has_gain(measure: Any, grade: float) -> bool:
    return gain(measure, grade) > 0


def gains_or_loses(measure: Any, grade: float) -> bool:
    # Reading: where grades below 0 lower the value, a query of such grades alone has a value: it is not empty.
    return gain(measure, grade) != 0


def satisfies(measure: Any, grade: float) -> bool:
    return grade > 0 or (grade < 0 and lowers(measure))


def is_positive(_: Any, grade: float) -> bool:
    return grade > 0


def rbp_relevant(measure: Any, grade: float) -> bool:
    return grade > 0 if measure.gain == "exp2" else grade >= measure.rel


def counts(measure: Any, place: Place) -> bool:
    """Whether a relevant item is found at this place."""
    label = place.label
    return label.alive and label.grade is not None and RELEVANT[measure.name](measure, label.grade)


def hits(measure: Any, places: list[Place], depth: float) -> int:
    return sum(counts(measure, place) for place in places if place.rank <= depth)


def total(measure: Any, query: Query) -> int:
    """R."""
    return sum(RELEVANT[measure.name](measure, grade) for grade in query.grades)


def depth(measure: Any) -> float:
    return math.inf if measure.cutoff is None else measure.cutoff


def discount(measure: Any, rank: int) -> float:
    if measure.discount == "log2":
        return math.log2(rank + 1)
    if measure.discount == "jk":
        return math.log2(max(rank, 2))
    return float(rank)


# --------------------------------------------------------------------------------------------------------- the formulas


def precision(m: Any, places: list[Place], q: Query) -> Ratio:
    k, h, R = depth(m), hits(m, places, depth(m)), total(m, q)
    # Reading: without a cutoff k is the length of the list, for norm=capped too.
    k = q.returned if m.cutoff is None else k
    bottom = {"k": k, "list": min(k, q.returned), "capped": min(R, k)}[m.norm]
    return Ratio(h, bottom, h > 0)


def recall(m: Any, places: list[Place], q: Query) -> Ratio:
    k, h, R = depth(m), hits(m, places, depth(m)), total(m, q)
    return Ratio(h, R if m.norm == "relevant" else min(R, k), h > 0)


def f_measure(m: Any, places: list[Place], q: Query) -> Ratio:
    # (1 + b2) P R / (b2 P + R) with P = h / k and R = h / R is (1 + b2) h / (b2 R + k).
    h, R, beta2 = hits(m, places, depth(m)), total(m, q), m.beta**2
    k = q.returned if m.cutoff is None else m.cutoff
    if h:
        P, rec = h / k, h / R
        assert math.isclose((1 + beta2) * P * rec / (beta2 * P + rec), (1 + beta2) * h / (beta2 * R + k))
    return Ratio((1 + beta2) * h, beta2 * R + k, h > 0)


def success(m: Any, places: list[Place], _: Query) -> Ratio:
    h = hits(m, places, depth(m))
    return Ratio(1.0 if h else 0.0, 1.0, h > 0)


def r_precision(m: Any, places: list[Place], q: Query) -> Ratio:
    first = min(total(m, q) if m.mult == 1 else math.floor(m.mult * total(m, q) + 0.9), depth(m))
    # Reading: missed means that nothing was found within the places it looks at, the first min(R, k).
    h = hits(m, places, first)
    return Ratio(h, total(m, q) if m.norm == "relevant" else first, h > 0)


def interpolated_precision(m: Any, places: list[Place], q: Query) -> Ratio:
    R, k = total(m, q), depth(m)
    wanted = m.recall * R
    if m.rounding == "ceil":
        needed = math.ceil(round(wanted, 9))  # 0.1 * 30 is 3, not a little more
    elif m.rounding == "trec9":
        needed = math.floor(wanted + 0.9)
    else:
        needed = math.floor(wanted + 0.5)
    best = 0.0
    for place in places:
        if place.rank <= k and (h := hits(m, places, place.rank)) >= needed:
            best = max(best, h / place.rank)
    return Ratio(best, 1.0, hits(m, places, k) > 0)


def set_precision(m: Any, places: list[Place], q: Query) -> Ratio:
    k, R = depth(m), total(m, q)
    h, n = hits(m, places, k), min(q.returned, k)
    return Ratio(h, n if m.norm == "list" else min(R, n), h > 0)


def set_recall(m: Any, places: list[Place], q: Query) -> Ratio:
    h = hits(m, places, depth(m))
    return Ratio(h, total(m, q), h > 0)


def set_f(m: Any, places: list[Place], q: Query) -> Ratio:
    k, R, beta2 = depth(m), total(m, q), m.beta if m.weight == "plain" else m.beta**2
    h, n = hits(m, places, k), min(q.returned, k)
    if m.recall == "any" and h:
        P = h / n
        assert math.isclose((1 + beta2) * P / (beta2 * P + 1), (1 + beta2) * h / (beta2 * h + n))
    return Ratio((1 + beta2) * h, beta2 * (h if m.recall == "any" else R) + n, h > 0)


def reciprocal_rank(m: Any, places: list[Place], q: Query) -> Ratio:
    found = [place for place in places if place.rank <= depth(m) and counts(m, place)]
    ranks = [place.rank for place in found]
    if m.hits in ("found", "relevant"):
        return Ratio(math.fsum(1 / i for i in ranks), len(ranks) if m.hits == "found" else total(m, q), bool(ranks))
    if m.hits == "best":
        best = max((place.label.grade for place in found), default=0)  # type: ignore[type-var]
        ranks = [place.rank for place in found if place.label.grade == best]
    return Ratio(1 / min(ranks) if ranks else 0.0, 1.0, bool(ranks))


def average_precision(m: Any, places: list[Place], q: Query) -> Ratio:
    k, R, n = depth(m), total(m, q), q.returned
    found = [place.rank for place in places if place.rank <= k and counts(m, place)]
    bottom = {
        "relevant": R,
        "capped": min(R, k),
        "list": min(R, k, n),
        "found": hits(m, places, math.inf),
        "hits": len(found),
        # Reading: without a cutoff k is the length of the list, as for P.
        "k": n if m.cutoff is None else k,
    }[m.norm]
    ranks = found if m.ranks == "relevant" else range(1, int(bottom) + 1)
    return Ratio(math.fsum(hits(m, places, rank) / rank for rank in ranks), bottom, bool(found))


def area_under_curve(m: Any, places: list[Place], _: Query) -> Ratio:
    seen = [place for place in places if place.rank <= depth(m)]
    relevant = [place.rank for place in seen if counts(m, place)]
    others = [place.rank for place in seen if not counts(m, place)]
    if relevant and not others:
        return Ratio(1.0, 1.0, found=True)
    # Under ties=mean the mean over all orders makes a tied pair count one half.
    return Ratio(sum(i < j for i in relevant for j in others), len(relevant) * len(others), bool(relevant))


def grouped_auc(m: Any, places: list[Place], q: Query) -> Ratio:
    seen = [place for place in places if place.rank <= depth(m)]
    relevant = sum(counts(m, place) for place in seen)
    # Reading: a list of relevant items alone has no pair to be right about, and weighs nothing.
    weight = relevant if relevant < len(seen) else 0
    return Ratio(area_under_curve(m, places, q).value * weight, weight, relevant > 0)


def partial_auc(m: Any, places: list[Place], q: Query) -> Ratio:
    relevant = [place.rank for place in places if counts(m, place) and place.rank <= depth(m)]
    listed = int(min(q.returned, depth(m)))
    others = [rank for rank in range(1, listed + 1) if rank not in relevant]
    # Reading: without a number all non-relevant items of the list are compared, and a list without any is in order.
    k, R = m.negatives or max(len(others), 1), total(m, q)
    if m.norm == "capped":
        relevant, R = relevant[:k], min(R, k)
    # What the list does not reach counts as non-relevant items at its end.
    compared = (others + [listed + 1] * k)[:k]
    top = sum(i < j for i in relevant for j in compared)
    return Ratio(top, R * k, bool(relevant))


def mean_rank(m: Any, places: list[Place], _: Query) -> Ratio:
    found = [place for place in places if place.rank <= depth(m) and counts(m, place)]
    weights: list[Any] = [place.label.grade if m.weight == "grade" else 1 for place in found]
    top = math.fsum(weight * place.rank for weight, place in zip(weights, found, strict=True))
    return Ratio(top, math.fsum(weights), bool(found))


def pair_accuracy(m: Any, places: list[Place], _: Query) -> Ratio:
    seen = [place for place in places if place.rank <= depth(m)]
    grades = [max(place.label.grade or 0.0, 0.0) if place.label.alive else 0.0 for place in seen]
    pairs = [(grades[i], grades[j]) for j in range(len(grades)) for i in range(j)]
    return Ratio(sum(a > b for a, b in pairs), sum(a != b for a, b in pairs), any(grades))


def highest_grade(m: Any, places: list[Place], _: Query) -> Ratio:
    grades: list[Any] = [place.label.grade for place in places if place.rank <= depth(m) and counts(m, place)]
    return Ratio(max(grades, default=0.0), 1.0, bool(grades))


def dcg_of(m: Any, gains: Sequence[tuple[int, float]]) -> float:
    return math.fsum(worth_ / discount(m, rank) for rank, worth_ in gains)


def placed_gains(m: Any, places: list[Place], k: float) -> list[tuple[int, float]]:
    seen = [place for place in places if place.rank <= k and place.label.alive and place.label.grade is not None]
    return [(place.rank, worth_) for place in seen if (worth_ := gain(m, place.label.grade))]  # type: ignore[arg-type]


def any_gain(gains: Sequence[tuple[int, float]]) -> bool:
    return any(worth_ > 0 for _, worth_ in gains)


def cumulated_gain(m: Any, places: list[Place], q: Query) -> Ratio:
    gains = placed_gains(m, places, depth(m))
    judged = math.fsum(gain(m, grade) for grade in q.grades)
    return Ratio(math.fsum(worth_ for _, worth_ in gains), 1.0 if m.norm == "none" else judged, any_gain(gains))


def discounted_gain(m: Any, places: list[Place], _: Query) -> Ratio:
    gains = placed_gains(m, places, depth(m))
    return Ratio(dcg_of(m, gains), 1.0, any_gain(gains))


def normalised_gain(m: Any, places: list[Place], q: Query) -> Ratio:
    k = depth(m)
    gains = placed_gains(m, places, k)
    listed = [place for place in places if place.label.grade is not None]
    if m.ideal in ("judged", "uncut", "length"):
        pool = [gain(m, grade) for grade in q.grades]
        if m.candidates == "list" and lowers(m) and isinstance(m.unjudged, str):
            # The ideal is the list re-sorted: its unjudged items gain 0 and stand before those that lose.
            pool += [0.0] * (q.returned - len(pool))
    elif m.ideal == "list":
        pool = [gain(m, place.label.grade) for place in listed]
    elif m.ideal == "top":
        pool = [gain(m, place.label.grade) for place in listed if place.rank <= k]
    else:
        pool = [1.0] * (m.cutoff if m.ideal == "full" else q.returned)
    ideal = [(rank, best) for rank, best in enumerate(sorted(pool, reverse=True), start=1)]
    if m.ideal != "uncut":
        ideal = [(rank, best) for rank, best in ideal if rank <= (min(k, q.returned) if m.ideal == "length" else k)]
    return Ratio(dcg_of(m, gains), dcg_of(m, ideal), any_gain(gains))


def rank_biased_precision(m: Any, places: list[Place], q: Query) -> Ratio:
    seen = [place for place in places if place.rank <= depth(m) and counts(m, place)]
    total_ = 0.0
    for place in seen:
        grade: Any = place.label.grade
        worth_ = {
            "binary": 1.0,
            "linear": max(grade, 0.0) / (m.max_grade or 1),
            "exp2": (2.0**grade - 1) / 2.0 ** (m.max_grade or 0),
        }[m.gain]
        total_ += (100 if m.scale == "percent" else 1) * (1 - m.p) * worth_ * m.p ** (place.rank - 1)
    if m.norm == "none":
        return Ratio(total_, 1.0, bool(seen))
    if m.norm == "places":
        return Ratio(total_, math.fsum((1 - m.p) * m.p**i for i in range(m.cutoff)), bool(seen))
    best = min(total(m, q), depth(m), q.returned if m.norm == "list" else math.inf)
    return Ratio(total_, math.fsum((1 - m.p) * m.p**i for i in range(int(best))), bool(seen))


def expected_reciprocal_rank(m: Any, places: list[Place], _: Query) -> Ratio:
    reached, value, found = 1.0, 0.0, False
    for place in places:
        below = lowers(m) and place.label.alive and (place.label.grade or 0) < 0
        if place.rank <= depth(m) and (counts(m, place) or below):
            satisfied = (2.0**place.label.grade - 1) / 2.0**m.max_grade  # type: ignore[operator]
            value += reached * satisfied / place.rank
            reached *= 1 - satisfied
            found |= satisfied > 0
    return Ratio(value, 1.0, found)


def judged_nonrelevant(m: Any, label: Label) -> bool:
    return is_judged(m, label) and not at_least_rel(m, label.grade)  # type: ignore[arg-type]


def binary_preference(m: Any, places: list[Place], q: Query) -> Ratio:
    R = total(m, q)
    # Reading: with candidates=list, N too is counted over the list: judgments outside it do not exist.
    N = sum(judged_nonrelevant(m, Label(grade)) for grade in q.grades)
    above, value, found = 0, 0.0, False
    for place in places:
        if place.rank <= depth(m) and counts(m, place):
            value += 1 - min(above, R) / min(N, R) if above else 1.0
            found = True
        above += judged_nonrelevant(m, place.label)
    return Ratio(value, R, found)


def inferred_ap(m: Any, places: list[Place], q: Query) -> Ratio:
    pooled, relevant, nonrelevant, value, found = 0, 0, 0, 0.0, False
    for place in places:
        i = place.rank
        if i <= depth(m) and counts(m, place):
            found = True
            if i == 1:
                value += 1.0
            else:
                share = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
                value += 1 / i + ((i - 1) / i) * (pooled / (i - 1)) * share
        pooled += place.label.grade is not None
        relevant += counts(m, place)
        nonrelevant += judged_nonrelevant(m, place.label)
    return Ratio(value, total(m, q), found)


def judged_share(m: Any, places: list[Place], q: Query) -> Ratio:
    # Reading: relevance plays no part, so `empty` and `miss` change nothing; sign=positive makes an item not returned.
    k = depth(m)
    judged = sum(place.label.alive and is_judged(m, place.label) for place in places if place.rank <= k)
    return Ratio(judged, min(k, q.returned), found=True)


def num_queries(_: Any, __: list[Place], ___: Query) -> Ratio:
    return Ratio(1.0, 1.0, found=True)


def num_returned(m: Any, _: list[Place], q: Query) -> Ratio:
    return Ratio(min(q.returned, depth(m)), 1.0, found=True)


def num_relevant(m: Any, _: list[Place], q: Query) -> Ratio:
    return Ratio(total(m, q), 1.0, found=True)


def num_relevant_returned(m: Any, places: list[Place], _: Query) -> Ratio:
    h = hits(m, places, depth(m))
    return Ratio(h, 1.0, h > 0)


FORMULAS: dict[str, Callable[[Any, list[Place], Query], Ratio]] = {
    "P": precision,
    "R": recall,
    "F": f_measure,
    "Success": success,
    "Rprec": r_precision,
    "IPrec": interpolated_precision,
    "SetP": set_precision,
    "SetR": set_recall,
    "SetF": set_f,
    "RR": reciprocal_rank,
    "AP": average_precision,
    "AUC": area_under_curve,
    "GAUC": grouped_auc,
    "PartialAUC": partial_auc,
    "MeanRank": mean_rank,
    "PairAccuracy": pair_accuracy,
    "MaxGrade": highest_grade,
    "CG": cumulated_gain,
    "DCG": discounted_gain,
    "nDCG": normalised_gain,
    "RBP": rank_biased_precision,
    "ERR": expected_reciprocal_rank,
    "Bpref": binary_preference,
    "infAP": inferred_ap,
    "Judged": judged_share,
    "NumQ": num_queries,
    "NumRet": num_returned,
    "NumRel": num_relevant,
    "NumRelRet": num_relevant_returned,
}

RELEVANT: dict[str, Callable[[Any, float], bool]] = {
    **dict.fromkeys(
        (
            "P",
            "R",
            "F",
            "Success",
            "Rprec",
            "IPrec",
            "SetP",
            "SetR",
            "SetF",
            "RR",
            "AP",
            "AUC",
            "GAUC",
            "PartialAUC",
            "MeanRank",
            "Bpref",
        ),
        at_least_rel,
    ),
    **dict.fromkeys(("infAP", "NumRel", "NumRelRet"), at_least_rel),
    **dict.fromkeys(("CG", "DCG", "nDCG"), has_gain),
    "RBP": rbp_relevant,
    **dict.fromkeys(("ERR", "MaxGrade", "PairAccuracy"), is_positive),
}
"""Which grades a measure calls relevant; measures that are not listed have no such notion."""

# The rest of the formulas, which use the functions above.
from tests import oracle_breadth as breadth  # noqa: E402

FORMULAS |= breadth.FORMULAS
RELEVANT |= breadth.RELEVANT
FINDABLE = {**dict.fromkeys(("CG", "DCG", "nDCG"), gains_or_loses), "ERR": satisfies}
"""Where a grade that lowers the value makes a query one that has a value."""
