"""What is possible together: claims as linear functions of how many queries have their first hit at each rank.

Of n queries, x_r have their first relevant item at rank r and y_r have a relevant item there. With one relevant item a
query, every usual measure is a linear function of the x; with several, those that are not are variables of their own,
between the bounds that hold for every query. A set of claims is impossible if no x (whole numbers, where n is known)
give values that are printed like them. With many ranks or queries the counts may be fractions, which can only make more
possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from rankmeter.frozen import dataclass
from rankmeter.late import optimize
from rankmeter.wings.results.printed import PrintedClaim, Rounding

Relevant = Literal["one", "many"]
SLACK = 2e-7
"""How far a value may be off before it is rounded: that of 32-bit floats."""
MOST_COUNTED = 100_000
"""With more queries than this, counts may be fractions."""
DEEPEST_COUNTED = 100
"""With more ranks than this, too."""
SECONDS = 5.0
"""After this long a set of claims counts as possible."""
JOINED = ("hit", "recall", "precision", "ndcg", "rr", "ap", "f1")


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known, or assumed, of how the numbers were made."""

    queries: int | None = None
    relevant: Relevant = "many"
    candidates: int | None = None
    runs: int = 1
    """Over how many runs with the same queries the numbers are means."""
    folds: int = 1
    rounding: Rounding = "nearest"
    recall: Literal["relevant", "capped"] = "relevant"
    ap: Literal["relevant", "capped", "hits"] = "relevant"
    precision: Literal["k", "list"] = "k"
    rr: Literal["all", "hits"] = "all"
    """``hits``: the mean is over the queries with a hit."""
    ndcg: Literal["judged", "full"] = "judged"
    """``full``: the ideal has k hits, however many items are relevant."""

    @property
    def counted(self) -> int | None:
        """How many lists the numbers are means of; None where it is not known, or they are means of means."""
        return self.queries * self.runs if self.queries is not None and self.folds == 1 else None


def granules(claim: PrintedClaim, setting: Setting) -> int | None:
    """How many equal steps there are between 0 and 1; None where there are more than whole queries."""
    if setting.counted is None:
        return None
    if claim.kind == "hit" or (claim.k == 1 and claim.kind in ("precision", "rr")):
        return setting.counted
    if claim.kind == "precision" and claim.k and setting.precision == "k":
        return setting.counted * claim.k
    if setting.relevant == "one" and (claim.kind == "recall" or (claim.k == 1 and claim.kind in ("ndcg", "ap", "f1"))):
        return setting.counted
    return None


def is_in_steps(claim: PrintedClaim, setting: Setting) -> bool:
    """Whether a whole number of steps is printed like this.

    >>> from rankmeter.wings.results.printed import claim
    >>> [is_in_steps(claim("HR@10", text), Setting(queries=943)) for text in ("0.3571", "0.3574")]
    [False, True]
    """
    low, high = claim.span(setting.rounding)
    low, high = low - SLACK, high + SLACK
    if setting.folds > 1 and setting.queries is not None and claim.kind == "hit":
        return _is_mean_of_folds(low, high, setting.queries, setting.folds)
    steps = granules(claim, setting)
    return steps is None or math.ceil(low * steps) <= math.floor(high * steps)


def _is_mean_of_folds(low: float, high: float, queries: int, folds: int) -> bool:
    """Whether the mean of the shares of folds, as equal as they can be, may lie there."""
    size, larger = divmod(queries, folds)
    if size == 0:
        return True
    hits = np.arange(larger * (size + 1) + 1) / (size + 1)
    least = np.ceil((low * folds - hits) * size)
    most = np.minimum(np.floor((high * folds - hits) * size), (folds - larger) * size)
    return bool((np.maximum(least, 0) <= most).any())


