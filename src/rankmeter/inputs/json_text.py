"""The text of JSON: what is wrong in it is said with its place, and no key or digit of it is lost."""

from __future__ import annotations

import json
import re
from typing import cast

from rankmeter.errors import InputError, examples, with_hint
from rankmeter.inputs.cells import number_of

_LONG_NUMBER = re.compile(rb"[0-9]{16,}[.eE]|\.[0-9]{9,}[eE]|[eE]\+?[0-9]{3}")
"""What may be a number that no float is: it is taken as it is written."""


def parse_json(data: bytes | str, name: str, line: int | None = None) -> object:
    """Parse JSON; a key that occurs twice in an object is an error, not the loss of a row."""

    def keep_all(pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            twice = dict.fromkeys(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            msg = f"{where}: {len(twice):,} keys occur more than once in one JSON object: {examples(twice)}."
            raise InputError(with_hint(msg, "keep one value per key"))
        return made

    where = name if line is None else f"{name}:{line}"
    text = data.encode() if isinstance(data, str) else data
    read_float = number_of if _LONG_NUMBER.search(text) else None
    try:
        return cast("object", json.loads(data, object_pairs_hook=keep_all, parse_float=read_float))
    except json.JSONDecodeError as error:
        at = f"{name}:{error.lineno if line is None else line}"
        msg = f"{at}: not valid JSON at column {error.colno}: {error.msg}."
        raise InputError(msg) from error
    except UnicodeDecodeError as error:
        raise InputError(with_hint(f"{where} is not UTF-8 text.", "save the file as UTF-8")) from error
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a thousand levels
        raise InputError(f"{where}: cannot be read as JSON: {error}.") from error
