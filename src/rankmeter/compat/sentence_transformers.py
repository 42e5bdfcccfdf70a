"""The public name of :mod:`rankmeter.wings.catalogue.sentence_transformers`. Written by docs/tools/make_wings.py."""

import sys
from typing import TYPE_CHECKING

from rankmeter.wings.loading import load

if TYPE_CHECKING:
    from rankmeter.wings.catalogue.sentence_transformers import *  # noqa: F403

sys.modules[__name__] = load("rankmeter.wings.catalogue.sentence_transformers", __name__)
