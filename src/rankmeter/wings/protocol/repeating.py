"""The same parts again, from their protocol, and what has changed since."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from rankmeter.errors import InputError
from rankmeter.inputs.shards import files
from rankmeter.whole_files import check_readable, said_if_damaged
from rankmeter.wings.protocol.split_parts import PARTS, Split
from rankmeter.wings.protocol.splitting import split
from rankmeter.wings.protocol.statement import Protocol
from rankmeter.wording import Said, said


def read_protocol(path: str | os.PathLike[str]) -> tuple[Protocol, dict[str, Any]]:
    """A protocol from its file, with the rest of the record."""
    place = check_readable(path)
    with said_if_damaged("protocol.not_a_protocol", str(place)):
        record = json.loads(place.read_text("utf-8"))
        return Protocol.from_dict(record), record


def again(path: str | os.PathLike[str], interactions: object = None) -> tuple[Split, list[Said]]:
    """The parts of a protocol made again, and what is different from then; nothing, if they are the same."""
    before, record = read_protocol(path)
    data = interactions
    if data is None:
        listed = [os.path.normpath(Path(path).parent / source) for source in record["sources"]]
        if not listed:
            raise InputError.of("protocol.again_needs_data", source=str(path))
        if gone := [source for source in listed if not Path(source).exists()]:
            raise InputError.of("protocol.again_moved", source=str(path), file=gone[0])
        data = listed[0] if len(listed) == 1 else files(listed)
    named = record["columns"] if interactions is None else None
    made = split(
        data, before.how, validation=before.validation, before=[one.step for one in before.before],
        after=list(before.after), ties=before.ties, whole=before.whole, seed=before.seed, columns=named,  # type: ignore[arg-type]
    )  # fmt: skip
    return made, changes(before, made.protocol)


def changes(before: Protocol, now: Protocol) -> list[Said]:
    """In what two protocols differ, in sentences."""
    found = []
    if before.inputs != now.inputs:
        found.append(said("again_input", before=before.rows, now=now.rows))
    pairs = {
        "again_step": [
            (one.step, one.removed, two.removed) for one, two in zip(before.before, now.before, strict=False)
        ],
        "again_part": [
            (
                name,
                fold.parts[name].rows if name in fold.parts else 0,
                other.parts[name].rows if name in other.parts else 0,
            )
            for fold, other in zip(before.folds, now.folds, strict=False)
            for name in PARTS
        ],
    }
    for kind, counts in pairs.items():
        found += [said(kind, name=name, before=one, now=two) for name, one, two in counts if one != two]
    if not found and before.folds != now.folds:
        found.append(said("again_rows"))
    return found
