"""Audits: values that are known, made-up tables whose truth is known, published tables, bad input."""

from __future__ import annotations

import csv
import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal
from unicodedata import east_asian_width

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy.stats import binomtest
from tests.wings.results.made_tables import SLIPS, false_alarms, is_found, planted_table, true_table

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError
from rankmeter.wings.results.claim_bounds import SLACK, ClaimProgram, Setting, possible_queries
from rankmeter.wings.results.printed import claim, printed
from rankmeter.wings.results.remarks import FEWEST_APART

LASTFM = 943


def audit(*words: str) -> Result:
    return CliRunner().invoke(app, ["audit", *words])


def ends(wanted: str, queries: int, **given: str) -> list[float]:
    """What other claims leave a measure, one relevant item a query."""
    claims = [claim(name.replace("_", "@"), text) for name, text in given.items()]
    asked = claim(wanted, "0.5")
    program = ClaimProgram([*claims, asked], Setting(queries=queries, relevant="one"))
    return [round(end, 4) for end in program.ends(asked, claims)]


def test_bounds_of_joint_claims_are_those_of_integer_programs() -> None:
    assert ends("NDCG@10", LASTFM, HR_10="0.3574") == [0.1033, 0.3574]
    assert ends("NDCG@10", LASTFM, HR_10="0.3574", MRR_10="0.1500") == [0.1936, 0.2029]
    assert ends("NDCG@10", LASTFM, HR_10="0.3574", HR_1="0.0700", HR_5="0.2301") == [0.1687, 0.2163]
    by_hand = (66 + (217 - 66) / math.log2(3) + (337 - 217) / math.log2(7)) / LASTFM
    assert round(by_hand, 4) == 0.2163
    given = {"HR_10": "0.3574", "HR_1": "0.0700", "HR_5": "0.2301", "MRR_10": "0.1500"}
    assert ends("NDCG@10", LASTFM, **given) == [0.1974, 0.1997]
    assert ends("NDCG@10", LASTFM, MRR_10="0.1500") == [0.1504, 0.3402]
    assert ends("NDCG@5", 6040, HR_1="0.2863", HR_5="0.5876") == [0.4028, 0.4764]


def test_a_hit_rate_is_a_share_of_the_queries() -> None:
    for text, possible in [("0.3571", False), ("0.357", True), ("0.3574", True), ("0.2300", False), ("0.2301", True)]:
        assert rm.audit({"HR@5": text}, queries=LASTFM).is_possible is possible, text


@pytest.mark.parametrize(("rounding", "below", "above"), [("nearest", 0.5, 0.5), ("down", 0, 1), ("up", 1, 0)])
def test_four_digits_are_possible_where_some_number_of_hits_is_printed_so(rounding, below, above) -> None:
    units = range(0, 10_000, 37)
    shares = [10_000 * hits / LASTFM for hits in range(LASTFM + 1)]
    known = [any(n - below - 0.002 <= share <= n + above + 0.002 for share in shares) for n in units]
    found = [rm.audit({"HR@1": f"0.{n:04}"}, queries=LASTFM, rounding=rounding).is_possible for n in units]
    assert found == known
    assert sum(found) / len(units) == pytest.approx(0.094, abs=0.05)  # 943 shares among 10,000 values


def test_numbers_of_queries_that_fit_are_found() -> None:
    claims = [claim("HR@10", text) for text in ("0.3574", "0.0700", "0.2301")]
    numbers = possible_queries(claims, Setting(), 1000).tolist()
    assert LASTFM in numbers

    def fits(n: int) -> bool:
        return all(abs(round(one.value * n) / n - one.value) <= 0.00005 + SLACK for one in claims)

    assert numbers == [n for n in range(1, 1001) if fits(n)]


@pytest.mark.parametrize("part", range(6))
def test_true_tables_raise_no_alarm(part: int) -> None:
    for number in range(part * 8, part * 8 + 8):
        assert false_alarms(true_table(random.Random(f"test {number}"))) == []


@pytest.mark.parametrize("slip", SLIPS)
def test_planted_slips_are_found(slip: str) -> None:
    for number in range(3):
        made = planted_table(random.Random(f"test {slip} {number}"), slip)
        assert is_found(made, slip), made.rows


