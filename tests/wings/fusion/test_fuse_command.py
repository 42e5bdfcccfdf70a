"""`rankmeter fuse`: what it writes is read again and says how it was made."""

from __future__ import annotations

import json

import polars as pl
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli import app

A = {"q1": {"d1": 10, "d2": 8, "d3": 7}, "q2": {"d1": 3, "d5": 2}}
B = {"q1": {"d3": 0.9, "d5": 0.8, "d1": 0.2}, "q2": {"d6": 0.7}}


@pytest.fixture
def folder(tmp_path):
    for name, run in (("a", A), ("b", B)):
        lines = [f"{q} Q0 {d} 1 {s} {name}\n" for q, items in run.items() for d, s in items.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "judged.qrels").write_text("q1 0 d1 1\nq2 0 d6 1\n")
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.mark.parametrize("ending", ["run", "jsonl", "csv", "parquet", "json"])
def test_what_is_written_is_read_as_the_same_run(folder, ending):
    out = folder / f"fused.{ending}"
    done = call("fuse", folder / "a.run", folder / "b.run", "--how", "rrf", "--k", "10", "--out", out)
    assert done.exit_code == 0, done.output
    made = rm.fuse({"a": A, "b": B}, k=10)
    judged = {"q1": {"d1": 1, "d5": 2}, "q2": {"d6": 1}}
    assert rm.evaluate(judged, str(out), ["nDCG", "RR"]).mean == rm.evaluate(judged, made, ["nDCG", "RR"]).mean
    assert str(folder) not in done.stderr.replace(str(out), "")


def test_a_fused_file_says_how_it_was_made_when_it_is_evaluated(folder):
    out = folder / "fused.run"
    call("fuse", folder / "a.run", folder / "b.run", "--how", "wsum(norm=max)", "--weights", "0.7,0.3", "--out", out)
    told = call("evaluate", folder / "judged.qrels", out)
    assert "wsum(norm=max,weights=0.7:0.3)[a,b]" in told.stderr


