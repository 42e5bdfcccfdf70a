from __future__ import annotations

import subprocess
import sys

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
        "print(before, [name in sys.modules for name in ('rankmeter.measures.diversity', 'rankmeter.measures.online')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] [True, False]"


def test_a_name_that_is_not_there_is_an_attribute_error():
    assert not hasattr(rm, "nothing_like_this")


def test_the_function_is_not_hidden_by_a_module():
    code = "import rankmeter as rm; rm.value('RR', grades=[1]); print(callable(rm.evaluate))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
