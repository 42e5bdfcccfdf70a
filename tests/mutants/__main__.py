"""Breaks rankmeter in places drawn at random, and says which of the changes no test noticed.

For each change the tests that run the changed statement are run until one fails. The sources are never touched: the
tests' processes load the changed text instead (``site/sitecustomize.py``).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.drawing import Mutant, compiles, modules, mutants
from tests.mutants.maps import BUILD, Done, Map, groups, importers, mapped, near, python_tests, say

EQUIVALENT = Path(__file__).parent / "equivalent.toml"

SHORT = 200
"""Tests in one process at most, where nobody knows yet whether one of them notices."""


@dataclass
class Result:
    mutant: Mutant
    seeds: set[int]
    """Those that drew it."""
    stage: str = ""
    """How far it was tried."""
    tests: int = 0
    noticed: str = ""
    seconds: float = 0.0
    unfinished: bool = False


class Trial:
    """Tries mutants: the near tests first, then the rest, the quick ones first; ends with the first that fails."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.groups = groups()
        self.importers = importers()
        self.maps: dict[str, Map] = {}

    def map(self, names: Iterator[str] | list[str]) -> None:
        """Make the maps that are wanted and not there, in as many processes as there are jobs."""
        wanted = [name for name in names if name in self.groups and name not in self.maps]
        with ThreadPoolExecutor(self.options.jobs) as pool, ThreadPoolExecutor(len(wanted) or 1) as waiting:
            made = waiting.map(lambda name: mapped(name, self.groups[name], pool, fresh=self.options.fresh), wanted)
            self.maps.update(zip(wanted, made, strict=True))

    def tests_of(self, mutant: Mutant, names: list[str]) -> dict[str, float]:
        return {
            nodeid: seconds
            for name in names
            if name in self.maps
            for nodeid, seconds in self.maps[name].running(mutant, self.importers).items()
        }

    def portions(self, tests: dict[str, float]) -> Iterator[dict[str, float]]:
        """Some tests a process, so that what fails soon is known soon; files stay whole, the quick ones first."""
        files: dict[str, dict[str, float]] = defaultdict(dict)
        for nodeid, seconds in tests.items():
            files[nodeid.partition("::")[0]][nodeid] = seconds
        portion: dict[str, float] = {}
        for some in sorted(files.values(), key=lambda some: sum(some.values()) / len(some)):
            portion |= dict(sorted(some.items(), key=lambda pair: pair[1]))
            if len(portion) >= SHORT:
                yield portion
                portion = {}
        if portion:
            yield portion

    def tried(self, result: Result, names: list[str]) -> Result:
        """What the tests of some groups say to a mutant that nobody has noticed so far."""
        tests = self.tests_of(result.mutant, names)
        result.tests += len(tests)
        text, asked, noticed = (BUILD / f"{result.mutant.key}.{end}" for end in ("py", "json", "noticed"))
        text.parent.mkdir(parents=True, exist_ok=True)
        text.write_text(result.mutant.source(), "utf-8")
        try:
            for portion in self.portions(tests):
                left = self.options.patience - result.seconds
                if left <= 0:
                    result.unfinished = True
                    break
                limits = {nodeid: 30 + 20 * seconds for nodeid, seconds in portion.items()}
                asked.write_text(json.dumps(limits), "utf-8")
                began = time.perf_counter()
                done = python_tests(
                    sorted({nodeid.partition("::")[0] for nodeid in portion}), left + 60, "-x",
                    RANKMETER_MUTANT=f"{result.mutant.module}={text}", RANKMETER_ASKED=str(asked),
                    RANKMETER_NOTICED=str(noticed),
                )  # fmt: skip
                result.seconds += time.perf_counter() - began
                if done.late:
                    result.unfinished = True
                    break
                if done.code not in (0, 5):
                    result.noticed = noticed.read_text("utf-8") if noticed.exists() else _why(done)
                    break
        finally:
            for path in (text, asked, noticed):
                path.unlink(missing_ok=True)
        return result


def _why(done: Done) -> str:
    last = [line for line in done.said.splitlines() if line.strip()][-1:] or [""]
    return f"the process ended ({done.code}): {last[0][:200]}"


