from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter import demo
from rankmeter.cli import app
from rankmeter.wording.characters import width_of

JUDGMENTS = str(demo.data_path(demo.JUDGMENTS))
RUNS = {name: str(demo.data_path(file)) for name, file in demo.RUNS.items()}
QUICK = ["--permutations", "500", "--resamples", "200"]


def call(*args: str, **env: str):
    result = CliRunner().invoke(app, list(args), env=env)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def compare(*args: str, **env: str):
    return call("compare", JUDGMENTS, RUNS["keyword"], RUNS["hybrid"], *args, *QUICK, **env)


def test_a_table_shows_the_data_first_then_the_winner() -> None:
    result = compare("-m", "nDCG@10", "--baseline", "keyword")
    assert result.exit_code == 0
    assert result.output.index("How sure is the data?") < result.output.index("*  hybrid")
    assert "█" in result.stdout
    assert "nDCG@10: Normalised" in result.stderr


def on_a_terminal(width: int, *args: str) -> str:
    """What a command prints to a terminal of a width, without its colours."""
    ours, its = os.openpty()
    environment = {**os.environ, "COLUMNS": str(width), "TERM": "xterm"}
    command = [sys.executable, "-m", "rankmeter", *args]
    with subprocess.Popen(command, stdout=its, stderr=subprocess.DEVNULL, env=environment):
        os.close(its)
        parts = []
        try:
            while part := os.read(ours, 65536):
                parts.append(part)
        except OSError:
            pass  # Linux ends a terminal with an error
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", b"".join(parts).decode()).replace("\r", "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="a system without such terminals")
@pytest.mark.parametrize(
    ("width", "lang", "more"), [(80, "en", ()), (80, "zh", ("--baseline", "keyword")), (132, "en", ())]
)
def test_a_terminal_shows_every_interval_and_p_value_of_a_pipe(width, lang, more) -> None:
    args = ["compare", JUDGMENTS, *RUNS.values(), "-m", "nDCG@10", "-m", "AP", "-m", "RR", *more, "--lang", lang]
    piped, shown = call(*args).stdout, on_a_terminal(width, *args)
    interval, p_value = r"\[[-+0-9., ]+\]", r"(?<![\d.])<?0\.\d+(?= *$)"
    assert len(set(re.findall(interval, piped))) >= 3 * len(RUNS)
    assert set(re.findall(interval, piped)) <= set(re.findall(interval, shown))
    assert set(re.findall(p_value, piped, re.MULTILINE)) <= set(re.findall(p_value, shown, re.MULTILINE))
    assert shown.count("<0.0001") >= 5  # those of the differences
    assert all(width_of(line) <= width for line in shown.splitlines())


def test_json_csv_markdown_and_latex() -> None:
    data = json.loads(compare("-m", "AP", "--format", "json", "--seed", "5").stdout)
    assert data["settings"]["seed"] == 5
    rows = list(csv.DictReader(io.StringIO(compare("-m", "AP", "--format", "csv").stdout)))
    assert rows[0]["system"] == "keyword"
    assert float(rows[0]["p_corrected"]) < 0.05
    assert "↑1 |" in compare("-m", "AP", "--format", "markdown").stdout
    assert r"\begin{tabular}" in compare("-m", "AP", "--format", "latex").stdout


def test_a_gate_that_holds_exits_1_and_says_why(tmp_path: Path) -> None:
    junit = tmp_path / "gates.xml"
    result = call(
        "compare", JUDGMENTS, RUNS["hybrid"], RUNS["semantic"], "-m", "nDCG@10", "--baseline", "hybrid",
        "--fail-if", "nDCG@10 < baseline - 0.01 significantly", "--fail-if", "RR < 0.5", "--junit", str(junit), *QUICK,
    )  # fmt: skip
    assert result.exit_code == 1
    assert (
        "FAILED: nDCG@10 < baseline - 0.01 significantly: nDCG@10 of semantic is 0.619332, below 0.652623"
        in result.stderr
    )
    assert ET.fromstring(junit.read_text()).get("failures") == "1"


def test_a_gate_that_does_not_hold_exits_0() -> None:
    result = compare("-m", "nDCG@10", "--baseline", "keyword", "--fail-if", "nDCG@10 < baseline - 0.01")
    assert result.exit_code == 0
    assert "passed (it fails if nDCG@10 < baseline - 0.01): nDCG@10 of" in result.stderr


