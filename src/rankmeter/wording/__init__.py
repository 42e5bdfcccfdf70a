"""What rankmeter says about comparisons, in English and in Chinese: a sentence is a kind and values, its wording data.

The files beside this one hold the wording of every kind in every language. Both languages are made from the same facts,
so neither can say what the other does not.

Chinese has one word for each notion: 标注 (judge), 已标注 and 未标注 (judged, unjudged), 同分 (a tie),
指标 (a measure), 条目 (an item), 查询 (a query), 系统 (a system), 截断 (a cutoff), 约定 (a convention).
Punctuation is full-width.

>>> note = said("lacks_queries", system="bm25", count=3, total=1200)
>>> note
'bm25 lacks 3 of 1,200 judged queries; a missing query is an empty list'
>>> note.text("zh")
'bm25 缺少 1,200 个已标注查询中的 3 个；缺失的查询按空列表计'
>>> note.kind, note.values["count"]
('lacks_queries', 3)
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from string import Formatter
from typing import Any, Self
from unicodedata import bidirectional

from rankmeter.errors import InputError
from rankmeter.measures.prose import LANGUAGES, Language

_TURNING = frozenset("R AL RLE RLO RLI LRE LRO LRI FSI PDF PDI".split())
"""Letters, and marks of direction, after which text may run the other way."""
FILES = ("comparison", "advice", "report", "online")


class Said(str):
    """A sentence that knows what it says: it reads as English, and :meth:`text` says it in any language."""

    __slots__ = ("kind", "values")
    kind: str
    values: Mapping[str, Any]

    def __new__(cls, kind: str, values: Mapping[str, Any]) -> Self:
        made = super().__new__(cls, word(kind, "en", **values))
        made.kind, made.values = kind, dict(values)
        return made

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


def said(kind: str, /, **values: Any) -> Said:
    """A sentence of this kind about these values; a value may be a sentence, a list, or numbers by name."""
    return Said(kind, values)


def in_language(text: str, language: Language) -> str:
    """A sentence in one language; a plain text, such as a name, is the same in all."""
    return text.text(language) if isinstance(text, Said) else text


def word(kind: str, language: Language, /, **values: Any) -> str:
    """The wording of one kind in one language, filled in."""
    check_language(language)
    return _Filled(language).vformat(_wordings()[kind][language], (), values)


def words(file: str, language: Language) -> dict[str, str]:
    """All wordings of one file in one language, as they are written."""
    check_language(language)
    return {kind: texts[language] for kind, texts in _read(file).items()}


def isolated(name: str) -> str:
    """A name that is written from right to left, set apart so that it does not turn round the numbers beside it."""
    turns = any(bidirectional(letter) in _TURNING for letter in name)
    return f"\u2068{name}\u2069" if turns else name


def check_language(language: object) -> None:
    """Refuse a language that nothing is worded in."""
    if language not in LANGUAGES:
        raise InputError(f"lang={language!r} is not possible; it is one of {', '.join(LANGUAGES)}.")


def exact_percent(level: float) -> str:
    """A level as it was asked for, not rounded: 99.5% sure is not 100% sure.

    >>> exact_percent(0.95), exact_percent(0.995), exact_percent(0.999)
    ('95%', '99.5%', '99.9%')
    """
    return f"{100 * level:.10g}%"


def _plain(value: Any) -> Any:
    if isinstance(value, Said):
        return value.to_plain()
    # Names are data: a mapping from them is marked, so that none of them is read as `said`.
    return {"by_name": dict(value)} if isinstance(value, Mapping) else value


def _from_plain(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return value["by_name"] if "by_name" in value else Said.from_plain(value)


class _Filled(Formatter):
    """Python's own formatting, for sentences inside of sentences, for lists, and for numbers by name."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Mapping):
            return self._listed(
                f"{isolated(str(name))} {self.format_field(one, format_spec)}" for name, one in value.items()
            )
        if isinstance(value, (list, tuple)):
            return self._listed(self.format_field(one, format_spec) for one in value)
        if isinstance(value, str):
            return in_language(value, self.language) if isinstance(value, Said) else isolated(value)
        return exact_percent(value) if format_spec == "exact%" else format(value, format_spec)

    def _listed(self, texts: Any) -> str:
        return _wordings()["between"][self.language].join(texts)


@cache
def _wordings() -> dict[str, dict[Language, str]]:
    return {kind: texts for file in FILES for kind, texts in _read(file).items()}


@cache
def _read(file: str) -> dict[str, dict[Language, str]]:
    read: dict[str, dict[Language, str]] = tomllib.loads(
        (resources.files("rankmeter.wording") / f"{file}.toml").read_text(encoding="utf-8")
    )
    return read
