"""The bundled demo data is what ``docs/tools/make_demo.py`` makes, and holds the quirks that its README promises."""

from __future__ import annotations

import csv
import gzip
import math
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import make_demo as make
import pytest
from demo_words import NOT_HELD

from rankmeter import demo
from rankmeter.errors import NotFoundError

Grades = dict[str, dict[str, int]]
Lists = dict[str, list[tuple[str, float]]]


def content(path: Path) -> bytes:
    """A file's bytes, decompressed: compressed bytes depend on the zlib that Python was built with."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@cache
def judgments() -> Grades:
    grades: Grades = defaultdict(dict)
    for line in content(demo.data_path(demo.JUDGMENTS)).decode().splitlines():
        query, _, item, grade = line.split()
        grades[query][item] = int(grade)
    return dict(grades)


@cache
def run(system: str) -> Lists:
    lists: Lists = defaultdict(list)
    for line in content(demo.data_path(demo.RUNS[system])).decode().splitlines():
        query, q0, item, place, score, tag = line.split()
        lists[query].append((item, float(score)))
        assert (q0, int(place), tag) == ("Q0", len(lists[query]), system)
    return dict(lists)


@cache
def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(content(demo.data_path(name)).decode().splitlines()))


def ndcg_at_10(system: str) -> dict[str, float]:
    """NDCG@10 with linear gains, ties broken by id, descending; 0 where nothing is relevant."""
    values: dict[str, float] = {}
    for query, grades in judgments().items():
        ranked = sorted(run(system).get(query, []), key=lambda pair: (pair[1], pair[0]), reverse=True)
        found = [grades.get(item, 0) for item, _ in ranked[:10]]
        ideal = sorted(grades.values(), reverse=True)[:10]
        best = sum(grade / math.log2(place + 2) for place, grade in enumerate(ideal))
        gained = sum(grade / math.log2(place + 2) for place, grade in enumerate(found))
        values[query] = gained / best if best else 0.0
    return values


def mean(values: dict[str, float]) -> float:
    return math.fsum(values.values()) / len(values)


@pytest.mark.slow
def test_making_the_data_again_gives_the_bundled_bytes(tmp_path: Path) -> None:
    made = make.write(tmp_path)
    assert sorted(path.name for path in made) == sorted(demo.FILES)
    for path in made:
        bundled = demo.data_path(path.name)
        assert content(path) == content(bundled), path.name
        if path.suffix == ".gz":
            assert bundled.read_bytes()[4:8] == bytes(4), "a date in the compressed file"


def test_the_bundle_is_small() -> None:
    assert sum(demo.data_path(name).stat().st_size for name in demo.FILES) < 600_000


def test_the_data_is_said_to_be_made_up() -> None:
    readme = (demo.data_path(demo.JUDGMENTS).parent / "README.md").read_text(encoding="utf-8")
    assert "made up" in readme
    assert str(make.SEED) in readme


def test_an_unknown_file_is_an_error_that_lists_the_files() -> None:
    with pytest.raises(NotFoundError, match=r"no file 'nothing\.csv'.* Hint: it has judgments\.qrels"):
        demo.data_path("nothing.csv")


def test_catalogue_and_queries_are_complete_and_unique() -> None:
    items, queries = rows(demo.ITEMS), rows(demo.QUERIES)
    assert len({row["id"] for row in items}) == len({row["title"] for row in items}) == len(items) == 600
    assert [row["id"] for row in queries] == [f"q{number:03}" for number in range(1, 241)]
    assert len({row["text"] for row in queries}) == 240
    known = {row["id"] for row in items}
    for system in demo.RUNS:
        assert {item for ranked in run(system).values() for item, _ in ranked} <= known
    assert {item for grades in judgments().values() for item in grades} <= known


def test_every_query_is_judged_with_grades_0_to_3() -> None:
    assert list(judgments()) == [row["id"] for row in rows(demo.QUERIES)]
    assert {grade for grades in judgments().values() for grade in grades.values()} == {0, 1, 2, 3}
    assert all(15 <= len(grades) <= 40 for grades in judgments().values())


def test_four_queries_have_no_relevant_item() -> None:
    without = [query for query, grades in judgments().items() if not any(grades.values())]
    texts = {row["id"]: row["text"] for row in rows(demo.QUERIES)}
    assert sorted(texts[query] for query in without) == sorted(text for text, _ in NOT_HELD)


def test_keyword_misses_three_queries_and_the_others_none() -> None:
    assert {system: 240 - len(run(system)) for system in demo.RUNS} == {"keyword": 3, "semantic": 0, "hybrid": 0}


@pytest.mark.parametrize("system", demo.RUNS)
def test_runs_are_in_score_order_without_duplicates_and_at_most_50_deep(system: str) -> None:
    for ranked in run(system).values():
        scores = [score for _, score in ranked]
        assert scores == sorted(scores, reverse=True)
        assert len({item for item, _ in ranked}) == len(ranked) <= 50


def test_most_keyword_scores_are_tied_and_some_of_the_others() -> None:
    def tied_share(system: str) -> float:
        tied = [count for ranked in run(system).values() for count in Counter(score for _, score in ranked).values()]
        return sum(count for count in tied if count > 1) / sum(tied)

    assert tied_share("keyword") > 0.9
    assert 0.05 < tied_share("semantic") < 0.9
    assert 0 < tied_share("hybrid") < tied_share("semantic")


@pytest.mark.parametrize("system", demo.RUNS)
def test_some_of_the_first_ten_items_are_unjudged(system: str) -> None:
    first = [(query, item) for query, ranked in run(system).items() for item, _ in ranked[:10]]
    unjudged = sum(item not in judgments()[query] for query, item in first)
    assert 0.02 < unjudged / len(first) < 0.25


def test_hybrid_is_best_then_semantic_then_keyword() -> None:
    assert mean(ndcg_at_10("keyword")) + 0.05 < mean(ndcg_at_10("semantic"))
    assert mean(ndcg_at_10("semantic")) + 0.02 < mean(ndcg_at_10("hybrid"))


def test_hybrid_loses_to_semantic_on_a_tenth_of_the_queries_or_more() -> None:
    semantic, hybrid = ndcg_at_10("semantic"), ndcg_at_10("hybrid")
    assert sum(hybrid[query] < semantic[query] for query in hybrid) >= 24
