"""Evaluations whose values per query are not in memory: in a file, or in the tables of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from rankmeter.arithmetic.parts import Values
from rankmeter.evaluating.facts import Facts
from rankmeter.evaluating.fingerprints import Fingerprint
from rankmeter.evaluating.result import Evaluation
from rankmeter.late import Late, pl
from rankmeter.measures import Measure


class DistantEvaluation(Evaluation):
    """An evaluation that holds what it is about all queries together, and fetches the values per query when asked.

    Everything that an `Evaluation` can do it can do too: means, counts, tie bounds and definitions at once; the values
    per query, intervals and saving after fetching them once.

    Parameters
    ----------
    name, means, tie_bounds, asked, facts, judged_by
        As in `Evaluation`.
    counts
        For each measure, how many queries its aggregated value is about.
    fetch
        Gives the same evaluation with all values in memory.
    """

    __slots__ = ("_counts", "_fetch", "_fetched")
    _counts: Mapping[Measure, int]
    _fetch: Callable[[], Evaluation]
    _fetched: list[Evaluation]

    def __init__(
        self,
        *,
        name: str,
        means: Mapping[Measure, float],
        counts: Mapping[Measure, int],
        tie_bounds: Mapping[Measure, tuple[float, float]],
        asked: Mapping[str, Measure],
        facts: Facts,
        judged_by: Late[Fingerprint] | None = None,
        fetch: Callable[[], Evaluation],
    ) -> None:
        given = {"name": name, "means": means, "tie_bounds": tie_bounds, "asked": asked, "told": facts}
        given["judged_by"] = judged_by
        slots: dict[str, Any] = {"_counts": counts, "_fetch": fetch, "_fetched": []}
        for option in fields(Evaluation):
            if option.name in given:
                slots[option.name] = given[option.name]
            elif option.default_factory is not MISSING:
                slots[option.name] = option.default_factory()
            elif option.default is not MISSING:
                slots[option.name] = option.default
        for slot, value in slots.items():
            object.__setattr__(self, slot, value)  # frozen, as every result

    def collect(self) -> Evaluation:
        """An evaluation with all values per query in memory; they are fetched once."""
        if not self._fetched:
            self._fetched.append(self._fetch())
        return self._fetched[0]

    @property
    def queries(self) -> pl.Series:
        """(n,) ids of the queries, fetched."""
        return self.collect().queries

    @property
    def values(self) -> Mapping[Measure, Values]:
        """For each measure a value per query, fetched."""
        return self.collect().values

    def counted(self, measure: str | Measure) -> int:
        """How many queries the aggregated value is about; nothing is fetched."""
        return self._counts[self.find(measure)]

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy elsewhere could not fetch: it takes the values along.
        state = {option.name: getattr(self.collect(), option.name) for option in fields(Evaluation)}
        return _rebuilt, (state,)


def _rebuilt(state: dict[str, Any]) -> Evaluation:
    return Evaluation(**state)
