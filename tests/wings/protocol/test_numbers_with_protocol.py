"""The protocol travels with every number, and numbers of two protocols are not compared."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.errors import InputError

ROWS = pl.DataFrame([
    {"user": f"u{u}", "item": f"i{(u * step * step) % 53}", "rating": 1 + step % 5, "time": 1000 * step + 700 * u}
    for u in range(1, 31) for step in range(1, 8)
])  # fmt: skip
MEASURES = ["nDCG@5", "R@5"]


@pytest.fixture(scope="module")
def parts() -> rm.Split:
    return rm.split(ROWS, "last_n(1)", before="duplicates(last)")


@pytest.fixture(scope="module")
def runs(parts: rm.Split) -> dict[str, pl.DataFrame]:
    return rm.baselines(parts.train, k=5, kinds=["popular", "random", "cosine"])


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_an_evaluation_carries_the_protocol_of_its_split(parts: rm.Split, runs: dict[str, pl.DataFrame]) -> None:
    ev = rm.evaluate(parts, runs["cosine"], MEASURES)
    assert ev.protocol == parts.protocol
    assert "the last row of every user" in repr(ev)
    assert ev.to_dict()["protocol"]["how"] == "last_n(1)"
    assert ev.mean == rm.evaluate(parts.test, runs["cosine"], MEASURES).mean
    assert rm.evaluate(parts.test, runs["cosine"], MEASURES).protocol is None
    assert rm.evaluate(parts.test, runs["cosine"], MEASURES, protocol=parts.protocol).protocol == parts.protocol


def test_a_protocol_is_saved_and_loaded(parts: rm.Split, runs: dict[str, pl.DataFrame], tmp_path: Path) -> None:
    ev = rm.evaluate(parts, runs["cosine"], MEASURES, baselines="popular")
    ev.save(tmp_path / "ev.parquet")
    again = rm.Evaluation.load(tmp_path / "ev.parquet")
    assert again == ev
    assert again.protocol == parts.protocol
    assert again.added["baselines"] == ev.added["baselines"]


def test_a_comparison_says_its_protocol(parts: rm.Split, runs: dict[str, pl.DataFrame], tmp_path: Path) -> None:
    cmp = rm.compare(parts, runs, MEASURES, permutations=200)
    assert "duplicates(last)" in cmp.notes[0]
    assert "最后一行" in cmp.notes[0].text("zh")
    cmp.save(tmp_path / "cmp.zip")
    assert rm.Comparison.load(tmp_path / "cmp.zip").notes == cmp.notes
    evaluations = [rm.evaluate(parts, run, MEASURES, name=name) for name, run in runs.items()]
    assert rm.compare(None, evaluations, permutations=200).notes[0] == cmp.notes[0]


def test_numbers_of_two_protocols_are_refused_unless_told(parts: rm.Split, runs: dict[str, pl.DataFrame]) -> None:
    one = rm.evaluate(parts, runs["cosine"], MEASURES, name="one")
    two = rm.evaluate(rm.split(ROWS, "last_n(2)"), runs["popular"], MEASURES, name="two")
    with pytest.raises(InputError, match="different protocols") as caught:
        rm.compare(None, [one, two])
    assert "the last 2 rows" in str(caught.value)
    assert "protocol='any'" in str(caught.value)
    same = rm.evaluate(rm.split(ROWS.reverse(), "last_n(1)", before="duplicates(last)"), runs["popular"], MEASURES)
    assert rm.compare(None, [one, same], permutations=200).systems == ("one", "run")
    other_seed = rm.evaluate(
        rm.split(ROWS, "last_n(1)", before="duplicates(last)", seed=9), runs["popular"], MEASURES, name="seed"
    )
    assert rm.compare(None, [one, other_seed], permutations=200).systems == ("one", "seed")  # nothing was drawn


def test_protocols_that_are_told_apart_can_be_compared_all_the_same(runs: dict[str, pl.DataFrame]) -> None:
    rows = ROWS.unique(["user", "item"], keep="last", maintain_order=True)
    parts = [rm.split(rows, "last_n(1)", before=step) for step in ((), "min_item(1)")]
    one, two = (
        rm.evaluate(part, run, MEASURES, name=name)
        for part, (name, run) in zip(parts, [*runs.items()][:2], strict=True)
    )
    with pytest.raises(InputError, match="different protocols"):
        rm.compare(None, [one, two])
    assert len(rm.compare(None, [one, two], protocol="any", permutations=200).systems) == 2


def test_baselines_stand_beside_the_model(parts: rm.Split, runs: dict[str, pl.DataFrame]) -> None:
    ev = rm.evaluate(parts, runs["cosine"], MEASURES, baselines="popular,random", name="mine")
    beside = ev.added["baselines"]
    assert beside.values["popular"]["R@5"] == rm.evaluate(parts.test, runs["popular"], "R@5")["R@5"]
    assert beside.values["random"]["nDCG@5"] == rm.evaluate(parts.test, runs["random"], "nDCG@5")["nDCG@5"]
    systems = {"mine": runs["cosine"], "popular": runs["popular"], "random": runs["random"]}
    cmp = rm.compare(parts, systems, MEASURES, baseline="mine")
    for pair in beside.differences:
        wanted = cmp.difference(pair["measure"], pair["baseline"])
        assert pair["p"] == wanted.p_corrected
        assert pair["difference"] == pytest.approx(-wanted.difference)
        told = f"mine cannot be told apart from {pair['baseline']} on {pair['measure']}"
        assert (told in repr(ev)) == (pair["p"] > 0.05)


def test_a_model_that_is_popularity_is_not_separable(parts: rm.Split, runs: dict[str, pl.DataFrame]) -> None:
    ev = rm.evaluate(parts, runs["popular"], "R@5", baselines="popular", name="mine")
    assert "mine cannot be told apart from popular on R@5 (difference +0.0000, p 1.000)" in repr(ev)
    assert "无显著差异" in ev.added["baselines"].sentences()[0].text("zh")


def test_compare_takes_baselines_as_systems(parts: rm.Split, runs: dict[str, pl.DataFrame]) -> None:
    cmp = rm.compare(parts, {"mine": runs["cosine"]}, "R@5", baselines="popular,random", permutations=200)
    assert cmp.systems == ("mine", "popular", "random")


def test_baselines_need_train(parts: rm.Split, runs: dict[str, pl.DataFrame]) -> None:
    with pytest.raises(InputError, match="baselines learn from train"):
        rm.evaluate(parts.test, runs["cosine"], "R@5", baselines="popular")
    ev = rm.evaluate(parts.test, runs["cosine"], "R@5", baselines="popular", history=parts.train)
    assert ev.added["baselines"].values["popular"]["R@5"] > 0
    with pytest.raises(InputError, match="did you mean 'popular'"):
        rm.evaluate(parts, runs["cosine"], "R@5", baselines="populr")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ROWS.write_csv("rows.csv")
    typed("split", "rows.csv", "--how", "last_n(1)", "--before", "duplicates(last)", "--out", "parts")
    lists = rm.baselines("parts/train.csv", k=5, kinds=["cosine", "jaccard"])
    for name, run in lists.items():
        run.write_csv(f"{name}.csv")
    return tmp_path


def test_files_beside_their_protocol_carry_it(folder: Path) -> None:
    answer = typed("evaluate", "parts/test.csv", "cosine.csv", "-m", "R@5")
    assert "protocol: duplicates(last) removes" in answer.stderr
    ev = rm.evaluate("parts/test.csv", "cosine.csv", "R@5")
    assert ev.protocol.how == "last_n(1)"
    assert rm.evaluate("parts/test.csv", "cosine.csv", "R@5", protocol=False).protocol is None
    (folder / "parts" / "mine.csv").write_text("user,item\nu1,i1\n")
    assert rm.evaluate("parts/mine.csv", "cosine.csv", "R@5").protocol is None  # the record does not name it
    assert rm.evaluate("parts/mine.csv", "cosine.csv", "R@5", protocol="parts/protocol.json").protocol == ev.protocol


def test_the_commands_show_baselines_and_protocol(folder: Path) -> None:
    answer = typed(
        "evaluate", "parts/test.csv", "cosine.csv", "jaccard.csv", "-m", "R@5", "--baselines", "popular,random"
    )
    assert answer.exit_code == 0
    assert all(name in answer.stdout for name in ("cosine", "jaccard", "popular", "random"))
    compared = typed(
        "compare", "parts/test.csv", "cosine.csv", "-m", "R@5", "--baselines", "popular", "--permutations", "200"
    )
    assert compared.exit_code == 0
    assert "popular" in compared.stdout
    assert "protocol: duplicates(last) removes" in compared.stdout + compared.stderr
    plain = json.loads(typed("evaluate", "parts/test.csv", "cosine.csv", "-m", "R@5", "--format", "json").stdout)
    assert "last_n(1)" in json.dumps(plain)


def test_what_two_files_say_of_their_protocol(folder: Path) -> None:
    seen = rm.protocol_of("parts/train.csv", "parts/test.csv")
    assert seen.how == "inferred(last_n(1))"
    assert seen.folds[0].leaks == rm.split("rows.csv", "last_n(1)", before="duplicates(last)").protocol.folds[0].leaks
    made = rm.split("rows.csv", "time_share(0.2)")
    assert rm.protocol_of(made.train, made.test).how.startswith("inferred(time(")
    drawn = rm.split("rows.csv", "random_n(2)")
    assert rm.protocol_of(drawn.train, drawn.test).how == "inferred(random_n(2))"
    whole = rm.split("rows.csv", "random(0.2)")
    assert rm.protocol_of(whole.train, whole.test).how == "inferred(random_share)"


@pytest.mark.parametrize("content", ["{}", "[1]", "no json", '{"how": 3}'])
def test_a_damaged_protocol_is_a_sentence(folder: Path, content: str) -> None:
    (folder / "broken.json").write_text(content)
    answer = typed("evaluate", "parts/test.csv", "cosine.csv", "-m", "R@5", "--protocol", "broken.json")
    assert answer.exit_code == 2
    assert "is not a protocol that rankmeter wrote" in answer.stderr


def test_lists_of_baselines_are_written(folder: Path) -> None:
    kinds = ("--kind", "popular", "--kind", "popular(window=1000)")
    answer = typed("baselines", "parts/train.csv", *kinds, "-k", "5", "--users", "parts/test.csv", "--out", "lists")
    assert answer.exit_code == 0
    assert {file.name for file in (folder / "lists").iterdir()} == {"popular.csv", "popular-window-1000.csv"}
    wanted = rm.baselines("parts/train.csv", k=5, kinds="popular")["popular"]
    assert pl.read_csv("lists/popular.csv").rows() == wanted.rows()
    again = typed("baselines", "parts/train.csv", "--out", "lists")
    assert (again.exit_code, "is not empty" in again.stderr) == (2, True)


def test_what_two_files_tell_is_printed(folder: Path) -> None:
    answer = typed("protocol", "parts/train.csv", "parts/test.csv")
    assert "made elsewhere, consistent with last_n(1)" in answer.stdout
    plain = json.loads(typed("protocol", "parts/train.csv", "parts/test.csv", "--format", "json").stdout)
    assert plain["how"] == "inferred(last_n(1))"


def test_whether_lists_hold_what_users_took_in_train_stands_with_the_numbers(parts: rm.Split, tmp_path: Path) -> None:
    pairs = set(parts.train.select("user", "item").rows())
    parts.write(str(tmp_path / "parts"), format="csv")
    sources = [parts, str(tmp_path / "parts" / "test.csv")]
    for seen in ("removed", "kept"):
        run = rm.baselines(parts.train, k=5, kinds="popular", seen=seen)["popular"]
        places = [(user, item) in pairs for user, item in run.select("user", "item").rows()]
        for judged in sources:
            beside = rm.evaluate(judged, run, MEASURES, baselines="random").added["baselines"]
            assert beside.seen == pytest.approx(sum(places) / len(places))  # all lists are as long
            sentence = beside.sentences()[-1]
            assert ("seen items excluded" in sentence.text("en")) == (seen == "removed")
            assert ("已排除看过的条目" in sentence.text("zh")) == (seen == "removed")
    cmp = rm.compare(parts, {"kept": run}, MEASURES, baselines="popular", permutations=100)
    assert cmp.notes[-1].text("zh").startswith("各基线")


def placed(lists: pl.DataFrame, pairs: set[tuple[object, object]]) -> float:
    seen = [pair in pairs for pair in lists.select("user", "item").rows()]
    return sum(seen) / len(seen)


@pytest.mark.parametrize("seen", ["removed", "kept"])
def test_a_protocol_says_of_the_lists_whether_they_hold_what_users_took(parts: rm.Split, tmp_path: Path, seen) -> None:
    parts.write(str(tmp_path / "parts"), format="csv")
    run = rm.baselines(parts.train, k=5, kinds="popular", seen=seen)["popular"]
    share = placed(run, set(parts.train.select("user", "item").rows()))
    assert (share == 0) == (seen == "removed")
    run.write_csv(tmp_path / "lists.csv")
    words = {True: ("seen items excluded", "已排除看过的条目"), False: ("seen items not excluded", "未排除看过的条目")}
    english, chinese = words[share == 0]
    for judged in (parts, str(tmp_path / "parts" / "test.csv")):
        for lists in (run, str(tmp_path / "lists.csv")):
            ev = rm.evaluate(judged, lists, MEASURES, name="mine")
            assert ev.protocol.lists.share == pytest.approx(share)
            ev.save(tmp_path / "saved.parquet")
            for known in (ev, rm.Evaluation.load(tmp_path / "saved.parquet")):
                assert english in known.protocol.to_text("en")
                assert chinese in known.protocol.to_text("zh")
                assert english in str(known)
                assert known.protocol.to_dict()["lists"]["share"] == pytest.approx(share)
                assert any(chinese in sentence.text("zh") for sentence in known.sentences())
            assert ev.protocol.identity == parts.protocol.identity or not isinstance(judged, rm.Split)


def test_what_could_not_be_looked_at_is_said_to_be_unknown(parts: rm.Split, tmp_path: Path) -> None:
    parts.write(str(tmp_path / "parts"), format="csv")
    run = rm.baselines(parts.train, k=5, kinds="popular")["popular"]
    judged = str(tmp_path / "parts" / "test.csv")
    train = tmp_path / "parts" / "train.csv"
    train.rename(tmp_path / "elsewhere.csv")
    ev = rm.evaluate(judged, run, MEASURES)
    assert "was not checked" in ev.protocol.to_text("en")
    assert "未检查" in ev.protocol.to_text("zh")
    told = rm.evaluate(judged, run, MEASURES, history=str(tmp_path / "elsewhere.csv"))
    assert "seen items excluded" in told.protocol.to_text("en")


def test_a_comparison_says_it_of_every_system_once(parts: rm.Split) -> None:
    runs = {
        f"{kind} {seen}": rm.baselines(parts.train, k=5, kinds=kind, seen=seen)[kind]
        for kind in ("popular", "random") for seen in ("removed", "kept")
    }  # fmt: skip
    pairs = set(parts.train.select("user", "item").rows())
    few = {"permutations": 100, "resamples": 100}
    here = rm.compare(parts, runs, MEASURES, **few)
    saved = rm.compare(None, [rm.evaluate(parts, run, MEASURES, name=name) for name, run in runs.items()], **few)
    for cmp in (here, saved):
        notes = [str(note) for note in cmp.notes if "seen items" in str(note)]
        for name, run in runs.items():
            excluded = placed(run, pairs) == 0
            [note] = [note for note in notes if name in note]
            assert note.startswith("seen items excluded") == excluded
            assert cmp.evaluations[name].protocol.lists.share == pytest.approx(placed(run, pairs))