def test_the_step_summary_is_appended(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    compare("-m", "AP", "--github-summary", GITHUB_STEP_SUMMARY=str(summary))
    text = summary.read_text()
    assert text.startswith("before\n## rankmeter compare")
    assert "| 2 | hybrid |" in text


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["compare"], "neither judgments nor runs"),
        (["compare", JUDGMENTS], "no run was given"),
        (["compare", JUDGMENTS, RUNS["hybrid"]], "only one system"),
        (["compare", JUDGMENTS, RUNS["hybrid"], RUNS["keyword"], "--baseline", "z"], "baseline 'z' is not one"),
        (["compare", JUDGMENTS, RUNS["hybrid"], RUNS["keyword"], "--fail-if", "nonsense"], "is not a gate"),
        (["compare", JUDGMENTS, RUNS["hybrid"], RUNS["keyword"], "--junit", "x.xml"], "without --fail-if"),
        (["compare", JUDGMENTS, RUNS["hybrid"], "--seeds", "dense"], "--seeds dense is not possible"),
        (["compare", JUDGMENTS, RUNS["hybrid"], "--seeds", f"hybrid={RUNS['keyword']}"], "same name: hybrid"),
        (["compare", JUDGMENTS, RUNS["hybrid"], RUNS["keyword"], "--units", "nowhere.csv"], "file not found"),
        (["compare", JUDGMENTS, RUNS["hybrid"], "nowhere.run"], "nowhere.run"),
        (["compare", "--saved", "nowhere.parquet", "other.parquet"], "no such file"),
        (["pool", JUDGMENTS], "at least one run"),
        (["advise"], "no judgments"),
    ],
)
def test_wrong_use_is_a_sentence_and_exit_code_2(args, said) -> None:
    result = call(*args)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_outside_of_github_there_is_no_summary_but_all_the_rest(tmp_path: Path) -> None:
    junit = tmp_path / "gates.xml"
    gate = ("--fail-if", "AP < 0.01", "--junit", str(junit))
    result = compare("-m", "AP", *gate, "--github-summary", GITHUB_STEP_SUMMARY="")
    assert result.exit_code == 0
    assert "--github-summary writes nothing here: GITHUB_STEP_SUMMARY is not set." in result.stderr
    assert "<testsuite " in junit.read_text()


def test_units_of_a_file_are_resampled(tmp_path: Path) -> None:
    units = tmp_path / "units.csv"
    queries = sorted({line.split()[0] for line in Path(JUDGMENTS).read_text().splitlines()})
    units.write_text("query,user\n" + "".join(f"{query},u{number % 30}\n" for number, query in enumerate(queries)))
    data = json.loads(compare("-m", "AP", "--units", str(units), "--format", "json").stdout)
    assert data["settings"]["unit"] == "user"
    assert data["differences"][0]["units"] == 30
    assert "over users" in data["settings"]["said"][0]


def test_seeds_saved_evaluations_and_needed_queries(tmp_path: Path) -> None:
    result = call(
        "compare", JUDGMENTS, RUNS["keyword"], "--seeds", f"new={RUNS['hybrid']},{RUNS['semantic']}", "-m", "AP",
        "--unit", "run", "--format", "json", *QUICK,
    )  # fmt: skip
    data = json.loads(result.stdout)
    assert data["differences"][0]["units"] == 2
    for name, path in RUNS.items():
        rm.evaluate(JUDGMENTS, path, ["AP"], name=name).save(tmp_path / f"{name}.parquet")
    result = call(
        "compare", "--saved", *(str(tmp_path / f"{name}.parquet") for name in RUNS), "--needed", "0.01", *QUICK
    )
    assert result.exit_code == 0
    assert "finding a true difference of 0.01 between keyword and semantic" in result.stderr


