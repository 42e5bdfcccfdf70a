"""Records what the real trec_eval prints for made-up files, for ``test_trec_eval_output.py``.

    python tests/wings/doors/record_trec_eval.py PATH_OF_VERSION_9 PATH_OF_VERSION_10

First random files and options as people use them, then the odd ones of ``trec_eval_oddities.py``: each alone, with both
versions. Left out, because nothing can give them again: calls that crash, and rbp of graded judgments (version 10),
which reads memory that was never written. Files are kept as Latin-1, one character for each byte. Preferences and
groups of grades are recorded into a file of their own.
"""

from __future__ import annotations

import json
import lzma
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "trec_eval_output.json.xz"
RECORDED_GROUPS = Path(__file__).parent / "trec_eval_groups.json.xz"
FLAGS = (("-q", 0.7), ("-c", 0.6), ("-n", 0.1), ("-J", 0.3))
PARAMETERS = (
    "P.1,3 relstring.3 utility.1,-2,.5,.25 ndcg.1=3,2=1 ndcg_cut.2,4 Rndcg.1=2,0=1 G.1=4 ndcg_rel.2=5 11pt_avg..3,.6 "
    "iprec_at_recall.0.33,0.9 yaap set_F.2 success.2 Rprec_mult.0.5,3 map_cut.1,2 recall.1 relative_P.2"
).split()
GRADES = ([0, 1], [0, 1, 2, 3], [-1, 0, 1, 2], [-2, -1, 0, 1, 5, 12], [0])


def main(nine: str, ten: str) -> None:
    """Make the files, run both programs, write everything down."""
    from trec_eval_oddities import odd_calls  # beside this file, which is run as a script

    rng = random.Random(20)
    programs = {"9": nine, "10": ten}
    cases = [case for number in range(90) if (case := record(rng, programs, number))]
    for version, program in programs.items():
        for judgments, run, options in odd_calls():
            done = call(program, options, judgments, run, "")
            if done["exit"] >= 0:
                cases.append({"version": version, **done})
    write(RECORDED, cases)
    rng = random.Random(35)
    write(RECORDED_GROUPS, [case for number in range(400) if (case := record_groups(rng, programs, number))])


def write(path: Path, cases: list[dict[str, Any]]) -> None:
    """One file of recorded calls."""
    text = json.dumps({"tools": {"9": "trec_eval 9.0.8", "10": "trec_eval 10.0"}, "cases": cases})
    path.write_bytes(lzma.compress(text.encode(), preset=9))
    print(f"{len(cases)} cases, {path.stat().st_size} bytes")


def record(rng: random.Random, programs: dict[str, str], number: int) -> dict[str, object] | None:
    """One call of one version."""
    version = ("9", "10")[number % 2]
    grades = rng.choice(GRADES)
    judgments, run = files(rng, grades)
    options = options_of(rng, version)
    zscores = "q0 map 0.3 0.1\nq0 P_5 0.2 0\nq1 num_ret 4 2\nq1 map 0.5 0.25\n" if number % 9 == 0 else ""
    done = call(programs[version], options, judgments, run, zscores)
    if done["exit"] < 0 or (version == "10" and max(grades) > 1 and "rbp" in done["output"].replace("rbp_resid", "")):
        return None
    return {"version": version, **done}


GROUP_MEASURES = {
    "prefs": "all_prefs prefs prefs_simp,prefs_num_prefs_poss prefs_avgjg_Rnonrel,prefs_avgjg_Rnonrel_ret,num_q map",
    "qrels_jg": "qrels_jg map_avgjg,P_avgjg.2,5 P_avgjg.1 Rprec_mult_avgjg.0.5,1,3 runid,num_q prefs_simp",
}
LEVELS = ([0, 1], [0, 1, 2, 3], [-1, 0, 0, 2], [0, 0, 0, 1], [0.5, 1.25, 0], ["1.00000001", 1, 0], [-3, -4], [0])


