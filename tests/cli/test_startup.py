"""Which libraries a command loads: a short one takes as long as they do."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = frozenset("polars scipy pandas pyarrow narwhals torch jinja2 altair rich ssl".split())
LISTS = {"301": "dabce", "302": "fadbc", "303": "bcdea", "304": "eabfc"}


@pytest.fixture
def folder(tmp_path):
    """Judgments, and two runs whose values vary: exact intervals of values that are 0 or 1 are scipy's."""
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 {item} {n}\n" for q in LISTS for n, item in enumerate("abc")))
    for name, step in (("one", 1), ("two", 2)):
        lines = [
            f"{query} Q0 {items[n * step % 5]} {n + 1} {9 - n}.5 {name}\n"
            for query, items in LISTS.items()
            for n in range(5)
        ]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize(
    ("command", "loaded"),
    [
        ("evaluate qrels.txt one.txt", set()),
        ("evaluate qrels.txt one.txt --format json", set()),
        ("evaluate qrels.txt one.txt two.txt --interval", set()),
        ("compare qrels.txt one.txt two.txt", set()),
        ("explain nDCG@10 qrels.txt one.txt --query 301", {"polars"}),
        ("judge pool qrels.txt one.txt two.txt", {"polars"}),
    ],
)
def test_a_command_loads_no_library_that_it_does_not_need(folder, command, loaded):
    words = [sys.executable, "-X", "importtime", "-m", "rankmeter", *command.split()]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    names = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
    assert "numpy" in names
    assert names & HEAVY == loaded
