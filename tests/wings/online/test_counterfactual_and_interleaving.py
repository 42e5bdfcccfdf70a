"""``rankmeter counterfactual``, ``rankmeter interleave`` and ``rankmeter online --position-bias``."""

from __future__ import annotations

import json

import polars as pl
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli import app

R, P, PI = [1, 0, 1, 1, 0], [0.5, 0.25, 0.25, 0.2, 0.5], [0.2, 0.8, 0.4, 0.5, 0.6]
SLATES = {"r": [[1, 0, 1], [0, 1, 0]], "p": [[0.5, 0.4, 0.25], [0.2, 0.5, 0.5]],
          "pi": [[0.8, 0.2, 0.5], [0.4, 0.5, 0.25]]}  # fmt: skip


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture
def choices(tmp_path):
    path = tmp_path / "choices.csv"
    pl.DataFrame({"click": R, "propensity": P, "p_new": PI}).write_csv(path)
    return path


@pytest.fixture
def slates(tmp_path):
    """Rows in no order: they are put into the order of requests and positions."""
    rows = [
        {"request": s, "position": k + 1, "reward": SLATES["r"][s][k], "logged": SLATES["p"][s][k],
         "target": SLATES["pi"][s][k], "user": f"u{s}"}
        for k in (2, 0, 1)
        for s in (1, 0)
    ]  # fmt: skip
    path = tmp_path / "slates.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


def test_the_value_of_another_policy(choices):
    found = run("counterfactual", choices, "--columns", "target=p_new", "--clip", 2, "--format", "json")
    assert found.exit_code == 0, found.stderr
    told = json.loads(found.stdout)
    assert told["estimates"]["SNIPS"]["value"] == pytest.approx(0.5056179775280899)
    assert told["estimates"]["clipped IPS"]["value"] == pytest.approx(0.8)
    assert "effective sample size 3.8 of 5 rows" in found.stderr
    assert "cannot tell" in found.stderr
    table = run("counterfactual", choices, "--columns", "target=p_new", "-q")
    assert table.stdout.splitlines()[2].split()[:2] == ["IPS", "0.9000"]
    assert table.stderr == ""


@pytest.mark.parametrize("model", ["item-position", "cascade", "standard"])
def test_slates_are_put_together_from_their_rows(slates, model):
    found = run("counterfactual", slates, "--model", model, "--format", "csv")
    assert found.exit_code == 0, found.stderr
    told = dict(pl.read_csv(found.stdout.encode()).select("estimator", "value").iter_rows())
    expected = rm.online.off_policy_slates(SLATES["r"], SLATES["p"], SLATES["pi"], model=model)
    assert told["IPS"] == pytest.approx(expected["IPS"])
    assert told["SNIPS"] == pytest.approx(expected["SNIPS"])


@pytest.fixture
def runs(tmp_path):
    for name, order in (("a", "xyz"), ("b", "zyx")):
        rows = [f"{q} Q0 {item} {rank} {9 - rank} {name}" for q in ("q1", "q2") for rank, item in enumerate(order)]
        (tmp_path / f"{name}.run").write_text("\n".join(rows + ([f"q3 Q0 x 0 1 {name}"] if name == "a" else [])) + "\n")
    return tmp_path / "a.run", tmp_path / "b.run"


def test_lists_are_made_and_scored(runs, tmp_path):
    made = run("interleave", "make", *runs, "--seed", 3)
    assert made.exit_code == 0, made.stderr
    assert "1 query is in one run only" in made.stderr
    lists = pl.read_csv(made.stdout.encode())
    assert lists.columns == ["query", "version", "position", "item", "team"]
    assert lists["query"].to_list() == ["q1"] * 6 + ["q2"] * 6
    for query in ("q1", "q2"):
        first, mirrored = (lists.filter(query=query, version=version) for version in (1, 2))
        assert sorted(first["item"].to_list()) == sorted(mirrored["item"].to_list()) == ["x", "y", "z"]
        # Whoever draws one of the two shows either team at a position equally often.
        assert first["team"].to_list() == [{"A": "B", "B": "A"}[team] for team in mirrored["team"]]
    assert run("interleave", "make", *runs, "--seed", 3).stdout == made.stdout
    assert {run("interleave", "make", *runs, "--seed", n, "-q").stdout for n in range(6)} != {made.stdout}

    clicks = [{"visitor": u, "request": u, "team": "B"} for u in range(9)] + [{"visitor": 9, "request": 9, "team": "A"}]
    pl.DataFrame(clicks).write_csv(tmp_path / "clicks.csv")
    scored = run("interleave", "score", tmp_path / "clicks.csv", "--columns", "user=visitor", "--format", "json")
    assert scored.exit_code == 0, scored.stderr
    assert json.loads(scored.stdout)["verdict"] == "B"
    assert "sign test by user" in scored.stderr


