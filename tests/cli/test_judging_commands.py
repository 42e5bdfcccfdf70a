"""Commands about judges: every format, both languages, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankmeter.cli import app

PEOPLE = "32001 00010 22100 33210 01000 10200"
MACHINE = "33112 00010 33210 33211 00000 11200"


def run(*args: object) -> Result:
    return CliRunner().invoke(app, list(map(str, args)))


def qrels(place: Path, text: str) -> Path:
    rows = (f"q{query} 0 d{item} {grade}\n" for query, row in enumerate(text.split()) for item, grade in enumerate(row))
    place.write_text("".join(rows))
    return place


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return qrels(tmp_path / "people.qrels", PEOPLE), qrels(tmp_path / "machine.qrels", MACHINE)


def test_judges_in_every_format(files, tmp_path):
    people, machine = files
    told = json.loads(run("judges", people, machine, "--scale", "0..3", "--format", "json").stdout)
    assert told["coefficients"]["kappa_quadratic"]["value"] == pytest.approx(0.852018, abs=5e-7)
    table = run("judges", people, machine, "--scale", "0..3")
    assert "kappa, quadratic     0.8520" in table.stdout
    assert "people \\ machine   0  1  2  3  all" in table.stdout
    assert run("judges", people, machine, "--format", "csv").stdout.startswith("judges,coefficient,value,low,high")
    assert run("judges", people, machine, "--format", "markdown").stdout.startswith("## Agreement of judges")
    page = tmp_path / "agreement.html"
    assert run("judges", people, machine, "--output", page, "--lang", "zh").exit_code == 0
    assert "<html lang=" in page.read_text("utf-8")
    assert "标注者一致性" in page.read_text("utf-8")


def test_judges_of_one_table(tmp_path):
    rows = ["q,d,grade,rater", "1,a,1,x", "1,a,1,y", "1,b,0,x", "1,b,1,y"]
    place = tmp_path / "all.csv"
    place.write_text("\n".join(rows))
    told = run("judges", place, "--columns", "query=q,item=d", "--format", "json", "--scale", "0..1")
    assert told.exit_code == 0, told.stderr
    assert json.loads(told.stdout)["judges"] == ["x", "y"]


def test_judges_that_cannot_be_compared_end_in_a_sentence(files, tmp_path):
    people, machine = files
    for args in ((), (people, machine, "--scale", "0..2"), (people, qrels(tmp_path / "five.qrels", "5"))):
        result = run("judges", *args)
        assert result.exit_code == 2
        assert "Hint:" in result.stderr
        assert not result.stdout
    assert "提示" in run("judges", people, machine, "--scale", "0..2", "--lang", "zh").stderr
