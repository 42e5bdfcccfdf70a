"""Results in one file of JSON each: what they are made of, exactly, and the name of each record's class.

What JSON has no form for is an object with the key ``~``: ``tuple``, ``map`` (keys that are not text), ``set``,
``float`` (not finite), ``said`` (a sentence), ``measure``, ``array``, ``frame``, or the class of a record.
"""

from __future__ import annotations

import json
import math
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from importlib import import_module
from io import BytesIO
from typing import Any, TypeVar, cast

import numpy as np

from rankmeter import __version__
from rankmeter.errors import InputError
from rankmeter.late import pl
from rankmeter.measures import Measure, parse
from rankmeter.whole_files import check_form, check_readable, check_writable, said_if_damaged, write_text
from rankmeter.wings.loading import load
from rankmeter.wording import Said

FORM = 1
KIND = "~"
WINGS = "rankmeter.wings."
Result = TypeVar("Result")


def save_result(result: object, path: str | os.PathLike[str]) -> None:
    """Write everything that a result is made of."""
    place = check_writable(path)
    text = json.dumps(_plain(result), ensure_ascii=False, allow_nan=False)
    header = {"kind": type(result).__name__, "version": FORM, "rankmeter": __version__, "digest": _digest(text)}
    write_text(place, f'{json.dumps(header)[:-1]}, "result": {text}}}\n')


def is_saved_result(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as one that :func:`save_result` wrote."""
    with open(path, "rb") as file:  # noqa: PTH123 (a path of any kind)
        return file.read(9) == b'{"kind": '


def load_result(kind: type[Result], path: str | os.PathLike[str]) -> Result:
    """Read what :func:`save_result` wrote of a result of this kind."""
    source = str(check_readable(path))
    with said_if_damaged("saved.no_result", source):
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 (as above)
            header = json.load(file)
        check_form(header["version"], FORM, source)
        if _digest(json.dumps(header["result"], ensure_ascii=False)) != header["digest"]:
            raise InputError.of("saved.damaged", source=source)
        result = _made(header["result"])
        if not isinstance(result, kind):
            raise InputError.of("saved.other_kind", source=source, kind=header["kind"], wanted=kind.__name__)
        return result


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


def is_reported(value: object) -> bool:
    """Whether this is an evaluation or a comparison, or the class of one, which files of their own hold."""
    return hasattr(value, "_page_html")


def _plain(value: Any) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Said):
        return {KIND: "said", "value": value.to_plain()}
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {KIND: "float", "value": repr(value)}
    if isinstance(value, Mapping):
        if all(isinstance(key, str) and not isinstance(key, Said) for key in value) and KIND not in value:
            return {key: _plain(held) for key, held in value.items()}
        return {KIND: "map", "value": [[_plain(key), _plain(held)] for key, held in value.items()]}
    if isinstance(value, list):
        return list(map(_plain, value))
    return _tagged(value)


def _tagged(value: Any) -> dict[str, Any]:
    """A value of a kind that JSON has no form for."""
    if isinstance(value, Measure):
        return {KIND: "measure", "value": str(value)}
    if isinstance(value, (set, frozenset)):
        return {KIND: "set", "value": sorted(map(_plain, value), key=str)}
    if isinstance(value, np.ndarray):
        return {KIND: "array", "type": value.dtype.str, "shape": value.shape, "value": _plain(value.ravel().tolist())}
    if isinstance(value, pl.DataFrame):
        value.write_parquet(buffer := BytesIO())
        return {KIND: "frame", "value": b64encode(buffer.getvalue()).decode()}
    name = f"{type(value).__module__}:{type(value).__qualname__}"
    if is_reported(value):  # an evaluation, which has a form of its own
        cast(Any, value).save(buffer := BytesIO())
        return {KIND: name, "value": b64encode(buffer.getvalue()).decode()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {KIND: name, **{field: _plain(part) for field, part in zip(value._fields, value, strict=True)}}
    if isinstance(value, tuple):
        return {KIND: "tuple", "value": list(map(_plain, value))}
    return {KIND: name, **{field.name: _plain(getattr(value, field.name)) for field in fields(value) if field.init}}


def _made(plain: Any) -> Any:
    """The value that :func:`_plain` made this of."""
    if isinstance(plain, list):
        return list(map(_made, plain))
    if not isinstance(plain, dict):
        return plain
    if KIND not in plain:
        return {key: _made(held) for key, held in plain.items()}
    kind = plain[KIND]
    if kind == "array":
        return np.array(_made(plain["value"]), np.dtype(plain["type"])).reshape(plain["shape"])
    if kind in _MAKERS:
        return _MAKERS[kind](plain["value"])
    module, _, name = kind.partition(":")
    if not module.startswith("rankmeter."):
        raise ValueError(kind)
    made = getattr(load(module, name) if module.startswith(WINGS) else import_module(module), name)
    if is_reported(made):
        return made.load(BytesIO(b64decode(plain["value"])))
    if not is_dataclass(made) and not issubclass(made, tuple):
        raise ValueError(kind)
    return made(**{field: _made(part) for field, part in plain.items() if field != KIND})


_MAKERS: dict[str, Callable[[Any], Any]] = {
    "said": Said.from_plain,
    "float": float,
    "map": lambda pairs: {_made(key): _made(held) for key, held in pairs},
    "set": lambda parts: frozenset(map(_made, parts)),
    "measure": parse,
    "frame": lambda text: pl.read_parquet(BytesIO(b64decode(text))),
    "tuple": lambda parts: tuple(map(_made, parts)),
}
