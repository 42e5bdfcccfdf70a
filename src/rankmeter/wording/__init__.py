"""What rankmeter says, in English and in Chinese: a sentence is a kind and values, its wording data.

The files beside this one hold the wording of every kind in both languages, which are filled with the same values, so
that neither can say more than the other. ``errors/<room>.toml`` words what can go wrong in a room: its kinds are called
``<room>.<kind>``, and :mod:`rankmeter.errors` describes how they are raised. A wing has ``words/sentences.toml``,
``words/errors.toml`` (``<wing>.<kind>``) and ``words/help.toml`` in its own folder.

A wording names values in braces, as Python does (``{count:,}``), and

- ``{count:row|rows}``, the form of the word that fits the number;
- ``{--columns}``, an argument of a call, which is an option on the command line; ``{--level=0.95}`` adds a value,
  ``{--columns=}`` the one called ``columns``.

A value may be a sentence, a list, or numbers by name. Control characters in text are escaped, and a very long text is
cut in the middle.

Chinese has one word for each term, listed in ``terms.toml``; its punctuation is full-width.

>>> note = said("lacks_queries", system="bm25", count=3, total=1200)
>>> note
'bm25 lacks 3 of 1,200 judged queries; a missing query is an empty list'
>>> note.text("zh")
'bm25 缺少 1,200 个已标注查询中的 3 个；缺失的查询按空列表计'
>>> note.kind, note.values["count"]
('lacks_queries', 3)
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from string import Formatter
from typing import Any, Literal, ParamSpec, Self, TypeVar, cast, get_args
from unicodedata import bidirectional, category

from rankmeter.frozen import dataclass
from rankmeter.late import json, text_beside
from rankmeter.wings import is_there, table

Call = ParamSpec("Call")
Result = TypeVar("Result")
Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
BETWEEN: Mapping[Language, str] = {"en": "; ", "zh": "；"}
"""What stands between statements of one line."""
AFTER_NAME: Mapping[Language, str] = {"en": ": ", "zh": "："}
"""What stands between a name and what is said of it."""
_ISOLATING = frozenset("RLI LRI FSI PDI".split())
"""Bidi isolates: one inside a name could end the isolation of the whole name and reverse what follows."""
_TURNING = _ISOLATING | frozenset("R AL RLE RLO LRE LRO PDF".split())
"""Letters and direction marks after which text may run from right to left."""
FILES = ("evaluation", "comparison", "advice", "report", "reading")
LONGEST = 400
"""Characters of a value that are shown; a longer one is cut in the middle."""


@dataclass(frozen=True, slots=True)
class Option:
    """An argument of a call, which is an option on the command line; it has no value where only its name matters."""

    name: str
    value: Any = None


Spelling = Callable[[Option], str]
"""How an argument is written: as in Python, or as on a command line."""


def as_argument(option: Option) -> str:
    """An argument as Python takes it.

    >>> as_argument(Option("columns", {"item": "docid"})), as_argument(Option("history"))
    ('columns={"item": "docid"}', 'history=')
    """
    name = option.name.replace("-", "_")
    if option.value is None:
        return f"{name}="
    if isinstance(option.value, Mapping) and all(isinstance(key, str) for key in option.value):
        return f"{name}={json.dumps(dict(option.value), ensure_ascii=False, default=spelled)}"
    return f"{name}={spelled(option.value)}"


def spelled(value: object) -> str:
    """A value as Python writes it, cut short; also a whole number of more digits than Python writes."""
    try:
        return f"{value!r:.60}"
    except ValueError:
        return f"{type(value).__name__}(...)"


_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=as_argument)


@contextmanager
def spelled_as(spelling: Spelling) -> Iterator[None]:
    """Spell arguments in all sentences this way: on a command line they are options."""
    token = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(token)


LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
"""The variables that name the locale, in order of precedence."""


def chosen_language(environ: Mapping[str, str] = os.environ, *, places: Sequence[str] = ()) -> Language:
    """The language of ``RANKMETER_LANG``, else of the first of ``places`` that is set; English by default.

    >>> chosen_language({"RANKMETER_LANG": "zh"}), chosen_language({"LANG": "zh_CN"})
    ('zh', 'en')
    >>> chosen_language({"LANG": "zh_CN.UTF-8"}, places=LOCALE)
    'zh'
    """
    setting = next((environ[place] for place in ("RANKMETER_LANG", *places) if environ.get(place)), "")
    return "zh" if setting.casefold().startswith("zh") else "en"


class Said(str):
    """A sentence that knows its kind and values: as a string it is English, :meth:`text` gives it in any language."""

    __slots__ = ("kind", "values")
    kind: str
    values: Mapping[str, Any]

    def __new__(cls, kind: str, values: Mapping[str, Any]) -> Self:
        if is_about_users():
            values = {**values, OF_USERS: True}
        sentence = super().__new__(cls, word(kind, "en", **values))
        sentence.kind, sentence.values = kind, dict(values)
        return sentence

    def __reduce__(self) -> tuple[Any, ...]:
        return Said, (self.kind, self.values)

    def to_plain(self) -> dict[str, Any]:
        """Kind and values as JSON can hold them."""
        return {"said": self.kind, "values": {name: _plain(value) for name, value in self.values.items()}}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_plain` made."""
        return cls(plain["said"], {name: _from_plain(value) for name, value in plain["values"].items()})

    def text(self, language: Language) -> str:
        """The sentence in one language."""
        return word(self.kind, language, **self.values)

    def worded(self, language: Language, spelling: Spelling) -> str:
        """The sentence in one language, with arguments spelled as the reader would type them."""
        return filled(_template(self.kind, language, self.values), self.values, language, spelling)

    def about_users(self) -> Said:
        """The sentence as worded for recommendations, whose queries are users.

        >>> said("no_relevant", count=3, total=1200).about_users()
        '3 of 1,200 judged users have no relevant item'
        """
        inside = {
            name: value.about_users() if isinstance(value, Said) else value for name, value in self.values.items()
        }
        return Said(self.kind, {**inside, OF_USERS: True})


