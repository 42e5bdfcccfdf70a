"""Gains at the edges of what a grade may be."""

from __future__ import annotations

import math

import pytest

import rankmeter as rm

JUDGMENTS = {"q": {"a": 0, "b": 2, "c": -1, "d": 1}}
RUN = {"q": {"c": 4.0, "a": 3.0, "x": 2.0, "b": 1.0}}


def test_the_ideal_of_binary_gains_holds_grades_of_0_and_below_where_rel_counts_them():
    # Relevant at ranks 1, 2 and 4 of four relevant ones; at ranks 2 and 4 of three.
    below, zero = rm.parse("nDCG(gain=binary,rel=-1)"), rm.parse("nDCG(gain=binary,rel=0)")
    ev = rm.evaluate(JUDGMENTS, RUN, [below, zero])
    assert ev[below] == pytest.approx((1 + 0.63093 + 0.43068) / (1 + 0.63093 + 0.5 + 0.43068), abs=1e-5)
    assert ev[zero] == pytest.approx((0.63093 + 0.43068) / (1 + 0.63093 + 0.5), abs=1e-5)


@pytest.mark.parametrize("text", ["nDCG(gain=exp2)", "DCG(gain=exp2)@2", "ERR(max_grade=2000)"])
def test_a_power_of_2_that_no_number_holds_is_refused(text):
    with pytest.raises(rm.MeasureError, match="which overflows for 2000"):
        rm.evaluate({"q": {"a": 2000, "b": 1}}, RUN, text)


@pytest.mark.parametrize("digits", [20, 400])
def test_a_cutoff_beyond_64_bits_is_refused_when_the_measure_is_made(digits):
    with pytest.raises(rm.MeasureError, match="expected a whole number"):
        rm.parse("P@" + "9" * digits)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("RR(rel=-1,unjudged=undecided)", 1.0),
        ("RR(rel=-2,unjudged=undecided)@1", 1.0),
        ("Success(rel=-1,unjudged=undecided)@1", 1.0),
        ("DCG(gain={-1:2},unjudged=-3)@1", 2.0),
        ("nDCG(gain=binary,rel=-1,unjudged=nan)", 1.0),
        ("AP(rel=-1,unjudged=nan)", 1.0),
        ("RR(rel=1,unjudged=undecided)", math.nan),  # nobody decided the item of grade -1 for it
        ("RR(rel=-1,unjudged=undecided,negative=nonrelevant)", 1.0),
    ],
)
def test_an_item_below_0_that_counts_is_judged_under_every_treatment_of_the_unjudged(measure, value):
    judgments, run = {"q": {"c": -1, "b": 1}}, {"q": {"c": 3.0, "b": 2.0}}
    assert rm.evaluate(judgments, run, measure)[measure] == pytest.approx(value, nan_ok=True)


def test_measures_of_one_call_do_not_share_what_they_take_for_judged():
    texts = [f"DCG(rel={rel},gain=binary,unjudged=-3)@2" for rel in (1, -1, -2)] + ["DCG(gain={-1:2},unjudged=-3)@2"]
    together = rm.evaluate(JUDGMENTS, RUN, texts)
    assert [together[text] for text in texts] == [rm.evaluate(JUDGMENTS, RUN, text)[text] for text in texts]
