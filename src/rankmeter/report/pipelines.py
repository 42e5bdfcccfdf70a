"""What pipelines read: JUnit XML and the step summary of GitHub Actions, from the verdicts of gates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from rankmeter.measures.prose import Language
from rankmeter.report.comparisons import ShownComparison
from rankmeter.showing.markdown import markdown_line
from rankmeter.wording import word

if TYPE_CHECKING:
    from rankmeter.comparing.gate import Verdict
    from rankmeter.comparing.results import Comparison

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot hold, however they are written."""


def to_junit(verdicts: Sequence[Verdict], *, suite: str = "rankmeter compare", lang: Language = "en") -> str:
    """JUnit XML: a test case for each gate and system, a failure for each gate that failed."""
    failed = sum(verdict.failed for verdict in verdicts)
    counts = {"tests": str(len(verdicts)), "failures": str(failed), "errors": "0", "skipped": "0"}
    root = ET.Element("testsuites", counts)
    group = ET.SubElement(root, "testsuite", {"name": suite, **counts})
    for verdict in verdicts:
        name = _xml(f"{verdict.gate.text}: {verdict.system}")
        case = ET.SubElement(group, "testcase", {"classname": "rankmeter.comparing.gate", "name": name})
        why = verdict.why.text(lang)
        if verdict.failed:
            failure = ET.SubElement(case, "failure", {"message": _xml(why), "type": "gate"})
            failure.text = _xml(f"{verdict.gate.text}\n{why}")
        else:
            ET.SubElement(case, "system-out").text = _xml(why)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def to_summary(cmp: Comparison, verdicts: Sequence[Verdict], *, lang: Language = "en") -> str:
    """Markdown for the step summary of a comparison."""
    return summary_text("rankmeter compare", verdicts, ShownComparison(cmp, lang).to_markdown(), lang)


def summary_text(command: str, verdicts: Sequence[Verdict], table: str, lang: Language) -> str:
    """Markdown for a step summary: the verdicts first, then the table."""
    failed = sum(verdict.failed for verdict in verdicts)
    lines = [f"## {command}", ""]
    if verdicts:
        count = word("checks_failed", lang, failed=failed, count=len(verdicts))
        lines += [f"**{count}**" if failed else word("checks_passed", lang), ""]
        for verdict in verdicts:
            why = markdown_line(verdict.why.text(lang))
            lines.append(f"- {'❌' if verdict.failed else '✅'} {why}")
        lines.append("")
    return "\n".join([*lines, table]) + "\n"
