"""Numbers in a text are what ``float()`` makes of them, to the last bit."""

from __future__ import annotations

import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankmeter.inputs.plain_trec import decimals
from rankmeter.inputs.text import PADDING, Text

plain = st.one_of(
    st.decimals(-(10**6), 10**6, places=6).map(str),
    st.floats(-1e4, 1e4).map(repr),
    st.integers(-(10**19), 10**19).map(str),
    st.builds("{:.{}f}".format, st.floats(0, 1), st.integers(0, 19)),
    st.sampled_from(["0", "-0", "-0.0", ".5", "5.", "-.25", "00012.50", "9007199254740993", "0.1", "1" * 19]),
)
strange = st.text("0123456789.-+eE x_", min_size=1, max_size=24).filter(lambda text: " " not in text)


def read(texts: list[str]) -> tuple[list[float], set[int]]:
    """The numbers, and the rows that were left."""
    lengths = np.array([len(text) for text in texts])
    starts = PADDING + np.cumsum(lengths + 1) - lengths - 1
    values, left = decimals(Text(" ".join(texts).encode()), starts, lengths)
    return values.tolist(), set(left.tolist())


def bits(value: float) -> bytes:
    return struct.pack("d", value)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.one_of(plain, plain, strange), min_size=1, max_size=20))
@example(["1e5", "1"])
@example(["-", "1"])
@example([".", "-."])
@example(["1.2.3", "1"])
@example(["0x10", "1_000", "+1", "nan"])
def test_what_is_read_is_what_float_reads(texts: list[str]) -> None:
    values, left = read(texts)
    for row, text in enumerate(texts):
        if row not in left:
            assert bits(values[row]) == bits(float(text)), text


@pytest.mark.parametrize(
    "text", ["0.123456", "-12.5", "7", "0.12345678901234567", "13.472845077514648", "0.1111111111111111"]
)
def test_ordinary_numbers_are_never_left(text: str) -> None:
    assert read([text, "1"]) == ([float(text), 1.0], set())


def test_numbers_half_way_between_two_floats_are_left_or_right() -> None:
    halves = [2**power + 2 ** (power - 53) * odd for power in range(54, 63) for odd in (1, 3, 5, 2**40 + 1)]
    tenths = [Fraction(number, 10**digits) for number in halves for digits in (1, 2, 3)]
    texts = [str(number) for number in halves] + [f"{float(number):.3f}" for number in tenths]
    values, left = read(texts)
    wrong = [text for row, text in enumerate(texts) if row not in left and values[row] != float(text)]
    assert not wrong


def test_a_column_of_one_width_and_one_of_many_give_the_same() -> None:
    numbers = [f"{number / 977:.6f}" for number in range(0, 90_000, 7)]
    alone = {text: read([text])[0][0] for text in numbers[:500]}
    together, left = read(numbers)
    assert not left
    assert together[:500] == [alone[text] for text in numbers[:500]] == [float(text) for text in numbers[:500]]
