"""The pytest plugin: a fixture that checks rankings and metrics, and a section that lists what was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rankmeter.testing import Requirement

_CHECKED = pytest.StashKey[list[str]]()


class Rankings:
    """What the fixture ``rankmeter`` gives to a test."""

    def __init__(self, told: list[str], test: str) -> None:
        self._told, self._test = told, test

    def assert_ranking(self, judgments: object, run: object, *requirements: str, **options: Any) -> list[Requirement]:
        """See :func:`rankmeter.testing.assert_ranking`."""
        __tracebackhide__ = True
        from rankmeter.testing import assert_ranking

        checked = assert_ranking(judgments, run, *requirements, **options)
        for requirement in checked:
            self._told.append(f"{self._test}: {requirement.text}: {requirement.why}")
            self._told += [f"  {note}" for note in requirement.notes]
        return checked

    def assert_conforms(self, function: object, definition: object = None, **options: Any) -> Any:
        """See :func:`rankmeter.testing.assert_conforms`."""
        __tracebackhide__ = True
        from rankmeter.testing import assert_conforms

        verdict = assert_conforms(function, definition, **options)
        self._told.append(f"{self._test}: {verdict.name}: {verdict.badge}")
        return verdict


@pytest.fixture
def rankmeter(request: pytest.FixtureRequest) -> Rankings:
    """Check rankings: ``rankmeter.assert_ranking(judgments, run, "nDCG@10 >= 0.45")``."""
    return Rankings(request.config.stash.setdefault(_CHECKED, []), request.node.nodeid)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """List what was checked, if anything was."""
    told = config.stash.get(_CHECKED, [])
    if told and config.get_verbosity() >= 0:
        terminalreporter.section("rankings")
        for line in told:
            terminalreporter.write_line(line)
