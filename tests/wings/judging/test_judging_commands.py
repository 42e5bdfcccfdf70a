"""Commands about judges: every format, both languages, what is refused."""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import click
import pytest
from click.testing import CliRunner, Result

import rankmeter as rm
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


@pytest.fixture
def drawn(tmp_path: Path) -> dict[str, Path]:
    """Machine judgments, two runs, and queries that were drawn and judged."""
    grades = {(query, item): (query * item + item) % 4 for query in range(30) for item in range(6)}
    machine = tmp_path / "machine.qrels"
    machine.write_text("".join(f"q{query} 0 d{item} {grade}\n" for (query, item), grade in grades.items()))
    places = {"machine": machine}
    for name, sign in (("old", 1), ("new", -1)):
        places[name] = tmp_path / f"{name}.run"
        places[name].write_text(
            "".join(f"q{query} Q0 d{item} 0 {sign * item + (query * item) % 3} x\n" for query, item in grades)
        )
    place = tmp_path / "to_judge.csv"
    result = run("draw", machine, "--queries", 12, "--seed", 3, "--output", place)
    assert result.exit_code == 0, result.stderr
    assert "seed 3" in result.stderr
    head, *rows = place.read_text().splitlines()
    assert head == "query,item,grade,query_chance"
    filled = [row.split(",") for row in rows]
    judged = [
        (q, d, str(max(grades[int(q[1:]), int(d[1:])] - int(d[1:]) % 2, 0)), chance) for q, d, _, chance in filled
    ]
    places["people"] = tmp_path / "people.csv"
    places["people"].write_text("\n".join([head, *map(",".join, judged)]))
    return places


def test_evaluate_with_a_machine(drawn):
    command = ("evaluate", drawn["people"], drawn["old"], "-m", "nDCG@5", "--assisted-by", drawn["machine"])
    result = run(*command, "--needed", 0.05)
    assert result.exit_code == 0, result.stderr
    assert "people and machine" in result.stdout
    assert "people judged 12 of 30 queries, drawn at random with the recorded chance" in result.stdout
    assert "±0.05" in result.stdout
    told = json.loads(run(*command, "--format", "json", "--needed", 0.05).stdout)
    assert told["needed"]["half_width"] == 0.05
    assert told["values"][0]["judged"] == 12
    both = run("evaluate", drawn["people"], drawn["old"], drawn["new"], "-m", "nDCG@5", "--assisted-by",
               drawn["machine"], "--format", "csv")  # fmt: skip
    assert len(both.stdout.splitlines()) == 3
    assert "\\begin{tabular}" in run(*command, "--format", "latex").stdout


def test_compare_with_a_machine(drawn, tmp_path):
    page = tmp_path / "report.html"
    command = (
        "compare",
        drawn["people"],
        drawn["old"],
        drawn["new"],
        "-m",
        "nDCG@5",
        "--assisted-by",
        drawn["machine"],
    )
    result = run(*command, "--report", page, "--needed", 0.1)
    assert result.exit_code == 0, result.stderr
    assert "Differences" in result.stdout
    assert 'id="assisted"' in page.read_text("utf-8")
    assert "人工加机器" in run(*command, "--lang", "zh").stdout
    assert json.loads(run(*command, "--format", "json").stdout)["assisted"]["values"][2]["other"]


def test_draws_of_items_and_what_cannot_be_drawn(drawn, tmp_path):
    place = tmp_path / "items.csv"
    assert run("draw", drawn["machine"], drawn["old"], "--items", 40, "-m", "DCG@3", "--output", place).exit_code == 0
    assert place.read_text().startswith("query,item,grade,item_chance,item_depth\n")
    told = json.loads(run("draw", drawn["machine"], "--queries", 5, "--format", "json").stdout)
    assert {row["query_chance"] for row in told["rows"]} == {5 / 30}
    for args in ((), (drawn["machine"],), (drawn["machine"], "--items", 9), (drawn["machine"], "--queries", 99)):
        result = run("draw", *args)
        assert result.exit_code == 2
        assert "Hint:" in result.stderr
    refused = run("evaluate", drawn["people"], drawn["old"], "--needed", 0.1)
    assert refused.exit_code == 2
    assert "--assisted-by machine.qrels" in refused.stderr


def test_leaderboards_in_every_format(drawn):
    command = ("leaderboards", drawn["machine"], drawn["machine"], drawn["old"], drawn["new"], "-m", "nDCG@5 P@3")
    assert "the best system stays the best" in run(*command).stdout
    assert set(json.loads(run(*command, "--format", "json").stdout)["boards"]) == {"nDCG@5", "P@3"}
    assert len(run(*command, "--format", "csv").stdout.splitlines()) == 5
    assert "两种标注下的排行榜" in run(*command, "--lang", "zh", "--format", "markdown").stdout
    refused = run("leaderboards", drawn["machine"], drawn["machine"], drawn["old"])
    assert refused.exit_code == 2
    assert "Hint:" in refused.stderr


