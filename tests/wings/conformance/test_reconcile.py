"""Reconcile: definitions from numbers, and the difference of two tools as steps."""

from __future__ import annotations

import json
import math
import random
import warnings
from decimal import Decimal
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from tests.properties.strategies import PLAIN, usual

import rankmeter as rm
from rankmeter import demo
from rankmeter.cli.application import app
from rankmeter.measures.dialects import CUTS, dialect_names, find_dialect
from rankmeter.wings.conformance.bench import Bench
from rankmeter.wings.conformance.reconcile import between, matches, read_claim, reconcile
from rankmeter.wings.conformance.space import (
    Change,
    axes_of,
    change_sets,
    changes_between,
    meant_by,
    spoken_by_tools,
    tools_with,
    with_changes,
)

JUDGMENTS = demo.data_path(demo.JUDGMENTS)
KEYWORD = demo.data_path(demo.RUNS["keyword"])


@cache
def small():
    """Data on which every convention matters: grades, ties, misses, unjudged items, queries without a list."""
    random.seed(7)
    items = [f"d{number}" for number in range(30)]
    judgments = {
        f"q{q}": {item: random.choice([0, 0, 1, 1, 2, 3]) for item in random.sample(items, 9)} for q in range(12)
    }
    judgments["nothing"] = {"d1": 0, "d2": 0}
    run = {
        f"q{q}": {item: random.choice([1.0, 2.0, 3.0, 2.00000001]) for item in random.sample(items, 15)}
        for q in range(11)
    }
    run["nothing"] = {"d1": 1.0, "d5": 0.5}
    run["unjudged"] = {"d1": 1.0}
    return judgments, run


@pytest.mark.parametrize("name", ["nDCG@5", "AP@5", "RR", "P@5", "R@5", "Success@3", "ERR@5", "RBP", "Bpref"])
def test_the_search_computes_what_evaluate_does(name):
    judgments, run = small()
    bench = Bench(judgments, run)
    measure = rm.parse(name)
    axes = axes_of(measure, bench.facts(measure))
    made = [with_changes(measure, changed) for size in (0, 1, 2) for changed in change_sets(axes, size)]
    random.seed(3)
    chosen = random.sample([one for one in dict.fromkeys(made) if one is not None], 60)
    expected = rm.evaluate(judgments, run, chosen)
    for one in chosen:
        assert bench.value(one) == pytest.approx(expected[one], abs=1e-12, nan_ok=True), str(one)


def repetitive():
    """Four hundred queries of few kinds: each has one to three judged items in a list of four, with ties or without."""
    random.seed(11)
    judgments, run = {}, {}
    for number in range(400):
        items = [f"d{item}" for item in random.sample(range(1000), 6)]
        judgments[number] = {item: random.choice([0, 1, 2]) for item in random.sample(items, random.choice([1, 1, 3]))}
        run[number] = dict(zip(items[:4], random.choice([(4, 3, 2, 1), (2, 2, 1, -1)]), strict=True))
    return judgments, run


@pytest.mark.parametrize("name", ["nDCG@3", "AP@3", "RR", "P@3", "Bpref"])
def test_queries_alike_are_computed_once_and_counted_each(name):
    judgments, run = repetitive()
    bench = Bench(judgments, run)
    measure = rm.parse(name)
    axes = axes_of(measure, bench.facts(measure))
    made = {with_changes(measure, changed): None for size in (0, 1, 2) for changed in change_sets(axes, size)}
    random.seed(3)
    possible = [one for one in made if one is not None]
    # Every aggregate adds up the values of queries in its own way.
    chosen = [*{one.aggregate: one for one in possible}.values(), *random.sample(possible, 80)]
    assert {one.aggregate for one in chosen} > {"mean", "median", "geometric", "sum"}
    expected = rm.evaluate(judgments, run, chosen)
    # To the last digit: every sum is exact, however often a value counts.
    assert [bench.value(one) for one in chosen] == [exactly(expected[one]) for one in chosen]


def exactly(value):
    return pytest.approx(value, rel=0, abs=0, nan_ok=True)


