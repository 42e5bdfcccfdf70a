"""Catalogues, histories and segments as people really hold them: each has one behaviour, never a wrong number."""

from __future__ import annotations

import json
import tracemalloc
from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import rankmeter as rm
from rankmeter.lists.catalogue import into_history

LISTS = {"u": ["a", "b"], "v": ["b", "c"]}
TRUTH = {"u": ["a"], "v": ["c"]}
ITEMS = ["a", "b", "c"]


def means(measures, *, truth=None, lists=LISTS, **known):
    return list(rm.evaluate(truth, lists, measures, **known).mean.values())


@pytest.mark.parametrize(
    "given",
    [
        {"a": {"price": 1}, "b": {"price": 2}, "c": {"price": 4}},
        {"item": ITEMS, "price": [1, 2, 4]},
        {"a": 1, "b": 2, "c": 4},
        pd.DataFrame({"price": [1, 2, 4]}, index=pd.Index(ITEMS, name="item")),
    ],
)
def test_a_mapping_is_a_catalogue_with_its_columns(given):
    assert means(["Revenue@2", "Coverage@2"], truth=TRUTH, catalogue=given) == [2.5, 1.0]


@pytest.mark.parametrize(
    "content", [{"item": ITEMS, "price": [1, 2, 4]}, {"a": {"price": 1}, "b": {"price": 2}, "c": {"price": 4}}]
)
def test_the_same_mappings_in_a_file_of_one_line(content, tmp_path):
    path = tmp_path / "items.json"
    path.write_text(json.dumps(content))
    assert means(["Revenue@2"], truth=TRUTH, catalogue=str(path)) == [2.5]


def test_segments_in_a_json_file_of_one_line(tmp_path):
    path = tmp_path / "segments.json"
    path.write_text('{"u": "x", "v": "y"}')
    (cut,) = rm.evaluate(TRUTH, LISTS, "RR", by=str(path)).slices.values()
    assert cut["RR"] == {"x": 1.0, "y": 0.5}


def test_a_file_with_one_column_loses_no_id(tmp_path):
    path = tmp_path / "ids.txt"
    path.write_text("1\n2\n3\n")
    assert len(rm.Catalogue(str(path))) == 3
    path.write_text("item\na\nb\n")
    assert len(rm.Catalogue(str(path))) == 2
    path.write_text("sku\na\nb\n")
    assert len(rm.Catalogue(str(path), item="sku")) == 2
    with pytest.raises(rm.InputError, match="may be a header or the first id"):
        rm.Catalogue(str(path))


def test_groups_that_would_share_a_name_are_refused():
    with pytest.raises(rm.InputError, match="'x y' and 'x-y'"):
        rm.Catalogue(ITEMS, groups=["x y", "x-y", "z"])


@pytest.mark.parametrize("groups", [["3d", "007", "2024-01"], [10**20, 1, 2], ["", "1e5", "b"], [float("inf"), 1, 2.0]])
def test_groups_of_any_name_have_their_exposure(groups):
    shares = means(["GroupExposure(weight=equal)@2"], catalogue=rm.Catalogue(ITEMS, groups=groups))
    assert sorted(shares) == [0.25, 0.25, 0.5]


def test_categories_as_columns_of_zeros_and_ones():
    table = pl.DataFrame({"item": ITEMS, "drama": [1, 0, 1], "news": [0, 1, 1]})
    made = rm.Catalogue(table, categories=["drama", "news"])
    assert made.category_names == ("drama", "news")
    assert means(["CategoryDiversity(norm=count)@1"], catalogue=made) == [1.0]
    assert rm.Catalogue(ITEMS, categories=table.drop("item").to_pandas()).category_names == ("drama", "news")


def test_several_columns_where_one_is_meant_are_refused():
    table = pl.DataFrame({"item": ITEMS, "g": ["x", "y", "z"], "h": ["1", "2", "3"]})
    with pytest.raises(rm.InputError, match="groups must be one column, and 2 are named"):
        rm.Catalogue(table, groups=["g", "h"])
    with pytest.raises(rm.InputError, match="features must be one column or more, and 0 are named"):
        rm.Catalogue(table, features=[])


def test_missing_labels_are_no_categories():
    assert rm.Catalogue(["a", "b"], categories=[["x", None], [float("nan")]]).category_names == ("x",)
    frame = pd.DataFrame({"item": ["a", "b"], "genre": pd.array(["x", pd.NA], dtype="string")})
    assert rm.Catalogue(frame).category_names == ("x",)


