"""Several searches for one question: measures and conventions against plain Python, every way in, what is refused."""

from __future__ import annotations

import json

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wings.searches import session_oracle as oracle

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import RankmeterError

ITEMS = "abcdefg"
LIST = st.lists(st.sampled_from(ITEMS), unique=True, max_size=5)
CALLS = st.lists(LIST, min_size=1, max_size=4)
GRADES = st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 3), min_size=1, max_size=5)
QUESTIONS = st.lists(st.tuples(CALLS, GRADES), min_size=1, max_size=3).filter(lambda qs: any(any(c) for c, _ in qs))
SIZES = {item: 10 * place for place, item in enumerate(ITEMS, 1)}


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def rows_of(run):
    return [
        {"query": query, "call": call, "item": item, "score": 9.0 - place, "tokens": SIZES.get(item, 5)}
        for query, calls in run.items() for call, listed in enumerate(calls, 1) for place, item in enumerate(listed)
    ]  # fmt: skip


def mean(values):
    return sum(values) / len(values)


@settings(deadline=None, max_examples=40)
@given(questions=QUESTIONS, data=st.data())
def test_every_measure_equals_the_plain_oracle(questions, data):
    questions = [(calls, grades) for calls, grades in questions if any(calls)]
    run = {f"q{at}": calls for at, (calls, _) in enumerate(questions)}
    judged = {f"q{at}": grades for at, (_, grades) in enumerate(questions)}
    k = data.draw(st.sampled_from([None, 1, 3]))
    b, bq = data.draw(st.sampled_from([1.5, 2, 4.5])), data.draw(st.sampled_from([1.2, 4]))
    gain, discount = (
        data.draw(st.sampled_from(["linear", "exp2"])),
        data.draw(st.sampled_from(["jarvelin", "kanoulas"])),
    )
    repeats = data.draw(st.sampled_from(["counted", "once"]))
    ideal = data.draw(st.sampled_from(["each", "once"])) if repeats == "once" else "each"
    p, share = data.draw(st.sampled_from([0.3, 0.86])), data.draw(st.sampled_from([0.0, 0.64, 1.0]))
    calls, tokens = data.draw(st.sampled_from([None, 1, 2])), data.draw(st.sampled_from([None, 30, 90]))
    at = "" if k is None else f"@{k}"
    budget = ",".join(f"{name}={value}" for name, value in (("calls", calls), ("tokens", tokens)) if value)
    options = {"k": k, "b": b, "bq": bq, "gain": gain, "discount": discount, "repeats": repeats}
    spelled = f"b={b},bq={bq},gain={gain},discount={discount},repeats={repeats}"

    def found(listed, grades):
        items = oracle.items_within(listed, [[SIZES[item] for item in one] for one in listed], calls, tokens)
        relevant = {item for item, grade in grades.items() if grade >= 1}
        return len(relevant & set(items)), len(relevant)

    def hit(listed, grades):
        calls_with = [n for n, one in enumerate(listed, 1) if any(grades.get(item, 0) >= 1 for item in one)]
        return 1 / calls_with[0] if calls_with else 0.0

    expected = {
        f"sDCG({spelled}){at}": lambda c, g: oracle.sdcg(c, g, **options),
        f"nsDCG({spelled},ideal={ideal}){at}": lambda c, g: oracle.nsdcg(c, g, ideal=ideal, **options),
        f"sRBP(p={p},b={share},repeats={repeats}){at}": lambda c, g: oracle.srbp(
            c, g, p=p, b=share, k=k, repeats=repeats
        ),
        f"SearchRecall({budget})": lambda c, g: found(c, g)[0] / max(1, found(c, g)[1]),
        f"ChainComplete({budget})": lambda c, g: float(0 < found(c, g)[1] == found(c, g)[0]),
        f"ChainComplete(count=share,{budget})": lambda c, g: found(c, g)[0] / max(1, found(c, g)[1]),
        "CallsNeeded": hit,
        "CallRepeats": lambda c, _: oracle.repeats_of(c),
        f"EE_L(p={p}){at}": lambda c, g: sum((e - t) ** 2 for e, t in oracle.exposures(c, g, p=p, k=k)),
        f"EE_D(p={p}){at}": lambda c, g: sum(e * e for e, _ in oracle.exposures(c, g, p=p, k=k)),
        f"EE_R(p={p}){at}": lambda c, g: sum(e * t for e, t in oracle.exposures(c, g, p=p, k=k)),
    }
    ev = rm.evaluate(judged, pl.DataFrame(rows_of(run)), list(expected))
    for text, formula in expected.items():
        values = [formula([one for one in calls if one], grades) for calls, grades in questions]
        assert ev[text] == close(mean(values)), text