def test_pool_writes_what_can_be_filled_in_and_read(tmp_path: Path) -> None:
    place = tmp_path / "pool.csv"
    done = call("pool", JUDGMENTS, *RUNS.values(), "--budget", "3", "--output", str(place))
    assert done.exit_code == 0
    assert f"{place}: 3 of {len(rm.pool(JUDGMENTS, RUNS)):,} unjudged items in the first 10 of 3 runs" in done.stderr
    rows = list(csv.DictReader(io.StringIO(place.read_text())))
    assert len(rows) == 3
    assert rows[0]["grade"] == ""
    filled = tmp_path / "filled.csv"
    filled.write_text(place.read_text().replace('""', "1"))
    assert rm.evaluate(filled, RUNS["hybrid"], ["P@1"])["P@1"] >= 0


def test_advise_speaks_text_and_json() -> None:
    result = call("advise", JUDGMENTS, *RUNS.values(), "--for", "search", "-m", "P@10")
    assert result.exit_code == 0
    assert "P@10" in result.stdout
    assert json.loads(call("advise", JUDGMENTS, "--format", "json").stdout)["k"] == 10


@pytest.mark.parametrize("command", ["compare", "pool", "advise"])
def test_help_has_examples(command) -> None:
    assert "Examples:" in call(command, "--help").stdout


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("q001,u1\nq001,u2\n", "query q001 belongs to u1 and to u2"),
        ("q001,u1\nq002,\n", "query q002 has no user"),
        ("q001,u1\n,u2\n", "a user has no query"),
    ],
)
def test_units_that_contradict_each_other_are_refused(rows: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "units.csv").write_text("query,user\n" + rows)
    result = compare("--units", str(tmp_path / "units.csv"))
    assert result.exit_code == 2
    assert said in result.stderr


def test_options_that_mean_nothing_together_are_refused(tmp_path: Path) -> None:
    units = tmp_path / "units.csv"
    units.write_text("query,user\nq001,u1\n")
    for args, said in (
        (["--units", str(units), "--unit", "run"], "--unit and --units"),
        (["--titles", f"queries={units}"], "Hint: --report report.html"),
        (["--titles", "queries=", "--report", str(tmp_path / "r.html")], "--titles queries= does not name a file"),
        (["--titles", "foo=a.csv", "--report", str(tmp_path / "r.html")], "Hint: --titles queries=a.csv"),
        (["--needed", "-0.01"], "--needed -0.01 is not possible"),
        (["--needed", "nan"], "--needed nan is not possible"),
        (["--needed", "1e-9", "--save", str(tmp_path / "c.zip")], "more than 1,000,000,000 units"),
        (["--figures", str(tmp_path / "f"), "--report", str(tmp_path / "f")], "is written by --report"),
        (["--output", str(tmp_path / "o.pdf")], "Hint: --format states what to write"),
        (["--output", str(tmp_path / "o.html")], "Hint: --report writes HTML"),
    ):
        result = compare(*args)
        assert result.exit_code == 2, args
        assert said in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["units.csv"]


def test_saved_files_are_named_in_what_is_said(tmp_path: Path) -> None:
    for name in ("keyword", "hybrid"):
        call(
            "evaluate",
            JUDGMENTS,
            RUNS[name],
            "-m",
            "AP" if name == "hybrid" else "AP,RR",
            "--save",
            str(tmp_path / name),
        )
    both = [str(tmp_path / name) for name in ("keyword", "hybrid")]
    call("compare", "--saved", *both, "-m", "AP", "--save", str(tmp_path / "c.zip"), *QUICK)
    said = {
        (both[0], str(tmp_path / "c.zip")): "c.zip is already a comparison",
        (both[0], RUNS["semantic"]): "Hint: Evaluation.save(path), or evaluate --save FILE, writes one",
        (*both,): "system 'hybrid': this evaluation has no 'RR'",
        (both[0],): "keyword was given. Hint: compare two or more; 'rankmeter evaluate JUDGMENTS RUN --save FILE'",
        (): "no saved evaluation was given",
    }
    for paths, expected in said.items():
        result = call("compare", "--saved", *paths)
        assert result.exit_code == 2
        assert expected in result.stderr


