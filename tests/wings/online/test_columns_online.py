"""All columns that a table of a log, of interleaving or of policies lacks are named in one call."""

from __future__ import annotations

import polars as pl
import pytest

from rankmeter.errors import InputError
from rankmeter.online import off_policy_log, read_events, score_interleaving


@pytest.mark.parametrize(("roles", "call", "rows"), [
    ("time user type", read_events, {"foo": [1], "bar": ["u"]}),
    ("reward logged target", off_policy_log, {"foo": [1.0], "bar": [0.5]}),
    ("user request team", score_interleaving, {"foo": ["u"], "bar": ["r"]}),
])  # fmt: skip
def test_all_missing_columns_are_named_in_one_call(roles, call, rows) -> None:
    with pytest.raises(InputError) as error:
        call(pl.DataFrame(rows))
    assert all(f'"{role}": ' in str(error.value).partition("columns=")[2] for role in roles.split())
