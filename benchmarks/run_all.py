"""Run every benchmark that has a target, one after another, and print one table of what is met and what is missed.

    python benchmarks/run_all.py --peer-python PATH --trec-eval PATH --write

``--write`` keeps the table in ``benchmarks/results.json`` and in docs/performance.md. A whole run takes about ten
minutes of a quiet machine with two cores: no script is begun after ``--minutes``, and the table names those left out.
``--quick`` takes smaller data and one repetition, to see that everything runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
PAGE = HERE.parent / "docs" / "performance.md"
BEGIN, END = "<!-- results: written by benchmarks/run_all.py -->\n", "<!-- end of results -->\n"
LONGEST_S = 180
"""Seconds after which a script is stopped; what it had measured until then counts."""
RUNS: tuple[tuple[list[str], list[str]], ...] = (
    # The script with its options, and what makes it small; what was open last comes first.
    (["startup"], ["--repeat", "3"]),
    (["small_calls"], []),
    (["dense"], []),
    (["dense", "--ties"], []),
    (["frames", "--repeat", "4"], ["--users", "10000", "--without-recommenders"]),
    (["many_systems", "--repeat", "2"], []),
    (["lists", "--repeat", "4"], ["--users", "5000", "--items", "5000"]),
    (["dicts_deep"], []),
    (["dicts_deep", "--ties"], []),
    (["dicts_msmarco", "--repeat", "2"], ["--queries", "500"]),
    (["trec_eval_command"], []),
    (["trec_file", "--repeat", "1"], ["--queries", "300"]),
    (["trec_file", "--shuffled", "--repeat", "1"], ["--queries", "300"]),
    (["frames", "--shuffled", "--repeat", "2", "--without-recommenders"], ["--users", "10000"]),
    (["spark", "--repeat", "2"], ["--queries", "2000"]),
    (
        ["fusion", "--queries", "700", "--tuned-queries", "100", "--repeat", "1"],
        ["--queries", "60", "--tuned-queries", "20"],
    ),
    (["growth", "--repeat", "1"], ["--largest", "1000000"]),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--peer-python", default=sys.executable, help="the interpreter that has the peers installed")
    parser.add_argument("--trec-eval", help="path of the trec_eval program")
    parser.add_argument("--only", nargs="*", help="names of scripts to run")
    parser.add_argument("--quick", action="store_true", help="small data, one repetition")
    parser.add_argument("--minutes", type=float, default=9.0, help="begin no script after so many (default 9)")
    parser.add_argument("--write", action="store_true", help="keep the results, and put them into docs/performance.md")
    args = parser.parse_args()
    kept: dict[str, Any] = {**machine(), "quick": args.quick, "left_out": [], "rows": []}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        for (script, *options), smaller in RUNS:
            if args.only and script not in args.only:
                continue
            if time.monotonic() - begun > 60 * args.minutes:
                kept["left_out"].append(" ".join([script, *options]))
                continue
            if args.quick:
                options += [*smaller, "--repeat", "1"]
            if script == "trec_eval_command" and args.trec_eval:
                options += ["--trec-eval", args.trec_eval]
            command = [sys.executable, str(HERE / f"{script}.py"), "--json", str(results), *options]
            try:
                subprocess.run([*command, "--peer-python", args.peer_python], check=False, timeout=LONGEST_S)
            except subprocess.TimeoutExpired:
                kept["left_out"].append(" ".join([script, *options]))
            if results.exists():
                kept["rows"] = [json.loads(line) for line in results.read_text().splitlines()]
            if args.write:  # after every script, so that nothing is lost where one is stopped
                write(kept)
    print("\n" + table(kept))
    if args.write:
        write(kept)


def machine() -> dict[str, Any]:
    """What the numbers depend on beside the code."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "libraries": {name: version_of(name) for name in ("numpy", "polars", "pandas")},
    }


def version_of(library: str) -> str:
    """The version that is installed here."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"


def table(kept: dict[str, Any]) -> str:
    """The results as Markdown."""
    libraries = ", ".join(f"{name} {number}" for name, number in kept["libraries"].items())
    size = "small data (`--quick`), " if kept["quick"] else ""
    where = f"{kept['cores']} cores, load {kept['load']} when it began, Python {kept['python']}"
    lines = [
        f"{kept['date']}, {size}{where}, {libraries}.",
        "",
        "| case | ours | against | got | wanted | |",
        "|---|---|---|---:|---:|---|",
    ]
    for row in kept["rows"]:
        wanted = "" if row["target"] is None else f"{row['target']:.3g}"
        note = "; VALUES DIFFER" if "DIFFER" in row["agreement"] else ""
        cells = (row["case"], row["ours"], row["against"], f"{row['got']:.2f}", wanted, row["verdict"].lower() + note)
        lines.append(f"| {' | '.join(cells)} |")
    judged = [row for row in kept["rows"] if row["verdict"]]
    missed = sum(row["verdict"] == "MISSED" for row in judged)
    lines += ["", f"{len(judged)} targets, {len(judged) - missed} met, {missed} missed."]
    if kept["left_out"]:
        lines.append(f"Not run, for want of time: {', '.join(kept['left_out'])}.")
    return "\n".join(lines) + "\n"


def write(kept: dict[str, Any]) -> None:
    """Keep the results, and put them into docs/performance.md."""
    RESULTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(kept)}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
