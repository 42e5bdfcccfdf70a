"""Throws random inputs at every door: ``python tests/fuzz.py --inputs 1000000``.

Whatever comes in, a number comes out, or a `RankmeterError` in words that a terminal can show: no other exception, no
panic of a library below, no warning but ours, nothing that takes longer than ``--seconds`` or more than
``--gigabytes``.

An input is made from the name of its target and a number, so that ``--target trec --only 4711`` makes it again.
``tests/properties/test_fuzz.py`` runs a slice of every target.
"""

from __future__ import annotations

import argparse
import bz2
import csv
import datetime as dt
import decimal
import faulthandler
import fractions
import functools
import gzip
import io
import json
import lzma
import math
import sys
import tempfile
import time
import traceback
import unicodedata
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl

import rankmeter as rm
from rankmeter.inputs.files import iter_parts, read_judgments, read_labelled, read_run
from rankmeter.inputs.tables import RunTable, whole_queries
from rankmeter.wording import spelled

Make = Callable[[Random], Any]
Use = Callable[[Any], object]

NAMES = [
    *("nDCG", "AP", "RR", "P", "R", "F", "RBP", "ERR", "Success", "Bpref", "Rprec", "infAP", "MAP", "MRR", "HR"),
    *("ndcg_cut", "recall", "Gini", "Coverage", "ILD", "alpha_nDCG"),
]
OPTIONS = [
    *("rel=2", "gain=exp2", "ties=mean", "queries=run", "empty=skip", "p=0.5", "gain={1:2,2:3}", "x", "=", "rel="),
    "ties=item",
]
IDS: list[Any] = [
    *("q", "a", "b", "1", "01", "ä", "a b", "NaN", "", " ", "#", "\ufeff", "\0", "x" * 5000, "\ud800", "1_0", "-"),
    *(1, 2, -1, 2**53, 2**64, 10**30, 10**400, True, None, 1.5, math.nan, (1,), b"a", "=1+1", "\x1b[31m", "\u202e"),
]
VALUES: list[Any] = [
    *(0, 1, 2, 3, -1, 0.5, 1.0, 1.0, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan, None, "1", "1_0", "x"),
    *(2**53 + 1, 10**400, 10**5000, -(10**400), True, 1j, [1], {}, fractions.Fraction(1, 3)),
    *map(decimal.Decimal, ("0.1", "sNaN", "nan", "inf", "1e999999999", "-1e999999999", "1e-999999999")),
]
NUMBERS = [
    *("1", "0", "-1", "2.5", "1e5", "1e400", "nan", "inf", "-inf", "", "x", "1_0", "0x10", "9007199254740993", "+1"),
    *("1e999999999", "-1e999999999", "1e-999999999", "1e99999999999999999999", "9" * 5000, "\uff11", "1d5", "\u00bd"),
    *(".", "1,5", "\u0661"),
]
COLUMNS = [
    *("query", "item", "score", "rank", "grade", "rating", "user_id", "movie_id", "relevance", "y_pred", "distance"),
    *("note", "", "query", "timestamp", "subtopic", "iteration", "a.b", "score ", "QUERY"),
]
OBJECTS: list[Any] = [
    *(None, 5, 2.5, math.nan, "x", "no/such", b"x", object(), [], {}, set(), {1, 2}, [1, "2"], [None], [1.5], ...),
    *([[1, 2], [3]], [(1, 2)], np.array([1, 2]), np.array([[1, 2], [3, 4]]), np.array(["a", None], object)),
    *(pl.Series([1, 2]), pl.DataFrame({"a": [1]}), pl.DataFrame(), {"a": 1}, {"a": {"b": 1}}, {"a": None}),
    *({1: [1, 2]}, abs, 10**400, [10**400], True, [True, False], [decimal.Decimal(1)], [dt.date(2020, 1, 1)]),
    *(np.array(1), [(1, 2), (3, 4)], (np.array([1, 2]), np.array([1, 2])), 10**5000),
    *([[1, 2, 3], [1]], [decimal.Decimal("1e999999999")], {"query": [1], "item": [2]}, {(1, 2): 1.0}),
    *(range(3), type, np.float64(3), np.zeros((0, 3)), "a\0b", [b"x"], {"item": ["a", "b"], "price": ["x", "y"]}),
    {"item": ["a"], "price": [math.inf]},
]
JUDGMENTS, RUN = {"u": {"a": 1, "b": 0}, "v": {"b": 2}}, {"u": {"a": 1.0, "b": 0.5}, "v": {"b": 1.0, "c": 1.0}}