def test_nuggets_and_their_judges(tmp_path):
    for name, last in (("people", "not_support"), ("machine", "support")):
        rows = ["query,nugget,importance,support", "q,a,vital,support", f"q,b,okay,{last}"]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    people, machine = tmp_path / "people.csv", tmp_path / "machine.csv"
    told = json.loads(run("nuggets", people, "--format", "json").stdout)
    assert {one["score"]: one["value"] for one in told["scores"]}["weighted"] == pytest.approx(2 / 3)
    assert "vital, strict" in run("nuggets", people).stdout
    assert "要点" in run("nuggets", people, "--lang", "zh").stdout
    both = json.loads(run("nuggets", people, "--against", machine, "--format", "json").stdout)
    assert both["judges"] == ["people", "machine"]
    assert both["coefficients"]["agreement"]["value"] == 0.5
    refused = run("nuggets", people, "--columns", "nugget=fact")
    assert refused.exit_code == 2


def test_silence_in_every_format(drawn):
    command = ("silence", drawn["machine"], drawn["old"], "-m", "nDCG@5", "--cut", 1, "--cut", 3)
    result = run(*command)
    assert result.exit_code == 0, result.stderr
    assert "false returns" in result.stdout
    assert [one["cut"] for one in json.loads(run(*command, "--format", "json").stdout)["cuts"]] == [None, 1, 3]
    assert "误返回率" in run(*command, "--lang", "zh").stdout
    refused = run("silence", drawn["machine"], drawn["old"], "-m", "DCG@5")
    assert refused.exit_code == 2
    assert "Hint:" in refused.stderr


def test_evidence_in_every_format(tmp_path):
    files = {
        "gold": ["D1,20,60", "D1,100,120", "D2,0,30"], "small": ["D1,0,50", "D1,40,90", "D1,110,160", "D2,100,150"],
        "large": ["D1,0,200", "D2,0,200"],
    }  # fmt: skip
    for name, spans in files.items():
        rows = "".join(f"q,{span}\n" for span in spans)
        (tmp_path / f"{name}.csv").write_text(f"query,document,start,end\n{rows}")
    gold, small, large = (tmp_path / f"{name}.csv" for name in files)
    told = run("evidence", gold, small, "--cutoffs", "1,4", "--rule", "any", "-m", "alpha_nDCG@5 StRecall@5")
    assert told.exit_code == 0, told.stderr
    assert "0.7738" in told.stdout
    both = json.loads(run("evidence", gold, small, large, "--budgets", "60,190", "--format", "json").stdout)
    assert both["systems"] == ["small", "large"]
    assert {row["size"] for row in both["scores"] if row["by"] == "characters"} == {60, 190}
    page = tmp_path / "chunkings.html"
    assert run("evidence", gold, small, large, "--output", page, "--lang", "zh").exit_code == 0
    assert "相同字符数" in page.read_text("utf-8")
    assert "<svg" in page.read_text("utf-8")
    assert run("evidence", gold, small, "--format", "csv").stdout.startswith("system,by,size,score,value,low,high")
    for wrong in (("--unit", "tokens"), ("--cutoffs", "none"), ("--columns", "place=x"), ("--share", 2)):
        refused = run("evidence", gold, small, *wrong)
        assert refused.exit_code == 2
        assert "Hint:" in refused.stderr
        assert not refused.stdout


def test_a_book_with_a_column_for_each_judge(tmp_path):
    book = tmp_path / "book.csv"
    book.write_text("query,docid,Ann,Ben,Cleo\nred dress,a,3,2,\nred dress,b,0,1,0\n")
    told = run("judges", book, "--judgments-format", "book", "--scale", "0..3", "--format", "json")
    assert told.exit_code == 0, told.stderr
    assert json.loads(told.stdout)["judges"] == ["Ann", "Ben", "Cleo"]
    book.write_text("query,docid,Ann\nred dress,a,3\n")
    refused = run("judges", book, "--judgments-format", "book")
    assert refused.exit_code == 2
    assert "Hint:" in refused.stderr


