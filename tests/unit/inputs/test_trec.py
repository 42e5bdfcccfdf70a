"""The TREC reader: what a line may look like, where blocks are cut, and what is said about wrong lines."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.fuzz import blocks_of

import rankmeter as rm
from rankmeter.errors import InputError, RankmeterWarning
from rankmeter.inputs.files import read_judgments, read_run

Write = Callable[[str, bytes], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file into the current directory, so that messages show its bare name."""
    monkeypatch.chdir(tmp_path)

    def write_file(name: str, content: bytes) -> Path:
        Path(name).write_bytes(content)
        return Path(name)

    return write_file


def run_rows(content: bytes) -> list[tuple[str, str, float]]:
    table = read_run(content, format="run")
    assert table.query.dtype == pl.String
    assert table.item.dtype == pl.String
    assert table.score.dtype == pl.Float64
    return list(zip(table.query, table.item, table.score, strict=True))


def qrels_rows(content: bytes) -> list[tuple[str, str, float]]:
    table = read_judgments(content, format="qrels")
    return list(zip(table.query, table.item, table.grade, strict=True))


ONE = [("q1", "d1", 1.5)]
TWO = [("q1", "d1", 1.5), ("q2", "d2", -2.0)]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        pytest.param(b"q1 Q0 d1 1 1.5 tag\nq2 Q0 d2 1 -2 tag\n", TWO, id="single spaces"),
        pytest.param(b"q1\tQ0\td1\t1\t1.5\ttag\nq2\tQ0\td2\t1\t-2\ttag\n", TWO, id="single tabs"),
        pytest.param(b"q1 \t Q0  d1 1\t1.5 tag\nq2 Q0 d2 1 -2 tag\n", TWO, id="mixed blanks"),
        pytest.param(b"q1 Q0  d1 1 1.5 tag\nq2 Q0  d2 1 -2 tag\n", TWO, id="double space everywhere"),
        pytest.param(b"  q1 Q0 d1 1 1.5 tag\n\tq2 Q0 d2 1 -2 tag\n", TWO, id="leading blanks"),
        pytest.param(b"q1 Q0 d1 1 1.5 tag  \nq2 Q0 d2 1 -2 \n", TWO, id="trailing blanks"),
        pytest.param(b"q1 Q0 d1 1 1.5 tag\r\nq2 Q0 d2 1 -2\r\n", TWO, id="CRLF"),
        pytest.param(b"q1 Q0 d1 1 1.5 tag\r\r\nq2 Q0 d2 1 -2\r", TWO, id="stray CR at the ends of lines"),
        pytest.param(b"q1 Q0 d1 1 1.5 tag\nq2 Q0 d2 1 -2 tag", TWO, id="no last newline"),
        pytest.param(b"\n\nq1 Q0 d1 1 1.5 tag\n \t\n\nq2 Q0 d2 1 -2 tag\n\n", TWO, id="blank lines"),
        pytest.param(b"# a\nq1 Q0 d1 1 1.5 tag\n  # b c\n#\nq2 Q0 d2 1 -2 tag\n#z", TWO, id="comments"),
        pytest.param(b"q1 Q0 d1 1 1.5\nq2 Q0 d2 1 -2\n", TWO, id="no tag"),
        pytest.param(b"q1 Q0 d1 1 1.5\nq2 Q0 d2 1 -2 tag more fields\n", TWO, id="uneven tails"),
        pytest.param(b"q1 Q0 d1 1 1.5 a b c d\nq2 Q0 d2 1 -2\n", TWO, id="extra fields in the first line"),
        pytest.param(b"\xef\xbb\xbfq1 Q0 d1 1 1.5 tag\n", ONE, id="BOM"),
        pytest.param(b"q1 Q0 d1 x 1.5 tag\n", ONE, id="the rank is not looked at"),
    ],
)
def test_a_run_is_read_whatever_its_blanks(content: bytes, rows: list[tuple[str, str, float]]) -> None:
    assert run_rows(content) == rows


