"""The text of JSON: what is wrong in it is said with its place, and no key or digit of it is lost."""

from __future__ import annotations

import decimal
import json
from typing import cast

from rankmeter.errors import InputError, examples
from rankmeter.inputs.cells import EXACT_WHOLE_NUMBERS, as_written


def parse_json(data: bytes | str, name: str, line: int | None = None) -> object:
    """Parse JSON; a key that occurs twice in an object is an error, not the loss of a row."""

    def keep_all(pairs: list[tuple[str, object]]) -> dict[str, object]:
        parsed = dict(pairs)
        if len(parsed) < len(pairs):
            seen: set[str] = set()
            twice = dict.fromkeys(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise InputError.of("inputs.keys_twice", source=where, count=len(twice), keys=examples(twice))
        return parsed

    where = name if line is None else f"{name}:{line}"
    text = data.encode() if isinstance(data, str) else data
    try:
        return cast("object", json.loads(data, object_pairs_hook=keep_all, parse_float=_float))
    except json.JSONDecodeError as error:
        if not text.strip():
            raise InputError.of("inputs.empty", source=where) from None
        at = f"{name}:{error.lineno if line is None else line}"
        kind = "inputs.json_is_cut" if _is_cut(error) else "inputs.not_json"
        raise InputError.of(kind, source=at, column=error.colno, reason=error.msg) from error
    except UnicodeDecodeError as error:
        at_line = (line or 1) + text[: error.start].count(b"\n")
        raise InputError.of("inputs.not_utf8", source=name, line=at_line, byte=f"0x{text[error.start]:02x}") from error
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a thousand levels
        raise InputError.of("inputs.unreadable_json", source=where, reason=str(error)) from error


def _float(text: str) -> float | int | decimal.Decimal:
    """A number, as it is written where no float is like it."""
    number = float(text)
    return number if abs(number) < EXACT_WHOLE_NUMBERS else as_written(text)


def _is_cut(error: json.JSONDecodeError) -> bool:
    """Whether what is wrong is that the text ends, within a string or a word or between two values."""
    rest = error.doc[error.pos :].strip()
    return error.msg.startswith("Unterminated string") or any(
        word.startswith(rest) for word in ("true", "false", "null", "-")
    )
