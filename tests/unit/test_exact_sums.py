"""Numbers are the same on every Python: none is a ``sum`` of floats, which rounds otherwise from Python 3.12 on."""

from __future__ import annotations

from tests.adding import found_however_python_adds

from rankmeter.stats.student import t_quantile


def test_no_number_depends_on_how_python_adds() -> None:
    older, newer = found_however_python_adds(lambda: [t_quantile(0.95, 1000 + 7 * n) for n in range(40)])
    assert older == newer
