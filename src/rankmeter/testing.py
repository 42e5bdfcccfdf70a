"""Rankings and metrics in tests: what they are held to, and an ``AssertionError`` that says what is not met.

The pytest plugin offers both as a fixture called ``rankmeter``, which also lists in the terminal what was checked.
"""

from __future__ import annotations

from typing import Any

from rankmeter.comparing.requirements import Requirement, check_requirements
from rankmeter.errors import RankmeterError
from rankmeter.wings.loading import public

__all__ = ["Requirement", "assert_conforms", "assert_ranking"]


def assert_ranking(
    judgments: object,
    run: object,
    *requirements: str,
    baseline: object = None,
    certain: bool | None = None,
    shown: int = 10,
    **options: Any,
) -> list[Requirement]:
    r"""Raise an ``AssertionError`` if a run does not meet a requirement; return what was checked otherwise.

    Parameters
    ----------
    judgments, run
        As for :func:`rankmeter.evaluate`.
    requirements
        What must hold, taken literally as gates are: ``"nDCG@10 >= 0.45"``, ``"AP >= baseline - 0.01"``,
        ``"R@100 >= baseline - 2%"``. A requirement that only a loss beyond chance breaks says so:
        ``"not RR < baseline significantly"`` (a one-sided test at 5 %).
    baseline
        What the run is compared with: a run, an :class:`rankmeter.Evaluation`, or the path of a saved one.
    certain
        Whether requirements fail only if the loss is more than chance, whatever they say; by default as they say.
    shown
        How many of the queries that became worse are listed.
    options
        Those of :func:`rankmeter.evaluate` and, with a baseline, of :func:`rankmeter.compare`.

    Examples
    --------
    >>> import rankmeter as rm
    >>> from rankmeter.testing import assert_ranking
    >>> truth, old = {"q1": {"a"}, "q2": {"b"}}, {"q1": ["a", "c"], "q2": ["b"]}
    >>> new = {"q1": ["c", "a"], "q2": ["b"]}
    >>> kept = assert_ranking(truth, new, "RR >= 0.7", "not RR < baseline significantly", baseline=old)
    >>> [(one.text, one.is_met) for one in kept]
    [('RR >= 0.7', True), ('not RR < baseline significantly', True)]
    >>> try:
    ...     assert_ranking(truth, new, "RR >= baseline", baseline=old)
    ... except AssertionError as error:
    ...     lines = str(error).replace(": ", ":\n  ", 1).splitlines()
    >>> print(*(line for line in lines if "chance" not in line), sep="\n")
    RR >= baseline:
      0.7500 against the baseline's 1.0000, -0.2500: RR of run is 0.75, below 1 (baseline)
    queries that fell:
      q1  1.0000 -> 0.5000  -0.5000
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    try:
        checked = check_requirements(
            judgments, run, requirements, baseline=baseline, certain=certain, shown=shown, **options
        )
    except RankmeterError as error:
        raise error.with_traceback(None) from None  # e.g. a missing file: rankmeter's own frames explain nothing
    broken = [requirement for requirement in checked if not requirement.is_met]
    if broken:
        raise AssertionError("\n".join(requirement.told() for requirement in broken))
    return checked


def assert_conforms(function: object, definition: object = None, **options: Any) -> Any:  # what a wing's verb returns
    """Raise an ``AssertionError`` if a metric function is not what it is said to be; return the verdict otherwise.

    Parameters
    ----------
    function
        The function, or its name, as for :func:`rankmeter.check`.
    definition
        What it is said to compute (``"nDCG@10"``); without one, any known definition will do.
    options
        Those of :func:`rankmeter.check`.
    """
    __tracebackhide__ = True
    try:
        verdict = public("check")(function, definition, **options)
    except RankmeterError as error:
        raise error.with_traceback(None) from None
    if not verdict.conforms:
        raise AssertionError(verdict.to_text())
    return verdict
