"""A worked-out value as a document, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankmeter.showing.document import Block, Cell, Column, Heading, Paragraph, Table
from rankmeter.wording import Language

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
        "hidden": "其后 {count} 位不再有贡献。",
        "hidden_adds": "其后 {count} 位合计贡献 {adds}。",
        "facts": "相关条目 R = {R:g}，已标注 {judged:g}，返回 {returned:g}。",
        "quotient": "{measure} = {above} / {below} = {value}",
        "alone": "{measure} = {value}",
        "skipped": "该查询不计入此指标：按约定跳过这类查询。",
        "policy": "这类查询的取值不由各行决定，而由 {policy} 决定。",
    },
}


def walkthrough(worked: Worked, language: Language) -> list[Block]:
    """The rows of the list, for nDCG those of the ideal list, and how the value comes about."""
    words = _WORDS[language]
    names = ["rank", "item", "grade"]
    if any(row.score is not None for row in worked.rows):
        names.insert(2, "score")
    if any(row.topics for row in worked.rows):
        names.append("topics")
    names += ["gain", "discount"] if worked.adds_up else []
    names += ["contribution", "total" if worked.adds_up else "value_so_far"]
    blocks: list[Block] = [
        Heading(words["title"].format(measure=worked.measure, query=worked.query)),
        _table(worked.rows, names, words),
    ]
    if worked.ideal:
        ideal = ["rank", "grade", "gain", "discount", "contribution", "total"]
        blocks += [Heading(words["ideal"]), _table(worked.ideal, ideal, words)]
    return [*blocks, *map(Paragraph, closing(worked, language))]


_IMPORTANCE = {"score": 3, "gain": 2, "discount": 2, "topics": 1}


def _table(rows: Sequence[object], names: Sequence[str], words: dict[str, str]) -> Table:
    columns = [
        Column(words[name], "text" if name in ("item", "topics") else "number", _IMPORTANCE.get(name, 0))
        for name in names
    ]
    fields = ["total" if name == "value_so_far" else name for name in names]
    return Table(tuple(columns), tuple(tuple(_cell(getattr(row, name)) for name in fields) for row in rows))


def _cell(value: object) -> Cell:
    """Numbers in six digits, as a sum is followed by hand."""
    if isinstance(value, float):
        return Cell(f"{value:.6g}", sort=value)
    return Cell(value if value is None or isinstance(value, str) else str(value))


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
