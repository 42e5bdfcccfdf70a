"""Q-measure and its relatives equal what pyNTCIREVAL 0.0.3 gives on random lists; Q without gains is AP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rankmeter as rm
from rankmeter.measures import parse

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("ntcireval_values.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("name", ["Q", "OMeasure", "PMeasure", "PPlus"])
def test_recorded_values(name: str) -> None:
    for case in CASES:
        gain = dict(enumerate(case["gains"], start=1))
        measure = parse(name)(gain=gain, beta=case["beta"])
        if name == "Q" and case["cutoff"]:
            measure @= case["cutoff"]
        got = rm.evaluate({"q": case["judgments"]}, {"q": case["ranked"]}, measure).mean[measure]
        assert got == pytest.approx(case[name], rel=1e-12), case


@pytest.mark.parametrize("cutoff", ["", "@3"])
def test_without_weight_on_the_gain_it_is_average_precision(cutoff: str) -> None:
    for case in CASES:
        asked = [f"Q(beta=0){cutoff}", f"AP(norm=capped){cutoff}", "OMeasure(beta=0)", "RR"]
        ev = rm.evaluate({"q": case["judgments"]}, {"q": case["ranked"]}, asked)
        q, ap, o, rr = ev.mean.values()
        assert (q, o) == pytest.approx((ap, rr), rel=1e-12)
