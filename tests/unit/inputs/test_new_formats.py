"""A format of separated fields is two rows of tables: nothing else asks which separator it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rankmeter as rm
from rankmeter.inputs import delimited, formats
from rankmeter.inputs.files import read_judgments, read_run

QUOTED = 'query;item;score\n"q;1";"a\nb";3\n"q;1";"c""d";2\n" q2";"\'=e";1\n'


@pytest.fixture
def with_semicolons(monkeypatch: pytest.MonkeyPatch) -> None:
    at = [name for name, _ in formats.TABLE].index("csv")
    row = ("ssv", lambda head: b";" in head.first and b"," not in head.first)
    monkeypatch.setattr(formats, "TABLE", (*formats.TABLE[:at], row, *formats.TABLE[at:]))
    monkeypatch.setattr(formats, "SEPARATED", {**formats.SEPARATED, "ssv": formats.Separated(";")})


@pytest.mark.usefixtures("with_semicolons")
@pytest.mark.parametrize("block_bytes", [16, None])
def test_quoted_fields_of_a_new_format_hold_separators_lines_and_quotes(block_bytes: int | None) -> None:
    from rankmeter.inputs.compression import open_source

    for text, separator in ((QUOTED, ";"), (QUOTED.replace(";", ","), ",")):
        with open_source(text.encode()) as source:
            assert formats.recognise(text.encode()) == {";": "ssv", ",": "csv"}[separator]
            form = next(form for form in formats.SEPARATED.values() if form.separator == separator)
            table = delimited.Delimited(source, form, block_bytes)
            assert [fields for _, fields in table.records()] == [
                [f"q{separator}1", "a\nb", "3"],
                [f"q{separator}1", 'c"d', "2"],
                [" q2", "=e", "1"],
            ]


@pytest.mark.usefixtures("with_semicolons")
def test_a_new_format_is_read_on_both_sides(tmp_path: Path) -> None:
    (tmp_path / "judgments").write_text('query;item;grade\n"q";"a;b";2\n')
    (tmp_path / "run").write_text('query;item;score\n"q";"x";2\n"q";"a;b";1\n')
    assert read_judgments(tmp_path / "judgments").item.to_list() == ["a;b"]
    assert read_run(tmp_path / "run").item.to_list() == ["x", "a;b"]
    assert rm.evaluate(tmp_path / "judgments", tmp_path / "run", "RR")["RR"] == 0.5


def test_no_reader_asks_which_separator_it_reads() -> None:
    code = Path(delimited.__file__).read_text("utf-8")
    assert not re.search(r"separator *[!=]=|[!=]= *\"[,;]\"", code)
