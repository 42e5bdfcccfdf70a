"""Run the demo and the quick tests with the lowest versions that pyproject.toml allows, or with the highest.

``python .ci/versions.py lowest-direct`` makes an environment of its own under ``build/``; uv resolves and installs.
``--extras spark,torch,mlflow`` installs these too; the tests that need them are skipped otherwise.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ["tests/unit", "tests/properties", "tests/cli", "src"]


def main() -> None:
    """Install and test."""
    options = argparse.ArgumentParser()
    options.add_argument("resolution", choices=["lowest-direct", "highest"])
    options.add_argument("--python", default=sys.executable, help="which interpreter")
    options.add_argument("--extras", default="", help="comma-separated")
    options.add_argument("--jobs", default="2")
    options.add_argument("tests", nargs="*", default=TESTS)
    asked = options.parse_intermixed_args()
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    folder = ROOT / "build" / f"versions-{asked.resolution}-{Path(asked.python).name}"
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    extras = f"{ROOT}[{','.join(filter(None, ['dev', asked.extras]))}]"
    run(uv, "venv", "-q", "--allow-existing", "--python", asked.python, str(folder))
    run(uv, "pip", "install", "-q", "--python", str(python), "--resolution", asked.resolution, "-e", extras)
    run(uv, "pip", "list", "--python", str(python))
    run(str(python), "-m", "rankmeter", "demo", "--output", str(folder / "demo"))
    environment = {"HYPOTHESIS_PROFILE": "fast", **os.environ}
    words = [str(python), "-m", "pytest", "-q", "-n", asked.jobs, "-m", "not slow", *asked.tests]
    sys.exit(subprocess.run(words, cwd=ROOT, env=environment, check=False).returncode)


def run(*words: str) -> None:
    """Run a command; an error ends everything."""
    if subprocess.run(words, cwd=ROOT, check=False).returncode:
        sys.exit(f"failed: {' '.join(words)}")


if __name__ == "__main__":
    main()
