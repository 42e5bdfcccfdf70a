"""Run the entrants of a benchmark in fresh processes, in turns, and compare their CPU time, memory and values.

A script describes cases and calls :func:`run`. An entrant is a function of that script, ``name(folder, options)``,
which loads the data that ``make(folder, options)`` left in the folder and returns the work to measure, and what turns
the work's result into values to compare. This process stays small and imports no library: a process started from a
large one would inherit its peak memory.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
Options = dict[str, Any]
SETTLE_S = 0.2
"""How long a child waits before it measures: the threads that NumPy's linear algebra starts when it is imported keep a
core busy for some 60 ms before they sleep, which getrusage would count as the work of whoever measures a short call."""
Values = dict[str, Any]
"""A number, or a number for each query, by the name of the measure."""
Work = tuple[Callable[[], Any], Callable[[Any], Values]]


@dataclass(frozen=True)
class Entrant:
    """Something that does the work; its name is that of a function in the script."""

    name: str
    module: str = "rankmeter"
    """What must be importable for it."""
    whole_process: bool = False
    """Whether imports and reading count, or only the work."""

    @property
    def is_ours(self) -> bool:
        """Whether it runs in this environment, on this checkout."""
        return self.module == "rankmeter"


@dataclass(frozen=True)
class Pair:
    """Ours against a peer; the target is how many times less CPU we want to use (None: only told)."""

    ours: Entrant
    peer: Entrant
    target: float | None


@dataclass(frozen=True)
class Case:
    """One table: the same data for every entrant."""

    label: str
    options: Options
    pairs: Sequence[Pair] = ()
    alone: Sequence[Entrant] = ()
    """Entrants without a peer."""
    memory_mb: float | None = None
    """The most memory that ours may take."""
    seconds: float | None = None
    """The most CPU time that ours may take, where there is no peer."""

    @property
    def entrants(self) -> list[Entrant]:
        """Everyone who runs, once each."""
        return list(dict.fromkeys([*self.alone, *(one for pair in self.pairs for one in (pair.ours, pair.peer))]))


@dataclass
class Measured:
    """The best of several runs of one entrant."""

    cpu: float = float("inf")
    system: float = 0.0
    """The part of the CPU time spent in the kernel, mostly on fresh memory; on a busy machine it varies widely."""
    wall: float = float("inf")
    peak_mb: float = 0.0
    before_mb: float = float("inf")
    """The peak before the work: interpreter, libraries and the input itself."""
    input_mb: float = 0.0
    """The size of the input, where the entrant tells it."""
    values: Values = field(default_factory=dict)


def parser(description: str | None) -> argparse.ArgumentParser:
    """The options that every benchmark has."""
    found = argparse.ArgumentParser(description=(description or "").partition("\n\n")[0])
    found.add_argument("--peer-python", default=sys.executable, help="the interpreter that has the peers installed")
    found.add_argument("--repeat", type=int, default=3, help="runs of each entrant; the best counts (default 3)")
    found.add_argument("--json", type=Path, help="also append the results to this file, a JSON object a line")
    return found


def run(script: str, args: argparse.Namespace, cases: Sequence[Case]) -> None:
    """Run all cases of a script and print a table for each."""
    missing: dict[str, bool] = {}
    for case in cases:
        entrants = []
        for one in case.entrants:
            if one.module not in missing:
                missing[one.module] = not importable(one, args)
                if missing[one.module]:
                    python = sys.executable if one.is_ours else args.peer_python
                    print(f"skipped: {one.module} is not importable with {python}. Hint: --peer-python PATH")
            if not missing[one.module]:
                entrants.append(one)
        with tempfile.TemporaryDirectory(prefix="rankmeter-bench-") as folder:
            call(script, Entrant("make"), folder, case.options, args)
            best = {one: Measured() for one in entrants}
            for _ in range(args.repeat):
                for one in list(best):
                    try:
                        keep_best(best[one], call(script, one, folder, case.options, args))
                    except ChildError as error:
                        print(f"failed: {one.name}: {error}")
                        del best[one]
        report(case, best, args)


def importable(one: Entrant, args: argparse.Namespace) -> bool:
    """Whether the entrant's library is there."""
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({one.module!r}) is None)"
    return not subprocess.run([python_of(one, args), "-c", code], env=environment(one), check=False).returncode


def python_of(one: Entrant, args: argparse.Namespace) -> str:
    """Ours runs where this runs."""
    return sys.executable if one.is_ours else args.peer_python


def environment(one: Entrant) -> dict[str, str]:
    """The checkout is importable for ours; peers see nothing of it."""
    # Bytecode is kept, as installing a package leaves it: a checkout is compiled by the first of several repetitions.
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")}
    return {**env, "PYTHONPATH": str(HERE.parent / "src")} if one.is_ours else env


class ChildError(RuntimeError):
    """An entrant that did not finish; the text is the last line it wrote."""


def call(script: str, one: Entrant, folder: str, options: Options, args: argparse.Namespace) -> Measured:
    """Run one entrant in a process of its own."""
    result = Path(folder) / "result.json"
    result.unlink(missing_ok=True)
    command = [python_of(one, args), str(HERE / "harness.py"), Path(script).stem, one.name, folder, json.dumps(options)]
    spent = spend(command, environment(one))
    found = json.loads(result.read_text()) if result.exists() else {}
    return Measured(**{**found, **spent}) if one.whole_process else Measured(**{**spent, **found})


