"""Tables of which it is known whether they are true: measured on made-up ranks in plain Python, or with a planted slip.

``python -m tests.wings.results.made_tables`` audits 10,000 true tables and 1,000 with an impossible cell, and prints
how many alarms were false and how many slips were missed.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections import Counter
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

import rankmeter as rm

ROUNDINGS = {
    ROUND_HALF_UP: "nearest",
    ROUND_HALF_EVEN: "nearest",
    ROUND_HALF_DOWN: "nearest",
    ROUND_DOWN: "down",
    ROUND_CEILING: "up",
}
SIZES = (23, 50, 200, 943)
NAMES = ["HR", "R", "P", "NDCG", "MRR", "MAP", "F1"]


class Query(NamedTuple):
    ranks: list[int]
    """Of its relevant items."""


class Made(NamedTuple):
    rows: list[list[str]]
    options: dict[str, Any]
    rounding: str
    queries: int


def value(name: str, k: int, query: Query) -> float:
    """One measure of one query, by its formula."""
    relevant, hits = len(query.ranks), sorted(rank for rank in query.ranks if rank <= k)
    if not relevant:
        return 0.0
    if name == "HR":
        return float(bool(hits))
    if name == "MRR":
        return 1 / hits[0] if hits else 0.0
    precision, recall = len(hits) / k, len(hits) / relevant
    if name == "P":
        return precision
    if name == "R":
        return recall
    if name == "F1":
        return 2 * precision * recall / (precision + recall) if hits else 0.0
    if name == "MAP":
        return sum((number + 1) / rank for number, rank in enumerate(hits)) / relevant
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(relevant, k) + 1))
    return sum(1 / math.log2(rank + 1) for rank in hits) / ideal


def printed(number: float, digits: int, rounding: str, percent: str) -> str:
    """As it would stand in a table."""
    scaled = Decimal(repr(number)) * (100 if percent else 1)
    # What a float cannot hold is not what was measured: 0.30000000000000004 is 0.3.
    return str(round(scaled, 12).quantize(Decimal(1).scaleb(-digits), rounding=rounding)) + (
        percent if percent == "%" else ""
    )


def mean_of_folds(values: list[float], folds: int) -> float:
    parts = [values[start::folds] for start in range(folds)]
    return math.fsum(math.fsum(part) / len(part) for part in parts) / folds


def true_table(draw: random.Random) -> Made:
    """A table as somebody may publish it."""
    one = draw.random() < 0.5
    queries, catalogue = draw.choice([7, 23, 50, 200, 943]), draw.choice([30, 101, 1000])
    runs, folds = draw.choice([(1, 1), (1, 1), (1, 1), (3, 1), (1, 5)])
    rounding, digits = draw.choice(list(ROUNDINGS)), draw.choice([2, 3, 4, 5])
    percent = draw.choice(["", "", "%"])
    digits -= 1 if percent else 0
    ks = sorted(draw.sample([1, 3, 5, 10, 20], draw.choice([1, 2, 3])))
    asked = [(name, k) for name in draw.sample(NAMES, draw.choice([2, 3, 4])) for k in ks]
    systems = draw.choice([1, 2, 3])
    rows = [["model", *(f"{name}@{k}" for name, k in asked)]]
    exact: list[list[float]] = []
    empty = 0.0 if one else draw.choice([0.0, 0.2])
    needs = [0 if draw.random() < empty else 1 if one else draw.randint(1, 12) for _ in range(queries)]
    for system in range(systems):
        skill = draw.uniform(0.3, 3)
        values: dict[tuple[str, int], list[float]] = {ask: [] for ask in asked}
        for _ in range(runs):
            lists = [Query(_ranks(draw, need, catalogue, skill)) for need in needs]
            for ask in asked:
                values[ask].append(mean_of_folds([value(*ask, query) for query in lists], folds))
        exact.append([math.fsum(values[ask]) / runs for ask in asked])
        rows.append([f"s{system}", *(printed(number, digits, rounding, percent) for number in exact[-1])])
    if systems > 1 and draw.random() < 0.3 and all(min(row) > 0 for row in exact):
        rows.append(["Improv. (%)", *_gains(exact, rounding)])
    if draw.random() < 0.3:
        rows[0].append("Avg")
        for row, own in zip(rows[1:], exact, strict=False):
            row.append(printed(math.fsum(own) / len(own), digits, rounding, percent))
        for row in rows[len(exact) + 1 :]:
            row.append("-")
    options: dict[str, Any] = {"runs": runs, "folds": folds}
    if draw.random() < 0.8:
        options["queries"] = queries
    if one and draw.random() < 0.5:
        options["relevant"] = "one"
    return Made(rows, options, ROUNDINGS[rounding], queries)


def _ranks(draw: random.Random, need: int, catalogue: int, skill: float) -> list[int]:
    found: set[int] = set()
    while len(found) < need:
        found.add(1 + int(catalogue * draw.random() ** (1 + skill)))
    return sorted(found)


def _gains(exact: list[list[float]], rounding: str) -> list[str]:
    *others, own = exact
    best = [max(values) for values in zip(*others, strict=True)]
    return [printed(100 * (new - old) / old, 2, rounding, "") for new, old in zip(own, best, strict=True)]


def planted_table(draw: random.Random, slip: str) -> Made:
    """A true table, rounded to 4 digits, with one cell that cannot be."""
    one = slip == "one"
    queries = draw.choice(SIZES)
    asked = [("HR", 5), ("HR", 10), ("R", 10), ("P", 10), ("NDCG", 10), ("MRR", 10), ("F1", 10)]
    exact = []
    while not exact or min(exact[0]) < 0.005 or exact[0][1] - exact[0][0] < 0.01 or exact[0][1] > 0.95:
        skill = draw.uniform(0.5, 2)
        exact = []
        for _ in range(2):
            lists = [Query(_ranks(draw, 1 if one else draw.randint(1, 12), 101, skill)) for _ in range(queries)]
            exact.append([math.fsum(value(*ask, query) for query in lists) / queries for ask in asked])
    rows = [["model", *(f"{name}@{k}" for name, k in asked)]]
    rows += [[f"s{at}", *(f"{number:.4f}" for number in own)] for at, own in enumerate(exact)]
    _PLANT[slip](draw, rows, exact)
    return Made(rows, {"queries": queries, **({"relevant": "one"} if one else {})}, "nearest", queries)


Exact = list[list[float]]
Rows = list[list[str]]


def _cell(
    at: int, number: Callable[[random.Random, list[float]], float]
) -> Callable[[random.Random, Rows, Exact], None]:
    """Write another number into a column of the first system."""

    def plant(draw: random.Random, rows: Rows, exact: Exact) -> None:
        rows[1][at] = f"{number(draw, exact[0]):.4f}"

    return plant


def _steps(draw: random.Random, rows: Rows, exact: Exact) -> None:
    rows[1][2] = _not_a_share(draw, next(n for n in SIZES if _are_shares(exact, n)))


def _are_shares(exact: Exact, queries: int) -> bool:
    return all(abs(own[0] * queries - round(own[0] * queries)) < 1e-6 for own in exact)


def _order(_: random.Random, rows: Rows, __: Exact) -> None:
    rows[1][1], rows[1][2] = rows[1][2], rows[1][1]


def _average(_: random.Random, rows: Rows, __: Exact) -> None:
    for number, row in enumerate(rows[1:]):
        cells = [float(cell) for cell in row[1:]]
        row.append(f"{sum(cells) / len(cells) + (0 if number else 0.0012):.4f}")
    rows[0].append("Avg")


def _gain(draw: random.Random, rows: Rows, exact: Exact) -> None:
    gains = [100 * (new - old) / old for old, new in zip(*exact, strict=True)]
    rows.append(["Improv.", *(f"{gain:.2f}" for gain in gains)])
    rows[3][5] = f"{gains[4] + draw.choice([-1, 1]) * draw.uniform(4, 9):.2f}"


def _bold(_: random.Random, rows: Rows, exact: Exact) -> None:
    worse = 1 if exact[0][4] < exact[1][4] else 2
    if rows[1][5] == rows[2][5]:
        rows[3 - worse][5] = f"{exact[2 - worse][4] + 0.01:.4f}"
    rows[worse][5] = f"**{rows[worse][5]}**"


def _f1(draw: random.Random, own: list[float]) -> float:
    return 2 * own[3] * own[2] / (own[3] + own[2]) + draw.uniform(0.0006, 0.02)


_PLANT: dict[str, Callable[[random.Random, Rows, Exact], None]] = {
    "steps": _steps,
    "order": _order,
    "ndcg": _cell(5, lambda draw, own: min(own[1] + draw.uniform(0.0004, 0.03), 1)),
    "recall": _cell(3, lambda draw, own: min(own[1] + draw.uniform(0.0004, 0.03), 1)),
    "rr": _cell(6, lambda draw, own: own[1] + draw.uniform(0.0004, 0.03)),
    "rr_low": _cell(6, lambda draw, own: max(own[1] / 10 - draw.uniform(0.0004, 0.01), 0)),
    "precision": _cell(4, lambda draw, own: draw.choice([max(own[1] / 10 - 0.0004, 0), own[1] + 0.0004])),
    "one": _cell(5, lambda draw, own: own[5] - draw.uniform(0.0004, 0.01)),
    "f1": _cell(7, _f1),
    "outside": _cell(5, lambda draw, _: draw.uniform(1.001, 1.9)),
    "average": _average,
    "gain": _gain,
    "bold": _bold,
}
SLIPS = tuple(_PLANT)


def _not_a_share(draw: random.Random, queries: int) -> str:
    """Four digits that no share of the queries is printed as, rounded in any of the five ways."""
    while True:
        text = f"{draw.uniform(0.3, 0.6):.4f}"
        shares = (Decimal(hits) / queries for hits in range(queries + 1))
        near = (share for share in shares if abs(share - Decimal(text)) < Decimal("0.0002"))
        if all(str(share.quantize(Decimal("0.0001"), rounding)) != text for share in near for rounding in ROUNDINGS):
            return text


def false_alarms(made: Made) -> list[str]:
    """What an audit of a true table says that is not so."""
    checked = rm.audit(made.rows, **made.options)
    wrong = [str(finding.reason) for finding in checked.of_kind("impossible")]
    rounded = f"audit_round_{made.rounding}"
    findings = checked.of_kind("only_if")
    return wrong + [str(one.reason) for one in findings if rounded not in {way.kind for way in one.ways}]


def is_found(made: Made, slip: str) -> bool:
    """Whether an audit finds the planted cell: impossible, or only under the one definition that allows it."""
    checked = rm.audit(made.rows, **made.options)
    allowed = {"rr": "audit_way_rr_hits", "one": "audit_way_ndcg_full"}.get(slip)
    ways = {way.kind for finding in checked.of_kind("only_if") for way in finding.ways}
    return bool(checked.of_kind("impossible")) or allowed in ways


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--true", type=int, default=10_000)
    parser.add_argument("--planted", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    start = time.process_time()
    alarms = 0
    for number in range(asked.true):
        made = true_table(random.Random(f"{asked.seed} true {number}"))
        if wrong := false_alarms(made):
            alarms += 1
            print(number, made.rounding, made.options, *made.rows, *wrong, sep="\n  ")
    missed: Counter[str] = Counter()
    for number in range(asked.planted):
        slip = SLIPS[number % len(SLIPS)]
        made = planted_table(random.Random(f"{asked.seed} planted {number}"), slip)
        if not is_found(made, slip):
            missed[slip] += 1
            print(number, slip, made.options, *made.rows, sep="\n  ")
    took = time.process_time() - start
    print(f"{alarms} of {asked.true} true tables alarm falsely")
    print(f"{missed.total()} of {asked.planted} planted cells are missed")
    print(f"CPU time {took:.0f} s")


if __name__ == "__main__":
    main()