@pytest.mark.parametrize("separator", [" ", "\t", "  "])
def test_ids_stay_text(separator: str) -> None:
    ids = ["007", "1.0", "1e5", "true", "null", "NA", '"q', "d#1", "é漢😀", "a,b", "x\x01y", "a\u00a0b"]
    content = "".join(separator.join((name, "Q0", name, "1", "2.5", "t")) + "\n" for name in ids).encode()
    assert run_rows(content) == [(name, name, 2.5) for name in ids]


@pytest.mark.parametrize(
    "text", ["1e-5", "1E5", "+1.5", ".5", "5.", "-0.0", "inf", "-inf", "Infinity", "-INFINITY", "1e-400",
             "9007199254740992", "9007199254740994", "-36028797018963968", "9007199254740994.0", "1e17",
             "1.2345678901234568e+22",
             "0.1000000000000000055511151231257827021181583404541015625", "5e-324"]
)  # fmt: skip
def test_scores_are_what_float_says(text: str) -> None:
    ((_, _, score),) = run_rows(f"q Q0 d 1 {text} t\n".encode())
    assert score == float(text)
    assert math.copysign(1, score) == math.copysign(1, float(text))


@pytest.mark.parametrize("lines", ["{}", "\n  {}"], ids=["plain", "with blanks"])
@pytest.mark.parametrize("side", ["score", "grade"])
@pytest.mark.parametrize(
    "text",
    [
        "9007199254740993",
        "-9007199254740993",
        "+1700000000123456789",
        "0" * 5000 + "9007199254740993",
        "1" * 400,
        "9007199254740993.0",
        "9007199254740993.5",
        "9.007199254740993e15",
        "-9007199254740993e0",
        "1e400",
    ],
)
def test_a_whole_number_that_no_float_is_is_refused_as_in_tables(
    text: str, side: str, lines: str, write: Write
) -> None:
    content = lines.format(f"q Q0 d 1 {text} t" if side == "score" else f"q 0 d {text}").encode() + b"\n"
    path = write("file", content)
    judgments, run = ({"q": {"d": 1}}, str(path)) if side == "score" else (str(path), {"q": {"d": 1.0}})
    if side == "grade" and (len(text) == 400 or text == "1e400"):
        expected = "is not finite"
    else:
        expected = rf"{side} .* is beyond 2\*\*53 and would be rounded \(query q, item d\)\..* Hint: subtract or divide"
    with pytest.raises(InputError, match=rf"file:{1 + lines.count(chr(10))}: .*{expected}"):
        rm.evaluate(judgments, run, "RR")
    with pytest.raises(InputError, match=expected):
        (read_run if side == "score" else read_judgments)(content)


@pytest.mark.parametrize("text", ["1_0", "٣", "0x1p3", "1,5", "abc", "1.5f", "-", "--1", "1e", "''"])
def test_a_score_that_is_not_a_number_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"<bytes>:1: score .* is not a number \(query q, item d\)\. Nothing"):
        run_rows(f"q Q0 d 1 {text} t\n".encode())


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan"])
def test_nan_is_refused_as_score_and_as_grade(text: str) -> None:
    with pytest.raises(InputError, match=f"<bytes>:2: score '{text}' is not a number that can be ordered"):
        run_rows(f"q Q0 d 1 1 t\nq Q0 e 1 {text} t\n".encode())
    with pytest.raises(InputError, match=f"<bytes>:2: grade '{text}' is not a number that can be ordered"):
        qrels_rows(f"q 0 d 1\nq 0 e {text}\n".encode())


def test_grades_may_be_fractions_and_negative() -> None:
    rows = [("1", "d1", 1.7), ("1", "d2", -2.0), ("2", "d1", 3.0)]
    assert qrels_rows(b"1 0 d1 1.7\n1 0 d2 -2\n2 0 d1 3\n") == rows
    assert qrels_rows(b"1\t0\td1\t1.7\r\n1  0 d2 -2\n# end\n2 Q0 d1 3") == rows


