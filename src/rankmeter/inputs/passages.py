"""From passages to documents: a run of passages becomes a run of the documents that they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from rankmeter.errors import InputError, MeasureError, did_you_mean, examples, with_hint
from rankmeter.inputs import into_run, is_path
from rankmeter.inputs.ids import ids
from rankmeter.inputs.mappings import table_of_run
from rankmeter.inputs.sources import RankedLists, RunFile, ScoredMapping
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl

By = Literal["best", "sum", "first"]
Documents = Mapping[Any, Any] | Callable[[Any], Any]


def roll_up(run: Any, *, documents: Documents, by: By = "best") -> Any:
    """Turn a run of passages into a run of documents.

    Parameters
    ----------
    run
        ``{query: {passage: score}}``, ``{query: [passages, best first]}``, a frame or a file's path.
    documents
        Which document each passage comes from: ``{passage: document}``, or a function of the passage. Every passage
        of the run must have one.
    by
        A document's score: that of its ``best`` passage (MaxP), the ``sum`` over its returned passages (SumP), or that
        of its ``first`` passage (FirstP): the first in the order of ``documents``; a document whose first passage was
        not returned is not returned either.

    Returns
    -------
    dict or RunTable
        A mapping for a mapping, lists for lists, else a table; each can be given to ``evaluate``.

    Examples
    --------
    >>> import rankmeter as rm
    >>> run = {"q": {"a#1": 0.5, "b#0": 0.4, "a#0": 0.3}}
    >>> rm.roll_up(run, documents=lambda passage: passage.split("#")[0])
    {'q': {'a': 0.5, 'b': 0.4}}
    >>> rm.roll_up(run, documents={"a#0": "a", "a#1": "a", "b#0": "b"}, by="first")
    {'q': {'b': 0.4, 'a': 0.3}}
    >>> rm.evaluate({"q": {"b"}}, rm.roll_up(run, documents=lambda passage: passage[0], by="sum"), ["RR"])["RR"]
    0.5
    """
    if by not in get_args(By):
        raise MeasureError(
            with_hint(f"by='{by}' is not possible; by is best, sum or first.", did_you_mean(by, get_args(By)))
        )
    if by == "first" and not isinstance(documents, Mapping):
        raise InputError(
            with_hint(
                "a function does not say which passage of a document is its first.", "documents={passage: document}"
            )
        )
    returned = into_run(run)
    if is_path(run) and isinstance(returned, ScoredMapping):
        returned = table_of_run(returned)
    if isinstance(returned, ScoredMapping):
        known = _known(documents, {passage for one in returned.data.values() for passage in one})
        firsts = _firsts(documents) if by == "first" else frozenset()
        return {query: _rolled(one, known, by, firsts) for query, one in returned.data.items()}
    if isinstance(returned, RankedLists):
        return _rolled_lists(returned, documents, by)
    if isinstance(returned, RunFile):
        blocks = list(returned.blocks())
        columns = [pl.concat([getattr(block, name) for block in blocks]) for name in ("query", "item", "score")]
        returned = RunTable(columns[0], columns[1], columns[2], blocks[0].source, blocks[0].scored)
    if not isinstance(returned, RunTable):
        raise InputError("an array has no passage ids; give a mapping, a frame or a file.")
    return _rolled_table(returned, documents, by)


def _known(documents: Documents, passages: set[Any]) -> dict[Any, Any]:
    """The document of every passage; those without one are refused together."""
    of = documents.get if isinstance(documents, Mapping) else documents
    known = {passage: of(passage) for passage in passages}
    missing = [passage for passage, document in known.items() if document is None]
    if missing:
        raise InputError(f"documents does not name the document of {examples(sorted(missing, key=str))}.")
    return known


def _firsts(documents: Documents) -> frozenset[Any]:
    """The first passage of every document."""
    first: dict[Any, Any] = {}
    for passage, document in documents.items():  # type: ignore[union-attr]
        first.setdefault(document, passage)
    return frozenset(first.values())


def _rolled(one: Mapping[Any, float], known: Mapping[Any, Any], by: By, firsts: frozenset[Any]) -> dict[Any, float]:
    rolled: dict[Any, float] = {}
    for passage, score in one.items():
        document = known[passage]
        if by == "first":
            if passage in firsts:
                rolled[document] = score
        elif document not in rolled:
            rolled[document] = score
        else:
            rolled[document] = max(rolled[document], score) if by == "best" else rolled[document] + score
    return rolled


def _rolled_lists(run: RankedLists, documents: Documents, by: By) -> dict[Any, list[Any]]:
    if by == "sum":
        raise InputError(with_hint("ranked lists have no scores to add up.", "by='best' or by='first'"))
    known = _known(documents, {passage for one in run.data.values() for passage in one})
    firsts = _firsts(documents) if by == "first" else None
    return {
        query: list(dict.fromkeys(known[passage] for passage in one if firsts is None or passage in firsts))
        for query, one in run.data.items()
    }


def _rolled_table(run: RunTable, documents: Documents, by: By) -> RunTable:
    if by == "sum" and not run.scored:
        raise InputError(with_hint("a run of ranks has no scores to add up.", "by='best' or by='first'"))
    unique = run.item.unique()
    passages = unique.to_list()
    known = _known(documents, set(passages))
    lookup = pl.DataFrame({"item": unique, "document": ids([known[passage] for passage in passages])})
    frame = pl.DataFrame({"query": run.query, "item": run.item, "score": run.score})
    if by == "first":
        frame = frame.filter(pl.Series(frame["item"].is_in(list(_firsts(documents)))))
    score = pl.col("score").sum() if by == "sum" else pl.col("score").max()
    rolled = (
        frame.join(lookup, on="item", how="left", maintain_order="left")
        .group_by("query", "document", maintain_order=True)
        .agg(score)
    )
    return RunTable(rolled["query"], rolled["document"], rolled["score"], run.source, run.scored)
