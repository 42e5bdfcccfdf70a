"""Run the demo and the quick tests with the lowest versions that pyproject.toml allows, or with the highest.

``python .ci/versions.py lowest-direct`` makes an environment of its own under ``build/``; uv resolves and installs.
``--extras spark,torch,mlflow`` installs these too; the tests that need them are skipped otherwise.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from environments import ROOT, UV, empty, passes, run

TESTS = ["tests/unit", "tests/properties", "tests/cli", "src"]


def main() -> None:
    """Install and test."""
    options = argparse.ArgumentParser()
    options.add_argument("resolution", choices=["lowest-direct", "highest"])
    options.add_argument("--python", default=sys.executable, help="which interpreter")
    options.add_argument("--extras", default="", help="comma-separated")
    options.add_argument("--jobs", default="2")
    options.add_argument(
        "--all", action="append", default=[], help="tests of which every case runs, whatever the profile"
    )
    options.add_argument("tests", nargs="*", default=TESTS)
    asked = options.parse_intermixed_args()
    folder = ROOT / "build" / f"versions-{asked.resolution}-{Path(asked.python).name}"
    python = empty(folder, asked.python)
    extras = f"{ROOT}[{','.join(filter(None, ['dev', asked.extras]))}]"
    run(UV, "pip", "install", "-q", "--python", python, "--resolution", asked.resolution, "-e", extras)
    run(UV, "pip", "list", "--python", python)
    run(python, "-m", "rankmeter", "demo", "--output", str(folder / "demo"))
    failed = [
        profile
        for profile, paths in (("fast", asked.all), (os.environ.get("HYPOTHESIS_PROFILE") or "fast", asked.tests))
        if paths and not passes(python, *paths, profile=profile, jobs=asked.jobs)
    ]
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
