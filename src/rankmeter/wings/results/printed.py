"""Numbers as they are printed: their digits say how exact they are, so they are read as text.

>>> printed("0.3570").unit, printed("**35.7%**").span("nearest")
(0.0001, (0.3565, 0.3575))
>>> claim("NDCG@10", "0.2012").kind
'ndcg'
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, get_args

from rankmeter.errors import InputError, RankmeterError
from rankmeter.frozen import dataclass
from rankmeter.measures import Measure, parse

Rounding = Literal["nearest", "down", "up"]
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)
"""How digits were cut off: to the nearest (halves either way), towards 0, away from 0."""

KINDS = {"Success": "hit", "R": "recall", "P": "precision", "nDCG": "ndcg", "RR": "rr", "AP": "ap", "F": "f1"}
"""The measures that are held against each other, by the name of their class here."""
SHORT = {
    "h": "HR", "hits": "HR", "hit": "HR", "hit rate": "HR", "hit ratio": "HR", "n": "nDCG", "m": "RR", "mrr": "RR",
    "rec": "R", "prec": "P", "pre": "P", "acc": "Success", "f": "F", "f1-score": "F", "f1 score": "F",
}  # fmt: skip
"""Names that published tables use and that mean nothing, or something else, in tools."""
ABSENT = frozenset(["", "-", "--", "–", "—", "−", "n/a", "na", "nan", "none", "null", "/", "oom", "×", "x", "?"])
"""What stands in a cell without a number."""
_MARKUP = re.compile(r"\\(?:textbf|mathbf|bf|underline|textit|emph|uline)\b|</?(?:b|strong|u|i|em|ins)>|[{}$]|\*\*|__")
_NUMBER = re.compile(r"([+-]?)(\d+(?:,\d{3})*|)(?:\.(\d+))?\s*(\\?%)?$")


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number as it is printed."""

    text: str
    value: float
    """As a share where it is a per cent."""
    unit: float
    """What its last digit counts."""
    is_percent: bool
    is_bold: bool = False

    def span(self, rounding: Rounding) -> tuple[float, float]:
        """The values that are printed like this; both ends count, since halves are rounded either way."""
        below, above = {"nearest": (0.5, 0.5), "down": (0.0, 1.0), "up": (1.0, 0.0)}[rounding]
        if self.value < 0 and rounding != "nearest":
            below = above = 1.0  # some tools cut towards 0, others downwards
        return round(self.value - below * self.unit, 15), round(self.value + above * self.unit, 15)

    @property
    def bare(self) -> str:
        r"""Its sign, digits and per cent, without the marks around them.

        Examples
        --------
        >>> [printed(text).bare for text in (r"\textbf{0.3574}*", "**35.0**%", "1,234.5 ± 2")]
        ['0.3574', '35.0%', '1,234.5']
        """
        found = re.search(r"[+-]?\d*[\d,]*\.?\d+", _MARKUP.sub("", self.text).replace("−", "-"))
        return (found[0] if found else self.text) + "%" * ("%" in self.text)

    def as_percent(self) -> PrintedNumber:
        """The same digits, read as a per cent."""
        if self.is_percent:
            return self
        return replace(self, value=self.value / 100, unit=self.unit / 100, is_percent=True)


def printed(text: str, *, place: str = "") -> PrintedNumber | None:
    """A number as it is printed, with the marks around it; None where there is none.

    Raises
    ------
    InputError
        When it is something else.
    """
    bare = text.strip()
    is_bold = bool(re.search(r"\*\*|__|\\textbf|\\mathbf|\\bf\b|<b>|<strong>", bare))
    bare = _MARKUP.sub("", bare).replace("−", "-").replace("∗", "*")
    bare = re.split(r"±|\+/-|\\pm|\(", bare)[0] + ("%" if bare.rstrip("*†‡").endswith("%") and "±" in bare else "")
    bare = bare.strip(" *_†‡§¶↑↓^")
    if bare.casefold() in ABSENT:
        return None
    match = _NUMBER.match(bare)
    if match is None or not (match[2] or match[3]):
        raise InputError.of("results.not_a_number", text=text.strip(), place=place)
    sign, whole, rest, percent = match.groups()
    scale = 100 if percent else 1
    number = float(f"{sign}{whole.replace(',', '') or 0}.{rest or 0}")
    digits = len(rest or "")
    return PrintedNumber(text.strip(), number / scale, 10.0**-digits / scale, bool(percent), is_bold)


@dataclass(frozen=True, slots=True)
class PrintedClaim:
    """A printed value of a measure."""

    name: str
    """The measure as it was written."""
    measure: Measure
    printed: PrintedNumber
    system: str = ""
    dataset: str = ""
    place: str = ""

    @property
    def kind(self) -> str:
        """``hit``, ``recall``, ``precision``, ``ndcg``, ``rr``, ``ap``, ``f1`` or ``other``."""
        return KINDS.get(type(self.measure).name, "other")

    @property
    def k(self) -> int | None:
        """The cutoff; None where the whole list counts."""
        return getattr(self.measure, "cutoff", None)

    @property
    def value(self) -> float:
        """The value, as a share."""
        return self.printed.value

    @property
    def text(self) -> str:
        """The measure and its value, as they were written."""
        return f"{self.name}={self.printed.bare}"

    def span(self, rounding: Rounding) -> tuple[float, float]:
        """The values that are printed like this."""
        return self.printed.span(rounding)


def named_measure(name: str) -> Measure | None:
    """The measure that a table calls so; None where it is none.

    >>> str(named_measure("Hits@10")), str(named_measure("N@5 ↑")), named_measure("Params")
    ('Success@10', 'nDCG@5', None)
    """
    bare = re.sub(r"[↑↓]|\(\s*%\s*\)|%|\((?:higher|lower)[^)]*\)", "", name).strip(" *_:")
    base, at, cutoff = bare.partition("@")
    if cutoff.strip().casefold() in ("all", "full", "inf"):
        at = cutoff = ""
    base = base.strip()
    base = SHORT.get(base.casefold(), base)
    if at and not cutoff.strip().isdigit():
        return None
    try:
        measure = parse(f"{base}{at}{cutoff.strip()}")
    except RankmeterError:
        return None
    if not at and (base.casefold() in ("accuracy", "value") or len(base) == 1):
        return None
    return measure


def claim(name: str, text: str, **where: str) -> PrintedClaim:
    """A claim from the name of a measure and a value as text.

    Raises
    ------
    InputError
        When the name is not that of a measure, or there is no number.
    """
    measure = named_measure(name)
    if measure is None:
        raise InputError.of("results.claim_unknown_measure", name=name)
    try:
        value = printed(text)
    except InputError:
        value = None
    if value is None:
        raise InputError.of("results.claim_not_a_number", text=text, name=name)
    return PrintedClaim(name.strip(), measure, value, **where)
