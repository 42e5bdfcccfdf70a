"""Random small inputs, and the smaller ones that each can be shrunk to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from rankmeter.wings.conformance.cases import CaseQuery, Id, PublishedCase
from rankmeter.wings.conformance.expectations import AskedCase
from rankmeter.wings.conformance.sight import Sight

_ITEMS = "abcdefghij"
_GRADES = (0.0, 1.0, 1.0, 1.0, 2.0, 3.0)


def random_cell(number: int, draw: Random, sight: Sight, *, takes_k: bool) -> AskedCase:
    """A random question; what is unusual in it (ties, repeats, grades below 0) comes by itself, and not every time."""
    unusual = {kind for kind in ("ties", "repeats", "negative", "shuffled", "absent") if draw.random() < 0.15}
    count = draw.randint(1, 3) if sight.several else 1
    queries = {f"q{place}": _query(draw, sight, unusual) for place in range(1, count + 1)}
    if sight.absent and "absent" in unusual:
        name = draw.choice(list(queries))
        side: dict[str, None] = {draw.choice(("judgments", "run")): None}
        queries[name] = replace(queries[name], **side)
    longest = max((len(query.run or ()) for query in queries.values()), default=0)
    return _cell(f"random-{number}", queries, draw.randint(1, longest + 2) if takes_k else None)


def _query(draw: Random, sight: Sight, unusual: set[str]) -> CaseQuery:
    names = list(_ITEMS[: draw.randint(1, 7)])
    draw.shuffle(names)
    returned: list[Id] = [*names[: draw.randint(0, len(names))]]
    judged = [name for name in names if draw.random() < 0.7]
    draw.shuffle(judged)
    grades = _GRADES if sight.grades else (0.0, 1.0, 1.0)
    if "negative" in unusual and sight.grades:
        grades = (*grades, -1.0)
    if "repeats" in unusual and sight.repeats and returned:
        returned.insert(draw.randint(0, len(returned)), draw.choice(returned))
    scores = [float(len(returned) - place) for place in range(len(returned))]
    if "ties" in unusual and sight.scores:
        scores = sorted((float(draw.randint(1, 3)) for _ in returned), reverse=True)
    rows = list(zip(returned, scores, strict=True))
    if "shuffled" in unusual and sight.scores:
        draw.shuffle(rows)
    return CaseQuery(tuple((name, draw.choice(grades)) for name in judged), tuple(rows))


def _cell(name: str, queries: dict[str, CaseQuery], k: int | None) -> AskedCase:
    repeats = any(len(dict(query.run or ())) < len(query.run or ()) for query in queries.values())
    return AskedCase(PublishedCase(name, "duplicates" if repeats else "random", (), {}, queries), k)


def size(cell: AskedCase) -> tuple[float, ...]:
    """How much there is to read in a question: grades below 0, queries, rows, ties, grades, k."""
    queries = cell.case.queries.values()
    runs = [query.run or () for query in queries]
    grades = [grade for query in queries for _, grade in query.judgments or ()]
    unsorted = sum(run != tuple(sorted(run, key=lambda row: -row[1])) for run in runs)
    return (
        sum(grade < 0 for grade in grades),
        len(queries),
        sum(map(len, runs)) + len(grades),
        sum(len(run) - len({score for _, score in run}) for run in runs) + unsorted,
        sum(abs(grade) for grade in grades),
        cell.k or 0,
        sum(score for run in runs for _, score in run),
        sum(_ITEMS.index(str(item)) for run in runs for item, _ in run),
    )


def smaller(cell: AskedCase) -> list[AskedCase]:
    """Every question that is one step smaller, the smallest first."""
    found: dict[str, AskedCase] = {}
    for near in _shrunk_once(cell):
        if size(near) < size(cell):
            found.setdefault(repr((near.case.queries, near.k)), near)
    ordered = sorted(found.values(), key=size)
    return [replace(near, case=replace(near.case, name=f"smaller-{place}")) for place, near in enumerate(ordered)]


def _shrunk_once(cell: AskedCase) -> Iterator[AskedCase]:
    queries = dict(cell.case.queries)
    for name, query in queries.items():
        others = {other: kept for other, kept in queries.items() if other != name}
        if others:
            yield _cell(cell.case.name, others, cell.k)
        for near in _smaller_query(query):
            yield _cell(cell.case.name, {**queries, name: near}, cell.k)
    yield from (_cell(cell.case.name, queries, k) for k in range(1, cell.k or 0))


def _smaller_query(query: CaseQuery) -> Iterator[CaseQuery]:
    judgments, run = query.judgments or (), query.run or ()
    for place in range(len(judgments)):
        yield replace(query, judgments=(*judgments[:place], *judgments[place + 1 :]))
    for place, (item, score) in enumerate(run):
        rest = (*run[:place], *run[place + 1 :])
        yield replace(query, run=rest)
        for near in range(1, int(score)):
            yield replace(query, run=(*run[:place], (item, float(near)), *run[place + 1 :]))
        if item in dict(judgments):  # together: what is judged and returned goes from both
            yield CaseQuery(
                tuple(row for row in judgments if row[0] != item), tuple(row for row in run if row[0] != item)
            )
    for place, (item, grade) in enumerate(judgments):
        for lower in {0.0, 1.0, grade - 1, -grade} - {grade}:
            yield replace(query, judgments=(*judgments[:place], (item, lower), *judgments[place + 1 :]))
    names = dict(zip(dict.fromkeys(item for item, _ in (*run, *judgments)), _ITEMS, strict=False))
    yield CaseQuery(*(tuple((names[item], number) for item, number in rows) for rows in (judgments, run)))
    if run:
        yield replace(query, run=tuple(sorted(run, key=lambda row: -row[1])))
        yield replace(query, run=tuple((item, float(len(run) - place)) for place, (item, _) in enumerate(run)))