ENTRIES_IN_PARTS = sp.csr_matrix((np.array([1.0, 2, 1, 1, 0]), [0, 0, 0, 1, 1], [0, 2, 4, 5]), shape=(3, 2))


@pytest.mark.parametrize("metric", ["cosine", "jaccard", "euclidean", "hamming"])
def test_sparse_features_with_entries_in_parts_or_of_zero_are_as_dense_ones(metric):
    asked = [f"ILD(metric={metric})@2"]
    sparse = means(asked, catalogue=rm.Catalogue(ITEMS, features=ENTRIES_IN_PARTS))
    assert sparse == pytest.approx(means(asked, catalogue=rm.Catalogue(ITEMS, features=ENTRIES_IN_PARTS.toarray())))
    assert len(ENTRIES_IN_PARTS.data) == 5  # the caller's matrix is left alone


def test_sparse_categories_with_an_entry_of_zero():
    made = rm.Catalogue(ITEMS, categories=ENTRIES_IN_PARTS)
    assert means(["CategoryDiversity(norm=count)"], lists={"u": ["c"]}, catalogue=made) == [0.0]


def test_a_sparse_row_of_zeros_is_said():
    made = rm.Catalogue(ITEMS, features=ENTRIES_IN_PARTS)
    assert any(
        "1 item has a feature vector of zeros" in one
        for one in rm.evaluate(None, LISTS, "ILD@2", catalogue=made).facts.notes
    )


@pytest.mark.parametrize("size", [1e200, 1e-200])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_the_length_of_a_vector_does_not_change_its_cosine(size, kind):
    features = np.array([[1.0, 1], [1, 1], [1, 0]])
    expected = means(["ILD@2"], catalogue=rm.Catalogue(ITEMS, features=features))
    assert means(["ILD@2"], catalogue=rm.Catalogue(ITEMS, features=kind(features * size))) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("option", "match"),
    [
        ({"values": 3}, "values of type int are not numbers"),
        ({"values": {1, 2}}, "values are a set, which has no order"),
        ({"features": np.array([[1j], [1], [2]])}, "complex numbers"),
        ({"popularity": [5, 3, 1], "users": 2}, "users=2, but an item was taken 5 times"),
        ({"popularity": [5, 3, 1], "users": -1}, "users=-1"),
        ({"popularity": [0, 0, 0]}, "the popularity of all 3 items is 0"),
        ({"popularity": dict.fromkeys(ITEMS, 0.0), "users": 9}, "the popularity of all 3 items is 0"),
        ({"similarity": np.full((3, 3), np.nan)}, "not finite"),
        ({"similarity": np.triu(np.ones((3, 3)))}, "not symmetric"),
        ({"similarity": [["x"] * 3] * 3}, "not a matrix of numbers"),
        ({"distance": lambda left, right: left[:, 0]}, "distance= compares vectors"),
        ({"distance": lambda left, right: left[:, 0], "features": sp.eye(3).tocsr()}, "distance= compares vectors"),
    ],
)
def test_what_cannot_be_is_refused(option, match):
    with pytest.raises(rm.InputError, match=match):
        rm.Catalogue(ITEMS, **option)


def test_a_list_column_is_no_price_and_may_be_features_by_name_in_a_list():
    table = pl.DataFrame({"item": ["a", "b"], "vector_1": [[1.0, 2.0], [3.0, 4.0]], "f[0]": [1, 2], "f[1]": [3, 4]})
    with pytest.raises(rm.InputError, match="are not numbers"):
        rm.Catalogue(table, values="vector_1")
    assert rm.Catalogue(table, features=["vector_1"]).features.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert rm.Catalogue(table, features="f[0]+f[1]").features.tolist() == [[1.0, 3.0], [2.0, 4.0]]


def test_a_given_similarity_keeps_its_size():
    made = rm.Catalogue(ITEMS, similarity=np.full((3, 3), 5.0))
    assert means(["ILD(metric=given)@2", "ILD(metric=given,scale=similarity)@2"], catalogue=made) == [-4.0, 5.0]


def test_what_no_file_can_hold_is_asked_for_in_python():
    with pytest.raises(rm.MeasureError, match=r"pass catalogue= in Python, as rankmeter.Catalogue\(.*similarity="):
        means(["ILD(metric=given)@2"], catalogue=ITEMS)


def test_a_distance_that_is_not_a_number_is_refused():
    made = rm.Catalogue(ITEMS, features=np.eye(3), distance=lambda left, right: np.full(len(left), np.nan))
    with pytest.raises(rm.MeasureError, match="not finite"):
        means(["ILD(metric=given)@2"], catalogue=made)


