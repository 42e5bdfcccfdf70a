"""The definition of one measure in words: what it means, its formula, and every convention with its value."""

from __future__ import annotations

import inspect
from dataclasses import asdict, replace
from typing import Any, Literal

from rankmeter import wording
from rankmeter.errors import NotFoundError
from rankmeter.frozen import dataclass
from rankmeter.measures import Measure, parse
from rankmeter.measures.base import stated_options
from rankmeter.measures.names import ALIASES
from rankmeter.measures.options import format_value
from rankmeter.measures.prose import Language, MeasureProse, read_convention, read_prose
from rankmeter.showing.document import Block, Cell, Column, Folded, Heading, Mark, Paragraph, Table
from rankmeter.showing.showable import Showable
from rankmeter.showing.terminal import document_text

# The options about which tools disagree, the most important first.
_TELLING = tuple(
    "of over gain discount ideal norm rel p beta max_grade rounding metric source count cold tail share base weight "
    "surprise divergence target distance ties empty queries".split()
)


@dataclass(frozen=True, slots=True)
class Convention:
    """One option of a measure, and what its value means."""

    name: str
    value: str
    decides: str
    """What the option decides."""
    meaning: str
    """What this value means; empty for a number."""
    is_stated: bool
    """Whether the value is not the default; what follows ``@`` does not count as stated."""
    is_telling: bool = True
    """Whether it decides which number this is: tools disagree about it, or it was stated."""


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Showable, MeasureProse):
    """The definition of one measure, in one language: its prose and its conventions."""

    measure: str
    """The canonical string."""
    values: str
    """The bounds, and whether higher or lower is better."""
    conventions: tuple[Convention, ...]
    aliases: tuple[str, ...]
    language: Language = "en"

    @property
    def formula_note(self) -> str:
        """How to read the formula if the conventions are not the default ones."""
        stated = ", ".join(f"{option.name}={option.value}" for option in self.conventions if option.is_stated)
        words = wording.words("definitions/explain", self.language)
        return words["written_for"].format(stated=stated) if stated else ""

    def about_users(self) -> Explanation:
        """The definition as worded for recommendations, whose queries are users."""

        def of_users(text: Any, *names: str) -> Any:
            return replace(text, **{name: wording.of_users(getattr(text, name), self.language) for name in names})

        conventions = tuple(of_users(convention, "decides", "meaning") for convention in self.conventions)
        explanation: Explanation = of_users(self, "meaning", "use", "misleads")
        return replace(explanation, conventions=conventions)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        lists = {"conventions": list(map(asdict, self.conventions)), "aliases": list(self.aliases)}
        return {"measure": self.measure, **asdict(self), **lists}

    def document(self, language: Language | None = None) -> list[Block]:  # noqa: ARG002 (it has a language of its own)
        """Meaning, formula, every convention, use and misuse, an example, sources."""
        words = wording.words("definitions/explain", self.language)
        blocks: list[Block] = [Heading(f"{self.measure}: {self.title}", 1)]

        def add(key: str, text: str, style: Literal["formula", "code", "plain"] = "plain") -> None:
            blocks.extend([Heading(words[key]), Paragraph(text, style)] if text else [])

        add("meaning", self.meaning)
        add("formula", self.formula, "formula")
        blocks += [Paragraph(self.formula_note)] if self.formula_note else []
        add("values", self.values)
        blocks += [Heading(words["conventions"]), self._table(words, is_telling=True)]
        usual = self._table(words, is_telling=False)
        blocks += [Folded(words["usual"], (usual,))] if usual.rows else []
        add("use", self.use)
        add("misleads", self.misleads)
        add("example", self.example, "code")
        blocks += [Paragraph(self.code, "code")] if self.code else []
        add("citation", self.citation)
        add("aliases", ", ".join(self.aliases))
        return blocks

    def _table(self, words: dict[str, str], *, is_telling: bool) -> Table:
        heads = {"option": 0, "value": 0, "decides": 1, "means": 1}
        columns = tuple(Column(words[key], "text", importance) for key, importance in heads.items())
        rows = []
        for option in self.conventions:
            if option.is_telling == is_telling:
                value = Cell(option.value, _STATED if option.is_stated else NO_MARK)
                rows.append((Cell(option.name), value, Cell(option.decides), Cell(option.meaning)))
        return Table(columns, tuple(rows))

    def to_text(self, lang: Language | None = None, *, width: int | None = None) -> str:  # noqa: ARG002 (as above)
        """For a terminal: the conventions that decide as lines, which read better than a table, the rest in a line."""
        lines = [
            Paragraph(text)
            for option in self.conventions
            if option.is_telling
            for text in self._convention_lines(option)
        ]
        usual = ", ".join(f"{option.name}={option.value}" for option in self.conventions if not option.is_telling)
        colon = "：" if self.language == "zh" else ": "
        document: list[Block] = []
        for block in self.document():
            folded = [Paragraph(f"{block.title}{colon}{usual}")] if isinstance(block, Folded) else [block]
            document += lines if isinstance(block, Table) else folded
        return document_text(document, width=width) + "\n"

    def to_markdown(self, lang: Language | None = None, *, level: int = 1) -> str:
        """For a page: headings, the conventions as a table, those that are not the default in bold."""
        return Showable.to_markdown(self, lang or self.language, level=level)

    def to_html(self, lang: Language | None = None) -> str:
        """For a notebook or a page: no script, every text escaped."""
        return Showable.to_html(self, lang or self.language)

    def _convention_lines(self, convention: Convention) -> tuple[str, str]:
        is_chinese = self.language == "zh"
        stated = wording.words("definitions/explain", self.language)["stated"]
        mark = (f"（{stated}）" if is_chinese else f" ({stated})") if convention.is_stated else ""
        # Chinese sentences are not separated by a blank.
        meaning = ("" if is_chinese else " ").join(text for text in (convention.decides, convention.meaning) if text)
        return f"{convention.name}={convention.value}{mark}", f"    {meaning}"


