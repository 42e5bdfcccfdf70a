"""Offline against online: whether a gain on judgments was a gain with users, and which offline measure to trust.

One comparison tells whether two systems that were evaluated offline and run online moved the same way; past experiments
tell which offline measure predicts the online outcome.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, NotFoundError, check_level, check_whole, examples
from rankmeter.late import pl
from rankmeter.measures import Measure, into_measures
from rankmeter.showing.document import Cell, Column, Table
from rankmeter.showing.numbers import number_or_none
from rankmeter.showing.showable import ToldTable
from rankmeter.stats.corrections import corrected
from rankmeter.stats.power import two_sided_quantile, wilson
from rankmeter.stats.rank_agreement import mean_ranks, spearman
from rankmeter.wings.online.contrasts import corrected_p
from rankmeter.wings.online.estimates import Estimate, of_variance
from rankmeter.wings.online.events import open_table
from rankmeter.wings.online.shown_estimates import interval_cell
from rankmeter.wings.online.trial import Experiment
from rankmeter.wording import Language, Said, kinds, said, word

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation


Verdict = Literal["agree", "disagree", "cannot tell"]
_VERDICTS = kinds("agreement_{}", get_args(Verdict))
_SIDES = kinds("side_{}", ("offline", "online", "both"))
FEW = 10
"""With fewer past experiments than this a ranking of measures is a hint at most."""
EXACT_UP_TO = 8
"""Up to how many experiments every permutation is tried."""


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
        sides = (
            Column(word(side, language), "text", is_code=True) for side in ("agreement_offline", "agreement_online")
        )
        columns = (
            Column(word("online_variant", language), "text"),
            *(column for side in sides for column in (side, Column("", "difference"))),
            Column(word("online_verdict", language), "text"),
        )
        rows = []
        for pairing in self.pairings:
            offline, online = (interval_cell(gap.value, gap.low, gap.high, language)
                               for gap in (pairing.offline_difference, pairing.online_difference))  # fmt: skip
            verdict = word(_VERDICTS[pairing.verdict], language, why=pairing.why)
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
        known = examples(offline) or said("online.none_found")
        raise NotFoundError.of("online.agreement_missing", missing=missing, offline=known)
    wrong = [name for name in online.values if not hasattr(offline[name], "per_query")]
    if wrong:
        kind = type(offline[wrong[0]]).__name__
        raise InputError.of("online.agreement_not_evaluation", wrong=examples(wrong), type=kind)
    base = offline[online.control]
    asked: Any = [offline_measures] if isinstance(offline_measures, (str, Measure)) else offline_measures
    off = list(base.means) if asked is None else [base.find(measure) for measure in asked]
    on = list(online.measures) if online_measures is None else into_measures(online_measures)
    gaps = {(variant, measure): paired_difference(base, offline[variant], measure, level=level)
            for variant in online.variants for measure in off}  # fmt: skip
    p = corrected_p({key: gap.p for key, gap in gaps.items()}, online.plan.correction)
    pairings = []
    for (variant, measure), gap in gaps.items():
        sign = 1 if (gap.value > 0) == measure.higher_is_better else -1
        gain = sign if p[variant, measure] < 1 - level else 0
        for other in on:
            effect = online.effect(str(other), variant)
            # The experiment's own verdict is corrected for how many differences were looked at.
            gain_online = {"better": 1, "worse": -1, "no data": None}.get(effect.verdict, 0)
            gains = {"offline": None if math.isnan(gap.low) else gain, "online": gain_online}
            verdict, why = _verdict(gains, online)
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
    doubtful = lacking or unsure
    sides = said(_SIDES[doubtful[0] if len(doubtful) == 1 else "both"])
    if lacking:
        return "cannot tell", said("agreement_no_data", sides=sides)
    if unsure:
        return "cannot tell", said("agreement_unsure", sides=sides, correction=trial.correction)
    if gains["offline"] == gains["online"]:
        return "agree", said("agreement_both", correction=trial.correction)
    return "disagree", said("agreement_opposite", correction=trial.correction)


@dataclass(frozen=True, slots=True)
class Predictor:
    """How well one offline measure predicted the online outcome of past experiments."""

    measure: str
    experiments: int
    same_sign: int
    decided: int
    """Experiments in which both sides moved, and the online interval, where one is given, excludes 0."""
    sign_agreement: float
    sign_low: float
    sign_high: float
    correlation: float
    """Spearman's rank correlation of the offline and the online differences."""
    low: float
    high: float
    p: float
    p_corrected: float

    @property
    def sign(self) -> Said:
        """For people: how often the sign agreed."""
        if not self.decided:
            return said("online_no_data")
        return said("same_sign", same=self.same_sign, of=self.decided, low=self.sign_low, high=self.sign_high)