def uneven():
    """Two hundred queries whose lists are shorter and longer than the cutoff, some without a list or a judgment."""
    draw = random.Random(13)
    judgments, run = {}, {}
    for number in range(200):
        items = [f"d{item}" for item in draw.sample(range(100), 12)]
        judged = draw.sample(items, draw.choice([1, 2, 4]))
        if number % 20:
            judgments[number] = {item: draw.choice([-1, 0, 0.5, 1, 1, 2, 3]) for item in judged}
        if number % 17:
            scores = draw.choice([(5, 4, 3, 2, 1, -1), (2, 2, 1, 1, 1, 0, -1), (2,), (9, 8, 7, 6, 5, 4, 3, 2, 1)])
            run[number] = dict(zip(draw.sample(items, len(scores)), scores, strict=True))
    return judgments, run


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAIN)
def test_what_a_definition_does_not_look_at_changes_no_digit(name):
    """Queries that differ behind the cutoff, below the threshold or inside a tie are one kind to most definitions."""
    judgments, run = uneven()
    bench = Bench(judgments, run)
    others = {"IPrec": "IPrec@0.5"} | {one: f"{one}(ties=item)" for one in ("AUC", "GAUC", "PairAccuracy")}
    measure = (rm.parse(others[name]) if name in others else usual(name))(cutoff=3)
    axes = axes_of(measure, bench.facts(measure)) | {"depth": (2, 3, 5), "cutoff": (5, None)}
    sets = [one for size in (1, 2, 3) for one in random.Random(3).sample([*change_sets(axes, size)], 10 * size)]
    made = {with_changes(measure, changed): None for changed in sets}
    chosen = answered([one for one in made if one is not None], judgments, run)
    assert len(chosen) > 12
    expected = rm.evaluate(judgments, run, chosen)
    assert [bench.value(one) for one in chosen] == [exactly(expected[one]) for one in chosen]


def answered(measures, judgments, run):
    """The measures that have an answer on the data: all at once, or else those of each half."""
    try:
        rm.evaluate(judgments, run, measures)
    except rm.MeasureError:
        half = len(measures) // 2
        return (
            [one for part in (measures[:half], measures[half:]) for one in answered(part, judgments, run)]
            if half
            else []
        )
    return measures


@pytest.mark.parametrize("name", ["alpha_nDCG@5", "ERR_IA@5", "StRecall@5"])
def test_the_search_computes_what_evaluate_does_with_subtopics(name):
    judged, run = small()
    random.seed(5)
    judgments = {
        query: {item: {f"s{random.randrange(3)}": int(grade > 0)} for item, grade in grades.items()}
        for query, grades in judged.items()
    }
    bench = Bench(judgments, run)
    measure = rm.parse(name)
    axes = axes_of(measure, bench.facts(measure))
    made = {with_changes(measure, changed) for size in (0, 1) for changed in change_sets(axes, size)} - {None}
    assert len(made) > 10
    for one in made:
        expected = rm.evaluate(judgments, run, [one])[one]
        assert bench.value(one) == pytest.approx(expected, abs=1e-12, nan_ok=True), str(one)


@pytest.mark.wings("catalogue")
def test_what_came_ranked_is_searched_too():
    users, items = np.array([[1, 0], [0.6, 0.8], [0, 1]]), np.array([[1, 0.2], [0.5, 0.5], [0.1, 0.9], [0.9, 0.9]])
    ranked = rm.rank_catalogue({0: [1], 1: [2], 2: [0, 3]}, users, items)
    value = rm.evaluate(ranked, measures=["RR(aggregate=median)"])["RR(aggregate=median)"]
    found = reconcile(ranked, None, {"MRR": round(value, 6)}, changes=1)
    assert found.found
    tried = [measure for one in found.claims[0].definitions for measure in one.measures]
    assert all(measure.candidates != "appended" and measure.scores == "float64" for measure in tried)


