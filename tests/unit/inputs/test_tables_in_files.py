"""Files with named columns: ids as written, numbers exact, every fault said with its line."""

from __future__ import annotations

import io
import json
import math
import random
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeter.errors import InputError
from rankmeter.inputs.files import read_judgments, read_run
from rankmeter.inputs.formats import FORMATS

BIG = 2**53 + 1


def named(data: bytes, name: str) -> io.BytesIO:
    """Content that messages call by a name."""
    stream = io.BytesIO(data)
    stream.name = name
    return stream


def run(text: str | bytes, fmt: str = "csv", columns: dict[str, str] | None = None):
    data = text.encode() if isinstance(text, str) else text
    return read_run(named(data, f"run.{fmt}"), format=fmt, columns=columns)


def judgments(text: str | bytes, fmt: str = "csv", columns: dict[str, str] | None = None):
    data = text.encode() if isinstance(text, str) else text
    return read_judgments(named(data, f"qrels.{fmt}"), format=fmt, columns=columns)


def rows(table) -> list[tuple[object, object, float]]:
    numbers = table.score if hasattr(table, "score") else table.grade
    assert numbers.dtype == pl.Float64
    return list(zip(table.query, table.item, numbers, strict=True))


# CSV and TSV


def test_csv_ids_are_text() -> None:
    table = run(f"qid,docid,score\n007,{BIG},0.1\n7,{10**30},1e-3\n")
    assert rows(table) == [("007", str(BIG), 0.1), ("7", str(10**30), 0.001)]
    assert table.query.dtype == table.item.dtype == pl.String
    assert (table.source, table.scored) == ("run.csv", True)


def test_csv_ids_are_text_even_where_they_look_like_floats() -> None:
    assert rows(run("query,item,score\n1.0,1e5,2\n")) == [("1.0", "1e5", 2.0)]


def test_csv_scores_are_exact() -> None:
    rng = random.Random(7)
    values = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300) for _ in range(2000)]
    text = "query,item,score\n" + "".join(f"q,d{i},{value!r}\n" for i, value in enumerate(values))
    assert run(text).score.to_list() == values


def test_csv_honours_quotes_and_tsv_does_not() -> None:
    assert rows(run('query,item,score\nq,"a, ""b""",1\n')) == [("q", 'a, "b"', 1.0)]
    assert rows(run('query,item,score\nq,"a\nb",1\nq,c,2\n')) == [("q", "a\nb", 1.0), ("q", "c", 2.0)]
    assert rows(run('query\titem\tscore\nq\t"a\t1\nq\tb"c\t2\n', "tsv")) == [("q", '"a', 1.0), ("q", 'b"c', 2.0)]


def test_csv_stray_quotes_inside_a_field_are_kept() -> None:
    assert rows(run('query,item,score\nq,a"b,1\nq,5"" tv,2\n')) == [("q", 'a"b', 1.0), ("q", '5"" tv', 2.0)]


@pytest.mark.parametrize(
    "text",
    [
        "query,item,score\r\nq,a,1\r\nq,b,2\r\n",
        "\ufeffquery,item,score\nq,a,1\nq,b,2",
        "\n\nquery,item,score\nq,a,1\nq,b,2\n\n\n",
        "query,item,score\nq,a,1\n\nq,b,2\n",
        "query, item, score\nq,a, 1\nq,b,2 \n",
        "text,query,item,score\nx,q,a,1\n,q,b,2\n",
        '"query","item","score"\nq,a,1\n"q","b","2"\n',
        "query,item,text,text,score\nq,a,x,y,1\nq,b,x,y,2\n",
    ],
)
def test_csv_variants(text: str) -> None:
    assert rows(run(text)) == [("q", "a", 1.0), ("q", "b", 2.0)]


def test_csv_header_over_two_lines() -> None:
    assert rows(run('query,"the\ntext",item,score\nq,x,a,1\n')) == [("q", "a", 1.0)]


