"""What printed numbers tell of how they were made, and how exact they can be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rankmeter.stats.power import wilson
from rankmeter.wings.results.claim_bounds import Setting, granules, possible_queries
from rankmeter.wings.results.printed import PrintedClaim, Rounding
from rankmeter.wings.results.verdicts import Resolution
from rankmeter.wording import Said, said

MOST_QUERIES = 20_000
"""Up to which number of queries the possible ones are looked for."""
FEWEST_APART = 6
"""How many queries must differ, all in one direction, for a sign test at 5%."""
DETECTED = 2.8
"""The sum of the normal quantiles of 80% power and of a two-sided test at 5%."""


def by_row(claims: Iterable[PrintedClaim]) -> dict[tuple[str, str], list[PrintedClaim]]:
    """The claims of each system on each data set."""
    groups: dict[tuple[str, str], list[PrintedClaim]] = {}
    for one in claims:
        groups.setdefault((one.system, one.dataset), []).append(one)
    return groups


def by_column(claims: Iterable[PrintedClaim]) -> dict[str, list[PrintedClaim]]:
    """The claims of each measure on each data set."""
    columns: dict[str, list[PrintedClaim]] = {}
    for one in claims:
        columns.setdefault(f"{one.dataset}\n{one.measure}", []).append(one)
    return columns


def of_one_cutoff(claims: Sequence[PrintedClaim], *kinds: str) -> list[tuple[PrintedClaim, ...]]:
    """Claims of these kinds with one cutoff."""
    by_k: dict[int | None, dict[str, PrintedClaim]] = {}
    for one in claims:
        by_k.setdefault(one.k, {})[one.kind] = one
    return [tuple(found[kind] for kind in kinds) for found in by_k.values() if set(kinds) <= set(found)]


def random_value(one: PrintedClaim, candidates: int) -> float | None:
    """What a random order of the candidates gives, of which one is relevant; None where it is not known.

    >>> from rankmeter.wings.results.printed import claim
    >>> random_value(claim("HR@10", "0.5"), 100), round(random_value(claim("MRR", "0.5"), 100), 4)
    (0.1, 0.0519)
    """
    ranks = range(1, min(one.k or candidates, candidates) + 1)
    if one.kind in ("hit", "recall"):
        return len(ranks) / candidates
    if one.kind in ("rr", "ap"):
        return math.fsum(1 / rank for rank in ranks) / candidates
    if one.kind == "ndcg":
        return math.fsum(1 / math.log2(rank + 1) for rank in ranks) / candidates
    return None


def remarks(
    claims: Sequence[PrintedClaim],
    sizes: Mapping[str, int],
    base: Setting,
    rounding: Rounding,
    several: Sequence[Sequence[PrintedClaim]],
    items: int | None,
) -> list[Said]:
    """What the numbers tell of how they were made."""
    notes: list[Said] = []
    for dataset in dict.fromkeys(one.dataset for one in claims):
        own = [one for one in claims if one.dataset == dataset]
        if dataset in sizes:
            least = FEWEST_APART / sizes[dataset]
            notes.append(
                said(
                    "audit_least",
                    dataset=dataset or said("audit_the_table"),
                    queries=sizes[dataset],
                    fewest=FEWEST_APART,
                    least=f"{least:.4f}",
                )
            )
        else:
            notes += _fitting(dataset, own, replace(base, rounding=rounding))
    if several:
        named = list(dict.fromkeys(group[0].system for group in several if group[0].system))[:3]
        notes.append(said("audit_several", names=named or [said("audit_the_table")], count=len(several)))
    pairs = [pair for group in by_row(claims).values() for pair in of_one_cutoff(group, "hit", "recall")]
    if pairs and all(hit.value == recall.value for hit, recall in pairs):
        notes.append(said("audit_recall_is_hit", count=len(pairs)))
    trios = [trio for group in by_row(claims).values() for trio in of_one_cutoff(group, "precision", "recall", "f1")]
    if trios and not any(hit.value == recall.value for hit, recall in pairs) and all(map(_is_f1_of_means, trios)):
        notes.append(said("audit_f1_of_means", count=len(trios)))
    if base.candidates and items and (cut := [one for one in claims if one.kind == "hit" and one.k]):
        k = cut[0].k or 1
        rank = round((k - 1) / max(base.candidates - 1, 1) * (items - 1)) + 1
        notes.append(said("audit_sampled", k=k, candidates=base.candidates, rank=rank, items=items))
    if len({one.dataset for one in claims}) == 1 and not sizes and not any(granules(one, Setting(1)) for one in claims):
        notes.append(said("audit_give_queries"))
    return notes


def _is_f1_of_means(trio: tuple[PrintedClaim, ...]) -> bool:
    precision, recall, f1 = trio
    below = precision.value + recall.value
    whole = 2 * precision.value * recall.value / below if below else 0.0
    return abs(f1.value - whole) <= f1.printed.unit


def _fitting(dataset: str, claims: Sequence[PrintedClaim], setting: Setting) -> list[Said]:
    """Which numbers of queries fit the hit rates of a data set."""
    counted = [one for one in claims if granules(one, replace(setting, queries=1)) and one.value > 0]
    if not counted or setting.folds > 1:
        return []
    fits = possible_queries(counted, setting, MOST_QUERIES)
    if not len(fits):
        return [
            said("audit_fits_none", dataset=dataset or said("audit_the_table"), count=len(counted), most=MOST_QUERIES)
        ]
    if fits[0] == 1:
        return []
    first = [f"{number:,}" for number in fits[:6].tolist()]
    facts = {
        "dataset": dataset or said("audit_the_table"),
        "count": len(counted),
        "least": int(fits[0]),
        "first": first,
    }
    return [said("audit_fits", **facts, fitting=len(fits), most=MOST_QUERIES)]


def resolution(one: PrintedClaim, size: int, claims: Sequence[PrintedClaim]) -> Resolution:
    """How wide the interval of a value must and may be, and which difference shows."""
    value = min(max(one.value, 0.0), 1.0)
    most = 1.96 * math.sqrt(value * (1 - value) / size)
    least = most if one.kind == "hit" else 0.0
    if one.kind not in ("hit", "other"):
        # All of the value may lie on the queries with a hit, each with the same.
        hits = [
            other.value
            for other in claims
            if other.kind == "hit" and (other.system, other.dataset, other.k) == (one.system, one.dataset, one.k)
        ]
        if hits and value <= hits[0] and 0 < hits[0] <= 1:
            least = min(1.96 * value * math.sqrt((1 - hits[0]) / hits[0] / size), most)
    if one.kind == "hit":
        low, high = wilson(value * size, size)
        most = least = (high - low) / 2
    apart = min(2 * value, 2 - 2 * value, 1.0)
    return Resolution(one, least, most, DETECTED * math.sqrt(apart / size))
