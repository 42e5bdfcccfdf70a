"""What somebody meets who installs rankmeter and types what the documentation shows."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import rankmeter as rm
from rankmeter import demo
from rankmeter.cli import app
from rankmeter.cli.demo import program

ROOT = Path(__file__).parents[2]
JUDGMENTS = str(demo.data_path(demo.JUDGMENTS))
KEYWORD, HYBRID = (str(demo.data_path(demo.RUNS[name])) for name in ("keyword", "hybrid"))
QUICK = ("--permutations", "500", "--resamples", "200")


def call(*args: str) -> Result:
    result = CliRunner().invoke(app, list(args))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def without_vl_convert(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # what `import` finds where it is not installed


@pytest.mark.usefixtures("without_vl_convert")
@pytest.mark.parametrize(
    "args",
    [
        ("compare", "no.qrels", "no.run", "none.run", "--report"),
        ("compare", "no.qrels", "no.run", "none.run", "--figures"),
        ("online", "no.csv", "--report"),
    ],
)
def test_a_missing_report_extra_is_said_before_any_file_is_read(args: tuple[str, ...], tmp_path: Path) -> None:
    result = call(*args, str(tmp_path / "report"))
    assert result.exit_code == 2
    assert 'reports need vl_convert, which is not installed. Hint: pip install "rankmeter[report]"' in result.stderr


@pytest.mark.usefixtures("without_vl_convert")
def test_the_demo_says_that_the_page_is_left_out(tmp_path: Path) -> None:
    result = call("demo", "--output", str(tmp_path))
    assert result.exit_code == 0
    assert "The HTML page report.html is left out: reports need vl_convert" in result.stderr
    assert not (tmp_path / "report.html").exists()


def readme_commands() -> list[tuple[str, str]]:
    """The commands of the README, each with what is said about it: for some the number that it prints."""
    block = re.search(r"```text\n(rankmeter demo.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    return [(line.partition("#")[0].strip(), line.partition("#")[2].strip()) for line in block[1].splitlines()][1:]


def test_every_command_of_the_readme_runs_on_the_files_that_demo_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = call("demo", "--data", str(tmp_path / "demo-data"))
    assert "made up" in shown.stderr
    monkeypatch.chdir(tmp_path / "demo-data")
    assert len(readme_commands()) == 9
    for line, comment in readme_commands():
        extra = QUICK if "compare" in line else ()
        result = call(*shlex.split(line)[1:], *extra)
        assert result.exit_code == 0, (line, result.output)
        assert not comment.startswith("0.") or comment in result.stdout, (line, result.output)
    assert Path("report.html").exists()


def test_the_readmes_show_the_same_commands() -> None:
    chinese = (ROOT / "README.zh.md").read_text(encoding="utf-8")
    assert [line for line, _ in readme_commands() if line not in chinese] == []


def test_the_program_is_named_as_the_shell_finds_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/rankmeter", "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program() == [".venv/bin/rankmeter"]
    (tmp_path / "rankmeter").write_text("#!/bin/sh\n")
    (tmp_path / "rankmeter").chmod(0o755)
    assert program() == ["rankmeter"]


def test_the_help_of_trec_eval_keeps_its_lines() -> None:
    text = call("trec_eval", "--help").stdout
    assert "\\b" not in text
    assert "[OPTIONS] [OPTIONS]" not in text
    assert "  -c          count judged queries that the run lacks as 0\n" in text


def test_the_first_example_of_trec_eval_runs() -> None:
    assert call("trec_eval", "-c", JUDGMENTS, KEYWORD).exit_code == 0
    assert "rankmeter trec_eval -c judgments.qrels keyword.run\n" in call("trec_eval", "--help").stdout


def test_a_part_of_a_column_name_finds_it() -> None:
    spots = str(demo.data_path(demo.SPOTS))
    result = call("table", spots, "--id", "SpotID", "--group", "theme", "--score", "weighted", "--truth", "Check")
    assert "has no column 'weighted', named as the score" in result.stderr
    assert "did you mean 'weighted_sentiment_score'?" in result.stderr


def test_an_id_column_is_no_hint_for_a_slice() -> None:
    queries = f"{demo.data_path(demo.QUERIES)}:kind"
    result = call("compare", JUDGMENTS, KEYWORD, HYBRID, "--by", queries, *QUICK)
    assert result.exit_code == 2
    assert "has no column 'kind'. Hint: there are text" in result.stderr


def test_every_how_to_is_in_the_list_of_how_tos() -> None:
    lists = [ROOT / "docs/how-to" / name for name in ("README.md", "README.zh.md")]
    listed = "".join(path.read_text(encoding="utf-8") for path in lists)
    pages = {path.name for path in (ROOT / "docs/how-to").glob("*.md")} - {path.name for path in lists}
    assert {page for page in pages if f"({page})" not in listed} == set()


def test_ties_without_known_ends_are_said() -> None:
    result = call("evaluate", JUDGMENTS, KEYWORD, "-m", "RR(miss=skip)@10", "-m", "RR@10")
    assert "ties may move RR(miss=skip)@10 between values that are not known (miss=skip:" in result.stderr
    assert "ties may move RR@10" not in result.stderr
    assert "ties may move" in repr(rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1, "b": 1}}, ["RR(miss=skip)@1"]))
    assert "ties may move" not in repr(rm.evaluate({"q": {"a": 1}}, {"q": {"a": 2, "b": 1}}, ["RR(miss=skip)@1"]))


def test_quiet_compare_prints_tables_only_and_talk_is_on_stderr() -> None:
    quiet = call("compare", JUDGMENTS, KEYWORD, HYBRID, "-m", "nDCG@10", "-q", *QUICK)
    assert quiet.stderr == ""
    assert len(quiet.stdout.splitlines()) == 3
    said = call("compare", JUDGMENTS, KEYWORD, HYBRID, "-m", "nDCG@10", *QUICK)
    assert said.stdout == quiet.stdout
    assert "How sure is the data?" in said.stderr
    assert "p-values:" in said.stderr


def test_two_systems_show_difference_interval_and_p_without_a_baseline() -> None:
    plain = call("compare", JUDGMENTS, KEYWORD, HYBRID, "-m", "nDCG@10", "-q", *QUICK).stdout
    assert "- keyword  p (holm)" in plain
    assert re.search(r"\*  hybrid .*\+0\.2027 \[\+0\.1\d+, \+0\.2\d+\]↑ +<?0\.0", plain)


def test_three_seeds_prove_nothing_and_one_run_has_no_interval() -> None:
    runs = [{f"q{n}": ["a", "b"] if (n + seed) % 3 else ["b", "a"] for n in range(20)} for seed in range(3)]
    truth = {f"q{n}": {"a"} for n in range(20)}
    poor = {f"q{n}": ["b", "a"] for n in range(20)}
    cmp = rm.compare(truth, {"poor": poor, "good": rm.seeds(*runs)}, ["RR"], unit="run", permutations=500)
    assert [cmp.score("RR", name).in_best for name in ("poor", "good")] == [True, True]
    assert [(one.rank_low, one.rank_high) for one in cmp.ranked("RR")] == [(1, 2), (1, 2)]
    assert cmp.score("RR", "poor").interval is None
    assert any("and 1 test in a family" in str(note) for note in cmp.notes)


def test_two_shares_of_judged_items_are_told_apart() -> None:
    said = call("compare", JUDGMENTS, KEYWORD, HYBRID, "-m", "Judged@10", *QUICK).stderr
    assert "the measure Judged@k is a mean over queries" in said
    assert "A query without a relevant item counts like any other" in call("explain", "Judged@10").stdout.replace(
        "\n", " "
    ).replace("  ", " ")


def test_swapped_mappings_are_noticed() -> None:
    judgments, run = {"q": {"a": 2, "b": 0}}, {"q": {"a": 0.9, "c": 0.2}}
    rm.evaluate(judgments, run, "nDCG@10")
    with pytest.warns(rm.RankmeterWarning, match="are these swapped"):
        rm.evaluate(run, judgments, "nDCG@10")


def test_means_are_found_by_other_names() -> None:
    ev = rm.evaluate({"q": {"a"}}, {"q": ["b", "a"]}, ["MAP", "MRR@10"])
    assert (ev.mean["MAP"], ev.mean["MRR@10"], ev.mean) == (0.5, 0.5, {"AP": 0.5, "RR@10": 0.5})
    with pytest.raises(rm.NotFoundError, match="this evaluation has no 'P@5'"):
        ev.mean["P@5"]


def test_a_folder_of_runs_is_not_one_run(tmp_path: Path) -> None:
    demo.write_data(tmp_path)
    folder = tmp_path / "runs"
    folder.mkdir()
    for name in ("keyword", "hybrid"):
        (tmp_path / f"{name}.run").rename(folder / f"{name}.run")
    result = call("evaluate", JUDGMENTS, str(folder))
    assert result.exit_code == 2
    assert f"a folder is one run in many files; for a run in each file: {folder}/*" in result.stderr


def test_an_older_version_of_a_tool_is_named() -> None:
    assert call("dialects", "trec_eval:9,c").stdout.startswith("trec_eval:9,c: trec_eval 9 ")
