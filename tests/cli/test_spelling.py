"""Messages on the command line name its options, and hints name only what is near."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli.application import app
from rankmeter.errors import did_you_mean

QRELS = "q1 0 a 1\nq2 0 b 1\n"
RUN = "q1 Q0 a 1 2.0 s\nq2 Q0 b 1 1.0 s\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judgments.qrels").write_text(QRELS)
    (tmp_path / "c.run").write_text(RUN)
    (tmp_path / "bm25.run").write_text(RUN)
    (tmp_path / "clicks.csv").write_text("uid,docid_x,label\n1,a,1\n")
    (tmp_path / "events.csv").write_text("time,user,type,item\n1,u,impression,a\n2,u,click,a\n")
    return tmp_path


def told(*args: str) -> str:
    result = CliRunner().invoke(app, list(args))
    assert result.exit_code == 2
    return result.stderr


@pytest.mark.parametrize(
    ("line", "right", "wrong"),
    [
        ("evaluate judgments.qrels c.run -m Coverage@10", "pass --catalogue (a file", "catalogue="),
        ("compare judgments.qrels c.run bm25.run --baseline x", "--baseline is the name", "baseline="),
        ("compare judgments.qrels c.run bm25.run --margin -1", "--margin -1.0 is not possible", "margin="),
        ("compare judgments.qrels c.run bm25.run --unit run", "--seeds NAME=run1,run2 gives", "seeds("),
        ("compare judgments.qrels c.run bm25.run --level 0.1", "--level 0.1 is not possible", "power="),
        ("compare judgments.qrels c.run", "evaluate measures one", "compare("),
        ("online events.csv --segments country", "no column 'country', named as the segment", "columns="),
        ("online clicks.csv", "--columns time=NAME,type=NAME; the time column is", "docid_x\n"),
        ("evaluate judgments.qrels nosuch.run", "file not found: nosuch.run", "did you mean"),
        ("evaluate judgments.qrels nosuch.run", "Hint: looked in /", "did you mean"),
        ("evaluate judgments.qrels bm52.run", "did you mean 'bm25.run'", "Python"),
        ("interleave score clicks.csv", "--columns request=NAME,team=NAME", "columns="),
        ("agreement clicks.csv --offline label", "--online NAME", "online="),
        ("online events.csv -m nDCG@10", "or: rankmeter evaluate JUDGMENTS RUN", "compare a run"),
        ("explain judgments.qrels c.run AP", "judgments.qrels is a file; a measure must come first", "not expected"),
        ("explain AP --query q1", "judgments and a run are missing", "a run is missing"),
        ("explain AP c.run judgments.qrels --query q1", "judgments come first, then the run", "evaluate"),
        ("reconcile judgments.qrels c.run --between sklearn -m AP", "takes two tools, not 1", "1 tools"),
    ],
)
def test_messages_speak_the_language_of_the_command_line(files, line: str, right: str, wrong: str) -> None:
    said = told(*line.split())
    assert right in said
    assert wrong not in said


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_advice_names_the_option(files, lang: str) -> None:
    result = CliRunner().invoke(app, ["advise", "judgments.qrels", "--lang", lang])
    assert result.exit_code == 0
    assert "--for recommendation" in result.stdout
    assert "purpose=" not in result.stdout


def test_only_near_names_are_offered() -> None:
    assert did_you_mean("kind", ["id", "text"]) == ""
    assert did_you_mean("kinds", ["id", "kind"]) == "did you mean 'kind'?"
    assert did_you_mean("odl", ["old", "new"]) == "did you mean 'old'?"
    with pytest.raises(rm.MeasureError, match="did you mean 'CTR'"):  # CVR has as many letters in common
        rm.parse("CRT")


@pytest.mark.parametrize("line", ["evaluate {} c.run", "evaluate judgments.qrels {}"])
def test_a_file_that_only_its_folder_named_is_put_down_to_the_folder(files, line: str) -> None:
    (files / "mixed").mkdir()
    (files / "mixed" / "notes.csv").write_text("when,what\n1,2\n")
    said = told(*line.format("mixed").split())
    assert said.startswith("rankmeter: mixed/notes.csv has no query")
    assert "mixed is a folder, and all files in it are read as one: name the file that is meant" in said
    assert "is a folder" not in told(*line.format("mixed/notes.csv").split())


def test_a_chinese_list_of_measures_says_in_chinese_which_numbers_are_possible() -> None:
    listed = CliRunner().invoke(app, ["measures", "Rprec", "--lang", "zh"]).stdout
    assert "mult=(1, 大于 0 且不大于 1000 的数)" in listed
    assert "number" not in listed


def test_scores_by_position_are_sent_to_arrays() -> None:
    with pytest.raises(rm.InputError, match=r"as scikit-learn takes them, are rm\.arrays\(run\)"):
        rm.evaluate([[1, 0, 1]], [[0.1, 0.2, 0.3]])
