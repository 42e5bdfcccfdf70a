"""Tables for a browser."""

from __future__ import annotations

import random

import pytest

from rankmeter.showing import charts
from rankmeter.showing.document import Chart, Paragraph, text_table
from rankmeter.showing.html import document_html, table_html
from rankmeter.showing.markdown import document_markdown
from rankmeter.showing.terminal import document_text


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


@pytest.mark.parametrize("style", ["plain", "note", "hint", "item", "alarm"])
@pytest.mark.parametrize("seed", range(5))
def test_what_stands_between_backticks_is_code_on_a_page(style, seed) -> None:
    draw = random.Random(seed)
    words = [f"{draw.choice('ab<&')}{n}" for n in range(8)]
    told = [word if draw.random() < 0.5 else f"`{word}`" for word in words]
    page = document_html([Paragraph(" ".join(told), style)])
    assert "`" not in page
    assert page.count("<code>") == sum("`" in word for word in told)
    assert "<a" not in page.replace("&lt;", "")


@pytest.mark.parametrize("size", [20, 60, 200])
def test_a_sentence_without_spaces_is_not_cut_and_one_long_word_is(size) -> None:
    sentence, name = "可供转化的时间较短，" * (size // 10), "长" * size
    page = table_html(text_table(("a",), [(sentence,), (name,)], ("text",)))
    assert sentence in page
    assert f">{name}<" not in page or size < 40


def test_what_is_drawn_with_letters_stands_for_a_picture_in_text_alone() -> None:
    drawn = [Chart("a", "a title", {}, instead="o--o"), Chart("b", "another", {})]
    assert document_text(drawn).strip() == "o--o"
    assert document_markdown(drawn) == "```text\no--o\n```"


def test_a_chart_in_the_text_colour_of_a_page_has_the_ground_of_that_page() -> None:
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    spec = {"data": {"name": "rows"}, "mark": "point", "encoding": {"x": {"field": "x", "type": "quantitative"}}}
    whole = charts.with_its_data(spec, 100, rows=[{"x": 1}])
    drawn = document_html([Chart("a", "a", whole)])
    assert "currentColor" in drawn
    assert "white" not in drawn
    assert "white" in charts.svg(whole)  # a file of its own has no page around it
