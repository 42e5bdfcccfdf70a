"""A worked-out value as text, Markdown and HTML, in English and Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmeter.definitions.columns import aligned
from rankmeter.definitions.sections import Section, as_html, as_markdown
from rankmeter.measures.prose import Language
from rankmeter.showing.characters import one_line

if TYPE_CHECKING:
    from rankmeter.definitions.worked import Worked

_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "title": "{measure} of query {query}",
        "rank": "rank",
        "item": "item",
        "score": "score",
        "grade": "grade",
        "topics": "subtopics",
        "gain": "gain",
        "discount": "discount",
        "contribution": "adds",
        "total": "total",
        "value_so_far": "value if the list ended here",
        "ideal": "The ideal list",
        "unjudged": "-",
        "hidden": "{count} more places add nothing.",
        "hidden_adds": "{count} more places add {adds} in all.",
        "facts": "R = {R:g} relevant items, {judged:g} judged, {returned:g} returned.",
        "quotient": "{measure} = {above} / {below} = {value}",
        "alone": "{measure} = {value}",
        "skipped": "The query does not count for this measure: its conventions leave such queries out.",
        "policy": "Not the rows decide the value of such a query, but {policy}.",
    },
    "zh": {
        "title": "查询 {query} 的 {measure}",
        "rank": "名次",
        "item": "条目",
        "score": "得分",
        "grade": "等级",
        "topics": "子主题",
        "gain": "增益",
        "discount": "折损",
        "contribution": "贡献",
        "total": "累计",
        "value_so_far": "若列表到此为止的取值",
        "ideal": "理想列表",
        "unjudged": "-",
        "hidden": "其后 {count} 位不再有贡献。",
        "hidden_adds": "其后 {count} 位合计贡献 {adds}。",
        "facts": "相关条目 R = {R:g}，已标注 {judged:g}，返回 {returned:g}。",
        "quotient": "{measure} = {above} / {below} = {value}",
        "alone": "{measure} = {value}",
        "skipped": "该查询不计入此指标：按约定跳过这类查询。",
        "policy": "这类查询的取值不由各行决定，而由 {policy} 决定。",
    },
}

_TEXTS = ("rank", "item", "topics")
Table = tuple[list[str], list[list[str]]]


def _number(value: float | None, words: dict[str, str]) -> str:
    return words["unjudged"] if value is None else f"{value:.6g}"


def tables(worked: Worked, language: Language) -> tuple[Table, Table | None]:
    """The rows of the list and, for nDCG, of the ideal list, as text."""
    words = _WORDS[language]
    head = ["rank", "item", "score", "grade"]
    scored = any(row.score is not None for row in worked.rows)
    if not scored:
        head.remove("score")
    if any(row.topics for row in worked.rows):
        head.append("topics")
    if worked.adds_up:
        head += ["gain", "discount"]
    head += ["contribution", "total" if worked.adds_up else "value_so_far"]
    field = {"value_so_far": "total"}
    rows = [
        [
            str(getattr(row, name)) if name in _TEXTS else _number(getattr(row, field.get(name, name)), words)
            for name in head
        ]
        for row in worked.rows
    ]
    ideal = None
    if worked.ideal:
        columns = ["rank", "grade", "gain", "discount", "contribution", "total"]
        ideal = (
            [words[name] for name in columns],
            [[f"{getattr(row, name):.6g}" for name in columns] for row in worked.ideal],
        )
    return ([words[name] for name in head], rows), ideal


def closing(worked: Worked, language: Language) -> list[str]:
    """The sentences under the table: what is left out, what is counted, and the quotient."""
    words = _WORDS[language]
    hidden = "hidden_adds" if worked.hidden_adds else "hidden"
    said = [words[hidden].format(count=worked.hidden, adds=f"{worked.hidden_adds:.6g}")] if worked.hidden else []
    said.append(words["facts"].format(**worked.facts))
    if worked.value is None:
        return [*said, words["skipped"]]
    if worked.policy:
        said.append(words["policy"].format(policy=worked.policy))
    form = "alone" if worked.denominator == 1 or worked.policy else "quotient"
    said.append(
        words[form].format(
            measure=worked.measure,
            above=f"{worked.numerator:.6g}",
            below=f"{worked.denominator:.6g}",
            value=repr(worked.value),
        )
    )
    return said


def to_text(worked: Worked, language: Language = "en") -> str:
    """For a terminal."""
    words = _WORDS[language]
    rows, ideal = tables(worked, language)
    parts = [one_line(words["title"].format(measure=worked.measure, query=worked.query)), "", *aligned(*rows)]
    if ideal:
        parts += ["", words["ideal"], *aligned(*ideal)]
    return "\n".join([*parts, "", *closing(worked, language)])


def to_markdown(worked: Worked, language: Language = "en") -> str:
    """For a document."""
    return as_markdown(_sections(worked, language))


def to_html(worked: Worked, language: Language = "en") -> str:
    """For a notebook or a page: tables without scripts, every text escaped."""
    return as_html(_sections(worked, language), "rankmeter-worked")


def _sections(worked: Worked, language: Language) -> list[Section]:
    words = _WORDS[language]
    rows, ideal = tables(worked, language)
    sections = [Section(words["title"].format(measure=worked.measure, query=worked.query), *rows)]
    if ideal:
        sections.append(Section(words["ideal"], *ideal))
    return [*sections, Section("", lines=closing(worked, language))]
