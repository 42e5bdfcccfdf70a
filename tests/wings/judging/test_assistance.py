"""``assisted_by=``: values and differences from few human and many machine judgments, and what is refused."""

from __future__ import annotations

import html
import json
import math

import numpy as np
import polars as pl
import pytest
from judging_simulation import fixed

import rankmeter as rm
from rankmeter.report.comparisons import ShownComparison
from rankmeter.showing.html import document_html
from rankmeter.wings.judging.assistance import Assistance
from rankmeter.wings.judging.estimators import people_only, tuned, where_lists_differ
from rankmeter.wording.characters import width_of

QUERIES, ITEMS = 60, 12


def world(seed=0, queries=QUERIES):
    """Grades of people and machine for all pairs, and two runs."""
    rng = np.random.default_rng(seed)
    people, machine, good, poor = {}, {}, {}, {}
    for query in range(queries):
        worth = rng.normal(0, 0.7) + rng.normal(size=ITEMS)
        grades = np.digitize(worth, [0.2, 0.9, 1.6])
        seen = np.clip(grades + (rng.random(ITEMS) < 0.3), 0, 3)
        name = f"q{query}"
        people[name] = {f"d{item}": int(grade) for item, grade in enumerate(grades)}
        machine[name] = {f"d{item}": int(grade) for item, grade in enumerate(seen)}
        good[name] = {f"d{item}": float(score) for item, score in enumerate(worth + rng.normal(0, 0.5, ITEMS))}
        poor[name] = {f"d{item}": float(score) for item, score in enumerate(worth + rng.normal(0, 1.5, ITEMS))}
    return people, machine, good, poor


EVERYTHING, MACHINE, GOOD, POOR = world()
PEOPLE = {name: EVERYTHING[name] for name in list(EVERYTHING)[::2]}


def per_query(judgments, run, measure):
    frame = rm.evaluate(judgments, run, [measure]).per_query
    return dict(zip(frame["query"], frame[measure], strict=True))


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "RR", "P@5", "ERR@10", "R@5"])
def test_a_value_is_the_tuned_estimate_of_the_values_per_query(measure):
    ev = rm.evaluate(PEOPLE, GOOD, [measure], assisted_by=MACHINE)
    y, f = per_query(PEOPLE, GOOD, measure), per_query(MACHINE, GOOD, measure)
    expected = tuned(np.array([y[q] for q in y]), np.array([f[q] for q in y]), np.array(list(f.values())))
    made = ev.assisted.value(measure)
    assert made.value == pytest.approx(float(expected.value), abs=1e-12)
    assert made.low == pytest.approx(float(expected.low), abs=1e-12)
    assert made.high == pytest.approx(min(float(expected.high), 1.0), abs=1e-12)
    assert made.people == pytest.approx(ev[measure])
    assert made.machine == pytest.approx(rm.evaluate(MACHINE, GOOD, [measure])[measure])
    assert (made.judged, made.total, made.method) == (30, 60, "tuned")


@pytest.mark.parametrize("measure", ["nDCG@10", "AP"])
def test_a_difference_is_the_tuned_estimate_of_the_differences(measure):
    cmp = rm.compare(PEOPLE, {"good": GOOD, "poor": POOR}, [measure], assisted_by=MACHINE)
    sides = [
        {q: a - b for (q, a), b in zip(
            per_query(truth, GOOD, measure).items(), per_query(truth, POOR, measure).values(), strict=True)}
        for truth in (PEOPLE, MACHINE)
    ]  # fmt: skip
    y, f = sides
    expected = tuned(np.array(list(y.values())), np.array([f[q] for q in y]), np.array(list(f.values())))
    made = cmp.assisted.difference(measure, "good", "poor")
    assert (made.value, made.low, made.high) == pytest.approx(
        (float(expected.value), float(expected.low), float(expected.high)), abs=1e-12
    )
    back = cmp.assisted.difference(measure, "poor", "good")
    assert back.value == pytest.approx(-made.value)
    assert back.p == pytest.approx(made.p)
    assert (made.p < 0.05) == (made.low > 0)


