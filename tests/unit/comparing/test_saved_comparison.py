"""A comparison in one file: what is loaded says, shows and answers what was saved."""

from __future__ import annotations

import json
import pickle
import re
import zipfile
from typing import get_args

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter import demo
from rankmeter.cli import app
from rankmeter.stats.intervals import IntervalMethod

TRUTH = {f"q{i}": {"a": 1, "b": 0} for i in range(12)} | {"q12": {"a": 0}}
ONE = {f"q{i}": {"a": 1.0, "x": 1.0, "b": 0.5} if i % 2 else {"b": 2.0, "a": 1.0} for i in range(10)}
TWO = {f"q{i}": {"x": 3.0, "y": 2.0, "a": 1.0} for i in range(13)}
USERS = {f"q{i}": f"user {i // 3}" for i in range(13)}
MEASURES = ["nDCG@2", "RR", "NumRet", "RR(aggregate=median)", "RR(empty=nan)", "P(aggregate=pooled)@1"]
QUICK = {"permutations": 300, "resamples": 300}


def _comparison(**options):
    systems = {"one": ONE, "two": TWO, "both": rm.seeds(ONE, TWO)}
    return rm.compare(TRUTH, systems, MEASURES, **{"baseline": "one", "margin": 0.2, **QUICK, **options})


