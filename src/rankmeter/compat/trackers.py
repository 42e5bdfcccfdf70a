"""The public name of :mod:`rankmeter.wings.doors.trackers`. Written by docs/tools/make_wings.py."""

import sys
from typing import TYPE_CHECKING

from rankmeter.wings.loading import load

if TYPE_CHECKING:
    from rankmeter.wings.doors.trackers import *  # noqa: F403

sys.modules[__name__] = load("rankmeter.wings.doors.trackers", __name__)
