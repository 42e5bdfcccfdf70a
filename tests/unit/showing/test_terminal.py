"""Tables fit the width they are given: what has no room follows below by importance, numbers are never cut."""

from __future__ import annotations

import pytest

from rankmeter.showing.document import Cell, Column, Heading, Paragraph, Table, text_table
from rankmeter.showing.terminal import document_text, table_text
from rankmeter.wording.characters import width_of


def board(name: str, columns: int = 6) -> Table:
    """A system under some measures, the later the less important."""
    heads = (Column("", "mark"), Column("system", "text"), *(Column(f"m{n}@10", "number", n) for n in range(columns)))
    rows = tuple(
        (Cell(marks=frozenset({"best"})), Cell(system), *(Cell(0.1234 + n, span=(0.1, 0.2)) for n in range(columns)))
        for system in (name, "b")
    )
    return Table(heads, rows)


@pytest.mark.parametrize("name", ["abc", "a" * 26, "名" * 26, "n" * 60 + "the end"])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_every_line_fits_and_every_number_that_is_shown_is_whole(name: str, width: int) -> None:
    text = table_text(board(name), width=width)
    lines = text.splitlines()
    shown = lines[:3]
    assert all(width_of(line) <= width for line in shown)
    assert all("0.1234 [0.1000, 0.2000]" in line for line in shown[1:])
    assert all(width_of(line) <= width for line in lines)
    blocks = [block.splitlines() for block in text.split("\n\n")]
    assert [head for block in blocks for head in block[0].split()[1:]] == [f"m{n}@10" for n in range(6)]
    for block in blocks:  # each number stands once, in the row of its system
        assert len(block) == 3
        assert "b" in block[2].split()[:2]
    for n in range(6):
        assert text.count(f"{n + 0.1234:.4f} [0.1000, 0.2000]") == 2


def test_without_a_width_everything_is_there() -> None:
    table = board("n" * 60)
    assert all(len(line) > 120 for line in table_text(table).splitlines())
    assert "m5@10" in table_text(table)


def test_the_least_important_column_goes_first() -> None:
    text = table_text(board("abc", 4), width=60)
    assert "m0@10" in text.splitlines()[0]
    assert "m3@10" not in text.splitlines()[0]
    assert text.splitlines()[4].split() == ["system", "m2@10", "m3@10"]


def test_a_few_rows_under_many_columns_are_turned() -> None:
    columns = (Column("run", "text"), *(Column(f"measure-{n}", digits=2) for n in range(9)))
    table = Table(columns, ((Cell("one"), *(Cell(n / 10) for n in range(9))),))
    turned = table_text(table, width=30).splitlines()
    assert turned[0].split() == ["run", "one"]
    assert [line.split() for line in turned[1:]] == [[f"measure-{n}", f"{n / 10:.2f}"] for n in range(9)]


def test_what_a_cell_means_is_a_mark_and_not_a_glyph(monkeypatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    columns = (Column("pair", "text"), Column("difference", "difference"))
    table = Table(columns, ((Cell("a - b"), Cell(0.5, frozenset({"up"}), (0.4, 0.6))), (Cell("↑"), Cell(-0.5))))
    up, plain = table_text(table, styled=True).splitlines()[1:]
    assert "\x1b[32m" in up
    assert "+0.5000 [+0.4000, +0.6000]↑" in up
    assert "\x1b" not in plain


def test_without_colour_the_best_is_still_bold(monkeypatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    marks = frozenset({"best", "up"})
    table = Table((Column("system", "text"), Column("value")), ((Cell("a"), Cell(0.5, marks)),))
    assert "\x1b[1;32m" in table_text(table, styled=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1m" in table_text(table, styled=True)


def test_paragraphs_are_filled_and_stand_under_their_heading() -> None:
    text = document_text([Heading("What"), Paragraph("word " * 30), text_table(["a"], [[1]], ["count"])], width=40)
    assert all(len(line) <= 40 for line in text.splitlines())
    assert all(line.startswith("  ") for line in text.splitlines()[1:] if line)


@pytest.mark.parametrize("width", [40, 60, 80, 120, None])
@pytest.mark.parametrize(
    "prose", ["a reason that is told in a whole sentence of many words, " * 3, "理由要完整地说出来，" * 12]
)
def test_a_last_column_of_prose_is_wrapped_and_nothing_of_it_is_lost(prose: str, width: int | None) -> None:
    rows = [["nDCG@10", prose], ["AP", "short"]]
    lines = table_text(text_table(["", ""], rows, ["text", "text"]), width=width).splitlines()
    assert width is None or max(map(width_of, lines)) <= width
    told = "".join("".join(line[9:].split()) for line in lines)
    assert told == "".join(prose.split()) + "short"
    assert {line[:9].strip() for line in lines} - {""} == {"nDCG@10", "AP"}
    assert lines[0].startswith("nDCG@10")  # columns without a name have no line of names


def test_an_empty_heading_is_one_empty_line_and_ends_what_is_under_a_heading() -> None:
    blocks = [Heading("Under", 2), Paragraph("indented"), Heading("", 1), Paragraph("not indented")]
    assert document_text(blocks).splitlines() == ["Under", "  indented", "", "not indented"]