@pytest.mark.parametrize(
    "options",
    [{}, {"unit": USERS, "unit_name": "user"}, {"by": {"half": {f"q{i}": str(i // 6) for i in range(13)}}}],
    ids=["queries", "users", "slices"],
)
def test_what_is_loaded_is_what_was_saved(options, tmp_path) -> None:
    cmp = _comparison(**options)
    cmp.save(tmp_path / "cmp.zip")
    again = rm.Comparison.load(tmp_path / "cmp.zip")
    assert again.to_json() == cmp.to_json()
    assert repr(again) == repr(cmp)
    assert again.to_markdown(lang="zh") == cmp.to_markdown(lang="zh")
    assert again.per_query.equals(cmp.per_query, null_equal=True)
    assert again.by_slice.equals(cmp.by_slice)
    assert again.queries_needed("RR", difference=0.1).equals(cmp.queries_needed("RR", difference=0.1))
    shifted = [one.p_shifted("RR", "two", "one", -0.1, "less") for one in (cmp, again)]
    assert shifted[0] == shifted[1]
    assert again.score("nDCG@2", "both").run_values == cmp.score("nDCG@2", "both").run_values


def test_runs_as_units_are_kept(tmp_path) -> None:
    systems = {"fixed": TWO, "random": rm.seeds(ONE, TWO)}
    cmp = rm.compare(TRUTH, systems, ["RR"], unit="run", **QUICK)
    cmp.save(tmp_path / "cmp.zip")
    assert rm.Comparison.load(tmp_path / "cmp.zip").samples[cmp.measures[0]].units == 2


def test_the_same_comparison_gives_the_same_bytes(tmp_path) -> None:
    for name in ("first", "second"):
        _comparison().save(tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_its_parts_are_evaluations_that_any_tool_reads(tmp_path) -> None:
    cmp = _comparison()
    cmp.save(tmp_path / "cmp.zip")
    with zipfile.ZipFile(tmp_path / "cmp.zip") as file:
        file.extract("system-2-run-1.parquet", tmp_path)
        assert json.loads(file.read("comparison.json"))["systems"] == {"one": 1, "two": 1, "both": 2}
    assert rm.Evaluation.load(tmp_path / "system-2-run-1.parquet") == cmp.runs["both"][1]


def test_a_loaded_comparison_keeps_the_hashes_of_its_inputs_and_makes_a_report(tmp_path) -> None:
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH))
    runs = {"one": ONE, "two": TWO}
    cmp = rm.compare(tmp_path / "truth.json", runs, ["RR"], by={"q1": "x"}, **QUICK)
    cmp.save(tmp_path / "cmp.zip")
    again = rm.Comparison.load(tmp_path / "cmp.zip")
    name, source, digest = again.sources[0]
    assert (name, source, len(digest)) == ("judgments", "truth.json", 64)
    page = again.report(tmp_path / "report.html").read_text("utf-8")
    assert digest in page
    assert "there are no lists to show" in page
    assert '<section id="slices">' in page


def test_hashes_are_those_of_the_files_that_were_compared(tmp_path, monkeypatch) -> None:
    for name, content in {"truth.json": TRUTH, "one.json": ONE}.items():
        (tmp_path / name).write_text(json.dumps(content))
    monkeypatch.chdir(tmp_path)
    for name in ("judgments", "run"):  # which data in memory is called
        (tmp_path / name).write_text("something else")
    cmp = rm.compare(tmp_path / "truth.json", {"one": tmp_path / "one.json", "two": TWO}, ["RR"], **QUICK)
    assert [(source, len(digest)) for _, source, digest in cmp.sources] == [
        ("truth.json", 64), ("one.json", 64), ("run", 0),
    ]  # fmt: skip
    (tmp_path / "one.json").write_text(json.dumps({**ONE, "more": ["a"]}))
    (tmp_path / "truth.json").unlink()
    assert [digest for _, _, digest in cmp.sources] == ["", "", ""]


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 broken"])
def test_anything_else_is_refused(content, tmp_path) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(rm.InputError, match="is not a saved comparison"):
        rm.Comparison.load(tmp_path / "x.zip")
    with pytest.raises(rm.NotFoundError, match="no such file"):
        rm.Comparison.load(tmp_path / "absent.zip")


def test_another_form_is_said(tmp_path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
        file.writestr("comparison.json", json.dumps({"form": 99}))
    with pytest.raises(rm.InputError, match="saved in format 99"):
        rm.Comparison.load(tmp_path / "x.zip")


def test_the_command_saves_shows_gates_and_refuses_what_comes_too_late(tmp_path) -> None:
    def compare(*args: str):
        return CliRunner().invoke(app, ["compare", *map(str, args)])

    for name, run in (("one", ONE), ("two", TWO)):
        rm.evaluate(TRUTH, run, ["RR"], name=name).save(tmp_path / f"{name}.parquet")
    made, kept = [tmp_path / "one.parquet", tmp_path / "two.parquet"], tmp_path / "cmp.zip"
    first = compare("--saved", *made, "--baseline", "one", "--permutations", "300", "--save", kept)
    assert first.exit_code == 0
    assert f"written to {kept}" in first.stderr
    again = compare("--saved", kept)
    assert again.stdout == first.stdout
    assert compare("--saved", kept, "--fail-if", "RR < baseline").exit_code == 1
    late = compare("--saved", kept, "--test", "t")
    assert late.exit_code == 2
    assert "is already a comparison, so --test comes too late" in late.stderr
    assert compare("--saved", kept, made[0]).exit_code == 2


def test_a_file_saved_before_slices_were_tested_loads(tmp_path) -> None:
    cmp = _comparison(by={"half": {f"q{i}": str(i // 6) for i in range(13)}})
    cmp.save(tmp_path / "new.zip")
    with zipfile.ZipFile(tmp_path / "new.zip") as new, zipfile.ZipFile(tmp_path / "old.zip", "w") as old:
        for name in new.namelist():
            content = new.read(name)
            if name == "comparison.json":
                header = json.loads(content)
                assert header.pop("slice_differences")
                content = json.dumps(header).encode()
            old.writestr(name, content)
    again = rm.Comparison.load(tmp_path / "old.zip")
    assert not again.slice_differences
    assert again.by_slice.equals(cmp.by_slice)
    assert "slice_tests" not in again.to_dict()
    assert again.slice_tests.is_empty()
    assert repr(again)


def test_differences_within_slices_are_read_from_older_files_too(tmp_path) -> None:
    cmp = _comparison(by={"half": {f"q{i}": str(i // 6) for i in range(13)}})
    cmp.save(tmp_path / "new.zip")
    with zipfile.ZipFile(tmp_path / "new.zip") as new, zipfile.ZipFile(tmp_path / "old.zip", "w") as old:
        for name in new.namelist():
            content = new.read(name)
            if name == "comparison.json":
                header = json.loads(content)
                header["slice_differences"] = [
                    {**{key: record.pop(key) for key in ("by", "slice", "tests")}, "found": record}
                    for record in header["slice_differences"]
                ]
                content = json.dumps(header).encode()
            old.writestr(name, content)
    assert len(cmp.slice_differences) > 0
    assert rm.Comparison.load(tmp_path / "old.zip").slice_differences == cmp.slice_differences


def test_a_comparison_of_files_can_be_sent_to_another_process() -> None:
    runs = {name: demo.data_path(file) for name, file in demo.RUNS.items()}
    cmp = rm.compare(demo.data_path(demo.JUDGMENTS), runs, ["RR"], permutations=200, resamples=200)
    again = pickle.loads(pickle.dumps(cmp))
    assert again.to_dict() == cmp.to_dict()
    assert again.sources == cmp.sources


def test_values_that_were_written_to_a_file_are_compared_as_those_in_memory(tmp_path) -> None:
    runs = {name: demo.data_path(demo.RUNS[name]) for name in ("keyword", "hybrid")}
    truth, few = demo.data_path(demo.JUDGMENTS), {"permutations": 200, "resamples": 200}
    there = {
        name: rm.evaluate(truth, run, ["RR"], per_query_to=tmp_path / f"{name}.parquet") for name, run in runs.items()
    }
    here = {name: rm.evaluate(truth, run, ["RR"]) for name, run in runs.items()}
    far, near = (rm.compare(None, systems, **few).differences[0] for systems in (there, here))
    assert far.difference == pytest.approx(near.difference, rel=1e-12)
    # The order of the queries is another, and with it what is drawn.
    assert (far.effect.wins, far.effect.ties, far.units) == (near.effect.wins, near.effect.ties, near.units)


@pytest.mark.parametrize("method", get_args(IntervalMethod))
def test_how_an_interval_was_made_is_said_in_both_languages_also_when_loaded(method, tmp_path) -> None:
    by_user = {"unit": USERS, "unit_name": "user"}
    for more in ({}, by_user) if method != "bounded" else ({},):  # users with several queries have no bounds
        cmp = rm.compare(
            TRUTH, {"one": ONE, "two": TWO}, ["RR"], interval=method, permutations=200, resamples=100, **more
        )
        cmp.save(tmp_path / "x.zip")
        for known in (cmp, rm.Comparison.load(tmp_path / "x.zip")):
            for interval in filter(None, (score.interval for score in known.scores)):
                assert interval.method.endswith(" over users" if more else " over queries")
                [line] = interval.document("zh")
                assert not re.search("[A-Za-z]{4,}", line.text.replace("user", "")), line.text


def test_how_intervals_of_older_files_were_made_stays_a_text(tmp_path) -> None:
    _comparison().save(tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "x.zip") as file, zipfile.ZipFile(tmp_path / "older.zip", "w") as older:
        for name in file.namelist():
            content = file.read(name)
            if name.endswith(".json"):
                header = json.loads(content)
                for score in filter(lambda score: score["interval"], header["scores"]):
                    score["interval"]["method"] = "as it was"
                content = json.dumps(header)
            older.writestr(name, content)
    scores = rm.Comparison.load(tmp_path / "older.zip").scores
    assert {score.interval.method for score in scores if score.interval} == {"as it was"}
