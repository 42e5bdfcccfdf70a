from __future__ import annotations

import ast
import builtins
import doctest
import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import rankmeter as rm
from rankmeter.measures import REGISTRY
from rankmeter.measures.families import FAMILY_OF

HEAVY = ("pandas", "scipy", "torch", "pyspark", "vl_convert", "jinja2", "polars", "numpy", "rich", "click")


def test_importing_rankmeter_loads_no_heavy_library():
    code = f"import sys, rankmeter; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_evaluating_loads_none_of_the_optional_libraries():
    code = (
        "import sys, rankmeter as rm; rm.evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, ['RR'])\n"
        "optional = ('polars', 'pandas', 'pyarrow', 'scipy', 'torch', 'pyspark', 'rich', 'narwhals')\n"
        "print([name for name in optional if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there():
    for name in rm.__all__:
        assert getattr(rm, name) is not None


def test_all_names_every_lazy_name():
    assert set(rm._LAZY) <= set(rm.__all__)


def test_every_measure_is_a_public_name():
    assert {*FAMILY_OF} <= {*rm.__all__}
    for name in FAMILY_OF:
        assert getattr(rm, name) is REGISTRY[name]


def test_a_measure_loads_its_family_and_no_other():
    code = (
        "import sys, rankmeter as rm; before = [name for name in sys.modules if 'rankmeter.measures' in name]\n"
        "rm.alpha_nDCG\n"
        "others = ('rankmeter.measures.diversity', 'rankmeter.measures.fairness', 'rankmeter.measures.popularity')\n"
        "print(before, [name in sys.modules for name in others])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] [True, False, False]"


def test_a_name_that_is_not_there_is_an_attribute_error():
    assert not hasattr(rm, "nothing_like_this")


def test_the_function_is_not_hidden_by_a_module():
    code = "import rankmeter as rm; rm.value('RR', grades=[1]); print(callable(rm.evaluate))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def public_things():
    """The functions, classes and measures that users import, under the names by which they do."""
    things = {name: getattr(rm, name) for name in rm.__all__}
    for inner, module in {name: thing for name, thing in things.items() if isinstance(thing, ModuleType)}.items():
        things |= {f"{inner}.{name}": getattr(module, name) for name in getattr(module, "__all__", ())}
    return {name: thing for name, thing in things.items() if callable(thing)}


@pytest.mark.parametrize("name", public_things())
def test_an_example_imports_what_it_uses_so_that_it_can_be_pasted(name):
    thing = public_things()[name]
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(thing) or "")
    words = [word for example in examples for word in ast.walk(ast.parse(example.source))]
    imports = [alias for word in words if isinstance(word, ast.Import | ast.ImportFrom) for alias in word.names]
    made = {alias.asname or alias.name.partition(".")[0] for alias in imports}
    made |= {word.name for word in words if isinstance(word, ast.FunctionDef | ast.ClassDef)}
    made |= {word.arg for word in words if isinstance(word, ast.arg)}
    used = {word.id for word in words if isinstance(word, ast.Name) and isinstance(word.ctx, ast.Load)}
    made |= {word.id for word in words if isinstance(word, ast.Name) and isinstance(word.ctx, ast.Store)}
    assert used <= made | set(dir(builtins)), name
