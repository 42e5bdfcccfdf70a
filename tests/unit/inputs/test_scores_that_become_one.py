"""Numbers that are one 64-bit number are never tied in silence: refused, whatever they are written in."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import rankmeter as rm

JUDGED = {"q": {"a": 1}}
EXACT = {
    "decimals": (Decimal("0.10000000000000000002"), Decimal("0.10000000000000000001")),
    "large decimals": (Decimal(2**53 + 1), Decimal(2**53)),
    "fractions": (Fraction(2**54 + 2, 3), Fraction(2**54 + 1, 3)),
    "whole numbers": (2**53 + 1, 2**53),
    "whole numbers of NumPy": (np.int64(2**53 + 1), np.int64(2**53)),
    "long floats": (np.longdouble(2**53 + 1), np.longdouble(2**53)),
}


def mapping(first, second):
    return {"q": {"a": first, "b": second}}


def polars(first, second):
    return pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "score": [first, second]})


def objects(first, second):
    score = pl.Series("score", [first, second], dtype=pl.Object)
    return pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"]}).with_columns(score)


def pandas(first, second):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "score": pd.Series([first, second], dtype=object)})


# No type of Polars holds fractions and long floats.
MADE = [(made, kind) for made in (mapping, polars, objects, pandas) for kind in EXACT
        if made is not polars or kind not in ("fractions", "long floats")]  # fmt: skip


@pytest.mark.parametrize(("made", "kind"), MADE)
def test_two_scores_that_are_one_float_are_refused(made, kind):
    with pytest.raises(rm.InputError, match=r"same 64-bit number|beyond 2\*\*53"):
        rm.evaluate(JUDGED, made(*EXACT[kind]), "RR")


@pytest.mark.parametrize("made", [mapping, polars, objects, pandas])
@pytest.mark.parametrize("scores", [(Decimal("0.2"), Decimal("0.1")), (Decimal(1), Decimal(1)), (0.1, 0.1)])
def test_others_are_taken(scores, made):
    assert rm.evaluate(JUDGED, made(*scores), ["RR(ties=best)"])["RR(ties=best)"] == 1


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.longdouble])
def test_arrays_of_whole_numbers_are_not_rounded(kind):
    grades = rm.arrays([[1, 0]])
    with pytest.raises(rm.InputError, match=r"beyond 2\*\*53.*row 0, column 0"):
        rm.evaluate(grades, rm.arrays(np.array([[2**53 + 1, 2**53]], kind)), "RR")
    assert rm.evaluate(grades, rm.arrays(np.array([[2**53 + 2, 2**53]], kind)), "RR")["RR"] == 1


@pytest.mark.parametrize("dtype", ["<i8", ">i8", "<u8", ">u8"])
def test_a_matrix_is_read_in_its_byte_order(dtype):
    grades = rm.arrays(np.array([[1, 0]], dtype))
    with pytest.raises(rm.InputError, match=r"beyond 2\*\*53"):
        rm.evaluate(grades, rm.arrays(np.array([[2**62 + 256, 2**62]], dtype)), ["nDCG"])
    assert rm.evaluate(grades, rm.arrays(np.array([[2, 1]], dtype)), ["nDCG"])["nDCG"] == 1.0