def draw(seed: int, options: argparse.Namespace) -> list[Mutant]:
    """As many places of every room, each with one of its changes, without those that are known to change nothing.

    What is drawn of a room depends on the seed and the room alone, so that a run of some rooms is a part
    of a whole one.
    """
    places: dict[str, dict[tuple[Path, int, int], list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    known = equivalent()
    for path in modules(tuple(options.rooms)):
        if options.modules and path.stem not in options.modules:
            continue
        for mutant in mutants(path):
            places[mutant.room][mutant.path, mutant.start, mutant.end].append(mutant)
    orders = {}
    for room, found in sorted(places.items()):
        chance = random.Random(f"{seed} {room}")
        order = sorted(found)
        chance.shuffle(order)
        orders[room] = iter([chance.choice(found[place]) for place in order])
    rooms = sorted(orders)
    random.Random(seed).shuffle(rooms)
    drawn: list[Mutant] = []
    while rooms and len(drawn) < options.count:
        for room in list(rooms):
            mutant = next((one for one in orders[room] if identity(one) not in known and compiles(one)), None)
            if mutant is None:
                rooms.remove(room)
            elif len(drawn) < options.count:
                drawn.append(mutant)
    return sorted(drawn, key=lambda mutant: (mutant.room, mutant.path, mutant.start))


class Kept:
    """What a run found out, for ``--resume``: a line for each mutant and stage, written as soon as it is known."""

    FIELDS = ("stage", "tests", "noticed", "seconds", "unfinished")

    def __init__(self) -> None:
        self.path = BUILD / "results.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)

    def fill(self, results: list[Result]) -> None:
        known = {result.mutant.key: result for result in results}
        for line in self.path.read_text("utf-8").splitlines() if self.path.exists() else []:
            entry = json.loads(line)
            if entry["key"] in known:
                known[entry["key"]].__dict__.update({name: entry[name] for name in self.FIELDS})

    def add(self, result: Result) -> None:
        entry = {"key": result.mutant.key} | {name: getattr(result, name) for name in self.FIELDS}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def identity(mutant: Mutant) -> tuple[str, str, str]:
    """What stays the same when lines move: the module, the function, and the line with the change."""
    return mutant.module.removeprefix("rankmeter."), mutant.function, mutant.change()


def equivalent() -> dict[tuple[str, str, str], str]:
    """The changes that change nothing, with the reason."""
    entries = tomllib.loads(EQUIVALENT.read_text("utf-8")).get("equivalent", [])
    return {(one["module"], one.get("function", ""), one["change"]): one["reason"] for one in entries}


def counted(results: list[Result]) -> tuple[Counter[str], Counter[str]]:
    """Of each room how many mutants were drawn, and how many were noticed."""
    noticed = [result.mutant.room for result in results if result.noticed]
    return Counter(result.mutant.room for result in results), Counter(noticed)


def table(results: list[Result]) -> Iterator[str]:
    drawn, noticed = counted(results)
    yield f"{'room':<20} {'mutants':>8} {'noticed':>8}"
    for room in sorted(drawn):
        yield f"{room:<20} {drawn[room]:>8} {noticed[room]:>8} {noticed[room] / drawn[room]:>7.0%}"
    yield f"{'all':<20} {drawn.total():>8} {noticed.total():>8} {noticed.total() / max(drawn.total(), 1):>7.1%}"


def parsed() -> argparse.Namespace:
    chance = random.SystemRandom().randrange(10**6)
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, nargs="+", default=[chance], help="of the draw; of several draws")
    parser.add_argument("--count", type=int, default=60, help="how many mutants a seed draws (60)")
    parser.add_argument("--rooms", nargs="*", default=[], help="rooms to draw from: comparing wings/online ... (all)")
    parser.add_argument("--modules", nargs="*", default=[], help="modules to draw from, by name (all of the rooms)")
    parser.add_argument("--near", action="store_true", help="run the tests of the mutant's own room only")
    parser.add_argument("--patience", type=float, default=600, help="seconds of tests for one mutant (600)")
    parser.add_argument("--least", type=float, default=0, help="fail where less than this percentage is noticed")
    parser.add_argument("--least-room", type=float, default=0, help="the same, for every room")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("--fresh", action="store_true", help="make all maps of tests to statements anew")
    parser.add_argument("--resume", action="store_true", help="do not try again what the last run found out")
    parser.add_argument("--maps", action="store_true", help="make the maps of all tests, and draw nothing")
    parser.add_argument("--show", action="store_true", help="print what is drawn, and run nothing")
    return parser.parse_args()


def run(results: list[Result], options: argparse.Namespace, kept: Kept) -> None:
    """Try all mutants with the tests near them, then those that are left with all others."""
    trial = Trial(options)
    for stage in ("near", "far"):
        if stage == "far" and options.near:
            break
        done = ("near", "far") if stage == "near" else ("far",)
        waiting = [one for one in results if not one.noticed and not one.unfinished and one.stage not in done]
        names = {id(result): near(result.mutant) for result in waiting}
        if stage == "far":
            names = {key: [name for name in trial.groups if name not in some] for key, some in names.items()}
        trial.map(dict.fromkeys(name for some in names.values() for name in some))

        def one(result: Result, names: dict[int, list[str]] = names, stage: str = stage) -> None:
            trial.tried(result, names[id(result)])
            result.stage = stage
            kept.add(result)
            if result.noticed:
                say(f"noticed  {result.mutant}\n         by {result.noticed} after {result.seconds:.0f} s")
            else:
                say(f"{'missed' if stage == 'far' else 'not near'}  {result.mutant} ({result.tests} tests)")

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(one, waiting))


def main() -> int:
    options = parsed()
    if options.maps:
        trial = Trial(options)
        trial.map(list(trial.groups))
        return 0
    say(f"seed {' '.join(map(str, options.seed))}")
    drawn: dict[str, Result] = {}
    for seed in options.seed:
        for mutant in draw(seed, options):
            drawn.setdefault(mutant.key, Result(mutant, set())).seeds.add(seed)
    results = sorted(drawn.values(), key=lambda one: (one.mutant.room, one.mutant.path, one.mutant.start))
    if options.show:
        for result in results:
            say(f"{result.mutant.kind}: {result.mutant}")
        return 0
    kept = Kept()
    if options.resume:
        kept.fill(results)
    else:
        kept.clear()
    run(results, options, kept)
    say("\nNobody noticed:")
    for result in results:
        if not result.noticed:
            rest = ", stopped by --patience" if result.unfinished else ""
            say(f"{result.mutant.room}: {result.mutant} ({result.tests} tests{rest})")
    for seed in options.seed if len(options.seed) > 1 else []:
        say(f"\nseed {seed}")
        for line in table([result for result in results if seed in result.seeds]):
            say(line)
    say("")
    for line in table(results):
        say(line)
    count, noticed = counted(results)
    worst = min((100 * noticed[room] / count[room] for room in count), default=100)
    return int(100 * noticed.total() < options.least * count.total() or worst < options.least_room)


if __name__ == "__main__":
    sys.exit(main())
