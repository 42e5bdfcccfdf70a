"""What all tests share: how hard Hypothesis looks, and which tests run together.

Profiles: ``dev`` (new examples every time), ``ci`` (the same every time, so that a red build means a change), ``fast``
(few examples, for other versions of Python and libraries), ``check`` (fewer, and few of many parameters, others every
day and for every commit, for ``make check``) and ``hunt`` (ten times as many, new every time, for ``make hunt``).
``HYPOTHESIS_PROFILE`` chooses; without it ``ci`` where ``CI`` is set.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np  # noqa: F401 (see _property_of_nothing)
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import none

from rankmeter.wings import is_there, table

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

# No deadlines, and examples may be slow to draw: two shared cores stall now and then, and that is no defect.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", PATIENT)
settings.register_profile("ci", PATIENT, derandomize=True, print_blob=True)
settings.register_profile("fast", PATIENT, derandomize=True, max_examples=20)
settings.register_profile("check", PATIENT, derandomize=True, max_examples=5)
settings.register_profile("hunt", PATIENT, derandomize=False, max_examples=1000)

PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
settings.load_profile(PROFILE)

# What commands and errors say is tested in English, whatever the locale of whoever runs the tests.
os.environ["RANKMETER_LANG"] = "en"


FEW = 3
"""How many of the cases of one parametrised test run under the profile ``check``: some from everywhere."""


def _day_and_commit() -> str:
    """What decides which cases run under the profile ``check``; without git the day alone."""
    git = shutil.which("git")
    asked = (
        [git, "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"] if git else [sys.executable, "-c", ""]
    )
    commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return f"{datetime.now(UTC).date()} {commit}".strip()


DRAW = "RANKMETER_DRAW"
if PROFILE == "check":  # processes that share the work take over what the first of them decided
    os.environ.setdefault(DRAW, _day_and_commit())

SHARED = "spark"
"""The fixture that starts a program for tests of several files; the ids of these tests contain its name."""


def group_of(nodeid: str) -> str:
    """Tests of a group run one after another in one process: those of a file, or of all files that share Spark."""
    return SHARED if SHARED in nodeid.lower() else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)  # pytest-xdist need not be installed
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Keep groups together, in the order in which they are collected.

    ``--dist loadgroup`` does not: pytest-xdist 3.8 writes the group where pytest 9.2 no longer looks.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    config.option.loadscopereorder = False
    return Groups(config, log)


def pytest_collection(session: pytest.Session) -> None:
    """What is made while tests are collected stays until the end: to look through it again and again takes a fifth."""
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    _property_of_nothing()
    gc.freeze()
    gc.enable()


@settings(max_examples=1, database=None)
@given(none())
def _property_of_nothing(nothing: None) -> None:
    """The first property makes Hypothesis take charge of NumPy's generator, unless what holds it is frozen already.

    Older Hypothesis asks the garbage collector, which does not see what is frozen, and warns; warnings are errors.
    """


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("posix") and not hasattr(os, "mkfifo"):
        pytest.skip("needs POSIX")
    wanted = [name for marker in item.iter_markers("program") for name in marker.args]
    if missing := [name for name in wanted if shutil.which(name) is None]:
        pytest.skip(f"not on the PATH: {', '.join(missing)}")
    wings = {name for marker in item.iter_markers("wings") for name in marker.args or table.WINGS}
    if gone := sorted(wing for wing in wings if not is_there(wing)):
        pytest.skip(f"taken away: {', '.join(gone)}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where everything is installed that tests can use (``.ci/run`` says so), a skipped test is one that never runs."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("RANKMETER_SKIPS") == "fail" and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the slow groups where several processes share the work; few examples hold for all tests."""
    for item in items:
        if SHARED in getattr(item, "fixturenames", ()) and group_of(item.nodeid) != SHARED:
            raise pytest.UsageError(f"the name of a test that uses {SHARED} contains {SHARED}: {item.nodeid}")
        # Also of tests that this run leaves out: slow ones, and those of programs that are not here.
        if lost := [name for name in getattr(item, "fixturenames", ()) if name not in _fixtures_of(item)]:
            raise pytest.UsageError(f"no fixture of the name {', '.join(lost)}: {item.nodeid}")
    if hasattr(config, "workerinput"):
        slow = Counter(group_of(item.nodeid) for item in items if item.get_closest_marker("slow"))
        items.sort(key=lambda item: -slow[group_of(item.nodeid)])
    most, properties = settings.default.max_examples, {id(item.obj): item.obj for item in items if _settings(item)}
    for function in properties.values():  # once each, however many parameters they have
        asked = function._hypothesis_internal_use_settings
        examples = asked.max_examples
        if PROFILE in ("fast", "check"):
            examples = min(examples, most)
        if PROFILE == "hunt" and examples != most:
            examples *= 10
        function._hypothesis_internal_use_settings = settings(asked, max_examples=examples)
    if PROFILE == "check":
        kept = set(map(id, _few(items)))
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
        items[:] = [item for item in items if id(item) in kept]


def _fixtures_of(item: pytest.Item) -> set[str]:
    """The fixtures and parameters that a test can have."""
    info = item._fixtureinfo
    return {"request", *info.name2fixturedefs, *getattr(getattr(item, "callspec", None), "params", ())}


def _settings(item: pytest.Item) -> settings | None:
    """What a property asks Hypothesis for; None where a test is none."""
    return getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)


def _few(items: list[pytest.Item]) -> list[pytest.Item]:
    """Of every test with many parameters some, evenly spread over them, beginning where day and commit say."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    few: list[pytest.Item] = []
    for name, cases in tests.items():
        begin = random.Random(f"{name} {os.environ[DRAW]}").randrange(len(cases))
        places = {(begin + number * len(cases) // FEW) % len(cases) for number in range(FEW)}
        few += [cases[place] for place in sorted(places)]
    return few


def pytest_terminal_summary(terminalreporter) -> None:
    if PROFILE == "check":
        terminalreporter.write_line(f"the cases of {DRAW}='{os.environ[DRAW]}'; with it the same ones run again")
