"""The faster way to make a dataclass makes what the standard library's makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from functools import cached_property
from typing import ClassVar

import pytest

from rankmeter.frozen import dataclass

MAKERS = {"ours": dataclass, "standard": dataclasses.dataclass}
FROZEN = dataclasses.FrozenInstanceError
SLOTS = pytest.mark.parametrize("slots", [True, False], ids=["slots", "dict"])


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
@SLOTS
def test_fields_can_be_named_only(maker, slots) -> None:
    @maker(frozen=True, slots=slots, kw_only=True)
    class Named:
        a: int = 1
        b: int

    assert (Named(b=2).a, Named(b=2, a=3).a, Named.__match_args__) == (1, 3, ())
    with pytest.raises(TypeError):
        Named(1, 2)


def make(maker, *, slots=True, **settings):
    """A class with every kind of field that rankmeter uses."""

    @maker(frozen=True, slots=slots, **settings)
    class Value:
        a: int
        b: tuple[str, ...] = ()
        c: list[int] = dataclasses.field(default_factory=list, compare=False)
        hidden: str = dataclasses.field(default="h", repr=False)
        derived: int = dataclasses.field(init=False)
        shared: ClassVar[int] = 7

        def __post_init__(self) -> None:
            object.__setattr__(self, "derived", self.a + 1)

        @property
        def twice(self) -> int:
            return 2 * self.a

    return Value


def facts(cls):
    """What can be told of a class and of its values from outside."""
    one, same, other = cls(1, b=("x",)), cls(1, ("x",), [3]), cls(2)
    return {
        "fields": [(f.name, f.type, f.default, f.init, f.compare) for f in dataclasses.fields(cls)],
        "parameters": [(p.name, p.kind, p.annotation) for p in inspect.signature(cls).parameters.values()],
        "shown": [repr(one), repr(other)],
        "equal": [one == same, one == other, one == 1, one != same],
        "as hash": hash(one) == hash(same),
        "copies": [copy.copy(one) == one, copy.deepcopy(same).c, dataclasses.replace(one, a=5).derived],
        "plain": [dataclasses.asdict(one), dataclasses.astuple(other), dataclasses.is_dataclass(cls)],
        "matched": cls.__match_args__,
        "class": [cls.shared, cls.__name__, cls.__qualname__, cls.__module__, cls.__doc__ is None, one.twice],
        "has dict": hasattr(one, "__dict__"),
        "frozen": cls.__dataclass_params__.frozen,
    }


@SLOTS
def test_a_class_is_the_same_as_the_standard_one(slots) -> None:
    ours, standard = (facts(make(maker, slots=slots)) for maker in MAKERS.values())
    standard["class"][4] = ours["class"][4]  # the standard writes a signature where there is no docstring
    assert ours == standard


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
@SLOTS
def test_no_field_can_be_set_or_deleted(maker, slots) -> None:
    value = make(maker, slots=slots)(1)
    for change in (lambda: setattr(value, "a", 2), lambda: delattr(value, "a"), lambda: setattr(value, "new", 2)):
        with pytest.raises((FROZEN, TypeError)):  # TypeError: Python's own, of classes made again
            change()
    assert value.a == 1


@pytest.mark.parametrize("given", [{}, {"a": 1, "wrong": 2}, {"a": 1, "derived": 3}])
def test_wrong_arguments_are_refused(given) -> None:
    with pytest.raises(TypeError):
        make(dataclass)(**given)


@pytest.mark.parametrize("base", MAKERS.values(), ids=[f"base {name}" for name in MAKERS])
@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
@SLOTS
def test_either_kind_inherits_from_the_other(base, maker, slots) -> None:
    @maker(frozen=True, slots=slots)
    class More(make(base, slots=slots)):
        d: float = 0.5
        b: tuple[str, ...] = ("other",)

    value = More(1, d=2.0)
    assert [f.name for f in dataclasses.fields(More)] == ["a", "b", "c", "hidden", "derived", "d"]
    assert (value.b, value.d, value.derived) == (("other",), 2.0, 2)
    assert value == dataclasses.replace(value)
    assert value != make(base, slots=slots)(1)
    with pytest.raises(FROZEN):
        value.d = 1.0


@dataclass(frozen=True, slots=True)
class Kept:
    a: int
    b: tuple[int, ...] = ()


@dataclass(frozen=True)
class Remembering:
    a: int

    @cached_property
    def square(self) -> int:
        return self.a**2


@pytest.mark.parametrize("value", [Kept(1, (2, 3)), Remembering(3)])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_value_is_pickled_and_read_back(value, protocol) -> None:
    back = pickle.loads(pickle.dumps(value, protocol))
    assert back == value
    assert repr(back) == repr(value)


def test_a_class_without_slots_keeps_what_it_has_computed() -> None:
    value = Remembering(4)
    assert (value.square, value.__dict__["square"]) == (16, 16)


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ({"repr": False}, "__repr__"),
        ({"eq": False}, "__eq__"),
        ({"eq": False}, "__hash__"),
        ({"init": False}, "__init__"),
    ],
)
def test_what_is_not_wanted_is_not_made(setting, name) -> None:
    for maker in MAKERS.values():
        assert getattr(make(maker, **setting), name) is getattr(object, name)


@pytest.mark.parametrize("name", ["__repr__", "__eq__", "__hash__", "__init__"])
def test_what_a_class_defines_stays(name) -> None:
    def defined(self, *_: object) -> int:
        return 4

    body = {"__annotations__": {"a": "int"}, name: defined, "__module__": __name__}
    assert getattr(dataclass(frozen=True, slots=True)(type("Own", (), body)), name) is defined


def test_a_class_that_can_change_is_refused() -> None:
    with pytest.raises(TypeError, match="frozen"):
        dataclass(frozen=False)(Kept)
