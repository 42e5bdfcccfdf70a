"""What users did: events, sessions, click-through and conversion rates, experiments, and whether offline gains are real.

>>> import rankmeter as rm
>>> log = [{"time": 0, "user": "u", "item": i, "type": "impression"} for i in "abcd"]
>>> log += [{"time": 5, "user": "u", "item": "b", "type": "click"}]
>>> rm.online.evaluate(log, "CTR")["CTR"]
0.25
"""

from __future__ import annotations

from rankmeter.online.evaluation import evaluate
from rankmeter.online.events import Events, read_events
from rankmeter.online.experiment import experiment
from rankmeter.online.results import OnlineEvaluation
from rankmeter.online.sums import Sums, sums_from_table
from rankmeter.online.trial import Experiment

__all__ = [
    "Events", "Experiment", "OnlineEvaluation", "Sums", "evaluate", "experiment", "read_events", "sums_from_table",
]  # fmt: skip
