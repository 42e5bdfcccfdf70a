"""What was asked: texts, measures and options of a call, made into measures that hold everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from rankmeter.errors import MeasureError, with_hint
from rankmeter.measures import Measure, into_measures, listed, split_measures
from rankmeter.wording import Option

QueryPolicy = Literal["judged", "common", "run"]
DuplicatePolicy = Literal["error", "first", "best", "counted"]


@dataclass(frozen=True, slots=True)
class Asked:
    """The measures of a call."""

    names: dict[str, Measure]
    """Which measure each text stands for, so that a result is found under any of them; first of all, as typed."""
    measures: list[Measure]
    """Each of them once, in the order asked."""
    strict: bool = True
    """False where a tool's own numbers are asked for: what it answers all the same is only remarked on."""


def ask(
    measures: object,
    *,
    queries: QueryPolicy | None = None,
    duplicates: DuplicatePolicy | None = None,
    dialect: object = None,
    expanded: Callable[[list[Measure]], list[Measure]] = list,
) -> Asked:
    """Read what was asked and put the options of the call into it.

    Options of the call go into measures that do not state their own; those of a dialect are no statement of the
    caller's, so the call's options come before them. ``expanded`` may turn a measure into several.
    """
    given: tuple[tuple[str, object], ...] = (("queries", queries), ("duplicates", duplicates))
    for option, value in given:
        if value is not None and not isinstance(value, str):
            choices = get_args(QueryPolicy if option == "queries" else DuplicatePolicy)
            raise MeasureError.of("general.not_one_of", option=Option(option, value), choices=list(choices))
    if dialect is not None and not isinstance(dialect, str):
        raise MeasureError.of("general.not_a_name", option=Option("dialect", dialect), example="recbole")
    names: dict[str, Measure] = {}
    for one in listed(measures):
        if dialect is not None and isinstance(one, str):
            from rankmeter.measures.dialects import find_dialect  # only where a dialect is asked for

            spoken = find_dialect(dialect).measures(one)
            names |= {text: _overruled(measure, queries, duplicates) for text, measure in spoken.items()}
            continue
        for text in split_measures(one) if isinstance(one, str) else [one]:
            made = {str(m): with_options(m, queries, duplicates) for m in expanded(into_measures(text))}
            for typed, (plain, measure) in zip(_typed(text, list(made)), made.items(), strict=True):
                names |= {str(measure) if typed == plain else typed: measure, str(measure): measure, plain: measure}
    if not names:
        raise MeasureError.of("measures.none")
    return Asked(names, list(dict.fromkeys(names.values())), strict=dialect is None)


def _typed(text: object, canonical: list[str]) -> list[str]:
    """What each measure of a text was called in it.

    >>> _typed("HR@5,10", ["Success@5", "Success@10"])
    ['HR@5', 'HR@10']
    """
    if not isinstance(text, str) or len(canonical) == 1:
        return [text] if isinstance(text, str) else canonical
    name, _, cutoffs = text.rpartition("@")
    several = [f"{name}@{cutoff}" for cutoff in cutoffs.split(",")]
    return several if name and len(several) == len(canonical) else canonical


def _overruled(measure: Measure, queries: QueryPolicy | None, duplicates: DuplicatePolicy | None) -> Measure:
    """Put the options of the call into a measure, whatever it states."""
    if queries is not None:
        measure = measure(queries=None)
    if duplicates is not None:
        measure = measure(duplicates=None)
    return with_options(measure, queries, duplicates)


def with_options(measure: Measure, queries: QueryPolicy | None, duplicates: DuplicatePolicy | None) -> Measure:
    """Put the options of the call into a measure that does not state its own; measures of events are refused."""
    if measure.about == "events":
        fact = f"{measure} counts what users did, from a log of events; judgments and a run cannot say it."
        raise MeasureError(with_hint(fact, "rankmeter.online.evaluate(events, measures), or: rankmeter online EVENTS"))
    changes: dict[str, Any] = {}
    if queries is not None and measure.queries is None:
        changes["queries"] = None if queries == measure.default_queries else queries
    if duplicates is not None and measure.duplicates is None and measure.default_duplicates == "error":
        changes["duplicates"] = None if duplicates == "error" else duplicates
    return measure(**changes) if changes else measure
