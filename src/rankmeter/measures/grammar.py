"""Reading measures from text.

::

    measures := NAME [ "(" option { "," option } ")" ] [ "@" number { "," number } ]
    option   := IDENT "=" value
    value    := number | word | 'word' | "word" | True | False | "{" number { "," number } "}"
                | "{" number ":" number { "," number ":" number } "}"

The names are those of :mod:`rankmeter.measures.names` and of the registry; case matters only if two names differ in
nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from rankmeter.errors import MeasureError, nearest
from rankmeter.measures.base import REGISTRY, Measure
from rankmeter.measures.names import ALIASES, OPTION_ALIASES, OPTION_NAMES, spelled_out
from rankmeter.measures.options import format_value
from rankmeter.wings import module_of_measure
from rankmeter.wings.loading import load
from rankmeter.wording import Said, chinese, said

_PIECE = (  # possessive throughout, so that reading takes linear time
    r"(?P<blank>\s++)"
    r"|(?P<number>[+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+(?![\w-]))"
    r"|(?P<word>[^\W\d][\w-]*+)"
    r"|(?P<quoted>'[^']*+'|\"[^\"]*+\")"
    r"|(?P<mark>[(){}=,:@])"
    r"|(?P<other>[\w.+-]++|\S)"
)
_END = ("end", "")
_MOST_DIGITS = 400
"""No float needs more."""
_LONGEST_NAME = 100
"""Longer names are not compared with the known ones."""


def parse(text: str) -> Measure:
    """Read one measure.

    Examples
    --------
    >>> from rankmeter import parse
    >>> parse("nDCG(gain=exp2)@10") == parse("nDCG(dcg='exp-log2')@10")
    True
    >>> str(parse("recip_rank")), str(parse("P_5")), str(parse("MAP@100"))
    ('RR', 'P@5', 'AP@100')
    """
    measures = parse_measures(text)
    if len(measures) > 1:
        raise MeasureError.of("measures.several", text=text, count=len(measures))
    return measures[0]


def parse_measures(text: str) -> list[Measure]:
    """Read a measure that may have several cutoffs: ``nDCG@5,10,20`` is three measures.

    Examples
    --------
    >>> from rankmeter import parse_measures
    >>> parse_measures("nDCG@5,10")
    [nDCG@5, nDCG@10]
    """
    if not isinstance(text, str):
        raise MeasureError.of("measures.not_text", kind=type(text).__name__)
    return _Reader(text).measures()


class _Reader:
    """Reads one text, token by token."""

    def __init__(self, text: str) -> None:
        self.text = text
        matches = re.finditer(_PIECE, spelled_out(text.translate(chinese.FULL_WIDTH).strip()))
        self.tokens = [(match.lastgroup or "", match[0]) for match in matches if match.lastgroup != "blank"]
        self.place = 0

    def measures(self) -> list[Measure]:
        kind, name = self.next()
        if kind != "word":
            self.fail(said("measures.why_name"))
        measure = find_measure(name)
        options = self.options() if self.take("(") else {}
        if not self.take("@"):
            self.end()
            return [_with_options(measure, options)]
        points = [self.point(measure)]
        while self.take(","):
            points.append(self.point(measure))
        self.end()
        if measure.at in {OPTION_NAMES.get(option, option) for option in options}:
            self.fail(said("measures.why_at_twice", name=measure.at))
        # Options and cutoff are set together: some options need a cutoff.
        return [_with_options(measure, {**options, measure.at: point}) for point in points]

    def options(self) -> dict[str, Any]:
        options: dict[str, Any] = {}
        while not self.take(")"):
            kind, name = self.next()
            if kind != "word" or not self.take("="):
                self.fail(said("measures.why_option"))
            if name in options:
                self.fail(said("measures.why_twice", name=name))
            options[name] = self.value()
            if not self.take(",") and self.ahead != ("mark", ")"):
                self.fail(said("measures.why_after_option"))
        return options

    def value(self) -> Any:
        if self.take("{"):
            return self.in_braces()
        kind, token = self.next()
        if kind == "number":
            return self.number(token)
        if kind == "quoted":
            return token[1:-1]
        if kind == "word":
            return {"True": True, "False": False, "None": None}.get(token, token)
        return self.fail(said("measures.why_value"))

    def in_braces(self) -> dict[float, float] | tuple[float, ...]:
        """A map from grades to gains, or several numbers."""
        numbers: list[float] = []
        pairs: dict[float, float] = {}
        while not self.take("}"):
            number = self.number(self.next()[1])
            if not self.take(":"):
                numbers.append(number)
            elif number in pairs:
                self.fail(said("measures.why_twice", name=format_value(number)))
            else:
                pairs[number] = self.number(self.next()[1])
            if not self.take(",") and self.ahead != ("mark", "}"):
                self.fail(said("measures.why_in_braces"))
        if numbers and pairs:
            self.fail(said("measures.why_in_braces"))
        return tuple(numbers) if numbers else pairs

    def point(self, measure: Measure) -> float:
        kind, token = self.next()
        if kind == "number":
            return self.number(token)
        example = f"{type(measure).name}@{measure.at_choices}"
        if measure.at == "cutoff":
            self.fail(said("measures.why_cutoff", example=example, token=token))
        return self.fail(said("measures.why_point", at=measure.at, example=example, token=token))

    def number(self, token: str) -> float:
        if len(token) > _MOST_DIGITS:
            self.fail(said("measures.why_digits", count=len(token)))
        try:
            return int(token) if token.lstrip("+-").isdecimal() else float(token)
        except ValueError:
            return self.fail(said("measures.why_in_braces"))

    @property
    def ahead(self) -> tuple[str, str]:
        """The kind and the text of the next token."""
        return self.tokens[self.place] if self.place < len(self.tokens) else _END

    def next(self) -> tuple[str, str]:
        token = self.ahead
        self.place += 1
        return token

    def take(self, mark: str) -> bool:
        is_there = self.ahead == ("mark", mark)
        self.place += is_there
        return is_there

    def end(self) -> None:
        if self.ahead != _END:
            self.fail(said("measures.why_unexpected", token=self.ahead[1]))

    def fail(self, why: Said) -> NoReturn:
        raise MeasureError.of("measures.not_one", text=self.text, why=why)


def find_measure(name: str) -> Measure:
    """The measure of this name with its default options."""
    if name in REGISTRY:
        return REGISTRY[name]
    if name in ALIASES:
        return parse(ALIASES[name])
    if (module := module_of_measure(name)) is not None:
        load(module, name)  # it is not there
    folded = {known.casefold(): known for known in [*ALIASES, *REGISTRY]}
    if name.casefold() in folded:
        return find_measure(folded[name.casefold()])
    bare, digits = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    if 0 < len(digits) < _LONGEST_NAME and (known := folded.get(bare.rstrip("_-").casefold())):
        raise MeasureError.of("measures.cutoff_without_at", name=name, choice=f"{known}@{int(digits)}")
    close = nearest(name, [*REGISTRY, *ALIASES], shown=1) if len(name) < _LONGEST_NAME else []
    if close:
        raise MeasureError.of("measures.unknown_but_near", name=name, choice=close[0])
    raise MeasureError.of("measures.unknown", name=name)


def _with_options(measure: Measure, options: dict[str, Any]) -> Measure:
    changes: dict[str, Any] = {}
    for name, value in options.items():
        known: Any = (name, value) if isinstance(value, (str, bool)) else None
        name, value = OPTION_ALIASES.get(known, (OPTION_NAMES.get(name, name), value))
        changes[name] = value
    return measure(**changes)


def split_measures(text: str) -> list[str]:
    """Split a text into measures, separated by blanks or commas; cutoffs stay with their measure.

    Examples
    --------
    >>> split_measures("nDCG@5,10 AP, nDCG(gain={1:3, 2:9}) @ 10")
    ['nDCG@5,10', 'AP', 'nDCG(gain={1:3,2:9})@10']
    """
    text = text.translate(chinese.FULL_WIDTH)
    # A cutoff belongs to the measure before it, whatever blanks are typed around @ and inside `5, 10`. Matches start at
    # the first of several blanks only, so that this takes linear time.
    text = re.sub(r"(?<!\s)\s*+([@(])\s*+", r"\1", text)
    text = re.sub(r"(?<!\s)\s*+,\s*+(?=[\d.])", ",", text)
    parts, start, depth = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "({") - (character in ")}")
        follows = text[place + 1 : place + 2]
        is_comma = character == "," and not (follows.isdigit() or follows == ".")
        if depth <= 0 and (character.isspace() or is_comma):
            parts.append(text[start:place])
            start = place + 1
    return [part for part in (*parts, text[start:]) if part] or [text]


def split_all(texts: Iterable[str]) -> list[str]:
    """Split several such texts: the values of an option that may be repeated."""
    return [part for text in texts for part in split_measures(text)]


def listed(measures: object) -> list[object]:
    """One measure or many as a list; anything else is refused."""
    if isinstance(measures, (str, Measure)):
        return [measures]
    is_one = not isinstance(measures, Iterable) or getattr(measures, "ndim", 1) == 0
    if is_one or isinstance(measures, (bytes, bytearray, Mapping)):
        raise MeasureError.of("measures.not_measures", kind=type(measures).__name__)
    return list(measures)  # type: ignore[call-overload, no-any-return]


def into_measures(measures: object) -> list[Measure]:
    """Accept one measure or many, as values, text or both; keep the order, drop repetitions."""
    asked: dict[Measure, None] = {}
    for measure in listed(measures):
        if isinstance(measure, Measure):
            asked[measure] = None
        elif isinstance(measure, str):
            asked.update(dict.fromkeys(read for text in split_measures(measure) for read in parse_measures(text)))
        else:
            raise MeasureError.of("measures.not_measures", kind=type(measure).__name__)
    if not asked:
        raise MeasureError.of("measures.none")
    return list(asked)


def compared_by(measure: Any) -> Measure:
    """The measure whose means a segment gap compares."""
    base = find_measure(str(measure.of))
    if base.aggregate not in ("mean", "pooled") or base.at != "cutoff" or type(base).name not in REGISTRY:
        raise MeasureError.of("lists.no_mean_to_compare", measure=str(measure), of=str(measure.of))
    changes = {"queries": measure.queries, "duplicates": measure.duplicates}
    base = base(**{name: value for name, value in changes.items() if value is not None})
    return base if measure.cutoff is None else base @ measure.cutoff
