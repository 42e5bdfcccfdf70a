"""An honest protocol: what a person should know of the way a recommender was evaluated.

What is noticed are counts, so that blocks of queries notice together what all queries notice at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rankmeter.arithmetic.slates import Sets, Slates
from rankmeter.arithmetic.slates.listquality import is_among
from rankmeter.errors import examples, warn
from rankmeter.lists.slating import Material
from rankmeter.measures import Measure
from rankmeter.measures.slate_base import SlateMeasure
from rankmeter.placing.placements import Bools, Placements
from rankmeter.wording import Said, said

LEAVES_OUT = "without history in "
"""Begins the name of how many users without a history a measure leaves out."""
FEWEST_USERS = 20
"""With fewer users a candidate set that looks sampled may just be small."""

Noticed = Mapping[str, int]
"""Counts that add up; of those whose names begin with ``most`` or ``least`` the largest or the smallest counts."""


def notice(
    material: Material, placements: Placements, slates: Sequence[Slates], tied: Mapping[str, int]
) -> dict[str, int]:
    """Count what may have to be said of some queries; ``tied`` is what ties decide."""
    noticed = {**_leakage(material), **_candidates(material, placements), **tied}
    if material.history is not None or material.items.listed:
        noticed["missing"] = int((placements.is_judged & ~placements.in_run).sum())
        noticed["judged"] = int(placements.is_judged.sum())
    for first in slates[:1]:
        noticed |= _lists(first)
    return noticed


def left_out(s: Slates, measure: Measure, counted: Bools, chosen: Bools) -> dict[str, int]:
    """How many users that have a list and no history a measure leaves out, for want of one."""
    looks = isinstance(measure, SlateMeasure) and (measure.sees_history or "history" in measure.needed())
    if s.history is None or not looks:
        return {}
    without = (np.diff(s.history.offsets) == 0) & (s.lengths > 0) & chosen
    return {LEAVES_OUT + str(measure): int(without.sum())} if not counted[without].any() else {}


def noticed_together(every: Iterable[Noticed]) -> dict[str, int]:
    """What some blocks have noticed together."""
    merged: dict[str, int] = {}
    for noticed in every:
        for name, count in noticed.items():
            choose = max if name.startswith("most") else min if name.startswith("least") else sum
            merged[name] = choose([merged[name], count]) if name in merged else count
    return merged


def protocol_notes(noticed: Noticed, measures: Iterable[Measure]) -> list[str]:
    """What is said with the numbers of these measures; what could make them wrong is warned of too."""
    notes: list[str] = (
        [said("leaked", shared=noticed["leaked"], relevant=noticed["relevant"])] if noticed.get("leaked") else []
    )
    notes += _said_of_candidates(noticed)
    for sentence in notes:
        warn(sentence)
    if missing := noticed.get("missing"):  # the counts of the evaluation say it too, so it is only warned of
        warn(said("users_without_list", missing=missing, judged=noticed["judged"], how=_lists_missing(measures)))
    return notes + _said_of_lists(noticed)


def _lists_missing(measures: Iterable[Measure]) -> Said:
    """What each of these measures makes of a judged user without a list."""
    as_empty: dict[bool, list[str]] = {True: [], False: []}
    for measure in measures:
        as_empty[measure.describe().get("queries") == "judged"].append(str(measure))
    empty, left_out = (as_empty[is_empty] and examples(as_empty[is_empty]) for is_empty in (True, False))
    if empty and left_out:
        return said("missing_lists_of_both", empty=empty, left_out=left_out)
    return said("missing_lists_empty", measures=empty) if empty else said("missing_lists_left_out", measures=left_out)


def _leakage(material: Material) -> dict[str, int]:
    """Relevant test pairs that stand in the training data too."""
    judged = material.judged
    if material.history is None or judged is None:
        return {}
    relevant = judged.grade > 0
    leaked, _ = is_among(judged.query[relevant], judged.item[relevant], material.history, material.items.total)
    return {"leaked": int(leaked.sum()), "relevant": len(leaked)}


def _candidates(material: Material, p: Placements) -> dict[str, int]:
    """How long the lists of judged users are, and whether all relevant items are in them."""
    both = p.is_judged & p.in_run
    if material.judged is None or not both.any():
        return {}
    lengths = p.returned[both]
    relevant = np.bincount(material.judged.query[material.judged.grade > 0], minlength=len(p))[both]
    found = np.bincount(p.query[p.grade > 0], minlength=len(p))[both]
    items = material.items
    return {
        "users": len(lengths),
        "with relevant": int((relevant > 0).sum()),
        "lacking": int((found < relevant).sum()),
        "least length": int(lengths.min()),
        "most length": int(lengths.max()),
        "least others": int((lengths - relevant).min()),
        "most others": int((lengths - relevant).max()),
        "most items": max(items.listed, int(np.count_nonzero(items.seen)) if items.seen is not None else 0),
    }


def _said_of_candidates(noticed: Noticed) -> list[str]:
    """Lists that all hold every relevant item and are all of one length, far below the catalogue: sampled negatives.

    Krichene and Rendle (KDD 2020): a measure over sampled candidates can order systems otherwise than the exact one.
    """
    if noticed.get("users", 0) < FEWEST_USERS or not noticed["with relevant"] or noticed["lacking"]:
        return []
    spread = noticed["least length"] < noticed["most length"] and noticed["least others"] < noticed["most others"]
    longest, universe = noticed["most length"], noticed["most items"]
    if spread or 2 * longest >= universe:
        return []
    return [said("look_sampled", longest=longest, universe=universe)]


def _lists(s: Slates) -> dict[str, int]:
    """Places with items that are not fully known."""
    noticed = {"places": len(s.item)}
    if s.items.listed:
        noticed["outside"] = int((s.item >= s.items.listed).sum()) if s.items.total > s.items.listed else 0
    if isinstance(s.items.features, Sets):
        noticed["most blank"] = int((np.diff(s.items.features.indptr) == 0).sum())
    elif s.items.features is not None:
        noticed["most blank"] = int((~s.items.features.any(axis=1)).sum())
    if s.history is not None:
        noticed["without history"] = int(((np.diff(s.history.offsets) == 0) & (s.lengths > 0)).sum())
    return noticed


def _said_of_lists(noticed: Noticed) -> list[str]:
    notes: list[str] = []
    if outside := noticed.get("outside"):
        notes.append(said("outside_catalogue", count=outside, places=noticed["places"]))
    if blank := noticed.get("most blank"):
        notes.append(said("zero_features", count=blank))
    if without := noticed.get("without history"):
        leaving = [name.removeprefix(LEAVES_OUT) for name in noticed if name.startswith(LEAVES_OUT) and noticed[name]]
        measures = {"measures": examples(leaving)} if leaving else {}
        notes.append(said("without_history" if leaving else "without_history_at_all", count=without, **measures))
    for name, count in noticed.items():
        if name.startswith("ties ") and count:
            _, kind, k = name.split(" ")
            kinds = {"across": "ties_across_lists", "within": "ties_within_lists" if k else "ties_within_whole_lists"}
            notes.append(said(kinds[kind], count=count, k=k))
    return notes