def said(kind: str, /, **values: Any) -> Said:
    """A sentence of this kind about these values; a value may be a sentence, a list, or numbers by name."""
    return Said(kind, values)


class Kinds(dict[str, str]):
    """Which kind of sentence each of several names has: made when a module is loaded, so that a test can walk it."""


def kinds(pattern: str, names: Iterable[str]) -> Kinds:
    """The kind of every name, none of which is made up later.

    >>> kinds("test_{}", ("t", "sign"))
    {'t': 'test_t', 'sign': 'test_sign'}
    """
    return Kinds({name: pattern.format(name.replace(" ", "_")) for name in names})


def in_language(text: str, language: Language) -> str:
    """A sentence in one language; a plain text, such as a name, is the same in all."""
    return text.text(language) if isinstance(text, Said) else text


def line_about(name: str, statements: Iterable[str], language: Language) -> str:
    """A name and what is said of it, in one line; what is empty is left out."""
    told = BETWEEN[language].join(in_language(statement, language) for statement in statements if statement)
    return name + AFTER_NAME[language] + told


def word(kind: str, language: Language, /, **values: Any) -> str:
    """The wording of one kind in one language, filled in."""
    return filled(_template(kind, language, values), values, language)


def filled(template: str, values: Mapping[str, Any], language: Language, spelling: Spelling | None = None) -> str:
    """A wording with its values filled in; ``spelling`` is by default that of the running call."""
    return _Filled(language, spelling or _SPELLING.get()).vformat(template, (), values)


def _template(kind: str, language: Language, values: Mapping[str, Any]) -> str:
    return of_whom(wording_of(kind)[_checked(language)], language, values)


def of_whom(template: str, language: Language, values: Mapping[str, Any]) -> str:
    """A wording about queries, or about users where its values or the running call say so."""
    return of_users(template, language) if values.get(OF_USERS) or is_about_users() else template


def of_users(template: str, language: Language) -> str:
    """A wording about queries as one about users.

    >>> of_users("{queries} judged {queries:query|queries}", "en"), of_users("{count} 个已标注查询", "zh")
    ('{queries} judged {queries:user|users}', '{count} 个用户')
    """
    if language == "zh":
        return template.replace("已标注查询", "用户").replace("查询", "用户")

    def user(match: re.Match[str]) -> str:
        if match[2] is None:
            return match[0]  # the name of a value
        return ("User" if match[1] == "Q" else "user") + ("s" if match[2] == "ies" else "")

    return re.sub(_QUERIES, user, template)


