"""What people judge next: drawn with known chances, the same from the same seed, and refused where it cannot be."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.wings.judging.estimators import where_lists_differ

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


@pytest.mark.slow
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


@pytest.fixture(scope="module")
def nearly_alike():
    """Two runs whose lists differ on a third of 120 queries, people's grades of all, and a lenient machine's."""
    random = np.random.default_rng(11)
    items = [f"d{item}" for item in range(8)]
    truth = {f"q{query}": dict(zip(items, random.integers(0, 3, 8).tolist(), strict=True)) for query in range(120)}
    machine = {q: {d: min(2, g + int(random.random() < 0.3)) for d, g in row.items()} for q, row in truth.items()}
    first = {q: random.permutation(items).tolist() for q in truth}
    second = {q: sorted(row, key=lambda d: -truth[q][d] - random.random()) if place % 3 == 0 else row
              for place, (q, row) in enumerate(first.items())}  # fmt: skip
    return truth, machine, {"first": first, "second": second}


def filled_in(drawn, truth):
    return drawn.with_columns(
        grade=pl.Series([float(truth[query][item]) for query, item in drawn.select("query", "item").iter_rows()])
    )


def test_queries_are_drawn_where_lists_differ_within_the_cutoff(nearly_alike):
    truth, machine, runs = nearly_alike
    for measure, depth in (("nDCG@3", 3), ("P@8", 8)):
        differ = {q for q in truth if runs["first"][q][:depth] != runs["second"][q][:depth]}
        drawn = rm.draw(machine, runs, queries=12, among="differing", measure=measure, seed=1)
        assert set(drawn["query"]) <= differ
        assert set(drawn["query_chance"]) == {12 / len(differ)}
        assert set(drawn["differing_depth"]) == {depth}


@pytest.mark.slow
def test_the_difference_from_queries_where_lists_differ_is_unbiased_and_its_interval_holds(nearly_alike):
    truth, machine, runs = nearly_alike
    values = {}
    for judge, grades in (("people", truth), ("machine", machine)):
        ev = [rm.evaluate(grades, runs[name], ["nDCG@5"]) for name in ("first", "second")]
        values[judge] = ev[0].values[next(iter(ev[0].means))].value - ev[1].values[next(iter(ev[1].means))].value
    differs = np.array([runs["first"][q][:5] != runs["second"][q][:5] for q in truth])
    place = {query: at for at, query in enumerate(truth)}
    misses, holds, trials = [], 0, 300
    for seed in range(trials):
        drawn = rm.draw(machine, runs, queries=15, among="differing", measure="nDCG@5", seed=seed)
        at = [place[query] for query in drawn["query"].unique(maintain_order=True)]
        made = where_lists_differ(values["people"][at], values["machine"][at], values["machine"][differs], 120,
                                  target="queries")  # fmt: skip
        misses.append(made.value - values["people"].mean())
        holds += made.low <= values["people"].mean() <= made.high
    assert abs(np.mean(misses)) < 4 * np.std(misses) / np.sqrt(trials) + 1e-3
    assert holds / trials > 0.9


def test_compare_takes_them_for_the_difference_and_nothing_else(nearly_alike, tmp_path):
    truth, machine, runs = nearly_alike
    people = filled_in(rm.draw(machine, runs, queries=15, among="differing", measure="nDCG@5", seed=3), truth)
    people.write_csv(tmp_path / "people.csv")
    for given in (people, tmp_path / "people.csv"):
        cmp = rm.compare(given, runs, ["nDCG@5", "P@3", "AP", "nDCG@6"], assisted_by=machine)
        assert list(map(str, cmp.assisted.measures)) == ["nDCG@5", "P@3"]
        assert {why.kind for why in cmp.assisted.refused.values()} == {"compared_less_deep"}
        assert cmp.assisted.difference("nDCG@5", "first", "second").method == "differing"
        assert {one.other for one in cmp.assisted.rows()} == {"second"}
        with pytest.raises(rm.InputError, match="but not the value of one run"):
            cmp.assisted.value("nDCG@5", "first")
        assert "second is ahead of first" in repr(cmp)
        for text in (cmp.to_markdown(), cmp.to_latex(), cmp.to_json()):
            assert "first" in text
    with pytest.raises(rm.InputError, match="but not the value of one run"):
        rm.evaluate(people, runs["first"], ["nDCG@5"], assisted_by=machine)
    reversed_lists = {query: row[::-1] for query, row in runs["first"].items()}
    with pytest.raises(rm.InputError, match="drawn for other lists"):
        rm.compare(people, {"first": runs["first"], "new": reversed_lists}, ["nDCG@5"], assisted_by=machine)


def test_what_was_drawn_among_all_queries_counts_where_lists_differ(nearly_alike):
    truth, machine, runs = nearly_alike
    before = filled_in(rm.draw(machine, queries=30, seed=2), truth)
    more = rm.draw(machine, runs, queries=25, among="differing", measure="nDCG@5", judged=before, seed=3)
    kept = set(more.filter(pl.col("grade").is_not_null())["query"])
    assert kept
    assert kept <= set(before["query"])
    assert more["query"].n_unique() == 25


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"queries": 10}, "judging.differing_runs"),
        ({"queries": 10, "runs": {"one": RUN}}, "judging.differing_runs"),
        ({"items": 10, "runs": {"one": RUN, "other": OTHER}}, "judging.differing_alone"),
        ({"queries": 10, "runs": {"one": RUN, "other": OTHER}, "unsure": {}}, "judging.differing_alone"),
        ({"queries": 10, "runs": {"one": RUN, "other": OTHER}, "measure": "AP"}, "judging.not_assisted"),
        ({"queries": 10, "runs": {"one": RUN, "other": RUN}}, "judging.too_many_queries"),
    ],
)
def test_what_cannot_be_drawn_where_lists_differ(options, kind):
    with pytest.raises(rm.InputError) as error:
        rm.draw(MACHINE, among="differing", **options)
    assert error.value.problem.kind == kind
