"""How several runs become one: a definition in which everything that can change a score or the order is a field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal, TypedDict, get_args, get_type_hints

from rankmeter.errors import InputError, check_choice, check_number, check_whole, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.wings.fusion.known_methods import METHODS, Method, options_of
from rankmeter.wings.fusion.tool_fusions import ToolFusion, find_tool_fusion, tool_fusions

Norm = Literal[
    "none", "min-max", "min-max-inverted", "max", "sum", "z-score", "rank", "borda", "l2", "deviation", "arctan",
    "arctan-positive", "arctan-distance", "cosine",
]  # fmt: skip
Missing = Literal["nothing", "zero", "minimum"]
Flat = Literal["0", "0.5", "1", "raw", "sign"]
Deviation = Literal["population", "sample"]
InLists = Literal["score", "given", "rising"]
Ties = Literal["item", "item-ascending", "given", "shared"]
Equal = Literal["item", "item-ascending", "first"]
Duplicates = Literal["error", "first", "last", "best", "counted"]
Queries = Literal["same", "all", "common"]
Weighting = Literal["given", "shares", "ranks"]
Scale = Literal["none", "best"]
Precision = Literal["float64", "float32"]
Weightless = Literal["kept", "dropped"]
Flatness = Literal["values", "spread"]
NORMS: tuple[Norm, ...] = get_args(Norm)
FLAT: Mapping[str, Flat] = {"min-max": "1", "min-max-inverted": "1", "sum": "1", "z-score": "0", "deviation": "0.5"}
"""What equal scores become under each normalisation that divides by their spread, where nothing else is stated."""


class Options(TypedDict, total=False):
    """Options of a definition, as :func:`rankmeter.fuse` takes them."""

    norm: str | None
    weights: Sequence[float] | None
    k: float
    first: int
    gamma: float
    sigma: float
    phi: float
    window: int
    segments: int
    missing: Missing | None
    flat: Flat | float | None
    flatness: Flatness
    sd: Deviation
    floor: float
    lowest: float | None
    lows: Sequence[float] | None
    lists: str
    ties: Ties
    duplicates: str
    queries: Queries
    depth: int | None
    weighting: Weighting
    weightless: Weightless
    equal: Equal
    least: float | None
    top: int | None
    scale: Scale
    digits: int | None
    precision: Precision


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """How several runs become one; every convention is a field.

    Examples
    --------
    >>> from rankmeter import Fusion
    >>> Fusion(how="rrf", k=10)
    Fusion('rrf(k=10)')
    >>> str(Fusion.of("wsum(norm=max)", weights=[0.7, 0.3]))
    'wsum(norm=max,weights=0.7:0.3)'
    >>> Fusion.of("rrf").describe()["ties"]
    'item'
    """

    how: str = "rrf"
    """The method."""
    norm: str | None = None
    """How the scores of a list are put on one scale, for all runs or one after another (``min-max-inverted:min-max``);
    None for the method's own."""
    weights: tuple[float, ...] | None = None
    """One for each run; None: all the same."""
    k: float = 60
    """The constant of reciprocal ranks: 1 / (k + rank)."""
    first: int = 1
    """The rank of the first result in that formula: 1 or 0."""
    gamma: float = 1
    """The power of the number of runs that hold an item, in gmnz."""
    sigma: float = 0.01
    """What is added to that number before its logarithm is taken, in logn_isr."""
    phi: float = 0.8
    """The persistence of rank-biased centroids."""
    window: int = 1
    """Positions on either side, in slidefuse."""
    segments: int = 5
    """Parts into which probfuse cuts a list."""
    missing: Missing | None = None
    """What an item gets from a list that does not hold it: nothing, zero, or the list's lowest; None for the usual."""
    flat: Flat | None = None
    """What scores become that are all equal, or a single one; None for the normalisation's own."""
    flatness: Flatness = "values"
    """What shows that scores are equal: they are, or the spread computed from them is 0, which rounding may prevent."""
    sd: Deviation = "population"
    """Which standard deviation."""
    floor: float = 0
    """The least divisor of a normalisation."""
    lowest: float | None = None
    """The least that a normalised score can be."""
    lows: tuple[float, ...] | None = None
    """The lowest possible score of each run, in place of the lowest one returned (min-max)."""
    lists: str = "score"
    """What orders a list before ranks are counted, for all runs or one after another: its ``score``, the order that was
    ``given``, or its scores ``rising`` (distances)."""
    ties: Ties = "item"
    """Which of two equal scores of a list stands first; ``shared``: both have the better rank."""
    duplicates: str = "error"
    """What an item counts that stands twice in a list, for all runs or one after another: ``error`` refuses it,
    ``first``, ``last`` and ``best`` take one score, ``counted`` adds up what each place is worth."""
    queries: Queries = "same"
    """Which queries are fused: ``same`` refuses runs that lack some of each other's; a missing list is empty."""
    depth: int | None = None
    """How many items of each list are fused; None for all."""
    weightless: Weightless = "kept"
    """Whether items are ``kept`` that only lists of weight 0 or less hold."""
    weighting: Weighting = "given"
    """Weights as they are given, as shares of their sum, or as what divides the rank."""
    equal: Equal = "item"
    """Which of two items with equal fused scores stands first."""
    least: float | None = None
    """Items with a lower fused score are left out."""
    top: int | None = None
    """How many items of each fused list are kept; None for all."""
    scale: Scale = "none"
    """``best``: divided by what an item gets that is first in every list."""
    digits: int | None = None
    """Decimals to which each contribution is rounded, halves up."""
    precision: Precision = "float64"
    """How contributions and sums are stored."""
    learned: tuple[tuple[float, ...], ...] | None = None
    """What a method learned from judgments, of each run; it is not spelled out."""
    tool: str = ""
    """The name under which another tool has it: ``qdrant:rrf``."""

    def __post_init__(self) -> None:
        if self.how not in METHODS:
            raise unknown_method(self.how)
        for name, value in _cleaned(self).items():
            object.__setattr__(self, name, value)
        stated = {field.name for field in fields(self) if getattr(self, field.name) != field.default} - set(_UNSPELLED)
        useless = sorted(stated - set(self.options_of()))
        if useless:
            raise InputError.of("fusion.useless_option", how=self.how, options=useless, known=self.options_of())
        if self.weights is not None and not (sum(self.weights) if self.weighting == "shares" else any(self.weights)):
            given, example = list(self.weights), _weights_for(self.weights)
            raise InputError.of("fusion.weights_of_nothing", weights=repr(given), example=repr(example))

    @classmethod
    def of(cls, how: str | Fusion = "rrf", **options: Any) -> Fusion:
        """Read a definition from text, such as ``rrf(k=10)`` or ``qdrant:dbsf``; options given beside it win."""
        if isinstance(how, Fusion):
            return replace(how, **known_options(options, str(how))) if options else how
        if not isinstance(how, str):
            raise unknown_method(how)
        written = re.fullmatch(r"\s*([^()\s]+)\s*(?:\((.*)\))?\s*", how, re.DOTALL)
        if written is None:
            raise unknown_method(how)
        name, inside = written[1], written[2] or ""
        if ":" in name:
            return cls._of_tool(find_tool_fusion(name), inside, options)
        return cls(how=name, **{**read_options(inside, how), **known_options(options, how)})

    @classmethod
    def _of_tool(cls, tool: ToolFusion, inside: str, options: Mapping[str, Any]) -> Fusion:
        """What a tool does under a name, with what is stated in parentheses and beside it."""
        of_words, rest = tool.parted(inside)
        whole = f"{tool.name}({inside})"
        stated = {**of_words, **read_options(rest, whole), **known_options(tool.named(options), whole)}
        how = stated.pop("how", tool.how)
        base = cls(how=tool.how, **read_options(tool.base, tool.name))
        base = base if how == tool.how else replace(base, how=how, missing=None)
        return replace(base, **stated, tool=tool.name)

    @property
    def method(self) -> Method:
        """The method, which knows what it looks at."""
        return METHODS[self.how]

    @property
    def scaling(self) -> str:
        """The normalisation that is meant, of all runs."""
        return self.norm or ("min-max" if self.method.looks_at == "scores" else "none")

    def norm_of(self, run: int) -> str:
        """The normalisation of one run."""
        return _part(self.scaling, run)

    def needs_scores(self, run: int) -> bool:
        """Whether the scores of a run have to be numbers that can be put on a scale."""
        return self.method.looks_at == "scores" and self.norm_of(run) not in ("rank", "borda")

    def order_of(self, run: int) -> str:
        """What orders the lists of one run."""
        stated = _part(self.lists, run)
        return "rising" if stated == "score" and self.norm_of(run) == "min-max-inverted" else stated

    def duplicates_of(self, run: int) -> str:
        """What an item counts that stands twice in a list of one run."""
        return _part(self.duplicates, run)

    def check_runs(self, runs: int) -> None:
        """Refuse what is stated run by run for another number of runs, and a method that has learned nothing."""
        if self.method.trained and self.learned is None:
            raise InputError.of("fusion.untrained", how=self.how)
        if self.learned is not None and len(self.learned) != runs:
            raise InputError.of("fusion.learned_of_others", how=self.how, count=len(self.learned), runs=runs)
        for name in (*_BY_RUN, "weights", "lows"):
            given = getattr(self, name)
            count = len(given.split(":")) if isinstance(given, str) else len(given or ())
            if count != runs and (count > 1 or (count and not isinstance(given, str))):
                each = given if isinstance(given, str) else "1"
                example = ":".join([each.split(":")[0]] * runs) if name in _BY_RUN else _weights_for([1] * runs)
                typed = {"weights": f"--weights {','.join(map(str, example))}", "norm": f"--norm {example}",
                         "duplicates": f"--duplicates {example}", "lists": f"--option lists={example}",
                         "lows": f"--option lows={':'.join(map(str, example))}"}[name]  # fmt: skip
                raise InputError.of("fusion.other_number", option=name, count=count, runs=runs, example=repr(example),
                                    typed=typed)  # fmt: skip

    @property
    def absent(self) -> Missing:
        """What a missing item gets."""
        if self.missing is not None:
            return self.missing
        if self.scaling == "z-score" and self.method.looks_at == "scores":
            return "minimum"  # 0 is the mean there: an item that was not returned would beat half of those that were
        return self.method.missing

    def flat_of(self, run: int) -> str:
        """What equal scores of a run become."""
        return self.flat or FLAT.get(self.norm_of(run), "raw")

    def options_of(self) -> list[str]:
        """The names of the options that can change its result."""
        return options_of(self.how)

    def describe(self) -> dict[str, Any]:
        """Every option that can change its result, with its value."""
        meant = {"norm": self.scaling, "missing": self.absent, "flat": self.flat_of(0)}
        said = {name: meant.get(name, getattr(self, name)) for name in self.options_of()}
        if self.norm_of(0) not in FLAT:
            said = {name: value for name, value in said.items() if not name.startswith("flat")}
        return {"how": self.how, **said}

    def spelled(self) -> str:
        """All of it in one line."""
        said = {name: value for name, value in self.describe().items() if value is not None}
        return ", ".join(
            f"{name}={_written(value)}" for name, value in said.items() if name != "how" and value is not None
        )

    def __str__(self) -> str:
        stated = [
            f"{field.name}={_written(getattr(self, field.name))}"
            for field in sorted(fields(self), key=lambda field: field.name)
            if field.name not in _UNSPELLED and getattr(self, field.name) != field.default
        ]
        return f"{self.how}({','.join(stated)})" if stated else self.how

    def __repr__(self) -> str:
        return f"Fusion({str(self)!r})"