NO_MARK: frozenset[Mark] = frozenset()
_STATED: frozenset[Mark] = frozenset({"best"})
"""A value that is not the default stands out as the best of a table does."""


def explain_measure(measure: str | Measure, *, language: Language = "en") -> Explanation:
    """Explain a measure: its meaning, formula and every convention, in English or Chinese.

    Examples
    --------
    >>> told = explain_measure("nDCG(gain=exp2)@10")
    >>> told.title
    'Normalised discounted cumulative gain'
    >>> next(one for one in told.conventions if one.name == "gain").meaning
    '2^grade - 1: grade 3 is worth seven times grade 1.'
    """
    parsed = parse(measure) if isinstance(measure, str) else measure
    prose = _prose(parsed, language)
    return Explanation(
        **asdict(prose),
        measure=str(parsed),
        values=_range_said(parsed, language),
        conventions=_conventions(parsed, language),
        aliases=aliases_of(parsed),
        language=language,
    )


def title_of(measure: Measure, language: Language = "en") -> str:
    """The full name of a measure."""
    return _prose(measure, language).title


def aliases_of(measure: Measure) -> tuple[str, ...]:
    """The other names of a measure with its default options."""
    return tuple(name for name, meant in ALIASES.items() if meant == type(measure).name)


def direction_of(measure: Measure, language: Language = "en") -> str:
    """Whether higher or lower values are better, in words."""
    words = wording.words("definitions/explain", language)
    return {"higher": words["higher"], "lower": words["lower"], "neither": words["neither"]}[measure.goal]


def conventions_in_short(measure: Measure) -> str:
    """The conventions that decide which number this is, in one line, without those in the measure's own string.

    Examples
    --------
    >>> from rankmeter import nDCG
    >>> conventions_in_short(nDCG(gain="exp2") @ 10)
    'discount=log2, ideal=judged, ties=item, empty=zero, queries=judged'
    """
    described = measure.describe()
    said = stated_options(measure)
    # For a measure of events every option decides: it has none of the conventions that rankings share.
    names_of = getattr(measure, "describe_names", None)
    telling = names_of() if names_of else _TELLING
    shown = [name for name in telling if name in described and name not in said and described[name] is not None]
    return ", ".join(f"{name}={format_value(described[name])}" for name in shown)


def _prose(measure: Measure, language: Language) -> MeasureProse:
    name = type(measure).name
    try:
        return read_prose(name, language)
    except NotFoundError:
        # Users' own measures are described by their docstrings.
        docstring = inspect.getdoc(type(measure)) or ""
        unknown = dict.fromkeys(("formula", "latex", "use", "misleads", "example", "code", "citation"), "")
        return MeasureProse(title=docstring.partition("\n")[0] or name, meaning=docstring, **unknown)


def _range_said(measure: Measure, language: Language) -> str:
    words = wording.words("definitions/explain", language)
    low, high = (f"{bound:g}" for bound in measure.bounds)
    kind = "bounded" if high != "inf" else "unbounded" if low != "-inf" else "any"
    comma = "，" if language == "zh" else ", "
    return f"{words[kind].format(low=low, high=high)}{comma}{direction_of(measure, language)}"


def _conventions(measure: Measure, language: Language) -> tuple[Convention, ...]:
    described = measure.describe()
    name = described.pop("measure")
    stated = stated_options(measure)
    words = wording.words("definitions/explain", language)
    order = {option: place for place, option in enumerate(("cutoff", *_TELLING))}
    conventions = []
    for option in sorted(described, key=lambda option: (option not in stated, order.get(option, len(order)))):
        value: object = described[option]
        prose = read_convention(name, option, value, language)
        shown = words["none"] if value is None else format_value(value)
        meaning = words["no_rel"] if option == "rel" and value is None else prose.meaning
        is_telling = option in stated or option in order or option == "miss"
        is_stated = option in stated and option != measure.at
        conventions.append(Convention(option, shown, prose.decides, meaning, is_stated, is_telling))
    return tuple(conventions)
