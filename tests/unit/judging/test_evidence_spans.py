"""Evidence spans: the worked table under every rule, characters once, subtopics with placeholders, bad spans."""

from __future__ import annotations

import json
import random

import pytest

import rankmeter as rm

GOLD = {"q": [("D1", 20, 60), ("D1", 100, 120), ("D2", 0, 30)]}
CHUNKS = {"q": [("D1", 0, 50), ("D1", 40, 90), ("D1", 110, 160), ("D2", 100, 150)]}
AT = (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("rule", "share", "expected"),
    [
        ("any", 0.5, [1, 1, 2, 2]), ("share", 0.5, [1, 1, 2, 2]), ("share", 0.75, [1, 1, 1, 1]),
        ("iou", 0.5, [1, 1, 1, 1]), ("contained", 0.5, [0, 0, 0, 0]), ("joint", 1.0, [0, 1, 1, 1]),
        ("joint", 0.5, [1, 1, 2, 2]),
    ],
)  # fmt: skip
def test_worked_span_recall(rule, share, expected):
    scores = rm.evidence(GOLD, CHUNKS, rule=rule, share=share, cutoffs=AT)
    assert [scores.value("span_recall", k) * 3 for k in AT] == pytest.approx(expected)
    frame, lists = scores.subtopics()
    ev = rm.evaluate(frame, lists, [f"StRecall@{k}" for k in AT])
    assert [ev[f"StRecall@{k}"] * 3 for k in AT] == pytest.approx(expected)  # a span that nobody holds stays


def test_worked_characters():
    scores = rm.evidence(GOLD, CHUNKS, cutoffs=AT)
    names = ("character_recall", "character_precision", "character_iou")
    assert [scores.value(name, 4) for name in names] == pytest.approx([0.555556, 0.263158, 0.217391], abs=5e-7)
    assert [scores.value(name, 1) for name in names] == pytest.approx([1 / 3, 0.6, 0.272727], abs=5e-7)
    assert [scores.value("span_share", k) for k in AT] == pytest.approx([0.25, 1 / 3, 0.5, 0.5])


@pytest.mark.parametrize("seed", range(5))
def test_characters_equal_sets_of_places(seed):
    draw = random.Random(seed)

    def spans(count):
        made = set()
        while len(made) < count:
            start = draw.randrange(40)
            made.add((draw.choice("ab"), start, start + draw.randint(1, 20)))
        return list(made)

    gold, chunks = spans(4), spans(6)
    scores = rm.evidence({"q": gold}, {"q": chunks}, cutoffs=[6])
    one, two = ({(d, at) for d, start, end in side for at in range(start, end)} for side in (gold, chunks))
    assert scores.value("character_recall", 6) == pytest.approx(len(one & two) / len(one))
    assert scores.value("character_precision", 6) == pytest.approx(len(one & two) / len(two))
    assert scores.value("character_iou", 6) == pytest.approx(len(one & two) / len(one | two))


def test_overlapping_gold_found_whole_is_found_whole():
    scores = rm.evidence({"q": [("D", 0, 40), ("D", 20, 60)]}, {"q": [("D", 0, 60)]}, cutoffs=[1])
    assert scores.value("character_recall", 1) == scores.value("all_spans", 1) == 1


def test_touching_is_no_overlap_and_nothing_returned_is_nothing():
    assert (
        rm.evidence({"q": [("D", 10, 20)]}, {"q": [("D", 0, 10)]}, rule="any", cutoffs=[1]).value("span_recall", 1) == 0
    )
    assert rm.evidence({"q": [("D", 10, 20)]}, {}, cutoffs=[1]).value("character_precision", 1) == 0


def test_quotes_are_looked_up():
    texts = {"D": "the cat sat on the mat"}
    scores = rm.evidence({"q": [("D", "cat sat")]}, {"q": [("D", 4, 11)]}, texts=texts, cutoffs=[1])
    assert scores.gold["q"] == (("D", 4, 11),)
    assert scores.value("character_iou", 1) == 1


@pytest.mark.parametrize(
    ("gold", "chunks", "kind"),
    [
        ({}, {}, "no_spans"),
        ({"q": []}, {}, "no_spans_of"),
        ({"q": [("D", 5, 5)]}, {}, "not_a_span"),
        ({"q": [("D", -1, 5)]}, {}, "not_a_span"),
        ({"q": ["D"]}, {}, "not_a_span"),
        ({"q": [("D", 0, 23)]}, {}, "span_beyond"),
        ({"q": [("D", "dog")]}, {}, "quote_not_found"),
        ({"q": [("E", "cat")]}, {}, "quote_not_found"),
        ({"q": [("D", "the")]}, {}, "quote_twice"),
        ({"q": [("D", 0, 5)]}, {"q": [("D", 0, 5), ("D", 0, 5)]}, "chunk_twice"),
    ],
)
def test_bad_spans_are_refused_with_the_place(gold, chunks, kind):
    with pytest.raises(rm.InputError) as caught:
        rm.evidence(gold, chunks, texts={"D": "the cat sat on the mat"})
    assert caught.value.problem.kind == f"judging.{kind}"
    assert "提示" in caught.value.text("zh")


@pytest.mark.parametrize("share", [0, 1.5, "half", None])
def test_a_share_is_above_nothing_and_at_most_all(share):
    with pytest.raises(rm.InputError, match="at most 1"):
        rm.evidence(GOLD, CHUNKS, share=share)


def test_it_shows_itself_everywhere():
    scores = rm.evidence(GOLD, CHUNKS)
    for language in ("en", "zh"):
        assert "0.6667" in scores.to_text(language) + scores.to_markdown(language) + scores.to_html(language)
    assert json.loads(scores.to_json())["rule"] == "joint"
