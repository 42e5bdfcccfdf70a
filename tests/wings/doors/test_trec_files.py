"""trec_eval's files by its own rules: numbers against the C library itself, readers against each other."""

from __future__ import annotations

import ctypes
import math
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rankmeter.errors import RankmeterWarning
from rankmeter.wings.doors import trec_files
from rankmeter.wings.doors.trec_eval import ProgramCall, TrecEvalError, output
from rankmeter.wings.doors.trec_measures import Version, atof, atol

LIBRARY = ctypes.CDLL(None)
LIBRARY.atof.restype = ctypes.c_double
LIBRARY.atol.restype = ctypes.c_long

NUMBERS = (
    st.text(alphabet="0123456789.+-eExXpPaAfinINF_ \t,", max_size=12) | st.floats().map(str) | st.integers().map(str)
)
ODD_LINES = st.lists(
    st.sampled_from(
        "q Q0 d 1 2 t|q 0 d 1|q 0 e 1e1||  |#|  # a b c d e|# 0 a 1|  # 0 a 1|q Q0 x 1 2|q Q0 y 1 2 |q Q0 z 1 2\x01u|"
        "p Q0 d 1 2 t|p 0 d 2|q 0 f\x01 1|q Q0 d 2 3x t|q 0 g 1.5|q\r0\rh\r1|q Q0  i\t1 .5 t u\r|\ufeffq 0 j 1".split(
            "|"
        )
    ).map(str.encode)
    | st.text(alphabet="q0d1e# \t\r\v\x01\x1c.", max_size=14).map(str.encode),
    max_size=4,
)


@given(NUMBERS)
def test_numbers_are_those_of_the_c_library(text: str) -> None:
    expected = LIBRARY.atof(text.encode())
    assert atof(text) == expected or (math.isnan(expected) and math.isnan(atof(text)))
    assert atol(text) == LIBRARY.atol(text.encode())


@pytest.mark.parametrize(
    "text", ["0x1p99999", "-0x1p99999", "1e400", "-1e400", "0x.8", "nan(17)", "INFINITY", "9" * 30]
)
def test_numbers_at_the_edge_are_those_of_the_c_library(text: str) -> None:
    expected = LIBRARY.atof(text.encode())
    assert str(atof(text)) == str(expected)
    assert atol(text) == LIBRARY.atol(text.encode())


@given(st.lists(st.sampled_from([math.nan, 1.0, 2.0, -math.inf]), min_size=1, max_size=9))
def test_scores_that_are_no_number_are_sorted_as_the_c_library_sorts(scores: list[float]) -> None:
    rows = [(f"d{number}", score) for number, score in enumerate(scores)]
    assert [item for item, _ in trec_files.ranked(rows, None, 10)] == _sorted_by_qsort(rows)


def _sorted_by_qsort(rows: list[tuple[str, float]]) -> list[str]:
    pointer = ctypes.POINTER(ctypes.c_int)

    @ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer)
    def compare(one, other):  # type: ignore[no-untyped-def]
        (item, score), (other_item, other_score) = rows[one[0]], rows[other[0]]
        if score > other_score:
            return -1
        if score < other_score:
            return 1
        return (other_item > item) - (other_item < item)

    places = (ctypes.c_int * len(rows))(*range(len(rows)))
    LIBRARY.qsort(places, len(rows), ctypes.sizeof(ctypes.c_int), compare)
    return [rows[place][0] for place in places]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(ODD_LINES, ODD_LINES, st.sampled_from([9, 10]))
@example([], [b"\x0b#"], 9)
def test_a_long_file_is_taken_as_a_short_one(
    tmp_path: Path, judgments: list[bytes], run: list[bytes], version: Version
) -> None:
    (tmp_path / "judgments").write_bytes(b"\n".join([b"q 0 a 1", *judgments]) + b"\n")
    (tmp_path / "run").write_bytes(b"\n".join([b"q Q0 a 1 2 t", *run, b""]))
    assert _result(tmp_path, version, short=0) == _result(tmp_path, version, short=1 << 17)


def _result(folder: Path, version: Version, short: int) -> tuple[int, str]:
    command = ProgramCall(
        str(folder / "judgments"), str(folder / "run"), ("official", "relstring"), per_query=True, version=version
    )
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmeterWarning)
        patch.setattr(trec_files, "SHORT_BYTES", short)
        try:
            return 0, output(command)
        except TrecEvalError as error:
            return error.code, error.printed


def test_repeated_documents_count_only_where_they_are_looked_at() -> None:
    rows = [("a", 3.0), ("b", 2.0), ("a", 1.0)]
    assert trec_files.repeated_document(trec_files.ranked(rows, None, 10)) == "a"
    assert trec_files.repeated_document(trec_files.ranked(rows, 2, 10)) is None
