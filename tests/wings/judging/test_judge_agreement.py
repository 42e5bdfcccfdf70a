"""Coefficients of agreement: published values, other packages' recorded values, and a slow second implementation."""

from __future__ import annotations

import itertools
import json
import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankmeter.wings.judging import judge_agreement
from rankmeter.wings.judging.judge_agreement import GAP, OF_MANY, OF_TWO, Grades, jackknifed, kappa_from

RECORDED = json.loads((Path(__file__).parent / "judging.json").read_text("utf-8"))
PANEL = """
1 2 3 3 2 1 4 1 2 - - -
1 2 3 3 2 2 4 1 2 5 - 3
- 3 3 3 2 3 4 2 2 5 1 -
1 2 3 3 2 4 4 1 2 5 1 -
"""
"""Krippendorff 2011: a row per judge, a column per unit."""
PEOPLE = "32001 00010 22100 33210 01000 10200"
MACHINE = "33112 00010 33210 33211 00000 11200"
"""Six queries of five items, scale 0..3."""


def grades(rows, size, *, query=None, lowest=0) -> Grades:
    codes = np.array(rows, np.int16)
    query = np.arange(codes.shape[1]) if query is None else np.asarray(query)
    return Grades(codes, query, np.arange(lowest, lowest + size, dtype=float))


def panel() -> Grades:
    rows = [[GAP if cell == "-" else int(cell) - 1 for cell in row.split()] for row in PANEL.split("\n") if row]
    return grades(rows, 5, lowest=1)


def two_judges() -> Grades:
    rows = [[int(grade) for grade in text.replace(" ", "")] for text in (PEOPLE, MACHINE)]
    return grades(rows, 4, query=np.repeat(np.arange(6), 5))


def of_table(table) -> Grades:
    """Two judges from a table of counts, all in one query."""
    pairs = [(row, column) for row in range(2) for column in range(2) for _ in range(table[row][column])]
    return grades(list(zip(*pairs, strict=True)), 2, query=np.zeros(len(pairs), np.int64))


def value(name, given, **options) -> float:
    return jackknifed(given, {name: {**OF_MANY, **OF_TWO}[name]}, **options)[0][name].value


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alpha_nominal", 0.743421), ("alpha_ordinal", 0.815388), ("alpha_interval", 0.849107), ("ac1", 0.775444),
        ("ac2_linear", 0.858739), ("ac2_quadratic", 0.914001), ("fleiss", 0.761169), ("brennan_prediger", 0.772727),
    ],
)  # fmt: skip
def test_values_of_krippendorffs_panel(name, expected):
    assert value(name, panel(), singles=True) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("name", "expected", "error", "low", "high"),
    [
        ("kappa", 0.469453, 0.179018, 0.0093, 0.9296),
        ("kappa_linear", 0.691589, 0.105841, 0.4195, 0.9637),
        ("kappa_quadratic", 0.852018, 0.053370, 0.7148, 0.9892),
        ("ac1", 0.525294, 0.190941, 0.0345, 1.0161),
        ("ac2_quadratic", 0.881053, 0.064332, 0.7157, 1.0464),
        ("alpha_ordinal", 0.803992, 0.046176, 0.6853, 0.9227),
        ("alpha_interval", 0.851793, 0.055438, 0.7093, 0.9943),
        ("bias", 0.3, 0.169312, -0.1352, 0.7352),
        ("absolute_error", 0.366667, 0.140633, 0.0052, 0.7282),
    ],
)
@pytest.mark.parametrize("by", ["query", "item"])
def test_values_and_errors_of_two_judges(name, expected, error, low, high, by):
    given = two_judges()
    if by == "item":  # narrower than by query for most: errors come in clumps
        given = Grades(given.codes, np.arange(30), given.scale)
        error = {
            "kappa": 0.123816, "kappa_linear": 0.082851, "kappa_quadratic": 0.047263, "ac1": 0.118914,
            "ac2_quadratic": 0.037274, "alpha_ordinal": 0.078016, "alpha_interval": 0.048645, "bias": 0.097674,
            "absolute_error": 0.089486,
        }[name]  # fmt: skip
    one = jackknifed(given, {name: {**OF_MANY, **OF_TWO}[name]}, fewest=2)[0][name]
    assert one.value == pytest.approx(expected, abs=5e-7)
    assert one.error == pytest.approx(error, abs=5e-7)
    if by == "query":
        assert (one.low, one.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("agreement", 0.633333), ("within_one", 1.0), ("pearson", 0.888759), ("spearman", 0.843498),
        ("tau_b", 0.785346), ("alpha_nominal", 0.471928), ("fleiss", 0.462978), ("ac2_linear", 0.739371),
    ],
)  # fmt: skip
def test_further_values_of_two_judges(name, expected):
    assert value(name, two_judges()) == pytest.approx(expected, abs=5e-7)


