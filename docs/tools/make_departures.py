"""Write ``docs/wings/conformance/tools.md`` and its Chinese twin: where each tool leaves the textbook.

Made of the published cases and their values: ``python docs/tools/make_departures.py``.
"""

from __future__ import annotations

from pathlib import Path

from rankmeter.measures.dialects import dialect_names, find_dialect
from rankmeter.measures.prose import Language
from rankmeter.wings.conformance.departures import by_case, told

FOLDER = Path(__file__).parents[1] / "wings" / "conformance"
WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "file": "tools.md",
        "intro": "# Where each tool departs from the textbook\n\n[中文](tools.zh.md)\n\n"
        "For each tool: the [published cases](cases.md) on which its metrics have another value than the textbook, "
        "which is rankmeter's measure of the same kind with no option stated. A case is shown at the first cutoff "
        "(`case@k`) at which a metric departs. *No value*: the query is left out, or the mean is undefined; *no rule*: "
        "the textbook does not say what an item counts that a list holds twice. Metrics of a catalogue or a history "
        "are not part of the cases. `rankmeter dialects NAME` prints the same for one tool, also with its options "
        "(`rankmeter dialects trec_eval:9`).",
        "head": "| case | question | values |",
        "nowhere": "On all cases its metrics have the values of the textbook.",
    },
    "zh": {
        "file": "tools.zh.md",
        "intro": "# 各工具与教科书定义的不同之处\n\n[English](tools.md)\n\n"
        "以下逐个工具列出[公开用例](cases.zh.md)中其指标的数值与教科书不同者；"
        "教科书即 rankmeter 同类指标不加任何选项时的定义。"
        "每个用例只列出指标首次与之不同的截断位置（`用例@k`）。*无值*：查询不计入，或均值未定义；"
        "*无规定*：教科书没有规定列表中重复的条目如何计算。目录或历史类指标不在用例之内。"
        "`rankmeter dialects NAME` 打印单个工具的同一内容，也可带其选项（`rankmeter dialects trec_eval:9`）。",
        "head": "| 用例 | 问题 | 数值 |",
        "nowhere": "在全部用例上，其指标的数值均与教科书相同。",
    },
}


def page(language: Language) -> str:
    """The page in one language."""
    words = WORDS[language]
    lines = [words["intro"]]
    for name in dialect_names():
        dialect = find_dialect(name)
        rows = [
            f"| `{question}` | {question.case.question[language]} | {told(found, language)} |"
            for question, found in by_case(dialect)
        ]
        lines += ["", f"## {dialect.title}", ""]
        lines += [words["head"], "|---|---|---|", *rows] if rows else [words["nowhere"]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for lang, texts in WORDS.items():
        (FOLDER / texts["file"]).write_text(page(lang), encoding="utf-8")