@pytest.mark.parametrize("measure", ["nDCG@10", "RR@3", "AP"])
@pytest.mark.parametrize("target", ["population", "queries"])
def test_where_two_lists_are_the_same_nothing_is_left_to_judge(measure, target):
    mixed = {query: POOR[query] if number % 5 else GOOD[query] for number, query in enumerate(GOOD)}  # 1 in 5 the same
    cmp = rm.compare(PEOPLE, {"good": GOOD, "mixed": mixed}, [measure], assisted_by=MACHINE)
    depth = 3 if measure == "RR@3" else 10 if measure == "nDCG@10" else ITEMS

    def top(run, query):
        return sorted(run[query], key=lambda item: (run[query][item], item), reverse=True)[:depth]

    differ = [query for query in GOOD if top(GOOD, query) != top(mixed, query)]
    assert 0 < len(differ) < QUERIES
    y, f = (
        {q: per_query(truth, GOOD, measure)[q] - per_query(truth, mixed, measure)[q] for q in truth}
        for truth in (PEOPLE, MACHINE)
    )
    judged = [query for query in differ if query in PEOPLE]
    expected = where_lists_differ(
        np.array([y[q] for q in judged]), np.array([f[q] for q in judged]), np.array([f[q] for q in differ]), QUERIES,
        target=target,
    )  # fmt: skip
    made = cmp.assisted.difference(measure, "good", "mixed", target=target)
    assert made.method == "differing"
    assert (made.value, made.low, made.high) == pytest.approx(
        (float(expected.value), float(expected.low), float(expected.high)), abs=1e-12
    )


def test_a_tie_rule_of_its_own_is_no_list():
    mixed = {query: POOR[query] if number % 5 else GOOD[query] for number, query in enumerate(GOOD)}
    cmp = rm.compare(PEOPLE, {"good": GOOD, "mixed": mixed}, ["nDCG(ties=mean)@10"], assisted_by=MACHINE)
    assert cmp.assisted.difference("nDCG(ties=mean)@10", "good", "mixed").method == "tuned"


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
@pytest.mark.parametrize("items", [False, True])
def test_it_is_saved_and_loaded_whole(tmp_path, verb, items):
    people = PEOPLE
    if items:
        drawn = rm.draw(MACHINE, {"good": GOOD, "poor": POOR}, items=200, measure="DCG@5", seed=1)
        grades = [EVERYTHING[q][d] for q, d in drawn.select("query", "item").iter_rows()]
        people = drawn.with_columns(grade=pl.Series(grades))
    runs = GOOD if verb == "evaluate" else {"good": GOOD, "poor": POOR}
    made = getattr(rm, verb)(people, runs, ["DCG@5"], assisted_by=MACHINE)
    made.save(tmp_path / "kept")
    again = type(made).load(tmp_path / "kept").assisted
    assert again.to_json() == made.assisted.to_json()
    assert again.to_text("zh") == made.assisted.to_text("zh")


def test_p_values_are_corrected_for_all_pairs():
    systems = {"good": GOOD, "poor": POOR, "reversed": {q: {d: -s for d, s in run.items()} for q, run in GOOD.items()}}
    cmp = rm.compare(PEOPLE, systems, ["nDCG@10"], assisted_by=MACHINE, correction="bonferroni")
    made = cmp.assisted.differences("nDCG@10")
    assert len(made) == 3
    for one in made:
        assert one.p_corrected == pytest.approx(min(3 * one.p, 1))


def test_machine_alone_has_no_interval_and_is_not_the_answer():
    made = rm.evaluate(PEOPLE, GOOD, ["P(rel=2)@5"], assisted_by=MACHINE).assisted.value("P(rel=2)@5")
    truth = rm.evaluate(EVERYTHING, GOOD, ["P(rel=2)@5"])["P(rel=2)@5"]
    assert made.low <= truth <= made.high
    assert made.machine > made.value + 0.05  # lenient
    assert made.high - made.low < made.people_high - made.people_low
    assert made.worth > 30