_TYPES = get_type_hints(Fusion)
_UNSPELLED = ("how", "tool", "learned")
_CHOICES: Mapping[str, tuple[str | None, ...]] = {
    "norm": (*NORMS, None), "missing": (*get_args(Missing), None), "flat": (*get_args(Flat), None),
    "sd": get_args(Deviation), "lists": get_args(InLists), "ties": get_args(Ties), "duplicates": get_args(Duplicates),
    "queries": get_args(Queries), "weighting": get_args(Weighting), "equal": get_args(Equal), "scale": get_args(Scale),
    "precision": get_args(Precision), "flatness": get_args(Flatness),
    "weightless": get_args(Weightless),
}  # fmt: skip
"""The words that options take."""
_BY_RUN = ("norm", "lists", "duplicates")
"""Options that may be stated run by run."""
_WITHIN = {"k": (-1, 1e300), "phi": (0, 1), "sigma": (0, 1e300), "gamma": (-1000, 1000), "floor": (0, 1e300),
           "digits": (0, 15)}  # fmt: skip
"""The least and the most that numbers can be."""
_OPTIONAL = ("depth", "top", "digits", "lowest", "least")
"""Numbers that need not be stated."""
MOST_WHOLE = 2**31 - 1
_WHOLE = {"depth": 1, "top": 1, "window": 0, "segments": 1, "digits": 0}


