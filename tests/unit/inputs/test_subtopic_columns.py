"""Judgments of subtopics come from mappings, frames, tables and TREC text, and give the same number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmeter as rm

JUDGED = pl.DataFrame({"query": ["q"] * 3, "iteration": ["1", "2", "1"], "item": ["a", "a", "b"], "grade": [1, 1, 1]})
RETURNED = pl.DataFrame({"query": ["q", "q"], "item": ["b", "a"], "score": [2.0, 1.0]})
NESTED = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}}}
EXPECTED = rm.evaluate(NESTED, {"q": ["b", "a"]}, ["alpha_nDCG@5"])["alpha_nDCG@5"]


@pytest.mark.parametrize("kind", ["polars", "pandas", "mapping", "csv", "parquet", "trec"])
def test_subtopics_are_read_from_every_kind_of_judgments(kind: str, tmp_path: Path) -> None:
    judgments: Any = JUDGED
    if kind == "pandas":
        judgments = JUDGED.to_pandas()
    elif kind == "mapping":
        judgments = NESTED
    elif kind in ("csv", "parquet"):
        judgments = tmp_path / f"judgments.{kind}"
        getattr(JUDGED, f"write_{kind}")(judgments)
    elif kind == "trec":
        judgments = tmp_path / "judgments.qrels"
        judgments.write_text("q 1 a 1\nq 2 a 1\nq 1 b 1\n")
    columns = None if kind == "mapping" else {"subtopic": "iteration"}
    result = rm.evaluate(judgments, RETURNED, ["alpha_nDCG@5"], columns=columns)
    assert result["alpha_nDCG@5"] == EXPECTED


def test_an_iteration_column_is_no_subtopic_unless_it_is_named() -> None:
    with pytest.raises(rm.MeasureError, match="need subtopics"):
        rm.evaluate(JUDGED.unique("item"), RETURNED, ["alpha_nDCG@5"])