def test_a_tool_is_found_by_its_number():
    judgments, run = small()
    value = rm.evaluate(judgments, run, ["NDCG@5"], dialect="recbole")["NDCG@5"]
    found = reconcile(judgments, run, {"NDCG@5": f"{value:.4f}"})
    assert "recbole" in {match.tool for match in found.tools}
    assert found.found
    for definition in found.definitions:
        again = rm.evaluate(judgments, run, list(definition.measures))
        assert f"{again[definition.measures[0]]:.4f}" == f"{value:.4f}"


@pytest.mark.parametrize("tool", ["trec_eval", "recbole", "sklearn", "ranx", "sentence_transformers", "replay"])
def test_every_number_of_a_tool_leads_back_to_it(tool):
    spoken = [one for one in spoken_by_tools("NDCG@10", rm.nDCG @ 10, (1, 2, 3)) if one.dialect == tool]
    value = rm.evaluate(JUDGMENTS, KEYWORD, [spoken[0].measure])[spoken[0].measure]
    found = reconcile(JUDGMENTS, KEYWORD, {"NDCG@10": f"{value:.4f}"}, changes=0)
    assert tool in {match.tool for match in found.tools}


@pytest.mark.parametrize("name", ["nDCG@5", "P@5", "R@5", "RR@5", "AP@5", "ERR@5"])
def test_a_tool_that_spells_its_cutoff_as_an_option_has_the_measure(name):
    """By rankmeter's name each tool has the metrics that it has by its own, and the steps lead to their number."""
    judgments, run = small()
    measure = rm.parse(name)
    spoken = {one.dialect: one for one in spoken_by_tools(name, measure, (1, 2, 3)) if ":" not in one.dialect}
    having = {
        tool
        for tool in dialect_names()
        for metric in find_dialect(tool).metrics
        if type(measure).name in (metric.measure, *(turned for *_, turned in metric.turned))
        and any(meant in CUTS for meant in metric.options.values())
    }
    assert having <= spoken.keys()
    for tool in having:
        path = between(judgments, run, "rankmeter", tool, name)
        end = rm.evaluate(judgments, run, [path.last.metric], dialect=tool)[path.last.metric]
        assert path.end == pytest.approx(end, abs=1e-12, nan_ok=True), (tool, path.last.metric)


@pytest.mark.parametrize("tools", [("elasticsearch", "mlflow"), ("elasticsearch", "trec_eval")])
def test_a_list_cut_before_or_as_it_is_measured_is_one_step(tools):
    path = between(*small(), *tools, "P@5")
    cuts = [[change.axis for change in step.changes if change.axis in CUTS] for step in path.steps]
    assert [one for one in cuts if one] in ([], [["depth", "cutoff"]])


def test_the_fewest_changes_come_first_and_none_is_more_than_needed():
    judgments, run = small()
    value = rm.evaluate(judgments, run, ["nDCG(gain=exp2)@5"])["nDCG(gain=exp2)@5"]
    found = reconcile(judgments, run, {"NDCG@5": round(value, 6)})
    assert found.definitions[0].changes == (Change("gain", "exp2"),)
    assert "sklearn" not in found.definitions[0].tools[0]
    sizes = [len(one.changes) for one in found.definitions]
    assert sizes == sorted(sizes)
    sets = [set(one.changes) for one in found.definitions]
    assert not any(one < other for one in sets for other in sets)


def test_the_default_needs_no_change():
    judgments, run = small()
    value = rm.evaluate(judgments, run, ["RR"])["RR"]
    found = reconcile(judgments, run, {"MRR": f"{value:.5f}"})
    assert found.definitions[0].changes == ()
    assert len(found.definitions) == 1
    assert "nothing changed" in found.to_text()


