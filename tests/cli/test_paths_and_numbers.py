"""All commands alike, as click knows them: no output overwrites an input, and every number stands its ends."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter import demo
from rankmeter.cli import app
from rankmeter.cli.application import COMMANDS
from rankmeter.cli.parameters import Command, Reads, Writes, WritesEach
from rankmeter.measures import REGISTRY
from rankmeter.measures.dialects import dialect_names
from rankmeter.wording.characters import width_of


def _commands(group: click.Group = app, name: str = "") -> Iterator[tuple[str, click.Command]]:
    ctx = click.Context(group)
    for part in group.list_commands(ctx):
        inner = group.get_command(ctx, part)
        assert inner is not None
        if isinstance(inner, click.Group):
            yield from _commands(inner, f"{name}{part} ")
        else:
            yield f"{name}{part}", inner


ALL = dict(_commands())
PATHLIKE = re.compile(r"FILE|RUN|JUDGMENTS|EVENTS|LOG|PAST|CLICKS|DIR|FOLDER|PATH")
NOT_FILES = {("trec_eval", "arguments")}
"""Read as trec_eval reads them; that command writes nothing."""


def _paths(kind: type | tuple[type, ...]) -> list[tuple[str, str]]:
    return [(name, str(one.name)) for name, it in ALL.items() for one in it.params if isinstance(one.type, kind)]


def test_every_parameter_that_is_a_path_says_whether_it_is_read_or_written() -> None:
    assert set(ALL) >= set(COMMANDS) - {"interleave"}
    for name, command in ALL.items():
        for parameter in command.params:
            is_path = isinstance(parameter.type, (Reads, Writes, WritesEach))
            assert is_path or not isinstance(parameter.type, (click.Path, click.File)), (name, parameter.name)
            looks = PATHLIKE.search(parameter.metavar or "") and (name, parameter.name) not in NOT_FILES
            assert is_path or not looks, (name, parameter.name)
            if is_path:
                assert isinstance(command, Command), name


def _spelled(parameter: click.Parameter, path: str) -> str:
    """A path as it is typed for this parameter."""
    return {"by": f"{path}:kind", "seeds": f"x={path},{path}", "folds": f"x={path}", "titles": f"queries={path}"}.get(
        str(parameter.name), path
    )


def _line(command: click.Command, given: dict[str, str]) -> list[str]:
    """A call with these values, and something for everything that is required."""
    words: list[str] = []
    arguments: list[str] = []
    for parameter in command.params:
        value = given.get(str(parameter.name))
        if isinstance(parameter, click.Argument):
            if value is not None:
                arguments += [value] if parameter.nargs == 1 else ["other", value, "more"]
            elif parameter.required or parameter.nargs == -1:
                arguments += ["other"] if parameter.nargs == 1 else ["other", "more"]
        elif value is not None:
            words += [parameter.opts[-1], value]
        elif parameter.required:
            words += [parameter.opts[-1], "something"]
    return [*words, *arguments]


FOLDERS = {
    (name, str(one.name))
    for name, it in ALL.items()
    for one in it.params
    if isinstance(one.type, Writes) and one.type.folder
}
"""A folder is not a file; what is written into it has names of its own."""
PAIRS = [
    (name, read, written)
    for (name, read), (same, written) in itertools.product(_paths(Reads), _paths((Writes, WritesEach)))
    if name == same and (name, written) not in FOLDERS
]


@pytest.mark.parametrize("spelling", ["the same", "a link", "dots"])
@pytest.mark.parametrize(("name", "read", "written"), PAIRS, ids=[" ".join(pair) for pair in PAIRS])
def test_no_command_overwrites_what_it_reads(name, read, written, spelling, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ALL[name]
    parameters = {str(one.name): one for one in command.params}
    Path("mine.txt").write_text("kept")
    Path("link.txt").symlink_to("mine.txt")
    Path("folder").mkdir()
    place = {"the same": "mine.txt", "a link": "link.txt", "dots": "folder/../mine.txt"}[spelling]
    given = {read: _spelled(parameters[read], "mine.txt"), written: place}
    line = _line(command, given)
    if read == "labelled":  # in place of judgments and a run
        line = [word for word in line if word not in ("other", "more")]
    if name == "evaluate" and read == "paths":  # one run, for --save
        line.remove("more")
    result = CliRunner().invoke(app, [*name.split(), *line])
    assert result.exit_code == 2, result.output
    assert "would overwrite a file: mine.txt is read as input" in result.stderr, result.stderr
    assert Path("mine.txt").read_text() == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link.txt", "mine.txt"]


@pytest.mark.parametrize("read", [read for name, read in _paths(Reads) if name == "compare"])
def test_no_summary_of_a_step_is_appended_to_what_is_read(read, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.txt").write_text("kept")
    parameter = next(one for one in ALL["compare"].params if one.name == read)
    line = _line(ALL["compare"], {read: _spelled(parameter, "mine.txt")})
    for place in ("mine.txt", str(tmp_path / "mine.txt")):
        result = CliRunner(env={"GITHUB_STEP_SUMMARY": place}).invoke(app, ["compare", *line, "--github-summary"])
        assert result.exit_code == 2, result.output
        assert f"--github-summary {place} would overwrite a file: mine.txt is read as input" in result.stderr
        assert Path("mine.txt").read_text() == "kept"


def test_no_summary_of_a_step_is_appended_to_what_is_written(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["compare", "a", "b", "c", "--save", "both", "--github-summary"]
    result = CliRunner(env={"GITHUB_STEP_SUMMARY": "both"}).invoke(app, line)
    assert result.exit_code == 2
    assert "--github-summary both would overwrite a file: both is written by --save" in result.stderr


def test_a_file_of_a_pattern_or_folder_is_not_overwritten(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    demo.write_data(tmp_path)
    before = Path("keyword.run").read_bytes()
    for given in ("key*.run", "."):
        result = CliRunner().invoke(app, ["evaluate", "judgments.qrels", given, "--output", "keyword.run"])
        assert "keyword.run is read as input" in result.stderr
    assert Path("keyword.run").read_bytes() == before


NUMBERS = [
    (name, str(one.name))
    for name, command in ALL.items()
    for one in command.params
    if isinstance(one.type, (click.types.IntParamType, click.types.FloatParamType))
]
CALLS = {
    "evaluate": "judgments.qrels keyword.run",
    "compare": "judgments.qrels keyword.run hybrid.run -m RR --permutations 100 --resamples 100 --test t",
    "judge pool": "judgments.qrels keyword.run",
    "advise": "judgments.qrels",
    "reconcile": "judgments.qrels keyword.run --claim RR=0.5 --limit 5",
    "online": "events.csv -m CTR --by variant",
    "interleave make": "keyword.run hybrid.run",
    "interleave score": "clicks.csv",
    "agreement": "past.csv --offline AP",
    "counterfactual": "choices.csv",
    "judge agreement": "judgments.qrels judgments.qrels",
    "judge leaderboards": "judgments.qrels judgments.qrels keyword.run hybrid.run -m RR",
    "silence": "judgments.qrels keyword.run -m RR",
    "judge draw": "machine.qrels keyword.run --items 4 -m DCG@3",
    "nuggets": "nuggets.csv",
    "evidence": "spans.csv spans.csv --cutoffs 1",
    "judgments-from-clicks": "events.csv --columns query=country --examination 1,0.5",
    "judge page": "pool.csv --out page.html",
    "fuse": "keyword.run hybrid.run",
    "tune": "judgments.qrels keyword.run hybrid.run -m RR --folds 2 --fast --grid how=rrf --grid weights=2",
    "ablate": "judgments.qrels keyword.run hybrid.run -m RR",
    "split": "interactions.csv --how random(0.5)",
    "baselines": "interactions.csv --out lists",
    "check": "--function metric_of_a_stranger:precision --as P@10",
    "audit": "table.csv --queries 943",
    "across": "scores.csv",
    "ann-recall": "keyword.run hybrid.run",
    "history": "past",
}
WITHOUT_NUMBERS = {
    "explain": "nDCG@10",
    "measures": "",
    "dialects": "",
    "table": "spots.csv --id SpotID --group theme --truth Check --score weighted_sentiment_score",
    "demo": "--output made",
    "protocol": "interactions.csv later.csv",
}
OTHERS_OWN = {"trec_eval", "rank_eval"}
"""Commands that print what another program prints, letter by letter."""
ENDS = ["0", "-1", "1", str(2**31 - 1), str(2**31), str(2**63), "9" * 20, "9" * 5000, "nan", "inf", "-inf", "1e308",
        "-1e308", "5e-324", "", " ", "1_000", "٣"]  # fmt: skip
COSTLY = {"permutations", "resamples", "limit"}
"""Numbers of repetitions: a large one is honoured, and takes its time."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("numbers")
    demo.write_data(place)
    for name in ("judgments.qrels", "keyword.run", "hybrid.run"):
        lines = [
            line for line in (place / name).read_text().splitlines() if line.split()[0] in ("q001", "q002", "q003")
        ]
        (place / name).write_text("\n".join(lines) + "\n")
    (place / "events.csv").write_text("\n".join((place / "events.csv").read_text().splitlines()[:200]) + "\n")
    run = [line.split() for line in (place / "keyword.run").read_text().splitlines()]
    (place / "machine.qrels").write_text("".join(f"{row[0]} 0 {row[2]} {len(row[2]) % 3}\n" for row in run))
    (place / "clicks.csv").write_text("user,request,team\nu1,r1,A\nu2,r2,B\nu3,r3,A\n")
    labels = "query,system,nugget,importance,support\nq1,a,n1,vital,support\nq1,a,n2,okay,not_support\n"
    (place / "nuggets.csv").write_text(labels)
    (place / "spans.csv").write_text("query,document,start,end\nq1,D,0,40\nq2,D,90,120\n")
    (place / "pool.csv").write_text("query,item\nq1,a\nq1,b\n")
    days = [(user, item, item + 7 * (item > user)) for user in range(1, 5) for item in range(1, 7)]
    for name, part in (
        ("interactions.csv", days),
        ("later.csv", [(user, item, 20) for user, item in ((1, 8), (2, 3))]),
    ):
        rows = "".join(f"u{user},i{item},{day}\n" for user, item, day in part)
        (place / name).write_text(f"user,item,time\n{rows}")
    (place / "metric_of_a_stranger.py").write_text(
        "def precision(retrieved, relevant, k):\n    return len(set(retrieved[:k]) & set(relevant)) / k\n"
    )
    (place / "table.csv").write_text("model,HR@5,HR@10,NDCG@10\na,0.2301,0.3574,0.1993\nb,0.2153,0.3012,0.1700\n")
    (place / "scores.csv").write_text("model,t1,t2,t3,t4\na,0.1,0.2,0.3,0.4\nb,0.2,0.1,0.4,0.5\nc,0.3,0.3,0.2,0.6\n")
    history = rm.History(place / "past")
    for name in ("keyword", "hybrid"):
        ev = rm.evaluate(place / "judgments.qrels", place / f"{name}.run", ["RR"])
        history.append(ev, system="search", commit="4f2a91c", time="2026-03-01")
    (place / "past.csv").write_text("online,AP\n0.1,0.2\n-0.1,-0.3\n0.2,0.1\n0.3,0.4\n")
    (place / "choices.csv").write_text("reward,logged,target\n1,0.5,0.4\n0,0.5,0.6\n1,0.2,0.3\n")
    return place


