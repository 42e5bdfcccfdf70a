"""What the relevant items within the first k are worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmeter.arithmetic.gain import gains_of
from rankmeter.arithmetic.slates.data import ListValues, Slates, along, given_value, known, place_weights
from rankmeter.arithmetic.slates.popularity import has_relevant
from rankmeter.placing.placements import Floats


def revenue(s: Slates, m: Any) -> ListValues:
    """The value of what was found."""
    return _worth_of_lists(s, m, given_value(s.items.values))


def margin(s: Slates, m: Any) -> ListValues:
    """The margin of what was found."""
    return _worth_of_lists(s, m, given_value(s.items.margins))


def _worth_of_lists(s: Slates, m: Any, worth: Floats) -> ListValues:
    weights = place_weights(m.discount, s.places)
    found = along(np.where(s.relevant(m.rel), s.at(worth) * weights, 0.0))
    return ListValues(found, np.ones(len(s)), has_relevant(s, m))


def value_hit_rate(s: Slates, m: Any) -> ListValues:
    """The value of what was found, out of all that could be."""
    values, judged = given_value(s.items.values), given_value(s.judged)
    found = along(np.where(s.relevant(m.rel), s.at(values), 0.0))
    worth = np.where(judged.grade >= m.rel, known(values, judged.item), 0.0)
    possible = np.bincount(judged.query, weights=worth, minlength=len(s)).astype(np.float64)
    return ListValues(found, possible, has_relevant(s, m))


def value_ndcg(s: Slates, m: Any) -> ListValues:
    """Gains of grade times value, discounted, by the best that was possible."""
    values, judged = given_value(s.items.values), given_value(s.judged)
    places = max(s.places, int(np.diff(judged.offsets).max(initial=0)))
    places = min(m.cutoff or places, places)
    weights = place_weights(m.discount, places)
    grades = np.where(s.relevant(m.rel), s.grades, -np.inf)
    gained = along(gains_of(grades, m) * s.at(values) * weights[: s.places])
    gains = gains_of(judged.grade, m) * known(values, judged.item)
    query = judged.query
    order = np.lexsort((-gains, query))
    place = np.arange(len(order)) - judged.offsets[query]
    inside = place < places
    ideal = np.bincount(query[inside], weights=gains[order][inside] * weights[place[inside]], minlength=len(s))
    return ListValues(gained, ideal.astype(np.float64), has_relevant(s, m))
