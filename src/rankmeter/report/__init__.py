"""What people look at: documents, pages and figures of results. A report computes nothing."""

from __future__ import annotations

from typing import Any

from rankmeter.errors import MissingExtraError


def need_report_extra() -> Any:
    """The template library, or an error that says how to install what reports need, before any work is done."""
    try:
        import jinja2  # optional
        import vl_convert  # noqa: F401  optional
    except ImportError as error:
        raise MissingExtraError.of("cli.report_extra", library=error.name) from error
    return jinja2