OF_USERS = "of_users"
"""The value that marks a sentence about users."""
_ABOUT: ContextVar[list[bool] | None] = ContextVar("about", default=None)
"""Whether the running calls speak of users, the innermost last; None outside of any."""


@contextmanager
def speaking(purpose: str | None = None) -> Iterator[None]:
    """A call whose sentences and errors are about users: from the start, or since :func:`speak_of_users` was called.

    What an inner call learns of its data holds for the outer one too.

    >>> with speaking("recommendation"):
    ...     said("no_relevant", count=3, total=1200)
    '3 of 1,200 judged users have no relevant item'
    """
    outer = _ABOUT.get()
    here = [purpose == "recommendation" or (purpose is None and bool(outer and outer[0]))]
    token = _ABOUT.set(None if purpose == "search" else here)
    try:
        yield
    finally:
        _ABOUT.reset(token)
        if outer is not None:
            outer[0] |= here[0]


def of_its_lists(verb: Callable[Call, Result]) -> Callable[Call, Result]:
    """Let a verb speak of users where its data or its ``purpose=`` does."""

    @wraps(verb)
    def called(*given: Call.args, **options: Call.kwargs) -> Result:
        with speaking(cast("str | None", options.get("purpose"))):
            return verb(*given, **options)

    return called


def speak_of_users() -> None:
    """Let the rest of the running call speak of users: a column or an option says that lists are theirs."""
    if (running := _ABOUT.get()) is not None:
        running[0] = True


def is_about_users() -> bool:
    """Whether the running call speaks of users."""
    running = _ABOUT.get()
    return running is not None and running[0]


_QUERIES = r"\{[^:}]*|\b(?:judged )?([Qq])uer(y|ies)\b"


class Wording(str):
    """A wording that is not filled in yet; :meth:`format` does it as for sentences, plurals included."""

    __slots__ = ("language",)
    language: Language

    def __new__(cls, text: str, language: Language) -> Self:
        wording = super().__new__(cls, text)
        wording.language = language
        return wording

    def __reduce__(self) -> tuple[Any, ...]:
        return Wording, (str(self), self.language)

    def format(self, *_: object, **values: object) -> str:  # positions have no names
        return filled(self, values, self.language)


def words(file: str, language: Language, *, about: str = "", users: bool = False) -> dict[str, str]:
    """All wordings of one file, or of one wing, in one language, not filled in; with ``users`` they speak of users.

    With ``about="page"`` those whose kind starts with ``page_``, by the rest of it.
    """
    file = f"../wings/{file}/words/sentences" if file in table.SPOKEN else file
    start = f"{about}_" if about else ""
    plain = {
        kind.removeprefix(start): texts[_checked(language)]
        for kind, texts in _parsed(_text(file)).items()
        if kind.startswith(start)
    }
    return {kind: Wording(of_users(text, language) if users else text, language) for kind, text in plain.items()}


def help_words(section: str) -> dict[str, Any]:
    """One section of the help of commands, of the core and of wings: texts by name, each in both languages."""
    files = ("help", *(f"../wings/{wing}/words/help" for wing in table.HELPFUL if is_there(wing)))
    return {name: text for file in files for name, text in (_section(file, section) or {}).items()}


def isolated(name: str) -> str:
    """A name written from right to left, isolated so that it does not reverse the numbers beside it."""
    if not any(bidirectional(letter) in _TURNING for letter in name):
        return name
    inside = "".join(letter for letter in name if bidirectional(letter) not in _ISOLATING)
    return f"\u2068{inside}\u2069"


def _checked(language: Language) -> Language:
    """Return the language; whoever takes one from a user checks it with :func:`rankmeter.errors.check_language`."""
    if language not in LANGUAGES:
        raise ValueError(f"lang={language!r} is not possible; it is one of {', '.join(LANGUAGES)}.")
    return language


