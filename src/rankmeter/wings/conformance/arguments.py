"""What the parameters of a metric function stand for, read from their names, and what they are given of a case.

A parameter is given one of these **words**:

=================  ==================================================================
``relevances``     the grades of the returned items in their order, 0 where unjudged
``all_relevances`` the grades of all judged items
``retrieved``      the ids of the returned items in their order
``relevant``       the ids of the relevant items: a set, or a list
``grades``         the grade of each judged item, by its id
``scores``         the score of each returned item, by its id
``y_true``         the grades of the returned items, as they were given
``y_score``        their scores
``k``              the cutoff
=================  ==================================================================

``[word]`` is a list with an entry for each query, ``{word}`` a dictionary by query; ``qrels`` is ``{grades}`` and
``run`` is ``{scores}``.

>>> [argument.word for argument in read_arguments("retrieved, relevant, k")]
['retrieved', 'relevant', 'k']
>>> read_arguments("[y_true], [y_score], k=k")[-1]
Argument(word='k', within='', name='k')
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.wings.conformance.cases import CaseQuery, PublishedCase
from rankmeter.wings.conformance.sight import Sight

SHORT = {"qrels": "{grades}", "run": "{scores}"}
"""Words that stand for other words."""

NAMES = {
    "relevances": "relevances relevance rels rel rel_list gains gain r",
    "all_relevances": "all_relevances all_rels ideal ideal_relevances all_gains",
    "retrieved": "retrieved retrieved_ids retrieved_docs retrieved_items predicted predicted_ids predictions "
    "prediction preds pred recommended recommended_items recommendations recs results result_ids ranked ranking "
    "ranked_list ranked_ids ranked_items returned docs doc_ids items candidates output outputs",
    "relevant": "relevant relevant_ids relevant_docs relevant_items ground_truth ground_truths gt truth truths gold "
    "golden gold_ids expected expected_ids actual actuals targets target positives correct answers reference",
    "grades": "grades judgments judgements relevance_map relevance_by_id graded relevance_dict",
    "scores": "scores_by_id score_by_id run_scores",
    "y_true": "y_true labels label",
    "y_score": "y_score y_scores y_pred y_prob",
    "qrels": "qrels qrel",
    "run": "run runs",
    "k": "k n topk top_k at at_k cutoff depth limit num_results",
}
"""The names that people give to parameters."""
_WORD_OF = {name: word for word, names in NAMES.items() for name in names.split()}
_WORDS = {*NAMES, *SHORT}
_ROWS = ("y_true", "y_score")


@dataclass(frozen=True, slots=True)
class Argument:
    """What one parameter is given."""

    word: str
    within: str = ""
    """``[`` for a list with an entry for each query, ``{`` for a dictionary by query."""
    name: str = ""
    """The name that it is passed by; empty for a place."""


def read_arguments(text: str) -> tuple[Argument, ...]:
    """Arguments as they are typed: ``retrieved, relevant, k``."""
    return tuple(_argument(part.strip()) for part in text.split(","))


def _argument(text: str) -> Argument:
    name, _, said = text.rpartition("=")
    said = SHORT.get(said.strip(), said.strip())
    match = re.fullmatch(r"\[(\w+)\]|\{(\w+)\}|(\w+)", said)
    word = next(filter(None, match.groups()), "") if match else ""
    if word not in _WORDS - {*SHORT}:
        raise InputError.of("conformance.unknown_argument", text=text, known=sorted(_WORDS))
    return Argument(word, said[0] if said[0] in "[{" else "", name.strip())


def arguments_of(function: Callable[..., Any]) -> tuple[Argument, ...]:
    """What the parameters of a function stand for, by their names; those with a default and an unknown name are left.

    >>> def recall(retrieved: list[str], relevant: set[str], k: int, verbose=False): ...
    >>> [argument.word for argument in arguments_of(recall)]
    ['retrieved', 'relevant', 'k']
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise InputError.of("conformance.no_signature", name=function_name(function)) from None
    named = {parameter.name.casefold() for parameter in parameters}
    arguments: list[Argument] = []
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        word = _word(parameter, named)
        if word is not None:
            by_name = parameter.kind is parameter.KEYWORD_ONLY or len(arguments) < _place(parameter, parameters)
            arguments.append(Argument(*word, name=parameter.name if by_name else ""))
        elif parameter.default is parameter.empty:
            raise InputError.of("conformance.unclear_parameter", name=function_name(function), parameter=parameter.name)
    if not any(argument.word != "k" for argument in arguments):
        raise InputError.of("conformance.no_parameters", name=function_name(function))
    return tuple(arguments)


def _place(parameter: inspect.Parameter, parameters: Any) -> int:
    return list(parameters).index(parameter)


def _word(parameter: inspect.Parameter, named: set[str]) -> tuple[str, str] | None:
    """The word of a parameter and what it is within; None where its name says nothing."""
    name = parameter.name.casefold().strip("_")
    annotation = re.sub(r"\s|typing\.", "", str(parameter.annotation)).casefold()
    word = _WORD_OF.get(name)
    if word == "y_true" and not named & {*NAMES["y_score"].split(), "scores", "score"}:
        word = "relevances"
    if name in ("scores", "score"):
        word = "y_score" if named & {*NAMES["y_true"].split()} else "relevances"
    if word == "relevant" and re.match(r"(dict|mapping)", annotation):
        word = "grades"
    if word is None:
        return None
    if word in SHORT:
        return SHORT[word][1:-1], "{"
    nested = re.match(r"(list|sequence|iterable|tuple)\[(list|sequence|set|iterable|tuple|dict)", annotation)
    by_query = re.match(r"(dict|mapping)\[\w+,(list|sequence|set|dict|mapping)", annotation)
    within = "[" if nested else "{" if by_query else ""
    return word, within if word != "k" else ""


def function_name(function: object) -> str:
    """The name of a function, for messages."""
    return str(getattr(function, "__qualname__", None) or type(function).__name__)


def sight_of(arguments: Sequence[Argument]) -> Sight:
    """What these arguments tell of a case."""
    words = {argument.word for argument in arguments}
    several = any(argument.within for argument in arguments)
    return Sight(
        scores=bool(words & {"scores", "y_score"}),
        grades=bool(words & {"relevances", "all_relevances", "grades", "y_true"}),
        repeats="retrieved" in words,
        several=several,
        absent=several and all(argument.within == "{" or argument.word == "k" for argument in arguments),
        ids=bool(words & {"retrieved", "scores"}) and bool(words & {"relevant", "grades"}),
    )


def given(
    arguments: Sequence[Argument], case: PublishedCase, k: int | None, *, relevant: type = set
) -> tuple[list[Any], dict[str, Any]]:
    """What a function is called with for a case."""
    values = [_value(argument, case, k, relevant) for argument in arguments]
    pairs = list(zip(arguments, values, strict=True))
    return [value for argument, value in pairs if not argument.name], {a.name: v for a, v in pairs if a.name}


def _value(argument: Argument, case: PublishedCase, k: int | None, relevant: type) -> Any:
    if argument.word == "k":
        return k
    if not argument.within:
        (query,) = case.queries.values()
        return _of_query(argument.word, query, relevant)
    of_judgments = argument.word in ("relevant", "grades", "all_relevances")
    values = {
        name: _of_query(argument.word, query, relevant)
        for name, query in case.queries.items()
        if (query.judgments if of_judgments else query.run) is not None
    }
    return list(values.values()) if argument.within == "[" else values


def _of_query(word: str, query: CaseQuery, relevant: type) -> Any:
    grades = query.grades
    values: dict[str, Callable[[], Any]] = {
        "relevances": lambda: [grades.get(item, 0) for item in query.ranked],
        "all_relevances": lambda: list(grades.values()),
        "retrieved": lambda: query.ranked,
        "relevant": lambda: relevant(item for item, grade in grades.items() if grade >= 1),
        "grades": lambda: grades,
        "scores": lambda: dict(query.run or ()),
        "y_true": lambda: [grades.get(item, 0) for item, _ in query.run or ()],
        "y_score": lambda: [score for _, score in query.run or ()],
    }
    return values[word]()


def turned(case: PublishedCase) -> PublishedCase:
    """The case with its judgments in the opposite order, which no definition may notice."""
    queries = {
        name: CaseQuery(None if query.judgments is None else query.judgments[::-1], query.run)
        for name, query in case.queries.items()
    }
    return PublishedCase(case.name, case.topic, case.cutoffs, case.question, queries)


def as_one_number(value: Any) -> float | None:
    """What a function returned as a number; None for nothing. A mapping or a list of numbers is their mean.

    Raises
    ------
    TypeError
        When it is not a number.
    """
    if value is None:
        return None
    if isinstance(value, Mapping):
        parts = [part for part in map(as_one_number, value.values()) if part is not None]
        return sum(parts) / len(parts) if parts else None
    if isinstance(value, (str, bytes)):
        raise TypeError(type(value).__name__)
    if hasattr(value, "item") and getattr(value, "size", None) == 1:
        return float(value.item())
    if hasattr(value, "__len__") or (hasattr(value, "ndim") and value.ndim):
        return as_one_number(dict(enumerate(value)))
    return float(value)
