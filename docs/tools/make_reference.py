"""Write the reference of every measure and convention, from the registry, the options' rules and the prose.

``python docs/tools/make_reference.py`` writes ``docs/reference/``; a test checks that what is committed is what this
writes. Nothing of the reference is edited by hand: correct the prose in ``src/rankmeter/measures/prose`` instead.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import Field, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from rankmeter.definitions.explain import direction_of
from rankmeter.errors import MeasureError
from rankmeter.measures import REGISTRY, Measure, RankedMeasure, parse
from rankmeter.measures.base import own_options, rule_of
from rankmeter.measures.names import ALIASES
from rankmeter.measures.options import Rule, format_value
from rankmeter.measures.prose import conventions, prose_file
from rankmeter.measures.slate_base import SlateMeasure
from rankmeter.wings import wing_of

FOLDER = Path(__file__).resolve().parents[1] / "reference"
SHARED = {option.name: option for option in fields(RankedMeasure)}
"""The options that every ranked measure has."""


@dataclass(frozen=True)
class Words:
    """The generator's own words in one language."""

    code: str
    other: str
    other_name: str
    measures: str
    measures_intro: str
    family_intro: str
    conventions: str
    conventions_intro: str
    families: dict[str, str]
    formula: str
    use: str
    misleads: str
    example: str
    options: str
    columns: tuple[str, str, str, str]
    shared: str
    facts: dict[str, str]
    not_stated: dict[str, str]
    default: str
    unless: str
    had_by: str
    all_ranked: str
    stop: str
    colon: str


EN = Words(
    code="en",
    other="zh",
    other_name="中文",
    measures="Measures",
    measures_intro=(
        "Every measure, by topic. The name before the colon is the one to type; options go in parentheses, the cutoff "
        "after `@`: `nDCG(gain=exp2)@10`. The page of [conventions](conventions.md) says what each value of an option "
        "means."
    ),
    family_intro=(
        "One topic of the [measures]({index}), with definitions. The heading is the name to type. "
        "[Conventions]({conventions}) says what each value of an option means."
    ),
    conventions="Conventions",
    conventions_intro=(
        "Everything that can change a number is an option of the measure. This page says what each option decides and "
        "what its values mean; [decisions](../decisions/README.md) gives the reasons for the defaults."
    ),
    families={
        "hits": "How much was found",
        "order": "In what order",
        "gains": "How much the results are worth",
        "incomplete": "When judgments are incomplete",
        "users": "What users gain until they stop",
        "diversity": "How many aspects are covered",
        "blended": "Precision and gain in one",
        "historic": "Kept for old reports",
        "counts": "Counts",
        "coverage": "How recommendations spread",
        "listdiversity": "How diverse lists are, and how far from the user's history",
        "popularity": "How popular and how novel items are",
        "fairness": "Who is shown, who is served",
        "value": "What lists are worth",
        "decisions": "Lists as decisions over the whole catalogue",
        "listquality": "Whether lists are sound",
        "online": "What users did",
        "searches": "What several searches for one question found",
    },
    formula="Formula",
    use="Use",
    misleads="Misleads",
    example="Example",
    options="Its own options and defaults",
    columns=("option", "default", "values", "decides"),
    shared="Options that every measure has",
    facts={
        "range": "Range",
        "at": "`@` states",
        "ties": "Tie rules",
        "ties_cut": "with a cutoff",
        "aggregates": "Aggregates",
        "queries": "Averaged over",
        "needs": "Needs",
        "aliases": "Other names",
        "citation": "Source",
    },
    not_stated={
        "depth": "the whole list",
        "cutoff": "the whole list",
        "rel": "every grade above 0 counts",
        "queries": "`judged`",
        "duplicates": "`error`",
        "digits": "not rounded",
        "max_grade": "none",
        "group": "every group",
        "cap": "none",
        "winsor": "none",
        "trim": "none",
        "quantile": "the mean",
        "calls": "every call",
        "negatives": "all of the list",
        "tokens": "every token",
    },
    default="Default",
    unless="Default of {}",
    had_by="Option of",
    all_ranked="every measure",
    stop=". ",
    colon=": ",
)