def possible_queries(claims: Sequence[PrintedClaim], setting: Setting, most: int) -> np.ndarray:
    """The numbers of queries, up to ``most``, of which every claim is a whole share."""
    numbers = np.arange(1, most + 1)
    fits = np.ones(most, np.bool_)
    for claim in claims:
        probe = granules(claim, Setting(queries=1, relevant=setting.relevant))
        if probe is None:
            continue
        low, high = claim.span(setting.rounding)
        steps = numbers * (probe * setting.runs)
        fits &= np.ceil((low - SLACK) * steps) <= np.floor((high + SLACK) * steps)
    return numbers[fits]


class _Rows:
    """Constraints that are being gathered: low <= coefficients . variables <= high."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, int, float]] = []
        self.low: list[float] = []
        self.high: list[float] = []

    def add(self, coefficients: dict[int, float], low: float, high: float) -> None:
        row = len(self.low)
        self.entries += [(row, column, value) for column, value in coefficients.items() if value]
        self.low.append(low)
        self.high.append(high)


class ClaimProgram:
    """The counts that a set of claims allows."""

    def __init__(self, claims: Sequence[PrintedClaim], setting: Setting) -> None:
        self.setting = setting
        self.claims = [claim for claim in claims if claim.kind in JOINED]
        self.depth = max([claim.k or 0 for claim in self.claims] or [0])
        if setting.candidates is not None:
            self.depth = min(self.depth, setting.candidates)
        whole = setting.counted
        self.is_whole = whole is not None and whole <= MOST_COUNTED and self.depth <= DEEPEST_COUNTED
        self.lists = float(whole) if self.is_whole and whole is not None else 1.0
        self.rows = _Rows()
        self.has_places = setting.relevant == "many" and any(c.kind in ("precision", "f1") for c in self.claims)
        self.size = self._counts
        self.values = [self._value(claim) for claim in self.claims]
        self._frame()
        self._link()

    @property
    def _counts(self) -> int:
        """How many variables are counts."""
        return self.depth * (2 if self.has_places else 1)

    def _first(self, rank: int) -> int:
        return rank - 1

    def _place(self, rank: int) -> int:
        return self.depth + rank - 1 if self.has_places else rank - 1

    def _variable(self) -> int:
        self.size += 1
        return self.size - 1

    def _hits(self, k: int | None) -> dict[int, float]:
        return {self._first(rank): 1.0 for rank in self._ranks(k)}

    def _ranks(self, k: int | None) -> range:
        return range(1, min(k or self.depth, self.depth) + 1)

    def _value(self, claim: PrintedClaim) -> dict[int, float]:
        """What is claimed, times the number of lists, as a linear function."""
        ranks, kind, k = self._ranks(claim.k), claim.kind, claim.k
        if kind == "hit" and k:
            return self._hits(k)
        if kind == "rr":
            return self._with_tail({self._first(r): 1 / r for r in ranks}, k, 1 / (self.depth + 1))
        if kind == "precision" and k and (self.setting.relevant == "one" or self.setting.precision == "k"):
            return {self._place(r): 1 / k for r in ranks}
        if self.setting.relevant == "one" and kind != "precision":
            return self._of_one(kind, k, ranks)
        return {self._variable(): 1.0}

    def _of_one(self, kind: str, k: int | None, ranks: range) -> dict[int, float]:
        """Where a query has one relevant item, at rank r."""
        if kind == "ap":
            return self._with_tail({self._first(r): 1 / r for r in ranks}, k, 1 / (self.depth + 1))
        if kind == "ndcg":
            ideal = sum(map(_discount, range(1, k + 1))) if k and self.setting.ndcg == "full" else 1.0
            return self._with_tail({self._first(r): _discount(r) / ideal for r in ranks}, k, _discount(self.depth + 1))
        if kind == "recall" and k:
            return self._hits(k)
        if kind == "f1" and k:
            return {self._first(r): 2 / (k + 1) for r in ranks}
        return {self._variable(): 1.0}

    def _with_tail(self, value: dict[int, float], k: int | None, most: float) -> dict[int, float]:
        """Without a cutoff the queries whose first hit lies deeper add something."""
        if k is not None:
            return value
        tail = self._variable()
        self.rows.add({tail: 1.0, **dict.fromkeys(self._hits(None), most)}, -math.inf, most * self.lists)
        return {**value, tail: 1.0}

    def _frame(self) -> None:
        """No more first hits than lists; a hit at a rank means a first hit there or before."""
        if self.depth:
            whole = self.setting.candidates is not None and self.setting.candidates <= self.depth
            low = self.lists if whole and self.setting.relevant == "one" else 0.0
            self.rows.add(self._hits(None), low, self.lists)
        if self.has_places:
            for rank in range(1, self.depth + 1):
                self.rows.add({self._place(rank): 1.0, self._first(rank): -1.0}, 0.0, math.inf)
                self.rows.add({**self._hits(rank), self._place(rank): -1.0}, 0.0, math.inf)

    def _link(self) -> None:
        """What holds for every query between the measures that are not sums over ranks."""
        own = {
            number: next(iter(value))
            for number, (claim, value) in enumerate(zip(self.claims, self.values, strict=True))
            if len(value) == 1 and next(iter(value)) >= self._counts
        }
        for number, column in own.items():
            claim = self.claims[number]
            self.rows.add({column: 1.0}, 0.0, self.lists)
            for most in self._at_most(claim):
                self.rows.add({column: -1.0, **most}, 0.0, math.inf)
            if least := self._at_least(claim):
                self.rows.add({column: 1.0, **{key: -value for key, value in least.items()}}, 0.0, math.inf)
            for other, beside in own.items():
                self._ordered(claim, column, self.claims[other], beside)

    def _at_most(self, claim: PrintedClaim) -> list[dict[int, float]]:
        """What a measure does not exceed, in counts."""
        k, kind = claim.k, claim.kind
        if not k:
            return []
        ranks = self._ranks(k)
        if kind == "ndcg" and self.setting.ndcg == "judged":
            return [{self._first(r): _best_ndcg(r, k) for r in ranks}]
        if kind == "ap":
            return [{self._first(r): _best_ap(r, k) for r in ranks}]
        # The harmonic mean of two numbers is at most twice the smaller, and recall at most the number of hits.
        share = {"recall": 1.0, "f1": 2 / k}.get(kind)
        found = [{self._place(r): share for r in ranks}] if self.has_places and share else []
        return [self._hits(k), *found]

    def _at_least(self, claim: PrintedClaim) -> dict[int, float]:
        """What a measure does not fall below, in counts."""
        k, kind = claim.k, claim.kind
        if not k:
            return {}
        if kind == "ndcg":
            ideal = sum(map(_discount, range(1, k + 1)))
            return {self._place(r): _discount(r) / ideal for r in self._ranks(k)}
        if kind == "ap" and self.setting.ap != "relevant":
            return {self._first(r): 1 / r / k for r in self._ranks(k)}
        if kind == "precision" or (kind == "recall" and self.setting.recall == "capped"):
            return {self._place(r): 1 / k for r in self._ranks(k)}
        return {}

    def _ordered(self, claim: PrintedClaim, column: int, other: PrintedClaim, beside: int) -> None:
        """Order in k, and between measures of one depth."""
        if claim is other or claim.k is None or other.k is None:
            return
        if claim.kind == other.kind and claim.k < other.k:
            norm = {"recall": self.setting.recall, "ap": self.setting.ap}.get(claim.kind)
            if norm == "relevant":
                self.rows.add({beside: 1.0, column: -1.0}, 0.0, math.inf)
        same_norm = self.setting.ap == self.setting.recall
        if claim.kind == "ap" and other.kind == "recall" and claim.k == other.k and same_norm:
            self.rows.add({beside: 1.0, column: -1.0}, 0.0, math.inf)
        if claim.kind == "f1" and other.kind == "recall" and claim.k == other.k:
            self.rows.add({beside: 2.0, column: -1.0}, 0.0, math.inf)

    def _claimed(self, numbers: Sequence[int]) -> Iterator[tuple[dict[int, float], float, float]]:
        for number in numbers:
            claim, value = self.claims[number], self.values[number]
            low, high = claim.span(self.setting.rounding)
            low, high = max(low - SLACK, 0.0), high + SLACK
            if claim.kind == "rr" and self.setting.rr == "hits":
                hits = self._hits(claim.k)
                yield {c: v - low * hits.get(c, 0.0) for c, v in value.items()}, 0.0, math.inf
                yield {c: v - high * hits.get(c, 0.0) for c, v in value.items()}, -math.inf, 0.0
            elif self.is_whole and (claim.kind == "hit" or set(value.values()) == {1.0}) and max(value) < self._counts:
                yield value, float(math.ceil(low * self.lists)), float(math.floor(high * self.lists))
            else:
                yield value, low * self.lists, high * self.lists

    def _solved(self, numbers: Sequence[int], goal: dict[int, float], *, whole: bool = True) -> tuple[int, float]:
        from scipy import sparse

        rows = _Rows()
        rows.entries, rows.low, rows.high = list(self.rows.entries), list(self.rows.low), list(self.rows.high)
        for coefficients, low, high in self._claimed(numbers):
            rows.add(coefficients, low, high)
        if not rows.low:
            return 0, 0.0
        at, columns, entries = zip(*rows.entries, strict=True) if rows.entries else ((), (), ())
        matrix = sparse.csc_array((entries, (at, columns)), shape=(len(rows.low), max(self.size, 1)))
        # Before SciPy 1.12 the solver took no other indices.
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
        objective = np.zeros(max(self.size, 1))
        for column, weight in goal.items():
            objective[column] = weight
        counts = np.zeros(len(objective))
        if self.is_whole and whole:
            counts[: self._counts] = 1
        solved = optimize.milp(
            objective,
            constraints=optimize.LinearConstraint(matrix, rows.low, rows.high),
            bounds=optimize.Bounds(0, self.lists),
            integrality=counts,
            options={"time_limit": SECONDS, "mip_rel_gap": 0.0},
        )
        return int(solved.status), float("nan") if solved.fun is None else float(solved.fun)

    def is_possible(self, claims: Sequence[PrintedClaim] | None = None) -> bool:
        """Whether there are counts that give these claims, or all of them."""
        numbers = self._numbers(self.claims if claims is None else claims)
        return self._solved(numbers, {}, whole=False)[0] != 2 and self._solved(numbers, {})[0] != 2

    def _numbers(self, claims: Sequence[PrintedClaim]) -> list[int]:
        return [number for number, claim in enumerate(self.claims) if claim in claims]

    def ends(self, claim: PrintedClaim, given: Sequence[PrintedClaim]) -> tuple[float, float]:
        """The least and the greatest value of a claim that others leave it."""
        (number,) = self._numbers([claim])
        value = self.values[number]
        numbers = self._numbers([other for other in given if other is not claim])
        least = self._solved(numbers, value)[1]
        most = self._solved(numbers, {column: -weight for column, weight in value.items()})[1]
        return least / self.lists, -most / self.lists

    def smallest_conflict(self) -> tuple[PrintedClaim, ...]:
        """The fewest claims that are impossible together; none where all are possible."""
        if self.is_possible():
            return ()
        kept = list(self.claims)
        for claim in list(kept):
            without = [other for other in kept if other is not claim]
            if not self.is_possible(without):
                kept = without
        return self._fewer(len(kept)) or tuple(kept)

    def _fewer(self, size: int) -> tuple[PrintedClaim, ...]:
        for fewer in range(1, min(size, 4)):
            for chosen in combinations(self.claims, fewer):
                if not self.is_possible(chosen):
                    return chosen
        return ()


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _best_ndcg(first: int, k: int) -> float:
    """The highest nDCG@k of a list whose first hit stands at a rank: hits from there on, and no other relevant item."""
    found = sum(map(_discount, range(first, k + 1)))
    return found / sum(map(_discount, range(1, k - first + 2)))


def _best_ap(first: int, k: int) -> float:
    """The highest AP@k of such a list."""
    hits = k - first + 1
    return sum(number / (first + number - 1) for number in range(1, hits + 1)) / hits
