"""Reading measures from text.

::

    measures := NAME [ "(" option { "," option } ")" ] [ "@" number { "," number } ]
    option   := IDENT "=" value
    value    := number | word | 'word' | "word" | True | False | { number : number, ... }
                | { number, ... }

The names are those of :mod:`rankmeter.measures.names` and of the registry; case matters only where two names differ in
nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NoReturn

from rankmeter.errors import MeasureError, nearest, with_hint
from rankmeter.measures.base import REGISTRY, Measure
from rankmeter.measures.names import ALIASES, OPTION_ALIASES, OPTION_NAMES, spelled_out

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w-]))"
    r"|(?P<word>[^\W\d][\w-]*)"
    r"|(?P<quoted>'[^']*'|\"[^\"]*\")"
    r"|(?P<mark>[(){}=,:@]))"
)


def parse(text: str) -> Measure:
    """Read one measure.

    Examples
    --------
    >>> parse("nDCG(gain=exp2)@10") == parse("nDCG(dcg='exp-log2')@10")
    True
    >>> str(parse("recip_rank")), str(parse("P_5")), str(parse("MAP@100"))
    ('RR', 'P@5', 'AP@100')
    """
    measures = parse_measures(text)
    if len(measures) > 1:
        raise MeasureError(with_hint(f"'{text}' is {len(measures)} measures.", "use rankmeter.parse_measures(text)."))
    return measures[0]


def parse_measures(text: str) -> list[Measure]:
    """Read a measure that may have several cutoffs: ``nDCG@5,10,20`` is three measures.

    Examples
    --------
    >>> parse_measures("nDCG@5,10")
    [nDCG@5, nDCG@10]
    """
    return _Reader(text).measures()


class _Reader:
    """A reader of one text, token by token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(spelled_out(text.strip()), text)

    def measures(self) -> list[Measure]:
        if not self.tokens or self.tokens[0][0] != "word":
            self.fail("a measure starts with its name")
        measure = find_measure(self.tokens.pop(0)[1])
        options = self.options() if self.take("(") else {}
        if not self.take("@"):
            self.end()
            return [_with_options(measure, options)]
        points = [self.point(measure)]
        while self.take(","):
            points.append(self.point(measure))
        self.end()
        if measure.at in {OPTION_NAMES.get(name, name) for name in options}:
            self.fail(f"{measure.at} is given twice, as an option and after @")
        # Options and cutoff are put in together: some are only possible with the other.
        return [_with_options(measure, {**options, measure.at: point}) for point in points]

    def options(self) -> dict[str, Any]:
        options: dict[str, Any] = {}
        while not self.take(")"):
            kind, name = self.tokens.pop(0) if self.tokens else ("end", "")
            if kind != "word" or not self.take("="):
                self.fail("options are written name=value")
            if name in options:
                self.fail(f"{name} is given twice")
            options[name] = self.value()
            if not self.take(",") and (not self.tokens or self.tokens[0][1] != ")"):
                self.fail("a comma or ) is expected after an option")
        return options

    def value(self) -> Any:
        if self.take("{"):
            return self.in_braces()
        kind, token = self.tokens.pop(0) if self.tokens else ("end", "")
        if kind == "number":
            return _number(token)
        if kind == "quoted":
            return token[1:-1]
        if kind == "word":
            return {"True": True, "False": False, "None": None}.get(token, token)
        return self.fail("a value is expected after =")

    def in_braces(self) -> dict[float, float] | tuple[float, ...]:
        """A map from grades to gains, or several numbers."""
        if len(self.tokens) > 1 and self.tokens[1][1] in (",", "}"):
            numbers = [self.value()]
            while self.take(","):
                numbers.append(self.value())
            if not self.take("}"):
                self.fail("a comma or } is expected between numbers")
            return tuple(numbers)
        return self.map()

    def map(self) -> dict[float, float]:
        pairs: dict[float, float] = {}
        while not self.take("}"):
            grade = self.value()
            if isinstance(grade, dict) or not self.take(":"):
                self.fail("a map is written {grade:gain, ...}")
            if grade in pairs:
                self.fail(f"grade {grade} is given twice")
            pairs[grade] = self.value()
            if not self.take(",") and (not self.tokens or self.tokens[0][1] != "}"):
                self.fail("a comma or } is expected in a map")
        return pairs

    def point(self, measure: Measure) -> float:
        kind, token = self.tokens.pop(0) if self.tokens else ("end", "")
        if kind == "number":
            return _number(token)
        what = "a whole number of places" if measure.at == "cutoff" else f"a {measure.at} point"
        return self.fail(f"@ is followed by {what}, as in {type(measure).name}@{measure.at_choices}, not '{token}'")

    def take(self, mark: str) -> bool:
        if self.tokens and self.tokens[0] == ("mark", mark):
            self.tokens.pop(0)
            return True
        return False

    def end(self) -> None:
        if self.tokens:
            self.fail(f"'{self.tokens[0][1]}' was not expected")

    def fail(self, why: str) -> NoReturn:
        raise MeasureError(
            with_hint(f"'{self.text}' is not a measure: {why}.", "a measure looks like nDCG(gain=exp2)@10")
        )