@dataclass(frozen=True, slots=True, repr=False)
class Predictors(ToldTable):
    """Which of some offline measures, declared beforehand, predicts the online outcome best."""

    online: str
    predictors: tuple[Predictor, ...]
    """Best first."""
    held_out_agreement: float
    """How often the measure that is best on all other experiments has the sign of the one left out."""
    held_out: int
    held_out_choices: Mapping[str, int]
    """How often each measure was the best of the others."""
    level: float
    correction: str
    incomplete: int
    """Experiments that were left out because a number of them is missing."""

    @property
    def verdict(self) -> Said:
        """What can be said from this many experiments."""
        best, tries = self.predictors[0], len(self.predictors)
        if math.isnan(best.correlation):
            return said("nothing_varies")
        least = 2 / math.factorial(best.experiments) * tries if best.experiments < 20 else 0.0
        if least > 1 - self.level:
            return said("too_few_experiments", count=best.experiments, tries=tries)
        if math.isnan(best.p_corrected) or best.p_corrected >= 1 - self.level or best.correlation <= 0:
            return said("no_predictor", tries=tries)
        rivals = [predictor.measure for predictor in self.predictors[1:] if predictor.high >= best.correlation]
        beside = said("predictor_rivals", rivals=examples(rivals)) if rivals else ""
        few = said("predictor_hint", count=best.experiments) if best.experiments < FEW else ""
        return said("best_predictor", measure=best.measure, online=self.online, beside=beside, few=few)

    def to_polars(self) -> pl.DataFrame:
        """A row per measure, best first."""
        return pl.DataFrame([asdict(predictor) for predictor in self.predictors])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return asdict(self) | {"verdict": self.verdict}

    def sentences(self) -> list[Said]:
        """What belongs to the numbers: how many experiments there are, and how the best measure does on a new one."""
        sentences = [said("experiments_seen", count=self.predictors[0].experiments)]
        if self.incomplete:
            sentences.append(said("experiments_incomplete", count=self.incomplete))
        right = said("left_out_undecided")
        if self.held_out:
            right = said("left_out_agreement", share=self.held_out_agreement, count=self.held_out)
        return [*sentences, right, self.verdict]

    def table(self, language: Language = "en") -> Table:
        """The measures, best first."""
        columns = (
            Column(word("predictor_measure", language), "text"),
            Column(word("predictor_sign", language)),
            Column(word("predictor_rank", language), "difference", digits=2),
            Column(word("p_by", language, correction=self.correction), "p", 1),
        )
        rows = (
            (Cell(predictor.measure), Cell(predictor.sign.text(language)),
             interval_cell(predictor.correlation, predictor.low, predictor.high, language),
             Cell(number_or_none(predictor.p_corrected)))
            for predictor in self.predictors
        )  # fmt: skip
        return Table(columns, tuple(rows))


def predictors(
    past: object,
    measures: Sequence[str],
    *,
    online: str = "online",
    level: float = 0.95,
    permutations_drawn: int = 9999,
    seed: int = 0,
) -> Predictors:
    """Find which of some offline measures, declared beforehand, predicts the online outcome best.

    Parameters
    ----------
    past
        A table with a row per past experiment: the online difference under ``online`` (with ``online_low`` and
        ``online_high`` where its interval is known) and the offline difference under the name of each measure.
    measures
        The columns of the offline measures. All that were ever tried belong here: the correction counts them.
    online
        The column of the online difference.
    level
        Of the intervals and of the verdict.
    permutations_drawn, seed
        For the p-values where there are too many permutations to try them all.

    Examples
    --------
    >>> from rankmeter.online import predictors
    >>> past = [{"online": x, "nDCG@10": x + 0.1, "RR": -x} for x in (-2, -1, 0.5, 1, 2, 3)]
    >>> found = predictors(past, ["nDCG@10", "RR"])
    >>> found.predictors[0].measure, found.predictors[0].correlation
    ('nDCG@10', 1.0)
    """
    check_level(level)
    check_whole("permutations_drawn", permutations_drawn, 1)
    check_whole("seed", seed)
    table = open_table(past, said("online.past_experiments"))
    names = list(dict.fromkeys([measures] if isinstance(measures, str) else measures or ()))
    missing = [name for name in (online, *names) if name not in table.columns]
    if not names:
        raise InputError.of("online.no_offline_measure")
    if missing:
        hint = said("online.name_the_outcome") if online in missing else None
        raise InputError.of("online.columns_missing", source=said("online.past_experiments"),
                            missing=examples(missing), names=table.columns, hint=hint)  # fmt: skip
    if online in names:
        raise InputError.of("online.outcome_itself", online=online)
    rows = len(table)
    numbers = pl.col(online, *names).cast(pl.Float64, strict=False)
    table = table.with_columns(pl.when(numbers.is_finite()).then(numbers)).drop_nulls([online, *names])
    if len(table) < 3:
        raise InputError.of("online.few_experiments", count=len(table))
    outcome = table[online].to_numpy()
    decided = _decided(table, online)
    columns = {name: table[name].to_numpy() for name in names}
    p = [_permutation_p(column, outcome, permutations_drawn, seed) for column in columns.values()]
    after = np.where(np.isnan(p), math.nan, corrected(np.nan_to_num(p, nan=1.0), "holm")).tolist()
    measured = [
        _predictor(name, columns[name], outcome, decided, level, chances)
        for name, *chances in zip(columns, p, after, strict=True)
    ]
    right, choices = _left_out(columns, outcome, decided)
    ranked = sorted(
        measured, key=lambda predictor: (-_or_least(predictor.correlation), -_or_least(predictor.sign_agreement))
    )
    return Predictors(
        online, tuple(ranked), float(np.mean(right)) if right else math.nan, len(right), choices, level, "holm",
        rows - len(table),
    )  # fmt: skip


