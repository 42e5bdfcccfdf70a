"""How results are saved: values as columns of a table; slices and measures of all lists as JSON in its header."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.arithmetic.parts import Values
from rankmeter.late import pl
from rankmeter.measures import Measure, parse

if TYPE_CHECKING:
    from rankmeter.arithmetic.slates.data import Whole
    from rankmeter.evaluating.assisted import AssistedValues
    from rankmeter.lists.slices import Slices

COLUMN_ENDINGS = {name: "" if name == "value" else f" {name}" for name in Values.__slots__}
"""What each part of a measure's values appends to the name of its column."""


def values_columns(queries: pl.Series, values: Mapping[Measure, Values]) -> dict[str, pl.Series]:
    """The columns with the values of every query."""
    columns = {"query": queries}
    for measure, of_queries in values.items():
        columns |= {
            f"{measure}{ending}": pl.Series(getattr(of_queries, name)) for name, ending in COLUMN_ENDINGS.items()
        }
    return columns


def saved_values(frame: pl.DataFrame, measure: Measure) -> Values:
    """Read what :func:`values_columns` made."""
    return Values(*(frame[f"{measure}{ending}"].to_numpy() for ending in COLUMN_ENDINGS.values()))


def checksum_of(header: str, frame: pl.DataFrame) -> str:
    """A hash of a file's header and content, which shows a bit that changed on disk or in transit."""
    return digest_of_parts(header, frame.schema, frame.height, lambda name: [frame.get_column(name)])


def digest_of_parts(header: str, schema: pl.Schema, rows: int, parts_of: Callable[[str], Iterable[pl.Series]]) -> str:
    """The hash of a file that is written in parts: ``parts_of`` is called twice for each column."""
    import hashlib  # starts OpenSSL, 3 ms that only saving and loading need

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
    """The columns with the slice of each query."""
    return {f"by {name}": pl.Series(slicing.code) for name, slicing in slices.items() if slicing.kind == "query"}


def slates_header(wholes: Mapping[Measure, Whole], slices: Mapping[str, Slices]) -> dict[str, Any]:
    """What has no row per query."""
    return {
        "wholes": {str(measure): _whole(stored) for measure, stored in wholes.items()},
        "slices": {name: _slices(stored) for name, stored in slices.items()},
    }


def _whole(whole: Whole) -> dict[str, Any]:
    return {
        "value": float(whole.value).hex(),
        "parts": None if whole.parts is None else whole.parts.tolist(),
        "constants": None if whole.constants is None else whole.constants.tolist(),
    }


def _slices(slices: Slices) -> dict[str, Any]:
    return {
        "kind": slices.kind,
        "labels": list(slices.labels),
        "values": {str(measure): [float(value).hex() for value in values] for measure, values in slices.values.items()},
        "counts": {str(measure): list(counts) for measure, counts in slices.counts.items()},
    }


def saved_wholes(header: Mapping[str, Any]) -> dict[Measure, Whole]:
    """Read what :func:`slates_header` wrote."""
    from rankmeter.arithmetic.slates.data import Whole

    return {
        parse(text): Whole(
            float.fromhex(stored["value"]),
            None if stored["parts"] is None else np.array(stored["parts"], np.float64),
            None if stored["constants"] is None else np.array(stored["constants"], np.float64),
        )
        for text, stored in header.get("wholes", {}).items()
    }


def saved_slices(header: Mapping[str, Any], frame: pl.DataFrame) -> dict[str, Slices]:
    """Read what :func:`slates_header` and :func:`slates_columns` wrote; samples for intervals are made anew."""
    from rankmeter.evaluating.listing import sample_by_slice
    from rankmeter.lists.slices import Slices

    slices, wholes = {}, saved_wholes(header)
    purpose = header["facts"].get("purpose", "search")
    for name, stored in header.get("slices", {}).items():
        code = frame[f"by {name}"].to_numpy() if stored["kind"] == "query" else np.empty(0, np.int64)
        values = {parse(text): tuple(map(float.fromhex, row)) for text, row in stored["values"].items()}
        samples = {}
        for measure in values if stored["kind"] == "query" else ():
            if str(measure) not in frame.columns:
                continue
            sample = sample_by_slice(measure, saved_values(frame, measure), code, len(stored["labels"]), wholes)
            if sample is not None:
                samples[measure] = sample
        counts = {parse(text): tuple(row) for text, row in stored["counts"].items()}
        slices[name] = Slices(name, stored["kind"], tuple(stored["labels"]), code, values, counts, samples, purpose)
    return slices


def saved_assistance(header: Mapping[str, Any]) -> AssistedValues | None:
    """What a machine's judgments added, if the file has it."""
    if header.get("assisted") is None:
        return None
    from rankmeter.evaluating.assisted import assisting

    saved: AssistedValues = assisting().Assistance.from_plain(header["assisted"])
    return saved
