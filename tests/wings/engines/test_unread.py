"""Nothing that a response holds goes without a word: what is not read is named, whatever its name and wherever it is.

The fields are made up, so that no list of words can know them, and put anywhere into the whole response of any engine.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.properties.strategies import by_night
from tests.wings.engines.test_wholeness import ENGINES, routes, truth_of

import rankmeter as rm

pytestmark = pytest.mark.wings("engines")

SOUNDS = [first + second for first in "bdfgkmpvz" for second in "aeiou"]
SPELT = ["{}", "_{}", "is_{}", "{}Flag", "n_{}", "{}-x", "@{}", "{}数"]
VALUES = [
    *(True, False, 0.25, 7, -3, "price asc", "partial", "2/3", "B", "long " * 20),
    *(["a"], [3, 1, 2], {"k": 1}, [{"v": 1}]),
]
SEED = by_night(0, night=random.randrange(1 << 30))


def invented(drawn: random.Random) -> str:
    return drawn.choice(SPELT).format("".join(drawn.choices(SOUNDS, k=drawn.randint(3, 5))))


def objects(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a document, by a path without places in lists."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            yield from objects(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner, path)


def is_named(name: str, path: str, said: list[str]) -> bool:
    """Whether a field is named, or an object that holds it, of which nothing is read."""
    outer = path.rpartition(".")[2]
    return any(name in one or (outer and one.rpartition(".")[2] == outer) for one in said)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_field_of_any_name_is_named_wherever_it_stands(tmp_path, engine):
    drawn = random.Random(f"{SEED} {engine}")
    whole = ENGINES[engine]["whole"]
    for _ in range(by_night(8, night=40)):
        name, value = invented(drawn), drawn.choice(VALUES)
        changed = copy.deepcopy(whole)
        path, holder = drawn.choice(list(objects(changed)))
        holder[name] = value
        way, run = drawn.choice(list(routes(tmp_path, changed, whole).items()))
        try:
            ev = rm.evaluate(truth_of(engine), run, "RR")
        except rm.RankmeterError:
            continue
        said = [*ev.reading.run.unused, *map(str, ev.reading.notes)]
        assert is_named(name, path, said), (SEED, way, path, name, value, said)
        assert name not in ev.reading.run.unused[:12] or name in str(ev.reading.run)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_engine_usually_says_takes_a_line_at_most(engine):
    whole = ENGINES[engine]["whole"]
    ev = rm.evaluate(truth_of(engine), {"q1": whole, "q2": whole}, "RR")
    assert len(", ".join(ev.reading.run.unused)) <= 80, ev.reading.run.unused


def results(*fields: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"id": f"d{at}", **each} for at, each in enumerate(fields, start=1)]


TRUTH = {"q1": ["d2"]}


@pytest.mark.parametrize("seed", range(by_night(10, night=200)))
def test_places_under_any_name_that_contradict_the_order_are_said(seed):
    drawn = random.Random(seed)
    first, count = drawn.choice((0, 1)), drawn.randint(4, 9)
    places = list(range(first, first + count))
    for above in ("", "metadata", "_source"):
        for said, numbers in ((False, places), (True, drawn.sample(places, count))):
            hits = results(*({above: {"zuvi": n}} if above else {"zuvi": n} for n in numbers))
            notes = [str(note) for note in rm.evaluate(TRUTH, {"q1": {"results": hits}}, "RR").reading.notes]
            assert any("zuvi" in note for note in notes) == (said and numbers != places), (numbers, notes)


def test_results_of_another_query_are_refused_beside_those_of_theirs_and_said_else():
    mixed = {"q1": {"results": results({"query_id": "q1"}, {"query_id": "q9"})}}
    with pytest.raises(rm.InputError, match="query_id: q9"):
        rm.evaluate(TRUTH, mixed, "RR")
    assert rm.evaluate(TRUTH, mixed, "RR", columns={"order": "rows"})["RR"] == 0.5
    other = {"q1": {"results": results({"query_id": "q9"}, {"query_id": "q9"})}}
    assert "query q1" in str(rm.evaluate(TRUTH, other, "RR").reading.notes)
    own = {"q1": {"results": results({"query_id": "q1"}, {"query_id": "q1"})}}
    assert rm.evaluate(TRUTH, own, "RR").reading.notes == ()


@pytest.mark.parametrize("name", ["scores", "distances", "ranks", "rerank_scores", "relevance_scores"])
def test_numbers_beside_the_ids_are_as_many_as_they(name):
    for values in ([0.9], [0.9, 0.8, 0.7]):
        record = [{"query_id": "q1", "retrieved_ids": ["d1", "d2"], name: values}]
        with pytest.raises(rm.InputError, match=name):
            rm.evaluate(TRUTH, record, "RR")


@pytest.mark.parametrize(("field", "value"), [("shards", "2/3"), ("nodes", "1 of 3"), ("progress", 0.5),
                                              ("progress", "50%"), ("percent_done", 40)])  # fmt: skip
def test_a_part_of_the_whole_is_said(field, value):
    run = {"q1": {"results": results({}, {}), field: value}}
    assert field in str(rm.evaluate(TRUTH, run, "RR").reading.notes)
    whole = {"2/3": "3/3", "1 of 3": "3 of 3", 0.5: 1, "50%": "100%", 40: 100}[value]
    assert rm.evaluate(TRUTH, {"q1": {"results": results({}, {}), field: whole}}, "RR").reading.notes == ()


@pytest.mark.parametrize("document", [{"q1": [["d2"]]}, {"q1": [["d1"], ["d2"]]}, {"q1": [["d2", "d1"]]}, [[["d2"]]],
                                      [{"query": "q1", "items": [["d2"]]}]])  # fmt: skip
def test_a_list_is_no_id_in_a_file(tmp_path, document):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    with pytest.raises(rm.InputError, match="not an id"):
        rm.evaluate(TRUTH, path, "RR")


def test_what_is_not_read_of_judgments_is_named():
    request = {"requests": [{"id": "q1", "request": {}, "zuvi": 1,
                             "ratings": [{"_index": "shop", "_id": "d2", "rating": 1, "fomi": "draft"}]}]}  # fmt: skip
    unused = rm.evaluate(request, {"q1": ["d2"]}, "RR").reading.judgments.unused
    assert set(unused) == {"zuvi", "ratings.fomi"}


def claiming(place: str, name: str, value: object, hits: list[dict[str, Any]]) -> dict[str, Any]:
    """Results with a field that names a query: beside them, in an object around or beside them, or in an address."""
    if place == "url":
        return {"results": hits, "url": f"http://host/search?{urlencode({name: value, 'rows': 10})}"}
    if place == "params":
        return {"responseHeader": {"status": 0, "params": {"q": "red dress", name: value}}, "response": {"docs": hits}}
    return {"results": hits, **({place: {name: value, "size": 10}} if place else {name: value})}


@pytest.mark.parametrize("place", ["", "request", "echo", "zuvi", "url", "params"])
def test_a_response_that_names_another_query_is_refused_if_that_is_in_the_file_and_said_else(tmp_path, place):
    drawn = random.Random(f"{SEED} {place}")
    path = tmp_path / "run.jsonl"
    for _ in range(by_night(5, night=50)):
        name = drawn.choice(["query_id", "qid", "queryId", "topic_id", "Query-ID", "question_id"])
        queries = drawn.sample(["q1", "q2", "a b", "17", "4", "é"], 3)
        truth = {query: ["d2"] for query in queries}
        other = drawn.choice(["z", "99"])
        for value, is_inner in ((queries[0], False), (queries[1], True), (other, False)):
            run = {query: claiming(place, name, query, results({}, {})) for query in queries}
            run[queries[0]] = claiming(place, name, value, results({}, {}))
            path.write_text("".join(json.dumps({"query_id": q, "response": one}) + "\n" for q, one in run.items()))
            for way in (run, path):
                if is_inner:
                    with pytest.raises(rm.InputError) as error:
                        rm.evaluate(truth, way, "RR")
                    for language in ("en", "zh"):
                        text = error.value.text(language)
                        assert all(each in text for each in (name, value, queries[0])), text
                else:
                    notes = [str(note) for note in rm.evaluate(truth, way, "RR").reading.notes]
                    assert any(name in note and value in note for note in notes) == (value == other), notes


def test_a_second_id_of_the_query_in_one_record_and_ids_that_an_engine_makes():
    record = {"query_id": "q1", "qid": "q2", "results": results({}, {})}
    assert "qid is 'q2'" in str(rm.evaluate(TRUTH, [record], "RR").reading.notes)
    with pytest.raises(rm.InputError, match="qid is q2"):
        rm.evaluate(TRUTH, [record, {"query_id": "q2", "results": results({})}], "RR")
    users = {"u1": {"user_id": "u2", "results": results({})}, "u2": {"user_id": "u1", "results": results({})}}
    with pytest.raises(rm.InputError, match="user_id is u2"):
        rm.evaluate({"u1": ["d1"], "u2": ["d1"]}, users, "RR")
    for name, value in (("queryID", "43b15df305339e827f0ac0bdc5ebcaa7"), ("request_id", "r7"), ("user_id", 7)):
        assert rm.evaluate(TRUTH, {"q1": {"results": results({}, {}), name: value}}, "RR").reading.notes == ()


@pytest.mark.parametrize("holder", ["usage", "billing", "billed_units", "billedUnits"])
def test_only_costs_are_passed_over_among_costs(holder):
    drawn = random.Random(f"{SEED} {holder}")
    for name in (invented(drawn), invented(drawn), "nodes_down", "nextPage", "requests_lost"):
        costs = {"total_tokens": 9, "search_units": 1, "readUnits": 2, name: drawn.randint(1, 9)}
        reading = rm.evaluate(TRUTH, {"q1": {"results": results({}, {}), holder: costs}}, "RR").reading
        assert reading.run.unused == (f"{holder}.{name}",), (SEED, reading)


@pytest.mark.parametrize("in_results", [False, True])
def test_words_and_flags_are_named_before_numbers(in_results):
    drawn = random.Random(f"{SEED} {in_results}")
    fields = {f"feat_{n}": drawn.random() for n in range(40)}
    name, value = invented(drawn), drawn.choice(["withdrawn", "price asc", "B"])
    beside = [*fields.items(), (name, value)]
    drawn.shuffle(beside)
    hits = results(dict(beside), {}) if in_results else results({}, {})
    reading = rm.evaluate(TRUTH, {"q1": {"results": hits, **({} if in_results else dict(beside))}}, "RR").reading
    assert reading.run.unused[0] == name
    assert name in str(reading.run)


@pytest.mark.parametrize("seed", range(by_night(8, night=100)))
def test_a_list_of_any_name_with_the_ids_in_another_order_is_said(seed):
    drawn = random.Random(seed)
    is_text, count = drawn.random() < 0.5, drawn.randint(2, 8)
    ids = [f"d{n}" if is_text else n for n in drawn.sample(range(1, 99), count)]
    name, above = invented(drawn), drawn.choice(["", "result", "zuvi"])
    for other in (drawn.sample(ids, len(ids)), ids, [*ids[1:], "d0" if is_text else 0], ids[::-1]):
        for listed in (other, [{"id": each} for each in other]):
            beside = {above: {name: listed}} if above else {name: listed}
            ev = rm.evaluate({"q1": [ids[1]]}, {"q1": {"results": [{"id": each} for each in ids], **beside}}, "RR")
            is_said = any(name in str(note) for note in ev.reading.notes)
            assert ev["RR"] == 0.5
            assert is_said == (sorted(map(str, other)) == sorted(map(str, ids)) and other != ids), (seed, ev.reading)


@pytest.mark.parametrize("seed", range(by_night(6, night=100)))
def test_ranks_with_gaps_are_said_and_equal_ranks_are_none(seed):
    drawn = random.Random(seed)
    first, count = drawn.choice((0, 1)), drawn.randint(2, 9)
    whole = list(range(first, first + count))
    gap = drawn.randint(1, count - 1)
    late = [rank + (drawn.randint(1, 9) if at == gap else 10 * (at > gap)) for at, rank in enumerate(whole)]
    shared = [rank if at != gap else rank - 1 for at, rank in enumerate(whole)]
    for ranks, is_said in ((whole, False), (late, True), (shared, False)):
        hits = results(*({"rank": rank} for rank in ranks))
        notes = [str(note) for note in rm.evaluate(TRUTH, {"q1": {"results": hits}}, "RR").reading.notes]
        assert any("gaps" in note for note in notes) == is_said, (ranks, notes)
