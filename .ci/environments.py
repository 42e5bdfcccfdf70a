"""Environments in which CI tries rankmeter: how they are made, and how commands are run in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UV = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
TESTED_WITH = ["pytest>=8.3", "pytest-xdist>=3.6", "hypothesis>=6.100"]
"""What the tests themselves need; those of anything else are skipped where it is absent."""
if "PIP_FIND_LINKS" in os.environ:  # uv looks where pip was told to look
    os.environ.setdefault("UV_FIND_LINKS", os.environ["PIP_FIND_LINKS"])


def new(folder: Path, *packages: str, python: str = sys.executable) -> str:
    """A new virtual environment with some packages, as words of ``uv pip install``; its Python."""
    made = empty(folder, python)
    run(UV, "pip", "install", "-q", "--python", made, *packages)
    return made


def empty(folder: Path, python: str = sys.executable) -> str:
    """A new virtual environment with nothing in it; its Python."""
    run(UV, "venv", "-q", "--clear", "--python", python, str(folder))
    return str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")


def refusal(python: str, *packages: str) -> str:
    """Install packages that may not go together: what uv says where they do not; another failure ends everything."""
    words = [UV, "pip", "install", "-q", "--python", python, *packages]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode and "No solution found" not in done.stderr:
        sys.exit(f"{done.stderr}failed: {' '.join(words)}")
    return done.stderr.strip() if done.returncode else ""


def passes(python: str, *words: str, profile: str, jobs: str = "2") -> bool:
    """Whether tests pass in an environment. A process that dies is a failure that names the test."""
    environment = {**os.environ, "HYPOTHESIS_PROFILE": profile, "PYTHONFAULTHANDLER": "1"}
    command = [python, "-m", "pytest", "-q", "-n", jobs, "-m", "not slow", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def run(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
    """Run a command; an error ends everything."""
    if subprocess.run(words, cwd=cwd, env=env, check=False).returncode:
        sys.exit(f"failed: {' '.join(words)}")
