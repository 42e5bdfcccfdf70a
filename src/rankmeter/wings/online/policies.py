"""What an estimate of a policy that was not run gives back: values, and whether the weights can carry them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankmeter.errors import NotFoundError
from rankmeter.late import pl
from rankmeter.showing.document import Cell, Column, Table
from rankmeter.showing.showable import ToldTable
from rankmeter.wings.online.estimates import Estimate
from rankmeter.wings.online.log_results import plain_of
from rankmeter.wings.online.shown_estimates import interval_cell
from rankmeter.wording import Language, Said, said, word

WRONG = 4.0
"""This many standard errors above 1, the mean weight is not an accident."""
HEAVY = 0.01
"""Weights of which one has a larger share of all than this are heavy."""
HANDFUL = 100
"""With an effective sample size below this no winner is named."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Whether the weights can carry an estimate."""

    rows: int
    effective: float
    """How many equally weighted rows would be as informative (Kish): (sum w)^2 / sum w^2."""
    largest: float
    mean: float
    """About 1 where the logging policy could have shown everything that the new one shows."""
    unsupported: float
    """The share of what the new policy does that the log never shows, estimated as 1 - mean weight where that is above
    0, or known from the logging policy's probabilities where they are given."""
    unused: float
    """The share of rows that the new policy would never have produced."""
    mean_error: float = 0.0
    """The standard error of the mean weight, by unit."""
    share: float = 0.0
    """The share of the largest weight in the sum of all."""

    @property
    def is_wrong(self) -> bool:
        """Whether the mean weight is so far above 1 that the logged probabilities cannot be those that made the log."""
        return self.mean > 1.01 and self.mean - 1 > WRONG * self.mean_error

    @property
    def is_handful(self) -> bool:
        """Whether too few rows carry the estimate."""
        return self.effective < HANDFUL

    @property
    def is_heavy(self) -> bool:
        """Whether the normal distribution does not hold: one weight is large, or those that are missing are.

        A mean weight below 1 by more than its standard error is the trace of large weights that have not come up yet.
        """
        return self.share > HEAVY or self.mean < 1 - self.mean_error

    @property
    def sentence(self) -> Said:
        """For people."""
        known = {"effective": self.effective, "rows": self.rows, "largest": self.largest, "mean": self.mean}
        return said("weights_carry", **known, share=self.share, unsupported=self.unsupported)


@dataclass(frozen=True, slots=True, repr=False)
class OffPolicy(ToldTable):
    """Estimates of the value of a policy that was not run."""

    logged: Estimate
    """The value of the policy that was."""
    gain: Estimate
    """The new policy's value minus the logged one's, by DR where there is a model, by SNIPS where not."""
    estimates: Mapping[str, Estimate]
    weights: Weights
    model: str
    clip: float | None

    def __getitem__(self, name: str) -> float:
        if name not in self.estimates:
            raise NotFoundError.of("online.no_estimate", name=name, estimates=list(self.estimates))
        return self.estimates[name].value

    @property
    def verdict(self) -> Said:
        """Whether the new policy is better than the logged one, by the most robust estimate that there is."""
        if self.weights.is_wrong:
            return said("policy_wrong_weights", mean=self.weights.mean)
        if self.weights.is_handful:
            return said("policy_handful", effective=self.weights.effective)
        if math.isnan(self.gain.low):
            return said("policy_no_data", why=self.gain.method)
        if self.gain.low > 0:
            return said("policy_better")
        return said("policy_worse" if self.gain.high < 0 else "policy_cannot_tell")

    @property
    def named_estimates(self) -> dict[str, Estimate]:
        """Every estimate with its name, the logged value and the gain among them."""
        return {"logged": self.logged, **self.estimates, "gain": self.gain}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {**plain_of(self), "verdict": self.verdict}

    def to_polars(self) -> pl.DataFrame:
        """A row per estimator, with the logged value and the gain."""
        return pl.DataFrame(
            [{"estimator": name, **estimate.to_dict()} for name, estimate in self.named_estimates.items()]
        )

    @property
    def reasons(self) -> list[Said]:
        """Why a number or an interval is missing, each once."""
        lacking: dict[str, list[str]] = {}
        for name, estimate in self.named_estimates.items():
            if math.isnan(estimate.low):
                lacking.setdefault(estimate.method, []).append(name)
        reasons = [said("estimates_lack", names=names, why=why) for why, names in lacking.items()]
        if self.weights.is_wrong:
            reasons.append(said("weights_off", mean=self.weights.mean, error=self.weights.mean_error))
        return reasons

    def sentences(self) -> list[Said]:
        """What belongs to the numbers: what the weights can carry, what is missing and why, who is better."""
        heavy = [said("weights_heavy")] if self.weights.is_heavy else []
        return [self.weights.sentence, *heavy, *self.reasons, said("policy_verdict", verdict=self.verdict)]

    def table(self, language: Language = "en") -> Table:
        """The estimators with their intervals."""
        columns = (Column(word("estimator", language), "text"), Column(word("value", language)))
        rows = tuple(
            (Cell(name), interval_cell(estimate.value, estimate.low, estimate.high, language))
            for name, estimate in self.named_estimates.items()
        )
        return Table(columns, rows)
