"""Measures of lists and slices of a ranked catalogue: what ``evaluate`` of its best items says."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankmeter as rm

LISTS = ["Coverage@4", "Gini@4", "Novelty@4", "Personalisation@3", "Entropy@5", "ARP@2", "CategoryDiversity@4", "EPC@3"]


def world(seed: int, *, text: bool):
    """Vectors, judgments, what was seen, and what is known of the items; ids are numbers or texts."""
    rng = np.random.default_rng(seed)
    queries, items = int(rng.integers(3, 12)), int(rng.integers(8, 40))
    users, films = rng.integers(-3, 4, (queries, 3)), rng.integers(-3, 4, (items, 3))  # with ties

    def named(kind, number):
        return f"{kind}{number}" if text else int(number)

    def some(count):
        return [named("i", number) for number in rng.choice(items, count, replace=False)]

    judged = {named("u", user): dict(zip(some(3), (2, 1, 0), strict=True)) for user in range(queries)}
    seen = {named("u", user): some(2) for user in range(queries)}
    names = [named("i", number) for number in range(items)]
    popularity = dict(zip(names, rng.integers(1, 9, items).tolist(), strict=True))
    categories = {name: ["abc"[at % 3]] for at, name in enumerate(names)}
    catalogue = rm.Catalogue(names, popularity=popularity, users=20, categories=categories)
    return users, films, judged, seen, catalogue, {"queries": list(judged), "items": names}


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_lists_of_a_ranked_catalogue_are_those_of_its_best_items(seed: int, text: bool) -> None:
    users, films, judged, seen, catalogue, sides = world(seed, text=text)
    ranked = rm.rank_catalogue(judged, users, films, exclude=seen, top=5, **sides)
    by = {query: "ab"[at % 2] for at, query in enumerate(judged)}
    got = rm.evaluate(ranked, measures=["RR", *LISTS], catalogue=catalogue, by=by)
    lists = rm.evaluate(judged, ranked.top_lists(), LISTS, catalogue=catalogue, by=by)
    for measure in lists:
        assert got[measure] == pytest.approx(lists[measure], nan_ok=True), measure
        assert got.slices["segment"][measure] == pytest.approx(lists.slices["segment"][measure], nan_ok=True)
    assert got["RR"] == rm.evaluate(ranked, measures="RR")["RR"]  # of the whole catalogue
    alone = got.per_query
    for label in "ab":
        own = alone.filter(pl.Series([by[query] == label for query in alone["query"]]))["RR"]
        assert got.slices["segment"]["RR"][label] == pytest.approx(own.mean())


def test_the_catalogue_that_was_ranked_is_the_catalogue() -> None:
    users, films, judged, seen, _, sides = world(3, text=True)
    ranked = rm.rank_catalogue(judged, users, films, exclude=seen, top=4, **sides)
    listed = {item for items in ranked.top_lists().values() for item in items}
    ev = rm.evaluate(ranked, measures="Coverage@4")
    assert ev["Coverage@4"] == len(listed) / len(sides["items"])
    assert rm.evaluate(judged, ranked, "Coverage@4").mean == ev.mean
    compared = rm.compare(judged, {"one": ranked, "two": ranked}, ["RR", "Coverage@4"], permutations=100)
    assert compared.score("Coverage@4", "two").value == ev["Coverage@4"]


def test_more_than_was_kept_is_refused() -> None:
    users, films, judged, _, _, sides = world(4, text=False)
    kept = rm.rank_catalogue(judged, users, films, top=3, **sides)
    with pytest.raises(rm.InputError, match=r"the 3 best items .* lists of 5 .*top=5"):
        rm.evaluate(kept, measures="Coverage@5")
    with pytest.raises(rm.InputError, match=rf"lists of {len(sides['items'])} are asked for"):
        rm.evaluate(kept, measures="Coverage")
    bare = rm.rank_catalogue(judged, users, films, **sides)
    with pytest.raises(rm.InputError, match=r"rank_catalogue\(\.\.\., top="):
        rm.evaluate(bare, measures="Coverage@2")
    by = {query: "ab"[at % 2] for at, query in enumerate(judged)}
    assert rm.evaluate(bare, measures="RR", by=by).slices["segment"].labels == ("a", "b")  # ranks are enough


def test_items_are_sliced_as_those_of_lists_are() -> None:
    users, films, judged, seen, catalogue, sides = world(5, text=True)
    ranked = rm.rank_catalogue(judged, users, films, exclude=seen, top=len(sides["items"]), **sides)
    by = rm.evaluate(judged, ranked.top_lists(), ["RR"], catalogue=catalogue, by="popularity")
    got = rm.evaluate(ranked, measures=["RR"], catalogue=catalogue, by="popularity")
    assert got.slices["popularity"]["RR"] == pytest.approx(by.slices["popularity"]["RR"], nan_ok=True)
