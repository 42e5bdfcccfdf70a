"""Bad input: each oddity has one rule, and is counted."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.errors import InputError, MeasureError, NotFoundError

HOUR = 3600


def row(time, user, kind, item="a", request="r", **more):
    return {"time": time, "user": user, "type": kind, "item": item, "request": request, "position": None, "value": None,
            "variant": None, **more}  # fmt: skip


def findings(result):
    return {one.name: one.count for one in result.findings}


def test_a_click_before_its_impression_counts_and_is_counted():
    found = rm.online.evaluate([row(5, "u", "click"), row(9, "u", "impression")], "CTR")
    assert found["CTR"] == 1.0
    assert findings(found)["clicks before their impression"] == 1


def test_a_click_without_an_impression_is_left_out_unless_kept():
    log = [row(1, "u", "impression"), row(5, "u", "click", item="b")]
    found = rm.online.evaluate(log, ["CTR", "CTR(orphans=keep)"])
    assert (found["CTR"], found["CTR(orphans=keep)"]) == (0.0, 1.0)
    assert findings(found)["orphan clicks"] == 1


def test_a_log_without_impressions_has_no_orphans():
    found = rm.online.evaluate([row(1, "u", "click"), row(5, "u", "purchase")], ["CVR", "CTR"])
    assert found["CVR"] == 1.0
    assert math.isnan(found["CTR"])
    assert "orphan clicks" not in findings(found)


def test_no_data_is_never_zero():
    found = rm.online.evaluate([row(1, "u", "ping")], ["CTR", "CVR", "Value(per=conversion)"], types={"other": "ping"})
    assert all(math.isnan(found[name]) for name in ("CTR", "CVR", "Value(per=conversion)"))
    assert "no data" in repr(found)
    assert '"value": null' in found.to_json()
    assert found["Conversions"] == 0.0


def test_conversions_per_user_stand_beside_every_conversion_rate():
    assert [str(one) for one in rm.online.evaluate([row(1, "u", "click")], "CVR").measures] == ["CVR", "Conversions"]


def test_repetitions_count_once_and_are_counted():
    log = [row(1, "u", "impression"), row(2, "u", "impression"), row(3, "u", "click"), row(4, "u", "click")]
    found = rm.online.evaluate(log, ["CTR", "CTR(clicks=all)", "CTR(clicks=all,impressions=all)"])
    assert [found[one] for one in found.measures] == [1.0, 2.0, 1.0]
    assert (findings(found)["repeated impressions"], findings(found)["repeated clicks"]) == (1, 1)


def test_a_conversion_sent_twice_counts_once():
    log = [row(1, "u", "purchase", value=5.0), row(1, "u", "purchase", value=5.0), row(1, "u", "purchase", value=6.0)]
    found = rm.online.evaluate(log, ["Conversions", "Value"])
    assert (found["Conversions"], found["Value"]) == (2.0, 11.0)
    assert findings(found)["duplicates"] == 1


def test_an_event_id_seen_before_is_a_duplicate():
    log = [{"event_id": one, "time": one, "user": "u", "type": "purchase"} for one in (1, 1, 2)]
    assert rm.online.evaluate(log, "Conversions")["Conversions"] == 2.0


def test_a_session_that_never_ends_is_cut_and_counted():
    log = [row(minute * 60, "u", "ping") for minute in range(0, 60 * 49, 10)]
    found = rm.online.evaluate(log, ["SessionDuration", "SessionDuration(max_length=None)"])
    assert found["SessionDuration"] == pytest.approx((2 * (24 * HOUR - 600) + 50 * 60) / 3)
    assert found["SessionDuration(max_length=None)"] == 60 * 49 * 60 - 600
    assert findings(found)["sessions cut at the maximum length"] == 2


def test_a_session_with_an_id_is_cut_at_the_maximum_length_too():
    log = [row(hour * HOUR, "u", "ping", session="s") for hour in range(49)]
    found = rm.online.evaluate(log, ["SessionDuration", "SessionDuration(max_length=None)"])
    assert found["SessionDuration"] == pytest.approx((23 + 23 + 0) * HOUR / 3)
    assert found["SessionDuration(max_length=None)"] == 48 * HOUR
    assert findings(found)["sessions cut at the maximum length"] == 2


@pytest.mark.parametrize("empty", [None, ""])
def test_events_without_a_session_id_are_cut_by_pauses_and_counted(empty):
    log = [row(0, "u", "ping", session="s"), row(10, "u", "ping", session=empty), row(30, "u", "ping", session=empty),
           row(40, "u", "ping", session="s"), row(2 * HOUR, "u", "ping", session=empty)]  # fmt: skip
    found = rm.online.evaluate(log, ["SessionDuration", "SessionDuration(sessions=id)"])
    assert found["SessionDuration"] == (40 + 20 + 0) / 3
    assert found["SessionDuration(sessions=id)"] == 40.0
    assert findings(found)["events without session id"] == 3
    only = rm.online.evaluate(log, "SessionDuration(sessions=id)")
    assert [one.rule for one in only.findings if one.name == "events without session id"] == [
        "not in any session, because sessions=id"
    ]


def test_a_clock_that_is_ahead_does_not_end_the_log_later():
    log = [row(600 * n, f"u{n}", "click", item=n) for n in range(40)]
    asked = "CVR(maturity=mature,window=1)"
    expected = rm.online.evaluate(log, asked).sums[""].total(f"{asked} y")
    ahead = [*log, row(400 * 24 * HOUR, "u3", "ping"), row(-900 * 24 * HOUR, "u3", "ping")]
    found = rm.online.evaluate(ahead, asked, types={"other": "ping"})
    assert found.sums[""].total(f"{asked} y") == expected == 34
    assert findings(found)["events dated after the rest"] == findings(found)["events dated before the rest"] == 1
    assert any("from 1970-01-01 00:00:00 to 1970-01-01 06:30:00" in note for note in found.notes)
    assert not any("dated" in name for name in findings(rm.online.evaluate(log, asked)))


def test_a_pause_as_long_as_others_is_no_wrong_clock():
    days = [0, 0, 0, 5, 5, 5, 10, 10, 10, 10, 15]
    log = [row(day * 24 * HOUR + n, "u", "ping") for n, day in enumerate(days)]
    found = rm.online.evaluate(log, "SessionDuration")
    assert not any("dated" in name for name in findings(found))


@pytest.mark.parametrize("factor", [1_000, 1_000_000, 1_000_000_000])
def test_times_of_two_units_are_refused(factor):
    log = [row(1_700_000_000 + n, "u", "ping") for n in range(2000)]
    log += [row((1_700_000_000 + n) * factor, "u", "ping") for n in range(3)]
    for order in (log, log[::-1]):
        with pytest.raises(InputError, match="more than one unit"):
            rm.online.evaluate(order, "SessionDuration")
    assert rm.online.evaluate(log[:2000], "SessionDuration").counts["events"] == 2000


def test_times_without_a_time_zone_are_counted_only_where_there_are_some():
    times = ["2026-01-01T10:00:00Z", "2026-01-01T12:00:00+02:00"]
    zoned = rm.online.evaluate([row(time, "u", "ping") for time in times], "SessionDuration")
    assert zoned["SessionDuration"] == 0.0
    assert not any("zone" in sentence for sentence in zoned.sentences())
    mixed = rm.online.evaluate([row(time, "u", "ping") for time in [*times, "2026-01-01 10:00:30"]], "SessionDuration")
    assert mixed["SessionDuration"] == 30.0
    assert findings(mixed)["times without a time zone"] == 1


def test_an_empty_name_is_no_name():
    found = rm.online.evaluate([row(1, "", "click"), row(1, "u", "click", variant="")], "Conversions", by="variant")
    assert findings(found)["events without user"] == findings(found)["units without variant"] == 1
    assert found.to_text().splitlines()[-1].split() == ["variant", "measure", "value", "users"]
    assert found.to_polars().columns[:2] == ["variant", "measure"]
    assert found.to_polars().is_empty()


@pytest.mark.parametrize("more", [{}, {"covariates": ["age"]}])
def test_an_unknown_unit_is_said_first(more):
    log = [row(n, f"u{n}", "click", variant="AB"[n % 2], age=n) for n in range(8)]
    sums = rm.online.sums_from_table(rm.online.experiment(log, "Conversions").sums_table())
    for data in (log, sums):
        with pytest.raises(rm.InputError, match="unit='visit' is not possible; it is one of user, session"):
            rm.online.experiment(data, "Conversions", unit="visit", **more)


def test_impressions_alone_may_be_no_activity():
    log = [row(0, "u", "impression"), row(60, "u", "click"), row(100, "u", "click")]
    assert rm.online.evaluate(log, "SessionDuration(activity=actions)")["SessionDuration(activity=actions)"] == 40


def test_sessions_by_id_belong_to_their_user():
    log = [row(0, "u", "ping", session=1), row(HOUR, "u", "ping", session=1), row(5, "v", "ping", session=1)]
    found = rm.online.evaluate(log, ["SessionDuration", "SessionDuration(sessions=gap)"])
    assert (found["SessionDuration"], found["SessionDuration(sessions=gap)"]) == (HOUR / 2, 0.0)


def test_a_suspected_bot_is_counted_and_dropped_on_request():
    log = [row(second, "bot", "click", item=second) for second in range(1200)] + [row(1, "u", "purchase")]
    kept, dropped = (rm.online.evaluate(log, "Conversions", bots=rule) for rule in ("keep", "drop"))
    assert (kept["Conversions"], dropped["Conversions"]) == (0.5, 1.0)
    assert findings(kept)["suspected bots"] == findings(dropped)["suspected bots"] == 1


def test_a_user_in_two_variants_is_left_out_or_counted_in_the_first():
    log = [row(1, "u", "purchase", variant="A"), row(2, "u", "ping", variant="B"), row(3, "v", "ping", variant="A"),
           row(3, "w", "ping", variant="B"), row(4, "x", "ping")]  # fmt: skip
    found = rm.online.evaluate(log, "Conversions", by="variant")
    assert (found["Conversions", "A"], found["Conversions", "B"]) == (0.0, 0.0)
    assert (findings(found)["units in several variants"], findings(found)["units without variant"]) == (1, 1)
    assert rm.online.evaluate(log, "Conversions", by="variant", crossed="first")["Conversions", "A"] == 0.5


@pytest.mark.parametrize("role", ["item", "request"])
def test_a_conversion_without_an_id_is_not_the_one_with_an_id_of_the_same_moment(role):
    log = [row(1, "u", "purchase", **{role: "a"}), row(1, "u", "purchase", **{role: None})]
    found = rm.online.evaluate(log, "Conversions")
    assert found["Conversions"] == 2.0
    found = rm.online.evaluate([*log, *log], "Conversions")
    assert (found["Conversions"], findings(found)["duplicates"]) == (2.0, 2)


def test_refunds_subtract_unless_dropped():
    log = [row(1, "u", "purchase", value=10.0), row(2, "u", "purchase", value=-4.0)]
    found = rm.online.evaluate(log, ["Value", "Value(refunds=drop)", "Value(cap=3)"])
    assert [found[one] for one in found.measures] == [6.0, 10.0, -1.0]
    assert findings(found)["refunds"] == 1


@pytest.mark.parametrize(
    ("measure", "value"),
    [("Conversions", 0.5), ("CVR(per=user)", 0.5), ("CVR(per=session)", 0.5), ("CVR(item=any)", 0.5),
     ("Value(per=conversion)", 6.0), ("Value", 3.0), ("EngagedSessions", 0.5)],
)  # fmt: skip
def test_a_refund_is_no_conversion_for_any_measure(measure, value):
    log = [row(0, user, "click", item="a") for user in "uv"]
    log += [row(1, "u", "purchase", value=10.0, item="a"), row(2, "u", "purchase", value=-4.0, item="a"),
            row(3, "v", "purchase", value=0.0, item="b", type="other")]  # fmt: skip
    found = rm.online.evaluate(log, measure)
    assert found[measure] == value
    assert (found.counts["conversions"], findings(found)["refunds"]) == (1, 1)


def test_a_conversion_without_a_readable_value_is_worth_0_and_counted():
    log = [row(n, "u", "purchase", value=value) for n, value in enumerate([10.0, None, math.nan, math.inf, 0.0])]
    found = rm.online.evaluate(log, ["Value", "Value(per=conversion)"])
    assert (found["Value"], found["Value(per=conversion)"]) == (10.0, 2.0)
    assert findings(found)["conversions without a readable value"] == 3


def test_a_log_without_a_readable_time_is_not_called_empty():
    with pytest.raises(InputError, match=r"none of its 2 events .*\(1 without a user, 1 without a readable time\)"):
        rm.online.evaluate([row("soon", "u", "click"), row("2026-01-01", None, "click")], "Conversions")


def test_positions_that_begin_at_0_are_shifted():
    log = [row(1, "u", "impression", position=0), row(1, "u", "impression", item="b", position=1),
           row(2, "u", "click", position=0)]  # fmt: skip
    found = rm.online.evaluate(log, "CTR@1")
    assert found["CTR@1"] == 1.0
    assert any("start at 0" in note for note in found.notes)


def test_events_out_of_order_are_counted():
    found = rm.online.evaluate([row(9, "u", "ping"), row(1, "u", "ping")], "SessionDuration")
    assert (found["SessionDuration"], findings(found)["out of order"]) == (8.0, 1)


@pytest.mark.parametrize("method", ["delta", "bootstrap", "wilson"])
def test_the_interval_says_how_it_was_made(method):
    log = [row(1, user, "impression") for user in range(40)] + [row(2, user, "click") for user in range(0, 40, 4)]
    asked = "CTR(per=reach)" if method == "wilson" else "CTR"
    one = rm.online.evaluate(log, asked, resamples=300 if method == "bootstrap" else 0).estimate(asked)
    assert method in one.method.lower()
    assert one.low < one.value < one.high
    assert one.value == 0.25


def test_units_may_be_sessions_or_requests():
    log = [row(t, "u", "impression", request=t) for t in (0, HOUR, 2 * HOUR)] + [row(5, "u", "click", request=0)]
    assert rm.online.evaluate(log, "CTR", unit="session").estimate("CTR").units == 3
    assert rm.online.evaluate(log, "CTR", unit="request").estimate("CTR").units == 3
    rates = rm.online.evaluate([row(9, "u", "conversion"), *log], "CVR", unit="session")
    assert (rates.estimate("CVR").units, rates["Conversions(per=session)"]) == (3, 1 / 3)  # what stands beside it
    with pytest.raises(MeasureError, match="counts users"):
        rm.online.evaluate(log, "CTR(per=user)", unit="session")
    with pytest.raises(MeasureError, match="by request"):
        rm.online.evaluate(log, "SessionDuration", unit="request")
    with pytest.raises(InputError, match="it is one of user, session"):
        rm.online.evaluate(log, "CTR", unit="page")


def test_a_quantile_of_session_lengths_is_of_capped_ones_where_there_is_a_cap():
    log = [row(time, user, "ping") for user in range(30) for time in (0, 10 * user)]
    asked = ["SessionDuration(quantile=0.9)", "SessionDuration(cap=60,quantile=0.9)"]
    found = rm.online.evaluate(log, asked)
    assert [found[one] for one in asked] == [261.0, 60.0]


@pytest.mark.parametrize(("unit", "users"), [("user", 8), ("session", 2), ("request", 2), ("hour", 2), ("day", 2)])
def test_units_without_a_variant_are_a_share_of_all_units_whatever_they_are(unit, users):
    log = []
    for number in range(8):  # one event a day, the first half of them in variants
        user, variant = number % users, "AB"[number % 2] if number < 4 else None
        log.append(row(number * 24 * HOUR, user, "impression", request=number, variant=variant))
    shares = {one.name: one.share for one in rm.online.evaluate(log, "CTR", by="variant", unit=unit).findings}
    assert shares["units without variant"] == 0.5


def test_what_the_log_cannot_answer_is_refused():
    log = [{"time": 1, "user": 1, "type": "click"}]
    for measure, role in (("CTR(per=request)", "request"), ("CTR@3", "position"), ("CVR", "item"), ("Value", "value")):
        with pytest.raises(InputError, match=f"needs what .* has no column for: {role}"):
            rm.online.evaluate(log, measure)
    with pytest.raises(InputError, match="no variant column"):
        rm.online.evaluate(log, "Conversions", by="variant")
    with pytest.raises(MeasureError, match="judgments"):
        rm.online.evaluate(log, ["nDCG@10"])
    with pytest.raises(MeasureError, match="log of events"):
        rm.evaluate({"q": {"a"}}, {"q": ["a"]}, ["CTR"])


def test_results_are_found_by_measure_and_group():
    found = rm.online.evaluate([row(1, "u", "click", variant="A")], "Conversions", by="variant")
    with pytest.raises(NotFoundError, match="say which"):
        found["Conversions"]
    with pytest.raises(NotFoundError, match="did you mean 'A'"):
        found["Conversions", "a"]
    with pytest.raises(NotFoundError, match="has no 'CTR'"):
        found["CTR", "A"]
    assert "<table>" in found._repr_html_()
    assert found.to_polars().columns[0] == "variant"


@pytest.mark.parametrize(
    "text",
    ["CTR(per=click)", "CTR(queries=common)", "CTR(duplicates=first)", "CTR(per=request,clicks=all)", "CVR@5",
     "CVR(window=0)", "CVR(credit=even)", "CVR(maturity=mature,window=None)", "SessionDuration(gap=0)", "CTR@0"],
)  # fmt: skip
def test_measures_that_make_no_sense_are_refused(text):
    with pytest.raises(MeasureError):
        rm.parse(text)


def test_a_column_with_a_value_per_event_is_no_segment():
    log = [row(1, user, "click", city=str(user)) for user in range(1200)]
    with pytest.raises(InputError, match="more than 1,000 values"):
        rm.online.evaluate(log, "Conversions", by="city")


def test_a_log_larger_than_what_is_held_is_counted_from_a_file(monkeypatch, tmp_path):
    from rankmeter.wings.online import partitions

    log = [row(t, t % 50, kind, item=t) for t in range(600) for kind in ("impression", "click")]
    expected = rm.online.evaluate(log, ["CTR", "SessionDuration"])
    monkeypatch.setattr(partitions, "HELD_BYTES", 2_000)
    monkeypatch.setattr(partitions, "BATCH_ROWS", 100)
    monkeypatch.setattr(partitions, "ROWS_PER_PARTITION", 90)
    monkeypatch.setattr(partitions.tempfile, "tempdir", str(tmp_path))
    from rankmeter.wings.online.contrasts import ratio
    from rankmeter.wings.online.events import read_events
    from rankmeter.wings.online.questions import Question
    from rankmeter.wings.online.tallies import count

    counted = count(read_events(log), Question(expected.measures))
    for measure in expected.measures:
        assert ratio(counted.groups["",], measure)[0] == pytest.approx(expected[measure])
    assert list(tmp_path.iterdir()) == []


def test_a_conversion_is_credited_by_the_stated_rule():
    log = [row(0, "u", "click", request=1), row(5, "u", "purchase"), row(100, "u", "click", request=2),
           row(105, "u", "purchase"), row(7 * HOUR, "u", "click", item="b", request=3)]  # fmt: skip
    asked = {
        "CVR": 2 / 3,
        "CVR(credit=first)": 1 / 3,
        "CVR(count=conversions,credit=all)": 3 / 3,
        "CVR(count=conversions,credit=even)": 2 / 3,
        "CVR(window=0.001)": 0.0,
        "CVR(maturity=mature,window=1)": 2 / 2,
    }
    found = rm.online.evaluate(log, list(asked))
    assert {name: found[name] for name in asked} == pytest.approx(asked)


def test_a_group_without_spread_proves_nothing_and_keeps_its_share():
    rows = [
        {"time": 0, "user": u, "item": 1, "type": "impression", "variant": v}
        for u, v in zip("abcd", "AABB", strict=True)
    ]
    rows += [{"time": 1, "user": u, "item": 1, "type": "click", "variant": "B"} for u in "cd"]
    effect = rm.online.experiment(rows, "CTR", control="A").effect("CTR")
    assert effect.difference.value == 1.0
    assert effect.verdict == "no data"
    assert math.isnan(effect.p)


@pytest.mark.parametrize("by", ["item", "position", "user", "request", "value"])
def test_a_column_of_events_divides_no_units(by):
    rows = [{"time": 0, "user": "u", "item": 1, "position": 1, "request": 1, "value": 1, "type": "impression"}]
    with pytest.raises(rm.InputError, match=f"'{by}' is the {by} of an event"):
        rm.online.evaluate(rows, "CTR", by=by)
    rows = [{**row, "variant": variant, "user": variant} for row in rows for variant in "AB"]
    for option in ("segments", "strata"):
        with pytest.raises(rm.InputError, match=f"'{by}' is the {by} of an event"):
            rm.online.experiment(rows, "CTR", control="A", **{option: by})
    spelled = [{name.title() if name == by else name: value for name, value in row.items()} for row in rows]
    with pytest.raises(rm.InputError, match=f"'{by.title()}' is the {by} of an event"):
        rm.online.evaluate(spelled, "CTR", by=by.title())


@pytest.mark.parametrize("option", ["segments", "strata"])
def test_a_log_is_divided_by_what_it_was_read_with(option):
    rows = [
        {"time": 0, "user": u, "item": 1, "type": "impression", "variant": v, "country": "AT", "device": u}
        for u, v in zip("abcd", "AABB", strict=True)
    ]
    log = rm.online.read_events(rows, columns={"segment": "country"})
    with pytest.raises(rm.InputError, match="read without 'device'"):
        rm.online.experiment(log, "CTR", control="A", **{option: "device"})
    for named in ("country", "segment"):
        rm.online.experiment(log, "CTR", control="A", **{option: named})


@pytest.mark.parametrize(
    ("change", "said"),
    [({"xx": 0}, "too small"), ({"n": "abc"}, "n of CTR in variant A is 'abc'"), ({"y": None}, "y of CTR")],
)
def test_sums_that_cannot_be_are_refused(change, said):
    row = {"variant": "A", "measure": "CTR", "n": 2, "x": 2, "y": 14, "xx": 2, "yy": 116, "xy": 14}
    with pytest.raises(rm.InputError, match=said):
        rm.online.sums_from_table([{**row, **change}])
    with pytest.raises(rm.InputError, match="several rows of CTR"):
        rm.online.sums_from_table([row, row])


def test_too_few_resamples_make_no_interval():
    log = [row(t, user, kind) for user in "uv" for t, kind in enumerate(("impression", "click"))]
    with pytest.raises(InputError, match="at least 39 are needed"):
        rm.online.evaluate(log, "CTR", resamples=38)
    found = rm.online.evaluate(log, "CTR", resamples=39).estimate("CTR")
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


def test_resamples_without_anything_below_the_line_have_no_interval():
    from rankmeter.stats.resampling import middle, two_sided

    assert all(math.isnan(end) for end in (*middle(np.zeros(0), 0.95), two_sided(np.zeros(0))))


def test_a_position_below_zero_is_none_and_does_not_hide_where_positions_begin():
    log = [row(t, "u", "impression", item=t, position=p) for t, p in enumerate((-1, 0, 1))]
    log += [row(9, "u", "click", item=1, position=0)]
    found = rm.online.evaluate(log, ["CTR@1", "CTR@2"])
    assert (found["CTR@1"], found["CTR@2"]) == (1.0, 0.5)
    assert findings(found)["impressions without position"] == 1


def test_an_infinite_time_is_unreadable_and_does_not_change_the_unit():
    log = [row(float(t), "u", "click") for t in (0, 60)] + [row(math.inf, "u", "click")]
    found = rm.online.evaluate(log, "SessionDuration")
    assert found["SessionDuration"] == 60.0
    assert findings(found)["events without readable time"] == 1


@pytest.mark.parametrize(
    ("text", "zoned"),
    [
        ("2026-01-01 11:00:00+01", True),  # as PostgreSQL and DuckDB write it
        ("2026-01-01 11:00:00.25+01", True),
        ("2026-01-01T10:00Z", True),
        ("2026-01-01 11:00+0100", True),
        ("2026-01-01T10:00", False),
    ],
)
def test_times_of_databases_and_people_are_read(text, zoned):
    found = rm.online.evaluate(
        [row(text, "u", "click"), row("2026-01-01T10:00:30.25Z", "u", "click")], "SessionDuration"
    )
    assert found["SessionDuration"] == pytest.approx(30.0, abs=0.3)
    assert ("times without a time zone" in findings(found)) is not zoned


def test_a_value_that_is_no_amount_is_worth_nothing():
    log = [
        row(1, "u", "purchase", value=1e308),
        row(2, "u", "purchase", value=1e308),
        row(3, "v", "purchase", value=4.0),
    ]
    found = rm.online.evaluate(log, "Value")
    assert found["Value"] == 2.0
    assert findings(found)["conversions without a readable value"] == 2


def test_columns_that_cannot_be_ids_are_refused():
    with pytest.raises(InputError, match="user column 'user' is of type List"):
        rm.online.evaluate([row(1, ["u"], "click")], "CTR")
    pandas = pytest.importorskip("pandas")
    twice = pandas.DataFrame([[1, "u", "click", "click"]], columns=["time", "user", "type", "type"])
    with pytest.raises(InputError, match="two columns called 'type'"):
        rm.online.evaluate(twice, "CTR")


def test_no_records_are_an_empty_log():
    with pytest.raises(InputError, match="is empty"):
        rm.online.evaluate([], "CTR")


def test_a_window_without_an_end_is_spelled_out_where_it_was_guessed():
    with pytest.raises(MeasureError, match="Hint: window=None"):
        rm.parse("CVR(window=none)")


KNOWN_WORDS = {"impression": "曝光", "click": "点击", "conversion": "purchase"}
NEEDS = {
    "CTR": {"impression", "click"}, "CTR(per=user)": {"impression", "click"},
    "CVR": {"click", "conversion"}, "CVR(per=user)": {"conversion"}, "Conversions": {"conversion"},
    "Conversions(per=impression)": {"impression", "conversion"}, "Value": {"conversion"}, "SessionDuration": set(),
}  # fmt: skip


@pytest.mark.parametrize(("measure", "kind"), list(itertools.product(NEEDS, KNOWN_WORDS)))
def test_what_no_known_word_of_the_log_says_is_asked_for(measure, kind):
    """One kind of event stands under a word that nobody knows."""
    words = {**KNOWN_WORDS, kind: "x-event"}
    log = [row(n, f"u{n % 3}", word, item="a", value=1) for n, word in enumerate([*words.values()] * 3)]
    whole = [{**one, "type": KNOWN_WORDS[kind] if one["type"] == "x-event" else one["type"]} for one in log]
    expected = pytest.approx(rm.online.evaluate(whole, measure)[measure], nan_ok=True)
    assert rm.online.evaluate(log, measure, types={kind: ["X-Event"]})[measure] == expected
    if kind in NEEDS[measure]:
        with pytest.raises(InputError, match=rf'x-event.*Hint: types={{"{kind}": \["x-event"\]}}'):
            rm.online.evaluate(log, measure)
        with pytest.raises(InputError, match="x-event"):
            rm.online.experiment([{**one, "variant": one["user"]} for one in log], measure)
        rm.online.evaluate(log, measure, types={"other": ["x-event"]})  # whoever says so gets the 0
    else:
        rm.online.evaluate(log, measure)


FLAGS = {
    "click": ("click", "is_click", "Clicked", "点击"),
    "conversion": ("converted", "purchase", "is_purchased", "是否购买"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "column"), [(kind, column) for kind in FLAGS for column in FLAGS[kind]])
@pytest.mark.parametrize("values", [[0, 1, 0, 1], [False, True, False, False], ["0", "1", "0", "0"], [0.0, 2.0, 0, 0]])
def test_a_column_that_says_what_no_event_says_is_heard(kind, column, values):
    """A log with a row per impression, and a flag beside it: its rate was 0."""
    there = ["impression", "click", "impression", "impression"] if kind == "conversion" else ["impression"] * 4
    log = [{**row(at, f"u{at % 2}", there[at], item="a"), column: value} for at, value in enumerate(values)]
    measure = "CTR" if kind == "click" else "Conversions"
    with pytest.raises(InputError, match=f"column '{column}' says"):
        rm.online.evaluate(log, measure)
    silent = [{**one, column: type(values[0])()} for one in log]
    assert rm.online.evaluate(silent, measure)[measure] == 0.0
    told = [*log, row(9, "u1", kind, item="a")]
    assert rm.online.evaluate(told, measure)[measure] > 0


@pytest.mark.parametrize("value", [*map(Decimal, ("NaN", "sNaN", "Infinity", "1e999999999", "-1e-99999"))])
def test_a_decimal_that_is_no_amount_is_worth_nothing(value):
    log = [row(1, "u", "purchase", value=value), row(2, "u", "purchase", value=Decimal("2.5"))]
    assert rm.online.evaluate(log, "Value")["Value"] == 2.5


@pytest.mark.parametrize(("own", "count"), [(1, 0), (7, 1), (None, 0)])
def test_a_click_at_another_position_than_its_impression_is_counted(own, count):
    log = [row(1, "u", "impression", position=1), row(2, "u", "click", position=own)]
    assert findings(rm.online.evaluate(log, "CTR")).get("clicks at another position", 0) == count


@pytest.mark.parametrize("role", ["variant", "segment"])
def test_a_column_that_divides_users_is_named_where_nobody_asks_for_groups(role):
    log = [row(1, "u", "impression", **{role: "A"}), row(2, "v", "impression", **{role: "B"})]
    found = rm.online.evaluate(log, "CTR")
    assert role in next(said for said in map(str, found.sentences()) if "not used" in said)
    asked = rm.online.evaluate(log, "CTR", by=role)
    assert not any(role in said for said in map(str, asked.sentences()) if "not used" in said)
