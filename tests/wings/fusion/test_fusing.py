"""Every method and convention against the plain oracle, on random lists with ties, empty lists and single results."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wings.fusion.fusion_oracle import fused, majority_order, ordered

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.wings.fusion.definition import NORMS
from rankmeter.wings.fusion.known_methods import METHODS

A = {"q1": {"d1": 10, "d2": 8, "d3": 7, "d4": 1}, "q2": {"d1": 3, "d5": 2}}
B = {"q1": {"d3": 0.9, "d5": 0.8, "d1": 0.2}, "q2": {"d6": 0.7}}
PLAIN = sorted(name for name, method in METHODS.items() if not method.trained and "condorcet" not in name)
SCORES = st.one_of(st.integers(-3, 4).map(float), st.floats(-100, 100, allow_nan=False).map(lambda x: round(x, 3)))
LISTS = st.dictionaries(st.sampled_from("abcdefghij"), SCORES, max_size=8)
RUNS = st.integers(2, 4).flatmap(
    lambda n: st.lists(st.tuples(*[LISTS] * n), min_size=1, max_size=3).filter(lambda qs: any(map(any, qs)))
)


def runs_of(queries):
    return {f"r{run}": {f"q{at}": lists[run] for at, lists in enumerate(queries)} for run in range(len(queries[0]))}


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@settings(deadline=None, max_examples=150)
@given(data=st.data(), queries=RUNS, how=st.sampled_from(PLAIN))
def test_every_method_equals_the_oracle(data, queries, how):
    method, n = METHODS[how], len(queries[0])
    options: dict = {}
    if method.looks_at == "scores":
        options["norm"] = data.draw(st.sampled_from(NORMS))
        options["missing"] = data.draw(st.sampled_from(["nothing", "zero", "minimum"]))
        options["flat"] = data.draw(st.sampled_from(["0", "0.5", "1", "raw", "sign", None]))
        options["sd"] = data.draw(st.sampled_from(["population", "sample"]))
        options["floor"] = data.draw(st.sampled_from([0, 1e-9, 0.5]))
    if "weights" in method.options:
        options["weights"] = data.draw(st.lists(st.sampled_from([0.25, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
    drawn = {"k": st.integers(0, 90), "first": st.sampled_from([0, 1]), "gamma": st.floats(0, 2),
             "sigma": st.floats(0.01, 1), "phi": st.floats(0.1, 0.95)}  # fmt: skip
    options |= {name: data.draw(draw) for name, draw in drawn.items() if name in method.options}
    if options.get("k") == 0:
        options["first"] = 1
    ties = data.draw(st.sampled_from(["item", "item-ascending", "given", "shared"]))
    if options.get("norm") in ("rank", "borda") and ties == "shared":
        ties = "item"
    made = rm.fuse(runs_of(queries), how, ties=ties, **options).to_dict()
    told = {"weights": [1.0] * n, "norm": "none", "missing": "nothing", **options, "ties": ties}
    for at, lists in enumerate(queries):
        expected = fused([ordered(one, "item" if ties == "shared" else ties) for one in lists], how, **told)
        got = made.get(f"q{at}", {})
        assert got == {item: close(score) for item, score in expected.items()}
        assert list(got.values()) == sorted(got.values(), reverse=True)


@settings(deadline=None, max_examples=80)
@given(queries=RUNS, data=st.data())
def test_condorcet_orders_items_that_beat_each_other(queries, data):
    n = len(queries[0])
    weights = data.draw(st.lists(st.sampled_from([0.25, 0.6, 1.0, 2.0]), min_size=n, max_size=n))
    for how, options, told in (("condorcet", {}, [1.0] * n), ("w_condorcet", {"weights": weights}, weights)):
        made = rm.fuse(runs_of(queries), how, **options).to_dict()
        for at, lists in enumerate(queries):
            try:
                order = majority_order([ordered(one) for one in lists], told)
            except StopIteration:
                continue  # no item beats all others: a tie or a cycle
            assert list(made.get(f"q{at}", {})) == order
            assert list(made.get(f"q{at}", {}).values()) == list(range(len(order), 0, -1))


@settings(deadline=None, max_examples=60)
@given(queries=RUNS, seed=st.randoms())
def test_the_order_of_rows_and_of_queries_changes_nothing(queries, seed):
    runs = runs_of(queries)
    mixed = {}
    for name, run in runs.items():
        names = list(run)
        seed.shuffle(names)
        mixed[name] = {query: dict(seed.sample(list(run[query].items()), len(run[query]))) for query in names}
    for how in ("rrf", "wsum", "mnz(norm=z-score)"):
        one, other = rm.fuse(runs, how).to_dict(), rm.fuse(mixed, how).to_dict()
        assert {query: list(items.items()) for query, items in one.items()} == {
            query: list(items.items()) for query, items in other.items()
        }


def test_a_depth_cuts_lists_before_and_a_top_cuts_them_after():
    made = rm.fuse({"A": A, "B": B}, depth=1, top=1)
    assert made.to_dict() == {"q1": {"d3": 1 / 61}, "q2": {"d6": 1 / 61}}
    assert rm.fuse({"A": A, "B": B}, least=0.02).to_dict()["q1"].keys() == {"d1", "d3"}


def test_equal_scores_of_a_list_may_share_a_rank():
    run = {"q": {"a": 2, "b": 1, "c": 1, "d": 0}}
    made = rm.fuse([run, run], ties="shared").to_dict()["q"]
    assert [made[item] for item in "abcd"] == [2 / 61, 2 / 62, 2 / 62, 2 / 64]


def test_lists_of_distances_rise_and_given_lists_are_trusted():
    run = {"q": {"near": 0.1, "far": 0.9}}
    assert list(rm.fuse([run, run], "rrf", lists="rising").to_dict()["q"]) == ["near", "far"]
    assert list(rm.fuse([run, run], "rrf", lists="given").to_dict()["q"]) == ["near", "far"]
    assert list(rm.fuse([run, run], "rrf").to_dict()["q"]) == ["far", "near"]
    assert list(rm.fuse([run, run], "sum(norm=min-max-inverted)", lists="rising").to_dict()["q"]) == ["near", "far"]


@pytest.mark.parametrize(("duplicates", "score"), [("first", 1.0), ("last", 5.0), ("best", 5.0), ("counted", 6.0)])
def test_an_item_that_stands_twice_counts_as_stated(duplicates, score):
    import polars as pl

    twice = pl.DataFrame({"query": ["q", "q"], "item": ["a", "a"], "score": [1.0, 5.0]})
    made = rm.fuse({"A": twice, "B": {"q": {"b": 1.0}}}, "sum(norm=none,lists=given)", duplicates=duplicates)
    assert made.to_dict()["q"]["a"] == score
    with pytest.raises(InputError, match="item a in query q"):
        rm.fuse({"A": twice, "B": {"q": {"b": 1.0}}})


def test_ids_of_two_types_are_compared_as_text_and_that_is_said():
    made = rm.fuse({"A": {1: {7: 1.0}}, "B": {"1": {"7": 1.0}}})
    assert made.to_dict() == {"1": {"7": 2 / 61}}
    assert "compared as text" in repr(made)


def test_runs_over_different_queries_are_refused_unless_it_is_said_which_count():
    other = {"q1": {"d1": 1.0}}
    with pytest.raises(InputError, match=r"B lacks 1 of the 2 queries.*queries='all'"):
        rm.fuse({"A": A, "B": other})
    assert set(rm.fuse({"A": A, "B": other}, queries="all").to_dict()) == {"q1", "q2"}
    common = rm.fuse({"A": A, "B": other}, queries="common")
    assert set(common.to_dict()) == {"q1"}
    assert "1 of 2" in repr(common)


@pytest.mark.parametrize(
    ("runs", "how", "options", "message"),
    [
        ({"A": A}, "rrf", {}, "only one run was given"),
        ({"A": A, "B": B}, "rfr", {}, "did you mean 'rrf'"),
        ({"A": A, "B": B}, "rrf(wieghts=3)", {}, "'wieghts=3'.*did you mean 'weights'"),
        ({"A": A, "B": B}, "rrf(k=x)", {}, "k"),
        ({"A": A, "B": B}, "rrf", {"norm": "max"}, "would change nothing in rrf"),
        ({"A": A, "B": B}, "sum", {"norm": "minmax"}, "did you mean 'min-max'"),
        ({"A": A, "B": B}, "wsum", {"weights": [1, 2, 3]}, "weights states 3 values for 2 runs"),
        ({"A": A, "B": B}, "wsum", {"weights": [1, -1], "weighting": "shares"}, "sum to 0"),
        ({"A": A, "B": B}, "wsum", {"weights": [float("nan"), 1]}, "weights"),
        ({"A": {"q1": ["a"]}, "B": {"q1": ["b"]}}, "sum", {}, "A was read as an order without scores.*'rrf'"),
        ({"A": {"q1": {"a": float("nan")}}, "B": {"q1": {"b": 1}}}, "sum", {}, "nan"),
        ({"A": {"q1": {"a": float("inf")}}, "B": {"q1": {"b": 1}}}, "sum", {}, "inf"),
        ({"A": {"a": 1.0}, "B": {"b": 2.0}}, "rrf", {}, "list of one query"),
        ({"A": {"q1": {"a": 1}}, "B": {"q2": {"b": 1}}}, "rrf", {"queries": "common"}, "no query in common"),
        (A, "rrf", {}, "list of one query"),
        ("a.run", "rrf", {}, "by name"),
    ],
)
def test_what_cannot_be_fused_is_refused_with_the_call_that_works(runs, how, options, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        rm.fuse(runs, how, **options)


def test_a_definition_reads_what_it_writes():
    for text in ("rrf", "rrf(k=10)", "wsum(norm=max,weights=0.7:0.3)", "sum(flat=0.5,missing=minimum,norm=deviation)"):
        assert str(rm.Fusion.of(text)) == text
        assert rm.Fusion.of(str(rm.Fusion.of(text))) == rm.Fusion.of(text)


def test_an_evaluation_says_how_the_run_was_fused():
    made = rm.fuse({"A": A, "B": B}, k=10)
    notes = " ".join(rm.evaluate({"q1": {"d1": 1}}, made, "RR").reading.notes)
    assert "rrf(k=10)" in notes
    assert "A, B" in notes
    assert rm.compare({"q1": {"d1": 1}, "q2": {"d6": 1}}, {"A": A, "fused": made}, "RR")


NUMBERS = ("k", "gamma", "sigma", "phi", "floor", "lowest", "least", "first", "window", "segments", "digits", "depth",
           "top", "weights", "lows")  # fmt: skip
NO_NUMBERS = [None, True, "x", "", float("nan"), float("inf"), [1], {}, object(), 10**400, b"1", 1 + 2j]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("given", NO_NUMBERS, ids=lambda value: repr(value)[:20])
def test_a_parameter_that_is_no_number_is_refused_in_one_sentence_whatever_it_is(name, given):
    usual = getattr(rm.Fusion(), name)
    if given is None and usual is None:
        return
    values = [given] if name not in ("weights", "lows") else [given, [given], [0.5, given]]
    for value in values:
        if value == [1] and name in ("weights", "lows"):
            continue
        for how in ("rrf", "wsum", "rbc", "gmnz", "logn_isr", "slidefuse", "probfuse"):
            if name not in rm.Fusion(how=how).options_of():
                continue
            with pytest.raises(InputError) as refused:
                rm.Fusion(how=how, **{name: value})
            assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_one_however_it_is_written(name):
    how = next(how for how in ("rrf", "wsum", "rbc", "gmnz", "logn_isr", "slidefuse", "probfuse")
               if name in rm.Fusion(how=how).options_of())  # fmt: skip
    if name in ("weights", "lows"):
        ways = [[1, 3], (1.0, 3.0), np.array([1, 3]), pl.Series([1.0, 3.0]), [np.float32(1), np.int64(3)], ["1", "3"]]
    elif name in ("first", "window", "segments", "digits", "depth", "top"):
        ways = [1, np.int64(1)]
    else:
        ways = [1, 1.0, np.int64(1), np.float32(1), "1"]
    made = {str(rm.Fusion(how=how, **{name: way})) for way in ways}
    assert len(made) == 1
    assert rm.Fusion.of(made.pop()) == rm.Fusion(how=how, **{name: ways[0]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda runs: rm.fuse(runs, "rrf(k=1,k=2)"), "k is stated twice"),
        (lambda runs: rm.fuse(runs, "rrf(k=)"), "k has no value"),
        (lambda runs: rm.fuse(runs, "qdrant"), "'qdrant' is a tool.*qdrant:rrf"),
        (lambda runs: rm.fuse(runs, "rrf(k=1"), "did you mean 'rrf'"),
        (lambda _: rm.fuse({}), "no run was given"),
        (lambda runs: rm.tune({"z": {"a": 1}}, runs), "no run holds a judged query"),
        (lambda runs: rm.ablate({"z": {"a": 1}}, runs), "no run holds a judged query"),
        (lambda runs: rm.fuse(runs, "posfuse", judgments={"z": {"a": 1}}), "no run holds a judged query"),
        (lambda runs: rm.ablate({"q1": {"a": 1}}, {**runs, "C": runs["A"]}, how="wsum", weights=[1, 0, 0]),
         "without A the other weights"),
        (lambda runs: rm.tune({"q1": {"a": 1}}, runs, folds=2), "two or more"),
        (lambda runs: rm.tune({"q1": {"a": 1}}, runs, grid={"k": [], "how": ["rrf", "wsum"]}), "k in the grid has no"),
        (lambda runs: rm.reconcile_fusion(runs, {"z": {"a": 1.0}}), "hold nothing for 1 of 1 query .*z"),
        (lambda runs: rm.reconcile_fusion(runs, {"q1": {"a": 1.0}}, []), "no definition to try"),
        (lambda runs: rm.fuse(runs).save("fused.xyz"), "files that end in .run.*format='trec'"),
    ],
)  # fmt: skip
def test_what_is_refused_names_the_cause(call, message):
    runs = {"A": {"q1": {"a": 2.0, "b": 1.0}}, "B": {"q1": {"b": 2.0}}}
    with pytest.raises(InputError, match=f"(?s){message}"):
        call(runs)
