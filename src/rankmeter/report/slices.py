"""Systems by slices as tables: values, and what the tests within slices found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankmeter.comparing.records import units_said
from rankmeter.comparing.slice_tests import MOST_TESTED
from rankmeter.measures import Measure
from rankmeter.measures.prose import Language
from rankmeter.report import tables
from rankmeter.report.differences import difference_text, p_text, reference
from rankmeter.report.tables import DIGITS, Cell, Table
from rankmeter.wording import Said, said, word

if TYPE_CHECKING:
    from rankmeter.comparing.records import Difference
    from rankmeter.comparing.results import Comparison


def slice_tables(cmp: Comparison, *, digits: int = DIGITS, lang: Language = "en") -> list[Table]:
    """For each way of slicing and each measure a row per slice and a column per system, the best value marked.

    What was tested follows: the difference of each system to the reference, or the pairs that differ significantly.
    """
    found = []
    for cut in cmp.slices.values():
        for measure, several in cut.values.items():
            rows = []
            heads, tested = slice_outcomes(cmp, cut.name, measure, digits=digits, lang=lang)
            for place, label in enumerate(cut.labels):
                known = [value for value in several[place] if not math.isnan(value)]
                best = (max if measure.higher_is_better else min)(known, default=math.nan)
                cells = [
                    Cell("-" if math.isnan(value) else tables.number(value, measure, digits), is_best=value == best)
                    for value in several[place]
                ]
                more = map(Cell, tested.get(label, ["-"] * len(heads)))
                rows.append((Cell(label), Cell(f"{cut.counts[measure][place]:,}"), *cells, *more))
            head = word("slice_head", lang, name=cut.name, measure=str(measure))
            found.append(Table((head, word("query_count", lang), *cmp.systems, *heads), tuple(rows), 1))
    return found


def slice_outcomes(
    cmp: Comparison, by: str, measure: Measure, *, digits: int = DIGITS, lang: Language = "en"
) -> tuple[list[str], dict[str, list[str]]]:
    """What the tests within slices found: the heads of some columns, and for each slice that was tested their texts."""
    inside = [one for one in cmp.slice_differences if one.by == by and one.found.measure == measure]
    if not inside:
        return [], {}
    slices: dict[str, list[Difference]] = {}
    for one in inside:
        slices.setdefault(one.slice, []).append(one.found)
    against = reference(cmp)
    if against is None:
        return [word("slice_significant", lang)], {label: [_won(some, lang)] for label, some in slices.items()}
    others = [name for name in cmp.systems if name != against]
    p = word("p_by", lang, correction=cmp.settings.correction)
    heads = [head for name in others for head in (f"{name} - {against}", p)]
    texts: dict[str, list[str]] = {}
    for label, some in slices.items():
        seen = {one.system: one for one in (one if one.other == against else one.turned() for one in some)}
        pairs = [(difference_text(seen[name], digits), p_text(seen[name].p_corrected)) for name in others]
        texts[label] = [text for pair in pairs for text in pair]
    return heads, texts


def _won(differences: Sequence[Difference], lang: Language) -> str:
    """Which systems are significantly better than which."""
    better = [one if one.is_better else one.turned() for one in differences if one.significant]
    texts = [word("is_better_than", lang, system=one.system, other=one.other) for one in better]
    return word("between", lang).join(texts) or "-"


def sliced_how(cmp: Comparison) -> list[Said]:
    """How differences within slices were tested, where they were."""
    if not cmp.slice_differences:
        return []
    tests = max(one.tests for one in cmp.slice_differences)
    return [said("slices_tested", units=units_said(cmp.settings.unit), tests=tests, most=MOST_TESTED)]
