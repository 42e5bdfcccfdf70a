"""What the authors of joint multisided exposure compute with their published code, on random lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankmeter as rm

CASES = json.loads((Path(__file__).parent / "joint_exposure.json").read_text())
OPTIONS = {"II-F": "", "IG-F": ",items=group", "AI-F": ",users=all", "AG-F": ",items=group,users=all"}


@pytest.mark.filterwarnings("ignore::rankmeter.errors.RankmeterWarning")
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['lists'])} users")
def test_the_authors_values_are_these_times_the_square_of_the_weight_they_begin_with(case, name):
    items = rm.Catalogue(items=case["items"], groups=case["groups"])
    asked = f"JointExposure(p={case['gamma']}{OPTIONS[name]})"
    value = rm.evaluate(case["judged"], case["lists"], asked, catalogue=items)[asked]
    assert value * case["gamma"] ** 2 == pytest.approx(case[name])
