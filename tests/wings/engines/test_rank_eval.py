"""``_rank_eval`` without an engine: the values of the engines' own unit tests, and what is wrong with a request."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.showing.terminal import document_text
from rankmeter.wings.engines.commands import rank_eval as command
from rankmeter.wings.engines.rank_eval import rank_eval
from rankmeter.wording.characters import width_of

DCG, NDCG = {"dcg": {"k": 10}}, {"dcg": {"k": 10, "normalize": True}}
# Ratings in ranked order, None for a document that nobody rated; then documents that were rated and not returned.
OWN_TESTS = [
    ([3, 2, 3, 0, 1, 2], [], DCG, 13.84826362927298),
    ([3, 2, 3, 0, 1, 2], [], NDCG, 0.9488107485678984),
    ([3, 2, 3, None, 1, None], [], DCG, 12.779642067948913),
    ([3, 2, 3, None, 1, None], [], NDCG, 0.9574784666412697),
    ([3, 2, 3, None], [1], DCG, 12.392789260714371),
    ([3, 2, 3, None], [1], NDCG, 0.928494616333305),
    ([3, 2, 0, 1], [], {"expected_reciprocal_rank": {"maximum_relevance": 3, "unknown_doc_rating": 0, "k": 3}},
     0.8984375),
    ([3, 2, 0, 1], [], {"expected_reciprocal_rank": {"maximum_relevance": 3, "k": 4}}, 0.90087890625),
    ([3, None, 0, 1], [], {"expected_reciprocal_rank": {"maximum_relevance": 3, "k": 4}}, 0.87890625),
    ([3, None, 0, 1], [], {"expected_reciprocal_rank": {"maximum_relevance": 3, "unknown_doc_rating": 2, "k": 4}},
     0.90087890625),
    ([0, 1, 2, 3, 4], [], {"precision": {"relevant_rating_threshold": 2, "k": 5}}, 0.6),
    ([0, 1, 2, 3, 4], [], {"mean_reciprocal_rank": {"relevant_rating_threshold": 2, "k": 10}}, 1 / 3),
    ([0, 1, 2], [3, 4], {"recall": {"relevant_rating_threshold": 2, "k": 5}}, 1 / 3),
    ([1, 1, None], [], {"precision": {}}, 2 / 3),
    ([1, 1, None], [], {"precision": {"ignore_unlabeled": True}}, 1.0),
    ([None] * 5, [1], {"precision": {}}, 0.0),
    ([None] * 5, [1], {"precision": {"ignore_unlabeled": True}}, 0.0),
    ([None] * 5, [1], {"recall": {}}, 0.0),
    ([], [1, 2], NDCG, 0.0),
    ([], [1, 2], {"precision": {}}, 0.0),
]  # fmt: skip


def case(ratings: list[int | None], missed: list[int], metric: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    rated = {f"d{n}": rating for n, rating in enumerate([*ratings, *missed]) if rating is not None}
    request = {
        "id": "q", "request": {"query": {}},
        "ratings": [{"_index": "i", "_id": item, "rating": rating} for item, rating in rated.items()],
    }  # fmt: skip
    hits = [{"_index": "i", "_id": f"d{n}", "_score": 9.0 - n} for n in range(len(ratings))]
    return {"requests": [request], "metric": metric}, {"q": {"timed_out": False, "hits": {"hits": hits}}}


@pytest.mark.parametrize("number", range(len(OWN_TESTS)))
def test_the_values_of_the_engines_own_tests(number):
    ratings, missed, metric, wanted = OWN_TESTS[number]
    answer = rank_eval(*case(ratings, missed, metric))
    assert answer.score == pytest.approx(wanted, abs=1e-12)
    assert answer.to_dict()["details"]["q"]["metric_score"] == pytest.approx(wanted, abs=1e-12)


def test_one_of_five_is_perfect_for_the_engine_and_not_usually():
    answer = rank_eval(*case([3], [3, 3, 3, 3], NDCG))
    assert answer.score == 1.0
    assert answer.usual == "nDCG(gain=exp2)@10"
    assert answer.usual_score == pytest.approx(0.3392, abs=1e-4)
    assert "0.3392" in str(answer)


def test_details_name_hits_ratings_and_what_nobody_rated():
    detail = rank_eval(*case([2, None], [], DCG)).to_dict()["details"]["q"]
    assert [hit["rating"] for hit in detail["hits"]] == [2, None]
    assert detail["unrated_docs"] == [{"_index": "i", "_id": "d1"}]


def test_nothing_beyond_k_is_seen():
    assert rank_eval(*case([None] * 3 + [1], [], {"recall": {"k": 3}})).score == 0


def test_responses_stand_in_the_order_of_the_requests(tmp_path):
    body, responses = case([1, None], [], {"precision": {}})
    second = {**body["requests"][0], "id": "other"}
    body["requests"].append(second)
    answers = {"took": 1, "responses": [responses["q"], {"hits": {"hits": []}}]}
    (tmp_path / "request.json").write_text(json.dumps(body))
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    done = CliRunner().invoke(
        command, [str(tmp_path / "request.json"), str(tmp_path / "answers.json"), "--format", "json"]
    )
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert answer["metric_score"] == 0.25
    assert {query: detail["metric_score"] for query, detail in answer["details"].items()} == {"q": 0.5, "other": 0.0}


BODY, ANSWERS = case([1], [], {"precision": {}})
WRONG = {
    "no requests": ({"query": {}}, ANSWERS, "has no 'requests'"),
    "no metric": ({**BODY, "metric": {}}, ANSWERS, "names no metric"),
    "an unknown metric": ({**BODY, "metric": {"ndcg": {}}}, ANSWERS, "no metric 'ndcg'"),
    "an unknown parameter": ({**BODY, "metric": {"precision": {"threshold": 2}}}, ANSWERS, "no parameter 'threshold'"),
    "no maximum": ({**BODY, "metric": {"expected_reciprocal_rank": {}}}, ANSWERS, "needs maximum_relevance"),
    "no ratings": ({**BODY, "requests": [{"id": "q", "ratings": []}]}, ANSWERS, "rates no document"),
    "too few responses": (BODY, [], "holds 0 responses"),
    "another query": (BODY, {"z": ANSWERS["q"]}, "no response for q"),
    "a failed search": (BODY, {"q": {"error": {"reason": "no such index"}, "status": 404}}, "no such index"),
    "something else": (BODY, {"q": {"docs": []}}, "q is not a response: it has no 'hits.hits'"),
    "a list of nothing": (BODY, [[]], "q is not a response: it has no 'hits.hits'"),
    "a hit without an id": (BODY, {"q": {"hits": {"hits": [{"_index": "shop"}]}}}, "q: hits.hits[0] has no '_id'"),
    "the wrong order": (ANSWERS, BODY, "the request comes first"),
    "k as text": ({**BODY, "metric": {"precision": {"k": "10"}}}, ANSWERS, 'k of the metric \'precision\' is "10"'),
    "k is zero": ({**BODY, "metric": {"precision": {"k": 0}}}, ANSWERS, "k=0"),
    "normalize as text": ({**BODY, "metric": {"dcg": {"normalize": "yes"}}}, ANSWERS, "expected true or false"),
    "the top of the scale": ({**BODY, "metric": {"expected_reciprocal_rank": {}}}, ANSWERS, '"maximum_relevance": 1'),
    "a document rated twice": (
        {**BODY, "requests": [{"id": "q", "ratings": [{"_id": "a", "rating": 1}, {"_id": "a", "rating": 2}]}]},
        ANSWERS, "rates a twice",
    ),
    "an id that is a list": ({**BODY, "requests": [{"id": ["q"], "ratings": []}]}, ANSWERS, "is not an id"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_a_sentence(kind):
    body, answers, words = WRONG[kind]
    with pytest.raises(rm.InputError) as caught:
        rank_eval(body, answers)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "metric", [{"precision": {"relevant_rating_threshold": 9}}, {"recall": {"relevant_rating_threshold": 9}}]
)
@pytest.mark.filterwarnings("ignore:.*highest grade judged")
def test_a_threshold_that_no_rating_reaches_gives_0_as_the_engine_does(metric):
    answer = rank_eval({**BODY, "metric": metric}, ANSWERS)
    assert answer.score == 0
    assert math.isnan(answer.usual_score)
    assert "does not take these ratings" in answer.to_text()


def test_an_id_that_is_a_number_finds_its_response_under_text():
    body = {**BODY, "requests": [{**BODY["requests"][0], "id": 1}]}
    assert rank_eval(body, {"1": ANSWERS["q"]}).score == rank_eval(BODY, ANSWERS).score


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_long_metric_fits_eighty_columns(lang):
    metric = {"expected_reciprocal_rank": {"k": 10, "maximum_relevance": 3, "unknown_doc_rating": 0}}
    document = rank_eval({**BODY, "metric": metric}, ANSWERS).document(lang)
    assert all(width_of(line) <= 80 for line in document_text(document, width=80).splitlines())
