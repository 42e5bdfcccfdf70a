"""Judgments from clicks: worked values, an oracle on random logs, what is too little, what is wrong."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.wings.online.click_models import (
    BetaPrior,
    beta_prior,
    dynamic_bayesian,
    gamma_prior,
    garwood,
    position_based,
)

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
    "pbm": [0.66307, 0.12847, 0.43480, 0.24995],
}


@pytest.mark.parametrize("model", WORKED)
def test_the_worked_log(model):
    frame = rates(model=model)
    assert frame["item"].to_list() == list("abcd")
    assert frame["rate"].to_list() == pytest.approx(WORKED[model], abs=1e-5 if model == "pbm" else 1e-6)


def test_lists_without_a_click_left_out():
    assert rates(model="sdbn", clickless="left out")["rate"].to_list() == pytest.approx([0.625, 1 / 6, 0.5, 1.0])


def test_exact_intervals_and_evidence():
    frame = rates()
    evidence = np.array([7.333333, 6.0, 4.916667, 2.583333])
    assert frame["evidence"].to_list() == pytest.approx(evidence, abs=1e-6)
    low, high = garwood(frame["clicks"].to_numpy().astype(float), frame["evidence"].to_numpy(), 0.95)
    assert low == pytest.approx([0.300258, 0.004220, 0.125832, 0.009800], abs=1e-6)
    assert high == pytest.approx([1.780837, 0.928607, 1.783174, 2.156765], abs=1e-6)
    assert frame["low"].to_list() == pytest.approx(low)
    assert frame["high"].to_list() == pytest.approx(np.minimum(high, 1))  # no rate is above 1


def test_stated_priors_draw_rates_together():
    frame = rates(shrink=(2, 8))
    assert frame["rate"].to_list() == pytest.approx([0.521739, 0.214286, 0.387097, 0.283465], abs=1e-6)
    assert (frame["low"][0], frame["high"][0]) == pytest.approx((0.225250, 0.940609), abs=1e-6)
    assert (frame["low"][3], frame["high"][3]) == pytest.approx((0.058457, 0.682648), abs=1e-6)
    ones = rates(model="sdbn", shrink=(1, 1))["rate"]
    assert ones.to_list() == pytest.approx([0.477273, 0.148148, 0.342857, 0.333333], abs=1e-6)


CLICKS = np.array([0, 1, 2, 3, 5, 8, 12, 20.0])


def test_the_most_likely_gamma_prior():
    evidence = np.array([6.5, 9, 12, 30, 22, 41, 40, 52.5])
    prior = gamma_prior(CLICKS, evidence)
    assert (prior.shape, prior.strength) == pytest.approx((12.8815, 57.0312), rel=1e-3)
    means = [0.202758, 0.210226, 0.215576, 0.182480, 0.226258, 0.213008, 0.256428, 0.300202]
    assert prior.mean(CLICKS, evidence) == pytest.approx(means, abs=1e-4)


def test_the_most_likely_beta_prior():
    shown = np.array([10, 12, 20, 40, 40, 50, 60, 60.0])
    prior = beta_prior(CLICKS, shown)
    assert (prior.clicks, prior.misses) == pytest.approx((4.5441, 24.4226), rel=1e-3)
    means = [0.116615, 0.135332, 0.133644, 0.109387, 0.138387, 0.158853, 0.185958, 0.275880]
    assert prior.mean(CLICKS, shown) == pytest.approx(means, abs=1e-4)


def test_plain_rates_have_intervals_of_shares():
    frame = rates(model="ctr")
    assert (frame["low"][0], frame["high"][0]) == pytest.approx((0.262378, 0.878448), abs=1e-6)  # 6 of 10, exact
    lists = [
        ("".join(item), "1" if place % 3 == 0 else "0") for item in "abcdefghijklmnopqrstuvwx" for place in range(9)
    ]
    many = rm.judgments_from_clicks(log_of(lists), model="ctr", examination=THETA)
    assert many.prior is None or isinstance(many.prior, BetaPrior)
    assert many.frame["high"].max() <= 1


def test_the_position_based_model_fits_the_worked_log():
    rows = [
        ("abcd".index(item), place, clicks[place] == "1") for items, clicks in LISTS for place, item in enumerate(items)
    ]
    pair, place, clicked = (np.array(column) for column in zip(*rows, strict=True))
    fitted = position_based(pair, place, np.ones(len(rows)), clicked.astype(float))
    assert fitted.examination == pytest.approx([1, 0.76596, 0.63966, 0.36771], abs=2e-5)
    assert fitted.log_likelihood == pytest.approx(-19.035762, abs=1e-6)


def clicks_of(rng, items, attraction, satisfaction, continuation):
    """What a user of a dynamic Bayesian network clicks."""
    clicks = [0] * len(items)
    for place, item in enumerate(items):
        clicks[place] = int(rng.random() < attraction[item])
        if (clicks[place] and rng.random() < satisfaction[item]) or rng.random() > continuation:
            break
    return "".join(map(str, clicks))


def test_the_dynamic_bayesian_model_finds_what_lists_were_made_of():
    rng = np.random.default_rng(8)
    attraction = dict(zip("abcd", (0.8, 0.5, 0.3, 0.15), strict=True))
    satisfaction = dict(zip("abcd", (0.7, 0.2, 0.5, 0.4), strict=True))
    lists = []
    for _ in range(6000):
        items = "".join(rng.permutation(list("abcd")))
        lists.append((items, clicks_of(rng, items, attraction, satisfaction, 0.8)))
    pair = np.array([["abcd".index(item) for item in items] for items, _ in lists])
    clicked = np.array([[click == "1" for click in clicks] for _, clicks in lists])
    fitted = dynamic_bayesian(pair, clicked, 4)
    assert fitted.attraction == pytest.approx(list(attraction.values()), abs=0.04)
    assert fitted.satisfaction == pytest.approx(list(satisfaction.values()), abs=0.12)
    assert fitted.continuation == pytest.approx(0.8, abs=0.05)
    made = rm.judgments_from_clicks(log_of(lists[:500]), model="dbn").frame
    assert made["rate"].to_list() == pytest.approx([a * satisfaction[i] for i, a in attraction.items()], abs=0.15)


def test_each_round_of_the_dynamic_bayesian_model_is_as_likely_or_likelier():
    rng = np.random.default_rng(2)
    pair, clicked = rng.integers(0, 5, (40, 6)), rng.random((40, 6)) < 0.3
    pair[:10, 4:], clicked[:10, 4:] = -1, False
    seen = [dynamic_bayesian(pair, clicked, 5, rounds=rounds).log_likelihood for rounds in range(1, 12)]
    assert all(after >= before - 1e-9 for before, after in itertools.pairwise(seen))


def test_few_pairs_stand_as_they_are_and_it_is_said():
    made = rm.judgments_from_clicks(log_of(LISTS), examination=THETA)
    assert made.prior is None
    assert any("rates were not shrunk" in note for note in made.to_dict()["notes"])


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


@pytest.mark.parametrize("many", [1, 7])
@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("model", ["examined", "ctr", "ips", "pbm", "cascade", "sdbn", "dbn"])
def test_partitions_and_ids_change_nothing(model, number, many, monkeypatch):
    rng = np.random.default_rng(6)
    lists = [("".join(rng.permutation(list("abcd"))), "".join(map(str, rng.integers(0, 2, 4)))) for _ in range(60)]
    log = pl.DataFrame(log_of(lists, lambda t: f"q{t % 3}"))
    whole = rm.judgments_from_clicks(log, examination=THETA, model=model).frame
    if number:  # ids below 0 and above 2^53 are ids as any other
        codes = {"a": -1, "b": 2**60, "c": 3, "d": 4}
        log = log.with_columns(
            pl.col("item").replace_strict(codes, return_dtype=pl.Int64), pl.col("user").str.slice(1).cast(int)
        )
    monkeypatch.setattr("rankmeter.wings.online.partitions.Partitions.divide", lambda self, rows: _divided(self, many))
    made = rm.judgments_from_clicks(log, examination=THETA, model=model).frame
    if number:
        back = {str(code): name for name, code in codes.items()}
        made = made.with_columns(pl.col("item").replace_strict(back)).sort("query", "item")
    assert made["item"].to_list() == whole["item"].to_list()
    for column in ("shown", "clicks", "evidence", "users", "rate", "grade"):
        assert made[column].fill_null(-1).to_list() == pytest.approx(
            whole[column].fill_null(-1).to_list(), rel=1e-6, nan_ok=True
        ), column


def _divided(partitions, many):
    partitions._held = [[] for _ in range(many)]


def test_a_click_takes_the_query_of_its_impression():
    log = [{**row, "query": row["query"] if row["type"] == "impression" else None} for row in log_of(LISTS)]
    made = rm.judgments_from_clicks(log, examination=THETA, shrink=False)
    assert made.frame.equals(rates())


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


@pytest.mark.slow
@pytest.mark.parametrize("model", ["cascade", "sdbn"])
@pytest.mark.parametrize("shrink", [False, (1.0, 1.0)])
def test_intervals_of_what_was_seen_hold_what_a_long_log_says(model, shrink):
    rng = np.random.default_rng(12)
    attraction = dict(zip("abcd", (0.15, 0.3, 0.5, 0.8), strict=True))
    satisfaction = dict(zip("abcd", (0.9, 0.3, 0.5, 0.7), strict=True))

    def lists(count):
        for _ in range(count):
            items = "".join(rng.permutation(list("abcd")))
            yield items, "".join(map(str, clicks_of(rng, items, attraction, satisfaction, 1.0)))

    def frame(count):
        return rm.judgments_from_clicks(log_of(list(lists(count))), model=model, shrink=shrink).frame

    truth = dict(frame(8000).select("item", "rate").iter_rows())
    held = [low <= truth[item] <= high for _ in range(40)
            for item, low, high in frame(80).select("item", "low", "high").iter_rows()]  # fmt: skip
    assert np.mean(held) > (0.95 if shrink is False else 0.92)  # exact ones hold more often than they say


def test_grades_on_another_scale_than_peoples_say_which_option_helps():
    made = rm.judgments_from_clicks(log_of(LISTS), examination=THETA, least=(1, 1))
    with pytest.raises(rm.InputError, match="--max-grade") as error:
        made.against({"q": {"a": 7, "b": 0}})
    assert "scale=" not in str(error.value)


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
    from rankmeter.wings.online.commands import judgments_from_clicks as command

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
    "an unknown model": (log_of(LISTS), {"model": "dcm"}, "model='dcm' is not possible; it is one of examined, ctr"),
    "falling thresholds": (log_of(LISTS), {"grades": [0.5, 0.2]}, "thresholds"),
    "no examination": (log_of(LISTS), {"examination": [float("nan")]}, "a number above 0 for each position"),
    "a position never looked at": (log_of(LISTS), {"examination": [1, 0, 0.5]}, "a number above 0"),
    "no position": (log_of(LISTS), {"examination": []}, "a number above 0"),
    "no click": ([row for row in log_of(LISTS) if row["type"] != "click"], {}, "no click on any item"),
    "clicks of another word": (
        [{**row, "type": row["type"].replace("click", "chosen")} for row in log_of(LISTS)],
        {},
        "event types: impression",
    ),
    "a column of clicks": (
        [{k: v for k, v in row.items() if k != "type"} | {"clicked": 1} for row in log_of(LISTS)],
        {},
        "where clicked is 1",
    ),
    "the low end of no interval": (log_of(LISTS), {"model": "dbn", "grade_by": "low"}, "has no interval"),
    "another end": (log_of(LISTS), {"grade_by": "high"}, "grade_by='high'"),
    "another word for clickless": (log_of(LISTS), {"clickless": "no"}, "clickless='no'"),
    "one number at least": (log_of(LISTS), {"least": 5}, "least=(10, 2)"),
    "a text as examination": (log_of(LISTS), {"examination": "abc"}, "a number above 0"),
    "a text as grades": (log_of(LISTS), {"grades": "3"}, "thresholds 3"),
    "a prior of nothing": (log_of(LISTS), {"shrink": (0, 1)}, "two numbers above 0"),
    "a prior of a model without": (log_of(LISTS), {"shrink": (1, 1), "model": "pbm"}, "does not take a prior"),
    "a grade too high": (log_of(LISTS), {"grades": 40}, "grades=40"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_a_sentence(kind):
    log, options, words = WRONG[kind]
    with pytest.raises(rm.InputError) as caught:
        rm.judgments_from_clicks(log, **{"examination": THETA, **options})
    assert words in str(caught.value)
