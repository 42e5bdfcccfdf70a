"""Gates for pipelines: a condition under which a comparison fails.

``nDCG@10 < baseline - 0.01``, ``RR < 0.5``, ``AP of dense < bm25 - 2%``, ``nDCG@10 < baseline significantly``. For
tests, a requirement says the opposite, ``RR >= baseline - 0.01``: against a baseline it fails only where the loss is
significant, so that a test does not fail today and pass tomorrow; a number is a promise about these very queries and is
taken literally.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rankmeter.comparing.results import Comparison
from rankmeter.errors import InputError, did_you_mean
from rankmeter.evaluating.result import Evaluation
from rankmeter.measures import parse
from rankmeter.stats.corrections import corrected
from rankmeter.stats.intervals import Interval
from rankmeter.stats.student import Alternative
from rankmeter.wording import Language, Said, chosen_language, said, word

Operator = Literal["<", "<=", ">", ">="]

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_GATE = re.compile(r"(?P<left>[^<>]+?)\s*(?P<operator><=|>=|<|>)\s*(?P<right>[^<>]+)")
_SIGNIFICANTLY = re.compile(r"^\s*significantly\s+|\s+significantly\s*$")
_OFFSET = re.compile(rf"(?P<name>.+?)\s+(?P<sign>[+-])\s*(?P<size>{_NUMBER})\s*(?P<percent>%?)")
_CLOSE = re.compile(rf"(?P<name>.+?)(?P<sign>[+-])(?P<size>{_NUMBER}%?)")
"""As an offset, but without spaces: names may hold a minus and a number too, `baseline` does not."""
_OF = re.compile(r"(?P<measure>.+?)\s+of\s+(?P<system>.+)")
HALF = 0.5
"""A one-sided p-value above it points the other way, as a test of ranks or signs can, whatever the mean."""
_RELATIONS = {"<": "below", "<=": "at_or_below", ">": "above", ">=": "at_or_above"}


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition under which a comparison fails."""

    text: str
    measure: str
    system: str | None
    """The system that is checked; None for all but the one that sets the limit."""
    operator: Operator
    reference: str | None
    """The system that sets the limit, ``baseline`` for the baseline; None where the limit is a number."""
    offset: float
    """What is added to the value of the reference, or the limit itself."""
    relative: bool
    """Whether the offset is a share of the reference's value."""
    significantly: bool
    """Whether chance must be ruled out before the gate fails."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a gate on one system."""

    gate: Gate
    system: str
    value: float
    limit: float
    p: float | None
    """One-sided and corrected for the systems of the gate, where significance is asked for."""
    failed: bool
    why: Said


def parse_gate(text: str) -> Gate:
    """Read a gate."""
    bare = _SIGNIFICANTLY.sub("", text)
    match = _GATE.fullmatch(bare.strip())
    if match is None or match["left"].endswith("="):  # => is not >=
        raise InputError.of("comparing.not_a_gate", text=text, hint=_hint(text))
    left, right = match["left"].strip(), match["right"].strip()
    system: str | None = None
    if of := _OF.fullmatch(left):
        left, system = of["measure"], _name_in_gate(of["system"])
    parse(left)  # an unknown measure is refused before anything is evaluated
    reference, offset, relative = _limit(right, text)
    operator: Operator = match["operator"]  # type: ignore[assignment]
    return Gate(text.strip(), left, system, operator, reference, offset, relative, significantly=bare != text)


def _limit(text: str, whole: str) -> tuple[str | None, float, bool]:
    if re.fullmatch(rf"[+-]?{_NUMBER}", text):
        return None, _finite(text, whole), False
    text = re.sub(r"^baseline(?=[+-])", "baseline ", text)
    if match := _OFFSET.fullmatch(text):
        size = _finite(match["sign"] + match["size"], whole)
        return _name_in_gate(match["name"]), size / 100 if match["percent"] else size, bool(match["percent"])
    meant = _plain(text)
    if re.search(r"[*/]|\s[+-]\s", text) or re.fullmatch(rf"(?:.*\s)?[+-]?\s*{_NUMBER}\s*%?", meant):
        raise InputError.of("comparing.not_a_limit", text=whole, limit=text, hint=_hint(whole))
    return _name_in_gate(text), 0.0, False


def _finite(text: str, whole: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise InputError.of("comparing.limit_too_large", text=whole, limit=text, hint=_hint(whole))
    return number


def _hint(text: str) -> Said:
    """The gate in ASCII, where it was typed with the digits and signs of another script; else an example."""
    plain = _plain(text)
    return said("general.did_you_mean", choice=plain) if plain != text else said("comparing.gate_looks_like")


def _plain(text: str) -> str:
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in unicodedata.normalize("NFKC", text))


