"""Take wings away and show that the rest works: ``python docs/tools/without.py spark``, or ``all``, or ``each``.

The tracked files are copied to ``build/without-NAME`` without the wing's folder, its tests and its pages; what is
generated is made anew there. Then rankmeter is imported, ``--help`` shown, what the wing held asked for, and the core's
tests run: all that are not slow; with ``--few`` those of names, help, words and shape, in seconds. ``--types`` checks
types too, ``--site`` builds the site.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from rankmeter.wings import table

ROOT = Path(__file__).parents[2]
TESTS = ["tests/unit", "tests/properties", "tests/golden", "tests/cli/test_help.py"]
FEW = [*(f"tests/unit/test_{name}.py" for name in ("public_names", "shape", "wording")), "tests/cli/test_help.py"]
ASKED = """
import rankmeter as rm
from rankmeter.wings import table, is_there
for name, home in table.NAMES.items():
    wing = home.split(".")[2]
    try:
        getattr(rm, name)
    except rm.MissingExtraError as error:
        assert not is_there(wing) and f"'{wing}'" in str(error), error
    else:
        assert is_there(wing), name
print(len(rm.__all__), "public names")
"""


def main() -> None:
    """Copy, take away, try."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("wings", nargs="+", choices=[*table.WINGS, "all", "each"])
    options.add_argument("--few", action="store_true", help="run few tests")
    options.add_argument("--types", action="store_true", help="check types too")
    options.add_argument("--site", action="store_true", help="build the site too")
    asked = options.parse_args()
    taken = [[wing] for wing in table.WINGS] if "each" in asked.wings else [asked.wings]
    for wings in taken:
        without(list(table.WINGS) if "all" in wings else wings, asked)


def without(wings: list[str], asked: argparse.Namespace) -> None:
    """One tree without these wings, tried."""
    tree = ROOT / "build" / f"without-{'-'.join(wings) if len(wings) < len(table.WINGS) else 'all'}"
    shutil.rmtree(tree, ignore_errors=True)
    git = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    folders = "src/rankmeter/wings", "tests/wings", "docs/wings"
    gone = tuple(f"{folder}/{wing}/" for wing in wings for folder in folders)
    pages = {f"docs/{page}" for page, wing in table.DOCS.items() if wing in wings}
    pages |= {page.replace(".md", ".zh.md") for page in pages}
    for name in filter(None, git.stdout.split("\0")):
        if not name.startswith(gone) and name not in pages and (ROOT / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    print(f"== without {', '.join(wings)}", flush=True)
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}

    def run(*words: str) -> None:
        if subprocess.run([sys.executable, *words], cwd=tree, env=environment, check=False).returncode:
            sys.exit(f"failed without {', '.join(wings)}: {' '.join(words)}")

    # The table stays as it was: it says which wing holds what is asked for.
    run("-c", ASKED)
    run("-m", "rankmeter", "--help")
    run("docs/tools/make_names.py")
    run("docs/tools/make_reference.py")
    if asked.types:
        run("-m", "mypy")
    if asked.site:
        run("docs/tools/make_site.py")
    run("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-m", "not slow", *(FEW if asked.few else TESTS))
    shutil.rmtree(tree)


if __name__ == "__main__":
    main()