def test_the_text_goes_to_standard_output_and_the_definition_to_standard_error(folder):
    done = call("fuse", folder / "a.run", folder / "b.run", "--lang", "zh")
    assert done.stdout.splitlines()[0].split()[:4] == ["q1", "Q0", "d3", "1"]
    assert "rrf" in done.stderr
    assert "融合" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--weights", "1,2,3"], "weights states 3 values for 2 runs"),
        (["--how", "sum", "--option", "flat=2x"], "flat"),
        (["--how", "nothing"], "unknown method"),
        (["--option", "kk=1"], "kk=1"),
        (["--k", "nan"], "k"),
    ],
)
def test_bad_options_are_one_message_and_exit_code_2(folder, arguments, message):
    out = folder / "fused.run"
    done = call("fuse", folder / "a.run", folder / "b.run", "--out", out, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not out.exists()


def test_one_run_and_no_run_are_refused(folder):
    assert call("fuse", folder / "a.run").exit_code == 2
    assert call("fuse").exit_code == 2


ODD_IDS = [
    "a b", "a\tb", "a\x0bb", "a\nb", "a\x85b", "a\u2028b", " a", "a ", "", "#a", "a#", "\ufeffa", "a\x00b",
    '"a"', "a,b",
    "'", "=1", "01", "1e5", "NaN", "null", "true", "\x1a", "a\\b", "a\rb",
]  # fmt: skip


@pytest.mark.parametrize("ending", ["run", "jsonl", "csv", "parquet", "json"])
@pytest.mark.parametrize("odd", ODD_IDS)
def test_every_id_that_is_written_is_read_as_it_was(odd, ending, tmp_path):
    for truth in ({odd: {"i": 1}, "z": {"i": 1}}, {"q": {odd: 1}, "z": {"i": 1}}):
        runs = [{query: {"x": 2.0, item: 1.0} for query, (item,) in truth.items()}] * 2
        made, path = rm.fuse(runs), tmp_path / f"fused.{ending}"
        try:
            made.save(path)
        except rm.InputError as refused:
            told = str(refused)
        else:
            told = None
        if told:
            assert repr(odd) in told
            assert "fused.jsonl" in told
            assert not list(tmp_path.iterdir())
            continue
        assert rm.evaluate(truth, path, "RR").per_query["RR"].to_list() == [0.5, 0.5]
        path.unlink()


def test_formats_that_quote_refuse_few_ids(tmp_path):
    for odd in ODD_IDS:
        rm.fuse([{"q": {odd: 1.0}}] * 2).save(tmp_path / "fused.jsonl")
    with pytest.raises(rm.InputError, match=r"fused\.jsonl"):
        rm.fuse([{"#q": {"a": 1.0}}] * 2).save(tmp_path / "fused.run")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("shown", ["explain", pytest.param("reconcile", marks=pytest.mark.slow)])
def test_what_is_found_is_printed_and_written_in_every_format_of_an_answer(folder, shown, lang):
    runs, paths = (
        {"a": A, "b": B, "c": A},
        [folder / f"{name}.run" for name in "abc"],
    )  # of three, weights are not tried
    paths[2].write_bytes(paths[0].read_bytes())
    call("fuse", *paths, "--k", "5", "--out", folder / "fused.run")
    words = ["--k", "5", "--explain", "q1"] if shown == "explain" else ["--reconcile", folder / "fused.run"]
    fused = rm.fuse(runs, k=5)
    found = fused.explain("q1", runs) if shown == "explain" else rm.reconcile_fusion(runs, fused)
    texts = {"json": found.to_json(), "csv": None, "markdown": found.to_markdown(lang), "html": None}
    for (kind, text), ending in zip(texts.items(), ("json", "csv", "md", "html"), strict=True):
        printed = call("fuse", *paths, *words, "--format", kind, "--lang", lang)
        assert printed.exit_code == 0, printed.output
        for option in ("--output", "--out", "-o"):
            made = folder / f"found.{ending}"
            assert call("fuse", *paths, *words, "--lang", lang, option, made).exit_code == 0
            assert made.read_text("utf-8").strip() == printed.stdout.strip()
        if kind == "json":
            schema, *answer = json.loads(printed.stdout).items()
            assert (schema, dict(answer)) == (("schema", "rankmeter/fuse/1"), json.loads(text))
        elif text is not None:
            assert printed.stdout.strip() == text.strip()
    rows = pl.read_csv(folder / "found.csv")
    assert rows.height == found.to_polars().height


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--explain", "q1", "--format", "trec"], "--format trec is for a fused run"),
        (["--reconcile", "b.run", "--format", "responses"], "--format responses is for a fused run"),
        (["--format", "markdown"], "--format markdown is for --explain and --reconcile"),
        (["--explain", "q1", "--output", "x.parquet"], "unknown output format '.parquet'"),
        (["--explain", "q1", "--reconcile", "b.run"], "leave out --explain"),
        (["--explain", "nobody"], "no run holds query 'nobody'"),
    ],
)
def test_a_format_that_does_not_fit_is_refused_and_nothing_is_written(folder, words, message):
    before = sorted(folder.iterdir())
    words = [folder / word if word in ("b.run", "x.parquet") else word for word in words]
    done = call("fuse", folder / "a.run", folder / "b.run", *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert (done.stdout, sorted(folder.iterdir())) == ("", before)


@pytest.mark.parametrize(
    ("option", "value", "how"),
    [("norm", "max:sum", "wsum"), ("norm", "min-max-inverted:min-max", "mnz"), ("duplicates", "last:counted", "rrf")],
)
def test_a_word_may_be_typed_for_each_run(folder, option, value, how):
    done = call("fuse", folder / "a.run", folder / "b.run", "--how", how, f"--{option}", value)
    assert done.exit_code == 0, done.output
    made = rm.fuse({"a": A, "b": B}, how, **{option: value})
    assert done.stdout.strip() == made.written().strip()
    bad = call("fuse", folder / "a.run", folder / "b.run", "--how", how, f"--{option}", f"{value.partition(':')[0]}:x")
    assert (bad.exit_code, bad.stdout, len(bad.stderr.strip().splitlines())) == (2, "", 1)