def test_popularity_as_shares_gives_what_counts_give():
    asked = ["ARP(norm=max)@2", "ARP(norm=share)@2", "Novelty@2", "Disparity(target=history)@2"]
    counts = means(asked, catalogue=rm.Catalogue(ITEMS, popularity=[20, 10, 5], groups=["x", "y", "x"]))
    shares = means(asked, catalogue=rm.Catalogue(ITEMS, popularity=[0.2, 0.1, 0.05], groups=["x", "y", "x"]))
    assert shares == pytest.approx(counts)
    cold = rm.Catalogue(ITEMS, popularity=[0.6, 0.4, 0])
    novelty = means(["Novelty"], lists={"u": ["c"]}, catalogue=cold)
    assert novelty == pytest.approx([-np.log2(0.4)])  # as the rarest, not as one that everybody took


def test_a_lift_over_nothing_is_no_lift():
    known = {"catalogue": rm.Catalogue(ITEMS, popularity=[3, 2, 0]), "history": {"u": ["c"], "v": ["a"]}}
    lists = {"u": ["a"], "v": ["b"]}
    asked = ["PopularityLift(aggregate=mean)", "PopularityLift"]
    assert means(asked, lists=lists, **known) == pytest.approx([-1 / 3, 2 / 3])
    assert np.isnan(means(asked, lists={"u": ["a"]}, **known)).all()


def test_text_is_no_history_and_an_empty_frame_says_that_it_is_the_history():
    with pytest.raises(rm.InputError, match="expected a collection of items for each user"):
        means(["Novelty@2"], history={"u": "ab"})
    with pytest.raises(rm.InputError, match=r"^history .* is empty"):
        means(["Novelty@2"], history=pl.DataFrame(schema={"user": pl.String, "item": pl.String}))


def test_a_huge_cutoff_needs_no_memory():
    made = rm.Catalogue(ITEMS, values=[1, 2, 3])
    huge = means(["ValueNDCG@99999999999"], truth=TRUTH, catalogue=made)
    assert huge == means(["ValueNDCG@2"], truth=TRUTH, catalogue=made)


@pytest.mark.slow
def test_jaccard_of_long_lists_is_done_in_blocks():
    rng = np.random.default_rng(0)
    made = rm.Catalogue(range(600), features=rng.integers(0, 2, (600, 2)))
    lists = {user: rng.permutation(600)[:500].tolist() for user in range(60)}
    tracemalloc.start()
    try:
        means(["ILD(metric=jaccard)@500"], lists=lists, catalogue=made)
        assert tracemalloc.get_traced_memory()[1] < 200e6  # all 60 at once take over 400 MB
    finally:
        tracemalloc.stop()


def test_one_item_everywhere_has_no_negative_zero():
    assert str(means(["Entropy@1"], lists={"u": ["a"]})[0]) == "0.0"


def test_slices_are_in_the_order_of_numbers_and_nothing_is_no_label():
    users = range(12)
    cut = rm.evaluate({u: ["a"] for u in users}, {u: ["a"] for u in users}, "RR", by={u: u for u in users})
    assert cut.slices["segment"].labels == tuple(map(str, users))
    frame = pd.DataFrame({"user": ["u", "v"], "age": [3, np.nan]})
    assert rm.evaluate(TRUTH, LISTS, "RR", by=frame).slices["age"].labels == ("3", "(none)")


def test_a_gap_can_be_about_a_measure_of_lists():
    made = rm.Catalogue(ITEMS, features=[[1, 0], [1, 0], [0, 1]])
    asked = "SegmentGap(of=ILD)@2"
    assert means([asked], truth=TRUTH, catalogue=made, by={"u": 1, "v": 2}) == [1.0]
    with pytest.raises(rm.MeasureError, match="needs a vector for each item"):
        means([asked], truth=TRUTH, catalogue=ITEMS, by={"u": 1, "v": 2})


def test_leakage_is_warned_of_whatever_is_measured():
    with pytest.warns(rm.RankmeterWarning, match="1 of 2 relevant pairs is in the history too"):
        ev = rm.evaluate(TRUTH, LISTS, "nDCG@10", history={"u": ["a"]})
    assert "leakage" in repr(ev)


def test_leakage_is_warned_of_in_blocks_too(tmp_path):
    with pytest.warns(rm.RankmeterWarning, match="1 of 2 relevant pairs is in the history too"):
        rm.evaluate(TRUTH, LISTS, "nDCG@10", history={"u": ["a"]}, per_query_to=str(tmp_path / "values.parquet"))


