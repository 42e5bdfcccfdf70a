"""Which tests run which statement: kept for each folder of tests until one of its files changes."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path

from tests.mutants.drawing import PACKAGE, ROOT, Mutant, modules

HERE = Path(__file__).parent
BUILD = ROOT / "build" / "mutants"

FILES = 4
"""How many files of tests one process notes at most: a folder is noted in several processes."""

LEFT_OUT = {"tests/browser", "tests/types", "tests/mutants"}
"""Tests of pages in a browser and of what a type checker sees: they hold no number."""


def groups() -> dict[str, list[str]]:
    """What pytest is given to run the tests of each folder, the examples in docstrings of each room, and the pages."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        folder = path.parent.relative_to(ROOT).as_posix()
        if folder not in LEFT_OUT:
            found[folder].append(path.relative_to(ROOT).as_posix())
    for room in sorted({path.parent for path in PACKAGE.rglob("*.py")}):
        if room == PACKAGE or room.parent in (PACKAGE, PACKAGE / "wings"):
            name = room.relative_to(ROOT).as_posix()
            found[name] = sorted(path.relative_to(ROOT).as_posix() for path in room.glob("*.py"))
    pages = [ROOT / "README.md", ROOT / "README.zh.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found["docs"] = [path.relative_to(ROOT).as_posix() for path in pages]
    return dict(found)


def near(mutant: Mutant) -> list[str]:
    """The groups that are about a mutant's room, to begin with."""
    room = mutant.room
    return [f"tests/unit/{room}", f"tests/{room}", f"src/rankmeter/{room}"]


@dataclass
class Map:
    """Which tests of a group run which statements, and how long each takes."""

    tests: dict[str, tuple[float, bool, dict[str, bytes]]]
    shared: dict[str, dict[str, bytes]]
    sources: dict[str, str]
    files: dict[str, str]
    """What the modules and the tests looked like then."""

    def running(self, mutant: Mutant, importers: dict[str, set[str]]) -> dict[str, float]:
        """The tests that run a mutant's statement, with their seconds.

        A statement that runs at loading is run by all tests that run anything of the module, or of one that imports
        it; the same holds for all statements of a module that was changed since.
        """
        module = mutant.module
        exact = self.sources.get(module) == digest(mutant.path) and not mutant.loading
        names = {module} if exact else {module, *importers.get(module, ())}
        found = {}
        for nodeid, (seconds, passed, ran) in self.tests.items():
            both = (ran, self.shared.get(nodeid.partition("::")[0], {}))
            if exact:
                hit = any(
                    mutant.statement < len(hits := one.get(module, b"")) and hits[mutant.statement] for one in both
                )
            else:
                hit = any(name in one for one in both for name in names)
            if hit and passed:
                found[nodeid] = seconds
        return found


def _name(path: Path) -> str:
    """The module in a file."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


@cache
def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def importers() -> dict[str, set[str]]:
    """Of each module the modules that name it."""
    paths = [path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"]
    names = set(map(_name, paths))
    found: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        name = _name(path)
        for line in path.read_text("utf-8").splitlines():
            if "import " in line:
                for word in line.replace(",", " ").split():
                    if word in names:
                        found[word].add(name)
    return found


def mapped(group: str, paths: list[str], pool: Executor, *, fresh: bool) -> Map:
    """The map of a group, made anew of the test files that changed since it was made."""
    kept = BUILD / "maps" / (group.replace("/", "-") + ".pickle")
    files = {path: digest(ROOT / path) for path in paths}
    sources = {_name(path): digest(path) for path in modules()}
    old = pickle.loads(kept.read_bytes()) if kept.exists() and not fresh else Map({}, {}, sources, {})
    stale = [path for path in paths if old.files.get(path) != files[path]]
    if not stale and old.files.keys() == files.keys():
        return old
    kept.parent.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    tests, shared = {}, {}
    parts = [stale[begin : begin + FILES] for begin in range(0, len(stale), FILES)]
    names = [kept.with_suffix(f".{number}") for number in range(len(parts))]
    for part, noted in zip(parts, pool.map(_noted, names, parts), strict=True):
        if noted is None:
            files |= dict.fromkeys(part, "")  # tried again by the next run
        else:
            tests |= noted[0]
            shared |= noted[1]
    failed = [nodeid for nodeid, (_, passed, _) in tests.items() if not passed]
    say(f"map of {group}: {len(tests)} tests in {time.perf_counter() - began:.0f} s, {len(failed)} skipped or failed")
    still = set(files) - set(stale)
    made = Map(
        {nodeid: ran for nodeid, ran in old.tests.items() if nodeid.partition("::")[0] in still} | tests,
        {name: ran for name, ran in old.shared.items() if name in still} | shared,
        {name: found for name, found in sources.items() if not still or old.sources.get(name) == found},
        files,
    )
    kept.write_bytes(pickle.dumps(made))
    return made


def _noted(name: Path, paths: list[str]) -> tuple[dict, dict] | None:
    """What the tests of some files ran; None where their process did not come to its end."""
    hits, written = name.with_suffix(name.suffix + "-hits"), name.with_suffix(name.suffix + "-new")
    hits.mkdir(exist_ok=True)
    done = python_tests(paths, 3600, RANKMETER_HITS=str(hits), RANKMETER_NOTED=str(written))
    shutil.rmtree(hits, ignore_errors=True)
    if not written.exists():
        say(f"these tests did not run, and notice nothing: {' '.join(paths)}\n{done.said[-2000:]}")
        return None
    noted = pickle.loads(written.read_bytes())
    written.unlink()
    return noted


@dataclass
class Done:
    code: int
    said: str = field(repr=False)
    late: bool = False


def python_tests(asked: list[str], limit: float, *options: str, **variables: str) -> Done:
    """Pytest on some tests, with the changed or noting modules in this process and in those that it starts."""
    environment = {
        **os.environ, "HYPOTHESIS_PROFILE": "ci", "PYTHONDONTWRITEBYTECODE": "", "RANKMETER_SKIPS": "",
        "PYTHONPATH": os.pathsep.join([str(HERE / "site"), str(ROOT), str(ROOT / "src")]), **variables,
    }  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-q", "-p", "mutant_tests", "-p", "no:cacheprovider", "--no-header"]
    process = subprocess.Popen(
        [*command, "--tb=line", *options, *asked], cwd=ROOT, env=environment, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
        return Done(-1, said, late=True)
    return Done(process.returncode, said)


def say(text: str) -> None:
    print(text, flush=True)
