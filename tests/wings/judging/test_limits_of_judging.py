"""Drawing chances as designed, and one bad value among good ones at the doors of judging."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.wings.judging.draws import FLOOR, VALUES_SHARE
from rankmeter.wings.judging.estimators import FEWEST, best_chances

QUERIES = [f"q{number}" for number in range(12)]
MACHINE = {query: {f"d{item}": (number + item) % 4 for item in range(6)} for number, query in enumerate(QUERIES)}
RUNS = {
    "plain": {query: [f"d{item}" for item in range(6)] for query in QUERIES},
    "turned": {query: [f"d{item}" for item in (0, 2, 1, 5, 4)] for query in QUERIES},
    "short": {query: ["d0", "d3"] for query in QUERIES[:9]},
}
WEIGHTS = {
    "P@3": lambda rank: 1.0,
    "DCG@4": lambda rank: 1 / math.log2(rank + 1),
    "RBP(p=0.5)@3": lambda rank: 0.5**rank,
}
PILOT = {  # the machine is wrong by 1 on half of its 2s, by 2 on its 3s, never on its 1s; of its 0s nothing is known
    query: {item: {1: 1, 2: 1 + number % 2, 3: 1}[grade] for item, grade in MACHINE[query].items() if grade}
    for number, query in enumerate(QUERIES)
}


def refusal(call, *values, **options) -> str:
    with pytest.raises(rm.InputError) as told:
        call(*values, **options)
    return told.value.problem.kind


def filled(sizes: dict, budget: float) -> dict:
    """The share of each size, at most 1, that adds up to the budget: found by bisection."""
    low, high = 0.0, 2 * budget / min(sizes.values())
    for _ in range(200):
        middle = (low + high) / 2
        total = sum(min(1.0, middle * size) for size in sizes.values())
        low, high = (middle, high) if total < budget else (low, middle)
    return {key: min(1.0, high * size) for key, size in sizes.items()}


def designed(names: list[str], measure: str, budget: int, pilot: dict | None) -> dict:
    """The chance of every item that counts, from the description."""
    depth, weight = int(measure.partition("@")[2]), WEIGHTS[measure]
    sizes = {}
    for query in QUERIES:
        for item in MACHINE[query]:
            weights = [
                weight(ranked.index(item) + 1) if item in ranked[:depth] else 0.0
                for ranked in (RUNS[name].get(query, []) for name in names)
            ]
            decides = max(weights) - min(weights) if len(names) > 1 else max(weights)
            if size := (1 - VALUES_SHARE) * decides + VALUES_SHARE * max(weights):
                sizes[query, item] = size
    if pilot is not None:  # what people judged of the items that count
        gaps: dict[int, list[float]] = {}
        for query, item in sizes:
            if item in pilot[query]:
                gaps.setdefault(MACHINE[query][item], []).append(abs(pilot[query][item] - MACHINE[query][item]))
        overall = sum(map(sum, gaps.values())) / sum(map(len, gaps.values()))
        for query, item in sizes:
            known = gaps.get(MACHINE[query][item])
            error = math.sqrt(sum(gap**2 for gap in known) / len(known)) if known else overall
            sizes[query, item] *= error + FLOOR
    return filled(sizes, budget)


@pytest.mark.parametrize("pilot", [None, PILOT], ids=["alone", "pilot"])
@pytest.mark.parametrize("measure", list(WEIGHTS))
@pytest.mark.parametrize("names", [["plain"], ["short"], ["plain", "turned"], ["turned", "short"], list(RUNS)])
@pytest.mark.parametrize("budget", [10, 25])
def test_every_item_has_the_chance_that_is_described(names, measure, budget, pilot):
    expected = designed(names, measure, budget, pilot)
    drawn = rm.draw(
        MACHINE, {name: RUNS[name] for name in names}, items=budget, measure=measure, judged=pilot, seed=budget
    )
    rows = drawn.select("query", "item", "item_chance").rows()
    assert rows
    for query, item, chance in rows:
        assert chance == pytest.approx(expected[query, item])


def test_chances_add_up_to_the_budget_and_never_exceed_1():
    for sizes in ([3.0, 1.0, 1.0], [100.0, 1.0, 1.0, 0.0], [5.0, 5.0, 0.1, 0.1, 0.1]):
        size = np.array(sizes)
        for budget in (0.5, 1.0, 2.0, float((size > 0).sum())):
            chance = best_chances(size, budget)
            assert chance.sum() == pytest.approx(budget)
            assert ((chance > 0) == (size > 0)).all()
            assert chance.max() <= 1
    assert best_chances(np.zeros(3), 2.0).tolist() == [0, 0, 0]
    assert best_chances(np.ones(3), 5.0).tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("wanted", "judged", "kind"),
    [
        (FEWEST - 1, 0, "general.not_whole"),
        (FEWEST, 0, ""),
        (FEWEST, FEWEST - 1, ""),
        (FEWEST, FEWEST, ""),
        (FEWEST, FEWEST + 1, "judging.too_many_queries"),
        (len(QUERIES), 0, ""),
        (len(QUERIES), len(QUERIES), ""),
        (len(QUERIES) + 1, 0, "judging.too_many_queries"),
    ],
)
def test_as_many_queries_as_there_are_and_were_judged(wanted, judged, kind):
    before = {query: MACHINE[query] for query in QUERIES[:judged]} or None
    if kind:
        assert refusal(rm.draw, MACHINE, queries=wanted, judged=before) == kind
        return
    drawn = rm.draw(MACHINE, queries=wanted, judged=before)
    assert drawn["query"].n_unique() == wanted
    assert set(drawn["query"]) >= set(QUERIES[:judged])
    assert set(drawn["query_chance"]) == {wanted / len(QUERIES)}
    assert (drawn["grade"].null_count() == 0) == (judged == wanted)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 0, -1.0, "1", None])
@pytest.mark.parametrize("place", [0, 5, 11])
def test_one_query_that_is_not_unsure_by_a_number_is_named(bad, place):
    unsure = {query: 1.0 + number for number, query in enumerate(QUERIES)} | {QUERIES[place]: bad}
    with pytest.raises(rm.InputError) as told:
        rm.draw(MACHINE, queries=6, unsure=unsure)
    assert told.value.problem.kind == "judging.not_unsure"
    assert QUERIES[place] in str(told.value)


def test_unsure_queries_have_half_of_their_chance_from_it():
    unsure = {query: 1.0 + number for number, query in enumerate(QUERIES)}
    mean = sum(unsure.values()) / len(unsure)
    expected = filled({query: 0.5 * size / mean + 0.5 for query, size in unsure.items()}, 6)
    for seed in range(4):
        drawn = rm.draw(MACHINE, queries=6, unsure=unsure, seed=seed)
        for query, chance in drawn.select("query", "query_chance").rows():
            assert chance == pytest.approx(expected[query])


@pytest.mark.parametrize("runs", [0, 1, 2])
@pytest.mark.parametrize("unsure", [None, dict.fromkeys(QUERIES, 1.0)])
@pytest.mark.parametrize("what", ["queries", "items"])
@pytest.mark.parametrize("among", ["all", "differing"])
def test_what_is_drawn_among_whom_by_what_goes_together_or_not(among, what, unsure, runs):
    kind = ""
    if among == "differing":
        kind = "judging.differing_alone" if what == "items" or unsure else "judging.differing_runs" if runs < 2 else ""
    elif what == "items":
        kind = "judging.items_need_runs" if not runs else ""
    else:
        kind = "judging.queries_without_runs" if runs else ""
    given = dict(list(RUNS.items())[:runs]) or None
    options = {what: FEWEST, "among": among, "unsure": unsure, "measure": "P@2"}
    if kind:
        assert refusal(rm.draw, MACHINE, given, **options) == kind
    else:
        assert rm.draw(MACHINE, given, **options).height


GOLD = {"q": [("D", 0, 10)]}
CHUNKS = [{"query": "q", "document": "D", "start": 10 * place, "end": 10 * place + 5} for place in range(4)]


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("bad", [None, math.nan])
@pytest.mark.parametrize("role", ["rank", "score"])
def test_one_chunk_without_a_place_among_good_ones_is_refused(role, bad, place):
    numbers = [1.0, 2.0, 3.0, 4.0]
    numbers[place] = bad
    chunks = pl.DataFrame(CHUNKS).with_columns(pl.Series(role, numbers, pl.Float64, strict=False))
    assert refusal(rm.evidence, GOLD, chunks, cutoffs=[1]) == "judging.unordered"


@pytest.mark.parametrize(("role", "best"), [("rank", 1.0), ("score", 9.0), ("", 0)])
def test_chunks_are_read_best_first(role, best):
    for place in range(4):
        chunks = pl.DataFrame(CHUNKS)
        if role:
            chunks = chunks.with_columns(pl.Series(role, [best if at == place else 5.0 for at in range(4)]))
        first = rm.evidence(GOLD, chunks, cutoffs=[1]).value("character_recall", 1)
        assert (first > 0) == (place == 0 if role else True)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(
    ("field", "bad"),
    [("start", None), ("end", None), ("start", 0.5), ("end", math.nan), ("query", None), ("document", None)],
)
def test_one_bad_row_of_chunks_among_good_ones_is_named(field, bad, place):
    rows = [{**row, field: bad} if at == place else dict(row) for at, row in enumerate(CHUNKS)]
    chunks = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    with pytest.raises(rm.InputError) as told:
        rm.evidence(GOLD, chunks, cutoffs=[1])
    assert told.value.problem.kind == "judging.span_row"
    assert f"row {place + 1}" in str(told.value)


@pytest.mark.parametrize(
    ("span", "kind"),
    [
        (("D", 0, 1), ""),
        (("D", 19, 20), ""),
        (("D", 19, 21), "judging.span_beyond"),
        (("D", 5, 5), "judging.not_a_span"),
        (("D", 6, 5), "judging.not_a_span"),
        (("D", -1, 5), "judging.not_a_span"),
        (("D", False, 5), "judging.not_a_span"),
        (("D", 0, True), "judging.not_a_span"),
        (("D", 0.0, 5), "judging.not_a_span"),
        (("D", 0), "judging.not_a_span"),
        (("D", 0, 5, 6), "judging.not_a_span"),
        ("D", "judging.not_a_span"),
        (("E", 0, 5), "judging.no_text_of"),
        (("D", "once"), ""),
        (("D", "twice"), "judging.quote_twice"),
        (("D", "never"), "judging.quote_not_found"),
        (("D", ""), "judging.quote_not_found"),
        (("D", "once  twice"), "judging.quote_spaced"),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_one_bad_span_among_good_ones_is_refused(span, kind, place):
    spans = [("D", 1, 3), ("D", 6, 9)]
    spans[place] = span
    call = {"texts": {"D": "once twice    twice!"}, "cutoffs": [1]}
    if kind:
        assert refusal(rm.evidence, {"q": spans}, {"q": [("D", 0, 4)]}, **call) == kind
        if "quote" not in kind:  # chunks stand before quotes of gold are looked up
            assert refusal(rm.evidence, GOLD, {"q": spans}, **call) == kind
    else:
        call["cutoffs"] = [2]
        assert rm.evidence({"q": spans}, {"q": spans}, **call).value("character_recall", 2) == 1