def exact_percent(level: float) -> str:
    """A level as it was stated, not rounded: 99.5% is not 100%.

    >>> exact_percent(0.95), exact_percent(0.995), exact_percent(0.999)
    ('95%', '99.5%', '99.9%')
    """
    return f"{100 * level:.10g}%"


def _plain(value: Any) -> Any:
    if isinstance(value, Said):
        return value.to_plain()
    # Names are data: a mapping is marked, so that no name in it can pass for the key `said`.
    return {"by_name": dict(value)} if isinstance(value, Mapping) else value


def _from_plain(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return value["by_name"] if "by_name" in value else Said.from_plain(value)


class _Filled(Formatter):
    """Python's own formatting, extended to nested sentences, lists, numbers by name, options and plurals."""

    def __init__(self, language: Language, spelling: Spelling) -> None:
        self.language, self.spelling = language, spelling

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if not field_name.startswith("--"):
            return super().get_field(field_name, args, kwargs)
        name, equals, text = field_name[2:].partition("=")
        given = kwargs[name.replace("-", "_")] if equals and not text else _literal(text) if text else None
        return Option(name, given), field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            singular, plural = format_spec.split("|")
            return singular if value == 1 else plural
        if isinstance(value, Mapping):
            return self._listed(
                f"{isolated(shown(str(name)))} {self.format_field(number, format_spec)}"
                for name, number in value.items()
            )
        if isinstance(value, (list, tuple)):
            return self._listed(self.format_field(part, format_spec) for part in value)
        if isinstance(value, Option):
            return self.spelling(value)
        if hasattr(value, "worded"):
            return str(value.worded(self.language, self.spelling))
        if isinstance(value, str):
            return isolated(shown(value))
        return exact_percent(value) if format_spec == "exact%" else format(value, format_spec)

    def _listed(self, texts: Any) -> str:
        return {"en": ", ", "zh": "、"}[self.language].join(texts)


def _literal(text: str) -> Any:
    """A number or a list of numbers, as in ``{--looks=[0.25, 0.5]}``; any other text is a name."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def shown(text: str) -> str:
    r"""Text of unknown origin, made fit for a sentence: control characters are escaped, a very long text is cut.

    >>> shown("a\x1b[2Jb"), shown("x" * 10_000_000)[-30:]
    ('a\\x1b[2Jb', 'xxxxxx (10,000,000 characters)')
    """
    if len(text) > LONGEST:
        text = f"{text[: LONGEST - 60]} ... {text[-50:]} ({len(text):,} characters)"
    return "".join(repr(letter)[1:-1] if category(letter) in ("Cc", "Zl", "Zp") else letter for letter in text)


def sentence_files() -> tuple[str, ...]:
    """The files of sentences: the core's, then those of the wings that are there."""
    return FILES + tuple(f"../wings/{wing}/words/sentences" for wing in table.SPOKEN if is_there(wing))


def errors_of(room: str) -> str:
    """The file that words what can go wrong in a room of the core, or in a wing."""
    return f"../wings/{room}/words/errors" if room in table.WINGS else f"errors/{room}"


@cache
def wording_of(kind: str) -> Mapping[str, str]:
    """The wordings of a kind, ``en`` and ``zh``; an error has ``hint_en``, ``typed_en`` (on a command line), ... too.

    A hint that is a call or a command, the same in both languages, is ``hint`` or ``typed``. A kind is read alone: a
    call uses a few of two thousand, and parsing all of them takes 20 ms.
    """
    room, dot, name = kind.partition(".")
    for file in (errors_of(room),) if dot else sentence_files():
        if (wording := _section(file, name or kind)) is not None:
            return wording
    raise KeyError(kind)


def _section(file: str, name: str) -> dict[str, Any] | None:
    """One section of a file, parsed alone."""
    _, heading, rest = _text(file).partition(f"\n[{name}]\n")
    return _parsed(rest.partition("\n[")[0]) if heading else None


@cache
def _text(file: str) -> str:
    return text_beside(__file__, f"{file}.toml")


def _parsed(text: str) -> dict[str, Any]:
    import tomllib  # not every call says something

    return tomllib.loads(text)
