"""Every tool's own functions, given to ``check``, are said to be that tool's.

``python .ci/own_dialects.py`` runs this for all of them, in environments where they can be installed.
"""

from __future__ import annotations

import logging
import warnings
from importlib.util import find_spec

import pytest
from tests.conformance.tool_functions import TOOLS, Tool

import rankmeter as rm


def _is_installed(tool: Tool) -> bool:
    try:
        return find_spec(tool.module) is not None
    except ModuleNotFoundError:  # of the package around it
        return False


TRIED = [tool for tool in TOOLS if tool.environment == "usual" or _is_installed(tool)]
"""Tools that need an environment of their own are tried there."""


@pytest.mark.slow
@pytest.mark.wings("conformance")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", TRIED, ids=lambda tool: tool.name)
def test_the_answer_is_the_tool_itself(tool: Tool) -> None:
    if not _is_installed(tool):
        pytest.skip(f"{tool.module} is not installed: uv pip install {' '.join(tool.packages)}")
    logging.disable(logging.CRITICAL)
    try:
        tried = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for metric, arguments, function in tool.functions():
                verdict = rm.check(function, arguments=arguments, tolerance=tool.tolerance)
                named = {(same.tool.partition(":")[0], same.metric) for same in verdict.tools}
                assert (tool.name, metric) in named, f"{tool.name} {metric}: {verdict}"
                tried += 1
        assert tried
    finally:
        logging.disable(logging.NOTSET)
