"""Numbers as people and programs spell them, at every door that reads one: a value or a sentence, soon."""

from __future__ import annotations

import json
import time
from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest

import rankmeter as rm

JUDGED, RUN = {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}
HUGE = {
    "large exponent": "1e999999999",
    "negative": "-1e999999999",
    "exponent of twenty digits": "1E99999999999999999999",
    "just beyond a float": "1e400",
    "100,000 digits": "9" * 100_000,
}
"""What no float holds; read as infinity, it would tie with every other such number."""
ODD = ["1_000", "\uff11\uff12", "\u0663", "0x10", "1d5", "\u00bd", "1.2.3", "--1", "1/3", "10**5", "", "\u221e"]
"""What Python or another tool may read as a number, and no table of judgments does."""
TEXTS = {
    "TREC run": ("r.run", "q Q0 a 1 {} s\nq Q0 b 2 0.5 s\n"),
    "CSV scores": ("r.csv", 'query,item,score\nq,a,"{}"\nq,b,0.5\n'),
    "CSV ranks": ("r.csv", 'query,item,rank\nq,a,"{}"\nq,b,1\n'),
    "JSON": ("r.json", '{{"q": {{"a": {}, "b": 0.5}}}}'),
    "JSON lines": ("r.jsonl", '{{"query": "q", "item": "a", "score": {}}}\n'),
    "qrels": ("j.qrels", "q 0 a {}\nq 0 b 0\n"),
    "CSV grades": ("j.csv", 'query,item,grade\nq,a,"{}"\nq,b,0\n'),
    "JSON grades": ("j.json", '{{"q": {{"a": {}, "b": 0}}}}'),
    "JSON lines of grades": ("j.jsonl", '{{"query": "q", "item": "a", "grade": {}}}\n'),
}
OBJECTS = {
    "judgments": lambda v: rm.evaluate({"q": {"a": v}}, RUN, ["RR"]),
    "run": lambda v: rm.evaluate(JUDGED, {"q": {"a": v, "b": 1}}, ["RR"]),
    "frame": lambda v: rm.evaluate(
        pl.DataFrame({"query": ["q"], "item": ["a"], "grade": pl.Series([v], dtype=pl.Object)}), RUN, ["RR"]
    ),
    "arrays": lambda v: rm.evaluate(rm.arrays([[v, 0]]), rm.arrays([[1, 2]]), ["RR"]),
    "ranked_grades": lambda v: rm.evaluate(rm.ranked_grades([[v, 0]]), measures=["RR"]),
    "value": lambda v: rm.value("RR", grades=[v, 0]),
    "popularity": lambda v: rm.evaluate(
        JUDGED, RUN, ["Novelty@2"], catalogue=rm.Catalogue(items=["a", "b"], popularity={"a": v, "b": 1})
    ),
}


def read(tmp_path, kind, spelled):
    name, text = TEXTS[kind]
    path = tmp_path / name
    path.write_text(text.format(spelled), encoding="utf-8")
    return rm.evaluate(path, RUN, ["RR"]) if name[0] == "j" else rm.evaluate(JUDGED, path, ["RR"])


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("huge", HUGE)
def test_files_refuse_what_no_float_holds(tmp_path, kind, huge):
    started = time.monotonic()
    with pytest.raises(rm.InputError) as refused:
        read(tmp_path, kind, HUGE[huge])
    assert time.monotonic() - started < 10
    assert len(str(refused.value)) < 2000


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_files_refuse_other_spellings(tmp_path, kind, odd):
    with pytest.raises(rm.InputError):
        read(tmp_path, kind, odd)


@pytest.mark.parametrize("door", OBJECTS)
@pytest.mark.parametrize("text", ["1e999999999", "-1e999999999", "1e400", "NaN", "-Infinity", "9" * 5000])
def test_decimals_that_no_float_holds(door, text):
    if (door, text) == ("run", "-Infinity"):  # a score, which orders
        assert OBJECTS[door](Decimal(text))["RR"] == 0.5
        return
    with pytest.raises(rm.InputError):
        OBJECTS[door](Decimal(text))


@pytest.mark.parametrize("door", OBJECTS)
@pytest.mark.parametrize(
    "value", [10**400, 10**1500, Fraction(10**400, 3), "1", "1_0", b"1", 1j], ids=lambda v: type(v).__name__
)
def test_other_numbers_that_no_float_holds(door, value):
    if (door, value) == ("popularity", "1"):  # a column of text may hold numbers
        return
    with pytest.raises(rm.InputError):
        OBJECTS[door](value)


def test_the_smallest_decimals_are_nothing():
    assert OBJECTS["judgments"](Decimal("1e-999999999"))["RR"] == 0.0
    assert OBJECTS["popularity"](Decimal("0.25"))["Novelty@2"] == OBJECTS["popularity"](0.25)["Novelty@2"]


def test_json_without_quotes_and_with():
    """Text is no number in JSON, where numbers have a form of their own."""
    for text in ("1", "0.5"):
        assert rm.evaluate(JUDGED, json.loads(f'{{"q": {{"a": {text}, "b": 0.1}}}}'), ["RR"])["RR"] == 1.0
        with pytest.raises(rm.InputError):
            rm.evaluate(JUDGED, json.loads(f'{{"q": {{"a": "{text}", "b": 0.1}}}}'), ["RR"])
