"""Evidence spans: the worked table under every rule, characters once, subtopics with placeholders, bad spans."""

from __future__ import annotations

import json
import random

import polars as pl
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


def measured(scores):
    return {name: value for _, name, _, value in scores.measured.iter_rows()}


def test_worked_measures_with_spans_as_subtopics():
    values = {
        "StRecall@3": 0.666667, "StRecall@5": 0.666667, "alpha_nDCG@5": 0.773767, "ERR_IA@5": 0.383258,
        "AP_IA": 0.444444, "P@4": 0.75,
    }  # fmt: skip
    names = list(values)
    assert measured(rm.evidence(GOLD, CHUNKS, names, rule="any")) == pytest.approx(values, abs=5e-7)
    # Another system of the same chunking that holds the third span is judged too: the ideal is the same.
    both = {"first": CHUNKS, "second": {"q": [("D2", 0, 10)]}}
    first = rm.evidence(GOLD, both, names, rule="any").measured.filter(system="first")
    assert dict(first.select("measure", "value").iter_rows()) == pytest.approx(values, abs=5e-7)
    strict = measured(rm.evidence(GOLD, CHUNKS, ["P@4", "nDCG@4", "AllRelevant@4"], rule="share", share=0.75))
    assert (strict["P@4"], strict["AllRelevant@4"]) == (0.25, 0)
    assert 0 < strict["nDCG@4"] < 1


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("rankmeter", [0.555556, 0.263158, 0.217391]), ("chroma", [0.555556, 0.2, 0.172414]),
        ("legalbench_rag", [1.0, 0.36, None]),
    ],
)  # fmt: skip
def test_worked_dialects(dialect, expected):
    chunks = CHUNKS["q"] + (CHUNKS["q"][:1] if dialect != "rankmeter" else [])  # the others count a chunk twice
    scores = rm.evidence(GOLD, {"q": chunks}, dialect=dialect, cutoffs=[5])
    rows = {row["score"]: row["value"] for row in scores.to_dict()["scores"]}
    names = ("character_recall", "character_precision", "character_iou")
    assert [rows.get(name) for name in names] == pytest.approx(expected, abs=5e-7)
    assert scores.notes or dialect == "rankmeter"


def test_chroma_counts_overlapping_gold_twice_and_takes_the_first_place():
    gold = {"q": [("D", 0, 40), ("D", 20, 60)]}
    scores = rm.evidence(gold, {"q": [("D", 0, 60)]}, dialect="chroma", cutoffs=[1])
    assert scores.value("character_recall", 1) == 0.75
    twice = {"texts": {"D": "ab ab"}, "cutoffs": [1]}
    taken = rm.evidence({"q": [("D", "ab")]}, {"q": [("D", 0, 2)]}, dialect="chroma", **twice)
    assert taken.value("character_iou", 1) == 1
    with pytest.raises(rm.InputError, match="more than once"):
        rm.evidence({"q": [("D", "ab")]}, {"q": [("D", 0, 2)]}, **twice)


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
        ({"q": [("E", "cat")]}, {}, "no_text_of"),
        ({"q": [("D", 0, 5)]}, {"q": [("E", 0, 5)]}, "no_text_of"),
        ({"q": [("D", 0, 5)]}, {"q": [("D", 0, 99)]}, "span_beyond"),
        ({"q": [("D", "cat\nsat")]}, {}, "quote_spaced"),
        ({"q": [("D", "")]}, {}, "quote_not_found"),
        ({"q": [("D", 0, 5)]}, {"other": [("D", 0, 5)]}, "no_chunk_in_common"),
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


def at_random(seed, queries=12):
    """Gold spans, and the chunks of two sizes in a random order, of one document each."""
    draw = random.Random(seed)
    gold, cut = {}, {"small": {}, "large": {}}
    for number in range(queries):
        query, start = f"q{number}", draw.randrange(900)
        gold[query] = [("D", start, start + draw.randint(5, 60))]
        for name, size in (("small", 50), ("large", 200)):
            cut[name][query] = [("D", at, at + size) for at in range(0, 1000, size)]
            draw.shuffle(cut[name][query])
    return gold, cut


def test_chunkings_are_compared_at_equal_characters():
    gold, cut = at_random(3)
    scores = rm.evidence(gold, cut, cutoffs=[1, 4], budgets=[400, 1000])
    assert scores.value("character_recall", budget=1000, system="small") == 1
    assert scores.value("character_recall", budget=1000, system="large") == 1
    per_query = scores.per_query.filter(by="characters", size=400).sort("query")
    for name in cut:
        for query, value in per_query.filter(system=name).select("query", "character_recall").iter_rows():
            seen = [place for _, start, end in cut[name][query] for place in range(start, end)][:400]
            _, start, end = gold[query][0]
            assert value == pytest.approx(sum(start <= place < end for place in seen) / (end - start))
    rows = scores.to_polars().filter(by="chunks", size=4, score="span_recall").to_dicts()
    assert rows[0]["difference"] is None
    assert rows[1]["difference"] == pytest.approx(rows[1]["value"] - rows[0]["value"])
    assert -1 <= rows[1]["difference_low"] <= rows[1]["difference"] <= rows[1]["difference_high"] <= 1


def test_budgets_are_chosen_where_chunkings_are_compared():
    gold, cut = at_random(1)
    assert rm.evidence(gold, cut, cutoffs=[1, 3]).sizes == (
        ("chunks", 1), ("chunks", 3), ("characters", 50), ("characters", 150),
    )  # fmt: skip
    assert rm.evidence(gold, cut["small"], cutoffs=[1, 3]).sizes == (("chunks", 1), ("chunks", 3))


