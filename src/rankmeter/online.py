"""The public name of :mod:`rankmeter.wings.online.public_names`. Written by docs/tools/make_wings.py."""

import sys
from typing import TYPE_CHECKING

from rankmeter.wings.loading import load

if TYPE_CHECKING:
    from rankmeter.wings.online.public_names import *  # noqa: F403

sys.modules[__name__] = load("rankmeter.wings.online.public_names", __name__)
