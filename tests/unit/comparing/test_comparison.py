from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter import demo
from rankmeter.comparing.gate import check_gates, parse_gate
from rankmeter.report.comparisons import ShownComparison
from rankmeter.stats.corrections import corrected

FEW = {"permutations": 500, "resamples": 200}


def lists(ranks: dict[str, int]) -> dict[str, list[str]]:
    """A run in which the relevant item 'a' stands at the given rank."""
    return {query: [*["x1", "x2", "x3", "x4"][: rank - 1], "a", "y"] for query, rank in ranks.items()}


TRUTH = {f"q{i}": {"a"} for i in range(12)}
GOOD = lists({f"q{i}": 1 + (i % 2) for i in range(12)})
POOR = lists({f"q{i}": 2 + (i % 3) for i in range(12)})


@pytest.fixture(scope="module")
def shown() -> rm.Comparison:
    runs = {name: demo.data_path(file) for name, file in demo.RUNS.items()}
    return rm.compare(
        demo.data_path(demo.JUDGMENTS),
        runs,
        ["nDCG@10", "AP", "P@10", "MeanRank", "NumRel"],
        baseline="keyword",
        margin=0.02,
        **FEW,
    )


def test_values_are_those_of_evaluate(shown) -> None:
    for name, file in demo.RUNS.items():
        ev = rm.evaluate(demo.data_path(demo.JUDGMENTS), demo.data_path(file), ["nDCG@10", "AP"])
        assert shown.score("nDCG@10", name).value == ev["nDCG@10"]
        assert shown.score("AP", name).value == ev["AP"]


def test_the_family_is_per_measure_and_holm_corrects_within_it(shown) -> None:
    family = [one for one in shown.differences if str(one.measure) == "nDCG@10"]
    assert shown.settings.pairs == len(family) == 2
    smallest = min(one.p for one in family)
    assert min(one.p_corrected for one in family) == pytest.approx(2 * smallest)
    assert "within each measure" in " ".join(shown.settings.sentences())


def test_lower_is_better_is_understood(shown) -> None:
    """MeanRank: the smaller value wins, ranks first, and is called better."""
    ranked = [score.value for score in shown.ranked("MeanRank")]
    assert ranked == sorted(ranked)
    assert shown.ranked("MeanRank")[0].rank == 1
    one = shown.difference("MeanRank", "hybrid")
    assert one.is_better == (one.difference < 0)


def test_a_count_is_shown_without_a_winner_and_with_the_reason(shown) -> None:
    score = shown.score("NumRel", "hybrid")
    assert score.rank is None
    assert score.in_best is None
    assert "describes the data" in score.reason
    assert shown.difference("NumRel", "hybrid").p is None


def test_the_answer_and_the_boards_stand_before_what_is_doubtful(shown) -> None:
    assert shown.quality["keyword"].missing == 3
    assert 0 < shown.quality["keyword"].judged_at[10] < shown.quality["hybrid"].judged_at[10] <= 1
    text = repr(shown)
    places = [text.index(part) for part in ("best under", "95% interval", "How sure", "keyword lacks 3 of 240")]
    assert places == sorted(places)
    assert any("tied scores lie across the cutoff" in note for note in shown.notes)


def test_everything_converts(shown) -> None:
    data = json.loads(shown.to_json())
    assert data["settings"]["seed"] == 0
    assert data["definitions"]["nDCG@10"]["gain"] == "linear"
    assert shown.leaderboard.height == 15
    assert shown.tests.filter(pl.col("measure") == "AP").height == 2
    assert shown.per_query.height == 720
    assert "<table>" in shown._repr_html_()


def test_the_same_seed_gives_the_same_numbers_and_another_others() -> None:
    systems = {"good": GOOD, "poor": {**GOOD, **{f"q{i}": POOR[f"q{i}"] for i in range(9)}}}
    truth = {**TRUTH, **{f"p{i}": {"a"} for i in range(12)}}
    systems = {name: {**run, **{f"p{q[1:]}": one for q, one in run.items()}} for name, run in systems.items()}
    one, same, other = (rm.compare(truth, systems, ["RR"], seed=seed, **FEW).to_dict() for seed in (1, 1, 2))
    assert one == same
    assert one["differences"] != other["differences"]


def test_wins_ties_and_losses_by_hand() -> None:
    cmp = rm.compare(TRUTH, {"poor": POOR, "good": GOOD}, ["RR"], baseline="poor", **FEW)
    effect = cmp.difference("RR", "good").effect
    # Ranks alternate 1, 2 against 2, 3, 4: equal only where both are 2 (i = 3, 9).
    assert (effect.wins, effect.ties, effect.losses) == (10, 2, 0)
    back = cmp.difference("RR", "poor", "good")
    assert (back.effect.wins, back.effect.losses, back.difference) == (0, 10, -cmp.difference("RR", "good").difference)
    assert back.interval.low == -cmp.difference("RR", "good").interval.high


def test_identical_systems_have_p_1_and_an_interval_of_no_width() -> None:
    cmp = rm.compare(TRUTH, {"a": GOOD, "b": GOOD}, ["RR", "nDCG@5"], **FEW)
    for one in cmp.differences:
        assert (one.p, one.p_corrected, one.difference) == (1.0, 1.0, 0.0)
        assert (one.interval.low, one.interval.high) == (0.0, 0.0)
        assert one.effect.standardised == 0.0
        assert one.detectable is None
        assert "without spread" in one.reason
    assert cmp.best_group("RR") == ["a", "b"]


