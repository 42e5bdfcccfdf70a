"""The words that an option takes are those that its argument takes in Python: two lists of them would drift apart."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import click
import pytest

import rankmeter as rm
from rankmeter.cli import app
from rankmeter.stats import intervals

CALLED: dict[str, Callable[..., Any]] = {
    "advise": rm.advise,
    "compare": rm.compare,
    "counterfactual": rm.online.off_policy_log,
    "evaluate": rm.evaluate,
    "interleave score": rm.online.score_interleaving,
    "judgments-from-clicks": rm.judgments_from_clicks,
    "online": rm.online.experiment,
    "judge pool": rm.pool,
}
OF_THE_COMMAND = {"format", "lang"}
ANY_TEXT = {("compare", "unit")}
"""Arguments whose type is any text."""
FEWER = {("online", "correction"): {"max-t"}, ("evaluate", "interval_by"): {"randomisation"}}
"""Words that Python takes and the command does not: max-t needs the values of one sample, a value is not tested."""
ELSEWHERE: dict[tuple[str, str | None], tuple[Callable[..., Any], str]] = {
    ("evaluate", "interval_by"): (rm.Evaluation.interval, "method"),
}
"""Options that are arguments of what is called later."""


def _words(annotation: Any) -> set[str]:
    """The words of a type, without those of types beside them."""
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ()
    return {word for part in parts if part is not NoneType for word in _words(part)}


def _annotation(function: Callable[..., Any], name: str) -> Any:
    """The type of an argument, which may be one of the options that a call passes on."""
    names, stated = vars(sys.modules[function.__module__]), function.__annotations__
    passed_on = next((stated[key] for key in ("options", "settings") if "Unpack" in str(stated.get(key))), None)
    if name in stated or passed_on is None:
        return eval(stated[name], names | vars(intervals))
    (options,) = get_args(eval(passed_on, names))
    return get_type_hints(options)[name]


def _options() -> list[tuple[str, click.Option]]:
    found: list[tuple[str, click.Option]] = []
    for name in CALLED:
        command: Any = app
        for part in name.split():
            command = command.get_command(click.Context(app), part)
        chosen = (one for one in command.params if isinstance(one.type, click.Choice))
        found += [(name, one) for one in chosen if one.name not in OF_THE_COMMAND and (name, one.name) not in ANY_TEXT]
    return found


@pytest.mark.parametrize(("name", "option"), _options(), ids=lambda part: getattr(part, "name", part))
def test_an_option_takes_the_words_of_its_argument(name, option) -> None:
    words = _words(_annotation(*ELSEWHERE.get((name, option.name), (CALLED[name], option.name))))
    assert set(option.type.choices) == words - FEWER.get((name, option.name), set())
