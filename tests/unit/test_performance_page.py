"""The page about performance shows the results that are kept, and every benchmark that is run can be found."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("run_all", ROOT / "benchmarks" / "run_all.py")
run_all = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(run_all)


def test_the_page_holds_the_results_that_are_kept() -> None:
    kept = json.loads(run_all.RESULTS.read_text("utf-8"))
    _, begin, rest = run_all.PAGE.read_text("utf-8").partition(run_all.BEGIN)
    shown, end, _ = rest.partition(run_all.END)
    assert begin
    assert end
    assert shown == f"\n{run_all.table(kept)}\n"


def test_every_script_that_is_run_is_there() -> None:
    assert all((ROOT / "benchmarks" / f"{script}.py").is_file() for (script, *_), _ in run_all.RUNS)
