"""Fusion in plain Python, query by query and item by item, as the definitions say it: slow, and nothing shared."""

from __future__ import annotations

import math
from statistics import median

List = list[tuple[str, float]]
"""Items with scores, best first."""


def ordered(scores: dict[str, float], ties: str = "item") -> List:
    pairs = list(scores.items())
    if ties in ("item", "item-ascending"):
        pairs.sort(key=lambda pair: pair[0], reverse=ties == "item")
    return sorted(pairs, key=lambda pair: -pair[1])


def ranks(rows: List, ties: str) -> list[int]:
    if ties != "shared":
        return list(range(1, len(rows) + 1))
    return [1 + sum(other > score for _, other in rows) for _, score in rows]


def flat_value(flat: str, score: float) -> float:
    return score if flat == "raw" else float(score > 0) if flat == "sign" else float(flat)


def normalised(rows: List, norm: str, candidates: int, flat: str | None, sd: str, floor: float) -> list[float]:
    scores, n = [score for _, score in rows], len(rows)
    if norm == "none":
        return scores
    if norm == "rank":
        return [1 - (rank - 1) / n for rank in range(1, n + 1)]
    if norm == "borda":
        return [1 - (rank - 1) / candidates for rank in range(1, n + 1)]
    each = {
        "arctan": lambda s: 0.5 + math.atan(s) / math.pi,
        "arctan-positive": lambda s: 2 * math.atan(s) / math.pi,
        "arctan-distance": lambda s: 1 - 2 * math.atan(s) / math.pi,
        "cosine": lambda s: (1 + s) / 2,
    }
    if norm in each:
        return list(map(each[norm], scores))
    if norm == "max":
        return [score / (max(*scores, floor) or 1) for score in scores]
    if norm == "l2":
        return [score / (max(math.sqrt(sum(s * s for s in scores)), floor) or 1) for score in scores]
    if max(scores) == min(scores):
        usual = {"min-max": "1", "min-max-inverted": "1", "sum": "1", "z-score": "0", "deviation": "0.5"}[norm]
        return [flat_value(flat or usual, score) for score in scores]
    low, high, mean = min(scores), max(scores), sum(scores) / n
    deviation = math.sqrt(sum((s - mean) ** 2 for s in scores) / (n - (sd == "sample")))
    if norm == "min-max":
        return [(score - low) / max(high - low, floor) for score in scores]
    if norm == "min-max-inverted":
        return [(high - score) / max(high - low, floor) for score in scores]
    if norm == "sum":
        return [(score - low) / max(sum(s - low for s in scores), floor) for score in scores]
    if norm == "z-score":
        return [(score - mean) / max(deviation, floor) for score in scores]
    return [(score - (mean - 3 * deviation)) / max(6 * deviation, floor) for score in scores]


def fused(lists: list[List], how: str, *, norm: str, missing: str, weights: list[float], k: float = 60, first: int = 1,
          gamma: float = 1, sigma: float = 0.01, phi: float = 0.8, ties: str = "item", flat: str | None = None,
          sd: str = "population", floor: float = 0) -> dict[str, float]:  # fmt: skip
    """The fused score of every item of one query."""
    candidates = list(dict.fromkeys(item for rows in lists for item, _ in rows))
    rank_of = [dict(zip([item for item, _ in rows], ranks(rows, ties), strict=True)) for rows in lists]
    values = []
    for rows in lists:
        made = normalised(rows, norm, len(candidates), flat, sd, floor) if rows else []
        value = dict(zip([item for item, _ in rows], made, strict=True))
        for item in candidates:
            if item not in value and norm == "borda":
                value[item] = 0.5 - (len(rows) - 1) / (2 * len(candidates))
            elif item not in value and missing != "nothing":
                value[item] = 0.0 if missing == "zero" or not made else min(made)
        values.append(value)
    result = {}
    for item in candidates:
        here = [run for run, of_run in enumerate(rank_of) if item in of_run]
        r = [rank_of[run][item] for run in here]
        m = len(lists) if norm == "borda" else len(here)
        w = [weights[run] for run in here]
        having = [run for run, of_run in enumerate(values) if item in of_run]
        s, v = [values[run][item] for run in having], [weights[run] for run in having]
        result[item] = _score(how, r, m, w, s, v, lists, rank_of, item, len(candidates), weights,
                              k, first, gamma, sigma, phi)  # fmt: skip
    return result


def _score(  # noqa: C901, PLR0912
    how, r, m, w, s, v, lists, rank_of, item, c, weights, k, first, gamma, sigma, phi
):
    if how == "rrf":
        return sum(weight / (k + rank - 1 + first) for weight, rank in zip(w, r, strict=True))
    if how == "isr":
        return m * sum(weight / rank**2 for weight, rank in zip(w, r, strict=True))
    if how == "log_isr":
        return math.log(m) * sum(1 / rank**2 for rank in r)
    if how == "logn_isr":
        return math.log(m + sigma) * sum(1 / rank**2 for rank in r)
    if how == "rbc":
        return sum(weight * (1 - phi) * phi ** (rank - 1) for weight, rank in zip(w, r, strict=True))
    if how in ("bordafuse", "w_bordafuse"):
        points = 0.0
        for rows, of_run, weight in zip(lists, rank_of, weights, strict=True):
            points += weight * (c - of_run[item] + 1 if item in of_run else (c - len(rows) + 1) / 2)
        return points
    if how in ("min", "max"):
        return {"min": min, "max": max}[how](s)
    if how == "med":
        return median(s)
    if how == "anz":
        return sum(s) / len(s)
    if how in ("sum", "mnz", "gmnz"):
        return sum(s) * {"sum": 1, "mnz": m, "gmnz": m**gamma}[how]
    weighted = sum(weight * value for weight, value in zip(v, s, strict=True))
    if how == "wsum":
        return weighted
    if how == "wmnz":
        return sum(s) * sum(v)
    if how == "mixed":
        return math.sqrt(m) * weighted
    if how == "arithmetic":
        return weighted / sum(v)
    above = [(weight, value) for weight, value in zip(v, s, strict=True) if value > 0]
    if not above:
        return 0.0
    total = sum(weight for weight, _ in above)
    if how == "geometric":
        return math.exp(sum(weight * math.log(value) for weight, value in above) / total)
    assert how == "harmonic"
    return total / sum(weight / value for weight, value in above)


def majority_order(lists: list[List], weights: list[float]) -> list[str]:
    """Items where each one beats all that follow it, if there is such an order; else an error."""
    candidates = list(dict.fromkeys(item for rows in lists for item, _ in rows))
    places = [{item: place for place, (item, _) in enumerate(rows)} for rows in lists]

    def wins(one: str, other: str) -> float:
        return sum(
            weight
            for of_run, weight in zip(places, weights, strict=True)
            if one in of_run and (other not in of_run or of_run[one] < of_run[other])
        )

    order: list[str] = []
    while len(order) < len(candidates):
        left = [item for item in candidates if item not in order]
        order.append(next(x for x in left if all(wins(x, y) > wins(y, x) for y in left if y != x)))
    return order
