"""What two people judged of one draw, in a file each: together it is one sample with its chances."""

from __future__ import annotations

from random import Random

import polars as pl
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli.application import app

RANDOM = Random(1)
MACHINE = {f"q{q}": {f"d{r}": RANDOM.randrange(3) for r in range(10)} for q in range(60)}
RUN = {f"q{q}": [f"d{r}" for r in range(10)] for q in range(60)}


@pytest.fixture
def judged(tmp_path):
    """One file, and a folder with the same rows in two."""
    table = rm.draw(MACHINE, queries=20, seed=1)
    table = table.with_columns(pl.Series("grade", [RANDOM.randrange(3) for _ in range(len(table))]))
    table.write_csv(tmp_path / "all.csv")
    folder = tmp_path / "judges"
    folder.mkdir()
    of_ann = pl.col("query").is_in(table["query"].unique(maintain_order=True).to_list()[:10])
    table.filter(of_ann).write_csv(folder / "ann.csv")
    table.filter(~of_ann).write_csv(folder / "bob.csv")
    return tmp_path / "all.csv", folder


def assisted(people):
    return str(rm.evaluate(people, RUN, "nDCG@10", assisted_by=MACHINE).assisted)


def test_two_files_are_one_sample(judged):
    whole, folder = judged
    expected = assisted(pl.read_csv(whole))
    both = folder / "ann.csv", folder / "bob.csv"
    assert {assisted(given) for given in (whole, folder, f"{folder}/*.csv", rm.files(*both))} == {expected}


def test_the_command_takes_a_folder_too(judged, tmp_path):
    whole, folder = judged
    rows = [f"{q} 0 {d} {grade}" for q, grades in MACHINE.items() for d, grade in grades.items()]
    (tmp_path / "machine.qrels").write_text("\n".join(rows))
    rows = [f"{q} Q0 {d} {place} {-place} s" for q, items in RUN.items() for place, d in enumerate(items, 1)]
    (tmp_path / "s.run").write_text("\n".join(rows))
    said = []
    for people in (whole, folder):
        words = ["evaluate", people, tmp_path / "s.run", "-m", "nDCG@10", "--assisted-by", tmp_path / "machine.qrels"]
        answer = CliRunner().invoke(app, list(map(str, words)))
        assert answer.exit_code == 0, answer.output
        said.append(answer.stdout)
    assert said[0] == said[1]


def test_a_file_without_chances_beside_one_with_them(judged):
    _, folder = judged
    pl.read_csv(folder / "bob.csv").drop("query_chance").write_csv(folder / "bob.csv")
    with pytest.raises(rm.InputError, match="query_chance"):
        assisted(folder)
