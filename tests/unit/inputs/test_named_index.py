"""A named level of a pandas index is a column like any other, and every name can be written."""

from __future__ import annotations

import json
from itertools import combinations

import narwhals as nw
import pandas as pd
import pytest

import rankmeter as rm
from rankmeter.errors import InputError

RUN = pd.DataFrame({"query": ["q", "q", "r"], "item": ["a", "b", "a"], "score": [0.1, 0.9, 0.5]})
JUDGED = pd.DataFrame({"query": ["q", "q", "r"], "item": ["a", "b", "a"], "grade": [0, 1, 1]})
IN_INDEX = [list(names) for size in (1, 2, 3) for names in combinations(("query", "item", 2), size)]
"""Which columns stand in the index; 2 is the score or the grade."""


def moved(frame: pd.DataFrame, names: list[object], *, append: bool = False) -> pd.DataFrame:
    return frame.set_index([frame.columns[2] if name == 2 else name for name in names], append=append)


@pytest.mark.parametrize("wrapped", [lambda frame: frame, nw.from_native], ids=["pandas", "narwhals"])
@pytest.mark.parametrize("append", [False, True], ids=["alone", "beside an unnamed level"])
@pytest.mark.parametrize("names", IN_INDEX, ids=str)
def test_a_named_level_is_a_column(names, append, wrapped):
    expected = rm.evaluate(JUDGED, RUN, ["RR", "AP"]).mean
    for judgments, run in ((JUDGED, moved(RUN, names, append=append)), (moved(JUDGED, names, append=append), RUN)):
        assert rm.evaluate(wrapped(judgments), wrapped(run), ["RR", "AP"]).mean == expected


@pytest.mark.parametrize("dtype", ["float64", "object", "Float64", "category"])
def test_a_score_in_the_index_has_the_same_types_as_in_a_column(dtype):
    column = RUN.astype({"score": dtype})
    given = []
    for run in (column, column.set_index("score")):
        try:
            given.append(rm.evaluate(JUDGED, run, "RR")["RR"])
        except InputError as error:
            given.append(str(error))
    assert given[0] == given[1]


@pytest.mark.parametrize("index", [None, [7, 8, 9], ["x", "y", "z"], [0.9, 0.1, 0.5]], ids=str)
def test_an_index_without_a_name_is_no_column(index):
    rows = RUN.drop(columns="score").set_axis(index or range(3))
    assert rm.evaluate(JUDGED, rows, "RR").reading.run.unused == ()


@pytest.mark.parametrize("name", ["query", "item", "score", "weight"])
def test_an_odd_level_or_one_with_the_name_of_a_column_is_refused(name):
    both = RUN.assign(weight=1.0)
    both.index = pd.Index([3, 2, 1], name=name)
    with pytest.raises(InputError, match=f"'{name}' is the name of an index level and of something else"):
        rm.evaluate(JUDGED, both, "RR")
    odd = RUN.drop(columns="score").set_axis(pd.Index([3, 2, 1], name="weight"))
    with pytest.raises(InputError, match="'weight' may be one"):
        rm.evaluate(JUDGED, odd, "RR")


@pytest.mark.parametrize("place", ["column", "index", "json"])
def test_a_name_that_cannot_be_written_is_refused_in_words(place, tmp_path):
    name = "bad\ud800"
    frame = RUN.drop(columns="score")
    if place == "column":
        frame = frame.assign(more=1)
        frame.columns = pd.Index(["query", "item", name], dtype=object)
    elif place == "index":
        frame.index = pd.Index([1, 2, 3], name=name)
    else:
        frame = tmp_path / "run.json"
        frame.write_text(json.dumps([{"query": "q", "item": "a", name: 1}]))
    with pytest.raises(InputError, match="lone surrogate") as refused:
        rm.evaluate(JUDGED, frame, "RR")
    str(refused.value).encode()


@pytest.mark.parametrize(
    "names", [[("query", ""), ("item", ""), ("score", "")], [("query", "id"), ("item", "id"), ("", "score")]]
)
def test_levels_of_column_names_are_put_together(names):
    frame = pd.DataFrame([["q", "a", 1.0], ["q", "b", 2.0]], columns=pd.MultiIndex.from_tuples(names))
    assert rm.evaluate({"q": {"a": 1}}, frame, "RR")["RR"] == 0.5