ZH = Words(
    code="zh",
    other="en",
    other_name="English",
    measures="指标",
    measures_intro=(
        "全部指标，按主题排列。冒号前就是要输入的名称；选项写在括号里，截断位置写在 `@` 之后："
        "`nDCG(gain=exp2)@10`。选项各取值的含义见[约定](conventions.zh.md)。"
    ),
    family_intro=("[指标]({index})的一个主题及其定义。标题就是要输入的名称，选项各取值的含义见[约定]({conventions})。"),
    conventions="约定",
    conventions_intro=(
        "凡能改变数值的，都是指标的选项。本页说明每个选项决定什么、各取值是什么意思；"
        "为什么选定某个默认值，见[决策](../decisions/README.zh.md)。"
    ),
    families={
        "hits": "找到了多少",
        "order": "次序如何",
        "gains": "价值多少",
        "incomplete": "标注不完整时",
        "users": "可能中途停下的用户所得",
        "diversity": "覆盖了多少方面",
        "blended": "精确率与增益合一",
        "historic": "为旧报告而保留",
        "counts": "计数",
        "coverage": "推荐如何分布",
        "listdiversity": "条目与列表有多不同，与用户历史相距多远",
        "popularity": "条目有多流行、有多新",
        "fairness": "谁被看到、谁得到服务",
        "value": "价值几何",
        "decisions": "把列表视为对整个目录的取舍",
        "listquality": "列表是否正常",
        "online": "用户的行为",
        "searches": "一个问题的多次检索找到了什么",
    },
    formula="公式",
    use="适用",
    misleads="误导之处",
    example="例子",
    options="自有的选项，或默认值与众不同的选项",
    columns=("选项", "默认值", "可取的值", "决定什么"),
    shared="所有指标共有的选项",
    facts={
        "range": "取值范围",
        "at": "`@` 之后是",
        "ties": "同分规则",
        "ties_cut": "设截断时",
        "aggregates": "汇总方式",
        "queries": "平均的对象",
        "needs": "需要",
        "aliases": "也可写作",
        "citation": "出处",
    },
    not_stated={
        "cutoff": "整个列表",
        "depth": "整个列表",
        "rel": "大于 0 的等级都计入",
        "queries": "`judged`",
        "duplicates": "`error`",
        "digits": "不舍入",
        "max_grade": "无",
        "group": "每个群体",
        "cap": "无",
        "winsor": "无",
        "trim": "无",
        "quantile": "均值",
        "calls": "全部检索",
        "negatives": "列表中的全部",
        "tokens": "全部词元",
    },
    default="默认",
    unless="{} 的默认值",
    had_by="有此选项的指标",
    all_ranked="所有指标",
    stop="。",
    colon="：",
)


@cache
def prose_of(name: str) -> dict[str, Any]:
    """The prose of one measure."""
    return tomllib.loads(prose_file(name).read_text(encoding="utf-8"))


def own_measures() -> dict[str, list[Measure]]:
    """The measures that rankmeter has, by family; those that a user defined in this process are left out."""
    families: dict[str, list[Measure]] = {family: [] for family in EN.families}
    for measure in REGISTRY.values():
        if not getattr(measure, "custom", False):
            families[family_of(measure)].append(measure)
    return {family: measures for family, measures in families.items() if measures}


def family_of(measure: Measure) -> str:
    """The module that holds the measure, or its wing."""
    module = type(measure).__module__
    return wing_of(module) if module.startswith("rankmeter.wings.") else module.rpartition(".")[2]


def convention_of(measure: Measure, option: str) -> str:
    """The entry of the conventions that describes an option: some words mean something else in some measures."""
    own = f"{option}_{type(measure).name}"
    return own if own in conventions() else option


def page_name(page: str, words: Words) -> str:
    """The file of a page in a language."""
    return f"{page}.md" if words.code == "en" else f"{page}.{words.code}.md"


def page_of(family: str) -> str:
    """The page of a family of measures."""
    return f"measures/{family}"


def link_to(page: str, here: str, words: Words) -> str:
    """A page, as another one links to it."""
    return f"{'../' * here.count('/')}{page_name(page, words)}"


