"""trec_eval's command line, read and answered as the program does; click is not needed, nor loaded for it.

To load it would take a twentieth of the time of a million lines.
"""

from __future__ import annotations

import gc
import getopt
import os
import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from rankmeter.cli.talk import say, tell
from rankmeter.errors import MeasureError, Problem, RankmeterWarning, with_hint
from rankmeter.late import without_matrix_threads
from rankmeter.wings.doors.trec_measures import atol
from rankmeter.wording import Language, said
from rankmeter.wording.characters import without_controls

OPTIONS: dict[str, tuple[str, str, Any]] = {
    "-h": ("help", "help", True),
    "-v": ("version", "show_version", True),
    "-q": ("query_eval_wanted", "per_query", True),
    "-m": ("measure=", "measures", str),
    "-c": ("complete_rel_info_wanted", "complete", True),
    "-l": ("level_for_rel=", "level", int),
    "-n": ("nosummary", "summary", False),
    "-D": ("Debug_level=", "only_query", str),
    "-J": ("Judged_docs_only", "judged_only", True),
    "-N": ("Number_docs_in_coll=", "collection", int),
    "-M": ("Max_retrieved_per_topic=", "depth", int),
    "-R": ("Rel_info_format=", "judgments_format", str),
    "-T": ("Results_format=", "run_format", str),
    "-o": ("Output_old_results_format=", "", None),
    "-Z": ("Zscore=", "zscores", str),
    "--trec-eval-version": ("trec-eval-version=", "version", str),
}
"""trec_eval's options and one of ours: the long name, the field of a call, what it holds or which kind of value."""
LETTERS = "".join(name[1] + ":" * (kind in (int, str)) for name, (_, _, kind) in OPTIONS.items() if len(name) == 2)
SHORT = {f"--{long.removesuffix('=')}": name for name, (long, _, _) in OPTIONS.items()}
VERSIONS = {"9": "9.0.8", "10": "10.0"}
VERSION_VARIABLE = "RANKMETER_TREC_EVAL_VERSION"
WRONG_USE = 1


def answer(arguments: Sequence[str], language: Language) -> int | tuple[str, ...]:
    """Print what trec_eval prints and return its exit code; where help was asked for, the measures that it is about."""
    without_matrix_threads()
    gc.disable()  # there is no cycle worth a search, and searching takes a tenth of a short call
    from rankmeter.wings.doors.trec_eval import ProgramCall, TrecEvalError, printed_blocks
    from rankmeter.wings.doors.trec_measures import wanted

    try:
        given, paths = getopt.gnu_getopt(list(arguments), LETTERS, [long for long, _, _ in OPTIONS.values()])
        options = _options([(SHORT.get(name, name), value) for name, value in given])
        measures: tuple[str, ...] = options.get("measures", ())
        if "show_version" in options:
            wanted(measures, options["version"])
            tell([f"trec_eval version {VERSIONS[str(options['version'])]}, by rankmeter"])
            return 0
        if "help" in options:
            return measures
        blocks = printed_blocks(ProgramCall(*_two(paths), **options))
    except TrecEvalError as error:
        _print([error.printed])
        say(error.text(language))
        return error.code
    except getopt.GetoptError as error:
        kind = "cli.no_such_option" if "recognized" in error.msg else "cli.option_without_value"
        fact = Problem(kind, {"name": f"-{error.opt}"}).fact(language)
        say(with_hint(fact, "rankmeter trec_eval --help", language))
        return WRONG_USE
    except MeasureError as error:
        say(error.text(language))
        return WRONG_USE
    _print(blocks)
    return 0


def _print(blocks: Iterable[bytes | bytearray]) -> None:
    """Data, with ids of any bytes as they were."""
    if sys.stdout.isatty():
        text = b"".join(blocks).decode("utf-8", "surrogateescape")
        blocks = [without_controls(text).encode("utf-8", "surrogateescape")]
    sys.stdout.flush()
    for block in blocks:
        sys.stdout.buffer.write(block)
    sys.stdout.buffer.flush()


def _two(paths: list[str]) -> tuple[str, str]:
    """Judgments and a run."""
    match paths:
        case [judgments, run]:
            return judgments, run
    hint = "rankmeter trec_eval [OPTIONS] QRELS RUN"
    raise MeasureError.of("doors.two_files_needed", given=len(paths), hint=hint)


def _options(given: list[tuple[str, str]]) -> dict[str, Any]:
    """The options as the fields of a command."""
    options: dict[str, Any] = {"version": os.environ.get(VERSION_VARIABLE, "10")}
    for name, value in given:
        _, field, kind = OPTIONS[name]
        if name == "-m":
            options[field] = (*options.get(field, ()), value)
        elif name == "-D" and "." in value:
            options[field] = value.partition(".")[2]
        elif name not in ("-D", "-o"):  # which do nothing otherwise
            options[field] = _whole(name, value) if kind is int else value if kind is str else kind
        if name == "-v":  # the program looks no further
            break
    version = options["version"]
    major = version.partition(".")[0]
    if major not in VERSIONS:
        raise MeasureError.of("doors.version_not_imitated", version=version, versions=list(VERSIONS))
    return {**options, "version": int(major)}


def _whole(name: str, text: str) -> int:
    number = atol(text)
    if not re.fullmatch(r"\s*[+-]?\d+", text):
        warnings.warn(said("read_as_c_does", name=name, text=text, number=number), RankmeterWarning, stacklevel=2)
    return number
