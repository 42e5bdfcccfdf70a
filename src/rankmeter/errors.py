"""What can go wrong: errors are values, worded for people in English and in Chinese.

::

    RankmeterError
    ├── MeasureError      a measure that cannot be made or computed   (also ValueError)
    ├── InputError        data that cannot be used as it is           (also ValueError)
    │   └── InputTypeError  a value of a type that cannot be used     (also TypeError)
    ├── NotFoundError     a file, query or measure that is not there  (also KeyError)
    └── MissingExtraError an optional library that is not installed   (also ImportError)

    RankmeterWarning      something a person should know and did not ask

An error carries a :class:`Problem`: a kind, its values, and a hint. Its words stand in ``wording/errors/<room>.toml``,
in both languages; they state the fact with its value, where it was met, what was expected, and after ``Hint:`` the call
that works. Nobody reads an error's text to learn what happened: its kind and its values say it.

>>> error = InputError.of("general.not_whole", option=Option("depth", 0), least=1)
>>> str(error)
'depth=0 is not possible: expected a whole number, 1 or more.'
>>> error.text("zh")
'depth=0 不可用：应为不小于 1 的整数。'
>>> error.problem.kind, error.problem.values["least"]
('general.not_whole', 1)

In Python an error reads as English unless the variable ``RANKMETER_LANG`` says ``zh``, and
:meth:`RankmeterError.text` words it in any language. A command speaks the language of ``--lang``, else of
``RANKMETER_LANG``, else of the locale.
"""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from numbers import Integral, Real
from typing import Any, Self

from rankmeter.frozen import dataclass
from rankmeter.late import pathlib, was_forked_from_threads
from rankmeter.wording import (
    BETWEEN,
    LANGUAGES,
    OF_USERS,
    Language,
    Option,
    Said,
    Spelling,
    as_argument,
    chosen_language,
    filled,
    is_about_users,
    of_whom,
    said,
    spelled,
    wording_of,
)
from rankmeter.wording.characters import without_controls

LONGEST_TEXT = 20_000
"""Letters of a message; ids and file names of any length may stand in it."""


class Finished(str):
    """Text that is ready to be read: nothing in it is escaped or cut."""

    __slots__ = ()

    def worded(self, *_: object) -> str:
        """The text, whatever the language."""
        return str(self)


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong: a kind and its values."""

    kind: str
    values: Mapping[str, Any]
    hint: str | Problem | None = None
    """Replaces the hint that the kind's wording has; plain text, such as a call, is the same in all languages."""
    more: tuple[str | Problem, ...] = ()
    """Hints that callers added on its way up: a folder is read as one run."""

    def fact(self, language: Language = "en", spelling: Spelling = as_argument) -> str:
        """What happened, without the hint."""
        return filled(of_whom(wording_of(self.kind)[language], language, self.values), self.values, language, spelling)

    def advice(self, language: Language = "en", spelling: Spelling = as_argument) -> str:
        """What to do about it; empty if no help is known."""
        texts = wording_of(self.kind)
        hint, typed = (texts.get(f"{part}_{language}", texts.get(part, "")) for part in ("hint", "typed"))
        told = of_whom(hint if spelling is as_argument else typed or hint, language, self.values)
        own = filled(told, self.values, language, spelling)
        hints = [own if self.hint is None else _text_in(self.hint, language, spelling)]
        hints += [_text_in(hint, language, spelling) for hint in self.more]
        return BETWEEN[language].join(hint.rstrip(".。") if self.more else hint for hint in hints if hint)

    def worded(self, language: Language = "en", spelling: Spelling = as_argument) -> str:
        """Fact and hint in one language, with arguments spelled as the reader would type them."""
        return with_hint(self.fact(language, spelling), self.advice(language, spelling), language)


def _text_in(text: str | Problem, language: Language, spelling: Spelling) -> str:
    return text.worded(language, spelling) if isinstance(text, (Problem, Said)) else text


