"""Why the ids of two inputs do not match: how they would have to be changed to be the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from rankmeter.errors import InputError, examples
from rankmeter.wording import Said, said

LOOKED_AT = 10_000
"""How many ids of each side are looked at."""

_CHANGES: Mapping[str, Callable[[str], str]] = {
    "ids_differ_in_blanks": str.strip,
    "ids_differ_in_case": str.casefold,
    "ids_differ_in_form": lambda text: unicodedata.normalize("NFKC", text),
    "ids_differ_in_zeros": lambda text: text.lstrip("0"),
    "ids_differ_in_all": lambda text: unicodedata.normalize("NFKC", text).strip().casefold().lstrip("0"),
}


def why_unlike(judged: Iterable[object], returned: Iterable[object]) -> Said | None:
    """Why no id of one side is among those of the other: the first change that makes some of them equal, or None.

    Examples
    --------
    >>> why_unlike(["D1", "D2"], ["d2", "d9"]).text("en")
    "they differ in upper and lower case ('D2' and 'd2')"
    >>> why_unlike([17, 4], ["doc/4", "doc/9"]).text("en")
    "one side has a prefix ('4' and 'doc/4')"
    >>> why_unlike(["a"], ["b"]) is None
    True
    """
    judged_ids, returned_ids = ([str(id_) for id_ in islice(ids, LOOKED_AT)] for ids in (judged, returned))
    for kind, change in _CHANGES.items():
        if (pair := _pair(judged_ids, returned_ids, change, change)) is not None:
            return said(kind, judged=repr(pair[0]), returned=repr(pair[1]))
    for first, second in ((_without_prefix(judged_ids), str), (str, _without_prefix(returned_ids))):
        if (pair := _pair(judged_ids, returned_ids, first, second)) is not None:
            return said("ids_differ_in_prefix", judged=repr(pair[0]), returned=repr(pair[1]))
    return None


def no_query_in_common(judgments: str, judged: Iterable[object], run: str, returned: Iterable[object]) -> InputError:
    """The error where a run holds none of the judged queries."""
    judged, returned = list(judged), list(returned)
    return InputError.of(
        "inputs.no_query_in_common", judgments=judgments, judged=examples(judged, shown=3), run=run,
        returned=examples(returned, shown=3), hint=why_unlike(judged, returned),
    )  # fmt: skip


def _pair(
    judged: list[str], returned: list[str], change: Callable[[str], str], of_other: Callable[[str], str]
) -> tuple[str, str] | None:
    """An id of each side that the changes make equal."""
    changed = {of_other(id_): id_ for id_ in reversed(returned)}
    changed.pop("", None)
    return next(((id_, changed[key]) for id_ in judged if (key := change(id_)) in changed), None)


def _without_prefix(ids: list[str]) -> Callable[[str], str]:
    """Take away what all ids begin with: up to the last sign that is neither letter nor digit, or to the digits."""
    first, last = min(ids, default=""), max(ids, default="")
    length = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    signs = [at for at, letter in enumerate(first[:length], 1) if not letter.isalnum()]
    prefix = first[: signs[-1]] if signs else first[:length].rstrip("0123456789")
    return lambda text: text.removeprefix(prefix)
