"""The composition root: one repository, its plans, and one method a use case.

The only place that joins git, the ledger and the core. It prints nothing and parses no argv.
"""

from forsooth.project.judging import Checked, Judging, Survey
from forsooth.project.looking import Looking
from forsooth.project.planning import BadBrief, Drafted, Planning, Sealing
from forsooth.project.settings import Settings
from forsooth.project.shelf import Listed
from forsooth.project.working import Handed, Working


class Project(Planning, Working, Judging, Looking):
    """A repository's plans, as one actor meets them."""


__all__ = [
    "BadBrief",
    "Checked",
    "Drafted",
    "Handed",
    "Listed",
    "Project",
    "Sealing",
    "Settings",
    "Survey",
]
