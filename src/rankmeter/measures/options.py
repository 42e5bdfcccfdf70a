"""The options of a measure: what each may hold, how it is checked, how it is written.

An option is an ordinary dataclass field whose metadata holds its rule, which checks a value when a measure is made, and
words the choices in messages and in the reference.
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
    """Whether several numbers in braces are allowed, beside one that is their count."""
    text: bool = False
    """Whether any identifier is allowed (options of measures that users define)."""
    optional: bool = False
    """Whether None, an option that was not stated, is allowed."""

    def expected(self, language: Language = "en") -> str:
        """The rule in words, for messages."""
        parts = [*self.choices, *self.values(language)]
        comma, last = word("measures.rule_comma", language), word("measures.rule_or", language)
        return comma.join(parts[:-1]) + (last if len(parts) > 1 else "") + parts[-1]

    def values(self, language: Language) -> list[str]:
        """What is allowed beside the choices, in words."""
        kinds = {
            "measures.rule_points": self.several,
            "measures.rule_word": self.text,
            "measures.rule_gains": self.grades,
        }
        others = [word(kind, language) for kind, is_allowed in kinds.items() if is_allowed]
        return [self._numbers(language), *others] if self.number else others

    def _numbers(self, language: Language) -> str:
        low = "measures.rule_above" if self.open_low else "measures.rule_at_least"
        high = "measures.rule_below" if self.open_high else "measures.rule_at_most"
        bounds = [low] * (self.low > -math.inf) + [high] * (self.high < math.inf)
        if bounds == ["measures.rule_at_least", "measures.rule_at_most"]:
            bounds = ["measures.rule_from_to"]
        ends = {"low": format_value(self.low), "high": format_value(self.high)}
        within = word("measures.rule_and", language).join(word(bound, language, **ends) for bound in bounds)
        kind = word("measures.rule_whole" if self.number == "int" else "measures.rule_number", language)
        return word("measures.rule_bounded", language, kind=kind, bounds=within) if bounds else kind

    def worded(self, language: Language, *_: object) -> str:
        """The rule inside a sentence."""
        return self.expected(language)


class WordsOfType:
    """Stands, until the class is made, for a field whose words are those of its ``Literal`` type."""

    def __init__(self, default: str | None) -> None:
        self.default = default


def ruled(default: Any, **rule: Any) -> Any:
    """A field whose values follow a rule."""
    return field(default=default, metadata={"rule": Rule(**rule)})


def choice(*choices: str, default: str | None = None) -> Any:
    """A field that holds one of these words, or of those of its ``Literal`` type; the first is the default."""
    return ruled(default or choices[0], choices=choices) if choices else WordsOfType(default)


def unstated(*choices: str) -> Any:
    """A field that holds one of these words, or None if the call decides."""
    return ruled(None, choices=choices, optional=True)


def whole(default: int | None, *, low: int) -> Any:
    """A field that holds a whole number, or None."""
    return ruled(default, number="int", low=low, optional=default is None)


def points(default: int) -> Any:
    """A field that holds points from 0 to 1, or the number of evenly spaced ones."""
    return ruled(default, number="int", low=2, several=True)


def real(default: float | None, **bounds: float | bool) -> Any:
    """A field that holds a number, within the bounds of a :class:`Rule` where some are stated."""
    return ruled(default, number="float", optional=default is None, **bounds)


def fraction(default: float | None) -> Any:
    """A field that holds a number between 0 and 1, neither included."""
    return real(default, low=0, high=1, open_low=True, open_high=True)


def choice_or_number(*choices: str, default: str | float | None = None) -> Any:
    """A field that holds one of these words or a number; the first word is the default unless one is stated."""
    return ruled(choices[0] if default is None else default, choices=choices, number="float")


def gains(*choices: str) -> Any:
    """A field that holds a named gain function or a map from grades to gains."""
    return ruled(choices[0], choices=choices, grades=True)


class GainMap(Mapping[float, float]):
    """A gain for each grade that it names, as a hashable value; other grades are their own gain."""

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
    """Return the value in its stored form, or raise a MeasureError that states what is allowed."""
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
    """The error for a value that an option does not take."""
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
    # Whole numbers are counts, which must fit 64 bits.
    return number == int(number) and abs(int(value)) < 1 << 63  # type: ignore[call-overload]


def _number(value: Any) -> int | float:
    """A plain int if the value is whole, else a plain float, so that 2 and 2.0 are one value."""
    number = float(value)
    return int(number) if number == int(number) else number


def format_value(value: object) -> str:
    """An option's value as it stands in the canonical string."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{format_value(grade)}:{format_value(gain)}" for grade, gain in value.items()) + "}"
    if isinstance(value, tuple):
        return "{" + ",".join(map(format_value, value)) + "}"
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)
