"""``rankmeter online`` and ``rankmeter agreement``: data on stdout, talk on stderr, files whole or not at all."""

from __future__ import annotations

import json
import random
import re

import polars as pl
import pytest
from click.testing import CliRunner
from tests.wings.online.test_experiment import simulated

from rankmeter.cli import app


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.parquet"
    simulated(users=80, lift=0.1).write_parquet(path)
    return path


def test_values_go_to_stdout_and_definitions_to_stderr(log):
    found = run("online", log, "-m", "CTR CTR(per=user)", "--by", "variant")
    assert found.exit_code == 0
    assert re.match(r"variant +measure +value \[95% interval\] +users\nA +CTR +0\.\d{4} \[", found.stdout)
    assert "CTR: Click-through rate; clicks=once, impressions=once, orphans=drop, per=impression" in found.stderr
    assert "events of 80 users" in found.stderr


@pytest.mark.parametrize("name", ["out.json", "out.csv", "out.md", "out.txt"])
def test_the_ending_of_the_output_says_its_format(log, tmp_path, name):
    found = run("online", log, "-m", "CTR", "--output", tmp_path / name, "-q")
    assert (found.exit_code, found.stdout, found.stderr) == (0, "", "")
    text = (tmp_path / name).read_text()
    if name == "out.json":
        assert json.loads(text)["values"][""]["CTR"]["method"] == "delta method"
    else:
        assert "CTR" in text


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "html"])
def test_groups_without_a_unit_are_one_sentence(tmp_path, form):
    (tmp_path / "log.csv").write_text("time,user,type,item,variant\n1,u,click,a,\n2,v,click,b,\n")
    found = run("online", tmp_path / "log.csv", "-m", "Conversions", "--by", "variant", "--format", form)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.splitlines()[-1] == "rankmeter: nothing to show: no group has any units."


def test_an_experiment_is_compared_with_its_control(log):
    found = run("online", log, "-m", "CTR", "--control", "A", "--segments", "country", "--format", "json")
    assert found.exit_code == 0
    told = json.loads(found.stdout)
    assert told["effects"][0]["variant"] == "B"
    assert {one["segment"] for one in told["segments"]} == {"DE", "FR"}


def test_a_broken_sample_ratio_fails_the_gate(log):
    found = run("online", log, "-m", "CTR", "--experiment", "--ratios", "A=9,B=1")
    assert found.exit_code == 1
    assert "SAMPLE RATIO BROKEN" in found.stderr
    assert "CTR" in found.stdout


def test_sums_are_enough(log, tmp_path):
    import rankmeter as rm

    whole = rm.online.experiment(log, ["CTR"])
    whole.sums_table().write_csv(tmp_path / "sums.csv")
    found = run("online", tmp_path / "sums.csv", "--sums", "--control", "A", "--format", "json")
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["effects"][0]["p"] == pytest.approx(whole.effect("CTR").p)


