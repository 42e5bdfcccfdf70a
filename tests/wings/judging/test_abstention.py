"""Queries without a right answer: the worked table, what a cut does, and what is refused."""

from __future__ import annotations

import json
import math

import pytest

import rankmeter as rm

ANSWERABLE = [(0.95, 1), (0.9, 1), (0.8, 0), (0.7, 1), (0.6, 1), (0.4, 0)]
UNANSWERABLE = [0.85, 0.5, 0.3, None]
TRUTH = {f"a{number}": {"right": 1} for number in range(6)} | {f"u{number}": {"wrong": 0} for number in range(4)}
RUN = {f"a{number}": {"right" if hit else "x": score} for number, (score, hit) in enumerate(ANSWERABLE)} | {
    f"u{number}": {"x": score} for number, score in enumerate(UNANSWERABLE) if score
}


@pytest.mark.parametrize(
    ("cut", "value", "false_return", "false_silence"),
    [
        (None, 0.5, 0.75, 0), (0.35, 0.6, 0.5, 0), (0.55, 0.7, 0.25, 1 / 6), (0.75, 0.5, 0.25, 0.5),
        (0.88, 0.6, 0, 2 / 3), (2.0, 0.4, 0, 1),
    ],
)  # fmt: skip
def test_the_worked_table(cut, value, false_return, false_silence):
    one = rm.silence(TRUTH, RUN, cuts=[0.35, 0.55, 0.75, 0.88, 2.0]).at(cut)
    assert one.value == pytest.approx(value)
    assert one.false_return == pytest.approx(false_return)
    assert one.false_silence == pytest.approx(false_silence)
    assert one.unanswerable == pytest.approx(1 - false_return)
    assert one.false_return_low <= false_return <= one.false_return_high
    kept = {q: {d: s for d, s in items.items() if cut is None or s >= cut} for q, items in RUN.items()}
    measure = "Success(empty=silent)@1"
    assert rm.evaluate(TRUTH, kept, [measure])[measure] == pytest.approx(value)


def test_confidence_is_measured():
    curve = rm.silence(TRUTH, RUN)
    assert curve.auroc == pytest.approx(19 / 24)
    assert (curve.risk_area, curve.risk_excess) == pytest.approx((0.338977, 0.114815), abs=5e-7)
    assert curve.floor == 0.4
    assert 0 < curve.nauc["max"] < 1


@pytest.mark.parametrize("measure", ["nDCG@5", "RR", "P(rel=2)@3", "AP"])
def test_other_measures_are_cut_item_by_item(measure):
    truth = {"q": {"a": 2, "b": 1}, "r": {"c": 2}, "none": {"z": 0}}
    run = {"q": {"a": 0.9, "b": 0.4, "x": 0.6}, "r": {"x": 0.8, "c": 0.5}, "none": {"y": 0.3}}
    curve = rm.silence(truth, run, measure, cuts=[0.55])
    kept = {q: {d: s for d, s in items.items() if s >= 0.55} for q, items in run.items()}
    silent = rm.parse(measure)(empty="silent")
    assert curve.at(0.55).value == pytest.approx(rm.evaluate(truth, kept, [silent])[silent])


def test_without_unanswerable_queries_it_is_said():
    curve = rm.silence({q: items for q, items in TRUTH.items() if q.startswith("a")}, RUN)
    assert [note.kind for note in curve.notes] == ["silence_no_unanswerable", "silence_confidences_equal"]
    assert json.loads(curve.to_json())["cuts"][0]["false_return"] is None
    only = rm.silence({q: items for q, items in TRUTH.items() if q.startswith("u")}, RUN)
    assert [note.kind for note in only.notes] == ["silence_no_answerable", "silence_values_equal"]


@pytest.mark.parametrize(
    ("run", "options", "kind"),
    [
        ({"a0": ["right"]}, {}, "judging.silence_needs_scores"),
        (RUN, {"measure": "DCG@5"}, "judging.not_for_silence"),
        (RUN, {"measure": "Coverage@5"}, "judging.not_for_silence"),
        (RUN, {"measure": "P@1,5"}, "judging.not_for_silence"),
        (RUN, {"cuts": ["high"]}, "general.not_a_number"),
        (RUN, {"cuts": [float("nan")]}, "general.not_a_number"),
    ],
)
def test_what_cannot_be_cut_is_refused(run, options, kind):
    with pytest.raises(rm.InputError) as caught:
        rm.silence(TRUTH, run, **options)
    assert caught.value.problem.kind == kind
    assert "提示" in caught.value.text("zh") or kind.startswith("general.")


def test_it_shows_itself_everywhere():
    curve = rm.silence(TRUTH, RUN, cuts=[0.55])
    for language in ("en", "zh"):
        for text in (curve.to_text(language), curve.to_markdown(language), curve.to_html(language)):
            assert "0.7000" in text
    assert len(curve.to_polars()) == 2
    with pytest.raises(rm.InputError):
        curve.at(0.1)


@pytest.mark.parametrize(
    ("run", "kind", "named"),
    [
        ({"q": {"a": 1.0}, "r": {"x": 1.0}}, "silence_confidences_equal", ["max", "std", "gap"]),
        ({"q": {"a": 1.0, "b": 0.5}, "r": {"x": 2.0, "b": 1.5}}, "silence_confidences_equal", ["std", "gap"]),
        ({"q": {"a": 1.0}, "r": {"c": 2.0}}, "silence_values_equal", []),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_confidences_that_order_nothing_are_told_with_their_reason(run, kind, named, lang):
    """In the record and in the text: which values are missing, or 0 whatever the answers are worth."""
    truth = {"q": {"a": 1}, "r": {"c": 1}}
    curve = rm.silence(truth, run)
    (note,) = (note for note in curve.notes if note.kind == kind)
    assert str(note) in curve.to_dict()["notes"]
    assert note.text(lang) in curve.to_text(lang)
    if named:
        assert [name for name, value in curve.nauc.items() if value == pytest.approx(0, abs=1e-12)] == named
    else:
        assert all(math.isnan(value) for value in curve.nauc.values())