def test_targets_and_levels():
    one = rm.evaluate(PEOPLE, GOOD, ["nDCG@10"], assisted_by=MACHINE).assisted
    usual, these, sure = one.value("nDCG@10"), one.value("nDCG@10", target="queries"), one.value("nDCG@10", level=0.99)
    assert usual.value == these.value == sure.value
    assert these.high - these.low < usual.high - usual.low < sure.high - sure.low


def test_all_queries_judged_is_people_alone():
    made = rm.evaluate(EVERYTHING, GOOD, ["nDCG@10"], assisted_by=MACHINE).assisted.value("nDCG@10")
    assert made.method == "people"
    assert (made.value, made.low, made.weight) == (made.people, made.people_low, 0)


def test_how_many_more_are_needed():
    one = rm.evaluate(PEOPLE, GOOD, ["nDCG@10"], assisted_by=MACHINE).assisted
    made = one.value("nDCG@10")
    half = (made.high - made.low) / 2
    assert one.needed(half, "nDCG@10") == pytest.approx(30, abs=4)
    assert one.needed(half * 1.3, "nDCG@10") < 30
    assert one.needed(1e-6, "nDCG@10") is None


def drawn(queries=None, **options) -> pl.DataFrame:
    listed = rm.draw(MACHINE, queries=queries, **options)
    grades = [EVERYTHING[query][item] for query, item in listed.select("query", "item").iter_rows()]
    return listed.with_columns(grade=pl.Series(grades, dtype=pl.Float64))


def test_recorded_chances_choose_the_estimator():
    equal = rm.evaluate(drawn(20, seed=1), GOOD, ["nDCG@10"], assisted_by=MACHINE).assisted
    assert equal.design.kind == "queries"
    assert equal.value("nDCG@10").method == "tuned"
    assert "assumed_random" not in {note.kind for note in equal.notes}
    unsure = {name: 1 + place % 3 for place, name in enumerate(MACHINE)}
    unlike = rm.evaluate(drawn(20, seed=1, unsure=unsure), GOOD, ["nDCG@10"], assisted_by=MACHINE).assisted
    assert unlike.design.kind == "unequal"
    assert unlike.value("nDCG@10").method == "unequal"
    assumed = rm.evaluate(PEOPLE, GOOD, ["nDCG@10"], assisted_by=MACHINE).assisted
    assert "assumed_random" in {note.kind for note in assumed.notes}


@pytest.mark.parametrize("left", [0, 1, 10])
def test_a_draw_that_was_not_judged_to_its_end_is_said(left):
    people = drawn(20, seed=1)
    judged = people["query"].unique(maintain_order=True)[left:]
    made = rm.evaluate(people.filter(pl.col("query").is_in(judged.to_list())), GOOD, "P@5", assisted_by=MACHINE)
    said = [note.values for note in made.assisted.notes if note.kind == "drawn_not_judged"]
    assert said == ([{"drawn": 20, "judged": 20 - left}] if left else [])


@pytest.mark.parametrize("pairs", [{}, {"baseline": "poor"}, {"baseline": "good"}])
@pytest.mark.parametrize("runs", [{"good": GOOD, "poor": POOR}, {"good": GOOD, "same": GOOD}])
def test_the_answer_is_that_of_people_and_machine_together(pairs, runs):
    if not set(pairs.values()) <= set(runs):
        pairs = {"baseline": "same"}
    cmp = rm.compare(drawn(20, seed=1), runs, ["nDCG@10"], assisted_by=MACHINE, **pairs)
    together, *alone = ShownComparison(cmp).verdict()
    one = cmp.assisted.differences("nDCG@10")[0]
    is_sure = one.p_corrected is not None and one.p_corrected < 0.05
    assert together.kind == f"verdict_assisted_{'clear' if is_sure else 'open'}"
    assert f"good is first ({cmp.assisted.value('nDCG@10', 'good').value:.4f})" in together
    assert together.endswith(f"{next(name for name in runs if name != 'good')}.")
    assert {sentence.kind for sentence in alone} == {"verdict_people_alone"}


