"""Record what the bundled example gives, so that no number changes without an entry in the changelog.

``python docs/tools/record_values.py`` writes ``tests/golden/recorded_values.json``: every measure with default options
on the demo's data or on small lists, and what a comparison says. A value that differs from the recorded one is written
only if an entry under **Values** in the changelog names its measure and the new number, to four digits; a test
compares what is computed with what is recorded.
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path

import rankmeter as rm
from rankmeter import demo
from rankmeter.errors import RankmeterError
from rankmeter.measures import REGISTRY

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "tests" / "golden" / "recorded_values.json"
CHANGELOG = ROOT / "CHANGELOG.md"
CATALOGUE = {
    "items": ["a", "b", "c", "d", "e"],
    "features": [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 2.0], [3.0, 1.0]],
    "prices": [5.0, 3.0, 8.0, 1.0, 2.0],
    "groups": ["x", "x", "y", "y", "y"],
}
LISTS = {1: ["c", "d", "a"], 2: ["b", "d", "e"], 3: ["a", "c", "e"]}
HELD_OUT = {1: ["c"], 2: ["d", "a"], 3: ["b"]}
HISTORY = {1: ["a", "b"], 2: ["b"], 3: ["d", "e", "c"]}
SUBTOPICS = {"q": {"a": {"s": 1}, "b": {"s": 1, "t": 1}, "c": {"t": 2}}, "p": {"a": {"u": 1}}}
DIVERSE = {"q": ["b", "a", "x"], "p": ["x", "a"]}


def recorded_now() -> dict[str, float]:
    """Every recorded number, computed now; a measure that the data cannot answer is left out."""
    judgments, runs = demo.data_path(demo.JUDGMENTS), {name: demo.data_path(file) for name, file in demo.RUNS.items()}
    keyword = runs["keyword"]
    values: dict[str, float] = {}
    for name in sorted(name for name in REGISTRY if type(REGISTRY[name]).__module__.startswith("rankmeter.measures")):
        for text in (name, f"{name}@10"):
            for case in (
                lambda text: rm.evaluate(judgments, keyword, text),
                lambda text: rm.evaluate(SUBTOPICS, DIVERSE, text),
                lambda text: rm.evaluate(HELD_OUT, LISTS, text, catalogue=rm.Catalogue(**CATALOGUE), history=HISTORY),
            ):
                try:
                    values |= dict(case(text).mean)
                except RankmeterError:
                    continue
                break
    pair = {name: runs[name] for name in ("keyword", "hybrid")}
    tested = json.loads(rm.compare(judgments, pair, ["nDCG@10", "RR"], seed=1).to_json())
    values |= {f"compare: {path}": number for path, number in numbers_in(tested)}
    return {name: value for name, value in values.items() if not math.isnan(value)}


def numbers_in(data: object, path: str = "") -> list[tuple[str, float]]:
    """All numbers of a JSON value, with the way to each of them."""
    if isinstance(data, dict):
        return [pair for name, value in data.items() for pair in numbers_in(value, f"{path}/{name}")]
    if isinstance(data, list):
        return [pair for place, value in enumerate(data) for pair in numbers_in(value, f"{path}/{place}")]
    return [(path, float(data))] if isinstance(data, float) else []


def changes(before: dict[str, float], now: dict[str, float], same: float = 1e-9) -> list[str]:
    """The names of recorded numbers that are others now, by more than a share of ``same``."""
    return [
        name for name, value in before.items() if name not in now or not math.isclose(now[name], value, rel_tol=same)
    ]


def values_section(changelog: str) -> str:
    """What the newest version's section **Values** says."""
    return changelog.partition("### Values")[2].partition("\n### ")[0]


def unsaid(changed: list[str], now: dict[str, float], said: str) -> list[str]:
    """Of numbers that changed, those whose measure no entry names together with one of its new numbers."""
    entries = re.split(r"^- ", said, flags=re.MULTILINE)
    told = set()
    for name in changed:
        measure = re.match(r"\w+", name)[0]  # type: ignore[index]  # every name begins with one
        number = f"{now[name]:.4f}" if name in now else ""
        told |= {measure for entry in entries if re.search(rf"\b{measure}\b", entry) and number in entry}
    return [name for name in changed if re.match(r"\w+", name)[0] not in told]  # type: ignore[index]  # the same


def main() -> None:
    """Record, or refuse."""
    now = recorded_now()
    before = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    said = values_section(CHANGELOG.read_text(encoding="utf-8"))
    if silent := unsaid(changes(before, now), now, said):
        told = ", ".join(f"{name} ({now[name]:.4f})" if name in now else name for name in silent)
        sys.exit(f"CHANGELOG.md says nothing under Values of: {told}. Nothing was recorded.")
    RECORDED.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(now)} numbers recorded")


if __name__ == "__main__":
    main()
