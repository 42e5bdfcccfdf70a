"""How results are kept: values as columns, slices and measures of all lists beside them, numbers as JSON takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.arithmetic.parts import Values
from rankmeter.late import pl
from rankmeter.measures import Measure, parse

if TYPE_CHECKING:
    from rankmeter.arithmetic.slates.data import Whole
    from rankmeter.judging.assistance import Assistance
    from rankmeter.lists.slices import Slices

PARTS = {"value": "", "counted": " counted", "numerator": " numerator", "denominator": " denominator"}
"""The parts of `Values`, and how the name of a measure goes on in the column of each."""


def values_columns(queries: pl.Series, values: Mapping[Measure, Values]) -> dict[str, pl.Series]:
    """The columns that hold the values of every query."""
    columns = {"query": queries}
    for measure, one in values.items():
        columns |= {f"{measure}{ending}": pl.Series(getattr(one, part)) for part, ending in PARTS.items()}
    return columns


def saved_values(frame: pl.DataFrame, measure: Measure) -> Values:
    """Read what :func:`values_columns` made."""
    return Values(*(frame[f"{measure}{ending}"].to_numpy() for ending in PARTS.values()))


def digest(header: str, frame: pl.DataFrame) -> str:
    """What a file says and holds, as a short text: a bit that changed on the disk or on the way shows."""
    return digest_of_parts(header, frame.schema, frame.height, lambda name: [frame.get_column(name)])


def digest_of_parts(header: str, schema: pl.Schema, rows: int, parts_of: Callable[[str], Iterable[pl.Series]]) -> str:
    """The same of a file that is written in parts: ``parts_of`` gives a column part by part, twice."""
    import hashlib  # which starts OpenSSL: 3 ms that only who saves or loads need spend

    content = hashlib.blake2b(header.encode(), digest_size=16)
    for name, dtype in schema.items():
        content.update(f"{name}\0{dtype}\0{rows}\0".encode())
        for part in parts_of(name):
            content.update(part.is_null().to_numpy().tobytes() if part.null_count() else bytes(len(part)))
        between = b""
        for part in parts_of(name):
            if dtype.is_numeric() or dtype == pl.Boolean:
                whole = part.fill_null(0 if dtype.is_numeric() else False) if part.null_count() else part
                content.update(whole.to_numpy().tobytes())
            elif len(part):
                content.update(between + "\0".join(map(str, part.to_list())).encode("utf-8", "surrogatepass"))
                between = b"\0"
    return content.hexdigest()


def slates_columns(slices: Mapping[str, Slices]) -> dict[str, pl.Series]:
    """The columns that have a row for each query: the slice of each."""
    return {f"by {name}": pl.Series(one.code) for name, one in slices.items() if one.kind == "query"}


def slates_header(wholes: Mapping[Measure, Whole], slices: Mapping[str, Slices]) -> dict[str, Any]:
    """What has no row for each query."""
    return {
        "wholes": {str(measure): _whole(one) for measure, one in wholes.items()},
        "slices": {name: _slices(one) for name, one in slices.items()},
    }


def _whole(one: Whole) -> dict[str, Any]:
    return {
        "value": float(one.value).hex(),
        "parts": None if one.parts is None else one.parts.tolist(),
        "constants": None if one.constants is None else one.constants.tolist(),
    }


def _slices(one: Slices) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "labels": list(one.labels),
        "values": {str(measure): [float(value).hex() for value in values] for measure, values in one.values.items()},
        "counts": {str(measure): list(counts) for measure, counts in one.counts.items()},
    }


def saved_wholes(header: Mapping[str, Any]) -> dict[Measure, Whole]:
    """Read what :func:`slates_header` wrote."""
    from rankmeter.arithmetic.slates.data import Whole

    return {
        parse(text): Whole(
            float.fromhex(one["value"]),
            None if one["parts"] is None else np.array(one["parts"], np.float64),
            None if one["constants"] is None else np.array(one["constants"], np.float64),
        )
        for text, one in header.get("wholes", {}).items()
    }


def saved_slices(header: Mapping[str, Any], frame: pl.DataFrame) -> dict[str, Slices]:
    """Read what :func:`slates_header` and :func:`slates_columns` wrote; samples for intervals are made again."""
    from rankmeter.lists.listing import sample_by_slice
    from rankmeter.lists.slices import Slices

    made, wholes = {}, saved_wholes(header)
    for name, one in header.get("slices", {}).items():
        code = frame[f"by {name}"].to_numpy() if one["kind"] == "query" else np.empty(0, np.int64)
        values = {parse(text): tuple(map(float.fromhex, row)) for text, row in one["values"].items()}
        samples = {}
        for measure in values if one["kind"] == "query" else ():
            if str(measure) not in frame.columns:
                continue
            sample = sample_by_slice(measure, saved_values(frame, measure), code, len(one["labels"]), wholes)
            if sample is not None:
                samples[measure] = sample
        counts = {parse(text): tuple(row) for text, row in one["counts"].items()}
        made[name] = Slices(name, one["kind"], tuple(one["labels"]), code, values, counts, samples)
    return made


def saved_assistance(header: Mapping[str, Any]) -> Assistance | None:
    """What a machine's judgments added, where a file holds it."""
    if header.get("assisted") is None:
        return None
    from rankmeter.judging.assistance import Assistance  # which needs scipy

    return Assistance.from_plain(header["assisted"])
