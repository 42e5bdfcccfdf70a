"""Every way of placing gives the same numbers, to the last bit, for every measure."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.properties.strategies import PLAIN, usual

import rankmeter as rm
from rankmeter.measures import REGISTRY

MEASURES = [
    usual(name)(ties=ties)
    for name in PLAIN
    if name not in ("nDCGrel", "RnDCG")  # they add along all queries, so that the last bit hangs on the order
    for ties in REGISTRY[name].tie_rules
] + [
    rm.parse(text)
    for text in (
        "nDCG@3",
        "AP@4",
        "P(norm=list)@3",
        "RR(scores=float32)@5",
        "AP(unjudged=removed)",
        "nDCG(candidates=list)@5",
        "AP(candidates=appended)",
        "MeanRank(candidates=appended,ties=item-ascending)",
        "nDCG(candidates=appended,ties=reversed)@5",
        "Bpref(negative=nonrelevant)",
        "Success(queries=run)@2",
        "R(queries=common)@3",
    )
]


def data(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Data with ties, unjudged items, missing, empty and unjudged queries, and ids that need text order."""
    draw = random.Random(seed)
    items = [str(number) for number in (*range(1, 25), 2**53 + 1, 2**53 + 2)]
    judgments = {f"q{q}": {item: draw.choice([-1, 0, 0, 1, 2, 3]) for item in draw.sample(items, 9)} for q in range(12)}
    judgments["nothing relevant"] = dict.fromkeys(items[:4], 0)
    run = {
        f"q{q}": {
            item: draw.choice([1.0, 2.0, 2.0, 2.5, 1 + 1e-9, -1.0]) for item in draw.sample(items, draw.randint(1, 14))
        }
        for q in range(2, 16)
    }
    run["nothing relevant"] = dict.fromkeys(items[2:6], 1.0)
    return judgments, run


def rows(mapping: dict[str, dict[str, float]], value: str) -> pl.DataFrame:
    flat = [(query, item, number) for query, one in mapping.items() for item, number in one.items()]
    return pl.DataFrame(flat, schema={"query": pl.String, "item": pl.String, value: pl.Float64}, orient="row")


def as_frames(judgments, run, _):
    return rows(judgments, "grade"), rows(run, "score")


def as_scattered_frames(judgments, run, _):
    # Rows of different queries are interleaved; within a query the order stays, as the tie rule `input` asks.
    place = pl.int_range(pl.len()).over("query")
    return tuple(frame.sort(place, "query") for frame in (rows(judgments, "grade"), rows(run, "score")))


def as_lazy_frames(judgments, run, _):
    return rows(judgments, "grade").lazy(), rows(run, "score").lazy()


def as_pandas(judgments, run, _):
    pd = pytest.importorskip("pandas")
    frames = [rows(judgments, "grade"), rows(run, "score")]
    return tuple(pd.DataFrame(frame.to_dict(as_series=False)) for frame in frames)


def as_arrow(judgments, run, _):
    pytest.importorskip("pyarrow")
    return rows(judgments, "grade").to_arrow(), rows(run, "score").to_arrow()


def as_trec_files(judgments, run, tmp_path: Path):
    qrels = "".join(f"{q.replace(' ', '_')} 0 {i} {g}\n" for q, one in judgments.items() for i, g in one.items())
    lines = "".join(f"{q.replace(' ', '_')} Q0 {i} 0 {s!r} x\n" for q, one in run.items() for i, s in one.items())
    (tmp_path / "qrels.txt").write_text(qrels)
    (tmp_path / "run.txt").write_text(lines)
    return tmp_path / "qrels.txt", str(tmp_path / "run.txt")