def spend(command: Sequence[str], env: Mapping[str, str]) -> dict[str, float]:
    """What a whole process takes: its CPU time, wall time and peak memory."""
    start = time.perf_counter()
    with (
        tempfile.TemporaryFile() as talk,
        subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=talk) as process,
    ):
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - start
        if process.returncode:
            talk.seek(0)
            lines = talk.read().decode(errors="replace").strip().splitlines()
            raise ChildError(lines[-1] if lines else f"exit status {process.returncode}")
    cpu = used.ru_utime + used.ru_stime
    return {"cpu": cpu, "system": used.ru_stime, "wall": wall, "peak_mb": megabytes(used.ru_maxrss)}


def megabytes(maxrss: int) -> float:
    """ru_maxrss counts kilobytes, on macOS bytes."""
    return maxrss / 1e6 if sys.platform == "darwin" else maxrss * 1024 / 1e6


def keep_best(best: Measured, new: Measured) -> None:
    """The lowest of each number; kernel time is that of the run with the lowest CPU time."""
    if new.cpu < best.cpu:
        best.system = new.system
    best.peak_mb = min(best.peak_mb or new.peak_mb, new.peak_mb)
    best.cpu, best.wall = min(best.cpu, new.cpu), min(best.wall, new.wall)
    best.before_mb = min(best.before_mb, new.before_mb)
    best.input_mb, best.values = new.input_mb, new.values


def report(case: Case, best: Mapping[Entrant, Measured], args: argparse.Namespace) -> None:
    """Print the table of a case, and what it says."""
    print(f"\n{case.label}")
    print(f"  {'':<28} {'CPU s':>8} {'kernel s':>8} {'wall s':>8} {'peak MB':>8}")
    for one, got in best.items():
        print(f"  {one.name:<28} {got.cpu:>8.3f} {got.system:>8.3f} {got.wall:>8.3f} {got.peak_mb:>8,.0f}")
    for pair in case.pairs:
        if pair.ours in best and pair.peer in best:
            tell_pair(case, pair, best[pair.ours], best[pair.peer], args)
    for one, got in best.items():
        if one.is_ours and case.memory_mb is not None:
            verdict = "met" if got.peak_mb <= case.memory_mb else "MISSED"
            print(f"  {one.name}: {got.peak_mb:,.0f} MB, wanted at most {case.memory_mb:,.0f}: {verdict}")
            write(args, case, one.name, "memory (MB)", got.peak_mb, case.memory_mb, verdict)
        if one in case.alone:
            verdict = "" if case.seconds is None else "met" if got.cpu <= case.seconds else "MISSED"
            if verdict:
                print(f"  {one.name}: {got.cpu:.2f} s of CPU, wanted at most {case.seconds:g}: {verdict}")
            write(args, case, one.name, "alone (CPU s)", got.cpu, case.seconds, verdict)


def tell_pair(case: Case, pair: Pair, ours: Measured, peer: Measured, args: argparse.Namespace) -> None:
    """Say how ours compares with a peer, and whether both found the same values."""
    ratio = peer.cpu / ours.cpu
    wanted = "" if pair.target is None else f", wanted {pair.target:g}"
    verdict = "" if pair.target is None else "met" if ratio >= pair.target else "MISSED"
    agreement = compare(ours.values, peer.values)
    names = f"{pair.ours.name} uses {ratio:.2f} times less CPU than {pair.peer.name}"
    print(f"  {names}{wanted}{': ' + verdict if verdict else ''}; {agreement}")
    for name, value in peer.values.items():
        if name not in ours.values and not isinstance(value, list):
            print(f"  {pair.peer.name} alone: {name} {value:.6g}")
    write(args, case, pair.ours.name, pair.peer.name, ratio, pair.target, verdict, agreement, [ours.cpu, peer.cpu],
          [ours.peak_mb, peer.peak_mb])  # fmt: skip


def compare(ours: Values, peer: Values) -> str:
    """Whether the values that both have agree to 1e-6."""
    both = [name for name in ours if name in peer]
    if not both:
        return "no values to compare"
    worst, name = max((difference(ours[name], peer[name]), name) for name in both)
    if worst <= 1e-6:
        return f"{len(both)} measures agree (at most {worst:.0e} apart)"
    return f"VALUES DIFFER: {name} by {worst:.2e}"


def difference(ours: Any, peer: Any) -> float:
    """The largest difference of two numbers or two lists of them."""
    if not isinstance(ours, list):
        return abs(ours - peer)
    return max(abs(a - b) for a, b in zip(ours, peer, strict=True))


def write(
    args: argparse.Namespace, case: Case, ours: str, against: str, got: float, target: float | None, verdict: str,
    agreement: str = "", cpu: Sequence[float] = (), peak_mb: Sequence[float] = (),
) -> None:  # fmt: skip
    """Append one result to the file that was asked for."""
    if args.json is None:
        return
    record = {"case": case.label, "ours": ours, "against": against, "got": got, "target": target, "verdict": verdict,
              "agreement": agreement, "cpu": list(cpu), "peak_mb": list(peak_mb)}  # fmt: skip
    with args.json.open("a") as file:
        file.write(json.dumps(record) + "\n")


def child(script: str, name: str, folder: str, options: str) -> None:
    """In the child: prepare, measure the work alone, leave the result in the folder."""
    function = getattr(importlib.import_module(script), name)
    if name == "make":
        function(Path(folder), json.loads(options))
        return
    work, values_of, *rest = function(Path(folder), json.loads(options))
    time.sleep(SETTLE_S)
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    done = work()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "system": after.ru_stime - before.ru_stime,
        "wall": wall,
        "peak_mb": megabytes(after.ru_maxrss),
        "before_mb": megabytes(before.ru_maxrss),
        "input_mb": rest[0] if rest else 0.0,
        "values": values_of(done),
    }
    (Path(folder) / "result.json").write_text(json.dumps(found))


if __name__ == "__main__" and len(sys.argv) == 5:
    child(*sys.argv[1:])