@pytest.mark.parametrize(
    "text", ['{"took": 3, "hits": {"hits": [{"_id": "a", "_score": 2.0}]}}', '[{"hits": [1, "a"]}]', "a,b\n1,2\n"]
)
def test_what_is_no_pool_is_said_so(tmp_path, text):
    place = tmp_path / "pool.json" if text[0] in "[{" else tmp_path / "pool.csv"
    place.write_text(text)
    refused = run("judge", place, "--out", tmp_path / "page.html")
    assert refused.exit_code == 2
    assert "is not a pool" in refused.stderr
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--items", "strange.csv"), "contains none of the ids to be judged, such as a"),
        (("--queries", "strange.csv"), "contains none of the ids to be judged, such as q1"),
        (("--labels", "0=no,9=yes"), "a label for 9, which is not one of the grades 0, 1, 2, 3"),
        (("--labels", "2=yes", "--grades", "0..1"), "a label for 2, which is not one of the grades 0, 1"),
    ],
)
def test_what_a_page_could_not_show_is_refused(tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pool.csv").write_text("query,item\nq1,a\nq1,b\n")
    (tmp_path / "strange.csv").write_text("id,text\nx,something\n")
    refused = run("judge", "pool.csv", *options, "--out", "page.html")
    assert refused.exit_code == 2
    assert words in refused.stderr
    assert "Hint:" in refused.stderr
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("judged", [0, 4, 7])
def test_a_draw_says_how_much_is_left_to_judge(tmp_path, judged):
    machine, people = tmp_path / "machine.csv", tmp_path / "people.csv"
    machine.write_text(
        "query,item,grade\n" + "".join(f"q{query},d{item},1\n" for query in range(20) for item in (1, 2))
    )
    people.write_text(
        "query,item,grade\n" + "".join(f"q{query},d{item},1\n" for query in range(judged) for item in (1, 2))
    )
    told = run("draw", machine, "--queries", 9, *(("--judged", people) if judged else ()))
    assert f"{2 * (9 - judged)} pairs to judge in {9 - judged} queries" in told.stderr


def test_recorded_chances_are_not_said_to_be_unused(drawn):
    told = run("evaluate", drawn["people"], drawn["old"], "-m", "nDCG@5", "--assisted-by", drawn["machine"])
    assert "not used" not in told.stdout + told.stderr


def test_coefficients_say_what_they_mean_in_a_narrow_terminal(files):
    people, machine = files
    told = CliRunner(env={"COLUMNS": "60"}).invoke(app, ["judges", str(people), str(machine), "--scale", "0..3"])
    assert "Gwet's" in told.stdout


CALLED = {
    "judge draw": rm.draw,
    "evidence": rm.evidence,
    "judge agreement": rm.judges,
    "judge leaderboards": rm.leaderboards,
    "nuggets": rm.nuggets,
}
TOLD_APART = {"lang", "format", "format_"}
"""Choices of the command line alone."""


def literals(annotation: object) -> tuple[str, ...]:
    """The words of an annotation, also where it is one of several kinds."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(word for part in get_args(annotation) for word in literals(part))


@pytest.mark.parametrize("name", CALLED)
def test_the_choices_of_a_command_are_those_of_its_function(name):
    """They are written twice, as loading the function would take longer than showing the help."""
    parameters = inspect.signature(CALLED[name]).parameters
    hints = get_type_hints(CALLED[name], vars(sys.modules[CALLED[name].__module__]))
    command = app.get_command(click.Context(app), name)
    assert command is not None
    choices = {
        option.name: list(option.type.choices)
        for option in command.params
        if isinstance(option.type, click.Choice) and option.name not in TOLD_APART
    }
    worded = {name: list(words) for name, hint in hints.items() if (words := literals(hint)) and name != "return"}
    assert {name: words for name, words in worded.items() if name in choices} == choices
    assert worded.keys() - choices.keys() <= {"correction"}
    for option in command.params:
        if option.name in choices:
            assert option.default == parameters[option.name].default


WRITTEN = {
    "draw": ("draw", "{machine}", "--queries", "5"),
    "judges": ("judges", "{people}", "{machine}"),
    "evidence": ("evidence", "{gold}", "{chunks}"),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_command_says_where_it_wrote(files, tmp_path, name, lang):
    gold, chunks = tmp_path / "gold.csv", tmp_path / "chunks.csv"
    gold.write_text("query,document,start,end\nq,D,0,10\n")
    chunks.write_text("query,document,start,end,rank\nq,D,0,20,1\n")
    places = {"people": files[0], "machine": files[1], "gold": gold, "chunks": chunks}
    call = [part.format(**places) for part in WRITTEN[name]]
    place = tmp_path / "made.csv"
    told = run(*call, "--output", place, "--lang", lang)
    assert told.exit_code == 0, told.stderr
    assert place.exists()
    assert str(place) in told.stderr
    assert str(place) not in run(*call, "--output", place, "--quiet").stderr


@pytest.mark.parametrize("column", ["rank", "score"])
def test_gold_and_chunks_in_the_wrong_order_are_noticed(tmp_path, column):
    gold, chunks = tmp_path / "gold.csv", tmp_path / "chunks.csv"
    gold.write_text("query,document,start,end\nq,D,0,10\n")
    chunks.write_text(f"query,document,start,end,{column}\nq,D,0,20,1\nq,D,30,60,2\n")
    told = run("evidence", chunks, gold)
    assert told.exit_code == 2
    assert "are the two swapped?" in told.stderr
    assert "rankmeter evidence GOLD CHUNKS" in told.stderr
    assert run("evidence", gold, chunks).exit_code == 0
