"""Measures of lists through the public interface: every kind of input, every kind of fault, slices, saving."""

from __future__ import annotations

import math
import warnings

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankmeter as rm

LISTS = {"u1": ["a", "b", "c"], "u2": ["b", "d"], "u3": ["a"]}
TRUTH = {"u1": {"b": 1}, "u2": {"b": 2, "a": 1}, "u3": {"c": 1}}
TRAIN = {"u1": ["d", "d"], "u2": ["c"], "u4": ["a"]}
ITEMS = rm.Catalogue(
    items=["a", "b", "c", "d"],
    values=[1, 2, 3, 4],
    features=[[1, 0], [0, 1], [1, 1], [0, 0]],
    categories=["x", "y", "x|y", None],
    groups=["g", "h", "g", "h"],
)
ASKED = ["Coverage@2", "Gini@2", "ILD@2", "Novelty@2", "Revenue@2", "CategoryEntropy@2", "Personalisation@2", "nDCG@2"]


@pytest.fixture
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmeterWarning)
        yield


def test_the_catalogue_of_metrics_erratum_coverage_is_0875_where_the_text_says_075():
    ev = rm.evaluate(None, [[1, 2, 3], [2, 4, 5], [3, 6, 7]], "Coverage@3", catalogue=range(1, 9))
    assert ev["Coverage@3"] == 0.875


def test_the_catalogue_of_metrics_diversity_and_entropy():
    features = [[0.9, 0.1, 0.2], [0.8, 0.3, 0.1], [0.1, 0.9, 0.4]]
    items = rm.Catalogue(items=[0, 1, 2], features=features)
    ev = rm.evaluate(None, [[0, 1, 2], [1]], ["ILD@3"], catalogue=items)
    assert ev.per_query["ILD@3"].to_list() == pytest.approx([0.431200, 1.0], abs=5e-7)
    lists = [[1, 2, 3], [2, 3, 4], [3, 4, 5]]
    assert rm.evaluate(None, lists, "Entropy(base=e)@3")["Entropy(base=e)@3"] == pytest.approx(1.522955, abs=5e-7)


def test_one_held_out_item_beside_measures_of_lists():
    truth = {"A": [12], "B": [3], "C": [5], "D": [14], "E": [20]}
    lists = {
        "A": [3, 10, 15, 12, 17], "B": [20, 15, 18, 14, 30], "C": [2, 5, 7, 8, 15], "D": [56, 14, 25, 12, 19],
        "E": [21, 24, 36, 54, 45],
    }  # fmt: skip
    ev = rm.evaluate(truth, lists, ["HR@5", "MRR@5", "NDCG@5", "Coverage(unit=count)@5"], catalogue=range(60))
    assert [ev["HR@5"], ev["MRR@5"]] == [0.6, 0.25]
    assert ev["NDCG@5"] == pytest.approx(0.338507, abs=5e-7)
    assert ev["Coverage(unit=count)@5"] == len({item for items in lists.values() for item in items})


def kinds_of_run(folder):
    rows = [(user, item, -rank) for user, items in LISTS.items() for rank, item in enumerate(items)]
    frame = pl.DataFrame(rows, schema=["user", "item", "score"], orient="row")
    yield "lists", LISTS
    yield "scores", {user: {item: -rank for rank, item in enumerate(items)} for user, items in LISTS.items()}
    yield "polars", frame
    yield "shuffled", frame.sample(fraction=1, shuffle=True, seed=3)
    yield "pandas", pytest.importorskip("pandas").DataFrame(frame.to_dict(as_series=False))
    frame.write_csv(folder / "run.csv")
    yield "csv", folder / "run.csv"
    lines = [f"{user} Q0 {item} 0 {score} t\n" for user, item, score in rows]
    (folder / "run.txt").write_text("".join(lines))
    yield "trec", folder / "run.txt"


@pytest.mark.usefixtures("_quiet")
def test_every_kind_of_input_gives_the_same_numbers(tmp_path):
    expected = rm.evaluate(TRUTH, LISTS, ASKED, catalogue=ITEMS, history=TRAIN)
    for kind, run in kinds_of_run(tmp_path):
        found = rm.evaluate(TRUTH, run, ASKED, catalogue=ITEMS, history=TRAIN)
        assert found.mean == expected.mean, kind
        assert found.per_query.sort("query").equals(expected.per_query.sort("query")), kind


