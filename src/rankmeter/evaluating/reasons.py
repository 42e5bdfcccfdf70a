"""Why a number or its interval is missing, in words that stand beside it."""

from __future__ import annotations

from rankmeter.measures import Measure

TOO_FEW_QUERIES = "fewer than two queries count"
NO_SLICE_OF_ITEMS = "slices of items cut the judgments, and it is no mean over queries of what they say"
NO_SLICE_OF_QUERIES = "it compares the slices with each other"


def why_no_value(measure: Measure, counted: int) -> str:
    """Why a measure whose value is not a number has none."""
    if not counted:
        return "no query counts"
    if measure.no_value:
        return measure.no_value
    asked = [f"{option}=nan" for option in ("empty", "miss", "blank") if getattr(measure, option, "") == "nan"]
    return f"a query has none ({', '.join(asked)})" if asked else "it is not defined for this data"


def why_no_interval(measure: Measure) -> str:
    """Why drawing queries again gives no interval of a measure's value."""
    if measure.aggregate == "whole":
        return "queries drawn again repeat each other's lists, so every resample would hold fewer items"
    return f"its values are put together by {measure.aggregate}, not by a mean"