@pytest.mark.parametrize("measures", [["nDCG@10"], ["nDCG@10", "AP"]])
@pytest.mark.parametrize(("lang", "alone"), [("en", "by people's judgments alone"), ("zh", "仅按人工标注计算")])
def test_a_table_by_people_alone_says_so(measures, lang, alone):
    """Right before it, wherever the answer above it is that of people and machine; nowhere else."""
    runs = {"good": GOOD, "poor": POOR}
    both = rm.compare(PEOPLE, runs, measures, assisted_by=MACHINE, permutations=100, resamples=100)
    plain = rm.compare(PEOPLE, runs, measures, permutations=100, resamples=100)
    for cmp in (both, plain):
        shown = ShownComparison(cmp, lang)
        pages = [shown.to_text(), shown.to_markdown(), html.unescape(document_html(shown.document(), lang=lang))]
        assert [page.count(alone) for page in pages] == ([1, 1, len(measures)] if cmp is both else [0, 0, 0])


@pytest.mark.parametrize("judged", [4, 30])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_estimate_without_an_interval_has_its_reason_in_record_and_text(judged, lang):
    """Where nothing varies, of values and of differences; one with an interval has none."""
    truth = {name: {"d0": 1} for name in list(MACHINE)[:judged]}
    machine = {name: {"d0": 1} for name in MACHINE}
    runs = {name: {query: ["d0", "d1"] for query in MACHINE} for name in ("one", "same")}
    cmp = rm.compare(truth, runs, ["RR"], assisted_by=machine, permutations=100, resamples=100)
    rows = cmp.assisted.rows()
    assert len(rows) == 3
    assert {row.reason.kind for row in rows} == {"assisted_no_spread"}
    assert all(math.isnan(row.low) for row in rows)
    assert {row["reason"] for row in cmp.assisted.to_dict()["values"]} == {str(rows[0].reason)}
    json.loads(cmp.to_json())
    assert rows[0].reason.text(lang) in cmp.assisted.to_text(lang)
    sure = rm.compare(PEOPLE, {"good": GOOD, "poor": POOR}, ["nDCG@10"], assisted_by=MACHINE)
    assert {row.reason for row in sure.assisted.rows()} == {""}


def test_single_items_alone_give_no_answer():
    runs = {"good": GOOD, "poor": POOR}
    cmp = rm.compare(drawn(runs=runs, items=150, measure="DCG@5"), runs, ["DCG@5"], assisted_by=MACHINE)
    assert [sentence.kind for sentence in ShownComparison(cmp).verdict()] == ["verdict_assisted_clear"]


@pytest.mark.parametrize("measure", ["P@5", "DCG@5", "CG@5", "RBP@5", "DCG(gain=exp2)@5", "P(rel=2)@5"])
def test_single_items_correct_a_linear_measure(measure):
    """Everything drawn with certainty is people's value; a part of it is right on average."""
    runs = {"good": GOOD, "poor": POOR}
    listed = rm.draw(MACHINE, runs, items=10_000, measure=measure)
    assert (listed["item_chance"] == 1).all()
    grades = [EVERYTHING[query][item] for query, item in listed.select("query", "item").iter_rows()]
    people = listed.with_columns(grade=pl.Series(grades, dtype=pl.Float64))
    cmp = rm.compare(people, runs, [measure], assisted_by=MACHINE)
    for name, run in runs.items():
        made = cmp.assisted.value(measure, name)
        values = np.array(list(per_query(EVERYTHING, run, measure).values()))
        assert made.method == "items"
        assert made.value == pytest.approx(values.mean(), abs=1e-9)
        assert made.people == pytest.approx(values.mean(), abs=1e-9)
        assert made.error == pytest.approx(float(people_only(values).error), abs=1e-9)
        assert cmp.assisted.value(measure, name, target="queries").error == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
