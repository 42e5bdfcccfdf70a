"""Run the tests of every way in with versions of other libraries between the lowest and the highest.

``python .ci/combinations.py --sample 4`` draws four combinations of pandas, PyArrow, Polars, NumPy, DuckDB and
Narwhals, others every day; ``--list`` shows all, in which every two versions of two libraries meet at least once, and
``--only 7`` runs one of them. Versions are what the package index has from the lower bound in pyproject.toml on, the
last one of each generation.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import tomllib
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

from environments import ROOT, TESTED_WITH, empty, passes, refusal

DEPTH = {"pandas": 2, "pyarrow": 1, "polars": 2, "numpy": 2, "duckdb": 2, "narwhals": 2}
"""How many parts of a library's version make a generation."""
TESTS = [
    "tests/unit/inputs", "tests/unit/placing", "tests/unit/evaluating", "tests/unit/lists", "tests/wings/online",
    "tests/properties/test_every_route.py", "tests/conformance/test_every_path.py",
    "tests/conformance/test_ways_of_placing.py", "tests/conformance/test_streamed.py",
]  # fmt: skip
"""Every way in which data comes to rankmeter, and what reads it."""
TOGETHER = "import duckdb, narwhals, numpy, pandas, polars, pyarrow; pandas.DataFrame({'a': ['b']}); print('together')"

Generation = tuple[int, ...]
Combination = dict[str, Generation]


def main() -> None:
    """Draw, install, test."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--sample", type=int, help="how many to run (all)")
    options.add_argument("--seed", type=int, default=datetime.now(UTC).toordinal(), help="draws the sample (the day)")
    options.add_argument("--part", type=int, default=0, help="which share of all to draw from, where several draw")
    options.add_argument("--parts", type=int, default=1, help="how many shares there are")
    options.add_argument("--only", type=int, action="append", help="the number of one to run")
    options.add_argument("--list", action="store_true", help="show all, run none")
    options.add_argument("tests", nargs="*", default=TESTS)
    asked = options.parse_args()
    plan = covering({name: generations(name) for name in DEPTH})
    share = range(len(plan))[asked.part :: asked.parts]
    chosen = asked.only or random.Random(asked.seed).sample(share, min(asked.sample or len(share), len(share)))
    if asked.list:
        print(*(f"{number:3} {written(one)}" for number, one in enumerate(plan)), sep="\n")
        return
    failed = [number for number in chosen if not holds(number, plan[number], asked.tests)]
    for number in failed:
        print(f"failed: {number} {written(plan[number])} (again: python .ci/combinations.py --only {number})")
    sys.exit(bool(failed))


def holds(number: int, combination: Combination, paths: list[str]) -> bool:
    """Whether all tests pass with these versions; those that cannot be together count as passed, and it is said."""
    print(f"== {number}: {written(combination)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        python = empty(Path(folder) / "venv")
        pinned = [f"{name}=={'.'.join(map(str, part))}.*" for name, part in combination.items()]
        if refused := refusal(python, "-e", str(ROOT), *TESTED_WITH, *pinned):
            print(f"cannot be had together: {refused}")
            return True
        if subprocess.run([python, "-c", TOGETHER], check=False).returncode:
            print("these do not work with each other, without rankmeter")
            return True
        return passes(python, *paths, profile="check")


def generations(library: str) -> list[Generation]:
    """The generations of a library from its lower bound on, as the package index has them for this Python."""
    words = [sys.executable, "-m", "pip", "index", "versions", "--only-binary", ":all:", library]
    answer = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    listed = re.search(r"^Available versions: (.*)$", answer, re.MULTILINE)
    if not listed:
        sys.exit(f"the package index says nothing of {library}")
    versions = [tuple(map(int, text.split("."))) for text in listed[1].split(", ") if re.fullmatch(r"[\d.]+", text)]
    return sorted({version[: DEPTH[library]] for version in versions if version >= lowest(library)})


def lowest(library: str) -> Generation:
    """The lower bound of a library in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    return min(
        tuple(map(int, bound[1].split("."))) for one in wanted if (bound := re.match(rf"{library}>=([\d.]+)", one))
    )


def covering(choices: dict[str, list[Generation]]) -> list[Combination]:
    """Few combinations in which every two generations of two libraries meet; the same ones for the same choices."""
    draw = random.Random(0)
    pairs = {
        frozenset([(one, left), (other, right)])
        for one, other in combinations(choices, 2)
        for left in choices[one]
        for right in choices[other]
    }
    missing = {pair for pair in pairs if possible(dict(pair), choices["numpy"])}
    plan = []
    while missing:
        made: Combination = dict(draw.choice(sorted(map(sorted, missing))))
        for name in draw.sample(list(choices), len(choices)):
            fitting = [part for part in choices[name] if possible({**made, name: part}, choices["numpy"])]
            draw.shuffle(fitting)
            if name not in made:
                made[name] = max(fitting, key=lambda part: len(missing & met({**made, name: part})))
        missing -= met(made)
        plan.append({name: made[name] for name in choices})
    return plan


def met(combination: Combination) -> set[frozenset[tuple[str, Generation]]]:
    """The pairs that a combination holds."""
    return set(map(frozenset, combinations(combination.items(), 2)))


def possible(combination: Combination, numpys: list[Generation]) -> bool:
    """Whether versions can be together; what needs NumPy 2, or was made before it, does not always declare it."""
    if "numpy" not in combination:
        return any(possible({**combination, "numpy": numpy}, []) for numpy in numpys)
    if combination["numpy"] >= (2,):
        return combination.get("pandas", (9,)) >= (2, 2)
    return combination.get("pandas", (0,)) < (3, 1) and combination.get("pyarrow", (0,)) < (26,)


def written(combination: Combination) -> str:
    """A combination as text."""
    return ", ".join(f"{name} {'.'.join(map(str, part))}" for name, part in combination.items())


if __name__ == "__main__":
    main()
