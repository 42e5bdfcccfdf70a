"""Measures of diversity, from the (query, rank, subtopic) triples of the run and of the ideal list."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.relevance import depth
from rankmeter.arithmetic.views import Options, View
from rankmeter.arithmetic.weights import Discount, cumulated, log2, reciprocal
from rankmeter.errors import MeasureError
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Floats, Ints
from rankmeter.placing.segments import expand


@dataclass(frozen=True, slots=True)
class _Touched:
    """The subtopics covered at each rank, sorted by subtopic and rank."""

    query: Ints
    rank: Ints
    topic: Ints
    before: Ints
    """How often the subtopic was covered above."""

    @classmethod
    def of(cls, query: Ints, rank: Ints, topic: Ints) -> _Touched:
        order = np.lexsort((rank, topic))
        query, rank, topic = query[order], rank[order], topic[order]
        return cls(query, rank, topic, np.arange(len(topic)) - np.searchsorted(topic, topic))

    def gain(self, view: View, m: Options, discount: Discount) -> Floats:
        """(n,) the discounted gain, in which each repetition counts less."""
        worth = np.power(1.0 - m.alpha, self.before) * discount(self.rank)
        return view.summed(self.query, worth)


def _pairs(view: View, code: Floats, m: Options) -> tuple[Ints, Ints]:
    """The row and the subtopic of every relevant (item, subtopic) pair of some items."""
    topics = view.subtopics
    if topics is None:
        raise MeasureError.of("measures.needs_subtopics", measure=m)
    number = code.astype(np.int64)
    sizes = topics.offsets[number + 1] - topics.offsets[number]
    row = np.repeat(np.arange(len(number)), sizes)
    at = expand(topics.offsets[number], sizes)
    relevant = topics.grade[at] >= m.rel
    return row[relevant], topics.topic[at[relevant]]


def _in_run(view: View, m: Options) -> _Touched:
    rows = np.flatnonzero(view.rank <= depth(view, m.cutoff)[view.query])
    row, topic = _pairs(view, view.grade[rows], m)
    return _Touched.of(view.query[rows[row]], view.rank[rows[row]], topic)


@dataclass(frozen=True, slots=True)
class _Judged:
    """The relevant (item, subtopic) pairs among the judgments."""

    query: Ints
    item: Ints
    """(b,) the index of the item in ``view.best``: higher ids first within a query."""
    topic: Ints
    different: Floats
    """(n,) A, the number of subtopics with a relevant item."""

    @classmethod
    def of(cls, view: View, m: Options) -> _Judged:
        item, topic = _pairs(view, view.best, m)
        query = view.owner[item]
        first = np.unique(topic, return_index=True)[1]
        different = view.summed(query[first])
        return cls(query, item, topic, different)


def _ideal_list(judged: _Judged, m: Options, deepest: Ints) -> _Touched:
    """The list in which each item adds most to those before it; ties by higher id."""
    queries: list[Ints] = []
    ranks: list[Ints] = []
    topics: list[Ints] = []
    bounds = np.flatnonzero(np.diff(judged.query, prepend=-1, append=-1))
    for first, last in pairwise(bounds.tolist()):
        query = int(judged.query[first])
        _, item = np.unique(judged.item[first:last], return_inverse=True)
        known, topic = np.unique(judged.topic[first:last], return_inverse=True)
        touches = np.zeros((item.max() + 1, len(known)))
        touches[item, topic] = 1.0
        for rank, chosen in enumerate(_greedy(touches, 1.0 - m.alpha, int(deepest[query])), start=1):
            met = known[touches[chosen] > 0]
            topics.append(met)
            queries.append(np.full(len(met), query))
            ranks.append(np.full(len(met), rank))
    if not topics:
        nothing = np.empty(0, np.int64)
        return _Touched(nothing, nothing, nothing, nothing)
    return _Touched.of(np.concatenate(queries), np.concatenate(ranks), np.concatenate(topics))


def _greedy(touches: Floats, left: float, deepest: int) -> list[int]:
    worth = np.ones(touches.shape[1])
    free = np.ones(len(touches), np.bool_)
    chosen: list[int] = []
    for _ in range(min(deepest, len(touches))):
        gain = np.where(free, touches @ worth, -1.0)
        best = int(gain.argmax())  # the first of equals, which has the highest id
        chosen.append(best)
        free[best] = False
        worth[touches[best] > 0] *= left
    return chosen


def _against_perfect(view: View, m: Options, *, discount: Discount) -> Parts:
    """The gain over that of a list whose every item covers all subtopics."""
    judged, last = _Judged.of(view, m), depth(view, m.cutoff).astype(np.int64)
    value = _in_run(view, m).gain(view, m, discount)
    fading = cumulated(lambda rank: np.power(1.0 - m.alpha, rank - 1.0) * discount(rank), int(last.max(initial=0)))
    return Parts(value, judged.different * fading[last], judged.different > 0, value > 0)


def _against_ideal(view: View, m: Options, *, discount: Discount, deepest: Ints | None = None) -> Parts:
    """The gain over that of the ideal list, down to the cutoff or to ``deepest``."""
    judged = _Judged.of(view, m)
    value = _in_run(view, m).gain(view, m, discount)
    last = depth(view, m.cutoff).astype(np.int64) if deepest is None else deepest
    best = _ideal_list(judged, m, last).gain(view, m, discount)
    return Parts(value, best, judged.different > 0, value > 0)


alpha_dcg, alpha_ndcg = partial(_against_perfect, discount=log2), partial(_against_ideal, discount=log2)
err_ia, nerr_ia = partial(_against_perfect, discount=reciprocal), partial(_against_ideal, discount=reciprocal)


def _patience(beta: float) -> Discount:
    return lambda rank: np.power(beta, rank - 1.0)


def nrbp(view: View, m: Options) -> Parts:
    """The gain of a reader who goes on with probability beta."""
    judged = _Judged.of(view, m)
    value = _in_run(view, m).gain(view, m, _patience(m.beta)) * (1.0 - (1.0 - m.alpha) * m.beta)
    return Parts(value, judged.different, judged.different > 0, value > 0)


def nnrbp(view: View, m: Options) -> Parts:
    """NRBP over the NRBP of the ideal list of all judged items."""
    deepest = np.diff(view.best_offsets) if m.cutoff is None else np.full(len(view), m.cutoff)
    return _against_ideal(view, m, discount=_patience(m.beta), deepest=deepest)


def ap_ia(view: View, m: Options) -> Parts:
    """The mean of the average precisions for each subtopic."""
    judged, touched = _Judged.of(view, m), _in_run(view, m)
    relevant = np.bincount(judged.topic, minlength=int(judged.topic.max(initial=0)) + 1)
    worth = (touched.before + 1) / touched.rank / relevant[touched.topic]
    value = view.summed(touched.query, worth)
    return Parts(value, judged.different, judged.different > 0, value > 0)


def p_ia(view: View, m: Options) -> Parts:
    """The mean of the precisions for each subtopic."""
    judged, touched = _Judged.of(view, m), _in_run(view, m)
    value = view.summed(touched.query)
    return Parts(value, depth(view, m.cutoff) * judged.different, judged.different > 0, value > 0)


def subtopic_recall(view: View, m: Options) -> Parts:
    """The share of the subtopics that are covered."""
    judged, touched = _Judged.of(view, m), _in_run(view, m)
    value = view.summed(touched.query[touched.before == 0])
    return Parts(value, judged.different, judged.different > 0, value > 0)