def test_an_infinite_grade_is_refused() -> None:
    with pytest.raises(InputError, match=r"<bytes>:1: grade 'inf' is not finite \(query 1, item d1\)"):
        qrels_rows(b"1 0 d1 inf\n")


def test_a_judgment_with_a_fifth_field_is_refused() -> None:
    with pytest.raises(
        InputError, match=r":2: 5 fields where 4 \(query, iteration, item, grade\) are expected: '1 0 d2"
    ):
        qrels_rows(b"1 0 d1 1\n1 0 d2 1 0.5\n1 0 d3 1\n")


def test_too_many_and_too_few_fields_do_not_cancel_out() -> None:
    with pytest.raises(InputError, match=r":1: 3 fields where 4 .* 2 lines are like this: 1, 2\."):
        qrels_rows(b"1 0 1\n1 0 d2 1 1\n1 0 d3 1\n")


def test_all_lines_with_the_same_problem_are_named_at_once(write: Write) -> None:
    lines = [f"301 Q0 D-{number} {number} {200 - number} tag" for number in range(1, 121)]
    lines[16] = "301 Q0 D-4 17 abc tag"
    lines[79] = "301 Q0 D-80 80 x tag"
    lines[111] = "301 Q0 D-112 112 y tag"
    write("run.txt", "\n".join(lines).encode())
    with pytest.raises(InputError) as error:
        read_run("run.txt")
    assert str(error.value) == (
        "run.txt:17: score 'abc' is not a number (query 301, item D-4). "
        "3 lines are like this: 17, 80, 112. Nothing was evaluated."
    )


def test_five_lines_are_shown_and_the_rest_counted() -> None:
    with pytest.raises(InputError, match=r"9 lines are like this: 1, 2, 3, 4, 5 and 4 more\."):
        run_rows(b"q Q0 d 1 x t\n" * 9)


def test_line_numbers_count_comments_blank_lines_and_earlier_blocks(write: Write) -> None:
    good = "".join(f"# c\n\nq{number}  Q0 d 1 2 t\r\n" for number in range(50))
    write("run.txt", (good + "q Q0 d 1 nope t\nq Q0\n" + good + "q Q0 d 1 never t\n").encode())
    given = []
    with pytest.raises(InputError) as error:  # noqa: PT012 (the error comes while reading on)
        for table in blocks_of("run.txt", format="run", block_bytes=64):
            given.extend(table.query)
    assert str(error.value).startswith(
        "run.txt:151: score 'nope' is not a number (query q, item d). 2 lines are like this: 151, 303."
    )
    assert "run.txt:152: 2 fields where 5 or more (query, Q0, item, rank, score) are expected: 'q Q0'." in str(
        error.value
    )
    assert given == [f"q{number}" for number in range(len(given))]


def test_bytes_that_are_not_utf8_are_named() -> None:
    with pytest.raises(InputError, match=r":2: the line is not UTF-8 text \(byte 0xe9\)"):
        run_rows(b"q Q0 d 1 2 t\nq Q0 caf\xe9 1 1 t\n")


def test_a_nul_late_in_the_file_is_named() -> None:
    with pytest.raises(InputError, match=":2: the line holds a NUL byte"):
        run_rows(b"q Q0 d 1 2 t\nq Q0 d\0 1 1 t\n")


def test_lines_that_end_in_cr_alone_are_refused_not_taken_for_one_line() -> None:
    with pytest.raises(InputError, match=":1: a carriage return stands inside the line"):
        run_rows(b"q Q0 d 1 2 t\rq Q0 e 2 1 t\r")


def test_a_long_line_is_shortened_in_the_message() -> None:
    with pytest.raises(InputError) as error:
        run_rows(b"q" * 100_000)
    assert len(str(error.value)) < 250


