"""Pages in English and Chinese keep step: the same headings, the same examples; only words differ."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TWINS = sorted([*ROOT.glob("*.zh.md"), *(ROOT / "docs").rglob("*.zh.md")])
ENGLISH_ONLY = {"decisions", "design.md", "performance.md", "wings"}
"""What maintainers read; the Chinese pages say that these are in English. The decisions about conventions, which change
a number, have twins."""
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CHINESE_CALL = re.compile(r""" --lang zh|\.(to_)?text(?=\()|(, )?(lang(uage)?=)?"zh\"""")
"""How an example asks for Chinese."""
BESIDE = re.compile(r"""\s+#.*|f?(["']).*?\1|  .*""")
"""Comments, texts in quotes, and what stands beside a command: said in the language of the page."""


def _english(page: Path) -> Path:
    return page.with_name(page.name.replace(".zh.md", ".md"))


def _headings(text: str) -> list[str]:
    return re.findall(r"^#+(?= )", FENCE.sub("", text), re.MULTILINE)


def _example(block: str) -> list[str]:
    """What is typed in an example, without the words of either language."""
    lines = block.splitlines()
    typed = [line for line in lines if line.startswith((">>>", "...", "rankmeter "))] or lines[:1]
    bare = (BESIDE.sub("", CHINESE_CALL.sub("", line)) for line in typed)
    return [re.sub(r"[\s()]+", " ", line).strip() for line in bare]


@pytest.mark.parametrize("page", TWINS, ids=lambda page: str(page.relative_to(ROOT)))
def test_twins_have_the_same_headings_and_examples(page) -> None:
    english, chinese = (path.read_text("utf-8") for path in (_english(page), page))
    assert _headings(chinese) == _headings(english)
    examples = [[_example(block) for block in FENCE.findall(text)] for text in (english, chinese)]
    assert examples[1] == examples[0]


def test_every_page_for_users_has_a_twin() -> None:
    pages = [page for page in (ROOT / "docs").rglob("*.md") if not page.name.endswith(".zh.md")]
    asked = [page for page in pages if page.relative_to(ROOT / "docs").parts[0] not in ENGLISH_ONLY]
    assert [page.name for page in asked if not page.with_name(f"{page.stem}.zh.md").exists()] == []


def test_every_decision_about_a_convention_has_a_twin() -> None:
    listed = (ROOT / "docs/decisions/README.md").read_text("utf-8").partition("Construction")[0]
    pages = re.findall(r"\]\(([\w-]+)\.md\)", listed)
    assert len(pages) > 15
    assert [page for page in pages if not (ROOT / f"docs/decisions/{page}.zh.md").exists()] == []


@pytest.mark.parametrize("page", TWINS, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_chinese_page_leads_to_chinese_pages(page) -> None:
    links = re.findall(r"\[([^\]]*)\]\(([^)#]+\.md)(?:#[^)]*)?\)", page.read_text("utf-8"))
    twins = {_english(twin) for twin in TWINS}
    wrong = [link for text, link in links if "English" not in text and "英文" not in text
             and (page.parent / link).resolve() in twins]  # fmt: skip
    assert wrong == []
