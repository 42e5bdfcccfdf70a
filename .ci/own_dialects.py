"""Show that every tool's own functions are recognised: ``rankmeter.check`` names the tool's dialect.

``python .ci/own_dialects.py`` makes an environment for each group of tools that can be installed together, and runs
``tests/conformance/test_own_dialect.py`` and ``test_not_reproduced.py`` there; ``--sample 1`` takes one group, another
every day; names as words try the groups of these tools.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from environments import ROOT, TESTED_WITH, empty, refusal

sys.path.insert(0, str(ROOT))
from tests.conformance.tool_functions import TOOLS

GROUPS = {tool.environment: [other for other in TOOLS if other.environment == tool.environment] for tool in TOOLS}
TESTS = ("tests/conformance/test_own_dialect.py", "tests/conformance/test_not_reproduced.py")


def main() -> None:
    """Try what is asked."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("names", nargs="*", help=f"some of: {', '.join(tool.name for tool in TOOLS)}")
    options.add_argument("--sample", type=int, default=len(GROUPS), help="how many groups to try (all)")
    options.add_argument("--seed", type=int, default=datetime.now(UTC).toordinal(), help="draws the sample (the day)")
    asked = options.parse_args()
    if unknown := {*asked.names} - {tool.name for tool in TOOLS}:
        sys.exit(f"not known: {', '.join(sorted(unknown))}; known: {', '.join(tool.name for tool in TOOLS)}")
    chosen = [name for name, tools in GROUPS.items() if {tool.name for tool in tools} & {*asked.names}]
    chosen = chosen or random.Random(asked.seed).sample(list(GROUPS), min(asked.sample, len(GROUPS)))
    results = {name: tried(name) for name in chosen}
    print(
        "",
        *(f"{', '.join(tool.name for tool in GROUPS[name])}: {result}" for name, result in results.items()),
        sep="\n",
    )
    sys.exit(any(result.startswith("FAILED") for result in results.values()))


def tried(group: str) -> str:
    """What came of the tools of one group."""
    packages = dict.fromkeys(package for tool in GROUPS[group] for package in tool.packages)
    print(f"== {', '.join(packages)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        python = empty(Path(folder) / "venv")
        if refused := refusal(python, "-e", str(ROOT), *packages, *TESTED_WITH):
            return f"left out, they cannot be had here: {refused}"
        words = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
        return "as the dialects say" if subprocess.run(words, cwd=ROOT, check=False).returncode == 0 else "FAILED"


if __name__ == "__main__":
    main()
