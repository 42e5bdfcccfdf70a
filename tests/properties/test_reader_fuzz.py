"""The fast TREC reader equals a plain one on any text, and no bytes whatever make a reader fail in its own words."""

from __future__ import annotations

import gzip
import itertools
import warnings
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.fuzz import blocks_of

from rankmeter.errors import RankmeterError, RankmeterWarning
from rankmeter.inputs.files import read_judgments, read_labelled, read_run

# No blank of any kind inside an id; '#' only where it does not begin a comment.
ids = st.text(
    st.characters(exclude_characters=" \t\n\r\v\f\0", exclude_categories=["Cs"]), min_size=1, max_size=15
).filter(lambda name: not name.startswith(("#", "\ufeff")))
numbers = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers(-(10**20), 10**20).map(lambda number: str(int(float(number)))),
    st.sampled_from(["1e-5", "+3", ".5", "7.", "INF", "-infinity", "1E+2", "-0"]),
)
blanks = st.sampled_from([" ", " ", " ", "\t", "  ", " \t", "\v", "\f "])
noise = st.sampled_from(["", "", "", "# comment\n", "\n", " \t\n", "   # x y z\r\n", "\r\n"])
ends = st.sampled_from(["\n", "\n", "\r\n", " \n", "\t\r\n"])


@st.composite
def run_texts(draw: st.DrawFn) -> str:
    """A run file: either one separator throughout, as files mostly are, or anything goes."""
    tidy = draw(st.sampled_from([" ", "\t", ""]))
    names = draw(st.lists(ids, min_size=1, max_size=4))
    parts = []
    for _ in range(draw(st.integers(1, 25))):
        gap = (lambda: tidy) if tidy else (lambda: draw(blanks))
        fields = [draw(st.sampled_from(names)), "Q0", draw(ids), "1", draw(numbers), *draw(st.lists(ids, max_size=2))]
        line = "".join(itertools.chain.from_iterable((field, gap()) for field in fields[:-1])) + fields[-1]
        parts.append(line + "\n" if tidy else draw(noise) + draw(st.sampled_from(["", " "])) + line + draw(ends))
    text = "".join(parts)
    return text if draw(st.booleans()) else text.removesuffix("\n")


def plain_rows(content: bytes) -> list[tuple[str, str, float]]:
    """The same rules, one line at a time."""
    rows = []
    for line in content.split(b"\n"):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            rows.append((fields[0].decode(), fields[2].decode(), float(fields[4])))
    return rows


@settings(max_examples=150, deadline=None)
@given(run_texts(), st.sampled_from([1, 64, 200, 1 << 24]))
@example("a Q0 d 1 INF\na Q0 e 2 INF\na Q0 f 3 -1e308\na Q0 g 3 1e308\n", 1)
@example("a Q0 d 1 1\n# x\n# y\na Q0 e 1 1\nb Q0 d 1 1\n", 30)
def test_the_fast_reader_equals_a_plain_one(text: str, block_bytes: int) -> None:
    content = text.encode()
    tables = blocks_of(content, format="run", block_bytes=block_bytes)
    rows = [row for table in tables for row in zip(table.query, table.item, table.score, strict=True)]
    assert rows == plain_rows(content)
    # The last query of a table never goes on in the next.
    assert all(left.query[-1] != right.query[0] for left, right in itertools.pairwise(tables))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(ids, ids, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=30), blanks)
def test_judgments_come_back_as_they_were_written(rows: list[tuple[str, str, float]], gap: str) -> None:
    content = "".join(f"{query}{gap}0{gap}{item}{gap}{grade!r}\n" for query, item, grade in rows).encode()
    table = read_judgments(content, format="qrels")
    assert list(zip(table.query, table.item, table.grade, strict=True)) == rows


readers = [
    read_judgments,
    read_run,
    read_labelled,
    lambda data: read_run(data, format="run"),
    lambda data: read_judgments(data, format="qrels"),
    lambda data: blocks_of(data, format="trec", block_bytes=64),
]
starts = [b"", b"q Q0 d 1 2 t\n", b"q 0 d 1\n", b"\x1f\x8b\x08", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd",
          b"\x50\x2a\x4d\x18", b"\xef\xbb\xbf", b"#"]  # fmt: skip
trec_bytes = st.lists(
    st.sampled_from(
        [b" ", b"\t", b"\n", b"\r", b"\r\n", b"#", b"q", b"Q0", b"1", b"nan", b"-", b".5", b"\xe9", b"\0", b",", b'"']
    ),
    max_size=40,
).map(b"".join)


@pytest.mark.parametrize("read", readers)
@settings(max_examples=60, deadline=None)
@given(start=st.sampled_from(starts), rest=st.one_of(st.binary(max_size=200), trec_bytes), packed=st.booleans())
def test_no_bytes_make_a_reader_fail_in_its_own_words(
    read: Callable[[bytes], object], start: bytes, rest: bytes, packed: bool
) -> None:
    content = gzip.compress(start + rest, 1) if packed else start + rest
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankmeterWarning)
            read(content)
    except RankmeterError as error:
        assert str(error)  # noqa: PT017 (any outcome but another exception is right)
