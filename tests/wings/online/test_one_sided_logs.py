"""Logs that hold one kind of event alone, or only what was clicked: no number comes without a word about that."""

from __future__ import annotations

import random

import polars as pl
import pytest

import rankmeter as rm

BOTH = ("impression", "click")
NEEDS = {
    "CTR": BOTH, "CTR(orphans=keep)": BOTH, "CTR(per=request)": BOTH, "CTR@3": BOTH,
    "CVR": ("click", "conversion"), "Conversions": ("conversion",),
}  # fmt: skip


def event(draw: random.Random, kind: str, at: int) -> dict[str, object]:
    user = draw.randrange(5)
    return {
        "time": at, "user": f"u{user}", "request": f"r{user}", "item": f"i{at}", "position": 1 + at % 3, "type": kind,
    }  # fmt: skip


def given(draw: random.Random, rows: list[dict[str, object]], folder) -> object:
    frame = pl.DataFrame(rows)
    way = draw.choice(["records", "polars", "csv", "ndjson", "parquet"])
    if way in ("records", "polars"):
        return rows if way == "records" else frame
    path = folder / f"log.{way}"
    getattr(frame, f"write_{way}")(path)
    return path


@pytest.mark.parametrize("seed", range(30))
def test_a_log_without_a_kind_of_event_says_so(seed, tmp_path):
    draw = random.Random(seed)
    kinds = draw.sample(["impression", "click", "conversion"], draw.choice([1, 2]))
    log = given(draw, [event(draw, kinds[at % len(kinds)], at) for at in range(draw.randrange(2, 20))], tmp_path)
    for measure, needs in NEEDS.items():
        said = " ".join(map(str, rm.online.evaluate(log, measure).notes))
        assert (f"{measure}: the log holds no " in said) == any(kind not in kinds for kind in needs), (measure, kinds)


@pytest.mark.parametrize("seed", range(10))
def test_a_rate_of_one_says_what_it_is_made_of(seed, tmp_path):
    draw = random.Random(seed)
    pairs = range(draw.randrange(1, 20))
    shown = [event(draw, "impression", at) for at in pairs]
    clicks = [{**row, "type": "click", "time": 100} for row in shown]
    missed = {**event(draw, "impression", 50), "user": "u9", "request": "r9"}
    for rows, is_one in ((shown + clicks, True), ([*shown, *clicks, missed], False)):
        result = rm.online.evaluate(given(draw, rows, tmp_path), "CTR")
        assert (result["CTR"] == 1) == is_one
        assert ("CTR is 1" in " ".join(map(str, result.notes))) == is_one
