"""What users did: events, sessions, click and conversion rates, experiments, and whether offline gains are real.

>>> import rankmeter as rm
>>> log = [{"time": 0, "user": "u", "item": i, "type": "impression"} for i in "abcd"]
>>> log += [{"time": 5, "user": "u", "item": "b", "type": "click"}]
>>> rm.online.evaluate(log, "CTR")["CTR"]
0.25
"""

from __future__ import annotations

from rankmeter.stats.power import sample_ratio, sign_test, units_for_effect, units_for_rates, wilson
from rankmeter.wings.online.agreement import Agreement, Predictors, agreement, predictors
from rankmeter.wings.online.contrasts import minimum_detectable, units_needed
from rankmeter.wings.online.counterfactual import effective_sample_size, off_policy, off_policy_log, off_policy_slates
from rankmeter.wings.online.events import Events, read_events
from rankmeter.wings.online.experiment import experiment
from rankmeter.wings.online.interleaving import InterleavingResult, optimised_lists, score_interleaving, team_draft
from rankmeter.wings.online.log_evaluation import evaluate
from rankmeter.wings.online.log_results import OnlineEvaluation
from rankmeter.wings.online.past_effects import Shrunk, shrunk
from rankmeter.wings.online.policies import OffPolicy
from rankmeter.wings.online.position_bias import PositionBias, position_bias
from rankmeter.wings.online.sums import Sums, sums_from_table
from rankmeter.wings.online.trial import Experiment

__all__ = [
    "Agreement", "Events", "Experiment", "InterleavingResult", "OffPolicy", "OnlineEvaluation", "PositionBias",
    "Predictors", "Shrunk", "Sums", "agreement", "effective_sample_size", "evaluate", "experiment",
    "minimum_detectable", "off_policy", "off_policy_log", "off_policy_slates", "optimised_lists", "position_bias",
    "predictors", "read_events", "sample_ratio", "score_interleaving", "shrunk", "sign_test", "sums_from_table",
    "team_draft", "units_for_effect", "units_for_rates", "units_needed", "wilson",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
