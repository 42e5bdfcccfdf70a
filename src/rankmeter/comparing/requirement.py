"""What a ranking must keep to, for tests: ``nDCG@10 >= 0.45``, ``RR >= baseline - 0.01``.

A requirement is the contrary of a gate. Against a baseline it fails only where the loss is more than chance, so that a
test does not fail today and pass tomorrow; a number is a promise about these very queries and is taken as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankmeter.comparing.comparison import compare
from rankmeter.comparing.gate import Gate, Operator, Verdict, check_gate, holds, parse_gate
from rankmeter.comparing.results import Comparison
from rankmeter.comparing.systems import saved_or_run
from rankmeter.errors import InputError, RankmeterError, did_you_mean
from rankmeter.evaluating.result import Evaluation
from rankmeter.evaluating.verb import evaluate
from rankmeter.measures import parse
from rankmeter.wording import Language, word

_CONTRARY: Mapping[Operator, Operator] = {">=": "<", ">": "<=", "<=": ">", "<": ">="}
BASELINE, RUN = "baseline", "run"
_EXAMPLE = "a requirement looks like 'nDCG@10 >= 0.45' or 'RR >= baseline - 0.01'"


@dataclass(frozen=True, slots=True)
class Fallen:
    """A query that lost against the baseline."""

    query: str
    before: float
    now: float


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement and whether it is met.

    Examples
    --------
    >>> import rankmeter as rm
    >>> [kept] = check_requirements({"q": {"a"}}, {"q": ["b", "a"]}, ["RR >= 0.5"])
    >>> kept.is_met, kept.value
    (True, 0.5)
    """

    text: str
    is_met: bool
    value: float
    interval: tuple[float, float] | None
    """Of the value, or of the difference to the baseline where there is one."""
    why: str
    fallen: Sequence[Fallen] = ()
    """The queries that lost most against the baseline."""

    def told(self, lang: Language = "en") -> str:
        """Everything in a few lines."""
        lines = [f"{self.text}: {self.why}"]
        if self.fallen:
            lines.append(word("requirement_fallen", lang))
            width = max(len(row.query) for row in self.fallen)
            lines += [
                f"  {row.query:<{width}}  {row.before:.4f} -> {row.now:.4f}  {row.now - row.before:+.4f}"
                for row in self.fallen
            ]
        return "\n".join(lines)


def check_requirements(
    judgments: object,
    run: object,
    requirements: Sequence[str],
    *,
    baseline: object = None,
    certain: bool | None = None,
    shown: int = 10,
    lang: Language = "en",
    **options: Any,
) -> list[Requirement]:
    """Whether a run keeps to some requirements; see :func:`rankmeter.testing.assert_ranking`."""
    if not requirements:
        raise InputError.of("comparing.no_requirement")
    gates = [_as_gate(text, certain=certain) for text in requirements]
    measures = list(dict.fromkeys(gate.measure for gate in gates))
    if baseline is None:
        needs = next((gate for gate in gates if gate.reference is not None), None)
        if needs is not None:
            raise InputError.of("comparing.requirement_without_baseline", text=needs.text)
        ev = evaluate(judgments, run, measures, **options)
        return [_of_value(gate, ev, lang) for gate in gates]
    systems = {BASELINE: saved_or_run(baseline), RUN: run}
    cmp = compare(judgments, systems, measures, baseline=BASELINE, **options)
    return [_of_verdict(check_gate(cmp, replace(gate, system=RUN))[0], cmp, shown, lang) for gate in gates]


def _as_gate(text: str, *, certain: bool | None) -> Gate:
    """The gate that fails where the requirement is not met."""
    try:
        gate = parse_gate(text)
    except InputError as error:
        raise error.changed(hint=_EXAMPLE) if error.problem.kind == "comparing.not_a_gate" else error from None
    if gate.reference is not None and gate.reference != BASELINE:
        hint = did_you_mean(gate.reference, [BASELINE]) or _EXAMPLE
        raise InputError.of("comparing.requirement_of_unknown", text=text, name=gate.reference, hint=hint)
    wanted = ">" if parse(gate.measure).higher_is_better else "<"
    if gate.operator[0] != wanted or gate.significantly:
        # That is how a gate is written, and as a requirement it would pass on a loss.
        limit = gate.reference or "0.45"
        raise InputError.of("comparing.not_a_requirement", text=text, choice=f"{gate.measure} {wanted}= {limit}")
    is_certain = gate.reference is not None if certain is None else certain
    return replace(gate, operator=_CONTRARY[gate.operator], significantly=is_certain)


def _of_value(gate: Gate, ev: Evaluation, lang: Language) -> Requirement:
    """A number that the value of a run is held against."""
    value = ev[gate.measure]
    failed = math.isnan(value) or holds(value, gate.operator, gate.offset)
    try:
        interval = ev.interval(gate.measure)
        ends = (interval.low, interval.high)
    except RankmeterError:
        ends = None
    kind = "requirement_undefined" if math.isnan(value) else "requirement_value"
    why = word(kind, lang, value=value, interval=_ends(ends, lang))
    return Requirement(gate.text, not failed, value, ends, why)


def _of_verdict(verdict: Verdict, cmp: Comparison, shown: int, lang: Language) -> Requirement:
    """What a gate said about the run beside its baseline, and which queries fell."""
    gate = verdict.gate
    difference = cmp.difference(gate.measure, RUN)
    ends = None if difference.interval is None else (difference.interval.low, difference.interval.high)
    before = cmp.score(gate.measure, BASELINE).value
    why = word("requirement_against", lang, value=verdict.value, before=before, change=verdict.value - before,
               interval=_ends(ends, lang), told=verdict.why.text(lang))  # fmt: skip
    return Requirement(gate.text, not verdict.failed, verdict.value, ends, why, _fallen(cmp, gate.measure, shown))


def _ends(ends: tuple[float, float] | None, lang: Language) -> str:
    return "" if ends is None else word("requirement_interval", lang, low=ends[0], high=ends[1])


def _fallen(cmp: Comparison, measure: str, shown: int) -> list[Fallen]:
    """The queries that lost most, the largest loss first."""
    values = cmp.values[cmp.find(measure)]
    before, now = (values[cmp.systems.index(name)] for name in (BASELINE, RUN))
    sign = 1.0 if cmp.find(measure).higher_is_better else -1.0
    rows = [
        Fallen(str(query), float(old), float(new))
        for query, old, new in zip(cmp.queries.to_list(), before, now, strict=True)
        if sign * (new - old) < 0
    ]
    return sorted(rows, key=lambda row: sign * (row.now - row.before))[:shown]
