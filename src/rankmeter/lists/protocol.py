"""An honest protocol: what a person should know of the way a recommender was evaluated."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from rankmeter.arithmetic.slates import Rows, Sets, Slates
from rankmeter.errors import RankmeterWarning
from rankmeter.lists.slating import Material
from rankmeter.placing.placements import Placements

FEWEST_USERS = 20
"""With fewer users a candidate set that looks sampled may just be small."""


def protocol_notes(material: Material, placements: Placements, slates: Sequence[Slates]) -> list[str]:
    """What is said with the numbers; what could make them wrong is warned of too."""
    said = [*_leakage(material), *_sampled(material, placements)]
    for sentence in [*said, *_missing(material, placements)]:
        warnings.warn(sentence, RankmeterWarning, stacklevel=4)
    return said + [note for one in slates[:1] for note in _lists(one)]


def _keys(rows: Rows, total: int, lowest: float) -> np.ndarray:
    kept = rows.grade >= lowest
    keys: np.ndarray = rows.query[kept] * total + rows.item[kept]
    return keys


def _leakage(material: Material) -> list[str]:
    """Relevant test pairs that stand in the training data too."""
    if material.history is None or material.judged is None:
        return []
    total = material.items.total
    relevant = _keys(material.judged, total, np.nextafter(0.0, 1.0))
    before = _keys(material.history, total, -np.inf)  # in rising order: histories are kept so
    at = np.minimum(np.searchsorted(before, relevant), max(len(before) - 1, 0))
    shared = int((before[at] == relevant).sum()) if len(before) else 0
    if not shared:
        return []
    return [f"{shared:,} of {len(relevant):,} relevant pairs stand in the history too: leakage, unless repeats count"]


def _sampled(material: Material, p: Placements) -> list[str]:
    """Lists that all hold every relevant item and are all of one length, far below the catalogue: sampled negatives.

    Krichene and Rendle (KDD 2020): a measure over sampled candidates can order systems otherwise than the exact one.
    """
    both = p.is_judged & p.in_run
    lengths = p.returned[both]
    if material.judged is None or both.sum() < FEWEST_USERS:
        return []
    relevant = np.bincount(material.judged.query[material.judged.grade > 0], minlength=len(p))[both]
    found = np.bincount(p.query[p.grade > 0], minlength=len(p))[both]
    universe = max(
        material.items.listed, int(np.count_nonzero(material.items.seen)) if material.items.seen is not None else 0
    )
    spread = np.ptp(lengths - relevant) == 0 or np.ptp(lengths) == 0
    if not (relevant > 0).any() or (found < relevant).any() or not spread or 2 * lengths.max() >= universe:
        return []
    fact = f"every list holds all relevant items among {int(lengths.max()):,} candidates of {universe:,}"
    return [f"{fact}: they look sampled, and that can change the order of systems (Krichene & Rendle 2020)"]


def _missing(material: Material, p: Placements) -> list[str]:
    """Users without a list; the counts of the evaluation say it too, so it is only warned of."""
    if material.history is None and not material.items.listed:
        return []
    missing = int((p.is_judged & ~p.in_run).sum())
    if not missing:
        return []
    return [
        f"{missing:,} of {int(p.is_judged.sum()):,} judged users have no list; they count as empty lists or not at all"
    ]


def _lists(s: Slates) -> list[str]:
    """Counts of places with items that are not fully known."""
    said = []
    codes = s.codes[s.codes >= 0]
    if s.items.listed:
        outside = int((codes >= s.items.listed).sum())
        if outside:
            said.append(f"{outside:,} of {len(codes):,} recommended places hold items outside the catalogue")
    if isinstance(s.items.features, Sets):
        zero = np.diff(s.items.features.indptr) == 0
    elif s.items.features is not None:
        zero = ~s.items.features.any(axis=1)
    else:
        zero = np.zeros(0, np.bool_)
    if zero.any():
        said.append(f"{int(zero.sum()):,} items have a feature vector of zeros; its similarity with everything is 0")
    if s.history is not None:
        without = int(((np.diff(s.history.offsets) == 0) & (s.lengths > 0)).sum())
        if without:
            said.append(f"{without:,} users with a list have no history; measures that compare with it leave them out")
    return said