def record_groups(rng: random.Random, programs: dict[str, str], number: int) -> dict[str, object] | None:
    """One call of one version with preferences or with groups of grades.

    Levels below 0 are not recorded for measures that expect none: there the program can read beyond its memory.
    """
    version = ("9", "10")[number % 2]
    form = ("prefs", "qrels_prefs", "qrels_jg")[number // 2 % 3]
    levels = rng.choice(LEVELS if form != "qrels_jg" else GRADES)
    pool = [f"d{item}" for item in range(rng.choice([2, 4, 9, 25]))]
    judged, returned = [], []
    for query in [f"q{place}" for place in range(rng.randint(1, 3))]:
        for group in rng.sample(["g1", "g2", "a", "B"], rng.randint(1, 3)):
            # With a worth for each document, what a group says in its subgroups does not contradict itself.
            worth = {item: rng.choice(levels) for item in pool}
            for subgroup in rng.sample(["s1", "s2", "s"], rng.choice([1, 1, 2, 3]) if form == "prefs" else 1):
                for item in rng.sample(pool, rng.randint(1, len(pool))):
                    level = worth[item] if rng.random() < 0.997 else rng.choice(levels)
                    names = [query, group, subgroup, item] if form == "prefs" else [query, group, item]
                    judged += [" ".join([*names, str(level)])] * rng.choice([1] * 150 + [2])
        if rng.random() < 0.85 or query == "q0":
            for item in rng.sample(pool + [f"x{place}" for place in range(4)], rng.randint(1, len(pool))):
                score = rng.choice([rng.randint(0, 4), round(rng.random(), 3), 16777216 + rng.randint(0, 2)])
                returned.append(f"{query} Q0 {item} 1 {score} tag")
    rng.shuffle(judged)
    measures = rng.choice(GROUP_MEASURES["qrels_jg" if form == "qrels_jg" else "prefs"].split())
    chosen = [measures] if "." in measures else measures.split(",")
    if number % 3 == 0:
        chosen = ["all_prefs" if form != "qrels_jg" else "qrels_jg"]
    if measures == "map_avgjg,P_avgjg.2,5":
        chosen = ["map_avgjg", "P_avgjg.2,5"]
    if form != "qrels_jg" and min(map(float, levels)) < 0:
        chosen = [measure for measure in chosen if "Rnonrel" not in measure and measure != "all_prefs"] or ["prefs"]
    options = [f"-R{form}", *(flag for flag, chance in FLAGS if rng.random() < chance)]
    options += [f"-l{rng.choice([-1, 0, 1, 2, 3])}"] if rng.random() < 0.3 else []
    options += [f"-M{rng.randint(0, 12)}"] if rng.random() < 0.3 else []
    options += [word for measure in chosen for word in ("-m", measure)]
    done = call(programs[version], options, "\n".join(judged) + "\n", "\n".join(returned) + "\n", "")
    return {"version": version, **done} if done["exit"] >= 0 else None


def call(program: str, options: list[str], judgments: str, run: str, zscores: str) -> dict[str, Any]:
    """One call of the program, and all that it was given."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder, name) for name in ("judgments", "run", "zscores")}
        for path, text in zip(paths.values(), (judgments, run, zscores), strict=True):
            path.write_bytes(text.encode("latin-1"))
        given = [*options, *(["-Z", str(paths["zscores"])] if zscores else [])]
        done = subprocess.run(
            [program, *given, str(paths["judgments"]), str(paths["run"])], capture_output=True, check=False
        )
    return {
        "options": options, "judgments": judgments, "run": run, "zscores": zscores,
        "exit": done.returncode, "output": done.stdout.decode("latin-1"),
    }  # fmt: skip


def files(rng: random.Random, grades: list[int]) -> tuple[str, str]:
    """Judgments and a run with ties, scores that single precision cannot tell apart, and queries on one side only."""
    pool = [f"d{number}" for number in range(rng.choice([3, 8, 30]))]
    judged, returned = [], []
    for query in [f"q{number}" for number in range(rng.randint(1, 4))] + rng.choice([[], ["10", "9"]]):
        if rng.random() < 0.9 or query == "q0":
            judged += [f"{query} 0 {item} {rng.choice(grades)}" for item in rng.sample(pool, rng.randint(1, len(pool)))]
            judged.append(f"{query} 0 zz {max(grades)}")
        if rng.random() < 0.85 or query == "q0":
            for item in rng.sample(pool + [f"x{number}" for number in range(8)], rng.randint(1, len(pool))):
                near = 1 + rng.randint(0, 3) * 1e-8
                score = rng.choice([rng.randint(0, 4), round(rng.random(), 3), 16777216 + rng.randint(0, 2), near])
                returned.append(f"{query} Q0 {item} 1 {score} tag{rng.randint(0, 9)}")
    if rng.random() < 0.3:
        rng.shuffle(judged)
        rng.shuffle(returned)
    return "\n".join(judged) + "\n", "\n".join(returned) + "\n"


def options_of(rng: random.Random, version: str) -> list[str]:
    """Some options and measures of a call."""
    options = [flag for flag, chance in FLAGS if rng.random() < chance]
    options += [f"-l{rng.choice([0, 1, 2, 3])}"] if rng.random() < 0.4 else []
    options += [f"-M{rng.randint(1, 12)}"] if rng.random() < 0.3 else []
    options += ["-N", "1000"] if rng.random() < 0.2 else []
    measures = rng.choice([["all_trec"], ["official"], ["set"], []]) + rng.sample(PARAMETERS, rng.randint(0, 4))
    if version == "10":
        measures += rng.sample(["unj.2,3", "rbp_resid.p=.5"], rng.randint(0, 2))
    return options + [word for measure in measures for word in ("-m", measure)]


if __name__ == "__main__":
    main(*sys.argv[1:])
