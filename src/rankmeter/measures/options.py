"""The fields of a measure: what each may hold, how it is checked, how it is written.

An option is an ordinary dataclass field whose metadata holds its rule. The same rule checks a value when a measure is
made, reads it from text, and lists the choices in messages and in the reference.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Any

from rankmeter.errors import MeasureError, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.wording import Language, word


@dataclass(frozen=True, slots=True)
class Rule:
    """What one option may hold."""

    choices: tuple[str, ...] = ()
    """Words that are allowed."""
    number: str = ""
    """'int' or 'float' where a number is allowed, '' where not."""
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    """Whether ``low`` itself is excluded."""
    open_high: bool = False
    grades: bool = False
    """Whether a map from grades to gains is allowed."""
    several: bool = False
    """Whether several numbers in braces are allowed as well as one that counts them."""
    text: bool = False
    """Whether any text is allowed (options of measures that users define)."""
    optional: bool = False
    """Whether None is allowed (an option that was not stated)."""

    def expected(self, language: Language = "en") -> str:
        """The rule in words, for messages and the reference."""
        parts = list(self.choices)
        if self.number:
            kind = word("measures.rule_whole" if self.number == "int" else "measures.rule_number", language)
            bounds = []
            if self.low > -math.inf:
                low = "measures.rule_above" if self.open_low else "measures.rule_at_least"
                bounds.append(word(low, language, bound=format_value(self.low)))
            if self.high < math.inf:
                high = "measures.rule_below" if self.open_high else "measures.rule_at_most"
                bounds.append(word(high, language, bound=format_value(self.high)))
            parts.append(" ".join([kind, word("measures.rule_and", language).join(bounds)]).strip())
        for holds, kind in (
            (self.several, "measures.rule_points"), (self.text, "measures.rule_word"),
            (self.grades, "measures.rule_gains"),
        ):  # fmt: skip
            parts += [word(kind, language)] if holds else []
        comma, last = word("measures.rule_comma", language), word("measures.rule_or", language)
        return comma.join(parts[:-1]) + (last if len(parts) > 1 else "") + parts[-1]

    def worded(self, language: Language, *_: object) -> str:
        """The rule as it stands in a sentence."""
        return self.expected(language)


class WordsOfType:
    """Stands for a field that holds one of the words of its type, until the class is made: they are said once."""

    def __init__(self, default: str | None) -> None:
        self.default = default


def choice(*choices: str, default: str | None = None) -> Any:
    """A field that holds one of some words, by default of those of its ``Literal`` type; the first is the default."""
    if not choices:
        return WordsOfType(default)
    return field(default=default or choices[0], metadata={"rule": Rule(choices=choices)})


def unstated(*choices: str) -> Any:
    """A field that holds one of some words, or None where the call decides."""
    return field(default=None, metadata={"rule": Rule(choices=choices, optional=True)})


def whole(default: int | None, *, low: int) -> Any:
    """A field that holds a whole number, or None."""
    return field(default=default, metadata={"rule": Rule(number="int", low=low, optional=default is None)})


def points(default: int) -> Any:
    """A field that holds points from 0 to 1, or how many of them are spread evenly."""
    return field(default=default, metadata={"rule": Rule(number="int", low=2, several=True)})


def real(default: float | None, *, low: float, high: float, open_low: bool = False, open_high: bool = False) -> Any:
    """A field that holds a number between two bounds."""
    rule = Rule(number="float", low=low, high=high, open_low=open_low, open_high=open_high, optional=default is None)
    return field(default=default, metadata={"rule": rule})


def choice_or_number(*choices: str, default: str | float | None = None) -> Any:
    """A field that holds one of some words, the first unless another default is stated, or a number."""
    rule = Rule(choices=choices, number="float")
    return field(default=choices[0] if default is None else default, metadata={"rule": rule})


def gains(*choices: str) -> Any:
    """A field that holds a named gain function or a map from grades to gains."""
    return field(default=choices[0], metadata={"rule": Rule(choices=choices, grades=True)})


class GainMap(Mapping[float, float]):
    """A gain for each grade that it names, as a hashable value; other grades keep themselves as gain."""

    __slots__ = ("_pairs",)

    def __init__(self, gains: Mapping[Any, Any]) -> None:
        self._pairs = tuple(sorted((_number(grade), _number(gain)) for grade, gain in gains.items()))

    def __getitem__(self, grade: float) -> float:
        return dict(self._pairs)[grade]

    def __iter__(self) -> Any:
        return iter(dict(self._pairs))

    def __len__(self) -> int:
        return len(self._pairs)

    def __hash__(self) -> int:
        return hash(self._pairs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GainMap) and self._pairs == other._pairs

    def __repr__(self) -> str:
        return format_value(self)


def check(owner: str, name: str, value: object, rule: Rule) -> Any:
    """Return the value in its stored form, or raise a MeasureError that says what is allowed."""
    if value is None and rule.optional:
        return None
    if isinstance(value, str) and (value in rule.choices or (rule.text and value.isidentifier())):
        return value
    if rule.grades and isinstance(value, Mapping):
        return _check_gains(owner, name, value)
    if rule.several and isinstance(value, (tuple, list, set, frozenset)):
        return _check_points(owner, name, value)
    if rule.number and _is_number(value, rule.number):
        number = int(value) if rule.number == "int" else _number(value)  # type: ignore[call-overload]
        above = number > rule.low if rule.open_low else number >= rule.low
        below = number < rule.high if rule.open_high else number <= rule.high
        if above and below:
            return number
    raise not_possible(owner, name, value, rule)


def not_possible(owner: str, name: str, value: object, rule: Rule) -> MeasureError:
    """What is said of a value that an option does not take."""
    shown = f"'{value}'" if isinstance(value, str) else format_value(value)
    hint = did_you_mean(value, rule.choices) if isinstance(value, str) else ""
    if rule.optional and isinstance(value, str) and value.casefold() in ("none", "null", "inf", "never"):
        hint = f"{name}=None"
    return MeasureError.of("measures.not_possible", measure=owner, option=name, value=shown, rule=rule, hint=hint)


def _check_gains(owner: str, name: str, value: Mapping[Any, Any]) -> GainMap:
    bad = [pair for pair in value.items() if not all(_is_number(part, "float") for part in pair)]
    if bad or not value:
        shown = ", ".join(f"{grade}:{gain}" for grade, gain in bad) or "{}"
        raise MeasureError.of("measures.not_gains", measure=owner, option=name, given=shown)
    if any(gain < 0 for gain in value.values()):
        raise MeasureError.of("measures.gain_below_zero", measure=owner, option=name)
    return GainMap(value)


def _check_points(owner: str, name: str, value: Collection[Any]) -> tuple[float, ...]:
    if not value or not all(_is_number(point, "float") and 0 <= point <= 1 for point in value):
        shown = ", ".join(map(str, value)) or "{}"
        raise MeasureError.of("measures.not_points", measure=owner, option=name, given=shown)
    return tuple(sorted(_number(point) for point in value))


def _is_number(value: object, kind: str) -> bool:
    """Whether this is a finite number of the kind; numpy scalars count, booleans do not."""
    if isinstance(value, bool) or not (hasattr(value, "__float__") and hasattr(value, "__add__")):
        return False
    try:
        number = float(value)
    except OverflowError:
        return False
    if kind == "float" or not math.isfinite(number):
        return math.isfinite(number)
    # Whole numbers are counts, which arrays hold in 64 bits.
    return number == int(number) and abs(int(value)) < 1 << 63  # type: ignore[call-overload]


def _number(value: Any) -> int | float:
    """A plain int where the value is whole, a plain float otherwise, so that 2 and 2.0 are one value."""
    number = float(value)
    return int(number) if number == int(number) else number


def format_value(value: object) -> str:
    """The text of an option's value as the canonical string has it."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{format_value(grade)}:{format_value(gain)}" for grade, gain in value.items()) + "}"
    if isinstance(value, tuple):
        return "{" + ",".join(map(format_value, value)) + "}"
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)