def test_confusion_and_kappas_from_a_grade_up():
    _, counts = jackknifed(two_judges(), OF_TWO)
    assert counts.confusion.tolist() == [[11, 5, 0, 0], [1, 3, 2, 0], [0, 0, 2, 3], [0, 0, 0, 3]]
    from_one, from_two = (float(kappa_from(counts, place)) for place in (1, 2))
    assert (from_one, from_two) == pytest.approx((0.605263, 0.842105), abs=5e-7)


@pytest.mark.parametrize(
    ("table", "agree", "kappa", "ac1", "alpha", "pabak"),
    [
        ([[40, 9], [6, 45]], 0.85, 0.6995, 0.7007, 0.7008, 0.70),
        ([[80, 10], [5, 5]], 0.85, 0.3182, 0.8080, 0.3177, 0.70),
        ([[45, 15], [25, 15]], 0.60, 0.1304, 0.2661, 0.1253, 0.20),
        ([[25, 35], [5, 35]], 0.60, 0.2593, 0.2079, 0.1960, 0.20),
    ],
)
def test_prevalence_and_unlike_margins(table, agree, kappa, ac1, alpha, pabak):
    given = of_table(table)
    names = ("agreement", "kappa", "ac1", "alpha_nominal", "brennan_prediger")
    assert [value(name, given) for name in names] == pytest.approx([agree, kappa, ac1, alpha, pabak], abs=5e-5)


def test_a_grade_nobody_gave_is_still_on_the_scale():
    rows = [[int(grade) for grade in text] for text in ("00113301", "01133300")]
    given = grades(rows, 4)
    values = [value(name, given) for name in ("kappa_quadratic", "kappa_linear", "ac1")]
    assert values == pytest.approx([0.762376, 0.627907, 0.518395], abs=5e-7)


def test_fleiss_example_of_fourteen_judges():
    table = """0 0 0 0 14; 0 2 6 4 2; 0 0 3 5 6; 0 3 9 2 0; 2 2 8 1 1; 7 7 0 0 0; 3 2 6 3 0; 2 5 3 2 2; 6 5 2 1 0;
    0 2 2 3 7"""
    units = [[grade for grade, count in enumerate(map(int, row.split())) for _ in range(count)]
             for row in table.split(";")]  # fmt: skip
    assert value("fleiss", grades(np.array(units).T, 5)) == pytest.approx(0.209931, abs=5e-7)


@pytest.mark.parametrize("name", ["kappa", "kappa_quadratic", "alpha_ordinal", "alpha_nominal", "fleiss"])
def test_all_judgments_alike_have_no_coefficient(name):
    assert math.isnan(value(name, grades([[1, 1, 1], [1, 1, 1]], 3)))


def test_one_constant_judge_has_kappa_zero():
    assert value("kappa", grades([[1, 1, 1, 1], [0, 1, 2, 1]], 3)) == pytest.approx(0)