def test_beir_judgments() -> None:
    table = judgments("query-id\tcorpus-id\tscore\n1\tMED-10\t2\n1\tMED-14\t0\n", "tsv")
    assert rows(table) == [("1", "MED-10", 2.0), ("1", "MED-14", 0.0)]


def test_csv_without_grades_are_interactions() -> None:
    assert rows(judgments("user_id,movieId,timestamp\n1,2,x\n1,3,y\n")) == [("1", "2", 1.0), ("1", "3", 1.0)]


def test_csv_ranks_and_order() -> None:
    table = run("query,item,rank\nq,a,2\nq,b,1\n")
    assert rows(table) == [("q", "a", -2.0), ("q", "b", -1.0)]
    assert not table.scored
    assert rows(run("query,item\nq,a\nr,a\nq,b\n")) == [("q", "a", -1.0), ("r", "a", -1.0), ("q", "b", -2.0)]


def test_csv_infinite_scores_are_scores() -> None:
    assert run("query,item,score\nq,a,inf\nq,b,-inf\n").score.to_list() == [math.inf, -math.inf]


def test_csv_named_columns() -> None:
    assert rows(run("a,b,c\nq,i,1\n", columns={"query": "a", "item": "b", "score": "c"})) == [("q", "i", 1.0)]
    with pytest.raises(
        InputError, match=r"^run\.csv has no item column \(found: query_id, docid_x, score\)\. Hint: col"
    ):
        run("query_id,docid_x,score\nq,i,1\n")


def _many(bad: str) -> str:
    lines = ["query,item,score", *(f"301,D-{i},0.5" for i in range(2, 120))]
    for line in (17, 80, 112):
        lines[line - 1] = f"301,D-4,{bad}"
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("bad", "fact"),
    [
        ("abc", "score 'abc' is not a number"),
        ("1_000", "score '1_000' is not a number"),
        ("", "score is missing"),
        ("  ", "score is missing"),
        ("nan", "score is NaN"),
        ("1,2", "4 fields where the header has 3"),
    ],
)
def test_csv_bad_lines_are_named_all_at_once(bad: str, fact: str) -> None:
    with pytest.raises(InputError) as error:
        run(_many(bad))
    pair = "" if "fields" in fact else " (query 301, item D-4)"
    assert str(error.value) == f"run.csv:17: {fact}{pair}. 3 lines are like this: 17, 80, 112."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,item,score\nq,,1\n", "run.csv:2: item is missing (query q)."),
        ('query,item,score\nq,"",1\n', "run.csv:2: item is missing (query q)."),
        ("query,item,score\nq,a\n", "run.csv:2: 2 fields where the header has 3."),
        ("query,item,score\nq,a,1\n\nq,a,x\n", "run.csv:4: score 'x' is not a number (query q, item a)."),
        ('query,item,score\nq,"a\nb",1\nq,c,x\n', "run.csv:4: score 'x' is not a number (query q, item c)."),
        ("query,item,score,text\nq,a,1,x,y\n", "run.csv:2: 5 fields where the header has 4."),
        ("query,item,rank\nq,a,inf\n", "run.csv:2: rank is infinite (query q, item a)."),
        ("query,item,score\n", "run.csv is empty: it has no rows."),
        ("", "run.csv is empty."),
        (" \n\n", "run.csv is empty."),
    ],
)
def test_csv_errors(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        run(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            b"1,2,0.5\n1,3,0.4\n",
            r"^run\.csv:1: the first line is 1, 2, 0\.5, not a header\. Hint: the first line names",
        ),
        (b"q1,d1,0.5\n", r"run\.csv:1: the first line is q1, d1, 0\.5, not a header\. Hint: the first line names"),
        (b"query,d1,0.5\n", r"run\.csv has no item column \(found: query, d1, 0\.5\)"),
        (b'query,item,score\nq,a,1\nq,"b,2\nq,c,3\n', r"^run\.csv:3: a row starts here that cannot be read as CSV"),
        (b"query,item,score\nq,\xff,1\n", r"^run\.csv:2: the line is not UTF-8 text \(byte 0xff\)\. Hint: save"),
        ("query,item,score\nq,a,1\n".encode("utf-16"), r"^run\.csv:1: the line is not UTF-8 text"),
        (b"query,item,label\nq,a,1\n", r"^run\.csv looks like judgments"),
        (b"query,item,item,score\nq,a,b,1\n", r"2 columns called 'item'"),
    ],
)
def test_csv_refusals(data: bytes, text: str) -> None:
    with pytest.raises(InputError, match=text):
        run(data)


