"""What fields say that stand where tools put them of their own accord: in metadata, in stages, beside the list."""

from __future__ import annotations

import pytest

import rankmeter as rm

TRUTH = {"q": ["b"]}
TWO = [{"id": "a", "score": 2.0}, {"id": "b", "score": 1.0}]


@pytest.mark.parametrize(
    "told",
    [
        {"traceback": "Traceback (most recent call last)"},
        {"status": {"error_code": "UnexpectedError", "reason": "x"}},
        {"status": {"error_code": 5, "reason": "x"}},
        {"processor_results": [{"processor_name": "rerank", "status": "fail", "error": "x"}]},
    ],
)
def test_a_failed_stage_is_refused(told):
    with pytest.raises(rm.InputError, match="q"):
        rm.evaluate(TRUTH, {"q": {"results": TWO, **told}}, "RR")


@pytest.mark.parametrize(
    "told",
    [
        {"traceback": None},
        {"status": {"error_code": "Success", "reason": ""}},
        {"status": {"error_code": 0}},
        {"processor_results": [{"processor_name": "rerank", "status": "success"}]},
    ],
)
def test_a_stage_that_went_well_is_not(told):
    assert rm.evaluate(TRUTH, {"q": {"results": TWO, **told}}, "RR")["RR"] == 0.5


@pytest.mark.parametrize(
    ("fields", "values"),
    [("new_rank", (2, 1)), ("ordinal", (2, 1)), ("metadata.score", (0.1, 0.2)), ("metadata.rank", (2, 1))],
)
def test_a_field_that_may_be_a_place_is_said_where_it_contradicts_the_order(fields, values):
    def results(numbers):
        name, _, inner = fields.partition(".")
        return [{"id": item, name: {inner: n} if inner else n} for item, n in zip("ab", numbers, strict=True)]

    ev = rm.evaluate(TRUTH, {"q": {"results": results(values)}}, "RR")
    assert ev["RR"] == 0.5
    assert fields in str(ev)
    assert fields not in str(rm.evaluate(TRUTH, {"q": {"results": results(values[::-1])}}, "RR"))


def test_a_result_without_the_number_of_the_others_is_refused():
    azure = {"value": [{"@search.score": 2.0, "id": "a"}, {"@search.score": None, "id": "b"}]}
    chroma = {"ids": [["a", "b"]], "distances": [[None, 0.5]]}
    for response in (azure, chroma):
        with pytest.raises(rm.InputError, match=r"score|distances"):
            rm.evaluate(TRUTH, {"q": response}, "RR")


@pytest.mark.parametrize("name", ["reranked", "reranked_results", "reranked_documents"])
def test_a_second_list_of_another_order_is_refused(name):
    with pytest.raises(rm.InputError, match=f"results, {name}"):
        rm.evaluate(TRUTH, {"q": {"results": TWO, name: TWO[::-1]}}, "RR")