class RankmeterError(Exception):
    """The base of every error that rankmeter raises on purpose."""

    @classmethod
    def of(cls, kind: str, /, *, hint: str | Problem | None = None, **values: Any) -> Self:
        """An error of a kind in ``wording/errors``; a hint given here replaces the one there."""
        return cls(Problem(kind, {**values, OF_USERS: True} if is_about_users() else values, hint))

    def changed(self, *, hint: str | Problem | None = None, more: str | Problem | None = None, **values: Any) -> Self:
        """The error with other values, another hint, or one more: a caller may know better names for things."""
        problem = self.problem
        added = (*problem.more, more) if more else problem.more
        return type(self)(Problem(problem.kind, {**problem.values, **values}, hint or problem.hint, added))

    @property
    def problem(self) -> Problem:
        """What went wrong, as a value."""
        given = self.args[0] if self.args else ""
        return given if isinstance(given, Problem) else Problem("general.text", {"text": Finished(given)})

    def text(self, language: Language = "en", spelling: Spelling = as_argument) -> str:
        """What went wrong in one language."""
        text = without_controls(self.problem.worded(check_language(language), spelling))
        half = LONGEST_TEXT // 2
        return text if len(text) <= LONGEST_TEXT else f"{text[:half]} ... {text[-half:]}"

    def __str__(self) -> str:
        return self.text(chosen_language())


class MeasureError(RankmeterError, ValueError):
    """A measure that cannot be made (bad name, bad option) or cannot be computed (no such tie rule)."""


class InputError(RankmeterError, ValueError):
    """Judgments or a run that cannot be used as they are."""


class InputTypeError(InputError, TypeError):
    """A value of a type that cannot be used: text where a number is needed, a number where text is."""


class EmptyInputError(InputError):
    """A table without rows, which is harmless as one of the many files of a run."""


class NotFoundError(RankmeterError, KeyError):
    """A file, a query or a measure that is not there."""


class RepeatedItemError(InputError):
    """A run returns an item twice for one query, and no rule for that was asked for."""


class RepeatedJudgmentError(InputError):
    """A table judges an item more than once for one query."""


class MissingExtraError(RankmeterError, ImportError):
    """An optional library that this call needs is not installed."""


def load_library(module: str, install: str = "", *, called: str = "") -> Any:
    """Import an optional library, or say how to install it: by default as the extra of the same name."""
    try:
        return import_module(module)
    except ImportError as error:
        raise why_not_loaded(error, called or module, install or f'"rankmeter[{module}]"') from error


def why_not_loaded(error: ImportError, library: str, install: str) -> MissingExtraError:
    """What an optional library that cannot be imported is: not there, or beside versions that it does not fit."""
    if isinstance(error, ModuleNotFoundError):
        return MissingExtraError.of("general.not_installed", library=library, install=install)
    return MissingExtraError.of("general.does_not_load", library=library, install=install, reason=reason_of(error))


class RankmeterWarning(UserWarning):
    """Something that a person should know without having asked; raised once, with a count."""

    def __str__(self) -> str:
        sentence = self.args[0] if self.args else ""
        return without_controls(sentence.text(chosen_language()) if isinstance(sentence, Said) else super().__str__())


def warn(sentence: str, category: type[Warning] = RankmeterWarning) -> None:
    """Warn a person, pointing at the line of their code that called rankmeter."""
    level, frame = 2, sys._getframe(1)  # noqa: SLF001 (there is no public way that is as cheap)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "rankmeter":
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, category, stacklevel=level)


def warn_of_end(old: str, new: str, ends: str) -> None:
    """Warn that something still works but goes away in version ``ends``, and name its replacement."""
    warn(said("general.deprecated", old=old, new=new, ends=ends), DeprecationWarning)


def with_hint(fact: str, hint: str = "", language: Language = "en") -> str:
    """Join a fact and its hint, as in every message."""
    if not hint:
        return fact
    return f"{fact}提示：{hint}" if language == "zh" else f"{fact} Hint: {hint}"


def examples(values: Iterable[Any], *, shown: int = 5, kind: str = "") -> str:
    """List the first few values and count the rest: ``17, 80, 112 and 9 more``.

    With a kind, each is what a sentence of that kind says of such values: ``item a in query q``.
    """
    every = list(values)
    first = [said(kind, **value) if kind else str(value) for value in every[:shown]]
    if len(every) > shown:
        return said("general.and_more", first=first, count=len(every) - shown)
    return said("general.listed", values=first)


