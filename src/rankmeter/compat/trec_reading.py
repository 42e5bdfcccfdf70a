"""What one call of trec_eval evaluates: both files, placed; which queries count; where the program stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from rankmeter.compat import trec_parsing
from rankmeter.compat.scoring import Scores
from rankmeter.compat.trec_files import TaggedRun, read_graded
from rankmeter.compat.trec_measures import Version
from rankmeter.errors import InputError, RankmeterError, with_hint
from rankmeter.inputs import is_read_once
from rankmeter.inputs.compression import open_source
from rankmeter.placing import Plan

WRONG_USE, WRONG_FILE, CANNOT_COMPUTE, NOTHING_IN_COMMON, WRONG_ZSCORES = 1, 2, 4, 7, 255
"""The exit codes of the program."""
SHORT_BYTES = 1 << 17
"""Up to this size a file is read by the program's own rules: as fast as anything else."""
HIGHEST_GRADE = 10**8
"""The program keeps a table as long as the highest grade, and stops where it finds no room for it."""


class TrecEvalError(RankmeterError):
    """Why the program would stop, the code with which it would, and what it would have printed until then."""

    def __init__(self, text: str, code: int, printed: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.printed = printed


@dataclass(frozen=True, slots=True)
class Asked:
    """The part of a call that says what is read and which queries count."""

    judgments: str
    run: trec_parsing.Source
    version: Version
    depth: int | None
    complete: bool
    only_query: str | None
    looks_at_documents: bool
    """Whether any measure does; `num_q` and `runid` do not, and the program then misses what is wrong with them."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A run placed for the program's measures."""

    scores: Scores
    names: list[str]
    """(n,) the ids of all queries, as they are printed."""
    order: list[int]
    """Which queries are evaluated, in the order in which they are printed: by id, as bytes."""
    tag: str | None
    """None where the run has no line."""
    stop: TrecEvalError | None
    """Why the program stops after these queries, if it does."""
    relevant: int
    """How many grades of all judgments are above 0."""
    is_cut: bool
    """Whether the lists are cut at the depth already."""


def read(asked: Asked) -> Evaluated:
    """Read both files and place the run."""
    if is_read_once(asked.run):
        # It may have to be looked at again.
        with open_source(asked.run) as source:
            asked = replace(asked, run=source.read_all())
    if _is_for_the_fast_way(asked):
        try:
            found = _ordinary(asked)
        except InputError:
            found = None  # what is wrong, and whether the program minds, is for the exact way to say
        if found is not None:
            return found
    return _exact(asked)


def _is_for_the_fast_way(asked: Asked) -> bool:
    """Whether the files are long, so that speed matters; the fast readers refuse what the program takes otherwise."""
    is_usual = not is_read_once(asked.judgments) and (asked.depth is None or asked.depth > 0)
    return is_usual and any(map(_is_long, (asked.judgments, asked.run)))


def _is_long(source: trec_parsing.Source) -> bool:
    with open_source(source) as opened:
        return len(opened.read(SHORT_BYTES + 1)) > SHORT_BYTES


def _ordinary(asked: Asked) -> Evaluated | None:
    run = TaggedRun(asked.run, asked.version)
    scores = Scores.of_run(read_graded(asked.judgments, asked.version), run.source, _plan(asked.version))
    placements = scores.placed.placements
    if scores.placed.highest_grade >= HIGHEST_GRADE:
        return None
    names: list[str] = scores.queries
    order, stop = _walk(scores, names, asked, {}, asked.only_query)
    return Evaluated(scores, names, order, run.tag, stop, relevant=int((placements.best > 0).sum()), is_cut=False)


def _exact(asked: Asked) -> Evaluated:
    """The program's own reading; lists are ranked and cut as there, so that only what it sees can be wrong."""
    judged = trec_parsing.read_judgments(asked.judgments, asked.version)
    run = trec_parsing.read_run(asked.run, asked.version)
    depth = None if asked.depth is None else max(asked.depth, 0)
    lists = {
        query: trec_parsing.ranked(rows, depth, asked.version) for query, rows in run.rows.items() if query in judged
    }
    stops = {}
    if asked.looks_at_documents:
        stops = {query: fact for query in judged if (fact := _trouble(query, judged[query], lists.get(query), asked))}
    graded = {query: {} if query in stops else dict(rows) for query, rows in judged.items()}
    scores = Scores.of_mappings(graded, {query: dict(rows) for query, rows in lists.items()}, _plan(asked.version))
    names = [trec_parsing.shown(query) for query in scores.queries]
    wanted = None if asked.only_query is None else trec_parsing.as_id(asked.only_query)
    order, stop = _walk(scores, names, asked, stops, wanted)
    relevant = sum(grade > 0 for rows in judged.values() for _, grade in rows)
    return Evaluated(scores, names, order, run.tag, stop, relevant, is_cut=True)


def _plan(version: Version) -> Plan:
    return Plan(order=False, scores="float32" if version == 9 else "float64")


def _trouble(
    query: str, judged: list[tuple[str, int]], returned: list[tuple[str, float]] | None, asked: Asked
) -> str | None:
    """Why the program cannot evaluate a query."""
    name = trec_parsing.shown(query)
    if asked.depth is not None and asked.depth < 0:
        return f"-M {asked.depth} is below 0; {trec_parsing.UNDEFINED}."
    if returned and (twice := trec_parsing.repeated(returned)) is not None:
        return f"the run returns an item twice for the same query: {trec_parsing.shown(twice)} in query {name}."
    if (twice := trec_parsing.repeated(judged)) is not None:
        return (
            f"{asked.judgments} judges an item twice for the same query: {trec_parsing.shown(twice)} in query {name}."
        )
    highest = max(grade for _, grade in judged)
    if highest >= HIGHEST_GRADE:
        return (
            f"{asked.judgments}: grade {highest} of query {name}: trec_eval keeps a table as long as the highest "
            f"grade, and has no room for one of {HIGHEST_GRADE:,}."
        )
    return None


def _walk(
    scores: Scores, names: list[str], asked: Asked, stops: Mapping[str, str], wanted: str | None
) -> tuple[list[int], TrecEvalError | None]:
    """The queries that are evaluated, in order, up to one at which the program stops."""
    ids, common = scores.queries, scores.common
    chosen = common if asked.version == 9 else scores.placed.placements.is_judged
    order = sorted(np.flatnonzero(chosen).tolist(), key=ids.__getitem__)
    if wanted is not None:
        order = [number for number in order if ids[number] == wanted]
    if not order:
        return order, TrecEvalError("no query is both judged and in the run.", NOTHING_IN_COMMON)
    if asked.looks_at_documents and ids[order[0]] not in stops and not _has_grade(scores, order[0]):
        # The program makes room for grades at the first query that has one of 0 or above, and cannot begin without.
        fact = f"every grade of query {names[order[0]]} is below 0, and trec_eval cannot begin with such a query."
        return [], _stop(fact)
    lacks = ~common & (not asked.complete)
    if stops or lacks[order].any():
        for place, number in enumerate(order):
            if lacks[number]:
                fact = f"the run lacks judged queries, and trec_eval 10 stops at the first, {names[number]}."
                hint = "-c counts them as 0; --trec-eval-version 9 averages over the others"
                return order[:place], _stop(with_hint(fact, hint))
            if ids[number] in stops:
                return order[:place], _stop(stops[ids[number]])
    return order, None


def _stop(fact: str) -> TrecEvalError:
    return TrecEvalError(fact.encode("utf-8", "backslashreplace").decode(), CANNOT_COMPUTE)


def _has_grade(scores: Scores, number: int) -> bool:
    """Whether a query has a grade of 0 or above."""
    best, first = scores.placed.placements.best, scores.placed.placements.best_offsets
    return bool(first[number] < first[number + 1] and best[first[number]] >= 0)


def with_stand_ins(found: Evaluated, depth: int | None) -> Evaluated:
    """Version 10 under -c gives every query that the run lacks one document that nobody judged."""
    return replace(found, scores=found.scores.with_stand_ins(0 if depth == 0 else 1))
