"""What methods learn from judgments: how often a run is right at a rank, or in a part of its list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankmeter.errors import InputError
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wings.fusion.learned import BIN_ENDS, NEVER, segment_of, segment_size
from rankmeter.wings.fusion.pooling import Pool, RunLists


def learned_from(definition: Fusion, pools: Sequence[Pool], truth: JudgmentTable) -> Fusion:
    """The definition with what its method learns from judged queries; grades of 1 and more are hits."""
    texts = _relevant(truth)
    found: list[list[tuple[RunLists, Bools]]] = [[] for _ in pools[0].runs] if pools else []
    totals: list[Floats] = [np.empty(0)]
    each = texts.group_by("query").len()
    for pool in pools:
        queries = pool.queries.cast(pl.String)
        held = pl.DataFrame({"query": queries.gather(pool.query), "item": pool.items.cast(pl.String)})
        hits = held.join(texts, on=["query", "item"], how="left", maintain_order="left")["hit"]
        is_hit = hits.fill_null(value=False).to_numpy()
        count = queries.alias("query").to_frame().join(each, on="query", how="left", maintain_order="left")
        totals.append(count["len"].fill_null(0).to_numpy().astype(np.float64))
        for at, lists in enumerate(pool.runs):
            found[at].append((lists, is_hit[lists.candidate]))
    total = np.concatenate(totals)
    if not total.any():
        raise InputError.of("fusion.nothing_to_learn", how=definition.how)
    learned = tuple(
        tuple(_LEARNERS[definition.how](_joined_lists(parts), total, definition).tolist()) for parts in found
    )
    return replace(definition, learned=learned)


def _relevant(truth: JudgmentTable) -> pl.DataFrame:
    table = pl.DataFrame({"query": truth.query, "item": truth.item, "grade": truth.grade}).filter(pl.col("grade") >= 1)
    return table.select(pl.col("query").cast(pl.String), pl.col("item").cast(pl.String), hit=True).unique()


class _Lists:
    """All lists of a run: a row an item."""

    def __init__(self, query: Ints, rank: Ints, hit: Bools, length: Ints) -> None:
        self.query, self.rank, self.hit, self.length = query, rank, hit, length

    def at(self, place: Ints, size: int) -> Floats:
        """How many hits stand at each place, over all lists."""
        return np.bincount(place[self.hit], minlength=size)[:size].astype(np.float64)


def _joined_lists(parts: list[tuple[RunLists, Bools]]) -> _Lists:
    firsts = np.cumsum([0] + [len(lists.length) for lists, _ in parts[:-1]])
    query = [lists.query + first for (lists, _), first in zip(parts, firsts, strict=True)]
    rank, length = (np.concatenate([getattr(lists, name) for lists, _ in parts]) for name in ("rank", "length"))
    return _Lists(np.concatenate(query), rank, np.concatenate([hit for _, hit in parts]), length)


def _mean_precision(lists: _Lists, total: Floats, _: Fusion) -> Floats:
    """MAP of the run."""
    seen = np.cumsum(lists.hit)
    starts = np.cumsum(lists.length) - lists.length
    before = np.concatenate([[0], seen])[starts][lists.query]
    precision = np.where(lists.hit, (seen - before) / lists.rank, 0.0)
    summed = np.bincount(lists.query, precision, len(total))
    return np.array([np.divide(summed, total, out=np.zeros(len(total)), where=total > 0).mean()])


def _shares_by_position(lists: _Lists, _: Floats, __: Fusion) -> Floats:
    """The share of the lists that reach a position and are right there."""
    longest = int(lists.length.max(initial=0))
    reached = np.array([(lists.length >= place).sum() for place in range(1, longest + 1)], np.float64)
    return lists.at(lists.rank - 1, longest) / np.maximum(reached, 1)


def _by_part(lists: _Lists, total: Floats, definition: Fusion) -> Floats:
    """The share of hits in each of equal parts of a list, a mean over lists."""
    size = segment_size(lists.length, definition.segments)
    part = (lists.rank - 1) // size[lists.query]
    first = np.arange(definition.segments)[:, None] * size
    held = np.clip(lists.length - first, 0, size)  # how many items a part has
    share = 1 / np.maximum(held, 1)[part, lists.query]
    return np.bincount(part[lists.hit], share[lists.hit], definition.segments) / len(total)


def _shares_by_segment(lists: _Lists, total: Floats, _: Fusion) -> Floats:
    """The share of hits in segments that grow: 5, 10, 20, 40 and so on."""
    segment = segment_of(lists.rank)
    many = int(segment.max(initial=-1)) + 1
    sizes = np.array([5 * 2.0**at for at in range(many)])
    return np.asarray(lists.at(segment, many) / sizes / len(total))


def _log_odds(lists: _Lists, total: Floats, _: Fusion) -> Floats:
    """The logarithm of the odds of a hit in each bin of positions."""
    bins = np.asarray(np.searchsorted(BIN_ENDS, lists.rank), np.int64)
    sizes = np.diff(BIN_ENDS, prepend=0)
    chance = lists.at(bins, len(BIN_ENDS)) / sizes / len(total)
    chance = np.where(chance > 0, chance, NEVER)
    with np.errstate(divide="ignore"):
        return np.log(chance / (1 - chance))


_LEARNERS: Mapping[str, Callable[[_Lists, Floats, Fusion], Floats]] = {
    "mapfuse": _mean_precision, "posfuse": _shares_by_position, "slidefuse": _shares_by_position, "probfuse": _by_part,
    "segfuse": _shares_by_segment, "bayesfuse": _log_odds,
}  # fmt: skip