def test_one_query_says_that_it_is_one() -> None:
    cmp = rm.compare({"q": {"a"}}, {"a": {"q": ["a"]}, "b": {"q": ["x", "a"]}}, ["RR"], **FEW)
    assert cmp.differences[0].p == 1.0
    assert cmp.differences[0].reason
    assert cmp.differences[0].interval is None
    score = cmp.score("RR", "a")
    assert score.interval is None
    assert score.reason == "only one unit: nothing can be inferred beyond it"
    assert any("only one query" in note for note in cmp.notes)


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "sign"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
def test_every_test_and_correction_gives_a_p_value(test, correction) -> None:
    cmp = rm.compare(
        TRUTH,
        {"a": GOOD, "b": POOR, "c": lists(dict.fromkeys(TRUTH, 3))},
        ["RR"],
        test=test,
        correction=correction,
        **FEW,
    )
    assert len(cmp.differences) == 3
    assert all(0 <= one.p <= one.p_corrected <= 1 for one in cmp.differences)


def test_two_systems_of_one_name_are_refused() -> None:
    with pytest.raises(rm.InputError, match=r"same name: x.*Hint: .*seeds"):
        rm.compare(TRUTH, [("x", GOOD), ("x", POOR)], ["RR"])


def test_one_system_is_refused() -> None:
    with pytest.raises(rm.InputError, match="this is a single run, given by query; systems must be given as runs"):
        rm.compare({"q1": ["a"]}, {"q1": {"a": 0.9}, "q2": {"b": 1}}, "AP")
    with pytest.raises(rm.InputError, match="only one system"):
        rm.compare(TRUTH, {"x": GOOD}, ["RR"])


def test_an_unknown_baseline_is_refused() -> None:
    with pytest.raises(rm.InputError, match="baseline 'z' is not one of the systems: a, b"):
        rm.compare(TRUTH, {"a": GOOD, "b": POOR}, ["RR"], baseline="z")


def test_systems_without_a_common_query_are_refused() -> None:
    left = {query: one for query, one in GOOD.items() if query < "q2"}
    right = {query: one for query, one in GOOD.items() if query >= "q2"}
    with pytest.raises(rm.InputError, match="no query in common"):
        rm.compare(TRUTH, {"a": left, "b": right}, ["RR"], queries="common", **FEW)


def test_queries_that_count_for_some_systems_only_are_left_out_and_counted() -> None:
    part = {query: one for query, one in POOR.items() if query != "q1"}
    cmp = rm.compare(TRUTH, {"a": GOOD, "b": part}, ["RR"], queries="common", **FEW)
    assert cmp.differences[0].units == 11
    assert any("1 query counts for some systems only" in note for note in cmp.notes)


def test_a_measure_that_no_query_has_comes_with_its_reason() -> None:
    """miss=skip leaves out every query of a system that finds nothing."""
    nothing = {query: ["x1"] for query in TRUTH}
    cmp = rm.compare(TRUTH, {"a": GOOD, "b": nothing}, ["RR(miss=skip)@3"], **FEW)
    score = cmp.score("RR(miss=skip)@3", "b")
    assert math.isnan(score.value)
    assert score.reason == "no query counts"
    assert cmp.differences[0].p is None
    assert cmp.differences[0].reason == "no query counts for every system"
    assert "no query counts" in repr(cmp)
    assert "NaN" not in cmp.to_json()
    assert "nan" not in cmp.to_markdown().replace("empty=nan", "")


def test_a_measure_that_a_run_cannot_answer_names_the_system() -> None:
    scored = {query: dict.fromkeys(items, 1.0) for query, items in GOOD.items()}
    with pytest.raises(rm.MeasureError, match=r"system 'b': .*ranks only"):
        rm.compare(TRUTH, {"a": scored, "b": POOR}, ["P(sign=positive)@3"], **FEW)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("test", "z"),
        ("correction", "z"),
        ("interval", "z"),
        ("level", 1.5),
        ("permutations", 3),
        ("power", 0.01),
        ("power", "z"),
        ("level", 0.1),
        ("unit", "z"),
        ("unit", ["q1"]),
        ("pairs", "z"),
        ("margin", "z"),
        ("margin", {"RR": None}),
    ],
)
def test_impossible_options_are_refused(option, value) -> None:
    with pytest.raises(rm.InputError, match=r"not possible|too few"):
        rm.compare(TRUTH, {"a": GOOD, "b": POOR}, ["RR"], **{option: value})


def test_saved_evaluations_compare_like_their_runs(tmp_path) -> None:
    direct = rm.compare(TRUTH, {"a": GOOD, "b": POOR}, ["RR", "nDCG@5"], **FEW)
    for name, run in (("a", GOOD), ("b", dict(reversed(POOR.items())))):
        # Judgments in another order: queries are lined up by id.
        truth = dict(reversed(TRUTH.items())) if name == "b" else TRUTH
        rm.evaluate(truth, run, ["RR", "nDCG@5", "AP"], name=name).save(tmp_path / name)
    loaded = rm.compare(None, [rm.Evaluation.load(tmp_path / name) for name in "ab"], ["RR", "nDCG@5"], **FEW)
    assert [one.p for one in loaded.differences] == [one.p for one in direct.differences]
    assert [one.effect for one in loaded.differences] == [one.effect for one in direct.differences]
    assert loaded.inputs is None
    assert rm.compare(None, [rm.Evaluation.load(tmp_path / name) for name in "ab"], **FEW).measures[-1] == rm.AP


