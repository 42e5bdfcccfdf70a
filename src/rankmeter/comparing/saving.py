"""A comparison in one file: a ZIP that holds the evaluation of every run as Parquet, and the rest as JSON.

What was resampled is kept as it came out, so that a loaded comparison says what it said, whichever version reads it;
what follows from the evaluations alone is made again.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.comparing.lining_up import LinedUp, samples_of
from rankmeter.comparing.records import Difference, Quality, Score, Settings, SliceDifference
from rankmeter.comparing.systems import Measured, averaged
from rankmeter.comparing.unjudged import UnjudgedBounds
from rankmeter.errors import InputError
from rankmeter.evaluating.result import Evaluation
from rankmeter.evaluating.stored import saved_assistance
from rankmeter.measures import Measure
from rankmeter.stats.effects import EffectSizes
from rankmeter.stats.equivalence import Equivalence
from rankmeter.stats.intervals import Interval
from rankmeter.whole_files import check_readable, said_if_damaged, write_bytes
from rankmeter.wording import Said

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison

FORM = 1
HEADER = "comparison.json"


def is_saved_comparison(path: str | Path) -> bool:
    """Whether a file looks like one that :func:`save_comparison` wrote."""
    try:
        with zipfile.ZipFile(path) as file:
            return HEADER in file.namelist()
    except Exception:  # noqa: BLE001 (a damaged archive fails in many ways)
        return False


def save_comparison(cmp: Comparison, path: str | os.PathLike[str]) -> None:
    """Write everything but the runs and judgments themselves."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        # A fixed date: the same comparison gives the same bytes.
        file.writestr(_entry(HEADER), json.dumps(_header(cmp), ensure_ascii=False))
        for place, system in enumerate(cmp.systems):
            for number, run in enumerate(cmp.runs[system]):
                table = io.BytesIO()
                run.save(table)
                file.writestr(_entry(_run_name(place, number)), table.getvalue())
    write_bytes(path, made.getvalue())


def _entry(name: str) -> zipfile.ZipInfo:
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
        "measures": [str(measure) for measure in cmp.measures],
        "settings": asdict(cmp.settings),
        "units_of": None if cmp.units_of is None else cmp.units_of.tolist(),
        "scores": [_plain(score) for score in cmp.scores],
        "differences": [_plain(record) for record in cmp.differences],
        "slice_differences": [
            {"by": record.by, "slice": record.slice, "tests": record.tests, "found": _plain(record.found)}
            for record in cmp.slice_differences
        ],
        "quality": {system: asdict(quality) for system, quality in cmp.quality.items()},
        "notes": [note.to_plain() for note in cmp.notes],
        "sources": cmp.sources,
        "assisted": None if cmp.assisted is None else cmp.assisted.to_plain(),
    }


def _plain(record: Score | Difference) -> dict[str, Any]:
    """A record with its measure as text, its sentences as kinds and values, and the records within it as mappings."""
    return {part.name: _plain_value(getattr(record, part.name)) for part in fields(record)}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Measure):
        return str(value)
    if isinstance(value, Said):
        return value.to_plain()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def load_comparison(form: type[Comparison], path: str | os.PathLike[str]) -> Comparison:
    """Read what :func:`save_comparison` wrote."""
    path = check_readable(path)
    with said_if_damaged("results.no_comparison", str(path)):
        with zipfile.ZipFile(path) as file:
            header = json.loads(file.read(HEADER))
            if header["form"] != FORM:
                raise InputError.of("results.other_form", source=str(path), form=header["form"], known=FORM)
            runs = {
                system: tuple(
                    Evaluation.load(io.BytesIO(file.read(_run_name(place, number)))) for number in range(count)
                )
                for place, (system, count) in enumerate(header["systems"].items())
            }
        return form(**_parts(header, runs))


def _parts(header: Mapping[str, Any], runs: Mapping[str, tuple[Evaluation, ...]]) -> dict[str, Any]:
    """What a comparison is made of."""
    first = next(iter(runs.values()))[0]
    measures = tuple(first.find(text) for text in header["measures"])
    quality = {system: _quality(record) for system, record in header["quality"].items()}
    measured = {
        system: Measured(
            averaged(several, system), several, (), quality[system], {}, tuple(header.get("seeds", {}).get(system, ()))
        )
        for system, several in runs.items()
    }
    lined_up = LinedUp(measured, measures)
    units_of = None if header["units_of"] is None else np.array(header["units_of"], np.int64)
    return {
        "systems": tuple(runs),
        "baseline": header["baseline"],
        "measures": measures,
        "evaluations": {system: record.evaluation for system, record in measured.items()},
        "runs": runs,
        "queries": lined_up.queries,
        "values": lined_up.shown,
        "paired": lined_up.paired,
        "samples": samples_of(lined_up, measured, units_of)[0],
        "units_of": units_of,
        "scores": tuple(_score(record, first) for record in header["scores"]),
        "differences": tuple(_difference(record, first) for record in header["differences"]),
        "slice_differences": tuple(
            SliceDifference(record["by"], record["slice"], record["tests"], _difference(record["found"], first))
            for record in header.get("slice_differences", ())
        ),
        "quality": quality,
        "notes": tuple(Said.from_plain(note) for note in header["notes"]),
        "settings": Settings(**header["settings"]),
        "seeds": {system: record.seeds for system, record in measured.items()},
        "assisted": saved_assistance(header),
        "saved_sources": tuple((name, source, digest) for name, source, digest in header["sources"]),
    }


def _quality(record: dict[str, Any]) -> Quality:
    by_cutoff = {name: {int(k): value for k, value in record[name].items()} for name in ("judged_at", "ties_across")}
    return Quality(**{**record, **by_cutoff})


def _score(record: dict[str, Any], ev: Evaluation) -> Score:
    return Score(
        **{
            **_sentences(record, ev, "reason", "unjudged_reason"),
            "interval": record["interval"] and Interval(**record["interval"]),
            "tie_bounds": record["tie_bounds"] and tuple(record["tie_bounds"]),
            "unjudged": record["unjudged"] and UnjudgedBounds(**record["unjudged"]),
            "run_values": tuple(record["run_values"]),
        }
    )


def _difference(record: dict[str, Any], ev: Evaluation) -> Difference:
    return Difference(
        **{
            **_sentences(record, ev, "reason"),
            "interval": record["interval"] and Interval(**record["interval"]),
            "effect": record["effect"] and EffectSizes(**record["effect"]),
            "equivalence": record["equivalence"] and Equivalence(**record["equivalence"]),
        }
    )


def _sentences(record: dict[str, Any], ev: Evaluation, *names: str) -> dict[str, Any]:
    """A record with its measure found, and its sentences worded again."""
    return {**record, "measure": ev.find(record["measure"])} | {
        name: Said.from_plain(record[name]) for name in names if record[name]
    }
