"""Tables for a browser."""

from __future__ import annotations

import pytest

from rankmeter.showing.document import text_table
from rankmeter.showing.html import table_html


@pytest.mark.parametrize(
    ("names", "kept", "has_button"),
    [
        (["a", "b"], None, False),
        (["a", "b"], ["a", "b"], False),
        (["a", "b"], ["a"], True),
        (["best more", "class='more"], None, False),
        (["best more", "b"], ["best more", "b"], False),
    ],
)
def test_the_button_for_all_rows_is_there_where_some_are_hidden(names, kept, has_button) -> None:
    table = text_table(("system", "value"), [(name, 1.0) for name in names], ("text", "number"))
    assert ("<button class='all'>" in table_html(table, kept=kept)) is has_button


def test_a_chinese_head_is_whole_where_an_english_one_of_as_many_letters_is() -> None:
    for head in ("同分条目从最差排到最好", "judged in first 10", "相关条目"):
        assert f"<th>{head}</th>" in table_html(text_table((head,), [("a",)], ("text",))).replace(" class='label'", "")