def test_seeds_are_averaged_and_can_be_what_is_resampled() -> None:
    several = rm.seeds(GOOD, POOR, GOOD)
    cmp = rm.compare(TRUTH, {"fixed": POOR, "random": several}, ["RR"], baseline="fixed", **FEW)
    score = cmp.score("RR", "random")
    assert score.value == pytest.approx(np.mean(score.run_values))
    assert len(score.run_values) == 3
    assert any("unit='run'" in note for note in cmp.notes)
    by_run = rm.compare(TRUTH, {"fixed": POOR, "random": several}, ["RR"], baseline="fixed", unit="run", **FEW)
    assert by_run.differences[0].units == 3
    # Differences 0.4, 0, 0.4: no p-value is below that of two equal signs.
    assert by_run.differences[0].p == 0.5
    assert by_run.settings.unit == "run"
    with pytest.raises(rm.InputError, match="every system has one run"):
        rm.compare(TRUTH, {"a": POOR, "b": GOOD}, ["RR"], unit="run", **FEW)


def test_folds_are_one_run_and_must_not_overlap() -> None:
    first = {query: one for query, one in GOOD.items() if query < "q2"}
    second = {query: one for query, one in GOOD.items() if query >= "q2"}
    cmp = rm.compare(TRUTH, {"a": POOR, "b": rm.folds(first, second), "c": GOOD}, ["RR"], **FEW)
    assert cmp.score("RR", "b").value == cmp.score("RR", "c").value
    with pytest.raises(rm.InputError, match="in more than one: q0, q1, q10, q11"):
        rm.compare(TRUTH, {"a": POOR, "b": rm.folds(first, GOOD)}, ["RR"], **FEW)


@pytest.mark.parametrize("test", ["t", "randomisation", "wilcoxon"])
def test_the_order_of_runs_that_share_no_seed_changes_nothing(test) -> None:
    dice = np.random.default_rng(3)
    runs = [{query: [str(i) for i in dice.permutation(9)] for query in range(8)} for _ in range(12)]
    truth = {query: {"0", "4"} for query in range(8)}
    one, other = runs[:6], runs[6:]

    def chance(left: list, right: list) -> tuple:
        systems = {"a": rm.seeds(*left), "b": rm.seeds(*right)}
        cmp = rm.compare(truth, systems, ["nDCG"], unit="run", test=test, **FEW)
        found = cmp.differences[0]
        assert not cmp.settings.paired
        assert found.effect is None
        return found.p, found.interval.low, found.interval.high, found.detectable

    expected = chance(one, other)
    for _ in range(3):
        dice.shuffle(one)
        dice.shuffle(other)
        assert chance(one, other) == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["RR", "P(aggregate=geometric)@2", "P(aggregate=pooled)@2", "AP(aggregate=sum)"])
def test_where_runs_vary_a_value_is_the_mean_of_its_runs(measure) -> None:
    dice = np.random.default_rng(5)
    truth = {query: {"0", "4"} for query in range(8)}
    runs = [{query: [str(i) for i in dice.permutation(9)] for query in truth} for _ in range(8)]
    cmp = rm.compare(truth, {"a": rm.seeds(runs[:4]), "b": rm.seeds(runs[4:])}, [measure], unit="run", **FEW)
    for score in cmp.scores:
        assert score.value == pytest.approx(np.mean(score.run_values))
        assert score.interval.low <= score.value <= score.interval.high
    assert cmp.differences[0].difference == pytest.approx(cmp.scores[0].value - cmp.scores[1].value)


def test_runs_with_the_same_named_seeds_are_paired_by_name() -> None:
    dice = np.random.default_rng(4)
    runs = [{query: [str(i) for i in dice.permutation(9)] for query in range(8)} for _ in range(14)]
    truth = {query: {"0", "4"} for query in range(8)}
    one, other = dict(zip("abcdefg", runs[:7], strict=True)), dict(zip("abcdefg", runs[7:], strict=True))
    turned = dict(reversed(other.items()))
    made = [
        rm.compare(truth, {"x": rm.seeds(named=one), "y": rm.seeds(named=third)}, ["nDCG"], unit="run", **FEW)
        for third in (other, turned)
    ]
    assert all(cmp.settings.paired for cmp in made)
    assert made[0].differences[0].p == pytest.approx(made[1].differences[0].p)
    assert made[0].differences[0].effect.wins == made[1].differences[0].effect.wins
    apart = rm.compare(truth, {"x": rm.seeds(named=one), "y": rm.seeds(*runs[7:])}, ["nDCG"], unit="run", **FEW)
    assert not apart.settings.paired


def test_queries_of_one_user_are_no_independent_witnesses() -> None:
    """Twelve queries of two users: two units, so that p cannot be below 1/2."""
    users = {query: "u1" if query < "q2" else "u2" for query in TRUTH}
    cmp = rm.compare(TRUTH, {"a": POOR, "b": GOOD}, ["RR"], baseline="a", unit=users, unit_name="user", **FEW)
    assert cmp.differences[0].units == 2
    assert cmp.differences[0].p == 0.5
    assert cmp.difference("RR", "b").difference == pytest.approx(
        cmp.score("RR", "b").value - cmp.score("RR", "a").value
    )
    assert "over users" in cmp.settings.sentences()[0]
    with pytest.raises(rm.InputError, match="these queries have no user: q0"):
        rm.compare(TRUTH, {"a": POOR, "b": GOOD}, ["RR"], unit={"q1": 1}, unit_name="user", **FEW)


def test_queries_needed_asks_for_a_stated_difference() -> None:
    cmp = rm.compare(TRUTH, {"a": POOR, "b": GOOD}, ["RR"], **FEW)
    near, far = (cmp.queries_needed("RR", difference=d)["needed"][0] for d in (0.01, 0.2))
    assert near > far >= 2
    with pytest.raises(rm.InputError, match=r"difference=0\.0 is not possible: expected a number above 0"):
        cmp.queries_needed("RR", difference=0.0)
    with pytest.raises(rm.InputError, match="power=0 is not possible"):
        cmp.queries_needed("RR", difference=0.1, power=0)


