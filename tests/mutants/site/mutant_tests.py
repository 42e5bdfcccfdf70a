"""A plugin of pytest: notes which statements each test runs, or runs tests in an order and ends one that hangs."""

from __future__ import annotations

import faulthandler
import json
import os
import pickle
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest


class Noted:
    """What each test ran: of itself, and of what its file and the fixtures of more than one test made."""

    def __init__(self, written: Path, folder: Path) -> None:
        self.written, self.folder = written, folder
        self.tests: dict[str, tuple[float, bool, dict[str, bytes]]] = {}
        self.shared: dict[str, dict[str, bytes]] = defaultdict(dict)
        self.same: dict[bytes, bytes] = {}
        self.began, self.failed = 0.0, False

    def taken(self) -> dict[str, bytes]:
        """What ran since this was asked last, in this process and in those that ended since."""
        from sitecustomize import HITS

        ran: dict[str, bytes] = {}
        for name, hits in list(HITS.items()):
            if 1 in hits:
                ran[name] = self.same.setdefault(bytes(hits), bytes(hits))
                hits[:] = bytes(len(hits))
        for path in self.folder.glob("*.hits"):
            for name, hits in pickle.loads(path.read_bytes()).items():
                ran[name] = either(ran.get(name, b""), hits)
            path.unlink()
        return ran

    def share(self, nodeid: str) -> None:
        shared = self.shared[nodeid.partition("::")[0]]
        for name, hits in self.taken().items():
            shared[name] = either(shared.get(name, b""), hits)

    def pytest_collectreport(self, report) -> None:
        self.share(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if fixturedef.scope == "function":
            return (yield)
        before = self.taken()
        try:
            return (yield)
        finally:
            self.share(request.node.nodeid or request._pyfuncitem.nodeid)
            self.waiting = before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.taken()
        self.waiting: dict[str, bytes] = {}
        self.began, self.failed = time.perf_counter(), False
        try:
            return (yield)
        finally:
            ran = self.taken()
            for name, hits in self.waiting.items():
                ran[name] = either(ran.get(name, b""), hits)
            self.tests[item.nodeid] = time.perf_counter() - self.began, not self.failed, ran

    def pytest_runtest_logreport(self, report) -> None:
        self.failed |= not report.passed

    def pytest_sessionfinish(self) -> None:
        self.written.write_bytes(pickle.dumps((self.tests, dict(self.shared))))


class Ordered:
    """Runs the tests in the order in which they were asked for; a test that takes far longer than it did has failed."""

    def __init__(self, asked: Path) -> None:
        self.limits: dict[str, float] = json.loads(asked.read_text("utf-8"))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        place = {nodeid: number for number, nodeid in enumerate(self.limits)}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        faulthandler.dump_traceback_later(self.limits[item.nodeid], exit=True, file=sys.__stderr__)
        try:
            return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def pytest_runtest_logreport(self, report) -> None:
        if report.failed:
            Path(os.environ["RANKMETER_NOTICED"]).write_text(report.nodeid, "utf-8")

    def pytest_collectreport(self, report) -> None:
        if report.failed:
            Path(os.environ["RANKMETER_NOTICED"]).write_text(f"{report.nodeid} (collecting)", "utf-8")


def either(one: bytes, other: bytes) -> bytes:
    """What ran in one or the other."""
    long, short = sorted((one, other), key=len, reverse=True)
    return bytes(a | b for a, b in zip(long, short, strict=False)) + long[len(short) :]


# Pytest rewrites the modules of a package with a plugin, and stands before everybody else; this plugin is loaded first.
sys.meta_path.sort(key=lambda finder: type(finder).__module__ != "sitecustomize")


def pytest_configure(config: pytest.Config) -> None:
    if written := os.environ.get("RANKMETER_NOTED"):
        config.pluginmanager.register(Noted(Path(written), Path(os.environ["RANKMETER_HITS"])))
    if asked := os.environ.get("RANKMETER_ASKED"):
        config.pluginmanager.register(Ordered(Path(asked)))
