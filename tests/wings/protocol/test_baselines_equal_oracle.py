"""Baselines equal plain Python on random rows, and scores the recorded values of RecTools, implicit and scipy."""

from __future__ import annotations

import gzip
import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.wings.protocol.test_words_of_others import interactions

import rankmeter as rm
from rankmeter.wings.protocol import baselines as lists
from rankmeter.wings.protocol.item_popularity import popularity, recent, similarity, taken

ROW = st.tuples(st.integers(0, 5), st.integers(0, 7), st.integers(0, 9))
TABLES = st.lists(ROW, min_size=1, max_size=40)
RECORDED = json.loads(gzip.decompress((Path(__file__).parent / "baseline_cases.json.gz").read_bytes()))


def frame(rows: list[tuple[int, int, int]]) -> pl.DataFrame:
    return pl.DataFrame(rows, ["user", "item", "time"], orient="row")


def by_user(run: pl.DataFrame) -> dict[Any, list[Any]]:
    made: dict[Any, list[Any]] = {}
    for user, item, rank in run.rows():
        made.setdefault(user, []).append(item)
        assert len(made[user]) == rank
    return made


def seen_by(rows: list[tuple[int, int, int]]) -> dict[int, set[int]]:
    seen = defaultdict(set)
    for user, item, _ in rows:
        seen[user].add(item)
    return seen


@given(TABLES, st.integers(1, 5), st.sampled_from(["removed", "kept"]))
def test_popular_items_are_those_that_most_users_took(rows: list[tuple[int, int, int]], k: int, seen: str) -> None:
    takers = Counter(item for _, item in {row[:2] for row in rows})
    order = sorted(takers, key=lambda item: (-takers[item], item))
    held = seen_by(rows) if seen == "removed" else defaultdict(set)
    users = [0, 5, 99]
    wanted = {user: [item for item in order if item not in held[user]][:k] for user in users}
    run = rm.baselines(frame(rows), users, k, kinds="popular", seen=seen)["popular"]
    assert by_user(run) == {user: items for user, items in wanted.items() if items}


@given(TABLES, st.integers(1, 9), st.integers(1, 4))
def test_recent_rows_are_those_of_the_window(rows: list[tuple[int, int, int]], window: int, k: int) -> None:
    last = max(row[2] for row in rows)
    counts = Counter(item for _, item, time in rows if time >= last - window)
    order = sorted(counts, key=lambda item: (-counts[item], item))[:k]
    kind = f"popular(rows,window={window})"
    run = rm.baselines(frame(rows), [rows[0][0]], k, kinds=[kind], seen="kept")[kind]
    assert by_user(run)[rows[0][0]] == order


@given(TABLES, st.sampled_from(["cosine", "jaccard", "lift"]), st.integers(1, 4))
def test_items_taken_together_equal_the_oracle(rows: list[tuple[int, int, int]], kind: str, k: int) -> None:
    seen = seen_by(rows)
    of_item = defaultdict(set)
    for user, item, _ in rows:
        of_item[item].add(user)

    def alike(one: int, other: int) -> float:
        both = len(of_item[one] & of_item[other])
        sizes = len(of_item[one]), len(of_item[other])
        return (
            both
            / {"cosine": math.sqrt(sizes[0] * sizes[1]), "jaccard": sum(sizes) - both, "lift": sizes[0] * sizes[1]}[
                kind
            ]
        )

    run = by_user(rm.baselines(frame(rows), k=k, kinds=kind)[kind])
    for user, own in seen.items():
        scores = {item: sum(alike(item, other) for other in own) for item in of_item if item not in own}
        ranked = sorted((score for score in scores.values() if score > 0), reverse=True)[:k]
        assert [scores[item] for item in run.get(user, [])] == pytest.approx(ranked)


@given(TABLES, st.integers(1, 4))
def test_last_seen_items_are_the_users_own(rows: list[tuple[int, int, int]], k: int) -> None:
    run = by_user(rm.baselines(frame(rows), k=k, kinds="last_seen")["last_seen"])
    for user in seen_by(rows):
        own = sorted((time, item) for one, item, time in rows if one == user)[::-1]
        assert run[user] == list(dict.fromkeys(item for _, item in own))[:k]


@given(TABLES, st.integers(1, 12), st.integers(0, 3))
def test_random_items_are_unseen_and_the_same_whoever_else_is_asked(rows: Any, k: int, seed: int) -> None:
    run = by_user(rm.baselines(frame(rows), k=k, kinds="random", seed=seed)["random"])
    items = {item for _, item, _ in rows}
    for user, own in seen_by(rows).items():
        got = run.get(user, [])
        assert len(got) == len(set(got)) == min(k, len(items - own))
        assert not set(got) & own
        alone = by_user(rm.baselines(frame(rows), [user], k, kinds="random", seed=seed)["random"])
        assert alone.get(user, []) == got


def test_random_items_are_uniform_however_they_are_drawn() -> None:
    """2,000 users, 3 of 40 unseen items each: 150 an item, 5 standard errors are 59."""
    rows = [(user, user % 60, 0) for user in range(2000)] + [(user, (user + 20) % 60, 0) for user in range(2000)]
    counts = Counter(item for _, item, _ in rm.baselines(frame(rows), k=3, kinds="random")["random"].rows())
    assert len(counts) == 60
    assert all(abs(count - 100) < 50 for count in counts.values())


def test_small_blocks_give_the_same_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    rows = frame([tuple(map(int, row)) for row in rng.integers(0, [40, 90, 50], (300, 3))])
    kinds = ["popular", "random", "cosine", "last_seen"]
    wanted = rm.baselines(rows, k=4, kinds=kinds)
    monkeypatch.setattr(lists, "CELLS_AT_ONCE", 7)
    assert all(run.equals(wanted[kind]) for kind, run in rm.baselines(rows, k=4, kinds=kinds).items())


def test_popular_in_a_segment_counts_its_users_only() -> None:
    rows = {"user": [1, 2, 3, 4], "item": ["a", "a", "b", "c"]}
    kind = "popular(segment=yes)"
    run = rm.baselines(rows, k=1, kinds=[kind], segments={1: "x", 2: "x", 3: "y", 4: "y"}, seen="kept")[kind]
    assert by_user(run) == {1: ["a"], 2: ["a"], 3: ["b"], 4: ["b"]}
    with pytest.raises(rm.InputError, match="segment of each user"):
        rm.baselines(rows, kinds=[kind])


def test_popularity_is_that_of_rectools() -> None:
    for case in RECORDED["popularity"]:
        table = interactions(case["table"], dates=True)
        rows = None if case["period"] is None else recent(table, f"{case['period'].split()[0]}d")
        got = popularity(table, case["by"], rows)[table.item.codes[case["first"]]]
        wanted = [math.nan if score is None else score for score in case["scores"]]
        assert got == pytest.approx(wanted, nan_ok=True), case["table"]
    assert len(RECORDED["popularity"]) == 228


def test_similarities_are_those_of_implicit_and_scipy() -> None:
    for case in RECORDED["similarity"]:
        table = interactions(case["table"], dates=False)
        near = similarity(taken(table), case["kind"]).toarray()
        known = dict(zip(map(str, table.item.id_of(range(table.item.count))), range(table.item.count), strict=True))
        for one, other, value in case["pairs"]:
            assert near[known[str(one)], known[str(other)]] == pytest.approx(value, abs=1e-6), case
    assert len(RECORDED["similarity"]) >= 90