def test_single_items_are_right_on_average():
    truth = rm.evaluate(EVERYTHING, GOOD, ["DCG@5"])["DCG@5"]
    values = []
    for seed in range(30):
        listed = rm.draw(MACHINE, {"good": GOOD}, items=60, measure="DCG@5", seed=seed)
        grades = [EVERYTHING[query][item] for query, item in listed.select("query", "item").iter_rows()]
        people = listed.with_columns(grade=pl.Series(grades, dtype=pl.Float64))
        made = rm.evaluate(people, GOOD, ["DCG@5"], assisted_by=MACHINE).assisted.value("DCG@5", target="queries")
        values.append((made.value - truth) / made.error)
    assert abs(np.mean(values)) < 4 / math.sqrt(30)
    assert 0.5 < np.std(values) < 2


def test_measures_without_a_valid_estimate_are_refused_with_the_reason():
    listed = rm.draw(MACHINE, {"good": GOOD}, items=100, measure="DCG@5")
    grades = [EVERYTHING[query][item] for query, item in listed.select("query", "item").iter_rows()]
    people = listed.with_columns(grade=pl.Series(grades, dtype=pl.Float64))
    asked = ["DCG@5", "nDCG@5", "AP", "RR", "R@5", "ERR@5", "P@10", "RBP", "P(ties=worst)@5"]
    made = rm.evaluate(people, GOOD, asked, assisted_by=MACHINE).assisted
    assert [str(measure) for measure in made.measures] == ["DCG@5"]
    kinds = {name: why.kind for name, why in made.refused.items()}
    assert kinds["nDCG@5"] == kinds["AP"] == kinds["RR"] == "not_linear"
    assert kinds["P@10"] == "drawn_less_deep"
    assert kinds["RBP"] == "no_cutoff"
    assert kinds["P(ties=worst)@5"] == "not_linear_under"
    with pytest.raises(rm.InputError, match="ideal"):
        made.value("nDCG@5")
    with pytest.raises(rm.InputError):
        rm.evaluate(people, GOOD, ["nDCG@5"], assisted_by=MACHINE)
    whole = rm.evaluate(PEOPLE, GOOD, ["nDCG@5", "AP(aggregate=geometric)"], assisted_by=MACHINE).assisted
    assert [why.kind for why in whole.refused.values()] == ["no_mean"]


def test_queries_that_count_under_one_side_only_are_no_mean():
    people = {**PEOPLE, "q0": dict.fromkeys(PEOPLE["q0"], 0)}
    with pytest.raises(rm.InputError, match="empty=zero"):
        rm.evaluate(people, GOOD, ["nDCG(empty=skip)@10"], assisted_by=MACHINE)
    assert rm.evaluate(people, GOOD, ["nDCG@10"], assisted_by=MACHINE).assisted is not None


@pytest.mark.parametrize(
    ("people", "machine", "kind"),
    [
        (PEOPLE, {q: {d: g for d, g in items.items() if d != "d3"} for q, items in MACHINE.items()}, "machine_lacks"),
        (PEOPLE, {q: MACHINE[q] for q in list(MACHINE)[1:]}, "machine_lacks"),
        ({"q0": EVERYTHING["q0"], "q1": EVERYTHING["q1"]}, MACHINE, "too_few_judged"),
        (drawn(20).with_columns(query_chance=pl.lit(0.0)), MACHINE, "chance"),
        (drawn(20).with_columns(query_chance=pl.lit(1.2)), MACHINE, "chance"),
        (drawn(20).with_columns(query_chance=pl.lit(None, pl.Float64)), MACHINE, "chance"),
        (drawn(20).with_columns(query_chance=pl.int_range(1, pl.len() + 1) / 1000), MACHINE, "unlike_chances"),
        (drawn(20).with_columns(item_chance=pl.lit(0.5)), MACHINE, "two_chances"),
    ],
)  # fmt: skip
def test_bad_judgments_are_refused_with_the_place(people, machine, kind):
    with pytest.raises(rm.InputError) as caught:
        rm.evaluate(people, GOOD, ["nDCG@10"], assisted_by=machine)
    assert caught.value.problem.kind == f"judging.{kind}"
    assert "Hint:" in str(caught.value)
    assert "提示" in caught.value.text("zh")