# What comes in.


def damaged(random: Random, content: bytes) -> bytes:
    """Some bits turned, a piece cut out, doubled or filled with noise, or the end cut off; or nothing of it."""
    made = bytearray(content)
    for _ in range(random.choice([0, 0, 1, 1, 2, 5])):
        if not made:
            break
        at = random.randrange(len(made))
        what = random.randrange(5)
        if what < 2:
            made[at] ^= 1 << random.randrange(8)
        elif what == 2:
            del made[at : at + random.choice([1, 4, 100])]
        elif what == 3:
            made[at:at] = random.choice([random.randbytes(8), made[at : at + 20], b"\xff" * 4, b"\0" * 4])
        else:
            del made[at:]
    return bytes(made)


def measure_text(random: Random) -> str:
    if random.random() < 0.1:
        piece = random.choice(["{", "(", "9", ",", " ", "@1,", "P(", "1:", "\n", "|", "nDCG@"])
        return (
            random.choice(["", "P@", "nDCG(gain="])
            + piece * random.choice([1, 50, 5000])
            + random.choice(["", "}", ")"])
        )
    options = ",".join(random.choice(OPTIONS) for _ in range(random.choice([0, 0, 1, 2])))
    cutoff = random.choice(["", "@10", "@0", "@1,5,10", "@", "@-1", "@1e3", "@99999999999999999999", "@1-5", "@٣"])
    text = random.choice(NAMES) + (f"({options})" if options else "") + cutoff
    return text if random.random() < 0.6 else damaged(random, text.encode()).decode("utf-8", "replace")


def trec_text(random: Random) -> bytes:
    if random.random() < 0.3:
        lines = [
            f"{random.choice('qr')} Q0 d{n} {n} {random.choice(NUMBERS[:5])} tag" for n in range(random.choice([1, 9]))
        ]
        if random.random() < 0.5:
            lines = [f"q 0 d{n} {random.choice(NUMBERS[:3])}" for n in range(random.choice([1, 9]))]
        return damaged(random, "\n".join(lines).encode())
    gap = random.choice([" ", "\t", "  ", ",", "\v"])
    lines = []
    for _ in range(random.choice([0, 1, 3, 20])):
        query, item = (random.choice(["q", "r", "1", "#", "ä", "x" * 300]) for _ in range(2))
        fields = [query, "Q0", item, str(random.choice([1, 2, "x"])), random.choice(NUMBERS), "tag"]
        if random.random() < 0.4:
            fields = [query, "0", item, random.choice(NUMBERS)]
        lines.append(gap.join(fields[: random.choice([4, 5, 6, 6, 6])]))
    text = random.choice(["\n", "\r\n", "\n\n", "\r"]).join(lines) + random.choice(["", "\n"])
    return damaged(random, text.encode(random.choice(["utf-8", "utf-8", "latin-1", "utf-16"]), "replace"))


def rows(random: Random) -> tuple[list[str], list[list[Any]]]:
    names = random.choice(
        [["query", "item", "score"], ["query", "item", "grade"], random.choices(COLUMNS, k=random.randrange(1, 6))]
    )
    made = []
    for _ in range(random.choice([0, 1, 2, 5])):
        made.append(
            [
                random.choice(["q", "r", "a", "b", "1", ""]) if at < 2 else random.choice(NUMBERS)
                for at in range(len(names))
            ]
        )
        if random.random() < 0.05:
            made[-1].append("more")
    return names, made


def table_text(random: Random) -> tuple[str, bytes]:
    names, made = rows(random)
    format_ = random.choice(["csv", "tsv", "json", "jsonl"])
    if format_ in ("csv", "tsv"):
        file = io.StringIO()
        csv.writer(file, delimiter="," if format_ == "csv" else "\t").writerows([names, *made])
        content = file.getvalue()
    elif format_ == "jsonl":
        content = "\n".join(json.dumps(dict(zip(names, row, strict=False))) for row in made)
    else:
        nested = {
            "q": {"a": random.choice([1, "x", None, math.nan])},
            "r": random.choice([["a", "b"], {}, [], None, {"a": {"t": 1}}]),
        }
        content = json.dumps(random.choice([nested, [dict(zip(names, row, strict=False)) for row in made]]))
    if random.random() < 0.02:
        content = random.choice(["[", '{"a":', "[[", '"', "1"]) * 3000
    return format_, damaged(random, content.encode())


