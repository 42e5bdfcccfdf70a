"""Write ``docs/wings/conformance/which-number.md`` and its Chinese twin: by a metric's name, what decides its number.

Made of the dialects: ``python docs/tools/make_which_number.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rankmeter.measures import REGISTRY, Measure
from rankmeter.measures.base import stated_options
from rankmeter.measures.dialects import dialect_names, find_dialect
from rankmeter.measures.options import format_value
from rankmeter.measures.prose import Language, read_convention, read_prose
from rankmeter.wings.conformance.known_definitions import known_definitions

FOLDER = Path(__file__).parents[1] / "wings" / "conformance"
NAMES = {
    "RR": "MRR", "nDCG": "NDCG", "AP": "MAP", "P": "Precision", "R": "Recall", "Success": "HitRate", "F": "F1",
    "AUC": "AUC", "Coverage": "Coverage",
}  # fmt: skip
SKIPPED = ("cutoff", "depth", "rel", "scores")
"""What a caller states, and what changes only the last digits."""
WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "file": "which-number.md",
        "twin": "[中文](which-number.zh.md)",
        "title": "Which number is it?",
        "intro": "A name such as MRR or NDCG stands for many definitions. For each name: the questions on which tools "
        "differ, and which tool answers how. What a tool does not state is rankmeter's default; "
        "one with several answers has an option. "
        "[`rankmeter check`](../../how-to/check-a-metric.md) finds the definition of your own function; "
        "[reconcile](../../how-to/reconcile.md) finds the one behind a number; "
        "[where each tool departs](tools.md) has the values, case by case.",
        "head": "| question | answer | meaning | tools |",
        "plain": "As rankmeter's default in all of this: ",
        "colon": ": ",
        "stop": ".",
    },
    "zh": {
        "file": "which-number.zh.md",
        "twin": "[English](which-number.md)",
        "title": "这是哪一个数？",
        "intro": "MRR、NDCG 这样的名称背后有多种定义。下面按名称列出各工具的分歧之处，以及各工具的取法；"
        "工具未写明之处即 rankmeter 的默认约定；同一工具出现在多种取法中，表示它有相应的选项。"
        "[`rankmeter check`](../../how-to/check-a-metric.zh.md) 可判定你自己的函数属于哪个定义，"
        "[reconcile](../../how-to/reconcile.zh.md) 可找出一个数值背后的定义；"
        "[各工具的不同之处](tools.zh.md)按用例列出数值。",
        "head": "| 问题 | 取法 | 含义 | 工具 |",
        "plain": "各项均同 rankmeter 默认约定的工具：",
        "colon": "：",
        "stop": "。",
    },
}


def definitions(family: str) -> Iterator[tuple[Measure, dict[str, None]]]:
    """The definitions of a measure that tools have, each with their titles."""
    titles = {name: find_dialect(name).title for name in dialect_names()}
    for definition, tools in known_definitions().items():
        if type(definition).name == family:
            yield definition, dict.fromkeys(titles[tool.tool] for tool in tools if tool.tool in titles)
    if REGISTRY[family].about == "lists":  # not among what functions of one list are compared with
        for name, title in titles.items():
            for metric in find_dialect(name).metrics:
                if metric.measure == family:
                    yield metric.build(None, dict.fromkeys(metric.given, True)), {title: None}


def page(language: Language) -> str:
    """The page in one language."""
    words = WORDS[language]
    lines = [f"# {words['title']}", "", words["twin"], "", words["intro"]]
    for family, name in NAMES.items():
        answers: dict[tuple[str, str], dict[str, None]] = {}
        meanings: dict[tuple[str, str], tuple[str, str]] = {}
        plain: dict[str, None] = {}
        for definition, named in definitions(family):
            stated = {key: value for key, value in stated_options(definition).items() if key not in SKIPPED}
            if not stated:
                plain |= named
            for key, value in stated.items() if named else ():
                told = read_convention(family, key, value, language)
                answers.setdefault((key, format_value(value)), {}).update(named)
                meanings[key, format_value(value)] = told.decides, told.meaning
        lines += ["", f"## {name}", "", f"{read_prose(family, language).title} (`{family}`)", ""]
        lines += [words["head"], "|---|---|---|---|"]
        for key, value in sorted(answers):
            decides, meaning = meanings[key, value]
            lines.append(f"| {decides} | `{key}={value}` | {meaning} | {', '.join(answers[key, value])} |")
        if plain:
            lines += ["", f"{words['plain']}{', '.join(plain)}{words['stop']}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for lang, told in WORDS.items():
        (FOLDER / told["file"]).write_text(page(lang), encoding="utf-8")
