"""What the input should look like is told in one language."""

from __future__ import annotations

import re

import pytest

import rankmeter as rm

GOOD = {"q": {"a": 1}}
ODD = [5, {"q": 3}, {"q": {1.5: 1}}, {"q": [["a", 1.0, 2.5]]}, {1.5: {"a": 1}}, {"q": object}]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("odd", ODD, ids=map(str, range(len(ODD))))
@pytest.mark.parametrize("side", ["judgments", "run"])
def test_a_wrong_shape_is_told_in_one_language(odd, side, lang, monkeypatch) -> None:
    monkeypatch.setenv("RANKMETER_LANG", lang)
    given = (odd, GOOD) if side == "judgments" else (GOOD, odd)
    with pytest.raises(rm.RankmeterError) as raised:
        rm.evaluate(*given, ["RR"])
    told = str(raised.value)
    assert bool(re.search(r"[\u4e00-\u9fff]", told)) is (lang == "zh")
    if lang == "zh":
        assert not re.search(r"\b(or|and|best|first|relevant|throughout|of|the|is|holds)\b", told), told
