"""The records that a comparison is made of: how it was made, how sure the data is, values and differences."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from rankmeter.comparing.unjudged import UnjudgedBounds
from rankmeter.late import Late, pl
from rankmeter.measures import Measure
from rankmeter.showing.document import Block, Cell, Column, Paragraph
from rankmeter.showing.numbers import p_text
from rankmeter.showing.showable import Showable
from rankmeter.stats.corrections import Correction
from rankmeter.stats.intervals import DRAWS, INTERVALS, Interval, IntervalMethod
from rankmeter.stats.paired import EffectSizes, Equivalence, Test
from rankmeter.wording import Said, kinds, said

MOST_TESTED = 50
"""How many slices are tested, the largest first: corrected for thousands of slices, no test has any power."""

if TYPE_CHECKING:
    from rankmeter.inputs.tables import Judgments, Run
    from rankmeter.lists.catalogue import Catalogue, PastItems

Family = Literal["baseline", "all"]
BestSet = Literal["mcb"]
"""``mcb``: multiple comparisons with the best."""
_TESTED = kinds("test_{}", get_args(Test))
_TESTED_SEPARATELY = kinds("test_separate_{}", get_args(Test))
_AGAINST = kinds("against_{}", get_args(Family))
_ORDERED = kinds("order_by_{}", get_args(Family))
_CORRECTED = kinds("correction_{}", get_args(Correction))
_UNIT, _UNITS = (kinds(pattern, ("query", "run", "other")) for pattern in ("unit_{}", "units_{}"))
SIZES = ("wins", "ties", "losses", "standardised", "rank_biserial")
"""The columns of an effect size."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a comparison was made: everything that can change its numbers, beside the measures."""

    test: Test
    correction: Correction
    family: Family
    """Which pairs are tested under each measure: every system against the baseline, or all pairs."""
    pairs: int
    """How many p-values a family, that is a measure, has."""
    level: float
    """The confidence of intervals; a corrected p-value below 1 - level is significant."""
    interval: IntervalMethod
    permutations: int
    resamples: int
    seed: int
    unit: str
    """What is resampled: ``query``, ``run``, or what the queries were grouped by."""
    power: float
    """The probability with which a detectable difference is found."""
    version: str
    baselines: int = 1
    """How many baselines each system is tested against, where there are any."""
    best_set: BestSet | None = None
    """What else is asked about the best system, beside the tests."""
    paired: bool = True
    """Whether systems are compared unit by unit; False for runs that share no named seeds."""

    @property
    def alpha(self) -> float:
        """The level of significance."""
        return round(1 - self.level, 12)

    @property
    def alpha_of_one(self) -> float:
        """The strictest level of a single test in a family: divided where the correction is family-wise."""
        return self.alpha / (
            max(self.pairs, 1) if self.correction in ("holm", "hochberg", "bonferroni", "max-t") else 1
        )

    @property
    def has_baselines(self) -> bool:
        """Whether systems were tested against several baselines."""
        return self.family == "baseline" and self.baselines > 1

    @property
    def condition(self) -> Said:
        """What makes a difference significant."""
        kind = "significant_alone" if self.correction == "none" else "significant_corrected"
        return said(kind, alpha=self.alpha)

    @property
    def tests_said(self) -> Said:
        """How many tests a family has."""
        return said("one_test") if self.pairs == 1 else said("several_tests", count=self.pairs)

    def sentences(self, *, tested: bool = True, bounded: bool = True) -> list[Said]:
        """What it takes to repeat or cite the numbers, where there are tests and where there are intervals."""
        units, drawn = units_said(self.unit), said("nothing")
        if self.test == "randomisation":
            drawn = said("permutations", count=self.permutations)
        made = self.interval if self.paired else "t"  # separate runs have Welch's intervals alone
        sentences = []
        if tested:
            how = "tested" if self.paired else "tested_separately"
            test = said((_TESTED if self.paired else _TESTED_SEPARATELY)[self.test])
            against = said("against_baselines" if self.has_baselines else _AGAINST[self.family])
            family = {"against": against, "tests": self.tests_said}
            meaning = said(_CORRECTED[self.correction], alpha=self.alpha)
            sentences.append(said(how, test=test, units=units, drawn=drawn, **family, meaning=meaning))
        if bounded:
            again = said("resamples", count=self.resamples) if made in DRAWS else said("nothing")
            sentences.append(
                said("intervals_by", level=self.level, method=said(INTERVALS[made]), units=units, drawn=again)
            )
        if tested:
            sentences.append(said(_ORDERED[self.family]))
        return [*sentences, said("made_by", seed=self.seed, version=self.version)]


def units_said(unit: str, number: Literal["unit", "units"] = "units") -> Said:
    """What is resampled, one of them or several."""
    kinds_of = _UNIT if number == "unit" else _UNITS
    return said(kinds_of[unit]) if unit in ("query", "run") else said(kinds_of["other"], name=unit)


