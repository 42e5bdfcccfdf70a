"""Nuggets: the worked example, every way in, a slow second implementation, and what is refused."""

from __future__ import annotations

import json
import random

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.wings.judging.estimators import tuned, unequal

WORKED = pl.DataFrame(
    {
        "query": ["q"] * 5,
        "nugget": list("abcde"),
        "importance": ["vital", "vital", "vital", "okay", "okay"],
        "support": ["support", "partial_support", "not_support", "support", "partial_support"],
    }
)
EXPECTED = {
    "all": 0.6, "all_strict": 0.4, "vital": 0.5, "vital_strict": 1 / 3, "weighted": 0.5625, "weighted_strict": 0.375,
}  # fmt: skip


@pytest.mark.parametrize("way", ["frame", "csv", "jsonl", "pandas", "other names", "numbers", "capitals"])
def test_the_worked_example_every_way_in(way, tmp_path):
    given: object = WORKED
    options = {}
    if way == "csv":
        given = tmp_path / "labels.csv"
        WORKED.write_csv(given)
    elif way == "jsonl":
        given = tmp_path / "labels.jsonl"
        WORKED.write_ndjson(given)
    elif way == "pandas":
        given = WORKED.to_pandas()
    elif way == "other names":
        given = WORKED.rename({"nugget": "fact", "support": "verdict"})
        options = {"columns": {"nugget": "fact", "support": "verdict"}}
    elif way == "numbers":
        given = WORKED.with_columns(support=pl.Series([1.0, 0.5, 0.0, 1.0, 0.5]))
    elif way == "capitals":
        given = WORKED.with_columns(pl.col("support").str.to_uppercase().str.replace("_", " "))
    scores = rm.nuggets(given, **options)
    for name, value in EXPECTED.items():
        assert scores[name] == pytest.approx(value, abs=1e-12), name


def test_a_slow_second_implementation_says_the_same():
    draw = random.Random(3)
    rows = [
        (system, query, f"n{number}", ("vital", "okay")[(query * 3 + number) % 2], draw.choice([0, 0.5, 1]))
        for system in ("a", "b")
        for query in range(12)
        for number in range(4 + query % 3)
    ]
    table = pl.DataFrame(rows, schema=["system", "query", "nugget", "importance", "support"], orient="row")
    scores = rm.nuggets(table)
    for system in ("a", "b"):
        by_query: dict[str, list[float]] = {name: [] for name in EXPECTED}
        for query in range(12):
            mine = [(kind, got) for s, q, _, kind, got in rows if s == system and q == query]
            for strict in (False, True):
                got = [(kind, float(value == 1) if strict else value) for kind, value in mine]
                vital = [value for kind, value in got if kind == "vital"]
                okay = [value for kind, value in got if kind == "okay"]
                end = "_strict" if strict else ""
                by_query[f"all{end}"].append(sum(vital + okay) / len(got))
                by_query[f"vital{end}"].append(sum(vital) / len(vital) if vital else 0.0)
                by_query[f"weighted{end}"].append((sum(vital) + sum(okay) / 2) / (len(vital) + len(okay) / 2))
        for name, values in by_query.items():
            one = scores.score(name, system)
            assert one.value == pytest.approx(sum(values) / len(values))
            assert one.queries == 12
            assert one.low <= one.value <= one.high


@pytest.mark.parametrize(("empty", "value", "queries"), [("zero", 0.25, 2), ("one", 0.75, 2), ("skip", 0.5, 1)])
def test_a_query_without_a_vital_nugget_counts_as_asked(empty, value, queries):
    table = pl.concat(
        [WORKED, pl.DataFrame({"query": ["r"], "nugget": ["z"], "importance": ["okay"], "support": ["support"]})]
    )
    one = rm.nuggets(table, empty=empty).score("vital")
    assert (one.value, one.queries) == (value, queries)


def test_two_vital_nuggets_and_no_okay_one_are_all_there_is():
    table = WORKED.head(2).with_columns(support=pl.lit("support"))
    assert rm.nuggets(table)["weighted"] == 1


def test_agreement_on_assignments():
    other = WORKED.with_columns(support=pl.Series(["support", "support", "not_support", "support", "not_support"]))
    agreement = rm.judges(
        {"people": rm.nuggets(WORKED).assignments(), "machine": rm.nuggets(other).assignments()}, scale=[0, 0.5, 1]
    )
    assert agreement["agreement"] == pytest.approx(0.6)
    assert agreement["bias"] == 0


def test_lengths_stand_beside():
    scores = rm.nuggets(WORKED.with_columns(length=pl.lit(120)))
    assert scores.lengths == {"answer": 120}
    assert "120" in scores.to_text()


