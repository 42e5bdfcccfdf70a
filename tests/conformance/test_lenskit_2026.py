"""LensKit 2026.4, which averages otherwise than 2025 did: means that it gave on random lists."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

import rankmeter as rm

RECORDED = json.loads(lzma.decompress((Path(__file__).parent / "lenskit_2026_cases.json.xz").read_bytes()))


@pytest.mark.parametrize("number", range(len(RECORDED["cases"])))
def test_the_means_that_lenskit_gave(number):
    case = RECORDED["cases"][number]
    for name, value in case["values"].items():
        [mean] = rm.evaluate(case["qrels"], case["run"], [name], dialect="lenskit:2026.4").means.values()
        assert mean == pytest.approx(value, abs=1e-9), name


def test_the_version_before_gives_other_means():
    differ = []
    for case in RECORDED["cases"]:
        [mean] = rm.evaluate(case["qrels"], case["run"], ["RecipRank(5)"], dialect="lenskit").means.values()
        differ.append(abs(mean - case["values"]["RecipRank(5)"]) > 1e-6)
    assert any(differ)
