"""The only proof of completion, as the ledger knows it: the signed envelope lies elsewhere."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from forsooth.core.ids import Digest, GitId
from forsooth.core.value import Value
from forsooth.core.verdict import Subject


class Receipt(Value):
    """A statement that a verdict passed; `envelope` names the signed bytes by digest.

    `worktree` names the work tree that was judged, as git does.
    """

    subject: Subject
    tree: GitId
    plan_digest: Digest
    verdict: Annotated[int, Field(ge=1)]
    envelope: Digest
    commit: GitId | None = None
    summary: str = ""
    worktree: str = ""