def test_several_claims_narrow_the_choice():
    judgments, run = small()
    wanted = rm.evaluate(judgments, run, ["nDCG(ties=input)@5", "AP(ties=input)@5"])
    ndcg, ap = (f"{wanted[name]:.4f}" for name in ("nDCG(ties=input)@5", "AP(ties=input)@5"))
    both = reconcile(judgments, run, [("NDCG@5", ndcg), ("MAP@5", ap)])
    assert (Change("ties", "input"),) in [one.changes for one in both.definitions]
    alone = {one.changes for one in both.claims[0].definitions}
    assert {one.changes for one in both.definitions if len(one.changes) < 2} <= alone
    for one in both.definitions:
        values = rm.evaluate(judgments, run, list(one.measures))
        assert [f"{values[measure]:.4f}" for measure in one.measures] == [ndcg, ap]
    assert len(both.definitions) <= both.matching_together <= min(one.matching for one in both.claims) ** 2
    assert both.matching_together < both.tried_together
    told = f"Together: {both.matching_together:,} of {both.tried_together:,} definitions give every number."
    assert told in both.to_text()


def test_what_matches_and_is_not_listed_is_told():
    judgments, run = small()
    found = reconcile(judgments, run, {"NDCG@5": f"{rm.evaluate(judgments, run, ['nDCG@5'])['nDCG@5']:.4f}"})
    assert found.matching_together > len(found.definitions) == 1
    assert "Definitions that change even more are not listed." in found.to_text()
    assert "Together" not in found.to_text()
    none = reconcile(judgments, run, {"NDCG@5": "0.987654321"}, changes=1)
    assert "still more" not in none.to_text()


def test_two_numbers_of_one_name_are_told_apart():
    found = reconcile(JUDGMENTS, KEYWORD, [("NDCG@10", "0.5423"), ("NDCG@10", "0.4657")], changes=2)
    text = found.to_text()
    assert not found.definitions
    assert "None gives both; --between recbole,beir -m NDCG@10 explains their difference." in text
    assert text.count("What each convention alone does") == 1
    alone = text.partition("Definitions that give NDCG@10 = 0.5423 alone")[2].partition("\n\n")[0]
    assert alone.count(" = ") == len(found.claims[0].definitions)  # one value each, that of its own claim


@pytest.mark.slow
def test_three_changes_are_tried_where_two_are_not_enough():
    judgments, run = small()
    name = "nDCG(discount=jk,gain=exp2,ties=worst)@5"
    value = rm.evaluate(judgments, run, [name])[name]
    found = reconcile(judgments, run, {"NDCG@5": round(value, 9)})
    assert found.deepest == 3
    wanted = {Change("discount", "jk"), Change("gain", "exp2"), Change("ties", "worst")}
    assert wanted in [set(one.changes) for one in found.definitions]


def test_what_a_claim_states_is_not_changed():
    judgments, run = small()
    value = rm.evaluate(judgments, run, ["nDCG@5"])["nDCG@5"]
    found = reconcile(judgments, run, {"nDCG(gain=exp2)@5": round(value, 6)}, changes=1)
    axes = {effect.axis for effect in found.claims[0].effects}
    assert "gain" not in axes
    assert "discount" in axes
    assert not found.claims[0].definitions or all(m.gain == "exp2" for one in found.definitions for m in one.measures)


def test_no_match_tells_the_nearest_and_what_it_lacks():
    found = reconcile({"q": {"a": 1}}, {"q": ["x", "a"]}, {"MRR": 0.777}, changes=1)
    assert not found.found
    miss = found.claims[0].nearest
    assert miss.value + miss.off == pytest.approx(0.777)
    assert abs(miss.off) == min(abs(0.777 - value) for value in (0.0, 0.5, 1.0))
    assert "its value would have to change by" in found.to_text()


def test_the_effect_of_an_axis_is_the_largest_change_that_it_makes():
    judgments, run = small()
    found = reconcile(judgments, run, {"NDCG@5": 0.5}, changes=0)
    base = rm.evaluate(judgments, run, ["nDCG@5"])["nDCG@5"]
    gain = next(effect for effect in found.claims[0].effects if effect.axis == "gain")
    others = rm.evaluate(judgments, run, ["nDCG(gain=exp2)@5", "nDCG(gain=binary)@5"]).mean
    assert abs(gain.delta) == pytest.approx(max(abs(value - base) for value in others.values()))


