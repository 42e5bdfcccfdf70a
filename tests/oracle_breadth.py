"""The oracle's formulas of the C/W/L family and of trec_eval's rarer measures, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tests import oracle as o

Places = list[o.Place]


def has_level(m: Any, grade: float) -> bool:
    return grade > m.min_grade


def level(m: Any, place: o.Place) -> float:
    """The gain of the C/W/L family, between 0 and 1."""
    if not place.label.alive or place.label.grade is None:
        return 0.0
    return min(max((place.label.grade - m.min_grade) / (m.max_grade - m.min_grade), 0.0), 1.0)


CONTINUATIONS: dict[str, Callable[[Any, int, float, float, float], float]] = {
    "INST": lambda m, i, _, so_far, __: ((i + m.T + (m.T - so_far) - 1) / (i + m.T + (m.T - so_far))) ** 2,
    "INSQ": lambda m, i, *_: ((i + 2 * m.T - 1) / (i + 2 * m.T)) ** 2,
    "BPM": lambda m, i, _, so_far, k: float(so_far < m.T and i < k),
    "SDCG": lambda _, i, __, ___, k: math.log2(i + 1) / math.log2(i + 2) if i < k else 0.0,
    "NERR8": lambda _, i, g, __, k: 1 - g if i < k else 0.0,
    "NERR9": lambda _, i, g, __, k: i / (i + 1) * (1 - g) if i < k else 0.0,
    "NERR10": lambda m, _, g, *__: m.p * (1 - g),
    "NERR11": lambda m, i, g, *_: ((i + 2 * m.T - 1) / (i + 2 * m.T)) ** 2 * (1 - g),
}


def user_model(m: Any, places: Places, _: o.Query) -> o.Ratio:
    gains = {place.rank: level(m, place) for place in places if place.rank <= o.depth(m)}
    going, so_far, top, bottom = 1.0, 0.0, 0.0, 0.0
    for i in range(1, m.horizon + 1):
        g = gains.get(i, 0.0)
        top, bottom, so_far = top + going * g, bottom + going, so_far + g
        going *= CONTINUATIONS[m.name](m, i, g, so_far, min(o.depth(m), m.horizon))
    return o.Ratio(top / bottom, 1.0, top > 0)


def averaged_interpolated_precision(m: Any, places: Places, q: o.Query) -> o.Ratio:
    values = []
    points = m.points if isinstance(m.points, tuple) else [j / (m.points - 1) for j in range(m.points)]
    for at in points:
        point = At(m, at)
        values.append(o.interpolated_precision(point, places, q))
    return o.Ratio(math.fsum(one.value for one in values), len(points), values[0].found)


class At:
    """A measure as interpolated precision would see it."""

    def __init__(self, m: Any, recall: float) -> None:
        self.recall, self.rounding, self.cutoff, self.rel, self.name = recall, m.rounding, m.cutoff, m.rel, m.name


def set_average_precision(m: Any, places: Places, q: o.Query) -> o.Ratio:
    h, n = o.hits(m, places, o.depth(m)), min(q.returned, o.depth(m))
    return o.Ratio(h * h, n * o.total(m, q), h > 0)


def utility(m: Any, places: Places, q: o.Query) -> o.Ratio:
    h, n, R = o.hits(m, places, o.depth(m)), min(q.returned, o.depth(m)), o.total(m, q)
    value = m.found * h + m.noise * (n - h) + m.missed * (R - h) + m.rest * (m.collection + h - n - R)
    return o.Ratio(value, 1.0, found=True)


def binary_g(m: Any, places: Places, q: o.Query) -> o.Ratio:
    others, value, found = 0, 0.0, False
    for place in single_file(places, q, o.depth(m)):
        if place is not None and o.counts(m, place):
            value, found = value + 1 / math.log2(2 + others), True
        else:
            others += 1
    return o.Ratio(value, o.total(m, q), found)


def single_file(places: Places, q: o.Query, k: float) -> Sequence[o.Place | None]:
    at = {place.rank: place for place in places}
    return [at.get(rank) for rank in range(1, int(min(q.returned, k)) + 1)]


def gain_at(m: Any, place: o.Place | None) -> float:
    if place is None or not place.label.alive or place.label.grade is None:
        return 0.0
    return o.gain(m, place.label.grade)


def ideal_gains(m: Any, q: o.Query) -> list[float]:
    return sorted((g for g in (o.gain(m, grade) for grade in q.grades) if g > 0), reverse=True)


def normalised_g(m: Any, places: Places, q: o.Query) -> o.Ratio:
    ideal = ideal_gains(m, q)
    cost = gained = value = 0.0
    for i, place in enumerate(single_file(places, q, o.depth(m))):
        g = gain_at(m, place)
        gained += g
        cost += max(ideal[i], 1.0) if i < len(ideal) else 1.0
        if g:
            value += g / math.log2(2 + max(cost - gained, 0.0))
    return o.Ratio(value, math.fsum(ideal), value > 0)


def dcg(gains: Sequence[float]) -> float:
    return math.fsum(g / math.log2(i + 1) for i, g in enumerate(gains, start=1))


def ndcg_over_relevant(m: Any, places: Places, q: o.Query) -> o.Ratio:
    ideal = ideal_gains(m, q)
    gains = [gain_at(m, place) for place in single_file(places, q, o.depth(m))]
    hits = [i for i, g in enumerate(gains, start=1) if g > 0]
    points = [dcg(gains[:i]) / dcg(ideal[:i]) for i in hits] if ideal else []
    if ideal:
        points += [dcg(gains) / dcg(ideal)] * (len(ideal) - len(hits))
    return o.Ratio(math.fsum(points), len(ideal), bool(hits))


def ndcg_over_levels(m: Any, places: Places, q: o.Query) -> o.Ratio:
    ideal = ideal_gains(m, q)
    gains = [gain_at(m, place) for place in single_file(places, q, o.depth(m))]
    cuts = [i for i in range(1, len(ideal) + 1) if i == len(ideal) or ideal[i] != ideal[i - 1]]
    if ideal and len(gains) > len(ideal) + 1:
        cuts.append(len(gains))
    points = [dcg(gains[:c]) / dcg(ideal[:c]) for c in cuts]
    return o.Ratio(math.fsum(points), len(points), any(gains))


def blended(m: Any, places: Places, q: o.Query) -> o.Ratio:
    ideal = ideal_gains(m, q)
    gains = [gain_at(m, place) for place in single_file(places, q, o.depth(m))]
    hits = [i for i, g in enumerate(gains, start=1) if g > 0]
    ratio = {
        i: (number + m.beta * math.fsum(gains[:i])) / (i + m.beta * math.fsum(ideal[:i]))
        for number, i in enumerate(hits, start=1)
    }
    if m.name == "Q":
        most = len(ideal) if m.norm == "relevant" else min(len(ideal), o.depth(m))
        return o.Ratio(math.fsum(ratio.values()), most, bool(hits))
    if not hits:
        return o.Ratio(0.0, 1.0, found=False)
    best = gains.index(max(gains)) + 1
    read = {"OMeasure": hits[:1], "PMeasure": [best], "PPlus": [i for i in hits if i <= best]}[m.name]
    return o.Ratio(math.fsum(ratio[i] for i in read), len(read), found=True)


def num_nonrelevant_returned(m: Any, places: Places, _: o.Query) -> o.Ratio:
    seen = [place.label for place in places if place.rank <= o.depth(m)]
    return o.Ratio(sum(label.alive and o.judged_nonrelevant(m, label) for label in seen), 1.0, found=True)


def judged_ranks(m: Any, places: Places) -> list[int]:
    return [p.rank for p in places if p.rank <= o.depth(m) and p.label.alive and o.is_judged(m, p.label)]


def unjudged(m: Any, places: Places, q: o.Query) -> o.Ratio:
    judged = len(judged_ranks(m, places))
    places_ = q.returned if m.cutoff is None else m.cutoff
    return o.Ratio(min(q.returned, o.depth(m)) - judged, 1 if m.norm == "none" else places_, found=True)


def rank_biased_residual(m: Any, places: Places, q: o.Query) -> o.Ratio:
    judged, n = set(judged_ranks(m, places)), int(min(q.returned, o.depth(m)))
    open_ranks = [i for i in range(1, n + 1) if i not in judged]
    if m.tail == "if-unjudged" and not open_ranks:
        return o.Ratio(0.0, 1.0, found=True)
    return o.Ratio((1 - m.p) * math.fsum(m.p ** (i - 1) for i in open_ranks) + m.p**n, 1.0, found=True)


def all_relevant(m: Any, places: Places, q: o.Query) -> o.Ratio:
    h, R = o.hits(m, places, o.depth(m)), o.total(m, q)
    return o.Ratio(float(h >= R > 0), 1.0, h > 0)


def compatibility(m: Any, places: Places, q: o.Query) -> o.Ratio:
    k = o.depth(m)
    seen = [place for place in places if place.rank <= k and o.counts(m, place)]
    grades = sorted((grade for grade in q.grades if o.at_least_rel(m, grade)), reverse=True)
    # Each returned item stands behind all higher grades and behind those of its own grade that stand above it.
    both = []
    for place in seen:
        higher = sum(grade > place.label.grade for grade in grades)  # type: ignore[operator]
        before = sum(other.label.grade == place.label.grade and other.rank < place.rank for other in seen)
        both.append(max(place.rank, higher + before + 1))
    last = int(max(min(q.returned, k), len(grades)))
    value = math.fsum(m.p ** (i - 1) * sum(at <= i for at in both) / i for i in range(1, last + 1))
    if m.norm == "ideal":
        best = math.fsum(m.p ** (i - 1) * min(i, len(grades)) / i for i in range(1, last + 1))
    else:
        best = math.fsum(m.p ** (i - 1) for i in range(1, last + 1))
    return o.Ratio(value, best, value > 0)


BLENDED = ("Q", "OMeasure", "PMeasure", "PPlus")
FORMULAS: dict[str, Callable[[Any, Places, o.Query], o.Ratio]] = {
    **dict.fromkeys(CONTINUATIONS, user_model),
    "IPrecAvg": averaged_interpolated_precision,
    "SetAP": set_average_precision,
    "Utility": utility,
    "binG": binary_g,
    "G": normalised_g,
    "nDCGrel": ndcg_over_relevant,
    "RnDCG": ndcg_over_levels,
    **dict.fromkeys(BLENDED, blended),
    "NumNonrelRet": num_nonrelevant_returned,
    "Unjudged": unjudged,
    "RBPResidual": rank_biased_residual,
    "AllRelevant": all_relevant,
    "Compat": compatibility,
}
RELEVANT: dict[str, Callable[[Any, float], bool]] = {
    **dict.fromkeys(CONTINUATIONS, has_level),
    **dict.fromkeys(("IPrecAvg", "SetAP", "binG", "AllRelevant", "Compat", "Utility"), o.at_least_rel),
    **dict.fromkeys(("G", "nDCGrel", "RnDCG", *BLENDED), o.has_gain),
}
BY_GRADE = {"NumNonrelRet", "Unjudged", "RBPResidual", "Utility", *CONTINUATIONS}
"""Measures under whose best and worst order tied items stand by grade, unjudged ones last and first."""
