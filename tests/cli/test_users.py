"""Where lists belong to users, no sentence says query, whatever the command, the language or the way it ends."""

from __future__ import annotations

import random
import re
import warnings
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from tests.unit.test_wording import ERRORS, FILES, FOLDER, tomllib

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.wording import of_users

QUERY = re.compile(r"\b[Qq]uer(?:y|ies)\b|查询")
DATA = re.compile(r"queries=[\w-]+|^query,.*|`[^`]*`|^ *queries +(?:queries=|[+-]).*", re.MULTILINE)
"""Words of the definition of a measure, headers of CSV, what is typed."""
USERS, ITEMS = 40, 60
CALLS = """
    evaluate JUDGED RUN -m nDCG@10,AP,RR --interval
    evaluate JUDGED RUN -m nDCG@10 --per-query
    evaluate JUDGED RUN -m nDCG@10,AP --by segments.csv --interval
    evaluate JUDGED RUN -m Coverage@10 -m nDCG@10 --catalogue items.csv
    compare JUDGED RUN RUN2 -m nDCG@10,RR --permutations 200 --resamples 100
    compare JUDGED RUN RUN2 -m nDCG@10 --by segments.csv --permutations 200 --resamples 100
    compare JUDGED RUN RUN2 -m nDCG@10 --format markdown --permutations 200 --resamples 100
    explain nDCG@10 JUDGED RUN --user u5
    advise JUDGED RUN
    reconcile JUDGED RUN --claim NDCG@10=0.05
    judge pool JUDGED RUN RUN2
    explain nDCG@10 JUDGED RUN --user nobody
    evaluate JUDGED RUN -m nDCG@10 --by JUDGED
    evaluate JUDGED twice.csv -m nDCG@10
    evaluate JUDGED nan.csv -m nDCG@10
    evaluate JUDGED others.csv -m nDCG@10
    evaluate twice_judged.csv RUN -m nDCG@10
""".strip().splitlines()
NAMES = {"JUDGED": "judged.csv", "RUN": "run.csv", "RUN2": "run2.csv"}


def _lists(seed: int, first: int = 3) -> pl.DataFrame:
    """Lists of most users, and of two that nobody judged."""
    draw = random.Random(seed)
    rows = [(f"u{user}", f"i{item}", 1 - place / 20) for user in range(first, USERS + 2)
            for place, item in enumerate(draw.sample(range(ITEMS), 12))]  # fmt: skip
    return pl.DataFrame(rows, schema=["user", "item", "score"], orient="row")


def _held_out(column: str = "user") -> pl.DataFrame:
    draw = random.Random(7)
    rows = [(f"u{user}", f"i{item}") for user in range(USERS) for item in draw.sample(range(ITEMS), 2)]
    return pl.DataFrame(rows, schema=[column, "item"], orient="row")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("users")
    judged, run = _held_out(), _lists(1)
    tables = {
        "judged": judged, "run": run, "run2": _lists(2), "twice": pl.concat([run, run]),
        "nan": run.with_columns(score=pl.lit("x")), "others": run.with_columns(user="x" + pl.col("user")),
        "twice_judged": pl.concat([judged.with_columns(grade=1), judged.with_columns(grade=2)]),
        "segments": pl.DataFrame({"user": [f"u{n}" for n in range(USERS)], "age": ["old", "new"] * (USERS // 2)}),
        "items": pl.DataFrame({"item": [f"i{n}" for n in range(ITEMS)]}),
    }  # fmt: skip
    for name, table in tables.items():
        table.write_csv(place / f"{name}.csv")
    return place


def _about_queries(text: str) -> list[str]:
    return [line for line in DATA.sub("", text).splitlines() if QUERY.search(line)]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("call", [call.strip() for call in CALLS])
def test_a_command_about_users_never_says_query(call, language, folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, [*(NAMES.get(word, word) for word in call.split()), "--lang", language])
    assert done.exit_code in (0, 1, 2), done.exception
    assert done.output
    assert _about_queries(done.output) == []


def test_results_in_python_never_say_query() -> None:
    judged, run = _held_out("viewer"), _lists(1).rename({"user": "viewer"})
    named = {"user": "viewer"}
    segments = {f"u{n}": ["old", "new"][n % 2] for n in range(USERS)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ev = rm.evaluate(judged, run, ["nDCG@10", "AP"], columns=named, by=segments)
        cmp = rm.compare(judged, {"a": run, "b": run.reverse()}, ["nDCG@10"], columns=named, resamples=200)
    assert ev.facts.purpose == cmp.purpose == "recommendation"
    worked = rm.explain("nDCG@10", judged, run, user="u5", columns=named)
    shown = [
        *caught, ev, ev._repr_html_(), ev.interval("AP"), ev.slices["segment"], ev.slices["segment"]._repr_html_(),
        cmp, cmp._repr_html_(), *cmp.notes, worked, *ev.sentences(),
    ]  # fmt: skip
    for one in shown:
        text = re.sub(r"<style>.*?</style>|<[^>]*>", "\n", str(one), flags=re.DOTALL)
        assert _about_queries(text) == [], one
    with pytest.raises(rm.NotFoundError) as error:
        rm.explain("nDCG@10", judged, run, user="nobody", columns=named)
    for language in ("en", "zh"):
        assert _about_queries(error.value.text(language)) == []


def test_what_was_said_of_users_is_not_said_of_the_next_call() -> None:
    rm.evaluate(_held_out(), _lists(1), ["RR"])
    ev = rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["RR"])
    assert "1 judged query" in repr(ev)
    with pytest.raises(rm.NotFoundError, match="query 'z'"):
        rm.explain("RR", {"q": {"a": 1}}, {"q": ["a"]}, query="z")
    assert "judged quer" in repr(rm.evaluate(_held_out(), _lists(1), ["RR"], purpose="search"))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("file", [*FILES, *ERRORS])
def test_every_message_can_be_about_users(file, language) -> None:
    for kind, texts in tomllib.loads((FOLDER / f"{file}.toml").read_text("utf-8")).items():
        for name, text in texts.items():
            if name in (language, f"hint_{language}", f"typed_{language}"):
                told = re.sub(r"\{\w+", "", of_users(text, language))
                code = re.sub(r"`[^`]*`|\"[^\"]*\"|\w+=\S*|--[\w-]+\S*", "", told)
                assert not re.search(r"\bquer(y|ies)\b" if language == "en" else "查询", code), (kind, told)
                assert not re.search(r"\ban users?\b", told), (kind, told)