@settings(deadline=None, max_examples=30)
@given(questions=QUESTIONS)
def test_every_convention_gives_a_measure_of_one_list_what_it_says(questions):
    run = {f"q{at}": calls for at, (calls, _) in enumerate(questions)}
    judged = {f"q{at}": grades for at, (_, grades) in enumerate(questions)}
    measures = ["nDCG@3", "RR", "R"]

    def plain(lists):
        return rm.evaluate(judged, lists, measures).mean

    def values(lists):
        return {m: rm.evaluate(judged, lists, measures).per_query.sort("query")[m].to_list() for m in measures}

    def first_hit(calls, grades):
        with_hit = [one for one in calls if any(grades.get(item, 0) > 0 for item in one)]
        listed = [one for one in calls if one]
        return with_hit[0] if with_hit else (listed[-1] if listed else [])

    union = {query: oracle.union_of(calls) for query, calls in run.items()}
    chosen = {
        "union": union,
        "after=2": {query: oracle.union_of(calls[:2]) for query, calls in run.items()},
        "first-hit": {query: first_hit(calls, judged[query]) for query, calls in run.items()},
    }
    for convention, lists in chosen.items():
        got = rm.evaluate(judged, run, measures, calls=convention).mean
        assert got == {m: close(value) for m, value in plain(lists).items()}, convention
    most = max(len(calls) for calls in run.values())
    each = [values({q: calls[n] if n < len(calls) else [] for q, calls in run.items()}) for n in range(most)]
    best = rm.evaluate(judged, run, measures, calls="best").per_query.sort("query")
    for m in measures:
        assert best[m].to_list() == [close(max(of[m][at] for of in each)) for at in range(len(run))]


def test_worked_examples_by_hand():
    judged, agent = {"q": {"a": 2, "b": 1, "c": 1}}, {"q": [["a", "x"], ["b", "a"]]}
    values = {
        "sDCG": 2 + (1 + 2 / 1.584962500721156) / 1.5,
        "sDCG(discount=kanoulas)": 2 + (1 + 2 / 1.584962500721156) / 1.160964047443681,  # log4(5)
        "sDCG(gain=exp2)@1": 3 + 1 / 1.5,
        "nsDCG": (2 + (1 + 2 / 1.584962500721156) / 1.5) / ((2.5 + 1 / 1.584962500721156) * (1 + 1 / 1.5)),
        "sRBP": 0.14 * (1 + 0.6886120996441281 * (1 + 0.5504)),
        "sRBP(b=1)": 0.14,  # the RBP of the first search
        "sRBP(b=0)": 0.14 * (1 + 0.86),  # the first item of every search
        "R@calls=1": 1 / 3,
        "ChainComplete(count=share)": 2 / 3,
        "CallsNeeded(rel=1,report=number)": 1,
        "CallRepeats": 0.5,
        # Exposure of a, x, b: 0.75, 0.25, 0.5; the ideal gives a, b and c 1.75 / 3 each.
        "EE_R(p=0.5)": 1.25 * 1.75 / 3,
        "EE_D(p=0.5)": 0.5625 + 0.0625 + 0.25,
        "EE_L(p=0.5)": 0.875 - 2 * 1.25 * 1.75 / 3 + 3 * (1.75 / 3) ** 2,
    }
    ev = rm.evaluate(judged, agent, list(values))
    assert {text: ev[text] for text in values} == {text: close(value) for text, value in values.items()}
    assert rm.evaluate(judged, {"q": [["a", "b"]]}, "sRBP(p=0.8,b=1)")["sRBP(p=0.8,b=1)"] == close(
        rm.evaluate(judged, {"q": ["a", "b"]}, "RBP(p=0.8)")["RBP(p=0.8)"]
    )


