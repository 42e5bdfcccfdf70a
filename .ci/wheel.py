"""Build the wheel and the sdist, install the wheel into fresh environments, and try it outside of the checkout.

``python .ci/wheel.py`` needs uv. Each extra has an environment and a call of its own; ``--extras report,torch`` tries
some of them. With ``--tag v1.2.3`` the version must be that of the tag. ``--constraints`` names a file of versions,
those of an environment that is there already, so that nothing is fetched twice.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from environments import ROOT, UV, new, run

BLOCK = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
QUIET = "exec >/dev/null\n"
JUDGED = "{'query': ['q'], 'item': ['a'], 'grade': [1]}"
COMPARED = "rm.compare({'q': {'a': 1}}, {'x': {'q': ['a']}, 'y': {'q': ['b', 'a']}}, 'RR').report('page.html')"
CORE = "rm.evaluate({'q': {'a': 1}}, {'q': ['b', 'a']}, 'RR')"
SPARK = """
import os, sys
from pyspark.sql import SparkSession
os.environ['PYSPARK_PYTHON'] = sys.executable
builder = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false')
spark = builder.config('spark.driver.host', '127.0.0.1').config('spark.driver.bindAddress', '127.0.0.1').getOrCreate()
judged = spark.createDataFrame([('q', 'a', 1)], 'query string, item string, grade int')
run = spark.createDataFrame([('q', 'b', 2.0), ('q', 'a', 1.0)], 'query string, item string, score double')
assert rm.evaluate(judged, run, 'RR')['RR'] == 0.5
spark.stop()
"""
EXTRAS = {
    "": CORE,
    "report": COMPARED,
    "pandas": f"import pandas; rm.evaluate(pandas.DataFrame({JUDGED}), {{'q': ['a']}}, 'RR')",
    "arrow": f"import pyarrow; rm.evaluate(pyarrow.table({JUDGED}), {{'q': ['a']}}, 'RR')",
    "duckdb": "import duckdb; rm.evaluate(duckdb.sql('select 1 query, 2 item, 1 grade'), {1: [2]}, 'RR')",
    "torch": "import torch; rm.evaluate(rm.tensors(torch.tensor([[2.0, 1.0]]), torch.tensor([[0, 1]])), measures='RR')",
    "spark": SPARK if shutil.which("java") else "import pyspark, pyarrow",
}
"""What each extra is for, as a call that must work where nothing else is installed."""
MLFLOW = f"import mlflow; mlflow.set_tracking_uri('sqlite:///runs.db'); rm.log_to_mlflow({CORE})"
EXTRAS[",".join([*filter(None, EXTRAS), "mlflow"])] = "\n".join([*EXTRAS.values(), MLFLOW])  # all of them at once
MISSED = {
    "report": COMPARED,
    "torch": "rm.rank_catalogue({0: [0]}, [[1.0]], [[1.0]], device='cuda')",
    "mlflow": f"rm.log_to_mlflow({CORE})",
    "pandas": f"{CORE}.to_pandas()",
    "arrow": f"{CORE}.to_arrow()",
}
"""Calls whose message must name the extra where it is not installed."""
REFUSED = """
import rankmeter as rm
try:
    {call}
except rm.MissingExtraError as error:
    assert "[{extra}]" in str(error), error
else:
    raise SystemExit("the extra {extra} was not missed")
"""


def main() -> None:
    """Build, install, try."""
    options = argparse.ArgumentParser()
    options.add_argument("--tag")
    options.add_argument("--extras", default="report", help="comma-separated, or: all, each alone and all at once")
    options.add_argument("--constraints", type=Path)
    asked = options.parse_args()
    constraints = ["--constraint", str(asked.constraints.resolve())] if asked.constraints else []
    run(UV, "build", "-q", "--clear", "--out-dir", str(ROOT / "dist"), str(ROOT))
    files = sorted((ROOT / "dist").glob("rankmeter-*"))
    wheel = next(file for file in files if file.suffix == ".whl")
    built = wheel.name.split("-")[1]
    if asked.tag and asked.tag != f"v{built}":
        sys.exit(f"the tag is {asked.tag}, but the wheel is of version {built}")
    complete(next(file for file in files if file.suffix == ".gz"))
    linked(wheel)
    extras = list(EXTRAS) if asked.extras == "all" else ["", *asked.extras.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        twine = new(Path(folder) / "tools", "twine")
        run(twine, "-m", "twine", "check", "--strict", *map(str, files))
        for extra in extras:
            place = Path(folder) / f"with-{extra.replace(',', '-') or 'nothing'}"
            python = new(place, f"{wheel}[{extra}]" if extra else str(wheel), *constraints)
            tried(python, place, extra)
            print(f"tried with {extra or 'no extra'}", flush=True)
    print(f"{wheel.name}: built, installed with {', '.join(extra or 'no extra' for extra in extras)}, and tried")


def complete(sdist: Path) -> None:
    """Who packages rankmeter runs its tests and builds its site: the sdist holds all that the repository does."""
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    git = shutil.which("git")
    listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True) if git else None
    tracked = set(listed.stdout.decode().split("\0")) - {""} if listed else set()
    if lost := sorted(name for name in tracked - packed if (ROOT / name).exists()):
        sys.exit(f"the sdist lacks {len(lost)} files, among them {', '.join(lost[:5])}")


def linked(wheel: Path) -> None:
    """The package's page stands on its own: a link into the repository leads nowhere from there."""
    with zipfile.ZipFile(wheel) as archive:
        metadata = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        page = archive.read(metadata).decode()
    if relative := re.findall(r"\]\((?!https://)([^)\s]+)\)", page):
        sys.exit(f"links of the package's page lead nowhere: {', '.join(relative)}")


def tried(python: str, folder: Path, extra: str) -> None:
    """Do what the extra is for, in a folder of its own, and without it what every other extra is for."""
    work = folder / "work"
    work.mkdir()
    run(python, "-c", f"import rankmeter as rm\n{EXTRAS[extra]}", cwd=work)
    if extra == "report":
        run(python, "-m", "rankmeter", "demo", cwd=work)
        followed(python, work)
    if not extra:
        for missed, call in MISSED.items():
            run(python, "-c", REFUSED.format(extra=missed, call=call), cwd=work)


def followed(python: str, work: Path) -> None:
    """Do to the letter what the site's front page says, in both languages, then what the page of each reader says."""
    programs = os.pathsep.join([str(Path(python).parent), os.environ["PATH"]])
    for name in ("index.md", "index.zh.md"):
        page = (ROOT / "docs" / name).read_text(encoding="utf-8")
        commands = [block for block in BLOCK.findall(page) if block.startswith("rankmeter ")]
        run("bash", "-euc", QUIET + "".join(commands), cwd=work, env={**os.environ, "PATH": programs})
        run(python, "-m", "doctest", "-o", "ELLIPSIS", str(ROOT / "docs" / name), cwd=work)
    for reader in sorted((ROOT / "docs" / "for").glob("*.md")):
        commands = BLOCK.findall(reader.read_text(encoding="utf-8"))
        run("bash", "-euc", QUIET + "".join(commands), cwd=work / "demo-data", env={**os.environ, "PATH": programs})
        run(python, "-m", "doctest", "-o", "ELLIPSIS", str(reader), cwd=work)


if __name__ == "__main__":
    main()
