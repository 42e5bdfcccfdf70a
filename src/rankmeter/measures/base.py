"""What a measure is: a frozen value that states everything that can change the number.

``str(m)`` is canonical and ``parse(str(m)) == m``; it is the only key, column name and label. A measure computes
nothing: :mod:`rankmeter.arithmetic` does, from the fields.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, MutableMapping
from dataclasses import Field, fields, replace
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature, get_annotations
from operator import attrgetter
from typing import Any, ClassVar, Literal, Self, TypeVar, get_args

from rankmeter.errors import MeasureError, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.measures.families import FAMILY_OF
from rankmeter.measures.options import (
    GainMap,
    Rule,
    WordsOfType,
    check,
    choice,
    choice_or_number,
    format_value,
    gains,
    not_possible,
    real,
    unstated,
    whole,
)
from rankmeter.wording import said

TIES = ("item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best")
TIES_BY_ID = ("item", "item-ascending")
TIES_BY_INPUT = ("input", "reversed")
SINGLE_ORDER_TIES = (*TIES_BY_ID, *TIES_BY_INPUT, "worst", "best")
"""The rules that give a tie one order; a measure without a closed form for the others takes only these."""
SHARED_RANKS = ("shared", "middle")
"""The rules that give a whole tie one rank, so that the number of items that share it must be known."""
MEANS = ("mean", "geometric", "sum", "median", "p90", "variance", "filled")
"""The aggregates of a measure whose values have no denominators that could be pooled."""
COUNTS = ("sum", "mean", "median")
"""The aggregates of a measure that counts."""
AGGREGATES = ("mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled")
"""Every way to turn the values of queries into one number."""
Gain = Literal["linear", "exp2", "binary"] | GainMap

Duplicates = Literal["error", "first", "best", "counted", "once", "distinct", "separate"]
CUT_BEFORE_REPEATS = ("distinct", "separate")
"""Treatments of repeated items that apply after ``depth`` has cut the list; the others apply before."""

LOWERING = ("counted", "guarded")
"""Words of ``negative=`` under which grades below 0 are gains below 0."""
ANY_POSITIVE = math.ulp(0.0)
"""The smallest grade above 0: graded measures look at every grade from this one on."""


Kind = TypeVar("Kind")


class _Options:
    """The options of a measure as a signature for ``help`` and editors, to which ``**options`` would say nothing."""

    def __get__(self, measure: object, kind: Any) -> Signature:
        options = []
        for option in fields(kind):
            value = option.default if measure is None else getattr(measure, option.name)
            options.append(Parameter(option.name, Parameter.KEYWORD_ONLY, annotation=option.type, default=value))
        return Signature(options)


class _Docstring:
    """The docstring of a measure's class, made of the measure's prose when somebody reads it."""

    def __init__(self, summary: str | None) -> None:
        self.summary = summary

    def __get__(self, measure: object, kind: Any) -> str | None:
        from rankmeter.measures.prose import docstring  # reads files

        return docstring(kind.name, self.summary, own_options(kind))


class _Fact:
    """A fact that depends on the value of an option."""

    def __init__(self, option: str, values: tuple[str, ...], holds: bool) -> None:  # noqa: FBT001 (two makers)
        self.option, self.values, self.holds = option, values, holds

    def __get__(self, measure: object, kind: object) -> Any:
        return self if measure is None else (getattr(measure, self.option) in self.values) is self.holds


def when(option: str, *values: str) -> Any:
    """A fact that holds only under these values of an option: ``only_rises = when("norm", "none")``."""
    return _Fact(option, values, holds=True)


def unless(option: str, *values: str) -> Any:
    """A fact that holds but under these values of an option."""
    return _Fact(option, values, holds=False)


def with_options(cls: type[Kind]) -> type[Kind]:
    """Make the annotated fields of a class of measures its options.

    It becomes a dataclass with the methods of `Measure`: generating methods would take a millisecond and a half per
    class, most of the start-up of a short command.
    """
    kinds = get_annotations(cls)
    if cls.__dict__.get("aggregates", AGGREGATES)[0] != AGGREGATES[0]:  # the first is the default
        cls.__annotations__ = {**kinds, "aggregate": "str"}
        cls.aggregate = choice(*cls.aggregates)  # type: ignore[attr-defined]
    for name, kind in kinds.items():
        if isinstance(stated := cls.__dict__.get(name), WordsOfType):
            words = get_args(eval(kind, vars(sys.modules[cls.__module__])))  # noqa: S307 (our own annotation)
            setattr(cls, name, choice(*words, default=stated.default))
    return dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False, init=False)(cls)


class _Kept:
    """Room for what a measure is asked again and again; not options, so that copies and files do without them."""

    __slots__ = ("_hash", "_text")
    _hash: int
    _text: str


@with_options
class Measure(_Kept):
    """The base of every measure: which queries count, and how their values are aggregated.

    Instances are made from one another: ``nDCG(gain="exp2") @ 10`` is a copy of ``nDCG`` with two fields changed.
    """

    aggregate: str = choice(*AGGREGATES)
    queries: Literal["judged", "common", "run"] | None = unstated("judged", "common", "run")
    duplicates: Duplicates | None = unstated("error", "first", "best", "counted")

    name: ClassVar[str] = ""
    """The name in the canonical string."""
    about: ClassVar[Literal["judged items", "lists", "events", "searches"]] = "judged items"
    """What it is computed from."""
    at: ClassVar[str] = "cutoff"
    """The field that ``@`` sets."""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool] = True
    graded: ClassVar[bool] = False
    """Whether it distinguishes more grades than relevant and not relevant."""
    custom: ClassVar[bool] = False
    """Whether a user defined it."""
    formula: ClassVar[Any] = ""
    """Its function, as ``module.function`` of :mod:`rankmeter.arithmetic`; for a user's own, the function itself."""
    has_goal: ClassVar[bool] = True
    """Whether higher or lower values are better at all; a count that describes the data has no goal."""
    no_value: ClassVar[str] = ""
    """Why it may have no value although queries count, if its data and not an option decides: a kind of wording."""
    subtopics: ClassVar[bool] = False
    """Whether it needs judgments of subtopics."""
    compares_slices: ClassVar[bool] = False
    """Whether it compares the slices of another measure, so that it has no value for slices and blocks of queries."""
    tie_rules: ClassVar[tuple[str, ...]] = TIES
    aggregates: ClassVar[tuple[str, ...]] = AGGREGATES
    default_queries: ClassVar[str] = "judged"
    """Which queries are averaged if neither the measure nor the call states it."""
    default_duplicates: ClassVar[str] = "error"
    """How repeated items are treated if nothing is stated; a measure that counts them always counts them."""
    at_choices: ClassVar[str] = "10"
    """An example of what follows ``@``, for messages."""
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    __signature__ = _Options()

    def __init__(self, **options: Any) -> None:
        kind = type(self)
        for name, default, _ in _options_of_class(kind):  # type: ignore[arg-type]
            object.__setattr__(self, name, options.pop(name, default))
        if options:
            raise TypeError(f"{kind.__name__} has no option {next(iter(options))!r}")
        self.__post_init__()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        values = _values_getter(type(self))  # type: ignore[arg-type]
        return bool(values(self) == values(other))

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash((type(self).name, _values_getter(type(self))(self))))  # type: ignore[arg-type]
            return self._hash

    def __post_init__(self) -> None:
        for name, _, rule in _options_of_class(type(self)):  # type: ignore[arg-type]
            value = getattr(self, name)
            if value in rule.choices if type(value) is str else value is None and rule.optional:
                continue  # most options of most measures; a search makes thousands of measures
            checked = check(type(self).name, name, value, rule)
            if checked is not value:
                object.__setattr__(self, name, checked)
        if self.aggregate not in self.aggregates:
            raise not_possible(self.name, "aggregate", self.aggregate, Rule(choices=self.aggregates))

    def __call__(self, **changes: Any) -> Self:
        """Return a copy with other options."""
        options = {name: getattr(self, name) for name, _, _ in _options_of_class(type(self))}  # type: ignore[arg-type]
        for name in changes:
            if name not in options:
                hint = did_you_mean(name, list(options)) or said(
                    "measures.has_options", measure=self.name, known=sorted(options)
                )
                raise MeasureError.of("measures.no_option", measure=self.name, option=name, hint=hint)
        return type(self)(**{**options, **changes})

    def __matmul__(self, value: float) -> Self:
        """Return a copy with the cutoff (for IPrec: the recall point) that follows ``@``."""
        if self.at not in {option.name for option in fields(self)}:
            raise MeasureError.of("measures.takes_no_cutoff", measure=self.name)
        changes: dict[str, Any] = {self.at: value}
        return replace(self, **changes)

    def __str__(self) -> str:
        try:
            return self._text
        except AttributeError:
            object.__setattr__(self, "_text", _canonical(self))
            return self._text

    def __repr__(self) -> str:
        return str(self)

    @property
    def lowest_grade(self) -> float:
        """Items judged below this grade cannot change the value and need not be placed."""
        return math.inf

    @property
    def goal(self) -> Literal["higher", "lower", "neither"]:
        """Which values are better."""
        if not self.has_goal:
            return "neither"
        return "higher" if self.higher_is_better else "lower"

    @property
    def query_policy(self) -> str:
        """Which queries are averaged."""
        return self.queries or self.default_queries

    @property
    def duplicate_policy(self) -> str:
        """How repeated items are treated."""
        return self.duplicates or self.default_duplicates

    def why_no_value(self, counted: int) -> str:
        """Why it has no value, given how many queries count."""
        if not counted:
            return said("no_query_counts")
        if self.no_value:
            return said(self.no_value, **self.describe())
        asked = [f"{option}=nan" for option in ("empty", "miss", "blank") if getattr(self, option, "") == "nan"]
        return said("a_query_has_none", asked=asked) if asked else said("not_defined")

    def why_no_interval(self) -> str:
        """Why resampling the queries gives no interval for its value."""
        if self.aggregate == "whole":
            return said("resamples_repeat_lists")
        return said("aggregate_is_no_mean", aggregate=self.aggregate)

    def describe(self) -> dict[str, Any]:
        """Every option with its value, the defaults too, in a fixed order: the complete definition."""
        options = {option.name: getattr(self, option.name) for option in fields(self)}
        options |= {"queries": self.query_policy, "duplicates": self.duplicate_policy}
        return {"measure": type(self).name, **dict(sorted(options.items()))}


