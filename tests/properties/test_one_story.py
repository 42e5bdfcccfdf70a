"""A comparison tells one story: what any of its texts says of a pair, of the first or of a rank, no other denies."""

from __future__ import annotations

import html
import json
import random
import re
from itertools import permutations

import pytest

import rankmeter as rm
from rankmeter.report.page import report_html

MEASURES = ["RR", "nDCG@3"]
TESTS = ("t", "wilcoxon", "sign", "randomisation", "t")
CORRECTIONS = ("holm", "hochberg", "bonferroni", "max-t", "bh", "by", "none")


def drawn(number: int):
    """A random comparison: systems near each other, some alike, some correlated, few queries or many."""
    chance = random.Random(number)
    queries, systems = chance.choice((4, 8, 25, 60)), chance.choice((2, 3, 5, 9))
    truth = {q: {"a": 2, "b": 1} for q in range(queries)}
    skill = {f"s{n}": chance.choice((0.2, 0.5, 0.55, 0.6, 0.9)) for n in range(systems)}
    luck = {q: chance.random() for q in truth}
    runs = {}
    for name, share in skill.items():
        own = chance.random() < 0.5
        runs[name] = {}
        for q in truth:
            is_found = (chance.random() if own else luck[q]) < share
            others = [f"x{n}" for n in range(chance.choice((1, 2, 9)))]
            runs[name][q] = ["a", "b", *others] if is_found else [*others, *chance.choice((["a", "b"], ["b"]))]
    baseline = chance.choice((None, None, "s0", f"s{systems - 1}"))
    return rm.compare(
        truth, runs, MEASURES, baseline=baseline, test=TESTS[number % 5], correction=CORRECTIONS[number % 7],
        permutations=200, resamples=100, margin=chance.choice((None, 0.2)),
    )  # fmt: skip


def story(cmp) -> dict[str, dict]:
    """What the data of a comparison says, from its JSON alone."""
    plain = json.loads(cmp.to_json())
    told = {}
    for measure in MEASURES:
        rows = [row for row in plain["leaderboard"] if row["measure"] == measure]
        told[measure] = {
            "first": rows[0]["system"],
            "marked": {row["system"] for row in rows if row["in_best"]},
            "beats": {row["system"]: set(row["beats"]) for row in rows},
            "ranks": {row["system"]: (row["rank"], row["rank_low"], row["rank_high"]) for row in rows},
            "pairs": [pair for pair in plain["differences"] if pair["measure"] == measure],
            "group": plain["best_group"][measure],
        }
    return told


def check_data(cmp, told) -> None:
    """Marks, ranks and winners follow from the same verdicts on pairs."""
    alpha, count = cmp.settings.alpha, len(cmp.systems)
    for said in told.values():
        beats, first = said["beats"], said["first"]
        assert set(said["group"]) == said["marked"]
        assert all(one not in beats[other] for one in beats for other in beats[one])
        for name, (rank, low, high) in said["ranks"].items():
            assert low == 1 + sum(name in won for won in beats.values())
            assert high == count - len(beats[name])
            assert low <= rank <= high or cmp.settings.test in ("wilcoxon", "sign")
            if name != first:
                assert (name in said["marked"]) == (name not in beats[first])
        assert (first in said["marked"]) == all(first not in won for won in beats.values())
        for pair in said["pairs"]:
            one, other, winner = pair["system"], pair["other"], pair["winner"]
            assert (winner is not None) == pair["significant"] == (pair["p_corrected"] < alpha)
            assert (other in beats[one], one in beats[other]) == (winner == one, winner == other)
            if pair["significant"] and cmp.settings.test in ("t", "randomisation"):
                assert (pair["difference"] > 0) == (winner == one)
            assert not (pair["significant"] and "verdict" in pair)
            if pair["significant"] and cmp.settings.test == "t" and pair["low"] is not None:
                assert not pair["low"] <= 0 <= pair["high"]


HEADLINE = re.compile(
    r"(?:(?P<measure>\S+): )?(?P<first>s\d) is (?P<kind>first|best)(?: under (?P<several>[^:]+?))?"
    r"(?: \([\d.]+\))?(?:, but not shown to be better than (?P<others>[^.]+)\.|[,:] significantly better than every)"
)


def headlines(text: str) -> dict[str, tuple[str, object]]:
    """For each measure who is said to be first, and the systems it is said not to beat (or how many)."""
    said = {}
    for line in HEADLINE.finditer(text):
        others: object = set()
        if line["others"]:
            others = set(re.findall(r"s\d", line["others"]))
            if more := re.search(r"and (\d+) more", line["others"]):
                others = len(others) + int(more[1])
        for measure in [line["measure"]] if line["measure"] else re.findall(r"RR|nDCG@3", line["several"]):
            said[measure] = line["first"], others
    return said