def test_a_published_row_that_is_true_raises_no_alarm() -> None:
    """BERT4Rec on MovieLens 1M (Sun et al. 2019): 6,040 users, one item each."""
    row = {"HR@1": "0.2863", "HR@5": "0.5876", "HR@10": "0.6970", "NDCG@5": "0.4454", "NDCG@10": "0.4818"}
    assert rm.audit(row, queries=6040, relevant="one").findings == ()


@pytest.mark.parametrize(
    ("published", "queries", "relevant", "kind", "names"),
    [
        # garrytan/gbrain#4176: pages that are found twice count twice.
        ({"Recall@10": "1.43"}, 7, "one", "impossible", ["Recall@10"]),
        # opensearch-project/search-relevance#191: the nDCG of one query.
        ({"NDCG@10": "1.31"}, 1, None, "impossible", ["NDCG@10"]),
        # supermemoryai/memorybench#67: recall is the hit rate, and F1 is 2P / (1 + P).
        ({"HR@10": "0.80", "R@10": "0.80", "P@10": "0.35"}, None, None, "only_if", ["HR@10", "R@10", "P@10"]),
        # kuandeng/LightGCN#3: the value of the paper was wrong, but not impossible beside the others.
        ({"Recall@20": "0.1817", "NDCG@20": "0.2518"}, 29858, None, "", []),
        ({"Recall@20": "0.18198", "Precision@20": "0.05613", "NDCG@20": "0.15523"}, 29858, None, "", []),
    ],
)  # fmt: skip
def test_verdicts_on_published_values_agree_with_what_was_found(published, queries, relevant, kind, names) -> None:
    findings = rm.audit(published, queries=queries, relevant=relevant).findings
    assert [finding.kind for finding in findings] == ([kind] if kind else [])
    assert [claim.name for finding in findings for claim in finding.claims] == names


def test_the_smallest_conflict_names_no_bystander() -> None:
    row = {"HR@10": "0.30", "HR@5": "0.20", "MRR@10": "0.15", "NDCG@10": "0.45", "P@10": "0.05"}
    (finding,) = rm.audit(row).findings
    assert [one.name for one in finding.claims] == ["HR@10", "NDCG@10"]
    assert "between" in finding.reason
    assert "之间" in finding.reason.text("zh")


def test_a_value_off_the_steps_still_bounds_the_others() -> None:
    findings = rm.audit({"HR@10": "0.3571", "NDCG@10": "0.4012", "MRR@10": "0.1"}, queries=943).findings
    assert [[one.name for one in finding.claims] for finding in findings] == [["HR@10"], ["NDCG@10", "HR@10"]]
    assert rm.audit({"HR@10": "0.3571", "NDCG@10": "0.2012"}, queries=943).findings[1:] == ()


def test_what_is_possible_under_one_definition_only_names_it() -> None:
    (finding,) = rm.audit({"HR@10": "0.20", "MRR@10": "0.30"}, queries=1000).findings
    assert finding.kind == "only_if"
    assert [way.kind for way in finding.ways] == ["audit_way_rr_hits"]
    (finding,) = rm.audit({"Recall@5": "0.30", "Recall@10": "0.20"}).findings
    assert [way.kind for way in finding.ways] == ["audit_way_recall_capped"]


def test_digits_are_text() -> None:
    value = printed("**0.350**")
    assert value is not None
    assert (value.value, value.unit, value.is_bold) == (0.35, 0.001, True)
    assert printed("35.0%").unit == pytest.approx(0.001)
    assert printed("0.3574 ± 0.0012").value == 0.3574
    assert printed(r"\textbf{0.3574}*").value == 0.3574
    assert printed("n/a") is None


def test_a_table_of_metrics_in_rows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        "Dataset,Metric,BPR,SASRec,Ours,Improv.\n"
        "Beauty,HR@10,0.0500,0.0600,**0.0660**,10.00%\n"
        "Beauty,NDCG@10,0.0250,0.0300,0.0360,15.00%\n"
        "Toys,HR@10,0.0400,**0.0500**,0.0520,4.00%\n"
    )
    found = rm.audit(str(path), queries={"Beauty": 22363, "Toys": 19412}).findings
    assert [(one.place, one.kind) for one in found] == [("3, Improv.", "impossible"), ("4, SASRec", "impossible")]