def head(page: str, title: str, intro: str, words: Words) -> list[str]:
    """The first lines of a page."""
    other = EN if words.other == "en" else ZH
    return [
        f"# {title}",
        "",
        f"[{words.other_name}]({page_name(page.rpartition('/')[2], other)})",
        "",
        intro,
        "",
        "<!-- Written by docs/tools/make_reference.py. -->",
        "",
    ]


def values_text(rule: Rule, words: Words) -> str:
    """What an option may hold, in words."""
    others = [re.sub(r"\{.*?\}", r"`\g<0>`", text) for text in rule.values(words.code)]
    return " · ".join([*(f"`{choice}`" for choice in rule.choices), *others])


def default_text(option: Field[Any], words: Words) -> str:
    """The default of an option, or what happens where it is not stated."""
    return words.not_stated[option.name] if option.default is None else f"`{format_value(option.default)}`"


def options_table(measure: Measure, options: list[Field[Any]], here: str, words: Words) -> list[str]:
    """A row for each option, on the page ``here``."""
    described = conventions()
    lines = ["| " + " | ".join(words.columns) + " |", "|---|---|---|---|"]
    for option in options:
        entry = convention_of(measure, option.name)
        link = f"[`{option.name}`]({link_to('conventions', here, words)}#{entry.lower()})"
        cells = (link, default_text(option, words), values_text(rule_of(option), words), described[entry][words.code])
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def tie_rules(measure: Measure, cutoff: int | None) -> list[str]:
    """The tie rules under which the measure has a value."""
    rules = []
    for rule in measure.tie_rules:
        try:
            made = measure(ties=rule, cutoff=cutoff)
        except MeasureError:
            continue
        if getattr(made, "ties", "") == rule:
            rules.append(rule)
    return rules


def facts_of(measure: Measure, words: Words) -> Iterator[str]:
    """What the code knows of a measure, line by line."""
    facts = words.facts
    low, high = (format_value(bound).replace("inf", "∞") for bound in measure.bounds)
    yield f"{facts['range']}{words.colon}{low} … {high} ({direction_of(measure, words.code)})"
    if measure.at != "cutoff":
        yield f"{facts['at']} `{measure.at}`"
    if measure.about in ("events", "searches"):
        return
    ties, cut = tie_rules(measure, None), tie_rules(measure, 10)
    line = f"{facts['ties']}{words.colon}{', '.join(f'`{rule}`' for rule in ties)}"
    if cut != ties:
        line += f" ({facts['ties_cut']}{words.colon}{', '.join(f'`{rule}`' for rule in cut)})"
    yield line
    yield f"{facts['aggregates']}{words.colon}{', '.join(f'`{one}`' for one in measure.aggregates)}"
    if isinstance(measure, SlateMeasure):
        yield f"{facts['queries']}{words.colon}`queries={measure.default_queries}`"
        if measure.needed():
            yield f"{facts['needs']}{words.colon}{', '.join(f'`{need}`' for need in measure.needed())}"
    aliases = [alias for alias, text in ALIASES.items() if re.split(r"\W", text)[0] == type(measure).name]
    if aliases:
        shown = [
            f"`{alias}`" if parse(ALIASES[alias]) == measure else f"`{alias}` (`{parse(ALIASES[alias])}`)"
            for alias in aliases
        ]
        yield f"{facts['aliases']}{words.colon}{', '.join(shown)}"
    citation = prose_of(type(measure).name)["citation"]
    if citation:
        yield f"{facts['citation']}{words.colon}{citation}"


def measure_section(measure: Measure, words: Words) -> list[str]:
    """Everything about one measure."""
    name = type(measure).name
    prose = prose_of(name)
    text = prose[words.code]
    lines = [
        f"## {name}",
        "",
        f"**{text['title']}**{words.stop}{text['meaning']}",
        "",
        "```text",
        text.get("formula", prose["formula"]),
        "```",
        "",
        f"- **{words.use}**{words.colon}{text['use']}",
        f"- **{words.misleads}**{words.colon}{text['misleads']}",
        *(f"- {fact}" for fact in facts_of(measure, words)),
        "",
    ]
    own = own_options(type(measure))
    if own:
        table = options_table(measure, own, page_of(family_of(measure)), words)
        lines += [f"{words.options}{words.colon.rstrip()}", "", *table]
    return [
        *lines,
        f"{words.example}{words.colon.rstrip()}",
        "",
        "```text",
        *text["example"].strip().splitlines(),
        "```",
        "",
        "```python",
        *prose["code"].splitlines(),
        "",  # ends what the last line prints
        "```",
        "",
    ]