def test_hops_are_subtopics_and_any_item_of_one_provides_it():
    judged = pl.DataFrame(
        {"query": ["q"] * 3, "item": ["a", "b", "c"], "subtopic": ["one", "one", "two"], "grade": [1, 1, 1]}
    )
    measures = ["ChainComplete", "ChainComplete(count=share)", "SearchRecall"]
    assert list(rm.evaluate(judged, {"q": [["b"], ["c"]]}, measures).mean.values()) == [1, 1, close(2 / 3)]
    assert list(rm.evaluate(judged, {"q": [["b"], ["a"]]}, measures).mean.values()) == [0, 0.5, close(2 / 3)]


RUN = {"q1": [["a", "x"], ["x", "b"]], "q2": [["y"], ["c", "y"], ["d"]]}
JUDGED = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}, "q3": {"z": 1}}
ASKED = ["R@tokens=60", "R@calls=2", "sDCG", "nsDCG", "sRBP", "CallsNeeded", "RR"]


@pytest.mark.parametrize(
    "kind", ["frame", "pandas", "csv", "jsonl", "parquet", "text calls", "ranks", "shuffled", "columns"]
)
def test_every_way_in_gives_the_same_numbers(tmp_path, kind):
    frame = pl.DataFrame(rows_of(RUN))
    expected = rm.evaluate(JUDGED, frame, ASKED).mean
    columns = None
    if kind == "pandas":
        pytest.importorskip("pandas")
        frame = frame.to_pandas()
    elif kind in ("csv", "jsonl", "parquet"):
        path = tmp_path / f"run.{kind}"
        {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[kind](path)
        frame = str(path)
    elif kind == "text calls":
        frame = frame.with_columns(call=pl.format("call {}", "call"))
    elif kind == "ranks":
        frame = frame.with_columns(rank=10 - pl.col("score").cast(pl.Int64)).drop("score")
    elif kind == "shuffled":
        frame = frame.sample(fraction=1, shuffle=True, seed=3)
        expected = {m: v for m, v in expected.items() if m != "RR"} | {"RR": expected["RR"]}
    elif kind == "columns":
        frame = frame.rename({"call": "which", "tokens": "size"})
        columns = {"call": "which", "tokens": "size"}
        frame = rm.searches(frame, columns=columns)
    got = rm.evaluate(JUDGED, frame, ASKED).mean
    if kind == "shuffled":  # queries may come in another order, their values do not
        assert got == {m: close(v) for m, v in expected.items()}
    else:
        assert got == expected


def test_compare_and_explain_know_searches():
    other = {"q1": ["a"], "q2": ["c"], "q3": []}
    cmp = rm.compare(JUDGED, {"agent": RUN, "one": other}, ["sDCG", "R@calls=1", "nDCG@2"], calls="best")
    assert cmp.score("R@calls=1", "one").value == rm.evaluate(JUDGED, other, "R@calls=1")["R@calls=1"]
    assert cmp.score("nDCG@2", "agent").value == rm.evaluate(JUDGED, RUN, "nDCG@2", calls="best")["nDCG@2"]
    worked = rm.explain("nsDCG", JUDGED, RUN, query="q1")
    assert sum(term.gain * term.weight for term in worked.terms) == close(worked.above)
    assert worked.value == rm.evaluate({"q1": JUDGED["q1"]}, RUN, "nsDCG")["nsDCG"]
    assert "4" in worked.to_text("en")
    assert "检索" in worked.to_text("zh")
    assert json.loads(json.dumps(worked.to_dict()))["rows"][0]["item"] == "a"
    listed = rm.explain("RR", JUDGED, rm.searches(RUN), query="q2")
    assert listed.value == 0.5


def test_the_convention_is_said_and_a_missing_question_counts_as_nothing():
    ev = rm.evaluate(JUDGED, RUN, ["SearchRecall", "RR"], calls="first-hit")
    assert "calls=first-hit" in " ".join(map(str, ev.sentences()))
    assert ev.facts.missing == 1
    assert ev.per_query.filter(pl.col("query") == "q3")["SearchRecall"].to_list() == [0]
    assert rm.evaluate(JUDGED, RUN, "SearchRecall", queries="common")["SearchRecall"] == 1.0
    assert rm.evaluate({**JUDGED, "q4": {"z": 0}}, RUN, "SearchRecall(empty=skip)")[
        "SearchRecall(empty=skip)"
    ] == close(2 / 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rm.searches(RUN, "bst"), "calls='bst' is not possible"),
        (lambda: rm.searches(RUN, "after=0"), "not possible"),
        (lambda: rm.evaluate(JUDGED, RUN, "R@tokens=5"), "needs the length"),
        (lambda: rm.searches(RUN, "tokens=9"), "does not say how long"),
        (lambda: rm.searches({"q": [["a", "a"]]}), "twice in one call"),
        (lambda: rm.searches({"q": [["a"]], "r": ["b"]}), "query r holds"),
        (lambda: rm.searches({"q": [{"a": float("nan")}]}), "not a number"),
        (lambda: rm.searches(pl.DataFrame(rows_of(RUN)).with_columns(tokens=-1)), "0 or more"),
        (lambda: rm.searches(pl.DataFrame(rows_of(RUN)).with_columns(call=None)), "no call"),
        (lambda: rm.searches(pl.DataFrame(rows_of(RUN)), columns={"call": "nr"}), "no column 'nr'"),
        (lambda: rm.parse("nsDCG(ideal=once)"), "repeats=once"),
        (lambda: rm.parse("sDCG(duplicates=first)"), "duplicates="),
        (lambda: rm.parse("sRBP(p=1)"), "p"),
        (lambda: rm.explain("sDCG", JUDGED, RUN, query="nobody"), "neither judged"),
        (lambda: rm.explain("RR", JUDGED, rm.searches(RUN, "best"), query="q1"), "best call"),
        (lambda: rm.evaluate(JUDGED, RUN, "sDCG", per_query_to="x.parquet"), "in memory"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_both_languages(call, message):
    with pytest.raises(RankmeterError, match=message) as error:
        call()
    assert error.value.text("zh") != error.value.text("en")


def test_the_command_line_knows_calls(tmp_path):
    pl.DataFrame(rows_of(RUN)).write_ndjson(tmp_path / "agent.jsonl")
    (tmp_path / "j.qrels").write_text("q1 0 a 1\nq1 0 b 2\nq2 0 c 1\n")
    files = [str(tmp_path / "j.qrels"), str(tmp_path / "agent.jsonl")]
    done = CliRunner().invoke(
        app, ["evaluate", *files, "-m", "R@tokens=60", "-m", "RR", "--calls", "best", "--format", "json"]
    )
    assert done.exit_code == 0, done.output
    assert "0.75" in done.stdout or "1.0" in done.stdout
    assert "calls=best" in done.stderr
    explained = CliRunner().invoke(app, ["explain", "sRBP", *files, "--query", "q1"])
    assert explained.exit_code == 0, explained.output
    refused = CliRunner().invoke(app, ["evaluate", *files, "-m", "RR", "--calls", "bset"])
    assert refused.exit_code == 2
    assert "--calls union" in refused.stderr


@settings(deadline=None, max_examples=40)
@given(questions=QUESTIONS, limit=st.integers(1, 90))
def test_one_list_of_several_searches_ends_where_its_limit_is_met(questions, limit):
    """Whole calls up to a number, or items until their tokens, those of repeats among them, are more than allowed."""
    listed_in = [[listed for listed in calls if listed] for calls, _ in questions]
    run = {f"q{at}": calls for at, calls in enumerate(listed_in) if calls}
    rows = pl.DataFrame(rows_of(run), schema_overrides={"score": pl.Float64, "tokens": pl.Int64})
    for rule, count in (("tokens", limit), ("after", limit % 5)):
        if rule == "after" and not count:
            continue
        table = rm.searches(rows, f"{rule}={count}").one_list()
        expected = []
        for query, calls in run.items():
            spent, kept = 0, []
            for number, listed in enumerate(calls, 1):
                for item in listed:
                    spent += SIZES[item]
                    if spent <= count if rule == "tokens" else number <= count:
                        kept.append((query, item))
            expected += dict.fromkeys(kept)
        assert list(zip(table.query, table.item, strict=True)) == expected
