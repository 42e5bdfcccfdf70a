"""Where the judged items stand: one index of judgments, a module per kind of run, all giving the same placements.

Each is loaded when such data comes: a mapping needs nothing of what tables need.
"""

from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.pairs import place_run, place_unjudged
from rankmeter.placing.placements import Placements, Plan

__all__ = ["PlacedRun", "Placements", "Plan", "place_run", "place_unjudged"]
