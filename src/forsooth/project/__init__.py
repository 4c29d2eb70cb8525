"""The composition root: one repository, its plans, and one method a use case.

The only place that joins git, the ledger and the core. It prints nothing and parses no argv.
"""

from forsooth.project.attesting import Issued
from forsooth.project.blaming import Blaming
from forsooth.project.claiming import Claimed, Claiming
from forsooth.project.completing import BadBrief
from forsooth.project.installing import Agent, Change, Proposal
from forsooth.project.judging import Checked, Survey
from forsooth.project.looking import Looking
from forsooth.project.planning import Drafted, Planning
from forsooth.project.ranging import Ranged, Ranging
from forsooth.project.removing import Going, Removing
from forsooth.project.sealing import Sealer, Sealing
from forsooth.project.settings import Settings
from forsooth.project.shelf import Listed
from forsooth.project.spans import Span
from forsooth.project.trusting import Trust, Untrusted, Wish
from forsooth.project.verifying import Verifying
from forsooth.project.working import Handed, Working


class Project(Planning, Working, Sealer, Claiming, Blaming, Ranging, Verifying, Removing, Looking):
    """A repository's plans, as one actor meets them."""


__all__ = [
    "Agent",
    "BadBrief",
    "Change",
    "Checked",
    "Claimed",
    "Drafted",
    "Going",
    "Handed",
    "Issued",
    "Listed",
    "Project",
    "Proposal",
    "Ranged",
    "Sealing",
    "Settings",
    "Span",
    "Survey",
    "Trust",
    "Untrusted",
    "Wish",
]
