"""What results say of their order: ranks, scores and distances beside them, which may contradict how they stand.

A list stands in the order in which it was returned. Where a field says otherwise the record is refused, since only the
caller knows which of the two ranks the items; engines that answer in another order on purpose (sorted by a field,
rescored) are followed, and it is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from rankmeter.errors import InputError
from rankmeter.inputs.cells import is_null, is_number, number_of
from rankmeter.inputs.columns import Role, fold, is_usual, say_columns
from rankmeter.wording import Said, said

Says = Literal["rank", "last", "score", "distance"]
"""What a field says: a place, the score of the last stage, a score, a distance (lower is nearer)."""

_LAST = frozenset(
    "rerankscore rerankerscore reranked rerankrelevance @search.rerankerscore rankerscore crossencoderscore finalscore "
    "rankfusionscore fusionscore rrfscore hybridscore ltrscore".split()
)
_SCORES = frozenset(
    "similarity similarityscore @search.score rankingscore relevance certainty textmatch relevancyscore matchscore "
    "vectorscore cosinescore dotscore".split()
)
_DISTANCES = frozenset("distance dist $dist vectordistance cosinedistance l2distance".split())
_OF_DOCUMENTS = frozenset({"distance", "certainty", "relevancescore", *_LAST})
"""What tools write into the metadata of a document, beside fields of its own of which they know nothing."""
_WITHIN = {"additional": None, "hybridsearchinfo": None, "metadata": _OF_DOCUMENTS, "meta": _OF_DOCUMENTS}
"""Objects in a result in which such fields stand, and which of them; None for all."""
Fields = dict[str, tuple[Says, list[object]]]
"""What each field says, and its value in each result, None where it has none."""


def contradiction_noted(
    results: Sequence[object], where: str, query: object, *, is_sorted: bool, either_way: bool
) -> Said | None:
    """Refuse results whose fields contradict their order; what to note of scores that rise where that may be meant.

    ``is_sorted`` is of engines that may have sorted by something else, ``either_way`` of those whose distances may be
    similarities.
    """
    if (beside := _pairs(results)) is not None:
        check_beside(beside, "score", where, query, either_way=True)
        results = [result[0] for result in results if isinstance(result, list)]
    fields = _fields(results)
    numbers = {name: (says, _numbers(name, says, values, where)) for name, (says, values) in fields.items()}
    note: Said | None = None
    is_last = any(says == "last" for says, _ in numbers.values())
    for name, (says, values) in numbers.items():
        if says == "last":
            _refuse_gap(name, values, where)
        if is_last and says in ("score", "distance"):
            continue  # the last stage ranks, and stands beside what came before
        turn = _turn(values, rises=says in ("rank", "distance"))
        if turn is None and says == "rank":
            _refuse_later(name, values, where)
        if turn is None or (says == "distance" and either_way and _turn(values, rises=False) is None):
            continue
        if not is_sorted or says in ("rank", "last"):
            raise _contradicted(name, says, turn, values, where, query)
        note = note or said("order_as_returned", source=where, field=name, place=turn + 1)
    return note


def check_beside(values: Sequence[object], name: str, where: str, query: object, *, either_way: bool = False) -> None:
    """Refuse numbers beside the results that contradict their order; ``either_way`` where they may be distances."""
    says = _says(name.removesuffix("s")) or "score"
    numbers = _numbers(name, says, values, where)
    turns = [
        _turn(numbers, rises=rises) for rises in ((False, True) if either_way else (says in ("rank", "distance"),))
    ]
    if None not in turns and (turn := turns[0]) is not None:
        raise _contradicted(name, says, turn, numbers, where, query)


def _says(name: str) -> Says | None:
    folded = fold(name)
    if folded in _LAST or "rerank" in folded:
        return "last"
    if folded in _DISTANCES:
        return "distance"
    if folded in _SCORES or is_usual("score", name.lstrip("_@$")):
        return "score"
    return "rank" if is_usual("rank", name.lstrip("_@$")) else None


def _fields(results: Sequence[object]) -> Fields:
    fields: Fields = {}
    for place, result in enumerate(results):
        for name, says, value in _stated(result):
            says_and_values = fields.setdefault(name, (says, [None] * len(results)))
            says_and_values[1][place] = value
    return fields


def _stated(result: object) -> Iterator[tuple[str, Says, object]]:
    """What one result states of its place: the path, what it says, its value."""
    for key, value in result.items() if isinstance(result, Mapping) else ():
        name = str(key)
        if isinstance(value, Mapping):
            known = _WITHIN.get(fold(name), frozenset[str]())
            for inner, says, held in _stated(value) if known is None or known else ():
                if known is None or fold(inner) in known:
                    yield f"{name}.{inner}", says, held
        elif fold(name) == "rerank" and isinstance(value, list) and value:  # Weaviate
            yield from ((f"{name}.{inner}", "last", held) for inner, _, held in _stated(value[0]))
        elif not isinstance(value, list) and not is_null(value) and value != "" and (told := _says(name)) is not None:
            yield name, told, value


def _pairs(results: Sequence[object]) -> list[object] | None:
    """The numbers of documents that all stand in a pair with their score, or with their distance."""
    pairs = [result for result in results if isinstance(result, list) and len(result) == 2]
    return [number for _, number in pairs] if pairs and len(pairs) == len(results) else None


def _numbers(name: str, says: Says, values: Sequence[object], where: str) -> list[float | None]:
    """The numbers of a field; refuses what is not a number, and scores or ranks that only some results have."""
    numbers: list[float | None] = []
    for place, value in enumerate(values, start=1):
        number = number_of(value) if isinstance(value, str) else value
        is_read = is_number(number) and not isinstance(number, bool) and number == number  # noqa: PLR0124 (NaN)
        if value is not None and not is_read:
            raise InputError.of("engines.not_a_number", source=where, place=place, field=name, value=str(value)[:80])
        numbers.append(None if number is None else float(number))  # type: ignore[arg-type]
    if says in ("rank", "score") and "." not in name and None in numbers and any(each is not None for each in numbers):
        raise InputError.of("engines.some_scored", source=where, field=name, place=numbers.index(None) + 1)
    return numbers


def _refuse_later(name: str, ranks: Sequence[float | None], where: str) -> None:
    """Refuse ranks that begin behind the first place."""
    if ranks and ranks[0] is not None and ranks[0] > 1:
        raise InputError.of("engines.later_page", source=where, reason=f"{name}: {ranks[0]:g}")


def _refuse_gap(name: str, values: Sequence[float | None], where: str) -> None:
    """Refuse a score of the last stage behind a result without one: those that it saw stand first."""
    known = [value is not None for value in values]
    if True in known[known.index(False) :] if False in known else False:
        place = known.index(False) + 1
        raise InputError.of("engines.some_scored", source=where, field=name, place=place)


def _turn(values: Sequence[float | None], *, rises: bool) -> int | None:
    """Where numbers first go the other way; a place from 0, None where they do not."""
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    return next(
        (place for (_, before), (place, after) in pairwise(known) if (after < before if rises else after > before)),
        None,
    )


def _contradicted(
    name: str, says: Says, place: int, values: Sequence[float | None], where: str, query: object
) -> InputError:
    before = next(value for value in reversed(values[:place]) if value is not None)
    role: Role = "rank" if says == "rank" else "distance" if says == "distance" else "score"
    return InputError.of(
        "engines.order_contradicted", source=where, query=str(query), place=place + 1, field=name,
        value=f"{values[place]:g}", before=f"{before:g}",
        in_order=say_columns("order", "rows"), by_field=say_columns(role, name),
    )  # fmt: skip