@dataclass(frozen=True, slots=True)
class Quality:
    """How sure the data of one system is."""

    judged: int
    """Judged queries."""
    missing: int
    """Judged queries that the run does not hold."""
    extra: int
    """Queries of the run that are not judged."""
    without_relevant: int
    """Judged queries without a relevant item."""
    judged_at: Mapping[int, float] = field(default_factory=dict)
    """For each cutoff the share of the items within it that carry a judgment."""
    ties_across: Mapping[int, int] = field(default_factory=dict)
    """For each cutoff how many queries have a judged item in a tie that lies across it."""


@dataclass(frozen=True, slots=True, repr=False)
class Score(Showable):
    """The value of one system under one measure."""

    measure: Measure
    system: str
    value: float
    """As :func:`rankmeter.evaluate` gives it; NaN only with a ``reason``."""
    interval: Interval | None
    queries: int
    """How many queries the value is about."""
    rank: int | None
    """Among the systems, best first; None where the measure has no better and worse."""
    rank_low: int | None
    """1 and one more for each system that is significantly better."""
    rank_high: int | None
    """The number of systems, less those that are significantly worse."""
    in_best: bool | None
    """Whether the system is the first, or not significantly worse than the first; None where nothing was tested."""
    tie_bounds: tuple[float, float] | None
    """The value under the worst and the best order of tied items, where ties can change it."""
    unjudged: UnjudgedBounds | None
    """What unjudged items could do to the value; None with a reason in ``unjudged_reason``."""
    unjudged_reason: str
    run_values: tuple[float, ...]
    """The value of each run, where the system has several (seeds)."""
    reason: str = ""
    """Why something is missing."""
    beats: tuple[str, ...] = ()
    """The systems that it is significantly better than."""
    in_best_set: bool | None = None
    """Whether it may be the best by multiple comparisons with the best; None unless ``best_set`` asked for it."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        whole = asdict(replace(self, measure=str(self.measure)))  # type: ignore[arg-type]  # a measure is its text
        bounds = self.tie_bounds and list(self.tie_bounds)
        return {**whole, "tie_bounds": bounds, "run_values": list(self.run_values), "beats": list(self.beats)}

    def told(self) -> list[Block]:
        """The value with its interval and its rank, or why there is none."""
        span = None if self.interval is None else self.interval.ends
        value = Cell(None if math.isnan(self.value) else self.value, span=span).whole(Column(""))
        lines = [Paragraph(said("score_said", value=value, measure=str(self.measure), system=self.system))]
        if self.rank is not None and self.rank_low is not None:
            lines.append(Paragraph(said("rank_said", rank=self.rank, low=self.rank_low, high=self.rank_high)))
        return [*lines, *([Paragraph(self.reason, "hint")] if self.reason else [])]


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Showable):
    """One system against another under one measure."""

    measure: Measure
    system: str
    other: str
    difference: float
    """The value of ``system`` less that of ``other``, over the queries that count for all systems."""
    units: int
    """How many units were paired."""
    interval: Interval | None = None
    p: float | None = None
    """As the test gives it."""
    p_corrected: float | None = None
    significant: bool = False
    """Whether the corrected p-value is below 1 - level."""
    effect: EffectSizes | None = None
    equivalence: Equivalence | None = None
    """Tests of "no worse than" and "as good as", where a margin was given."""
    late_detectable: Late[float | None] = field(default_factory=lambda: Late(made=None), compare=False)
    """What ``detectable`` gives, found when it is asked for: it takes longer than all tests of two small runs."""
    reason: str = ""
    """Why something is missing."""
    direction: int | None = None
    """Which way the tested statistic points: 1 to larger values of ``system``, -1 to smaller ones, 0 to neither.

    That of the difference for tests of the mean; Wilcoxon and sign tests may point the other way. None where nothing
    was tested.
    """
    by: str = ""
    """The way of slicing, where the difference is over the queries of one slice."""
    slice: str = ""
    tests: int = 0
    """Within slices, how many tests were corrected together: those of all slices and pairs under the measure."""

    @property
    def detectable(self) -> float | None:
        """The smallest true difference that this test finds with probability ``settings.power``."""
        return self.late_detectable.value

    def told(self) -> list[Block]:
        """The difference with its interval, and what the test says of it."""
        span = None if self.interval is None else self.interval.ends
        shown = Cell(self.difference, span=span).whole(Column("", "difference"))
        names = {"measure": str(self.measure), "system": self.system, "other": self.other}
        lines = [Paragraph(said("difference_said", difference=shown, **names))]
        if self.p is not None and self.effect is not None:
            kind = "not_significant"
            if self.significant:
                kind = "significantly_better" if self.is_better else "significantly_worse"
            facts = {"p": p_text(self.p), "corrected": p_text(self.p_corrected), "verdict": said(kind)}
            counts = {"wins": self.effect.wins, "ties": self.effect.ties, "losses": self.effect.losses}
            lines.append(Paragraph(said("difference_tested", **facts, **counts, units=self.units)))
        return [*lines, *([Paragraph(self.reason, "hint")] if self.reason else [])]

    def row(self) -> dict[str, Any]:
        """As a row of a frame."""
        effect, equivalence, interval = self.effect, self.equivalence, self.interval
        return {
            "measure": str(self.measure),
            "system": self.system,
            "other": self.other,
            "difference": None if math.isnan(self.difference) else self.difference,
            "low": interval and interval.low,
            "high": interval and interval.high,
            "p": self.p,
            "p_corrected": self.p_corrected,
            "significant": self.significant,
            "winner": self.winner,
            **{name: effect and getattr(effect, name) for name in SIZES},
            "detectable": self.detectable,
            "no_worse": equivalence and equivalence.no_worse,
            "equivalent": equivalence and equivalence.equivalent,
            "units": self.units,
            "reason": self.reason,
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        margin = self.equivalence and self.equivalence.margin
        return {**self.row(), "margin": margin, "interval": self.interval and asdict(self.interval)}

    @property
    def is_better(self) -> bool:
        """Whether ``system`` is the better one by what was tested; by the value where nothing was."""
        towards = self.difference if self.direction is None else self.direction
        return towards > 0 if self.measure.higher_is_better else towards < 0

    @property
    def winner(self) -> str | None:
        """The system that is significantly better; None where neither is."""
        if not self.significant:
            return None
        return self.system if self.is_better else self.other

    @property
    def is_apart(self) -> bool:
        """Whether the test finds the system better whose value is worse, as tests of ranks and signs can."""
        return self.significant and self.direction is not None and self.direction * self.difference < 0

    def turned(self) -> Difference:
        """The difference seen from the other system."""
        interval, effect, same = self.interval, self.effect, self.equivalence
        return replace(
            self,
            system=self.other,
            other=self.system,
            difference=-self.difference,
            direction=None if self.direction is None else -self.direction,
            interval=interval and replace(interval, low=-interval.high, high=-interval.low),
            effect=effect and effect.turned(),
            equivalence=same and Equivalence(same.margin, same.no_better, same.no_worse),
        )


def tested_columns() -> dict[str, Any]:
    """The types of the columns of tests, whatever the rows hold."""
    floats = "difference low high p p_corrected standardised rank_biserial detectable no_worse equivalent".split()
    return {**dict.fromkeys(floats, pl.Float64), **dict.fromkeys(SIZES[:3], pl.Int64)}


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was compared, for views that need the ranked lists."""

    judgments: Judgments
    runs: Mapping[str, tuple[Run, ...]]
    catalogue: Catalogue | None = None
    history: PastItems | None = None
    stamps: Mapping[str, tuple[int, ...]] = field(init=False, default_factory=dict)
    """The size, time and number of each file when it had been evaluated."""

    def __post_init__(self) -> None:
        files = {source: Path(source) for _, source in self._named() if source not in _IN_MEMORY}
        stamps = {source: _stamp(path) for source, path in files.items() if path.is_file()}
        object.__setattr__(self, "stamps", stamps)

    def _named(self) -> list[tuple[str, str]]:
        """Each input and where it came from, the judgments first, what is known of items and users last."""
        named: list[tuple[str, Any]] = [("judgments", self.judgments)]
        named += [(name, run) for name, runs in self.runs.items() for run in runs]
        beside = {"catalogue": self.catalogue, "history": self.history}
        named += [(name, part) for name, part in beside.items() if part is not None]
        return [(name, part.source) for name, part in named]

    def fingerprints(self) -> tuple[Source, ...]:
        """Where each input came from; a file that has changed since has no digest."""
        return tuple((name, *self._fingerprint(source)) for name, source in self._named())

    def _fingerprint(self, source: str) -> tuple[str, str]:
        path = Path(source)
        if source not in self.stamps:
            return source, ""
        if not path.is_file() or _stamp(path) != self.stamps[source]:
            return path.name, ""
        with path.open("rb") as file:
            return path.name, hashlib.file_digest(file, "sha256").hexdigest()


_IN_MEMORY = frozenset({"judgments", "run", "array", "catalogue", "history"})
"""What data in memory is called, which may also be the name of a file that has nothing to do with it."""


def _stamp(path: Path) -> tuple[int, ...]:
    now = path.stat()
    return now.st_size, now.st_mtime_ns, now.st_ino


Source = tuple[str, str, str]
"""Whose input it is, the name of its file (or what else it is), and the SHA-256 of the file (or nothing)."""
