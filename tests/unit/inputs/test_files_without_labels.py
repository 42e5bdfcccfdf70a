"""A file that says what was returned, but not what is relevant, is not measured against itself."""

from __future__ import annotations

import json
import random

import polars as pl
import pytest

import rankmeter as rm


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("form", ["frame", "csv", "jsonl", "json", "parquet"])
def test_rows_without_a_grade_are_not_their_own_judgments(seed, form, tmp_path) -> None:
    draw = random.Random(seed)
    rows = [{"query": f"q{q}", "item": f"i{n}"} for q in range(draw.randint(1, 3)) for n in range(draw.randint(1, 4))]
    frame, path = pl.DataFrame(rows), tmp_path / f"rows.{form}"
    if form == "json":  # one object of lists, as people write one query down
        path.write_text(json.dumps({"relevant": ["a", "b"], "predicted": ["a", f"x{seed}"]}))
    elif form == "jsonl":
        frame.write_ndjson(path)
    elif form != "frame":
        getattr(frame, f"write_{form}")(path)
    with pytest.raises(rm.InputError, match="does not say which items are relevant"):
        rm.read_labelled(frame if form == "frame" else path)
    numbers = {name: [draw.randint(0, 1) for _ in rows] for name in ("grade", "score")}
    graded = frame.with_columns(**{name: pl.Series(values) for name, values in numbers.items()})
    assert rm.evaluate(rm.read_labelled(graded), measures="NumRet")["NumRet"] > 0
