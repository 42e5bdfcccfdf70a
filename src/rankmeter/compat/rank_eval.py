"""The public name of :mod:`rankmeter.wings.engines.rank_eval`. Written by docs/tools/make_wings.py."""

import sys
from typing import TYPE_CHECKING

from rankmeter.wings.loading import load

if TYPE_CHECKING:
    from rankmeter.wings.engines.rank_eval import *  # noqa: F403

sys.modules[__name__] = load("rankmeter.wings.engines.rank_eval", __name__)
