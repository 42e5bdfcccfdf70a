"""What all tests share: how hard Hypothesis looks.

Profiles: ``dev`` (other examples every time), ``ci`` (the same examples every time, so that a red build means a change)
and ``fast`` (few examples, for ``make check``). ``HYPOTHESIS_PROFILE`` chooses; without it ``ci`` where ``CI`` is set.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# No deadlines: two shared cores stall now and then, and that is no defect.
settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fast", deadline=None, derandomize=True, max_examples=20)

PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
settings.load_profile(PROFILE)

# What commands and errors say is tested in English, whatever the locale of whoever runs the tests.
os.environ["RANKMETER_LANG"] = "en"


SHARED = ("spark", "page", "browser")
"""Fixtures that start a program of their own: tests that share one run in one process, so that it starts once."""


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests of one program together, and let the profile ``fast`` hold for all numbers of examples."""
    most = settings.default.max_examples
    for item in items:
        for fixture in set(SHARED) & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group(fixture))
        asked = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
        if PROFILE == "fast" and asked is not None and asked.max_examples > most:
            item.obj._hypothesis_internal_use_settings = settings(asked, max_examples=most)