def test_saved_evaluations_and_other_units_are_refused():
    ev = rm.evaluate(PEOPLE, GOOD, ["nDCG@10"])
    with pytest.raises(rm.InputError, match="runs"):
        rm.compare(PEOPLE, {"a": ev, "b": ev}, assisted_by=MACHINE)
    with pytest.raises(rm.InputError, match="works only with queries as units"):
        rm.compare(PEOPLE, {"a": GOOD, "b": POOR}, assisted_by=MACHINE, unit=dict.fromkeys(PEOPLE, "u"))
    with pytest.raises(rm.InputError, match="per_query_to"):
        rm.evaluate(PEOPLE, GOOD, assisted_by=MACHINE, per_query_to="x.parquet")


def test_few_and_rare_values_are_said():
    few = {name: EVERYTHING[name] for name in list(EVERYTHING)[:8]}
    notes = {note.kind for note in rm.evaluate(few, GOOD, ["nDCG@10"], assisted_by=MACHINE).assisted.notes}
    assert "few_people" in notes
    made = rm.evaluate(PEOPLE, GOOD, ["Success@10"], assisted_by=MACHINE).assisted
    assert "rare_values" in {note.kind for note in made.notes}


def test_without_any_spread_there_is_no_interval():
    everyone = {q: dict.fromkeys(items, 1) for q, items in EVERYTHING.items()}
    made = rm.evaluate({q: everyone[q] for q in PEOPLE}, GOOD, ["P@5"], assisted_by=everyone).assisted.value("P@5")
    assert made.value == 1
    assert not made.has_interval
    assert made.worth is None


def test_measures_are_found_as_they_were_asked_for():
    ev = rm.evaluate(PEOPLE, GOOD, ["MAP", "HR@5"], assisted_by=MACHINE)
    assert ev.assisted.value("MAP").measure == "AP"
    with pytest.raises(rm.NotFoundError):
        ev.assisted.value("nDCG@10")
    with pytest.raises(rm.NotFoundError):
        ev.assisted.value("MAP", "another")


def test_it_shows_itself_everywhere():
    cmp = rm.compare(PEOPLE, {"good": GOOD, "poor": POOR}, ["nDCG@10", "P@5"], assisted_by=MACHINE)
    for language in ("en", "zh"):
        for text in (
            cmp.assisted.to_text(language),
            cmp.assisted.to_markdown(language),
            cmp.assisted.to_html(language),
        ):
            assert "nDCG@10" in text
    assert "people and machine" in repr(cmp)
    assert "people and machine" in cmp._repr_html_()
    ev = rm.evaluate(PEOPLE, GOOD, ["nDCG@10"], assisted_by=MACHINE)
    assert "people and machine" in repr(ev)
    assert "people and machine" in ev._repr_html_()
    plain = json.loads(cmp.to_json())["assisted"]
    assert [one["other"] for one in plain["values"]] == [None] * 4 + ["poor"] * 2
    assert json.loads(ev.to_json())["assisted"]["values"][0]["weight"] > 0
    rows = cmp.assisted.to_polars()
    assert len(rows) == 6


def test_a_fixed_weight_of_one_is_not_what_is_used():
    """A machine of no use costs nothing but its reading: the weight follows what it is worth."""
    rng = np.random.default_rng(5)
    noise = {q: {d: int(rng.integers(0, 4)) for d in items} for q, items in MACHINE.items()}
    made = rm.evaluate(PEOPLE, GOOD, ["nDCG@10"], assisted_by=noise).assisted.value("nDCG@10")
    y, f = per_query(PEOPLE, GOOD, "nDCG@10"), per_query(noise, GOOD, "nDCG@10")
    full = fixed(np.array(list(y.values())), np.array([f[q] for q in y]), np.array(list(f.values())))
    assert made.high - made.low < float(full.high - full.low)
    assert made.high - made.low == pytest.approx(made.people_high - made.people_low, rel=0.1)


