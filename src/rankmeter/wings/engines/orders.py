"""What results say of their order: ranks, scores and distances beside them, which may contradict how they stand.

A list stands in the order in which it was returned. Where a field says otherwise the record is refused, since only the
caller knows which of the two ranks the items. The list is followed, and it is said, where a field may be about
something else, and where engines answer in another order on purpose (sorted by a field, rescored).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from math import isfinite, isnan
from typing import Literal

from rankmeter.errors import InputError
from rankmeter.inputs.cells import is_null, is_number, number_of
from rankmeter.inputs.columns import Role, fold, is_usual, say_columns
from rankmeter.wording import Said, said

Says = Literal["rank", "last", "score", "distance", "perhaps a score", "perhaps a rank"]
"""What a field says: a place, the score of the last stage, a score, a distance (lower is nearer); or may say."""

_LAST = frozenset(
    "rerankscore rerankerscore rerankrelevance @search.rerankerscore rankerscore crossencoderscore finalscore "
    "rankfusionscore fusionscore rrfscore hybridscore ltrscore".split()
)
_SCORES = frozenset(
    "similarity similarityscore @search.score rankingscore weightedrankingscore relevance certainty textmatch "
    "relevancyscore matchscore vectorscore cosinescore dotscore".split()
)
_PERHAPS = {
    "perhaps a score": frozenset(
        "confidence weight rrf bm25 cosine cosinesimilarity dotproduct innerproduct logit prob probability colbert "
        "hybrid relevancy combined matchingpercentage scorenormalized scorefinal scorepercent 相似度 得分".split()
    ),
    "perhaps a rank": frozenset(
        "ranking order place ordinal afterrank rankafter rankno ranknumber rankposition newposition finalposition "
        "rerankposition rownumber rn nth l2 euclidean 序号 排序 距离".split()
    ),
}
_DISTANCES = frozenset("distance dist $dist vectordistance cosinedistance l2distance".split())
_OF_DOCUMENTS = frozenset({"distance", "certainty", "relevancescore", "score", "rank", *_LAST})
"""What tools write into the metadata of a document, beside fields of its own of which they know nothing."""
_OR_ITS_OWN: Mapping[str, Says] = {"score": "perhaps a score", "rank": "perhaps a rank"}
"""What stands there as often because the document has such a field: votes, a place in a chart."""
_WITHIN = {
    **dict.fromkeys(("additional", "hybridsearchinfo", "federation", "textmatchinfo")),
    **dict.fromkeys(("metadata", "meta"), _OF_DOCUMENTS),
    **dict.fromkeys(
        "fields source payload entity document node kwargs properties attributes extraattributes data".split(), _LAST
    ),
}
"""Objects in a result in which such fields stand, and which of them; None for all. Any other may be about anything."""
_RISING = ("rank", "perhaps a rank", "distance")
"""What grows from the first result to the last."""
IN_ORDER = say_columns("order", "rows")
"""How a caller says that the list counts."""
Direction = tuple[str, object, bool]
"""What a response says of which scores are better: the field, its value, and whether the lowest are."""
Fields = dict[str, tuple[Says, list[object]]]
"""What each field says, and its value in each result, None where it has none."""


def contradiction_noted(
    results: Sequence[object],
    where: str,
    query: object,
    *,
    is_sorted: bool,
    either_way: bool,
    direction: Direction | None = None,
    compared: set[str] | None = None,
) -> Said | None:
    """Refuse results whose fields contradict their order; what to note of scores that rise where that may be meant.

    ``is_sorted`` is of engines that may have sorted by something else, ``either_way`` of those whose distances may be
    similarities. ``direction`` is what the response says of which scores are better. The fields that were compared with
    the order, whose names leave no doubt, are added to ``compared``.
    """
    notes: list[Said] = []
    if (beside := _pairs(results)) is not None:
        note = check_beside(beside, "score", where, query, either_way=direction is None, direction=direction)
        notes += [] if note is None else [note]
        results = [result[0] for result in results if isinstance(result, list)]
    fields = _fields(results)
    numbers = {name: (says, _numbers(name, says, values, where)) for name, (says, values) in fields.items()}
    is_last = any(says == "last" for says, _ in numbers.values())
    for name, (says, values) in numbers.items():
        turn = _turn(values, rises=_rises(says, direction))
        if turn is None and (followed := _followed(says, values, where, direction)) is not None:
            notes.append(followed)
        if says == "last":
            _refuse_gap(name, values, where)
        elif (says == "distance" or says.startswith("perhaps")) and None in values and set(values) != {None}:
            notes.append(said("partly_stated", source=where, field=name, query=str(query)))
        elif is_last and says not in ("rank", "perhaps a rank"):
            continue  # the last stage ranks, and stands beside what came before
        if compared is not None and not says.startswith("perhaps"):
            compared.add(name)
        if turn is None and says == "rank":
            _refuse_later(name, values, where)
            notes += _gap_noted(name, values, where)
        if turn is None or (
            either_way and direction is None and fold(name) == "distance" and _turn(values, rises=False) is None
        ):
            continue
        if says in ("rank", "last") or not (is_sorted or says.startswith("perhaps")):
            raise _contradicted(name, says, turn, values, where, query, direction)
        notes.append(said("order_as_returned", source=where, field=name, place=turn + 1, query=str(query)))
    return next(iter(notes), None)


def check_beside(
    values: Sequence[object],
    name: str,
    where: str,
    query: object,
    *,
    either_way: bool = False,
    direction: Direction | None = None,
) -> Said | None:
    """Refuse numbers beside the results that contradict their order; what to note where the lowest are the best.

    ``either_way`` is where they may be distances.
    """
    says = says_order(name.removesuffix("s")) or "score"
    numbers = _numbers(name, says, values, where)
    if None in numbers and any(number is not None for number in numbers):
        raise InputError.of("engines.some_scored", source=where, field=name, place=numbers.index(None) + 1,
                            in_order=IN_ORDER)  # fmt: skip
    turns = [_turn(numbers, rises=rises) for rises in ((False, True) if either_way else (_rises(says, direction),))]
    if None not in turns and (turn := turns[0]) is not None:
        raise _contradicted(name, says, turn, numbers, where, query, direction)
    return _followed(says, numbers, where, direction)


def numbers_beside(holder: Mapping[str, object], results: Sequence[object], where: str) -> dict[str, list[object]]:
    """Lists beside the results whose names say an order; refuses one that is not of one value for each of them."""
    lists = {}
    for name, values in holder.items():
        if values is not results and isinstance(values, list) and says_order(_singular(str(name))) is not None:
            if len(values) == len(results):
                lists[str(name)] = values
            elif values and not any(isinstance(value, (Mapping, list)) for value in values):
                raise InputError.of("engines.not_as_many", source=where, field=name, count=len(values),
                                    items=len(results))  # fmt: skip
    return lists


def lists_noted(lists: Mapping[str, Sequence[object]], where: str, query: object) -> dict[str, Said]:
    """That one of these lists would put the results in another order."""
    for name, values in lists.items():
        says = says_order(_singular(name))
        if fold(name) == "scores":
            continue
        numbers = _numbers(name, "perhaps a score", values, where)
        turn = _turn(numbers, rises=says in _RISING)
        if turn is None and says == "rank":
            _refuse_later(name, numbers, where)
        if turn is not None:
            return {"order": said("order_as_returned", source=where, field=name, place=turn + 1, query=str(query))}
    return {}


def _singular(name: str) -> str:
    return f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")


def _followed(says: Says, values: Sequence[float | None], where: str, direction: Direction | None) -> Said | None:
    """That the lowest scores stand first, as the response says."""
    if (
        not direction
        or not direction[2]
        or not _is_score(says)
        or says == "distance"
        or _turn(values, rises=False) is None
    ):
        return None
    return said("lower_is_better", source=where, field=direction[0], value=str(direction[1]))


def _is_score(says: Says) -> bool:
    return says in ("score", "perhaps a score", "distance")


def _rises(says: Says, direction: Direction | None) -> bool:
    """Whether numbers grow from the first result to the last: as the response says of scores, or as usual."""
    return direction[2] if direction and _is_score(says) else says in _RISING


@lru_cache(1 << 12)
def says_order(name: str) -> Says | None:
    """What a field of this name says of the order of results."""
    folded = fold(name)
    if folded in _LAST or ("rerank" in folded and ("score" in folded or folded.endswith("relevance"))):
        return "last"
    if folded in _DISTANCES:
        return "distance"
    if folded in _SCORES or is_usual("score", name.lstrip("_@$")):
        return "score"
    if is_usual("rank", name.lstrip("_@$")):
        return "rank"
    if folded in _PERHAPS["perhaps a rank"] or (folded.endswith(("rank", "distance")) and folded != "rerank"):
        return "perhaps a rank"
    is_score = folded in _PERHAPS["perhaps a score"] or folded.startswith("score") or folded.endswith("score")
    return "perhaps a score" if is_score else None


def _fields(results: Sequence[object]) -> Fields:
    """What results state of their places: by path, what it says and its value in each result."""
    rows = [result if isinstance(result, (dict, Mapping)) else {} for result in results]  # a dict is seen at once
    fields: Fields = {}
    for key in dict.fromkeys(chain.from_iterable(rows)):
        name = str(key)
        says, known = says_order(name), _WITHIN.get(fold(name), frozenset[str]())
        if says is not None:
            values = [None if _is_empty(value, says) else value for value in (row.get(key) for row in rows)]
            if any(value is not None for value in values):
                fields[name] = says, values
        elif known is None or known:
            within = [_known(row.get(key), known) for row in rows]
            own = _OR_ITS_OWN if known is _OF_DOCUMENTS else {}
            for inner, (says_within, values) in _fields(within).items() if any(within) else ():
                if fold(inner) in own:
                    fields[f"{name}.{inner}"] = own[fold(inner)], values
                elif not says_within.startswith("perhaps"):
                    fields[f"{name}.{inner}"] = says_within, values
        elif fold(name) == "rerank":  # Weaviate
            lists = [row.get(key) for row in rows]
            reranked = _fields([held[0] if isinstance(held, list) and held else None for held in lists])
            fields |= {f"{name}.{inner}": ("last", values) for inner, (_, values) in reranked.items()}
    return fields


def _known(held: object, known: frozenset[str] | None) -> object:
    """The fields of an object that are looked at, a list of one value as that value; None for all, as they are."""
    if known is None or not isinstance(held, (dict, Mapping)):  # a dict is seen at once
        return held
    fields = [(key, held[key]) for key in held if fold(str(key)) in known]  # most often there are none
    return {key: value[0] if isinstance(value, list) and len(value) == 1 else value for key, value in fields}


def _is_empty(value: object, says: Says) -> bool:
    """Whether a field states nothing: it is not there, or is an object about something else."""
    return value == "" or is_null(value) or (says not in ("score", "last") and isinstance(value, (Mapping, list)))


def _pairs(results: Sequence[object]) -> list[object] | None:
    """The numbers of documents that all stand in a pair with their score, or with their distance."""
    pairs = [result for result in results if isinstance(result, list) and len(result) == 2]
    return [number for _, number in pairs] if pairs and len(pairs) == len(results) else None


def _numbers(name: str, says: Says, values: Sequence[object], where: str) -> list[float | None]:
    """The numbers of a field; refuses what is not a number, and scores or ranks that only some results have."""
    if set(map(type, values)) <= {float, int} and not any(map(isnan, values)) and says != "rank":  # type: ignore[arg-type]
        return list(map(float, values))  # type: ignore[arg-type]
    numbers: list[float | None] = []
    for place, value in enumerate(values, start=1):
        number = number_of(value) if isinstance(value, str) else value
        is_read = is_number(number) and not isinstance(number, bool)
        is_read = is_read and (isfinite(number) if says == "rank" else not isnan(number))  # type: ignore[arg-type]
        if value is not None and not is_read and not says.startswith("perhaps"):
            raise InputError.of("engines.not_a_number", source=where, place=place, field=name, value=str(value)[:80],
                                in_order=IN_ORDER)  # fmt: skip
        numbers.append(float(number) if is_read else None)  # type: ignore[arg-type]
    is_own = "." not in name.removeprefix("@search.")
    if says in ("rank", "score") and is_own and None in numbers and any(each is not None for each in numbers):
        place = numbers.index(None) + 1
        raise InputError.of("engines.some_scored", source=where, field=name, place=place, in_order=IN_ORDER)
    return numbers


def _refuse_later(name: str, ranks: Sequence[float | None], where: str) -> None:
    """Refuse ranks that begin behind the first place."""
    if ranks and ranks[0] is not None and ranks[0] > 1:
        raise InputError.of("engines.later_page", source=where, reason=f"{name}: {ranks[0]:g}")


def _gap_noted(name: str, ranks: Sequence[float | None], where: str) -> list[Said]:
    """That a rank is higher than its place: results may be missing before it; equal ranks leave no gap."""
    first = next(iter(ranks), None) or 0
    late = (at for at, rank in enumerate(ranks) if rank is not None and rank - first > at)
    place = next(late, None)
    return [] if place is None else [said("ranks_have_gaps", source=where, field=name, place=place + 1,
                                          rank=f"{ranks[place]:g}")]  # fmt: skip


def _refuse_gap(name: str, values: Sequence[float | None], where: str) -> None:
    """Refuse a score of the last stage behind a result without one: those that it saw stand first."""
    known = [value is not None for value in values]
    if True in known[known.index(False) :] if False in known else False:
        place = known.index(False) + 1
        raise InputError.of("engines.some_scored", source=where, field=name, place=place, in_order=IN_ORDER)


def _turn(values: Sequence[float | None], *, rises: bool) -> int | None:
    """Where numbers first go the other way; a place from 0, None where they do not."""
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    return next(
        (place for (_, before), (place, after) in pairwise(known) if (after < before if rises else after > before)),
        None,
    )


def _contradicted(
    name: str,
    says: Says,
    place: int,
    values: Sequence[float | None],
    where: str,
    query: object,
    direction: Direction | None = None,
) -> InputError:
    before = next(value for value in reversed(values[:place]) if value is not None)
    role: Role = "rank" if says == "rank" else "distance" if says == "distance" else "score"
    kind, stated = "engines.order_contradicted", {}
    if direction and _is_score(says):
        kind, stated = "engines.direction_contradicted", {"statement": direction[0], "stated": str(direction[1])}
    return InputError.of(
        kind, source=where, query=str(query), place=place + 1, field=name,
        value=f"{values[place]:g}", before=f"{before:g}",
        in_order=IN_ORDER, by_field=say_columns(role, name), **stated,
    )  # fmt: skip
