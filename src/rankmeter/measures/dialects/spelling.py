"""How other tools write a metric with its parameters, read without knowing the tool.

::

    metric  := NAME [ "(" args ")" ] [ "['" KEY "']" ] [ ("@" | "_" | ".") number { "," number } ]
               [ "-" ] [ "-l" number ] { (":" | ";" | " ") IDENT "=" value }

``NDCG@10``, ``ndcg_cut_10``, ``P.5,10``, ``map@5-``, ``ndcg@5-l2``, ``RetrievalMAP(top_k=5)``, ``NDCG:top=5;type=Exp``,
``ranking_metrics_at_k(K=5)['map']``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from rankmeter.frozen import dataclass

_PARENTHESES = r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)"
_WORDS = r"[:;\s]+(\w+)=([^:;\s]+)$"
_LEVEL = r"-l(\d+)$"
_NUMBERS = r"(?P<name>.+?)(?P<mark>_at_|[@_.])(?P<numbers>-?\d*\.?\d+(?:,-?\d*\.?\d+)*)$"
_PAIRS = r"(?P<name>.+?)\.(?P<pairs>-?\w+=-?\d*\.?\d+(?:,-?\w+=-?\d*\.?\d+)*)$"
_KEYWORD = r"\w+"
_NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"


@dataclass(frozen=True, slots=True)
class AskedMetric:
    """A metric as read from text: its name in the dialect, the numbers in it, its options."""

    name: str
    numbers: tuple[float, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    mark: str = "_"
    """What separates the name and the number."""
    digits: str = ""
    """The number as it was written."""

    def label(self, number: float | None) -> str:
        """The name with one number, as the tool prints it."""
        return self.name if number is None else f"{self.name}{'_' if self.mark == '.' else self.mark}{number:g}"


def read_metric(text: str, names: Sequence[str]) -> AskedMetric | None:
    """Read a metric of a tool that has these names; None if the name is not one of them."""
    rest, options, positional = _without_options(text.strip())
    known = {name.casefold(): name for name in reversed(names)}
    for name in (rest, rest.removesuffix("-")):
        known_as = _known_name(name, names, known)
        if known_as is not None:
            if name != rest:
                options["-"] = True
            numbers = tuple(positional)
            return AskedMetric(known_as, numbers, options)
    minus = rest.endswith("-")
    match = re.fullmatch(_NUMBERS, rest.removesuffix("-"))
    known_as = _known_name(match["name"], names, known) if match else None
    if match is None or known_as is None:
        return None
    if minus:
        options["-"] = True
    numbers = tuple(read_value(number) for number in match["numbers"].split(","))
    return AskedMetric(known_as, numbers, options, match["mark"], match["numbers"])


def _known_name(text: str, names: Sequence[str], known: dict[str, str]) -> str | None:
    return text if text in names else known.get(text.casefold())


def _without_options(text: str) -> tuple[str, dict[str, Any], list[float]]:
    """Split the text into the name with its number, the options, and numbers in parentheses."""
    options: dict[str, Any] = {}
    positional: list[float] = []
    if match := re.search(_PARENTHESES, text):
        for part in filter(None, (part.strip() for part in _split_at_commas(match[1]))):
            name, equals, value = part.partition("=")
            if equals and re.fullmatch(_KEYWORD, name.strip()):
                options[name.strip()] = read_value(value.strip())
            elif isinstance(number := read_value(part), (int, float)):
                positional.append(number)
        text = text[: match.start()] + text[match.end() :]
    if match := re.fullmatch(_PAIRS, text):  # trec_eval: ndcg.1=3,2=9 maps grades to gains, rbp.p=0.8 sets p
        pairs = [pair.split("=") for pair in match["pairs"].split(",")]
        gains = {read_value(grade): read_value(gain) for grade, gain in pairs if not grade.isalpha()}
        options |= {name: read_value(value) for name, value in pairs if name.isalpha()}
        if gains:
            options["gains"] = gains
        return match["name"], options, positional
    while match := re.search(_WORDS, text):
        options[match[1]] = read_value(match[2])
        text = text[: match.start()]
    if match := re.search(_LEVEL, text):
        options["l"] = read_value(match[1])
        text = text[: match.start()]
    return text.strip(), options, positional


def _split_at_commas(arguments: str) -> list[str]:
    """Split at commas outside inner parentheses and braces."""
    return re.split(r",(?![^()]*\))(?![^{}]*\})", arguments)


def read_value(text: str) -> Any:
    """A number, True, False, None, a map ``{1:3,2:9}``, or the text without its quotes."""
    text = text.strip()
    if text.startswith("{") and text.endswith("}"):
        pairs = (pair.partition(":") for pair in text[1:-1].split(",") if pair.strip())
        return {read_value(grade): read_value(gain) for grade, _, gain in pairs}
    if re.fullmatch(_NUMBER, text):
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    return {"True": True, "False": False, "None": None}.get(text, text.strip("'\""))