def test_several_runs_of_a_system_have_no_ranks_for_single_items():
    runs = {"good": rm.seeds(GOOD, POOR), "poor": POOR}
    whole = rm.compare(PEOPLE, runs, ["nDCG@10"], assisted_by=MACHINE).assisted
    assert whole.value("nDCG@10", "good").method == "tuned"
    listed = rm.draw(MACHINE, {"poor": POOR}, items=100, measure="DCG@5")
    grades = [EVERYTHING[query][item] for query, item in listed.select("query", "item").iter_rows()]
    people = listed.with_columns(grade=pl.Series(grades, dtype=pl.Float64))
    with pytest.raises(rm.InputError, match="several runs"):
        rm.compare(people, runs, ["DCG@5"], assisted_by=MACHINE)


def test_pools_that_people_judged_in_part_are_said():
    part = {q: {d: g for d, g in items.items() if d != "d3"} for q, items in PEOPLE.items()}
    notes = {note.kind: note for note in rm.evaluate(part, GOOD, ["P@5"], assisted_by=MACHINE).assisted.notes}
    assert notes["partly_judged"].values["count"] == 30
    assert "partly_judged" not in {
        note.kind for note in rm.evaluate(PEOPLE, GOOD, ["P@5"], assisted_by=MACHINE).assisted.notes
    }


@pytest.mark.parametrize("factor", [1, 2, 25])
@pytest.mark.parametrize("verb", ["evaluate", "compare", "leaderboards"])
def test_grades_on_another_scale_are_said(verb, factor):
    people = {query: {item: grade * factor for item, grade in items.items()} for query, items in PEOPLE.items()}
    runs = {"good": GOOD, "poor": POOR}
    if verb == "leaderboards":
        notes = rm.leaderboards(people, MACHINE, runs, "nDCG@10").notes
    elif verb == "compare":
        notes = rm.compare(people, runs, ["nDCG@10"], assisted_by=MACHINE).assisted.notes
    else:
        notes = rm.evaluate(people, GOOD, ["nDCG@10"], assisted_by=MACHINE).assisted.notes
    told = [note for note in notes if note.kind == "highest_grades_differ"]
    assert len(told) == (factor > 1)
    assert all(f"up to {3 * factor}, the machine's up to 3:" in note for note in told)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("names", [("good", "poor"), ("the-long-name-of-a-good-system", "the-long-name-of-a-poor-one")])
def test_the_tables_fit_and_keep_what_matters(width, language, names):
    assisted = rm.compare(PEOPLE, dict(zip(names, (GOOD, POOR), strict=True)), ["nDCG@10", "P@5"],
                          assisted_by=MACHINE).assisted  # fmt: skip
    text = assisted.to_text(language, width=width)
    assert max(map(width_of, text.splitlines())) <= width
    value, gap = assisted.value("nDCG@10", names[0]), assisted.difference("nDCG@10", *names)
    for number in (value.value, value.low, value.people, value.machine, gap.value, gap.low, gap.people):
        assert f"{number:.4f}".lstrip("-") in text
    wide = assisted.to_text(language)
    assert f" [{value.people_low:.4f}, {value.people_high:.4f}]" in wide
    assert "- [" not in wide
    assert "holm" in text.partition("<0")[0]


def test_scores_of_nuggets_survive_being_kept():
    rows = [{"query": f"q{n}", "nugget": nugget, "importance": "vital", "support": (n * at) % 2}
            for n in range(30) for at, nugget in enumerate("ab")]  # fmt: skip
    machine = pl.DataFrame(rows)
    people = machine.filter(pl.col("query").is_in([f"q{n}" for n in range(12)]))
    made = rm.nuggets(people, assisted_by=machine).assisted
    again = Assistance.from_plain(json.loads(json.dumps(made.to_plain())))
    assert again.measures == made.measures
    assert again.to_text() == made.to_text()