def index_page(words: Words) -> str:
    """The list of all measures by topic, each with its title and the other names that people know it by."""
    lines = head("measures", words.measures, words.measures_intro, words)
    for family, measures in own_measures().items():
        page = page_name(page_of(family), words)
        lines += [f"## [{words.families[family]}]({page})", ""]
        for measure in measures:
            name = type(measure).name
            title = prose_of(name)[words.code]["title"]
            lines.append(f"- [{name}]({page}#{name.lower()}){words.colon}{title}")
        lines.append("")
    lines += [f"## {words.shared}", ""]
    lines += options_table(REGISTRY["RR"], list(SHARED.values()), "measures", words)
    return "\n".join(lines).rstrip() + "\n"


def family_page(family: str, measures: list[Measure], words: Words) -> str:
    """Every measure of a family."""
    links = {
        "index": link_to("measures", page_of(family), words),
        "conventions": link_to("conventions", page_of(family), words),
    }
    lines = head(page_of(family), words.families[family], words.family_intro.format(**links), words)
    for measure in measures:
        lines += measure_section(measure, words)
    return "\n".join(lines).rstrip() + "\n"


def who_has(entry: str, words: Words) -> Iterator[str]:
    """Which measures have a convention, and where its default is another one."""
    prefix, _, measure_name = entry.partition("_")
    name = prefix if measure_name in REGISTRY else entry
    having: dict[str, Field[Any]] = {}
    for measures in own_measures().values():
        for measure in measures:
            options = {option.name: option for option in fields(measure)}
            if name in options and convention_of(measure, name) == entry:
                having[type(measure).name] = options[name]
    everywhere = entry in SHARED
    who = words.all_ranked if everywhere else ", ".join(f"`{one}`" for one in having)
    usual = SHARED[name] if everywhere else next(iter(having.values()))
    yield f"- {words.had_by}{words.colon}{who}"
    yield f"- {words.default}{words.colon}{default_text(usual, words)}"
    others: dict[str, list[str]] = {}
    for measure, option in having.items():
        if option.default != usual.default:
            others.setdefault(default_text(option, words), []).append(f"`{measure}`")
    for default, measures in others.items():
        yield f"- {words.unless.format(', '.join(measures))}{words.colon}{default}"
    if not rule_of(usual).choices:
        yield f"- {words.columns[2]}{words.colon}{values_text(rule_of(usual), words)}"


def conventions_page(words: Words) -> str:
    """What every option decides."""
    lines = head("conventions", words.conventions, words.conventions_intro, words)
    for entry, convention in conventions().items():
        lines += [f"## {entry}", "", convention[words.code], "", *who_has(entry, words), ""]
        if "choices" in convention:
            lines += [f"| {entry.partition('_')[0]} | |", "|---|---|"]
            lines += [f"| `{value}` | {choice[words.code]} |" for value, choice in convention["choices"].items()]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def pages() -> dict[str, str]:
    """Every page of the reference, by its file name."""
    written: dict[str, str] = {}
    for words in (EN, ZH):
        written[page_name("measures", words)] = index_page(words)
        written[page_name("conventions", words)] = conventions_page(words)
        for family, measures in own_measures().items():
            written[page_name(page_of(family), words)] = family_page(family, measures, words)
    return written


def main() -> None:
    """Write the pages."""
    (FOLDER / "measures").mkdir(parents=True, exist_ok=True)
    written = pages()
    for gone in {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.md")} - {*written}:
        (FOLDER / gone).unlink()
    for name, text in written.items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote docs/reference/{name}")


if __name__ == "__main__":
    main()
