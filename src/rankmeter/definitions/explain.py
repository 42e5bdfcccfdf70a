"""The definition of one measure in words: what it means, its formula, and every convention with its value."""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import asdict, dataclass
from typing import Any

from rankmeter.definitions.sections import Section, as_html
from rankmeter.errors import NotFoundError
from rankmeter.measures import Measure, parse
from rankmeter.measures.base import stated_options
from rankmeter.measures.names import ALIASES
from rankmeter.measures.online import OnlineMeasure
from rankmeter.measures.options import format_value
from rankmeter.measures.prose import Language, MeasureProse, read_convention, read_prose
from rankmeter.showing.markdown import markdown_text

# The options that people of different tools disagree about, the most telling first.
_TELLING = tuple(
    "of over gain discount ideal norm rel p beta max_grade rounding metric source count cold tail share base weight "
    "surprise divergence target distance ties empty queries".split()
)

_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "meaning": "Meaning",
        "formula": "Formula",
        "conventions": "Conventions",
        "use": "When to use it",
        "misleads": "How it misleads",
        "example": "Example",
        "citation": "Source",
        "aliases": "Also called",
        "values": "Values",
        "option": "option",
        "value": "value",
        "decides": "what it decides",
        "means": "what this value means",
        "higher": "higher is better",
        "lower": "lower is better",
        "unbounded": "from {low} on",
        "bounded": "from {low} to {high}",
        "none": "none",
        "no_rel": "None is stated: every grade counts, by its gain.",
        "stated": "stated here, not the default",
        "written_for": "The formula is written for the defaults; this measure differs in {stated}.",
    },
    "zh": {
        "meaning": "含义",
        "formula": "公式",
        "conventions": "约定",
        "use": "何时使用",
        "misleads": "如何误导",
        "example": "算例",
        "citation": "出处",
        "aliases": "又名",
        "values": "取值",
        "option": "选项",
        "value": "取值",
        "decides": "决定什么",
        "means": "该取值的含义",
        "higher": "越高越好",
        "lower": "越低越好",
        "unbounded": "{low} 以上",
        "bounded": "{low} 到 {high}",
        "none": "无",
        "no_rel": "未写明：各等级均按其增益计入。",
        "stated": "此处写明，并非默认值",
        "written_for": "公式按默认约定书写；本指标的不同之处：{stated}。",
    },
}


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


@dataclass(frozen=True, slots=True)
class Explanation:
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
        stated = ", ".join(f"{one.name}={one.value}" for one in self.conventions if one.is_stated)
        return _WORDS[self.language]["written_for"].format(stated=stated) if stated else ""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return asdict(self) | {"conventions": [asdict(one) for one in self.conventions], "aliases": list(self.aliases)}

    def to_text(self, *, width: int | None = None) -> str:
        """For a terminal: sections with indented text, its lines filled to ``width`` columns where one is given."""
        words = _WORDS[self.language]
        # Chinese has no spaces to break at; the terminal does it.
        width = None if self.language == "zh" else width
        conventions = "\n".join(self._convention_line(one) for one in self.conventions)
        sections = [*self._texts_before(), ("conventions", conventions), *self._texts_after()]
        parts = [_section(words[key], text, None if key == "example" else width) for key, text in sections if text]
        return "\n\n".join([f"{self.measure}: {self.title}", *parts]) + "\n"

    def to_markdown(self, *, level: int = 1) -> str:
        """For a page: headings, the formula as code, the conventions as a table."""
        words = _WORDS[self.language]
        below = "#" * (level + 1)
        parts = [f"{'#' * level} {self.measure}: {self.title}", self.meaning]
        parts.append(f"{below} {words['formula']}\n\n`{self.formula}`")
        if self.formula_note:
            parts.append(self.formula_note)
        parts.append(f"{words['values']}: {self.values}")
        head = " | ".join(words[key] for key in ("option", "value", "decides", "means"))
        rows = [
            f"| {one.name} | {_bold(one)} | {markdown_text(one.decides)} | {markdown_text(one.meaning)} |"
            for one in self.conventions
        ]
        parts.append("\n".join([f"{below} {words['conventions']}", "", f"| {head} |", "|---|---|---|---|", *rows]))
        for key, text in self._texts_after():
            if text:
                block = f"```text\n{text}\n```" if key == "example" else text
                parts.append(f"{below} {words[key]}\n\n{block}")
        return "\n\n".join(parts) + "\n"

    def to_html(self) -> str:
        """For a notebook or a page: no script, every text escaped."""
        words = _WORDS[self.language]
        head = [words[key] for key in ("option", "value", "decides", "means")]
        rows = [[one.name, one.value, one.decides, one.meaning] for one in self.conventions]
        sections = [
            Section(f"{self.measure}: {self.title}"),
            *(Section(words[key], lines=text.splitlines()) for key, text in self._texts_before()),
            Section(words["conventions"], head, rows),
            *(Section(words[key], lines=text.splitlines()) for key, text in self._texts_after() if text),
        ]
        return as_html(sections, "rankmeter-definition")

    _repr_html_ = to_html

    def _texts_before(self) -> list[tuple[str, str]]:
        formula = f"{self.formula}\n{self.formula_note}" if self.formula_note else self.formula
        return [("meaning", self.meaning), ("formula", formula), ("values", self.values)]

    def _texts_after(self) -> list[tuple[str, str]]:
        return [
            ("use", self.use),
            ("misleads", self.misleads),
            ("example", self.example),
            ("citation", self.citation),
            ("aliases", ", ".join(self.aliases)),
        ]

    def _convention_line(self, one: Convention) -> str:
        is_chinese = self.language == "zh"
        stated = _WORDS[self.language]["stated"]
        mark = (f"（{stated}）" if is_chinese else f" ({stated})") if one.is_stated else ""
        # Chinese sentences follow each other without a blank.
        meaning = ("" if is_chinese else " ").join(text for text in (one.decides, one.meaning) if text)
        return f"{one.name}={one.value}{mark}\n    {meaning}"


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
    telling = measure.describe_names() if isinstance(measure, OnlineMeasure) else _TELLING
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
    words = _WORDS[language]
    low, high = (f"{bound:g}" for bound in measure.bounds)
    span = words["unbounded" if high == "inf" else "bounded"].format(low=low, high=high)
    comma = "，" if language == "zh" else ", "
    return f"{span}{comma}{words['higher' if measure.higher_is_better else 'lower']}"


def _conventions(measure: Measure, language: Language) -> tuple[Convention, ...]:
    described = measure.describe()
    name = described.pop("measure")
    stated = stated_options(measure)
    words = _WORDS[language]
    order = {option: place for place, option in enumerate(("cutoff", *_TELLING))}
    told = []
    for option in sorted(described, key=lambda option: (option not in stated, order.get(option, len(order)))):
        value: object = described[option]
        prose = read_convention(name, option, value, language)
        shown = words["none"] if value is None else format_value(value)
        meaning = words["no_rel"] if option == "rel" and value is None else prose.meaning
        told.append(Convention(option, shown, prose.decides, meaning, option in stated and option != measure.at))
    return tuple(told)


def _section(heading: str, text: str, width: int | None) -> str:
    return "\n".join([heading, *(filled for line in text.splitlines() for filled in _filled(line, width))])


def _filled(line: str, width: int | None) -> list[str]:
    indent = "  " + line[: len(line) - len(line.lstrip())]
    if width is None:
        return [f"  {line}".rstrip()]
    wrapped = textwrap.wrap(
        line.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped or [""]


def _bold(one: Convention) -> str:
    return f"**{markdown_text(one.value)}**" if one.is_stated else markdown_text(one.value)
