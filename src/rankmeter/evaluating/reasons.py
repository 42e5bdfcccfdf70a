"""Why a number or its interval is missing, in words that stand beside it."""

from __future__ import annotations

from rankmeter.measures import Measure
from rankmeter.wording import said


def why_no_value(measure: Measure, counted: int) -> str:
    """Why a measure whose value is not a number has none."""
    if not counted:
        return said("no_query_counts")
    if measure.no_value:
        return measure.no_value
    asked = [f"{option}=nan" for option in ("empty", "miss", "blank") if getattr(measure, option, "") == "nan"]
    return said("a_query_has_none", asked=asked) if asked else said("not_defined")


def why_no_interval(measure: Measure) -> str:
    """Why drawing queries again gives no interval of a measure's value."""
    if measure.aggregate == "whole":
        return said("resamples_repeat_lists")
    return said("aggregate_is_no_mean", aggregate=measure.aggregate)