def test_counts_and_chance():
    found = reconcile({"q": {"a": 1}}, {"q": ["x", "a"]}, {"MRR": "0.50"}, changes=2).claims[0]
    assert 1 <= found.matching <= found.tried
    assert found.chance == pytest.approx(found.distinct / (round(found.highest * 100) - round(found.lowest * 100) + 1))


def test_the_limit_ends_the_search_and_is_told():
    found = reconcile(*small(), {"NDCG@5": 0.12345}, limit=150)
    assert found.stopped
    assert "stopped at its limit" in found.to_text()


def test_a_number_that_its_tool_rounds_first_may_be_rounded_twice():
    three, four = read_claim("NDCG@10", "0.124"), read_claim("NDCG@10", "0.1235")
    assert not matches(three, 0.12346)
    assert matches(three, 0.12346, spare=6e-5)
    assert not matches(four, 0.12344, spare=6e-5)  # no finer than the claim: nothing is rounded twice


def test_digits_and_percentages():
    assert read_claim("MRR", "0.3120").digits == 4
    assert read_claim("MRR", 0.312).digits == 3
    assert (read_claim("MRR", "31.2%").value, read_claim("MRR", "31.2%").digits) == (0.312, 3)
    assert matches(read_claim("MRR", "0.31"), 0.3149)
    assert not matches(read_claim("MRR", "0.310"), 0.3149)
    assert matches(read_claim("MRR", 1 / 3), 1 / 3 + 1e-12)


@pytest.mark.parametrize(
    ("name", "number", "told"),
    [
        ("NDCG@10", "1.7", "NDCG@10=1.7 is not possible: nDCG lies between 0 and 1"),
        ("NDCG@10", "31.18", "NDCG@10=31.18%"),
        ("MRR", "-0.1", "not possible"),
        ("MRR", "nan", "expected a number"),
        ("MRR", "high", "expected a number"),
        ("P.5,10", "0.2", "stands for 2 measures"),
        ("NDGC@10", "0.2", "did you mean"),
    ],
)
def test_bad_claims_are_refused(name, number, told):
    with pytest.raises(rm.MeasureError, match=told):
        read_claim(name, number)


def test_no_claim_is_refused():
    with pytest.raises(rm.MeasureError, match="no claim was given"):
        reconcile(*small(), {})


@pytest.mark.wings("online")
def test_measures_of_events_are_refused():
    with pytest.raises(rm.RankmeterError, match="log of events"):
        reconcile(*small(), {"CTR": 0.2})


def test_names_of_tools_are_understood():
    assert str(meant_by("RetrievalNormalizedDCG(top_k=5)")) == "nDCG@5"
    assert str(meant_by("ndcg_cut_10")) == "nDCG@10"


def test_options_of_tools_take_values_that_make_sense():
    tools = {one.dialect for one in spoken_by_tools("AP", rm.AP, (1, 2))}
    assert {"trec_eval:l=2", "trec_eval:M=100", "trec_eval:c"} <= tools
    assert "trec_eval:M=2" not in tools


def test_two_options_of_a_tool_and_a_threshold_above_every_grade_are_tried():
    judgments = {"q1": {"a": 2, "b": 1}, "q2": {"c": 2}, "q3": {"d": 1}}
    run = {"q1": {"b": 3.0, "a": 2.0}, "q2": {"x": 2.0, "c": 1.0}}
    value = rm.evaluate(judgments, run, ["map"], dialect="trec_eval:c,l=2").means
    found = reconcile(judgments, run, {"map": f"{next(iter(value.values())):.4f}"}, changes=0)
    assert "trec_eval:c,l=2" in [match.tool for match in found.tools]
    nothing = reconcile(judgments, run, {"map": "0.0000"}, changes=0)
    assert "trec_eval:l=3" in [match.tool for match in nothing.tools]


def test_a_name_whose_own_measure_has_no_value_with_a_cutoff_is_understood():
    assert str(meant_by("RocAuc@10")) == "AUC(empty=skip,ties=item)@10"


def test_tools_with_a_convention():
    assert "recbole" in tools_with("AP", Change("norm", "capped"))
    assert "trec_eval" not in tools_with("AP", Change("norm", "capped"))
    assert {"ranx", "ir_measures", "trec_eval:l=2"} <= set(tools_with("AP", Change("rel", 2.0)))
    assert "trec_eval:l=2" not in tools_with("nDCG", Change("rel", 2.0))  # it leaves graded measures alone