def test_margins_may_differ_by_measure() -> None:
    cmp = rm.compare(TRUTH, {"a": POOR, "b": GOOD}, ["RR", "P@1"], margin={"RR": 0.1}, baseline="a", **FEW)
    assert cmp.difference("RR", "b").equivalence.margin == 0.1
    assert cmp.difference("P@1", "b").equivalence is None
    with pytest.raises(rm.InputError, match="not one of the measures"):
        rm.compare(TRUTH, {"a": POOR, "b": GOOD}, ["RR"], margin={"AP": 0.1}, **FEW)


def test_thirty_systems_have_marks_that_do_not_run_out() -> None:
    ranks = {f"s{number:02}": lists(dict.fromkeys(TRUTH, 1 + (number >= 29) * 3)) for number in range(30)}
    cmp = rm.compare(TRUTH, ranks, ["RR"], correction="none", test="sign", **FEW)
    assert "↑30 |" in cmp.to_markdown()
    assert r"\textsuperscript{30}" in cmp.to_latex()


def test_tables_escape_names() -> None:
    cmp = rm.compare(TRUTH, {"a_b|c": GOOD, "<script>&%": POOR}, ["RR"], **FEW)
    assert r"a\_b\|c" in cmp.to_markdown()
    assert r"\textless{}script\textgreater{}\&\%" in cmp.to_latex()
    assert "<script>" not in cmp._repr_html_()


def test_a_median_is_shown_and_not_tested() -> None:
    cmp = rm.compare(TRUTH, {"a": GOOD, "b": POOR}, ["RR(aggregate=median)"], **FEW)
    assert cmp.differences[0].p is None
    assert "median" in cmp.differences[0].reason
    assert cmp.differences[0].difference == pytest.approx(0.75 - 1 / 3)


@pytest.mark.wings("catalogue")
def test_what_was_ranked_against_a_catalogue_is_compared_without_judgments() -> None:
    random = np.random.default_rng(0)
    truth = {user: set(random.choice(50, 3, replace=False).tolist()) for user in range(20)}
    placed = [rm.rank_catalogue(truth, random.normal(size=(20, 4)), random.normal(size=(50, 4))) for _ in range(2)]
    cmp = rm.compare(None, {"a": placed[0], "b": placed[1]}, ["RR", "R@10"], **FEW)
    assert cmp.score("RR", "a").value == rm.evaluate(placed[0], measures=["RR"])["RR"]
    assert cmp.score("RR", "a").unjudged_reason
    assert "a .. b" not in repr(cmp)


def test_a_run_without_judgments_is_refused() -> None:
    with pytest.raises(rm.InputError, match="system 'a': no judgments were given"):
        rm.compare(None, {"a": GOOD, "b": POOR}, ["RR"])


def test_measures_of_subtopics_are_compared_and_say_why_they_have_no_bounds() -> None:
    truth = {f"q{i}": {"a": {"s1": 1}, "b": {"s2": 1}} for i in range(12)}
    good, poor = (dict.fromkeys(truth, items) for items in (["a", "b"], ["x", "a"]))
    cmp = rm.compare(truth, {"good": good, "poor": poor}, ["StRecall@2"], **FEW)
    assert cmp.differences[0].difference == 0.5
    assert "subtopics" in cmp.score("StRecall@2", "good").unjudged_reason


def test_runs_of_different_queries_are_refused_although_missing_queries_count() -> None:
    truth = {f"q{i}": {"a"} for i in range(6)}
    early, late = ({f"q{i}": ["a"] for i in part} for part in (range(3), range(3, 6)))
    with pytest.raises(rm.InputError, match="'early' and 'late' have no query in common"):
        rm.compare(truth, {"early": early, "late": late, "all": early | late}, ["RR"], permutations=100)
    joined = rm.compare(truth, {"all": early | late, "parts": rm.folds(early, late)}, ["RR"], permutations=100)
    assert joined.difference("RR", "parts", "all").difference == 0


def test_no_table_shows_nan() -> None:
    cmp = rm.compare({"q": {"a": 0}}, {"x": {"q": ["a"]}, "y": {"q": ["b"]}}, ["RR(empty=nan)"], permutations=100)
    assert "nan .." not in repr(cmp)
    assert "- .. " in repr(cmp)
    assert "- (the value of a query is not defined (empty=nan))" in repr(cmp)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"permutations": 100}, True),  # 6 pairs / 101 = 0.059
        ({"permutations": 199}, False),  # 6 pairs / 200 = 0.03
        ({"permutations": 100, "correction": "bh"}, False),
        ({"permutations": 100, "baseline": "a"}, False),  # 3 pairs / 101 = 0.03
        ({"permutations": 100, "test": "t"}, False),
        ({"permutations": 100, "correction": "hochberg"}, False),  # all 6 may be 1 / 101
    ],
)
def test_a_test_that_could_find_nothing_says_so(options, found) -> None:
    truth = {i: {0} for i in range(30)}
    runs = {name: {i: [0, 1] if i % n else [1, 0] for i in range(30)} for n, name in enumerate("abcd", 2)}
    notes = rm.compare(truth, runs, ["RR"], resamples=100, **{"test": "randomisation"} | options).notes
    assert any("nothing can be significant" in note for note in notes) == found


def test_beaten_systems_in_a_row_are_a_range() -> None:
    truth = {i: {0} for i in range(60)}
    runs = {f"s{n}": {i: [1, 2, 0] for i in range(60)} for n in range(4)} | {"best": {i: [0] for i in range(60)}}
    cmp = rm.compare(truth, runs, ["RR"], permutations=1000, resamples=100)
    assert "↑1-4 |" in cmp.to_markdown()
    assert r"\textsuperscript{1--4}" in cmp.to_latex()


