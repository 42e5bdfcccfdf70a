"""Every online measure, with random options and random logs, has the value that the plain rules give."""

from __future__ import annotations

from dataclasses import fields

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wings.online.online_oracle import cleaned, parts, value_and_variance

import rankmeter as rm
from rankmeter.errors import MeasureError
from rankmeter.measures import REGISTRY, parse
from rankmeter.measures.base import rule_of
from rankmeter.wings.online import partitions
from rankmeter.wings.online.contrasts import ratio
from rankmeter.wings.online.events import read_events
from rankmeter.wings.online.measures import OnlineMeasure
from rankmeter.wings.online.questions import Question
from rankmeter.wings.online.tallies import count

ONLINE = sorted(name for name, measure in REGISTRY.items() if isinstance(measure, OnlineMeasure))
NUMBERS = {
    "cutoff": [1, 2, 3], "gap": [1, 30, 60.5], "max_length": [None, 0.5, 2], "window": [None, 0.5, 2], "cap": [None, 5],
    "seconds": [0, 90], "views": [1, 2, 3],
}  # fmt: skip
SCHEMA = {
    "time": pl.Int64, "user": pl.String, "request": pl.Int64, "item": pl.String, "position": pl.Int64,
    "type": pl.String, "value": pl.Float64, "session": pl.Int64,
}  # fmt: skip

OTHER = {"other": ["ping"]}
"""A word that stands for no kind of event."""


@st.composite
def online_measures(draw, name=None):
    measure = REGISTRY[name or draw(st.sampled_from(ONLINE))]
    changes = {}
    for option in fields(measure):
        if option.name in ("aggregate", "queries", "duplicates", "better"):
            continue
        values = [*rule_of(option).choices, *NUMBERS.get(option.name, [])]
        if values and draw(st.booleans()):
            changes[option.name] = draw(st.sampled_from(values))
    try:
        return measure(**changes)
    except MeasureError:
        return measure


@st.composite
def logs(draw, min_size=1, has_request=True):
    minutes = st.sampled_from([0, 0, 1, 2, 5, 29, 30, 31, 61, 100, 200])
    event = st.fixed_dictionaries(
        {
            "time": minutes.map(lambda m: m * 60) | st.integers(0, 9000),
            "user": st.sampled_from(["u", "v", "w"]),
            "request": st.sampled_from([1, 2, None]),
            "item": st.sampled_from(["a", "b", None]),
            "position": st.sampled_from([1, 2, 3, None]),
            "type": st.sampled_from(["impression", "impression", "click", "click", "conversion", "ping"]),
            "value": st.sampled_from([None, 10.0, -3.0, 2.5]),
            "session": st.sampled_from([1, 2, None]),
        }
    )
    events = draw(st.lists(event, min_size=min_size, max_size=25))
    if not has_request:
        events = [{**one, "request": None} for one in events]
    return events


def frame(events, has_request=True):
    made = pl.DataFrame(events, schema=SCHEMA)
    return made if has_request else made.drop("request")


@pytest.mark.parametrize("name", ONLINE)
@settings(max_examples=120)
@given(st.data())
def test_the_value_and_its_variance_are_those_of_the_rules(name, draws):
    has_request = draws.draw(st.booleans()) or name == "EngagedSessions"
    events = draws.draw(logs(has_request=has_request))
    measure = draws.draw(online_measures(name))
    if not has_request and getattr(measure, "per", "") == "request":
        measure = measure(per="impression")
    expected, variance = value_and_variance(list(parts(measure, events, has_request).values()))
    counted = count(read_events(frame(events, has_request), types=OTHER), Question((measure,)))
    found, spread = ratio(counted.groups["",], measure)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)
    assert spread == pytest.approx(variance, rel=1e-6, abs=1e-9, nan_ok=True)


@settings(max_examples=40)
@given(logs(min_size=5), st.lists(online_measures(), min_size=1, max_size=4, unique_by=str), st.integers(1, 6))
def test_no_partitioning_changes_a_number(events, measures, rows):
    log = read_events(frame(events), types=OTHER)
    whole = count(log, Question(tuple(measures))).groups["",]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(partitions, "ROWS_PER_PARTITION", rows)
        many = count(log, Question(tuple(measures))).groups["",]
    assert many.n == whole.n == len({event["user"] for event in cleaned(events)})
    for measure in measures:
        (value, variance), (expected, spread) = ratio(many, measure), ratio(whole, measure)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
        # A variance is what is left of squares of the value's size.
        rounding = 1e-12 * max(1.0, expected**2 if expected == expected else 0.0)  # noqa: PLR0124 (NaN)
        assert variance == pytest.approx(spread, rel=1e-9, abs=rounding, nan_ok=True)


@settings(max_examples=40)
@given(logs(), st.randoms(use_true_random=False))
def test_what_belongs_to_different_moments_may_come_in_any_order(events, random):
    # Events of one moment have only the order in which they were logged.
    events = [{**event, "time": place} for place, event in enumerate(events)]
    mixed = events[:]
    random.shuffle(mixed)
    asked = ["CTR", "CVR", "SessionDuration", "EngagedSessions", "Conversions", "Value"]
    one, other = (rm.online.evaluate(frame(some), asked, types=OTHER) for some in (events, mixed))
    for measure in asked:
        assert one[measure] == pytest.approx(other[measure], nan_ok=True)


@given(online_measures())
def test_reading_the_text_of_an_online_measure_gives_the_measure(measure):
    assert parse(str(measure)) == measure
    assert hash(parse(str(measure))) == hash(measure)