@pytest.mark.slow
def test_steps_add_up_for_every_pair_of_tools():
    judgments, run = small()
    tools = []
    for tool in ["rankmeter", *dialect_names()]:
        try:
            between(judgments, run, "rankmeter", tool, "NDCG@5")
        except rm.MeasureError:
            continue
        tools.append(tool)
    assert len(tools) > 15
    for first in tools[::8]:
        for second in tools:
            path = between(judgments, run, first, second, "NDCG@5")
            if math.isnan(path.start) or math.isnan(path.end):
                continue
            assert sum(step.adds for step in path.steps) == pytest.approx(path.difference, abs=1e-12)
            ends = rm.evaluate(judgments, run, [path.first.measure, path.last.measure])
            assert path.start == pytest.approx(ends[path.first.measure], abs=1e-12)
            assert path.end == pytest.approx(ends[path.last.measure], abs=1e-12)
            changed = [change for step in path.steps for change in step.changes]
            assert tuple(changed) == changes_between(path.first.measure, path.last.measure)


def test_the_same_definition_has_no_steps():
    path = between(*small(), "recbole", "recbole", "NDCG@5")
    assert path.steps == ()
    assert "same definition" in path.to_text()


def test_a_value_that_is_nan_is_told():
    path = between(*small(), "recbole", "rankmeter", "Recall@5")
    assert math.isnan(path.start)
    assert "has no difference" in path.to_text()
    assert json.loads(path.to_json())["from"]["value"] is None


def test_what_cannot_be_without_the_other_is_one_step():
    judgments, run = small()
    there = between(judgments, run, "rankmeter", "rectools", "NDCG@5")
    back = between(judgments, run, "rectools", "rankmeter", "NDCG@5")
    assert all(len(step.changes) == 1 for step in there.steps)
    assert [change.axis for step in back.steps if len(step.changes) > 1 for change in step.changes] == ["gain", "ideal"]
    assert back.difference == pytest.approx(-there.difference)


def test_unknown_tools_and_metrics_name_the_nearest():
    with pytest.raises(rm.NotFoundError, match="did you mean 'recbole'"):
        between(*small(), "trec_eval", "recbol", "NDCG@5")
    with pytest.raises(rm.MeasureError, match="has no metric 'Nonsense'"):
        between(*small(), "trec_eval", "recbole", "Nonsense")


def invoke(*args):
    return CliRunner().invoke(app, ["reconcile", str(JUDGMENTS), str(KEYWORD), *args])


def test_the_command_finds_a_tool():
    result = invoke("--claim", "NDCG@10=0.5423")
    assert result.exit_code == 0
    assert "recbole\n    NDCG@10: nDCG(gain=binary,ties=input)@10 = 0.542314" in result.stdout
    data = json.loads(invoke("--claim", "NDCG@10=0.5423", "--changes", "1", "--format", "json").stdout)
    assert data["found"]
    assert data["tools"][0]["tool"] == "recbole"


def test_the_command_explains_a_difference():
    result = invoke("--between", "trec_eval:9,c,recbole", "-m", "NDCG@10", "--format", "json")
    data = json.loads(result.stdout)
    assert data["from"]["tool"] == "trec_eval:9,c"
    assert sum(step["adds"] for step in data["steps"]) == pytest.approx(data["to"]["value"] - data["from"]["value"])
    assert "| gain=binary |" in invoke("--between", "trec_eval,recbole", "-m", "NDCG@10", "--format", "markdown").stdout


