"""From passages to documents: a run of passages becomes a run of the documents that they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from math import isnan
from typing import Any, Literal, get_args

from rankmeter.errors import InputError, check_choice, examples
from rankmeter.inputs.accepting import into_run, is_path
from rankmeter.inputs.ids import ids, is_id_type
from rankmeter.inputs.mappings import RankedLists, ScoredMapping
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.wording import spelled

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
    check_choice("by", by, get_args(By))
    if not isinstance(documents, Mapping) and not callable(documents):
        raise InputError.of("inputs.documents_of_type", type=type(documents).__name__)
    if by == "first" and not isinstance(documents, Mapping):
        raise InputError.of("inputs.first_of_a_function")
    returned = into_run(run)
    if returned.matrix is not None:
        raise InputError.of("inputs.passages_of_array")
    if returned.mapping is not None and not is_path(run):
        return _rolled_mapping(returned.mapping, documents, by)
    return _rolled_table(returned.run_table(), documents, by)


def _known(documents: Documents, passages: set[Any]) -> dict[Any, Any]:
    """The document of every passage; those without one are refused together."""
    of = documents.get if isinstance(documents, Mapping) else documents
    known = {}
    for passage in passages:
        try:
            known[passage] = of(passage)
        except Exception as error:  # a function of the caller's may raise anything
            raise InputError.of(
                "inputs.documents_failed", passage=passage, type=type(error).__name__, error=error
            ) from error
    missing = [passage for passage, document in known.items() if document is None]
    if missing:
        raise InputError.of("inputs.document_unknown", listed=examples(sorted(missing, key=str)))
    for passage, document in known.items():
        if not is_id_type(type(document)):
            raise InputError.of(
                "inputs.document_of_type", passage=passage, type=type(document).__name__, document=spelled(document)
            )
    return known


def _firsts(documents: Documents) -> frozenset[Any]:
    """The first passage of every document."""
    first: dict[Any, Any] = {}
    for passage, document in documents.items():  # type: ignore[union-attr]
        first.setdefault(document, passage)
    return frozenset(first.values())


def _rolled_mapping(run: ScoredMapping | RankedLists, documents: Documents, by: By) -> dict[Any, Any]:
    known = _known(documents, {passage for passages in run.data.values() for passage in passages})
    firsts = _firsts(documents) if by == "first" else known.keys()
    if run.scored:
        run.run_table()  # refuses NaN, which has no order and no sum
        return {query: _rolled(scores, known, by, firsts) for query, scores in run.scores("error").items()}
    if by == "sum":
        raise InputError.of("inputs.lists_without_scores")
    for query, passages in run.data.items():
        _refuse_repeated_passages(run.source, [(passage, query) for passage, n in Counter(passages).items() if n > 1])
    return {
        query: list(dict.fromkeys(known[passage] for passage in passages if passage in firsts))
        for query, passages in run.data.items()
    }


def _rolled(scores: Mapping[Any, float], known: Mapping[Any, Any], by: By, firsts: Collection[Any]) -> dict[Any, float]:
    rolled: dict[Any, float] = {}
    for passage, score in scores.items():
        document = known[passage]
        if passage not in firsts:
            continue
        if document not in rolled:
            rolled[document] = score
        else:
            rolled[document] = rolled[document] + score if by == "sum" else max(rolled[document], score)
    if by == "sum":
        _refuse_no_sum([document for document, score in rolled.items() if isnan(score)])
    return rolled


def _rolled_table(run: RunTable, documents: Documents, by: By) -> RunTable:
    if by == "sum" and not run.scored:
        raise InputError.of("inputs.ranks_without_scores")
    unique = run.item.unique()
    passages = unique.to_list()
    known = _known(documents, set(passages))
    lookup = pl.DataFrame({"item": unique, "document": ids([known[passage] for passage in passages])})
    frame = pl.DataFrame({"query": run.query, "item": run.item, "score": run.score})
    twice = frame.filter(pl.struct("query", "item").is_duplicated()).unique(["query", "item"], maintain_order=True)
    _refuse_repeated_passages(run.source, list(zip(twice["item"], twice["query"], strict=True)))
    if by == "first":
        frame = frame.filter(pl.Series(frame["item"].is_in(list(_firsts(documents)))))
    score = pl.col("score").sum() if by == "sum" else pl.col("score").max()
    rolled = (
        frame.join(lookup, on="item", how="left", maintain_order="left")
        .group_by("query", "document", maintain_order=True)
        .agg(score)
    )
    _refuse_no_sum(rolled.filter(pl.col("score").is_nan())["document"].to_list())
    queries = run.query.unique(maintain_order=True) if run.queries is None else run.queries
    return RunTable(rolled["query"], rolled["document"], rolled["score"], run.source, run.scored, queries)


def _refuse_no_sum(documents: Sequence[Any]) -> None:
    """Refuse passages of one document with scores inf and -inf: these have no sum."""
    if documents:
        raise InputError.of("inputs.no_sum", documents=examples(map(str, documents)))


def _refuse_repeated_passages(source: str, pairs: Sequence[tuple[Any, Any]]) -> None:
    if pairs:
        twice = examples(f"passage {passage} in query {query}" for passage, query in pairs)
        raise InputError.of("inputs.passage_twice", source=source, twice=twice)
