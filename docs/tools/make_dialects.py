"""Write ``docs/dialects.md`` and its Chinese twin: the same lists in every tool, side by side.

``python docs/tools/make_dialects.py`` writes both pages; ``--check`` only says whether they are current.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import rankmeter as rm
from rankmeter.errors import RankmeterWarning
from rankmeter.measures.base import stated_options
from rankmeter.measures.dialects import CUTS, Dialect, Metric, dialect_names, find_dialect
from rankmeter.measures.options import format_value
from rankmeter.measures.prose import Language, read_convention, read_prose

PAGES: dict[Language, Path] = {
    "en": Path(__file__).parents[1] / "dialects.md",
    "zh": Path(__file__).parents[1] / "dialects.zh.md",
}
K = 5
JUDGMENTS = {
    "q1": {"a": 3, "b": 1, "c": 2, "d": 1, "e": 1, "f": 2, "g": 0},
    "q2": {"a": 1, "z": 1, "y": 0},
    "q3": {"a": 0, "b": 0},
    "q4": {"a": 1},
}
RUN = {
    "q1": {"g": 0.9, "b": 0.8, "a": 0.8, "x": 0.7, "c": 0.6, "d": 0.5},
    "q2": {"x": 0.9, "a": 0.4, "w": 0.2},
    "q3": {"b": 0.5, "x": 0.3},
}
FAMILIES = ("AP", "nDCG", "P", "R", "RR", "Success")
WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "title": "The same lists in every tool",
        "intro": "One set of judgments, one run, one cutoff (k = 5), and each tool's own metric as "
        "`rankmeter evaluate --dialect` computes it. Query q1 has more relevant items than the cutoff and two items "
        "with the same score, q2 has a short list and a relevant item that was not returned, q3 has no relevant item, "
        "and q4 is missing from the run. Every definition is tested against values recorded from the tool itself, "
        "unless its dialect says otherwise. Below each table, a second one explains the options of its definitions; "
        "whatever a definition does not state is [rankmeter's default](reference/conventions.md).",
        "legend": "The options of these definitions:",
        "legend_head": "| option | what it decides | what this value means |",
        "head": "| value | tool and metric | definition | what is particular |",
        "data": "The data",
        "versions": "Which version was recorded",
        "versions_intro": "All values were recorded in November 2026 from these versions. In the same month each tool "
        "whose code could be read was looked up again; if there was a newer release, the last column names it and "
        "says what it changes. A release that computes a different number is an option of the dialect "
        "(`haystack:3.0`).",
        "versions_head": "| dialect | tool | recorded | options | newest release looked at |",
        "newest": "the same",
        "accidents": "What is not reproduced",
        "accidents_intro": "Behaviour of a tool that no definition can express is not imitated. Each dialect lists it.",
        "undefined": "undefined",
        "colon": ": ",
        "own": "rankmeter's own definition.",
        "lists": "Measures of lists",
        "lists_intro": "Coverage, diversity, novelty and popularity ask for a catalogue or a history instead of "
        "judgments, so they have no value on the data above.",
        "lists_head": "| tool and metric | definition | what is particular |",
    },
    "zh": {
        "title": "同样的列表，各工具的数值",
        "intro": "同一份标注、同一份结果、同一个截断位置 k = 5；"
        "各工具自己的指标，由 `rankmeter evaluate --dialect` 得出。"
        "查询 q1 的相关条目多于截断位置且有两条同分，q2 列表较短且有一个相关条目未返回，"
        "q3 没有相关条目，q4 不在结果之中。"
        "除方言中另有说明外，每个定义都与从该工具录得的数值核对过。"
        "各表之下说明其定义中各词的含义；定义中未写明的，均为 [rankmeter 的默认约定](reference/conventions.zh.md)。",
        "legend": "以上定义中各词的含义：",
        "legend_head": "| 选项 | 决定什么 | 该取值的含义 |",
        "head": "| 数值 | 工具与指标 | 定义 | 特别之处 |",
        "data": "数据",
        "versions": "录得的版本",
        "versions_intro": "全部数值录于 2026 年 11 月，版本如下；同月又逐一查过能读到代码的各工具有无新版，"
        "凡有者，末列写明是哪一版、改了什么。算出不同数值的版本是方言的一个选项（`haystack:3.0`）。",
        "versions_head": "| 方言 | 工具 | 录得的版本 | 选项 | 核对过的最新版本 |",
        "newest": "同左",
        "accidents": "不予复现的行为",
        "accidents_intro": "凡不能由任何定义得出的行为，一概不模仿；各方言中均已列出。",
        "undefined": "未定义",
        "colon": "：",
        "own": "与 rankmeter 的默认定义相同。",
        "lists": "列表指标",
        "lists_intro": "覆盖率、多样性、新颖性与热门度需要目录或历史而不是标注，因此在上面的数据上没有数值。",
        "lists_head": "| 工具与指标 | 定义 | 特别之处 |",
    },
}


def page(language: Language) -> str:
    """The whole page in one language."""
    words = WORDS[language]
    twin = {"en": "[中文](dialects.zh.md)", "zh": "[English](dialects.md)"}[language]
    lines = [f"# {words['title']}", "", twin, "", words["intro"], "", f"## {words['data']}", "", "```json"]
    lines += [f'{{"judgments": {json.dumps(JUDGMENTS)},', f' "run": {json.dumps(RUN)}}}', "```", ""]
    for family in FAMILIES:
        lines += [f"## {read_prose(family, language).title} ({family})", "", words["head"], "|---|---|---|---|"]
        lines += sorted_rows(family, language)
        lines += ["", words["legend"], "", words["legend_head"], "|---|---|---|", *legend(family, language), ""]
    lines += [f"## {words['lists']}", "", words["lists_intro"], "", words["lists_head"], "|---|---|---|"]
    lines += [*rows_of_lists(language), "", f"## {words['versions']}", "", words["versions_intro"], ""]
    lines += [words["versions_head"], "|---|---|---|---|---|"]
    for name in dialect_names():
        tool = find_dialect(name)
        options = ", ".join(f"`{variant.name}`" for variant in tool.variants)
        told = [text for text in (tool.newest, tool.moved.get(language)) if text]
        newest = words["colon"].join(told) or words["newest"]
        lines.append(f"| {name} | {tool.title} | {tool.version} | {options} | {newest} |")
    lines += ["", f"## {words['accidents']}", "", words["accidents_intro"], ""]
    for name in dialect_names():
        lines += [
            f"- **{name}** {', '.join(one.metrics)} ({one.when}): {one.text[language]}"
            for one in find_dialect(name).accidents
        ]
    return "\n".join(lines) + "\n"


def sorted_rows(family: str, language: Language) -> list[str]:
    """A row per metric, the highest value first, equal ones by tool."""
    found = []
    for name in dialect_names():
        dialect = find_dialect(name)
        for metric, text in asked(dialect, family):
            measure = dialect.measure(text)
            value = mean(text, name)
            reason = metric.reason[language] if metric.reason else ""  # the legend says what its options mean
            shown = WORDS[language]["undefined"] if value is None else f"{value:.4f}"
            found.append(
                (-1.0 if value is None else value, name, f"| {shown} | {name} `{text}` | `{measure}` | {reason} |")
            )
    return [row for _, _, row in sorted(found, key=lambda one: (-one[0], one[1], one[2]))]


def legend(family: str, language: Language) -> list[str]:
    """A row for each option and value that the definitions of a family state."""
    stated = {
        (name, value)
        for tool in map(find_dialect, dialect_names())
        for _, text in asked(tool, family)
        for name, value in stated_options(tool.measure(text)).items()
        if name != "cutoff"
    }
    told = ((name, value, read_convention(family, name, value, language)) for name, value in stated)
    return sorted(
        f"| `{name}={format_value(value)}` | {prose.decides} | {prose.meaning} |" for name, value, prose in told
    )


def rows_of_lists(language: Language) -> Iterator[str]:
    """A row per metric that is a measure of lists, by measure and tool."""
    found = []
    for name in dialect_names():
        for metric in find_dialect(name).metrics:
            if rm.parse(metric.measure).about == "lists":
                measure = metric.build(None, dict.fromkeys(metric.given, True))
                reason = metric.reason[language] if metric.reason else conventions(measure, language)
                found.append((metric.measure, name, f"| {name} `{metric.name}` | `{measure}` | {reason} |"))
    return (row for _, _, row in sorted(found))


def conventions(measure: rm.Measure, language: Language) -> str:
    """What the conventions that are not rankmeter's defaults mean, one sentence each."""
    stated = {name: value for name, value in stated_options(measure).items() if name != "cutoff"}
    if len(stated) > 1:
        stated.pop("scores", None)
    if not stated:
        return WORDS[language]["own"]
    sentences = (
        (f"`{name}={format_value(value)}`", read_convention(type(measure).name, name, value, language).meaning)
        for name, value in stated.items()
    )
    return " ".join(f"{option}{WORDS[language]['colon']}{meaning}" for option, meaning in sentences if meaning)


def asked(dialect: Dialect, family: str) -> Iterator[tuple[Metric, str]]:
    """The metrics of a tool that are a measure of this family, each with the cutoff where it takes one."""
    for metric in dialect.metrics:
        if metric.measure == family and metric.number in (*CUTS, ""):
            yield metric, dialect.spell(metric, K)
        for option, value, turned in metric.turned:
            if turned == family:
                yield metric, dialect.spell(metric, K, {option: value})


def mean(text: str, name: str) -> float | None:
    """The tool's number; None where it is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmeterWarning)
        value = rm.evaluate(JUDGMENTS, RUN, [text], dialect=name)[text]
    return None if value != value else value  # noqa: PLR0124 (NaN is what differs from itself)


def main() -> int:
    """Write the pages, or check them."""
    stale = [
        path for language, path in PAGES.items() if not path.is_file() or path.read_text("utf-8") != page(language)
    ]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.name} is not current. Hint: python docs/tools/make_dialects.py", file=sys.stderr)
        return 1 if stale else 0
    for language, path in PAGES.items():
        path.write_text(page(language), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
