"""What is typed on the command line, turned into what the API takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from rankmeter.errors import InputError, RankmeterError, did_you_mean, with_hint

_NOT_A_NAME = frozenset(
    ".gz .zst .xz .bz2 .run .txt .trec .res .qrels .csv .tsv .json .jsonl .parquet .ipc .arrow .feather".split()
)
"""Endings that say how a file is written, not which system made it."""

_SIDES = ("judgments", "run")

history_option = click.option(
    "--history", metavar="FILE", help="What users took before: a table of interactions (user, item)."
)
by_option = click.option(
    "--by", multiple=True, metavar="FILE[:COLUMN]|WORD",
    help="Also by slice: a table with a row per query, or activity, cold-users, popularity, cold-items, group, or a "
    "column of the catalogue.",
)  # fmt: skip

no_judgments_option = click.option(
    "--no-judgments", is_flag=True,
    help="All files are runs: for measures of lists that need no judgments, such as Coverage@10.",
)  # fmt: skip


def parse_columns(text: str | None) -> tuple[dict[str, str], dict[str, str]]:
    """Read ``item=docid,query=uid`` for the judgments and for the run; ``run.item=docid`` is for the run alone.

    Examples
    --------
    >>> parse_columns("query=uid,run.item=docid_x")
    ({'query': 'uid'}, {'query': 'uid', 'item': 'docid_x'})
    """
    from rankmeter.inputs.columns import ROLES, STATEMENTS, columns_of

    columns: dict[str, str] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if role.startswith("catalogue.") and equals and column:
            continue  # read by catalogue_columns
        side, dot, bare = role.partition(".")
        known = (*ROLES, *STATEMENTS)
        if not equals or not column or (bare if dot and side in _SIDES else role) not in known:
            fact = f"--columns: '{part.strip()}' is not possible; expected one of {', '.join(known)} = a column's name."
            raise InputError(with_hint(fact, did_you_mean(role, ROLES) or "--columns item=docid_x,query=uid"))
        columns[role] = column
    return columns_of(columns, "judgments") or {}, columns_of(columns, "run") or {}


def catalogue_columns(text: str | None) -> dict[str, str]:
    """Read what ``--columns`` says of the catalogue: ``catalogue.features=f1+f2``.

    Examples
    --------
    >>> catalogue_columns("query=uid,catalogue.features=f1+f2,catalogue.values=cost")
    {'features': 'f1+f2', 'values': 'cost'}
    """
    parts = [part.strip() for part in (text or "").split(",")]
    named = {role.strip(): column.strip() for role, _, column in (part.partition("=") for part in parts)}
    mine = {role: column for role, column in named.items() if role.startswith("catalogue.")}
    if not mine:
        return {}
    from rankmeter.lists.catalogue import columns_of_items

    return columns_of_items(mine)[1]


def columns_for(path: str, format: str | None, columns: Mapping[str, str]) -> dict[str, str] | None:
    """The columns to look for in one file: none in TREC text, so that they can be named for the other file."""
    if not columns:
        return None
    if columns.get("subtopic") == "iteration" and len(columns) == 1:
        return dict(columns)
    from rankmeter.inputs.columns import STATEMENTS

    stated = {role: column for role, column in columns.items() if role in STATEMENTS}
    return stated if _is_trec(path, format) else dict(columns)


def _is_trec(path: str, format: str | None) -> bool:
    if format is not None:
        return format in ("trec", "qrels", "run", "labelled")
    # What is no regular file (a pipe, standard input) can be read only once, so it is not looked into.
    if not Path(path).is_file():
        return False
    from rankmeter.inputs.compression import open_source
    from rankmeter.inputs.sniffing import recognise

    try:
        with open_source(path) as source:
            return recognise(source.head, source.name) in ("qrels", "run")
    except RankmeterError:
        # The reader says what is wrong with it.
        return False


def system_names(paths: Sequence[str]) -> list[str]:
    """A name for each run: the file's name without its endings, with as much more as makes it unlike the others.

    Examples
    --------
    >>> system_names(["runs/bm25.run.gz", "runs/dense.v2.txt"])
    ['bm25', 'dense.v2']
    >>> system_names(["monday/bm25.run", "tuesday/bm25.run", "-"])
    ['monday/bm25', 'tuesday/bm25', 'stdin']
    """
    names = [_stem(path) for path in paths]
    longer: list[Callable[[str], str]] = [_with_folder, lambda path: Path(path).name, str]
    for lengthen in longer:
        counts = Counter(names)
        names = [lengthen(path) if counts[name] > 1 else name for name, path in zip(names, paths, strict=True)]
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return numbered


def _stem(path: str) -> str:
    if path == "-":
        return "stdin"
    name = Path(path)
    while name.suffix.lower() in _NOT_A_NAME and name.stem:
        name = name.with_suffix("")
    return name.name or path


def _with_folder(path: str) -> str:
    folder = Path(path).parent.name
    return f"{folder}/{_stem(path)}" if folder else _stem(path)


def pairs(option: str, text: str | None) -> dict[str, str]:
    """Read ``user=visitor,type=action``.

    Examples
    --------
    >>> pairs("--columns", "user=visitor, type=action")
    {'user': 'visitor', 'type': 'action'}
    """
    found: dict[str, str] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise InputError(with_hint(f"{option}: '{part.strip()}' is not name=value.", f"{option} user=visitor"))
        found[name] = value
    return found