def _tokens(text: str, whole: str) -> list[tuple[str, str]]:
    tokens, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise MeasureError(
                with_hint(f"'{whole}' is not a measure: '{text[place:]}' was not expected.", "nDCG(gain=exp2)@10")
            )
        kind = match.lastgroup or ""
        tokens.append((kind, match[kind]))
        place = match.end()
    return tokens


def find_measure(name: str) -> Measure:
    """The measure of this name with its default options."""
    if name in REGISTRY:
        return REGISTRY[name]
    if name in ALIASES:
        return parse(ALIASES[name])
    folded = {known.casefold(): known for known in [*ALIASES, *REGISTRY]}
    if name.casefold() in folded:
        return find_measure(folded[name.casefold()])
    close = nearest(name, [*REGISTRY, *ALIASES], shown=1)
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


def _number(token: str) -> float:
    return int(token) if re.fullmatch(r"[+-]?\d+", token) else float(token)


def split_measures(text: str) -> list[str]:
    """Take apart a text of several measures, separated by blanks or commas; cutoffs stay with their measure.

    Examples
    --------
    >>> split_measures("nDCG@5,10 AP, nDCG(gain={1:3, 2:9}) @ 10")
    ['nDCG@5,10', 'AP', 'nDCG(gain={1:3,2:9})@10']
    """
    # A cutoff belongs to the measure before it, whatever blanks are typed around @ and inside `5, 10`.
    text = re.sub(r"\s*([@(])\s*", r"\1", text)
    text = re.sub(r"\s*,\s*(?=[\d.])", ",", text)
    found, start, depth = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "({") - (character in ")}")
        follows = text[place + 1 : place + 2]
        is_comma = character == "," and not (follows.isdigit() or follows == ".")
        if depth <= 0 and (character.isspace() or is_comma):
            found.append(text[start:place])
            start = place + 1
    return [one for one in (*found, text[start:]) if one] or [text]


def listed(measures: object) -> list[object]:
    """One measure or many as a list; what is neither is refused."""
    if isinstance(measures, (str, Measure)):
        return [measures]
    if not isinstance(measures, Iterable) or isinstance(measures, (bytes, bytearray)):
        fact = f"measures are text such as 'nDCG@10', a Measure, or several of them, not {type(measures).__name__}."
        raise MeasureError(with_hint(fact, "evaluate(judgments, run, ['nDCG@10', 'AP'])"))
    return list(measures)


def into_measures(measures: object) -> list[Measure]:
    """Accept one measure or many, as values or text, in any mixture; keep the order, drop repetitions."""
    found: dict[Measure, None] = {}
    for one in listed(measures):
        if isinstance(one, Measure):
            found[one] = None
        elif isinstance(one, str):
            found.update(dict.fromkeys(measure for text in split_measures(one) for measure in parse_measures(text)))
        else:
            raise MeasureError(f"a measure is text such as 'nDCG@10' or a Measure, not {type(one).__name__}.")
    if not found:
        raise MeasureError(with_hint("no measure was asked for.", "evaluate(judgments, run, ['nDCG@10', 'AP'])"))
    return list(found)