def test_a_markdown_table_with_averages_and_ranks_is_read(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(
        "# Results\n\n| Model | A NDCG@10 | B NDCG@10 | Avg | Rank |\n|---|---|---|---|---|\n"
        "| x | 50.1 | 40.3 | 45.2 | 1 |\n| y | 48.0 | 39.0 | 44.5 | 2 |\n| z | 47.0 | 39.0 | 43.0 | 2.5 |\n"
    )
    found = rm.audit(str(path)).findings
    assert [one.place for one in found] == ["3, Avg"]


def test_intervals_of_a_value_lie_between_those_of_lists_that_have_it() -> None:
    """A mean of 0.2 with hits in 200 of 500 lists: each hit worth 0.5, or half of them worth 1."""
    hit, ndcg = rm.audit({"HR@10": "0.400", "NDCG@10": "0.200"}, queries=500).resolutions
    narrowest, widest = np.array([0.5] * 200 + [0.0] * 300), np.array([1.0] * 100 + [0.0] * 400)
    for values, half in ((narrowest, ndcg.half_at_least), (widest, ndcg.half_at_most)):
        assert values.mean() == pytest.approx(0.2)
        assert half == pytest.approx(1.96 * values.std() / math.sqrt(500), rel=1e-3)
    known = binomtest(200, 500).proportion_ci(method="wilson")
    assert hit.half_at_least == hit.half_at_most == pytest.approx((known.high - known.low) / 2, rel=1e-3)


@pytest.mark.parametrize("value", [0.1, 0.5, 0.8])
def test_a_detectable_difference_shows_with_80_per_cent_power(value: float) -> None:
    """Two systems that differ on as many of 1,000 queries as their hit rates allow, 4,000 times."""
    (found,) = rm.audit({"HR@10": str(value)}, queries=1000).resolutions
    apart, by = min(2 * value, 2 - 2 * value), found.least_difference
    shares = [(apart + by) / 2, (apart - by) / 2, 1 - apart]
    better, worse, _ = np.random.default_rng(3).multinomial(1000, shares, 4000).T
    gap, spread = (better - worse) / 1000, np.sqrt((better + worse) / 1000)
    shown = np.abs(gap) / np.sqrt((spread**2 - gap**2) / 999) > 1.96
    assert shown.mean() == pytest.approx(0.8, abs=0.035)


def test_six_queries_must_differ_for_a_sign_test() -> None:
    assert binomtest(FEWEST_APART, FEWEST_APART).pvalue < 0.05 <= binomtest(FEWEST_APART - 1, FEWEST_APART - 1).pvalue


@pytest.mark.parametrize(("text", "first"), [("0.3571", "14, 28, 42"), ("0.50", "2, 4, 6"), ("0.3", "3, 4, 6")])
def test_one_hit_rate_alone_names_the_numbers_of_queries_that_it_fits(text: str, first: str) -> None:
    assert f" fit: {first}" in rm.audit({"HR@10": text}).to_text()


def ranks_of(values: list[float], *, at: int) -> float:
    return 1 + sum(value > values[at] for value in values)


@pytest.mark.parametrize("way", ["mean_rank", "by_mean", "by_column"])
@pytest.mark.parametrize("cut", ["nearest", "down", "up"])
def test_ranks_that_are_true_raise_no_alarm_and_others_do(way: str, cut: str) -> None:
    draw = random.Random(f"{way} {cut}")
    for _ in range(40):
        systems, columns = draw.randint(2, 6), draw.randint(1, 4)
        values = [draw.sample(range(100, 999), columns) for _ in range(systems)]
        by_column = [[ranks_of([row[c] for row in values], at=at) for c in range(columns)] for at in range(systems)]
        by_mean = [ranks_of([sum(row) for row in values], at=at) for at in range(systems)]
        mean_rank = [sum(of) / columns for of in by_column]
        stated = {"mean_rank": mean_rank, "by_mean": by_mean, "by_column": [of[-1] for of in by_column]}[way]
        digits = 1 if way == "mean_rank" else 0
        cuts = {"nearest": round, "down": math.floor, "up": math.ceil}
        stated = [cuts[cut](rank * 10**digits) / 10**digits for rank in stated]
        heads = ["model", *(f"D{c} NDCG@10" for c in range(columns)), "Rank"]
        rows = [[f"s{at}", *(f"0.{v}" for v in row), f"{stated[at]:.{digits}f}"] for at, row in enumerate(values)]
        assert rm.audit([heads, *rows]).findings == ()
        at = draw.randrange(systems)
        gaps = [sum(row) - sum(values[at]) for row in values]
        surely, perhaps = (sum(gap >= least for gap in gaps) for least in (columns + 1, -columns))
        for wrong in range(1, systems + 2):
            rows[at][-1] = str(wrong)
            by_another = min(by_column[at]) <= wrong <= max(by_column[at]) or surely < wrong <= perhaps
            if abs(wrong - mean_rank[at]) >= 1 and not by_another:
                assert [one.place for one in rm.audit([heads, *rows]).findings] == [f"{at + 2}, Rank"]


def test_ranks_are_those_within_the_data_set_of_the_row() -> None:
    rows = [["dataset", "model", "HR@10", "Rank"], ["A", "x", "0.31", "1"], ["A", "y", "0.30", "2"]]
    rows += [["B", "x", "0.70", "2"], ["B", "y", "0.80", "1"]]
    assert rm.audit(rows).findings == ()
    rows[3][-1] = "1"
    assert [one.place for one in rm.audit(rows).findings] == ["4, Rank"]


def test_candidates_tell_values_below_a_random_order() -> None:
    (finding,) = rm.audit({"HR@10": "0.0312"}, candidates=101, queries=6040).of_kind("protocol")
    assert "0.0990" in finding.reason


def test_the_command_exits_with_1_where_asked_to_be_strict() -> None:
    words = ["--claim", "HR@10=0.3571", "--queries", "943"]
    assert audit(*words).exit_code == 0
    assert audit(*words, "--strict").exit_code == 1
    found = json.loads(audit(*words, "--format", "json").stdout)
    assert found["findings"][0]["kind"] == "impossible"
    assert found["cells"][0]["verdict"] == "impossible"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_terminal_of_80_columns_holds_the_verdict(lang: Literal["en", "zh"]) -> None:
    rows = [["model", "HR@10", "NDCG@10"], ["a rather long name of a system", "0.30", "0.45"]]
    text = rm.audit(rows, queries=1000).to_text(lang, width=80)
    assert max(sum(2 if east_asian_width(c) in "WF" else 1 for c in line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("model,HR@10\na,fast\n", "not_a_number"),
        ("model,HR@10\na,0.1,0.2\n", "ragged"),
        ("model,HR@10\n", "empty_table"),
        ("model,time\na,3\n", "no_measures"),
        ("dataset,metric,BPR\nA,speed,0.1\n", "unknown_measure"),
        ("model,HR@10\na,0.1\na,0.2\n", "twice"),
        ("model,HR@10\na,0.31\nb,0.35\nc,33.1\n", "percent_beside_share"),
        ("model,HR@10\na,31%\nb,35.1\nc,33.1\n", "percent_beside_share"),
        ("Modèle,HR@10\né,0.31\n".encode("latin-1"), "damaged"),
        ("模型,HR@10\n甲,0.31\n".encode("gb18030"), "damaged"),
        ("model,HR@10\na,0.31\n".encode("utf-16"), "damaged"),
    ],
)
def test_bad_tables_are_refused_with_the_place(tmp_path: Path, text: str | bytes, kind: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        rm.audit(str(path))
    assert caught.value.problem.kind == f"results.{kind}"
    refused = audit(str(path))
    assert refused.exit_code == 2
    assert refused.stdout == ""


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--claim", "HR@10"],
        ["--claim", "HR@10=x"],
        ["--claim", "speed=0.1"],
        ["--claim", "HR@10=0.1", "--claim", "HR@10=0.2"],
        ["--claim", "HR@10=0.1", "--queries", "many"],
        ["--claim", "HR@10=0.1", "--queries", "Beauty=3"],
        ["--claim", "HR@10=0.1", "--queries", "3", "--queries", "A=3"],
        ["--claim", "HR@10=0.1", "--queries", "3", "--queries", "4"],
        ["--claim", "HR@10=0.1", "--candidates", "101", "--items", "50"],
    ],
)
def test_bad_claims_are_refused(words: list[str]) -> None:
    assert audit(*words).exit_code == 2


