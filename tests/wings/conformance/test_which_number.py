"""The page "Which number is it?" is what the dialects say today."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

MADE = runpy.run_path(str(Path(__file__).parents[3] / "docs" / "tools" / "make_which_number.py"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_is_current(language: str) -> None:
    path = MADE["FOLDER"] / MADE["WORDS"][language]["file"]
    assert path.read_text("utf-8") == MADE["page"](language), "python docs/tools/make_which_number.py"
