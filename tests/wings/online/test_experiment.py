"""Experiments: sample ratio first, differences that equal the plain formulae, segments, sums instead of events."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.errors import InputError, NotFoundError
from rankmeter.measures import CTR
from rankmeter.wings.online.contrasts import cuped, difference, minimum_detectable
from rankmeter.wings.online.looks import Look
from rankmeter.wings.online.sums import Sums, sums_from_table


def simulated(users=400, lift=0.0, seed=0, variants=("A", "B"), before=False):
    """A log of users with habits, before and after a start at time 100,000."""
    random = np.random.default_rng(seed)
    rows = []
    for user in range(users):
        variant = variants[user % len(variants)]
        rate = random.beta(2, 6)
        for start in (0, 100_000) if before else (100_000,):
            chance = min(1.0, rate + (lift if variant != variants[0] and start else 0.0))
            for item in range(random.poisson(6)):
                row = {"user": f"u{user}", "request": f"{user}-{start}", "item": item, "variant": variant,
                       "country": "DE" if user % 3 else "FR"}  # fmt: skip
                rows.append({**row, "time": start + item, "type": "impression"})
                if random.random() < chance:
                    rows.append({**row, "time": start + item + 50, "type": "click"})
    return pl.DataFrame(rows)


def with_conversions(log):
    """The log with a conversion after every third click."""
    clicks = log.filter(pl.col("type") == "click")
    bought = clicks.gather_every(3).with_columns(pl.lit("conversion").alias("type"), pl.col("time") + 1)
    return pl.concat([log, bought])


def test_a_real_lift_is_found_and_nothing_is_not():
    lifted = rm.online.experiment(simulated(lift=0.2), ["CTR"]).effect("CTR")
    assert (lifted.verdict, lifted.difference.excludes_zero) == ("better", True)
    assert rm.online.experiment(simulated(), ["CTR"]).effect("CTR").verdict == "cannot tell"


def test_the_direction_is_the_one_that_the_measure_states():
    log = simulated(users=60).with_columns(time=pl.col("time") * pl.when(pl.col("variant") == "B").then(3).otherwise(1))
    found = rm.online.experiment(log, ["SessionDuration(better=lower)", "SessionDuration"])
    assert [one.verdict for one in found.effects] == ["worse", "higher"]


def test_a_broken_sample_ratio_is_said_first():
    log = simulated(users=600).filter((pl.col("variant") == "A") | (pl.col("user").str.slice(1).cast(int) % 4 == 1))
    found = rm.online.experiment(log, ["CTR"])
    assert not found.is_sound
    assert "SAMPLE RATIO BROKEN" in found.sentences()[0]
    assert "SAMPLE RATIO BROKEN" in repr(found)
    assert rm.online.experiment(log, ["CTR"], ratios={"A": 2, "B": 1}).is_sound


def test_p_values_are_corrected_for_variants_and_measures():
    log = with_conversions(simulated(users=300, variants=("A", "B", "C"), lift=0.1))
    found = rm.online.experiment(log, ["CTR", "CTR(per=reach)", "CVR"])
    assert [one.family for one in found.effects] == ["first"] * 2 + ["others"] * 4 + ["beside"] * 2
    for family in ("first", "others", "beside"):
        effects = [one for one in found.effects if one.family == family]
        least = min(effects, key=lambda one: one.p)
        assert least.p_corrected == pytest.approx(min(1.0, least.p * len(effects)))
    plain = rm.online.experiment(simulated(users=300, variants=("A", "B", "C")), ["CTR"], correction="none")
    assert [one.p for one in plain.effects] == [one.p_corrected for one in plain.effects]


MORE = ["CVR", "CTR(per=reach)", "SessionDuration", "EngagedSessions"]


@settings(max_examples=15)
@given(st.data())
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "by"])
def test_asking_for_more_measures_never_changes_what_the_first_or_the_primary_ones_say(correction, data):
    log = with_conversions(simulated(users=120, variants=("A", "B", "C"), lift=0.2))
    more = data.draw(st.lists(st.sampled_from(MORE), unique=True))
    plan = data.draw(st.sampled_from([{}, {"primary": "CTR"}, {"guardrails": {"Conversions": 0.1}}]))
    alone, together = (
        rm.online.experiment(log, measures, correction=correction, segments="country", **plan)
        for measures in (["CTR"], ["CTR", *more])
    )
    for effects, others in ((alone.effects, together.effects), (alone.segments, together.segments)):
        first = [one for one in effects if str(one.measure) == "CTR"]
        again = [one for one in others if str(one.measure) == "CTR"]
        for one, other in zip(first, again, strict=True):
            assert (one.p, one.p_corrected, one.least, one.verdict) == (
                other.p, other.p_corrected, other.least, other.verdict,
            )  # fmt: skip
    interactions = [[one.p_corrected for one in found.interactions if str(one.measure) == "CTR"]
                    for found in (alone, together)]  # fmt: skip
    assert interactions[0] == interactions[1]


def test_families_and_intervals_are_said():
    log = with_conversions(simulated(users=300))
    sentences = list(map(str, rm.online.experiment(log, ["CTR", "CTR(per=reach)", "CVR"]).sentences()))
    (families,) = [sentence for sentence in sentences if sentence.startswith("p-values are corrected (holm)")]
    assert ": CTR (asked first, at the full level, 1 difference), " in families
    assert "CTR(per=reach), CVR (the others asked, 2 differences)" in families
    assert "Conversions (shown unasked, 1 difference)" in families
    assert "intervals: 95%, each on its own (not corrected)" in sentences
    planned = rm.online.experiment(log, ["CVR"], primary="CTR", guardrails={"Conversions": 0.1})
    assert [one.family for one in planned.effects] == ["others", "primary", "guardrail"]
    alone = rm.online.experiment(log, ["CTR"]).sentences()
    assert not [sentence for sentence in alone if "corrected" in str(sentence)]


def test_segments_are_the_experiments_of_their_units():
    log = simulated(lift=0.1)
    found = rm.online.experiment(log, ["CTR"], segments="country")
    for one in found.segments:
        alone = rm.online.experiment(log.filter(pl.col("country") == one.segment), ["CTR"]).effect("CTR")
        assert one.difference.value == pytest.approx(alone.difference.value)
        assert one.p == pytest.approx(alone.p)
    assert [one.segment for one in found.segments] == ["DE", "FR"]
    assert found.effect("CTR").difference.value == pytest.approx(
        rm.online.experiment(log, ["CTR"]).effect("CTR").difference.value
    )


def test_cuped_is_regression_on_what_the_same_users_did_before():
    log = simulated(users=600, lift=0.05, before=True)
    found = rm.online.experiment(log, ["CTR"], start=100_000)
    effect = found.effect("CTR")
    assert 0.2 < effect.adjusted.variance_kept < 0.9
    # The same by hand: linearised values after and before, one coefficient of both groups as if they were one.
    counts = (
        log.with_columns(late=pl.col("time") >= 100_000)
        .group_by("user", "variant")
        .agg(
            *(
                ((pl.col("type") == kind) & (pl.col("late") == late)).sum().alias(f"{kind}{late}")
                for kind in ("click", "impression")
                for late in (True, False)
            )
        )
        .filter(pl.col("impressionTrue") > 0)
        .cast({pl.Int64: pl.Float64, pl.UInt32: pl.Float64}, strict=False)
    )
    linear = {}
    for variant in ("AB", "A", "B"):
        part = counts.filter(pl.col("variant").is_in(list(variant)))
        sides = []
        for late in ("True", "False"):
            x, y = part[f"click{late}"].to_numpy(), part[f"impression{late}"].to_numpy()
            ratio = x.sum() / y.sum()
            sides.append((ratio, (x - ratio * y) / y.mean()))
        linear[variant] = sides
    sizes = {v: len(linear[v][0][1]) - 1 for v in "AB"}
    whole = np.cov(linear["AB"][0][1], linear["AB"][1][1])
    theta = whole[0, 1] / whole[1, 1]
    plain = linear["B"][0][0] - linear["A"][0][0]
    gap = plain - theta * (linear["B"][1][0] - linear["A"][1][0])
    variance = sum(np.var(linear[v][0][1] - theta * linear[v][1][1], ddof=1) / (sizes[v] + 1) for v in "AB")
    assert effect.adjusted.coefficients == pytest.approx({"before": theta})
    assert effect.difference.value == pytest.approx(gap)
    assert effect.difference.variance == pytest.approx(variance)
    assert effect.plain.absolute.value == pytest.approx(plain)


def test_sums_give_what_events_give_even_through_a_table():
    whole = rm.online.experiment(simulated(users=300, before=True), ["CTR", "CTR(per=reach)"], start=100_000)
    again = rm.online.experiment(sums_from_table(whole.sums_table()))
    for one, other in zip(whole.effects, again.effects, strict=True):
        assert other.difference.value == pytest.approx(one.difference.value)
        assert other.p == pytest.approx(one.p)
        assert other.adjusted.coefficients == pytest.approx(one.adjusted.coefficients)
    stored = {name: Sums.from_dict(json.loads(json.dumps(sums.to_dict()))) for name, sums in whole.sums.items()}
    beside = rm.online.evaluate(simulated(users=30), ["CTR", "SessionDuration(quantile=0.5)"]).sums_table()
    assert beside["measure"].to_list() == ["CTR"]  # a quantile is not a quotient of sums
    assert rm.online.experiment(stored, ["CTR"]).effect("CTR").p == pytest.approx(whole.effect("CTR").p)


def test_the_bootstrap_agrees_with_the_delta_method():
    log = simulated(lift=0.05)
    delta, drawn = (rm.online.experiment(log, ["CTR"], resamples=n).effect("CTR") for n in (0, 2000))
    assert drawn.difference.value == delta.difference.value
    assert drawn.difference.low == pytest.approx(delta.difference.low, abs=0.01)
    assert drawn.difference.high == pytest.approx(delta.difference.high, abs=0.01)
    assert drawn.difference.method.startswith("bootstrap")


def test_the_always_valid_interval_is_wider_and_narrows_with_units():
    effect = rm.online.experiment(simulated(), ["CTR"]).effect("CTR")
    assert effect.always_valid.low < effect.difference.low
    assert effect.always_valid.high > effect.difference.high
    widths = [Look(rule="always-valid").quantile(n, n) / n**0.5 for n in (1_000, 10_000, 100_000)]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.slow
def test_the_least_detectable_difference_is_found_with_its_power():
    random = np.random.default_rng(0)
    names = ("CTR x", "CTR y")

    def arm(lift, n=2000):
        shown = random.poisson(8, n) + 1
        return Sums.of_rows(names, np.column_stack([random.binomial(shown, 0.2 + lift), shown]).astype(float))

    least = minimum_detectable(arm(0.0, n=100_000), CTR, units=2000, other_units=2000)
    found = sum(difference(arm(0.0), arm(least), CTR).p < 0.05 for _ in range(400))
    assert 0.72 < found / 400 < 0.88


def test_sums_may_be_added_in_any_parts():
    random = np.random.default_rng(1)
    rows = random.normal(1e6, 1.0, (50, 4))
    names = ("a", "b", "c", "d")
    whole = Sums.of_rows(names, rows)
    parts = sum((Sums.of_rows(names, rows[start : start + 7]) for start in range(0, 50, 7)), Sums.empty(names))
    assert parts.products == pytest.approx(whole.products, rel=1e-9)
    assert whole.covariance("a", "b") == pytest.approx(np.cov(rows[:, 0], rows[:, 1])[0, 1])


def test_without_anything_before_there_is_nothing_to_adjust():
    a = Sums.of_rows(("CTR x", "CTR y"), np.array([[1.0, 2.0], [0.0, 3.0]]))
    assert cuped(a, a, CTR) is None


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"control": "Z"}, NotFoundError, "unknown variant 'Z'"),
        ({"ratios": {"A": 1}}, InputError, "the variants are A, B"),
        ({"correction": "bonferoni"}, InputError, "did you mean 'bonferroni'"),
        ({"start": "soon"}, InputError, "is not a time"),
        ({"start": "1970-01-01", "unit": "session"}, InputError, "must be the user"),
        ({"level": 95}, InputError, "between 0 and 1"),
        ({"power": 80}, InputError, "between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, words):
    with pytest.raises(error, match=words):
        rm.online.experiment(simulated(users=20), ["CTR"], **options)


def test_the_control_must_be_known():
    log = simulated(users=20, variants=("x", "y"))
    with pytest.raises(InputError, match="which of x, y is the control"):
        rm.online.experiment(log, ["CTR"])
    assert rm.online.experiment(log, ["CTR"], control="y").control == "y"
    with pytest.raises(InputError, match="at least two variants"):
        rm.online.experiment(simulated(users=20, variants=("A",)), ["CTR"])


def test_a_table_of_sums_that_is_wrong_is_refused():
    good = {"variant": "A", "measure": "CTR", "n": 2, "x": 1, "y": 2, "xx": 1, "yy": 2, "xy": 1}
    with pytest.raises(InputError, match="no xy column"):
        sums_from_table([{name: value for name, value in good.items() if name != "xy"}])
    with pytest.raises(InputError, match="different numbers"):
        sums_from_table([good, {**good, "measure": "CVR", "n": 3}])
    with pytest.raises(InputError, match="empty"):
        sums_from_table([])
    with pytest.raises(InputError, match="do not hold CVR"):
        rm.online.experiment(sums_from_table([good, {**good, "variant": "B"}]), ["CVR"])


def test_results_convert():
    found = rm.online.experiment(simulated(users=40), ["CTR"])
    assert json.loads(found.to_json())["effects"][0]["measure"] == "CTR"
    assert found.to_polars().height == 1
    assert "<table>" in found._repr_html_()
    with pytest.raises(NotFoundError, match=r"available: CTR \(B\)"):
        found.effect("CVR")
    assert not math.isnan(found.effect("CTR").least)


def _spread_log(users=80):
    """Users of two variants, half of them without a country, who behave alike before and after second 10,000."""
    random = np.random.default_rng(5)
    rows = []
    for user in range(users):
        taste = random.random()
        for n in range(40):
            row = {"time": n * 500, "user": user, "request": f"{user}-{n}", "item": "a", "variant": "AB"[user % 2]}
            row["country"] = "x" if user < users // 2 else None
            rows.append({**row, "type": "impression"})
            if random.random() < taste:
                rows.append({**row, "time": n * 500 + 1, "type": "click"})
    return rows


def test_users_without_a_segment_belong_to_the_experiment():
    plain = rm.online.experiment(_spread_log(), "CTR")
    split = rm.online.experiment(_spread_log(), "CTR", segments="country")
    assert split.ratio == plain.ratio
    assert split.effect("CTR").difference == plain.effect("CTR").difference
    assert {one.segment for one in split.segments} == {"x"}
    assert "units without segment" in {one.name for one in split.findings}


def test_a_bootstrap_of_units_that_are_all_alike_decides_nothing():
    rows = [{"time": 0, "user": v + str(u), "item": "a", "type": kind, "variant": v} for v in "AB" for u in range(8)
            for kind in (["impression", "click"] if v == "B" else ["impression"])]  # fmt: skip
    for log in (rows, [row for row in rows if row["user"][1] == "0"]):
        assert rm.online.experiment(log, "CTR", resamples=99).effect("CTR").verdict == "no data"
    alone = rm.online.evaluate(rows[:1], "CTR", resamples=99).estimate("CTR")
    assert math.isnan(alone.low)
    assert math.isnan(alone.high)


def test_resamples_are_used_with_a_start_and_in_segments():
    found = rm.online.experiment(_spread_log(), "CTR", start=10_000, resamples=999, segments="country")
    exact = rm.online.experiment(_spread_log(), "CTR", start=10_000)
    drawn, sure = (one.effect("CTR").difference for one in (found, exact))
    assert drawn.method == "CUPED, bootstrap of units, 999 resamples"
    assert drawn.value == sure.value
    # CUPED narrows both: the plain bootstrap is far wider than either.
    assert drawn.high - drawn.low == pytest.approx(sure.high - sure.low, rel=0.15)
    assert found.effect("CTR").plain.absolute.high - found.effect("CTR").plain.absolute.low > 1.5 * (
        sure.high - sure.low
    )
    assert "bootstrap" in found.segments[0].difference.method


@pytest.mark.parametrize("start", [0, 10_000, 15_000])
def test_what_is_described_is_the_experiment_from_its_start_on(start):
    log = _spread_log()
    log += [{**log[0], "user": f"old {n}", "time": -n, "type": "conversion"} for n in range(1, 9)]
    inside = [event for event in log if event["time"] >= start]
    counts = rm.online.experiment(log, "CTR", start=start).counts
    expected = {"events": len(inside), "users": len({event["user"] for event in inside})}
    for kind in ("impression", "click", "conversion"):
        of_kind = [event["user"] for event in inside if event["type"] == kind]
        expected |= {f"{kind}s": len(of_kind), f"users with {kind}": len(set(of_kind))}
    assert {name: counts[name] for name in expected} == expected
    alone = rm.online.evaluate(inside, "CTR")
    assert alone.counts == counts
    assert alone.positions == rm.online.experiment(log, "CTR", start=start).positions


@pytest.mark.parametrize("users", [4, 6, 80])
@pytest.mark.parametrize("rule", ["once", "always-valid", "obrien-fleming", "pocock"])
def test_what_can_be_detected_is_beyond_the_half_width(rule, users):
    """A difference within its own interval is not found half of the time, let alone with the power stated."""
    looks = {"looks": [0.5]} if rule in ("obrien-fleming", "pocock") else {}
    found = rm.online.experiment(_spread_log(users), ["CTR", "Conversions"], sequential=rule, **looks)
    halves = [(effect.difference.high - effect.difference.low) / 2 for effect in found.effects]
    known = [(half, effect.least) for half, effect in zip(halves, found.effects, strict=True) if not math.isnan(half)]
    assert known
    assert all(least > half for half, least in known)


@pytest.mark.parametrize("asked", [{"start": 5}, {"segments": "country"}, {"resamples": 100}])
def test_sums_refuse_what_only_events_can_answer(asked):
    sums = rm.online.experiment(_spread_log(), "CTR").sums
    with pytest.raises(InputError, match=next(iter(asked))):
        rm.online.experiment(sums, **asked)


def test_nobody_left_to_compare_is_said_with_its_reason():
    with pytest.raises(InputError, match="are before the start"):
        rm.online.experiment(_spread_log(), "CTR", start=10**9)
    both = [{"time": t, "user": "u", "item": "a", "type": "impression", "variant": v} for t, v in enumerate("AB")]
    with pytest.raises(InputError, match="seen in several variants"):
        rm.online.experiment(both, "CTR")


_SUMS = {"variant": "A", "measure": "CTR", "n": 10, "x": 5, "y": 50, "xx": 5, "yy": 300, "xy": 25}
_BEFORE = {"px": 5, "py": 50, "pxx": 5, "pyy": 300, "pxy": 25, "x_px": 3, "x_py": 25, "y_px": 25, "y_py": 260}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n": 10.5}, "not a whole number"),
        ({"y": -50}, "below 0"),
        ({"xy": 1000}, "does not go with"),
        ({**_BEFORE, "px": "many"}, "px of CTR in variant A is 'many'"),
        ({**_BEFORE, "pxx": -5}, "too small for a sum of squares"),
        ({**_BEFORE, "y_py": 2600}, "does not go with"),
    ],
)
def test_sums_that_cannot_be_are_refused(change, said):
    with pytest.raises(InputError, match=said):
        rm.online.sums_from_table([{**_SUMS, **change}])


def test_a_row_of_sums_without_a_column_is_refused():
    with pytest.raises(InputError, match="no x, y, xx, yy, xy column"):
        rm.online.sums_from_table([_SUMS, {"variant": "B", "measure": "CTR", "n": 10}])


@pytest.mark.parametrize("seconds", [100, 137, 951])
def test_what_rounding_leaves_of_no_spread_makes_nothing_certain(seconds):
    names, sessions = ("SessionDuration x", "SessionDuration y"), np.array([1.0, 2.0, 3.0, 1.0, 2.0])
    groups = [
        Sums.of_rows(names, np.column_stack([sessions * length / 7, sessions])) for length in (seconds, seconds + 11)
    ]
    assert math.isnan(difference(*groups, rm.SessionDuration).p)


@pytest.mark.parametrize("seen", [(3, 1), (1, 3), (3, 3), (1, 1)])
@pytest.mark.parametrize("idle", [(10, 7), (7, 10), (8, 8)])
def test_a_group_whose_only_active_user_counts_once_is_not_said_to_rest_on_few(seen, idle):
    """As few units as in the other group carry its quotient, but none of them is heavy."""
    rows = [{"time": 0, "user": f"{v}{user}", "variant": v, "item": "x", "type": "scroll"}
            for v, users in zip("ab", idle, strict=True) for user in range(users)]  # fmt: skip
    kinds = ("impression", "click")
    rows += [{"time": 1 + item, "user": f"{v}-", "variant": v, "item": f"i{item}", "type": kind}
             for v, items in zip("ab", seen, strict=True) for item in range(items) for kind in kinds]  # fmt: skip
    found = rm.online.experiment(rows, ["CTR"], control="a")
    notes = [note for note in found.notes if note.kind.startswith("rests_on_few")]
    assert len(notes) == (max(seen) > 1)
    assert all(seen["ab".index(note.values["group"])] > 1 for note in notes)