def as_scattered_trec_files(judgments, run, tmp_path: Path):
    paths = as_trec_files(judgments, run, tmp_path)
    for path, frame in zip(map(Path, paths), as_scattered_frames(judgments, run, tmp_path), strict=True):
        line = "{} 0 {} {}\n" if "grade" in frame.columns else "{} Q0 {} 0 {} x\n"
        path.write_text("".join(line.format(q.replace(" ", "_"), i, v) for q, i, v in frame.iter_rows()))
    return paths


def as_parquet(judgments, run, tmp_path: Path):
    rows(judgments, "grade").write_parquet(tmp_path / "judgments.parquet")
    rows(run, "score").write_parquet(tmp_path / "run.parquet")
    return tmp_path / "judgments.parquet", tmp_path / "run.parquet"


def as_mixed(judgments, run, _):
    return judgments, rows(run, "score")


WAYS = [
    as_frames,
    as_scattered_frames,
    as_lazy_frames,
    as_pandas,
    as_arrow,
    as_trec_files,
    as_scattered_trec_files,
    as_parquet,
    as_mixed,
]


def by_query(evaluation: rm.Evaluation) -> dict[str, dict[str, float | None]]:
    frame = evaluation.per_query
    return {
        measure: dict(zip((q.replace(" ", "_") for q in frame["query"]), frame[measure].to_list(), strict=True))
        for measure in frame.columns[1:]
    }


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", [1, 3])
def test_every_way_gives_the_values_of_mappings(way, seed, tmp_path):
    judgments, run = data(seed)
    expected = rm.evaluate(judgments, run, MEASURES)
    found = rm.evaluate(*way(judgments, run, tmp_path), MEASURES)
    assert found.mean == pytest.approx(expected.mean, abs=0, rel=0, nan_ok=True)
    assert by_query(found) == by_query(expected)
    assert found.facts.unjudged_at == expected.facts.unjudged_at


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_matrix_gives_the_values_of_mappings(seed):
    draw = np.random.default_rng(seed)
    grades = draw.integers(-1, 4, (12, 30))
    scores = draw.integers(0, 6, (12, 30)) / 2
    judgments = {q: dict(enumerate(row)) for q, row in enumerate(grades.tolist())}
    run = {q: dict(enumerate(row)) for q, row in enumerate(scores.tolist())}
    for group in (MEASURES, ["nDCG@3"], ["nDCG(ties=mean)@3", "nDCG(ties=mean,gain=exp2)@2"], ["P@2", "R@3"]):
        expected = rm.evaluate(judgments, run, group)
        found = rm.evaluate(rm.arrays(grades), rm.arrays(scores), group)
        assert found.per_query.equals(expected.per_query)


@pytest.mark.parametrize("seed", [4, 5])
def test_ranked_lists_give_the_values_of_their_places(seed):
    judgments, run = data(seed)
    lists = {query: list(one) for query, one in run.items()}
    places = {query: {item: -float(place) for place, item in enumerate(one)} for query, one in lists.items()}
    measures = [m for m in MEASURES if m.sign == "ignored"]
    assert by_query(rm.evaluate(judgments, lists, measures)) == by_query(rm.evaluate(judgments, places, measures))


def test_int_ids_beyond_the_precision_of_floats_stay_apart():
    large = 2**53
    judgments = {1: {large + 1: 1}}
    run = {1: {large: 3.0, large + 1: 2.0}}
    frame = pl.DataFrame({"query": [1, 1], "item": [large, large + 1], "score": [3.0, 2.0]})
    truth = pl.DataFrame({"query": [1], "item": [large + 1], "grade": [1]})
    assert rm.evaluate(judgments, run, "RR")["RR"] == 0.5
    assert rm.evaluate(truth, frame, "RR")["RR"] == 0.5


def test_int_ids_tie_as_text():
    judgments = {"q": {9: 1}}
    run = {"q": {10: 1.0, 9: 1.0}}
    assert rm.evaluate(judgments, run, ["RR", "RR(ties=item-ascending)"]).mean == {
        "RR": 1.0,
        "RR(ties=item-ascending)": 0.5,
    }