def _words(name: str, call: str) -> list[str]:
    """A call, for which there is room: no folder is written twice."""
    shutil.rmtree("lists", ignore_errors=True)
    return [*name.split(), *call.split()]


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_to_which_odd_numbers_are_added_work(name, folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(app, _words(name, CALLS[name]))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(("name", "option"), NUMBERS, ids=[" ".join(pair) for pair in NUMBERS])
def test_every_number_at_its_ends_is_a_result_or_a_sentence(name, option, folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    parameter = next(one for one in ALL[name].params if one.name == option)
    for value in ENDS:
        if option in COSTLY and value == str(2**31 - 1):
            continue
        line = [*_words(name, CALLS[name]), f"{parameter.opts[-1]}={value}" if len(parameter.opts[-1]) > 2
                else f"{parameter.opts[-1]}{value}"]  # fmt: skip
        result = CliRunner().invoke(app, line)
        assert result.exception is None or isinstance(result.exception, SystemExit), (value, result.exception)
        assert result.exit_code in (0, 1, 2), value
        assert result.exit_code != 2 or len(result.stderr) < 10_000, value


SHOWN = {name: call for name, call in {**CALLS, **WITHOUT_NUMBERS}.items() if name not in OTHERS_OWN}
SENTENCE = re.compile(r"[A-Za-z]{2,}(?:,? [a-z]{2,}){3,}")
"""Four English words in a row."""
HAN = re.compile("[\u4e00-\u9fff]")
CITED = {"dialects": "Five notes on ranking metrics"}
"""Titles of papers stay in the language they were written in."""


def test_every_command_is_called() -> None:
    assert set(SHOWN) | OTHERS_OWN == set(ALL)


def _in_chinese(*words: str) -> tuple[int, str, list[str]]:
    """How a call ends, what it says, and what of that is English."""
    result = CliRunner().invoke(app, [*words, "--lang", "zh"])
    said = re.sub(r"(?m)^ *>>> .*", "", result.output.replace(CITED.get(words[0], "no title"), ""))  # Python is Python
    return result.exit_code, said, SENTENCE.findall(re.sub("`rankmeter [^`]*`|rankmeter judge \\w+", "", said))


@pytest.mark.parametrize("name", SHOWN)
def test_every_command_speaks_chinese(name, folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    for own in [own for own, measure in REGISTRY.items() if measure.custom]:
        monkeypatch.delitem(REGISTRY, own)  # another test's, which is described as its author did
    code, said, english = _in_chinese(*_words(name, SHOWN[name]))
    assert (code, english) == (0, [])
    assert HAN.search(said) or name == "interleave make"  # which says nothing where all is well


@pytest.mark.parametrize("name", SHOWN)
def test_every_command_refuses_in_chinese(name, folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    call = _words(name, SHOWN[name])
    files = [word for word in call if (folder / word).is_file() and word != "page.html"]
    wrong = [["--no-such-option"], *([["--format", "no-such"]] if _takes(name, "format_") else [])]
    wrong += [[option, "no-number"] for option in _number_options(name)]
    broken = [[*call, *words] for words in wrong] + [
        ["no-such-file" if word == file else word for word in call] for file in files
    ]
    broken += [name.split()] if files else []
    for words in broken:
        code, said, english = _in_chinese(*words)
        assert (code, english) == (2, []), words
        assert HAN.search(said), words


def _takes(name: str, parameter: str) -> bool:
    return any(one.name == parameter for one in ALL[name].params)


def _number_options(name: str) -> list[str]:
    numeric = (click.types.IntParamType, click.types.FloatParamType)
    return [one.opts[-1] for one in ALL[name].params if isinstance(one.type, numeric)]


class _Terminal(io.StringIO):
    """What a command takes for a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def _on_terminal(monkeypatch, width: int, *words: str) -> list[str]:
    """The lines that a terminal of some width shows on standard output."""
    shown = _Terminal()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as end:
        app.main(list(words))
    assert end.value.code == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.getvalue()).splitlines()


LONG = "a-system-with-a-name-of-sixty-characters-and-not-one-more-it"
MANY = "-m nDCG@10 -m AP -m RR -m P@10 -m R@100 -m Success@5"
WIDE = {
    "evaluate": f"judgments.qrels {LONG}.run hybrid.run {MANY} --interval",
    "evaluate --per-query": f"judgments.qrels {LONG}.run hybrid.run {MANY}",
    "compare --details": f"judgments.qrels {LONG}.run hybrid.run {MANY} --permutations 100 --resamples 100",
    "compare": f"judgments.qrels {LONG}.run keyword.run hybrid.run {MANY} --permutations 100 --resamples 100",
    **{f"dialects {name}": "" for name in dialect_names()},
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize(("name", "call"), [*(one for one in SHOWN.items() if one[0] != "fuse"), *WIDE.items()])
def test_everything_fits_the_width_of_the_terminal(name, call, width, lang, folder, monkeypatch) -> None:
    """Rows of a run, which `fuse` prints, are data: they are not broken."""
    monkeypatch.chdir(folder)
    (folder / f"{LONG}.run").write_bytes((folder / "keyword.run").read_bytes())
    lines = _on_terminal(monkeypatch, width, *_words(name, call), "--lang", lang)
    assert [line for line in lines if width_of(line) > width] == []


@pytest.mark.parametrize("name", [name for name, call in SHOWN.items() if name != "demo"])
def test_what_is_piped_is_the_same_for_every_terminal(name, folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    piped = set()
    for width in ("40", "80", "300"):
        monkeypatch.setenv("COLUMNS", width)
        piped.add(CliRunner().invoke(app, _words(name, SHOWN[name])).stdout)
    assert len(piped) == 1
