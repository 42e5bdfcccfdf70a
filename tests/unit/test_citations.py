"""Every paper that is cited stands on the page of sources, and every paper on that page is cited."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "docs" / "sources.md"
PROSE = ROOT / "src" / "rankmeter" / "measures" / "prose"
GENERATED = ROOT / "docs" / "reference"
"""The reference repeats the prose of the measures."""

NAME = r"[A-ZÀ-Ž][\w’'-]+"
OTHERS = rf"(?:(?:, {NAME})*,? (?:&|and) (?:others|(?:de |van )?{NAME})| et al\.)?"
YEARS = r"(?P<years>(?:18|19|20)\d\d(?:(?:,| and) (?:19|20)\d\d)*)"
CITED = re.compile(rf"(?P<name>{NAME}){OTHERS}(?:,? \(?|，\s*)(?:KDD )?{YEARS}\b(?!-)")
NO_AUTHORS = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October"}
NO_AUTHORS |= {"November", "December", "LensKit", "TREC", "Rendle", "Recommendation"}
"""What else stands before a year: months, versions; `Rendle` and `Recommendation` where a line break hides Krichene."""

Paper = tuple[str, str]
"""The first author and the year."""


def papers(text: str) -> Iterator[Paper]:
    """The papers that a text cites."""
    for match in CITED.finditer(" ".join(text.split())):
        if match["name"] not in NO_AUTHORS:
            yield from ((match["name"], year) for year in re.findall(r"\d{4}", match["years"]))


def of_measures() -> Iterator[Paper]:
    """The papers of the measures: what stands before the first comma or `&`, and the last year."""
    for path in [*PROSE.glob("*.toml"), *(ROOT / "src").rglob("words/prose/*.toml")]:
        for citation in tomllib.loads(path.read_text("utf-8")).get("citation", "").split("; "):
            years = re.findall(r"\b(?:19|20)\d\d\b", citation)
            if years and "trec_eval" not in citation:
                yield re.split(r",| &| et al", citation.removeprefix("van "))[0], years[-1]


def of_pages_and_code() -> Iterator[Paper]:
    for path in [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "src").rglob("*.py"),
        *(ROOT / "src").rglob("wording/**/*.toml"),
        *(ROOT / "src").rglob("words/*.toml"),
    ]:
        if path != SOURCES and GENERATED not in path.parents and "demo" not in path.parts:
            yield from papers(path.read_text("utf-8"))


def listed() -> set[Paper]:
    return set(papers(SOURCES.read_text("utf-8").partition("## Papers")[2].replace("van Rijsbergen", "Rijsbergen")))


def test_every_citation_stands_on_the_page_of_sources() -> None:
    assert {*of_measures(), *of_pages_and_code()} - listed() == set()


@pytest.mark.wings
def test_every_paper_of_the_page_of_sources_is_cited() -> None:
    cited = {*of_measures(), *of_pages_and_code()}
    assert listed() - cited == set()
    assert len(cited) > 90
