"""Small data in which everything that can go wrong is likely: ties, missing queries, odd ids, grades and scores."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import Field, dataclass, fields
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from rankmeter.errors import MeasureError
from rankmeter.measures import REGISTRY, Measure, RankedMeasure
from rankmeter.measures.base import rule_of
from rankmeter.measures.options import check

NIGHT = settings.default.max_examples >= 1000
"""Whether this is ``make hunt``, which has time."""


def by_night(by_day: int, *, night: int) -> int:
    """How much is tried where much costs time and finds little; the hunt takes ten times as many examples again."""
    return night if NIGHT else by_day


QUERIES = ["q1", "q2", "q3", "10", "9"]
"""Some are named like an item."""
TEXT_IDS = ["9", "10", "a", "ä", "B", "100", "_", "b", "Z9"]
INT_IDS = [9, 10, 100, 1, 2, 11, 20, 3, 0]
GRADES = [0, 1, 2, 3, -1, 0.5]
WHOLE_GRADES = [0, 1, 2, 3, -1, -2]
TIED_SCORES = [1.0, 2.0, 0.5]
ODD_SCORES = [1.0, 1.0 + 1e-9, 2.0, 0.0, -0.0, -1.5, math.inf, -math.inf, 0.5, 1e30]
"""Some tie only in single precision, some are not finite, some are not positive."""

OPTIONS: dict[str, list[Any]] = {
    "cutoff": [1, 2, 3, 5, 20],
    "depth": [1, 2, 4, 20],
    "rel": [1, 2, 0.5, 3, 0, -1],
    "p": [0.5, 0.95],
    "beta": [2, 0.5],
    "recall": [0.1, 0.25, 0.3, 0.5, 0.7, 1],
    "gain": [{1: 3, 2: 9}, {1: 5, 2: 1, 3: 2}, {0: 1, 1: 2}],
    "max_grade": [3, 5],
    "min_grade": [0, 1],
    "T": [1, 2.5],
    "horizon": [7, 1000],
    "points": [3, 11, (0.2, 0.55, 1)],
    "negatives": [1, 2, 4],
    "mult": [0.2, 0.5, 1.6],
    "found": [2],
    "noise": [-0.5],
    "missed": [-1],
    "rest": [0.1],
    "collection": [20],
    "unjudged": [1, 2, 0.5],
    "digits": [0, 2],
}
"""Values of the options that hold numbers or maps."""


PLAIN = sorted(
    name
    for name, measure in REGISTRY.items()
    if isinstance(measure, RankedMeasure) and not measure.subtopics and not getattr(measure, "custom", False)
)
"""The measures of ranked lists that need no subtopics."""


def usual(name: str) -> Measure:
    """A measure with its default options, but for the top of the scale where it must cover the grades used here."""
    measure = REGISTRY[name]
    return measure(max_grade=3) if name not in ("ERR", "RBP") and hasattr(measure, "max_grade") else measure


@dataclass(frozen=True)
class Data:
    """Judgments and a run."""

    judgments: dict[Any, dict[Any, float]]
    run: dict[Any, dict[Any, float]]

    @property
    def highest(self) -> float:
        return max((grade for grades in self.judgments.values() for grade in grades.values()), default=-math.inf)


@st.composite
def data(
    draw: st.DrawFn,
    *,
    ids: list[Any] | None = None,
    grades: list[Any] | None = None,
    scores: list[float] | None = None,
    relevant: bool = True,
    empty_lists: bool = True,
) -> Data:
    """Judgments and a run over a few queries; ``relevant`` makes sure that some grade is 3."""
    ids = ids or draw(st.sampled_from([TEXT_IDS, INT_IDS]))
    score = st.sampled_from(scores or draw(st.sampled_from([TIED_SCORES, ODD_SCORES, TIED_SCORES[:1]])))
    item, grade, query = st.sampled_from(ids), st.sampled_from(grades or GRADES), st.sampled_from(QUERIES)
    # Many queries hold few distinct grades so that some have no relevant item at all.
    graded = st.dictionaries(item, grade, min_size=1, max_size=6) | st.dictionaries(
        item, st.sampled_from([0, -1]), min_size=1, max_size=3
    )
    judgments = draw(st.dictionaries(query, graded, min_size=1, max_size=4))
    scored = st.dictionaries(item, score, min_size=0 if empty_lists else 1, max_size=8)
    run = draw(st.dictionaries(query, scored, min_size=1, max_size=4))
    # Data without a common query are refused.
    run[draw(st.sampled_from(sorted(judgments)))] = draw(scored)
    if relevant:
        judgments[next(iter(judgments))][draw(item)] = 3
    return Data(judgments, run)


def values_of(measure: Measure, option: Field[Any]) -> list[Any]:
    """The values that an option of a measure may have, numbers and maps among them."""
    rule, values = rule_of(option), list(rule_of(option).choices)
    for value in OPTIONS.get(option.name, []):
        with suppress(MeasureError):
            values.append(check(measure.name, option.name, value, rule))
    return values


@st.composite
def measures(draw: st.DrawFn, name: str | None = None, *, fixed: tuple[str, ...] = ()) -> Measure:
    """A measure with random options; those named in ``fixed`` keep their default."""
    measure = usual(name or draw(st.sampled_from(PLAIN)))
    changes: dict[str, Any] = {}
    for option in fields(measure):
        if option.name in fixed or option.name == "duplicates":
            continue
        values = values_of(measure, option)
        if option.name == "aggregate":
            values = list(measure.aggregates)
        if option.name == "ties":
            values = list(measure.tie_rules)
        # Half of the options stay as they are, so that each is seen alone too.
        if values and draw(st.booleans()):
            changes[option.name] = draw(st.sampled_from(values))
    _make_possible(draw, measure, changes)
    return with_possible_ties(measure, changes)


def _make_possible(draw: st.DrawFn, measure: Measure, changes: dict[str, Any]) -> None:
    """Change options that do not go together."""
    if measure.name == "RBP":
        _make_rbp_possible(draw, changes)
    low = isinstance(changes.get("rel"), (int, float)) and changes["rel"] <= 0
    if low and changes.get("unjudged") == "removed":
        changes["negative"] = "nonrelevant"
    if low and changes.get("weight") == "grade":
        del changes["weight"]
    if changes.get("unjudged", "nonrelevant") not in ("nonrelevant", "removed"):
        changes.pop("sign", None)
        changes.pop("hits", None)
    if changes.get("ranks") == "all":
        changes["norm"] = "k"
    if changes.get("ideal") == "full":
        changes |= {"gain": "binary", "cutoff": changes.get("cutoff", 3)}
    if changes.get("ideal") in ("list", "top"):  # which re-sort what these change
        changes.pop("sign", None)
        if changes.get("negative") in ("counted", "guarded") or not isinstance(changes.get("unjudged", ""), str):
            del changes["ideal"]
    if changes.get("ideal") == "full-list":
        changes["gain"] = "binary"


def _make_rbp_possible(draw: st.DrawFn, changes: dict[str, Any]) -> None:
    gain = changes.get("gain", "binary")
    if gain == "exp2":
        changes["max_grade"] = draw(st.sampled_from([3, 5]))
    elif gain == "binary":
        changes.pop("max_grade", None)
    if changes.get("norm") == "places":
        changes.setdefault("cutoff", 3)
    elif gain != "binary":
        changes.pop("norm", None)


def with_possible_ties(measure: Measure, changes: dict[str, Any]) -> Measure:
    """The measure with these options, or with ties=item where they do not go with the tie rule."""
    try:
        return measure(**changes)
    except MeasureError:
        return measure(**{**changes, "ties": "item"})


def tie_rules(measure: Measure) -> list[str]:
    """The tie rules that a measure with these options has."""
    rules = []
    for rule in measure.tie_rules:
        try:
            measure(ties=rule)
        except MeasureError:
            continue
        rules.append(rule)
    return rules