def _name_in_gate(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def check_gate(cmp: Comparison, gate: Gate) -> list[Verdict]:
    """The verdict of a gate on each system that it concerns."""
    measure = cmp.find(gate.measure)
    reference = _reference(cmp, gate)
    systems = [cmp.find_system(gate.system)] if gate.system else [name for name in cmp.systems if name != reference]
    limit = gate.offset
    if reference is not None:
        base = cmp.score(measure, reference).value
        limit = base + gate.offset * (abs(base) if gate.relative else 1.0)
    values = [cmp.score(measure, system).value for system in systems]
    chances: list[float | None] = [None] * len(systems)
    raw: list[float] = [0.0] * len(systems)
    if gate.significantly:
        if measure not in cmp.samples:  # a gate that asks for proof where there can be none would always pass
            raise InputError.of("comparing.no_proof", text=gate.text, why=cmp.differences_of(measure)[0].reason)
        alternative: Alternative = "less" if gate.operator[0] == "<" else "greater"
        shift = limit if reference is None else limit - cmp.score(measure, reference).value
        raw = [cmp.p_shifted(measure, system, reference, shift, alternative) for system in systems]
        chances = list(corrected(np.array(raw), cmp.settings.correction).tolist())
    rows = zip(systems, values, chances, raw, strict=True)
    return [_verdict_of_gate(cmp, gate, *row, limit, reference) for row in rows]


def _reference(cmp: Comparison, gate: Gate) -> str | None:
    if gate.reference is None:
        return None
    if gate.reference == "baseline" and "baseline" not in cmp.systems:
        if cmp.baseline is None:
            raise InputError.of("comparing.gate_needs_baseline", text=gate.text)
        return cmp.baseline
    close = _CLOSE.fullmatch(gate.reference)
    if gate.reference not in cmp.systems and close and close["name"] in cmp.systems:
        meant = f"{close['name']} {close['sign']} {close['size']}"
        raise InputError.of("comparing.no_space_in_gate", text=gate.text, name=gate.reference, meant=meant)
    return cmp.find_system(gate.reference)


def _verdict_of_gate(
    cmp: Comparison,
    gate: Gate,
    system: str,
    value: float,
    p: float | None,
    raw_p: float,
    limit: float,
    reference: str | None,
) -> Verdict:
    is_reached = meets(value, gate.operator, limit)
    certain = p is None or p < cmp.settings.alpha
    undefined = math.isnan(value) or math.isnan(limit)
    against = said("limit_number", limit=limit)
    if reference is not None:
        size = f"{abs(gate.offset):.4%}".rstrip("0%").rstrip(".") + "%" if gate.relative else f"{abs(gate.offset):g}"
        offset = f" {'-' if gate.offset < 0 else '+'} {size}" if gate.offset else ""
        against = said("limit_of", limit=limit, source=reference + offset)
    kind = "gate_does_not_hold"
    if undefined:
        kind = "gate_undefined"
    elif is_reached:
        kind = "gate_holds" if p is None else "gate_holds_surely" if certain else "gate_holds_by_chance"
        if raw_p > HALF:
            kind = "gate_holds_against_test"
    relation = said(_RELATIONS[gate.operator])
    why = said(kind, measure=gate.measure, system=system, value=value, relation=relation, limit=against, p=p)
    return Verdict(gate, system, value, limit, p, undefined or (is_reached and certain), why)


def meets(value: float, operator: Operator, limit: float) -> bool:
    """Whether ``value operator limit`` holds."""
    # A value that is equal but for rounding is equal: 0.5 - 0.01 is not below 0.49.
    if math.isclose(value, limit, rel_tol=1e-12, abs_tol=1e-12):
        return operator in ("<=", ">=")
    return value < limit if operator[0] == "<" else value > limit


def check_gates(cmp: Comparison, gates: Sequence[Gate]) -> list[Verdict]:
    """The verdicts of all gates."""
    return [verdict for gate in gates for verdict in check_gate(cmp, gate)]


_CONTRARY: Mapping[Operator, Operator] = {">=": "<", ">": "<=", "<=": ">", "<": ">="}
BASELINE, RUN = "baseline", "run"


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

    def told(self, lang: Language | None = None) -> str:
        """Everything in a few lines."""
        lang = lang or chosen_language()
        lines = [f"{self.text}: {self.why.text(lang)}"]
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
    try:
        gate = parse_gate(text)
    except InputError as error:
        raise error.changed(hint=example) if error.problem.kind == "comparing.not_a_gate" else error from None
    if gate.reference is not None and gate.reference != BASELINE:
        hint = did_you_mean(gate.reference, [BASELINE]) or example
        raise InputError.of("comparing.requirement_of_unknown", text=text, name=gate.reference, hint=hint)
    wanted = ">" if parse(gate.measure).higher_is_better else "<"
    if gate.operator[0] != wanted or gate.significantly:
        # That is how a gate is written, and as a requirement it would pass on a loss.
        limit = gate.reference or "0.45"
        raise InputError.of("comparing.not_a_requirement", text=text, choice=f"{gate.measure} {wanted}= {limit}")
    is_certain = gate.reference is not None if certain is None else certain
    return replace(gate, operator=_CONTRARY[gate.operator], significantly=is_certain)


def _of_value(gate: Gate, ev: Evaluation) -> Requirement:
    """A requirement on the value of a run alone."""
    value = ev[gate.measure]
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
    return Requirement(gate.text, not verdict.failed, verdict.value, ends, why, _fallen(cmp, gate.measure, shown))


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