def test_tokens_are_counted_where_asked_for():
    texts = {"D": "the cat sat, 猫坐着"}  # the | cat | sat | , | 猫 | 坐 | 着
    chunks = {"q": [("D", 4, 11), ("D", 13, 14)]}
    scores = rm.evidence({"q": [("D", "cat sat, 猫")]}, chunks, texts=texts, unit="tokens", cutoffs=[1, 2])
    assert [scores.value("character_recall", k) for k in (1, 2)] == [0.5, 0.75]
    letters = rm.evidence({"q": [("D", "cat")]}, {"q": [("D", 6, 7)]}, texts=texts, unit="tokens", cutoffs=[1])
    assert letters.value("character_iou", 1) == 1  # a token that is touched counts
    by_line = rm.evidence({"q": [("D", "cat")]}, chunks, texts=texts, unit=lambda text: [(0, len(text))], cutoffs=[1])
    assert by_line.value("span_recall", 1) == 1
    assert "tokens" in scores.to_text()
    assert "词元" in scores.to_text("zh")
    with pytest.raises(rm.InputError, match="Hint: give them in texts="):
        rm.evidence(GOLD, CHUNKS, unit="tokens")
    with pytest.raises(rm.InputError, match="no token"):
        rm.evidence({"q": [("D", 3, 4)]}, {}, texts=texts, unit="tokens")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("names", [("query", "document", "start", "end"), ("qid", "doc_id", "start_char", "end_char")])
def test_tables_and_files_give_the_same(tmp_path, ending, names):
    write = {"csv": "write_csv", "jsonl": "write_ndjson", "parquet": "write_parquet"}[ending]
    for side, spans in (("gold", GOLD["q"]), ("chunks", CHUNKS["q"])):
        rows = [("q", *span) for span in spans]
        table = pl.DataFrame(rows, schema=list(names), orient="row")
        if side == "chunks":  # in any order: a rank says which is best
            table = table.with_columns(rank=pl.int_range(1, 5)).sample(fraction=1, shuffle=True, seed=5)
        getattr(table, write)(tmp_path / f"{side}.{ending}")
    made = rm.evidence(tmp_path / f"gold.{ending}", tmp_path / f"chunks.{ending}", ["alpha_nDCG@5"], cutoffs=AT)
    assert made.per_query.equals(rm.evidence(GOLD, CHUNKS, cutoffs=AT).per_query)
    named = rm.evidence(
        pl.DataFrame([("q", *span) for span in GOLD["q"]], schema=["q", "d", "from", "to"], orient="row"), CHUNKS,
        cutoffs=AT, columns={"query": "q", "document": "d", "start": "from", "end": "to"},
    )  # fmt: skip
    assert named.per_query.equals(made.per_query)


def table(**columns):
    return pl.DataFrame(columns)


@pytest.mark.parametrize(
    ("gold", "options", "kind"),
    [
        (table(query=["q"], document=["D"], start=["a"], end=["9"]), {}, "span_row"),
        (table(query=["q"], document=[None], start=[1], end=[9]), {}, "span_row"),
        (table(query=["q"], document=["D"]), {}, "no_places"),
        (table(query=["q"], start=[1], end=[9]), {}, "inputs.no_role"),
        (table(query=["q"], document=["D"], quote=["a b"]), {}, "quote_without_texts"),
        (GOLD, {"columns": {"places": "x"}}, "inputs.not_a_role"),
        (GOLD, {"texts": table(document=["D1", "D1"], text=["a", "b"])}, "text_twice"),
        (GOLD, {"texts": {"D1": 5}}, "not_a_text"),
        (GOLD, {"cutoffs": []}, "no_sizes"),
        ({"q": None}, {}, "not_spans"),
        (GOLD, {"unit": lambda text: [text], "texts": {"D1": "x" * 200, "D2": "x" * 200}}, "not_tokens"),
        (GOLD, {"budgets": [2**60]}, "size_too_large"),
    ],
)
def test_bad_tables_are_refused_with_the_place(gold, options, kind):
    with pytest.raises(rm.InputError) as caught:
        rm.evidence(gold, CHUNKS, **options)
    assert caught.value.problem.kind == (kind if "." in kind else f"judging.{kind}")
    assert "提示" in caught.value.text("zh")


def test_a_row_without_an_order_is_refused():
    chunks = table(query=["q"], document=["D1"], start=[0], end=[9], score=["high"])
    with pytest.raises(rm.InputError, match="score"):
        rm.evidence(GOLD, chunks)


def test_what_was_not_measured_is_said():
    gold = {**GOLD, "silent": [("D", 0, 5)]}
    scores = rm.evidence(gold, {**CHUNKS, "other": [("D", 0, 9)]}, cutoffs=[4])
    assert scores.value("span_recall", 4) == pytest.approx(1 / 3)  # nothing returned is 0, not left out
    assert [note.kind for note in scores.notes] == ["evidence_nothing_returned", "evidence_without_gold"]


@pytest.mark.slow
def test_it_shows_itself_everywhere():
    gold, cut = at_random(2)
    for scores in (rm.evidence(GOLD, CHUNKS), rm.evidence(gold, cut, ["StRecall@5"], rule="any")):
        shown = f"{scores.value('span_recall', 5):.4f}"
        for language in ("en", "zh"):
            for text in (scores.to_text(language), scores.to_markdown(language), scores.to_html(language)):
                assert shown in text
        assert json.loads(scores.to_json())["unit"] == "characters"
    assert "<svg" in scores.to_html()
