"""Do what README.md and CONTRIBUTING.md say, to the letter, on a machine that has Python and make and nothing else.

The tracked files are copied into a new folder, and the commands run in an environment of their own: on the PATH stand
only the usual tools of a shell, make and this Python; there is no home that could be written to, no locale, no git.
README's commands come first, in both languages, in the environment that they make; then every target of the Makefile,
in another copy. ``--with java,git`` puts these programs onto the PATH too: whatever a machine has, the targets work
with what they install.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = """awk basename bash cat chmod cp cut date dirname env expr find grep head id ln ls make mkdir mktemp mv ps
    readlink rm rmdir sed sh sleep sort tail tar tee touch tr true uname wc xargs"""
KEPT = re.compile(r"(PIP|SSL|REQUESTS|CURL)_\w+|(?i:\w+_proxy)|LD_LIBRARY_PATH")
"""Variables without which nothing could be installed, or this Python not be started."""
BLOCK = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
FIRST, LAST = ("help", "demo", "test"), ("clean",)
WITHIN = ("lint", "types", "layers", "fast")
"""What make check calls."""
SHORT = {
    "test": ["HYPOTHESIS_PROFILE=check", "RANKMETER_DRAW=2026-11-19"],  # some cases of every test, always the same
    "check": ["RANKMETER_DRAW=2026-11-19"],
    "hunt": ["HUNTED=tests/properties/test_grammar.py"],
    "bench": ["BENCHMARKS=benchmarks/startup.py"],
    "mutants": ["MUTANTS=--count 2 --rooms stats --near"],
    "beside": ["BESIDE=--help"],  # other stages of .ci/run run both
    "combinations": ["COMBINATIONS=--list"],
}
"""What makes a target shorter that would take long."""


def main() -> None:
    """Copy, type, look."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--with", dest="programs", default="", help="programs on the PATH too, comma-separated")
    options.add_argument("targets", nargs="*", help="targets of the Makefile (all); readme: only that")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = bare(Path(folder) / "bin", asked.programs.split(",") if asked.programs else [])
        if not asked.targets or "readme" in asked.targets:
            readme(copied(Path(folder) / "readme"), environment)
        tree = copied(Path(folder) / "tree")
        for target in asked.targets or targets(tree):
            if target != "readme":
                call(f"make {target}", "make", target, *SHORT.get(target, []), cwd=tree, environment=environment)


def bare(programs: Path, more: list[str]) -> dict[str, str]:
    """An environment with little on its PATH."""
    programs.mkdir()
    for name in [*TOOLS.split(), *more]:
        if found := shutil.which(name):
            (programs / name).symlink_to(Path(found).resolve() if name not in more else found)
    for name in ("python3", "python"):  # not a link: a virtual environment is made beside what it is called by
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
    settings = Path.home() / ".config" / "pip" / "pip.conf"
    if settings.exists():
        kept.setdefault("PIP_CONFIG_FILE", str(settings))
    kept.setdefault("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip"))
    return {"PATH": str(programs), "HOME": "/proc/nowhere", "LC_ALL": "C", **kept}


def copied(folder: Path) -> Path:
    """The tracked files in a new folder that is no repository, as an archive of them is unpacked."""
    git = ["git", "ls-files", "-z"]
    for name in filter(
        None, subprocess.run(git, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    ):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def targets(tree: Path) -> list[str]:
    """The documented targets of the Makefile: those of the README first, as on a machine that has nothing yet."""
    listed = re.findall(r"^([a-z-]+):.*## ", (tree / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    return [*FIRST, *(name for name in listed if name not in (*FIRST, *WITHIN, *LAST)), *LAST]


def readme(tree: Path, environment: dict[str, str]) -> None:
    """Install as README says, then type its commands and run its examples, in both languages."""
    for page in ("README.md", "README.zh.md"):
        text = (tree / page).read_text(encoding="utf-8")
        install, *commands = BLOCK.findall(text)
        written = "\n".join([*commands, "cd .. && rm -r demo-data", f"python -m doctest -o ELLIPSIS {page}"])
        call(f"{page}: the commands", "bash", "-euc", f"{install}\n{written}", cwd=tree, environment=environment)


def call(what: str, *words: str, cwd: Path, environment: dict[str, str]) -> None:
    """Run a command; an error ends everything, with what was said."""
    begun = time.monotonic()
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, check=False)
    if done.returncode:
        sys.stdout.buffer.write(done.stdout + done.stderr)
        sys.exit(f"failed on a bare machine with {done.returncode}: {what}")
    print(f"on a bare machine: {what} ({time.monotonic() - begun:.0f}s)", flush=True)


if __name__ == "__main__":
    main()