def test_csv_from_a_path_with_odd_characters(tmp_path: Path) -> None:
    path = tmp_path / "run[1]*.csv"
    path.write_text("query,item,score\nq,a,1\n")
    assert rows(read_run(path, format="csv")) == [("q", "a", 1.0)]


@pytest.mark.parametrize(
    ("text", "fmt"),
    [
        (f"query,item,score\nq,a,0.5\nq,b,{BIG}\n", "csv"),
        (f'{{"query":"q","item":"a","score":1}}\n{{"query":"q","item":"b","score":{BIG}}}\n', "jsonl"),
        (f'{{"query":"q","item":"a","score":0.5}}\n{{"query":"q","item":"b","score":{BIG}}}\n', "jsonl"),
        (f'{{"q": {{"a": 0.5, "b": {BIG}}}}}', "json"),
    ],
)
def test_whole_scores_are_not_rounded(text: str, fmt: str) -> None:
    with pytest.raises(InputError, match=rf"score {BIG} is beyond 2\*\*53 and would be rounded.*query q, item b"):
        run(text, fmt)
    assert run(text.replace(str(BIG), str(2**60)), fmt).score[1] == 2**60
    for written in (f"{BIG}.0", f"{BIG}.5", f"{BIG}e0", "1e400"):  # no 64-bit number either, however it is written
        with pytest.raises(InputError, match=r"is beyond 2\*\*53 and would be rounded.*query q, item b"):
            run(text.replace(str(BIG), written), fmt)
    assert run(text.replace(str(BIG), "9007199254740994.0"), fmt).score[1] == 9007199254740994.0


def test_csv_stray_quotes_swallow_no_rows() -> None:
    with pytest.raises(InputError, match=r"^run\.csv:2: a row starts here that cannot be read as CSV"):
        run('query,item,score\n"\nq,"b",2\n",a,1\n')


def _either(read):
    try:
        return read()
    except InputError as error:
        return str(error)


FIELD = st.sampled_from(["a", "1", "0.5", "", '"', '""', '"a,b"', "x y", " 2", "inf", "nan", "é"])
LINE = st.lists(FIELD, min_size=0, max_size=4).map(",".join) | st.just("q,a,1") | st.just('q,"b",2')