def test_the_command_exits_with_1_where_nothing_is_found():
    assert invoke("--claim", "NDCG@10=0.31118999", "--changes", "1").exit_code == 1


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([], "neither --claim nor --between was given"),
        (["--claim", "NDCG@10"], "is not of the form NAME=NUMBER"),
        (["--claim", "NDCG@10=2"], "not possible"),
        (["--claim", "NDCG@10=0.3", "-m", "AP"], "-m belongs to --between"),
        (["--claim", "NDCG@10=0.3", "--between", "ranx,beir"], "ask one"),
        (["--between", "trec_eval", "-m", "AP"], "takes two tools"),
        (["--between", "trec_eval,recbole"], "needs a metric"),
        (["--between", "trec_eval,nobody", "-m", "AP"], "unknown dialect 'nobody'"),
    ],
)
def test_bad_commands_are_sentences(args, told):
    result = invoke(*args)
    assert result.exit_code == 2
    assert told in result.stderr


def test_a_reconciliation_is_told_in_two_languages_and_four_formats() -> None:
    found = reconcile({"q<1>": {"a": 2, "b": 1}}, {"q<1>": ["b", "x", "a"]}, {"NDCG@10": 0.1234, "MAP": 0.99})
    english, chinese = found.to_text(), found.to_text("zh")
    assert english.splitlines()[0] == "Claims"
    assert chinese.splitlines()[0] == "所报数值"
    assert len(english.splitlines()) == len(chinese.splitlines())
    assert "| NDCG@10 | 0.1234 | nDCG@10 |" in found.to_markdown("zh")
    page = found.to_html("zh")
    assert ">所报</th>" in page
    assert page.count("<table") == page.count("</table>") >= 2
    path = between({"q": {"a": 2, "b": 1}}, {"q": ["b", "x", "a"]}, "rankmeter", "recbole", "NDCG@10")
    assert path.to_text("zh").splitlines()[0].split() == ["步骤", "数值", "变化", "定义"]
    assert ">gain=binary</td>" in path.to_html()


@pytest.mark.slow
def test_what_cannot_matter_on_the_data_changes_no_value() -> None:
    """One computation stands for all choices of such a convention; the value is that of each choice alone."""
    draw = random.Random(4)
    for tied, grades in ((True, [0, 1]), (False, [0, 1, 2]), (True, [-1, 0, 1, 3]), (False, [0, 1])):
        judgments = {f"q{q}": {f"d{i}": draw.choice(grades) for i in draw.sample(range(20), 6)} for q in range(5)}
        run = {
            f"q{q}": {
                f"d{i}": draw.choice([1.0, 2.0, -1.0]) if tied else draw.random() for i in draw.sample(range(20), 9)
            }
            for q in range(5)
        }
        bench = Bench(judgments, run)
        for name in ("nDCG@5", "AP@5"):
            measure = rm.parse(name)
            sets = [one for size in (1, 2) for one in change_sets(axes_of(measure, bench.facts(measure)), size)]
            made = {with_changes(measure, one) for one in draw.sample(sets, 120)} - {None}
            for one in made:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", rm.RankmeterWarning)
                    try:
                        alone = rm.evaluate(judgments, run, [one]).means[one]
                    except rm.MeasureError:
                        continue
                assert bench.value(one) == pytest.approx(alone, abs=1e-12, nan_ok=True), one


@pytest.mark.parametrize(
    ("number", "digits"), [(Decimal("0.3120"), 4), (np.float32(0.3118), 4), (np.float64(0.25), 2), (1, 1), ("1", 0)]
)
def test_a_claim_has_the_digits_of_its_number(number: object, digits: int) -> None:
    claim = read_claim("MRR", number)
    assert (claim.value, claim.digits) == (float(str(number)), digits)


@pytest.mark.parametrize("number", [None, True, "", "0,31", [0.3], float("nan")])
def test_what_is_no_number_is_no_claim(number: object) -> None:
    with pytest.raises(rm.MeasureError, match="expected a number"):
        read_claim("MRR", number)


@pytest.mark.parametrize("claims", [3, None, "nDCG", [3], [("nDCG",)], [("nDCG", 1, 2)]])
def test_what_is_no_claim_is_refused_in_a_sentence(claims) -> None:
    with pytest.raises(rm.MeasureError, match=r"is not a claim: .*Hint: reconcile"):
        rm.reconcile({"q": {"a": 1}}, {"q": ["a"]}, claims)
