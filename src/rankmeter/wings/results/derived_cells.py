"""Cells that were computed from other cells: improvements, averages, ranks, and which value is printed bold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations

from rankmeter.frozen import dataclass
from rankmeter.wings.results.printed import PrintedClaim, PrintedNumber, Rounding
from rankmeter.wings.results.printed_tables import DerivedCell
from rankmeter.wings.results.verdicts import AuditFinding, Kind
from rankmeter.wording import Said, kinds, said

Ends = tuple[float, float]


def derived_findings(cells: Iterable[DerivedCell], roundings: Sequence[Rounding]) -> list[AuditFinding]:
    """What is wrong, however digits were cut, with cells that were computed from others."""
    checks = {"improvement": _improvement, "average": _average, "rank": _rank}
    findings = []
    for cell in cells:
        found = [checks[cell.kind](cell, rounding) for rounding in roundings]
        if found[0] is not None and all(found):
            findings.append(found[0])
    return findings


def _meets(one: Ends, other: Ends) -> bool:
    slack = 1e-9
    return one[0] <= other[1] + slack and other[0] <= one[1] + slack


def _shown(ends: Ends, digits: int) -> dict[str, str]:
    return {"low": f"{ends[0]:.{digits}f}", "high": f"{ends[1]:.{digits}f}"}


def _digits(printed: PrintedNumber) -> int:
    bare = printed.text.strip(" *%\\")
    return len(bare.partition(".")[2].rstrip("*†‡ ")) + 1


@dataclass(frozen=True, slots=True)
class _Gain:
    """A way to say by how much one value is better than another."""

    name: str

    def ends(self, new: Ends, old: Ends) -> Ends | None:
        """Between which values it lies."""
        pairs = [(a, b) for a in new for b in old]
        divisors = {"of_old": [b for _, b in pairs], "of_new": [a for a, _ in pairs], "points": [0.01] * 4}[self.name]
        if min(divisors) <= 0:
            return None
        gains = [100 * (a - b) / d if self.name != "points" else (a - b) / d
                 for (a, b), d in zip(pairs, divisors, strict=True)]  # fmt: skip
        return min(gains), max(gains)


GAINS = (_Gain("of_old"), _Gain("of_new"), _Gain("points"))
_GAINED = kinds("audit_gain_{}", ("of_old", "of_new", "points"))


def _improvement(cell: DerivedCell, rounding: Rounding) -> AuditFinding | None:
    """The last system against the best of the others, in per cent of it; else what else it may be."""
    own, others = cell.claims[-1], cell.claims[:-1]
    best = max(others, key=lambda claim: claim.value)
    tied = [claim for claim in others if claim.span(rounding)[1] >= best.span(rounding)[0]]
    scale = 100 if cell.printed.is_percent else 1
    stated = tuple(end * scale for end in cell.printed.span(rounding))
    stated = (stated[0], stated[1])
    # A per cent may also be printed as a share.
    forms = [stated, (stated[0] * 100, stated[1] * 100)]
    usual = [GAINS[0].ends(own.span(rounding), claim.span(rounding)) for claim in tied]
    if any(ends and _meets(form, ends) for ends in usual for form in forms):
        return None
    expected = next(ends for ends in usual if ends) if any(usual) else (0.0, 0.0)
    ways: list[Said] = []
    for new, old in permutations(cell.claims, 2):
        for gain in GAINS:
            ends = gain.ends(new.span(rounding), old.span(rounding))
            if ends and _meets(forms[0], ends) and (new is own or gain is GAINS[0]) and len(ways) < 3:
                ways.append(said(_GAINED[gain.name], new=new.system or new.text, old=old.system or old.text))
    reason = said(
        "audit_improvement", cell=cell.printed.bare, new=own.text, old=best.text,
        new_system=own.system, old_system=best.system, **_shown(expected, _digits(cell.printed)),
    )  # fmt: skip
    return AuditFinding("only_if" if ways else "impossible", (own, best), reason, tuple(ways), cell.place)


def _average(cell: DerivedCell, rounding: Rounding) -> AuditFinding | None:
    spans = [claim.span(rounding) for claim in cell.claims]
    ends = sum(low for low, _ in spans) / len(spans), sum(high for _, high in spans) / len(spans)
    if _meets(cell.printed.span(rounding), ends):
        return None
    scale = 100 if cell.printed.is_percent else 1
    shown = _shown((ends[0] * scale, ends[1] * scale), _digits(cell.printed))
    reason = said("audit_average", cell=cell.printed.bare, count=len(spans), **shown)
    return AuditFinding("impossible", cell.claims, reason, (), cell.place)


def _rank(cell: DerivedCell, rounding: Rounding) -> AuditFinding | None:
    """A mean rank over the columns, or the rank in one of them or by their mean; equal values may be either way."""
    if any(claim.measure.goal != "higher" for claim in cell.claims):
        return None
    low, high = [], []
    for column in cell.columns:
        own = next((claim for claim in column if claim.system == cell.system), None)
        if own is None:
            return None
        above, alike = _before(own.value, own.value, [(one.value, one.value) for one in column if one is not own])
        low.append(above + 1)
        high.append(above + alike + 1)
    ends = sum(low) / len(low), sum(high) / len(high)
    stated = cell.printed.span(rounding)
    # A rank is a whole number, or a mean of such: a cut one never was the next above (or below) it.
    inner = {"nearest": stated, "down": (stated[0], stated[1] - 1e-6), "up": (stated[0] + 1e-6, stated[1])}[rounding]
    if _meets(inner, ends):
        return None
    if cell.printed.value.is_integer() and any(
        _meets((cell.printed.value,) * 2, other) for other in ((min(low), max(high)), _rank_by_mean(cell, rounding))
    ):
        return None
    reason = said("audit_rank", cell=cell.printed.bare, count=len(low), **_shown(ends, 2))
    return AuditFinding("impossible", cell.claims, reason, (), cell.place)


def _before(low: float, high: float, others: Iterable[Ends]) -> tuple[int, int]:
    """How many others are surely above, and how many may be either way."""
    places = [1 if other[0] > high else 0 if other[1] < low else -1 for other in others]
    return places.count(1), places.count(-1)


def _rank_by_mean(cell: DerivedCell, rounding: Rounding) -> Ends:
    """Between which ranks a system is by the mean of its columns; only systems that stand in all of them have one."""
    spans: dict[str, list[Ends]] = {}
    for column in cell.columns:
        for claim in column:
            spans.setdefault(claim.system, []).append(claim.span(rounding))
    means = {
        system: (sum(low for low, _ in ends) / len(ends), sum(high for _, high in ends) / len(ends))
        for system, ends in spans.items()
    }  # fmt: skip
    above, open_ones = _before(*means.pop(cell.system), means.values())
    return above + 1, above + open_ones + 1


def bold_findings(columns: Mapping[str, Sequence[PrintedClaim]]) -> list[AuditFinding]:
    """Where a value is bold that is not the best of its column; a system may be bold as a whole."""
    findings = []
    plain = {claim.system for claims in columns.values() for claim in claims if not claim.printed.is_bold}
    for claims in columns.values():
        bold = [claim for claim in claims if claim.printed.is_bold]
        if not bold or len(bold) == len(claims) or bold[0].measure.goal != "higher":
            continue
        best = max(claims, key=lambda claim: claim.value)
        for claim in bold:
            if claim.value < best.value and not best.printed.is_bold:
                reason = said(
                    "audit_bold", claim=claim.text, system=claim.system, best=best.text, other=best.system
                )  # fmt: skip
                ways = () if claim.system in plain else (said("audit_bold_row"),)
                kind: Kind = "only_if" if ways else "impossible"
                findings.append(AuditFinding(kind, (claim, best), reason, ways, claim.place))
    return findings
