"""Requirements on a run, as tests state them: what must hold, where a gate says what must not."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankmeter.comparing.gate import Gate, Operator, Verdict, check_gate, meets, noise_of, nothing_found, parse_gate
from rankmeter.comparing.results import Comparison
from rankmeter.errors import InputError, did_you_mean
from rankmeter.evaluating.result import Evaluation
from rankmeter.measures import parse
from rankmeter.stats.intervals import Interval
from rankmeter.wording import Language, Said, chosen_language, said, word

_CONTRARY: Mapping[Operator, Operator] = {">=": "<", ">": "<=", "<=": ">", "<": ">="}
BASELINE, RUN = "baseline", "run"
_NOT = re.compile(r"\s*not\s+(?P<gate>.+)")


@dataclass(frozen=True, slots=True)
class Fallen:
    """A query that lost against the baseline."""

    query: str
    before: float
    now: float


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement and whether it is met."""

    text: str
    is_met: bool
    value: float
    interval: tuple[float, float] | None
    """That of the value, or of the difference to the baseline where there is one."""
    why: Said
    fallen: Sequence[Fallen] = ()
    """The queries that lost most against the baseline."""
    notes: tuple[Said, ...] = ()
    """How often chance alone would break the requirement, where that is more than rarely."""

    def told(self, lang: Language | None = None) -> str:
        """Everything in a few lines."""
        lang = lang or chosen_language()
        lines = [f"{self.text}: {self.why.text(lang)}", *(note.text(lang) for note in self.notes)]
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
    **options: Any,
) -> list[Requirement]:
    """Whether a run meets requirements; see :func:`rankmeter.testing.assert_ranking`."""
    from rankmeter.comparing.comparison import compare  # commands parse gates before they load anything
    from rankmeter.comparing.systems import saved_or_run
    from rankmeter.evaluating.verb import evaluate

    if not requirements:
        raise InputError.of("comparing.no_requirement")
    gates = [_as_gate(text, certain=certain) for text in requirements]
    measures = list(dict.fromkeys(gate.measure for gate in gates))
    if baseline is None:
        if proof := next((gate for gate in gates if gate.significantly), None):
            raise InputError.of("comparing.gate_proves_alone", text=proof.text)
        needs = next((gate for gate in gates if gate.reference is not None), None)
        if needs is not None:
            raise InputError.of("comparing.requirement_without_baseline", text=needs.text)
        ev = evaluate(judgments, run, measures, **options)
        return [_of_value(gate, ev) for gate in gates]
    systems = {BASELINE: saved_or_run(baseline), RUN: run}
    cmp = compare(judgments, systems, measures, baseline=BASELINE, **options)
    return [_of_verdict(check_gate(cmp, replace(gate, system=RUN))[0], cmp, shown) for gate in gates]


def _as_gate(text: str, *, certain: bool | None) -> Gate:
    """The gate that fails where the requirement is not met."""
    example = said("comparing.requirement_looks_like")
    negated = _NOT.fullmatch(text)
    try:
        gate = parse_gate(negated["gate"] if negated else text)
    except InputError as error:
        raise error.changed(hint=example) if error.problem.kind == "comparing.not_a_gate" else error from None
    if gate.reference is not None and gate.reference != BASELINE:
        hint = did_you_mean(gate.reference, [BASELINE]) or example
        raise InputError.of("comparing.requirement_of_unknown", text=text, name=gate.reference, hint=hint)
    better, worse = (">", "<") if parse(gate.measure).higher_is_better else ("<", ">")
    if gate.operator[0] != (worse if negated else better) or (gate.significantly and not negated):
        # That is how a gate is written, and as a requirement it would pass on a loss.
        limit = gate.reference or "0.45"
        choice = f"{gate.measure} {better}= {limit}"
        if gate.significantly:
            choice = f"not {gate.measure} {worse} {limit} significantly"
        raise InputError.of("comparing.not_a_requirement", text=text, choice=choice)
    operator = gate.operator if negated else _CONTRARY[gate.operator]
    is_certain = gate.significantly if certain is None else certain
    return replace(gate, text=text.strip(), operator=operator, significantly=is_certain)


def _of_value(gate: Gate, ev: Evaluation) -> Requirement:
    """A requirement on the value of a run alone."""
    value = ev[gate.measure]
    if unknown := nothing_found({RUN: ev}):
        return Requirement(gate.text, is_met=False, value=value, interval=None, why=unknown)
    failed = math.isnan(value) or meets(value, gate.operator, gate.offset)
    interval = ev.interval(gate.measure) if ev.has_interval(gate.measure) else None
    kind = "requirement_undefined" if math.isnan(value) else "requirement_value"
    why = said(kind, value=value, interval=_interval_text(interval))
    return Requirement(gate.text, not failed, value, None if interval is None else interval.ends, why)


def _of_verdict(verdict: Verdict, cmp: Comparison, shown: int) -> Requirement:
    """A requirement on a run against its baseline, with the queries that fell."""
    gate = verdict.gate
    interval = cmp.difference(gate.measure, RUN).interval
    before = cmp.score(gate.measure, BASELINE).value
    why = said("requirement_against", value=verdict.value, before=before, change=verdict.value - before,
               interval=_interval_text(interval), told=verdict.why)  # fmt: skip
    ends = None if interval is None else interval.ends
    fallen = _fallen(cmp, gate.measure, shown)
    return Requirement(gate.text, not verdict.failed, verdict.value, ends, why, fallen, tuple(noise_of([verdict])))


def _interval_text(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return said("requirement_interval", level=interval.level, low=interval.low, high=interval.high)


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
