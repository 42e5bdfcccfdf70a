"""Audit printed numbers without their data: what cannot be, alone or together, and why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from rankmeter.errors import InputError, check_choice, check_whole
from rankmeter.wings.results.claim_bounds import (
    JOINED,
    SLACK,
    ClaimProgram,
    Relevant,
    Setting,
    granules,
    is_in_steps,
)
from rankmeter.wings.results.derived_cells import bold_findings, derived_findings
from rankmeter.wings.results.printed import ROUNDINGS, PrintedClaim, Rounding, claim
from rankmeter.wings.results.printed_tables import PrintedTable, read_printed
from rankmeter.wings.results.remarks import by_column, by_row, of_one_cutoff, random_value, remarks, resolution
from rankmeter.wings.results.verdicts import Audit, AuditFinding
from rankmeter.wording import Said, kinds, said

MOST_RUNS = 10
_ROUNDED = kinds("audit_round_{}", get_args(Rounding))
WAYS: Mapping[str, dict[str, str]] = {
    "audit_way_recall_capped": {"recall": "capped"},
    "audit_way_ap_capped": {"ap": "capped"},
    "audit_way_ap_hits": {"ap": "hits"},
    "audit_way_recall_capped_ap_capped": {"recall": "capped", "ap": "capped"},
    "audit_way_precision_list": {"precision": "list"},
    "audit_way_rr_hits": {"rr": "hits"},
    "audit_way_ndcg_full": {"ndcg": "full"},
}
"""Other definitions that are tried where the usual ones leave no way."""

_OFF_STEPS = ("audit_not_in_steps", "audit_not_of_folds")
Queries = int | Mapping[str, int] | None


def audit(
    table: object,
    *,
    queries: Queries = None,
    relevant: Relevant | None = None,
    candidates: int | None = None,
    items: int | None = None,
    runs: int = 1,
    folds: int = 1,
    rounding: Rounding | None = None,
    scale: str | None = None,
) -> Audit:
    """Say which printed numbers cannot be, alone or together, from their digits and the number of queries.

    Parameters
    ----------
    table
        A file (CSV, TSV, a Markdown table), rows of text, or ``{measure: text}``. Numbers are text: 0.350 says more
        than 0.35.
    queries
        How many queries (users) the values are means of, or that number by data set.
    relevant
        ``"one"`` where each query has one relevant item, as in leave-one-out.
    candidates
        Among how many items each query's were ranked, if they were sampled.
    items
        How many items there are in all.
    runs, folds
        Over how many runs with the same queries, or folds of them, the values are means.
    rounding
        ``"nearest"``, ``"down"`` or ``"up"``; by default nearest, and the others where that leaves no way.
    scale
        ``"percent"`` or ``"share"``, where the values do not tell.

    Examples
    --------
    >>> import rankmeter as rm
    >>> checked = rm.audit({"HR@10": "0.3571"}, queries=943)
    >>> print(checked.findings[0].reason)
    HR@10=0.3571 is not a share of 943: 336/943 = 0.3563, 337/943 = 0.3574
    >>> rm.audit({"HR@10": "0.3574", "NDCG@10": "0.2012"}, queries=943).is_possible
    True
    >>> print(rm.audit({"HR@10": "0.3574", "NDCG@10": "0.4012"}, queries=943).findings[0].reason)
    HR@10=0.3574 leaves NDCG@10 between 0.0227 and 0.3574: 0.4012 is outside
    """
    _check(relevant, candidates, items, runs, folds, rounding, scale)
    if items is not None and candidates is not None and candidates > items:
        raise InputError.of("results.more_candidates", candidates=candidates, items=items)
    read = _into_table(table, scale)
    sizes = _query_counts(read, queries)
    base = Setting(relevant=relevant or "many", candidates=candidates, runs=runs, folds=folds)
    roundings = ROUNDINGS if rounding is None else (rounding,)
    findings: list[AuditFinding] = []
    notes: list[Said] = list(read.notes)
    several: list[Sequence[PrintedClaim]] = []
    for (_, dataset), claims in by_row(read.claims).items():
        setting = replace(base, queries=sizes.get(dataset))
        whole, found = _alone(claims, setting, roundings)
        found += [*_together(whole, setting, roundings), *_f1(whole, roundings), *_renamed(whole, roundings)]
        found += _despite(whole, found, setting, roundings)
        findings += found
        if relevant is None and not found and not _is_of_one(whole, setting, roundings):
            several.append(claims)
    findings += derived_findings(read.derived, roundings)
    findings += bold_findings(by_column(read.claims))
    findings += _below_random(read.claims, base, sizes)
    notes += remarks(read.claims, sizes, base, roundings[0], several, items)
    resolutions = [resolution(one, size, read.claims) for one in read.claims if (size := sizes.get(one.dataset))]
    return Audit(read.claims, tuple(findings), tuple(resolutions), tuple(notes))


def _check(
    relevant: object, candidates: object, items: object, runs: object, folds: object, rounding: object, scale: object
) -> None:
    check_choice("relevant", relevant, (None, "one", "many"))
    check_choice("rounding", rounding, (None, *ROUNDINGS))
    check_choice("scale", scale, (None, "percent", "share"))
    check_whole("runs", runs, 1)
    check_whole("folds", folds, 1)
    if candidates is not None:
        check_whole("candidates", candidates, 2)
    if items is not None:
        check_whole("items", items, 1)


def _into_table(table: object, scale: str | None) -> PrintedTable:
    if isinstance(table, PrintedTable):
        return table
    if not isinstance(table, Mapping):
        return read_printed(table, scale=scale)
    lost = any(isinstance(value, float) for value in table.values())
    claims = [claim(str(name), str(value)) for name, value in table.items()]
    if scale == "percent":
        claims = [replace(one, printed=one.printed.as_percent()) for one in claims]
    return PrintedTable(tuple(claims), notes=(said("audit_lost_zeros"),) if lost else ())


def _query_counts(table: PrintedTable, queries: Queries) -> dict[str, int]:
    """The number of queries of each data set."""
    datasets = {claim.dataset for claim in table.claims}
    if isinstance(queries, Mapping):
        if unknown := [name for name in queries if name not in datasets]:
            raise InputError.of("results.unknown_dataset", names=unknown, known=sorted(datasets))
        given = dict(queries)
    else:
        given = {} if queries is None else dict.fromkeys(datasets, queries)
    for size in given.values():
        check_whole("queries", size, 1)
    return {**dict(table.queries), **given}


def _is_share(one: PrintedClaim) -> bool:
    return one.kind != "other" or type(one.measure).name in ("AUC", "RBP", "ERR", "Rprec", "Coverage", "Bpref")


def _alone(
    claims: Sequence[PrintedClaim], setting: Setting, roundings: Sequence[Rounding]
) -> tuple[list[PrintedClaim], list[AuditFinding]]:
    """The claims that are possible by themselves, and what is wrong with the others."""
    whole, found = [], []
    for one in claims:
        low, high = one.span(roundings[0])
        if _is_share(one) and (low > 1 + SLACK or one.value < 0 or high < -SLACK):
            ways = [said("audit_as_percent")] if 1 < one.value <= 100 and not one.printed.is_percent else []
            found.append(
                AuditFinding("impossible", (one,), said("audit_outside", claim=one.text), tuple(ways), one.place)
            )
        elif not is_in_steps(one, replace(setting, rounding=roundings[0])):
            found.append(_not_in_steps(one, claims, setting, roundings))
        else:
            whole.append(one)
    return whole, found


def _not_in_steps(
    one: PrintedClaim, beside: Sequence[PrintedClaim], setting: Setting, roundings: Sequence[Rounding]
) -> AuditFinding:
    others = [other for other in roundings[1:] if _all_possible(beside, replace(setting, rounding=other))]
    if others:
        ways = [said(_ROUNDED[other]) for other in others]
        kind = "only_if"
    else:
        tried = (replace(setting, runs=runs, rounding=roundings[0]) for runs in range(2, MOST_RUNS + 1))
        fitting = next((other.runs for other in tried if is_in_steps(one, other)), None)
        ways = [said("audit_way_runs", runs=fitting)] if fitting and setting.runs == 1 and setting.folds == 1 else []
        kind = "impossible"
    steps = granules(one, setting)
    if steps is None:
        reason = said("audit_not_of_folds", claim=one.text, queries=setting.queries, folds=setting.folds)
    else:
        below = math.floor(one.value * steps)
        digits = max(4, len(one.printed.text.partition(".")[2].strip("%* ")) + 2 * one.printed.is_percent)
        near = [f"{count}/{steps} = {count / steps:.{digits}f}" for count in (below, below + 1)]
        reason = said("audit_not_in_steps", claim=one.text, steps=steps, near=near)
    return AuditFinding(kind, (one,), reason, tuple(ways), one.place)  # type: ignore[arg-type]


def _together(claims: Sequence[PrintedClaim], setting: Setting, roundings: Sequence[Rounding]) -> list[AuditFinding]:
    """What is impossible together: the fewest claims, why, and what would explain it; again without one of them."""
    left = [one for one in claims if one.kind in JOINED]
    nearest = replace(setting, rounding=roundings[0])
    conflicts = []
    while len(left) > 1 and (conflict := (program := ClaimProgram(left, nearest)).smallest_conflict()):
        conflicts.append((conflict, _why(program, conflict)))
        left = [one for one in left if one is not conflict[-1]]
    findings = []
    for conflict, reason in conflicts:
        ways = _ways([*left, conflict[-1]], setting, roundings)
        findings.append(AuditFinding("only_if" if ways else "impossible", conflict, reason, ways, conflict[-1].place))
    return findings


def _despite(
    whole: Sequence[PrintedClaim], found: Sequence[AuditFinding], setting: Setting, roundings: Sequence[Rounding]
) -> list[AuditFinding]:
    """The contradictions of values that no number of hits gives, found as if the number of queries were not known."""
    off = [one.claims[0] for one in found if one.kind == "impossible" and one.reason.kind in _OFF_STEPS]
    known = {id(one.claims[-1]) for one in found if len(one.claims) > 1}
    rest = [one for one in whole if id(one) not in known]
    if not off:
        return []
    conflicts = _together([*rest, *off], replace(setting, queries=None), roundings)
    return [one for one in conflicts if any(claim in off for claim in one.claims)]


def _ways(conflict: Sequence[PrintedClaim], setting: Setting, roundings: Sequence[Rounding]) -> tuple[Said, ...]:
    """The ways of rounding, or else the definitions, under which claims are possible together."""
    rounded = [
        said(_ROUNDED[other])
        for other in roundings[1:]
        if ClaimProgram(conflict, replace(setting, rounding=other)).is_possible()
        and all(is_in_steps(one, replace(setting, rounding=other)) for one in conflict)
    ]
    if rounded:
        return tuple(rounded)
    among = {one.kind for one in conflict}
    ways = []
    for way, changes in WAYS.items():
        if not among.issuperset(changes) or (changes.get("ndcg") and setting.relevant == "many"):
            continue
        changed: dict[str, Any] = {"rounding": roundings[0], **changes}
        if ClaimProgram(conflict, replace(setting, **changed)).is_possible():
            ways.append(said(way))
    return tuple(ways)


def _why(program: ClaimProgram, conflict: Sequence[PrintedClaim]) -> Said:
    """The bounds that all but the last of the claims leave the last."""
    last, others = conflict[-1], conflict[:-1]
    least, most = last.span(program.setting.rounding)
    if not others and (least > 1 + SLACK or most < -SLACK):
        return said("audit_outside", claim=last.text)
    low, high = program.ends(last, others)
    queries = program.setting.queries
    if queries is None or least - SLACK > high or most + SLACK < low:
        scale, sign = (100, "%") if last.printed.is_percent else (1, "")
        facts = {"name": last.name, "value": last.printed.bare,
                 "low": f"{low * scale:.4f}{sign}", "high": f"{high * scale:.4f}{sign}"}  # fmt: skip
        if not others:
            return said("audit_between", **facts)
        return said("audit_leaves", given=[one.text for one in others], count=len(others), **facts)
    if not others:
        return said("audit_no_counts_alone", claim=last.text, queries=queries)
    return said("audit_no_counts", claims=[one.text for one in conflict], queries=queries)


def _is_of_one(claims: Sequence[PrintedClaim], setting: Setting, roundings: Sequence[Rounding]) -> bool:
    """Whether the claims are possible with one relevant item a query, however they were rounded."""
    return any(_all_possible(claims, replace(setting, relevant="one", rounding=rounding)) for rounding in roundings)


def _all_possible(claims: Sequence[PrintedClaim], setting: Setting) -> bool:
    """Whether claims are possible, each alone and all together."""
    joined = [one for one in claims if one.kind in JOINED]
    if not all(is_in_steps(one, setting) for one in joined):
        return False
    return len(joined) < 2 or ClaimProgram(joined, setting).is_possible()


def _f1(claims: Sequence[PrintedClaim], roundings: Sequence[Rounding]) -> list[AuditFinding]:
    """The mean of F1 is at most the F1 of the means of precision and recall, as F1 is concave."""
    findings = []
    for precision, recall, f1 in of_one_cutoff(claims, "precision", "recall", "f1"):
        if getattr(f1.measure, "beta", 1) != 1:
            continue
        p, r = (max(one.span(rounding)[1] for rounding in roundings) + SLACK for one in (precision, recall))
        most = 2 * p * r / (p + r)
        if min(f1.span(rounding)[0] for rounding in roundings) > most + SLACK:
            given = [precision.text, recall.text]
            reason = said("audit_f1", given=given, claim=f1.text, most=f"{most:.4f}")
            findings.append(AuditFinding("impossible", (precision, recall, f1), reason, (), f1.place))
    return findings


def _renamed(claims: Sequence[PrintedClaim], roundings: Sequence[Rounding]) -> list[AuditFinding]:
    """Recall that is the hit rate although queries have several relevant items."""
    findings = []
    for hit, recall, precision in of_one_cutoff(claims, "hit", "recall", "precision"):
        if hit.k is None or hit.value != recall.value or hit.value == 0:
            continue
        least = min(precision.span(rounding)[0] for rounding in roundings)
        if least - SLACK > max(hit.span(rounding)[1] for rounding in roundings) / hit.k:
            reason = said("audit_renamed", recall=recall.text, hit=hit.text, precision=precision.text)
            ways = (said("audit_way_renamed"), said("audit_way_all_found"))
            findings.append(AuditFinding("only_if", (hit, recall, precision), reason, ways, recall.place))
    return findings


def _below_random(claims: Iterable[PrintedClaim], base: Setting, sizes: Mapping[str, int]) -> list[AuditFinding]:
    """Values below those of a random order of the candidates, by more than chance."""
    if base.candidates is None:
        return []
    findings = []
    for one in claims:
        chance = random_value(one, base.candidates)
        if chance is None:
            continue
        size = sizes.get(one.dataset)
        noise = 3 * math.sqrt(chance / size) if size else 0.0
        if one.span("nearest")[1] < chance - noise:
            reason = said("audit_below_random", claim=one.text, chance=f"{chance:.4f}", candidates=base.candidates)
            findings.append(AuditFinding("protocol", (one,), reason, (said("audit_way_full"),), one.place))
    return findings
