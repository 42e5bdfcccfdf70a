"""Where a tool leaves the textbook: every value stated is that of an evaluation, and none is missing."""

from __future__ import annotations

import json
import math
import runpy
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli.listings import dialects as command
from rankmeter.errors import RankmeterError
from rankmeter.measures.dialects import CUTS, Metric, dialect_names, find_dialect
from rankmeter.wings.conformance.cases import cases
from rankmeter.wings.conformance.departures import departures
from rankmeter.wings.conformance.known_definitions import FAMILIES
from rankmeter.wings.conformance.sight import Sight

MADE = runpy.run_path(str(Path(__file__).parents[3] / "docs" / "tools" / "make_departures.py"))
TOOLS = ["recbole", "sklearn", "torchmetrics", "trec_eval:N=50", "ranx:dicts", "llama_index", "rre"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_is_current(language: str) -> None:
    path = MADE["FOLDER"] / MADE["WORDS"][language]["file"]
    assert path.read_text("utf-8") == MADE["page"](language), "python docs/tools/make_departures.py"


def evaluated(case: Any, measure: rm.Measure) -> float | str | None:
    """The number that an evaluation gives; None where there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = rm.evaluate(*Sight().data(case), measure).means[measure]
    except RankmeterError:
        return "refused"
    return None if math.isnan(found) else found


def at_cutoff(metric: Metric, k: int) -> rm.Measure:
    """A metric at a cutoff; as it is where it takes none."""
    try:
        return metric.build(k if metric.number in CUTS else None, {})
    except RankmeterError:
        return metric.build(None, {})


@pytest.mark.parametrize("name", TOOLS)
def test_what_is_stated_is_what_an_evaluation_gives_and_nothing_else_departs(name: str) -> None:
    dialect = find_dialect(name)
    stated = {(one.metric, one.question.case.name): one for one in departures(dialect)}
    assert stated
    for metric in dialect.metrics:
        if metric.measure not in FAMILIES:
            continue
        for case in cases():
            one = stated.get((metric.name, case.name))
            if case.topic == "duplicates":  # the textbook has no rule
                continue
            for k in case.cutoffs:
                own, usual = at_cutoff(metric, k), rm.parse(metric.measure)
                if own.describe().get("cutoff") or own.describe().get("depth"):
                    with suppress(RankmeterError):  # no value under a cutoff
                        usual = usual @ k
                value, textbook = evaluated(case, own), evaluated(case, usual)
                if one is not None and k == (one.question.k or case.cutoffs[0]):
                    assert value == pytest.approx(one.value, abs=1e-9)
                    assert textbook == pytest.approx(one.textbook, abs=1e-9)
                elif one is None:
                    assert value == pytest.approx(textbook, abs=1e-9), (metric.name, case.name, k)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", dialect_names())
def test_the_command_shows_each_case(name: str, language: str) -> None:
    found = {str(one.question) for one in departures(find_dialect(name))}
    shown = CliRunner().invoke(command, [name, "--lang", language])
    assert shown.exit_code == 0
    assert found <= set(shown.output.split())
    told = json.loads(CliRunner().invoke(command, [name, "--format", "json", "--lang", language]).output)
    assert told["departures"] == [one.to_dict() for one in departures(find_dialect(name))]
