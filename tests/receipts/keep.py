"""Write receipts of today to tests/fixtures/receipts: run once for each version of the format."""

from __future__ import annotations

import tempfile
from pathlib import Path

from forsooth.core.policy import Policy
from forsooth.receipts import seal, ssh
from tests.receipts import collection, made, openssh


def main() -> None:
    """Add what is missing; a receipt that is kept is never written again."""
    rows = {
        f"receipt-{name}": data
        for name, data in collection.every().items()
        if not name.startswith("bad")
    }
    with tempfile.TemporaryDirectory() as folder:
        for kind in openssh.KINDS:
            key = ssh.user(Path(folder), path=openssh.made(Path(folder), kind))
            rows[f"receipt-ssh-{kind}"] = made.receipt(by=key)
    told = seal.build(made.plan(), Policy(), ground=None, channel="terminal", at=made.AT)
    rows["seal"] = seal.sign(told, made.key())
    collection.KEPT.mkdir(parents=True, exist_ok=True)
    for name, data in rows.items():
        path = collection.KEPT / f"{name}.dsse.json"
        if not path.exists():
            path.write_bytes(data)


if __name__ == "__main__":
    main()
