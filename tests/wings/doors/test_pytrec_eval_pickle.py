"""An evaluator that was used can be sent to another process."""

from __future__ import annotations

import pickle

from rankmeter.compat import pytrec_eval


def test_an_evaluator_is_pickled_before_and_after_it_was_used():
    evaluator = pytrec_eval.RelevanceEvaluator({"q": {"a": 1, "b": 0}}, {"map", "P.1", "num_ret"})
    fresh = pickle.loads(pickle.dumps(evaluator))
    found = evaluator.evaluate({"q": {"a": 0.5, "c": 1.0}})
    assert found == fresh.evaluate({"q": {"a": 0.5, "c": 1.0}})
    assert pickle.loads(pickle.dumps(evaluator)).evaluate({"q": {"a": 0.5, "c": 1.0}}) == found