def test_the_set_that_may_hold_the_best_is_another_question_with_its_own_name() -> None:
    # Of six systems, 40 queries, 21 won and 8 lost: enough to be surely not the best, not enough for all pairs at once.
    truth = {i: {0} for i in range(40)}
    won = {"good": range(32), "poor": range(21, 40), **{f"far below {n}": range(n, 40, 5) for n in range(4)}}
    runs = {name: {i: [0, 1] if i in queries else [1, 0] for i in truth} for name, queries in won.items()}
    cmp = rm.compare(truth, runs, ["RR"], permutations=1000, best_set="mcb")
    poor_one = cmp.score("RR", "poor")
    assert not cmp.difference("RR", "good", "poor").significant
    assert (poor_one.in_best, poor_one.in_best_set, poor_one.rank_low) == (True, False, 1)
    assert cmp.best_group("RR")[:2] == ["good", "poor"]
    assert cmp.best_set("RR") == ["good"]
    assert "the best system is among good (multiple comparisons with the best" in repr(cmp)
    without = rm.compare(truth, runs, ["RR"], permutations=1000)
    assert "multiple comparisons" not in repr(without)
    with pytest.raises(rm.InputError, match="best_set='mcb'"):
        without.best_set("RR")


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
@pytest.mark.parametrize("higher", [True, False])
def test_arrows_letters_and_gates_follow_the_statistic_that_was_tested(test, higher) -> None:
    # "small" wins 52 queries by little and loses 8 by a lot: its mean is worse, its ranks and signs are better.
    truth = {i: {"a": 1} for i in range(60)}
    first = {i: [f"x{n}" for n in range(10)] + ["a"] for i in truth}
    small = {i: [f"x{n}" for n in range(9 if i < 52 else 200)] + ["a"] for i in truth}
    first |= {i: ["a"] for i in range(52, 60)}
    name, sign, relation = ("RR", 1, "<") if higher else ("MeanRank", -1, ">")
    cmp = rm.compare(truth, {"first": first, "small": small}, [name], test=test, baseline="first", **FEW)
    pair = cmp.difference(name, "small")
    assert (pair.effect.wins, pair.effect.losses) == (52, 8)
    assert sign * pair.difference < 0 < sign * pair.direction
    assert (pair.significant, pair.is_better, pair.winner, pair.is_apart) == (True, True, "small", True)
    assert pair.turned().winner == "small"
    assert cmp.best_group(name) == ["small"]
    assert cmp.score(name, "small").beats == ("first",)
    text = repr(cmp)
    assert text.startswith(f"{name}: the value and the test point apart: small is significantly better than first")
    assert "winning on 52 queries and losing on 8" in text
    assert "↑" in text
    assert "↓ " not in text.split("\n\n")[1]
    verdict = check_gates(cmp, [parse_gate(f"{name} {relation} baseline significantly")])[0]
    assert not verdict.failed
    assert "the test points the other way" in verdict.why
    assert "检验方向相反" in cmp.to_markdown(lang="zh")


def test_values_intervals_and_gates_are_about_the_same_queries():
    truth = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"d": 1}}
    whole = {query: {"a": 3.0, "b": 2.0} for query in truth}
    easy = {query: whole[query] for query in ("q1", "q2")}  # it skips the query that the other one fails
    found = rm.compare(truth, {"whole": whole, "easy": easy}, ["RR"], queries="common", permutations=100, resamples=100)
    assert [found.score("RR", name).value for name in ("whole", "easy")] == [1.0, 1.0]
    assert [found.score("RR", name).queries for name in ("whole", "easy")] == [2, 2]
    assert any("it is left out for all systems" in note for note in found.notes)


def test_evaluations_of_other_queries_and_odd_seeds_are_refused_in_a_sentence():
    truth, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    one, other = rm.evaluate(truth, run, ["RR"]), rm.evaluate(truth, run, ["RR"], queries="run")
    with pytest.raises(rm.RankmeterError, match=r"lacks|has no"):
        rm.compare(None, {"one": one, "other": other})
    with pytest.raises(rm.InputError, match="seed=-1 is not possible"):
        rm.compare(truth, {"one": run, "other": run}, ["RR"], seed=-1)


def test_differences_without_spread_prove_nothing_by_t_and_say_why() -> None:
    truth = {i: {"a"} for i in range(3)}
    runs = {name: dict.fromkeys(truth, items) for name, items in (("first", ["a", "b"]), ("second", ["b", "a"]))}
    cmp = rm.compare(truth, runs, ["RR"], test="t", margin=0.6, **FEW)
    one = cmp.difference("RR", "first", "second")
    assert (one.difference, one.p, one.significant) == (0.5, 0.25, False)
    assert one.equivalence.equivalent == 0.125
    assert "no spread to test by" in one.reason
    assert one.detectable is None
    assert any(note.startswith("RR (first - second): all 3 queries differ by the same amount") for note in cmp.notes)
    assert "没有离散程度" in cmp.to_markdown(lang="zh")
    assert cmp.best_group("RR") == ["first", "second"]
    assert cmp.queries_needed("RR", difference=0.1)["needed"].to_list() == [None]


def test_a_margin_that_is_none_is_refused_before_anything_is_evaluated() -> None:
    with pytest.raises(rm.InputError, match="margin=-1 is not possible"):
        rm.compare(TRUTH, {"a": "no such file", "b": "nor this"}, ["RR"], margin={"RR": -1})