def test_a_space_behind_a_comma_is_no_part_of_a_number(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("item, price\na, 1\nb, 2.5\n")
    assert rm.Catalogue(str(path)).values.tolist() == [1.0, 2.5]


def test_sampled_candidates_are_warned_of_whatever_is_measured():
    users = range(30)
    lists = {u: [(u + step) % 500 for step in range(20)] for u in users}
    with pytest.warns(rm.RankmeterWarning, match="look sampled"):
        rm.evaluate({u: [u] for u in users}, lists, "nDCG@10", catalogue=range(500))


def test_ids_that_are_collections_are_refused():
    with pytest.raises(rm.InputError, match="is not a valid item id"):
        rm.Catalogue([["a"], ["b"]])


PAIRED = {
    "popularity": [1, 2], "categories": ["x", "y"], "features": [[1.0], [2.0]], "values": [1, 2], "prices": [1, 2],
    "margins": [1, 2], "groups": ["x", "y"], "similarity": [[1, 0], [0, 1]],
}  # fmt: skip


@pytest.mark.parametrize("items", [{"a", "b"}, frozenset({"a", "b"}), {"a": 1, "b": 2}.keys()])
@pytest.mark.parametrize("option", PAIRED)
def test_items_without_an_order_are_paired_with_nothing_that_has_one(items, option):
    with pytest.raises(rm.InputError, match="no order"):
        rm.Catalogue(items=items, **{option: PAIRED[option]})
    assert len(rm.Catalogue(items=items)) == 2
    if option != "similarity":
        by_item = dict(zip(sorted(items), PAIRED[option], strict=True))
        assert len(rm.Catalogue(items=items, **{option: by_item})) == 2


@pytest.mark.parametrize("bytes_", [b"ab", bytearray(b"ab"), memoryview(b"ab")])
@pytest.mark.parametrize("beside", ["catalogue", "history", "by"])
def test_bytes_are_no_ids(beside, bytes_):
    with pytest.raises(rm.InputError, match="cannot be read"):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["RR"], **{beside: bytes_})


@pytest.mark.parametrize("bytes_", [b"ab", bytearray(b"ab"), memoryview(b"ab"), "ab"])
@pytest.mark.parametrize("side", ["judgments", "run", "history"])
def test_letters_and_bytes_are_no_lists_of_items(side, bytes_):
    given = {"judgments": {"q": ["a"]}, "run": {"q": ["a"]}, "history": {"q": ["b"]}, side: {"q": bytes_}}
    with pytest.raises(rm.InputError):
        rm.evaluate(given["judgments"], given["run"], ["RR"], history=given["history"])


TAKEN = {"user": ["u", "u", "v", "u"], "item": ["new", "old", "x", "middle"]}
MOMENTS = {
    "numbers": [3, 1, 2, 2],
    "text of numbers": ["30", "1", "2", "2"],
    "moments": [datetime(2024, month, 1) for month in (3, 1, 2, 2)],  # noqa: DTZ001
    "text": ["2024-03-01T00:00", "2024-01-01", "2024-02-01", "2024-02-01"],
}


@pytest.mark.parametrize("kind", MOMENTS)
@pytest.mark.parametrize("way", ["polars", "pandas", "csv", "parquet"])
@pytest.mark.parametrize("name", ["timestamp", "时间", "createdAt"])
def test_the_latest_come_first_by_their_times(way, kind, name, tmp_path):
    frame = pl.DataFrame({**TAKEN, name: MOMENTS[kind]})
    data = frame
    if way == "pandas":
        data = pd.DataFrame({**TAKEN, name: MOMENTS[kind]})
    elif way != "polars":
        data = tmp_path / f"history.{way}"
        (frame.write_csv if way == "csv" else frame.write_parquet)(data)
    assert into_history(data).latest({"u"}, 9) == {"u": ["new", "middle", "old"]}


@pytest.mark.parametrize("times", [["soon", "3", "2", "1"], [None] * 4])
def test_the_last_row_comes_first_where_no_column_says_when(times, tmp_path):
    for history in (pl.DataFrame({**TAKEN, "time": times}), pl.DataFrame(TAKEN), {"u": ["new", "old", "middle"]}):
        assert into_history(history).latest({"u"}, 2) == {"u": ["middle", "old"]}
    (tmp_path / "history.txt").write_text("".join(f"{u} 0 {i} 1\n" for u, i in zip(*TAKEN.values(), strict=True)))
    assert into_history(tmp_path / "history.txt").latest({"u"}, 2) == {"u": ["middle", "old"]}
