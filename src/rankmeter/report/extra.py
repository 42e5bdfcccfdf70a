"""What reports need beside rankmeter's own dependencies."""

from __future__ import annotations

from typing import Any

from rankmeter.errors import MissingExtraError, with_hint


def need_report_extra() -> Any:
    """The template library, or an error that says how to install what reports need; asked before any work is done."""
    try:
        import altair as alt  # noqa: F401  optional
        import jinja2  # optional
        import vl_convert  # noqa: F401  optional
    except ImportError as error:
        fact = f"reports need {error.name}, which is not installed."
        raise MissingExtraError(with_hint(fact, "pip install 'rankmeter[report]'")) from error
    return jinja2
