"""The public name of :mod:`rankmeter.wings.doors.ir_measures`. Written by docs/tools/make_wings.py."""

import sys
from typing import TYPE_CHECKING

from rankmeter.wings.loading import load

if TYPE_CHECKING:
    from rankmeter.wings.doors.ir_measures import *  # noqa: F403

sys.modules[__name__] = load("rankmeter.wings.doors.ir_measures", __name__)
