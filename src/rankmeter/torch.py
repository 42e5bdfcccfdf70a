"""The public name of :mod:`rankmeter.wings.catalogue.metrics`. Written by docs/tools/make_wings.py."""

import sys
from typing import TYPE_CHECKING

from rankmeter.wings.loading import load

if TYPE_CHECKING:
    from rankmeter.wings.catalogue.metrics import *  # noqa: F403

sys.modules[__name__] = load("rankmeter.wings.catalogue.metrics", __name__)