def _decided(table: pl.DataFrame, online: str) -> npt.NDArray[np.bool_]:
    """Which experiments have an online outcome: not 0, and an interval without 0 where there is one."""
    moved = table[online].to_numpy() != 0
    if {f"{online}_low", f"{online}_high"} <= set(table.columns):
        low, high = (table[f"{online}_{end}"].cast(pl.Float64, strict=False).fill_nan(None) for end in ("low", "high"))
        moved &= ((low > 0) | (high < 0)).fill_null(value=False).to_numpy()
    decided: npt.NDArray[np.bool_] = moved
    return decided


def _predictor(
    name: str, column: Any, outcome: Any, decided: npt.NDArray[np.bool_], level: float, chances: Sequence[float]
) -> Predictor:
    counted = decided & (column != 0)
    same, n = int((np.sign(column) == np.sign(outcome))[counted].sum()), int(counted.sum())
    sign = (same / n, *wilson(same, n, level=level)) if n else (math.nan,) * 3
    rho = spearman(column, outcome)
    ends = _spearman_interval(rho, len(outcome), level)
    return Predictor(name, len(outcome), same, n, *sign, rho, *ends, *chances)


def _or_least(value: float) -> float:
    return -2.0 if math.isnan(value) else value


def _spearman_interval(rho: float, n: int, level: float) -> tuple[float, float]:
    """By Fisher's transformation with the variance of Bonett and Wright (2000)."""
    if math.isnan(rho):
        return math.nan, math.nan
    if n < 4:
        return -1.0, 1.0
    clipped = min(max(rho, -0.999999), 0.999999)
    half = two_sided_quantile(level) * math.sqrt((1 + clipped**2 / 2) / (n - 3))
    return math.tanh(math.atanh(clipped) - half), math.tanh(math.atanh(clipped) + half)


def _permutation_p(column: Any, outcome: Any, drawn: int, seed: int) -> float:
    """How often a random order of the experiments correlates as strongly, either way; NaN where nothing varies."""
    if math.isnan(spearman(column, outcome)):
        return math.nan
    a, b = (mean_ranks(side) - (len(side) + 1) / 2 for side in (column, outcome))
    observed = abs(float(a @ b)) - 1e-9
    if len(a) <= EXACT_UP_TO:
        orders = np.array(list(permutations(range(len(a)))))
        return float((np.abs(a[orders] @ b) >= observed).mean())
    random = np.random.default_rng(seed)
    shuffled = random.permuted(np.tile(a, (drawn, 1)), axis=1)
    return float((np.count_nonzero(np.abs(shuffled @ b) >= observed) + 1) / (drawn + 1))


def _left_out(
    columns: Mapping[str, Any], outcome: Any, decided: npt.NDArray[np.bool_]
) -> tuple[list[bool], dict[str, int]]:
    """Choose the best measure without each experiment in turn, and see whether it has that one's sign."""
    right: list[bool] = []
    choices = dict.fromkeys(columns, 0)
    for place in np.flatnonzero(decided).tolist():
        rest = np.arange(len(outcome)) != place
        if rest.sum() < 2:
            continue
        best = max(columns, key=lambda name: _or_least(spearman(columns[name][rest], outcome[rest])))
        choices[best] += 1
        right.append(bool(np.sign(columns[best][place]) == np.sign(outcome[place])))
    return right, choices
