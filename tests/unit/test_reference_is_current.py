"""The reference in docs/ is what the generator writes from the code of today."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
NAMES = ["measures.md", "measures.zh.md", "conventions.md", "conventions.zh.md"]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    path = ROOT / "docs" / "tools" / "make_reference.py"
    spec = importlib.util.spec_from_file_location("make_reference", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module.pages()


def test_every_page_is_generated_and_none_is_left_over(pages):
    assert sorted(pages) == sorted(NAMES)
    assert sorted(path.name for path in REFERENCE.glob("*.md")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_page_is_the_generated_one_byte_for_byte(pages, name):
    written = (REFERENCE / name).read_bytes()
    assert written == pages[name].encode(), "run: python docs/tools/make_reference.py"
