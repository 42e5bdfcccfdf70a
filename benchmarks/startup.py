"""Whether rankmeter starts in at most 1.5 times the time of ir_measures to import, 1.2 times on the command line.

Whole processes. The command evaluates nDCG@10 of three queries.
"""

from __future__ import annotations

from pathlib import Path

import harness

QUERIES = ("301", "302", "303")


def make(folder: Path, options: harness.Options) -> None:  # noqa: ARG001
    (folder / "qrels.txt").write_text("".join(f"{q} 0 d{n} {n % 3}\n" for q in QUERIES for n in range(6)))
    lines = (f"{q} Q0 d{n} {n + 1} {9 - n}.5 sys\n" for q in QUERIES for n in range(9))
    (folder / "run.txt").write_text("".join(lines))


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


if __name__ == "__main__":
    main()
