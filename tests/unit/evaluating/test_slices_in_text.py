"""An evaluation shows its slices as text, too."""

from __future__ import annotations

import pytest

import rankmeter as rm


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_slices_stand_in_the_text_of_an_evaluation(count, lang, monkeypatch) -> None:
    monkeypatch.setenv("RANKMETER_LANG", lang)
    judgments = {f"q{n}": {"a": 1} for n in range(4 * count)}
    run = {query: [f"x{m}" for m in range(n % 3)] + ["a"] for n, query in enumerate(judgments)}
    kind = {query: f"kind{n % count}" for n, query in enumerate(judgments)}
    ev = rm.evaluate(judgments, run, ["RR", "P@1"], by={"kind": kind})
    lines = repr(ev).splitlines()
    for name in set(kind.values()):
        own = [query for query in judgments if kind[query] == name]
        part = rm.evaluate({q: judgments[q] for q in own}, {q: run[q] for q in own}, ["RR", "P@1"])
        row = next(line for line in lines if f" {name} " in line)
        assert row.split()[-2:] == [f"{part['RR']:.4f}", f"{part['P@1']:.4f}"]
    assert "kind" not in repr(rm.evaluate(judgments, run, ["RR"]))
