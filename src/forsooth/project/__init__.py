"""The composition root: one repository, its plans, and one method a use case.

The only place that joins git, the ledger and the core. It prints nothing and parses no argv.
"""

from forsooth.project.agreements import Agreements, RecordedAgreement
from forsooth.project.approving import Approval, Approving
from forsooth.project.attesting import Issued
from forsooth.project.blaming import Blaming
from forsooth.project.claiming import Claimed, Claiming
from forsooth.project.committing import Committing
from forsooth.project.completing import BadBrief
from forsooth.project.examining import Cost, Examining, Health
from forsooth.project.hosting import Ended, Setup
from forsooth.project.installing import Change, Proposal, Restored
from forsooth.project.judging import Checked, Survey
from forsooth.project.looking import Looking
from forsooth.project.meeting import Agent
from forsooth.project.planning import LARGEST_INPUT, Drafted, Planning
from forsooth.project.ranging import Ranged, Ranging
from forsooth.project.removing import Going, Removing
from forsooth.project.rerunning import Rerunning
from forsooth.project.sealing import SealedFile, Sealing
from forsooth.project.settings import Settings
from forsooth.project.shelf import Listed
from forsooth.project.spans import Span
from forsooth.project.suggesting import Suggested, Suggesting
from forsooth.project.surroundings import Surroundings
from forsooth.project.trusting import Trust, Untrusted, Wish
from forsooth.project.working import Handed, Working


class Project(
    Planning,
    Suggesting,
    Working,
    Approving,
    Claiming,
    Agreements,
    Committing,
    Blaming,
    Ranging,
    Surroundings,
    Rerunning,
    Examining,
    Removing,
    Looking,
):
    """A repository's plans, as one actor meets them."""


__all__ = [
    "LARGEST_INPUT",
    "Agent",
    "Approval",
    "BadBrief",
    "Change",
    "Checked",
    "Claimed",
    "Cost",
    "Drafted",
    "Ended",
    "Going",
    "Handed",
    "Health",
    "Issued",
    "Listed",
    "Project",
    "Proposal",
    "Ranged",
    "RecordedAgreement",
    "Restored",
    "SealedFile",
    "Sealing",
    "Settings",
    "Setup",
    "Span",
    "Suggested",
    "Survey",
    "Trust",
    "Untrusted",
    "Wish",
]