def _weights_for(runs: Sequence[object]) -> list[float]:
    """Weights that would do, for an example."""
    return [round(1 / len(runs), 2)] * len(runs)


def unknown_method(how: object) -> InputError:
    """What is said of a method that nobody knows."""
    text, tools = str(how)[:60], {name.partition(":")[0]: name for name in tool_fusions()}
    if text in tools:
        return InputError.of("fusion.of_which_method", tool=text, known=[one for one in tool_fusions()
                                                                         if one.startswith(f"{text}:")])  # fmt: skip
    meant = did_you_mean(text.partition("(")[0], list(METHODS)) or None
    return InputError.of("fusion.unknown_method", how=text, hint=meant)


def _part(stated: str, run: int) -> str:
    """What is stated for one run."""
    parts = stated.split(":")
    return parts[run if len(parts) > 1 else 0]


def _cleaned(definition: Fusion) -> dict[str, Any]:
    """The values of fields as they are kept; refuses those that cannot be."""
    made: dict[str, Any] = {}
    for name in _CHOICES:
        value = getattr(definition, name)
        if name == "flat" and isinstance(value, (int, float)) and not isinstance(value, bool):
            value = made[name] = f"{value:g}"
        choices = _CHOICES[name]
        for part in value.split(":") if name in _BY_RUN and isinstance(value, str) else [value]:
            check_choice(name, part, choices)
    for name in ("weights", "lows"):
        if (given := getattr(definition, name)) is not None:
            given = list(given) if hasattr(given, "__array__") else given  # of NumPy and Polars
            if isinstance(given, (str, bytes)) or not isinstance(given, Sequence) or not given:
                raise InputError.of("fusion.not_numbers", option=name, given=str(given)[:60])
            made[name] = tuple(_number(name, number) for number in given)
    for name, least in _WHOLE.items():
        if (number := getattr(definition, name)) is not None or name not in _OPTIONAL:
            made[name] = check_whole(name, number, least)
            if made[name] > MOST_WHOLE:
                raise InputError.of("fusion.out_of_bounds", option=name, given=made[name], low=least, high=MOST_WHOLE)
    return made | _numbers(definition)


