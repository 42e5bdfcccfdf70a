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
from rankmeter.online.log_results import number_cell
from rankmeter.online.trial import Experiment
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
        rows = []
        for pairing in self.pairings:
            row: dict[str, Any] = {"variant": pairing.variant}
            sides = {"offline": pairing.offline_difference, "online": pairing.online_difference}
            for side, gap in sides.items():
                row |= {side: getattr(pairing, side), f"{side}_difference": gap.value, f"{side}_low": gap.low,
                        f"{side}_high": gap.high}  # fmt: skip
            rows.append(row | {"verdict": pairing.verdict, "why": pairing.why})
        return pl.DataFrame(rows)

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
        rows = []
        for pairing in self.pairings:
            offline, online = (
                number_cell(gap.value, gap.low, gap.high, language)
                for gap in (pairing.offline_difference, pairing.online_difference)
            )
            verdict = word(f"agreement_{pairing.verdict.replace(' ', '_')}", language, why=pairing.why)
            names = Cell(pairing.offline), Cell(pairing.online)
            rows.append((Cell(pairing.variant), names[0], offline, names[1], online, Cell(verdict)))
        return Table(columns, tuple(rows), word("agreement_against", language, control=self.control))


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
        known = examples(offline) or said("general.none")
        raise NotFoundError.of("online.agreement_missing", missing=missing, offline=known)
    wrong = [name for name in online.values if not hasattr(offline[name], "per_query")]
    if wrong:
        raise InputError.of(
            "online.agreement_not_evaluation", wrong=examples(wrong), type=type(offline[wrong[0]]).__name__
        )
    base = offline[online.control]
    asked: Any = [offline_measures] if isinstance(offline_measures, (str, Measure)) else offline_measures
    off = list(base.means) if asked is None else [base.find(measure) for measure in asked]
    on = list(online.measures) if online_measures is None else into_measures(online_measures)
    gaps = {
        (variant, measure): paired_difference(base, offline[variant], measure, level=level)
        for variant in online.variants
        for measure in off
    }
    p = corrected_p({key: gap.p for key, gap in gaps.items()}, online.plan.correction)
    pairings = []
    for (variant, measure), gap in gaps.items():
        gain: int | None = 0
        if math.isnan(gap.low):
            gain = None
        elif p[variant, measure] < 1 - level:
            gain = 1 if (gap.value > 0) == measure.higher_is_better else -1
        for other in on:
            effect = online.effect(str(other), variant)
            # The experiment's own verdict is corrected for how many differences were looked at.
            gain_online = {"better": 1, "worse": -1, "no data": None}.get(effect.verdict, 0)
            verdict, why = _verdict({"offline": gain, "online": gain_online}, online)
            pairings.append(Pairing(variant, str(measure), str(other), gap, effect.difference, verdict, why))
    notes = () if online.is_sound else (online.ratio.sentence,)
    return Agreement(online.control, tuple(pairings), notes)


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


def _verdict(gains: Mapping[str, int | None], trial: Experiment) -> tuple[Verdict, Said]:
    """From what each side says: 1 a certain gain, -1 a certain loss, 0 uncertain, None no data."""
    if not trial.is_sound:
        return "cannot tell", said("agreement_unsound")
    lacking = [side for side, gain in gains.items() if gain is None]
    unsure = [side for side, gain in gains.items() if not gain]
    sides = said("side_both" if len(lacking or unsure) > 1 else f"side_{(lacking or unsure or ['both'])[0]}")
    if lacking:
        return "cannot tell", said("agreement_no_data", sides=sides)
    if unsure:
        return "cannot tell", said("agreement_unsure", sides=sides, correction=trial.correction)
    if gains["offline"] == gains["online"]:
        return "agree", said("agreement_both", correction=trial.correction)
    return "disagree", said("agreement_opposite", correction=trial.correction)
