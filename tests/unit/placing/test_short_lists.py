from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.placing import joins, segments, staircase

MEASURES = ["AP", "nDCG@5", "RR", "R@3", "Judged@10", "AP(candidates=appended)", "P(ties=mean)@2", "RR(queries=run)"]


def frames(seed: int, *, text: bool, even: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    draw = np.random.default_rng(seed)
    rows, judged = [], []
    for query in range(1500):
        listed = draw.choice(40, 6 if even else int(draw.integers(1, 9)), replace=False).tolist()
        rows += [(query, item, float(draw.integers(0, 4))) for item in listed]
        if query % 7:
            known = draw.choice(40, 5 if even else int(draw.integers(1, 9)), replace=False).tolist()
            judged += [(query, item, int(draw.integers(-1, 4))) for item in known]
    run = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
    truth = pl.DataFrame(judged, schema=["query", "item", "grade"], orient="row")
    if text:
        run, truth = (frame.with_columns(pl.col("item").cast(pl.String)) for frame in (run, truth))
    return truth, run


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("shuffled", [False, True])
def test_comparing_columns_and_hashing_rows_give_the_same_values(text, even, shuffled, monkeypatch):
    truth, run = frames(3, text=text, even=even)
    if shuffled:
        run = run.sample(fraction=1, shuffle=True, seed=5)
    by_columns = rm.evaluate(truth, run, MEASURES)
    monkeypatch.setattr(staircase, "LEAST_QUERIES", 10**9)
    by_hash = rm.evaluate(truth, run, MEASURES)
    assert by_columns.per_query.sort("query").equals(by_hash.per_query.sort("query"))
    assert by_columns.mean == by_hash.mean


def test_a_repeated_item_is_found_among_short_lists():
    truth, run = frames(4, text=False, even=True)
    twice = pl.concat([run, run.tail(1)])
    with pytest.raises(rm.InputError, match="returns an item twice for the same query"):
        rm.evaluate(truth, twice, "AP")
    with pytest.raises(rm.InputError, match="judges an item twice for the same query"):
        rm.evaluate(pl.concat([truth, truth.tail(1).with_columns(pl.col("grade") + 1)]), run, "AP")
    assert rm.evaluate(truth, twice, "AP", duplicates="first").mean


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_run_in_parts_and_as_a_whole_give_the_same_values(text, short, shuffled, monkeypatch):
    truth, run = frames(6, text=text, even=False)
    if shuffled:
        truth, run = (one.sample(fraction=1, shuffle=True, seed=5) for one in (truth, run))
    monkeypatch.setattr(staircase, "LEAST_QUERIES", 10 if short else 10**9)
    whole = rm.evaluate(truth, run, MEASURES)
    in_parts(monkeypatch)
    assert rm.evaluate(truth, run, MEASURES).per_query.equals(whole.per_query)


def test_repeated_items_of_all_parts_are_told_together(monkeypatch):
    truth, run = frames(7, text=False, even=True)
    twice = pl.concat([run.head(1), run, run.tail(1)])
    in_parts(monkeypatch)
    with pytest.raises(rm.InputError) as error:
        rm.evaluate(truth, twice, "AP")
    assert f"query {run['query'][0]}" in str(error.value)
    assert f"query {run['query'][-1]}" in str(error.value)
    kept, once = rm.evaluate(truth, twice, "AP", duplicates="first"), rm.evaluate(truth, run, "AP")
    assert list(kept.mean.values()) == list(once.mean.values())


def in_parts(monkeypatch):
    for module in (segments, joins):
        monkeypatch.setattr(module, "PART_ROWS", 500)
