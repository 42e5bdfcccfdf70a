"""The records of a comparison as rows of frames and as plain mappings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rankmeter.comparing.records import Difference, Score
from rankmeter.late import pl

_FLOATS = "difference low high p p_corrected standardised rank_biserial detectable no_worse equivalent".split()


def tested_columns() -> dict[str, Any]:
    """What the columns of tests are, whatever the rows hold."""
    return {**dict.fromkeys(_FLOATS, pl.Float64), **dict.fromkeys(("wins", "ties", "losses"), pl.Int64)}


def difference_row(one: Difference) -> dict[str, Any]:
    """A difference as a row of a frame."""
    effect, equivalence, interval = one.effect, one.equivalence, one.interval
    return {
        "measure": str(one.measure),
        "system": one.system,
        "other": one.other,
        "difference": None if math.isnan(one.difference) else one.difference,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "p": one.p,
        "p_corrected": one.p_corrected,
        "significant": one.significant,
        "wins": effect and effect.wins,
        "ties": effect and effect.ties,
        "losses": effect and effect.losses,
        "standardised": effect and effect.standardised,
        "rank_biserial": effect and effect.rank_biserial,
        "detectable": one.detectable,
        "no_worse": equivalence and equivalence.no_worse,
        "equivalent": equivalence and equivalence.equivalent,
        "units": one.units,
        "reason": one.reason,
    }


def difference_dict(one: Difference) -> dict[str, Any]:
    """A difference with all that is known about it."""
    return {
        **difference_row(one),
        "margin": one.equivalence and one.equivalence.margin,
        "interval": one.interval and asdict(one.interval),
    }


def score_dict(score: Score) -> dict[str, Any]:
    """A value with all that is known about it."""
    return {
        **{name: getattr(score, name) for name in ("system", "value", "queries", "rank", "rank_low", "rank_high")},
        "measure": str(score.measure),
        "interval": score.interval and asdict(score.interval),
        "in_best": score.in_best,
        "tie_bounds": score.tie_bounds and list(score.tie_bounds),
        "unjudged": score.unjudged and asdict(score.unjudged),
        "unjudged_reason": score.unjudged_reason,
        "run_values": list(score.run_values),
        "reason": score.reason,
    }


def plain(value: Any) -> Any:
    """Mappings as JSON has them: their keys are text."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    return value
