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
from rankmeter.online.result_tables import number_cell
from rankmeter.online.trial import Effect, Experiment
from rankmeter.online.variant_effects import corrected_p
from rankmeter.showing.document import Cell, Column, Table
from rankmeter.showing.showable import ToldTable
from rankmeter.stats.estimates import Estimate, of_variance
from rankmeter.wording import Language, Said, said, word

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


@dataclass(frozen=True, slots=True, repr=False)
class Agreement(ToldTable):
    """Offline and online differences, side by side."""

    control: str
    pairings: tuple[Pairing, ...]
    notes: tuple[Said, ...]

    def to_polars(self) -> pl.DataFrame:
        """A row per pairing."""
        return pl.DataFrame(
            [
                {
                    "variant": pairing.variant, "offline": pairing.offline,
                    **_ends("offline", pairing.offline_difference), "online": pairing.online,
                    **_ends("online", pairing.online_difference), "verdict": pairing.verdict, "why": pairing.why,
                }
                for pairing in self.pairings
            ]
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {"control": self.control, "pairings": self.to_polars().to_dicts(), "notes": list(self.notes)}

    def sentences(self) -> list[Said]:
        """What to know of the experiment."""
        return list(self.notes)

    def table(self, language: Language = "en") -> Table:
        """A row per pairing with both differences, the verdict and why."""
        heads = [word(f"agreement_{name}", language) for name in ("offline", "online")]
        columns = (
            Column(word("online_variant", language), "text"),
            *(column for head in heads for column in (Column(head, "text", is_code=True), Column("", "difference"))),
            Column(word("online_verdict", language), "text"),
        )
        rows = [
            (
                *(Cell(pairing.variant), Cell(pairing.offline), _cell(pairing.offline_difference, language)),
                *(Cell(pairing.online), _cell(pairing.online_difference, language), Cell(_said_of(pairing, language))),
            )
            for pairing in self.pairings
        ]  # fmt: skip
        return Table(columns, tuple(rows), word("agreement_against", language, control=self.control))


def _ends(side: str, gap: Estimate) -> dict[str, float]:
    return {f"{side}_difference": gap.value, f"{side}_low": gap.low, f"{side}_high": gap.high}


def _cell(gap: Estimate, language: Language) -> Cell:
    return number_cell(gap.value, gap.low, gap.high, language)


def _said_of(pairing: Pairing, language: Language) -> str:
    kind = f"agreement_{pairing.verdict.replace(' ', '_')}"
    return word(kind, language, why=pairing.why)


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
    off = (
        list(base.means) if offline_measures is None else [base.find(measure) for measure in _listed(offline_measures)]
    )
    on = list(online.measures) if online_measures is None else into_measures(online_measures)
    gaps = {
        (variant, measure): paired_difference(base, offline[variant], measure, level=level)
        for variant in online.variants
        for measure in off
    }
    p = corrected_p({key: gap.p for key, gap in gaps.items()}, online.plan.correction)
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
    return of_variance(float(gaps.mean()), float(gaps.var(ddof=1)) / n, n, level, said("method_paired_t"))


def _signed(sure: float, value: float, direction: int) -> int | None:
    """1 where a difference is surely a gain, -1 where it is surely a loss, 0 where it may be either; None: no data."""
    if math.isnan(sure):
        return None
    return 0 if not sure else 1 if value * direction > 0 else -1


def _gain_of(effect: Effect) -> int | None:
    """Gain or loss by the experiment's own verdict, which is corrected for how many differences were looked at."""
    if effect.verdict == "no data":
        return None
    return {"better": 1, "worse": -1}.get(effect.verdict, 0)


def _verdict(offline: int | None, online: int | None, trial: Experiment) -> tuple[Verdict, Said]:
    if not trial.is_sound:
        return "cannot tell", said("agreement_unsound")
    sides = {"offline": offline, "online": online}
    absent = [name for name, gain in sides.items() if gain is None]
    unsure = [name for name, gain in sides.items() if not gain]
    if absent:
        return "cannot tell", said("agreement_no_data", sides=_sides(absent))
    if unsure:
        return "cannot tell", said("agreement_unsure", sides=_sides(unsure), correction=trial.correction)
    if offline == online:
        return "agree", said("agreement_both", correction=trial.correction)
    return "disagree", said("agreement_opposite", correction=trial.correction)


def _sides(names: list[str]) -> Said:
    return said("side_both" if len(names) > 1 else f"side_{names[0]}")
