"""Gates for pipelines: a condition under which a comparison fails.

``nDCG@10 < baseline - 0.01``, ``RR < 0.5``, ``AP of dense < bm25 - 2%``, ``nDCG@10 < baseline significantly``. For
tests, a requirement says the opposite, ``RR >= baseline - 0.01``. Both are taken literally: the same data fails both or
neither. ``significantly`` (or ``surely``) asks for more than chance, and a requirement says it of the loss that it
forbids: ``not RR < baseline - 0.01 significantly``.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

import numpy as np

from rankmeter.comparing.results import Comparison
from rankmeter.errors import InputError, NotFoundError, did_you_mean, examples
from rankmeter.evaluating.result import Evaluation
from rankmeter.measures import parse
from rankmeter.stats.corrections import corrected
from rankmeter.stats.student import Alternative
from rankmeter.wording import Said, said

Operator = Literal["<", "<=", ">", ">="]

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_GATE = re.compile(r"(?P<left>[^<>]+?)\s*(?P<operator><=|>=|<|>)\s*(?P<right>[^<>]+)")
_SIGNIFICANTLY = re.compile(r"^\s*(?:significantly|surely)\s+|\s+(?:significantly|surely)\s*$")
_OFFSET = re.compile(rf"(?P<name>.+?)\s+(?P<sign>[+-])\s*(?P<size>{_NUMBER})\s*(?P<percent>%?)")
_CLOSE = re.compile(rf"(?P<name>.+?)(?P<sign>[+-])(?P<size>{_NUMBER}%?)")
"""As an offset, but without spaces: names may hold a minus and a number too, `baseline` does not."""
_OF = re.compile(r"(?P<measure>.+?)\s+of\s+(?P<system>.+)")
RARELY = 0.01
"""A gate that chance alone would fail more often than this is said to."""
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
    flaps: float | None = None
    """How often a system as good as the reference would fail the gate on other queries; None where that is unknown."""
    steady: float | None = None
    """The offset with which that would happen in 1 of 100 cases."""


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
    limit, base = gate.offset, 0.0
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
        shift, factor = gate.offset, 1.0
        if gate.relative:  # a share of a value that is an estimate itself
            shift, factor = 0.0, 1 + math.copysign(gate.offset, gate.offset * base)
        raw = [cmp.p_shifted(measure, system, reference, shift, alternative, factor=factor) for system in systems]
        chances = list(corrected(np.array(raw), cmp.settings.correction).tolist())
    rows = zip(systems, values, chances, raw, strict=True)
    found = [_verdict_of_gate(cmp, gate, *row, limit, reference) for row in rows]
    if gate.significantly or reference is None or measure not in cmp.samples:
        return found
    return [_with_noise(cmp, verdict, reference, base) for verdict in found]


def _with_noise(cmp: Comparison, verdict: Verdict, reference: str, base: float) -> Verdict:
    """The verdict with how often chance alone would give it, were the system as good as the reference."""
    gate, measure = verdict.gate, cmp.find(verdict.gate.measure)
    pair = (cmp.systems.index(verdict.system), cmp.systems.index(reference))
    error = float(cmp.samples[measure].spreads([pair]).error[0])
    if not error > 0 or math.isnan(verdict.limit):
        return verdict
    normal, side = NormalDist(), -1.0 if gate.operator[0] == "<" else 1.0
    flaps = 1 - normal.cdf(side * (verdict.limit - base) / error)
    steady = side * normal.inv_cdf(1 - RARELY) * error
    return replace(verdict, flaps=flaps, steady=steady / abs(base) if gate.relative and base else steady)


def noise_of(verdicts: Sequence[Verdict]) -> list[Said]:
    """For each gate that chance alone would fail too often, how often, and the margin with which it rarely would."""
    worst: dict[str, Verdict] = {}
    for verdict in sorted(verdicts, key=lambda verdict: verdict.flaps or 0.0):
        if (verdict.flaps or 0.0) > RARELY:
            worst[verdict.gate.text] = verdict
    return [
        said(
            "gate_flaps", gate=gate.text, share=verdict.flaps, system=verdict.system, reference=gate.reference,
            margin=_offset_text(verdict.steady or 0.0, relative=gate.relative),
        )
        for verdict in worst.values()
        for gate in (verdict.gate,)
    ]  # fmt: skip


def _offset_text(offset: float, *, relative: bool) -> str:
    """An offset as it is written in a gate, rounded away from 0."""
    size = math.ceil(abs(offset) * (1e3 if relative else 1e4)) / (10 if relative else 1e4)
    return f"{'-' if offset < 0 else '+'} {size:g}{'%' if relative else ''}"


def _reference(cmp: Comparison, gate: Gate) -> str | None:
    if gate.reference is None:
        return None
    if gate.reference == "baseline" and "baseline" not in cmp.systems:
        if cmp.baseline is None:
            raise InputError.of("comparing.gate_needs_baseline", text=gate.text)
        if cmp.settings.has_baselines:
            raise InputError.of("comparing.which_baseline", text=gate.text, names=examples(cmp.baselines))
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
    held = [system] if reference is None else [system, reference]
    if unknown := nothing_found({name: cmp.evaluations[name] for name in held}):
        return Verdict(gate, system, value, limit, p, failed=True, why=unknown)
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


def nothing_found(evaluations: Mapping[str, Evaluation]) -> Said | None:
    """Why values mean nothing where a run has no judged item at all: mostly ids of another kind."""
    for system, ev in evaluations.items():
        for side in ev.reading.sides:
            note = next((note for note in side.notes.values() if getattr(note, "kind", "") == "nothing_found"), None)
            if note is not None:
                return said("gate_without_ids", system=system, note=note)
    return None


def check_evaluations(evaluations: Sequence[Evaluation], gates: Sequence[Gate]) -> list[Verdict]:
    """The verdicts of gates on runs that are measured, each alone: limits are numbers."""
    check_alone(gates)
    names = {ev.name: ev for ev in evaluations}
    verdicts = []
    for gate in gates:
        if gate.system is not None and gate.system not in names:
            hint = did_you_mean(gate.system, list(names)) or said("comparing.there_are", known=list(names))
            raise NotFoundError.of("comparing.no_system", name=gate.system, hint=hint)
        verdicts += [_verdict_alone(gate, ev) for name, ev in names.items() if gate.system in (None, name)]
    return verdicts


def check_alone(gates: Sequence[Gate]) -> None:
    """Refuse gates that one run alone does not answer."""
    for gate in gates:
        if gate.reference is not None:
            raise InputError.of("comparing.gate_needs_systems", text=gate.text, name=gate.reference)
        if gate.significantly:
            raise InputError.of("comparing.gate_proves_alone", text=gate.text)


def _verdict_alone(gate: Gate, ev: Evaluation) -> Verdict:
    value, limit = ev[gate.measure], gate.offset
    if unknown := nothing_found({ev.name: ev}):
        return Verdict(gate, ev.name, value, limit, None, failed=True, why=unknown)
    failed = math.isnan(value) or meets(value, gate.operator, limit)
    kind = "gate_undefined" if math.isnan(value) else "gate_holds" if failed else "gate_does_not_hold"
    facts = {"measure": gate.measure, "system": ev.name, "value": value}
    why = said(kind, **facts, relation=said(_RELATIONS[gate.operator]), limit=said("limit_number", limit=limit))
    return Verdict(gate, ev.name, value, limit, None, failed, why)


def meets(value: float, operator: Operator, limit: float) -> bool:
    """Whether ``value operator limit`` holds."""
    # A value that is equal but for rounding is equal: 0.5 - 0.01 is not below 0.49.
    if math.isclose(value, limit, rel_tol=1e-12, abs_tol=1e-12):
        return operator in ("<=", ">=")
    return value < limit if operator[0] == "<" else value > limit


def check_gates(cmp: Comparison, gates: Sequence[Gate]) -> list[Verdict]:
    """The verdicts of all gates."""
    return [verdict for gate in gates for verdict in check_gate(cmp, gate)]
