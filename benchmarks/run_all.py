"""Run every benchmark, one after another, and print how each compares with its target."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUNS = (
    ["dicts_msmarco"], ["dicts_deep"], ["dicts_deep", "--ties"], ["frames"], ["frames", "--shuffled"],
    ["frames", "--text"], ["frames", "--text", "--shuffled"], ["dense"], ["dense", "--ties"], ["startup"],
    ["trec_file"], ["trec_file", "--shuffled"], ["trec_file", "--tabs"], ["growth"], ["lists"], ["many_systems"],
    ["small_calls"],
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", default=sys.executable, help="the interpreter that has the peers installed")
    parser.add_argument("--only", nargs="*", help="names of scripts to run")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        results.touch()
        for script, *options in RUNS:
            if args.only and script not in args.only:
                continue
            command = [sys.executable, str(HERE / f"{script}.py"), "--json", str(results), *options]
            subprocess.run([*command, "--peer-python", args.peer_python], check=False)
        rows = [json.loads(line) for line in results.read_text().splitlines()]
    print(f"\n{'case':<78} {'ours':<18} {'against':<20} {'got':>8} {'target':>8}")
    for row in rows:
        wanted = "" if row["target"] is None else f"{row['target']:.3g}"
        note = "  VALUES DIFFER" if "DIFFER" in row["agreement"] else ""
        names = f"{row['case']:<78} {row['ours']:<18} {row['against']:<20}"
        print(f"{names} {row['got']:>8.2f} {wanted:>8} {row['verdict']}{note}")
    missed = sum(row["verdict"] == "MISSED" for row in rows)
    print(f"\n{len(rows)} results, {missed} targets missed.")


if __name__ == "__main__":
    main()
