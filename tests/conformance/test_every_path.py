"""One set of cases through every path: mapping, table, streamed file, tensors, catalogue; `test_spark` has Spark's."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.conformance.path_cases import CASES, PATHS, judged_values, through_mapping

import rankmeter as rm


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("path", PATHS)
def test_every_path_gives_the_same_value_to_every_query(path, case, tmp_path):
    found = judged_values(PATHS[path](case, tmp_path), list(case.judgments))
    assert found == judged_values(through_mapping(case, tmp_path), list(case.judgments))
    assert found["RR"] == pytest.approx(case.rr, abs=1e-15)


TWICE = {0: [4, 3, 4], 1: [3]}
JUDGED = {0: {3: 1}, 1: {3: 1}}


def as_lists(_):
    return JUDGED, TWICE


def as_table(_):
    frame = pl.DataFrame({"query": [0, 0, 0, 1], "item": [4, 3, 4, 3], "rank": [1, 2, 3, 1]})
    return JUDGED, frame


def as_file(folder):
    as_table(folder)[1].write_parquet(folder / "run.parquet")
    return JUDGED, folder / "run.parquet"


def as_ids(_):
    torch = pytest.importorskip("torch")
    return (rm.ranked_ids(torch.tensor([[4, 3, 4], [3, -1, -1]]), torch.tensor([[3], [3]])),)


@pytest.mark.parametrize("path", [as_lists, as_table, as_file, as_ids])
def test_an_item_that_stands_twice_is_refused_or_treated_as_asked(path, tmp_path):
    given = path(tmp_path)
    with pytest.raises(rm.InputError, match="twice"):
        rm.evaluate(*given, measures="RR")
    for policy in ("first", "best", "counted"):
        found = rm.evaluate(*given, measures="RR", duplicates=policy)
        assert found.per_query[f"RR(duplicates={policy})"].to_list() == [0.5, 1.0]


def test_an_item_that_stands_twice_in_a_catalogue_is_refused():
    with pytest.raises(rm.InputError, match=r"more than once|twice"):
        rm.rank_catalogue({0: [3]}, np.eye(1), np.ones((2, 1)), items=[3, 3])