def test_the_report_is_one_file_without_scripts_or_links(log, tmp_path):
    pytest.importorskip("vl_convert")
    hostile = pl.read_parquet(log).with_columns(variant=pl.col("variant").replace({"B": "<script>alert(1)</script>"}))
    hostile.write_parquet(log)
    found = run("online", log, "-m", "CTR", "--control", "A", "--segments", "country", "--report", tmp_path / "r.html")
    assert found.exit_code == 0, found.stderr
    page = (tmp_path / "r.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"(src|href)=", re.sub(r'xmlns(:xlink)?="[^"]*"', "", page).replace("xlink:href", ""))
    for heading in ("Differences to A", "Funnel", "Session lengths", "By country", "Definitions"):
        assert heading in page
    assert page.count("<svg") == 3
    assert "prefers-color-scheme:dark" in page


def test_the_report_speaks_chinese(log, tmp_path):
    pytest.importorskip("vl_convert")
    arguments = ["online", log, "-m", "CTR CVR SessionDuration", "--columns", "item=item", "--control", "A"]
    found = run(*arguments, "--segments", "country", "--report", tmp_path / "r.html", "--lang", "zh")
    assert found.exit_code == 0, found.stderr
    page = (tmp_path / "r.html").read_text()
    assert '<html lang="zh-CN">' in page
    for words in ("与 A 的差异", "漏斗", "会话时长", "按 country", "样本按计划分配", "名用户的"):
        assert words in page
    left = re.findall(r">([A-Za-z]+ [a-z]+[^<]*)<", re.sub(r"<(style|svg|code).*?</\1>", "", page, flags=re.DOTALL))
    assert not left


@pytest.mark.parametrize("more", [["--by", "variant"], ["--control", "A", "--segments", "country"]])
@pytest.mark.parametrize("format", ["table", "markdown"])
def test_the_command_speaks_chinese(log, more, format):
    found = run("online", log, "-m", "CTR CVR SessionDuration", *more, "--lang", "zh", "--format", format)
    assert found.exit_code == 0, found.stderr
    assert "指标" in found.stdout
    assert "名用户的" in found.stderr
    for line in (found.stdout + found.stderr).splitlines():
        assert not re.search(
            r"(?:\b[A-Za-z]{2,}\b[ ,;:]+){2,}[A-Za-z]{2,}", re.sub(r"\w+=[\w.]+,?|CTR|CVR", "", line)
        ), line


def test_every_finding_has_a_name_and_a_rule_in_both_languages():
    from rankmeter.wings.online.log_evaluation import FINDINGS
    from rankmeter.wording import word, words

    known = set(words("online", "zh"))
    for name in FINDINGS:
        kind = name.replace(" ", "_")
        assert {f"found_{kind}", f"rule_{kind}"} <= known
        assert word(f"found_{kind}", "en") == name
    told = {kind.removeprefix("found_") for kind in known if kind.startswith("found_")}
    assert told == {name.replace(" ", "_") for name in FINDINGS}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["online", "absent.csv"], "absent.csv"),
        (["online", "LOG", "-m", "CTRR"], "did you mean 'CTR'"),
        (["online", "LOG", "-m", "nDCG"], "judgments"),
        (["online", "LOG", "--columns", "user"], "is not of the form name=value"),
        (["online", "LOG", "--types", "buy=x"], "--types buy is not possible; it is one of other, impression"),
        (["online", "LOG", "--by", "color"], "no column 'color'"),
        (["online", "LOG", "--control", "Z"], "unknown variant 'Z'"),
        (["online", "LOG", "--control", "A", "--by", "country"], "cannot be grouped by country"),
        (["online", "LOG", "--ratios", "A=x,B=1"], "'x' is not a number"),
        (["online", "LOG", "--level", "95"], "between 0 and 1"),
        (["online", "LOG", "--report", "nowhere/r.html"], "cannot be written"),
        (["agreement", "absent.csv", "--offline", "x"], "absent.csv"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(log, arguments, words):
    found = run(*(str(log) if one == "LOG" else one for one in arguments))
    assert found.exit_code == 2
    assert words in found.stderr
    assert "Traceback" not in found.stderr
    assert found.stdout == ""


def test_agreement_tells_which_measure_foretold(tmp_path):
    rows = pl.DataFrame({"online": range(-6, 6), "nDCG@10": range(-6, 6), "RR": [1, -1] * 6})
    rows.write_csv(tmp_path / "past.csv")
    found = run("agreement", tmp_path / "past.csv", "--offline", "nDCG@10", "--offline", "RR")
    assert found.exit_code == 0, found.stderr
    assert found.stdout.splitlines()[1].startswith("nDCG@10")
    assert "nDCG@10 predicts online best" in found.stderr
    told = run(
        "agreement", tmp_path / "past.csv", "--offline", "RR", "--format", "json", "--output", tmp_path / "o.json"
    )
    assert told.exit_code == 0
    assert json.loads((tmp_path / "o.json").read_text())["predictors"][0]["measure"] == "RR"


def test_units_in_two_variants_are_left_out_or_counted_in_the_first(tmp_path):
    rows = [("u", "A"), ("u", "B"), ("v", "A"), ("v", "A"), ("w", "B"), ("w", "B")]
    table = pl.DataFrame({"time": range(6), "user": [u for u, _ in rows], "variant": [v for _, v in rows]})
    table.with_columns(type=pl.lit("purchase")).write_csv(tmp_path / "log.csv")
    for rule, units in (("drop", 1), ("first", 2)):
        found = run("online", tmp_path / "log.csv", "-m", "Conversions", "--by", "variant", "--crossed", rule,
                    "--format", "json")  # fmt: skip
        assert json.loads(found.stdout)["values"]["A"]["Conversions"]["units"] == units
        assert "units in several variants: 1" in found.stderr


def decided_log(path):
    """Two variants over three days, of which B is clicked more."""
    rows, draw = [], random.Random(3)
    for user in range(300):
        for day in range(3):
            row = {"time": 86_400 * day + user, "user": user, "request": f"{user}-{day}", "item": day,
                   "variant": "AB"[user % 2], "place": "north" if user % 3 else "south",
                   "age": 20 + user % 50}  # fmt: skip
            rows.append({**row, "type": "impression"})
            rows += [{**row, "type": "click"}] if draw.random() < (0.7 if user % 2 else 0.3) else []
            rows += [{**row, "time": row["time"] + 5, "type": "purchase"}] if draw.random() < 0.3 else []
    pl.DataFrame(rows).write_csv(path)
    return path


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--primary", "CTR", "--guardrail", "Conversions=0.5"], "B: SHIP (better: CTR)"),
        (["-m", "CTR", "--sequential", "always-valid"], "hold for repeated looks (always-valid)"),
        (["-m", "CTR", "--sequential", "pocock", "--looks", "0.25,0.5"], "hold for repeated looks (pocock)"),
        (["-m", "CTR", "--control", "A"], "one decision at the planned end"),
        (["-m", "CTR", "--prior", "0.1"], "standard deviation of 0.1"),
        (["-m", "CTR", "--covariates", "age"], "CUPED: age"),
        (["-m", "CTR", "--strata", "place"], "post-stratification"),
        (["-m", "CTR", "--segments", "place"], "tests of interaction"),
        (["-m", "CTR", "--days"], "over time"),
        (["-m", "CTR", "--unit", "request", "--control", "A"], "users were assigned"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_plan_of_an_experiment_may_be_typed(tmp_path, options, told, lang):
    path = decided_log(tmp_path / "log.csv")
    found = run("online", path, *options, "--lang", lang)
    assert found.exit_code == 0, found.stderr
    assert (told in found.stderr) == (lang == "en")
    assert "nan" not in found.stdout
    data = json.loads(run("online", path, *options, "--format", "json").stdout)
    assert data["plan"]["level"] == 0.95
    assert len(data["days"]) == (3 if "--days" in options else 0)