@pytest.mark.parametrize(
    "options",
    [
        {"queries": 0},
        {"candidates": 1},
        {"items": 0},
        {"items": "3706"},
        {"runs": 0},
        {"folds": 1.5},
        {"relevant": "two"},
        {"rounding": "half"},
        {"scale": "%"},
    ],
)
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        rm.audit({"HR@10": "0.3574"}, **{"candidates": 101, **options})


@pytest.mark.parametrize(
    ("text", "told"), [("HR@10=x", "HR@10"), ("HR@10=", "HR@10"), ("HR@10=abc", "abc"), ("speed=0.1", "speed")]
)
def test_a_claim_that_is_refused_is_named_without_a_row(text: str, told: str) -> None:
    refused = audit("--claim", text)
    assert refused.exit_code == 2
    assert told in refused.stderr
    assert "row" not in refused.stderr


@pytest.mark.parametrize("hits", ["1.3600", "35.74", "136"])
def test_a_hit_rate_above_1_is_a_finding_whatever_stands_beside_it(hits: str) -> None:
    checked = rm.audit({"HR@10": hits, "NDCG@10": "0.2012", "MRR@10": "0.1501"}, queries=943)
    assert [one.kind for one in checked.findings] == ["impossible"]
    assert "outside 0 to 1" in str(checked.findings[0].reason)
    answer = audit("--claim", f"HR@10={hits}", "--claim", "NDCG@10=0.2012", "--queries", "943", "--strict")
    assert (answer.exit_code, "outside 0 to 1" in answer.stdout) == (1, True)


