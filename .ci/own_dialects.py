"""Show that every tool's own functions are recognised: ``rankmeter.check`` names the tool's dialect.

``python .ci/own_dialects.py`` makes an environment for each group of tools that can be installed together, and runs
``tests/conformance/test_own_dialect.py`` and ``test_not_reproduced.py`` there; ``--sample 1`` takes one group, another
every day, of those that the environment of all tests has no place for; names as words try the groups of these tools.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from environments import ROOT, TESTED_WITH, empty, refusal

sys.path.insert(0, str(ROOT))
from tests.conformance.tool_functions import TOOLS, WALKED

GROUPS: dict[str, dict[str, tuple[str, ...]]] = {}
"""The tools of each environment, with what is installed for them."""
for known in TOOLS:
    GROUPS.setdefault(known.environment, {})[known.name] = known.packages
GROUPS |= {name: {name: packages} for name, packages in WALKED.items()}
NAMES = [name for tools in GROUPS.values() for name in tools]
SAMPLED = [group for group in GROUPS if group not in ("usual", "beir", "lenskit", "recbole")]
"""``make test`` tries the usual ones wherever they are installed; the others bring gigabytes along."""
TESTS = ("tests/conformance/test_own_dialect.py", "tests/conformance/test_not_reproduced.py")


def main() -> None:
    """Try what is asked."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("names", nargs="*", help=f"some of: {', '.join(NAMES)}")
    options.add_argument("--sample", type=int, help="how many groups to try (all)")
    options.add_argument("--seed", type=int, default=datetime.now(UTC).toordinal(), help="draws the sample (the day)")
    asked = options.parse_args()
    if unknown := {*asked.names} - {*NAMES}:
        sys.exit(f"not known: {', '.join(sorted(unknown))}; known: {', '.join(NAMES)}")
    chosen = [group for group, tools in GROUPS.items() if {*tools} & {*asked.names} or not asked.names]
    if asked.sample is not None:
        chosen = random.Random(asked.seed).sample(SAMPLED, min(asked.sample, len(SAMPLED)))
    results = {name: tried(name) for name in chosen}
    print(
        "",
        *(f"{', '.join(GROUPS[name])}: {result}" for name, result in results.items()),
        sep="\n",
    )
    sys.exit(any(result.startswith("FAILED") for result in results.values()))


def tried(group: str) -> str:
    """What came of the tools of one group."""
    packages = dict.fromkeys(package for packages in GROUPS[group].values() for package in packages)
    print(f"== {', '.join(packages)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        python = empty(Path(folder) / "venv")
        if refused := refusal(python, "-e", str(ROOT), *packages, *TESTED_WITH):
            return f"left out, they cannot be had here: {refused}"
        # Tests of other tools are left out; whatever is still skipped is one that never ran, and fails.
        chosen = " or ".join(f"[{name}]" for name in GROUPS[group])
        words = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, "-k", chosen]
        # All tests of these tools, whichever profile takes a few cases of the others.
        environment = {**os.environ, "RANKMETER_SKIPS": "fail", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                       "HYPOTHESIS_PROFILE": "fast"}  # fmt: skip
        done = subprocess.run(words, cwd=ROOT, env=environment, check=False)
        return "as the dialects say" if done.returncode == 0 else "FAILED"


if __name__ == "__main__":
    main()