def test_too_few_queries_have_no_interval():
    one = jackknifed(two_judges(), OF_TWO)[0]["kappa"]
    assert math.isnan(one.low)
    assert math.isnan(one.error)


@pytest.mark.parametrize("place", range(len(RECORDED["panels"])))
def test_other_packages_say_the_same(place):
    panel = RECORDED["panels"][place]
    given = grades(panel["codes"], panel["grades"])
    for label, expected in panel["values"].items():
        name = label.partition(" ")[2]
        assert value(name, given, singles=label.startswith("irrCAC")) == pytest.approx(expected, abs=1e-9), label


@pytest.mark.parametrize("seed", range(12))
def test_a_slow_second_implementation_says_the_same(seed):
    draw = random.Random(seed)
    size, judges, pairs = draw.randint(2, 11), draw.choice([2, 2, 3, 5]), draw.randint(8, 30)
    rows = [[draw.choice([GAP, *range(size)]) for _ in range(pairs)] for _ in range(judges)]
    query = sorted(draw.randrange(12) for _ in range(pairs))
    numbers = {old: new for new, old in enumerate(sorted(set(query)))}
    given = grades(rows, size, query=[numbers[one] for one in query])
    both = replace(given, codes=given.codes[:2]).only((given.codes[:2] != GAP).all(0))
    if not len(both.query):
        return
    two = [list(map(int, row)) for row in both.codes]
    for name, slow in SLOW_TWO.items():
        _assert_same(name, both, slow(two, size))
    units = [[row[at] for row in rows if row[at] != GAP] for at in range(pairs)]
    for name, slow in SLOW_MANY.items():
        for singles in (False, True):
            _assert_same(name, given, slow(units, size, singles), singles=singles)


def test_a_jackknife_by_hand_says_the_same():
    draw = random.Random(5)
    query = [number for number in range(12) for _ in range(draw.randint(1, 5))]
    rows = [[draw.randrange(4) for _ in query] for _ in range(3)]
    given = grades(rows, 4, query=query)
    for name in ("alpha_ordinal", "fleiss", "ac2_quadratic"):
        left = []
        for out in range(12):
            units = [[row[at] for row in rows] for at, number in enumerate(query) if number != out]
            left.append(SLOW_MANY[name](units, 4, False))
        mean = sum(left) / 12
        error = math.sqrt(11 / 12 * sum((one - mean) ** 2 for one in left))
        assert jackknifed(given, {name: OF_MANY[name]})[0][name].error == pytest.approx(error, rel=1e-9)


def test_blocks_of_queries_change_nothing(monkeypatch):
    draw = random.Random(7)
    query = [number for number in range(40) for _ in range(draw.randint(1, 4))]
    given = grades([[draw.choice([GAP, 0, 1, 2]) for _ in query] for _ in range(3)], 3, query=query)
    whole = jackknifed(given, OF_MANY)[0]
    monkeypatch.setattr(judge_agreement, "BLOCK_CELLS", 3 * 9 * 7)
    for name, one in jackknifed(given, OF_MANY)[0].items():
        assert (one.value, one.error) == pytest.approx((whole[name].value, whole[name].error), rel=1e-12, nan_ok=True)


def _assert_same(name, given, expected, **options):
    if expected is None:
        return
    assert value(name, given, **options) == pytest.approx(expected, abs=1e-9), name


def _weight(kind, size, one, two):
    if kind == "identity":
        return float(one == two)
    apart = abs(one - two) / (size - 1)
    return 1 - (apart if kind == "linear" else apart * apart)


def _slow_kappa(kind):
    def slow(two, size):
        pairs = list(zip(*two, strict=True))
        seen = sum(_weight(kind, size, a, b) for a, b in pairs) / len(pairs)
        chance = sum(_weight(kind, size, a, b) for a in two[0] for b in two[1]) / len(pairs) ** 2
        return None if abs(1 - chance) < 1e-12 else (seen - chance) / (1 - chance)

    return slow


