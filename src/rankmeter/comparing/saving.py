"""A comparison in one file: a ZIP that holds the evaluation of every run as Parquet, and the rest as JSON.

Results of resampling are kept, so that a loaded comparison says what it said, whichever version reads it; what follows
from the evaluations alone is computed again.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.comparing.lining_up import LinedUp, samples_of
from rankmeter.comparing.records import Difference, Quality, Score, Settings
from rankmeter.comparing.systems import Measured, averaged
from rankmeter.comparing.unjudged import UnjudgedBounds
from rankmeter.evaluating.result import Evaluation
from rankmeter.evaluating.stored import saved_assistance
from rankmeter.late import Late
from rankmeter.measures import Measure
from rankmeter.stats.intervals import Interval
from rankmeter.stats.paired import EffectSizes, Equivalence
from rankmeter.whole_files import check_form, check_readable, said_if_damaged, write_bytes
from rankmeter.wording import Said

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison

FORM = 1
HEADER = "comparison.json"
_WITHIN: dict[str, type[Any]] = {
    "interval": Interval, "unjudged": UnjudgedBounds, "effect": EffectSizes, "equivalence": Equivalence,
}  # fmt: skip
"""The fields of a record that are records themselves."""

_LATE = "late_"
"""Begins the name of a field that holds a `Late` value; in a file it stands without."""


def is_saved_comparison(path: str | Path) -> bool:
    """Whether a file looks like one that :func:`save_comparison` wrote."""
    try:
        with zipfile.ZipFile(path) as file:
            return HEADER in file.namelist()
    except Exception:  # noqa: BLE001 (a damaged archive fails in many ways)
        return False


def save_comparison(cmp: Comparison, path: str | os.PathLike[str]) -> None:
    """Write everything but the runs and judgments themselves."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        # A fixed date, so that the same comparison gives the same bytes.
        file.writestr(_zip_entry(HEADER), json.dumps(_header(cmp), ensure_ascii=False))
        for place, system in enumerate(cmp.systems):
            for number, run in enumerate(cmp.runs[system]):
                table = io.BytesIO()
                run.save(table)
                file.writestr(_zip_entry(_run_name(place, number)), table.getvalue())
    write_bytes(path, archive.getvalue())


def _zip_entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _run_name(system: int, run: int) -> str:
    return f"system-{system}-run-{run}.parquet"


def _header(cmp: Comparison) -> dict[str, Any]:
    return {
        "form": FORM,
        "systems": {system: len(cmp.runs[system]) for system in cmp.systems},
        "seeds": cmp.seeds,
        "baseline": cmp.baseline,
        "baselines": cmp.baselines,
        "measures": [str(measure) for measure in cmp.measures],
        "settings": _plain(cmp.settings),
        "units_of": None if cmp.units_of is None else cmp.units_of.tolist(),
        "scores": list(map(_plain, cmp.scores)),
        "differences": list(map(_plain, cmp.differences)),
        "slice_differences": list(map(_plain, cmp.slice_differences)),
        "quality": {system: _plain(quality) for system, quality in cmp.quality.items()},
        "notes": list(map(_plain, cmp.notes)),
        "sources": cmp.sources,
        "assisted": None if cmp.assisted is None else cmp.assisted.to_plain(),
    }


def _plain(value: Any) -> Any:
    """A record as a mapping, with the records within it; a measure as its text, a sentence as kind and values."""
    if isinstance(value, Measure):
        return str(value)
    if isinstance(value, Said):
        return value.to_plain()
    if isinstance(value, Late):
        return value.value
    if not is_dataclass(value):
        return value
    return {part.name.removeprefix(_LATE): _plain(getattr(value, part.name)) for part in fields(value)}


def load_comparison(form: type[Comparison], path: str | os.PathLike[str]) -> Comparison:
    """Read what :func:`save_comparison` wrote."""
    path = check_readable(path)
    with said_if_damaged("saved.no_comparison", str(path)):
        with zipfile.ZipFile(path) as file:
            header = json.loads(file.read(HEADER))
            check_form(header["form"], FORM, str(path))
            runs = {
                system: tuple(
                    Evaluation.load(io.BytesIO(file.read(_run_name(place, number)))) for number in range(count)
                )
                for place, (system, count) in enumerate(header["systems"].items())
            }
        cmp = form(**_parts(header, runs))
        for measure in cmp.measures:  # every value is there
            for system in cmp.systems:
                cmp.score(measure, system)
        return cmp


def _parts(header: Mapping[str, Any], runs: Mapping[str, tuple[Evaluation, ...]]) -> dict[str, Any]:
    """The fields of a comparison."""
    first = next(iter(runs.values()))[0]
    measures = tuple(first.find(text) for text in header["measures"])
    quality = {}
    for system, record in header["quality"].items():
        for name in ("judged_at", "ties_across"):
            record[name] = {int(k): value for k, value in record[name].items()}
        quality[system] = Quality(**record)
    measured = {
        system: Measured(
            averaged(several, system), several, (), quality[system], {}, tuple(header.get("seeds", {}).get(system, ()))
        )
        for system, several in runs.items()
    }
    lined_up = LinedUp(measured, measures)
    named = [header["baseline"], *(record["system"] for record in header["scores"]), *quality]
    if unknown := [name for name in named if name is not None and name not in runs]:
        raise KeyError(unknown[0])
    units_of = None if header["units_of"] is None else np.array(header["units_of"], np.int64)
    return {
        "systems": tuple(runs),
        "baseline": header["baseline"],
        "baselines": tuple(header.get("baselines", ())),
        "measures": measures,
        "evaluations": {system: record.evaluation for system, record in measured.items()},
        "runs": runs,
        "ids": lined_up.ids,
        "values": lined_up.shown,
        "paired": lined_up.paired,
        "samples": samples_of(lined_up, measured, units_of)[0],
        "units_of": units_of,
        "scores": tuple(_record(Score, record, first) for record in header["scores"]),
        "differences": tuple(_record(Difference, record, first) for record in header["differences"]),
        "slice_differences": tuple(
            _record(Difference, {**record.pop("found", {}), **record}, first)  # which older files have
            for record in header.get("slice_differences", ())
        ),
        "quality": quality,
        "notes": tuple(Said.from_plain(note) for note in header["notes"]),
        "settings": Settings(**header["settings"]),
        "seeds": {system: record.seeds for system, record in measured.items()},
        "assisted": saved_assistance(header),
        "saved_sources": tuple((name, source, digest) for name, source, digest in header["sources"]),
    }


def _record(form: type[Any], plain: Mapping[str, Any], ev: Evaluation) -> Any:
    """A record from what :func:`_plain` made of it."""
    record: dict[str, Any] = {**plain, "measure": ev.find(plain["measure"])}
    record |= {name: kind(**plain[name]) for name, kind in _WITHIN.items() if plain.get(name)}
    if record.get("interval"):
        method = plain["interval"]["method"]  # a plain text in older files
        worded = Said.from_plain(method) if isinstance(method, Mapping) else method
        record["interval"] = replace(record["interval"], method=worded)
    record |= {name: Said.from_plain(plain[name]) for name in ("reason", "unjudged_reason") if plain.get(name)}
    record |= {
        name: tuple(plain[name]) for name in ("tie_bounds", "run_values", "beats") if plain.get(name) is not None
    }
    late = [part.name for part in fields(form) if part.name.startswith(_LATE)]
    return form(**{name: Late(made=record.pop(name.removeprefix(_LATE), None)) for name in late}, **record)