@given(st.lists(LINE, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_csv_fast_and_exact_reader_agree(lines: list[str], newline: str, last: bool) -> None:
    text = newline.join(["query,item,score", *lines]) + (newline if last else "")
    as_usual = _either(lambda: rows(run(text)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankmeter.inputs.delimited._Rows._read_fast", lambda *_: None)
        assert as_usual == _either(lambda: rows(run(text)))


@pytest.mark.parametrize("rows_before", [0, 1, 5])
@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_an_empty_field_too_many_is_refused_in_the_last_row_too(rows_before: int, ending: str) -> None:
    text = "query,item,score\n" + "q,a,1\n" * rows_before + "q,b,1," + ending
    with pytest.raises(InputError, match="4 fields where the header has 3"):
        run(text)


VALUE = st.sampled_from(["q", "007", 1, BIG, 2**64, 0.5, True, None, ["a"], "score"])
RECORD = st.fixed_dictionaries({"query": VALUE, "item": VALUE}, optional={"score": VALUE, "extra": VALUE})
USUAL_RECORD = st.fixed_dictionaries({"query": st.just("q"), "item": st.integers(0, 9), "score": st.floats(0, 1)})


@given(st.lists(USUAL_RECORD | RECORD, min_size=1, max_size=4))
def test_json_lines_fast_and_exact_reader_agree(records: list[dict[str, object]]) -> None:
    text = _lines(records)
    as_usual = _either(lambda: rows(run(text, "jsonl")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankmeter.inputs.json_tables.UniformLines._read_fast", lambda *_: None)
        assert as_usual == _either(lambda: rows(run(text, "jsonl")))


# JSON


def test_json_of_numbers() -> None:
    table = run('{"q1": {"a": 1, "b": 0.5}, "q2": {"a": -2}, "q3": {}}', "json")
    assert rows(table) == [("q1", "a", 1.0), ("q1", "b", 0.5), ("q2", "a", -2.0)]
    assert table.scored
    assert rows(judgments('{"q1": {"a": 1, "b": true}}', "json")) == [("q1", "a", 1.0), ("q1", "b", 1.0)]


def test_json_of_lists() -> None:
    text = f'{{"q1": ["a", "b"], "q2": [{BIG}, "a"], "q3": []}}'
    table = run(text, "json")
    assert rows(table) == [("q1", "a", -1.0), ("q1", "b", -2.0), ("q2", str(BIG), -1.0), ("q2", "a", -2.0)]
    assert not table.scored
    assert judgments(text, "json").grade.to_list() == [1.0] * 4


RECORDS = [{"query": "q1", "item": "a", "score": 1}, {"query": "q1", "item": "b", "score": 0.5}]


def _lines(records: list[dict[str, object]], **options: object) -> str:
    return "\n".join(json.dumps(record, **options) for record in records) + "\n"


@pytest.mark.parametrize("options", [{}, {"separators": (",", ":")}, {"separators": (" , ", " : ")}])
def test_json_records(options) -> None:
    expected = [("q1", "a", 1.0), ("q1", "b", 0.5)]
    assert rows(run(json.dumps(RECORDS, **options), "json")) == expected
    assert rows(run(_lines(RECORDS, **options), "jsonl")) == expected
    assert rows(run("\n" + _lines(RECORDS, **options) + "\n\n", "jsonl")) == expected
    assert rows(run(_lines(RECORDS, **options).replace("\n", "\r\n"), "jsonl")) == expected


@pytest.mark.parametrize(
    "ids", [[1, BIG], [1, 2**64 - 1], [1, 2**70], ["007", "7"], [1, "1"], ["1", 1], ["é", "\u2028"]]
)
@pytest.mark.parametrize("escaped", [True, False])
def test_json_ids_stay_themselves(ids: list[object], escaped: bool) -> None:
    records = [{"user_id": "u", "itemId": value, "score": 0.5, "text": 'query "item"'} for value in ids]
    same = all(isinstance(value, int) and value < 2**64 for value in ids)
    expected = ids if same else [str(value) for value in ids]
    assert run(json.dumps(records, ensure_ascii=escaped), "json").item.to_list() == expected
    assert run(_lines(records, ensure_ascii=escaped), "jsonl").item.to_list() == expected


@pytest.mark.parametrize(
    "records",
    [
        [{"query": "q1", "items": ["a", "b"]}, {"query": "q2", "items": ["a"]}],
        [{"query": "q1", "items": {"a": 2.0, "b": 1.0}}, {"query": "q2", "items": {"a": 1.5}}],
        [{"query": "q1", "docs": ["a", "b"], "scores": [2, 1]}, {"query": "q2", "docs": ["a"], "scores": [1.5]}],
        [{"qid": "q1", "item": ["a", "b"]}, {"qid": "q2", "item": ["a"]}],
    ],
)
def test_json_lines_of_whole_queries(records: list[dict[str, object]]) -> None:
    for table in (run(_lines(records), "jsonl"), run(json.dumps(records), "json")):
        assert table.query.to_list() == ["q1", "q1", "q2"]
        assert table.item.to_list() == ["a", "b", "a"]
        assert table.score.to_list() in ([-1.0, -2.0, -1.0], [2.0, 1.0, 1.5])
        assert table.scored == (table.score[0] > 0)


def test_json_lines_of_whole_judged_queries() -> None:
    assert rows(judgments('{"user": 1, "items": [5, 6]}\n', "jsonl")) == [(1, 5, 1.0), (1, 6, 1.0)]
    assert rows(judgments('{"user": 1, "items": {"5": 2}}\n', "jsonl")) == [(1, "5", 2.0)]
    assert rows(judgments('{"user": 1, "hits": [5]}\n', "jsonl", {"item": "hits"})) == [(1, 5, 1.0)]


def test_json_lines_ranks_and_labels() -> None:
    assert rows(run('{"query":"q","item":"a","rank":3}\n', "jsonl")) == [("q", "a", -3.0)]
    assert rows(judgments('{"query":"q","item":"a","label":true}\n', "jsonl")) == [("q", "a", 1.0)]
    assert rows(run('{"query":"q","item":"a"}\n{"query":"q","item":"b"}', "jsonl"))[1] == ("q", "b", -2.0)


def test_json_lines_a_score_that_only_later_records_have_is_not_overlooked() -> None:
    with pytest.raises(InputError, match=r"run\.jsonl:1: score is missing"):
        run('{"query":"q","item":"a"}\n{"query":"q","item":"b","score":1}\n', "jsonl")


DUPLICATES = [
    ('{"q1": {"a": 1, "a": 2}}', "json", "run.json: 1 key occurs more than once in one JSON object: a."),
    ('{"q1": {"a": 1}, "q1": {"b": 2}}', "json", "run.json: 1 key occurs more than once in one JSON object: q1."),
    (
        '[{"query": 1, "query": 2, "item": 1}]',
        "json",
        "run.json: 1 key occurs more than once in one JSON object: query.",
    ),
]


@pytest.mark.parametrize(("text", "fmt", "message"), DUPLICATES)
def test_json_duplicate_keys_do_not_vanish(text: str, fmt: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        run(text, fmt)
    assert str(error.value).startswith(message)


def test_json_lines_duplicate_keys_do_not_vanish() -> None:
    text = _lines(RECORDS) + '{"query": "q1", "item": "c", "score": 1, "item": "d"}\n'
    with pytest.raises(InputError, match=r"run\.jsonl:3: 1 key occurs more than once in one JSON object: item\."):
        run(text, "jsonl")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"query": "q", "item": "c", "score": "abc"}', "score 'abc' is not a number (query q, item c)."),
        ('{"query": "q", "item": "c", "score": "1"}', "score '1' is not a number (query q, item c)."),
        ('{"query": "q", "item": "c", "score": true}', "score True is not a number (query q, item c)."),
        ('{"query": "q", "item": "c", "score": null}', "score is missing (query q, item c)."),
        ('{"query": "q", "item": "c"}', "score is missing (query q, item c)."),
        ('{"query": "q", "item": "c", "score": NaN}', "score is NaN (query q, item c)."),
        ('{"query": "q", "score": 1}', "item is missing (query q)."),
        ('{"query": 1.5, "item": "c", "score": 1}', "query 1.5 is a float, not text or a whole number"),
        ('{"query": true, "item": "c", "score": 1}', "query True is a bool, not text or a whole number"),
        ('{"query": ["q"], "item": "c", "score": 1}', "query ['q'] is a list, not text or a whole number"),
        ('{"query": "q", ', "not valid JSON at column 16"),
        ("[1]", "a JSON list where an object was expected. Hint: expected"),
        ("5", "a JSON number where an object was expected. Hint: expected"),
    ],
)
def test_json_lines_errors_name_the_line(line: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        run(_lines(RECORDS) + "\n" + line + "\n", "jsonl")
    assert str(error.value).startswith(f"run.jsonl:4: {message}")


def test_json_lines_errors_are_counted() -> None:
    bad = [{"query": "q", "item": str(i), "score": "x"} for i in range(7)]
    with pytest.raises(InputError, match=r"^run\.jsonl:3: .*\. 7 lines are like this: 3, 4, 5, 6, 7 and 2 more\.$"):
        run(_lines(RECORDS + bad), "jsonl")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"^run\.json:1: not valid JSON at column 2"),
        ('{"q":\n {"a": x}}', r"^run\.json:2: not valid JSON at column 8"),
        ("5", r"^run\.json holds a JSON number\. Hint: expected"),
        ("null", r"^run\.json holds a JSON null\. Hint: expected"),
        ("{}", r"^run\.json is empty: it has no queries"),
        ("[]", r"^run\.json is empty: it has no records"),
        (" ", r"^run\.json is empty"),
        ("[1, 2]", r"^run\.json: a JSON number where an object was expected in 2 rows: 0, 1"),
        ('{"q": 5}', r"^run\.json: query q holds a JSON number\. Hint: expected"),
        ('{"q": ["a"], "r": {"a": 1}}', r"query r holds a JSON object where other queries hold something else"),
        ('{"q": {"a": "x"}}', r"score 'x' is not a number in 1 row: 0 \(row 0: query q, item a;"),
        ('{"q": {"a": NaN}}', r"score is NaN in 1 row: 0"),
        ('{"q": [1.5]}', r"the item ids are floats|item 1\.5 is a float"),
        ('{"q": [{"thing": "a", "score": 1}]}', r"is a dict, not text or a whole number"),
        ('{"query": ["q"], "item": ["a"], "score": [1]}', r"looks like a table by columns \(query, item, score\)"),
        ('[{"query": "q", "item": "a", "label": 1}]', r"looks like judgments"),
        (
            '[{"query": "q", "items": ["a"], "scores": [1, 2]}]',
            r"has 1 item but another number of scores \(2\)",
        ),
        ('[{"query": "q", "items": ["a"], "scores": 1}]', r"another number of scores \(a JSON number\)"),
        ('[{"query": "q", "items": {"a": 1}, "score": 1}]', r"numbers of their own and a score beside them"),
        ('{"q": {"a": ' + "1" * 5000 + "}}", r"cannot be read as JSON"),
        ("[" * 100_000, r"cannot be read as JSON|not valid JSON"),
    ],
)
def test_json_errors(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(text, "json")


@pytest.mark.parametrize("rows_before", [0, 1, 5000])
@pytest.mark.parametrize("format", ["csv", "tsv", "json", "jsonl", "trec"])
def test_text_that_is_not_utf8_is_named_by_its_line(format: str, rows_before: int) -> None:
    header, row, odd, end = {
        "csv": ("query,item,score\n", "q,{},1\n", "q,b\xe9,1\n", ""),
        "tsv": ("query\titem\tscore\n", "q\t{}\t1\n", "q\tb\xe9\t1\n", ""),
        "json": ('{"q": [\n', '"{}",\n', '"b\xe9"\n', "]}"),
        "jsonl": (
            "\n",
            '{{"query": "q", "item": "{}", "score": 1}}\n',
            '{"query": "q", "item": "b\xe9", "score": 1}\n',
            "",
        ),
        "trec": ("", "q Q0 {} 1 1 t\n", "q Q0 b\xe9 1 1 t\n", ""),
    }[format]
    text = header + "".join(map(row.format, range(rows_before))) + odd + end
    line = text[: text.index("\xe9")].count("\n") + 1
    with pytest.raises(InputError, match=rf"^run\.\w+:{line}: the line is not UTF-8 text \(byte 0xe9\)"):
        run(text.encode("latin-1"), format)


# Parquet and Arrow IPC


def _write(frame: pl.DataFrame, kind: str) -> bytes:
    buffer = io.BytesIO()
    {"parquet": frame.write_parquet, "ipc": frame.write_ipc, "stream": frame.write_ipc_stream}[kind](buffer)
    return buffer.getvalue()


BINARY = ["parquet", "ipc", "stream"]


@pytest.mark.parametrize("kind", BINARY)
def test_columnar_files_are_recognised_by_their_content(kind: str) -> None:
    data = _write(pl.DataFrame({"query": ["q"], "item": ["a"], "score": [0.5]}), kind)
    assert read_run(named(data, "run")).score.to_list() == [0.5]


@pytest.mark.parametrize("score", ["0,5", "1,000", "90%", "90 %", "０.５", "\u22121"])
def test_numbers_as_people_write_them_get_the_hint_how_to_write_them(score: str) -> None:
    for text, fmt in ((f'query,item,score\nq,a,"{score}"\n', "csv"), (f'{{"q": {{"a": "{score}"}}}}', "json")):
        with pytest.raises(InputError, match=r"is not a number.*Hint: write numbers with a decimal point"):
            run(text, fmt)


def test_types_in_the_names_of_columns_are_passed_over() -> None:
    table = run("user_id:token\titem_id:token\tscore:float\nu\ta\t0.5\n", "tsv")
    assert (table.query.to_list(), table.item.to_list(), table.score.to_list()) == (["u"], ["a"], [0.5])


@pytest.mark.parametrize("kind", BINARY)
@pytest.mark.parametrize("from_path", [True, False])
def test_binary_files(kind: str, from_path: bool, tmp_path: Path) -> None:
    frame = pl.DataFrame({"text": ["x", "y"], "qid": [BIG, 1], "docno": ["a", "b"], "score": [0.5, 1.0]})
    source: bytes | Path = _write(frame, kind)
    if from_path:
        path = tmp_path / "query=3[1].bin"
        path.write_bytes(source)
        source = path
    table = read_run(source, format="parquet" if kind == "parquet" else "ipc")
    assert rows(table) == [(BIG, "a", 0.5), (1, "b", 1.0)]
    assert table.query.dtype == pl.Int64


@pytest.mark.parametrize("kind", BINARY)
def test_binary_files_are_checked_like_frames(kind: str) -> None:
    fmt = "parquet" if kind == "parquet" else "ipc"
    frame = pl.DataFrame({"query": ["q"] * 2, "item": ["a", None], "grade": [1, 2]})
    with pytest.raises(InputError, match=r"^qrels\.\w+: item is missing in 1 row: 1"):
        judgments(_write(frame, kind), fmt)
    with pytest.raises(InputError, match=r"^run\.\w+ looks like judgments"):
        run(_write(frame, kind), fmt)
    with pytest.raises(InputError, match=r"^qrels\.\w+ is empty"):
        judgments(_write(frame.head(0), kind), fmt)
    with pytest.raises(InputError, match=r"the query ids are floats"):
        judgments(_write(frame.with_columns(query=pl.lit(1.0)), kind), fmt)


@pytest.mark.parametrize("fmt", ["parquet", "ipc"])
@pytest.mark.parametrize(
    "data", [b"", b"abc", b"PAR1", b"ARROW1", b"ARROW1\0\0" + b"x" * 64, b"PAR1" + b"x" * 64 + b"PAR1"]
)
def test_corrupt_binary_files(fmt: str, data: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^run\.\w+ (cannot be read as (Parquet|Arrow IPC): .*\.|is empty.*)$"):
        run(data, fmt)
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"file (cannot be read as|is empty)"):
        read_run(path, format=fmt)


@pytest.mark.parametrize("kind", BINARY)
def test_truncated_binary_files(kind: str) -> None:
    frame = pl.DataFrame({"query": range(10_000), "item": range(10_000), "score": range(10_000)})
    data = _write(frame, kind)
    with pytest.raises(InputError, match=r"cannot be read as|is empty"):
        run(data[: len(data) // 2], "parquet" if kind == "parquet" else "ipc")


def test_unknown_format() -> None:
    with pytest.raises(InputError, match=r"unknown format 'jsnl'; expected one of: .* Hint: did you mean 'jsonl'\?"):
        run("x", "jsnl")
    assert {"csv", "tsv", "json", "jsonl", "parquet", "ipc"} < set(FORMATS)
