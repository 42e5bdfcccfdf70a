"""The verb, ``evaluate(judgments, run, measures)``: truth comes first everywhere, as in trec_eval and scikit-learn.

Data in memory and files of ordinary size are evaluated here; values that go to a file are evaluated block
by block (:mod:`.blocks`), in the same steps, and so are tables of another engine, by the wing that takes them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from rankmeter.errors import InputError, MeasureError
from rankmeter.evaluating.additions import has_additions
from rankmeter.evaluating.asking import Asked, DuplicatePolicy, QueryPolicy, ask
from rankmeter.evaluating.evaluation import About, evaluate_placing
from rankmeter.evaluating.facts import Purpose
from rankmeter.evaluating.little import evaluate_little, value_of_grades
from rankmeter.evaluating.pairing import folder_is_one_run, into_pair
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs.accepting import check_columns_of, into_judgments, into_run
from rankmeter.inputs.reading import Listener
from rankmeter.measures import Measure
from rankmeter.wings import is_foreign
from rankmeter.wings.loading import answering, source_of
from rankmeter.wording import of_its_lists


@of_its_lists
def evaluate(
    judgments: object,
    run: object = None,
    measures: object = ("nDCG@10", "AP", "RR"),
    *,
    queries: QueryPolicy | None = None,
    duplicates: DuplicatePolicy | None = None,
    columns: Mapping[str, str] | None = None,
    dialect: str | None = None,
    catalogue: object = None,
    history: object = None,
    by: object = None,
    assisted_by: object = None,
    purpose: Purpose | None = None,
    protocol: object = None,
    baselines: object = None,
    calls: str | None = None,
    name: str = "run",
    per_query_to: str | os.PathLike[str] | None = None,
    progress: Listener | None = None,
) -> Evaluation:
    """Measure a run against judgments.

    Parameters
    ----------
    judgments
        The truth: ``{query: {item: grade}}``, ``{query: set or list of relevant items}``, a frame, the path of a file,
        or what a constructor makes (``arrays``, ``ranked_grades``).
    run
        What a system returned: ``{query: {item: score}}``, ``{query: [items, best first]}``, a frame or the path of a
        file. Left out if the judgments hold the list themselves (``ranked_grades``, ``read_labelled``).
    measures
        One or several, as text (``"nDCG@10"``) or values (``nDCG @ 10``).
    queries
        Which queries are averaged: ``judged``, all judged queries (one absent from the run counts as an empty list);
        ``common``, those that are judged and in the run; ``run``, all queries of the run. A measure may state its own.
    duplicates
        How to treat an item that a list contains twice: ``error``, ``first``, ``best`` or ``counted``.
    columns
        Unusual column names of frames and tables: ``{"item": "docid_x"}``; ``run.item`` and ``judgments.item`` name a
        column of one side only, ``catalogue.features`` (``"f1+f2"`` or ``"f*"``) and the like those of the catalogue.
    dialect
        The tool whose metrics the measures are, to get that tool's numbers: ``"recbole"``, ``"trec_eval:9,c"``.
    catalogue
        The items that could be recommended, for measures of lists: ids, a frame, a file, or a
        :class:`rankmeter.Catalogue`, which also describes them. Measures of lists that need no judgments can be
        computed with ``judgments=None``.
    history
        What users took before: ``{user: [items]}``, a frame or a file of interactions.
    by
        Slices for every measure: ``{query: segment}``, a frame or file with a row per query, one of ``activity``,
        ``cold-users``, ``popularity``, ``cold-items`` and ``group``, a column of the catalogue, or several of these.
    purpose
        What the lists are for: ``recommendation`` speaks of users and held-out items, ``search`` of queries and
        judgments. By default inferred from a column of users or a history; no number depends on it.
    assisted_by
        Machine judgments for all queries, when ``judgments`` are human judgments for a random sample of them: the
        result's ``assisted`` holds values estimated from both, with intervals (docs/how-to/few-human-judgments.md).
    protocol
        How the judgments came about: what :func:`rankmeter.split` says of its parts, or the path of a
        ``protocol.json``. Known by itself where judgments are such a split, or a file beside its protocol; ``False``
        leaves it out.
    baselines
        What any model should beat, measured beside the run: ``"popular,random"`` (:func:`rankmeter.baselines`). They
        learn from ``history``, or the train part of a split.
    calls
        What a measure of one list is given where the run holds several for each query (a column ``call``, lists of
        lists): ``union``, ``best``, ``first-hit``, ``after=2``, ``tokens=2000``, as :func:`rankmeter.searches` says.
    name
        The name of the system in the result.
    per_query_to
        Write the values per query to this Parquet file (the form that `Evaluation.save` writes) while the run is read,
        and keep none in memory; the result loads them when they are needed.
    progress
        Called with a `Progress` (rows, fraction, seconds left) after each block of a run that is read from files.

    Examples
    --------
    >>> import rankmeter as rm
    >>> judgments = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
    >>> run = {"q1": {"a": 0.9, "x": 0.8, "b": 0.7}, "q2": {"x": 0.5, "c": 0.4}}
    >>> ev = rm.evaluate(judgments, run, ["nDCG@10", "RR"])
    >>> ev["RR"]
    0.75
    >>> ev.per_query["RR"].to_list()
    [1.0, 0.5]
    """
    if has_additions(judgments, protocol, baselines):
        again = partial(
            evaluate, measures=measures, queries=queries, duplicates=duplicates, columns=columns, dialect=dialect,
            catalogue=catalogue, by=by, assisted_by=assisted_by, purpose=purpose, per_query_to=per_query_to,
            progress=progress, calls=calls,
        )  # fmt: skip
        added: Evaluation = answering("evaluate.protocol").evaluate_with(
            again, judgments, run, history=history, protocol=protocol, baselines=baselines, name=name
        )
        return added
    about = About.of(catalogue, history, by, columns, purpose).under(dialect)
    columns = about.columns
    if columns is not None:
        check_columns_of(columns, judgments, run, history=history)
    expanded = None if about.catalogue is None else about.expanded
    asked = ask(measures, queries=queries, duplicates=duplicates, dialect=dialect, expanded=expanded)
    if calls is not None or _holds_calls(run) or any(measure.about == "searches" for measure in asked.measures):
        run = answering("evaluate.calls").into_searches(run, calls, columns)
    if assisted_by is not None:
        if is_foreign(judgments) or is_foreign(run) or per_query_to is not None or judgments is None:
            raise InputError.of("evaluating.assisted_in_memory")
        return _evaluate_assisted(judgments, assisted_by, run, asked, name, about)
    if per_query_to is None and (little := evaluate_little(judgments, run, asked, name, about)) is not None:
        return little
    if (elsewhere := source_of(judgments, run)) is not None:
        distant: Evaluation = elsewhere.evaluate_distant(judgments, run, asked, columns, name, per_query_to, about)
        return distant
    if per_query_to is not None:
        from rankmeter.evaluating.to_file import evaluate_to_file

        return evaluate_to_file(judgments, run, asked, columns, name, per_query_to, progress, about)
    with folder_is_one_run(run):
        return evaluate_placing(into_pair(judgments, run, columns, progress), asked, name, about=about)


def _holds_calls(run: object) -> bool:
    """Whether a mapping has lists of lists: one for each search that was made for a query."""
    if type(run) is not dict or not run:
        return False
    first = next(iter(run.values()))
    if type(first) is not list or not first or type(first[0]) is not list:
        return False
    nested = (one for lists in run.values() if type(lists) is list for one in lists if type(one) is list)
    return not any(type(item) is float for one in nested for item in one)  # scores or distances: a response


def _evaluate_assisted(
    judgments: object, assisted_by: object, run: object, asked: Asked, name: str, about: About
) -> Evaluation:
    """The evaluation under the human judgments, with what the machine's add to it."""
    from rankmeter.evaluating.assisted import assisting

    wing = assisting()
    people = into_judgments(judgments, columns=about.columns)
    design = wing.design_of(judgments, people)
    machine = into_judgments(assisted_by, columns=about.columns)
    returned = into_run(run, columns=about.columns)
    with folder_is_one_run(run):
        both = [evaluate_placing(into_pair(truth, returned), asked, name, about=about) for truth in (people, machine)]
    assistance = wing.assist(
        {name: both[0]}, {name: both[1]}, design, judgments=(people, machine), runs={name: returned}, asked=asked
    )
    return replace(both[0], assisted=assistance)


def value(measure: str | Measure, *, grades: object) -> float:
    """The value of one measure for one list, given as grades in ranked order.

    Examples
    --------
    >>> from rankmeter import value
    >>> value("nDCG@5", grades=[3, 2, 3, 0, 1])
    0.9723...
    """
    asked = ask(measure)
    if len(asked.measures) > 1:
        raise MeasureError.of(
            "evaluating.several_values", names=", ".join(map(str, asked.measures)), count=len(asked.measures)
        )
    if (plain := value_of_grades(asked, grades)) is not None:
        return plain
    from rankmeter.inputs.arrays import ranked_grades  # loaded if needed

    return next(iter(evaluate(ranked_grades([grades]), measures=asked.measures).means.values()))