def test_saved_evaluations_may_be_seeds_and_take_nothing_that_comes_too_late(tmp_path: Path) -> None:
    for name, run in RUNS.items():
        call("evaluate", JUDGMENTS, run, "-m", "AP", "--save", str(tmp_path / name))
    two = f"dense={tmp_path / 'semantic'},{tmp_path / 'hybrid'}"
    result = call("compare", "--saved", str(tmp_path / "keyword"), "--seeds", two, "--format", "json", *QUICK)
    shown = {one["system"]: one for one in json.loads(result.stdout)["leaderboard"]}
    assert len(shown["dense"]["run_values"]) == 2
    for late in (["--folds", two], ["--queries", "common"], ["--catalogue", "items.csv"], ["--no-judgments"]):
        result = call("compare", "--saved", str(tmp_path / "keyword"), str(tmp_path / "hybrid"), *late)
        assert result.exit_code == 2
        assert f"so {late[0]} comes too late" in result.stderr


@pytest.mark.parametrize("saved", [False, True])
def test_seeds_that_both_systems_name_are_compared_seed_by_seed_in_any_order(tmp_path: Path, saved: bool) -> None:
    files = {name: str(tmp_path / name) if saved else run for name, run in RUNS.items()}
    if saved:
        for name, run in RUNS.items():
            call("evaluate", JUDGMENTS, run, "-m", "AP", "--save", files[name])
    first = [f"1:{files['keyword']}", f"2:{files['semantic']}", f"x y:{files['hybrid']}"]
    second = [f"1:{files['semantic']}", f"2:{files['hybrid']}", f"x y:{files['keyword']}"]
    told = []
    for order in (second, second[::-1], [one.partition(":")[2] for one in second]):
        several = [f"--seeds=a={','.join(first)}", f"--seeds=b={','.join(order)}", "--unit", "run", "--format", "json"]
        result = call("compare", *(["--saved"] if saved else [JUDGMENTS]), *several, "-m", "AP", *QUICK)
        pair = json.loads(result.stdout)["differences"][0]
        told.append((pair["p"], pair["low"], pair["high"], pair["detectable"]))
    assert told[0] == told[1]
    assert told[0] != told[2]


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (f"a=1:{RUNS['keyword']},{RUNS['hybrid']}", "some runs of the system name their seed, but "),
        (f"a=1:{RUNS['keyword']},1:{RUNS['hybrid']}", "the seed 1 has several runs: "),
        (f"a=1:missing.run,2:{RUNS['hybrid']}", "missing.run"),
    ],
)
def test_seeds_that_are_named_badly_are_refused_in_a_sentence(runs: str, message: str) -> None:
    result = call("compare", JUDGMENTS, RUNS["keyword"], "--seeds", runs, "--unit", "run")
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_evaluations_saved_against_other_judgments_are_refused(tmp_path: Path) -> None:
    changed = tmp_path / "changed.qrels"
    lines = Path(JUDGMENTS).read_text().splitlines()
    changed.write_text("\n".join([lines[0][:-1] + ("1" if lines[0][-1] == "0" else "0"), *lines[1:]]))
    for name, judgments in (("keyword", JUDGMENTS), ("hybrid", str(changed))):
        call("evaluate", judgments, RUNS[name], "-m", "AP", "--save", str(tmp_path / name))
    result = call("compare", "--saved", str(tmp_path / "keyword"), str(tmp_path / "hybrid"))
    assert result.exit_code == 2
    assert "'keyword' and 'hybrid' were evaluated against different judgments" in result.stderr


def test_a_folder_of_runs_is_answered_with_its_files(tmp_path: Path) -> None:
    result = call("compare", JUDGMENTS, str(tmp_path))
    assert result.exit_code == 2
    assert f"Hint: name the runs in it: {tmp_path}/*" in result.stderr


def test_runs_alone_are_compared_by_measures_of_lists() -> None:
    args = ["-m", "Coverage@10", "--catalogue", str(demo.data_path("items.csv")), "--format", "json"]
    result = call("compare", "--no-judgments", RUNS["keyword"], RUNS["hybrid"], *args, *QUICK)
    assert result.exit_code == 0
    assert {one["system"] for one in json.loads(result.stdout)["leaderboard"]} == {"keyword", "hybrid"}
    assert "these measures need them" in call("compare", "--no-judgments", *RUNS.values(), "-m", "RR").stderr


