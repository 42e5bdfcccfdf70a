"""Build the wheel and the sdist, install the wheel into a fresh environment, and run the demo outside of the checkout.

``python .ci/wheel.py`` needs nothing but Python and pip. With ``--tag v1.2.3`` the version must be that of the tag.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
JUDGED = "{'query': ['q'], 'item': ['a'], 'grade': [1]}"
COMPARED = "rm.compare({'q': {'a': 1}}, {'x': {'q': ['a']}, 'y': {'q': ['b', 'a']}}, 'RR').report('page.html')"
EXTRAS = {
    "": "rm.evaluate({'q': {'a': 1}}, {'q': ['b', 'a']}, 'RR')",
    "report": COMPARED,
    "pandas": f"import pandas; rm.evaluate(pandas.DataFrame({JUDGED}), {{'q': ['a']}}, 'RR')",
    "arrow": f"import pyarrow; rm.evaluate(pyarrow.table({JUDGED}), {{'q': ['a']}}, 'RR')",
    "duckdb": "import duckdb; rm.evaluate(duckdb.sql('select 1 query, 2 item, 1 grade'), {1: [2]}, 'RR')",
}
"""What each extra is for, as a call that must work where it is installed; torch and Spark are tested with the rest."""
MISSING_REPORT = f"""
import rankmeter as rm
try:
    {COMPARED}
except rm.MissingExtraError as error:
    assert "[report]" in str(error), error
else:
    raise SystemExit("the extra was not missed")
"""
"""A message that must name the extra where it is not installed."""


def main() -> None:
    """Build, install, try."""
    options = argparse.ArgumentParser()
    options.add_argument("--tag")
    options.add_argument("--extras", default="report", help="comma-separated, or: all")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tools = environment(Path(folder) / "tools")
        run(tools, "-m", "pip", "install", "-q", "build", "twine")
        run(tools, "-m", "build", "--outdir", str(ROOT / "dist"), str(ROOT))
        files = sorted((ROOT / "dist").glob("rankmeter-*"))
        run(tools, "-m", "twine", "check", "--strict", *map(str, files))
        wheel = max((file for file in files if file.suffix == ".whl"), key=lambda file: file.stat().st_mtime)
        built = wheel.name.split("-")[1]
        if asked.tag and asked.tag != f"v{built}":
            sys.exit(f"the tag is {asked.tag}, but the wheel is of version {built}")
        extras = list(EXTRAS) if asked.extras == "all" else ["", *asked.extras.split(",")]
        for extra in extras:
            tried(Path(folder) / f"with-{extra or 'nothing'}", wheel, extra)
    print(f"{wheel.name}: built, installed with {', '.join(extra or 'no extra' for extra in extras)}, and tried")


def tried(folder: Path, wheel: Path, extra: str) -> None:
    """Install the wheel with one extra and do what the extra is for, in a folder of its own."""
    python = environment(folder)
    run(python, "-m", "pip", "install", "-q", f"{wheel}[{extra}]" if extra else str(wheel))
    work = folder / "work"
    work.mkdir()
    run(python, "-c", f"import rankmeter as rm; {EXTRAS[extra]}", cwd=work)
    if extra == "report":
        run(python, "-m", "rankmeter", "demo", cwd=work)
        run(python, "-m", "rankmeter", "demo", "--data", "data", cwd=work)
        run(python, "-m", "rankmeter", "evaluate", "data/judgments.qrels", "data/keyword.run", "-m", "AP", cwd=work)
    else:
        run(python, "-c", MISSING_REPORT, cwd=work)


def environment(folder: Path) -> str:
    """A new virtual environment; its Python."""
    venv.create(folder, with_pip=True)
    return str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")


def run(python: str, *words: str, cwd: Path | None = None) -> None:
    """Run Python; an error ends everything."""
    if subprocess.run([python, *words], cwd=cwd, check=False).returncode:
        sys.exit(f"failed: python {' '.join(words)}")


if __name__ == "__main__":
    main()
