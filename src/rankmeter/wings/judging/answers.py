"""What the core asks this wing for where ``assisted_by=`` was given, and where a file holds what came of it."""

from rankmeter.wings.judging.assistance import Assistance
from rankmeter.wings.judging.assisted_values import assist
from rankmeter.wings.judging.observed import design_of

__all__ = ["Assistance", "assist", "design_of"]
