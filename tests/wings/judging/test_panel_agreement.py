"""Agreement of judges: what comes in, what is refused, what is shown; the numbers are tested with the statistics."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.wings.judging.panel import parse_scale

PEOPLE = "32001 00010 22100 33210 01000 10200"
MACHINE = "33112 00010 33210 33211 00000 11200"


def judgments(text: str) -> dict[str, dict[str, int]]:
    return {
        f"q{query}": {f"d{item}": int(grade) for item, grade in enumerate(row)}
        for query, row in enumerate(text.split())
    }


def table(**judges: dict[str, dict[str, float]]) -> pl.DataFrame:
    rows = [
        (query, item, float(grade), judge)
        for judge, queries in judges.items()
        for query, items in queries.items()
        for item, grade in items.items()
    ]
    return pl.DataFrame(rows, schema=["query", "item", "grade", "judge"], orient="row")


def many(queries: int, seed: int = 0) -> tuple[dict[int, dict[int, int]], dict[int, dict[int, int]]]:
    rng = np.random.default_rng(seed)
    people = {query: {item: int(rng.integers(0, 4)) for item in range(5)} for query in range(queries)}
    machine = {
        query: {item: int(np.clip(grade + rng.integers(-1, 2), 0, 3)) for item, grade in items.items()}
        for query, items in people.items()
    }
    return people, machine


def both() -> dict[str, dict[str, dict[str, int]]]:
    return {"people": judgments(PEOPLE), "machine": judgments(MACHINE)}


@pytest.mark.parametrize("way", ["mappings", "frame", "csv", "frames", "pandas"])
def test_every_way_in_gives_the_same_numbers(way, tmp_path):
    given: object = both()
    if way == "frame":
        given = table(**both())
    elif way == "pandas":
        given = table(**both()).to_pandas()
    elif way == "csv":
        given = tmp_path / "all.csv"
        table(**both()).write_csv(given)
    elif way == "frames":
        given = {name: table(**{name: one}).drop("judge") for name, one in both().items()}
    found = rm.judges(given, scale="0..3")
    assert found.judges == ("people", "machine")
    assert found["kappa_quadratic"] == pytest.approx(0.852018, abs=5e-7)
    assert found.pairs[0].confusion == ((11, 5, 0, 0), (1, 3, 2, 0), (0, 0, 2, 3), (0, 0, 0, 3))
    assert found.pairs[0].kappa_from == pytest.approx({1: 0.605263, 2: 0.842105, 3: 0.6153846}, abs=5e-7)


def test_the_order_of_rows_and_the_names_of_ids_change_nothing():
    shuffled = table(**both()).sample(fraction=1.0, shuffle=True, seed=3)
    renamed = shuffled.with_columns(query="x" + pl.col("query"), item="y" + pl.col("item"))
    expected = rm.judges(both(), scale="0..3")
    found = rm.judges({name: renamed.filter(judge=name).drop("judge") for name in both()}, scale="0..3")
    for name, one in expected.coefficients.items():
        assert found[name] == pytest.approx(one.value, abs=1e-12)


def test_intervals_come_with_ten_queries():
    people, machine = many(12)
    found = rm.judges({"people": people, "machine": machine})
    for name in ("kappa_quadratic", "alpha_ordinal", "ac2_quadratic", "bias"):
        one = found.coefficient(name)
        assert one.low < one.value < one.high
        assert one.queries == 12
    fewer = rm.judges({"people": {q: people[q] for q in range(9)}, "machine": machine})
    assert np.isnan(fewer.coefficient("bias").low)
    assert any(note.kind == "too_few_queries" for note in fewer.notes)


def test_level_changes_the_width_only():
    people, machine = many(15)
    narrow, wide = (rm.judges({"a": people, "b": machine}, level=level).coefficient("kappa") for level in (0.5, 0.99))
    assert narrow.value == wide.value
    assert wide.low < narrow.low < narrow.high < wide.high


def test_three_judges_are_compared_together_and_two_by_two():
    people, machine = many(12)
    third = many(12, seed=0)[1]
    found = rm.judges({"a": people, "b": machine, "c": third})
    assert [(two.first, two.second) for two in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert "kappa" not in found.coefficients
    assert found.pair("b", "c").coefficients["agreement"].value == 1


def test_many_judges_are_not_compared_two_by_two():
    people, _ = many(4)
    found = rm.judges({f"judge {number}": people for number in range(30)})
    assert found.pairs == ()
    assert found["agreement"] == 1
    assert len(found.per_judge) == 30
    assert "many_judges" in {note.kind for note in found.notes}
    found.to_text()


@pytest.mark.parametrize(
    ("grades", "scale"),
    [([0, 1], "0..1"), ([0, 1, 2], None), (list(range(11)), "0..10"), ([0, 0.5, 1], [0, 0.5, 1]), ([1, 2, 3], "1..3")],
)
def test_scales_of_every_size(grades, scale):
    people = {"q": dict(enumerate(grades))}
    found = rm.judges({"a": people, "b": people}, scale=scale)
    assert found["kappa_quadratic"] == pytest.approx(1)
    assert found["bias"] == 0


def test_one_pair_in_common_has_values_and_no_interval():
    found = rm.judges({"a": {"q": {"x": 1, "y": 0}}, "b": {"q": {"x": 1}, "r": {"z": 0}}}, scale="0..1")
    assert found.in_common == 1
    assert found.judged == 3
    assert found["agreement"] == 1
    assert np.isnan(found["kappa"])
    kinds = {note.kind for note in found.notes}
    assert {"judged_alone", "too_few_queries", "all_the_same"} <= kinds
    assert "undefined" in found.to_text()


def test_pairs_judged_once_count_where_asked():
    given = {"a": {"q": {"x": 1, "y": 0, "z": 1}}, "b": {"q": {"x": 1, "y": 1}}}
    skipped, counted = (rm.judges(given, scale="0..1", singles=how) for how in ("skip", "count"))
    assert skipped["agreement"] == counted["agreement"] == 0.5
    assert skipped["ac1"] != counted["ac1"]


def test_a_grade_below_zero_is_no_judgment():
    found = rm.judges({"a": {"q": {"x": 1, "y": -1}}, "b": {"q": {"x": 1, "y": 2}}}, scale="0..2")
    assert found.in_common == 1


def test_the_pairs_to_discuss_are_those_furthest_apart():
    given = {"a": {"q": {"x": 0, "y": 2, "z": 3}}, "b": {"q": {"x": 3, "y": 1, "z": 3}}}
    found = rm.judges(given)
    assert found.to_discuss.rows() == [("q", "x", 0, 3, 3), ("q", "y", 2, 1, 1)]
    assert found.per_query.rows() == [("q", 3, 1 / 3, 4 / 3)]


def test_each_judge_is_held_against_the_others():
    found = rm.judges({"a": {"q": {"x": 0}}, "b": {"q": {"x": 1}}, "c": {"q": {"x": 2}}}, scale="0..2")
    assert found.per_judge["bias"].to_list() == [-1.5, 0, 1.5]


@pytest.mark.parametrize(
    ("given", "options", "kind"),
    [
        ({"a": {"q": {"x": 1}}}, {}, "one_judge"),
        ({}, {}, "one_judge"),
        (3, {}, "not_by_judge"),
        ({"a": {"q": {"x": 1}}, "b": {"q": {"y": 1}}}, {}, "nothing_in_common"),
        ({"a": {"q": {"x": 1}}, "b": {"r": {"x": 1}}}, {}, "nothing_in_common"),
        ({"a": {"q": {"x": 1}}, "b": {"q": {"x": 5}}}, {}, "unlike_scales"),
        ({"a": {"q": {"x": 0.5}}, "b": {"q": {"x": 1}}}, {}, "fractions"),
        ({"a": {"q": {"x": 900}}, "b": {"q": {"x": 900}}}, {}, "too_many_grades"),
        ({"a": {"q": {"x": 4}}, "b": {"q": {"x": 1}}}, {"scale": "0..3"}, "outside_scale"),
        ({"a": {"q": {"x": -1}}, "b": {"q": {"x": -1}}}, {"scale": "0..3"}, "no_grade"),
        (both(), {"scale": "3"}, "not_a_scale"),
        (both(), {"scale": [0, 0]}, "not_a_scale"),
        (both(), {"scale": 4}, "not_a_scale"),
        (both(), {"scale": "3..0"}, "not_a_scale"),
        (pl.DataFrame({"query": ["q"], "item": ["x"], "grade": [1]}), {}, "no_judge_column"),
        (table(a={"q": {"x": 1}}).with_columns(judge=pl.lit(None, pl.String)), {}, "nameless"),
        (pl.concat([table(a={"q": {"x": 1}}), table(a={"q": {"x": 2}}), table(b={"q": {"x": 2}})]), {}, "judged_twice"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_in_both_languages(given, options, kind):
    with pytest.raises(rm.InputError) as caught:
        rm.judges(given, **options)
    assert caught.value.problem.kind == f"judging.{kind}"
    assert "Hint:" in str(caught.value)
    assert "提示" in caught.value.text("zh")


def test_text_grades_are_refused():
    with pytest.raises(rm.InputError, match="not a number"):
        rm.judges({"a": {"q": {"x": "good"}}, "b": {"q": {"x": 1}}})
    with pytest.raises(rm.InputError, match="grade column is of type String"):
        rm.judges(table(a={"q": {"x": 1}}, b={"q": {"x": 1}}).with_columns(grade=pl.lit("good")))


def test_unknown_names_are_not_found():
    found = rm.judges(both(), scale="0..3")
    with pytest.raises(rm.NotFoundError, match="did you mean 'kappa_linear'"):
        found.coefficient("kapa_linear")
    with pytest.raises(rm.NotFoundError):
        found.pair("people", "nobody")


def test_scales_are_read_as_they_are_typed():
    assert parse_scale("1..3").tolist() == [1, 2, 3]
    assert parse_scale("0,0.5,1").tolist() == [0, 0.5, 1]
    assert parse_scale(range(3)).tolist() == [0, 1, 2]


def test_it_shows_itself_everywhere():
    people, machine = many(12)
    found = rm.judges({"people": people, "<b>machine</b>": machine})
    for language in ("en", "zh"):
        for text in (found.to_text(language), found.to_markdown(language), found.to_html(language)):
            assert "0." in text
    assert "<b>machine</b>" not in found._repr_html_()
    assert "<b>machine</b>" in repr(found)
    plain = json.loads(found.to_json())
    assert plain["scale"] == [0, 1, 2, 3]
    assert plain["coefficients"]["kappa"]["value"] == pytest.approx(found["kappa"])
    assert set(plain["definitions"]) == set(plain["coefficients"])
    rows = found.to_polars()
    assert rows.columns == ["judges", "coefficient", "value", "low", "high", "error", "pairs", "queries"]


def test_millions_of_pairs_are_counted_as_a_few_are():
    # 400 queries many times over: the value is that of the few, the error shrinks as the root.
    people, machine = many(12)
    few = rm.judges({"a": people, "b": machine})
    times = 50
    more = rm.judges(
        {
            name: {f"{query} {again}": items for query, items in one.items() for again in range(times)}
            for name, one in (("a", people), ("b", machine))
        }
    )
    for name in ("kappa_quadratic", "alpha_interval", "ac1"):
        a, b = few.coefficient(name), more.coefficient(name)
        assert a.value == pytest.approx(b.value, abs=2e-3)
        assert a.error / b.error == pytest.approx(times**0.5, rel=0.15)
