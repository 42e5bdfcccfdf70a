"""Frozen dataclasses, made in a quarter of the time: ``from rankmeter.frozen import dataclass``.

``dataclasses.dataclass`` writes and compiles seven functions for every class, which takes half a millisecond; for the
ninety classes of a short command that was a fifth of the whole process. Here only ``__init__`` is written for a class,
when its first value is made; the other methods are shared. Readers, type checkers, ``fields``, ``replace``, ``asdict``,
``pickle`` and ``copy`` see an ordinary dataclass, and a class of either kind may inherit from one of the other.

>>> @dataclass(frozen=True, slots=True)
... class Point:
...     x: int
...     y: int = 0
>>> Point(1), Point(1) == Point(1, 0), dataclasses.replace(Point(1), y=2)
(Point(x=1, y=0), True, Point(x=1, y=2))
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from inspect import get_annotations
from operator import attrgetter
from reprlib import recursive_repr
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

Fields = dict[str, "dataclasses.Field[Any]"]


def _class_maker(
    *, frozen: bool, slots: bool = False, init: bool = True, repr: bool = True, eq: bool = True, kw_only: bool = False
) -> Callable[[type], type]:
    """The decorator. Callers state ``frozen=True`` for their readers: nothing else is made here."""
    if not frozen:
        raise TypeError("rankmeter.frozen makes frozen classes; for others take dataclasses.dataclass")
    return lambda cls: _completed(cls, slots=slots, init=init, shows=repr, compares=eq, kw_only=kw_only)


def _completed(cls: type, *, slots: bool, init: bool, shows: bool, compares: bool, kw_only: bool) -> type:
    """The class (with ``slots`` a second one) with the methods that it does not define itself."""
    kinds = get_annotations(cls)
    given = {name: cls.__dict__[name] for name in kinds if name in cls.__dict__}
    about: dict[str, Any] = {"__dataclass_params__": _Frozen.__dataclass_params__}  # type: ignore[attr-defined]
    if slots:
        cls = _with_slots(cls, [name for name, kind in kinds.items() if "ClassVar" not in str(kind)])
        about |= {"__getstate__": _state, "__setstate__": _set_state}
    if shows:
        about["__repr__"] = _repr

    def complete() -> None:
        known = _fields(cls, kinds, given, kw_only=kw_only)
        fields = _real(known)
        later: dict[str, Any] = {
            "__dataclass_fields__": known,
            "__match_args__": tuple(field.name for field in fields if field.init and not field.kw_only),
            "__init__": _init(cls, fields, slots=slots) if init else None,
        }
        if compares:
            later["__eq__"], later["__hash__"] = _comparison([field.name for field in fields if field.compare])
        for name, made in later.items():
            if isinstance(cls.__dict__.get(name), _Later):
                setattr(cls, name, made)

    names = ("__dataclass_fields__", "__match_args__", *["__init__"] * init, *["__eq__", "__hash__"] * compares)
    for name, method in (about | {name: _Later(cls, name, complete) for name in names}).items():
        if cls.__dict__.get(name) is None:  # a class that defines __eq__ has None for its hash
            setattr(cls, name, method)
    cls.__setattr__, cls.__delattr__ = _refusals(cls)  # type: ignore[method-assign]
    return cls


class _Later:
    """Stands for methods that are made when one of them is first used: in a short command few classes have a value."""

    __slots__ = ("cls", "complete", "name")

    def __init__(self, cls: type, name: str, complete: Callable[[], None]) -> None:
        self.cls, self.name, self.complete = cls, name, complete

    def __get__(self, value: object, owner: type | None = None) -> Any:
        if self.cls.__dict__[self.name] is self:
            self.complete()
        made = self.cls.__dict__[self.name]
        return made.__get__(value, owner) if hasattr(made, "__get__") else made


def _with_slots(cls: type, own: Sequence[str]) -> type:
    """A second class with the same body, and slots for its fields."""
    inherited = {slot for base in cls.__mro__ for slot in base.__dict__.get("__slots__", ())}
    body = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
    for name in own:
        body.pop(name, None)  # a default would stand in the way of the slot
    # A base that has slots has one for each of its fields, which are then not looked at: that would complete it.
    bases = [base for base in reversed(cls.__mro__[1:]) if "__slots__" not in base.__dict__]
    fields = (field.name for base in bases if dataclasses.is_dataclass(base) for field in dataclasses.fields(base))
    names = dict.fromkeys([*fields, *own])
    body |= {"__slots__": tuple(name for name in names if name not in inherited), "__qualname__": cls.__qualname__}
    return type(cls)(cls.__name__, cls.__bases__, body)


@dataclasses.dataclass(frozen=True)
class _Frozen:
    """Lends its parameters to every class made here; its fields are one of each kind."""

    own: int = 0
    shared: ClassVar[int] = 0


_KINDS = [field._field_type for field in _Frozen.__dataclass_fields__.values()]  # type: ignore[attr-defined] # noqa: SLF001


def _fields(cls: type, kinds: dict[str, Any], given: dict[str, Any], *, kw_only: bool) -> Fields:
    """All fields of a class, those of its bases first."""
    fields: Fields = {}
    for base in reversed(cls.__mro__[1:]):
        if "__dataclass_fields__" in base.__dict__:
            fields |= base.__dataclass_fields__  # type: ignore[attr-defined]
    for name, kind in kinds.items():
        default = given.get(name, dataclasses.MISSING)
        field: Any = default if isinstance(default, dataclasses.Field) else dataclasses.field(default=default)
        field.name, field.type = name, kind
        field._field_type = _KINDS["ClassVar" in str(kind)]  # noqa: SLF001 (nothing public says it)
        if field.kw_only is dataclasses.MISSING:
            field.kw_only = kw_only
        fields[name] = field
    return fields


def _real(fields: Fields) -> tuple[dataclasses.Field[Any], ...]:
    """The fields that values have, without the class variables."""
    holder: Any = SimpleNamespace(__dataclass_fields__=fields)
    return dataclasses.fields(holder)


def _init(cls: Any, fields: tuple[dataclasses.Field[Any], ...], *, slots: bool) -> Callable[..., None]:
    """The one method that is written for a class: it is called often, and editors show its parameters."""
    inside: dict[str, Any] = {"_not_given": _NOT_GIVEN, "_set": object.__setattr__}
    taken, lines = [], []
    for field in sorted(fields, key=lambda field: bool(field.kw_only)):
        name = field.name
        inside[f"_default_{name}"] = field.default
        if slots:
            inside[f"_set_{name}"] = getattr(cls, name).__set__
        value = name
        if field.default_factory is not dataclasses.MISSING:
            inside[f"_make_{name}"] = field.default_factory
            value = f"_make_{name}() if {name} is _not_given else {name}" if field.init else f"_make_{name}()"
        elif not field.init:
            value = f"_default_{name}" if field.default is not dataclasses.MISSING else ""
        if field.init:
            makes = field.default_factory is not dataclasses.MISSING
            default = "=_not_given" if makes else "" if field.default is dataclasses.MISSING else f"=_default_{name}"
            taken += ["*"] if field.kw_only and "*" not in taken else []
            taken.append(f"{name}{default}")
        if value:
            lines.append(f"_set_{name}(self, {value})" if slots else f"_set(self, {name!r}, {value})")
    lines += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    exec(f"def __init__({', '.join(['self', *taken])}):\n " + "\n ".join(lines or ["pass"]), inside)  # noqa: S102 (names)
    made: Callable[..., None] = inside["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    made.__annotations__ = {field.name: field.type for field in fields if field.init} | {"return": None}
    return made


class _NotGiven:
    def __repr__(self) -> str:
        return "<factory>"


_NOT_GIVEN = _NotGiven()


@recursive_repr()
def _repr(self: Any) -> str:
    pairs = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{type(self).__qualname__}({pairs})"


def _comparison(names: list[str]) -> tuple[Callable[..., Any], Callable[[Any], int]]:
    values = attrgetter(*names) if names else lambda _: ()

    def is_equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return is_equal, lambda self: hash(values(self))


def _refusals(cls: Any) -> tuple[Callable[..., None], Callable[..., None]]:
    def refuse(self: Any, name: str, verb: str) -> None:
        if type(self) is cls or any(field.name == name for field in dataclasses.fields(cls)):
            raise dataclasses.FrozenInstanceError(f"cannot {verb} field {name!r}")

    def set_value(self: Any, name: str, value: object) -> None:
        refuse(self, name, "assign to")
        super(cls, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        refuse(self, name, "delete")
        super(cls, self).__delattr__(name)

    return set_value, delete


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _class_maker

__all__ = ["dataclass"]
