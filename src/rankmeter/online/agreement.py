"""Offline against online: whether a gain on judgments was a gain with users.

One comparison tells whether two systems that were evaluated offline and run online moved the same way; what many past
experiments tell is in :mod:`rankmeter.online.predictors`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rankmeter.errors import InputError, NotFoundError, check_level, examples
from rankmeter.late import pl
from rankmeter.measures import Measure, into_measures
from rankmeter.online.phrases import Told, interval_of
from rankmeter.online.trial import Effect, Experiment
from rankmeter.online.variant_effects import corrected_p
from rankmeter.stats.estimates import Estimate, of_variance

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation

Verdict = Literal["agree", "disagree", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Pairing:
    """One offline measure beside one online measure, for one variant against the control."""

    variant: str
    offline: str
    online: str
    offline_difference: Estimate
    online_difference: Estimate
    verdict: Verdict
    why: str


@dataclass(frozen=True, slots=True)
class Agreement(Told):
    """Offline and online differences, side by side."""

    control: str
    pairings: tuple[Pairing, ...]
    notes: tuple[str, ...]

    def to_polars(self) -> pl.DataFrame:
        """A row per pairing."""
        return pl.DataFrame(
            [
                {
                    "variant": one.variant, "offline": one.offline, "offline_difference": one.offline_difference.value,
                    "offline_low": one.offline_difference.low, "offline_high": one.offline_difference.high,
                    "online": one.online, "online_difference": one.online_difference.value,
                    "online_low": one.online_difference.low, "online_high": one.online_difference.high,
                    "verdict": one.verdict, "why": one.why,
                }
                for one in self.pairings
            ]
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {"control": self.control, "pairings": self.to_polars().to_dicts(), "notes": list(self.notes)}

    def __repr__(self) -> str:
        lines = [f"against {self.control}"]
        for one in self.pairings:
            off, on = (interval_of(side) for side in (one.offline_difference, one.online_difference))
            lines.append(f"  {one.variant}: {one.offline} {off}, {one.online} {on}: {one.verdict} ({one.why})")
        return "\n".join([*lines, *self.notes])


def agreement(
    offline: Mapping[str, Evaluation],
    online: Experiment,
    *,
    offline_measures: object = None,
    online_measures: object = None,
    level: float = 0.95,
) -> Agreement:
    """Put offline and online differences in one table.

    Parameters
    ----------
    offline
        The evaluation of each system, by the name of its variant.
    online
        The experiment in which these systems were the variants.
    offline_measures, online_measures
        Which ones; all by default.
    level
        Of the offline intervals; the online ones have the level of the experiment.

    Returns
    -------
    Agreement
        ``agree`` where both differences are certain, each side corrected for how many it has, and both say better or
        both say worse; ``disagree`` where they say the opposite; ``cannot tell`` otherwise.
    """
    if not isinstance(online, Experiment):
        raise InputError.of("online.agreement_online_type", type=type(online).__name__)
    if not isinstance(offline, Mapping):
        raise InputError.of("online.agreement_offline_type", type=type(offline).__name__)
    check_level(level)
    missing = [name for name in online.values if name not in offline]
    if missing:
        raise NotFoundError.of("online.agreement_missing", missing=list(missing), offline=examples(offline) or "none")
    wrong = [name for name in online.values if not hasattr(offline[name], "per_query")]
    if wrong:
        raise InputError.of(
            "online.agreement_not_evaluation", wrong=examples(wrong), type=type(offline[wrong[0]]).__name__
        )
    base = offline[online.control]
    off = list(base.means) if offline_measures is None else [base.find(one) for one in _listed(offline_measures)]
    on = list(online.measures) if online_measures is None else into_measures(online_measures)
    gaps = {
        (variant, measure): paired_difference(base, offline[variant], measure, level=level)
        for variant in online.variants
        for measure in off
    }
    p = corrected_p({key: _p(gap) for key, gap in gaps.items()}, online.plan.correction)
    pairings = []
    for (variant, measure), gap in gaps.items():
        sure = math.nan if math.isnan(gap.low) else float(p[variant, measure] < 1 - level)
        offline_gain = _signed(sure, gap.value, 1 if measure.higher_is_better else -1)
        for other in on:
            effect = online.effect(str(other), variant)
            verdict, why = _verdict(offline_gain, _gain_of(effect), online)
            pairings.append(Pairing(variant, str(measure), str(other), gap, effect.difference, verdict, why))
    notes = () if online.is_sound else (online.ratio.sentence,)
    return Agreement(online.control, tuple(pairings), notes)


def _listed(measures: object) -> list[Any]:
    return [measures] if isinstance(measures, (str, Measure)) else list(measures)  # type: ignore[call-overload]


def paired_difference(base: Evaluation, other: Evaluation, measure: Measure, *, level: float) -> Estimate:
    """The mean difference over the queries that both evaluations have, with a paired t interval."""
    if measure.aggregate != "mean":
        raise InputError.of("online.agreement_no_mean", measure=measure)
    tables = [ev.per_query.select("query", str(ev.find(measure))) for ev in (base, other)]
    joined = tables[0].join(tables[1], on="query", suffix=" other").drop_nulls()
    gaps = (joined.to_series(2) - joined.to_series(1)).to_numpy()
    n = len(gaps)
    if n < 2:
        raise InputError.of("online.agreement_few_queries", name=base.name, name_2=other.name, n=n)
    return of_variance(float(gaps.mean()), float(gaps.var(ddof=1)) / n, n, level, "paired t over queries")


def _p(gap: Estimate) -> float:
    """The p-value of a paired t-test."""
    from scipy.special import stdtr

    if gap.variance == 0:
        return 1.0 if gap.value == 0 else 0.0
    return float(2 * stdtr(gap.units - 1, -abs(gap.value) / math.sqrt(gap.variance)))


def _signed(sure: float, value: float, direction: int) -> int | None:
    """1 where a difference is surely a gain, -1 where it is surely a loss, 0 where it may be either; None: no data."""
    if math.isnan(sure):
        return None
    return 0 if not sure else 1 if value * direction > 0 else -1


def _gain_of(effect: Effect) -> int | None:
    """The same of the experiment's own verdict, which is corrected for how many differences were looked at."""
    if effect.verdict == "no data":
        return None
    return {"better": 1, "worse": -1}.get(effect.verdict, 0)


def _verdict(offline: int | None, online: int | None, trial: Experiment) -> tuple[Verdict, str]:
    if not trial.is_sound:
        return "cannot tell", "the sample ratio of the experiment is broken"
    sides = (("offline", offline), ("online", online))
    absent = [name for name, gain in sides if gain is None]
    if absent:
        return "cannot tell", f"no data: the {' and the '.join(absent)} difference has no interval"
    unsure = [name for name, gain in sides if not gain]
    if unsure:
        why = "may be chance or has no stated direction"
        return "cannot tell", f"the {' and the '.join(unsure)} difference {why} (correction: {trial.correction})"
    if offline == online:
        return "agree", f"both differences are certain after correction ({trial.correction})"
    return "disagree", f"both differences are certain after correction ({trial.correction}), on opposite sides"