def _slow_tau(two, size):
    concordant = ties_one = ties_two = total = 0
    for (a, b), (c, d) in itertools.combinations(list(zip(*two, strict=True)), 2):
        total += 1
        ties_one += a == c
        ties_two += b == d
        concordant += ((a > c) - (a < c)) * ((b > d) - (b < d))
    square = (total - ties_one) * (total - ties_two)
    return concordant / math.sqrt(square) if square else None


def _observed(units, size, kind):
    shares = []
    for unit in units:
        if len(unit) >= 2:
            couples = [(a, b) for i, a in enumerate(unit) for j, b in enumerate(unit) if i != j]
            shares.append(sum(_weight(kind, size, a, b) for a, b in couples) / len(couples))
    return sum(shares) / len(shares) if shares else None


def _shares(units, size, singles):
    kept = [unit for unit in units if len(unit) >= (1 if singles else 2)]
    return [sum(unit.count(grade) / len(unit) for unit in kept) / len(kept) for grade in range(size)]


def _slow_chance(expected):
    def for_kind(kind):
        def slow(units, size, singles):
            seen = _observed(units, size, kind)
            if seen is None:
                return None
            chance = expected(_shares(units, size, singles), size, kind)
            return None if abs(1 - chance) < 1e-12 else (seen - chance) / (1 - chance)

        return slow

    return for_kind


def _fleiss_chance(share, size, kind):
    return sum(_weight(kind, size, a, b) * share[a] * share[b] for a in range(size) for b in range(size))


def _gwet_chance(share, size, kind):
    weights = sum(_weight(kind, size, a, b) for a in range(size) for b in range(size))
    return weights / (size * (size - 1)) * sum(one * (1 - one) for one in share)


def _even_chance(share, size, kind):
    return sum(_weight(kind, size, a, b) for a in range(size) for b in range(size)) / size**2


def _slow_alpha(distance):
    def slow(units, size, singles):
        several = [unit for unit in units if len(unit) >= 2]
        values = [grade for unit in several for grade in unit]
        count = [values.count(grade) for grade in range(size)]

        def apart(a, b):
            if distance == "nominal":
                return float(a != b)
            if distance == "interval":
                return float((a - b) ** 2)
            low, high = min(a, b), max(a, b)
            return (sum(count[low : high + 1]) - (count[a] + count[b]) / 2) ** 2

        seen = sum(
            apart(a, b) / (len(unit) - 1)
            for unit in several
            for i, a in enumerate(unit)
            for j, b in enumerate(unit)
            if i != j
        )
        chance = sum(apart(a, b) for i, a in enumerate(values) for j, b in enumerate(values) if i != j)
        return None if chance == 0 else 1 - (len(values) - 1) * seen / chance

    return slow


SLOW_TWO = {
    "kappa": _slow_kappa("identity"), "kappa_linear": _slow_kappa("linear"),
    "kappa_quadratic": _slow_kappa("quadratic"), "tau_b": _slow_tau,
    "bias": lambda two, size: sum(b - a for a, b in zip(*two, strict=True)) / len(two[0]),
    "absolute_error": lambda two, size: sum(abs(b - a) for a, b in zip(*two, strict=True)) / len(two[0]),
}  # fmt: skip
SLOW_MANY = {
    "agreement": lambda units, size, singles: _observed(units, size, "identity"),
    "fleiss": _slow_chance(_fleiss_chance)("identity"), "fleiss_linear": _slow_chance(_fleiss_chance)("linear"),
    "ac1": _slow_chance(_gwet_chance)("identity"), "ac2_quadratic": _slow_chance(_gwet_chance)("quadratic"),
    "brennan_prediger": _slow_chance(_even_chance)("identity"),
    "alpha_nominal": _slow_alpha("nominal"), "alpha_ordinal": _slow_alpha("ordinal"),
    "alpha_interval": _slow_alpha("interval"),
}  # fmt: skip
