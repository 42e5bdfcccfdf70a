"""The site describes every public function and result, each of its parameters, and what results consist of."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, get_type_hints

import pytest

import rankmeter as rm
from rankmeter import testing

pytest.importorskip("latex2mathml")
make_site = pytest.importorskip("make_site")

pytestmark = pytest.mark.slow  # every module is imported
SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?:^\w[\w ]+\n-+$|\Z)", re.MULTILINE | re.DOTALL)


@cache
def _listed(language: str = "en") -> list[str]:
    pages = make_site.api_pages(language).values()
    return [path for page in pages for path in re.findall(r"^::: (.*)$", page, re.MULTILINE)]


def _thing(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _functions() -> Iterator[Callable[..., Any]]:
    for path in _listed():
        thing = _thing(path)
        if inspect.isfunction(thing):
            yield thing
        for name, member in vars(thing).items() if isinstance(thing, type) else ():
            if inspect.isfunction(member) and not name.startswith("_"):
                yield member


def _parameters(function: Callable[..., Any]) -> set[str]:
    """The names that can be given, those of unpacked options among them."""
    names = set(inspect.signature(function).parameters) - {"self"}
    if "Unpack[" in str(getattr(function, "__annotations__", {}).get("options")):
        names = names - {"options"} | set(get_type_hints(function)["options"].__args__[0].__annotations__)
    return names


def test_every_public_name_but_measures_is_described_once():
    inside = [thing for thing in (getattr(rm, name) for name in rm.__all__) if hasattr(thing, "__all__")]
    offered = [getattr(module, name) for module in (rm, testing, *inside) for name in module.__all__]
    described = [thing for thing in offered if inspect.isfunction(thing) or isinstance(thing, type)]
    missing = {make_site.path_of(thing) for thing in described if not hasattr(thing, "tie_rules")} - set(_listed())
    assert not missing
    assert len(set(_listed())) == len(_listed())


def test_what_results_hold_is_described_too():
    assert {"Score", "Difference", "Interval", "Requirement"} <= {path.rpartition(".")[2] for path in _listed()}


def test_a_section_of_parameters_names_each_of_them_and_nothing_else():
    for function in _functions():
        if section := SECTION.search(inspect.getdoc(function) or ""):
            heads = re.findall(r"^\S.*$", section[1], re.MULTILINE)
            named = {word.strip(" *") for head in heads for word in head.split(":")[0].split(",")}
            if "options" in named - _parameters(function):  # each is named at home
                home = re.search(r"^\*\*options\n +.*?:func:`rankmeter\.(\w+)`", section[1], re.MULTILINE)
                assert home, function.__qualname__
                assert home[1] != function.__name__
                named = named - {"options"} | (_parameters(getattr(rm, home[1])) & _parameters(function))
            assert named == _parameters(function), function.__qualname__


def test_functions_of_many_parameters_describe_them():
    for function in map(_thing, _listed()):
        if inspect.isfunction(function) and len(_parameters(function)) > 3:
            assert SECTION.search(inspect.getdoc(function) or ""), function.__qualname__


def test_examples_stand_under_a_heading_where_the_site_finds_them():
    for thing in [*map(_thing, _listed()), *_functions()]:
        text = inspect.getdoc(thing) or ""
        assert ">>>" not in text.partition("Examples\n-----")[0], thing


def test_the_chinese_reference_describes_the_same():
    assert _listed("zh") == _listed()


def test_the_reference_is_the_same_where_optional_libraries_are_missing(monkeypatch):
    everywhere = make_site.api_pages("en")
    for library in ("torch", "torchmetrics", "pyspark", "mlflow"):
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, "rankmeter.wings.catalogue.torch_metric", raising=False)
    assert make_site.api_pages("en") == everywhere