def test_what_is_judged_and_tied_is_about_every_run_of_a_system() -> None:
    truth = {i: {"a": 1, "b": 0} for i in range(4)}
    sure = {i: {"a": 2.0, "b": 1.0} for i in truth}
    unjudged_and_tied = {i: {"a": 1.0, "x": 1.0, "y": 1.0} if i else {"x": 2.0, "y": 1.0} for i in truth}
    missing = {i: {"a": 2.0, "b": 1.0} for i in (0, 1)}
    runs = {"sure": sure, "seeds": rm.seeds(sure, unjudged_and_tied, missing)}
    found = rm.compare(truth, runs, ["P@2"], **FEW).quality["seeds"]
    # The second run shows x, y and three times two of a, x, y (by id: y, x): nothing of it is judged.
    assert found.judged_at[2] == pytest.approx((1 + 0 + 1) / 3)
    assert found.ties_across[2] == 3
    assert found.missing == 2


def test_the_winner_of_identical_runs_cannot_change() -> None:
    truth = {i: {"a": 1} for i in range(4)}
    run, same, other = (dict.fromkeys(truth, items) for items in (["x", "a"], ["x", "a"], ["y", "a"]))
    tables = [pl.DataFrame({"query": [0, 1], "item": ["x", "a"], "score": [1.0, 1.0]}) for _ in range(2)]

    def could_change(*runs: object) -> bool:
        cmp = rm.compare(truth, dict(zip("ab", runs, strict=True)), ["P@2"], **FEW)
        return any("could change the winner" in note for note in cmp.notes)

    assert not could_change(run, same)
    assert not could_change(*tables)
    assert could_change(run, other)


def test_runs_are_compared_without_judgments_by_measures_that_need_none() -> None:
    runs = {"narrow": {1: ["x", "y"], 2: ["x", "y"]}, "broad": {1: ["x", "y"], 2: ["z", "w"]}}
    cmp = rm.compare(None, runs, ["Coverage@2", "Gini@2"], catalogue=["x", "y", "z", "w"], **FEW)
    assert [(one.system, one.value) for one in cmp.ranked("Coverage@2")] == [("broad", 1.0), ("narrow", 0.5)]
    with pytest.raises(rm.InputError, match="these measures need them to evaluate a run: RR"):
        rm.compare(None, runs, ["Coverage@2", "RR"], catalogue=["x", "y", "z", "w"])


def test_a_query_without_a_unit_is_refused() -> None:
    for nothing in (None, "", float("nan")):
        units = {query: nothing if place == 2 else 1 for place, query in enumerate(TRUTH)}
        with pytest.raises(rm.InputError, match="these queries have no user"):
            rm.compare(TRUTH, {"a": GOOD, "b": POOR}, ["RR"], unit=units, unit_name="user", **FEW)


def test_few_systems_are_named_that_one_beats_and_many_are_numbered() -> None:
    truth = {i: {"a"} for i in range(20)}
    ranks = {"first": 1, "second": 2, "third": 3}
    runs = {name: {query: [*"xyz"[: rank - 1], "a"] for query in truth} for name, rank in ranks.items()}
    cmp = rm.compare(truth, runs, ["RR"], **FEW)
    assert "second, third" in repr(cmp)
    assert "beats: the systems that it is significantly better than" in repr(cmp)
    longer = {f"{name} of a long name": run for name, run in runs.items()}
    text = repr(rm.compare(truth, longer, ["RR"], **FEW))
    assert "1 first of a long name" in text
    assert "beats: the numbers of the systems" in text


def test_a_system_has_one_number_in_every_table() -> None:
    truth = {i: {"a"} for i in range(20)}
    ranks = {f"{name}, a system with a long name": place for place, name in enumerate(["poor", "fair", "good"])}
    runs = {name: {query: [*"xyz"[: 3 - rank], "a"] for query in truth} for name, rank in ranks.items()}
    cmp = rm.compare(truth, runs, ["RR"], **FEW)
    shown = ShownComparison(cmp)
    names = [*ranks]
    for order in (names, names[::-1]):
        assert {row[1].value: row[0].value for row in shown.grid(order).rows} == {n: names.index(n) + 1 for n in names}
        assert {row[1].value: row[2].raised for row in shown.grid(order).rows}[names[2]] == "1,2"
    assert [row[1].value for row in shown.leaderboard(cmp.measures[0]).rows] == [
        f"{names.index(name) + 1} {name}" for name in names[::-1]
    ]


def test_what_all_tests_of_a_family_say_alike_is_significant_under_hochberg_without_a_note_that_denies_it() -> None:
    truth = {i: {0} for i in range(6)}
    runs = {name: {i: [*range(1, place), 0] for i in range(6)} for place, name in enumerate("xyz", 1)}
    cmp = rm.compare(truth, runs, ["RR"], correction="hochberg", **FEW)
    assert [one.significant for one in cmp.differences] == [True] * 3
    assert not [note for note in cmp.notes if "nothing can be significant" in note]
    assert cmp.best_group("RR") == ["x"]


def test_no_p_value_above_1_is_promised() -> None:
    truth = {i: {0} for i in range(2)}
    runs = {name: {i: [*range(1, place), 0] for i in range(2)} for place, name in enumerate("xyz", 1)}
    notes = rm.compare(truth, runs, ["RR"], **FEW).notes
    assert [note for note in notes if note.endswith("falls below 1")]


def test_names_of_systems_and_seeds_may_be_any_whole_numbers() -> None:
    cmp = rm.compare(TRUTH, {1: GOOD, 2: POOR}, ["RR"], baseline=1, seed=np.int64(3), **FEW)
    assert cmp.baseline == "1"
    assert cmp.difference("RR", "2").other == "1"
    assert json.loads(cmp.to_json())["settings"]["seed"] == 3


@pytest.mark.parametrize(("level", "shown"), [(0.995, "99.5%"), (0.95, "95%"), (0.9, "90%")])
def test_the_level_is_shown_as_it_was_asked_for(level, shown, tmp_path) -> None:
    cmp = rm.compare(TRUTH, {"a": GOOD, "b": POOR}, ["RR"], level=level, **FEW)
    assert f" {shown} interval" in str(cmp)
    assert f"{shown} Student's t" in cmp.to_markdown()
    assert f">{shown} interval" in cmp.report(tmp_path / "r.html").read_text()


