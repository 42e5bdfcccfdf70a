"""What is judged again in the same words is dropped and counted; what contradicts itself is refused, on every route."""

from __future__ import annotations

import pytest
from tests.properties.routes import ROUTES, Case

import rankmeter as rm
from rankmeter.errors import InputError

RUN = (("q1", (("b", 0.9), ("a", 0.5))), ("q2", (("c", 0.8), ("b", 0.1))))
ONCE = (("q1", (("a", 2), ("b", 0))), ("q2", (("b", 1),)))
AGAIN = (("q1", (("a", 2), ("b", 0), ("a", 2))), ("q2", (("b", 1), ("b", 1), ("b", 1))))
UNLIKE = (("q1", (("a", 2), ("b", 0), ("a", 1))), ("q2", (("b", 1), ("b", 1))))
MEASURES = ("nDCG@10", "AP", "RR(ties=mean)", "NumRel", "Bpref")


def went(name, judgments, folder):
    route = ROUTES[name]
    carried = route.carried(Case(judgments, RUN, MEASURES))
    return None if carried is None else route.go(carried, folder)


def usable(name, folder):
    """Whether the route carries judgments that stand twice: a mapping cannot."""
    folder.mkdir()
    carried = ROUTES[name].carried(Case(AGAIN, RUN, MEASURES))
    return carried is not None and [len(items) for _, items in carried.judgments] == [3, 3]


ONCE_ONLY = """mappings saved_and_loaded compared in_folds rolled_up to_file_from_mappings values_by_pair lists_of_pairs
    arrays tensors ranked_catalogue search_responses bulk_responses solr_responses retrieval_records responses_in_python
    ranked_lists series_of_lists frame_against_mapping mapping_against_frame one_frame_for_both""".split()
"""Routes on which an item stands once by their form; JSON files hold mappings."""


@pytest.mark.parametrize("name", [name for name in ROUTES if name not in ONCE_ONLY and not name.startswith("json_")])
def test_every_route_says_the_same(name, tmp_path):
    assert usable(name, tmp_path / "looked")
    folders = [tmp_path / part for part in ("once", "again", "unlike")]
    for folder in folders:
        folder.mkdir()
    expected, found = went(name, ONCE, folders[0]), went(name, AGAIN, folders[1])
    assert expected is not None
    assert found is not None
    assert found.means == expected.means
    assert [str(note) for note in found.reading.notes if "3 judgments" in str(note)]
    with pytest.raises(InputError, match="judges an item twice for the same query: item a in query q1"):
        went(name, UNLIKE, folders[2])


@pytest.mark.parametrize("items", [["a", "a"], ("a", "b", "a", "b")])
def test_a_list_of_relevant_items_counts_them(items):
    found = rm.evaluate({"q": items}, {"q": {"c": 2.0, "a": 1.0}}, ["RR", "NumRel"])
    assert (found["RR"], found["NumRel"]) == (0.5, len(set(items)))
    assert any("given before in the same words" in str(note) for note in found.reading.notes)


def test_systems_compared_say_it_as_well():
    import polars as pl

    judged = pl.DataFrame({"query": ["q1", "q1", "q2"], "item": ["a", "a", "b"], "grade": [1, 1, 1]})
    runs = {"x": {"q1": ["a"], "q2": ["c", "b"]}, "y": {"q1": ["b", "a"], "q2": ["b"]}}
    few = {"permutations": 100, "resamples": 100}
    told = rm.compare(judged, runs, "RR", **few)
    once = rm.compare(judged.unique(maintain_order=True), runs, "RR", **few)
    assert told.evaluations["x"].means == once.evaluations["x"].means
    assert any("1 judgment given before in the same words was dropped" in note for note in map(str, told.notes))
