"""What goes away warns first, and goes when it was said to."""

from __future__ import annotations

import warnings

import pytest

import rankmeter as rm
from rankmeter.errors import warn_of_end


def version(text):
    return tuple(int(part) for part in text.split("."))


@pytest.fixture
def ending(monkeypatch):
    monkeypatch.setitem(rm._ENDING, "assess", ("evaluate", "99.0"))


def test_a_name_that_goes_away_still_works_and_names_what_replaces_it(ending):
    with pytest.warns(DeprecationWarning, match=r"rankmeter\.assess .* 99\.0\. Hint: rankmeter\.evaluate") as caught:
        assert rm.assess is rm.evaluate
    assert caught[0].filename == __file__


def test_it_warns_at_every_line_that_uses_it_and_is_not_offered(ending):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rm.assess  # noqa: B018
        rm.assess  # noqa: B018
    assert len(caught) == 2
    assert "assess" not in dir(rm)


def test_an_option_that_goes_away_points_to_the_callers_line():
    told = r"by= is deprecated and will be removed in rankmeter 99\.0\. Hint: queries="
    with pytest.warns(DeprecationWarning, match=told) as caught:
        warn_of_end("by=", "queries=", "99.0")
    assert caught[0].filename == __file__


def test_what_was_to_be_gone_by_this_version_is_gone():
    overdue = [name for name, (_, ends) in rm._ENDING.items() if version(ends) <= version(rm.__version__)]
    assert not overdue
