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

# The options that people of different tools disagree about, the most telling first.
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
    """Whether the value is not the default; what stands after ``@`` has none worth the name."""
    is_telling: bool = True
    """Whether tools disagree about it, or it was stated: it decides which number this is."""


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Showable):
    """The definition of one measure, in one language."""

    measure: str
    """The canonical string."""
    title: str
    meaning: str
    formula: str
    latex: str
    values: str
    """The bounds and which way is better."""
    conventions: tuple[Convention, ...]
    use: str
    misleads: str
    example: str
    citation: str
    aliases: tuple[str, ...]
    language: Language = "en"

    @property
    def formula_note(self) -> str:
        """How the formula must be read where the measure has other conventions than the default ones."""
        stated = ", ".join(
            f"{convention.name}={convention.value}" for convention in self.conventions if convention.is_stated
        )
        return (
            wording.words("definitions/explain", self.language)["written_for"].format(stated=stated) if stated else ""
        )

    def about_users(self) -> Explanation:
        """The definition as it is said of recommendations, whose queries are users."""

        def told(text: str) -> str:
            return wording.of_users(text, self.language)

        texts: dict[str, Any] = {name: told(getattr(self, name)) for name in ("meaning", "use", "misleads")}
        texts["conventions"] = tuple(
            replace(one, decides=told(one.decides), meaning=told(one.meaning)) for one in self.conventions
        )
        return replace(self, **texts)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return asdict(self) | {
            "conventions": [asdict(convention) for convention in self.conventions],
            "aliases": list(self.aliases),
        }

    def document(self, language: Language | None = None) -> list[Block]:  # noqa: ARG002 (it has a language of its own)
        """Meaning, formula, every convention, use and misuse, an example, sources."""
        words = wording.words("definitions/explain", self.language)
        heads = [words[key] for key in ("option", "value", "decides", "means")]
        telling, usual = (
            tuple(
                (
                    Cell(convention.name),
                    Cell(convention.value, _STATED if convention.is_stated else NO_MARK),
                    Cell(convention.decides),
                    Cell(convention.meaning),
                )
                for convention in self.conventions
                if convention.is_telling == is_telling
            )
            for is_telling in (True, False)
        )
        columns = (Column(heads[0], "text"), Column(heads[1], "text"), *(Column(head, "text", 1) for head in heads[2:]))
        blocks: list[Block] = [Heading(f"{self.measure}: {self.title}", 1)]
        for key, text in (("meaning", self.meaning), ("formula", self.formula), ("values", self.values)):
            style: Literal["formula", "code", "plain"] = "formula" if key == "formula" else "plain"
            blocks += [Heading(words[key]), Paragraph(text, style)] if text else []
            blocks += [Paragraph(self.formula_note)] if key == "formula" and self.formula_note else []
        blocks += [Heading(words["conventions"]), Table(columns, telling)]
        blocks += [Folded(words["usual"], (Table(columns, usual),))] if usual else []
        for key, text in (("use", self.use), ("misleads", self.misleads), ("example", self.example),
                          ("citation", self.citation), ("aliases", ", ".join(self.aliases))):  # fmt: skip
            style = "code" if key == "example" else "plain"
            blocks += [Heading(words[key]), Paragraph(text, style)] if text else []
        return blocks

    def to_text(self, language: Language | None = None, *, width: int | None = None) -> str:
        """For a terminal: the conventions that decide as lines, which read better than a table, the rest in one."""
        lines = [
            Paragraph(text)
            for convention in self.conventions
            if convention.is_telling
            for text in self._convention_lines(convention)
        ]
        usual = ", ".join(
            f"{convention.name}={convention.value}" for convention in self.conventions if not convention.is_telling
        )
        document: list[Block] = []
        for block in self.document():
            folded = [Paragraph(f"{block.title}: {usual}")] if isinstance(block, Folded) else [block]
            document += lines if isinstance(block, Table) else folded
        return document_text(document, width=width, lang=language or self.language) + "\n"

    def to_markdown(self, language: Language | None = None, *, level: int = 1) -> str:
        """For a page: headings, the conventions as a table, those that are not the default in bold."""
        return Showable.to_markdown(self, language or self.language, level=level)

    def to_html(self, language: Language | None = None) -> str:
        """For a notebook or a page: no script, every text escaped."""
        return Showable.to_html(self, language or self.language)

    def _convention_lines(self, convention: Convention) -> tuple[str, str]:
        is_chinese = self.language == "zh"
        stated = wording.words("definitions/explain", self.language)["stated"]
        mark = (f"（{stated}）" if is_chinese else f" ({stated})") if convention.is_stated else ""
        # Chinese sentences follow each other without a blank.
        meaning = ("" if is_chinese else " ").join(text for text in (convention.decides, convention.meaning) if text)
        return f"{convention.name}={convention.value}{mark}", f"    {meaning}"