@with_options
class RankedMeasure(Measure):
    """A measure of where the judged items stand: the options that all of these share."""

    duplicates: Duplicates | None = unstated(*get_args(Duplicates))
    cutoff: int | None = whole(None, low=1)
    ties: str = choice(*TIES)
    scores: Literal["float64", "float32"] = choice()
    sign: Literal["ignored", "positive"] = choice()
    itself: Literal["kept", "removed"] = choice()
    unjudged: str | float = choice("nonrelevant", "removed", "nan")
    negative: str = choice("unjudged", "nonrelevant")
    candidates: Literal["all", "list", "appended"] = choice()
    empty: Literal["zero", "one", "nan", "skip", "silent"] = choice()
    miss: Literal["zero", "skip"] = choice()
    blank: Literal["counted", "nan", "skip"] = choice()
    depth: int | None = whole(None, low=1)
    digits: int | None = whole(None, low=0)

    places_judged: ClassVar[bool] = False
    """Whether it also needs to know where the items judged not relevant stand."""
    needs_total: ClassVar[bool] = True
    """Whether it needs the number of all relevant items, not only the best few (for the ideal)."""
    within_cutoff: ClassVar[bool] = False
    """Whether cutting a list at the cutoff is known to leave its value unchanged."""
    looks_at_relevance: ClassVar[bool] = True
    """Whether it would change if unjudged items turned out to be relevant."""
    only_rises: ClassVar[bool] = False
    """Whether an unjudged item that turns out to be relevant is proven never to lower it."""
    worked: ClassVar[Literal["growing", "gains", "discounted", "ideal", "patience", "reading", "precisions"]] = (
        "growing"
    )
    """What a worked example shows: the value as the list grows; gains that add up, plain, discounted by rank, relative
    to an ideal list, or weighted by a reader's patience; a reader who stops when satisfied; precisions that add up."""
    sees_order: ClassVar[bool] = True
    """Whether it depends on where within the cutoff an item stands, and not only on whether it does."""
    bounded_by_grade: ClassVar[bool] = False
    """Whether ordering a tie by grade, best or worst first, is proven to give its extreme values."""

    @property
    def lowest_grade(self) -> float:
        return -math.inf if self.places_judged else math.inf

    @property
    def threshold(self) -> float | None:
        """The lowest relevant grade; None if every grade counts by itself."""
        return None

    @property
    def gain_map(self) -> tuple[GainMap, float | None, float] | None:
        """The gains of grades, the lowest grade that gains and the lowest gain; None if gains rise from 0."""
        return None

    @property
    def last_rank(self) -> int | None:
        """The last rank that can change the value; None if that is the last of the list, or not known."""
        return self.cutoff if self.within_cutoff else None

    @property
    def is_bounded_by_unjudged(self) -> bool:
        """Whether its true value lies between those with no and with all unjudged items relevant."""
        return (
            self.only_rises
            and self.empty == self.miss == "zero"
            and self.candidates == "all"
            and self.unjudged == "nonrelevant"
            and getattr(self, "rel", None) != "high"
            and self.aggregate != "variance"
            and self.query_policy != "run"
        )

    @property
    def is_cut(self) -> bool:
        """Whether part of the list is ignored, so that ties may decide which items count."""
        return self.cutoff is not None or self.depth is not None

    @property
    def cut_by(self) -> str:
        """The option that cuts the list, as it is written."""
        return f"depth={self.depth}" if self.cutoff is None else f"cutoff={self.cutoff}"

    @property
    def is_moved_by_ties(self) -> bool:
        """Whether the order of tied items can change the value."""
        return self.ties != "included" and (self.sees_order or self.is_cut)

    def ties_unknown(self) -> str:
        """Why the range over which ties can move it is not known; '' if it is known, or if ties cannot move it."""
        if not self.is_moved_by_ties:
            return ""
        if self.unjudged == "undecided":
            return said("measures.ties_decide_value", option="unjudged=undecided")
        if not self.bounded_by_grade:
            return said("measures.ties_by_grade")
        if self.aggregate == "variance":
            return said("measures.ties_and_variance")
        if self.miss == "skip" and self.is_cut:
            return said("measures.ties_decide_queries", option="miss=skip")
        if self.depth is not None and (
            self.candidates == "list" or self.unjudged in ("removed", "nan") or self.cut_first is not None
        ):
            return said("measures.ties_decide_items", option=f"depth={self.depth}")
        return ""

    def __post_init__(self) -> None:
        # Zero-argument super() breaks in slotted dataclasses on Python 3.11.
        Measure.__post_init__(self)
        if self.ties not in self.tie_rules:
            raise no_closed_form(self)
        if self.ties == "mean" and self.miss == "skip" and self.cutoff is not None:
            raise MeasureError.of("measures.skipped_by_chance", measure=self.name)
        if self.depth is not None and self.ties not in (*SINGLE_ORDER_TIES, "included"):
            raise MeasureError.of(
                "measures.cut_by_chance", measure=self.name, ties=self.ties, rules=list(SINGLE_ORDER_TIES)
            )
        if self.unjudged == "undecided" and self.ties not in SINGLE_ORDER_TIES:
            # The rule leaves open what stands above a hit.
            rules = list(SINGLE_ORDER_TIES)
            raise MeasureError.of("measures.undecided_by_chance", measure=self.name, ties=self.ties, rules=rules)
        if self.unjudged == "removed" and self.negative == "unjudged" and self.counted_below:
            raise MeasureError.of("measures.removed_but_relevant", measure=self.name)
        if self.cut_first is not None and self.ties not in (*TIES_BY_ID, *TIES_BY_INPUT, "included"):
            raise MeasureError.of(
                "measures.repeats_by_chance", measure=self.name, duplicates=self.duplicates, ties=self.ties,
                rules=[*TIES_BY_ID, *TIES_BY_INPUT],
            )  # fmt: skip
        if self.cut_first is not None and self.candidates == "appended":
            raise MeasureError.of("measures.appended_to_cut", measure=self.name, depth=self.depth)
        if not isinstance(self.unjudged, str) and self.ties in SHARED_RANKS:
            raise MeasureError.of(
                "measures.shared_by_unjudged", measure=self.name, value=format_value(self.unjudged), ties=self.ties
            )
        if self.sign == "positive" and self.unjudged not in ("nonrelevant", "removed"):
            raise MeasureError.of("measures.sign_unknown", measure=self.name, value=format_value(self.unjudged))

    @property
    def cut_first(self) -> tuple[int, str] | None:
        """Where, and by which tie rule, the run is cut before it is placed; None if it is not."""
        cuts = self.duplicates in CUT_BEFORE_REPEATS or self.ties == "included"
        return (self.depth, self.ties) if self.depth is not None and cuts else None

    @property
    def counted_below(self) -> tuple[float, GainMap] | None:
        """Which grades below 0 count under these options: from which on, and if only some of those, their gains."""
        return None


