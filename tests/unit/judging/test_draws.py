"""What people judge next: drawn with known chances, the same from the same seed, and refused where it cannot be."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankmeter as rm

MACHINE = {f"q{query}": {f"d{item}": (query + item) % 4 for item in range(8)} for query in range(40)}
RUN = {query: list(items) for query, items in MACHINE.items()}
OTHER = {query: list(items)[::-1] for query, items in MACHINE.items()}


def test_whole_queries_are_drawn_with_one_chance():
    listed = rm.draw(MACHINE, queries=10, seed=4)
    assert listed.columns == ["query", "item", "grade", "query_chance"]
    assert listed["query"].n_unique() == 10
    assert len(listed) == 80
    assert set(listed["query_chance"]) == {0.25}
    assert listed["grade"].null_count() == 80
    assert listed["query"].rle().len() == 10  # a query's items together


def test_the_seed_decides():
    assert rm.draw(MACHINE, queries=10, seed=4).equals(rm.draw(MACHINE, queries=10, seed=4))
    assert not rm.draw(MACHINE, queries=10, seed=4).equals(rm.draw(MACHINE, queries=10, seed=5))


def test_every_query_has_its_chance():
    seen = dict.fromkeys(MACHINE, 0)
    for seed in range(300):
        for name in rm.draw(MACHINE, queries=10, seed=seed)["query"].unique():
            seen[name] += 1
    counts = np.array(list(seen.values()))
    assert counts.mean() == 75
    assert abs(counts - 75).max() < 5 * np.sqrt(300 * 0.25 * 0.75)


def test_what_was_judged_before_is_kept_with_its_grades():
    first = rm.draw(MACHINE, queries=6, seed=1).with_columns(grade=pl.lit(2.0))
    more = rm.draw(MACHINE, queries=15, judged=first, seed=2)
    assert more["query"].n_unique() == 15
    assert set(more["query_chance"]) == {15 / 40}
    known = more.filter(pl.col("grade").is_not_null())
    assert set(known["query"]) == set(first["query"])
    assert set(known["grade"]) == {2.0}


def test_unsure_queries_are_drawn_more_often():
    unsure = {name: 10.0 if place < 20 else 0.1 for place, name in enumerate(MACHINE)}
    chance = {}
    for seed in range(60):
        listed = rm.draw(MACHINE, queries=8, unsure=unsure, seed=seed)
        chance |= dict(zip(listed["query"], listed["query_chance"], strict=True))
    assert chance["q0"] > 2 * chance["q39"] > 0
    assert sum(chance.values()) == pytest.approx(8)


@pytest.mark.parametrize("measure", ["P@3", "DCG@5", "RBP@4"])
def test_items_within_the_cutoff_have_a_chance_and_others_none(measure):
    cutoff = int(measure.partition("@")[2])
    listed = rm.draw(MACHINE, {"one": RUN}, items=5000, measure=measure)
    assert len(listed) == 40 * cutoff
    assert set(listed["item"]) == {f"d{item}" for item in range(cutoff)}
    assert set(listed["item_depth"]) == {cutoff}
    fewer = rm.draw(MACHINE, {"one": RUN}, items=60, measure=measure, seed=1)
    assert 30 < len(fewer) < 90
    assert fewer["item_chance"].is_between(0, 1).all()


def test_what_two_runs_return_at_one_rank_keeps_a_chance():
    same = {query: ["d0", *list(items)[:0:-1]] for query, items in MACHINE.items()}
    listed = rm.draw(MACHINE, {"one": RUN, "other": same}, items=5000, measure="DCG@3")
    assert "d0" in set(listed["item"])  # decides nothing between them, counts for the value of both
    few = pl.concat(
        [rm.draw(MACHINE, {"one": RUN, "other": same}, items=40, measure="DCG@3", seed=s) for s in range(9)]
    )
    chance = dict(zip(few["item"], few["item_chance"], strict=True))
    assert 0 < chance["d0"] < chance["d1"]


def test_a_pilot_says_where_the_machine_is_wrong():
    pilot = {
        query: {item: 0 if grade == 3 else grade for item, grade in items.items()}
        for query, items in list(MACHINE.items())[:10]
    }
    listed = rm.draw(MACHINE, {"one": RUN}, items=100, measure="CG@8", judged=pilot)
    chance = {
        grade: {c for q, d, c in listed.select("query", "item", "item_chance").iter_rows() if MACHINE[q][d] == grade}
        for grade in range(4)
    }
    assert min(chance[3]) > 10 * max(chance[0] | chance[1] | chance[2], default=0)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, "judging.queries_or_items"),
        ({"queries": 5, "items": 5}, "judging.queries_or_items"),
        ({"queries": 3}, "general.not_whole"),
        ({"queries": 41}, "judging.too_many_queries"),
        ({"queries": 5, "judged": {f"q{q}": {"d0": 1} for q in range(6)}}, "judging.too_many_queries"),
        ({"queries": 5, "judged": {"other": {"d0": 1}}}, "judging.judged_elsewhere"),
        ({"queries": 5, "unsure": {"q0": 1.0}}, "judging.not_unsure"),
        ({"queries": 5, "unsure": dict.fromkeys(MACHINE, 0.0)}, "judging.not_unsure"),
        ({"queries": 5, "unsure": dict.fromkeys(MACHINE, 1.0), "judged": {"q1": {"d0": 1}}}, "judging.unsure_once"),
        ({"queries": 5, "runs": {"one": RUN}}, "judging.queries_without_runs"),
        ({"items": 20}, "judging.items_need_runs"),
        ({"items": 20, "runs": {"one": RUN}, "measure": "nDCG@10"}, "judging.not_assisted"),
        ({"items": 20, "runs": {"one": RUN}, "measure": "P@1,5"}, "judging.one_measure"),
        ({"items": 20, "runs": {"one": {"q0": ["stranger"]}}}, "judging.machine_lacks_ranked"),
        ({"items": 20, "runs": {"one": RUN}, "judged": {"q0": {"stranger": 1}}}, "judging.no_pilot"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused(options, kind):
    with pytest.raises(rm.InputError) as caught:
        rm.draw(MACHINE, **options)
    assert caught.value.problem.kind == kind
    assert caught.value.text("zh")
