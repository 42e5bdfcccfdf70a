"""All columns that a table of passages or nuggets lacks are named in one call."""

from __future__ import annotations

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError


@pytest.mark.parametrize(("roles", "call", "rows"), [
    ("query document", lambda rows: rm.evidence(rows, {}), {"foo": ["q"], "bar": ["d"], "start": 0, "end": 9}),
    ("query nugget importance support", rm.nuggets, {"foo": ["q"], "bar": ["n"]}),
])  # fmt: skip
def test_all_missing_columns_are_named_in_one_call(roles, call, rows) -> None:
    with pytest.raises(InputError) as error:
        call(pl.DataFrame(rows))
    assert all(f'"{role}": ' in str(error.value).partition("columns=")[2] for role in roles.split())