@with_options
class RelevanceMeasure(RankedMeasure):
    """A measure that asks only whether an item is relevant: judged at least ``rel``.

    ``rel="high"`` takes the threshold from the grades of the query: at least half of its highest grade and at least
    the 90th percentile of its grades (the ceil(0.9 N)-th lowest of N), and above 0.
    """

    rel: float | Literal["high"] = choice_or_number("high", default=1)

    @property
    def lowest_grade(self) -> float:
        return -math.inf if self.places_judged or isinstance(self.rel, str) else self.rel

    @property
    def threshold(self) -> float | None:
        return None if isinstance(self.rel, str) else self.rel

    @property
    def counted_below(self) -> tuple[float, GainMap] | None:
        return (self.rel, GainMap({})) if not isinstance(self.rel, str) and self.rel < 0 else None


@with_options
class HitMeasure(RelevanceMeasure):
    """A measure of how many relevant items stand within the cutoff, monotonic in that number."""

    within_cutoff: ClassVar[bool] = True
    sees_order: ClassVar[bool] = False
    bounded_by_grade: ClassVar[bool] = True


@with_options
class GainMeasure(RankedMeasure):
    """A measure that adds up gains; if ``rel`` is stated, lower grades count as 0."""

    gain: Gain = gains("linear", "exp2", "binary")
    rel: float | None = real(None)

    graded: ClassVar[bool] = True

    @property
    def lowest_grade(self) -> float:
        if self.rel is not None:
            return self.rel
        return ANY_POSITIVE if isinstance(self.gain, str) else min(ANY_POSITIVE, *self.gain)

    @property
    def threshold(self) -> float | None:
        return 1 if self.rel is None and self.gain == "binary" else self.rel

    @property
    def gain_map(self) -> tuple[GainMap, float | None, float] | None:
        return None if isinstance(self.gain, str) else (self.gain, self.rel, 0.0)

    @property
    def counted_below(self) -> tuple[float, GainMap] | None:
        lowest = -math.inf if self.rel is None else self.rel
        if isinstance(self.gain, str):
            return (lowest, GainMap({})) if self.gain == "binary" and -math.inf < lowest < 0 else None
        return (lowest, self.gain) if any(lowest <= grade < 0 < worth for grade, worth in self.gain.items()) else None