def test_credits_of_optimised_lists_are_votes():
    rows = [{"user": u, "request": u, "credit": 0.5} for u in range(9)] + [{"user": 9, "request": 9, "credit": -0.2}]
    found = rm.online.score_interleaving([*rows, {"user": 10, "request": 10, "credit": None}])
    assert (found.users_a, found.users_b, found.ties) == (1, 9, 1)


def test_the_curve_of_positions(tmp_path):
    rows = [
        {"time": t, "user": f"{t}-{p}", "item": "a", "position": p, "type": kind}
        for p, clicks in ((1, 4), (2, 2))
        for t in range(8)
        for kind in (["impression", "click"] if t < clicks else ["impression"])
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "log.csv")
    found = run("online", tmp_path / "log.csv", "--position-bias", "--format", "csv")
    assert found.exit_code == 0, found.stderr
    assert pl.read_csv(found.stdout.encode())["examination"].to_list() == [1.0, 0.5]
    assert "examination" in run("online", tmp_path / "log.csv", "--position-bias").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["counterfactual", "absent.csv"], "absent.csv"),
        (["counterfactual", "CHOICES"], "no target column"),
        (["counterfactual", "CHOICES", "--columns", "target=nothing"], "no column 'nothing'"),
        (
            ["counterfactual", "CHOICES", "--columns", "goal=p_new"],
            "--columns names 'goal', which is not one of reward",
        ),
        (["counterfactual", "CHOICES", "--columns", "target=p_new", "--clip", "0"], "--clip 0"),
        (["counterfactual", "CHOICES", "--columns", "target=p_new", "--shrink", "1"], "predicted= and expected="),
        (
            ["counterfactual", "CHOICES", "--columns", "target=p_new", "--model", "cascade"],
            "no request and no position column",
        ),
        (["interleave", "score", "CHOICES"], "no user, no request and no team column"),
        (["interleave", "make", "absent.run", "absent.run"], "absent.run"),
        (["online", "CHOICES", "--position-bias", "-m", "CTR"], "cannot be combined with"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(choices, arguments, words):
    found = run(*(str(choices) if one == "CHOICES" else one for one in arguments))
    assert found.exit_code == 2
    assert words in found.stderr
    assert "Traceback" not in found.stderr
    assert found.stdout == ""


def test_a_bound_below_zero_is_said_as_it_was_typed(tmp_path):
    pl.DataFrame({"reward": [1.0, 0.0], "logged": [0.5, 0.5], "target": [0.5, 0.5]}).write_csv(tmp_path / "log.csv")
    found = run("counterfactual", tmp_path / "log.csv", "--clip", "-1")
    assert found.exit_code == 2
    assert "--clip -1.0 is not possible: expected a number above 0. Hint: --clip 10" in found.stderr


@pytest.mark.parametrize("target", [0.0, 0.5])
def test_what_has_no_data_says_so_and_why(tmp_path, target):
    rows = {"reward": [1.0, 0.0], "logged": [0.5, 0.5], "target": [target] * 2, "user": ["u", "u" if target else "v"]}
    pl.DataFrame(rows).write_csv(tmp_path / "log.csv")
    found = run("counterfactual", tmp_path / "log.csv")
    assert found.exit_code == 0, found.stderr
    assert ("no interval" if target else "no data") in found.stdout
    assert "nan" not in found.stdout + found.stderr
    assert ("only one unit" if target else "none of the logged choices") in found.stderr


def test_clicks_that_favour_nobody_are_no_data(tmp_path):
    (tmp_path / "clicks.csv").write_text("user,request,team\nu,1,\nv,2,\n")
    found = run("interleave", "score", tmp_path / "clicks.csv")
    assert "no data: no user's clicks favour either ranking" in found.stderr
    (tmp_path / "clicks.csv").write_text("user,request,team\n")
    assert "is empty" in run("interleave", "score", tmp_path / "clicks.csv").stderr


def test_position_bias_speaks_chinese(tmp_path):
    rows = ["time,user,item,position,type", *(f"{n},u{n},a,{n % 2 + 1},impression" for n in range(8)), "9,u1,a,2,click"]
    (tmp_path / "log.csv").write_text("\n".join(rows))
    found = run("online", tmp_path / "log.csv", "--position-bias", "--lang", "zh")
    assert "查看程度" in found.stdout
    assert "相对于第 1 位" in found.stderr