@functools.cache
def binary_tables() -> tuple[tuple[str, bytes], ...]:
    """Small valid files of every binary format."""
    frame = pl.DataFrame(
        {"query": ["u", "u", "v"], "item": ["a", "b", "a"], "score": [1.0, 2.0, 0.5], "grade": [1, 0, 2]}
    )
    made = []
    for ending, write in (("parquet", frame.write_parquet), ("arrow", frame.write_ipc)):
        file = io.BytesIO()
        write(file)
        made.append((ending, file.getvalue()))
    plain = frame.select("query", "item", "score").write_csv().encode()
    packed = (("csv.gz", gzip.compress), ("csv.bz2", bz2.compress), ("csv.xz", lzma.compress))
    return (*made, *((ending, pack(plain)) for ending, pack in packed))


def binary_table(random: Random) -> tuple[str, bytes]:
    ending, content = random.choice(binary_tables())
    return ending, damaged(random, content)


def mapping(random: Random) -> Any:
    if random.random() < 0.4:
        made: dict[Any, Any] = {q: {i: random.choice(VALUES[:8]) for i in random.sample("abcd", 3)} for q in "uv"}
        if random.random() < 0.5:
            made[random.choice("uv")][random.choice(IDS)] = random.choice(VALUES)
        return made

    def values() -> Any:
        size = random.choice([0, 1, 3])
        if random.random() < 0.2:
            return [random.choice(IDS) for _ in range(size)]
        return {random.choice(IDS): random.choice(VALUES) for _ in range(size)}

    if random.random() < 0.05:
        return random.choice(OBJECTS)
    return {random.choice(IDS[:8] if random.random() < 0.7 else IDS): values() for _ in range(random.choice([1, 2, 4]))}


def frame(random: Random) -> pl.DataFrame:
    if random.random() < 0.4:
        value = random.choice(["score", "grade", "rank", "y_pred"])
        rows_ = [(random.choice("uv"), item, random.choice([0, 1, 2, 0.5])) for item in random.sample("abcd", 3)]
        return pl.DataFrame(rows_, schema={"query": pl.String, "item": pl.String, value: pl.Float64}, orient="row")
    columns: dict[str, pl.Series] = {}
    size = random.choice([0, 1, 3, 6])
    for name in random.choice([["query", "item", "score"], ["query", "item", "grade"], random.choices(COLUMNS, k=4)]):
        kind = random.randrange(8)
        if kind < 3:
            made = pl.Series(
                [random.choice(["q", "r", "a", "b", "1", None][: random.choice([4, 6])]) for _ in range(size)],
                dtype=pl.String,
            )
        elif kind < 5:
            made = pl.Series([random.choice([1, 2, 3, 2**53 + 1, -(2**63)]) for _ in range(size)], dtype=pl.Int64)
        elif kind == 5:
            made = pl.Series(
                [random.choice([0.5, 1.0, math.nan, math.inf, None]) for _ in range(size)], dtype=pl.Float64
            )
        elif kind == 6:
            made = pl.Series([random.choice([[1], [], None]) for _ in range(size)], dtype=pl.List(pl.Int64))
        else:
            made = pl.Series([random.choice([True, None]) for _ in range(size)], dtype=pl.Boolean)
        columns[name] = made
    return pl.DataFrame(columns)