def check_headline(cmp, told, text: str) -> None:
    said = headlines(text)
    for measure, expected in told.items():
        if measure not in said:
            assert "equal" in text
            assert not any(expected["beats"].values())
            continue
        first, others = said[measure]
        marked = expected["marked"] - {first}
        assert first == expected["first"]
        assert others in (marked, len(marked))
        if expected["first"] not in expected["marked"]:
            assert "point apart" in text or cmp.settings.family == "baseline"
        gain = re.search(rf"(?:{measure}|{first} is [^.]+?\. A|A)gainst (s\d) it is [^.]*?may be chance", text)
        if gain and len(told) == 1:
            assert gain[1] not in expected["beats"][first]


def check_text(cmp, told) -> None:
    """The boards in plain text: stars, rank intervals, systems beaten, arrows; and the headline above them."""
    from rankmeter.report.comparisons import ShownComparison

    text = ShownComparison(cmp).to_text(width=400)
    check_headline(cmp, told, text)
    for measure, board in zip(MEASURES, re.split(r"\n\n", text)[1:3], strict=True):
        expected = told[measure]
        for line in board.splitlines()[1:]:
            row = re.match(r"(\*?)\s*(?:\d+ )?(s\d)\s\s", line)
            if row is None:
                continue
            name = row[2]
            assert bool(row[1]) == (name in expected["marked"]), line
            rank, low, high = expected["ranks"][name]
            assert (f" {rank} ({low}-{high})" if low != high else f" {rank}") in line
            against = cmp.shown_against
            if against and name != against:
                arrow = "↑" if against in expected["beats"][name] else "↓" if name in expected["beats"][against] else ""
                assert re.findall("[↑↓]", line) == [*arrow]
                p = re.search(r"(<?)(0\.\d+|1\.000)\s+\d+/", line)
                assert (float(p[2]) < 0.05 or p[1] == "<") == bool(arrow) or float(p[2]) == 0.05


def marks(cell: str, names: list[str]) -> tuple[bool, set[str], str]:
    """Whether a cell is bold, the systems whose numbers are raised, and its arrow."""
    bold = "**" in cell or "<b>" in cell
    raised = re.search(r"<sup><span[^>]* title='([\d,-]+)'|<sup>([\d,-]+)<|↑([\d,-]+)", cell)
    numbers: set[str] = set()
    for part in (raised[1] or raised[2] or raised[3]).split(",") if raised else []:
        low, _, high = part.partition("-")
        numbers |= {names[place - 1] for place in range(int(low), int(high or low) + 1)}
    arrow = "" if raised else "".join(re.findall("[↑↓]", html.unescape(cell)))[:1]
    return bold, numbers, arrow


def check_grid(cmp, told, rows: list[list[str]]) -> None:
    """A table of systems and measures: what is bold, whose numbers are raised, which way arrows point."""
    assert len(rows) == len(cmp.systems)
    for _, name, *cells in rows:
        for measure, cell in zip(MEASURES, cells, strict=True):
            bold, raised, arrow = marks(cell, list(cmp.systems))
            expected, base = told[measure], cmp.baseline
            assert bold == (name in expected["marked"])
            if cmp.settings.family == "all":
                assert raised == expected["beats"][name]
            elif name != base:
                is_up, is_down = base in expected["beats"][name], name in expected["beats"][base]
                assert arrow == ("↑" if is_up else "↓" if is_down else "")


def check_page(cmp, told, page: str) -> None:
    text = html.unescape(re.sub(r"<[^>]+>", "", re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)))
    check_headline(cmp, told, text)
    grid, *boards = re.findall(r"<table.*?</table>", page, re.DOTALL)
    rows = [re.findall(r"<td.*?</td>", row, re.DOTALL) for row in re.findall(r"<tr.*?</tr>", grid, re.DOTALL)]
    plain = [[re.sub("<[^>]+>", "", cell) if at < 2 else cell for at, cell in enumerate(row)] for row in rows if row]
    check_grid(cmp, told, plain)
    stars = [board for board in boards if "class='mark'" in board][:2]
    for measure, board in zip(MEASURES, stars, strict=True):
        marked = re.findall(r"<tr class='best' data-name='(?:\d+ )?(s\d)'", board)
        assert set(marked) == told[measure]["marked"]


@pytest.mark.parametrize("number", range(40))
def test_no_two_statements_of_a_comparison_contradict_each_other(number) -> None:
    cmp = drawn(number)
    told = story(cmp)
    check_data(cmp, told)
    check_text(cmp, told)
    markdown = cmp.to_markdown()
    check_headline(cmp, told, markdown)
    lines = [line for line in markdown.splitlines() if re.match(r"\| \d", line)]
    check_grid(cmp, told, [[cell.strip() for cell in line.strip("|").split("|")] for line in lines])
    check_page(cmp, told, cmp._repr_html_())
    for one, other in permutations(cmp.systems, 2):
        if cmp.settings.family == "all":
            assert cmp.difference("RR", one, other).winner == cmp.difference("RR", other, one).winner


@pytest.mark.parametrize("number", [3, 17])
def test_the_page_tells_the_same_story(number) -> None:
    pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
    cmp = drawn(number)
    check_page(cmp, story(cmp), report_html(cmp, lists=0))