@pytest.mark.parametrize(
    ("table", "options", "kind"),
    [
        (None, {}, "no_labels"),
        (WORKED.clear(), {}, "no_nuggets"),
        (WORKED.drop("support"), {}, "inputs.no_role"),
        (WORKED.with_columns(support=pl.lit("maybe")), {}, "nugget_label"),
        (WORKED.with_columns(support=pl.lit(None, pl.String)), {}, "nugget_label"),
        (WORKED.with_columns(importance=pl.lit("huge")), {}, "nugget_label"),
        (pl.concat([WORKED, WORKED]), {}, "nugget_twice"),
        (pl.concat([WORKED.with_columns(system=pl.lit(name), importance=pl.lit(kind))
                    for name, kind in (("a", "vital"), ("b", "okay"))]), {}, "nugget_importance"),
        (WORKED, {"columns": {"fact": "nugget"}}, "inputs.not_a_role"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_refused_with_the_place(table, options, kind):
    with pytest.raises(rm.InputError) as caught:
        rm.nuggets(table, **options)
    assert caught.value.problem.kind == (kind if "." in kind else f"judging.{kind}")
    assert "Hint:" in str(caught.value)
    assert "提示" in caught.value.text("zh")


def test_it_shows_itself_everywhere():
    scores = rm.nuggets(WORKED)
    for language in ("en", "zh"):
        for text in (scores.to_text(language), scores.to_markdown(language), scores.to_html(language)):
            assert "0.5625" in text
    plain = json.loads(scores.to_json())
    assert plain["scores"][0]["score"] == "vital_strict"
    assert set(plain["definitions"]) == set(EXPECTED)
    with pytest.raises(rm.NotFoundError):
        scores.score("vitall")


def labelled(seed, queries, judge):
    """Labels of two systems' answers; a judge is people or a lenient machine."""
    rng = np.random.default_rng(seed)
    rows = []
    for query in range(queries):
        for system, good in (("a", 0.4), ("b", 0.6)):
            for nugget in range(5):
                worth, lenient = rng.random(2)
                label = "support" if worth < good else "partial_support" if worth < good + 0.2 else "not_support"
                if judge == "machine" and label == "partial_support" and lenient < 0.5:
                    label = "support"
                rows.append((f"q{query}", system, f"n{nugget}", "vital" if nugget < 3 else "okay", label))
    return pl.DataFrame(rows, schema=["query", "system", "nugget", "importance", "support"], orient="row")


@pytest.mark.parametrize("kind", ["assumed", "queries", "unequal"])
def test_recorded_chances_choose_the_estimator(kind, tmp_path):
    people, machine = labelled(3, 40, "people"), labelled(3, 40, "machine")
    number = pl.col("query").str.slice(1).cast(pl.Int64)
    some = people.filter(number % 2 == 0)
    chance = {"queries": pl.lit(0.5), "unequal": pl.when(number < 20).then(0.4).otherwise(0.6)}
    if kind in chance:
        some = some.with_columns(query_chance=chance[kind])
    some.write_csv(tmp_path / "people.csv")
    scores = rm.nuggets(tmp_path / "people.csv", assisted_by=machine)
    assert scores.assisted.design.kind == kind
    assert ("assumed_random" in {note.kind for note in scores.assisted.notes}) == (kind == "assumed")
    made = scores.assisted.value("all", "a")
    truth, guessed = (rm.nuggets(table).per_query.filter(system="a") for table in (some, machine))
    y, everywhere = truth["all"].to_numpy(), guessed["all"].to_numpy()
    beside = guessed.join(truth, on="query", how="semi", maintain_order="left")["all"].to_numpy()
    if kind == "unequal":
        share = np.where(np.arange(0, 40, 2) < 20, 0.4, 0.6)
        expected = unequal(y, beside, share, everywhere)
        assert made.people == pytest.approx(np.average(y, weights=1 / share))
    else:
        expected = tuned(y, beside, everywhere)
    assert made.value == pytest.approx(float(expected.value))


@pytest.mark.parametrize("wrong", [0, 2, "x", None])
def test_chances_that_are_none_are_refused_with_the_place(wrong):
    people, machine = labelled(3, 40, "people"), labelled(3, 40, "machine")
    with pytest.raises(rm.InputError, match=f"query q0, item n0 is {wrong}") as caught:
        rm.nuggets(people.with_columns(query_chance=pl.lit(wrong)), assisted_by=machine)
    assert caught.value.problem.kind == "judging.chance"


def test_few_labels_of_people_are_helped_by_a_machine():
    people, machine = labelled(3, 40, "people"), labelled(3, 40, "machine")
    some = people.filter(pl.col("query").is_in([f"q{number}" for number in range(0, 40, 2)]))
    scores = rm.nuggets(some, assisted_by=machine)
    truth, guessed = rm.nuggets(some).per_query, rm.nuggets(machine).per_query
    for system in ("a", "b"):
        y = truth.filter(system=system)["vital_strict"].to_numpy()
        beside = guessed.filter((pl.col("system") == system) & pl.col("query").is_in(some["query"].unique().to_list()))
        f_all = guessed.filter(system=system)["vital_strict"].to_numpy()
        expected = tuned(y, beside["vital_strict"].to_numpy(), f_all)
        made = scores.assisted.value("vital_strict", system)
        assert (made.value, made.low) == pytest.approx((float(expected.value), max(float(expected.low), 0)))
    assert scores.assisted.difference("all", "b", "a").p is not None
    assert "assisted" in scores.to_dict()
    assert "人工" in scores.to_text("zh")
    with pytest.raises(rm.InputError, match="no labels for the answer"):
        rm.nuggets(people, assisted_by=machine.filter(pl.col("query") != "q3"))
    with pytest.raises(rm.InputError, match="Hint"):
        rm.nuggets(people.filter(query="q1"), assisted_by=machine)