NO_MARK: frozenset[Mark] = frozenset()
_STATED: frozenset[Mark] = frozenset({"best"})
"""A value that is not the default stands out as the best of a table does."""


def explain_measure(measure: str | Measure, *, language: Language = "en") -> Explanation:
    """Say what a measure is: its meaning, formula and every convention, in English or Chinese.

    Examples
    --------
    >>> told = explain_measure("nDCG(gain=exp2)@10")
    >>> told.title
    'Normalised discounted cumulative gain'
    >>> next(one for one in told.conventions if one.name == "gain").meaning
    '2^grade - 1: grade 3 is worth seven times grade 1.'
    """
    made = parse(measure) if isinstance(measure, str) else measure
    prose = _prose(made, language)
    return Explanation(
        measure=str(made),
        title=prose.title,
        meaning=prose.meaning,
        formula=prose.formula,
        latex=prose.latex,
        values=_values(made, language),
        conventions=_conventions(made, language),
        use=prose.use,
        misleads=prose.misleads,
        example=prose.example,
        citation=prose.citation,
        aliases=aliases_of(made),
        language=language,
    )


def title_of(measure: Measure, language: Language = "en") -> str:
    """What a measure is called in full."""
    return _prose(measure, language).title


def aliases_of(measure: Measure) -> tuple[str, ...]:
    """The other names that people type for a measure with its default options."""
    return tuple(name for name, meant in ALIASES.items() if meant == type(measure).name)


def conventions_in_short(measure: Measure) -> str:
    """The conventions that decide which number this is, in one line; those in the measure's own string left out.

    Examples
    --------
    >>> from rankmeter import nDCG
    >>> conventions_in_short(nDCG(gain="exp2") @ 10)
    'discount=log2, ideal=judged, ties=item, empty=zero, queries=judged'
    """
    described = measure.describe()
    said = stated_options(measure)
    # Of an online measure every option decides: it has no conventions that rankings share.
    names_of = getattr(measure, "describe_names", None)
    telling = names_of() if names_of else _TELLING
    shown = [name for name in telling if name in described and name not in said and described[name] is not None]
    return ", ".join(f"{name}={format_value(described[name])}" for name in shown)


def _prose(measure: Measure, language: Language) -> MeasureProse:
    name = type(measure).name
    try:
        return read_prose(name, language)
    except NotFoundError:
        # People's own measures are described by their docstring.
        told = inspect.getdoc(type(measure)) or ""
        return MeasureProse(
            title=told.partition("\n")[0] or name,
            meaning=told,
            formula="",
            latex="",
            use="",
            misleads="",
            example="",
            citation="",
        )


def _values(measure: Measure, language: Language) -> str:
    words = wording.words("definitions/explain", language)
    low, high = (f"{bound:g}" for bound in measure.bounds)
    span = words["unbounded" if high == "inf" else "bounded"].format(low=low, high=high)
    comma = "，" if language == "zh" else ", "
    return f"{span}{comma}{words['higher' if measure.higher_is_better else 'lower']}"


def _conventions(measure: Measure, language: Language) -> tuple[Convention, ...]:
    described = measure.describe()
    name = described.pop("measure")
    stated = stated_options(measure)
    words = wording.words("definitions/explain", language)
    order = {option: place for place, option in enumerate(("cutoff", *_TELLING))}
    told = []
    for option in sorted(described, key=lambda option: (option not in stated, order.get(option, len(order)))):
        value: object = described[option]
        prose = read_convention(name, option, value, language)
        shown = words["none"] if value is None else format_value(value)
        meaning = words["no_rel"] if option == "rel" and value is None else prose.meaning
        is_telling = option in stated or option in order or option == "miss"
        is_stated = option in stated and option != measure.at
        told.append(Convention(option, shown, prose.decides, meaning, is_stated, is_telling))
    return tuple(told)
