"""``rankmeter evaluate`` with a catalogue, a history and slices."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankmeter.cli import app

FILES = {
    "test.csv": "user,item\nu1,a\nu2,b\n",
    "model.csv": "user,item,score\nu1,a,3\nu1,b,2\nu2,c,3\nu2,z,1\n",
    "train.csv": "user,item\nu1,c\nu2,a\nu3,a\n",
    "items.csv": "item,genre,price,group\na,x|y,3,m\nb,x,2,n\nc,y,5,m\n",
    "vectors.csv": "item,f1,f2\na,1,0\nb,0,1\nc,1,1\n",
    "users.csv": "user,country\nu1,DE\nu2,FR\n",
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


def run(*args: str) -> Result:
    return CliRunner().invoke(app, ["evaluate", "test.csv", "model.csv", *args])


def test_measures_of_lists_stand_beside_the_others() -> None:
    result = run("-m", "nDCG@2 Coverage@2 Revenue@2", "--catalogue", "items.csv", "-q")
    assert result.exit_code == 0
    assert result.stdout == "run    nDCG@2  Coverage@2  Revenue@2\nmodel  0.5000      1.0000     1.5000\n"


def test_slices_are_rows() -> None:
    result = run(
        "-m", "RR", "-m", "Coverage@2", "--catalogue", "items.csv", "--by", "users.csv", "--format", "csv", "-q"
    )
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["by"], row["slice"], row["queries"]) for row in rows] == [
        ("", "all", "2"),
        ("country", "DE", "1"),
        ("country", "FR", "1"),
    ]
    assert [float(row["RR"]) for row in rows] == [0.5, 1.0, 0.0]


def test_json_holds_the_slices_and_the_notes() -> None:
    result = run(
        "-m", "Novelty@2", "--catalogue", "items.csv", "--history", "train.csv", "--by", "activity", "--format", "json"
    )
    found = json.loads(result.stdout)["runs"][0]
    assert found["slices"]["activity"]["Novelty@2"]["queries"]["no history"] == 0
    assert "1 of 4 recommended places has an item outside the catalogue" in found["facts"]["notes"]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["-m", "Coverage@2"], "pass --catalogue (a file with an item column)"),
        (["-m", "ILD@2", "--catalogue", "items.csv"], "a features column"),
        (["-m", "Coverage@2", "--catalogue", "nowhere.csv"], "nowhere.csv"),
        (["-m", "ILD@2", "--catalogue", "vectors.csv"], "name them: --columns catalogue.features=f1+f2"),
        (["-m", "RR", "--columns", "catalogue.features=f1"], "--catalogue FILE"),
        (["-m", "RR", "--by", "users.csv:contry"], "did you mean 'country'?"),
        (["-m", "RR", "--by", "activty"], "did you mean 'activity'?"),
        (["-m", "RR", "--by", "activity"], "--history"),
    ],
)
def test_what_is_missing_is_one_sentence_and_exit_code_2(args: list[str], told: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def many_users(folder: Path) -> None:
    """Forty users of two countries; those of FR find their item less often."""
    users = range(40)
    (folder / "test.csv").write_text("user,item\n" + "".join(f"u{one},a\n" for one in users))
    lists = (f"u{one},{item},{score}\n" for one in users for item, score in (("a", 1 + one % 3), ("b", 1 + one % 2)))
    (folder / "model.csv").write_text("user,item,score\n" + "".join(lists))
    (folder / "users.csv").write_text("user,country\n" + "".join(f"u{u},{'FR' if u % 2 else 'DE'}\n" for u in users))


SLICED = ("-m", "RR", "-m", "Coverage@1", "--catalogue", "items.csv", "--by", "users.csv", "--interval")


def test_slices_have_intervals_and_differences_in_every_format(tmp_path: Path) -> None:
    many_users(tmp_path)
    found = json.loads(run(*SLICED, "--format", "json").stdout)["runs"][0]
    cut = found["slices"]["country"]["RR"]
    value, apart = cut["value"]["FR"], cut["difference_from_rest"]["FR"]
    assert cut["interval"]["FR"]["low"] < value < cut["interval"]["FR"]["high"]
    assert apart["value"] == pytest.approx(value - cut["value"]["DE"])
    assert apart["low"] < apart["value"] < apart["high"]
    assert "a resample of users repeats lists" in found["slices"]["country"]["Coverage@1"]["no_interval"]
    assert "a resample of users repeats lists" in found["no_interval"]["Coverage@1"]
    rows = list(csv.DictReader(io.StringIO(run(*SLICED, "--format", "csv").stdout)))
    french = next(row for row in rows if row["slice"] == "FR")
    assert float(french["RR low"]) == cut["interval"]["FR"]["low"]
    assert float(french["RR difference high"]) == apart["high"]
    assert french["Coverage@1 low"] == ""
    assert "Coverage@1: a resample of users" in french["no interval"]
    shown = f"{apart['value']:+.4f} [{apart['low']:.4f}, {apart['high']:.4f}]"
    for form in ("table", "markdown", "latex"):
        text = run(*SLICED, "--format", form, "-q").stdout
        assert shown in text, form
        assert "(no interval)" in text, form
    assert "no interval for Coverage@1: a resample of users" in run(*SLICED).stderr


def test_without_intervals_it_is_said_how_to_get_them(tmp_path: Path) -> None:
    many_users(tmp_path)
    assert "--interval adds intervals, and the difference" in run("-m", "RR", "--by", "users.csv").stderr


def test_a_number_without_an_interval_says_so_without_slices_too(tmp_path: Path) -> None:
    many_users(tmp_path)
    result = run("-m", "RR Coverage@1", "--catalogue", "items.csv", "--interval")
    assert "(no interval)" in result.stdout
    assert "no interval for Coverage@1" in result.stderr
    (tmp_path / "one.csv").write_text("user,item\nu1,a\n")
    result = CliRunner().invoke(app, ["evaluate", "one.csv", "one.csv", "-m", "P@1", "--interval"])
    assert result.exit_code == 0
    assert "no interval for P@1: fewer than two users count" in result.stderr


def test_columns_of_features_are_named() -> None:
    result = run("-m", "ILD@2", "--catalogue", "vectors.csv", "--columns", "catalogue.features=f*", "-q")
    assert result.exit_code == 0
    assert result.stdout.split() == ["run", "ILD@2", "model", "1.0000"]


def test_a_number_that_is_missing_says_why() -> None:
    (Path.cwd() / "others.csv").write_text("item\nq\n")
    result = run("-m", "Gini@2", "--catalogue", "others.csv")
    assert "Gini@2 has no value: no recommended item is among those it looks at" in result.stderr


def test_every_dash_of_a_slice_says_why() -> None:
    args = ("-m", "nDCG@2 Coverage@2 Calibration@2", "--catalogue", "items.csv", "--history", "train.csv")
    result = run(*args, "--by", "cold-users", "--by", "genre")
    assert "cold-users: no value in cold: no user counts" in result.stderr
    assert "genre: no value of Coverage@2, Calibration@2: slices of items divide the judgments" in result.stderr
    assert (
        "cold-users: no value in cold: no user counts"
        in run(*args, "--by", "cold-users", "--format", "markdown").stdout
    )
    slices = json.loads(run(*args, "--by", "cold-users", "--format", "json").stdout)["runs"][0]["slices"]
    assert slices["cold-users"]["nDCG@2"]["no_value"] == {"cold": "no user counts"}


def test_catalogues_that_would_be_misread_are_refused(tmp_path: Path) -> None:
    (tmp_path / "semicolons.csv").write_text("item;price\na;1\nb;2\n")
    result = run("-m", "Coverage@2", "--catalogue", "semicolons.csv")
    assert result.exit_code == 2
    assert "may be a header or the first id" in result.stderr


def test_lists_alone_are_hinted_at() -> None:
    result = CliRunner().invoke(app, ["evaluate", "model.csv", "-m", "Coverage@2", "--catalogue", "items.csv"])
    assert result.exit_code == 2
    assert "--no-judgments" in result.stderr
