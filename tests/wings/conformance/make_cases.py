"""Write the published values of the cases: ``python -m tests.wings.conformance.make_cases``.

Each value is the oracle's; what rankmeter refuses is marked so. Written are ``v1/values/MEASURE.json`` beside the
cases, and the page about them in both languages; ``--check`` only says what is not current.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.oracle import oracle

import rankmeter as rm
from rankmeter.errors import RankmeterError, RankmeterWarning
from rankmeter.measures import Measure
from rankmeter.wings.conformance.cases import FOLDER, PublishedCase, cases, version
from rankmeter.wings.conformance.expectations import AskedCase
from rankmeter.wings.conformance.known_definitions import ANY, FAMILIES, at, known_definitions, open_at, shown
from rankmeter.wings.conformance.sight import Sight
from rankmeter.wording import word

ROOT = Path(__file__).parents[3]
PAGES = {"en": ROOT / "docs/wings/conformance/cases.md", "zh": ROOT / "docs/wings/conformance/cases.zh.md"}
SET = FOLDER.relative_to(ROOT).as_posix()
ALL = Sight()
UNSTATED, REFUSED = "unstated", "refused"
DIGITS = 12
ON_THE_PAGE = ("P", "R", "Success", "RR", "AP", "nDCG")

Value = float | str | None


def questions() -> list[AskedCase]:
    """Every case at each of its cutoffs."""
    return [AskedCase(case, k) for case in cases() for k in case.cutoffs]


def value(definition: Measure, question: AskedCase) -> Value:
    """The oracle's value; None where there is none."""
    if question.case.topic == "duplicates" and definition.duplicate_policy == "error":
        return UNSTATED
    try:
        measure = at(definition, question.k)
    except RankmeterError:
        return REFUSED
    judgments, run = ALL.data(question.case)
    if not answers(measure, judgments, run):
        return REFUSED
    mean, _ = oracle(measure, as_text(judgments), as_text(run))
    return None if math.isnan(mean) else round(mean, DIGITS) + 0.0


def answers(measure: Measure, judgments: Any, run: Any) -> bool:
    """Whether rankmeter has an answer on this data: a grade above a stated scale, for one, has none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankmeterWarning)
            rm.evaluate(judgments, run, measure)
    except RankmeterError:
        return False
    return True


def as_text(data: Any) -> Any:
    """Ids as text, as rankmeter compares them; a list of ids stays a list."""
    return {
        query: {str(item): number for item, number in rows.items()} if isinstance(rows, dict) else [*map(str, rows)]
        for query, rows in data.items()
    }


def values_of(family: str, given: Mapping[str, list[Value]] = MappingProxyType({})) -> dict[str, Any]:
    """The file of a measure: every definition with the tools that have it, and its value on each question.

    Values that are ``given`` for a definition are not computed.
    """
    asked = questions()
    definitions = [
        {
            "definition": shown(definition),
            "tools": [str(tool) for tool in tools],
            "values": given.get(shown(definition)) or [value(definition, question) for question in asked],
        }
        for definition, tools in known_definitions().items()
        if type(definition).name == family
    ]
    return {
        "$schema": "../schema.json",
        "version": version(),
        "measure": family,
        "questions": [str(question) for question in asked],
        "definitions": definitions,
    }


def text_of(data: dict[str, Any]) -> str:
    """The file's text: a definition a line."""
    head = {name: part for name, part in data.items() if name != "definitions"}
    lines = ",\n".join(compact(entry) for entry in data["definitions"])
    return compact(head)[:-1] + ',"definitions":[\n' + lines + "\n]}\n"