def test_only_the_first_bom_is_dropped() -> None:
    bom = "\ufeff"
    content = "".join(f"{bom}q{number} Q0 d 1 2 t\n" for number in range(20)).encode()
    queries = [query for table in blocks_of(content, block_bytes=16) for query in table.query]
    assert queries == ["q0", *(f"{bom}q{number}" for number in range(1, 20))]


@pytest.mark.parametrize("start", ["x\u06aa", "x^2", "x\x01", "\ufeffq", "\x1fq"])
def test_an_id_that_begins_like_compressed_data_stays_itself(start: str) -> None:
    content = "".join(f"{start}{number} Q0 d 1 2 t\n" for number in range(20)).encode()
    queries = [query for table in blocks_of(b"q Q0 d 1 1\n" + content, block_bytes=16) for query in table.query]
    assert queries == ["q", *(f"{start}{number}" for number in range(20))]


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 200, 1000, 10_000])
def test_a_query_is_never_split(block_bytes: int) -> None:
    sizes = [1, 3, 40, 2, 1, 100, 5]
    lines = [f"query{q} Q0 d{i} {i} {-i} t" for q, size in enumerate(sizes) for i in range(size)]
    lines.insert(20, "# a comment inside a query")
    tables = blocks_of("\n".join(lines).encode(), block_bytes=block_bytes)
    seen = [query for table in tables for query in table.query.unique()]
    assert sorted(seen) == [f"query{q}" for q in range(len(sizes))]
    assert [table.query.len() for table in tables if "query5" in table.query] >= [100]
    assert sum(table.query.len() for table in tables) == sum(sizes)
    if block_bytes <= 64:
        assert len(tables) > 3


def test_a_text_of_comments_alone_has_no_rows() -> None:
    with pytest.raises(InputError, match="<bytes> holds only comments and blank lines"):
        run_rows(b"# nothing\n\n  \n# here")


@pytest.mark.parametrize(
    ("read", "content", "count"),
    [
        (read_judgments, b"q1 0 a 1\n#q2 0 a 1\n", "1 line that begins with # was"),
        (read_judgments, b"  #q0 0 a 1\n#q2 0 a 1\r\nq1 0 a 1\n", "2 lines that begin with # were"),
        (read_run, b"q1 Q0 a 1 1.5 t\n#q2 Q0 a 1 1.5 t\n", "1 line that begins with # was"),
        (read_run, b"q1 Q0 a 1 1.5\n#q2 Q0 a 1 1.5\n", "1 line that begins with # was"),
    ],
)
def test_comments_that_could_be_data_are_counted_in_a_warning(read, content, count):
    with pytest.warns(RankmeterWarning, match=f"<bytes>: {count} left out as comments, but could be data"):
        table = read(content)
    assert table.query.to_list() == ["q1"]


def test_comments_that_are_no_data_are_left_out_without_a_word():
    # Warnings are errors here.
    assert len(qrels_rows(b"# see table 4\n#query iteration item grade\n#1 2 3\nq1 0 #a 1\n")) == 1
    assert len(run_rows(b"# q Q0 a 1 2\n#query Q0 item rank score tag\n#q Q0 a first 1.5 t\nq1 Q0 #a 1 1 #t\n")) == 1


@pytest.mark.parametrize("between", ["\n" * 300_000, " \n" * 150_000, "# x\n" * 3_000, "\n# x\n\n" * 900])
@pytest.mark.parametrize("block_bytes", [64, 1 << 16])
def test_a_query_goes_on_behind_any_number_of_blank_lines_and_comments(between: str, block_bytes: int) -> None:
    text = f"p Q0 a 1 2 t\nq Q0 a 1 2 t\n{between}q Q0 b 2 1 t\n{between}r Q0 a 1 2 t\n"
    tables = blocks_of(text.encode(), block_bytes=block_bytes)
    assert [row for table in tables for row in zip(table.query, table.item, strict=True)] == [
        ("p", "a"), ("q", "a"), ("q", "b"), ("r", "a"),
    ]  # fmt: skip
    assert sum("q" in table.query.to_list() for table in tables) == 1
