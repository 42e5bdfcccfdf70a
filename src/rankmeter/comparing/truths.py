"""Whether evaluations that were made before were judged alike: else their differences are those of the judgments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankmeter.comparing.systems import Measured
from rankmeter.errors import InputError
from rankmeter.evaluating.result import Evaluation
from rankmeter.late import pl
from rankmeter.wording import Said, said


def judged_unlike(measured: Mapping[str, Measured]) -> list[Said]:
    """Refuse evaluations of the same queries against different judgments; say so where the queries differ too."""
    if all(one.sources for one in measured.values()):
        return []  # all were measured now, against the same judgments
    every = [(name, run) for name, one in measured.items() for run in one.runs]
    known = [(name, run, run.judged_by.value) for name, run in every if run.judged_by is not None]
    if not known:
        return []
    first, reference, judged = known[0]
    for name, run, found in known[1:]:
        if not judged.differs(found):
            continue
        facts: dict[str, Any] = {
            "one": first, "rows": judged.rows, "relevant": judged.relevant,
            "other": name, "other_rows": found.rows, "other_relevant": found.relevant,
        }  # fmt: skip
        if _judged_queries(run) != _judged_queries(reference):
            return [said("judged_unlike", **facts)]
        raise InputError.of("comparing.judged_differently", **facts)
    return []


def _judged_queries(ev: Evaluation) -> set[str]:
    return set(ev.queries.head(ev.facts.judged).cast(pl.String).to_list())
