"""What measures of several searches are worth for one question: plain arithmetic over its calls."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.wings.searches.measures import (
    BudgetMeasure,
    CallRepeats,
    CallsNeeded,
    ChainComplete,
    ExpectedExposure,
    ExposureDisparity,
    ExposureRelevance,
    NormalisedSessionDCG,
    SearchMeasure,
    SearchRecall,
    SessionGain,
    SessionRBP,
)

Calls = Sequence[Sequence[tuple[Any, float]]]
"""The calls of a question: items with their tokens, best first."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What is known of one question."""

    calls: Calls
    grades: Mapping[Any, float]
    hops: Mapping[Any, Mapping[Any, float]]
    """For each needed hop the grades of the items that provide it."""
    has_tokens: bool = True


class Term(NamedTuple):
    """What one returned item adds."""

    call: int
    place: int
    item: Any
    grade: float | None
    gain: float
    weight: float
    """The discounts of its rank and of its call together."""


class SessionParts(NamedTuple):
    """A value as a quotient, and whether the question counts."""

    above: float
    below: float
    counted: bool = True

    @property
    def value(self) -> float:
        """The quotient; 0 over nothing."""
        return self.above / self.below if self.below else 0.0


def session_parts(question: AskedQuestion, measure: SearchMeasure) -> SessionParts:
    """The value of a measure for one question."""
    if isinstance(measure, CallRepeats):
        return _repeated(question)
    rel = getattr(measure, "rel", math.ulp(0.0))
    needed = sum(grade >= rel for grade in question.grades.values())
    if not needed:
        return SessionParts(0.0, 0.0, measure.empty == "zero")
    if isinstance(measure, (SearchRecall, ChainComplete)):
        return _found_within(question, measure)
    if isinstance(measure, CallsNeeded):
        return _first_hit(question, measure)
    if isinstance(measure, ExpectedExposure):
        return SessionParts(_exposed(question, measure, needed), 1.0)
    above = math.fsum(term.gain * term.weight for term in terms_of(question, measure))
    if isinstance(measure, SessionRBP):
        return SessionParts((1 - measure.p) * above, 1.0)
    return SessionParts(above, ideal_of(question, measure) if isinstance(measure, NormalisedSessionDCG) else 1.0)


def terms_of(question: AskedQuestion, measure: SearchMeasure) -> Iterator[Term]:
    """What each item adds to a discounted sum, call by call."""
    cutoff, repeats = getattr(measure, "cutoff", None), getattr(measure, "repeats", "counted")
    seen: set[Any] = set()
    for call, listed in enumerate(question.calls, 1):
        for place, (item, _) in enumerate(listed[:cutoff], 1):
            grade = question.grades.get(item)
            gain = 0.0 if grade is None or (repeats == "once" and item in seen) else _gain(grade, measure)
            if isinstance(measure, ExpectedExposure):
                gain = 1 / len(question.calls)  # the exposure of an item, whatever it is worth
            seen.add(item)
            yield Term(call, place, item, grade, gain, weight_of(call, place, measure))


def _gain(grade: float, measure: SearchMeasure) -> float:
    if isinstance(measure, SessionRBP):
        return float(grade >= measure.rel)
    if isinstance(measure, SessionGain):
        return max(0.0, 2.0**grade - 1 if measure.gain == "exp2" else float(grade))
    return float(grade >= getattr(measure, "rel", math.ulp(0.0)))


def weight_of(call: int, place: int, measure: SearchMeasure) -> float:
    """The discount of a place of a call.

    Järvelin and others (2008) divide by 1 + log_bq(call); Kanoulas and others (2011) by log_bq(call + bq - 1).
    """
    if isinstance(measure, SessionRBP):
        # Lipani and others (2019): on with p, and then down the list with b, to the next call else.
        down = measure.b * measure.p
        onward = (measure.p - down) / (1 - down)
        return float(onward ** (call - 1) * down ** (place - 1))
    if isinstance(measure, ExpectedExposure):
        return float(measure.p ** (place - 1))
    if not isinstance(measure, SessionGain):
        return 1.0
    of_rank = math.log(place + measure.b - 1, measure.b)
    is_first = measure.discount == "jarvelin"
    of_call = 1 + math.log(call, measure.bq) if is_first else math.log(call + measure.bq - 1, measure.bq)
    return 1 / (of_rank * of_call)


