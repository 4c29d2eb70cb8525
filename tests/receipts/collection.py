"""Receipts of every kind the suite makes, and the independent verifier beside ours."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forsooth.receipts import dsse
from tests.receipts import made
from tests.receipts.made import finding, key, receipt, verdict
from tests.receipts.openssh import HARDWARE, Hardware

DOCS = Path(__file__).parents[2] / "docs"
KEPT = Path(__file__).parents[1] / "fixtures" / "receipts" / "v1"

independent: Callable[..., dict[str, Any]] = runpy.run_path(str(DOCS / "verify_receipt.py"))[
    "verify"
]


def every() -> dict[str, bytes]:
    """Each receipt by what is particular about it; those that begin with `bad` must not hold."""
    waived = verdict(finding("G001.C1", outcome="waived"))
    alone = verdict(finding("G001.C2", outcome="waived"))
    plan = verdict(finding("G001.C1"), finding("suite"), subject="plan")
    rows = {
        "goal": receipt(),
        "plan": receipt(plan),
        "waived": receipt(waived),
        "no-commit": receipt(verdict(commit=None)),
        "two-signers": dsse.cosign(receipt(), key(2)),
        "words": receipt(tool="forsooth — naïve ✓ 🎉 \u202e"),
        "bad-failed": receipt(verdict(finding("G001.C1", outcome="fail"))),
        "bad-error": receipt(verdict(finding("G001.C1", outcome="error"))),
        "bad-waiver": receipt(alone),
        "bad-payload": dsse.sign(b"{}", key()),
        "bad-kind": dsse.sign(b"{}", key(), kind=dsse.SEAL),
        "bad-cut": receipt()[:-9],
        "bad-empty": b"",
    }
    for kind in HARDWARE:
        name = kind.partition("@")[0]
        rows[name] = receipt(by=Hardware(kind))
        rows[f"bad-untouched-{name}"] = receipt(by=Hardware(kind, flags=0))
    return rows


def kept() -> dict[str, bytes]:
    """Receipts written by earlier versions; they must verify for ever."""
    return {path.name: path.read_bytes() for path in sorted(KEPT.glob("*.dsse.json"))}


def refuses(data: bytes, *, tree: str = made.TREE) -> bool:
    """Whether the independent verifier refuses."""
    try:
        independent(data, tree)
    except Exception:  # noqa: BLE001
        return True
    return False