def reason_of(error: BaseException) -> str:
    """The first line of what the system or a library says went wrong, without a full stop."""
    lines = str(getattr(error, "strerror", None) or error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def nearest(word: str, choices: Sequence[str], *, shown: int = 3, alike: float = 0.6) -> list[str]:
    """The choices most like the word, case ignored, best first; ``alike=1`` asks for equality."""
    import difflib  # takes a millisecond, and few words are wrong

    by_folded = {choice.casefold(): choice for choice in reversed(choices)}
    close = difflib.get_close_matches(word.casefold(), list(by_folded), n=shown, cutoff=alike)
    # Swapped letters are the likeliest slip, but difflib rates them as unlike in a short word: CRT is CTR, not CVR.
    letters = sorted(word.casefold())
    swapped = [folded for folded in by_folded if len(word) > 2 and sorted(folded) == letters]
    close = [*swapped, *(folded for folded in close if folded not in swapped)][:shown]
    if not close and len(word) > 2:  # `weighted` for `weighted_sentiment_score`
        close = [folded for folded in by_folded if word.casefold() in folded][::-1][:shown]
    return [by_folded[folded] for folded in close]


def did_you_mean(word: str, choices: Sequence[str]) -> str:
    """A hint that names the nearest choice; empty if none is near."""
    close = nearest(word, choices, shown=1, alike=0.7)
    return said("general.did_you_mean", choice=close[0]) if close else ""


def check_language(language: object) -> Language:
    """Return the language; refuse one that rankmeter does not speak."""
    for known in LANGUAGES:
        if language == known:
            return known
    raise InputError.of("general.not_one_of", option=Option("lang", language), choices=list(LANGUAGES))


def check_threads() -> None:
    """Refuse tables in a process forked from one in which Polars' threads ran: it would wait for them for ever."""
    if was_forked_from_threads():
        raise InputError.of("general.forked")


def check_path(what: str, path: object) -> pathlib.Path:
    """Return a path; refuse what cannot be one."""
    if not isinstance(path, (str, os.PathLike)) or "\0" in os.fspath(path):
        raise InputError.of("general.not_a_path", option=Option(what, path))
    return pathlib.Path(path)


def check_whole(what: str, value: object, least: int = 0) -> int:
    """Return a whole number of at least ``least``; refuse anything else.

    >>> check_whole("depth", 0, 1)
    Traceback (most recent call last):
    rankmeter.errors.InputError: depth=0 is not possible: expected a whole number, 1 or more.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError.of("general.not_whole", option=Option(what, value), least=least)
    return int(value)


def check_level(level: object, what: str = "level") -> float:
    """Return a number between 0 and 1, neither included; refuse anything else.

    >>> check_level(95)
    Traceback (most recent call last):
    rankmeter.errors.InputError: level=95 is not possible: expected a number between 0 and 1, such as 0.95.
    """
    if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < 1:
        example = {"power": "0.8", "alpha": "0.05"}.get(what, "0.95")
        raise InputError.of("general.not_a_share", option=Option(what, level), example=example)
    return float(level)


def check_choice(what: str, value: object, choices: Sequence[str | None]) -> None:
    """Refuse a value that is none of the choices, with the nearest one as a hint; None stands for "not stated".

    >>> check_choice("test", "signs", ("t", "sign"))
    Traceback (most recent call last):
    rankmeter.errors.InputError: test='signs' is not possible; it is one of t, sign. Hint: did you mean 'sign'?
    """
    if value not in choices:
        listed = [choice for choice in choices if choice is not None]
        hint = did_you_mean(value, listed) if isinstance(value, str) else ""
        option = f"{what}=None" if value is None else Option(what, value)  # an option without a value is its name alone
        raise InputError.of("general.not_one_of", option=option, choices=listed, hint=hint or None)


def check_number(what: str, number: object) -> float:
    """Return a finite number, which may be given as text; ``what`` is a phrase or the name of an argument."""
    try:
        made = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        made = math.nan
    if not math.isfinite(made):
        raise InputError.of("general.not_a_number", what=what, number=spelled(number))
    return made


def check_positive(what: str, number: object, example: float, most: float = math.inf) -> float:
    """Return a number above 0 and at most ``most``; refuse anything else.

    >>> check_positive("share", 1.5, 0.5, most=1)
    Traceback (most recent call last):
    rankmeter.errors.InputError: share=1.5 is not possible: expected a number above 0, at most 1. Hint: share=0.5
    """
    is_number = isinstance(number, Real) and not isinstance(number, bool)
    if not is_number or not 0 < float(number) <= most or not math.isfinite(float(number)):  # type: ignore[arg-type]
        kind = "general.not_positive" if math.isinf(most) else "general.not_positive_most"
        raise InputError.of(kind, option=Option(what, number), most=most, right=Option(what, example))
    return float(number)  # type: ignore[arg-type]
