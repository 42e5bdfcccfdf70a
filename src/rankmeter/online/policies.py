"""What an estimate of a policy that was not run gives back: values, and whether the weights can carry them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rankmeter.errors import NotFoundError
from rankmeter.late import pl
from rankmeter.online.phrases import Told, html_table, interval_of
from rankmeter.stats.estimates import Estimate

WRONG = 4.0
"""This many standard errors above 1, the mean weight is not an accident."""
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

    @property
    def is_wrong(self) -> bool:
        """Whether the mean weight is so far above 1 that the logged probabilities cannot be those that made the log."""
        return self.mean > 1.01 and self.mean - 1 > WRONG * self.mean_error

    @property
    def is_handful(self) -> bool:
        """Whether too few rows carry the estimate."""
        return self.effective < HANDFUL

    @property
    def sentence(self) -> str:
        """For people."""
        return (
            f"effective sample size {self.effective:,.1f} of {self.rows:,} rows, largest weight {self.largest:,.3g}, "
            f"mean weight {self.mean:.3f}, {self.unsupported:.1%} without support"
        )


@dataclass(frozen=True, slots=True)
class OffPolicy(Told):
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
    def verdict(self) -> str:
        """Whether the new policy is better than the logged one, by the most robust estimate that there is."""
        if self.weights.is_wrong:
            return f"cannot tell: the mean weight is {self.weights.mean:.3f} where it should be about 1"
        if self.weights.is_handful:
            return f"cannot tell: an effective sample size of {self.weights.effective:.1f} is a handful"
        if math.isnan(self.gain.low):
            return f"no data: {self.gain.method.removeprefix('no data: ')}"
        if self.gain.low > 0:
            return "better"
        return "worse" if self.gain.high < 0 else "cannot tell"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "logged": self.logged.to_dict(),
            "estimates": {name: one.to_dict() for name, one in self.estimates.items()},
            "gain": self.gain.to_dict(),
            "weights": asdict(self.weights),
            "model": self.model,
            "clip": self.clip,
            "verdict": self.verdict,
        }

    def to_polars(self) -> pl.DataFrame:
        """A row per estimator, with the logged value and the gain."""
        named = {"logged": self.logged, **self.estimates, "gain": self.gain}
        return pl.DataFrame([{"estimator": name, **one.to_dict()} for name, one in named.items()])

    def __repr__(self) -> str:
        lines = [f"{self.model}: {self.weights.sentence}"]
        for name, one in {"logged": self.logged, **self.estimates, "gain": self.gain}.items():
            lines.append(f"  {name:<12}  {interval_of(one, '.4f')}")
        return "\n".join([*lines, *(f"  {reason}" for reason in self.reasons), f"  {self.verdict}"])

    @property
    def reasons(self) -> list[str]:
        """Why a number or an interval is missing, each once."""
        named = {**self.estimates, "logged": self.logged, "gain": self.gain}
        told: dict[str, list[str]] = {}
        for name, one in named.items():
            if math.isnan(one.low):
                told.setdefault(one.method, []).append(name)
        reasons = [why if why.startswith("no data") else f"{', '.join(names)}: {why}" for why, names in told.items()]
        if self.weights.is_wrong:
            reasons.append(
                f"the mean weight is {self.weights.mean:.3f} +- {self.weights.mean_error:.3f}; where the logged "
                "probabilities are those that made the log it is about 1, so every estimate that uses them is off"
            )
        return reasons

    def _repr_html_(self) -> str:
        named = {"logged": self.logged, **self.estimates}
        rows = [(name, interval_of(one, ".4f")) for name, one in named.items()]
        return html_table(f"{self.weights.sentence}; {self.verdict}", ("estimator", "value"), rows)
