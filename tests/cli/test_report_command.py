"""``rankmeter compare --report`` and ``--figures``: what is written, what is said, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankmeter import demo
from rankmeter.cli import app

pytest.importorskip("vl_convert", reason="reports need the extra 'report'")

JUDGMENTS = str(demo.data_path(demo.JUDGMENTS))
RUNS = [str(demo.data_path(file)) for file in demo.RUNS.values()]


def compare(*args: str):
    quick = ["-m", "RR@10", "--permutations", "200", "--resamples", "200"]
    result = CliRunner().invoke(app, ["compare", JUDGMENTS, *RUNS, *quick, *args])
    assert "Traceback" not in result.output
    return result


def test_report_and_figures_are_written_and_named(tmp_path: Path) -> None:
    page, folder = tmp_path / "report.html", tmp_path / "figures"
    texts = f"queries={demo.data_path(demo.QUERIES)}"
    result = compare("--report", str(page), "--lang", "zh", "--titles", texts, "--figures", str(folder))
    assert result.exit_code == 0
    assert f"已写入 {page}" in result.stderr
    written = page.read_text(encoding="utf-8")
    assert "history of clocks in the forest" in written
    assert "排行榜" in written
    assert (folder / "intervals-RR-10.svg").read_text().startswith("<svg")
    assert (folder / "intervals-RR-10.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--report", "absent/report.html"], "the directory absent does not exist"),
        (["--report", "r.html", "--titles", "books=items.csv"], "--titles books=items.csv is not possible"),
        (["--report", "r.html", "--titles", "items=absent.csv"], "file not found: absent.csv"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(args, message, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = compare(*args)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""
    assert not list(tmp_path.iterdir())


def test_slices_are_printed_and_reported(tmp_path: Path) -> None:
    kinds, page = tmp_path / "kinds.csv", tmp_path / "report.html"
    rows = [f"q{number:03},{'odd' if number % 2 else 'even'},all" for number in range(1, 241)]
    kinds.write_text("\n".join(["query,parity,whole", *rows]))
    result = compare("--by", f"{kinds}:parity", "--report", str(page))
    assert result.exit_code == 0
    assert "RR@10 by parity  queries" in result.stdout
    written = page.read_text(encoding="utf-8")
    assert "data-name='odd'" in written
    assert '<section id="slices">' in written
    both = compare("--by", str(kinds), "--format", "json")
    assert {row["by"] for row in json.loads(both.stdout)["slices"]} == {"parity", "whole"}
    lost = compare("--by", "absent.csv")
    assert lost.exit_code == 2
    assert "--by absent.csv is neither a file nor one of activity" in lost.stderr


def test_measures_of_lists_are_compared_with_a_catalogue() -> None:
    result = compare("-m", "Coverage@10", "--catalogue", str(demo.data_path(demo.ITEMS)), "--by", "genre")
    assert result.exit_code == 0
    assert "one value for all lists together: it is shown without tests" in result.stdout
    assert "RR@10 by genre" in result.stdout
