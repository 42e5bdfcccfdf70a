"""Any saved result, told from what the file is."""

from __future__ import annotations

import os

from rankmeter.comparing.results import Comparison
from rankmeter.comparing.saving import is_saved_comparison
from rankmeter.evaluating.result import Evaluation
from rankmeter.showing.saved_results import is_saved_result, load_result
from rankmeter.showing.showable import Showable
from rankmeter.whole_files import check_readable


def load(path: str | os.PathLike[str]) -> Evaluation | Comparison | Showable:
    """Read a result of any kind that its ``save`` wrote.

    Examples
    --------
    >>> import rankmeter as rm, tempfile, pathlib
    >>> log = [{"time": 0, "user": user, "item": "a", "type": "impression"} for user in "ABCD"]
    >>> log += [{"time": 1, "user": user, "item": "a", "type": "click"} for user in "AB"]
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rates.json"
    >>> rm.online.evaluate(log, ["CTR"]).save(path)
    >>> rm.load(path)["CTR"]
    0.5
    """
    place = check_readable(path)
    if is_saved_result(place):
        return load_result(Showable, place)
    return Comparison.load(place) if is_saved_comparison(place) else Evaluation.load(place)