def test_a_matrix_of_scores_has_the_lists_of_its_best_columns():
    scores = np.array([[0.1, 0.9, 0.5, 0.5], [3.0, 1.0, 2.0, 0.0]])
    ev = rm.evaluate(
        None, rm.arrays(scores), ["Coverage(unit=count)@2", "Gini(over=recommended)@2"], catalogue=range(4)
    )
    assert ev["Coverage(unit=count)@2"] == 4  # row 0: item 1, then 3 (the higher id of the tie); row 1: items 0 and 2
    ascending = rm.evaluate(None, rm.arrays(scores), "Coverage(ties=item-ascending,unit=count)@2", catalogue=range(4))
    assert next(iter(ascending.mean.values())) == 3


@pytest.mark.parametrize(("ties", "kept"), [("item", "z"), ("item-ascending", "a"), ("input", "m"), ("reversed", "a")])
def test_the_tie_rule_decides_which_items_are_in_the_list(ties, kept):
    run = {"u": {"m": 1.0, "z": 1.0, "a": 1.0}}
    for item in "amz":
        ev = rm.evaluate(None, run, [f"OutsideCatalogue(ties={ties})@1"], catalogue=[item])
        assert next(iter(ev.mean.values())) == (0.0 if item == kept else 1.0)


def test_an_item_that_stands_twice_is_refused_or_counted():
    run = {"u": ["a", "b", "a"]}
    assert rm.evaluate(None, run, "DuplicateItems@3")["DuplicateItems@3"] == pytest.approx(1 / 3)
    with pytest.raises(rm.InputError, match="twice"):
        rm.evaluate(None, run, ["DuplicateItems@3", "Coverage@3"], catalogue=["a", "b", "c"])
    ev = rm.evaluate(None, run, ["DuplicateItems@3", "Gini@3"], catalogue=["a", "b"], duplicates="first")
    assert list(ev.mean.values()) == [pytest.approx(1 / 3), 0.0]


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("Coverage@2", "catalogue="),
        ("Coverage(of=history)@2", "history="),
        ("Novelty@2", "history="),
        ("MIUF@2", "users="),
        ("ILD@2", "features="),
        ("ILD(metric=given)@2", "similarity="),
        ("Calibration@2", "categories="),
        ("Revenue@2", "values="),
        ("Margin@2", "margins="),
        ("Disparity@2", "groups="),
        ("SeenItems@2", "history="),
        ("SegmentGap@2", "by="),
    ],
)
def test_a_measure_says_what_to_pass(measure, told):
    with pytest.raises(rm.MeasureError, match="Hint: pass") as raised:
        rm.evaluate(TRUTH, LISTS, measure)
    assert told in str(raised.value)


def test_measures_of_relevance_need_judgments():
    for measure in ("nDCG@2", "Revenue@2", "UserCoverage"):
        with pytest.raises(rm.MeasureError, match="truth first"):
            rm.evaluate(None, LISTS, measure, catalogue=ITEMS)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"items": ["a", "a"]}, "more than once"),
        ({"items": []}, "empty"),
        ({"items": ["a"], "values": [-1]}, r"negative values: -1 \(item a\)"),
        ({"items": ["a"], "prices": [-1]}, r"negative prices: -1 \(item a\)"),
        ({"items": ["a"], "prices": ["cheap"]}, "prices that are not numbers: 'cheap'"),
        ({"items": ["a", "b"], "prices": [1]}, "prices has 1 value for 2 items"),
        ({"items": ["a"], "features": [1.0]}, "shape"),
        ({"items": ["a"], "features": [[math.nan]]}, "not finite"),
        (
            {"items": ["a", "b"], "features": [[1], [1, 2]]},
            r"lengths: 1 \(item a\), 2 \(item b\)\. Hint",
        ),
        ({"items": ["a", "b"], "features": [["x", 1], [1, 2]]}, r"not a matrix of numbers.*: \['x', 1\] \(item a\)\.$"),
        ({"items": ["a"], "values": {"b": 1}}, r"values are missing for a \(1 of 1 item\)"),
        ({"items": ["a"], "similarity": [[1, 2]]}, "similarity"),
        ({"items": ["a"], "values": [1], "prices": [1]}, "the same"),
    ],
)
def test_a_catalogue_that_cannot_be_used_is_refused(options, told):
    with pytest.raises(rm.InputError, match=told):
        rm.Catalogue(**options)