@pytest.mark.parametrize(
    ("claims", "setting", "reason"),
    [
        ({"HR@3": "1.000000", "NDCG@3": "0.30"}, {"queries": 2}, "no counts of 2 queries give NDCG@3=0.30"),
        ({"NDCG@3": "0.30", "MRR@3": "0.34"}, {"candidates": 3}, "NDCG@3 is between 0.5000 and 1.0000"),
    ],
)
def test_a_value_that_is_impossible_alone_is_not_called_outside_0_to_1(
    claims: dict[str, str], setting: dict[str, int], reason: str
) -> None:
    reasons = [str(one.reason) for one in rm.audit(claims, relevant="one", **setting).findings]
    assert any(reason in text for text in reasons), reasons
    assert not any("outside 0 to 1" in text for text in reasons)


def test_of_several_tables_of_a_document_the_first_with_measures_is_audited(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    other = "# Ours\n\n| option | meaning |\n|---|---|\n| -k | depth |\n\n"
    table = "| model | HR@10 |\n|---|---|\n| a | {} |\n\nMore:\n"
    path.write_text(other + table.format("0.3574"))
    checked = rm.audit(str(path), queries=943)
    assert [one.text for one in checked.claims] == ["HR@10=0.3574"]
    assert "table" not in " ".join(map(str, checked.notes))
    path.write_text(other + table.format("0.3574") + table.format("0.3571") + table.format("0.3572"))
    checked = rm.audit(str(path), queries=943)
    assert checked.is_possible
    assert "has 2 more tables" in " ".join(map(str, checked.notes))


@pytest.mark.slow
def test_what_the_solver_prints_is_not_on_standard_output(tmp_path: Path) -> None:
    """For this table HiGHS reports from C that it repairs a solution."""
    path = tmp_path / "table.csv"
    made = true_table(random.Random("1 261"))
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(made.rows)
    words = [word for name, value in made.options.items() if value for word in (f"--{name}", str(value))]
    call = [sys.executable, "-m", "rankmeter", "audit", str(path), *words, "--format", "json"]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["possible"]
