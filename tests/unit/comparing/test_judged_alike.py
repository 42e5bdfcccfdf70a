"""Evaluations that were judged differently are not compared as if they had been judged alike."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.evaluating.fingerprints import fingerprint_of
from rankmeter.inputs.tables import JudgmentTable

TRUTH = {str(i): {"10": 2, "11": 0, "12": 1} for i in range(8)}
RUN = {str(i): ["12", "10", "99"] for i in range(8)}
QUICK = {"permutations": 100, "resamples": 100}


def _ways(folder) -> dict[str, object]:
    """The same judgments in every form that rankmeter reads, in several orders."""
    rows = [(query, item, grade) for query, items in reversed(TRUTH.items()) for item, grade in items.items()]
    frame = pl.DataFrame(rows, schema=["query", "item", "grade"], orient="row")
    qrels, csv, parquet = folder / "truth.qrels", folder / "truth.csv", folder / "truth.parquet"
    qrels.write_text("".join(f"{query} 0 {item} {grade}\n" for query, item, grade in rows))
    frame.write_csv(csv)
    frame.write_parquet(parquet)
    return {
        "mapping": TRUTH,
        "numbers": {int(query): {int(item): float(grade) for item, grade in TRUTH[query].items()} for query in TRUTH},
        "frame": frame,
        "pandas": frame.to_pandas(),
        "trec": qrels,
        "csv": csv,
        "parquet": parquet,
    }


def test_the_same_judgments_have_one_fingerprint_however_they_are_read(tmp_path) -> None:
    run = {"numbers": {int(query): [int(item) for item in items] for query, items in RUN.items()}}
    found = {
        way: rm.evaluate(truth, run.get(way, RUN), ["AP"]).judged_by.value for way, truth in _ways(tmp_path).items()
    }
    (tmp_path / "a.run").write_text("".join(f"{q} Q0 {i} 1 {1 / n} x\n" for q in RUN for n, i in enumerate(RUN[q], 1)))
    streamed = rm.evaluate(TRUTH, tmp_path / "a.run", ["AP"], per_query_to=tmp_path / "values.parquet")
    found["streamed"] = streamed.judged_by.value
    found["streamed, loaded"] = rm.Evaluation.load(tmp_path / "values.parquet").judged_by.value
    found["pickled"] = pickle.loads(pickle.dumps(rm.evaluate(TRUTH, RUN, ["AP"]))).judged_by.value
    assert set(found.values()) == {found["mapping"]}, found
    assert (found["mapping"].rows, found["mapping"].relevant) == (24, 16)


@pytest.mark.parametrize("kind", [pl.Int64, pl.Int8, pl.UInt64])
@pytest.mark.parametrize("apart", [1, 7])
@pytest.mark.parametrize("grades", [[1.0], [0.0, 1.0, 2.0], [-0.0]])
def test_numbers_have_the_fingerprint_of_the_texts_that_they_are_written_as(kind, apart, grades) -> None:
    numbers = pl.Series(np.arange(0, 17 * apart, apart) % 100, dtype=kind)
    grade = pl.Series(grades * 17).head(17)
    ids = [(numbers, numbers.reverse()), (numbers.cast(pl.String), numbers.reverse().cast(pl.String))]
    found = [fingerprint_of(JudgmentTable(query, item, grade)) for query, item in ids]
    assert found[0] == found[1]
    assert found[0].relevant == sum(one > 0 for one in grade)


@pytest.mark.parametrize(
    "changed",
    [
        {"0": {"10": 1, "11": 0, "12": 2}},  # two grades exchanged
        {"0": {"10": 2, "11": 1, "12": 0}},
        {"0": {"10": 2, "11": 0, "13": 1}},  # another item
        {"0": {"10": 2, "11": 0}, "1": {"10": 2, "11": 0, "12": 1, "13": 1}},  # an item moved to another query
        {"0": {"10": 2, "11": 0, "12": 1, "13": 0}},
    ],
)
def test_evaluations_of_the_same_queries_against_other_judgments_are_refused(changed, tmp_path) -> None:
    rm.evaluate(TRUTH, RUN, ["AP"], name="before").save(tmp_path / "before.parquet")
    before = rm.Evaluation.load(tmp_path / "before.parquet")
    after = rm.evaluate(TRUTH | changed, RUN, ["AP"], name="after")
    with pytest.raises(InputError, match="'before' and 'after' were evaluated against different judgments"):
        rm.compare(None, [before, after], **QUICK)
    with pytest.raises(InputError, match="different judgments"):
        rm.compare(TRUTH | changed, {"before": before, "now": RUN}, **QUICK)
    with pytest.raises(InputError, match="different judgments"):
        rm.compare(None, {"one": rm.seeds(before, after), "two": before}, **QUICK)


def test_judgments_of_other_queries_are_a_note() -> None:
    some = {query: TRUTH[query] for query in list(TRUTH)[:6]}
    one, two = rm.evaluate(TRUTH, RUN, ["AP"], name="one"), rm.evaluate(some, RUN, ["AP"], name="two")
    cmp = rm.compare(None, [one, two], **QUICK)
    assert "one and two were evaluated against different judgments of different queries (24 and 18" in cmp.notes[0]
    assert "不同标注" in cmp.notes[0].text("zh")


def test_what_is_not_known_is_not_held_against_anyone(tmp_path) -> None:
    listed = rm.evaluate(rm.ranked_grades([[1, 0]] * 8), measures=["AP"], name="listed")
    assert listed.judged_by is None
    other = rm.evaluate(rm.ranked_grades([[0, 1]] * 8), measures=["AP"], name="other")
    assert rm.compare(None, [listed, other], **QUICK).notes


def test_a_digest_of_another_version_is_not_compared() -> None:
    table = rm.evaluate(TRUTH, RUN, ["AP"]).judged_by.value
    other = type(table)(table.rows, table.relevant, "0" * 16, "polars 0.0")
    assert not table.differs(other)
    assert table.differs(type(table)(table.rows, table.relevant, "0" * 16, table.made_by))
    assert table.differs(type(table)(table.rows, table.relevant + 1, table.digest, "polars 0.0"))


def test_fingerprints_of_random_judgments_differ() -> None:
    from rankmeter.inputs.tables import JudgmentTable

    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(300):
        columns = rng.integers(0, 3, (3, 6))
        rows = sorted(zip(*columns.tolist(), strict=True))
        query, item, grade = (pl.Series(list(column)) for column in zip(*rows, strict=True))
        seen.add((tuple(rows), fingerprint_of(JudgmentTable(query, item, grade.cast(pl.Float64))).digest))
    assert len({rows for rows, _ in seen}) == len({digest for _, digest in seen}) == len(seen)


def test_files_saved_without_a_fingerprint_load_and_are_compared(tmp_path) -> None:
    ev = rm.evaluate(TRUTH, RUN, ["AP"], name="new")
    replace(ev, judged_by=None, name="old").save(tmp_path / "old.parquet")
    old = rm.Evaluation.load(tmp_path / "old.parquet")
    assert old.judged_by is None
    assert rm.compare(None, [old, ev], **QUICK).difference("AP", "old", "new").difference == 0.0


def _another_grade(truth) -> None:
    truth["0"]["11"] = 1


def _another_item(truth) -> None:
    truth["0"]["13"] = truth["0"].pop("12")


def _another_sign(truth) -> None:
    truth["0"]["11"] = -2  # whose hash is that of -1


def _another_query(truth) -> None:
    truth["9"] = truth.pop("0")


@pytest.mark.parametrize("change", [_another_grade, _another_item, _another_sign, _another_query])
def test_judgments_changed_in_place_are_not_taken_for_those_of_an_earlier_evaluation(change, tmp_path) -> None:
    truth = {query: dict(items) | {"11": -1} for query, items in TRUTH.items()}
    expected = rm.evaluate({query: dict(items) for query, items in truth.items()}, RUN, ["AP"]).judged_by.value
    one = rm.evaluate(truth, RUN, ["AP"], name="one")
    change(truth)
    two = rm.evaluate(truth, RUN, ["AP"], name="two")
    assert one.judged_by.value == expected != two.judged_by.value
    one.save(tmp_path / "one.parquet")
    assert rm.Evaluation.load(tmp_path / "one.parquet").judged_by.value == expected
    if change is _another_query:
        assert "different judgments of different queries" in rm.compare(None, [one, two], **QUICK).notes[0]
    else:
        with pytest.raises(InputError, match="different judgments"):
            rm.compare(None, [one, two], **QUICK)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8, np.bool_])
def test_evaluations_of_arrays_know_what_they_were_judged_by(kind) -> None:
    rng = np.random.default_rng(0)
    grades, scores = (rng.random((300, 5)) < 0.3).astype(kind), rng.random((300, 5))
    one = rm.evaluate(rm.arrays(grades), rm.arrays(scores), ["AP"], name="one")
    again = rm.evaluate(rm.arrays(grades.astype(float).tolist()), rm.arrays(scores), ["AP"], name="again")
    assert one.judged_by.value == again.judged_by.value
    grades[[0, 299]] = grades[[299, 0]]  # in place, the same grades in another order
    grades[0, 0], grades[0, 1] = grades[0, 1], not grades[0, 1]
    two = rm.evaluate(rm.arrays(grades), rm.arrays(scores), ["AP"], name="two")
    with pytest.raises(InputError, match="different judgments"):
        rm.compare(None, [one, two], **QUICK)
    by_name = {q: {i: float(g) for i, g in enumerate(row) if g} for q, row in enumerate(grades)}
    named = rm.evaluate(
        by_name, {q: dict(enumerate(row)) for q, row in enumerate(scores.tolist())}, ["AP"], name="named"
    )
    assert not two.judged_by.value.differs(named.judged_by.value)