@cache
def _values_getter(kind: Any) -> attrgetter[tuple[Any, ...]]:
    """A getter of the values of all options of a class of measures."""
    return attrgetter(*(option.name for option in fields(kind)))


@cache
def _options_of_class(kind: Any) -> tuple[tuple[str, Any, Rule], ...]:
    """The options of a class of measures, with their defaults and rules."""
    return tuple((option.name, option.default, rule_of(option)) for option in fields(kind))


def rule_of(option: Field[Any]) -> Rule:
    """The rule that an option's values follow."""
    rule: Rule = option.metadata["rule"]
    return rule


def own_options(kind: Any) -> list[Field[Any]]:
    """The options of a class of measures that other measures do not have, or have with another default or rule."""
    shared = {option.name: option for option in fields(RankedMeasure)}

    def is_own(option: Field[Any]) -> bool:
        usual = shared.get(option.name)
        if usual is None or usual.default != option.default:
            return option.name != "aggregate"
        takes_others = rule_of(usual) != rule_of(option) and option.name not in ("aggregate", "ties")
        return takes_others and issubclass(kind, RankedMeasure)

    return [option for option in fields(kind) if is_own(option)]


def _canonical(measure: Measure) -> str:
    stated = stated_options(measure)
    after_at = stated.pop(measure.at, None)
    inside = ",".join(f"{name}={format_value(value)}" for name, value in sorted(stated.items()))
    return (
        type(measure).name
        + (f"({inside})" if inside else "")
        + ("" if after_at is None else f"@{format_value(after_at)}")
    )


