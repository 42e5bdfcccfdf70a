"""Show that rankmeter works in one environment with libraries whose rankings it measures.

``python .ci/beside.py`` tries all of them, each in an environment of its own: uv resolves both together, then the demo
runs, the quick tests, and a script beside this one, in which the library's own output is measured by both. ``--sample
1`` tries one, another every day; names as words try these.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path

from environments import ROOT, TESTED_WITH, empty, passes, refusal

NUMPY_1 = ["numpy==1.26.*", "pyarrow<26"]
"""PyArrow 26 and newer cannot be loaded with NumPy 1, which their metadata does not say."""
LIBRARIES = {
    "rectools": ["rectools", *NUMPY_1],
    "replay": ["replay-rec==0.20.*", *NUMPY_1, "typing-extensions"],  # which it needs and does not declare
    "recbole": ["recbole==1.2.1", *NUMPY_1, "torch==2.13.0"],
    "tensorflow": ["tensorflow==2.17.*", *NUMPY_1],
    "cornac": ["cornac"],
    "implicit": ["implicit"],
    "torch": ["torch==2.13.0"],
}
"""What is installed beside rankmeter; torch as in .ci/run, so that nothing is fetched twice."""
TESTS = ["tests/unit/inputs", "tests/unit/evaluating", "tests/unit/stats", "tests/unit/placing"]


def main() -> None:
    """Try what is asked."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("names", nargs="*", help=f"some of: {', '.join(LIBRARIES)}")
    options.add_argument("--sample", type=int, default=len(LIBRARIES), help="how many to try (all)")
    options.add_argument("--seed", type=int, default=datetime.now(UTC).toordinal(), help="draws the sample (the day)")
    options.add_argument("--python", default=sys.executable, help="which interpreter")
    asked = options.parse_args()
    if unknown := [name for name in asked.names if name not in LIBRARIES]:
        sys.exit(f"not known: {', '.join(unknown)}; known: {', '.join(LIBRARIES)}")
    names = asked.names or random.Random(asked.seed).sample(list(LIBRARIES), min(asked.sample, len(LIBRARIES)))
    results = {name: beside(name, asked.python) for name in names}
    print("", *(f"beside {name}: {result}" for name, result in results.items()), sep="\n")
    sys.exit(any(result.startswith("FAILED") for result in results.values()))


def beside(name: str, interpreter: str) -> str:
    """What came of rankmeter beside a library."""
    print(f"== beside {name}", flush=True)
    wanted = LIBRARIES[name]
    with tempfile.TemporaryDirectory() as folder:
        python = empty(Path(folder) / "venv", interpreter)
        if refused := refusal(python, *wanted):
            return f"left out, it cannot be had here without rankmeter either: {refused}"
        left_out = [extra for extra in extras() if refusal(python, "--dry-run", "-e", f"{ROOT}[{extra}]", *wanted)]
        tested = ",".join(extra for extra in ("report", "pandas", "arrow", "duckdb") if extra not in left_out)
        if refused := refusal(python, "-e", f"{ROOT}[{tested}]", *wanted, *TESTED_WITH):
            return f"FAILED, they cannot be installed together: {refused}"
        work = Path(folder) / "work"
        work.mkdir()
        steps = {
            "its own output": [python, "-W", "ignore", str(ROOT / ".ci" / "beside" / f"with_{name}.py")],
            "the demo": [python, "-m", "rankmeter", "demo"],
        }
        failed = [step for step, words in steps.items() if subprocess.run(words, cwd=work, check=False).returncode]
        if not passes(python, *TESTS, profile="check"):
            failed.append("the tests")
    without = f"; leave out the extra {', '.join(left_out)}" if left_out else "; every extra can be had with it"
    without += f", where these are asked for too: {', '.join(NUMPY_1)}" if NUMPY_1[0] in wanted else ""
    return f"FAILED: {', '.join(failed)}" if failed else f"works{without}"


def extras() -> list[str]:
    """The extras that users install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [extra for extra in project["optional-dependencies"] if extra not in ("dev", "docs")]


if __name__ == "__main__":
    main()
