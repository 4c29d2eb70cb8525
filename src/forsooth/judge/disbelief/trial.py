"""The words all wards share."""

from forsooth.judge.checks.recipes.recipe import Edit, Edits
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Room, Trial

__all__ = ["Doubted", "Edit", "Edits", "Flaw", "Held", "Lacking", "Room", "Trial"]
