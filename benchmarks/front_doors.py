"""How fast are the front doors? Each against the tool whose door it is, on the same data in the same process.

    python benchmarks/front_doors.py [--trec-eval PATH]

pytrec_eval, ir_measures and sentence_transformers are measured where they are installed.

Times are CPU seconds, the best of three. The trec_eval program is run on files if its path is given.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SHAPES = ((1_000, 1_000, 100), (10_000, 100, 10), (1_000, 1_000, 2))
"""Queries, how deep their lists are, how many items are judged: a million rows each."""
MEASURES = ("map", "ndcg_cut.10", "recip_rank", "recall.100", "P.10")


def main() -> None:
    """Measure every door that can be opened here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trec-eval", help="path of the trec_eval program")
    asked = parser.parse_args()
    for queries, depth, judged in SHAPES:
        judgments, run = data(queries, depth, judged)
        print(f"{queries * depth:,} rows: {queries:,} queries x {depth:,}, {judged} judged each")
        pytrec_eval(judgments, run)
        ir_measures(judgments, run)
        trec_eval(judgments, run, asked.trec_eval)
    if asked.trec_eval:
        long_files(asked.trec_eval)
    sentence_transformers()


def data(queries: int, depth: int, judged: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Made-up judgments and a run that finds half of them."""
    rng = np.random.default_rng(0)
    judgments, run = {}, {}
    for number in range(queries):
        items = [f"d{item}" for item in rng.choice(1_000_000, judged + depth, replace=False)]
        judgments[f"q{number}"] = dict.fromkeys(items[:judged], 1)
        run[f"q{number}"] = dict(zip(items[judged // 2 :][:depth], rng.random(depth).tolist(), strict=True))
    return judgments, run


def best(work: Callable[[], object], repeats: int = 3) -> float:
    """CPU seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def show(what: str, ours: float, theirs: float | None) -> None:
    """One line of the result."""
    other = "not installed" if theirs is None else f"{theirs:6.2f} s   {theirs / ours:5.1f} times"
    print(f"{what:<48}rankmeter {ours:6.2f} s   original {other}")


def pytrec_eval(judgments: Any, run: Any) -> None:
    """RelevanceEvaluator, made and used once, and one used for three runs."""
    from rankmeter.compat import pytrec_eval as ours

    try:
        import pytrec_eval as theirs
    except ImportError:
        theirs = None
    rng = np.random.default_rng(1)
    shuffled = {query: dict(zip(one, rng.random(len(one)).tolist(), strict=True)) for query, one in run.items()}
    for name, measures in (("5 measures", set(MEASURES)), ("all_trec", {"all_trec"})):
        for case, runs in ((name, [run]), (f"{name}, 3 runs", [run, shuffled, run])):
            mine = best(lambda: evaluated(ours, judgments, measures, runs))  # noqa: B023 (used at once)
            other = theirs and best(lambda: evaluated(theirs, judgments, measures, runs))  # noqa: B023
            show(f"pytrec_eval, {case}", mine, other)


def evaluated(tool: Any, judgments: Any, measures: set[str], runs: list[Any]) -> None:
    """Some runs by one evaluator, which is made here."""
    evaluator = tool.RelevanceEvaluator(judgments, measures)
    for run in runs:
        evaluator.evaluate(run)


def ir_measures(judgments: Any, run: Any) -> None:
    """calc_aggregate from mappings and from pandas frames."""
    try:
        import ir_measures as theirs
        import pandas as pd
    except ImportError:
        return
    from rankmeter.compat.ir_measures import provider

    measures = [theirs.nDCG @ 10, theirs.AP, theirs.RR, theirs.R @ 100, theirs.P @ 10]
    frames = [
        pd.DataFrame(
            [(q, d, v) for q, one in side.items() for d, v in one.items()], columns=["query_id", "doc_id", name]
        )
        for side, name in ((judgments, "relevance"), (run, "score"))
    ]
    for name, sides in (("mappings", (judgments, run)), ("pandas frames", frames)):
        mine = best(lambda: provider.calc_aggregate(measures, *sides))  # noqa: B023 (used at once)
        other = best(lambda: theirs.calc_aggregate(measures, *sides), 1)  # noqa: B023
        show(f"ir_measures, 5 measures, {name}", mine, other)


class Given:
    """A model whose embeddings are there already."""

    similarity_fn_name = "dot"

    def __init__(self, queries: Any, corpus: Any) -> None:
        self.queries, self.corpus = queries, corpus

    def encode_query(self, *_: Any, **__: Any) -> Any:
        return self.queries

    def encode_document(self, *_: Any, **__: Any) -> Any:
        return self.corpus

    def similarity(self, one: Any, other: Any) -> Any:
        return one @ other.T


def sentence_transformers() -> None:
    """InformationRetrievalEvaluator on embeddings that are there already, so that no model is timed."""
    try:
        import torch
    except ImportError:
        return
    from rankmeter.compat.sentence_transformers import InformationRetrievalEvaluator

    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    vectors = [torch.tensor(rng.normal(size=(size, 64)).astype(np.float32)) for size in (1_000, 50_000)]
    queries, corpus = ({f"{name}{n}": "" for n in range(len(one))} for name, one in zip("qc", vectors, strict=True))
    relevant = {query: {f"c{n}" for n in rng.integers(0, 50_000, 5)} for query in queries}
    model = Given(*vectors)
    mine = InformationRetrievalEvaluator(queries, corpus, relevant)
    try:
        from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator as Original

        other = Original(queries, corpus, relevant)
        other.store_metrics_in_model_card_data = lambda *_, **__: None
        theirs = best(lambda: other(model))
    except ImportError:
        theirs = None
    show("InformationRetrievalEvaluator, 1,000 x 50,000", best(lambda: mine(model)), theirs)


def trec_eval(judgments: Any, run: Any, program: str | None) -> None:
    """The command on files, start-up included."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, "judgments"), Path(folder, "run")]
        write(paths, judgments, run)
        commands(paths, program)


def long_files(program: str, parts: int = 10) -> None:
    """The same on ten million rows, where start-up weighs little."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, "judgments"), Path(folder, "run")]
        for part in range(parts):
            judgments, run = data(1_000, 1_000, 50)
            write(paths, *({f"{part}-{query}": one for query, one in side.items()} for side in (judgments, run)))
        print(f"{parts * 1_000_000:,} rows: {parts * 1_000:,} queries x 1,000, 50 judged each")
        commands(paths, program)


def write(paths: list[Path], judgments: Any, run: Any) -> None:
    """Add judgments and a run to two files."""
    with paths[0].open("a") as truth, paths[1].open("a") as returned:
        truth.writelines(f"{q} 0 {d} {g}\n" for q, one in judgments.items() for d, g in one.items())
        returned.writelines(f"{q} Q0 {d} 0 {s:.6f} tag\n" for q, one in run.items() for d, s in one.items())


def commands(paths: list[Path], program: str | None) -> None:
    """Both programs on the same files."""
    files = [str(path) for path in paths]
    few = [word for measure in MEASURES for word in ("-m", measure)]
    for name, options in (("5 measures", few), ("-q -m all_trec", ["-q", "-m", "all_trec"])):
        mine = child([sys.executable, "-m", "rankmeter", "trec_eval", *options, *files])
        show(f"trec_eval, {name}, files", mine, child([program, *options, *files]) if program else None)


def child(call: list[str]) -> float:
    """CPU seconds of the fastest of three processes."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(call, check=True, stdout=subprocess.DEVNULL, env=os.environ)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


if __name__ == "__main__":
    main()