def _numbers(definition: Fusion) -> dict[str, float]:
    """The parameters of methods as they are kept; refuses those that make no scores."""
    stated = {name: getattr(definition, name) for name in (*_WITHIN, "lowest", "least")}
    made = {name: _plain(_number(name, number)) for name, number in stated.items()
            if number is not None or name not in _OPTIONAL}  # fmt: skip
    for name, (low, high) in _WITHIN.items():
        if name in made and not low <= made[name] <= high:
            raise InputError.of("fusion.out_of_bounds", option=name, given=made[name], low=low, high=high)
    if definition.first not in (0, 1) or isinstance(definition.first, bool):
        raise InputError.of("fusion.first_rank", first=str(definition.first))
    if made["k"] + definition.first <= 0:
        raise InputError.of("fusion.no_first_rank", k=made["k"], first=definition.first)
    return made


def _number(name: str, given: object) -> float:
    """A finite number; a truth value is none, and bytes are not."""
    return check_number(name, repr(given) if isinstance(given, (bool, bytes)) else given)


def _written(value: Any) -> str:
    return ":".join(f"{number:.15g}" for number in value) if isinstance(value, tuple) else f"{value}"


def read_options(text: str, whole: str) -> dict[str, Any]:
    """Read ``k=10,weights=0.7:0.3``."""
    options: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in _TYPES or name in _UNSPELLED:
            raise _unknown_option(name, part, whole)
        if not value:
            raise InputError.of("fusion.no_value", option=name, how=whole)
        if name in options:
            raise InputError.of("fusion.stated_twice", option=name, how=whole)
        options[name] = _read(name, value)
    return options


def known_options(options: Mapping[str, Any], whole: str) -> Mapping[str, Any]:
    """The options, if all of them are known."""
    for name in options:
        if name not in _TYPES or name in _UNSPELLED:
            raise _unknown_option(name, name, whole)
    return options


def _unknown_option(name: str, part: str, whole: str) -> InputError:
    known = [field for field in _TYPES if field not in _UNSPELLED]
    hint = did_you_mean(name, known) or None
    return InputError.of("fusion.unknown_option", part=part, how=whole, known=known, hint=hint)


def _read(name: str, value: str) -> Any:
    if name in ("weights", "lows"):
        return tuple(check_number(name, number) for number in value.split(":"))
    if name in _CHOICES:
        return value
    return _plain(check_number(name, value))


def _plain(number: float) -> float:
    """A whole number without a point, so that 60 and 60.0 are one definition."""
    return int(number) if number.is_integer() and abs(number) < 2**53 else float(number)