def compact(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


HEAD = {
    "en": f"""# The cases

[中文](cases.zh.md)

{len(cases())} small inputs made by hand, each with the question that it asks, and the value that every known
definition gives there: what [`rankmeter check`](../../how-to/check-a-metric.md) asks a function, for whoever wants to
test a metric in another language, or without rankmeter. Version {version()}; a later version adds cases and changes
none.

## The files

- [cases.json](../../../{SET}/cases.json): the inputs. A case has a name, a topic, the cutoffs
  `k` at which it is asked, and queries. The judgments and the run of a query are pairs of item and grade, and of item
  and score, in the order given; `null` in place of one of them: nobody judged the query, or the run lacks it.
- [values/](../../../{SET}/values): a file for each measure. `questions` lists cases and
  cutoffs (`second@3`). Each definition has one of `values` for each of them, to twelve decimals, the metrics of tools
  that are this definition, and its name in [rankmeter's grammar](../../reference/conventions.md). `null` is no value
  (the query is left out, or the mean is undefined), `"unstated"` that the definition has no rule for an item that a
  list holds twice, `"refused"` that it has no value on such data.
- [schema.json](../../../{SET}/schema.json): the form of both, as a JSON Schema.

A script computes the values with a slow second implementation of every definition in plain Python. Tests compare them
with rankmeter's own and with what the tools themselves return.

To use them: read `cases.json`, compute each case at each `k`, and compare with the line of the definition that you
mean; 1e-6 is a fair tolerance. Or let [`rankmeter check --command`](../../how-to/check-a-metric.md) do it, which also
finds the definition that you follow.

Below each case are the values of rankmeter's own definitions; *open* where these leave the question open.
""",
    "zh": f"""# 用例

[English](cases.md)

{len(cases())} 个手工编写的小输入，各问一个问题，并附每种已知定义在其上的数值：即
[`rankmeter check`](../../how-to/check-a-metric.zh.md) 向函数提出的问题，
供用其他语言、或不装 rankmeter 时检验指标之用。
版本 {version()}；以后的版本只增加用例，不改动已有用例。

## 文件

- [cases.json](../../../{SET}/cases.json)：输入。
  每个用例有名称、主题、要计算的截断位置 `k` 与若干查询。
  查询的标注与结果分别是“条目、等级”与“条目、得分”的对，次序即给出的次序；
  其中一方为 `null`，表示该查询无人标注，或结果中没有它。
- [values/](../../../{SET}/values)：每个指标一个文件。
  `questions` 列出用例与截断位置（`second@3`）。每个定义的 `values` 与之一一对应，保留十二位小数，
  并列出属于该定义的工具指标，以及它在 [rankmeter 语法](../../reference/conventions.zh.md)中的名称。
  `null` 表示没有值（查询不计入，或均值未定义），`"unstated"` 表示该定义没有规定重复条目如何处理，
  `"refused"` 表示它在这样的数据上没有值。
- [schema.json](../../../{SET}/schema.json)：两者的格式，以 JSON Schema 表示。

数值由脚本用另一套缓慢而直白的纯 Python 实现算出，
测试将其与 rankmeter 自身以及各工具的返回值核对。

用法：读取 `cases.json`，在每个 `k` 上计算每个用例，再与所指定义的那一行比较；容差可取 1e-6。
也可以用 [`rankmeter check --command`](../../how-to/check-a-metric.zh.md) 代劳，并得知自己符合哪种定义。

各用例下是 rankmeter 默认定义的数值；*未定*表示默认定义对此没有规定。
""",
}
WORDS = {
    "en": {
        "judgments": "judgments",
        "run": "run",
        "none": "none",
        "null": "no value",
        UNSTATED: "open",
        REFUSED: "open",
    },
    "zh": {"judgments": "标注：", "run": "；结果：", "none": "无", "null": "无值", UNSTATED: "未定", REFUSED: "未定"},
}


def page(language: str) -> str:
    """The page in one language: the files, then every case with its question, its input and a few values."""
    words = WORDS[language]
    lines = [HEAD[language]]
    topic = ""
    for case in cases():
        if case.topic != topic:
            topic = case.topic
            lines += [f"## {heading(topic, language)}", ""]
        lines += [f"**{case.name}**. {case.question[language]}", "", *inputs(case, words), "", *table(case, words), ""]
    return "\n".join(lines).rstrip() + "\n"


def heading(topic: str, language: str) -> str:
    """A topic in words."""
    text = word(f"check_topic_{topic}", language)
    return text[:1].upper() + text[1:]


def inputs(case: PublishedCase, words: dict[str, str]) -> Iterator[str]:
    """The judgments and the run of each query, a line each."""
    for name, query in case.queries.items():
        told = []
        for side, rows in (("judgments", query.judgments), ("run", query.run)):
            pairs = ", ".join(f"`{spelled(item, case.topic)}` {number:.10g}" for item, number in rows or ())
            told.append(f"{words[side]}{pairs or words['none']}")
        yield f"- {name}: {''.join(told)}"


def spelled(item: object, topic: str) -> str:
    """An id; as JSON where it matters whether it is a number."""
    return json.dumps(item) if topic == "ids" else str(item)


def table(case: PublishedCase, words: dict[str, str]) -> Iterator[str]:
    """The values of rankmeter's own definitions at each cutoff."""
    yield f"| k | {' | '.join(ON_THE_PAGE)} |"
    yield "|---|" + "---|" * len(ON_THE_PAGE)
    for k in case.cutoffs:
        cells = []
        for name in ON_THE_PAGE:
            got = value(open_at(rm.parse(f"{name}@{ANY}")), AskedCase(case, k))
            cells.append(words["null"] if got is None else words[got] if isinstance(got, str) else f"{got:.4f}")
        yield f"| {k} | {' | '.join(cells)} |"


def files() -> Iterator[tuple[Path, str]]:
    """Every file that is written, with its text."""
    for family in FAMILIES:
        yield FOLDER / "values" / f"{family}.json", text_of(values_of(family))
    for language, path in PAGES.items():
        yield path, page(language)


def main() -> int:
    """Write the files, or check them."""
    stale = [(path, text) for path, text in files() if not path.is_file() or path.read_text("utf-8") != text]
    for path, text in stale:
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT)} is not current", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
