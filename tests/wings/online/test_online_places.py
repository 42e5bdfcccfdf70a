"""A log has the same digits wherever it is counted: whole, by partitions on disk, by the workers of Spark."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tests.conformance.spark_tables import MARKS

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.wings.online import partitions

MEASURES = [
    "CTR", "CTR@2", "CTR(per=request)", "CVR", "CVR(count=conversions,credit=even)", "Value",
    "SessionDuration", "EngagedSessions",
]  # fmt: skip


def made_log(seed: int, users: int = 40, text: bool = True) -> pl.DataFrame:
    """Users of two variants in two countries over four days: odd amounts, sessions, repeated moments, missing ids."""
    random = np.random.default_rng(seed)
    n = 25 * users
    user = random.integers(0, users, n)
    # Many events of a moment, so that their order in the log matters.
    time = np.sort(random.integers(0, 4 * 24 * 60, n)) * 60
    is_missing = random.random(n) < 0.05
    ids = [f"user {number}" for number in user] if text else user * 10**15
    return pl.DataFrame(
        {
            "time": 1_700_000_000 + time,
            "user": pl.Series(ids),
            "request": [None if gap else f"r{number}" for gap, number in zip(is_missing, time // 600, strict=True)],
            "item": [f"i{number}" for number in random.integers(0, 6, n)],
            "query": [f"q{number}" for number in random.integers(0, 3, n)],
            "position": random.integers(1, 4, n),
            "type": random.choice(["impression", "impression", "click", "conversion", "conversion", "ping"], n),
            "value": np.round(random.lognormal(1, 2, n), 2) / 3,
            "session": [f"s{number}" for number in random.integers(0, 5, n)],
            "variant": [f"{'AB'[number % 2]}" for number in user],
            "country": [("at", "de", None)[number % 3] for number in user],
            "age": pl.Series(user * 0.37 + 20),
            "hourly": [f"{'AB'[number % 2]}" for number in time // 3600],
        }
    )


ASKED = {
    "evaluate": lambda log: rm.online.evaluate(log, MEASURES),
    "drop bots, by country": lambda log: rm.online.evaluate(log, MEASURES, by="country", bots="drop"),
    "sessions": lambda log: rm.online.evaluate(log, ["CTR", "Value(per=session)"], by="variant", unit="session"),
    "requests, resampled": lambda log: rm.online.evaluate(log, "CTR", unit="request", resamples=99),
    "experiment": lambda log: rm.online.experiment(log, MEASURES),
    "before the start": lambda log: rm.online.experiment(log, ["CTR", "Value"], start=1_700_100_000),
    "segments": lambda log: rm.online.experiment(log, ["CTR", "Value"], segments="country"),
    "strata": lambda log: rm.online.experiment(log, ["Value"], strata="country"),
    "covariates": lambda log: rm.online.experiment(log, ["Value"], covariates=["age"]),
    "days": lambda log: rm.online.experiment(log, ["CTR", "Value"], days=True),
    "resampled": lambda log: rm.online.experiment(log, ["CTR", "Value"], resamples=99, seed=3),
    "capped": lambda log: rm.online.experiment(log, ["Value(winsor=0.9)", "Value(trim=0.1)", "Value(quantile=0.7)"]),
    "hours": lambda log: rm.online.experiment(log, ["CTR", "Value(per=session)"], unit="hour",
                                              columns={"variant": "hourly"}),
    "hours, resampled": lambda log: rm.online.experiment(log, ["CTR"], unit="hour", resamples=99,
                                                         columns={"variant": "hourly"}),
    "position bias": lambda log: rm.online.position_bias(log, positions=3, resamples=39),
}  # fmt: skip


def digits(asked: str, log: object) -> str:
    """Everything that a result says, all digits of it, apart from where the log came from."""
    told = ASKED[asked](log).to_dict()
    told.pop("source")
    return json.dumps(told, default=str)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize(("parts", "held"), [(13, 10**9), (3, 5_000)])
def test_partitions_change_no_digit(asked, parts, held, monkeypatch):
    log = made_log(1)
    whole = digits(asked, log)
    monkeypatch.setattr(partitions, "HELD_BYTES", held)
    monkeypatch.setattr(partitions, "BATCH_ROWS", 90)
    divide = partitions.Partitions.divide
    monkeypatch.setattr(partitions.Partitions, "divide", lambda self, _: divide(self, parts * 100_000))
    assert digits(asked, log) == whole


@pytest.mark.parametrize("asked", ["evaluate", "experiment", "days", "resampled", "requests, resampled", "capped"])
def test_users_in_another_order_change_no_digit(asked):
    log = made_log(2)
    grouped = log.sort(pl.col("user").hash(5), maintain_order=True)  # each user's events stay in their order
    found, expected = (digits(asked, rows).replace("out of order", "") for rows in (grouped, log))
    assert found == expected


def spark_marks(test):
    for mark in MARKS:
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def sent(spark):
    """Logs as Spark tables: users as text, and as numbers with times as timestamps."""
    logs = made_log(3), made_log(4, text=False).with_columns(pl.from_epoch("time").dt.replace_time_zone("UTC"))
    return [(log, spark.createDataFrame(log.to_arrow())) for log in logs]


@spark_marks
@pytest.mark.parametrize(
    ("asked", "number"), [*((asked, 0) for asked in ASKED), ("evaluate", 1), ("resampled", 1), ("days", 1)]
)
def test_spark_changes_no_digit(sent, asked, number):
    log, table = sent[number]
    assert digits(asked, table) == digits(asked, log)


@spark_marks
def test_a_nested_log_in_spark(spark):
    rows = [
        {"event_name": kind, "event_timestamp": 1_700_000_000_000_000 + n, "user_pseudo_id": f"u{n % 4}",
         "event_params": [{"key": "ga_session_id", "value": {"int_value": n % 4}}],
         "items": [{"item_id": f"i{i}", "item_list_index": i, "price": 0.1 * n, "quantity": 2} for i in range(1, 4)]}
        for n, kind in enumerate(["view_item_list", "select_item", "purchase", "view_item_list"] * 10)
    ]  # fmt: skip
    log = pl.DataFrame(rows)
    found, expected = (
        rm.online.evaluate(given, ["CTR@2", "CVR", "Value"]) for given in (spark.createDataFrame(log.to_arrow()), log)
    )
    # As text, in which two values that are not there are equal.
    one, other = (json.dumps(result.to_dict() | {"source": ""}) for result in (found, expected))
    assert one == other


@spark_marks
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log.head(0), "events (Spark DataFrame) is empty: it has no event with a user and a time."),
        (lambda log: log.drop("type"), "events (Spark DataFrame) has no type column"),
        (lambda log: log.with_columns(user=pl.lit(2.0**60)), "(1.152921504606847e+18) whose last digits are lost"),
        (lambda log: log.with_columns(variant=pl.lit("A")), "an experiment needs at least two variants; found A."),
        (lambda log: log.with_columns(user=pl.lit(None, pl.String)), "none of its 1,000 events has a user"),
        (lambda log: log.with_columns(time=pl.when(pl.col("user") == "user 1").then(pl.col("time") * 1000)
                                      .otherwise(pl.col("time"))), "times are in more than one unit: taken as"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_log_in_spark_is_one_sentence(spark, change, message):
    log = change(made_log(5))
    table = spark.createDataFrame(log.to_arrow())
    with pytest.raises(InputError) as caught:
        rm.online.experiment(table, "CTR")
    assert message in str(caught.value)
    with pytest.raises(InputError) as here:
        rm.online.experiment(log, "CTR")
    assert str(here.value).replace("(polars DataFrame)", "(Spark DataFrame)") == str(caught.value)
