"""Judgments from clicks: worked values, an oracle on random logs, what is too little, what is wrong."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.stats.shrinkage import GammaPrior, fitted_prior

LISTS = [("abcd", "1000"), ("abcd", "1010"), ("abcd", "0000"), ("bacd", "0100"), ("bacd", "1000"), ("badc", "0100"),
         ("acbd", "0100"), ("acbd", "1000"), ("cabd", "1001"), ("cbad", "0010")]  # fmt: skip
THETA = [1, 1 / 2, 1 / 3, 1 / 4]


def log_of(lists, query=lambda _: "q"):
    return [
        {
            "time": t,
            "user": f"u{t}",
            "request": f"r{t}",
            "query": query(t),
            "item": item,
            "position": place,
            "type": kind,
        }
        for t, (items, clicks) in enumerate(lists)
        for place, item in enumerate(items, 1)
        for kind in (["impression", "click"] if clicks[place - 1] == "1" else ["impression"])
    ]


def rates(**options):
    made = rm.judgments_from_clicks(log_of(LISTS), **{"examination": THETA, "shrink": False, **options})
    return made.frame


WORKED = {
    "examined": [0.818182, 0.166667, 0.610169, 0.387097],
    "ctr": [0.6, 0.1, 0.3, 0.1],
    "ips": [1.0, 0.1, 0.6, 0.4],
    "sdbn": [0.555556, 0.142857, 0.4, 0.5],
    "cascade": [0.75, 0.2, 0.5, 0.0],
}


@pytest.mark.parametrize("model", WORKED)
def test_the_worked_log(model):
    frame = rates(model=model)
    assert frame["item"].to_list() == list("abcd")
    assert frame["rate"].to_list() == pytest.approx(WORKED[model], abs=1e-6)


def test_lists_without_a_click_left_out():
    assert rates(model="sdbn", clickless="left out")["rate"].to_list() == pytest.approx([0.625, 1 / 6, 0.5, 1.0])


def test_exact_intervals_and_evidence():
    frame = rates()
    assert frame["evidence"].to_list() == pytest.approx([7.333333, 6.0, 4.916667, 2.583333], abs=1e-6)
    wanted = [(0.300258, 1.780837), (0.004220, 0.928607), (0.125832, 1.783174), (0.009800, 2.156765)]
    assert list(zip(frame["low"], frame["high"], strict=True)) == [pytest.approx(ends, abs=1e-6) for ends in wanted]


def test_a_gamma_prior_draws_rates_together():
    clicks, evidence = np.array([6.0, 1, 3, 1]), np.array([22 / 3, 6, 59 / 12, 31 / 12])
    prior = GammaPrior(2, 8)
    assert prior.mean(clicks, evidence) == pytest.approx([0.521739, 0.214286, 0.387097, 0.283465], abs=1e-6)
    low, high = prior.interval(clicks, evidence, 0.95)
    assert (low[0], high[0]) == pytest.approx((0.225250, 0.940609), abs=1e-6)


def test_the_most_likely_prior():
    clicks, evidence = np.array([0, 1, 2, 3, 5, 8, 12, 20.0]), np.array([6.5, 9, 12, 30, 22, 41, 40, 52.5])
    prior = fitted_prior(clicks, evidence)
    assert (prior.shape, prior.strength) == pytest.approx((12.8815, 57.0312), rel=1e-3)
    means = [0.202758, 0.210226, 0.215576, 0.182480, 0.226258, 0.213008, 0.256428, 0.300202]
    assert prior.mean(clicks, evidence) == pytest.approx(means, abs=1e-4)


def test_few_pairs_stand_as_they_are_and_it_is_said():
    made = rm.judgments_from_clicks(log_of(LISTS), examination=THETA)
    assert made.prior is None
    assert any("rates stand as they are" in note for note in made.to_dict()["notes"])


@pytest.mark.parametrize(("rate", "grade"), [(0.124, 0), (0.125, 1), (0.375, 2), (0.874, 2), (0.875, 3), (1.7, 3)])
def test_where_grades_begin(rate, grade):
    shown, clicks = 1000, round(rate * 1000)
    examination = [1.0] if rate <= 1 else [0.5]
    count = clicks if rate <= 1 else round(rate * 500)
    log = log_of([("a", "1" if n < count else "0") for n in range(shown)])
    made = rm.judgments_from_clicks(log, examination=examination, shrink=False)
    assert made.frame["grade"].to_list() == [grade]


def test_too_little_evidence_is_no_judgment_and_not_zero():
    made = rm.judgments_from_clicks(log_of(LISTS), examination=THETA, shrink=False, least=(5, 2))
    assert made.judgments == {"q": {"a": 2, "b": 1}}
    assert made.frame["grade"].null_count() == 2


def test_one_user_is_not_enough():
    log = [{**row, "user": "u"} for row in log_of(LISTS)]
    assert rm.judgments_from_clicks(log, examination=THETA, least=(1, 2)).judgments == {}


def plain(lists, queries, model):
    """The definition, list by list."""
    shown, clicked, seen, last = {}, {}, {}, {}
    for t, (items, clicks) in enumerate(lists):
        places = [n for n, sign in enumerate(clicks) if sign == "1"]
        end = len(items) if not places else (places[0] if model == "cascade" else places[-1]) + 1
        for n, item in enumerate(items):
            pair = (queries[t], item)
            weight = THETA[n] if model == "examined" else 1
            shown[pair] = shown.get(pair, 0) + weight
            hit = clicks[n] == "1"
            clicked[pair] = clicked.get(pair, 0) + hit * (n < end or model in ("examined", "ctr"))
            seen[pair] = seen.get(pair, 0) + (n < end)
            last[pair] = last.get(pair, 0) + (hit and n + 1 == end)
    if model in ("examined", "ctr"):
        return {pair: clicked[pair] / shown[pair] for pair in shown}
    if model == "cascade":
        return {pair: clicked[pair] / seen[pair] for pair in shown if seen[pair]}
    return {p: clicked[p] / seen[p] * (last[p] / clicked[p] if clicked[p] else 0) for p in shown if seen[p]}


@pytest.mark.parametrize("model", ["examined", "ctr", "cascade", "sdbn"])
def test_random_logs_equal_the_definition(model):
    rng = np.random.default_rng(5)
    lists = [("".join(rng.permutation(list("abcd"))), "".join(map(str, rng.integers(0, 2, 4)))) for _ in range(80)]
    queries = [f"q{n}" for n in rng.integers(0, 5, 80)]
    log = log_of(lists, lambda t: queries[t])
    rng.shuffle(log)
    made = rm.judgments_from_clicks(log, examination=THETA, shrink=False, model=model).frame
    found = {(q, i): r for q, i, r in made.select("query", "item", "rate").iter_rows() if not math.isnan(r)}
    assert found == pytest.approx(plain(lists, queries, model))


def test_intervals_hold_on_simulated_logs():
    rng = np.random.default_rng(11)
    held = total = 0
    for _ in range(30):
        truth = dict(zip("abcd", rng.uniform(0.05, 0.9, 4), strict=True))
        lists = []
        for _ in range(60):
            items = "".join(rng.permutation(list("abcd")))
            clicks = "".join(str(int(rng.random() < THETA[n] * truth[item])) for n, item in enumerate(items))
            lists.append((items, clicks))
        frame = rm.judgments_from_clicks(log_of(lists), examination=THETA, shrink=False).frame
        for item, low, high in frame.select("item", "low", "high").iter_rows():
            held += low <= truth[item] <= high
            total += 1
    assert held / total > 0.92  # exact intervals of counts hold more often than 95 %


def test_the_examination_is_estimated_from_the_log_by_default():
    rng = np.random.default_rng(3)
    lists = [
        ("".join(rng.permutation(list("abcd"))), "".join(str(int(rng.random() < t * 0.8)) for t in THETA))
        for _ in range(400)
    ]
    made = rm.judgments_from_clicks(log_of(lists))
    assert made.examination[0] == 1.0
    assert made.examination[3] == pytest.approx(0.25, abs=0.12)


def test_words_for_events_count_in_any_case():
    log = [{**row, "type": row["type"].upper()} for row in log_of(LISTS)]
    made = rm.judgments_from_clicks(log, examination=THETA, shrink=False)
    assert made.frame["clicks"].to_list() == [6, 1, 3, 1]


def test_the_command_writes_judgments_and_shows_agreement(tmp_path):
    from rankmeter.cli.judgments_from_clicks import command

    pl.DataFrame(log_of(LISTS * 5)).write_csv(tmp_path / "log.csv")
    (tmp_path / "people.csv").write_text("query,item,grade\nq,a,3\nq,b,0\nq,c,2\n")
    out = tmp_path / "clicks.csv"
    people = ["--judgments", str(tmp_path / "people.csv")]
    log = [str(tmp_path / "log.csv"), "--examination", "1,0.5,0.333333,0.25"]
    arguments = [*log, "--format", "csv", "--output", str(out), *people]
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    assert "people" in done.output
    assert rm.evaluate(out, {"q": list("abcd")}, "nDCG@3")["nDCG@3"] > 0.8


WRONG = {
    "no query": ([{k: v for k, v in row.items() if k != "query"} for row in log_of(LISTS)], {}, "no query column"),
    "an unknown model": (log_of(LISTS), {"model": "dcm"}, "no click model 'dcm'"),
    "falling thresholds": (log_of(LISTS), {"grades": [0.5, 0.2]}, "thresholds"),
    "no examination": (log_of(LISTS), {"examination": [float("nan")]}, "not known"),
    "a grade too high": (log_of(LISTS), {"grades": 40}, "grades=40"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_a_sentence(kind):
    log, options, words = WRONG[kind]
    with pytest.raises(rm.InputError) as caught:
        rm.judgments_from_clicks(log, **{"examination": THETA, **options})
    assert words in str(caught.value)
