"""Frames of values per query take the names that were asked for."""

from __future__ import annotations

import pytest

import rankmeter as rm

TRUTH, RUN = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["x", "a"], "q2": ["b"]}


@pytest.mark.parametrize(
    ("asked", "dialect", "name", "column"),
    [("MRR@10", None, "MRR@10", "RR@10"), ("map", "trec_eval", "map", None), ("nDCG@5", None, rm.nDCG() @ 5, "nDCG@5")],
)
def test_frames_take_the_names_that_were_asked(asked, dialect, name, column) -> None:
    ev = rm.evaluate(TRUTH, RUN, [asked], dialect=dialect)
    column = column or ev.per_query.columns[1]
    expected = ev.per_query[column].to_list()
    assert ev.to_polars(name)[str(name)].to_list() == expected
    assert ev.to_polars().columns == ["query", column]
    pytest.importorskip("pandas")
    assert ev.to_pandas(name)[str(name)].tolist() == expected
    pytest.importorskip("pyarrow")
    assert ev.to_arrow(name).column(str(name)).to_pylist() == expected


def test_what_has_no_values_per_query_says_so() -> None:
    ev = rm.evaluate(TRUTH, RUN, ["RR", "Gini@2"], catalogue=["a", "b", "x"])
    with pytest.raises(rm.NotFoundError, match="one value for all lists together"):
        ev.to_polars("Gini@2")
    with pytest.raises(rm.NotFoundError, match="AP"):
        ev.to_polars("AP")
