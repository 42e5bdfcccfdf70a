"""Whether rankmeter starts in at most 1.5 times the time of ir_measures to import, 1.2 times on the command line.

Whole processes. The command evaluates nDCG@10 of six queries. Other commands on runs as small stand against a process
that only imports NumPy, which is the floor of each of them: they may take three times as long.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import harness

QUERIES = ("301", "302", "303", "304", "305", "306")


MOST_OF_NUMPY = 3
COMMANDS = {
    "evaluate": "evaluate qrels.txt run.txt",
    "evaluate --interval": "evaluate qrels.txt run.txt --interval",
    "compare": "compare qrels.txt run.txt other.txt",
    "explain --query": "explain nDCG@10 qrels.txt run.txt --query 301",
    "judge pool": "judge pool qrels.txt run.txt other.txt",
}


def make(folder: Path, options: harness.Options) -> None:  # noqa: ARG001
    judged = (f"{q} 0 d{n} {(n * int(q) + n // 2) % 3}\n" for q in QUERIES for n in range(6))
    (folder / "qrels.txt").write_text("".join(judged))
    for name, step in (("run", 1), ("other", 5)):
        ordered = ((q, rank, (rank * step + 4 + int(q) * step) % 9) for q in QUERIES for rank in range(9))
        lines = (f"{q} Q0 d{item} {rank + 1} {9 - rank}.5 {name}\n" for q, rank, item in ordered)
        (folder / f"{name}.txt").write_text("".join(lines))


def rankmeter_import(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    return lambda: __import__("rankmeter"), lambda _: {}


def ir_measures_import(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    return lambda: __import__("ir_measures"), lambda _: {}


def _command(module: str, folder: Path, *arguments: str) -> harness.Work:
    def work():
        import runpy
        import sys

        sys.argv = [module, *arguments[:1], str(folder / "qrels.txt"), str(folder / "run.txt"), *arguments[1:]]
        sys.argv = [argument for argument in sys.argv if argument]
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{module} ended with {end.code}") from end

    return work, lambda _: {}


def rankmeter_command(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    return _command("rankmeter", folder, "evaluate", "-m", "nDCG@10")


def ir_measures_command(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    return _command("ir_measures", folder, "", "nDCG@10")


def against_numpy(args: argparse.Namespace) -> None:
    """Our commands against a process that only imports NumPy; nothing of the harness runs in either."""
    ours, floor = harness.Entrant("rankmeter", whole_process=True), harness.Entrant("import numpy", "numpy")
    with tempfile.TemporaryDirectory(prefix="rankmeter-bench-") as name:
        folder = Path(name)
        make(folder, {})
        for label, words in COMMANDS.items():
            paths = [str(folder / word) if word.endswith(".txt") else word for word in words.split()]
            commands = {
                ours: [sys.executable, "-m", "rankmeter", *paths],
                floor: [sys.executable, "-c", "import numpy"],
            }
            best = {entrant: harness.Measured() for entrant in commands}
            for _ in range(args.repeat):
                for entrant, command in commands.items():
                    spent = harness.spend(command, harness.environment(entrant))
                    harness.keep_best(best[entrant], harness.Measured(**spent))
            pair = harness.Pair(ours, floor, target=1 / MOST_OF_NUMPY)
            harness.report(harness.Case(f"start-up: {label}, whole process", {}, [pair]), best, args)


def main() -> None:
    parser = harness.parser(__doc__)
    parser.set_defaults(repeat=7)
    args = parser.parse_args()
    cases = []
    for what, most in (("import", 1.5), ("command", 1.2)):
        ours = harness.Entrant(f"rankmeter_{what}", whole_process=True)
        peer = harness.Entrant(f"ir_measures_{what}", "ir_measures", whole_process=True)
        cases.append(harness.Case(f"start-up: {what}, whole process", {}, [harness.Pair(ours, peer, target=1 / most)]))
    harness.run(__file__, args, cases)
    against_numpy(args)


if __name__ == "__main__":
    main()