def test_what_cannot_be_shown_is_refused_in_a_sentence(shown, tmp_path) -> None:
    for show in (shown.to_markdown, shown.to_latex, lambda lang: shown.figures(tmp_path, lang=lang)):
        with pytest.raises(rm.InputError, match="lang='fr' is not possible; it is one of en, zh"):
            show(lang="fr")
    with pytest.raises(rm.InputError, match="digits=-1 is not possible"):
        shown.to_markdown(digits=-1)
    with pytest.raises(rm.InputError, match="difference='much' is not possible"):
        shown.queries_needed(shown.measures[0], difference="much")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("rank", "is_said"), [(3, False), (40, True)])
def test_differences_that_a_few_queries_make_are_said(rank, is_said) -> None:
    """60 items move from rank 2 to 1 or 3 by turns; one of them to 3, or to 40."""
    truth = {query: {"a"} for query in range(60)}
    one = {query: ["x", "a"] for query in truth}
    other = {query: [*map(str, range(rank - 1 if query == 3 else 2 * (query % 2))), "a"] for query in truth}
    cmp = rm.compare(truth, {"one": one, "other": other}, ["MeanRank"], **FEW)
    assert any("these differences are skewed" in note for note in cmp.notes) == is_said


def test_an_option_that_is_not_known_is_refused_as_python_does() -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'corection'.*did you mean 'correction'"):
        rm.compare(TRUTH, {"a": POOR, "b": GOOD}, ["RR"], corection="holm")


def test_a_comparison_speaks_the_dialect_of_another_tool() -> None:
    truth = {f"q{i}": {"a": 2, "b": 1} for i in range(12)}
    runs = {"one": {q: ["a", "x", "b"] for q in truth}, "two": {q: ["x", "b", "a"] for q in truth}}
    cmp = rm.compare(truth, runs, ["NDCG@3"], dialect="recbole", **FEW)
    alone = rm.evaluate(truth, runs["one"], ["NDCG@3"], dialect="recbole")
    assert cmp.score("NDCG@3", "one").value == alone["NDCG@3"]
    assert cmp.score("NDCG@3", "one").value != rm.evaluate(truth, runs["one"], "nDCG@3")["nDCG@3"]


def test_ties_that_could_change_the_winner_are_said_with_their_range():
    judgments = {f"q{n}": {"a": 1} for n in range(30)}
    tied = {query: {"a": 0.5, "b": 0.5, "c": 0.5} for query in judgments}
    clear = {query: {"b": 0.9, "a": 0.8} for query in judgments}
    notes = [note for note in rm.compare(judgments, {"tied": tied, "clear": clear}, "RR").notes if "ties alone" in note]
    (note,) = notes
    assert note.endswith("tied lies between 0.3333 and 1.0000, clear stays at 0.5000")
    untied = {query: {"b": 0.9, "c": 0.8, "a": 0.7} for query in judgments}
    assert not [n for n in rm.compare(judgments, {"far": untied, "clear": clear}, "RR").notes if "ties alone" in n]


def test_what_looked_odd_when_reading_is_said_of_a_comparison_too():
    rated = pl.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "a"], "rating": [5.0, 1.0, 3.0]})
    lists = {"one": {1: ["a", "b"], 2: ["b", "a"]}, "other": {1: ["b", "a"], 2: ["a", "b"]}}
    assert any("rating" in note for note in rm.compare(rated, lists, "HR@1").notes)


@pytest.mark.parametrize("kind", ["folds", "seeds"])
def test_several_runs_are_led_on_to_compare(kind) -> None:
    run = {"q": ["a"]}
    for measured in (rm.evaluate, lambda truth, runs: rm.pool(truth, {"mine": runs})):
        with pytest.raises(rm.InputError, match=rf"{kind}\(\.\.\.\) holds several runs .*Hint: compare\("):
            measured({"q": {"a"}}, getattr(rm, kind)(run, run))


@pytest.mark.parametrize(
    ("test", "queries", "permutations", "floor"),
    [("randomisation", 8, 5_000, 2 / 2**8), ("randomisation", 14, 999, 1 / 1000), ("wilcoxon", 8, 500, 2 / 2**8),
     ("sign", 8, 500, 2 / 2**8), ("t", 8, 500, 2 / 2**8)],
)  # fmt: skip
@pytest.mark.parametrize("is_reached", [True, False])
def test_a_p_value_that_cannot_be_smaller_is_said_to_be_the_smallest(
    test, queries, permutations, floor, is_reached
) -> None:
    """All queries agree: no pattern of signs is more extreme. One that disagrees by the most makes p larger."""
    truth = {f"q{i}": {"a"} for i in range(queries)}
    # Under t the differences are nearly equal, so that the test alone would give a p-value far below the floor.
    poor = lists({query: 4 + at % 2 for at, query in enumerate(truth)})
    good = lists(dict.fromkeys(truth, 1))
    if not is_reached:
        good["q0"], poor["q0"] = lists({"q": 5})["q"], lists({"q": 1})["q"]
    cmp = rm.compare(truth, {"poor": poor, "good": good}, ["RR"], test=test, permutations=permutations, resamples=100)
    notes = [note for note in cmp.notes if "smallest" in note]
    assert bool(notes) == is_reached
    if is_reached:
        assert cmp.difference("RR", "poor", "good").p == pytest.approx(floor)
        assert notes[0].endswith(f"RR (poor - good) {floor:.2g}")
        assert "最小值" in notes[0].text("zh")