def stated_options(measure: Measure) -> dict[str, Any]:
    """The options whose value is not the default."""
    pairs = ((option, getattr(measure, option.name)) for option in fields(measure))
    return {option.name: value for option, value in pairs if value != option.default}


def no_closed_form(measure: RankedMeasure) -> MeasureError:
    """The error for a tie rule under which a measure has no value; it names those that it has."""
    kind = "measures.no_closed_form" if measure.ties == "mean" else "measures.undefined_for_ties"
    return MeasureError.of(kind, measure=measure.name, ties=measure.ties, rules=list(measure.tie_rules))


AnyMeasure = TypeVar("AnyMeasure", bound=Measure)


class Registry(MutableMapping[str, Measure]):
    """Every measure by its name, with default options; a family is loaded when one of its measures is first asked for.

    To make the classes of all ninety measures takes longer than most programs spend on the few that they use.
    """

    def __init__(self) -> None:
        self.changes = 0
        """How often users registered measures of their own: a text may mean something else since."""
        self.kinds: dict[str, type[Measure]] = {}
        """The classes of our own measures that are loaded."""
        self._measures: dict[str, Measure] = {}

    def __getitem__(self, name: str) -> Measure:
        if name not in self._measures:
            if name not in self.kinds:
                import_module(FAMILY_OF[name])
            self._measures[name] = self.kinds[name]()
        return self._measures[name]

    def __setitem__(self, name: str, measure: Measure) -> None:
        self.changes += 1
        self._measures[name] = measure

    def __delitem__(self, name: str) -> None:
        del self._measures[name]

    def __contains__(self, name: object) -> bool:
        return name in FAMILY_OF or name in self.kinds or name in self._measures

    def __iter__(self) -> Iterator[str]:
        return iter({**FAMILY_OF, **self.kinds, **self._measures})

    def __len__(self) -> int:
        return sum(1 for _ in self)


REGISTRY = Registry()


def register(cls: type[AnyMeasure]) -> type[AnyMeasure]:
    """Make the annotated fields of a measure's class its options, and the measure known by its name."""
    if not cls.name:
        raise MeasureError.of("measures.no_name", type=cls.__name__)
    if not cls.formula and cls.about not in ("events", "searches") and not cls.compares_slices:
        raise MeasureError.of("measures.no_formula", type=cls.__name__)
    made = with_options(cls)
    made.__doc__ = _Docstring(cls.__doc__)  # type: ignore[assignment]  # Python asks it for the text
    REGISTRY.kinds[cls.name] = made
    return made