def ideal_of(question: AskedQuestion, measure: NormalisedSessionDCG) -> float:
    """The sDCG of an ideal session with as many calls.

    Each call the ideal list, or each item once, where the discount is least.
    """
    gains = sorted((_gain(grade, measure) for grade in question.grades.values()), reverse=True)
    depth = len(gains) if measure.cutoff is None else min(measure.cutoff, len(gains))
    calls = max(1, len(question.calls))
    weights = [[weight_of(call, place, measure) for place in range(1, depth + 1)] for call in range(1, calls + 1)]
    if measure.ideal == "each":
        return math.fsum(gain * weight for row in weights for gain, weight in zip(gains, row, strict=False))
    best = sorted((weight for row in weights for weight in row), reverse=True)
    return math.fsum(gain * weight for gain, weight in zip(gains, best, strict=False))


def within_budget(question: AskedQuestion, measure: BudgetMeasure) -> list[Any]:
    """The items that were returned before a budget of calls or tokens was used up."""
    if measure.tokens is not None and not question.has_tokens:
        raise InputError.of("searches.measure_needs_tokens", measure=str(measure))
    items: list[Any] = []
    used = 0.0
    for listed in question.calls[: measure.calls]:
        for item, size in listed:
            used += size
            if measure.tokens is not None and used > measure.tokens:
                return items
            items.append(item)
    return items


def _exposed(question: AskedQuestion, measure: ExpectedExposure, relevant: int) -> float:
    """Sums over items of the exposure over all rankings, and of the ideal's: relevant items share the first places."""
    seen: dict[Any, float] = {}
    for term in terms_of(question, measure):
        seen[term.item] = seen.get(term.item, 0.0) + term.gain * term.weight
    first = relevant if measure.cutoff is None else min(relevant, measure.cutoff)
    share = math.fsum(measure.p**place for place in range(first)) / relevant
    ideal = {item: share for item, grade in question.grades.items() if grade >= measure.rel}
    if isinstance(measure, ExposureRelevance):
        return math.fsum(seen.get(item, 0.0) * share for item in ideal)
    if isinstance(measure, ExposureDisparity):
        ideal = {}
    return math.fsum((seen.get(item, 0.0) - ideal.get(item, 0.0)) ** 2 for item in {**ideal, **seen})


def _found_within(question: AskedQuestion, measure: SearchRecall | ChainComplete) -> SessionParts:
    items = set(within_budget(question, measure))
    if isinstance(measure, SearchRecall):
        relevant = {item for item, grade in question.grades.items() if grade >= measure.rel}
        return SessionParts(float(len(relevant & items)), float(len(relevant)))
    hops = [{item for item, grade in of.items() if grade >= measure.rel} for of in question.hops.values()]
    hops = [hop for hop in hops if hop]
    found = sum(bool(hop & items) for hop in hops)
    return (
        SessionParts(float(found), float(len(hops)))
        if measure.count == "share"
        else SessionParts(float(found == len(hops)), 1.0)
    )


def _first_hit(question: AskedQuestion, measure: CallsNeeded) -> SessionParts:
    relevant = {item for item, grade in question.grades.items() if grade >= measure.rel}
    hit = next((at for at, listed in enumerate(question.calls, 1) if relevant & {item for item, _ in listed}), None)
    if measure.report == "number":
        return SessionParts(float(hit or 0), 1.0, hit is not None)
    return SessionParts(1.0 / hit if hit else 0.0, 1.0)


def _repeated(question: AskedQuestion) -> SessionParts:
    seen: set[Any] = set()
    later = again = 0
    for call, listed in enumerate(question.calls):
        items = [item for item, _ in listed]
        if call:
            later += len(items)
            again += sum(item in seen for item in items)
        seen.update(items)
    return SessionParts(float(again), float(later))