@functools.cache
def saved_files() -> tuple[tuple[str, bytes], ...]:
    """A saved evaluation and a saved comparison."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        paths = Path(folder) / "a.parquet", Path(folder) / "b.rankmeter"
        rm.evaluate(JUDGMENTS, RUN, ["nDCG@10", "RR"], by={"u": "x", "v": "y"}).save(paths[0])
        truth = {str(q): {"a": 1} for q in range(9)}
        runs = {"a": {q: ["a", "b"] for q in truth}, "b": {q: ["b", "a"] for q in truth}}
        rm.compare(truth, runs, ["RR"], permutations=100, resamples=100).save(paths[1])
        return tuple((path.name, path.read_bytes()) for path in paths)


def saved_file(random: Random) -> tuple[str, bytes]:
    name, content = random.choice(saved_files())
    return name, damaged(random, content)


# The doors.


def in_file(use: Callable[[Path], object]) -> Use:
    def used(given: tuple[str, bytes]) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / (
                given[0] if "." in given[0] and not given[0].startswith("csv.") else f"file.{given[0]}"
            )
            path.write_bytes(given[1])
            return use(path)

    return used


def blocks_of(run: Any, **options: Any) -> list[RunTable]:
    """The tables of whole queries that a run is read in, from a path, its content or an open file."""
    return list(whole_queries(part.table for part in iter_parts(run, **options)))


def read_any(content: bytes) -> object:
    which = len(content) % 4
    return (read_run, read_judgments, read_labelled, lambda data: blocks_of(data, format="trec", block_bytes=64))[
        which
    ](content)


def read_table(given: tuple[str, bytes]) -> object:
    read = read_run if len(given[1]) % 2 else read_judgments
    return read(given[1], format=given[0])


def load(path: Path) -> object:
    return (rm.Comparison if path.suffix == ".rankmeter" else rm.Evaluation).load(path).to_json()


def evaluate_pair(given: tuple[Any, Any, str]) -> object:
    return rm.evaluate(*given[:2], given[2]).to_json()


def with_measure(make: Make) -> Make:
    return lambda random: (
        make(random),
        make(random),
        random.choice(["RR", "nDCG@3", "AP(queries=run)", "P(ties=mean)@1"]),
    )


def half_odd(make: Make) -> Make:
    """One side is as it should be, so that the other is looked at to its end."""

    def made(random: Random) -> Any:
        truth, run, measure = with_measure(make)(random)
        side = random.randrange(3)
        return (JUDGMENTS if side == 1 else truth), (RUN if side == 2 else run), measure

    return made


ARGUMENTS: dict[str, Callable[[Any], object]] = {
    "catalogue": lambda o: rm.evaluate(JUDGMENTS, RUN, ["Coverage@2"], catalogue=o),
    "history": lambda o: rm.evaluate(JUDGMENTS, RUN, ["SeenItems@2"], history=o),
    "by": lambda o: rm.evaluate(JUDGMENTS, RUN, ["RR"], by=o),
    "measures": lambda o: rm.evaluate(JUDGMENTS, RUN, o),
    "columns": lambda o: rm.evaluate(JUDGMENTS, RUN, ["RR"], columns=o),
    "dialect": lambda o: rm.evaluate(JUDGMENTS, RUN, ["RR"], dialect=o),
    "queries": lambda o: rm.evaluate(JUDGMENTS, RUN, ["RR"], queries=o),
    "duplicates": lambda o: rm.evaluate(JUDGMENTS, RUN, ["RR"], duplicates=o),
    "judgments": lambda o: rm.evaluate(o, RUN, ["RR"]),
    "run": lambda o: rm.evaluate(JUDGMENTS, o, ["RR"]),
    "grades of a query": lambda o: rm.evaluate({"u": o}, RUN, ["RR"]),
    "list of a query": lambda o: rm.evaluate(JUDGMENTS, {"u": o}, ["RR"]),
    "systems": lambda o: rm.compare(JUDGMENTS, o, ["RR"]),
    "folds": lambda o: rm.compare(JUDGMENTS, {"a": RUN, "b": rm.folds(RUN, o)}, ["RR"]),
    "documents": lambda o: rm.roll_up(RUN, documents=o),
    "document": lambda o: rm.evaluate(JUDGMENTS, rm.roll_up(RUN, documents=lambda _: o), ["RR"]),
    "passages": lambda o: rm.roll_up(o, documents=lambda passage: passage),
    "arrays": lambda o: rm.evaluate(rm.arrays(o), rm.arrays(o), ["RR"]),
    "ranked_grades": lambda o: rm.evaluate(rm.ranked_grades(o), measures=["RR"]),
    "grades": lambda o: rm.value("RR", grades=o),
    "load": rm.Evaluation.load,
    "files": rm.files,
    "parse": rm.parse,
    "parse_measures": rm.parse_measures,
    **{
        f"Catalogue {option}": lambda o, option=option: rm.Catalogue(items=["a", "b"], **{option: o})
        for option in ("popularity", "users", "categories", "features", "values", "margins", "groups", "similarity")
    },
    "Catalogue items": lambda o: rm.Catalogue(items=o),
}


def call(given: tuple[str, Any]) -> object:
    return ARGUMENTS[given[0]](given[1])


@dataclass(frozen=True)
class Target:
    """A door, what is thrown at it, and how often among all inputs."""

    make: Make
    use: Use
    share: int


TARGETS = {
    "measures": Target(measure_text, rm.parse_measures, 25),
    "trec": Target(trec_text, read_any, 25),
    "tables": Target(table_text, read_table, 15),
    "binary": Target(binary_table, in_file(lambda path: rm.evaluate(JUDGMENTS, path, "RR")), 4),
    "mappings": Target(half_odd(mapping), evaluate_pair, 15),
    "frames": Target(half_odd(frame), evaluate_pair, 7),
    "saved": Target(saved_file, in_file(load), 4),
    "arguments": Target(lambda random: (random.choice(list(ARGUMENTS)), random.choice(OBJECTS)), call, 5),
}


class Failed(Exception):
    """An input that got something else than a number or a sentence."""


def throw(name: str, number: int, seconds: float = 20.0) -> str:
    """Throw one input at its target; ``answered`` or ``refused``."""
    target = TARGETS[name]
    given = target.make(Random(f"{name} {number}"))
    again = f"python tests/fuzz.py --target {name} --only {number}"
    faulthandler.dump_traceback_later(10 * seconds, exit=True)  # what no exception can end
    started = time.monotonic()
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", rm.RankmeterWarning)
            target.use(given)
        outcome = "answered"
    except rm.RankmeterError as error:
        outcome = "refused"
        text = str(error)
        # Problems of several kinds stand one below the other.
        if not text or any(unicodedata.category(letter) == "Cc" for letter in text.translate({9: " ", 10: " "})):
            raise Failed(f"{again}: not words: {text[:200]!r}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of Rust is no Exception
        shown = "".join(traceback.format_exception(error)[-4:])
        raise Failed(f"{again}: {type(error).__name__}: {str(error)[:200]} for {spelled(given)}\n{shown}") from error
    finally:
        faulthandler.cancel_dump_traceback_later()
    if time.monotonic() - started > seconds:
        raise Failed(f"{again}: took {time.monotonic() - started:.0f} s")
    return outcome


def limit_memory(gigabytes: float) -> None:
    """Let more memory than that be refused; where the system cannot, only what was used is looked at."""
    try:
        import resource
    except ImportError:
        return
    used = (
        int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        if Path("/proc").exists()
        else 1 << 34
    )
    resource.setrlimit(resource.RLIMIT_AS, (used + int(gigabytes * 2**30), resource.RLIM_INFINITY))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=10_000, help="how many inputs, over all targets")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first input")
    parser.add_argument("--target", choices=TARGETS, help="one target only")
    parser.add_argument("--only", type=int, help="one input only, by its number")
    parser.add_argument("--seconds", type=float, default=20.0, help="the longest that an input may take")
    parser.add_argument("--gigabytes", type=float, default=4.0, help="the most memory beside what is used at the start")
    parser.add_argument("--failures", type=int, default=20, help="stop after so many failures of a target")
    given = parser.parse_args()
    binary_tables(), saved_files()
    rm.evaluate(JUDGMENTS, pl.DataFrame({"query": ["u"], "item": ["a"], "score": [1.0]}), "RR")  # all is loaded
    limit_memory(given.gigabytes)
    chosen = [given.target] if given.target else list(TARGETS)
    shares = sum(TARGETS[name].share for name in chosen)
    failed = 0
    for name in chosen:
        count = 1 if given.only is not None else math.ceil(given.inputs * TARGETS[name].share / shares)
        first = given.seed if given.only is None else given.only
        outcomes, started, wrong = {"answered": 0, "refused": 0}, time.monotonic(), 0
        for number in range(first, first + count):
            try:
                outcomes[throw(name, number, given.seconds)] += 1
            except Failed as failure:
                print(f"FAILED {failure}", flush=True)
                wrong += 1
                if wrong >= given.failures:
                    break
        took = time.monotonic() - started
        counts = f"{outcomes['answered']:>9,} answered {outcomes['refused']:>9,} refused {wrong:>4} failed"
        print(f"{name:<10} {counts} {took:>7.0f} s", flush=True)
        failed += wrong
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
