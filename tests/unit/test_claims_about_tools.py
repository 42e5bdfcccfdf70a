"""What pages say of other tools is what their dialects say, which recorded values of the tools confirm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rankmeter as rm
from rankmeter.measures.dialects import dialect_names, find_dialect

DOCS = Path(__file__).parents[2] / "docs"
PAGES = DOCS / "decisions"
CLAIM = re.compile(r"\(`(\w+)=([\w.-]+)`\): ([^.;(]+)")
OTHER_NAMES = {"spark": "spark_mllib", "scikit_learn": "sklearn"}
NO_TOOL = {"and", "gdeval", "programs", "where", "which"}
"""First words of what stands in a list of tools and has no dialect."""


def claims() -> Iterator[tuple[str, str, str, str]]:
    """Page, option, value and tool of every claim of the form "(`option=value`): a tool, a tool's `metric`"."""
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text("utf-8")
        for option, value, tools in CLAIM.findall(text.partition("**Who does otherwise.**")[2]):
            for tool in " ".join(tools.split()).split(", "):
                word = re.match(r"[\w-]+", tool)[0].lower().replace("-", "_")
                if word not in NO_TOOL:
                    yield page.name, option, value, OTHER_NAMES.get(word, word)


def stated(name: str) -> set[tuple[str, str]]:
    """Every option with every value that a metric, an option or a version of the tool has."""
    dialect = find_dialect(name)
    changes = [variant.changes for variant in dialect.variants]
    for metric in dialect.metrics:
        changes += [metric.conventions, *metric.under.values()]
        changes += [
            values for meant in metric.options.values() if not isinstance(meant, str) for values in meant.values()
        ]
    return {(option, str(value)) for change in changes for option, value in change.items()}


@pytest.mark.parametrize(("page", "option", "value", "tool"), list(claims()))
def test_a_tool_defines_a_metric_as_the_page_says(page, option, value, tool):
    assert tool in dialect_names(), page
    assert (option, value) in stated(tool), page


def test_the_pages_make_claims():
    assert len(list(claims())) > 40


def lines_of_lists() -> Iterator[tuple[str, str]]:
    """Measure and tool of every line of the table of who else computes a measure of lists.

    A line is "`Measure(option=value)@k` | Tool `metric`, Tool; `option=other`: Tool".
    """
    text = (DOCS / "how-to" / "recommender-lists.md").read_text("utf-8")
    for measure, tools in re.findall(r"^\| `([^`]+)@k` \| (.+) \|$", text, re.MULTILINE):
        for part in tools.split("; "):
            more, colon, named = part.partition("`: ")
            asked = f"{measure.rstrip(')')}{',' if '(' in measure else '('}{more[1:]})" if colon else measure
            for tool in re.sub(r"\([^)]*\)|,? (?:which|with) .*|`[^`]*`", "", named or part).split(", "):
                yield asked, tool.strip().lower()


@pytest.mark.parametrize(("measure", "tool"), list(lines_of_lists()))
def test_a_tool_computes_the_measure_of_lists_that_the_table_names(measure, tool):
    asked = rm.parse(f"{measure}@5")
    options = dict(pair.split("=") for pair in re.findall(r"[\w-]+=[\w.-]+", measure))
    same = [metric for metric in find_dialect(tool).metrics if metric.measure == measure.partition("(")[0]]
    made = [metric.build({"cutoff": 5}.get(metric.number), {}) for metric in same]
    assert any(all(getattr(one, name) == getattr(asked, name) for name in options) for one in made)


def test_the_table_has_lines():
    assert len(list(lines_of_lists())) > 25