def test_items_outside_zero_vectors_and_users_without_history_are_counted_and_said():
    ev = rm.evaluate(
        None, {"u": ["a", "z"], "v": ["d"]}, ["ILD@2", "SeenItems@2"], catalogue=ITEMS, history={"u": ["a"]}
    )
    said = "; ".join(ev.facts.sentences())
    assert "1 of 3 recommended places has an item outside the catalogue" in said
    assert "1 item has a feature vector of zeros" in said
    assert "1 user with a list has no history; no number here leaves them out" in said
    assert ev.per_query["ILD@2"].to_list() == [1.0, 1.0]


def test_measures_that_leave_users_out_are_named():
    """Those without a history, and those without a list; each measure as it was asked."""
    asked = ["Calibration@9", "ILD@2", "nDCG@2", "Unexpectedness@2"]
    truth = {user: ["a"] for user in "uvw"}
    with pytest.warns(rm.RankmeterWarning) as warned:
        ev = rm.evaluate(truth, {"u": ["a"], "v": ["b", "a"]}, asked, catalogue=ITEMS, history={"u": ["d"]})
    left_out = [name for name in asked if ev.per_query.filter(pl.col("query") == "v")[name].null_count()]
    assert left_out == ["Calibration@9", "Unexpectedness@2"]
    said = "; ".join(ev.facts.sentences())
    assert "1 user with a list has no history; left out of Calibration@9, Unexpectedness@2" in said
    assert any(
        "1 of 3 judged users has no list: an empty list in nDCG@2, left out of Calibration@9, ILD@2, Unexpectedness@2"
        in str(warning.message) for warning in warned
    )  # fmt: skip


def test_users_without_a_history_do_not_count_where_it_is_compared_with():
    ev = rm.evaluate(None, {"u": ["a"], "v": ["b"]}, "Calibration@9", catalogue=ITEMS, history={"u": ["a"]})
    assert ev.per_query["Calibration@9"].to_list() == [0.0]
    assert ev.counted("Calibration@9") == 1


def test_a_cutoff_beyond_every_list_changes_nothing_but_short_lists():
    ev = rm.evaluate(None, LISTS, ["Gini@3", "Gini@99", "ShortLists@99"], catalogue=ITEMS)
    assert ev["Gini@3"] == ev["Gini@99"]
    assert ev["ShortLists@99"] == 1.0


def test_lists_that_are_all_empty_have_no_value_and_count_nobody():
    ev = rm.evaluate({"u": ["a"]}, {"u": []}, ["ILD@2", "Gini@2", "UserCoverage", "Coverage@2"], catalogue=ITEMS)
    assert ev["Coverage@2"] == 0.0
    assert ev["UserCoverage"] == 0.0
    assert ev.counted("ILD@2") == 0
    assert math.isnan(ev["ILD@2"])
    assert math.isnan(ev["Gini@2"])


def test_a_catalogue_comes_from_a_frame_or_a_file(tmp_path):
    frame = pl.DataFrame(
        {"movie_id": [1, 2], "genres": ["A|B", "B"], "price": [2.0, 3.0], "x": [1.0, 0.0], "y": [0, 1]}
    )
    frame.write_parquet(tmp_path / "items.parquet")
    frame.write_csv(tmp_path / "items.csv")
    truth, run = {7: [1]}, {7: [1, 2]}
    for data in (frame, frame.lazy(), str(tmp_path / "items.parquet"), tmp_path / "items.parquet"):
        items = rm.Catalogue(items=data, features=["x", "y"])
        ev = rm.evaluate(truth, run, ["ILD", "Revenue", "CategoryDiversity(norm=count)"], catalogue=items)
        assert list(ev.mean.values()) == [1.0, 2.0, 2.0]
    with pytest.warns(rm.RankmeterWarning, match="compared as text"):
        assert rm.evaluate(truth, run, "Revenue", catalogue=tmp_path / "items.csv")["Revenue"] == 2.0


