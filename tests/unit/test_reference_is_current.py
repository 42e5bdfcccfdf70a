"""The reference in docs/ is what the generator writes from the code of today."""

from __future__ import annotations

import make_reference
import pytest

pytestmark = pytest.mark.wings()  # the reference is of all measures

REFERENCE = make_reference.FOLDER
NAMES = sorted(path.relative_to(REFERENCE).as_posix() for path in REFERENCE.rglob("*.md"))


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return make_reference.pages()


def test_every_page_is_generated_and_none_is_left_over(pages):
    assert sorted(pages) == NAMES
    assert len(NAMES) > 30


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_page_is_the_generated_one_byte_for_byte(pages, name):
    written = (REFERENCE / name).read_bytes()
    assert written == pages[name].encode(), "run: python docs/tools/make_reference.py"