def test_csv_holds_no_nan(tmp_path: Path) -> None:
    (tmp_path / "j.qrels").write_text("q 0 a 0\n")
    for name in "xy":
        (tmp_path / f"{name}.run").write_text("q Q0 a 1 1.0 t\n")
    paths = [str(tmp_path / name) for name in ("j.qrels", "x.run", "y.run")]
    result = call("compare", *paths, "-m", "RR(empty=nan)", "--format", "csv", *QUICK)
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert row["difference"] == ""
    assert row["reason"]


def test_csv_has_the_slices_below_all_queries(tmp_path: Path) -> None:
    half = tmp_path / "half.csv"
    half.write_text("query,half\n" + "".join(f"q{n:03},{n % 2}\n" for n in range(1, 241)))
    result = compare("-m", "RR", "--by", f"{half}:half", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["by"], row["slice"]) for row in rows] == [("", ""), ("half", "0"), ("half", "1")]
    assert all(float(row["low"]) <= float(row["difference"]) <= float(row["high"]) for row in rows)
    assert "by" not in next(csv.DictReader(io.StringIO(compare("-m", "RR", "--format", "csv").stdout)))


@pytest.mark.parametrize(("page", "lang"), [("compare-systems.md", "en"), ("compare-systems.zh.md", "zh")])
def test_the_documented_table_is_what_is_printed(page: str, lang: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / "how-to" / page).read_text(encoding="utf-8")
    table = next(block for block in text.split("```\n") if block.startswith("   ") and "95%" in block)
    shown = call("compare", JUDGMENTS, *RUNS.values(), "-m", "nDCG@10", "--baseline", "semantic", "--lang", lang)
    assert [line.rstrip() for line in shown.stdout.splitlines()] == table.splitlines()


def test_files_about_other_queries_and_broken_files_are_said(tmp_path: Path) -> None:
    other, broken = tmp_path / "other.csv", tmp_path / "broken.zip"
    other.write_text("query,kind\nz1,a\nz2,b\n")
    broken.write_bytes(b"PK\x03\x04 and no more")
    sliced = compare("--by", str(other))
    assert sliced.exit_code == 2
    assert "--by covers none of the queries: it has z1, z2; queries are q001" in sliced.stderr
    units = compare("--units", str(other))
    assert units.exit_code == 2
    assert "these queries have no kind: q001" in units.stderr
    assert "broken.zip is not a saved" in call("compare", "--saved", str(broken)).stderr


OF_TESTS = (
    "p-values",
    "paired t",
    "intervals",
    "significantly",
    "not significantly worse",
    "first, marked",
    "differences and tests",
)
WHOLE = ("Coverage@10", "Gini@10")


def unjudged(measures: tuple[str, ...], *more: str):
    items = ["--catalogue", str(demo.data_path(demo.ITEMS))]
    asked = [word for measure in measures for word in ("-m", measure)]
    return call("compare", "--no-judgments", RUNS["keyword"], RUNS["hybrid"], *asked, *items, *more, *QUICK)


@pytest.mark.parametrize("measures", [WHOLE[:1], WHOLE])
@pytest.mark.parametrize("format", ["table", "markdown", "latex", "json"])
def test_nothing_is_said_of_tests_that_were_not_made(format: str, measures: tuple[str, ...]) -> None:
    result = unjudged(measures, "--format", format)
    assert result.exit_code == 0
    text = json.dumps(json.loads(result.stdout)["settings"]["said"]) if format == "json" else result.output
    assert "seed 0" in text
    assert not [words for words in OF_TESTS if words in text]
    assert "\n\n\n" not in result.output  # the table stands between two blank lines
    # Where one of the measures is tested, they are there.
    tested = unjudged((*measures, "ShortLists@10"), "--format", format).output
    assert not [words for words in ("p-values", "intervals") if words not in tested]


def test_a_page_without_judgments_says_why_it_has_no_lists(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    for measures, count in ((WHOLE[:1], "1 measure ·"), (WHOLE, "2 measures ·")):
        assert unjudged(measures, "--report", str(tmp_path / "r.html")).exit_code == 0
        shown, _, _ = (tmp_path / "r.html").read_text().partition('<script type="application/json"')
        assert count in shown
        assert "No judgments were given: there are no lists to show." in shown
        assert "saved evaluations" not in shown
        assert not [words for words in OF_TESTS[:5] if f"{words}:" in shown or f"★ first, or {words}" in shown]