def test_a_given_similarity_or_distance_is_used():
    run = {"u": ["a", "b", "c"]}
    given = rm.Catalogue(items=["a", "b", "c"], similarity=[[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    assert rm.evaluate(None, run, "ILD(metric=given)", catalogue=given)["ILD(metric=given)"] == pytest.approx(2.5 / 3)
    chebyshev = rm.Catalogue(
        items=["a", "b", "c"], features=[[0, 0], [3, 1], [0, 2]], distance=lambda a, b: np.abs(a - b).max(axis=1)
    )
    ev = rm.evaluate(None, run, "ILD(metric=given)", catalogue=chebyshev)
    assert ev["ILD(metric=given)"] == pytest.approx((3 + 2 + 3) / 3)


def test_measures_of_all_lists_have_no_column_for_queries_and_an_interval_only_where_it_means_something():
    run = {user: ["a", "b"] if user % 3 else ["c"] for user in range(60)}
    ev = rm.evaluate(None, run, ["Coverage@2", "GroupExposure@2", "Disparity@2"], catalogue=ITEMS)
    assert ev.per_query.columns == ["query"]
    span = ev.interval("GroupExposure(group=g)@2")
    assert span.low < ev["GroupExposure(group=g)@2"] < span.high
    assert not ev.has_interval("Coverage@2")
    with pytest.raises(rm.MeasureError, match="no interval"):
        ev.interval("Coverage@2")


def two_segments(apart: float, users: int = 200) -> tuple[dict, dict, dict]:
    """Users of two segments; the second finds its item at rank 1 less often."""
    rng = np.random.default_rng(5)
    truth = {user: ["a"] for user in range(users)}
    run = {user: ["a", "b"] if rng.random() > (apart if user % 2 else 0.3) else ["b", "a"] for user in range(users)}
    return truth, run, {user: "odd" if user % 2 else "even" for user in range(users)}


def test_slices_have_the_values_of_their_queries_alone():
    truth, run, segments = two_segments(0.8)
    ev = rm.evaluate(truth, run, ["RR", "Coverage@1", "Gini@2"], by=segments, catalogue=["a", "b", "c"])
    for label in ("odd", "even"):
        kept = [user for user in truth if segments[user] == label]
        alone = rm.evaluate(
            {user: truth[user] for user in kept}, {user: run[user] for user in kept}, ["RR", "Coverage@1", "Gini@2"],
            catalogue=["a", "b", "c"],
        )  # fmt: skip
        for measure in ("RR", "Coverage@1", "Gini@2"):
            assert ev.slices["segment"][measure][label] == pytest.approx(alone[measure])


def test_a_real_gap_is_told_from_chance():
    for apart, is_real in ((0.8, True), (0.3, False)):
        truth, run, segments = two_segments(apart)
        ev = rm.evaluate(truth, run, ["SegmentGap(of=RR)", "RR"], by=segments)
        cut = ev.slices["segment"]
        gap = cut.gap("RR", resamples=400)
        assert gap.value == pytest.approx(ev["SegmentGap(of=RR)"])
        assert gap.null_mean > 0
        assert (gap.p_value < 0.01) is is_real
        assert (gap.value > gap.null_high) is is_real
        difference = cut.difference("RR", "even", "odd", resamples=400)
        assert difference.value == pytest.approx(cut["RR"]["even"] - cut["RR"]["odd"])
        assert (difference.low > 0) is is_real
    span = ev.interval("SegmentGap(of=RR)", resamples=400)
    assert span.low <= ev["SegmentGap(of=RR)"] <= span.high


def test_queries_are_sliced_by_frames_files_and_activity(tmp_path):
    users = pl.DataFrame({"user": ["u1", "u2", "u3"], "country": ["DE", "FR", None], "age": [1, 2, 2]})
    users.write_csv(tmp_path / "users.csv")
    run = {"u1": ["b"], "u2": ["b"], "u3": ["a"]}
    ev = rm.evaluate(TRUTH, run, "RR", by=[users, f"{tmp_path / 'users.csv'}:country"][:1])
    assert ev.slices["country"]["RR"] == {"DE": 1.0, "FR": 1.0, "(none)": 0.0}
    assert ev.slices["age"]["RR"] == {"1": 1.0, "2": 0.5}
    assert list(rm.evaluate(TRUTH, run, "RR", by=f"{tmp_path / 'users.csv'}:age").slices) == ["age"]
    ev = rm.evaluate(TRUTH, run, "RR", by=["cold-users", "activity"], history=TRAIN)
    assert ev.slices["cold-users"]["RR"] == {"cold": 0.0, "warm": 1.0}
    assert ev.slices["activity"]["RR"]["no history"] == 0.0
    with pytest.raises(rm.InputError, match="popularity"):
        rm.evaluate(TRUTH, run, "RR", by="popularty", history=TRAIN)


def test_items_are_sliced_by_cutting_the_judgments():
    train = {user: ["a"] for user in range(9)} | {10: ["b"]}
    truth, run = {1: ["a", "c"], 2: ["c"], 3: ["b"]}, {1: ["a", "x", "c"], 2: ["c"], 3: ["x"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmeterWarning)
        ev = rm.evaluate(
            truth, run, ["RR", "Revenue@3", "ARP@3"], history=train, catalogue=ITEMS, by=["cold-items", "group"]
        )
    cold = ev.slices["cold-items"]
    assert cold["RR"] == {"cold": pytest.approx((1 / 3 + 1) / 2), "warm": pytest.approx((1 + 0) / 2)}
    assert cold.counts[rm.parse("RR")] == (2, 2)
    assert cold["Revenue@3"] == {"cold": 3.0, "warm": 0.5}
    assert rm.parse("ARP@3") not in cold.values
    assert ev.slices["group"]["RR"] == {"g": 1.0, "h": 0.0}
    assert cold.difference("RR", "warm", "cold").value == pytest.approx(0.5 - 2 / 3)


def test_slices_and_measures_of_lists_survive_saving(tmp_path):
    truth, run, segments = two_segments(0.8, users=40)
    asked = ["RR", "Coverage@1", "Disparity@2", "SegmentGap(of=RR)"]
    ev = rm.evaluate(truth, run, asked, by=segments, catalogue=ITEMS)
    ev.save(tmp_path / "ev.parquet")
    again = rm.Evaluation.load(tmp_path / "ev.parquet")
    assert again.mean == ev.mean
    assert again.slices["segment"].to_polars().equals(ev.slices["segment"].to_polars())
    assert again.interval("Disparity@2", resamples=200) == ev.interval("Disparity@2", resamples=200)
    assert again.slices["segment"].gap("RR", resamples=200) == ev.slices["segment"].gap("RR", resamples=200)
    assert again.to_json() == ev.to_json()


def test_leakage_sampled_candidates_and_missing_users_are_warned_of():
    with pytest.warns(rm.RankmeterWarning, match="1 of 1 relevant pair is in the history too"):
        rm.evaluate({"u": ["a"]}, {"u": ["a"]}, "SeenItems@1", history={"u": ["a"]})
    truth = {user: [user] for user in range(30)}
    run = {user: [user, *range(100, 109)] for user in range(30)}
    with pytest.warns(rm.RankmeterWarning, match="Krichene"):
        rm.evaluate(truth, run, ["nDCG@10", "Coverage@10"], catalogue=range(1000))
    with pytest.warns(rm.RankmeterWarning, match=r"1 of 2 judged users has no list: left out of Coverage@1$"):
        rm.evaluate({"u": ["a"], "v": ["a"]}, {"u": ["a"]}, "Coverage@1", catalogue=["a"])
    with pytest.warns(rm.RankmeterWarning, match=r"1 of 2 judged users has no list: an empty list in P@1$"):
        rm.evaluate({"u": ["a"], "v": ["a"]}, {"u": ["a"]}, "P@1", by="activity", history={"u": ["b"]})


def test_a_group_that_is_not_there_is_named():
    with pytest.raises(rm.MeasureError, match="its groups are g, h"):
        rm.evaluate(None, LISTS, "GroupExposure(group=x)@2", catalogue=ITEMS)


def test_every_slice_has_an_interval_and_its_difference_from_the_rest():
    truth, run, segments = two_segments(0.8)
    cut = rm.evaluate(truth, run, ["RR", "Coverage@1"], by=segments, catalogue=ITEMS).slices["segment"]
    even, odd = cut.intervals(resamples=400)[rm.parse("RR")]
    assert even.low < cut["RR"]["even"] < even.high
    assert even.rest.value == pytest.approx(cut["RR"]["even"] - cut["RR"]["odd"])
    assert (even.rest.low, even.rest.high) == pytest.approx((-odd.rest.high, -odd.rest.low))
    assert even.rest.low > 0
    rows = cut.to_polars(intervals=True).filter(pl.col("measure") == "Coverage@1")
    assert rows["low"].to_list() == [None, None]
    assert all("a resample of queries repeats lists" in why for why in rows["no_interval"])


def test_the_rest_of_three_slices_are_the_queries_of_the_other_two():
    truth, run, _ = two_segments(0.8)
    segments = {user: "abc"[user % 3] for user in truth}
    cut = rm.evaluate(truth, run, ["RR", "P(aggregate=pooled)@1"], by=segments).slices["segment"]
    for measure in ("RR", "P(aggregate=pooled)@1"):
        others = {user: "a" if segments[user] == "a" else "rest" for user in truth}
        two = rm.evaluate(truth, run, measure, by=others).slices["segment"]
        found = cut.intervals(resamples=300)[cut.find(measure)][0].rest
        assert found == pytest.approx(two.difference(measure, "a", "rest", resamples=300))


def test_slices_of_a_geometric_mean_differ_by_the_welch_interval_of_their_logarithms():
    truth, run, segments = two_segments(0.8)
    measure = "RR(aggregate=geometric)"
    ev = rm.evaluate(truth, run, measure, by=segments)
    difference = ev.slices["segment"].difference(measure, "even", "odd")
    logs = [np.log(ev.per_query.filter(pl.col("query") % 2 == half)[measure].to_numpy()) for half in (0, 1)]
    ends = stats.ttest_ind(*logs, equal_var=False).confidence_interval(0.95)
    even, odd = (math.exp(part.mean()) for part in logs)
    scale = (even - odd) / math.log(even / odd)
    assert difference.value == pytest.approx(even - odd)
    assert (difference.low, difference.high) == pytest.approx((ends.low * scale, ends.high * scale))


def test_a_slice_of_one_query_has_no_interval_and_says_so():
    cut = rm.evaluate(TRUTH, LISTS, "RR", by={"u1": "x", "u2": "x", "u3": "y"}).slices["segment"]
    assert cut.without_interval("RR", "x") is None
    assert cut.without_interval("RR", "y") == "fewer than two queries count"
    assert math.isnan(cut.difference("RR", "x", "y").low)
    assert cut.to_polars(intervals=True)["difference_low"].to_list() == [None, None]


def test_shares_of_exposure_differ_between_slices_with_an_interval_after_saving_too(tmp_path):
    run = {user: ["a", "b"] if user % 2 or user % 7 == 0 else ["b", "a"] for user in range(80)}
    segments = {user: "odd" if user % 2 else "even" for user in run}
    ev = rm.evaluate(None, run, "GroupExposure(group=g)@2", by=segments, catalogue=ITEMS)
    cut = ev.slices["segment"]
    measure = "GroupExposure(group=g)@2"
    difference = cut.difference(measure, "odd", "even", resamples=300)
    assert difference.value == pytest.approx(cut[measure]["odd"] - cut[measure]["even"])
    assert 0 < difference.low < difference.value < difference.high
    ev.save(tmp_path / "ev.parquet")
    again = rm.Evaluation.load(tmp_path / "ev.parquet").slices["segment"]
    assert again.difference(measure, "odd", "even", resamples=300) == difference
    with pytest.raises(rm.MeasureError, match="not a mean"):
        cut.gap(measure)


def test_slices_show_themselves_as_a_table():
    cut = rm.evaluate(TRUTH, LISTS, "RR", by={"u1": "x", "u2": "<y>", "u3": "x"}).slices["segment"]
    assert repr(cut).splitlines()[:2] == ["segment: 2 slices of queries", "slice  queries      RR"]
    page = cut._repr_html_()
    assert "&lt;y&gt;" in page
    assert "<table>" in page


@pytest.mark.parametrize("name", ["f1+f2", "f*", "f?"])
def test_columns_of_features_are_named_in_the_catalogue_or_in_the_call(name, tmp_path):
    (tmp_path / "items.csv").write_text("item,price,f1,f2,note\na,3,1,0,x\nb,2,0,1,y\n")
    items = tmp_path / "items.csv"
    with pytest.raises(rm.MeasureError, match=r'columns=\{"catalogue.features": "f1\+f2"\}'):
        rm.evaluate(None, {"u": ["a", "b"]}, "ILD", catalogue=items)
    made = rm.evaluate(None, {"u": ["a", "b"]}, "ILD", catalogue=rm.Catalogue(items=items, features=name))
    named = rm.evaluate(None, {"u": ["a", "b"]}, "ILD", catalogue=items, columns={"catalogue.features": name})
    assert made["ILD"] == named["ILD"] == 1.0
    with pytest.raises(rm.InputError, match="did you mean 'features'"):
        rm.evaluate(None, {"u": ["a"]}, "ILD", catalogue=items, columns={"catalogue.feature": name})
    with pytest.raises(rm.InputError, match="no column 'g1'"):
        rm.Catalogue(items=items, features="f1+g1")
    with pytest.raises(rm.InputError, match=r"features \(note\) that are not numbers: 'x' \(item a\)"):
        rm.Catalogue(items=items, features="f1+note")


def test_vectors_may_be_text_in_one_column_or_lists():
    for column in (["1 0", "0 1"], ["[1, 0]", "[0, 1]"], [[1.0, 0.0], [0.0, 1.0]], ["1|0", "0|1"]):
        items = pl.DataFrame({"item": ["a", "b"], "features": column})
        assert rm.evaluate(None, {"u": ["a", "b"]}, "ILD", catalogue=items)["ILD"] == 1.0
    with pytest.raises(rm.InputError, match=r"lengths: 1 \(item a\), 2 \(item b\)"):
        rm.Catalogue(items=pl.DataFrame({"item": ["a", "b"], "features": ["1", "1 2"]}))
    with pytest.raises(rm.InputError, match=r"not numbers: 'x' \(item b\)"):
        rm.Catalogue(items=pl.DataFrame({"item": ["a", "b"], "features": ["1 2", "1 x"]}))


@pytest.mark.parametrize(
    ("measure", "run", "why"),
    [
        ("Personalisation@2", {"u": ["a"]}, "fewer than two have items"),
        ("Gini@2", {"u": ["y", "z"]}, "no recommended item is among those it looks at (over=catalogue)"),
        ("ExposureGini@2", {"u": ["y"]}, "over=catalogue"),
        ("Entropy@2", {"u": []}, "nothing is recommended"),
        ("Disparity@2", {"u": ["z"]}, "belongs to a group"),
        ("ILD@2", {"u": []}, "no query counts"),
    ],
)
def test_a_value_that_is_not_a_number_says_why(measure, run, why):
    ev = rm.evaluate(None, run, measure, catalogue=ITEMS)
    assert math.isnan(ev[measure])
    assert why in ev.without_value(measure)
    assert f"{measure} has no value: " in repr(ev)
    assert ev.to_dict()["no_value"] == {measure: ev.without_value(measure)}
    assert why in ev._repr_html_()


def test_lists_of_a_table_that_are_empty_are_lists_of_the_run():
    from rankmeter.inputs.tables import RunTable

    users, item, score = pl.Series(["u", "v", "w"]), pl.Series(["a", "b", "a"]), pl.Series([2.0, 1.0, 1.0])
    table = RunTable(pl.Series(["w", "w", "u"]), item, score, queries=users)
    ev = rm.evaluate(None, table, ["ShortLists@2", "UserCoverage(queries=run)"])
    assert ev.queries.to_list() == ["u", "v", "w"]
    assert ev.per_query["ShortLists@2"].to_list() == [1.0, 1.0, 0.0]
    assert ev["UserCoverage(queries=run)"] == pytest.approx(2 / 3)