@pytest.mark.parametrize("test", ["t", "randomisation", "wilcoxon", "sign"])
def test_so_many_queries_that_the_smallest_p_value_is_no_longer_a_number_of_the_computer(test) -> None:
    truth = {f"q{i}": {"a"} for i in range(1200)}
    runs = {"good": lists(dict.fromkeys(truth, 1)), "poor": lists({q: 1 + i % 2 for i, q in enumerate(truth)})}
    cmp = rm.compare(truth, runs, ["RR"], test=test, **FEW)
    assert cmp.difference("RR", "good", "poor").significant
    assert cmp.best_group("RR") == ["good"]


def test_of_skewed_differences_it_is_said_what_share_the_largest_make_up() -> None:
    truth = {i: {"a"} for i in range(100)}
    good = {i: ["a"] for i in truth}
    poor = {i: ["x", "a"] if i < 20 else [f"x{n}" for n in range(99)] + ["a"] if i < 25 else ["a"] for i in truth}
    cmp = rm.compare(truth, {"good": good, "poor": poor}, ["RR"], **FEW)
    note = next(note for note in cmp.notes if note.kind == "skewed")
    assert "the largest 5% of them" in note
    assert note.endswith(f"RR (good - poor) {5 * 0.99 / (5 * 0.99 + 20 * 0.5):.0%}")


def test_of_two_systems_the_other_one_needs_no_name() -> None:
    cmp = rm.compare(TRUTH, {"a": GOOD, "b": POOR}, ["RR"], **FEW)
    assert cmp.difference("RR", "b") == cmp.difference("RR", "b", "a")
    assert cmp.difference("RR", "a") == cmp.difference("RR", "a", "b")
    three = rm.compare(TRUTH, {"a": GOOD, "b": POOR, "c": POOR}, ["RR"], **FEW)
    with pytest.raises(rm.InputError, match="against which system"):
        three.difference("RR", "b")


def test_several_baselines_make_one_family_and_every_view_names_them(tmp_path) -> None:
    rng = np.random.default_rng(5)
    truth = {i: {"a"} for i in range(60)}
    ranks = {"bm25": 4, "prod": 3, "new": 1, "odd": 4}
    runs = {n: {i: [f"x{k}" for k in range(rng.integers(0, r + 1))] + ["a"] for i in truth} for n, r in ranks.items()}
    cmp = rm.compare(truth, runs, ["RR"], baseline=["bm25", "prod"])
    pairs = {(one.system, one.other): one for one in cmp.differences}
    assert list(pairs) == [("new", "bm25"), ("odd", "bm25"), ("new", "prod"), ("odd", "prod")]
    assert cmp.settings.pairs == 4
    raw = np.array([one.p for one in cmp.differences])
    assert [one.p_corrected for one in cmp.differences] == pytest.approx(corrected(raw, "holm"))
    text = repr(cmp)
    assert "each system against each baseline: 4 tests" in text
    assert "Against bm25 it is" in text.split("\n")[0]
    assert "Against prod it is" in text.split("\n")[0]
    assert {one.system for one in cmp.scores if one.beats} == {"new"}
    assert "numbers behind a value" in cmp.to_markdown()
    assert json.loads(cmp.to_json())["baselines"] == ["bm25", "prod"]
    cmp.save(tmp_path / "c.zip")
    assert rm.Comparison.load(tmp_path / "c.zip").to_dict() == cmp.to_dict()
    assert repr(rm.Comparison.load(tmp_path / "c.zip")) == text
    with pytest.raises(rm.InputError, match="against which system"):
        cmp.difference("RR", "new")
    assert cmp.difference("RR", "new", "prod").significant
    with pytest.raises(rm.InputError, match="does not say which baseline"):
        check_gates(cmp, [parse_gate("RR < baseline")])
    assert not check_gates(cmp, [parse_gate("RR of new < prod")])[0].failed
    with pytest.raises(rm.InputError, match="all baselines"):
        rm.compare(truth, {"a": runs["new"], "b": runs["odd"]}, ["RR"], baseline=["a", "b"])
    assert (
        rm.compare(truth, runs, ["RR"], baseline=["bm25"]).to_dict()
        == rm.compare(truth, runs, ["RR"], baseline="bm25").to_dict()
    )


@pytest.mark.parametrize("test", ["t", "randomisation", "wilcoxon", "sign"])
def test_where_there_is_no_interval_the_record_and_the_text_say_why(test) -> None:
    rng = np.random.default_rng(2)
    truth = {i: {"a"} for i in range(10)}
    seen = set()
    for differing in range(1, 11):
        poor = {i: [f"x{n}" for n in range(rng.integers(1, 9) if i < differing else 0)] + ["a"] for i in truth}
        cmp = rm.compare(truth, {"good": {key: ["a"] for key in truth}, "poor": poor}, ["RR"], test=test)
        pair = cmp.differences[0]
        seen.add(pair.interval is None)
        if pair.interval is None:
            assert pair.reason
            assert f"only {differing} of 10 queries differ" in pair.reason or "no spread" in pair.reason
            assert any("RR (good - poor)" in note for note in cmp.notes)
            assert json.loads(cmp.to_json())["differences"][0]["reason"] == pair.reason
        else:
            assert not pair.reason
    assert seen == ({False} if test == "randomisation" else {True, False})


def test_a_floor_that_stands_for_p_is_not_called_a_t_test() -> None:
    truth = {i: {"a"} for i in range(10)}
    poor = {i: [f"x{n}" for n in range(i + 3 if i < 4 else 0)] + ["a"] for i in truth}
    cmp = rm.compare(truth, {"good": {key: ["a"] for key in truth}, "poor": poor}, ["RR"])
    [pair] = cmp.differences
    assert pair.p == 0.125
    assert "p is that of their signs (0.125), not that of a t test" in pair.reason
    assert "而非 t 检验" in pair.reason.text("zh")
